"""`glicko2/1`: Glicko-2, per period as in the paper, or per game as on Lichess.

Source: Glickman, Example of the Glicko-2 system (glicko.net/glicko/glicko2.pdf), steps 1 to 8; for Lichess scalachess
(rating/src/main/scala/glicko) and lila (modules/rating). The deviation grows in two ways that agree over one period:

* `idle: before`, the paper's: all but the last of the elapsed periods were idle and grew it by the old volatility (step 6), for opponents
  as well; the last is this one, which grows it by the new volatility (step 6 again).
* `idle: within`, Lichess': this period grows it by the new volatility, times the elapsed periods.

Where each period a player plays in is a whole one (`Time.whole`), his first grows it, too, as in the paper's example; by days, a first
game has no time behind it.

State: as in `glicko_base`, then volatility (u32 billionths).
"""

import struct
from collections.abc import Mapping
from math import floor, sqrt

from rerate.ratings.face import NoResult, State, Step
from rerate.ratings.functions import exp, log
from rerate.ratings.glicko_base import GlickoBase, Line, Result, Sources, fixed
from rerate.ratings.glicko_game import Standing
from rerate.ratings.glicko_settings import BILLION, COMMON, Given, parts_of

NAME = "glicko2/1"
PAPER = "Glickman, Example of the Glicko-2 system (glicko2.pdf)"

PARAMETERS: dict[str, tuple[str | int, str]] = COMMON | {
    "preset": ("none", "none, or lichess: the constants of Lichess in place of the defaults; what the rule names goes before them"),
    "start_volatility": ("0.06", "a newcomer's volatility"),
    "min_volatility": ("0.000000001", "no volatility falls below"),
    "max_volatility": (
        "4",
        "no volatility rises above, at most 4; the paper has no limit, and one upset over a gap of some 1,000 points makes it leap",
    ),
    "tau": ("0.5", "how much a volatility may change, 0.01 to 10; the paper's advice is 0.3 to 1.2"),
    "tolerance": ("0.000001", "the search for the volatility ends when the logarithm of its square is known so well; 1e-9 to 0.01"),
    "idle": ("before", "before: idle periods grow the deviation before this one, by the old volatility; within: all inside it, by the new"),
}
"""Every parameter with its default and meaning."""

LICHESS: dict[str, str | int] = {
    "start": "1500",
    "start_deviation": "500",
    "start_volatility": "0.09",
    "max_volatility": "0.1",
    "tau": "0.75",
    "min_deviation": "45",
    "max_deviation": "500",
    "provisional_deviation": "110",
    "min_rating": "400",
    "max_rating": "4000",
    "max_change": "700",
    "periods_per_day": "0.21436",
    "white_advantage": "11.782457",
    "idle": "within",
}
"""Source: lila modules/rating Glicko.scala, scalachess model.scala. Crazyhouse has white_advantage 20.30966."""

MOST_STEPS = 1_000
"""The search for the volatility has no result after so many. It needs about ten, and more the less the games say: up to 300 where all were
as good as decided beforehand."""

_STATE = struct.Struct(">iIBiI")


class Glicko2(GlickoBase):
    """Glicko-2 with its parameters, over whole numbers of a quantum. See `glicko_base` for the calculation and the state."""

    name = NAME
    parameters = PARAMETERS
    layout = "glicko2/1: rating i32, deviation u32, games u8, last i32, volatility u32"
    sources = Sources(f"{PAPER}, step 6 of idle periods", f"{PAPER}, steps 3 and 7", f"{PAPER}, step 7")
    scale = 173.7178

    def __init__(self, parameters: Mapping[str, object], per_point: int, period: str) -> None:
        preset = Given({name: parameters[name] for name in parameters.keys() & {"preset"}}, PARAMETERS).word("preset", "none", "lichess")
        given = Given(parameters, PARAMETERS, LICHESS if preset == "lichess" else None)
        super().__init__(given, per_point, period)
        self._min_volatility = given.parts("min_volatility", BILLION, 1)
        self._max_volatility = given.parts("max_volatility", BILLION, self._min_volatility, 4 * BILLION)
        self._start_volatility = given.parts("start_volatility", BILLION, self._min_volatility, self._max_volatility)
        self._start = (*self._start, self._start_volatility)
        self._tau = given.parts("tau", BILLION, BILLION // 100, 10 * BILLION) / BILLION
        self._tolerance = given.parts("tolerance", BILLION, 1, BILLION // 100) / BILLION
        self._idle_within = given.word("idle", "before", "within") == "within"

    def _grown(self, state: State, periods: float) -> float:
        phi, sigma = self._inner(state[1]), state[4] / BILLION
        return min(sqrt(phi * phi + periods * (sigma * sigma)), self._widest)

    def _shares(self, elapsed: float | None) -> tuple[float, float]:
        if elapsed is None:
            return 0.0, 1.0 if self._time.whole else 0.0
        within = elapsed if self._idle_within else min(elapsed, 1.0)
        return elapsed - within, within

    def _widen(self, me: Standing, outcome: float, information: float) -> tuple[float, tuple[int, ...]]:
        v = 1.0 / information
        sigma = new_volatility(me.phi, me.state[4] / BILLION, v, v * outcome, self._tau, self._tolerance)
        kept = min(max(floor(sigma * BILLION + 0.5), self._min_volatility), self._max_volatility)
        return sqrt(me.phi * me.phi + me.within * (sigma * sigma)), (kept,)

    def _widening_steps(self, me: Standing, result: Result) -> list[Step]:
        v = 1.0 / result.information
        text = (
            f"v {v:.6f}, delta {v * result.outcome:.6f}, tau {self._tau}: volatility {fixed(me.state[4], 9)} becomes "
            f"{fixed(result.state[4], 9)}; the deviation grows by it for {me.within:.6f} periods"
        )
        return [Step("volatility", text, f"{PAPER}, steps 3 to 6")]

    def seed(self, fields: Mapping[str, object], as_of: str = "") -> State | None:
        """As `GlickoBase.seed`, and volatility?, a decimal string."""
        state = super().seed({name: value for name, value in fields.items() if name != "volatility"})
        given = parts_of(fields["volatility"], BILLION) if "volatility" in fields else self._start_volatility
        volatility = self._within_limits(given, self._min_volatility, self._max_volatility)
        return None if state is None or volatility is None else (*state, volatility)

    def _held(self, state: State) -> State:
        return (*super()._held(state)[:4], min(max(state[4], self._min_volatility), self._max_volatility))

    def pack(self, state: State) -> bytes:
        return _STATE.pack(*state)

    def wire_state(self, state: State) -> dict[str, object]:
        return super().wire_state(state) | {"volatility": fixed(state[4], 9)}

    def wire_line(self, line: Line) -> dict[str, object]:
        return super().wire_line(line) | {"volatility": fixed(line.beyond[0], 9)}


def new_volatility(phi: float, sigma: float, v: float, delta: float, tau: float, tolerance: float) -> float:
    """The volatility after a period: step 5 of the paper, the root of f by the Illinois variant of false position.

    Args:
        phi, sigma: deviation (inner scale) and volatility before.
        v, delta: the variance of the rating by the games alone, and the improvement they show, both on the inner scale.

    Raises:
        NoResult: no root so near as `tolerance` after `MOST_STEPS`.
    """
    a = log(sigma * sigma)
    spread = phi * phi + v
    tau_squared = tau * tau

    def f(x: float) -> float:
        e = exp(x)
        both = spread + e
        return e * (delta * delta - both) / (2.0 * both * both) - (x - a) / tau_squared

    left = a
    if delta * delta > spread:
        right = log(delta * delta - spread)
    else:
        k = 1
        while f(a - k * tau) < 0.0:
            k += 1
            if k > MOST_STEPS:
                raise NoResult(f"the search for a volatility from {sigma!r} finds no interval in {MOST_STEPS} steps")
        right = a - k * tau
    f_left, f_right = f(left), f(right)
    for _ in range(MOST_STEPS):
        if abs(right - left) <= tolerance:
            return exp(0.5 * left)
        middle = left + (left - right) * f_left / (f_right - f_left)
        f_middle = f(middle)
        if f_middle * f_right <= 0.0:
            left, f_left = right, f_right
        else:
            f_left *= 0.5
        right, f_right = middle, f_middle
    raise NoResult(f"the search for a volatility from {sigma!r} does not come to an end in {MOST_STEPS} steps")
