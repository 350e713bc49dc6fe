"""Histories of pools in which every system rates at once: many lists, systems and rules that change on a date, and what only some ask for.

A history of `histories.py` is *dressed*, by choices that belong to the content of each fact: its configurations get lists of all systems
(each list id has its family, so that seeds and adjustments fit now and then), events their start, report, officer's month and categories,
registrations their traits, seeds the fields of their system's states.

`month_borders` is a kind of its own: lists that read older lists, and corrections that move an event's start, end or report over the border
of a month, to and fro.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from random import Random

from hypothesis import strategies as st

from rerate.messages.canonical import canonical
from tests.kit.histories import WEIGHTS, World, histories, random_history
from tests.kit.sendable import Data, Sendable

CALENDAR = ("2024-01-05", "2024-01-26", "2024-02-10", "2024-03-01", "2024-03-20", "2024-05-04", "2024-07-31")
"""Over the changes of 2024-03-01, so far apart that lists differ."""

WORLD = World(
    players=("w:Z", "w:a", "w:b", "w:c", "w:d", "w:e"),
    events=("w:e1", "w:e2", "w:e3", "w:e4", "w:e5"),
    games=("g1", "g2", "g3", "g4", "g5", "g6"),
    most_games=6,
    dates=CALENDAR,
    lists=("club", "fide", "rapid", "old", "curve", "us", "glicko", "lichess"),
    categories=("club", "cup", "fide-official", "match"),
    formulas=("raise-2024", "raise-2024", "unheard-of"),
    weights={**WEIGHTS, "publication": 48, "correction": 20, "registration": 8, "seed": 16, "adjustment": 8, "configuration": 5},
)

Rule = tuple[str, Data]
"""System and parameters."""

_FIDE: tuple[Rule, ...] = (
    ("fide/1", {}),
    ("fide/1", {"initial_games": 1}),
    ("fide/1", {"initial_games": 2, "no_birth_year": "junior", "rounding": "event"}),
    ("fide/1", {"initial_games": 1, "initial_games_count": "yes", "below_floor": "forget", "closing_days": 10}),
    ("fide-2009/1", {"initial_games": 2}),
    ("fide-2009/1", {"initial_games": 1, "lists": "quarterly", "cap_on": "mean"}),
    ("fide-curve/1", {"initial_games": 2}),
    ("fide-curve/1", {"k": 24, "newcomer": "1500"}),
)
_RAPID: tuple[Rule, ...] = (
    ("fide/1", {"kind": "rapid", "initial_games": 1}),
    ("fide/1", {"kind": "rapid", "initial_games": 3, "fallback": "fide"}),
    ("fide/1", {"kind": "blitz", "initial_games": 2, "fallback": "fide", "seed_below_floor": "unrated"}),
    ("fide/1", {"kind": "blitz", "initial_games": 2, "fallback": "old"}),
)
_OLD: tuple[Rule, ...] = tuple(
    ("fide-2009/1", {"initial_games": 1, "lists": lists, "initial_step": step})
    for lists, step in (("dated", "20"), ("quarterly", "half-k"), ("monthly", "half-k"))
)
_CURVE: tuple[Rule, ...] = (
    ("fide-curve/1", {"initial_games": 1}),
    ("fide-curve/1", {"k": 20, "newcomer": "1400"}),
    ("fide-curve/1", {"cap": 0, "floor": "none", "initial_games": 2}),
)
_US: tuple[Rule, ...] = (
    ("uschess/1", {}),
    ("uschess/1", {"bonus": "10", "floors": "both", "conversion_games": "text", "peak_rounded": "yes"}),
    ("uschess/1", {"match_category": "match", "dual_category": "cup"}),
    ("uschess/1", {"fide_edition": "none", "start": "1500", "bonus_three": "distinct"}),
)
_GLICKO: tuple[Rule, ...] = (
    ("glicko/1", {}),
    ("glicko/1", {"c": "30", "max_deviation": "300", "start_deviation": "300", "provisional_games": 6}),
    ("glicko/1", {"growth": "played", "min_rating": "1000", "max_rating": "2200", "seed_beyond_limits": "limit"}),
)
_GLICKO2: tuple[Rule, ...] = (
    ("glicko2/1", {}),
    ("glicko2/1", {"preset": "lichess"}),
    ("glicko2/1", {"tau": "1.2", "days_per_period": "7", "max_change": "40"}),
)
_CLUB: tuple[Rule, ...] = (
    ("club/1", {}),
    ("club/1", {"k_new": 32, "k_new_games": 3}),
    ("club/1", {"start": "1500", "provisional_below": 2, "k_policy": "per_game"}),
)

FAMILIES: dict[str, tuple[tuple[Rule, ...], tuple[str, ...], tuple[str, ...]]] = {
    "club": (_CLUB, ("0.1", "0.01"), ("event", "date", "round")),
    "fide": (_FIDE, ("1",), ("month",)),
    "rapid": (_RAPID, ("1",), ("month",)),
    "old": (_OLD, ("1",), ("month",)),
    "curve": (_CURVE, ("1", "0.1"), ("event", "date", "month", "month")),
    "us": (_US, ("0.1", "0.01"), ("event",)),
    "glicko": (_GLICKO, ("0.1", "1"), ("event", "date", "month", "game", "round")),
    "lichess": (_GLICKO2, ("0.1", "0.001"), ("game", "game", "month", "date")),
}
"""List id -> rules to choose from, quanta, period kinds."""

_FIDE_STATES: tuple[Data, ...] = (
    {"rating": "1405", "games": 29},
    {"rating": "1210", "games": 12},
    {"rating": "1985", "games": 4},
    {"rating": "2396", "games": 30, "reached_2300": True},
    {"rating": "2671", "games": 30},
    {"games": 3, "reached_2400": True},
    {"pool_2022_11": "games2-half3-sum4100", "pool_2023_11": "games1-half1-sum1900"},
)
_US_STATES: tuple[Data, ...] = (
    {"rating": "1431", "games": 5, "dropped": True, "scored": False},
    {"rating": "1877.5", "games": 24},
    {"rating": "2214", "games": 50, "peak": "2301", "master_games": 298, "floor_points": 48},
    {"rating": "1700", "games": 0},
    {"rating": "0", "games": 0, "prize_floor": "1400"},
)
_GLICKO_STATES: tuple[Data, ...] = (
    {"rating": "1400", "deviation": "50"},
    {"rating": "1900", "deviation": "290.125", "games": 3, "last": 20231105},
    {"rating": "2600", "deviation": "61", "last": 20230101, "games": 400},
)
_VOLATILE: tuple[Data, ...] = (*_GLICKO_STATES, {"rating": "1500", "deviation": "80", "volatility": "0.0612"})
_CLUB_STATES: tuple[Data, ...] = ({"rating": "900", "games": 3}, {"rating": "1812.5", "games": 30})

STATES: dict[str, tuple[Data, ...]] = {
    "club": _CLUB_STATES,
    "fide": _FIDE_STATES,
    "rapid": _FIDE_STATES,
    "old": _FIDE_STATES,
    "curve": _FIDE_STATES,
    "us": _US_STATES,
    "glicko": _GLICKO_STATES,
    "lichess": _VOLATILE,
}

TRAITS: dict[str, tuple[str | int | bool, ...]] = {
    "birth_year": (1980, 2008, 2013, "2013", "unheard-of"),
    "birth_date": (19900228, 20120229),
    "fide": ("1850", "2210.5", "unheard-of"),
    "us_chess": ("1431", 1999),
}


# ---------------------------------------------------------------------- dressing


def dressed(sent: Sendable) -> Sendable:
    """A fact as such a pool has it. The same fact is dressed in the same way wherever it stands."""
    dress = _DRESSES.get(sent.type)
    return sent if dress is None else replace(sent, data=dress(Random(canonical([sent.type, sent.data])), sent.data))


def _configuration(random: Random, data: Data) -> Data:
    return data | {"lists": [_list(random, one) for one in data["lists"]]}


def _list(random: Random, one: Data) -> Data:
    """A list of its family: now and then another rule from a date on, in the family of FIDE also another system."""
    rules, quanta, kinds = FAMILIES[one["id"]]
    froms: list[Data] = [{}] + [{"from": day} for day in sorted(random.sample(CALENDAR[2:], random.choice([0, 0, 1, 2])))]
    made: list[Data] = []
    for dated in froms:
        system, parameters = random.choice(rules)
        made.append({"system": system, "parameters": parameters, **dated})
    kind = random.choice(kinds)
    out = one | {"quantum": random.choice(quanta), "period": kind, "rules": made, "shown": "1"}
    if random.random() < 0.2:
        out["dated_by"] = random.choice(["start", "game"])
    if kind == "month" and random.random() < 0.2:
        out["closing_day"] = random.choice([5, 20])
    if random.random() < 0.05:
        out["rules"][0] |= random.choice([{"system": "unheard-of/1"}, {"parameters": {"k_old": 1}}])
    return out


def _publication(random: Random, data: Data) -> Data:
    event = data["event"] | _moved(random, data["event"]["date"])
    games = [game | ({"date": random.choice(CALENDAR)} if random.random() < 0.15 else {}) for game in data["games"]]
    return data | {"event": event, "games": games}


def _moved(random: Random, end: str) -> Data:
    """Start, report and an officer's month of an event that ends on a day."""
    out: Data = {}
    if random.random() < 0.6:
        out["start_date"] = _before(end, random.choice([0, 3, 12, 30, 61, 95]))
    if random.random() < 0.3:
        out["reported"] = _before(end, -random.choice([0, 2, 20, 45, 80, 130]))
    if random.random() < 0.1:
        out["rate_in"] = random.choice(["2024-01", "2024-03", "2024-05"])
    return out


def _before(day: str, days: int) -> str:
    return (date.fromisoformat(day) - timedelta(days=days)).isoformat()


def _correction(random: Random, data: Data) -> Data:
    """A patch or ruling that also moves when an event was reported, or in which month it is rated."""
    if "set" not in data or random.random() < 0.5:
        return data
    more: Data = {}
    if random.random() < 0.6:
        more["reported"] = random.choice([*CALENDAR, "2024-09-15", None])
    if random.random() < 0.3:
        more["rate_in"] = random.choice(["2024-02", "2024-04", None])
    return data | {"set": data["set"] | more}


def _registration(random: Random, data: Data) -> Data:
    return data | {"traits": {name: random.choice(values) for name, values in TRAITS.items() if random.random() < 0.5}}


def _seed(random: Random, data: Data) -> Data:
    of_list = data["list"] if random.random() < 0.9 else random.choice(list(STATES))
    return data | {"state": random.choice(STATES[of_list])}


def _adjustment(random: Random, data: Data) -> Data:
    """In whole points, more often than not, so that every list can use it."""
    whole: Data = {name: random.choice(values) for name, values in (("set", ["1612", "2401"]), ("add", ["40", "-25"])) if name in data}
    return data | (whole if random.random() < 0.7 else {})


_DRESSES: dict[str, Callable[[Random, Data], Data]] = {
    "rerate.pool-configured.v1": _configuration,
    "rerate.result-published.v1": _publication,
    "rerate.result-corrected.v1": _correction,
    "rerate.player-registered.v1": _registration,
    "rerate.rating-seeded.v1": _seed,
    "rerate.rating-adjusted.v1": _adjustment,
}


def of_all_systems(history: Sequence[Sendable]) -> list[Sendable]:
    """A history dressed; its first configuration has a list of every family."""
    first, *others = history
    if first.id == "first-configuration":
        one = first.data["lists"][0]
        first = replace(first, data=first.data | {"lists": [one | {"id": name} for name in FAMILIES]})
    return [dressed(sent) for sent in (first, *others)]


def system_histories(*, max_length: int = 25) -> st.SearchStrategy[list[Sendable]]:
    """Hypothesis strategy: random histories of a pool with lists of all systems."""
    return histories(WORLD, max_length=max_length).map(of_all_systems)


def random_system_history(seed: int, length: int = 25) -> list[Sendable]:
    """The same from a number."""
    return of_all_systems(random_history(Random(seed), length, WORLD))


# ---------------------------------------------------------------------- over the borders of months

_PEOPLE = tuple(f"w:p{i}" for i in range(7))
_NEW = _PEOPLE[-1]
"""Has no seed."""
_SEASON = tuple((date(2023, 10, 4) + timedelta(days=9 * i)).isoformat() for i in range(30))


def month_borders(number: int, events: int = 9, corrections: int = 7) -> list[Sendable]:
    """A season on lists that read older ones, then corrections of dates: an event begins, ends or is reported in another month, and mostly
    comes back. The players' ratings part and meet again, and events between them read the older lists."""
    random = Random(number)
    two = [
        {"id": name, "quantum": "1", "shown": "1", "period": "month", "rules": _rules(random)} for name in random.sample(["fide", "old"], 2)
    ]
    sent = [_sent("pool-configured", "configuration", revision=1, lists=two)]
    for name in ("fide", "old"):
        for player in _PEOPLE[:-1]:
            state = {"rating": str(random.choice([1420, 1800, 1950, 2010, 2290, 2395])), "games": random.choice([28, 30])}
            seeded = {"list": name, "player": player, "revision": 1, "as_of": "2023-10-01", "state": state, "origin": {"code": "elsewhere"}}
            sent.append(_sent("rating-seeded", f"{name}-{player[2:]}", **seeded))
    places: list[Data] = []
    for i in range(events):
        places.append(_place(random))
        event = {"id": f"w:e{i}", "category": random.choice(["open", "open", "fide-official"]), "status": "final", **places[-1]}
        games = []
        for at in range(random.choice([1, 1, 2])):
            white, black = random.sample(_PEOPLE, 2)
            games.append({"id": f"g{at}", "white": white, "black": black, "result": random.choice(["1-0", "0-1", "1/2-1/2"])})
        sent.append(_sent("result-published", f"e{i}", revision=1, event=event, games=games))
    moved: list[int] = []
    for i in range(corrections):
        if moved and random.random() < 0.4:
            at = moved.pop()
            place = places[at]
        else:
            at = random.randrange(events)
            moved.append(at)
            place = _place(random)
        patch = {"start_date": None, "reported": None, **place}
        sent.append(_sent("result-corrected", f"c{i}", event_id=f"w:e{at}", revision=i + 2, reason="wrong-date", set=patch))
    return sent


def _rules(random: Random) -> list[Data]:
    rules: list[Data] = []
    for dated in [{}, {"from": "2024-03-01"}][: random.choice([1, 1, 2])]:
        system, parameters = random.choice(_FIDE + _OLD)
        rules.append({"system": system, "parameters": parameters, **dated})
    return rules


def _place(random: Random) -> Data:
    """When an event ends, and perhaps when it began and was reported."""
    end = random.choice(_SEASON)
    out: Data = {"date": end}
    if random.random() < 0.7:
        out["start_date"] = _before(end, random.choice([2, 9, 27, 45, 64, 92]))
    if random.random() < 0.3:
        out["reported"] = _before(end, -random.choice([1, 15, 33, 62, 95]))
    return out


def _sent(name: str, fact_id: str, **data: object) -> Sendable:
    return Sendable(f"rerate.{name}.v1", "w/s1", fact_id, {"pool": WORLD.pool, **data})
