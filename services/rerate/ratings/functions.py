"""exp, log and powers of ten that give the same bits everywhere.

They are built from + - * / on doubles, which IEEE 754 fixes to the last bit, and from `floor`, `frexp` and `ldexp`, which are exact here;
the platform's mathematics library, whose last digits differ from one release to the next, is never asked. (Compiled code must not fuse a
product and a sum into one rounding: `-ffp-contract=off`.) Square roots are `math.sqrt`, which IEEE 754 fixes as well.

Results are within one unit in the last place of the true value (at most 0.7 seen, against mpmath), and
exact for e^0, log 1 and the whole powers of ten up to 10^22.
"""

from math import floor, frexp, ldexp

MOST = 709.0
"""`exp` has finite results up to here."""
LEAST = -708.0
"""`exp` has results without loss of digits down to here."""

# A constant in two parts is known to more digits than a double has; the first is so short that its product with a short whole number (ln 2,
# log10 2: below 2^13) or with another half (ln 10: 26 bits) is exact.
_LN2_HIGH, _LN2_LOW = float.fromhex("0x1.62e42fefa2p-1"), float.fromhex("0x1.9ef35793c7673p-41")
_LOG2_OF_E = float.fromhex("0x1.71547652b82fep+0")
_LOG10_OF_2_HIGH, _LOG10_OF_2_LOW = float.fromhex("0x1.34413509f6p-2"), float.fromhex("0x1.9fef311f12b36p-42")
_LOG2_OF_10 = float.fromhex("0x1.a934f0979a371p+1")
_LN10, _LN10_HIGH, _LN10_LOW = (
    float.fromhex("0x1.26bb1bbb55516p+1"),
    float.fromhex("0x1.26bb1b8p+1"),
    float.fromhex("0x1.daaa8ac16ea57p-26"),
)
_SPLIT = 134_217_729.0  # 2^27 + 1: halves a double into two of 26 bits

_INFINITY = float("inf")
_HALF_SQRT_2 = 0.7071067811865476


def exp(x: float) -> float:
    """e to the power of x.

    Beyond its range the result is the limit: 0.0 below -708, infinity above 709. So 1 / (1 + exp(x)) is right for every x.

    Raises:
        ValueError: x is not a number.
    """
    if not LEAST <= x <= MOST:
        return _beyond(x)
    # x = k ln 2 + r. k ln 2 in two parts: the first product is exact, and so is its difference from x.
    k = floor(x * _LOG2_OF_E + 0.5)
    high, low = x - k * _LN2_HIGH, k * _LN2_LOW
    r = high - low
    return ldexp(_exp_near_zero(r, (high - r) - low), k)


def power_of_ten(x: float) -> float:
    """10 to the power of x, for the Elo curve.

    Beyond its range the result is the limit: 0.0 below -307, infinity above 308.

    Raises:
        ValueError: x is not a number.
    """
    if not -307.0 <= x <= 308.0:
        return _beyond(x)
    # x = k log10 2 + y, y in two parts, and r = y ln 10 in two parts: the product's rounding error comes from the products of the halves.
    k = floor(x * _LOG2_OF_10 + 0.5)
    high, low = x - k * _LOG10_OF_2_HIGH, k * _LOG10_OF_2_LOW
    y = high - low
    rest = (high - y) - low
    left = y * _SPLIT
    left -= left - y
    right = y - left
    r = y * _LN10
    return ldexp(_exp_near_zero(r, ((left * _LN10_HIGH - r) + right * _LN10_HIGH) + y * _LN10_LOW + rest * _LN10), k)


def log(x: float) -> float:
    """The natural logarithm of a finite x above 0.

    Raises:
        ValueError: x is not above 0, or not finite.
    """
    if not 0.0 < x < _INFINITY:
        raise ValueError(f"log of {x!r}")
    m, k = frexp(x)
    if m < _HALF_SQRT_2:
        m, k = 2.0 * m, k - 1
    # x = 2^k (1 + f), and with s = f / (2 + f): log(1 + f) = 2 atanh(s) = 2 s + 2 s^3 / 3 + ... = 2 s + s series. As 2 s = f - s f and
    # s f = f^2 / 2 - s f^2 / 2, that is f - f^2 / 2 + s (f^2 / 2 + series): f is exact, its square comes in two parts, and the
    # rest is small. What the two large sums lose is added at the end.
    f = m - 1.0
    s = f / (2.0 + f)
    z = s * s
    end = 2 / 11 + z * (2 / 13 + z * (2 / 15 + z * (2 / 17 + z * (2 / 19 + z * (2 / 21)))))
    series = z * (2 / 3 + z * (2 / 5 + z * (2 / 7 + z * (2 / 9 + z * end))))
    first = f * _SPLIT
    first -= first - f
    square, lost = 0.5 * first * first, 0.5 * (f - first) * (f + first)
    whole = k * _LN2_HIGH
    high = whole + f
    top = high - square
    return top + (((high - top) - square) + (((whole - high) + f) + (s * (square + (lost + series)) - lost + k * _LN2_LOW)))


def _exp_near_zero(r: float, rest: float) -> float:
    """e to the power of r + rest, for r within half of ln 2 of zero and rest below the last digit of r: Taylor's series, its terms from
    r^2 on first and 1 + r, with what its rounding lost, last."""
    end = 1 / 362_880 + r * (1 / 3_628_800 + r * (1 / 39_916_800 + r * (1 / 479_001_600 + r / 6_227_020_800)))
    middle = 1 / 120 + r * (1 / 720 + r * (1 / 5_040 + r * (1 / 40_320 + r * end)))
    series = r * (r * (1 / 2 + r * (1 / 6 + r * (1 / 24 + r * middle))))
    high = 1.0 + r
    return high + ((r - (high - 1.0)) + (series + (rest + r * rest)))


def _beyond(x: float) -> float:
    if x != x:
        raise ValueError("a power of what is not a number")
    return 0.0 if x < 0.0 else _INFINITY
