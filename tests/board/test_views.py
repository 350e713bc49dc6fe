"""Ladders, histories, plots and pages from rows written down by hand."""

from typing import Any

import pytest
from msgspec import to_builtins
from orjson import loads

from rerate.board.rows import DeltaRow, SnapshotRow, deltas_in_order, read_snapshot
from rerate.board.views import Step, difference, event_ratings, history, ladder, ladder_as_of, months_of, persons_of, plot, rounded_like
from rerate.messages.canonical import canonical

POOL = "club:rook"


def snapshot(player: str, rating: str, *, games: int = 9, provisional: bool = False, as_of: str | None = None) -> SnapshotRow:
    value = {"pool": POOL, "list": "elo", "player": player, "rating": rating, "shown": rating.partition(".")[0], "provisional": provisional}
    value |= {"games": games, "won": 0, "drawn": 0, "lost": 0, "by": {}} | ({"as_of": as_of} if as_of else {})
    return read_snapshot(canonical(value))


def delta(player: str, period: dict[str, Any], rating: str, judged_by: str, *, provisional: bool = False, event: str = "club:e1") -> bytes:
    terms = [{"k": 20, "games": 1, "score": "1.0", "expected": "0.500000"}]
    line = {"event": event, "rating": judged_by, "provisional": provisional, "games": 1, "protected": 0, "terms": terms}
    row = {"rating": rating, "shown": rating, "provisional": False, "state": {}, "system": "club/1", "events": [line]}
    by = {"update": 3, "edition": 1, "cause": "direct", "before": None}
    return canonical({"pool": POOL, "list": "elo", "player": player, "period": period, "row": row, "by": by})


def on(date: str) -> dict[str, Any]:
    return {"kind": "date", "date": date}


def steps(*ratings: tuple[str, str]) -> list[Step]:
    return history(deltas_in_order(delta("club:a", on(date), rating, "1200.0") for date, rating in ratings))


def test_equal_ratings_share_a_rank_and_provisional_players_have_ranks_of_their_own() -> None:
    lines = ladder(
        [
            snapshot("club:c", "1300.0"),
            snapshot("club:b", "1400.0"),
            snapshot("club:a", "1400.0"),
            snapshot("club:d", "1900.0", provisional=True),
        ]
    )
    assert [(line.rank, line.player) for line in lines] == [(1, "club:a"), (1, "club:b"), (3, "club:c"), (1, "club:d")]


def test_those_without_a_rating_come_last() -> None:
    unrated = read_snapshot(canonical({**to_builtins(snapshot("club:a", "0")), "rating": None, "shown": None, "provisional": True}))
    lines = ladder([unrated, snapshot("club:b", "1400.0", provisional=True), snapshot("club:c", "1300.0")])
    assert [(line.rank, line.player, line.rating) for line in lines] == [
        (1, "club:c", "1300.0"),
        (1, "club:b", "1400.0"),
        (1, "club:a", None),
    ]


def test_an_adjustment_is_a_step_without_games() -> None:
    adjusted = loads(delta("club:a", {"kind": "adjustment", "date": "2024-03-01", "adjustment": "raise"}, "1400.0", "1200.0"))
    adjusted["row"]["events"] = []
    rows = deltas_in_order([delta("club:a", on("2024-02-01"), "1220.0", "1200.0"), canonical(adjusted)])
    first, raised = history(rows)
    assert (first.period, raised.period, raised.before, raised.change, raised.games) == (
        "2024-02-01",
        "2024-03-01/adjustment/raise",
        "1220.0",
        "+180.0",
        0,
    )
    assert difference(None, "1200.0") is None
    (line,) = ladder_as_of([snapshot("club:a", "1400.0")], rows, "2024-04-01")
    assert (line.rating, line.last_game) == ("1400.0", "2024-02-01")


def test_a_seed_that_is_adjusted_first_began_with_what_it_was_before() -> None:
    """Whatever the adjustment said when its row was published first."""
    adjusted = loads(delta("club:a", {"kind": "adjustment", "date": "2024-03-01", "adjustment": "raise"}, "1420.0", "1400.0"))
    adjusted["row"] |= {"events": [], "adjusted_from": "1400.0"}
    adjusted["by"]["before"] = "1410.0"
    rows = deltas_in_order([canonical(adjusted)])
    (step,) = history(rows)
    assert (step.before, step.change) == ("1400.0", "+20.0")
    (line,) = ladder_as_of([snapshot("club:a", "1420.0", as_of="2024-01-01")], rows, "2024-02-01")
    assert (line.rating, line.shown) == ("1400.0", "1400")


def test_as_of_takes_the_newest_row_up_to_the_date_and_counts_the_games_so_far() -> None:
    rows = deltas_in_order(
        [delta("club:a", on("2024-02-01"), "1230.0", "1210.0"), delta("club:a", on("2024-01-01"), "1210.0", "1200.0", provisional=True)]
    )
    (line,) = ladder_as_of([snapshot("club:a", "1230.0", games=2)], rows, "2024-01-31")
    assert (line.rating, line.games, line.last_game, line.provisional) == ("1210.0", 1, "2024-01-01", False)
    assert ladder_as_of([snapshot("club:a", "1230.0", games=2)], rows, "2023-12-31") == []


def test_as_of_shows_a_seed_from_its_date_on_with_what_the_first_row_was_judged_by() -> None:
    rows: list[DeltaRow] = deltas_in_order([delta("club:a", on("2024-02-01"), "1420.0", "1400.5")])
    seeded = snapshot("club:a", "1420.0", games=31, as_of="2024-01-01")
    (line,) = ladder_as_of([seeded], rows, "2024-01-15")
    assert (line.rating, line.shown, line.games, line.last_game) == ("1400.5", "1401", 30, None)
    assert ladder_as_of([seeded], rows, "2023-12-31") == []


@pytest.mark.parametrize(("date", "there"), [("2024-02-28", 0), ("2024-02-29", 1)])
def test_a_month_counts_when_it_is_over(date: str, there: int) -> None:
    rows = deltas_in_order([delta("club:a", {"kind": "month", "date": "2024-02"}, "1220.0", "1200.0")])
    assert len(ladder_as_of([snapshot("club:a", "1220.0")], rows, date)) == there


def test_a_history_goes_by_period_and_says_how_far_each_went() -> None:
    first, second = steps(("2024-02-01", "1205.5"), ("2024-01-01", "1210.0"))
    assert (first.date, first.before, first.change) == ("2024-01-01", "1200.0", "+10.0")
    assert (second.before, second.change) == ("1210.0", "-4.5")


def test_periods_of_events_come_in_their_order() -> None:
    periods = [{"kind": "event", "date": "2024-01-01", "order": order, "event": "club:e"} for order in (10, -1, 9)]
    found = history(deltas_in_order(delta("club:a", period, "1200.0", "1200.0") for period in periods))
    assert [step.period for step in found] == [f"2024-01-01/{order}/club:e" for order in (-1, 9, 10)]


def test_a_plot_spreads_time_evenly_and_ratings_from_low_to_high() -> None:
    drawn = plot(steps(("2024-01-01", "1000.0"), ("2024-01-11", "1100.0")), width=10, height=2)
    assert drawn is not None
    assert drawn.lines == ("         █", "▁▁▁▁▁▁▁▁▁█")
    assert (drawn.low, drawn.high, drawn.first, drawn.last) == ("1000.0", "1100.0", "2024-01-01", "2024-01-11")


def test_a_plot_of_one_rating_is_a_plain_and_of_none_is_none() -> None:
    drawn = plot(steps(("2024-01-01", "1000.0")), width=4, height=2)
    assert drawn is not None
    assert drawn.lines == ("    ", "████")
    assert plot([]) is None


def test_an_event_shows_what_it_gave_and_what_else_was_in_the_period() -> None:
    rows = deltas_in_order(
        [delta("club:a", on("2024-01-01"), "1210.0", "1200.0"), delta("club:b", on("2024-01-01"), "1190.0", "1200.0", event="club:e2")]
    )
    (one,) = event_ratings("club:e1", rows)
    assert (one.player, one.judged_by, one.score, one.expected, one.rating, one.others) == (
        "club:a",
        "1200.0",
        "1.0",
        "0.500000",
        "1210.0",
        (),
    )


def test_an_event_may_be_rated_in_the_months_of_its_dates_and_the_ones_after() -> None:
    game = {"id": "g1", "date": "2023-11-05", "white": {"id": "club:x", "person": "club:a"}, "black": {"id": "club:b", "person": "club:b"}}
    value = canonical({"event": {"id": "club:e1", "date": "2023-12-31"}, "games": [game, {"id": "g2", "white": game["white"]}]})
    assert months_of(value) == ["2023-11", "2023-12", "2024-01"]
    assert persons_of(value) == ["club:a", "club:b"]


def test_ratings_are_rounded_half_away_from_zero_like_their_list_shows_them() -> None:
    assert (rounded_like("1200.5", "1200"), rounded_like("-0.5", "1"), rounded_like("1200.55", "1.0")) == ("1201", "-1", "1200.6")
    assert difference("1200.0", "1200.0") == "+0.0"
