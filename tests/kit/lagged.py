"""`lag/1`: a rating system for tests that judges a period by an older list, and histories of pools that have such lists beside the club's.

Month M is judged by the list as it stood before the month M-1 began, date D by the list as it stood before D minus 30 days; with the
parameter `back` by that many months, or times 30 days. Changes are added to the list at the period's own place. Otherwise it is the club
system. It keeps the look-back of the replay honest: that a player does not differ now says nothing about the list that a period reads.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import lru_cache
from random import Random
from typing import Any

from hypothesis import strategies as st

from rerate.messages.canonical import canonical
from rerate.messages.codes import PARAMETERS
from rerate.pool.pool import Settings
from rerate.ratings.club import Club
from rerate.ratings.face import Key, Unusable
from rerate.ratings.systems import SYSTEMS, Systems
from tests.kit.histories import WEIGHTS, World, histories, random_history
from tests.kit.plain_replay import expected
from tests.kit.sendable import Data, Sendable

LAG = "lag/1"


class Lag(Club):
    """The club system, judged by an older list."""

    name = LAG
    reads_older = True

    def __init__(self, parameters: Mapping[str, object], per_point: int, period: str) -> None:
        back = parameters.get("back", 1)
        if period not in ("month", "date") or type(back) is not int or not 0 <= back <= 12:
            raise Unusable(PARAMETERS)
        super().__init__({name: value for name, value in parameters.items() if name != "back"}, per_point, "date")
        self._back = back

    def reads(self, key: Key, start: str) -> Key:
        return (reads_from(str(key[0]), self._back),)


def reads_from(when: str, back: int) -> str:
    """The first date (or month) that is no longer in the list by which the period of a date (or month) is judged."""
    if len(when) == 10:
        return (date.fromisoformat(when) - timedelta(days=30 * back)).isoformat()
    year, month = divmod(int(when[:4]) * 12 + int(when[5:]) - 1 - back, 12)
    return f"{year:04d}-{month + 1:02d}"


WITH_LAG: Systems = {**SYSTEMS, LAG: Lag}
SETTINGS = Settings(engine="test/1", systems=WITH_LAG)

CALENDAR = ("2024-01-05", "2024-01-26", "2024-02-10", "2024-03-01", "2024-03-20", "2024-05-04")
"""Dates so far apart that a list a month older is another one."""

_LITTLE: Sequence[Data] = ({}, {"k_new": 4, "k_established": 2}, {"k_new": 400}, {"k_policy": "per_game", "k_new_games": 2})


def _dressed(sent: Sendable) -> Sendable:
    """A configuration whose list `fast` is one that looks back, events of more variants, games with dates of their own, half of these
    in running events; by choices that belong to the content of the fact."""
    random = Random(canonical([sent.type, sent.data]))
    if sent.type == "rerate.pool-configured.v1":
        lists = [_lagging(random, one) if one["id"] == "fast" else _club(random, one) for one in sent.data["lists"]]
        return replace(sent, data=sent.data | {"lists": lists})
    dressed: Data = {}
    if sent.type == "rerate.result-published.v1" and random.random() < 0.1:
        dressed["event"] = sent.data["event"] | {"variant": "blitz"}
    if "games" in sent.data and "ruling" not in sent.data and random.random() < 0.3:
        dressed["games"] = [game | {"date": random.choice(CALENDAR)} for game in sent.data["games"]]
        if "event" in sent.data and random.random() < 0.5:
            event: Data = dressed.get("event") or sent.data["event"]
            dressed["event"] = event | {"status": "running"}
    return replace(sent, data=sent.data | dressed)


def _club(random: Random, one: Data) -> Data:
    dated: Data = {"dated_by": random.choice(["start", "game", "game"])} if random.random() < 0.3 else {}
    variants: Data = {"variants": random.choice([["standard", "blitz"], ["blitz"], ["bughouse", "standard"]])}
    return one | dated | (variants if random.random() < 0.25 else {})


def _lagging(random: Random, one: Data) -> Data:
    kind = random.choice(["month", "month", "date"])
    parameters = [random.choice(_LITTLE) | random.choice([{}, {}, {"back": 2}, {"back": 0}]) for _ in one["rules"]]
    rules: list[Data] = [rule | {"system": LAG, "parameters": given} for rule, given in zip(one["rules"], parameters, strict=True)]
    if random.random() < 0.3 and rules[-1].get("from", "") < CALENDAR[4]:
        rules.append({"from": CALENDAR[4], "system": LAG, "parameters": rules[0]["parameters"] | {"back": 3}})
    if kind == "date" and random.random() < 0.3:
        rules[0] = {"system": "club/1", "parameters": {}}
    dated: Data = {"dated_by": random.choice(["start", "game", "game"])} if random.random() < 0.3 else {}
    closing: Data = {"closing_day": 20} if kind == "month" and random.random() < 0.2 else {}
    return one | {"period": kind, "rules": rules} | dated | closing


TWO_LISTS = World(
    dates=CALENDAR,
    events=("w:e1", "w:e2", "w:e3", "w:e4"),
    quanta=("0.1", "0.1", "0.001"),
    parameters=({}, {"k_new": 32}, {"start": "1500", "provisional_below": 2}, {"k_policy": "per_game", "k_new_games": 2}, {"k_new": 300}),
    weights={**WEIGHTS, "publication": 40, "correction": 20, "registration": 2},
)
"""`elo` is a club list, `fast` looks back (see `of_two_lists`)."""


def of_two_lists(history: Sequence[Sendable]) -> list[Sendable]:
    """A history with the list `fast` of its configurations made one that looks back, and `fast` in the first of them, too."""
    first, *others = history
    if first.id == "first-configuration":
        fast = {"id": "fast", "quantum": "0.1", "shown": "1", "period": "month", "rules": [{"system": LAG, "parameters": {}}]}
        first = replace(first, data=first.data | {"lists": [*first.data["lists"], fast]})
    else:
        first = _dressed(first)
    return [first, *map(_dressed, others)]


def pool_histories(*, max_length: int = 25) -> st.SearchStrategy[list[Sendable]]:
    """Hypothesis strategy: random histories of a pool with a club list and one that looks back."""
    return histories(TWO_LISTS, max_length=max_length).map(of_two_lists)


def random_pool_history(seed: int, length: int = 25) -> list[Sendable]:
    """The same from a number."""
    return of_two_lists(random_history(Random(seed), length, TWO_LISTS))


# ---------------------------------------------------------------------- dates corrected

_PEOPLE = tuple(f"w:p{i}" for i in range(6))


def date_corrections(seed: int, events: int = 9, corrections: int = 6) -> list[Sendable]:
    """A season on one list that looks back, then corrections of dates: two ladders that part and meet again, and periods that read in
    between. Of every few such histories one comes out wrong for a replay that stops where nobody differs."""
    random = Random(seed)
    days = [(date(2024, 1, 3) + timedelta(days=9 * i)).isoformat() for i in range(30)]
    back = [{"back": random.choice([0, 1])}, {"back": random.choice([1, 2, 3])}]
    rules: list[Data] = [{"system": LAG, "parameters": {"k_new": 8, "k_established": 8, "provisional_below": 0} | back[0]}]
    if random.random() < 0.5:
        rules.append({"from": "2024-05-01", "system": LAG, "parameters": rules[0]["parameters"] | back[1]})
    period = random.choice(["month", "date"])
    one = {"id": "fast", "quantum": "0.1", "shown": "1", "period": period, "rules": rules}
    sent = [_sent("pool-configured", "configuration", revision=1, lists=[one])]
    for i in range(events):
        event = {"id": f"w:e{i}", "date": random.choice(days), "category": "club", "status": "final"}
        white, black = random.sample(_PEOPLE, 2)
        game = {"id": "g1", "white": white, "black": black, "result": random.choice(["1-0", "0-1", "1/2-1/2"])}
        sent.append(_sent("result-published", f"e{i}", revision=1, event=event, games=[game]))
    for i in range(corrections):
        moved = {"date": random.choice(days)}
        event_id = f"w:e{random.randrange(events)}"
        sent.append(_sent("result-corrected", f"c{i}", event_id=event_id, revision=i + 2, reason="wrong-date", set=moved))
    return sent


# ---------------------------------------------------------------------- halves of a quantum

_TIES = (1_250, 2_500)
"""Rest and divisor: with K 40 and quantum 0.1 a win's change is half a quantum where the expected score in millionths is such."""


@lru_cache(maxsize=1)
def _gaps() -> list[int]:
    """Gaps in tenths at which a change falls half-way between two quanta."""
    return [gap for gap in range(1, 6_000) if expected(gap, 10) % _TIES[1] == _TIES[0]]


def rounding_ties(seed: int) -> list[Sendable]:
    """Two seeded players at such a distance that the changes of their one game fall half-way, up or down."""
    random = Random(seed)
    low = random.randint(10_000, 16_000)
    ratings = random.sample([low, low + random.choice(_gaps())], 2)
    club = {"id": "elo", "quantum": "0.1", "shown": "1", "period": "event", "rules": [{"system": "club/1", "parameters": {}}]}
    sent = [_sent("pool-configured", "configuration", revision=1, lists=[club])]
    for player, quanta in zip(("w:a", "w:b"), ratings, strict=True):
        state = {"rating": f"{quanta // 10}.{quanta % 10}", "games": 10}
        seeded = {"list": "elo", "player": player, "revision": 1, "as_of": "2023-12-31", "state": state, "origin": {"code": "elsewhere"}}
        sent.append(_sent("rating-seeded", f"seed-{player[2:]}", **seeded))
    event = {"id": "w:e1", "date": "2024-01-05", "category": "club", "status": "final"}
    game = {"id": "g1", "white": "w:a", "black": "w:b", "result": random.choice(["1-0", "0-1", "1/2-1/2"])}
    return [*sent, _sent("result-published", "e1", revision=1, event=event, games=[game])]


def _sent(name: str, fact_id: str, **data: Any) -> Sendable:
    return Sendable(f"rerate.{name}.v1", "w/s1", fact_id, {"pool": "w:pool", **data})
