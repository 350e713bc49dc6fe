"""Acceptable facts at the ends of what can be written: no rating, sum or month leaves its bounds, and no pool is halted by one."""

from typing import Any

import pytest

from rerate.audit.explaining import PublishedRows
from rerate.audit.why import explain
from rerate.pool.lists import LiveList
from tests.kit.driving import Driven, club_list, lists
from tests.kit.published import DELTAS
from tests.kit.saying import games, merged, minted, published, seeded, sent
from tests.kit.sendable import Data


def of(system: str, period: str, quantum: str = "1", parameters: Data | None = None, **more: Any) -> Data:
    return club_list(
        system.partition("/")[0], quantum=quantum, period=period, rules=[{"system": system, "parameters": parameters or {}}], **more
    )


def reads_back(pool: Driven, list_id: str) -> bool:
    """Whether the rows on the topic give the digest of the head."""
    live = pool.pool.lists[list_id]
    assert isinstance(live, LiveList)
    return PublishedRows(live.replay, pool.topics[DELTAS].values()).list_digest().hex() == pool.digests(list_id)[0]


@pytest.mark.parametrize(
    ("config", "seeds", "ratings"),
    [
        (of("club/1", "event", "0.1"), ("-9999.9", "-9990.0"), ("-9989.6", "-9999.9")),
        (of("club/1", "event", "0.001", {"k_established": 1000}), ("9999.000", "9999.000"), ("9999.999", "9499.000")),
        (of("fide-curve/1", "event", "1", {"k": 1000}), ("9900", "9900"), ("9999", "9400")),
        (of("fide-curve/1", "month", "0.1", {"k": 1000, "floor": "none"}), ("-9900.0", "-9900.0"), ("-9400.0", "-9999.9")),
    ],
    ids=lambda one: one["id"] if isinstance(one, dict) else "",
)
def test_no_rating_by_games_is_larger_than_can_be_read_back(config: Data, seeds: tuple[str, str], ratings: tuple[str, str]) -> None:
    known = [seeded(player, list=config["id"], state={"rating": rating, "games": 30}) for player, rating in zip("AB", seeds, strict=True)]
    pool = Driven(lists(1, config), *known, published("e1", 1, "A>B"))
    assert tuple(pool.rating(player, config["id"]) for player in "AB") == ratings
    assert reads_back(pool, config["id"])
    for player, rating in zip("AB", ratings, strict=True):
        told = [step.text for step in explain(pool.pool, minted(player)).steps if step.code == "limit"]
        assert told == ([f"the rating is held at {rating}: its size is below 10,000"] if "9999" in rating else [])


def test_thousands_of_games_at_the_largest_k_stay_within_bounds() -> None:
    pool = Driven(lists(1, of("club/1", "event", "0.001", {"k_new": 1000, "k_established": 1000, "provisional_below": 0})))
    for number, (winner, loser) in enumerate([("a", "b"), ("a", "c")]):
        pairings = [f"{winner}>{loser}"] * 5_000
        event = {"id": f"t:e{number}", "date": f"2024-01-0{number + 1}", "category": "club", "status": "final"}
        pool.take(sent("result-published", event=event, revision=1, games=games(*pairings)))
    assert [pool.rating(player, "club") for player in "abc"] == ["9999.999", "-9999.999", "1200.000"]
    assert reads_back(pool, "club")


@pytest.mark.parametrize(
    "pool_of", ["games10000-half1-sum1", "games1-half2-sum10000", "games1-half2-sum999999999999", "games2-half5-sum3000"]
)
def test_a_pooled_seed_that_no_games_give_has_no_effect(pool_of: str) -> None:
    seed = seeded("a", list="fide", state={"pool_2023_12": pool_of})
    assert Driven(lists(1, of("fide/1", "month")), seed).standing(seed) == "no-effect state"


def test_pooled_seeds_of_many_who_are_one_add_up() -> None:
    pool = Driven(lists(1, of("fide/1", "month")))
    pool.take(*(seeded(f"p{i}", list="fide", state={"pool_2024_01": "games9999-half9999-sum17998200"}) for i in range(6)))
    pool.take(*(merged(f"m{i}", f"p{i}", "p0") for i in range(1, 6)))
    assert pool.head()["state"] == "live"
    pool.take(seeded("b", list="fide", state={"rating": "1800", "games": 30}), published("e1", 1, "p0>b", date="2024-02-10"))
    assert pool.rating("p0", "fide") == "1820"  # half a point above half


@pytest.mark.parametrize("system", ["fide/1", "glicko/1"])
def test_after_the_last_month_there_is_none(system: str) -> None:
    config = of(system, "month", closing_day=20)
    known = [seeded(player, list=config["id"], state={"rating": "1800", "games": 30} | EXTRA[system]) for player in "ab"]
    pool = Driven(lists(1, config), *known, published("e1", 1, "a>b", date="2024-01-05"), published("e2", 1, "a>b", date="9999-12-31"))
    assert sorted({row["period"]["date"] for row in pool.deltas(config["id"])}) == ["2024-01", "9999-12"]
    assert pool.holds() == pool.fresh().holds()


EXTRA: dict[str, Data] = {"fide/1": {}, "glicko/1": {"deviation": "50"}}
