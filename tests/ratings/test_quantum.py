"""Decimal strings and whole numbers of a quantum."""

from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rerate.ratings.quantum import PER_POINT, decimal, quanta_of, round_half_away, shown

steps = st.sampled_from(sorted(PER_POINT.values()))
untimed = settings(deadline=None)


@pytest.mark.parametrize(
    ("text", "per_point", "quanta"),
    [
        ("1200", 10, 12_000),
        ("1200.0", 10, 12_000),
        ("1200.5", 10, 12_005),
        ("1200.50", 10, 12_005),
        ("-0.5", 10, -5),
        ("-12.345", 1000, -12_345),
        ("0", 1000, 0),
        ("-0", 10, 0),
        ("9999.999", 1000, 9_999_999),
        ("1200", 1, 1_200),
        ("1200.000", 1, 1_200),
    ],
)
def test_a_decimal_string_is_read(text: str, per_point: int, quanta: int) -> None:
    assert quanta_of(text, per_point) == quanta


@pytest.mark.parametrize(
    ("text", "per_point"),
    [("1200.05", 10), ("1200.5", 1), ("0.0001", 1000), ("10000", 10), ("01200", 10), ("+1", 10), ("1.", 10), (".5", 10), ("1e3", 10)]
    + [(text, 10) for text in ("", " 1", "1 ", "1\n", "--1", "NaN", "inf", "1,5", "1_0", "\u0661")],
)
def test_what_is_no_decimal_or_falls_between_two_quanta_is_none(text: str, per_point: int) -> None:
    assert quanta_of(text, per_point) is None


@pytest.mark.parametrize(
    ("quanta", "per_point", "text"),
    [(14_000, 10, "1400.0"), (-5, 10, "-0.5"), (-5, 1000, "-0.005"), (0, 100, "0.00"), (1_200, 1, "1200"), (-1_200, 1, "-1200")],
)
def test_quanta_are_written_with_the_places_of_the_quantum(quanta: int, per_point: int, text: str) -> None:
    assert decimal(quanta, per_point) == text


@untimed
@given(st.data(), steps)
def test_what_is_written_is_read_back(data: st.DataObject, per_point: int) -> None:
    quanta = data.draw(st.integers(-9_999 * per_point, 9_999 * per_point))
    assert quanta_of(decimal(quanta, per_point), per_point) == quanta


@pytest.mark.parametrize(
    ("numerator", "denominator", "rounded"),
    [
        (5, 10, 1),
        (-5, 10, -1),
        (15, 10, 2),
        (25, 10, 3),
        (-25, 10, -3),
        (4, 10, 0),
        (-4, 10, 0),
        (6, 10, 1),
        (0, 7, 0),
        (1, 3, 0),
        (2, 3, 1),
    ],
)
def test_ties_go_away_from_zero(numerator: int, denominator: int, rounded: int) -> None:
    assert round_half_away(numerator, denominator) == rounded


@untimed
@given(st.integers(-(10**12), 10**12), st.integers(1, 10**7))
def test_rounding_is_that_of_exact_decimals(numerator: int, denominator: int) -> None:
    size = (Decimal(abs(2 * numerator) + denominator) / (2 * denominator)).to_integral_value("ROUND_FLOOR")
    assert abs(round_half_away(numerator, denominator)) == size
    assert round_half_away(-numerator, denominator) == -round_half_away(numerator, denominator)


@pytest.mark.parametrize(
    ("quanta", "text"), [(14_004, "1400"), (14_005, "1401"), (14_015, "1402"), (-5, "-1"), (-4, "0"), (-14_005, "-1401")]
)
def test_a_rating_is_shown_to_people_rounded_half_away_from_zero(quanta: int, text: str) -> None:
    assert shown(quanta, 10, 1) == text


@untimed
@given(st.data(), steps, steps)
def test_what_is_shown_is_what_decimals_show(data: st.DataObject, per_point: int, to: int) -> None:
    quanta = data.draw(st.integers(-9_999 * per_point, 9_999 * per_point))
    exact = (Decimal(quanta) / per_point).quantize(Decimal(1) / to if to > 1 else Decimal(1), ROUND_HALF_UP)
    assert Decimal(shown(quanta, per_point, to)) == exact
    assert shown(quanta, per_point, per_point) == decimal(quanta, per_point)
