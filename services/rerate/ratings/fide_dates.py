"""The calendar of FIDE's lists: which list an event comes onto, which list is in force at its start, who is inactive.

A period is named by the month in which it closes: the period 2026-08 closes on 29 August and gives the list of 1 September 2026. Sources:
B02 7.2 and 9.1 (2024-03-01); published lists for the boundary day.
"""

from calendar import monthrange
from collections.abc import Callable

from rerate.messages.facts import Event
from rerate.ratings.face import LAST_MONTH, Key

LATEST_LIST = 3
"""An event that is not in by the third list after its end is not rated (B02 9.1, 2024-03-01)."""


def month_index(month: str) -> int:
    """`YYYY-MM` (or a date) as a number, months in a row: 12 x year + month - 1."""
    return 12 * int(month[:4]) + int(month[5:7]) - 1


def month_name(index: int) -> str:
    """The number as `YYYY-MM` again, the last month that can be written for what lies beyond."""
    index = min(index, month_index(LAST_MONTH))
    return f"{index // 12:04d}-{index % 12 + 1:02d}"


def every_month(index: int) -> int:
    """The month in which the period closes that this month belongs to, where a list comes out on the first of every month."""
    return index


LAST_TWO_MONTHLY = month_index("2012-06")


def every_second_month(index: int) -> int:
    """The same where lists come out in January, March, May and so on."""
    return index + 1 - index % 2


def dated_lists(index: int) -> int:
    """The same by FIDE's calendar: every two months from the list of 2009-07-01 (FIDE news, 2009-07-13) to that of 2012-07-01, then every
    month (decision of June 2011)."""
    return every_second_month(index) if index <= LAST_TWO_MONTHLY else index


FLOORS = (("2024-03-01", 1400), ("2012-07-01", 1000), ("2009-07-01", 1200), ("", 1400))
"""From a list's date on, the lowest rating published, points. Sources: B02 7.2.1 (2024-03-01) and what it was before; the decision of June
2011; B02 0.6 of 2009 (1200 after 1 July)."""


def floor_on(date: str) -> int:
    """The lowest rating that a list of this date publishes, points."""
    return next(points for since, points in FLOORS if date >= since)


class Closing:
    """When periods close, and so where an event is rated."""

    def __init__(self, days: int, official: str, closes: Callable[[int], int] = every_month) -> None:
        """Args:
        days: so many days before its list's date a period closes, 1 to 28; 1 is the last day of the month.
        official: the category of official events; for them a period closes on the last day before the list.
        closes: the month, as a number, in which the period closes that a month belongs to.
        """
        self._days, self._official, self._closes = days, official, closes

    def place(self, event: Event, date: str, closing_day: int | None) -> str | None:
        """The month of the period in which an event of this date is rated; None if its report comes too late.

        An officer's `rate_in` goes before everything. A report in time for the event's end leaves the event (or with `dated_by: game` each
        game) at its date; one after that closing moves it to the first list that the report is in time for. `closing_day`, if the list
        names one, is the day of the month on which periods close.
        """
        if event.rate_in is not None:
            return month_name(self._closes(month_index(event.rate_in)))
        is_official = event.category == self._official
        if event.reported is not None:
            in_time, reported = (self._period(day, closing_day, is_official) for day in (event.date, event.reported))
            if reported > in_time:
                return month_name(reported) if reported <= self._latest(event.date) else None
        return month_name(self._period(date, closing_day, is_official))

    def _period(self, date: str, closing_day: int | None, is_official: bool) -> int:
        month = month_index(date)
        closes = self._closes(month)
        if closes > month or is_official:
            return closes
        last = closing_day if closing_day is not None else monthrange(int(date[:4]), int(date[5:7]))[1] + 1 - self._days
        return closes if int(date[8:]) <= last else self._closes(month + 1)

    def _latest(self, end: str) -> int:
        """The period that gives the third list after the end."""
        period = month_index(end) - 1
        for _ in range(LATEST_LIST):
            period = self._closes(period + 1)
        return period


def in_force(key: Key, start: str) -> Key:
    """The list in force on the day of an event's start (B02 0.1, 8.3; published lists): the one of the last list date not after it.

    As a key for `System.reads`: what stood before the first period that closes in the start's month or later. It never passes `key`.
    """
    return min(key, (start[:7],))


def is_inactive(last_game: str, on: str) -> bool:
    """Whether a player whose last rated game was on `last_game` is inactive on the day `on`: no rated game for one year (B02 7.2.2).

    The rating does not change by it, and one rated game makes him active again; so it is worked out when a row is read.
    """
    return on >= f"{int(last_game[:4]) + 1:04d}{last_game[4:]}"
