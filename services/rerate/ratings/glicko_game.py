"""One game of a Glicko system: what it weighs, what it was expected to bring and what it brought.

    g(phi) = 1 / sqrt(1 + 3 phi^2 / pi^2)
    E = 1 / (1 + e^(-g_j gap)), g_j of the opponent, gap = own less opponent's rating, White stronger by the advantage

on the scale of Glicko-2, phi = deviation / scale. Source: Glickman, glicko.pdf, step 2 (whose scale is 1 / q); glicko2.pdf, step 3.
"""

from math import pi, sqrt
from typing import NamedTuple

from rerate.ratings.face import State
from rerate.ratings.functions import exp

_THREE_BY_PI_SQUARED = 3.0 / (pi * pi)


class Standing(NamedTuple):
    """A player at the start of a period."""

    state: State
    phi: float
    """Deviation / scale, grown as far as it grows before the period."""
    g: float
    """What games against him weigh."""
    elapsed: float | None
    """Periods since his last; None if none is known."""
    within: float
    """Periods by which his deviation grows inside this one, if he plays."""


class Met(NamedTuple):
    """A game of a player in a period."""

    event: int
    game: int
    """Which game of the columns."""
    half: int
    """Half points scored."""
    opponent: Standing
    expected: float
    outcome: float
    """g (s - E), g of the opponent."""
    information: float
    """g^2 E (1 - E)."""


def g_of(phi: float) -> float:
    """g(phi), the weight of games against a player of deviation phi (inner scale). Source: glicko.pdf, step 2; glicko2.pdf, step 3."""
    return 1.0 / sqrt(1.0 + _THREE_BY_PI_SQUARED * phi * phi)


def curve(x: float) -> tuple[float, float]:
    """1 / (1 + e^-x) and 1 minus it, both with all their digits."""
    e = exp(-abs(x))
    larger, smaller = 1.0 / (1.0 + e), e / (1.0 + e)
    return (larger, smaller) if x >= 0.0 else (smaller, larger)


def met(event: int, game: int, half: int, opponent: Standing, gap: float) -> Met:
    """A game by the gap (own less opponent's rating, with the advantage, on the inner scale) and the half points scored.

    The score less the expected score keeps all its digits where the expected is near the score, and of a draw one side's is exactly the
    other's negated.
    """
    g = opponent.g
    expected, rest = curve(g * gap)
    surplus = 0.5 * (rest - expected) if half == 1 else rest if half == 2 else -expected
    return Met(event, game, half, opponent, expected, g * surplus, g * g * (expected * rest))
