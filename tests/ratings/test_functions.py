"""exp, log and powers of ten against mpmath, and their bits against those of this release."""

import ast
import math
import struct
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest
from hypothesis import strategies as st
from mpmath import mp, mpf

from rerate.ratings import functions
from rerate.ratings.functions import LEAST, MOST, exp, log, power_of_ten
from tests.kit.laws import law

mp.prec = 160

FUNCTIONS: dict[str, tuple[Callable[[float], float], Callable[[mpf], mpf]]] = {
    "exp": (exp, mp.exp),
    "log": (log, mp.log),
    "power_of_ten": (power_of_ten, lambda x: mpf(10) ** x),
}


def units_off(name: str, x: float) -> float:
    """How far from the true value, in units in the last place of it."""
    function, truth = FUNCTIONS[name]
    true = truth(mpf(x))
    return float(abs(mpf(function(x)) - true) / math.ulp(float(true)))


def most_off(name: str, arguments: Iterable[float]) -> float:
    return max(units_off(name, x) for x in arguments)


def spread(low: float, high: float, count: int = 2_000) -> list[float]:
    random = Random(f"{low} {high}")
    return [low, high, *(random.uniform(low, high) for _ in range(count))]


@pytest.mark.parametrize(("low", "high"), [(LEAST, MOST), (-40.0, 40.0), (-1.0, 1.0), (-0.36, -0.33), (0.33, 0.36), (-1e-6, 1e-6)])
def test_exp_is_within_a_unit_in_the_last_place(low: float, high: float) -> None:
    assert most_off("exp", spread(low, high)) < 0.75


@pytest.mark.parametrize(("low", "high"), [(-307.0, 308.0), (-12.0, 12.0), (-0.16, -0.14), (0.14, 0.16), (-1e-6, 1e-6)])
def test_a_power_of_ten_is_within_a_unit_in_the_last_place(low: float, high: float) -> None:
    assert most_off("power_of_ten", spread(low, high)) < 0.75


@pytest.mark.parametrize(("low", "high"), [(5e-324, 1.7e308), (1e-9, 1.0), (0.5, 2.0), (0.7, 0.715), (1.4, 1.42), (1 - 1e-6, 1 + 1e-6)])
def test_log_is_within_a_unit_in_the_last_place(low: float, high: float) -> None:
    assert most_off("log", spread(low, high)) < 0.75


def test_log_is_within_a_unit_in_the_last_place_over_all_exponents_and_about_one() -> None:
    random = Random(1)
    assert most_off("log", (math.ldexp(random.uniform(0.5, 1), e) for e in range(-1073, 1025))) < 0.75
    assert most_off("log", (1 + sign * 2.0**-n for n in range(1, 53) for sign in (-1, 1))) < 0.75


def test_exp_is_within_a_unit_in_the_last_place_at_the_borders_of_its_reduction() -> None:
    borders = [(k + 0.5) * math.log(2) for k in range(-1020, 1022)]
    assert most_off("exp", (near for x in borders for near in (x, math.nextafter(x, -math.inf), math.nextafter(x, math.inf)))) < 0.75


@law(st.floats(LEAST, MOST))
def test_log_undoes_exp(x: float) -> None:
    """As far as the digits of exp(x) go: half a unit in its last place is 2^-53 of it, hence of x absolutely."""
    assert abs(log(exp(x)) - x) <= 2**-52 + math.ulp(x)


@law(st.floats(LEAST, MOST), st.floats(LEAST, MOST))
def test_exp_does_not_fall_where_its_argument_rises_by_more_than_a_digit(x: float, y: float) -> None:
    low, high = sorted((x, y))
    assert exp(low) <= exp(high) * (1 + 2**-51)


def test_what_is_exact_comes_out_exact() -> None:
    assert (exp(0.0), exp(-0.0), log(1.0), power_of_ten(0.0)) == (1.0, 1.0, 0.0, 1.0)
    assert [power_of_ten(float(n)) for n in range(23)] == [10.0**n for n in range(23)]
    assert math.copysign(1.0, log(1.0)) == 1.0


@pytest.mark.parametrize(("function", "least", "most"), [(exp, LEAST, MOST), (power_of_ten, -307.0, 308.0)], ids=["exp", "power_of_ten"])
def test_beyond_its_range_a_power_is_its_limit(function: Callable[[float], float], least: float, most: float) -> None:
    assert 0.0 < function(least) < 1e-306
    assert 1e307 < function(most) < math.inf
    for below in (math.nextafter(least, -math.inf), -1e300, -math.inf):
        assert function(below) == 0.0
    for above in (math.nextafter(most, math.inf), 1e300, math.inf):
        assert function(above) == math.inf


@pytest.mark.parametrize("x", [0.0, -0.0, -1.0, -math.inf, math.inf, math.nan])
def test_log_has_no_value_for_what_is_not_above_zero_and_finite(x: float) -> None:
    with pytest.raises(ValueError, match="log of"):
        log(x)


@pytest.mark.parametrize("function", [exp, power_of_ten])
def test_a_power_of_what_is_not_a_number_is_none(function: Callable[[float], float]) -> None:
    with pytest.raises(ValueError, match="not a number"):
        function(math.nan)


def test_whole_numbers_are_taken_as_floats_are() -> None:
    assert (exp(3), log(3), power_of_ten(-3)) == (exp(3.0), log(3.0), power_of_ten(-3.0))


def test_the_bits_are_those_of_this_release() -> None:
    """The arguments are quotients of whole numbers, so the same on every machine; results that differ in one bit change the digest."""
    values = []
    for n in range(1, 4_001):
        values += [exp((n - 2_000) / 97), log(n / 89), power_of_ten((2_000 - n) / 101)]
    assert (
        sha256(struct.pack(f">{len(values)}d", *values)).hexdigest() == "f93e4733b7e3b9652ec9ef99d8ac8af688e2fa420dba7da6228c9ee8485a7ec6"
    )


def test_nothing_of_the_platforms_mathematics_is_used_but_what_is_exact() -> None:
    tree = ast.parse(Path(functions.__file__).read_text())
    imported = [name.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for name in node.names]
    assert imported == ["floor", "frexp", "ldexp"]
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.Pow)]
