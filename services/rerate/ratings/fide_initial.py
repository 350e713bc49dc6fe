"""The first rating of a player, from his pooled games against rated opponents; and the one-time raise of 2024.

Sources: B02 8.2 (2024-03-01); the archived rule of B02 8.2 (until 2024-02-29). Two things are not written down there and are ours: the
share of the score goes to two decimals half up, and so does the rating to a whole number.
"""

from fractions import Fraction
from typing import NamedTuple

from rerate.ratings.fide_tables import dp
from rerate.ratings.quantum import MOST_POINTS

FIVE_GAMES = "2014-07-01"
MIN_GAMES, MIN_GAMES_BEFORE = 5, 9
"""Against rated opponents (B02 7.1.4, and 9.14 of the texts before)."""

IMAGINARY, IMAGINARY_RATING = 2, 1800
"""So many imaginary opponents of this rating, each drawn."""

AT_MOST = 2200
NEW_RULE = "2024-03-01"
"""Events that start on this day or later."""

PRESENT = "FIDE B02 8.2 (2024-03-01)"
ARCHIVED = "FIDE B02 8.2 (until 2024-02-29)"


class Initial(NamedTuple):
    """A first rating and how it came about."""

    games: int
    """With the imaginary ones."""
    half: int
    """Half points, with those of the imaginary games."""
    mean: Fraction
    """Ra: the opponents' mean rating, points."""
    share: int
    """p: the share of the score, hundredths."""
    over: Fraction
    """What is added to the mean: dp(p) or, by the archived rule with more than half the points, so much per half point above."""
    rating: int
    """Ru: a whole number of points."""
    source: str
    is_limited: bool
    """Whether it would be above the highest, which is `AT_MOST` by the present rule."""


def min_games(start: str) -> int:
    """How many games against rated opponents a first rating needs.

    Args:
        start: the first day of the latest of the events.
    """
    return MIN_GAMES if start >= FIVE_GAMES else MIN_GAMES_BEFORE


def initial_rating(games: int, half: int, ratings: Fraction, start: str, step: Fraction) -> Initial:
    """The first rating from at least one game.

    Args:
        games, half: games against rated opponents and half points scored in them.
        ratings: sum of those opponents' ratings, points.
        start: the first day of the latest of the events; it says which rule.
        step: points per half point above half, in the archived rule.
    """
    is_archived = start < NEW_RULE
    if not is_archived:
        games, half, ratings = games + IMAGINARY, half + IMAGINARY, ratings + IMAGINARY * IMAGINARY_RATING
    mean = ratings / games
    share = (100 * half + games) // (2 * games)
    over = step * (half - games) if is_archived and half > games else Fraction(dp(share))
    exact = mean + over
    rating = (2 * exact.numerator + exact.denominator) // (2 * exact.denominator)
    most = MOST_POINTS - 1 if is_archived else AT_MOST
    source = ARCHIVED if is_archived else PRESENT
    return Initial(games, half, mean, share, over, max(min(rating, most), 1 - MOST_POINTS), source, is_limited=rating > most)


def raise_2024(rating: int, per_point: int = 1) -> int:
    """The one-time raise of 1 March 2024: 0.4 x (2000 - R) is added to 1000 <= R < 2000; others stay. In quanta.

    Half cases do not arise. Source: FIDE Council decision, in force with B02 of 2024-03-01.
    """
    if not 1000 * per_point <= rating < 2000 * per_point:
        return rating
    return rating + (4 * (2000 * per_point - rating) + 5) // 10
