"""The arithmetic of the US Chess rating system (Glickman and Doan, text of 2 September 2020), without states and events.

A rating inside an event is a `Value`: an exact ratio, with the nearest double beside it. The special formula has an exact rational result,
which is found exactly (where the effective number of games is no whole number, its nearest double is taken for it, and the result is
rounded to the nearest double). The standard formula works on doubles with `power_of_ten`, `math.sqrt` and `math.fsum`, which is exact
before its one rounding; so neither depends on an order of games or players.
"""

from collections.abc import Sequence
from math import fsum, gcd, lcm, sqrt
from typing import Literal, NamedTuple

from rerate.ratings.functions import power_of_ten

FLOOR = 100
"""The absolute floor (section 5)."""
SPECIAL_MOST = 2_700
"""The special formula gives no more than this (section 4.1)."""
SPECIAL_GAMES = 8
"""Up to so many earlier games, the special formula."""
MOST_GAMES = 50
"""No effective number of games is above this (section 3), so no more need be told apart."""
REACH = 400
"""Beyond this gap a provisional expectancy is 0 or 1."""

History = Literal["mixed", "won", "lost"]
"""What all earlier games were; mixed also if there were none."""

_PRIOR_HALVES: dict[History, int] = {"mixed": 1, "won": 2, "lost": 0}
_PRIOR_SHIFT: dict[History, int] = {"mixed": 0, "won": -REACH, "lost": REACH}

_BONUS_HISTORY = (("2025-01-01", 10), ("2023-02-01", 12), ("2017-05-01", 14), ("", 12))
"""Events that end on this day or later -> B, newest first. 12 is taken for all events before May 2017: its first day is not known. 10 was
announced in June 2025 and applied backwards."""


class Value(NamedTuple):
    """A number as the ratio top / bottom (bottom above 0), and the double nearest to it."""

    near: float
    top: int
    bottom: int


class Special(NamedTuple):
    """What the special formula gave."""

    value: Value
    """Between 100 and 2700."""
    raw: Value
    """Before these limits."""
    flat: bool
    """Whether a whole interval solved it."""


class Standard(NamedTuple):
    """What the standard formula gave: rating before + change + bonus, each the nearest double."""

    value: Value
    expected: float
    k: float
    change: float
    bonus: float


def ratio(top: int, bottom: int) -> Value:
    """The ratio in lowest terms. `bottom` is above 0."""
    common = gcd(top, bottom)
    return Value(top / bottom, top // common, bottom // common)


def double(near: float) -> Value:
    """A finite double as the ratio that it is."""
    return Value(near, *near.as_integer_ratio())


def within(value: Value, least: Value, most: Value) -> Value:
    """The value limited to least .. most."""
    if value.top * least.bottom < least.top * value.bottom:
        return least
    return most if value.top * most.bottom > most.top * value.bottom else value


def bonus_constant(end: str) -> int:
    """B for an event whose last day this is (new.uschess.org; see `_BONUS_HISTORY`)."""
    return next(constant for first, constant in _BONUS_HISTORY if end >= first)


def bonus_since(end: str) -> str:
    """The last day of the first events that it is for; empty if that is not known."""
    return next(first for first, _ in _BONUS_HISTORY if end >= first)


def effective_games(rating: Value, games: int) -> Value:
    """Effective number of games N' (section 3): min(N, N*), N* = 50 / sqrt(0.662 + 0.00000739 (2569 - R)^2) up to R = 2355, else 50."""
    _, top, bottom = rating
    games = min(games, MOST_GAMES)
    if top > 2_355 * bottom:
        return Value(float(games), games, 1)
    under, square = 2_569 * bottom - top, bottom * bottom
    inside = 66_200_000 * square + 739 * under * under
    if games * games * inside <= 2_500 * 100_000_000 * square:
        return Value(float(games), games, 1)
    return double(50 / sqrt(inside / (100_000_000 * square)))


def provisional_expectancy(rating: Value, opponent: Value) -> Value:
    """PWe (section 4.1): 0 from 400 below the opponent, 1 from 400 above, a straight line between."""
    bottom = 2 * REACH * rating.bottom * opponent.bottom
    top = rating.top * opponent.bottom - opponent.top * rating.bottom + bottom // 2
    return ratio(max(0, min(top, bottom)), bottom)


def expectancy(rating: float, opponent: float) -> float:
    """The logistic expectancy We (section 4.2)."""
    return 1 / (1 + power_of_ten((opponent - rating) / 400))


def special(
    prior: Value, effective: Value, history: History, opponents: Sequence[Value], half_points: int, limit_mean: bool = False
) -> Special:
    """The special formula (section 4.1), solved exactly.

    The rating R is sought with N' PWe(R, R0') + sum of PWe(R, Ri) = S'. The left side never falls and is straight between its knots, so the
    knots are walked. Where a whole interval solves it, the mean M limited to that interval is taken if an opponent or the prior is within
    400 of it; else R0 limited to the interval.

    Args:
        prior: R0.
        effective: N'; if 0, the prior has no part in the sum.
        opponents: at least one.
        half_points: the score in half points.
        limit_mean: M limited to the interval also where nobody is within 400.
    """
    scale = prior.bottom
    for opponent in opponents:
        scale = lcm(scale, opponent.bottom)
    # All in whole numbers: ratings in 1 / scale points, weights in 1 / effective.bottom games.
    reach = REACH * scale
    own = prior.top * (scale // prior.bottom)
    shifted = own + _PRIOR_SHIFT[history] * scale
    others = [opponent.top * (scale // opponent.bottom) for opponent in opponents]
    weight, prior_weight = effective.bottom, effective.top
    wanted = reach * (half_points * weight + prior_weight * _PRIOR_HALVES[history])

    turns: dict[int, int] = {}
    for place, each in ((shifted, prior_weight), *((other, weight) for other in others)):
        if each:
            turns[place - reach] = turns.get(place - reach, 0) + each
            turns[place + reach] = turns.get(place + reach, 0) - each
    low, high, parts = _walk(turns, wanted)
    flat = low is None or high is None or low != high
    if flat:
        total = prior_weight + len(others) * weight
        mean = prior_weight * shifted + weight * sum(others) + wanted - reach * total  # M, in 1 / (scale x total) points
        found = _limited(mean, low, high, total)
        near = any(abs(found - place * total) <= reach * total for place in (shifted, *others))
        parts = total
        solution = found if near or limit_mean else _limited(own * total, low, high, total)
    else:
        assert low is not None
        solution = low
    raw = ratio(solution, parts * scale)
    if effective.bottom != 1:
        raw = double(raw.near)
    return Special(within(raw, ratio(FLOOR, 1), ratio(SPECIAL_MOST, 1)), raw, flat)


def _walk(turns: dict[int, int], wanted: int) -> tuple[int | None, int | None, int]:
    """Where the broken line reaches `wanted`: from low to high, None being no end, in 1 / parts of the unit of the knots."""
    knots = sorted(turns)
    sum_here = slope = 0
    last = knots[0]
    for number, knot in enumerate(knots):
        sum_at = sum_here + slope * (knot - last)
        if sum_at > wanted:
            solution = last * slope + wanted - sum_here
            return solution, solution, slope
        slope += turns[knot]
        if sum_at == wanted:
            if number == 0:
                return None, knot, 1
            if slope == 0:
                return knot, knots[number + 1] if number + 1 < len(knots) else None, 1
            return knot, knot, 1
        sum_here, last = sum_at, knot
    raise AssertionError("the line ends below the sum of all weights")


def _limited(value: int, low: int | None, high: int | None, parts: int) -> int:
    if low is not None and value < low * parts:
        return low * parts
    return high * parts if high is not None and value > high * parts else value


def factor(rating: Value, effective: Value, games: int, dual_rated: bool) -> float:
    """K (section 4.2): 800 / (N' + m); above 2200 in a dual-rated event 800 (6.5 - 0.0025 R) / (N' + m), from 2500 on 200 / (N' + m)."""
    _, top, bottom = rating
    if not dual_rated or top <= 2_200 * bottom:
        return 800 / (effective.near + games)
    if top >= 2_500 * bottom:
        return 200 / (effective.near + games)
    return (2 * (2_600 * bottom - top) / bottom) / (effective.near + games)


def bonus_threshold(constant: float, games: int) -> float:
    """What K (S - E) must exceed for a bonus (section 4.2): B times the root of m, of 4 for three games."""
    return constant * sqrt(max(games, 4))


def standard(rating: Value, k: float, opponents: Sequence[Value], half_points: int, threshold: float | None) -> Standard:
    """The standard formula (section 4.2).

    Args:
        threshold: see `bonus_threshold`; None: no bonus.
    """
    expected = fsum(expectancy(rating.near, opponent.near) for opponent in opponents)
    change = k * (half_points / 2 - expected)
    bonus = 0.0 if threshold is None else max(0.0, change - threshold)
    return Standard(double(fsum((rating.near, change, bonus))), expected, k, change, bonus)


def age_rating(age: int, per_year: int) -> Value | None:
    """The starting value by age (section 2): 100 under 2, 50 times the age up to 26, None above.

    Args:
        age: in whole parts of a year.
        per_year: parts of a year: 1; or 1461, quarters of a day.
    """
    if age < 2 * per_year:
        return ratio(FLOOR, 1)
    return ratio(50 * age, per_year) if age <= 26 * per_year else None


def from_fide(fide: Value, edition: str) -> Value:
    """A FIDE rating converted (section 2; the numbers of 2025 by new.uschess.org).

    Args:
        edition: 2025 or old.
    """
    _, top, bottom = fide
    low = top <= 2_000 * bottom
    if edition == "2025":
        return ratio(15_667 * top - 10_730_000 * bottom, 10_000 * bottom) if low else ratio(102 * top + 2_000 * bottom, 100 * bottom)
    return ratio(102 * top + 2_000 * bottom, 100 * bottom) if low else ratio(94 * top + 18_000 * bottom, 100 * bottom)


def personal_floor(points: int) -> int:
    """The personal absolute floor (section 5), by 4 wins + 2 draws + events of three games or more."""
    return min(FLOOR + points, 150)


def established_floor(peak_hundreds: int) -> int:
    """The floor by the highest established rating cut down to hundreds (section 5): 200 below, 1200 to 2100; none (0) below 1400."""
    return min(max(100 * peak_hundreds - 200, 1_200), 2_100) if peak_hundreds >= 14 else 0
