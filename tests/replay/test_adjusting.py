"""Adjustments in a replay: between which periods they stand, whom they move, and what a change of one re-rates."""

import pytest

from rerate.history import Adjustment
from rerate.replay.periods import adjustment_key, date_of, key_bytes, key_fields, key_of_fields, key_text
from tests.kit.counting import CountedReplay
from tests.kit.pool_laws import blocks_of


def adjustment(before: str, value: str, *persons: str, kind: str = "add", id: str = "a1") -> Adjustment:
    return Adjustment(id=id, before=before, kind=kind, value=value, persons=persons or None)  # type: ignore[arg-type]


def season() -> CountedReplay:
    """a beats b on the 5th, b beats c on the 12th; K 40, everybody from 1200."""
    of = CountedReplay()
    of.set("w:e1", "2024-01-05", "a>b")
    of.set("w:e2", "2024-01-12", "b>c")
    of.step()
    return of


def rating(of: CountedReplay, person: str) -> int | None:
    state = of.replay.state(person)
    return None if state is None else state[0]


def test_a_key_stands_after_the_day_before_and_ahead_of_its_own() -> None:
    key = adjustment_key("date", "2024-03-01", "a1")
    assert ("2024-02-29",) < key < ("2024-03-01",)
    assert ("2024-02-29", 2**31 - 1, "w:z") < key < ("2024-03-01", -(2**31), "w:a")
    assert key < adjustment_key("date", "2024-03-01", "a2")
    assert date_of(key) == "2024-03-01"
    month = adjustment_key("month", "2024-03-15", "a1")
    assert ("2024-02",) < month < ("2024-03",)
    assert date_of(month) == "2024-03"


def test_a_key_is_named_by_its_date_and_the_adjustment() -> None:
    for key in (adjustment_key("date", "2024-03-01", "a1"), adjustment_key("month", "2024-03-01", "a1")):
        assert key_of_fields(key_fields("date", key)) == key
        assert key_text(key) == f"{date_of(key)}/adjustment/a1"
    assert key_bytes("date", adjustment_key("date", "2024-03-01", "a1")).hex(" ") == "06 " + b"2024-03-01".hex(" ") + " 00 02 61 31"


def test_points_are_added_between_two_periods_and_carry_into_the_next() -> None:
    of = season()
    before = {person: rating(of, person) for person in "abc"}
    of.replay.adjust("a1", adjustment("2024-01-12", "100", "a", "b"))
    change = of.step()
    assert [(row.player, row.direct) for row in change.rows if row.key == adjustment_key("date", "2024-01-12", "a1")] == [
        ("a", True),
        ("b", True),
    ]
    assert rating(of, "a") == (before["a"] or 0) + 1_000
    assert rating(of, "b") == 12_955  # 1180 + 100, then K 40 x (1 - .613137) against 1200
    c = rating(of, "c")
    assert c is not None
    assert c > (before["c"] or 0)  # lost to a better rated player


def test_taken_away_it_is_as_if_it_had_never_been() -> None:
    of, plain = season(), season()
    of.replay.adjust("a1", adjustment("2024-01-08", "250"))
    of.step()
    assert of.replay.digest() != plain.replay.digest()
    of.replay.adjust("a1", None)
    of.step()
    assert of.replay.digest() == plain.replay.digest()
    assert of.replay.row_count == plain.replay.row_count


def test_it_is_for_those_who_are_on_the_list_by_then() -> None:
    of = season()
    of.replay.adjust("a1", adjustment("2024-01-08", "100"))
    rows = of.step().rows
    assert [row.player for row in rows if len(row.key) == 3] == ["a", "b"]
    assert rating(of, "c") is not None


def test_who_comes_later_to_the_list_by_a_correction_is_adjusted_too() -> None:
    of, other = season(), CountedReplay()
    of.replay.adjust("a1", adjustment("2024-01-08", "100"))
    of.step()
    of.set("w:e0", "2024-01-02", "c=d")
    of.step()
    other.replay.adjust("a1", adjustment("2024-01-08", "100"))
    other.set("w:e0", "2024-01-02", "c=d")
    other.set("w:e1", "2024-01-05", "a>b")
    other.set("w:e2", "2024-01-12", "b>c")
    other.step()
    assert of.replay.digest() == other.replay.digest()
    assert rating(of, "d") == 13_000


def test_a_seed_that_begins_later_is_not_adjusted_and_one_that_has_begun_is() -> None:
    of = season()
    of.replay.seed("d", ("2024-02-01", (15_000, 9)))
    of.replay.seed("e", ("2024-01-01", (15_000, 9)))
    of.replay.adjust("a1", adjustment("2024-01-20", "100"))
    of.step()
    assert (rating(of, "d"), rating(of, "e")) == (15_000, 16_000)
    of.replay.seed("d", ("2024-01-20", (15_000, 9)))
    of.replay.seed("e", ("2024-01-21", (15_000, 9)))
    of.step()
    assert (rating(of, "d"), rating(of, "e")) == (16_000, 15_000)


def test_of_one_date_they_are_made_by_id() -> None:
    of = season()
    of.replay.adjust("b", adjustment("2024-01-20", "10", "a", kind="set", id="b"))
    of.replay.adjust("a", adjustment("2024-01-20", "500", "a", id="a"))
    of.step()
    assert rating(of, "a") == 100
    of.replay.adjust("b", None)
    of.replay.adjust("0", adjustment("2024-01-20", "10", "a", kind="set", id="0"))
    of.step()
    assert rating(of, "a") == 5_100


def test_its_content_is_in_the_input_digest_though_ratings_agree() -> None:
    of, other = season(), season()
    of.replay.adjust("a1", adjustment("2024-01-20", "1000", "a", kind="set"))
    rated = rating(of, "a")
    assert rated is not None
    other.replay.adjust("a1", adjustment("2024-01-20", f"{(10_000 - rated) / 10:.1f}", "a"))
    of.step()
    other.step()
    assert of.replay.digest()[0] == other.replay.digest()[0]
    assert of.replay.digest()[1] != other.replay.digest()[1]


@pytest.mark.parametrize("games_of_a_block", [1, 1_024])
@pytest.mark.parametrize("persons", [("d",), ("c", "d"), ()])
def test_who_comes_to_the_list_is_adjusted_though_nobody_was_before(persons: tuple[str, ...], games_of_a_block: int) -> None:
    """An adjustment without a row is a period in no block."""

    def walked(*facts: str) -> CountedReplay:
        of = CountedReplay()
        for fact in facts:
            match fact:
                case "adjustment":
                    of.replay.adjust("a1", adjustment("2024-01-03", "100", *persons))
                case "seed":
                    of.replay.seed("d", ("2024-01-01", (15_000, 9)))
                case "no seed":
                    of.replay.seed("d", None)
                case "earlier":
                    of.set("w:e0", "2024-01-02", "c=d")
                case "not earlier":
                    of.set("w:e0", "2024-01-02")
                case "season":
                    of.set("w:e1", "2024-01-05", "a>b")
                    of.set("w:e2", "2024-01-12", "b>c")
            with blocks_of(games_of_a_block):
                of.step()
        return of

    for late in ("earlier", "seed"):
        with_adjustment = walked("season", "adjustment", late)
        assert with_adjustment.replay.digest() == walked("season", late, "adjustment").replay.digest()
        assert rating(with_adjustment, "d") == {"earlier": 13_000, "seed": 16_000}[late]
        gone = walked("season", "adjustment", late, f"no {late}" if late == "seed" else "not earlier")
        assert gone.replay.digest() == walked("season").replay.digest()
        assert gone.replay.row_count == 4
    assert rating(walked("adjustment", "seed"), "d") == 16_000
