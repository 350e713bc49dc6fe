"""The explanation of a row on a FIDE-like list, from the account that the row is made of."""

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from rerate.ratings.bounds import bound_steps, bounded
from rerate.ratings.face import EventInfo, Period, Step
from rerate.ratings.fide_account import TOO_WIDE, Account, Judged, Scored, date_of, places, start_of
from rerate.ratings.fide_dates import month_name
from rerate.ratings.fide_initial import IMAGINARY, IMAGINARY_RATING, PRESENT
from rerate.ratings.fide_k import LIMIT
from rerate.ratings.fide_state import RATED
from rerate.ratings.fide_texts import cited
from rerate.ratings.quantum import decimal, halves, signed

COUNTS, LISTS, LATER, LIMIT_RULE, ROUNDING, FLOOR, FIRST, POOL = (
    "8.2, 8.3.1",
    "0.1, 8.3",
    "8.2.4",
    "8.3.3",
    "8.3",
    "7.2.1",
    "8.2.1",
    "7.1.4",
)
"""Articles, as the newest text numbers them."""

WIDE = "FIDE rapid and blitz regulations 7.3.1 (2024-12-01)"


class Wording(NamedTuple):
    """What a system tells its explanations."""

    book: str
    """The regulations cited, see `fide_texts`."""
    per_point: int
    whole: int
    """Parts of an expected point."""
    source: Callable[[str], str]
    """Of a game's expected score, by its event's first day."""
    floor: int | None
    """Quanta."""
    counted_as: str
    """What a gap is called that counts as another."""


def steps_of(account: Account, period: Period, how: Wording) -> list[Step]:
    """The steps from the state before to the one after.

    `adds` sum to the first number of the state after minus that of the state before; both are 0 where there is no rating.
    """
    told = _Told(account, period, how)
    return told.change() if account.ks else told.pool()


class _Told:
    def __init__(self, account: Account, period: Period, how: Wording) -> None:
        self._account, self._period, self._book, self._date = account, period, how.book, date_of(period.key)
        self._source, self._whole, self._per_point, self._counted_as = how.source, how.whole, how.per_point, how.counted_as
        self._floor = "" if how.floor is None else decimal(how.floor, how.per_point)

    def _cited(self, article: str, date: str | None = None) -> str:
        return cited(self._book, article, date or self._date)

    def change(self) -> list[Step]:
        """Of a player with a rating."""
        account = self._account
        games = sum(one.counted for one in account.judged)
        steps: list[Step] = []
        changes = [Fraction(change, 2 * self._whole) for change in account.changes]
        for one, rule, k, change in zip(account.judged, account.ks, account.limited, changes, strict=True):
            start, judged_on = start_of(self._period.events[one.event]), list_day(self._period.events[one.event])
            rating = self._rating(one.own[0])
            if one.is_later:
                steps.append(
                    Step(
                        "own",
                        f"rated {rating} by now, without a rating in the list in force on {start}",
                        self._cited(LATER, start),
                        one.event,
                    )
                )
            else:
                steps.append(Step("own", f"rated {rating} in the list in force on {judged_on}", self._cited(LISTS, start), one.event))
            steps.append(Step("k", rule.text, self._cited(rule.source) if rule.source[:1].isdigit() else rule.source, one.event))
            if k != rule.k:
                text = f"{games_of(games)} in the period: {rule.k} x {games} is above {LIMIT}, so K {k}"
                steps.append(Step("k", text, self._cited(LIMIT_RULE), one.event))
            steps += [self._game(one, scored, k, start) for scored in one.games]
            text = f"scored {halves(one.half)} of {one.counted}, expected {places(one.expected, self._whole)}, K {k}: {signed(change, 6)}"
            steps.append(Step("sum", text, "", one.event))
        exact, rounded = sum(changes, Fraction(0)), Fraction(account.added, self._per_point)
        text = f"the changes {signed(exact, 6)}, rounded half away from zero to {signed(rounded)}"
        steps.append(Step("rounding", text, self._cited(ROUNDING), adds=rounded - exact))
        steps += bound_steps(account.before[0] + account.added, self._per_point)
        if not account.after[1] & RATED:
            fallen = bounded(account.before[0] + account.added, self._per_point)
            text = f"{self._rating(fallen)} is below {self._floor}: without a rating from now on"
            steps.append(Step("floor", text, self._cited(FLOOR), adds=Fraction(-fallen, self._per_point)))
        return steps

    def pool(self) -> list[Step]:
        """Of a player without one."""
        account = self._account
        steps: list[Step] = []
        for one in account.judged:
            start, judged_on = start_of(self._period.events[one.event]), list_day(self._period.events[one.event])
            for scored in one.games:
                if scored.expected < 0:
                    steps.append(self._not_counted(one, scored))
                else:
                    text = f"against {self._rating(scored.theirs)} in the list in force on {judged_on}: scored {halves(scored.half)}"
                    steps.append(Step("counts", text, self._cited(COUNTS, start), one.event, scored.game))
            if one.event in account.dropped:
                text = f"no point in {one.counted} games of the first event: it is dropped"
                steps.append(Step("not-counted", text, self._cited(FIRST, start), one.event))
        for month in account.months:
            text = f"{month_name(month.month)}: {halves(month.half)} of {count_of(month.games)} pooled"
            steps.append(Step("pooled", text, self._cited(POOL)))
        first = account.initial
        if first is None:
            text = f"{count_of(sum(month.games for month in account.months))} too few for a rating"
            steps.append(Step("pooled", text, self._cited(POOL)))
            return steps
        if first.source == PRESENT:
            text = f"{IMAGINARY} imaginary opponents rated {IMAGINARY_RATING} are added, each game drawn"
            steps.append(Step("initial", text, first.source))
        text = f"{halves(first.half)} of {games_of(first.games)}, share {places(first.share, 100)}, opponents' mean {_two(first.mean)}"
        text = f"{text}: {signed(first.over)}, so {first.rating}{', no first rating being above it' if first.is_limited else ''}"
        is_rated = bool(account.after[1] & RATED)
        steps.append(Step("initial", text, first.source, adds=Fraction(first.rating) if is_rated else None))
        if not is_rated:
            steps.append(Step("floor", f"{first.rating} is below {self._floor}: not published", self._cited(FLOOR)))
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
        start, judged_on = start_of(self._period.events[one.event]), list_day(self._period.events[one.event])
        text = f"the opponent has no rating in the list in force on {judged_on}"
        return Step("not-counted", text, self._cited(COUNTS, start), one.event, scored.game)

    def _rating(self, quanta: int) -> str:
        return decimal(quanta, self._per_point)


def list_day(event: EventInfo) -> str:
    """A day on which the list that judges an event is in force: its first, or in a league the first of the month in which the games are."""
    start, month = start_of(event), str(event.reads[0])[:7] if event.reads else ""
    return start if month in ("", start[:7]) else f"{month}-01"


def count_of(games: int) -> str:
    """`no game is`, `1 game is`, `2 games are`."""
    return f"{games_of(games)} {'is' if games < 2 else 'are'}"


def games_of(games: int) -> str:
    """`no game`, `1 game`, `2 games`."""
    return f"{games or 'no'} game{'' if games < 2 else 's'}"


def _two(points: Fraction) -> str:
    """A mean of ratings with two places."""
    hundredths = (200 * points.numerator + points.denominator) // (2 * points.denominator)
    return f"{hundredths // 100}.{hundredths % 100:02d}"
