"""Ladders, histories, plots and pages from rows written down by hand."""

from typing import Any

import pytest
from msgspec import to_builtins
from orjson import loads

from rerate.board.rows import DeltaRow, SnapshotRow, deltas_in_order, read_snapshot
from rerate.board.views import (
    EventRating,
    LadderLine,
    LeftOut,
    Step,
    difference,
    event_ratings,
    history,
    inactive,
    ladder,
    ladder_as_of,
    left_out,
    months_of,
    persons_of,
    plot,
    rounded_like,
    system_on,
)
from rerate.messages.canonical import canonical
from tests.kit.all_systems import system_histories
from tests.kit.driving import Driven, club_list, lists
from tests.kit.laws import law
from tests.kit.saying import adjusted, minted, published, seeded
from tests.kit.sendable import Sendable

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


@pytest.mark.parametrize(("date", "there"), [("2024-02-29", 0), ("2024-03-01", 1)])
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


def test_a_plot_of_one_rating_over_time_is_a_plain_and_of_less_than_two_there_is_none() -> None:
    drawn = plot(steps(("2024-01-01", "1000.0"), ("2024-02-01", "1000.0")), width=4, height=2)
    assert drawn is not None
    assert drawn.lines == ("    ", "████")
    assert plot(steps(("2024-01-01", "1000.0"))) is None
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


# ---------------------------------------------------------------------- views of what pools publish

FIDE = {"id": "std", "quantum": "1", "shown": "1", "period": "month", "rules": [{"system": "fide/1", "parameters": {}}]}
US = club_list("us", quantum="0.01", rules=[{"system": "uschess/1", "parameters": {}}])


def snapshots_of(pool: Driven, list_id: str) -> list[SnapshotRow]:
    raw = pool.topics["rating-snapshots"]
    prefix = f"t:pool/{list_id}@{pool.head()['lists'][list_id]['edition']}/"
    return [read_snapshot(value) for key, value in sorted(raw.items()) if key.startswith(prefix)]


def deltas_of(pool: Driven, list_id: str) -> list[DeltaRow]:
    return deltas_in_order(canonical(value) for value in pool.deltas(list_id))


def as_of(pool: Driven, date: str, list_id: str = "std") -> dict[str, LadderLine]:
    found = ladder_as_of(snapshots_of(pool, list_id), deltas_of(pool, list_id), date)
    return {line.player.removeprefix("t:"): line for line in found}


def federation() -> Driven:
    """Seeds of 200 and 12 games; in February a rated pair, games against a newcomer, in March two newcomers."""
    return Driven(
        lists(1, FIDE, US),
        seeded("A", list="std", as_of="2025-12-01", state={"rating": "2100", "games": 200}),
        seeded("B", list="std", as_of="2025-12-01", state={"rating": "1700", "games": 12}),
        published("e1", 1, "A>B", "A>N", "B>N", date="2026-02-20"),
        published("e2", 1, "M>N", date="2026-03-20"),
    )


def test_before_any_game_a_seeded_player_has_the_games_of_the_seed() -> None:
    """Games against somebody without a rating count for nothing on the list, and are games all the same."""
    lines = as_of(federation(), "2025-12-31")
    assert {player: (line.games, line.rating, line.last_period) for player, line in lines.items()} == {
        "A": (200, "2100", None),
        "B": (12, "1700", None),
    }


def test_an_earlier_ladder_of_a_list_by_month_names_the_period_and_the_day_where_it_is_known() -> None:
    pool = federation()
    pool.take(published("e3", 1, "A>B", date="2026-05-05"))
    assert as_of(pool, "2026-03-31")["N"].last_period == "2026-02", "the list of March has the games up to February"
    lines = as_of(pool, "2026-04-30")
    told = {player: (line.games, line.last_game, line.last_period) for player, line in lines.items()}
    assert told == {
        "A": (202, None, "2026-02"),
        "B": (14, None, "2026-02"),
        "N": (3, "2026-03-20", "2026-03"),
        "M": (1, "2026-03-20", "2026-03"),
    }


def test_an_earlier_list_by_month_is_the_one_in_force_with_what_was_decided_ahead_of_it() -> None:
    """A period closes some days before its list comes out, and an adjustment before a month's first day is in the list of that day."""
    pool = Driven(
        lists(1, FIDE),
        *(
            seeded(who, list="std", as_of="2026-10-01", state={"rating": rating, "games": 40})
            for who, rating in (("A", "1850"), ("B", "1900"))
        ),
        published("e1", 1, "A>B", date="2026-12-05"),
        adjusted("base", 1, list="std", before="2027-01-01", add="5"),
    )
    days = ("2026-12-30", "2026-12-31", "2027-01-01", "2027-01-31")
    assert [as_of(pool, day)["A"].rating for day in days] == ["1850", "1850", "1866", "1866"]
    rated = pool.deltas("std")
    assert [delta["row"]["rating"] for delta in rated if delta["player"] == minted("A")] == ["1861", "1866"]


def test_the_last_month_of_the_calendar_is_in_force_on_its_last_day() -> None:
    pool = Driven(lists(1, FIDE), *(seeded(p, list="std", as_of="2026-10-01") for p in "AB"), published("e1", 1, "A>B", date="9999-12-05"))
    assert [as_of(pool, day)["A"].games for day in ("9999-12-30", "9999-12-31")] == [20, 21]


@law(system_histories(), share=0.2)
def test_the_rows_of_a_player_add_up_to_the_games_told_of_him(history: list[Sendable]) -> None:
    """Of every system, with seeds too: at the end the ladder is that of now, and before all games a newcomer has none."""
    pool = Driven()
    pool.take(*history)
    if not pool.updates:
        return
    for list_id, entry in pool.head()["lists"].items():
        if "held" in entry:
            continue
        now, then = ladder(snapshots_of(pool, list_id)), as_of(pool, "9999-12-31", list_id)
        assert {line.player: line.games for line in now} == {line.player: line.games for line in then.values()}
        for snapshot in snapshots_of(pool, list_id):
            if snapshot.as_of is None:
                steps = history_of(pool, list_id, snapshot.player)
                assert sum(step.games for step in steps) == snapshot.games == snapshot.won + snapshot.drawn + snapshot.lost


def history_of(pool: Driven, list_id: str, player: str) -> list[Step]:
    return history(delta for delta in deltas_of(pool, list_id) if delta.player == player)


@pytest.mark.parametrize(
    ("last_game", "system", "on", "told"),
    [
        ("2025-02-28", "fide/1", "2026-02-27", False),
        ("2025-02-28", "fide/1", "2026-02-28", True),
        ("2025-02", "fide-2009/1", "2026-02-27", False),
        ("2025-02", "fide-curve/1", "2026-02-28", True),
        ("2025-02-28", "club/1", "2026-02-28", None),
        ("2025-02-28", None, "2026-02-28", None),
        (None, "fide/1", "2026-02-28", None),
    ],
)
def test_who_has_no_rated_game_for_a_year_is_inactive_where_the_system_knows_that(
    last_game: str | None, system: str | None, on: str, told: bool | None
) -> None:
    assert inactive(last_game, system, on) is told


def test_one_rated_game_makes_active_again_and_a_seed_alone_says_nothing() -> None:
    pool = federation()
    pool.take(seeded("C", list="std", as_of="2025-12-01", state={"rating": "1900", "games": 40}))
    last = {player: line.inactive for player, line in as_of(pool, "2027-02-27").items()}
    assert last == {"A": True, "B": True, "C": None, "M": False, "N": False}
    pool.take(published("e3", 1, "A>B", date="2027-01-05"))
    lines = ladder(snapshots_of(pool, "std"), system=system_on(deltas_of(pool, "std"), "2027-03-20"), on="2027-03-20")
    assert {line.player.removeprefix("t:"): line.inactive for line in lines} == {"A": False, "B": False, "C": None, "M": True, "N": True}
    assert {line.inactive for line in as_of(pool, "2029-12-31", "us").values()} == {None}


def test_the_rule_in_force_is_that_of_the_newest_row_up_to_the_day() -> None:
    rules = [{"system": "fide/1", "parameters": {}}, {"from": "2026-03-01", "system": "fide-2009/1", "parameters": {}}]
    pool = Driven(
        lists(1, FIDE | {"rules": rules}), published("e1", 1, "A>B", date="2026-02-05"), published("e2", 1, "A>B", date="2026-04-05")
    )
    rows = deltas_of(pool, "std")
    assert [system_on(rows, date) for date in ("2026-01-31", "2026-03-15", "2026-04-01")] == [None, "fide/1", "fide-2009/1"]


def of_event(pool: Driven, event: str, list_id: str) -> dict[str, EventRating]:
    found = event_ratings(minted(event), deltas_of(pool, list_id))
    return {one.player.removeprefix("t:"): one for one in found}


def test_who_has_no_rating_is_expected_to_score_nothing_in_particular() -> None:
    pool = federation()
    told = {player: (one.score, one.games, one.not_counted, one.expected) for player, one in of_event(pool, "e1", "std").items()}
    assert told == {"A": ("1.0", 2, 1, "0.92"), "B": ("0.0", 2, 1, "0.08"), "N": ("0.0", 2, 0, None)}
    assert [(one.games, one.not_counted, one.expected) for one in of_event(pool, "e2", "std").values()] == [(1, 1, None)] * 2
    assert {one.expected for one in of_event(pool, "e1", "us").values()} == {None}, "the special formula expects no score"


def test_a_rating_is_shown_in_the_steps_of_its_list() -> None:
    """US Chess judges by a rating of six places, on a list that has two."""
    pool = Driven(lists(1, US), seeded("A", list="us", state={"rating": "1751.95", "games": 40}), published("e1", 1, "A>B"))
    assert of_event(pool, "e1", "us")["A"].judged_by == "1751.95"
    assert history_of(pool, "us", "t:A")[0].before == "1751.95"
    assert as_of(pool, "2024-01-01", "us")["A"].rating == "1751.95"


def why_not(pool: Driven, event: str, list_id: str) -> list[LeftOut]:
    value = canonical(pool.event(event))
    seeds = {one.player: one.as_of for one in snapshots_of(pool, list_id) if one.as_of is not None}
    ratings = event_ratings(minted(event), deltas_of(pool, list_id))
    return left_out(value, ratings, list_id, is_held="held" in pool.head()["lists"][list_id], seeded_from=seeds)


def test_an_event_says_which_lists_left_its_games_out_and_why() -> None:
    held = club_list("held", {"unheard_of": 1})
    pool = Driven(
        lists(1, FIDE, club_list(), club_list("cup", categories=["cup"]), held),
        seeded("A", list="std", as_of="2025-12-01", state={"rating": "2100", "games": 200}),
        published("e1", 1, "A>B", "C>D", date="2025-11-05"),
        published("e2", 1, "A>B", date="2025-11-06", lists=["elo"]),
        published("e3", 1, "A>B", date="2025-11-05", status="running"),
    )
    assert why_not(pool, "e1", "std") == [LeftOut(list="std", games=("g1",), why="before-seed", players=("t:A",))]
    assert why_not(pool, "e1", "cup") == [LeftOut(list="cup", games=("g1", "g2"), why="not-taken")]
    assert why_not(pool, "e1", "held") == [LeftOut(list="held", games=("g1", "g2"), why="held")]
    assert why_not(pool, "e1", "elo") == []
    assert why_not(pool, "e2", "cup") == [LeftOut(list="cup", games=("g1",), why="not-named")]
    assert why_not(pool, "e3", "elo") == [], "the games themselves say that the event is running"


def test_a_game_that_was_rated_is_not_told_as_left_out_beside_others_that_were() -> None:
    seeds = [seeded(who, as_of="2025-12-01") for who in ("X", "Y")]
    pool = Driven(lists(1, club_list()), *seeds, published("e1", 1, "A>B", "A>X", "B>Y", date="2025-11-05"))
    told = {one.games: one.players for one in why_not(pool, "e1", "elo")}
    assert told == {("g2",): ("t:X",), ("g3",): ("t:Y",)}


def test_a_rating_that_stands_in_is_the_one_before_also_after_rows_without_a_rating() -> None:
    rapid = FIDE | {
        "id": "rapid",
        "categories": ["rapid"],
        "rules": [{"system": "fide/1", "parameters": {"kind": "rapid", "fallback": "std"}}],
    }
    pool = Driven(
        lists(1, FIDE | {"categories": ["club"]}, rapid),
        *(seeded(who, list="std", as_of="2026-02-15", state={"rating": "1800", "games": 40}) for who in "AB"),
        seeded("C", list="rapid", as_of="2025-12-01", state={"rating": "1800", "games": 40}),
        published("e1", 1, "A>C", date="2026-01-10", category="rapid"),
        published("e2", 1, "A>C", date="2026-03-10", category="rapid"),
    )
    pooled, rated = history_of(pool, "rapid", "t:A")
    assert (pooled.before, pooled.rating) == (None, None)
    assert (rated.before, rated.rating, rated.change) == ("1800", "1820", "+20")
