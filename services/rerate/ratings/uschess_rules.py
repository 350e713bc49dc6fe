"""The parameters of `uschess/1` bound, and the starting values of the unrated by them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from rerate.messages.codes import PARAMETERS as PARAMETERS_REFUSED
from rerate.ratings.face import Unusable
from rerate.ratings.quantum import quanta_of
from rerate.ratings.uschess_formulas import FLOOR, Value, age_rating, bonus_constant, from_fide, ratio

PERIODS = frozenset({"event"})
MOST_START = 4_000

PARAMETERS: dict[str, tuple[str | int, str]] = {
    "bonus": (
        "table",
        "B of the bonus: table: by the event's last day (12; from 2017-05-01 14, 2023-02-01 12, 2025-01-01 10); or a constant, 0 to 1,000",
    ),
    "bonus_three": ("twice", "in an event of three games a bonus needs: twice: nobody met more than twice; distinct: three opponents"),
    "start": ("1300", "starting value of who is over 26 or of unknown age, a decimal string of the list's quantum, 100 to 4,000"),
    "start_order": ("fide", "which of two starting values goes first: fide: the converted one; us: the one of another US Chess list"),
    "age_by": ("years", "years: whole years; days: days / 365.25, for who has a birth_date"),
    "fide_edition": ("2025", "conversion of a FIDE rating: 2025, old, or none"),
    "fide_trait": ("fide", "name of the trait with a FIDE rating"),
    "us_trait": ("us_chess", "name of the trait with a rating on another US Chess list, taken as it is"),
    "conversion_games": ("text", "text: a converted starting value stands for 5 games, above FIDE 2150 for 10; none: for no games"),
    "flat_stretch": ("prior", "special formula solved by an interval with nobody near: prior: R0 limited to it; mean: M limited to it"),
    "floors": ("last", "last: floors hold for the result of an event; both: for its intermediate ratings too"),
    "peak_rounded": ("no", "yes: the highest established rating is rounded to a whole number before its floor is taken"),
    "life_master": ("established", "which games at 2200 or more count to the 300: established: with an established rating; any"),
    "dual_category": ("none", "category of dual-rated events, a word; none: none is"),
    "match_category": ("none", "category of matches, a word; none: none is"),
    "match_floors": ("yes", "yes or no: whether floors hold in a match"),
}
"""Every parameter with its default and meaning."""

_CHOICES = {
    "bonus_three": ("twice", "distinct"),
    "start_order": ("fide", "us"),
    "age_by": ("years", "days"),
    "fide_edition": ("2025", "old", "none"),
    "conversion_games": ("text", "none"),
    "flat_stretch": ("prior", "mean"),
    "floors": ("last", "both"),
    "peak_rounded": ("no", "yes"),
    "life_master": ("established", "any"),
    "match_floors": ("yes", "no"),
}
_TRAIT = re.compile(r"[a-z][a-z0-9_]{0,39}\Z")
_CATEGORY = re.compile(r"[a-z0-9-]{1,40}\Z")
_WORDS = {"fide_trait": _TRAIT, "us_trait": _TRAIT, "dual_category": _CATEGORY, "match_category": _CATEGORY}


@dataclass(frozen=True, slots=True)
class Rules:
    """The parameters as values. `start` is in quanta; `constant` is None if B is by the table."""

    per_point: int
    start: int
    constant: float | None
    three_distinct: bool
    us_first: bool
    by_days: bool
    edition: str
    fide_trait: str
    us_trait: str
    converted_games: bool
    limit_mean: bool
    floors_twice: bool
    peak_rounded: bool
    any_master: bool
    dual: str
    """Empty: no event is."""
    match: str
    """Empty: no event is."""
    match_floors: bool

    @property
    def traits(self) -> frozenset[str]:
        """The traits that its starting values ask for."""
        return frozenset({"birth_date", "birth_year", self.us_trait} | ({self.fide_trait} if self.edition != "none" else set()))

    def is_dual(self, category: str) -> bool:
        return bool(self.dual) and category == self.dual

    def is_match(self, category: str) -> bool:
        return bool(self.match) and category == self.match

    def bonus(self, end: str) -> float:
        """B for an event of this last day."""
        return bonus_constant(end) if self.constant is None else self.constant

    def starting_value(self, traits: Mapping[str, str | int | bool], end: str) -> tuple[str, Value, int]:
        """Step 1 (section 2), the unrated. A trait that is nothing usable counts as not there.

        Returns:
            Where the value comes from (`fide`, `us`, `birth_date`, `birth_year`, `unknown`), the value, for how many games it stands.
        """
        fide = _rating(traits.get(self.fide_trait)) if self.edition != "none" else None
        listed = _rating(traits.get(self.us_trait))
        if listed is not None and (self.us_first or fide is None):
            return "us", listed, 0
        if fide is not None:
            converted = from_fide(fide, self.edition)
            value = converted if converted.top >= FLOOR * converted.bottom else ratio(FLOOR, 1)
            return "fide", value, (10 if fide.near > 2_150 else 5) if self.converted_games else 0
        by, (age, per_year) = self._age(traits, end)
        return by, (age_rating(age, per_year) if by != "unknown" else None) or ratio(self.start, self.per_point), 0

    def _age(self, traits: Mapping[str, str | int | bool], end: str) -> tuple[str, tuple[int, int]]:
        """By which trait the age is known, and the age on the last day of the event in parts of a year, with their number to a year."""
        last, born = date.fromisoformat(end), _date(traits.get("birth_date"))
        if born is not None and born <= last:
            if self.by_days:
                return "birth_date", (4 * (last - born).days, 1_461)
            return "birth_date", (last.year - born.year - ((last.month, last.day) < (born.month, born.day)), 1)
        year = _whole(traits.get("birth_year"))
        if year is not None and 0 <= last.year - year < 150:
            return "birth_year", (last.year - year, 1)
        return "unknown", (0, 1)


def bound(parameters: Mapping[str, object], per_point: int, period: str) -> Rules:
    """The parameters of a list, bound.

    Raises:
        Unusable: an unknown name, a value out of its bounds, a period kind other than event, or ratings in whole points (the system keeps
            fractions).
    """
    if per_point == 1 or period not in PERIODS or not parameters.keys() <= PARAMETERS.keys():
        raise Unusable(PARAMETERS_REFUSED)
    given = {name: parameters.get(name, default) for name, (default, _) in PARAMETERS.items()}
    for name, choices in _CHOICES.items():
        if given[name] not in choices:
            raise Unusable(PARAMETERS_REFUSED)
    for name, pattern in _WORDS.items():
        word = given[name]
        if name in parameters and not (isinstance(word, str) and pattern.match(word)):
            raise Unusable(PARAMETERS_REFUSED)
    if given["fide_trait"] == given["us_trait"]:
        raise Unusable(PARAMETERS_REFUSED)
    return Rules(
        per_point=per_point,
        start=_decimal(given["start"], per_point, FLOOR, MOST_START),
        constant=None if given["bonus"] == "table" else _decimal(given["bonus"], 1000, 0, 1_000) / 1000,
        three_distinct=given["bonus_three"] == "distinct",
        us_first=given["start_order"] == "us",
        by_days=given["age_by"] == "days",
        edition=str(given["fide_edition"]),
        fide_trait=str(given["fide_trait"]),
        us_trait=str(given["us_trait"]),
        converted_games=given["conversion_games"] == "text",
        limit_mean=given["flat_stretch"] == "mean",
        floors_twice=given["floors"] == "both",
        peak_rounded=given["peak_rounded"] == "yes",
        any_master=given["life_master"] == "any",
        dual=_category(given["dual_category"]),
        match=_category(given["match_category"]),
        match_floors=given["match_floors"] == "yes",
    )


def _category(word: object) -> str:
    return "" if word == "none" else str(word)


def _decimal(value: object, per_point: int, least: int, most: int) -> int:
    quanta = quanta_of(value, per_point) if isinstance(value, str) else None
    if quanta is None or not least * per_point <= quanta <= most * per_point:
        raise Unusable(PARAMETERS_REFUSED)
    return quanta


def _rating(trait: object) -> Value | None:
    """A trait as a rating from 100 to 4,000, a whole number or a decimal string of at most three places."""
    thousandths = quanta_of(str(trait), 1000) if type(trait) in (int, str) else None
    return ratio(thousandths, 1000) if thousandths is not None and FLOOR * 1000 <= thousandths <= MOST_START * 1000 else None


def _whole(trait: object) -> int | None:
    """A trait as a whole number of at most eight digits, which may have come as a string."""
    text = str(trait) if type(trait) in (int, str) else ""
    return int(text) if len(text) <= 8 and text.isascii() and text.isdigit() else None


def _date(trait: object) -> date | None:
    """A trait YYYYMMDD, a whole number, as a date: no trait can be a date as text."""
    number = _whole(trait)
    if number is None:
        return None
    try:
        return date(number // 10_000, number // 100 % 100, number % 100)
    except ValueError:
        return None
