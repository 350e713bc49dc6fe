"""The rules of `fide/1` at their borders, each with its date; what is left of `fide-2009/1` and `fide-curve/1` beside it."""

from typing import Any

import pytest

from rerate.ratings.face import FALLBACK, Forecast, State
from rerate.ratings.fide import Fide
from rerate.ratings.fide_2009 import Fide2009
from rerate.ratings.fide_core import FideLike
from rerate.ratings.fide_curve import FideCurve
from tests.kit.foretelling import expected as foretold
from tests.kit.foretelling import forecast
from tests.ratings.fide_kit import ME, Built, adds, moved, one_player, seeded
from tests.ratings.fide_random import next_month

FIDE, RAPID, BLITZ = (Fide({"kind": kind}, 1, "month") for kind in ("standard", "rapid", "blitz"))
OPPONENT = 1


def expected(own: str, *theirs: str, start: str = "2026-03-05", system: FideLike = FIDE) -> list[int]:
    """Expected scores in hundredths of one event, or why a game does not count."""
    games = [(at, 2, int(rating)) for at, rating in enumerate(theirs)]
    return [one.expected for one in system.judge(0, seeded(system, own), False, games, start).games]


# ---------------------------------------------------------------------- gaps


@pytest.mark.parametrize(
    ("start", "own", "theirs", "printed"),
    [
        ("2026-03-05", "2000", ["1600", "1599", "1000", "2400", "2401", "2900"], [92, 92, 92, 8, 8, 8]),
        ("2009-06-30", "2000", ["1650", "1649", "1000", "2350", "2351", "2900"], [89, 89, 89, 11, 11, 11]),
        ("2009-07-01", "2000", ["1650", "1608", "1000", "2350", "2392", "2900"], [89, 92, 92, 11, 8, 8]),
    ],
)
def test_the_cap_of_400_and_before_july_2009_of_350(start: str, own: str, theirs: list[str], printed: list[int]) -> None:
    assert expected(own, *theirs, start=start) == printed


@pytest.mark.parametrize(("start", "capped"), [("2025-09-30", True), ("2025-10-01", False)])
def test_from_2650_the_real_gap_counts_in_events_from_october_2025(start: str, capped: bool) -> None:
    assert expected("2650", "2150", "1900", start=start) == ([92, 92] if capped else [96, 100])
    assert expected("2649", "2149", "1900", start=start) == [92, 92]


def test_only_the_players_own_rating_lifts_the_cap() -> None:
    assert expected("2150", "2650") == [8]
    assert expected("2650", "2150", start="2026-03-05", system=RAPID) == [92]
    assert expected("2650", "2150", start="2026-03-05", system=BLITZ) == [92]


@pytest.mark.parametrize(
    ("start", "printed"),
    [("2021-12-31", [92, 92, 92]), ("2022-01-01", [96, 98, 92]), ("2024-02-29", [96, 98, 92]), ("2024-03-01", [92, 92, 92])],
)
def test_from_2022_to_february_2024_one_game_of_an_event_is_capped_the_one_of_the_widest_gap(start: str, printed: list[int]) -> None:
    """2000 against 1500, 1400 and 1300: .96, .98 and .92 for 400."""
    assert expected("2000", "1500", "1400", "1300", start=start) == printed


def test_one_capped_game_is_for_the_stronger_player_only_and_once_among_equal_gaps() -> None:
    assert expected("2000", "2500", "2600", "2700", start="2023-05-01") == [8, 8, 8]
    assert sorted(expected("2000", "1300", "1300", start="2023-05-01")) == [92, 99]
    assert expected("2000", "1601", "1700", start="2023-05-01") == [92, 85]
    none = Fide({"one_capped_from": 20240301}, 1, "month")
    assert expected("2000", "1500", "1400", "1300", start="2023-05-01", system=none) == [92, 92, 92]


@pytest.mark.parametrize("system", [RAPID, BLITZ])
@pytest.mark.parametrize(
    ("own", "theirs", "counts"),
    [
        ("2601", "2001", False),
        ("2601", "2002", True),
        ("2600", "2000", True),
        ("2001", "2601", False),
        ("2002", "2601", True),
        ("2000", "2600", True),
        ("2700", "1500", False),
    ],
)
def test_in_rapid_and_blitz_a_gap_of_600_is_not_rated_above_2600(system: Fide, own: str, theirs: str, counts: bool) -> None:
    assert (expected(own, theirs, start="2024-12-01", system=system)[0] >= 0) is counts
    assert expected(own, theirs, start="2024-11-30", system=system)[0] >= 0
    assert expected(own, theirs, start="2024-12-01", system=FIDE)[0] >= 0


# ---------------------------------------------------------------------- K


def k_of(system: FideLike, state: State, month: str = "2026-03", born: int | None = None, start: str = "") -> int:
    built = Built(system, month)
    built.now = {ME: state, OPPONENT: seeded(system, "1800")}
    if born is not None:
        built.traits[ME] = (("birth_year", born),)
    built.game(built.event(start or f"{month}-05"), ME, OPPONENT, 1)
    return int(built.rate()[ME].lines[0].k)


@pytest.mark.parametrize(
    ("month", "standard", "rapid"),
    [("2010-01", (25, 15, 10), 20), ("2014-06", (30, 15, 10), 20), ("2014-07", (40, 20, 10), 20), ("2022-09", (40, 20, 10), 20)],
)
def test_k_by_the_month_of_the_list(month: str, standard: tuple[int, ...], rapid: int) -> None:
    states = [seeded(FIDE, "1800", 29), seeded(FIDE, "1800", 30), seeded(FIDE, "1800", 30, reached_2400=True)]
    assert tuple(k_of(FIDE, state, month) for state in states) == standard
    assert {k_of(system, state, month) for state in states for system in (RAPID, BLITZ)} == {rapid}


def test_rapid_and_blitz_have_the_same_k_since_october_2022() -> None:
    states = [seeded(FIDE, "1800", 29), seeded(FIDE, "1800", 30), seeded(FIDE, "1800", 30, reached_2400=True)]
    assert [k_of(RAPID, state, "2022-10") for state in states] == [40, 20, 10]


@pytest.mark.parametrize(
    ("rating", "fields", "born", "month", "k"),
    [
        ("2299", {}, 2008, "2026-12", 40),
        ("2299", {}, 2008, "2027-01", 20),
        ("2300", {}, 2008, "2026-12", 20),
        ("2200", {"reached_2300": True}, 2015, "2026-12", 20),
        ("2200", {"reached_2400": True}, 2015, "2026-12", 10),
        ("2299", {}, 2000, "2014-06", 15),
        ("2299", {}, 2000, "2014-07", 40),
    ],
)
def test_the_junior_k_until_the_year_of_the_18th_birthday_below_2300(rating: str, fields: Any, born: int, month: str, k: int) -> None:
    assert k_of(FIDE, seeded(FIDE, rating, 30, **fields), month, born) == k


def test_reaching_2400_or_2300_is_for_good() -> None:
    for rating, latch in (("2299", "reached_2300"), ("2399", "reached_2400")):
        built = one_player(FIDE, seeded(FIDE, rating, 30), [(rating, [["2290", "1"]])])
        fields = FIDE.wire_state(built.rate()[ME].state)
        assert (fields["rating"], fields[latch]) > (rating, False)
        low = FIDE.seed({**fields, "rating": "2000"})
        assert low is not None
        assert FIDE.wire_state(low)[latch] is True


def test_a_rating_one_below_sets_no_latch() -> None:
    assert FIDE.wire_state(seeded(FIDE, "2299"))["reached_2300"] is False
    assert FIDE.wire_state(seeded(FIDE, "2300"))["reached_2300"] is True
    assert FIDE.wire_state(seeded(FIDE, "2399"))["reached_2400"] is False
    assert FIDE.wire_state(seeded(FIDE, "2400")) | {"rating": ""} == FIDE.wire_state(
        seeded(FIDE, "1500", reached_2300=True, reached_2400=True)
    ) | {"rating": ""}


def test_k_comes_from_the_list_before_and_the_rating_from_the_one_at_the_start() -> None:
    """An event begun at 2380 with 29 games, written to a list on which the player is at 2405: K 10, and .56 against 2340."""
    built = one_player(FIDE, seeded(FIDE, "2405", 30), [("2380", [["2340", "1"]])])
    [line] = built.rate()[ME].lines
    assert (line.k, line.rating, line.expected) == (10, 2380, 56)


@pytest.mark.parametrize(("month", "k"), [("2014-06", 15), ("2014-07", 10)])
def test_until_june_2014_k_goes_by_the_start_of_the_event(month: str, k: int) -> None:
    built = one_player(FIDE, seeded(FIDE, "2405", 30), [("2380", [["2340", "1"]])], f"{month}-01", month)
    assert built.rate()[ME].lines[0].k == k


@pytest.mark.parametrize(("month", "k"), [("2009-06", 10), ("2009-07", 15)])
def test_by_the_older_method_k_goes_by_the_start_of_the_event_since_july_2009(month: str, k: int) -> None:
    system = Fide2009({"lists": "monthly"}, 1, "month")
    built = one_player(system, seeded(system, "2405", 30), [("2380", [["2340", "1"]])], f"{month}-01", month)
    assert built.rate()[ME].lines[0].k == k


def test_the_700_rule_counts_the_games_of_all_events_that_count() -> None:
    games = [["1800", "0.5"]] * 9
    built = one_player(FIDE, seeded(FIDE, "1800", 0), [(None, games), (None, games), (None, [["", "1"]] * 5)])
    assert [line.k for line in built.rate()[ME].lines] == [38, 38, 38]
    assert [line.games for line in built.rate()[ME].lines] == [9, 9, 0]


def test_the_700_rule_came_with_k_40() -> None:
    games = [["1800", "0.5"]] * 60
    for month, k in (("2014-06", 15), ("2014-07", 11)):
        built = one_player(FIDE, seeded(FIDE, "1800"), [("1800", games)], f"{month}-05", month)
        assert built.rate()[ME].lines[0].k == k


# ---------------------------------------------------------------------- which games count


def test_a_game_against_an_unrated_player_counts_for_him_and_not_for_the_other() -> None:
    built = Built(FIDE)
    built.now = {ME: seeded(FIDE, "1800")}
    built.game(built.event("2026-03-05"), ME, OPPONENT, 0)
    rows = built.rate()
    assert rows[ME].state == built.now[ME]
    assert rows[OPPONENT].state[3:] == (2026 * 12 + 2, 1, 2, 1800)


def test_only_for_the_sides_that_the_facts_name() -> None:
    for rated, players in ((1, {ME}), (2, {OPPONENT}), (3, {ME, OPPONENT})):
        built = Built(FIDE)
        built.now = {ME: seeded(FIDE, "1800"), OPPONENT: seeded(FIDE, "1800")}
        built.game(built.event("2026-03-05"), ME, OPPONENT, 2, rated)
        assert built.rate().keys() == players


def test_who_got_his_rating_after_the_start_plays_as_rated_and_counts_as_unrated() -> None:
    """B02 8.2.4."""
    built = Built(FIDE)
    late, other = seeded(FIDE, "1900", 0), seeded(FIDE, "1900", 30)
    built.now = {ME: late, OPPONENT: other}
    built.older[("2026-01",)] = {OPPONENT: other}
    built.game(built.event("2026-01-20", "2026-03-02", ("2026-01",)), ME, OPPONENT, 2)
    rows = built.rate()
    assert (rows[ME].state[0], rows[OPPONENT].state[0]) == (1920, 1900)
    assert [step.code for step in FIDE.explain(built.period(), OPPONENT)] == ["own", "k", "not-counted", "sum", "rounding"]
    assert "1900 by now" in FIDE.explain(built.period(), ME)[0].text


def test_who_has_lost_his_rating_since_the_start_pools_and_counts_as_rated() -> None:
    built = Built(FIDE)
    was, other = seeded(FIDE, "1410"), seeded(FIDE, "1410")
    built.now = {ME: seeded(FIDE, None), OPPONENT: other}
    built.older[("2026-01",)] = {ME: was, OPPONENT: other}
    built.game(built.event("2026-01-20", "2026-03-02", ("2026-01",)), ME, OPPONENT, 2)
    rows = built.rate()
    assert rows[OPPONENT].state[0] == 1400
    assert not FIDE.rated(rows[ME].state)
    assert len(rows[ME].state) == 7


# ---------------------------------------------------------------------- first ratings


def pooling(*months: tuple[str, list[list[str]]], system: FideLike = FIDE) -> tuple[State, Built]:
    """An unrated player's state after his months, and the last of them."""
    state: State | None = None
    built = Built(system)
    for month, games in months:
        built = one_player(system, state, [(None, games)], f"{month}-05", month)
        state = built.rate()[ME].state
    assert state is not None
    return state, built


DRAW = ["1800", "0.5"]


def test_results_of_successive_months_are_pooled() -> None:
    state, _ = pooling(("2026-01", [DRAW, DRAW]), ("2026-02", [DRAW, DRAW]))
    assert FIDE.wire_state(state) == {
        "games": 0,
        "reached_2300": False,
        "reached_2400": False,
        "first_event_over": True,
        "pool_2026_01": "games2-half2-sum3600",
        "pool_2026_02": "games2-half2-sum3600",
    }
    after, built = pooling(("2026-01", [DRAW, DRAW]), ("2026-02", [DRAW, DRAW]), ("2026-04", [DRAW]))
    assert FIDE.wire_state(after)["rating"] == "1800"
    assert adds(built) == 1800


@pytest.mark.parametrize(("last", "is_rated"), [("2026-02", True), ("2026-03", False)])
def test_for_26_months_in_a_row(last: str, is_rated: bool) -> None:
    state, _ = pooling(("2024-01", [DRAW] * 2), (last, [DRAW] * 3))
    assert FIDE.rated(state) is is_rated


def test_a_month_in_which_nothing_counts_drops_what_is_too_old() -> None:
    state, _ = pooling(("2024-01", [DRAW] * 2), ("2025-01", [DRAW]), ("2026-03", [["", "1"]]))
    assert [name for name in FIDE.wire_state(state) if name.startswith("pool")] == ["pool_2025_01"]


def test_a_first_event_without_a_point_is_dropped_and_a_second_is_not() -> None:
    lost = ["1800", "0"]
    state, built = pooling(("2026-01", [lost, lost]))
    assert FIDE.wire_state(state)["first_event_over"] is True
    assert len(state) == 3
    assert built.rate()[ME].lines[0].is_dropped
    assert "dropped" in FIDE.explain(built.period(), ME)[-2].text
    state, built = pooling(("2026-01", [lost, lost]), ("2026-02", [lost, lost]))
    assert state[3:] == (2026 * 12 + 1, 2, 0, 3600)
    state, _ = pooling(("2026-01", [["", "1"]]), ("2026-02", [lost]))
    assert len(state) == 3, "the first event is the first with a game that counts"


def test_the_first_event_is_what_ended_first() -> None:
    for ends, dropped in ((("2026-03-10", "2026-03-09"), [False, True]), (("2026-03-09", "2026-03-10"), [False, False])):
        built = Built(FIDE)
        built.now = {player: seeded(FIDE, "1800") for player in (1, 2)}
        built.game(built.event("2026-03-05", ends[0]), ME, 1, 1)
        built.game(built.event("2026-03-05", ends[1]), ME, 2, 0)
        assert [line.is_dropped for line in built.rate()[ME].lines] == dropped


def test_parts_of_one_event_are_one_event() -> None:
    """With `dated_by: game` each day of an event may have a number of its own."""
    built = Built(FIDE)
    built.now = {player: seeded(FIDE, "1800") for player in (1, 2)}
    built.game(built.event("2026-03-05", "2026-03-20", id="w:league"), ME, 1, 0)
    built.game(built.event("2026-03-12", "2026-03-20", id="w:league"), ME, 2, 1)
    assert [line.is_dropped for line in built.rate()[ME].lines] == [False, False]


@pytest.mark.parametrize(("month", "rating"), [("2024-02", 2420), ("2024-03", 2200)])
def test_the_limit_of_2200_came_in_march_2024(month: str, rating: int) -> None:
    games = [["2400", "1"], ["2400", "1"], ["2400", "1"], ["2400", "0"], ["2400", "0"]]
    state, _ = pooling((month, games))
    assert state[0] == rating
    assert FIDE.wire_state(state)["reached_2400"] is (rating >= 2400)


def test_the_rule_of_a_first_rating_goes_by_the_start_of_the_latest_event() -> None:
    games = [["2400", "1"], ["2400", "1"], ["2400", "1"], ["2400", "0"], ["2400", "0"]]
    for start, rating in (("2024-02-29", 2420), ("2024-03-01", 2200)):
        assert one_player(FIDE, None, [(None, games)], start, "2024-03").rate()[ME].state[0] == rating


@pytest.mark.parametrize(
    ("month", "games", "is_rated"),
    [
        ("2024-02", [["1000", "0.5"]] * 5, True),  # 1000
        ("2024-02", [["1000", "0.5"]] * 4 + [["1000", "0"]], False),  # 928
        ("2024-03", [["1400", "0.5"]] + [["1400", "0"]] * 4, False),  # with two of 1800: 1284
    ],
)
def test_a_first_rating_below_the_floor_is_not_published_and_goes_on_pooling(month: str, games: list[list[str]], is_rated: bool) -> None:
    state, built = pooling((month, games))
    assert FIDE.rated(state) is is_rated
    if not is_rated:
        assert state[4] == 5
        assert FIDE.explain(built.period(), ME)[-1].code == "floor"
        better, _ = pooling((month, games), (next_month(month), [["2000", "1"]] * 5))
        assert FIDE.rated(better)


def test_the_explanation_of_a_first_rating_tells_every_game_and_month() -> None:
    _, built = pooling(("2026-01", [DRAW, DRAW]), ("2026-03", [DRAW, ["", "1"], ["1700", "1"], ["1900", "0"]]))
    steps = FIDE.explain(built.period(), ME)
    assert [step.code for step in steps] == ["counts", "not-counted", "counts", "counts", "pooled", "pooled", "initial", "initial"]
    assert [step.text for step in steps[-4:]] == [
        "2026-01: 1.0 of 2 games are pooled",
        "2026-03: 1.5 of 3 games are pooled",
        "2 imaginary opponents rated 1800 are added, each game drawn",
        "3.5 of 7 games, share 0.50, opponents' mean 1800.00: +0, so 1800",
    ]
    assert steps[0].text == "against 1800 in the list in force on 2026-03-05: scored 0.5"


def test_the_explanation_of_too_few_games_says_so() -> None:
    _, built = pooling(("2026-03", [DRAW, DRAW]))
    assert FIDE.explain(built.period(), ME)[-1].text == "2 games are too few for a rating"


def test_the_explanation_of_a_change_tells_every_number() -> None:
    built = one_player(FIDE, seeded(FIDE, "2650"), [("2655", [["3400", "0.5"], ["2600", "1"]])])
    assert [(step.code, step.text) for step in FIDE.explain(built.period(), ME)] == [
        ("own", "rated 2655 in the list in force on 2026-03-05"),
        ("k", "K 10 for good, a published rating has been 2400 or more"),
        ("change", "against 3400, gap -745: scored 0.5, expected 0.00, K 10: +5"),
        ("change", "against 2600, gap 55: scored 1.0, expected 0.58, K 10: +4.2"),
        ("sum", "scored 1.5 of 2, expected 0.58, K 10: +9.2"),
        ("rounding", "the changes +9.2, rounded half away from zero to +9"),
    ]


@pytest.mark.parametrize(
    ("system", "start", "source"),
    [
        (FIDE, "2025-10-01", "FIDE B02 8.3.1 (2025-10-01)"),
        (RAPID, "2025-10-01", "FIDE rapid and blitz regulations (2024-03-01; as B02 8.3.1)"),
        (FIDE, "2024-03-01", "FIDE B02 8.3.1 (2024-03-01)"),
        (FIDE, "2024-02-29", "FIDE B02 8.3.1 (2022-01-01)"),
        (FIDE, "2021-12-31", "FIDE B02 8.5 (2009-07-01)"),
        (FIDE, "2009-06-30", "FIDE B02 10.5 (before 2009-07-01)"),
    ],
)
def test_a_game_names_the_rule_of_its_events_start(system: Fide, start: str, source: str) -> None:
    built = one_player(system, seeded(system, "1800"), [("1800", [["1800", "1"]])], start)
    assert next(step.source for step in system.explain(built.period(), ME) if step.code == "change") == source


# ---------------------------------------------------------------------- floor


@pytest.mark.parametrize(
    ("month", "rating", "after"),
    [("2024-02", "1001", None), ("2024-02", "1002", 1000), ("2024-03", "1401", None), ("2024-03", "1402", 1400), ("2026-03", "1410", 1408)],
)
def test_who_falls_below_the_floor_has_no_rating(month: str, rating: str, after: int | None) -> None:
    """A loss against somebody far above costs .08 x 20 = 1.6."""
    built = one_player(FIDE, seeded(FIDE, rating), [(rating, [["2500", "0"]])], f"{month}-05", month)
    state = built.rate()[ME].state
    assert (state[0] if FIDE.rated(state) else None) == after
    assert adds(built) == moved(built)


def test_who_has_fallen_is_treated_like_anybody_without_a_rating() -> None:
    fallen = one_player(FIDE, seeded(FIDE, "1401", 12), [("1401", [["2500", "0"]])]).rate()[ME].state
    assert (FIDE.rated(fallen), FIDE.provisional(fallen), fallen[2]) == (False, True, 13)
    back = one_player(FIDE, fallen, [(None, [DRAW] * 5)], "2026-04-05", "2026-04").rate()[ME].state
    assert FIDE.wire_state(back) == FIDE.wire_state(seeded(FIDE, "1800", 13))


# ---------------------------------------------------------------------- rounding


@pytest.mark.parametrize(
    ("games", "points"),
    [
        ([["1813", "1"]], 3),
        ([["2193", "0"]], -3),
        ([["1813", "1"], ["2193", "0"]], 0),
        ([["1813", "1"], ["1813", "1"]], 5),
        ([["1816", "1"]], 3),
        ([["1805", "1"]], 2),
    ],
)
def test_half_a_point_goes_away_from_zero_and_once_a_period(games: list[list[str]], points: int) -> None:
    """K 10 x .25 for a gap of 190; .26 and .24 beside it."""
    own = seeded(FIDE, "2003", reached_2400=True)
    assert moved(one_player(FIDE, own, [(None, games)])) == points
    assert moved(one_player(FIDE, own, [(None, [game]) for game in games])) == points


def test_or_of_each_event_by_parameter() -> None:
    by_event = Fide({"rounding": "event"}, 1, "month")
    built = one_player(by_event, seeded(FIDE, "2003", reached_2400=True), [(None, [["1813", "1"]]), (None, [["1813", "1"]])])
    assert moved(built) == adds(built) == 6


# ---------------------------------------------------------------------- forecasts, adjustments


def test_a_forecast_is_the_expected_score_of_the_method_at_that_date() -> None:
    strong, weak = seeded(FIDE, "2700"), seeded(FIDE, "2200")
    assert [foretold(FIDE, strong, weak, (month,)) for month in ("2025-09", "2025-10")] == [920_000, 960_000]
    assert foretold(FIDE, weak, strong, ("2025-10",)) == 80_000
    assert foretold(RAPID, strong, seeded(FIDE, "1500"), ("2025-10",)) == 920_000
    assert foretold(Fide2009({}, 1, "month"), strong, weak, ("2009-06",)) == 890_000
    curve = FideCurve({}, 10, "date")
    assert foretold(curve, seeded(curve, "2000"), seeded(curve, "1800"), ("2026-03-05",)) == 759_747
    assert foretold(curve, seeded(curve, "1800"), seeded(curve, "2000"), ("2026-03-05",)) == 240_253


def test_where_one_has_no_rating_a_forecast_is_a_half() -> None:
    rated, unrated = seeded(FIDE, "2700"), seeded(FIDE, None, 0)
    assert foretold(FIDE, None, rated, ("2026-03",)) == foretold(FIDE, rated, None, ("2026-03",)) == 500_000
    assert foretold(FIDE, unrated, rated, ("2026-03",)) == foretold(FIDE, None, None, ("2026-03",)) == 500_000
    curve = FideCurve({"newcomer": "1500"}, 10, "event")
    assert foretold(curve, None, seeded(curve, "1700"), ("2026-03-05", 0, "w:e")) == 240_253


def test_a_forecast_goes_by_the_first_day_of_the_event_and_the_list_that_it_reads() -> None:
    strong, weak, low = seeded(FIDE, "2700"), seeded(FIDE, "2200"), seeded(FIDE, "1390")
    began = forecast(FIDE, strong, weak, ("2025-10",), start="2025-09-28")
    assert began == Forecast(920_000, is_rated=True)  # the cap of 400 points held for those of 2650 and more, too
    assert forecast(FIDE, strong, weak, ("2025-10",), start="2025-10-01") == Forecast(960_000, is_rated=True)
    older = forecast(FIDE, strong, strong, ("2025-10",), start="2025-09-28", reads=("2025-09",), read=(weak, strong))
    assert older == Forecast(80_000, is_rated=True)
    assert forecast(FIDE, low, weak, ("2024-04",), start="2024-04-02") == Forecast(500_000, is_rated=False)
    assert forecast(FIDE, low, seeded(FIDE, "1500"), ("2024-02",), start="2024-02-02").is_rated
    assert forecast(FIDE, low, seeded(FIDE, "1500"), ("2024-03",), start="2024-02-27", reads=("2024-02",), read=(low, low)).is_rated


def test_a_forecast_knows_the_rating_that_stands_in() -> None:
    rapid, strong = Fide({"kind": "rapid", "fallback": "std"}, 1, "month"), seeded(FIDE, "2000")
    other = ((FALLBACK, "1800"),)
    assert foretold(rapid, strong, None, ("2026-03",), ((), other)) == 760_000
    assert foretold(rapid, None, strong, ("2026-03",), (other, ())) == 240_000
    assert foretold(rapid, strong, seeded(FIDE, "1900"), ("2026-03",), (other, other)) == 640_000
    assert foretold(FIDE, strong, None, ("2026-03",), ((), other)) == 500_000


@pytest.mark.parametrize(
    ("state", "kind", "value", "rating"),
    [
        ("1500", "set", "1600", "1600"),
        ("1500", "add", "-20", "1480"),
        ("1500", "add", "20", "1520"),
        ("1500", "formula", "raise-2024", "1700"),
        ("2000", "formula", "raise-2024", "2000"),
        (None, "set", "1600", "1600"),
        (None, "add", "20", None),
        (None, "formula", "raise-2024", None),
    ],
)
def test_an_adjustment_by_decision(state: str | None, kind: str, value: str, rating: str | None) -> None:
    before = seeded(FIDE, state, 7)
    after = FIDE.adjust(before, kind, value)
    assert after is not None
    assert FIDE.wire_state(after).get("rating") == rating
    assert after[2] == 7
    if rating is None:
        assert after == before


@pytest.mark.parametrize(("kind", "value"), [("set", "1700"), ("add", "200"), ("formula", "raise-2024")])
def test_an_adjustment_leaves_games_and_latches(kind: str, value: str) -> None:
    for fields in ({"reached_2300": True}, {"reached_2300": True, "reached_2400": True}, {}):
        assert FIDE.adjust(seeded(FIDE, "1500", 12, **fields), kind, value) == seeded(FIDE, "1700", 12, **fields)


def test_an_adjusted_rating_sets_the_latches_and_ends_pooling() -> None:
    pooled = seeded(FIDE, None, 3, pool_2026_01="games2-half2-sum3600")
    after = FIDE.adjust(pooled, "set", "2400")
    assert after is not None
    assert FIDE.wire_state(after) == FIDE.wire_state(seeded(FIDE, "2400", 3))


@pytest.mark.parametrize(
    ("kind", "value"),
    [("set", "0"), ("set", "-5"), ("set", "1500.5"), ("set", "x"), ("add", "-1500"), ("add", "9000"), ("formula", "raise"), ("drop", "5")],
)
def test_an_adjustment_that_cannot_be_made(kind: str, value: str) -> None:
    assert FIDE.adjust(seeded(FIDE, "1500"), kind, value) is None


def test_the_older_method_has_no_formula_and_a_curve_raises_in_its_quanta() -> None:
    system = Fide2009({}, 1, "month")
    assert system.adjust(seeded(system, "1500"), "formula", "raise-2024") is None
    curve = FideCurve({}, 10, "month")
    after = curve.adjust(seeded(curve, "1500.2"), "formula", "raise-2024")
    assert after is not None
    assert curve.wire_state(after)["rating"] == "1700.1"
