"""The shipped tables of the expected score against the curve in 50 decimal digits."""

from array import array
from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Context, Decimal
from hashlib import sha256
from importlib.resources import files
from itertools import pairwise

import pytest

from rerate.ratings import expected
from rerate.ratings.expected import SCALE, TableDamaged, expected_score

PINS = {
    "expected_0.1.bin": (100_824, "2ce4068ceb303f8c745b40f87a347ddc778175aee1b4c2eaee866f9102353a36"),
    "expected_0.01.bin": (1_008_172, "a1d7dfbccd3494bf24ad5daf522b2aefebe2d4546f84b11df4368a03ee0dea8e"),
    "expected_0.001.bin": (2_000_000, "36da006e98329bdc140c3fcf761638ae92f388a80f0c444aba6dff633b4cc6ff"),
}
SATURATION = {10: 25_205, 100: 252_042, 1000: 2_520_412}
FIFTY_DIGITS = Context(prec=50, rounding=ROUND_HALF_UP)


def curve(gap: int, per_point: int) -> int:
    """E of a gap that is not negative, in millionths, worked out anew."""
    c = FIFTY_DIGITS
    odds = c.power(Decimal(10), c.divide(Decimal(-gap), Decimal(400 * per_point)))
    return int(c.divide(Decimal(SCALE), c.add(Decimal(1), odds)).to_integral_value(ROUND_HALF_UP))


def sampled(last: int, count: int) -> Iterator[int]:
    """Gaps spread over 0 to `last`, by a step that is no round number."""
    return iter(range(0, last, max(1, last // count) | 1))


def shipped(name: str) -> bytes:
    return files("rerate.ratings").joinpath("tables", name).read_bytes()


@pytest.mark.parametrize("name", PINS)
def test_a_shipped_table_is_the_one_released(name: str) -> None:
    raw = shipped(name)
    assert (len(raw), sha256(raw).hexdigest()) == PINS[name]


def test_no_table_beside_them_is_shipped() -> None:
    assert {path.name for path in files("rerate.ratings").joinpath("tables").iterdir() if path.name.endswith(".bin")} == PINS.keys()


def test_a_table_of_other_bytes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(expected._FILES, 10, ("expected_0.1.bin", "0" * 64))
    with pytest.raises(TableDamaged, match="install rerate again"):
        expected._load(10)


@pytest.mark.parametrize(("per_point", "gap"), SATURATION.items())
def test_a_table_saturates_at_the_first_gap_that_rounds_to_a_whole_score(per_point: int, gap: int) -> None:
    score = expected_score(per_point)
    assert [score(at) for at in (gap - 1, gap, gap + 1, 10 * gap)] == [SCALE - 1, SCALE, SCALE, SCALE]
    assert [score(-at) for at in (gap - 1, gap, gap + 1, 10 * gap)] == [1, 0, 0, 0]
    assert (curve(gap - 1, per_point), curve(gap, per_point)) == (SCALE - 1, SCALE)


@pytest.mark.parametrize("per_point", SATURATION)
def test_both_sides_share_one_whole_score(per_point: int) -> None:
    score = expected_score(per_point)
    assert score(0) == SCALE // 2
    assert all(score(-gap) == SCALE - score(gap) for gap in sampled(SATURATION[per_point] + 100, 5_000))


@pytest.mark.parametrize("per_point", SATURATION)
def test_the_score_never_falls_as_the_gap_grows(per_point: int) -> None:
    score = expected_score(per_point)
    assert all(score(one) <= score(other) for one, other in pairwise(sampled(SATURATION[per_point] + 100, 5_000)))


def test_every_value_of_the_tenths_near_the_middle_is_the_curves() -> None:
    score = expected_score(10)
    assert all(score(gap) == curve(gap, 10) for gap in range(5_000))


@pytest.mark.parametrize("per_point", [10, 100])
def test_values_all_over_a_whole_table_are_the_curves(per_point: int) -> None:
    score = expected_score(per_point)
    assert all(score(gap) == curve(gap, per_point) for gap in sampled(SATURATION[per_point], 2_000))


def test_a_threshold_of_the_thousandths_is_the_first_gap_of_its_millionth() -> None:
    thresholds = array("I", shipped("expected_0.001.bin"))
    assert (len(thresholds), thresholds[-1]) == (SCALE // 2, SATURATION[1000])
    for millionth in sampled(SCALE // 2, 1_000):
        gap = thresholds[millionth]
        assert curve(gap, 1000) >= SCALE // 2 + 1 + millionth > curve(gap - 1, 1000)


def test_scores_on_both_sides_of_a_threshold_are_the_curves() -> None:
    score, thresholds = expected_score(1000), array("I", shipped("expected_0.001.bin"))
    for millionth in sampled(SCALE // 2, 500):
        gap = thresholds[millionth]
        assert [score(at) for at in (gap - 1, gap)] == [curve(at, 1000) for at in (gap - 1, gap)]


@pytest.mark.parametrize("points", [0, 1, 50, 100, 200, 400, 800, 1_200, 2_500])
def test_the_three_tables_agree_on_whole_points(points: int) -> None:
    assert len({expected_score(per_point)(points * per_point) for per_point in SATURATION}) == 1
