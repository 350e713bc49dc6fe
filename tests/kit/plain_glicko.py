"""Glicko and Glicko-2 a second time, in the plainest form: floats, the platform's exp and log, sums in the order of the games. Written from
the papers; nothing of `rerate.ratings` is used."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

Q = math.log(10) / 400
SCALE = 173.7178


class Player(NamedTuple):
    """At the start of a period, in points."""

    rating: float
    rd: float
    sigma: float = 0.0


Game = tuple[Player, float, float]
"""Opponent, score, and by how many points the colour makes the player stronger (White's advantage, or its negative)."""


def glicko(me: Player, games: Sequence[Game]) -> Player:
    """glicko.pdf, step 2; step 1 is behind us."""

    def g(rd: float) -> float:
        return 1 / math.sqrt(1 + 3 * Q**2 * rd**2 / math.pi**2)

    def e(other: Player, shift: float) -> float:
        return float(1 / (1 + 10 ** (-g(other.rd) * (me.rating + shift - other.rating) / 400)))

    inverse_d2 = Q**2 * sum(g(o.rd) ** 2 * e(o, shift) * (1 - e(o, shift)) for o, _, shift in games)
    precision = 1 / me.rd**2 + inverse_d2
    rating = me.rating + Q / precision * sum(g(o.rd) * (score - e(o, shift)) for o, score, shift in games)
    return Player(rating, math.sqrt(1 / precision))


def glicko2(me: Player, games: Sequence[Game], tau: float, periods: float) -> Player:
    """glicko2.pdf, steps 2 to 8, with `periods` of growth in step 6."""

    def g(phi: float) -> float:
        return 1 / math.sqrt(1 + 3 * phi**2 / math.pi**2)

    mu, phi = (me.rating - 1500) / SCALE, me.rd / SCALE
    terms = []
    for other, score, shift in games:
        weight = g(other.rd / SCALE)
        mu_j = (other.rating - shift - 1500) / SCALE
        terms.append((weight, score, 1 / (1 + math.exp(-weight * (mu - mu_j)))))
    v = 1 / sum(weight**2 * e * (1 - e) for weight, _, e in terms)
    outcome = sum(weight * (score - e) for weight, score, e in terms)
    delta = v * outcome
    sigma = volatility(phi, me.sigma, v, delta, tau)
    phi_star = math.sqrt(phi**2 + periods * sigma**2)
    phi_new = 1 / math.sqrt(1 / phi_star**2 + 1 / v)
    return Player(SCALE * (mu + phi_new**2 * outcome) + 1500, SCALE * phi_new, sigma)


def f_of(phi: float, sigma: float, v: float, delta: float, tau: float) -> Callable[[float], float]:
    """The paper's f, whose root is the logarithm of the new volatility's square."""
    a = math.log(sigma**2)

    def f(x: float) -> float:
        ex = math.exp(x)
        return ex * (delta**2 - phi**2 - v - ex) / (2 * (phi**2 + v + ex) ** 2) - (x - a) / tau**2

    return f


def volatility(phi: float, sigma: float, v: float, delta: float, tau: float, tolerance: float = 1e-12) -> float:
    """Step 5, letter by letter, until the root is known better than a state keeps it."""
    f = f_of(phi, sigma, v, delta, tau)
    a = math.log(sigma**2)
    x = [a, math.log(delta**2 - phi**2 - v)] if delta**2 > phi**2 + v else [a, a - tau]
    while delta**2 <= phi**2 + v and f(x[1]) < 0:
        x[1] -= tau
    y = [f(x[0]), f(x[1])]
    while abs(x[1] - x[0]) > tolerance:
        c = x[0] + (x[0] - x[1]) * y[0] / (y[1] - y[0])
        fc = f(c)
        if fc * y[1] <= 0:
            x[0], y[0] = x[1], y[1]
        else:
            y[0] /= 2
        x[1], y[1] = c, fc
    return math.exp(x[0] / 2)
