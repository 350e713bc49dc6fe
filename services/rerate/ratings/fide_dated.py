"""The FIDE rules of one list with their dates, whatever curve gives the expected score: `fide/1` and `fide-curve/1` share them."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType

from rerate.messages.codes import PARAMETERS as PARAMETERS_REFUSED
from rerate.ratings.face import Documented, State, Traits, Unusable
from rerate.ratings.fide_account import NO_RATING, TOO_WIDE, Game, Judged, Scored
from rerate.ratings.fide_core import COMMON, FideLike
from rerate.ratings.fide_dates import dated_lists, floor_on
from rerate.ratings.fide_gaps import Gaps, clamped
from rerate.ratings.fide_initial import raise_2024
from rerate.ratings.fide_k import K_40_20_10, K, k_of, old_newcomers_k, unknown_year
from rerate.ratings.fide_texts import RAPID, STANDARD
from rerate.ratings.quantum import MOST_POINTS

DATED: dict[str, tuple[str | int, str]] = {
    "kind": ("standard", "standard, rapid or blitz: which games the list is for"),
    "fallback": (
        "none",
        "rapid and blitz: id of a list, without a fallback itself, whose rating stands in for who has none here; none: nobody's does",
    ),
    "no_birth_year": ("adult", "adult or junior: how K is chosen for a player without a registered birth_year"),
    "one_capped_from": (20220101, "events from this day, as YYYYMMDD, to 2024-02-29 have one capped win, the one with the widest gap"),
    "floor": ("rule", "rule or none: whether there is a lowest rating, and nobody below it has one"),
    "lists": ("dated", "dated: every two months until the list of 2012-07-01, then every month; or monthly"),
    **COMMON,
}

EARLIEST_BIRTH = 1850
"""No year before it is somebody's."""


class DatedFide(FideLike):
    """The rules back to 2009-07-01. A system derives from it and says what a gap is expected to give."""

    traits = frozenset({"birth_year"})
    formulas = MappingProxyType({"raise-2024": raise_2024})

    def __init__(self, parameters: Mapping[str, object], defaults: Documented, per_point: int) -> None:
        super().__init__(parameters, defaults, per_point)
        self._kind = self.choice("kind", "standard", "rapid", "blitz")
        fallback = self.given["fallback"]
        if not isinstance(fallback, str) or (fallback != "none" and self._kind == "standard"):
            raise Unusable(PARAMETERS_REFUSED)
        self.fallback = None if fallback == "none" else fallback
        self.book = STANDARD if self._kind == "standard" else RAPID
        self._has_floor = self.choice("floor", "rule", "none") == "rule"
        if not self._has_floor:
            self._drop_floor()
        self._is_dated = self.choice("lists", "dated", "monthly") == "dated"
        self._is_junior_unknown = self.choice("no_birth_year", "adult", "junior") == "junior"
        self._gaps = Gaps(self._kind, per_point, self.day("one_capped_from"))

    @abstractmethod
    def expect(self, gap: int) -> int:
        """The expected score in parts of `whole` of a gap in quanta as it is counted."""

    def judge(self, event: int, own: State, is_later: bool, games: Sequence[Game], start: str) -> Judged:
        """Game by game (B02 8.3.1, 8.3.2)."""
        rating, rule, expect = own[0], self._gaps, self.expect
        cap, may_be_wide = rule.cap(rating, start), rule.is_wide_unrated(start)
        capped = _widest(games) if rule.is_one_capped(start) else None
        scored: list[Scored] = []
        counted = scores = total = ratings = 0
        for i, half, theirs in games:
            if theirs is None:
                scored.append(Scored(i, half, 0, 0, NO_RATING))
                continue
            if may_be_wide and rule.is_too_wide(rating, theirs):
                scored.append(Scored(i, half, theirs, 0, TOO_WIDE))
                continue
            gap = rating - theirs
            if cap is not None and (gap < -cap or (gap > cap and (capped is None or capped == i))):
                gap = clamped(gap, cap)
            expected = expect(gap)
            counted += 1
            scores += half
            total += expected
            ratings += theirs
            scored.append(Scored(i, half, theirs, gap, expected))
        return Judged(event, own, is_later, scored, counted, scores, total, ratings)

    def forecast(self, own: int, theirs: int, start: str) -> int:
        return self.expect(self._gaps.counted(own, theirs, start))

    def source(self, start: str) -> str:
        return self._gaps.source(start)

    def k_rule(self, date: str, state: State, traits: Traits) -> K:
        this_year, registered, birth_year = int(date[:4]), None, None
        for name, value in traits:
            if name == "birth_year":
                registered, birth_year = value, _year_of_birth(value, this_year)
        known = k_of(self._kind, date, state, self.per_point, birth_year, self._new_30_from)
        if birth_year is not None:
            return known
        junior = k_of(self._kind, date, state, self.per_point, this_year, self._new_30_from)
        if known is junior:
            return known
        why = "no birth year is registered" if registered is None else f"the registered birth year {registered} is none"
        return unknown_year(junior if self._is_junior_unknown else known, why, is_junior=self._is_junior_unknown)

    def k_at_start(self, date: str) -> bool:
        """From 2009-07-01 K goes by the rating at the start of the event; on present lists it is the one of the list before."""
        return self._kind == "standard" and date < K_40_20_10

    def is_limited(self, date: str) -> bool:
        """The 700 rule belongs to K 40/20/10."""
        return self._kind != "standard" or date >= K_40_20_10

    def step(self, date: str) -> Fraction:
        if not self._is_half_k:
            return Fraction(20)
        return Fraction(old_newcomers_k(date, self._new_30_from).k, 2) if date < K_40_20_10 else Fraction(20)

    def floor(self, date: str) -> int | None:
        return floor_on(date) * self.per_point if self._has_floor else None

    def _drop_floor(self) -> None:
        self._has_floor = False
        self._least = 1 - MOST_POINTS * self.per_point

    def closes(self, month: int) -> int:
        return dated_lists(month) if self._is_dated else month


def _year_of_birth(registered: str | int, this_year: int) -> int | None:
    """A registered birth year, a number or its digits; None for what is none, or lies ahead."""
    if isinstance(registered, str):
        registered = int(registered) if registered.isascii() and registered.isdigit() and len(registered) == 4 else 0
    year = int(registered)
    return year if EARLIEST_BIRTH <= year <= this_year else None


def _widest(games: Sequence[Game]) -> int | None:
    """The game against the lowest rated opponent, the first of them."""
    met = [(theirs, i) for i, _, theirs in games if theirs is not None]
    return min(met)[1] if met else None
