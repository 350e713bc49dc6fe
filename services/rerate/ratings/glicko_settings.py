"""The parameters that `glicko/1` and `glicko2/1` share, and the time between two periods of a player."""

import re
from collections.abc import Mapping
from datetime import date as Date
from functools import lru_cache

from rerate.messages.codes import PARAMETERS as PARAMETERS_REFUSED
from rerate.ratings.face import Documented, Unusable

BILLION = 1_000_000_000
PER_DEVIATION = 1_000
"""Parts of a point in which a deviation is kept."""

COMMON: dict[str, tuple[str | int, str]] = {
    "start": ("1500", "a newcomer's rating, a decimal string of the list's quantum"),
    "start_deviation": ("350", "a newcomer's deviation, above 0, in thousandths at the finest"),
    "growth": (
        "time",
        "time: the deviation grows with the periods since the player's last; played: by one period with each that he plays in",
    ),
    "days_per_period": ("30", "on lists that are not by month: days in one period of growth, 0.001 to 9,999"),
    "periods_per_day": ("0", "the same said the other way round, to 9 places; 0: as days_per_period says"),
    "white_advantage": ("0", "points by which White is stronger, -1,000 to 1,000; half is added to White and half taken from Black"),
    "min_rating": ("-9999", "no rating falls below, a decimal string of the list's quantum"),
    "max_rating": ("9999", "no rating rises above, a decimal string of the list's quantum"),
    "max_change": ("9999", "most that a rating moves in a period for each game of it, a decimal string of the list's quantum"),
    "min_deviation": ("0.001", "no deviation falls below"),
    "max_deviation": ("9999", "no deviation rises above"),
    "provisional_deviation": ("110", "provisional with a deviation from here on"),
    "provisional_at_limit": ("yes", "yes or no: whether the deviation of exactly provisional_deviation is provisional"),
    "provisional_games": (0, "provisional also with fewer games than this, 0 to 255; games are counted up to here"),
    "seed_beyond_limits": (
        "refuse",
        "refuse or limit: what becomes of a seed, or an adjustment, beyond the limits of rating, deviation or volatility",
    ),
}


class Given:
    """Parameters as a rule gives them, else its preset, else the default. What does not fit raises `Unusable`."""

    def __init__(self, parameters: Mapping[str, object], documented: Documented, preset: Mapping[str, str | int] | None = None) -> None:
        if not parameters.keys() <= documented.keys():
            raise Unusable(PARAMETERS_REFUSED)
        self._values: dict[str, object] = {name: default for name, (default, _) in documented.items()}
        self._values |= preset or {}
        self._values |= parameters

    def whole(self, name: str, most: int) -> int:
        """A whole number from 0 to `most`."""
        value = self._values[name]
        if type(value) is not int or not 0 <= value <= most:
            raise Unusable(PARAMETERS_REFUSED)
        return value

    def word(self, name: str, *words: str) -> str:
        """One of the words."""
        value = self._values[name]
        for word in words:
            if value == word:
                return word
        raise Unusable(PARAMETERS_REFUSED)

    def parts(self, name: str, per_one: int, least: int | None = None, most: int | None = None) -> int:
        """A decimal number in parts of which `per_one` make one, from `least` to `most` parts; it must fall on one."""
        parts = parts_of(self._values[name], per_one)
        if parts is None or (least is not None and parts < least) or (most is not None and parts > most):
            raise Unusable(PARAMETERS_REFUSED)
        return parts


_DECIMAL = re.compile(r"(-?)(0|[1-9][0-9]{0,3})(?:\.([0-9]{1,9}))?\Z")


def parts_of(value: object, per_one: int) -> int | None:
    """A decimal string or a whole number, below 10,000 in size, in parts of which `per_one` (a power of ten up to 10^9) make one; None if
    it is neither or falls between two parts."""
    match = _DECIMAL.match(str(value)) if type(value) in (str, int) else None
    if match is None:
        return None
    sign, whole, fraction = match[1], match[2], match[3] or ""
    parts, rest = divmod((int(whole) * BILLION + int(fraction.ljust(9, "0"))) * per_one, BILLION)
    return None if rest else -parts if sign else parts


class Time:
    """How many periods lie between two periods of a player.

    On a list by month these are whole months. On all others they are days times periods in a day, as a fraction. With `growth: played` it
    is one, whatever the dates.
    """

    def __init__(self, given: Given, period: str) -> None:
        self.by_month = period == "month"
        self._played = given.word("growth", "time", "played") == "played"
        self.whole = self.by_month or self._played
        """Whether each period a player plays in is a whole one, his first, too."""
        days = given.parts("days_per_period", 1_000, 1)
        a_day = given.parts("periods_per_day", BILLION, 0)
        # Periods in a day as a fraction of whole numbers: a quotient of those is rounded once.
        self._numerator, self._denominator = (a_day, BILLION) if a_day else (1_000, days)

    def day(self, text: str) -> int:
        """The number of the day of a date or a month (its first day), 1 being 0001-01-01; on a list by month of its month's first day."""
        return _day(text[:7] if self.by_month else text)

    def between(self, last: int, day: int) -> float | None:
        """Periods from the day of a player's last to that of this one; None if no last is known. Never below 0."""
        if last == 0:
            return None
        if self._played:
            return 1.0
        if day <= last:
            return 0.0
        if self.by_month:
            begin, end = Date.fromordinal(last), Date.fromordinal(day)
            return float(12 * (end.year - begin.year) + end.month - begin.month)
        return (day - last) * self._numerator / self._denominator


@lru_cache(maxsize=1 << 12)
def _day(text: str) -> int:
    return Date.fromisoformat(text if len(text) == 10 else f"{text}-01").toordinal()


def text_of(number: object) -> str | None:
    """A date written as a whole number, 20240105, as `2024-01-05`; None if it is none."""
    if type(number) is not int or not 1_000_01_01 <= number <= 9_999_12_31:
        return None
    try:
        return Date(number // 10_000, number // 100 % 100, number % 100).isoformat()
    except ValueError:
        return None


def date_of(day: int) -> int:
    """The day as a whole number, 20240105: the fields of a seed know numbers and no dates."""
    date = Date.fromordinal(day)
    return date.year * 10_000 + date.month * 100 + date.day
