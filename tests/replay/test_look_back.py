"""A list that judges by an older list: nobody differs any more, and a later period still reads the list in which somebody did."""

from tests.kit.driving import Driven, club_list, lists
from tests.kit.lagged import LAG, SETTINGS
from tests.kit.saying import corrected, minted, published

MONTHLY = lists(1, club_list(rules=[{"system": LAG, "parameters": {}}], period="month"))
"""Month M is judged by the list as it stood before M-1 began."""


def pool(*dates: str) -> Driven:
    """A beats B on the first date and draws with C on each of the others."""
    first, *others = dates
    draws = (published(f"d{n}", 1, "A=C", date=date) for n, date in enumerate(others))
    return Driven(MONTHLY, published("e1", 1, "A>B", date=first), *draws, settings=SETTINGS)


def expected(driven: Driven, player: str, month: str) -> str:
    """By which rating a player was judged in a month."""
    (row,) = (row for row in driven.deltas() if (row["player"], row["period"]["date"]) == (minted(player), month))
    rating: str = row["row"]["events"][0]["rating"]
    return rating


def test_a_month_is_judged_by_the_list_before_the_month_before() -> None:
    driven = pool("2024-01-10", "2024-02-10", "2024-03-10")
    assert [expected(driven, "A", month) for month in ("2024-01", "2024-02", "2024-03")] == ["1200.0", "1200.0", "1220.0"]


def test_a_date_that_moves_reaches_the_month_that_reads_in_between() -> None:
    """From January to February: after February everybody stands where he stood, but March reads the list in between."""
    driven = pool("2024-01-10", "2024-03-10")
    assert expected(driven, "A", "2024-03") == "1220.0"
    driven.take(corrected("e1", 2, set={"date": "2024-02-10"}))
    assert expected(driven, "A", "2024-03") == "1200.0"
    assert driven.holds() == driven.fresh().holds()


def test_months_that_read_nothing_that_differs_stay() -> None:
    """The same move leaves May alone, which reads the list before April."""
    driven = pool("2024-01-10", "2024-05-10")
    update = driven.make(corrected("e1", 2, set={"date": "2024-02-10"}))
    assert {row["period"]["date"] for row in driven.deltas()} == {"2024-02", "2024-05"}
    assert {key.rpartition("/")[2] for key, _ in update.rows["rating-deltas"]} == {"2024-01", "2024-02"}
    assert driven.holds() == driven.fresh().holds()


def test_an_event_taken_away_long_ago_is_taken_out_of_every_list_that_was_read() -> None:
    driven = pool("2024-01-10", "2024-02-10", "2024-03-10", "2024-04-10", "2024-05-10")
    driven.take(corrected("e1", 2, removed=["g1"]))
    assert driven.holds() == driven.fresh().holds()
    assert [expected(driven, "A", f"2024-0{n}") for n in range(2, 6)] == ["1200.0"] * 4
