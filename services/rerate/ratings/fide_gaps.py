"""How a gap between two ratings counts: the caps of 350 and 400, one capped win an event, the exemption from 2650, the 600 rule.

Each goes by the first day of the event. Sources: FIDE news on 2009-07-01 (350 to 400); B02 8.3.1 of 2022-01-01 (only the widest gap of an
event is capped for the stronger player) and of 2024-03-01 (any number, as before 2022); its change of 2025-10-01 (real gaps from 2650);
rapid and blitz regulations 7.3.1 (2024-12-01).
"""

from rerate.ratings.fide_texts import RAPID, cited

CAP_400 = "2009-07-01"
ANY_NUMBER = "2024-03-01"
EXEMPTION = "2025-10-01"
EXEMPT_FROM = 2650
WIDE_RULE = "2024-12-01"
WIDE, WIDE_ABOVE = 600, 2600

_SOURCES = (
    (EXEMPTION, "FIDE B02 8.3.1 (2025-10-01)"),
    (ANY_NUMBER, "FIDE B02 8.3.1 (2024-03-01)"),
    ("2022-01-01", "FIDE B02 8.3.1 (2022-01-01)"),
    (CAP_400, "FIDE B02 8.5 (2009-07-01)"),
    ("", "FIDE B02 10.5 (before 2009-07-01)"),
)


def clamped(gap: int, cap: int) -> int:
    """A gap counted as at most the cap, either way."""
    return min(gap, cap) if gap > 0 else max(gap, -cap)


class Gaps:
    """The dated rules of one list on the gap between a player's rating and his opponents'."""

    def __init__(self, kind: str, per_point: int, one_capped_from: str, cap: int | None = None, is_exempting: bool = True) -> None:
        """Args:
        kind: standard, rapid or blitz.
        per_point: quanta in a point; all gaps here are in quanta.
        one_capped_from: events from this day to 2024-02-29 have one capped win.
        cap: points, instead of what the date says; 0 is none.
        is_exempting: whether the exemption from 2650 exists.
        """
        self._is_standard, self._per_point, self._one_capped_from, self._cap = kind == "standard", per_point, one_capped_from, cap
        self._is_exempting = is_exempting and self._is_standard

    def cap(self, own: int, start: str) -> int | None:
        """What a gap counts as at most for a player of this rating; None: it counts as it is."""
        if self._is_exempting and start >= EXEMPTION and own >= EXEMPT_FROM * self._per_point:
            return None
        points = self._cap if self._cap is not None else 400 if start >= CAP_400 else 350
        return points * self._per_point if points else None

    def is_one_capped(self, start: str) -> bool:
        """Whether in an event of this day the cap helps the stronger player in one game only, that of the widest gap."""
        return self._one_capped_from <= start < ANY_NUMBER

    def counted(self, own: int, theirs: int, start: str) -> int:
        """The gap of a single game as it counts, own minus opponent's."""
        cap = self.cap(own, start)
        return own - theirs if cap is None else clamped(own - theirs, cap)

    def is_wide_unrated(self, start: str) -> bool:
        """Whether games of an event of this day may be too wide to be rated."""
        return not self._is_standard and start >= WIDE_RULE

    def is_too_wide(self, own: int, theirs: int) -> bool:
        """Whether a game of such an event is not rated: a gap of 600 or more with one of the two above 2600."""
        return abs(own - theirs) >= WIDE * self._per_point and max(own, theirs) > WIDE_ABOVE * self._per_point

    def source(self, start: str) -> str:
        """Where the cap of this day stands."""
        if not self._is_standard:
            return cited(RAPID, "8.3.1", start)
        return next(text for since, text in _SOURCES if start >= since and (since != EXEMPTION or self._is_exempting))
