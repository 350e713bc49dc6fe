"""Periods for the Glicko tests: games as (white, black, half points of White), states by player number."""

from collections.abc import Mapping, Sequence
from typing import Any

from rerate.ratings.face import EventInfo, Games, Key, Period, State
from rerate.ratings.glicko import Glicko
from rerate.ratings.glicko2 import Glicko2
from rerate.ratings.glicko_base import GlickoBase, Result

MAKERS: dict[str, type[Glicko] | type[Glicko2]] = {"glicko/1": Glicko, "glicko2/1": Glicko2}
BOTH = sorted(MAKERS)

KEYS: dict[str, Key] = {
    "event": ("2024-01-15", 0, "w:e1"),
    "date": ("2024-01-15",),
    "round": ("2024-01-15", 0, "w:e1", 1),
    "month": ("2024-01",),
    "game": ("2024-01-15", 0, "w:e1", 1, 1, "g1"),
}


class States(dict[int, State]):
    """States by player number; None for who has none."""

    def __missing__(self, player: int) -> None:
        return None


def period(games: Sequence[Sequence[int]], states: Mapping[int, State], key: Key = KEYS["date"]) -> Period:
    """A period of games (white, black, half points of White, rated bits = 3, event = 0)."""
    columns = Games()
    for number, (white, black, half, *more) in enumerate(games):
        columns.append(white, black, half, 2 - half, more[0] if more else 3, more[1] if len(more) > 1 else 0, f"g{number}")
    events = [EventInfo(f"w:e{n}", "2024-01-15") for n in range(1 + max(columns.event, default=0))]
    return Period(key, columns, 0, len(columns), events, States(states))


def seeded(system: GlickoBase, **fields: Any) -> State:
    state = system.seed(fields)
    assert state is not None
    return state


def worked(system: GlickoBase, given: Period, player: int) -> Result:
    """What the player's games come to, before anything is rounded."""
    day = system._time.day(str(given.key[0]))
    standings, played = system._played(given, day)
    return system._result(standings[player], played[player], day)


def deviation_of(system: GlickoBase, result: Result) -> float:
    """Points, before rounding."""
    return result.phi * system.scale
