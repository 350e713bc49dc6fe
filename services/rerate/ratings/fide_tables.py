"""The FIDE rating tables 8.1.1 and 8.1.2, in whole hundredths.

The tables are the rule, not a rounding of a curve: six gaps (54, 343, 344, 358, 392, 620) stand in another row than any formula
gives, and the logistic curve differs from them for 460 of 736 gaps. So they are shipped as they are printed, and tests hold every row and
the SHA-256 of both. Source: FIDE Handbook B02 (2024-03-01), 8.1.1 and 8.1.2, unchanged since before 2009.
"""

from bisect import bisect_left

_ROW_ENDS = (
    3, 10, 17, 25, 32, 39, 46, 53, 61, 68, 76, 83, 91, 98, 106, 113, 121, 129, 137, 145, 153, 162, 170, 179, 188,
    197, 206, 215, 225, 235, 245, 256, 267, 278, 290, 302, 315, 328, 344, 357, 374, 391, 411, 432, 456, 484, 517, 559, 619, 735,
)  # fmt: skip
"""Table 8.1.2: the last gap of the rows of .50, .51, ... .99 for the higher rated; above it 1.00."""

_DIFFERENCES = (
    0, 7, 14, 21, 29, 36, 43, 50, 57, 65, 72, 80, 87, 95, 102, 110, 117, 125, 133, 141, 149, 158, 166, 175, 184, 193,
    202, 211, 220, 230, 240, 251, 262, 273, 284, 296, 309, 322, 336, 351, 366, 383, 401, 422, 444, 470, 501, 538, 589, 677, 800,
)  # fmt: skip
"""Table 8.1.1: the rating difference of a score share of .50, .51, ... 1.00."""


def pd(gap: int) -> int:
    """The expected score in hundredths, 0 to 100, for a gap in whole rating points, own minus opponent's (table 8.1.2).

    A gap of 0 to 3 is 50 for both sides; more than 735 is 100 and 0. No cap is applied here. `pd(-gap) == 100 - pd(gap)` always.
    """
    share = 50 + bisect_left(_ROW_ENDS, abs(gap))
    return share if gap >= 0 else 100 - share


def dp(p: int) -> int:
    """The rating difference in points, -800 to 800, of a score share in whole hundredths (table 8.1.1).

    Raises:
        ValueError: a share outside 0 to 100.
    """
    if not 0 <= p <= 100:
        raise ValueError(f"{p} is no score share in hundredths: 0 to 100")
    return _DIFFERENCES[p - 50] if p >= 50 else -_DIFFERENCES[50 - p]
