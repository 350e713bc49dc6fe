"""Configurations that change under rows already there: which rows are sent, which are tombstoned, which editions they stand under.

Every pool here is fed one batch after the other and, in the end, held against a fresh one and against the plainest calculation; what a
subscriber may not see (rows of an edition that the head does not have) is refused by `tests/kit/published.py` at every step.
"""

import struct
from typing import Any

import pytest

from rerate.pool.pool import Halt, Pool, Settings
from rerate.ratings.face import State
from tests.kit.lagged import LAG, SETTINGS, Lag
from tests.kit.pool_laws import agrees_with_plain
from tests.kit.published import DELTAS, SNAPSHOTS, STANDINGS, Fed, fed, placed, same
from tests.kit.saying import POOL, deleted, merged, published, seeded, sent, withdrawn
from tests.kit.sendable import Data, Sendable

CLUB_ONLY = Settings(engine="test/0")
SEASON = (published("e1", 1, "A>B", date="2024-01-05"), published("e2", 1, "B>C", "A=C", date="2024-02-12"))


def rated_list(list_id: str = "elo", *rules: Data, **fields: Any) -> Data:
    given = rules or ({"system": "club/1", "parameters": {}},)
    return {"id": list_id, "quantum": "0.1", "shown": "1", "period": "event", "rules": list(given)} | fields


def club(**parameters: Any) -> Data:
    return {"system": "club/1", "parameters": parameters}


def lagging(**fields: Any) -> Data:
    return rated_list("fast", {"system": LAG, "parameters": {}}, **({"period": "month"} | fields))


def configured(revision: int, *lists: Data, **more: Any) -> Sendable:
    return sent("pool-configured", revision=revision, lists=list(lists), **more)


def after(*batches: Sendable | list[Sendable]) -> Fed:
    """A pool after some batches, held to a fresh one and to the plainest calculation."""
    parts = [one if isinstance(one, list) else [one] for one in batches]
    history = [fact for part in parts for fact in part]
    pool = fed([placed(part) for part in parts], pool=POOL)
    same(pool.holds(), fed([placed(history)], pool=POOL).holds())
    agrees_with_plain(pool, history)
    return pool


def editions(pool: Fed) -> dict[str, int]:
    return {name: entry.edition for name, entry in pool.published.head.lists.items()}


def sent_rows(pool: Fed, *facts: Sendable) -> dict[str, int]:
    """How many rows of ratings the next update has: values and tombstones."""
    update = pool.take(placed(facts))
    rows = [] if update is None else [*update.rows[DELTAS], *update.rows[SNAPSHOTS]]
    return {"values": sum(value is not None for _, value in rows), "tombstones": sum(value is None for _, value in rows)}


@pytest.mark.parametrize(
    "changed",
    [
        rated_list(quantum="0.001"),
        rated_list(period="date"),
        rated_list(period="round"),
        rated_list("elo", club(k_new=32)),
        rated_list("elo", club(), club(k_new=32) | {"from": "2024-02-01"}),
    ],
    ids=["quantum", "date", "round", "rule", "rule-from-a-date-that-has-rows"],
)
def test_rows_that_mean_something_else_are_an_edition_of_their_own(changed: Data) -> None:
    pool = after(configured(1, rated_list()), *SEASON, configured(2, changed))
    assert editions(pool) == {"elo": 2}
    assert pool.published.head.left == {}


@pytest.mark.parametrize(
    "changed",
    [
        rated_list(categories=["cup"]),
        rated_list(until="2024-02-01"),
        rated_list(**{"from": "2024-02-01"}),
        rated_list(dated_by="start"),
        rated_list(shadow=True),
    ],
    ids=["categories", "until", "from", "dated-by", "shadow"],
)
def test_other_events_are_the_same_edition(changed: Data) -> None:
    pool = after(configured(1, rated_list()), *SEASON, configured(2, changed))
    assert editions(pool) == {"elo": 1}


def test_a_rule_that_begins_later_sends_nothing_again() -> None:
    pool = after(configured(1, rated_list()), *SEASON)
    later = configured(2, rated_list("elo", club(), club(k_new=32) | {"from": "2024-03-01"}))
    assert sent_rows(pool, later) == {"values": 0, "tombstones": 0}
    assert editions(pool) == {"elo": 1}
    after(configured(1, rated_list()), *SEASON, later, published("e3", 1, "A>B", date="2024-03-05"))


def test_a_list_that_leaves_takes_its_rows_along_and_returns_under_the_next_edition() -> None:
    both = configured(1, rated_list(), lagging())
    pool = after(both, *SEASON)
    rows, players = len(pool.published.of_list(DELTAS, "fast")), len(pool.published.of_list(SNAPSHOTS, "fast"))
    assert sent_rows(pool, configured(2, rated_list())) == {"values": 0, "tombstones": rows + players}
    assert pool.published.head.left == {"fast": 1}
    assert sent_rows(pool, configured(3, rated_list(), lagging())) == {"values": rows + players, "tombstones": 0}
    assert (editions(pool), pool.published.head.left) == ({"elo": 1, "fast": 2}, {})


@pytest.mark.parametrize("odd", [{"system": "unheard-of/1", "parameters": {}}, club(k_old=1)], ids=["system", "parameters"])
def test_a_list_that_cannot_be_rated_is_held_and_comes_back(odd: Data) -> None:
    seed = seeded("A")
    pool = after(configured(1, rated_list()), seed, *SEASON, configured(2, rated_list("elo", odd)))
    assert pool.published.head.lists["elo"].held == ("parameters" if odd["system"] == "club/1" else "system")
    assert not pool.published.rows(SNAPSHOTS)
    pool = after(configured(1, rated_list()), seed, *SEASON, configured(2, rated_list("elo", odd)), configured(3, rated_list()))
    assert editions(pool) == {"elo": 3}


@pytest.mark.parametrize("wakes", [published("e9", 1, "A>B", date="2024-05-01"), SEASON[0]], ids=["fact", "repeated"])
def test_a_list_held_by_an_older_engine_comes_back_with_the_next_update_of_one_that_knows_it(wakes: Sendable) -> None:
    facts = [configured(1, rated_list(), lagging()), seeded("A", list="fast"), *SEASON]
    pool = fed([placed(facts)], CLUB_ONLY, POOL)
    assert pool.published.head.lists["fast"].held == "system"
    pool.pool = Pool.restore(POOL, SETTINGS, pool.log, pool.published.heads[-1])
    pool.take(placed([wakes]))
    assert editions(pool) == {"elo": 1, "fast": 2}
    same(pool.holds(), fed([placed([*facts, wakes])], pool=POOL).holds())


def test_a_pool_restored_with_a_held_list_publishes_nothing_by_itself() -> None:
    facts = [configured(1, rated_list(), lagging()), seeded("A", list="fast"), *SEASON]
    pool = fed([placed(facts)], CLUB_ONLY, POOL)
    again = Pool.restore(POOL, CLUB_ONLY, pool.log, pool.published.heads[-1])
    assert again.take([], pool.positions, 0) is None
    seed = pool.published.rows(STANDINGS)[f"{POOL}@1/{facts[1].source}/{facts[1].id}"]
    assert seed["contents"][0]["reason"] == "list"


def test_an_event_that_goes_in_the_batch_of_a_configuration_leaves_no_row() -> None:
    pool = after(configured(1, rated_list()), *SEASON, [withdrawn(SEASON[0]), configured(2, rated_list(categories=["club"]))])
    assert pool.published.head.lists["elo"].rows == 3


def test_a_merge_in_the_batch_of_a_configuration_moves_the_seed() -> None:
    pool = after(
        configured(1, rated_list()), seeded("B"), *SEASON, [merged("m1", "B", "A"), configured(2, rated_list(categories=["club"]))]
    )
    assert set(pool.published.of_list(SNAPSHOTS, "elo")) == {"t:A", "t:C"}


def test_seeds_outlive_the_last_row_of_their_list() -> None:
    for one in (rated_list(), lagging()):
        seed = seeded("A", list=one["id"])
        pool = after(configured(1, one), seed, SEASON[0], deleted("e1", 2, "void"), SEASON[1])
        assert pool.published.of_list(SNAPSHOTS, one["id"])["t:A"]["as_of"] == "2023-12-31"


def test_the_last_game_of_a_month_follows_its_event_within_the_month() -> None:
    moved = published("e1", 2, "A>B", date="2024-01-19")
    pool = after(configured(1, lagging()), SEASON[0], moved)
    assert pool.published.of_list(SNAPSHOTS, "fast")["t:A"]["last_game"] == "2024-01-19"


@pytest.mark.parametrize("fields", [{"closing_day": 20}, {"dated_by": "start"}], ids=["closing-day", "dated-by-start"])
def test_provisional_is_by_the_rule_of_the_last_row_where_its_event_is_of_another_month(fields: Data) -> None:
    rules = [{"system": LAG, "parameters": {}}, {"system": LAG, "parameters": {"provisional_below": 0}, "from": "2024-02-01"}]
    after(configured(1, lagging(rules=rules, **fields)), published("e1", 1, "A>B", date="2024-01-28", start_date="2024-01-02"))
    after(configured(1, lagging(rules=rules, **fields)), published("e1", 1, "A>B", date="2024-02-02", start_date="2024-01-02"))


class Wide(Lag):
    """A system whose states are laid out in another way."""

    name = "wide/1"
    layout = "wide/1: rating i32, games u16"

    def pack(self, state: State) -> bytes:
        return struct.pack(">iH", *state)


WITH_WIDE = Settings(engine="test/1", systems={**SETTINGS.systems, "wide/1": Wide})


def test_rules_that_share_no_layout_of_state_hold_their_list() -> None:
    rules = [club(), {"system": "wide/1", "parameters": {}, "from": "2024-02-01"}]
    pool = fed([placed([configured(1, rated_list("elo", *rules, period="date")), *SEASON])], WITH_WIDE, POOL)
    assert pool.published.head.lists["elo"].held == "layout"


def test_a_list_without_rows_may_change_the_layout_of_its_states() -> None:
    seed, wide = seeded("A"), rated_list("elo", {"system": "wide/1", "parameters": {}}, period="date")
    facts = [configured(1, rated_list(period="date")), seed, configured(2, wide), *SEASON]
    pool = fed([placed([fact]) for fact in facts[:3]], WITH_WIDE, POOL)
    same(pool.holds(), fed([placed(facts[:3])], WITH_WIDE, POOL).holds())
    pool.take(placed(facts[3:]))
    same(pool.holds(), fed([placed(facts)], WITH_WIDE, POOL).holds())


# ---------------------------------------------------------------------- halts


def test_unknown_semantics_halt_the_pool() -> None:
    pool = fed([placed([configured(1, rated_list()), *SEASON])], pool=POOL)
    with pytest.raises(Halt) as halted:
        pool.take(placed([configured(2, rated_list(), semantics=2)]))
    assert halted.value.reason == "semantics"


def test_unknown_semantics_that_are_not_in_force_halt_nothing() -> None:
    unknown = configured(1, rated_list(), semantics=2)
    pool = fed([placed([unknown, configured(2, rated_list()), *SEASON])], pool=POOL)
    assert pool.published.head.state == "live"
    again = configured(3, rated_list(), semantics=2)
    assert fed([placed([configured(1, rated_list()), again, withdrawn(again), *SEASON])], pool=POOL).published.head.state == "live"


def test_more_rows_than_the_bound_halt_the_pool() -> None:
    small = Settings(engine="test/1", max_rows=12)
    pool = fed([placed([configured(1, rated_list())]), placed(SEASON[:1])], small, POOL)
    with pytest.raises(Halt) as halted:
        pool.take(placed([configured(2, rated_list(), rated_list("more")), *SEASON[1:]]))
    assert halted.value.reason == "too-many-rows"


def test_whatever_fails_inside_halts_the_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = fed([placed([configured(1, rated_list()), *SEASON])], pool=POOL)

    def fails(*_: object) -> None:
        raise ZeroDivisionError("as a test wants it")

    monkeypatch.setattr("rerate.pool.lists.LiveList.publish", fails)
    with pytest.raises(Halt) as halted:
        pool.take(placed([published("e3", 1, "A>B")]))
    assert (halted.value.reason, halted.value.detail) == ("fold", "ZeroDivisionError: as a test wants it")


def test_a_head_whose_digests_the_facts_do_not_give_halts_the_pool() -> None:
    pool = fed([placed([configured(1, rated_list()), *SEASON])], pool=POOL)
    with pytest.raises(Halt) as halted:
        Pool.restore(POOL, SETTINGS, pool.log[:-1], pool.published.heads[-1])
    assert halted.value.reason == "digest"


# ---------------------------------------------------------------------- rebuilding


def test_a_rebuild_sends_a_head_and_no_row_if_the_topics_are_right() -> None:
    pool = fed([placed([configured(1, rated_list(), lagging()), seeded("A"), *SEASON])], pool=POOL)
    topics = pool.published.topics
    made, update = Pool.rebuild(POOL, SETTINGS, pool.log, pool.published.heads[-1], topics, pool.positions, 0)
    assert update.row_count == 0
    pool.published.apply(update)
    assert made.update == 2


def test_a_rebuild_puts_right_what_stands_wrong_on_the_topics() -> None:
    pool = fed([placed([configured(1, rated_list(), lagging()), seeded("A"), *SEASON])], pool=POOL)
    topics = {topic: dict(rows) for topic, rows in pool.published.topics.items()}
    wrong, gone, alien = sorted(topics[SNAPSHOTS])[0], sorted(topics[DELTAS])[0], f"{POOL}/elo@1/t:nobody"
    topics[SNAPSHOTS][wrong] = topics[SNAPSHOTS][sorted(topics[SNAPSHOTS])[1]]
    topics[SNAPSHOTS][alien] = topics[SNAPSHOTS][wrong]
    del topics[DELTAS][gone]
    _, update = Pool.rebuild(POOL, SETTINGS, pool.log, pool.published.heads[-1], topics, pool.positions, 0)
    assert {topic: [key for key, _ in rows] for topic, rows in update.rows.items() if rows} == {
        SNAPSHOTS: sorted([wrong, alien]),
        DELTAS: [gone],
    }
