"""`fide-2009/1`: FIDE's older method, one look-up on the mean of the opponents of an event, with K 25/15/10.

Of each event: the mean of the opponents' ratings, rounded half up, is looked up once in table 8.1.2, and that share times the games is
what was expected. Lists came out quarterly until 1 July 2009 and every two months from then on; a period is named by the month in which it
closes (the one before its list). Gaps count as at most 350, in events from 2009-07-01 as at most 400. Sources: a page on the older method
(seed 003); the B02 text valid before 2009 (copy of the Lombard arbiters); FIDE news of 2009-07-13 on the change, with seven days from
closing to list and half a newcomer's K for each half point in a first rating.

State: see `fide_state`.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from rerate.messages.codes import PARAMETERS as PARAMETERS_REFUSED
from rerate.ratings.face import State, Traits, Unusable
from rerate.ratings.fide_account import NO_RATING, Game, Judged, Scored
from rerate.ratings.fide_core import COMMON, FideLike
from rerate.ratings.fide_dates import dated_lists, every_second_month, floor_on, month_index
from rerate.ratings.fide_gaps import CAP_400, Gaps, clamped
from rerate.ratings.fide_k import K, old_k_of, old_newcomers_k
from rerate.ratings.fide_tables import pd

NAME = "fide-2009/1"

PARAMETERS: dict[str, tuple[str | int, str]] = {
    **COMMON,
    "lists": (
        "dated",
        "dated: quarterly until the list of 2009-07-01, every two months until that of 2012-07-01, then every month; or quarterly, "
        "two-monthly, monthly",
    ),
    "cap_on": ("opponent", "opponent or mean: what a gap above the cap is cut for, each opponent before the mean is taken, or the mean"),
    "floor": ("rule", "the lowest rating published: rule, by the date of the list; or whole points, 1 to 3,000"),
    "closing_days": (7, "so many days before its list's date a period closes, 1 to 28"),
    "initial_games": (9, "games against rated opponents that a first rating needs, 1 to 30"),
}
"""Every parameter with its default and meaning."""

_LAST_QUARTERLY = month_index("2009-06")


class Fide2009(FideLike):
    """The older FIDE method with its parameters, in whole points, by month."""

    name = NAME
    parameters = PARAMETERS
    counted_as = "on the mean of the opponents"

    def __init__(self, parameters: Mapping[str, object], per_point: int, period: str) -> None:
        super().__init__(parameters, PARAMETERS, per_point)
        if per_point != 1 or period != "month":
            raise Unusable(PARAMETERS_REFUSED)
        self._lists = self.choice("lists", "dated", "quarterly", "two-monthly", "monthly")
        self._is_cap_on_mean = self.choice("cap_on", "opponent", "mean") == "mean"
        self._floor = None if self.given["floor"] == "rule" else self.number("floor", 1, 3_000)
        self._gaps = Gaps("standard", 1, "9999-12-31", None, is_exempting=False)

    def closes(self, month: int) -> int:
        """Lists come out in January, April, July and October, or in January, March, May and so on; a period closes in the month before."""
        is_dated = self._lists == "dated"
        if self._lists == "quarterly" or (is_dated and month <= _LAST_QUARTERLY):
            return month + 2 - month % 3
        if is_dated:
            return dated_lists(month)
        return month if self._lists == "monthly" else every_second_month(month)

    def judge(self, event: int, own: State, is_later: bool, games: Sequence[Game], start: str) -> Judged:
        """One look-up for all games of the event."""
        rating, cap = own[0], self._gaps.cap(own[0], start) or 0
        known = [(half, theirs) for _, half, theirs in games if theirs is not None]
        met = [theirs if self._is_cap_on_mean else rating - clamped(rating - theirs, cap) for _, theirs in known]
        expected = gap = 0
        if met:
            gap = clamped(rating - (2 * sum(met) + len(met)) // (2 * len(met)), cap)
            expected = pd(gap)
        scored = [
            Scored(i, half, 0, 0, NO_RATING) if theirs is None else Scored(i, half, theirs, gap, expected) for i, half, theirs in games
        ]
        return Judged(event, own, is_later, scored, len(met), sum(half for half, _ in known), expected * len(met), sum(met))

    def forecast(self, own: int, theirs: int, start: str) -> int:
        return pd(self._gaps.counted(own, theirs, start))

    def source(self, start: str) -> str:
        return f"mean of the opponents; {self._gaps.source(start)}"

    def k_rule(self, date: str, state: State, traits: Traits) -> K:
        return old_k_of(date, state, self._new_30_from)

    def k_at_start(self, date: str) -> bool:
        """Since 2009-07-01; before, K went by the rating at the time of the calculation."""
        return date >= CAP_400

    def is_limited(self, date: str) -> bool:
        return False

    def step(self, date: str) -> Fraction:
        return Fraction(old_newcomers_k(date, self._new_30_from).k, 2) if self._is_half_k else Fraction(20)

    def floor(self, date: str) -> int | None:
        return floor_on(date) if self._floor is None else self._floor
