"""Whole numbers of a list's quantum: reading, writing, showing.

A rating is a whole number of quanta; on the wire it is a decimal string with the quantum's places, and beside it stands `shown`,
rounded for people.
"""

import re
from fractions import Fraction
from functools import lru_cache

PER_POINT = {"1": 1, "0.1": 10, "0.01": 100, "0.001": 1000}
"""Quanta in one rating point."""

MOST_POINTS = 10_000
"""Ratings are below this in size, those that people set and those that games give."""

_PLACES = {1: 0, 10: 1, 100: 2, 1000: 3}
_DECIMAL = re.compile(r"(-?)(0|[1-9][0-9]{0,3})(?:\.([0-9]{1,6}))?\Z")


def quanta_of(text: str, per_point: int) -> int | None:
    """Quanta in a decimal string below 10,000 in size; None if it is no such string or falls between two quanta."""
    match = _DECIMAL.match(text)
    if match is None:
        return None
    sign, whole, fraction = match[1], match[2], (match[3] or "")
    places = _PLACES[per_point]
    if fraction[places:].strip("0"):
        return None
    size = int(whole) * per_point + int((fraction[:places] or "0").ljust(places, "0") or "0")
    return -size if sign else size


@lru_cache(maxsize=1 << 16)
def decimal(quanta: int, per_point: int) -> str:
    """Quanta as a decimal string with the quantum's places: 14000, 10 gives `1400.0`."""
    places = _PLACES[per_point]
    sign = "-" if quanta < 0 else ""
    whole, rest = divmod(abs(quanta), per_point)
    return f"{sign}{whole}.{rest:0{places}d}" if places else f"{sign}{whole}"


def round_half_away(numerator: int, denominator: int) -> int:
    """The nearest whole number, ties away from zero. `denominator` is positive."""
    size = (2 * abs(numerator) + denominator) // (2 * denominator)
    return size if numerator >= 0 else -size


@lru_cache(maxsize=1 << 16)
def shown(quanta: int, per_point: int, shown_per_point: int) -> str:
    """A rating as its list shows it to people: rounded half away from zero to the list's `shown`."""
    return decimal(round_half_away(quanta * shown_per_point, per_point), shown_per_point)


def signed(points: Fraction, places: int = 4) -> str:
    """A change of rating for people: at most so many places, with its sign: `+7.2`, `-0.3128`, `+0`. Sums that are rounded are shown with
    six, so that none reads as the tie it is not."""
    whole, rest = divmod(abs(parts := round_half_away(points.numerator * 10**places, points.denominator)), 10**places)
    text = f"{whole}.{rest:0{places}d}".rstrip("0").rstrip(".")
    return f"-{text}" if parts < 0 else f"+{text}"


def halves(half_points: int) -> str:
    """Half points as a decimal string: 5 gives `2.5`."""
    return f"{half_points // 2}.{5 * (half_points % 2)}"
