"""The laws of a pool in which all systems rate: every kind of fact, eight lists at once, rules that change on a date.

The laws are those of `tests/kit/pool_laws.py`, the histories those of `tests/kit/all_systems.py`. How many, and by which seed:
`tests/kit/laws.py`.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from rerate.pool.lists import LiveList
from rerate.replay.block import Block
from rerate.replay.walk import Walk
from tests.kit import pool_laws
from tests.kit.all_systems import FAMILIES, month_borders, random_system_history, system_histories
from tests.kit.driving import Driven, lists
from tests.kit.laws import IS_LONG, SEED, law
from tests.kit.published import fed, placed
from tests.kit.saying import adjusted, corrected, published, registered, seeded, withdrawn
from tests.kit.sendable import Data, Sendable

ROOT = Path(__file__).parents[2]
BORDERS = st.integers(0, 2**32).map(month_borders)


def share(part: float) -> float:
    """Of the examples of a plain run; a long one tries every law as often."""
    return 1 if IS_LONG else part


# ---------------------------------------------------------------------- law 1


@law(system_histories(), share=share(0.15))
def test_any_order_repetition_and_batching_publishes_the_same(history: list[Sendable]) -> None:
    pool_laws.order_free(history)


@law(BORDERS, share=share(0.1))
def test_dates_moved_over_a_month_in_any_order_publish_the_same(history: list[Sendable]) -> None:
    pool_laws.order_free(history)


# ---------------------------------------------------------------------- law 2


@law(system_histories(), share=share(0.05))
def test_topics_are_those_of_a_fresh_pool_after_every_prefix(history: list[Sendable]) -> None:
    pool_laws.incremental(history)


@law(BORDERS, share=share(0.07))
def test_dates_moved_over_a_month_are_those_of_a_fresh_pool_after_every_prefix(history: list[Sendable]) -> None:
    pool_laws.incremental(history)


@law(system_histories(), share=share(0.1))
def test_a_restored_pool_goes_on_with_the_same_bytes(history: list[Sendable]) -> None:
    pool_laws.restored(history)


@law(BORDERS, share=share(0.05))
def test_a_pool_of_moved_dates_that_is_restored_goes_on_with_the_same_bytes(history: list[Sendable]) -> None:
    pool_laws.restored(history)


@law(system_histories(), share=share(0.1))
def test_a_rebuilt_pool_mends_what_stands_on_the_topics(history: list[Sendable]) -> None:
    pool_laws.rebuilt(history)


# ---------------------------------------------------------------------- law 3


@law(system_histories(), share=share(0.15))
def test_withdrawn_is_as_if_never_sent(history: list[Sendable]) -> None:
    pool_laws.withdrawn(history)


@law(BORDERS, share=share(0.05))
def test_a_moved_date_withdrawn_is_as_if_never_moved(history: list[Sendable]) -> None:
    pool_laws.withdrawn(history)


@law(system_histories(), share=share(0.15))
def test_unmerged_is_as_if_never_merged(history: list[Sendable]) -> None:
    pool_laws.unmerged(history)


@law(system_histories(), share=share(0.1))
def test_corrected_back_or_published_again_ends_in_the_same_ratings(history: list[Sendable]) -> None:
    pool_laws.corrected_back(history)


# ---------------------------------------------------------------------- law 4, 6


@law(system_histories(), share=share(0.05))
def test_every_accepted_fact_has_one_standing(history: list[Sendable]) -> None:
    pool_laws.accounted(history)


@law(system_histories(), share=share(0.1))
def test_published_rows_give_the_digests_of_the_head(history: list[Sendable]) -> None:
    pool_laws.audited(history)


# ---------------------------------------------------------------------- law 10


@pytest.mark.parametrize("count", ["8", pytest.param("500", marks=pytest.mark.long)])
def test_bytes_do_not_depend_on_hash_seed_time_zone_and_locale(count: str) -> None:
    printed = {
        subprocess.run(
            [sys.executable, "-m", "tests.kit.same_bytes", count, str(SEED), "systems"],
            cwd=ROOT,
            env=os.environ | environment,
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for environment in (
            {"PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C"},
            {"PYTHONHASHSEED": "7", "TZ": "Asia/Jakarta", "LC_ALL": "tr_TR.UTF-8"},
            {"PYTHONHASHSEED": "random", "TZ": "Pacific/Kiritimati", "LC_ALL": "de_DE.UTF-8"},
        )
    }
    assert len(printed) == 1
    assert len(printed.pop().strip()) == 64


# ---------------------------------------------------------------------- the histories are worth something


def test_histories_have_rows_of_every_family_and_facts_of_every_kind() -> None:
    rows, held, used = dict.fromkeys(FAMILIES, 0), 0, set()
    for number in range(12):
        pool = fed([placed(random_system_history(number))])
        for name, rated_list in pool.pool.lists.items():
            if isinstance(rated_list, LiveList):
                rows[name] += rated_list.replay.row_count
                used |= {"seed" for _ in pool.pool.history.seeds(name)}
                used |= {change.kind for change in pool.pool.history.adjustments(name).values()}
            else:
                held += 1
    assert min(rows.values()) >= 20, rows
    assert used == {"seed", "set", "add", "formula"}
    assert held


def stops_without_looking_back(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Walk, "_settled", lambda self, block: not self.differing)


def skips_what_only_the_list_read_changes(patch: pytest.MonkeyPatch) -> None:
    def touched(self: Walk, block: Block, index: int, old: Any, new: Any, differs: set[int]) -> bool:
        games = slice(block.game_starts[index], block.game_starts[index + 1])
        return not (differs.isdisjoint(block.games.white[games]) and differs.isdisjoint(block.games.black[games]))

    patch.setattr(Walk, "_touched", touched)


@pytest.mark.parametrize("broken", [stops_without_looking_back, skips_what_only_the_list_read_changes], ids=lambda one: one.__name__)
def test_a_replay_that_does_not_look_back_is_caught_by_moved_dates(broken: Any) -> None:
    with pytest.MonkeyPatch.context() as patch:
        broken(patch)
        caught = next(number for number in range(30) if not _is_incremental(month_borders(number)))
    assert _is_incremental(month_borders(caught))


def _is_incremental(history: list[Sendable]) -> bool:
    try:
        pool_laws.incremental(history)
    except AssertionError:
        return False
    return True


@pytest.mark.parametrize(
    ("system", "quantum", "period", "before", "after"),
    [
        ("fide/1", "1", "month", {"games": 3}, {"games": 3, "pool_2023_11": "games1-half1-sum1900"}),
        ("uschess/1", "0.1", "event", {"rating": "1900", "games": 40}, {"rating": "1900", "games": 40, "peak": "2010"}),
    ],
)
def test_an_adjustment_whose_row_reads_as_before_is_not_sent_again(
    system: str, quantum: str, period: str, before: Data, after: Data
) -> None:
    """What a rating is set to hides what was pooled, or a lower peak, before it."""
    pool = Driven(
        one_list(system, {}, quantum=quantum, period=period),
        seeded("a", state=before),
        adjusted("a1", 1, "a", before="2024-05-04", set="2401"),
    )
    rows = pool.deltas()
    pool.take(seeded("a", 2, state=after))  # `Driven` refuses a row that is sent again, unchanged
    assert pool.deltas() == rows
    assert pool.holds() == pool.fresh().holds()


# ---------------------------------------------------------------------- latches


def one_list(system: str, parameters: Data, *, quantum: str, period: str) -> Sendable:
    rules = [{"system": system, "parameters": parameters}]
    return lists(1, {"id": "elo", "quantum": quantum, "shown": "1", "period": period, "rules": rules})


def row_in(pool: Driven, player: str, start: str) -> Data:
    """A player's row in the period whose date starts so."""
    (row,) = [row["row"] for row in pool.deltas() if row["player"] == f"t:{player}" and row["period"]["date"].startswith(start)]
    return dict(row)


def goes_and_comes_back(pool: Driven, away: Sendable, back: Sendable) -> None:
    """One fact changes the list, another brings back what was there, byte for byte; at every step a fresh pool says the same."""
    digests = pool.digests()
    pool.take(away)
    assert pool.digests() != digests
    assert pool.holds() == pool.fresh().holds()
    pool.take(back)
    assert pool.digests() == digests
    assert pool.holds() == pool.fresh().holds()


def fide() -> Driven:
    """a comes to 2403 in January by three wins, falls back in February and plays on in March; b and c stand at 2390."""
    strong = {"games": 30, "reached_2300": True}
    return Driven(
        one_list("fide/1", {}, quantum="1", period="month"),
        seeded("a", state={"rating": "2371", **strong}),
        seeded("b", state={"rating": "2390", **strong}),
        seeded("c", state={"rating": "2390", **strong}),
        published("e1", 1, "a>b", "a>c", "a>b", date="2024-01-10", start_date="2024-01-08"),
        published("e2", 1, "a<b", "a<c", date="2024-02-10", start_date="2024-02-08"),
        published("e3", 1, "a=b", date="2024-03-10", start_date="2024-03-08"),
    )


def test_k_10_for_good_goes_with_the_result_that_brought_it_and_comes_back() -> None:
    pool = fide()
    january, march = row_in(pool, "a", "2024-01"), row_in(pool, "a", "2024-03")
    assert (january["rating"], january["state"]["reached_2400"]) == ("2403", True)
    assert (march["state"]["reached_2400"], march["events"][0]["k"]) == (True, 10)
    assert int(march["rating"]) < 2400
    goes_and_comes_back(pool, corrected("e1", 2, "a=b"), corrected("e1", 3, "a>b"))
    assert row_in(pool, "a", "2024-03") == march


@pytest.mark.parametrize(
    "away",
    [
        corrected("e1", 2, "a<b"),
        corrected("e1", 2, set={"date": "2024-04-20", "start_date": "2024-04-20"}),
        corrected("e1", 2, set={"rate_in": "2024-05"}),
        corrected("e1", 2, set={"reported": "2024-04-15"}),
        corrected("e1", 2, set={"reported": "2024-12-01"}),
        adjusted("low", 1, "a", before="2024-01-01", add="-40"),
    ],
    ids=["result", "end", "officer", "late", "too late", "adjustment"],
)
def test_without_the_latch_k_is_20(away: Sendable) -> None:
    pool = fide()
    march = row_in(pool, "a", "2024-03")
    goes_and_comes_back(pool, away, withdrawn(away))
    assert row_in(pool, "a", "2024-03") == march
    pool = fide()
    pool.take(away)
    other = row_in(pool, "a", "2024-03")
    assert (other["state"]["reached_2400"], other["events"][0]["k"]) == (False, 20)


def test_the_junior_k_ends_at_2300_and_returns_with_a_correction() -> None:
    young = {"rating": "2280", "games": 30}
    pool = Driven(
        one_list("fide/1", {}, quantum="1", period="month"),
        registered("a", birth_year=2010),
        seeded("a", state=young),
        seeded("b", state=young),
        published("e1", 1, "a>b", date="2024-01-10"),
        published("e2", 1, "a<b", date="2024-02-10"),
        published("e3", 1, "a<b", date="2024-03-10"),
    )
    assert [row_in(pool, "a", month)["events"][0]["k"] for month in ("2024-01", "2024-02", "2024-03")] == [40, 20, 20]
    pool.take(corrected("e1", 2, "a=b"))
    assert [row_in(pool, "a", month)["events"][0]["k"] for month in ("2024-01", "2024-02", "2024-03")] == [40, 40, 40]
    pool.take(corrected("e1", 3, "a>b"))
    goes_and_comes_back(pool, registered("a", 2, birth_year=1980), registered("a", 3, birth_year=2010))


def test_a_first_event_without_a_point_is_dropped_only_while_it_is_the_first() -> None:
    pool = Driven(
        one_list("fide/1", {"initial_games": 1}, quantum="1", period="month"),
        seeded("b", as_of="2023-11-01", state={"rating": "1800", "games": 30}),
        published("e1", 1, "n<b", date="2024-01-10"),
        published("e2", 1, "n<b", date="2024-02-10"),
    )
    january, february = row_in(pool, "n", "2024-01"), row_in(pool, "n", "2024-02")
    assert [row["events"][0]["dropped"] for row in (january, february)] == [True, False]
    assert january["state"]["first_event_over"] is True
    earlier = published("e0", 1, "n<b", date="2023-12-10")
    goes_and_comes_back(pool, earlier, withdrawn(earlier))
    pool.take(published("e0", 2, "n<b", date="2023-12-20"))
    assert [row_in(pool, "n", month)["events"][0]["dropped"] for month in ("2023-12", "2024-01")] == [True, False]


def test_marks_of_a_us_chess_rating_go_with_a_correction_and_come_back() -> None:
    """All games won is a latch the other way round, and the peak one by hundreds."""
    pool = Driven(
        one_list("uschess/1", {}, quantum="0.1", period="event"),
        seeded("a", state={"rating": "1690.0", "games": 40}),
        seeded("b", state={"rating": "1700.0", "games": 40}),
        published("e1", 1, "a>b", date="2024-01-10"),
        published("e2", 1, "n>a", date="2024-02-10"),
        published("e3", 1, "n>b", date="2024-03-10"),
    )
    assert (row_in(pool, "a", "2024-01")["state"]["peak"], row_in(pool, "n", "2024-03")["state"]["dropped"]) == ("1700.0", False)
    goes_and_comes_back(pool, corrected("e1", 2, "a<b"), corrected("e1", 3, "a>b"))
    pool.take(corrected("e1", 4, "a<b"))
    assert row_in(pool, "a", "2024-01")["state"]["peak"] == "1600.0"
    goes_and_comes_back(pool, corrected("e2", 2, "n=a"), corrected("e2", 3, "n>a"))
    pool.take(corrected("e2", 4, "n=a"))
    assert row_in(pool, "n", "2024-03")["state"]["dropped"] is True
