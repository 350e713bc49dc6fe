"""The calendar of the FIDE lists: closing days, reports, an officer's word, the list in force, who is inactive."""

from typing import Any

import pytest

from rerate.messages.facts import Event
from rerate.ratings.fide import Fide
from rerate.ratings.fide_2009 import Fide2009
from rerate.ratings.fide_curve import FideCurve
from rerate.ratings.fide_dates import is_inactive

FIDE = Fide({}, 1, "month")


def event(end: str, **more: Any) -> Event:
    return Event(**({"id": "w:e", "date": end, "category": "open", "status": "final"} | more))


def placed(end: str, system: Any = FIDE, closing_day: int | None = None, date: str = "", **more: Any) -> str | None:
    month: str | None = system.month(event(end, **more), date or end, closing_day)
    return month


@pytest.mark.parametrize(
    ("end", "month"),
    [
        ("2026-08-29", "2026-08"),
        ("2026-08-30", "2026-09"),
        ("2026-04-28", "2026-04"),
        ("2026-04-29", "2026-05"),
        ("2024-02-27", "2024-02"),
        ("2024-02-28", "2024-03"),
        ("2026-12-29", "2026-12"),
        ("2026-12-30", "2027-01"),
    ],
)
def test_a_period_closes_three_days_before_its_list(end: str, month: str) -> None:
    assert placed(end) == month


@pytest.mark.parametrize(("days", "last"), [(1, "30"), (2, "29"), (7, "24"), (28, "03")])
def test_the_closing_day_is_a_parameter(days: int, last: str) -> None:
    system = Fide({"closing_days": days}, 1, "month")
    assert placed(f"2026-06-{last}", system) == "2026-06"
    if days > 1:
        assert placed(f"2026-06-{int(last) + 1:02d}", system) == "2026-07"


def test_a_list_that_names_a_closing_day_has_it_instead() -> None:
    assert (placed("2026-06-20", closing_day=20), placed("2026-06-21", closing_day=20)) == ("2026-06", "2026-07")


def test_official_events_have_until_the_last_day() -> None:
    assert placed("2026-08-31", category="fide-official") == "2026-08"
    assert placed("2026-08-31", category="fide-official", closing_day=5) == "2026-08"
    named = Fide({"official_category": "world"}, 1, "month")
    assert (placed("2026-08-31", named, category="world"), placed("2026-08-31", named, category="fide-official")) == ("2026-08", "2026-09")


@pytest.mark.parametrize(
    ("reported", "month"),
    [
        ("2026-08-20", "2026-08"),
        ("2026-08-29", "2026-08"),
        ("2026-08-30", "2026-09"),
        ("2026-09-28", "2026-09"),
        ("2026-09-29", "2026-10"),
        ("2026-10-29", "2026-10"),
        ("2026-10-30", None),
        ("2027-08-10", None),
    ],
)
def test_a_late_report_moves_an_event_to_the_first_list_after_it_until_the_third(reported: str, month: str | None) -> None:
    """Lists after the end on 10 August: those of September, October, November; the third closes on 29 October."""
    assert placed("2026-08-10", reported=reported) == month


def test_the_third_list_is_counted_from_the_end_and_not_from_the_closing() -> None:
    assert placed("2026-08-30", reported="2026-10-29") == "2026-10"
    assert placed("2026-08-30", reported="2026-10-30") is None


def test_an_official_event_may_be_reported_until_the_last_day() -> None:
    assert placed("2026-08-31", category="fide-official", reported="2026-08-31") == "2026-08"
    assert placed("2026-08-31", category="fide-official", reported="2026-09-01") == "2026-09"


def test_an_officer_goes_before_everything() -> None:
    assert placed("2026-08-10", reported="2027-05-01", rate_in="2026-07") == "2026-07"
    assert placed("2026-08-10", rate_in="2026-12") == "2026-12"


def test_games_of_a_league_stay_in_their_own_months_if_the_last_report_is_in_time() -> None:
    """With `dated_by: game` the date is the game's."""
    assert placed("2026-04-20", date="2025-10-05", reported="2026-04-22") == "2025-10"
    assert placed("2026-04-20", date="2025-10-30") == "2025-11"
    assert placed("2026-04-20", date="2025-10-05", reported="2026-05-02") == "2026-05"


@pytest.mark.parametrize(
    ("key", "start", "read"),
    [
        ("2026-08", "2026-08-01", "2026-08"),
        ("2026-09", "2026-08-30", "2026-08"),
        ("2026-08", "2026-07-31", "2026-07"),
        ("2026-03", "2024-11-30", "2024-11"),
        ("2026-08", "2026-09-05", "2026-08"),
        ("2026-08", "", "2026-08"),
    ],
)
def test_an_event_reads_the_list_in_force_at_its_start_and_none_after_its_period(key: str, start: str, read: str) -> None:
    assert FIDE.reads((key,), start) == (read,)


def test_a_curve_by_event_or_date_reads_the_list_as_it_stands() -> None:
    for kind in ("event", "date"):
        system = FideCurve({}, 10, kind)
        key = ("2026-08-29", 0, "w:e")
        assert (system.reads_older, system.reads(key, "2026-06-01")) == (False, key)
    assert FideCurve({}, 10, "month").reads_older


# ---------------------------------------------------------------------- the older lists


@pytest.mark.parametrize(
    ("end", "month"),
    [
        ("2008-11-30", "2008-12"),
        ("2008-12-25", "2008-12"),
        ("2008-12-26", "2009-03"),
        ("2009-01-01", "2009-03"),
        ("2009-03-25", "2009-03"),
        ("2009-03-26", "2009-06"),
        ("2009-06-24", "2009-06"),
        ("2009-06-25", "2009-08"),
        ("2009-07-30", "2009-08"),
        ("2009-08-25", "2009-08"),
        ("2009-08-26", "2009-10"),
        ("2009-12-26", "2010-02"),
    ],
)
def test_lists_came_out_quarterly_and_then_every_two_months(end: str, month: str) -> None:
    """Lists of January, April, July, October; from July 2009 on September, November, January; closed seven days before."""
    assert placed(end, Fide2009({}, 1, "month")) == month


@pytest.mark.parametrize(
    ("lists", "months"),
    [
        ("quarterly", ["2010-03"] * 3 + ["2010-06"] * 3),
        ("two-monthly", ["2010-02"] * 2 + ["2010-04"] * 2 + ["2010-06"] * 2),
        ("monthly", [f"2010-0{n}" for n in range(1, 7)]),
    ],
)
def test_the_lists_months_are_a_parameter(lists: str, months: list[str]) -> None:
    system = Fide2009({"lists": lists}, 1, "month")
    assert [placed(f"2010-0{n}-05", system) for n in range(1, 7)] == months


def test_the_third_quarterly_list_is_nine_months_on() -> None:
    system = Fide2009({}, 1, "month")
    assert placed("2007-02-10", system, reported="2007-09-20") == "2007-09"
    assert placed("2007-02-10", system, reported="2007-09-26") is None


def test_an_officers_month_means_the_period_it_lies_in() -> None:
    assert placed("2007-02-10", Fide2009({}, 1, "month"), rate_in="2007-05") == "2007-06"


def test_a_quarterly_event_reads_the_list_in_force_at_its_start() -> None:
    """Before the first period from February on, 2009-03, stands the list of 1 January."""
    assert Fide2009({}, 1, "month").reads(("2009-06",), "2009-02-10") == ("2009-02",)


# ---------------------------------------------------------------------- activity


@pytest.mark.parametrize(
    ("last", "on", "is_so"),
    [
        ("2025-03-10", "2026-03-09", False),
        ("2025-03-10", "2026-03-10", True),
        ("2024-02-29", "2025-02-28", False),
        ("2024-02-29", "2025-03-01", True),
    ],
)
def test_who_has_no_game_for_a_year_is_inactive(last: str, on: str, is_so: bool) -> None:
    assert is_inactive(last, on) is is_so
