"""The FIDE rules of one list with their dates, whatever curve gives the expected score: `fide/1` and `fide-curve/1` share them."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from rerate.ratings.face import State, Traits
from rerate.ratings.fide_account import NO_RATING, TOO_WIDE, Scored
from rerate.ratings.fide_core import COMMON, Defaults, FideLike, Game
from rerate.ratings.fide_gaps import Gaps
from rerate.ratings.fide_k import K_40_20_10, K, k_of, old_newcomers_k

DATED: dict[str, tuple[str | int, str]] = {
    "kind": ("standard", "standard, rapid or blitz: which games the list is for"),
    "no_birth_year": ("adult", "adult or junior: how K is chosen for a player without a registered birth_year"),
    "one_capped_from": (20220101, "events from this day, as YYYYMMDD, to 2024-02-29 have one capped win, the one with the widest gap"),
    **COMMON,
}

FLOOR_1400 = "2024-03-01"


class DatedFide(FideLike):
    """The rules back to 2009-07-01. A system derives from it and says what a gap is expected to give."""

    traits = frozenset({"birth_year"})

    def __init__(self, parameters: Mapping[str, object], defaults: Defaults, per_point: int) -> None:
        super().__init__(parameters, defaults, per_point)
        self._kind = self.choice("kind", "standard", "rapid", "blitz")
        self._is_junior_unknown = self.choice("no_birth_year", "adult", "junior") == "junior"
        self._gaps = Gaps(self._kind, per_point, self.day("one_capped_from"))

    def expect(self, gap: int) -> int:
        """The expected score in parts of `whole` of a gap in quanta as it is counted."""
        raise NotImplementedError

    def judge(self, own: int, games: Sequence[Game], start: str) -> tuple[list[Scored], int, int]:
        """Game by game (B02 8.3.1, 8.3.2)."""
        rule = self._gaps
        codes = [NO_RATING if theirs is None else TOO_WIDE if rule.is_too_wide(own, theirs, start) else 0 for _, _, theirs in games]
        gaps = iter(rule.counted(own, [game[2] or 0 for game, code in zip(games, codes, strict=True) if not code], start))
        scored, total, ratings = [], 0, 0
        for (i, half, theirs), code in zip(games, codes, strict=True):
            if code:
                scored.append(Scored(i, half, theirs or 0, 0, code))
                continue
            gap = next(gaps)
            expected = self.expect(gap)
            total += expected
            ratings += theirs or 0
            scored.append(Scored(i, half, theirs or 0, gap, expected))
        return scored, total, ratings

    def forecast(self, own: int, theirs: int, start: str) -> int:
        return self.expect(self._gaps.counted(own, (theirs,), start)[0])

    def source(self, start: str) -> str:
        return self._gaps.source(start)

    def k_rule(self, date: str, state: State, traits: Traits) -> K:
        year = next((value for name, value in traits if name == "birth_year"), None)
        birth_year = year if type(year) is int else int(date[:4]) if self._is_junior_unknown else None
        return k_of(self._kind, date, state, self.per_point, birth_year, self._new_30_from)

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
        return (1400 if date >= FLOOR_1400 else 1000) * self.per_point
