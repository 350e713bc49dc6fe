"""Performance ratings: what rating the results of some games stand for, whatever the player's own.

Five of them, each with its own name, for they differ by hundreds of points:

* `linear`: the opponents' mean + 400 (wins - losses) / games, exact. Source: Elo's linear approximation, on a calculator page (Coddy).
* `linear-800`: the same, but a perfect or zero score gives the mean +- 800. Source: that page.
* `fide`: the mean and the share of the score, both rounded half up, and dp of table 8.1.1, +- 800 at the ends. Sources: FIDE B01 1.4.7
  to 1.4.9; FIDE C07 10.2 (2026-03-01).
* `perfect-tournament`: the lowest rating that would have been expected to score as much, by table 8.1.2 and real gaps. Source: FIDE C07
  10.3 (2026-03-01).
* `pf`: the mean + dp of the share, of which only the share is rounded. Source: a page on the older FIDE method; its table 8.1.1 is the one
  of now.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

from rerate.ratings.fide_tables import dp, pd
from rerate.ratings.quantum import halves

TITLE_UNRATED = 1400
"""As what an unrated opponent counts for a title norm (B01 1.4.7)."""

END = 800
"""What a perfect score is above the mean, and a zero score below it (B01 1.4.9; `linear-800`; C07 10.3 of a zero score)."""

_CERTAIN = 736
"""From this gap on, table 8.1.2 expects the whole point."""

Played = tuple[Fraction | int, int]
"""A game: the opponent's rating in points, and half points scored."""

_LINEAR = "Elo's linear approximation"
_TABLE = "FIDE B01 1.4.7 to 1.4.9, C07 10.2 (2026-03-01)"
_PERFECT = "FIDE C07 10.3 (2026-03-01)"
_OLD = "the older FIDE method (before 2009-07-01)"


class Performance(NamedTuple):
    """A performance rating and how it came about."""

    name: str
    """One of those above."""
    rating: Fraction
    """Points."""
    text: str
    """A plain English sentence with the numbers in it."""
    source: str


def linear(games: Sequence[Played]) -> Performance:
    """Raises:
    ValueError: there is no game. So it is with all of these.
    """
    mean, margin = _mean(games), _half_points(games) - len(games)
    over = Fraction(400 * margin, len(games))
    text = f"opponents' mean {points(mean)}, 400 x {margin} / {len(games)}: {_signed(over)}"
    return Performance("linear", mean + over, text, _LINEAR)


def linear_800(games: Sequence[Played]) -> Performance:
    """Linear, and the mean +- 800 for a perfect or zero score."""
    half = _half_points(games)
    if 0 < half < 2 * len(games):
        return linear(games)._replace(name="linear-800")
    mean, over = _mean(games), END if half else -END
    text = f"opponents' mean {points(mean)}, a {'perfect' if half else 'zero'} score: {_signed(over)}"
    return Performance("linear-800", mean + over, text, f"{_LINEAR}, {END} at its ends")


def fide(games: Sequence[tuple[int | None, int]], unrated: int | None = None) -> Performance:
    """The tournament performance by FIDE's table.

    Args:
        games: opponents' ratings in whole points, None for who has none; half points.
        unrated: as what these count (`TITLE_UNRATED` for a title norm); None: games against them are left out.

    Raises:
        ValueError: no game is left.
    """
    known = [(unrated if rating is None else rating, half) for rating, half in games]
    met = [(rating, half) for rating, half in known if rating is not None]
    mean, share = _half_up(_mean(met)), _share(met)
    text = f"opponents' mean {mean}, {_halves(met)} of {len(met)} is {_hundredths(share)}: {_signed(dp(share))}"
    return Performance("fide", Fraction(mean + dp(share)), text, _TABLE)


def perfect_tournament(games: Sequence[tuple[int, int]]) -> Performance:
    """The lowest whole rating whose expected scores against these opponents sum to at least the score; of a zero score the lowest opponent
    less 800. Gaps count as they are. A perfect score takes 736 more than the strongest."""
    half, ratings = _half_points(games), [rating for rating, _ in games]
    if not games:
        raise ValueError("no game, no performance")
    if not half:
        text = f"a zero score: the lowest opponent, {min(ratings)}, less {END}"
        return Performance("perfect-tournament", Fraction(min(ratings) - END), text, _PERFECT)
    low, high = min(ratings) - _CERTAIN, max(ratings) + _CERTAIN  # expected: nothing, and every point
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _expected(middle, ratings) >= 50 * half else (middle, high)
    reached = f"rated {high}, {_hundredths(_expected(high, ratings))} would have been expected"
    text = f"{reached}, rated {high - 1}, {_hundredths(_expected(high - 1, ratings))}; scored {_halves(games)}"
    return Performance("perfect-tournament", Fraction(high), text, _PERFECT)


def pf(games: Sequence[Played]) -> Performance:
    """The performance of the older method."""
    mean, share = _mean(games), _share(games)
    text = f"opponents' mean {points(mean)}, {_halves(games)} of {len(games)} is {_hundredths(share)}: {_signed(dp(share))}"
    return Performance("pf", mean + dp(share), text, _OLD)


def score_share(half: int, games: int) -> int:
    """A score in hundredths of what it could have been, half up: 3.5 of 6 is 58."""
    return (100 * half + games) // (2 * games)


def points(number: Fraction | int) -> str:
    """Points for people: with two places, or none if they are whole."""
    number = Fraction(number)
    if number.denominator == 1:
        return str(number.numerator)
    sign, size = ("-", -number) if number < 0 else ("", number)
    return sign + _hundredths(_half_up(100 * size))


def _expected(own: int, ratings: Sequence[int]) -> int:
    return sum(pd(own - theirs) for theirs in ratings)


def _mean(games: Sequence[Played]) -> Fraction:
    if not games:
        raise ValueError("no game, no performance")
    return sum((Fraction(rating) for rating, _ in games), Fraction(0)) / len(games)


def _share(games: Sequence[Played]) -> int:
    return score_share(_half_points(games), len(games))


def _half_points(games: Sequence[Played]) -> int:
    return sum(half for _, half in games)


def _half_up(number: Fraction) -> int:
    return (2 * number.numerator + number.denominator) // (2 * number.denominator)


def _halves(games: Sequence[Played]) -> str:
    return halves(_half_points(games))


def _hundredths(number: int) -> str:
    return f"{number // 100}.{number % 100:02d}"


def _signed(number: Fraction | int) -> str:
    return f"-{points(-number)}" if number < 0 else f"+{points(number)}"


BY_NAME: dict[str, Callable[[Sequence[tuple[int, int]]], Performance]] = {
    "linear": linear,
    "linear-800": linear_800,
    "fide": fide,
    "perfect-tournament": perfect_tournament,
    "pf": pf,
}
"""All of them, of ratings in whole points."""
