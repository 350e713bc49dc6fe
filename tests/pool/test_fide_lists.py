"""FIDE lists in a pool: the calendar of each time, the floor of each date, and events that are rated in parts."""

from typing import Any

import pytest

from rerate.audit.why import explain
from tests.kit.driving import Driven, club_list, lists
from tests.kit.saying import adjusted, corrected, game, minted, published, seeded
from tests.kit.sendable import Data, Sendable


def fide(parameters: Data | None = None, *, system: str = "fide/1", **more: Any) -> Data:
    rules = [{"system": system, "parameters": parameters or {}}]
    return club_list("fide", **({"quantum": "1", "period": "month", "rules": rules} | more))


def rated(player: str, rating: str, as_of: str = "2009-12-31") -> Sendable:
    return seeded(player, list="fide", as_of=as_of, state={"rating": rating, "games": 30})


def rows(pool: Driven, player: str) -> list[Data]:
    return [row for row in pool.deltas("fide") if row["player"] == minted(player)]


def periods(pool: Driven, player: str) -> list[str]:
    return [row["period"]["date"] for row in rows(pool, player)]


# ---------------------------------------------------------------------- the calendar


@pytest.mark.parametrize(
    ("parameters", "end", "period"),
    [
        ({}, "2010-01-05", "2010-02"),
        ({}, "2010-02-05", "2010-02"),
        ({}, "2012-05-20", "2012-06"),
        ({}, "2012-07-05", "2012-07"),
        ({"lists": "monthly"}, "2010-01-05", "2010-01"),
    ],
)
def test_lists_came_out_every_two_months_until_july_2012(parameters: Data, end: str, period: str) -> None:
    pool = Driven(lists(1, fide(parameters)), rated("A", "1800"), rated("B", "1800"), published("e1", 1, "A>B", date=end))
    assert periods(pool, "A") == [period]


def test_no_event_passes_another_where_a_list_changes_its_system() -> None:
    rules = [{"system": "fide-2009/1", "parameters": {}}, {"system": "fide/1", "parameters": {}, "from": "2014-07-01"}]
    ends = ["2014-06-20", "2014-06-27", "2014-07-05"]
    events = [published(f"e{at}", 1, "A>B", date=end) for at, end in enumerate(ends)]
    pool = Driven(lists(1, fide(rules=rules)), rated("A", "1800"), rated("B", "1800"), *events)
    assert periods(pool, "A") == sorted(periods(pool, "A"))
    assert {line["event"]: row["period"]["date"] for row in rows(pool, "A") for line in row["row"]["events"]} == {
        minted("e0"): "2014-06",
        minted("e1"): "2014-07",
        minted("e2"): "2014-07",
    }


# ---------------------------------------------------------------------- the floor


def test_who_stands_below_a_floor_that_has_risen_is_without_a_rating() -> None:
    """1200 was enough until February 2024, on a list without the one-time raise."""
    pool = Driven(lists(1, fide({"kind": "rapid"})), rated("A", "1200"), rated("B", "1500"))
    pool.take(published("e1", 1, "A=B", date="2024-02-10"), published("e2", 1, "A>B", date="2024-07-10"))
    february, july = rows(pool, "B")
    assert (february["row"]["events"][0]["games"], july["row"]["events"][0]["not_counted"]) == (1, 1)
    first, second = rows(pool, "A")
    assert (first["row"]["rating"], second["row"]["rating"]) == ("1207", None)
    assert second["row"]["state"]["pool_2024_07"].startswith("games1-half2-")
    assert pool.holds() == pool.fresh().holds()


@pytest.mark.parametrize(("end", "rating"), [("2012-04-20", None), ("2012-06-20", "1196")])
def test_a_floor_that_falls_holds_for_the_list_that_comes_out_next(end: str, rating: str | None) -> None:
    """From the list of 2012-07-01 on 1000 is enough; the period 2012-06 makes it."""
    pool = Driven(lists(1, fide({"k": 20})), rated("A", "1206"), rated("B", "1206"), published("e1", 1, "A<B", date=end))
    assert rows(pool, "A")[0]["row"]["rating"] == rating


def test_a_rating_below_the_floor_stands_in_for_nobody() -> None:
    rapid = fide({"kind": "rapid", "fallback": "fide"}) | {"id": "rapid", "categories": ["rapid"]}
    known = seeded("B", list="rapid", as_of="2023-12-31", state={"rating": "1500", "games": 30})
    event = published("e1", 1, "A>B", date="2024-07-10", category="rapid")
    pool = Driven(lists(1, fide(categories=["standard"]), rapid), rated("A", "1399"), rated("C", "1400"), known, event)
    (row,) = [row for row in pool.deltas("rapid") if row["player"] == minted("B")]
    assert row["row"]["events"][0]["not_counted"] == 1
    pool.take(published("e1", 2, "C>B", date="2024-07-10", category="rapid"))
    (row,) = [row for row in pool.deltas("rapid") if row["player"] == minted("B")]
    assert row["row"]["events"][0]["games"] == 1


def test_points_taken_away_may_end_a_rating() -> None:
    pool = Driven(lists(1, fide()), rated("A", "1450"), rated("B", "1500"))
    pool.take(away := adjusted("a1", 1, "A", list="fide", before="2024-06-01", add="-100"))
    (row,) = rows(pool, "A")
    assert (pool.standing(away), row["row"]["adjusted_from"], row["row"]["rating"]) == ("in-force", "1450", None)
    earlier = adjusted("a2", 1, "A", list="fide", before="2023-06-01", add="-100")
    pool = Driven(lists(1, fide()), rated("A", "1450"), earlier)
    assert pool.rating("A", "fide") == "1350"


def test_a_rating_is_not_set_below_the_floor_of_its_date() -> None:
    pool = Driven(lists(1, fide()), rated("A", "1450"))
    pool.take(late := adjusted("a1", 1, "A", list="fide", before="2024-06-01", set="1300"))
    assert (pool.standing(late), pool.rating("A", "fide")) == ("no-effect state", "1450")
    pool.take(early := adjusted("a2", 1, "A", list="fide", before="2024-01-01", set="1300"))
    assert (pool.standing(early), pool.rating("A", "fide")) == ("in-force", "1300")


# ---------------------------------------------------------------------- parts of events


def by_game(*games: Data, start: str, end: str, parameters: Data | None = None, system: str = "fide/1") -> tuple[Driven, Driven]:
    """The same event on a list `dated_by: game`, and on one by the event's last day."""
    event = published("e1", 1, *games, date=end, start_date=start)
    ratings = {"A": "2000", "B": "1500", "C": "1400", "D": "1300", "E": "2650", "F": "2150"}
    seeds = [rated(player, rating, "2023-01-01") for player, rating in ratings.items()]
    parted, whole = (fide(parameters, system=system, **more) for more in ({"dated_by": "game"}, {}))
    return Driven(lists(1, parted), *seeds, event), Driven(lists(1, whole), *seeds, event)


THREE = [
    game(f"g{at}", pairing, result="1-0", date=f"2023-05-{day}")
    for at, (pairing, day) in enumerate([("A-B", "02"), ("A-C", "09"), ("A-D", "16")])
]


@pytest.mark.parametrize("system", ["fide/1", "fide-2009/1"])
@pytest.mark.parametrize("parameters", [{}, {"rounding": "event"}])
def test_the_games_of_a_month_are_one_part_of_their_event(system: str, parameters: Data) -> None:
    """One capped win, one mean of the opponents, one rounding: not one for each day."""
    parted, whole = by_game(*THREE, start="2023-05-01", end="2023-05-20", parameters=parameters, system=system)
    assert rows(parted, "A")[0]["row"] == rows(whole, "A")[0]["row"]
    assert len(rows(parted, "A")[0]["row"]["events"]) == 1


def test_the_games_of_two_months_in_one_period_read_two_lists_and_are_two_parts() -> None:
    """The period 2023-05 begins on 30 April; the explanation names the list of each game."""
    early = [game("g9", "A-E", result="1-0", date="2023-04-30"), *THREE]
    parted, _ = by_game(*early, start="2023-03-01", end="2023-05-20")
    assert [line["games"] for line in rows(parted, "A")[0]["row"]["events"]] == [3, 1]
    own = [step.text for step in explain(parted.pool, minted("A")).steps if step.code == "own"]
    assert own == [f"rated 2000 in the list in force on 2023-{month}-01" for month in ("05", "04")]


def test_a_rule_goes_by_the_first_day_of_the_event_and_the_list_by_the_day_of_the_game() -> None:
    """A league from before the exemption of October 2025: 2650 against 2150 still counts as a gap of 400."""
    parted, _ = by_game(game("g1", "E-F", result="1-0", date="2025-11-05"), start="2025-09-15", end="2026-03-20")
    (row,) = rows(parted, "E")
    assert row["period"]["date"] == "2025-11"
    assert row["row"]["events"][0]["expected"] == "0.92"


def test_the_day_of_a_game_in_a_month_is_in_the_input_digest() -> None:
    pool, _ = by_game(*THREE, start="2023-05-01", end="2023-05-20")
    before, row = pool.digests("fide"), rows(pool, "A")[0]["row"]
    moved = corrected("e1", 2, game("g0", "A-B", result="1-0", date="2023-05-03"))
    pool.take(moved)
    assert rows(pool, "A")[0]["row"] == row
    assert pool.digests("fide") != before
    assert pool.holds() == pool.fresh().holds()
