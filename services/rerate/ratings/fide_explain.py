"""The explanation of a row on a FIDE-like list, from the account that the row is made of."""

from collections.abc import Callable
from fractions import Fraction

from rerate.ratings.face import Period, Step
from rerate.ratings.fide_account import TOO_WIDE, Account, Judged, Scored, places, start_of
from rerate.ratings.fide_dates import month_name
from rerate.ratings.fide_k import LIMIT
from rerate.ratings.fide_state import RATED
from rerate.ratings.quantum import decimal, halves, signed

COUNTS = "FIDE B02 8.2, 8.3.1 (2024-03-01)"
LISTS = "FIDE B02 0.1, 8.3 (2024-03-01)"
LATER = "FIDE B02 8.2.4 (2024-03-01)"
LIMIT_RULE = "FIDE B02 8.3.3 (2024-03-01)"
ROUNDING = "FIDE B02 8.3 (2024-03-01)"
FLOOR = "FIDE B02 7.2.1 (2024-03-01)"
FIRST = "FIDE B02 8.2.1 (2024-03-01)"
POOL = "FIDE B02 7.1.4 (2024-03-01)"
WIDE = "FIDE rapid and blitz regulations 7.3.1 (2024-12-01)"


def steps_of(
    account: Account,
    period: Period,
    per_point: int,
    whole: int,
    source: Callable[[str], str],
    floor: int | None,
    counted_as: str,
) -> list[Step]:
    """The steps from the state before to the one after.

    `adds` sum to the first number of the state after minus that of the state before; both are 0 where there is no rating.

    Args:
        whole: parts of an expected point.
        source: of a game's expected score, by its event's first day.
        floor: quanta.
        counted_as: what a gap is called that counts as another.
    """
    told = _Told(account, period, per_point, whole, source, floor, counted_as)
    return told.change() if account.ks else told.pool()


class _Told:
    def __init__(
        self,
        account: Account,
        period: Period,
        per_point: int,
        whole: int,
        source: Callable[[str], str],
        floor: int | None,
        counted_as: str,
    ) -> None:
        self._account, self._period, self._source, self._whole, self._per_point = account, period, source, whole, per_point
        self._floor, self._counted_as = "" if floor is None else decimal(floor, per_point), counted_as

    def change(self) -> list[Step]:
        """Of a player with a rating."""
        account = self._account
        games = sum(one.counted for one in account.judged)
        steps: list[Step] = []
        changes = [Fraction(change, 2 * self._whole) for change in account.changes]
        for one, rule, k, change in zip(account.judged, account.ks, account.limited, changes, strict=True):
            start = start_of(self._period.events[one.event])
            rating = self._rating(one.own[0])
            if one.is_later:
                steps.append(Step("own", f"rated {rating} by now, without a rating in the list in force on {start}", LATER, one.event))
            else:
                steps.append(Step("own", f"rated {rating} in the list in force on {start}", LISTS, one.event))
            steps.append(Step("k", rule.text, rule.source, one.event))
            if k != rule.k:
                text = f"{games} games in the period: {rule.k} x {games} is above {LIMIT}, so K {k}"
                steps.append(Step("k", text, LIMIT_RULE, one.event))
            steps += [self._game(one, scored, k, start) for scored in one.games]
            text = f"scored {halves(one.half)} of {one.counted}, expected {places(one.expected, self._whole)}, K {k}: {signed(change)}"
            steps.append(Step("sum", text, "", one.event))
        exact, rounded = sum(changes, Fraction(0)), Fraction(account.added, self._per_point)
        text = f"the changes {signed(exact)}, rounded half away from zero to {signed(rounded)}"
        steps.append(Step("rounding", text, ROUNDING, adds=rounded - exact))
        if not account.after[1] & RATED:
            fallen = account.before[0] + account.added
            text = f"{self._rating(fallen)} is below {self._floor}: without a rating from now on"
            steps.append(Step("floor", text, FLOOR, adds=Fraction(-fallen, self._per_point)))
        return steps

    def pool(self) -> list[Step]:
        """Of a player without one."""
        account = self._account
        steps: list[Step] = []
        for one in account.judged:
            start = start_of(self._period.events[one.event])
            for scored in one.games:
                if scored.expected < 0:
                    steps.append(self._not_counted(one, scored))
                else:
                    text = f"against {self._rating(scored.theirs)} in the list in force on {start}: scored {halves(scored.half)}"
                    steps.append(Step("counts", text, COUNTS, one.event, scored.game))
            if one.event in account.dropped:
                text = f"no point in {one.counted} games of the first event: it is dropped"
                steps.append(Step("not-counted", text, FIRST, one.event))
        for month in account.months:
            text = f"{month_name(month.month)}: {halves(month.half)} of {month.games} games are pooled"
            steps.append(Step("pooled", text, POOL))
        first = account.initial
        if first is None:
            steps.append(Step("pooled", f"{sum(month.games for month in account.months)} games are too few for a rating", POOL))
            return steps
        text = f"{halves(first.half)} of {first.games} games, share {places(first.share, 100)}, opponents' mean {_two(first.mean)}"
        text = f"{text}: {signed(first.over)}, so {first.rating}"
        is_rated = bool(account.after[1] & RATED)
        steps.append(Step("initial", text, first.source, adds=Fraction(first.rating) if is_rated else None))
        if not is_rated:
            steps.append(Step("floor", f"{first.rating} is below {self._floor}: not published", FLOOR))
        return steps

    def _game(self, one: Judged, scored: Scored, k: int, start: str) -> Step:
        if scored.expected < 0:
            return self._not_counted(one, scored)
        adds = k * (Fraction(scored.half, 2) - Fraction(scored.expected, self._whole))
        gap, counted = one.own[0] - scored.theirs, ""
        if scored.gap != gap:
            counted = f", {self._counted_as} {self._rating(scored.gap)}"
        text = (
            f"against {self._rating(scored.theirs)}, gap {self._rating(gap)}{counted}: "
            f"scored {halves(scored.half)}, expected {places(scored.expected, self._whole)}, K {k}: {signed(adds)}"
        )
        return Step("change", text, self._source(start), one.event, scored.game, adds)

    def _not_counted(self, one: Judged, scored: Scored) -> Step:
        if scored.expected == TOO_WIDE:
            text = f"against {self._rating(scored.theirs)}: a gap of 600 or more, and one of the two above 2600"
            return Step("not-counted", text, WIDE, one.event, scored.game)
        start = start_of(self._period.events[one.event])
        return Step("not-counted", f"the opponent has no rating in the list in force on {start}", COUNTS, one.event, scored.game)

    def _rating(self, quanta: int) -> str:
        return decimal(quanta, self._per_point)


def _two(points: Fraction) -> str:
    """A mean of ratings with two places."""
    hundredths = (200 * points.numerator + points.denominator) // (2 * points.denominator)
    return f"{hundredths // 100}.{hundredths % 100:02d}"
