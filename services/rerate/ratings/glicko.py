"""`glicko/1`: the Glicko system.

Source: Glickman, The Glicko system (glicko.net/glicko/glicko.pdf). Before a period the deviation grows to sqrt(RD^2 + c^2 t), t being the
periods since the player's last, and never above `max_deviation`; all opponents enter with their values at the start of the period. A
newcomer, and a seed without `last`, has its deviation as it is. The paper rounds on the way; this does not.

A list by game makes each game a period of its own, which is another calculation than the paper's.
"""

import struct
from collections.abc import Mapping
from math import sqrt

from rerate.ratings.face import State, Step
from rerate.ratings.functions import log
from rerate.ratings.glicko_base import GlickoBase, Result, Sources
from rerate.ratings.glicko_game import Standing
from rerate.ratings.glicko_settings import BILLION, COMMON, Given

NAME = "glicko/1"
PAPER = "Glickman, The Glicko system (glicko.pdf)"

PARAMETERS: dict[str, tuple[str | int, str]] = COMMON | {
    "c": ("63.2", "growth: the square of the deviation gains the square of c each period, 0 to 9,999; see `growth_constant`"),
    "max_deviation": ("350", "no deviation rises above"),
}
"""Every parameter with its default and meaning."""

_STATE = struct.Struct(">iIBi")


class Glicko(GlickoBase):
    """Glicko with its parameters, over whole numbers of a quantum. See `glicko_base` for the calculation and the state."""

    name = NAME
    parameters = PARAMETERS
    layout = "glicko/1: rating i32, deviation u32, games u8, last i32"
    sources = Sources(f"{PAPER}, step 1", f"{PAPER}, step 2", f"{PAPER}, step 2")
    scale = 400.0 / log(10.0)

    def __init__(self, parameters: Mapping[str, object], per_point: int, period: str) -> None:
        given = Given(parameters, PARAMETERS)
        super().__init__(given, per_point, period)
        c = given.parts("c", BILLION, 0) / BILLION / self.scale
        self._c_squared = c * c

    def _grown(self, state: State, periods: float) -> float:
        phi = self._inner(state[1])
        return min(sqrt(phi * phi + self._c_squared * periods), self._widest)

    def _shares(self, elapsed: float | None) -> tuple[float, float]:
        return elapsed or 0.0, 0.0

    def _widen(self, me: Standing, outcome: float, information: float) -> tuple[float, tuple[int, ...]]:
        return me.phi, ()

    def _widening_steps(self, me: Standing, result: Result) -> list[Step]:
        return []

    def pack(self, state: State) -> bytes:
        return _STATE.pack(*state)


def growth_constant(unrated: float, typical: float, periods: float) -> float:
    """c with which a typical deviation grows back to that of an unrated player in so many periods. Source: glicko.pdf, step 1."""
    return sqrt((unrated * unrated - typical * typical) / periods)
