"""`fide-curve/1`: the FIDE rules on the continuous curve, as calculators on the web have them.

The expected score is 1 / (1 + 10^(-gap / 400)) from the whole-number table of `expected`, in millionths; all else is `fide/1`: cap,
exemption from 2650, K, 700 rule, first ratings with their table of differences, floor, each by its date. Official numbers can differ from
it by a point. Sources: two calculator pages (ChessWOW; Coddy, which knows no exemption: `exempt_2650: no`, and lets K be set by hand: `k`).

State: see `fide_state`.
"""

from collections.abc import Mapping

from rerate.messages.codes import PARAMETERS as PARAMETERS_REFUSED
from rerate.ratings.expected import SCALE, expected_score
from rerate.ratings.face import Unusable
from rerate.ratings.fide_dated import DATED, DatedFide
from rerate.ratings.fide_gaps import Gaps
from rerate.ratings.fide_state import rated_state
from rerate.ratings.quantum import quanta_of

NAME = "fide-curve/1"
PERIODS = frozenset({"event", "date", "month"})
MAX_CAP = 5_000

PARAMETERS: dict[str, tuple[str | int, str]] = {
    "cap": ("rule", "rule, or what a gap counts as at most, in points, 0 to 5,000; 0: gaps count as they are"),
    "exempt_2650": ("yes", "yes or no: whether real gaps count from 2650, as the rule has it from 2025-10-01"),
    "newcomer": ("unrated", "unrated, or a newcomer's rating, a decimal string of the list's quantum; nobody is unrated then"),
    **DATED,
}
"""Every parameter with its default and meaning."""


class FideCurve(DatedFide):
    """The FIDE rules on the curve, over whole numbers of a quantum, by event, date or month."""

    name = NAME
    parameters = PARAMETERS
    whole = SCALE

    def __init__(self, parameters: Mapping[str, object], per_point: int, period: str) -> None:
        super().__init__(parameters, PARAMETERS, per_point)
        if period not in PERIODS:
            raise Unusable(PARAMETERS_REFUSED)
        self.reads_older = period == "month"
        cap = None if self.given["cap"] == "rule" else self.number("cap", 0, MAX_CAP)
        is_exempting = self.choice("exempt_2650", "yes", "no") == "yes"
        self._gaps = Gaps(self._kind, per_point, self.day("one_capped_from"), cap, is_exempting)
        newcomer = self.given["newcomer"]
        if newcomer != "unrated":
            rating = quanta_of(newcomer, per_point) if isinstance(newcomer, str) else None
            if rating is None or rating <= 0:
                raise Unusable(PARAMETERS_REFUSED)
            self._start = rated_state(rating, 0, 0, per_point)
            self._drop_floor()
        self._finer = 10 if per_point == 1 else 1
        self._curve = expected_score(max(per_point, 10))

    def expect(self, gap: int) -> int:
        return self._curve(gap * self._finer)

    def source(self, start: str) -> str:
        return f"logistic curve; {super().source(start)}"
