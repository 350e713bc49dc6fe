"""Rules by date: a rule reaches the periods from its day on and no other; one that touches the past is an edition of its own, switched to
once; one that begins later sends nothing again.

Every list is configured, fed with a season, configured again, and held to a pool that had the later configuration from the start.
"""

from random import Random
from typing import Any, NamedTuple

import orjson
import pytest

from rerate.messages.facts import DELTAS, SNAPSHOTS
from tests.kit.driving import Driven, club_list, deltas, lists, rows
from tests.kit.saying import corrected, game, published, registered, seeded
from tests.kit.sendable import Data, Sendable

PLAYERS = "abcdefgh"
RATINGS = dict(zip(PLAYERS, (1480, 1555, 1620, 1700, 1760, 1830, 1915, 2040), strict=True))
DATES = ("2024-10-12", "2024-11-16", "2024-12-07", "2025-01-18", "2025-02-08", "2025-03-15", "2025-04-05")


class Case(NamedTuple):
    """A list whose rule changes on a day."""

    system: str
    parameters: Data
    changed_to: tuple[str, Data]
    from_: str
    quantum: str
    period: str


CASES = {
    "uschess-bonus-dated-back": Case("uschess/1", {"bonus": "12"}, ("uschess/1", {"bonus": "10"}), "2025-01-01", "0.01", "event"),
    "fide-k": Case("fide/1", {}, ("fide/1", {"k": 10}), "2025-01-01", "1", "month"),
    "fide-another-curve": Case("fide-curve/1", {}, ("fide/1", {}), "2025-02-01", "1", "month"),
    "glicko2-tau": Case("glicko2/1", {"tau": "0.5"}, ("glicko2/1", {"tau": "1.2"}), "2025-01-01", "0.01", "month"),
    "club-k": Case("club/1", {}, ("club/1", {"k_established": 10}), "2025-01-18", "0.1", "date"),
}
EVERY = pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))


def configured(revision: int, case: Case, *changes: Data, **more: Any) -> Sendable:
    rules = [{"system": case.system, "parameters": case.parameters}, *changes]
    return lists(revision, club_list("list", rules=rules, quantum=case.quantum, period=case.period, **more))


def change(case: Case, from_: str | None = None) -> Data:
    system, parameters = case.changed_to
    return {"from": from_ or case.from_, "system": system, "parameters": parameters}


def season(case: Case) -> list[Sendable]:
    """Seeded players and seven events of four rounds; strong results, so that bonuses are earned."""
    random = Random(16)
    facts: list[Sendable] = []
    for player, rating in RATINGS.items():
        state = {"rating": str(rating)} | ({"deviation": "60"} if case.system.startswith("glicko") else {"games": 40})
        facts += [registered(player, birth_year=1980), seeded(player, list="list", as_of="2024-09-30", state=state)]
    for number, date in enumerate(DATES, start=1):
        games = []
        for round in range(1, 5):
            order = random.sample(PLAYERS, len(PLAYERS))
            for white, black in zip(order[::2], order[1::2], strict=True):
                sign = random.choice("><") if random.random() < 0.6 else "><"[white > black]
                games.append(game(f"r{round}{white}", f"{white}{sign}{black}", round=round))
        facts.append(published(f"e{number}", 1, *games, date=date))
    return facts


def of_periods(pool: Driven, case: Case, *, reached: bool) -> dict[tuple[str, str], Data]:
    """The rows of the periods that a change reaches, or of those before it."""
    begins = case.from_[:7] if case.period == "month" else case.from_
    return {
        (row["player"], row["period"]["date"]): row["row"] for row in pool.deltas("list") if (row["period"]["date"] >= begins) == reached
    }


def holds(pool: Driven) -> tuple[list[Data], dict[str, str], tuple[str, str]]:
    """What holds of a list, whatever edition it has come to."""
    held = [{name: value for name, value in row.items() if name != "by"} for row in pool.deltas("list")]
    return held, pool.ratings("list"), pool.digests("list")


@EVERY
def test_a_rule_dated_back_re_rates_what_it_reaches_and_nothing_before(case: Case) -> None:
    pool = Driven(configured(1, case), *season(case))
    before, after = (of_periods(pool, case, reached=reached) for reached in (False, True))
    assert before
    pool.take(configured(2, case, change(case)))
    assert of_periods(pool, case, reached=False) == before
    now = of_periods(pool, case, reached=True)
    assert now.keys() == after.keys()
    assert {row["system"] for row in now.values()} == {case.changed_to[0]}
    assert any(now[key]["rating"] != after[key]["rating"] for key in now)
    fresh = Driven()
    fresh.take(configured(2, case, change(case)), *season(case))
    assert holds(pool) == holds(fresh)


@EVERY
def test_a_rule_that_touches_the_past_is_a_new_edition_and_one_head_switches_to_it(case: Case) -> None:
    pool = Driven(configured(1, case), *season(case))
    old = {topic: [key for key in pool.topics[topic] if "/list@1/" in key] for topic in (DELTAS, SNAPSHOTS)}
    update = pool.make(configured(2, case, change(case)))
    editions = [orjson.loads(one.head)["data"]["lists"]["list"]["edition"] for one in pool.updates]
    assert editions == [1] * (len(editions) - 1) + [2]
    for topic in (DELTAS, SNAPSHOTS):
        sent = rows(update, topic)
        assert sorted(key for key, value in sent if value is None) == sorted(old[topic])
        assert {key for key, value in sent if value is not None} == {key.replace("/list@1/", "/list@2/") for key in old[topic]}
    again = pool.take(configured(2, case, change(case)))
    assert [key for topic in (DELTAS, SNAPSHOTS) for key, _ in rows(again, topic)] == []
    assert pool.head()["lists"]["list"]["edition"] == 2


@EVERY
def test_taking_the_rule_back_ends_in_the_ratings_of_before(case: Case) -> None:
    pool = Driven(configured(1, case), *season(case))
    was = holds(pool)
    pool.each(configured(2, case, change(case)), configured(3, case))
    assert pool.head()["lists"]["list"]["edition"] == 3
    assert holds(pool) == was


@EVERY
def test_a_rule_that_begins_later_sends_nothing_again_and_holds_from_its_day_on(case: Case) -> None:
    pool = Driven(configured(1, case), *season(case))
    update = pool.make(later := configured(2, case, change(case, "2025-05-01")))
    assert [key for topic in (DELTAS, SNAPSHOTS) for key, _ in rows(update, topic)] == []
    assert pool.head()["lists"]["list"]["edition"] == 1
    update = pool.make(published("e8", 1, "a>h", "b>g", "c>f", "a>e", "h<b", date="2025-05-10"))
    assert {(row["period"]["date"][:7], row["row"]["system"]) for row in deltas(update)} == {("2025-05", case.changed_to[0])}
    assert pool.digests("list") == pool.fresh().digests("list")
    assert pool.standing(later) == "in-force"


@EVERY
def test_a_correction_before_the_day_goes_through_both_rules(case: Case) -> None:
    pool = Driven(configured(1, case), *season(case), configured(2, case, change(case)))
    pool.take(corrected("e2", 2, set={"date": "2025-02-15"}))
    pool.take(corrected("e1", 2, "h<a", "g<a", "f<a"))
    fresh = pool.fresh()
    assert holds(pool) == holds(fresh)


# ---------------------------------------------------------------------- one is not true


def test_a_birth_year_of_one_and_of_true_are_two() -> None:
    """What is equal to Python and not in its bytes re-rates, whichever came first."""
    of = {"id": "f", "quantum": "1", "shown": "1", "period": "month"}
    configured = lists(1, {**of, "rules": [{"system": "fide/1", "parameters": {"no_birth_year": "junior"}}]})
    seeds = [seeded(name, list="f", state={"rating": "1800", "games": 30}) for name in "AB"]
    one, true = registered("A", 1, birth_year=1), registered("A", 2, birth_year=True)
    pools = [Driven(configured, *seeds, published("e1", 1, "A>B"), *facts) for facts in ((one, true), (true, one))]
    for pool in pools:
        assert pool.rating("A", "f") == pool.fresh().rating("A", "f") == "1820"


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_parameter_of_one_and_of_true_are_two(order: tuple[int, int]) -> None:
    made = [lists(1 + n, club_list("elo", {"k_new_games": value})) for n, value in enumerate((1, True))]
    seed = seeded("A")
    pool = Driven(seed, published("e1", 1, "A>B"), *(made[n] for n in order))
    fresh = pool.fresh()
    assert type(pool.pool.lists["elo"]) is type(fresh.pool.lists["elo"])
    assert pool.standing(seed) == fresh.standing(seed) == "no-effect list"
