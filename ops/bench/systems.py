"""`python -m ops.bench --systems`: games per second of every rating system, beside the club's on the same games.

Random games through the face of a system, nothing published: events of 100 games among 20 players out of 2,000, who all begin with a
rating; one event a period, on lists by month ten. Right before each system the club's rates the same games in the same process: what counts
is the ratio. Older lists are not read: every event is judged by the list as it stands.
"""

import random
from collections.abc import Mapping
from datetime import date, timedelta
from time import process_time
from typing import NamedTuple

from rerate.ratings.face import BLACK, WHITE, EventInfo, Games, Key, Period, State, System
from rerate.ratings.quantum import PER_POINT
from rerate.ratings.systems import SYSTEMS

PLAYERS, IN_EVENT, EVENT_GAMES, EVENTS_IN_MONTH = 2_000, 20, 100, 10
FIRST_DAY = date(2015, 1, 1)


class Bound(NamedTuple):
    """A system as it is measured."""

    name: str
    quantum: str
    period: str
    seed: Mapping[str, object]
    """What every player begins with, the rating aside."""


GAMES_SEED, DEVIATION_SEED = {"games": 20}, {"deviation": "80"}

CLUB = Bound("club/1", "0.1", "event", GAMES_SEED)
MEASURED = (
    CLUB,
    Bound("fide/1", "1", "month", GAMES_SEED),
    Bound("fide-curve/1", "0.1", "event", GAMES_SEED),
    Bound("fide-2009/1", "1", "month", GAMES_SEED),
    Bound("uschess/1", "0.01", "event", GAMES_SEED),
    Bound("glicko/1", "0.1", "event", DEVIATION_SEED),
    Bound("glicko2/1", "0.1", "event", DEVIATION_SEED),
)


def measure(games: int) -> None:
    """Measure every system over so many games and print a line for each."""
    assert {bound.name for bound in MEASURED} == set(SYSTEMS)
    print(f"{'system':<13} {'period':<7} {'games/s':>9} {'club beside it':>15} {'ratio':>6}")
    for bound in MEASURED:
        club, mine = _per_second(CLUB, games), _per_second(bound, games)
        print(f"{bound.name:<13} {bound.period:<7} {mine:>9,.0f} {club:>15,.0f} {club / mine:>6.1f}")


def _per_second(bound: Bound, count: int) -> float:
    """Games rated in a second of CPU."""
    system = SYSTEMS[bound.name]({}, PER_POINT[bound.quantum], bound.period)
    games, events = _random_games(count)
    states: list[State | None] = [_seeded(system, bound, 1_400 + player % 1_200) for player in range(PLAYERS)]
    size = EVENT_GAMES * (EVENTS_IN_MONTH if bound.period == "month" else 1)
    periods = [(_key(bound.period, events, low), low, min(low + size, count)) for low in range(0, count, size)]
    begin = process_time()
    for key, low, high in periods:
        for player, row in system.rate(Period(key, games, low, high, events, states)).items():
            states[player] = row.state
    return count / (process_time() - begin)


def _seeded(system: System, bound: Bound, rating: int) -> State:
    state = system.seed({"rating": str(rating), **bound.seed})
    assert state is not None, f"{bound.name} does not take its seed"
    return state


def _random_games(count: int) -> tuple[Games, list[EventInfo]]:
    """The same games at every call: results are drawn, whoever plays."""
    chance = random.Random(1)
    games, events = Games(), []
    for low in range(0, count, EVENT_GAMES):
        day = (FIRST_DAY + timedelta(days=low // EVENT_GAMES * 3)).isoformat()
        events.append(EventInfo(f"bench:e{len(events)}", day, day, "open"))
        players = chance.sample(range(PLAYERS), IN_EVENT)
        for number in range(min(EVENT_GAMES, count - low)):
            white, black = chance.sample(players, 2)
            half = chance.choice((0, 1, 2))
            games.append(white, black, half, 2 - half, WHITE | BLACK, len(events) - 1, f"g{number}")
    return games, events


def _key(period: str, events: list[EventInfo], low: int) -> Key:
    event = events[low // EVENT_GAMES]
    return (event.end[:7],) if period == "month" else (event.end, 0, event.id)
