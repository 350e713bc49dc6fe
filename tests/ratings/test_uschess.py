"""The US Chess system rule by rule: every boundary, every parameter, what is refused."""

from fractions import Fraction
from typing import Any

import pytest

from rerate.messages.facts import RatingList, Rule
from rerate.ratings.face import BLACK, WHITE, State, Unusable
from rerate.ratings.systems import ListRules
from rerate.ratings.uschess import NAME, PARAMETERS, USChess
from rerate.ratings.uschess_formulas import bonus_constant, effective_games, from_fide, ratio, special
from tests.kit.foretelling import expected
from tests.ratings.uschess_event import Rated, against

ALL = {name: default for name, (default, _) in PARAMETERS.items()}
WINS = [["1500", "1"]] * 4


def system(per_point: int = 1000, **parameters: Any) -> USChess:
    return USChess(parameters, per_point, "event")


def own(rating: str, games: int = 40, **more: Any) -> dict[str, Any]:
    return {"rating": rating, "games": games, **more}


def started(traits: dict[str, str | int | bool], end: str = "2025-06-01", **parameters: Any) -> tuple[str, Fraction]:
    """Where a newcomer's starting value comes from, and the value."""
    line = against(system(**parameters), None, [["1500", "1"]], traits={"me": traits}, end=end).line("me")
    return line["start"], Fraction(line["rating"])


# ---------------------------------------------------------------------- parameters


def test_the_defaults() -> None:
    assert ALL == {
        "bonus": "table",
        "bonus_three": "twice",
        "start": "1300",
        "start_order": "fide",
        "age_by": "years",
        "fide_edition": "2025",
        "fide_trait": "fide",
        "us_trait": "us_chess",
        "conversion_games": "text",
        "flat_stretch": "prior",
        "floors": "last",
        "peak_rounded": "no",
        "life_master": "established",
        "dual_category": "none",
        "match_category": "none",
        "match_floors": "yes",
    }


def test_the_defaults_may_be_said() -> None:
    said = {name: value for name, value in ALL.items() if value != ""}
    assert against(system(**said), own("1500"), WINS).rows == against(system(), own("1500"), WINS).rows


@pytest.mark.parametrize(
    "parameters",
    [
        {"bonus": "0"},
        {"bonus": "1000"},
        {"bonus": "10.125"},
        {"start": "100"},
        {"start": "4000"},
        {"start": "1300.125"},
        {"fide_edition": "old"},
        {"dual_category": "30-65"},
        {"match_category": "0"},
        {"fide_trait": "fide_rapid"},
    ],
)
def test_values_at_the_bounds_are_taken(parameters: dict[str, Any]) -> None:
    assert system(**parameters).name == NAME == "uschess/1"


@pytest.mark.parametrize(
    "parameters",
    [
        {"bonus": "1000.001"},
        {"bonus": "-1"},
        {"bonus": 10},
        {"bonus": "10.0001"},
        {"bonus": "tables"},
        {"start": "99.999"},
        {"start": "4000.001"},
        {"start": 1300},
        {"start": "1300.0005"},
        {"fide_edition": "2020"},
        {"fide_edition": 2025},
        {"bonus_three": True},
        {"start_order": "age"},
        {"age_by": "months"},
        {"conversion_games": "5"},
        {"flat_stretch": ""},
        {"floors": "first"},
        {"peak_rounded": False},
        {"life_master": "none"},
        {"match_floors": "maybe"},
        {"dual_category": ""},
        {"dual_category": 3},
        {"match_category": "A match"},
        {"fide_trait": "Fide"},
        {"us_trait": "fide"},
        {"us_trait": True},
        {"k": 20},
    ],
)
def test_other_values_and_unknown_names_are_refused(parameters: dict[str, Any]) -> None:
    with pytest.raises(Unusable) as refused:
        system(**parameters)
    assert refused.value.reason == "parameters"


@pytest.mark.parametrize("period", ["game", "round", "date", "month"])
def test_a_period_is_an_event_and_nothing_else(period: str) -> None:
    with pytest.raises(Unusable):
        USChess({}, 1000, period)


@pytest.mark.parametrize(("per_point", "rating"), [(10, "1666.7"), (100, "1666.67"), (1000, "1666.667")])
def test_a_rating_is_rounded_once_to_the_lists_quantum(per_point: int, rating: str) -> None:
    assert against(system(per_point), own("1500", 0), [["1500", "1"], ["1400", "1"], ["1700", "0"]]).rating("me") == rating


def test_ratings_in_whole_points_are_refused_since_the_system_keeps_fractions() -> None:
    with pytest.raises(Unusable):
        system(1)


def test_an_exact_half_of_a_quantum_goes_up() -> None:
    """1500.25 exactly, in tenths."""
    event = against(system(10), own("1300", 0), [["1500", "1"], ["1500.5", "0"]])
    assert event.rating("me") == "1500.3"


def test_it_asks_for_events_only_where_a_category_matters_and_for_the_traits_it_uses() -> None:
    assert [system(**given).sees_events for given in ({}, {"dual_category": "dual"}, {"match_category": "match"})] == [False, True, True]
    assert system().traits == {"birth_date", "birth_year", "fide", "us_chess"}
    assert system(fide_edition="none", us_trait="quick").traits == {"birth_date", "birth_year", "quick"}
    assert not system().reads_older


# ---------------------------------------------------------------------- step 1: starting values


@pytest.mark.parametrize(
    ("year", "value"), [(2025, 100), (2024, 100), (2023, 100), (2022, 150), (2005, 1000), (1999, 1300), (1998, 1300), (1876, 1300)]
)
def test_a_starting_value_by_year_of_birth(year: int, value: int) -> None:
    assert started({"birth_year": year}) == ("birth_year", value)
    assert started({"birth_year": str(year)}) == ("birth_year", value)


@pytest.mark.parametrize("year", [2026, 1875, -5, True, "about-1990", "1990.5", "199000000"])
def test_a_year_that_cannot_be_is_no_age(year: Any) -> None:
    assert started({"birth_year": year}) == ("unknown", 1300)
    assert started({"birth_year": year}, start="1200.5") == ("unknown", Fraction("1200.5"))


@pytest.mark.parametrize(
    ("born", "whole", "exact"),
    [
        (20050601, 1000, Fraction(50 * 4 * 7305, 1461)),  # 20 on that day, and 20.0 years of 365.25 days
        (20050602, 950, Fraction(50 * 4 * 7304, 1461)),
        (20230602, 100, 100),
        (20230601, 100, Fraction(50 * 4 * 731, 1461)),
        (19990601, 1300, 1300),  # 9497 days are 26.001 years
        (19980602, 1300, 1300),
        (20250601, 100, 100),
    ],
)
def test_a_starting_value_by_date_of_birth(born: int, whole: int, exact: Fraction) -> None:
    assert started({"birth_date": born, "birth_year": 1950}) == ("birth_date", whole)
    found = started({"birth_date": born}, age_by="days")[1]
    assert abs(found - exact) < Fraction(1, 10**6)


@pytest.mark.parametrize("born", [20250602, 20230230, 19991, True, "1999-06-01", 0])
def test_a_date_of_birth_that_cannot_be_leaves_the_year(born: Any) -> None:
    assert started({"birth_date": born, "birth_year": 2005}) == ("birth_year", 1000)
    assert started({"birth_date": born}) == ("unknown", 1300)


def test_the_order_of_starting_values() -> None:
    traits: dict[str, Any] = {"fide": 2000, "us_chess": "1777.5", "birth_year": 2005}
    assert started(traits) == ("fide", Fraction("2060.4"))
    assert started(traits, start_order="us") == ("us", Fraction("1777.5"))
    assert started(traits, fide_edition="none") == ("us", Fraction("1777.5"))
    assert started(traits, fide_edition="none", us_trait="quick") == ("birth_year", 1000)
    assert started({"fide_rapid": 2001}, fide_trait="fide_rapid") == ("fide", Fraction("2061.02"))


@pytest.mark.parametrize("fide", [99, 4001, "strong", True, -2000, "2000.0001"])
def test_a_rating_that_cannot_be_is_none(fide: Any) -> None:
    assert started({"fide": fide, "birth_year": 2005}) == ("birth_year", 1000)


@pytest.mark.parametrize(
    ("edition", "fide", "us"),
    [
        ("2025", "2000", "2060.4"),
        ("2025", "2000.001", "2060.00102"),
        ("2025", "1000", "493.7"),
        ("old", "2000", "2060"),
        ("old", "2000.001", "2060.00094"),
    ],
)
def test_a_conversion_has_a_corner_at_2000(edition: str, fide: str, us: str) -> None:
    found = from_fide(ratio(*Fraction(fide).as_integer_ratio()), edition)
    assert Fraction(found.top, found.bottom) == Fraction(us)


def test_a_weak_fide_rating_is_not_converted_below_the_floor() -> None:
    assert started({"fide": 740}) == ("fide", 100)


@pytest.mark.parametrize(("fide", "games"), [(2150, 5), ("2150.001", 10), (1800, 5)])
def test_by_the_text_a_converted_rating_stands_for_games(fide: int | str, games: int) -> None:
    traits = {"me": {"fide": fide}}
    plain = against(system(conversion_games="none"), None, WINS, traits=traits)
    text = against(system(), None, WINS, traits=traits)
    assert (plain.line("me")["games_before"], plain.state("me")["games"]) == (0, 4)
    assert (text.line("me")["games_before"], text.state("me")["games"]) == (games, games + 4)
    assert text.line("me")["formula"] == ("special" if games == 5 else "standard")
    assert [plain.state("me")["dropped"], text.state("me")["dropped"]] == [False, True]  # what was converted was not all won


# ---------------------------------------------------------------------- step 2: effective games


@pytest.mark.parametrize(
    ("rating", "games", "effective"),
    [
        ("2355", 50, "49.989"),
        ("2355.001", 50, "50"),
        ("2355.001", 51, "50"),
        ("2355", 49, "49"),
        ("1700", 20, "20"),
        ("100", 7, "7"),
        ("100", 8, "7.395"),
    ],
)
def test_effective_games(rating: str, games: int, effective: str) -> None:
    found = effective_games(ratio(*Fraction(rating).as_integer_ratio()), games)
    assert abs(Fraction(found.top, found.bottom) - Fraction(effective)) < Fraction(1, 2000)
    assert (found.bottom == 1) == ("." not in effective)


# ---------------------------------------------------------------------- special formula


@pytest.mark.parametrize(
    ("games", "history", "formula"),
    [
        (0, {}, "special"),
        (8, {}, "special"),
        (9, {}, "standard"),
        (40, {"dropped": False}, "special"),
        (40, {"scored": False}, "special"),
        (40, {"dropped": True, "scored": True}, "standard"),
    ],
)
def test_which_formula(games: int, history: dict[str, bool], formula: str) -> None:
    assert against(system(), own("1500", games, **history), WINS).line("me")["formula"] == formula


@pytest.mark.parametrize(("rating", "wins"), [("2400", "2700.000"), ("2300", "2700.000"), ("2299.999", "2699.999")])
def test_the_special_formula_gives_no_more_than_2700(rating: str, wins: str) -> None:
    assert against(system(), None, [[rating, "1"]]).rating("me") == wins


@pytest.mark.parametrize(("rating", "result", "lost"), [("499", "100.000000", "101.000"), ("502.5", "102.500000", "102.500")])
def test_the_special_formula_gives_no_less_than_100(rating: str, result: str, lost: str) -> None:
    """And there is an event of three games for the personal floor."""
    event = against(system(), None, [[rating, "0"], ["3000", "0"], ["3000", "0"]])
    assert (event.line("me")["result"], event.rating("me")) == (result, lost)


@pytest.mark.parametrize(
    ("prior", "limit_mean", "result"),
    [
        (1600, False, 1600),
        (1200, False, 1600),  # within 400 of M = 1600: M
        (2000, False, 1600),
        (1199, False, 1400),  # nobody near: R0 limited to the stretch
        (2001, False, 1800),
        (1199, True, 1600),
        (2001, True, 1600),
    ],
)
def test_a_stretch_that_solves_it(prior: int, limit_mean: bool, result: int) -> None:
    """A win against 1000 and a loss against 2200: everything from 1400 to 1800 has the score; M is 1600."""
    found = special(ratio(prior, 1), ratio(0, 1), "mixed", [ratio(1000, 1), ratio(2200, 1)], 2, limit_mean)
    assert (found.value.near, found.flat) == (result, True)


@pytest.mark.parametrize(("half_points", "flat"), [(0, True), (1, False), (2, False), (4, True)])
def test_all_lost_and_all_won_have_stretches_without_an_end(half_points: int, flat: bool) -> None:
    found = special(ratio(1300, 1), ratio(0, 1), "mixed", [ratio(1500, 1), ratio(1700, 1)], half_points)
    assert (found.flat, found.value.near) == (flat, {0: 1100, 1: 1400, 2: 1600, 4: 2100}[half_points])


@pytest.mark.parametrize(("score", "result"), [("0", "1400.000"), ("1", "2600.000")])
@pytest.mark.parametrize("year", [2000, 2020])
def test_a_newcomer_who_lost_or_won_all_is_400_from_the_nearest_of_them_wherever_he_started(score: str, result: str, year: int) -> None:
    event = against(system(), None, [["1800", score], ["2200", score]], traits={"me": {"birth_year": year}})
    assert event.rating("me") == result


@pytest.mark.parametrize(("history", "score", "after"), [("won", "1", "2100.000"), ("lost", "0", "1100.000")])
def test_who_won_or_lost_all_before_stays_where_a_weak_or_strong_opponent_says_nothing(history: str, score: str, after: str) -> None:
    latch = {"dropped": False} if history == "won" else {"scored": False}
    rating, opponent = ("2100", "1000") if history == "won" else ("1100", "2200")
    assert against(system(), own(rating, 12, **latch), [[opponent, score]]).rating("me") == after


@pytest.mark.parametrize(
    ("halves", "dropped", "scored"),
    [([2, 2], False, True), ([0, 0], True, False), ([2, 0], True, True), ([2, 1], True, True), ([1], True, True)],
)
def test_the_latches(halves: list[int], dropped: bool, scored: bool) -> None:
    names = {2: "1", 1: "0.5", 0: "0"}
    state = against(system(), None, [["1500", names[half]] for half in halves]).state("me")
    assert (state["dropped"], state["scored"]) == (dropped, scored)


# ---------------------------------------------------------------------- standard formula


@pytest.mark.parametrize(
    ("end", "constant"),
    [
        ("2010-01-01", 12),
        ("2017-04-30", 12),
        ("2017-05-01", 14),
        ("2023-01-31", 14),
        ("2023-02-01", 12),
        ("2024-12-31", 12),
        ("2025-01-01", 10),
        ("2030-01-01", 10),
    ],
)
def test_the_bonus_constant_by_the_last_day_of_the_event(end: str, constant: int) -> None:
    assert bonus_constant(end) == constant
    table, said = (against(system(**given), own("1500"), WINS, end=end).added("me", "bonus") for given in ({}, {"bonus": str(constant)}))
    assert table == said > 0


def test_the_explanation_of_a_bonus_names_where_its_constant_is_from() -> None:
    sources = [
        next(step.source for step in against(system(**given), own("1500"), games, end="2025-06-01").steps("me") if step.code == "bonus")
        for given, games in (({}, WINS), ({"bonus": "12"}, WINS), ({}, WINS[:2]))
    ]
    text = "US Chess Rating System, section 4.2 (2020-09-02)"
    assert sources == [f"{text}; B of new.uschess.org for events that end from 2025-01-01 on", text, text]


@pytest.mark.parametrize(
    ("opponents", "bonus"), [("ab", False), ("abc", True), ("aabb", True), ("aaab", False), ("aabbb", False), ("aab", True)]
)
def test_who_gets_a_bonus(opponents: str, bonus: bool) -> None:
    event = against(system(), own("1500"), [["1500", "1"] for _ in opponents], names=list(opponents))
    assert (event.added("me", "bonus") > 0) == bonus


def test_distinct_asks_for_three_opponents_in_three_games_and_for_no_more_in_four() -> None:
    found = [
        against(system(bonus_three="distinct"), own("1500"), [["1500", "1"] for _ in names], names=list(names)).added("me", "bonus") > 0
        for names in ("abc", "aab", "aabb", "aaab")
    ]
    assert found == [True, False, True, False]


def test_a_bonus_takes_what_is_above_b_times_the_root_of_the_games_four_at_least() -> None:
    for games, root in ((3, 2), (4, 2), (9, 3)):
        event = against(system(bonus="0.5"), own("1500"), [["1500", "1"]] * games)
        assert abs(event.added("me", "change") - event.added("me", "bonus") - Fraction(root, 2)) < Fraction(1, 10**9)


@pytest.mark.parametrize(
    ("rating", "k"),
    [
        ("2199", "800"),
        ("2200", "800"),
        ("2200.001", "799.998"),
        ("2400", "400"),
        ("2499.999", "200.002"),
        ("2500", "200"),
        ("2700", "200"),
        ("1900", "800"),
    ],
)
def test_k_in_a_dual_rated_event(rating: str, k: str) -> None:
    """K x (N' + m), against what it is in any other event."""
    lines = [
        against(system(dual_category="dual"), own(rating, 20), [[rating, "0.5"]] * 6, category=category).line("me")
        for category in ("dual", "other", "")
    ]
    found = [Fraction(line["k"]) * (Fraction(line["effective_games"]) + 6) for line in lines]
    assert abs(found[0] - Fraction(k)) < Fraction(1, 10**4)
    assert all(abs(one - 800) < Fraction(1, 10**4) for one in found[1:])


# ---------------------------------------------------------------------- floors


@pytest.mark.parametrize(("points", "floor"), [(0, 101), (1, 102), (48, 149), (49, 150), (50, 150), (10**6, 150)])
def test_the_personal_floor_counts_the_event_itself(points: int, floor: int) -> None:
    event = against(system(), own("100", 40, floor_points=points), [["100", "0"]] * 3)
    assert (event.line("me")["floor"], event.state("me")["floor_points"]) == (floor, min(points + 1, 50))


@pytest.mark.parametrize(("games", "points"), [("1", 4), ("=", 2), ("0", 0), ("00", 0), ("000", 1), ("1=0", 7), ("1" * 20, 50)])
def test_floor_points(games: str, points: int) -> None:
    played = [["1500", "0.5" if one == "=" else one] for one in games]
    assert against(system(), None, played).state("me")["floor_points"] == points


@pytest.mark.parametrize(
    ("peak", "hundreds", "rounded", "floor"),
    [
        ("1399.999", "0", "1400", 100),
        ("1399.499", "0", "0", 100),
        ("1400", "1400", "1400", 1200),
        ("1499.999", "1400", "1500", 1200),
        ("1500", "1500", "1500", 1300),
        ("1941", "1900", "1900", 1700),
        ("2299.499", "2200", "2200", 2000),
        ("2300", "2300", "2300", 2100),
        ("2950", "2300", "2300", 2100),
    ],
)
def test_the_established_floor(peak: str, hundreds: str, rounded: str, floor: int) -> None:
    event = against(system(), own("110", 40, peak=peak), [["110", "0"]])
    assert (event.state("me")["peak"], event.line("me")["floor"]) == (f"{hundreds}.000", floor)
    assert event.rating("me") == f"{floor}.000"
    yes = against(system(peak_rounded="yes"), own("110", 40, peak=peak), [["110", "0"]])
    assert yes.state("me")["peak"] == f"{rounded}.000"


@pytest.mark.parametrize(("games", "peak"), [(24, "0.000"), (25, "1600.000")])
def test_a_peak_is_an_established_rating_after_more_than_25_games(games: int, peak: str) -> None:
    event = against(system(), own("1600", games), [["1600", "0.5"]])
    assert (event.state("me")["games"], event.state("me")["peak"]) == (games + 1, peak)


@pytest.mark.parametrize(
    ("rating", "games", "before", "after", "floor"),
    [
        ("2200", 26, 298, 299, 100),
        ("2200", 26, 299, 300, 2200),
        ("2200", 26, 300, 300, 2200),
        ("2199.999", 26, 299, 299, 100),
        ("2200", 25, 299, 299, 100),
    ],
)
def test_the_life_masters_floor(rating: str, games: int, before: int, after: int, floor: int) -> None:
    event = against(system(), own(rating, games, master_games=before), [["1500", "0"]])
    assert event.state("me")["master_games"] == after
    assert event.line("me")["floor"] == (max(floor, 2000) if games > 25 and rating == "2200" else 1900 if games > 25 else 100)
    assert (event.rating("me") == "2200.000") == (floor == 2200)


def test_any_game_at_2200_counts_by_the_other_reading() -> None:
    event = against(system(life_master="any"), own("2200", 25, master_games=299), [["1500", "0"]])
    assert (event.state("me")["master_games"], event.rating("me")) == (300, "2200.000")


def test_a_money_prizes_floor_comes_by_a_seed() -> None:
    event = against(system(), own("1810", 10, prize_floor="1800"), [["1500", "0"]])
    assert (event.rating("me"), event.state("me")["prize_floor"]) == ("1800.000", "1800.000")
    assert "floor" in [step.code for step in event.steps("me")]


def test_by_default_floors_hold_at_the_end_and_not_between_the_passes() -> None:
    players = {"a": own("1810", 10, prize_floor="1800"), "b": own("1500"), "c": own("1800")}
    games = [("a", "b", "0"), ("a", "c", "0.5")]
    last, both = (Rated(system(**given), players, games) for given in ({}, {"floors": "both"}))
    assert Fraction(last.line("a")["first_pass"]) < 1800
    assert both.line("a")["first_pass"] == "1800.000000"
    assert (last.rating("a"), both.rating("a")) == ("1800.000", "1800.000")
    assert Fraction(last.rating("c")) < Fraction(both.rating("c"))


# ---------------------------------------------------------------------- matches


def match(a: dict[str, Any] | None, b: dict[str, Any] | None, scores: list[str], **parameters: Any) -> Rated:
    games = [("a", "b", score) for score in scores]
    return Rated(system(match_category="match", **parameters), {"a": a, "b": b}, games, category="match")


@pytest.mark.parametrize(
    ("a", "b", "counts"),
    [
        (own("1500", 26), own("1900", 26), True),
        (own("1500", 26), own("1900.001", 26), False),
        (own("1500", 25), own("1500", 26), False),
        (own("1500", 26), own("1500", 25), False),
        (None, own("1500", 26), False),
    ],
)
def test_a_match_is_between_established_players_at_most_400_apart(a: dict[str, Any] | None, b: dict[str, Any], counts: bool) -> None:
    event = match(a, b, ["1", "1"])
    before = [event.states[number] or event.system.start() for number in (0, 1)]
    for number, name in enumerate("ab"):
        assert (event.row(name).state == before[number]) == (not counts)
        assert event.line(name)["formula"] == ("standard" if counts else "none")
        assert event.line(name).get("uncounted", 0) == (0 if counts else 2)
        assert ("not-counted" in [step.code for step in event.steps(name)]) == (not counts)


def test_nothing_of_this_holds_in_another_event() -> None:
    event = Rated(system(match_category="match"), {"a": own("1500", 26), "b": own("2500", 26)}, [("a", "b", "1")] * 4, category="open")
    assert event.line("a")["formula"] == "standard"
    assert Fraction(event.rating("a")) > 1550


def test_a_match_moves_nobody_by_more_than_50_points_and_has_no_bonus() -> None:
    event = match(own("1500", 26), own("1500", 26, peak="1800"), ["1"] * 12)
    assert (event.rating("a"), event.rating("b")) == ("1550.000", "1600.000")  # the floor holds
    assert event.added("a", "bonus") == 0
    assert event.added("a", "match-limit") < 0
    assert match(own("1500", 26), own("1500", 26, peak="1800"), ["1"] * 12, match_floors="no").rating("b") == "1450.000"


def test_a_match_within_the_limit_is_the_formula_alone() -> None:
    event = match(own("1500", 26), own("1500", 26), ["1", "0.5", "0.5"])
    assert event.added("a", "match-limit") == 0
    assert event.rating("a") == event.line("a")["result"][:-3] > "1500"


def test_a_newcomer_whose_match_does_not_count_is_still_one() -> None:
    event = match(None, own("1500", 26), ["1"])
    state = event.row("a").state
    assert (event.system.rated(state), state) == (False, event.system.start())
    later = against(event.system, state, [["1500", "1"]], traits={"me": {"birth_year": 2005}})
    assert later.line("me")["start"] == "birth_year"


# ---------------------------------------------------------------------- an event


def test_a_result_moves_third_persons_of_the_same_event() -> None:
    players = {"a": own("1500"), "b": own("1500"), "c": own("1500")}
    ratings = [Rated(system(), players, [("a", "b", score), ("b", "c", "0.5")]).rating("c") for score in ("1", "0.5", "0")]
    assert ratings[0] < ratings[1] < ratings[2]


def test_a_game_rated_for_one_side_leaves_the_other_as_an_opponent() -> None:
    players = {"a": own("1500"), "b": own("1600"), "c": own("1700")}
    white = Rated(system(), players, [("a", "b", "1", WHITE)])
    assert (list(white.rows), white.steps("b")) == ([0], [])
    black = Rated(system(), players, [("a", "b", "1", BLACK), ("b", "c", "0.5", WHITE)])
    assert sorted(black.rows) == [1]
    assert black.line("b")["games"] == 2
    assert black.line("b")["score"] == "0.5"


def test_games_are_counted_up_to_50() -> None:
    assert [against(system(), own("1500", games), WINS).state("me")["games"] for games in (0, 45, 46, 47, 50)] == [4, 49, 50, 50, 50]
    assert [system().provisional((1_500_000, games, 1, 1, 0, 0, 0, 0)) for games in (0, 25, 26)] == [True, True, False]
    assert [system().rated((1_500_000, games, 1, 1, 0, 0, 0, 0)) for games in (0, 1)] == [False, True]


def test_an_event_of_5_000_games_against_5_000_newcomers_is_rated() -> None:
    players: dict[str, Any] = {"a": own("1500"), **{f"n{number}": None for number in range(5_000)}}
    event = Rated(system(), players, [("a", f"n{number}", "0.5") for number in range(5_000)])
    assert len(event.rows) == 5_001
    assert event.rating("n0") == event.rating("n4999") == "1388.318"  # a draw with who is there after step 4, falling short of 5,000 x 0.64
    assert event.line("a")["first_pass"].startswith("1388.31")


def test_no_rating_leaves_the_width_of_the_state() -> None:
    event = against(system(), own("9999"), [["9999", "1"]] * 4)
    assert event.rating("me") == "9999.000"
    assert "limit" in [step.code for step in event.steps("me")]


def test_a_forecast_is_the_logistic_expectancy_in_millionths() -> None:
    us = system()
    state: State = (1_300_000, 40, 1, 1, 0, 0, 0, 0)
    higher: State = (1_250_000, 40, 1, 1, 0, 0, 0, 0)
    assert expected(us, state, higher, ("2025-06-01", 0, "e")) == 571_463
    assert expected(us, higher, state, ("2025-06-01", 0, "e")) == 1_000_000 - 571_463
    assert expected(us, None, higher, ("2025-06-01", 0, "e")) == 571_463
    assert expected(us, us.start(), None, ("2025-06-01", 0, "e")) == 500_000


def test_a_forecast_takes_a_newcomer_at_the_starting_value_of_his_traits() -> None:
    us = system()
    listed: State = (us.per_point * 1_431, 40, 1, 1, 0, 0, 0, 0)
    assert expected(us, None, listed, ("2025-06-01", 0, "e"), ((("us_chess", "1431"),), ())) == 500_000
    assert expected(us, None, listed, ("2025-06-01", 0, "e"), ((("birth_year", 2013),), ())) < expected(
        us, None, listed, ("2025-06-01", 0, "e"), ((("birth_year", 1980),), ())
    )


# ---------------------------------------------------------------------- rules dated backwards


def test_a_bonus_constant_that_came_backwards_is_a_rule_dated_back() -> None:
    """12 until the end of 2024, from the year's first day on 10: by two rules of a list, and by the table. Before the change was known the
    list had one rule; the events of 2024 are untouched, those of 2025 are rated again, and what came of them."""

    def rules(*dated: tuple[str | None, str]) -> ListRules:
        configured = tuple(Rule(from_=first, system=NAME, parameters={"bonus": constant}) for first, constant in dated)
        return ListRules(RatingList(id="regular", quantum="0.001", shown="1", period="event", rules=configured), {NAME: USChess})

    def season(by: ListRules) -> list[str]:
        state: dict[str, Any] | State = own("1500")
        ratings = []
        for end in ("2024-12-31", "2025-01-01", "2025-05-31"):
            us = by.at(end)
            assert isinstance(us, USChess)
            event = against(us, state, WINS, end=end)
            state = event.row("me").state
            ratings.append(event.rating("me"))
        return ratings

    known, backwards, table = season(rules((None, "12"))), season(rules((None, "12"), ("2025-01-01", "10"))), season(rules((None, "table")))
    assert backwards == table
    assert backwards[0] == known[0]
    assert Fraction(backwards[1]) - Fraction(known[1]) == 4  # 2 x the root of four games
    assert backwards[2] != known[2]


# ---------------------------------------------------------------------- seeds


@pytest.mark.parametrize(
    ("fields", "state"),
    [
        (own("1500", 0), (1_500_000, 0, 0, 0, 0, 0, 0, 0)),
        (own("1500", 4), (1_500_000, 4, 1, 1, 0, 0, 0, 0)),
        (own("1500", 4, dropped=False), (1_500_000, 4, 0, 1, 0, 0, 0, 0)),
        (own("1500", 4, scored=False), (1_500_000, 4, 1, 0, 0, 0, 0, 0)),
        (own("100", 4_000, floor_points=70, master_games=400), (100_000, 50, 1, 1, 50, 0, 300, 0)),
        (own("1500.125", 25, peak="1999"), (1_500_125, 25, 1, 1, 0, 19, 0, 0)),
        (own("1500", 26), (1_500_000, 26, 1, 1, 0, 15, 0, 0)),
        (own("1500", 26, peak="1400"), (1_500_000, 26, 1, 1, 0, 15, 0, 0)),
        (own("1500", 26, prize_floor="2200", peak="0"), (1_500_000, 26, 1, 1, 0, 15, 0, 22)),
    ],
)
def test_a_seed(fields: dict[str, Any], state: State) -> None:
    assert system().seed(fields) == state


@pytest.mark.parametrize(
    "fields",
    [
        {"rating": "1500"},
        {"games": 3},
        own("99.999"),
        own("-1500"),
        own("10000"),
        own("1500.0005"),
        {"rating": 1500, "games": 4},
        {"rating": "1500", "games": "4"},
        {"rating": "1500", "games": -1},
        {"rating": "1500", "games": True},
        own("1500", dropped=1),
        own("1500", scored="yes"),
        own("1500", dropped=False, scored=False),
        own("1500", floor_points=-1),
        own("1500", master_games="300"),
        own("1500", peak=1800),
        own("1500", peak="-1"),
        own("1500", prize_floor="1850"),
        own("1500", prize_floor="2300"),
        own("1500", deviation="50"),
    ],
)
def test_another_state_is_no_seed(fields: dict[str, Any]) -> None:
    assert system().seed(fields) is None


def test_a_seed_without_games_is_a_starting_value() -> None:
    event = against(system(), own("1777", 0), [["1500", "0.5"]], traits={"me": {"birth_year": 2020}})
    line = event.line("me")
    assert (line["rating"], line["games_before"], "start" in line) == ("1777.000000", 0, False)
    assert event.state("me")["games"] == 1


def test_a_state_is_packed_in_12_bytes() -> None:
    assert system().pack((1_500_000, 50, 1, 0, 49, 19, 300, 18)).hex() == "0016e360" + "32" + "01" + "00" + "31" + "13" + "012c" + "12"
    assert system().layout.startswith("uschess/1: ")


def test_further_seeds_of_a_person_add_counters_and_latches() -> None:
    chosen, other = (1_500_000, 30, 0, 1, 20, 15, 100, 0), (1_900_000, 30, 1, 0, 40, 19, 250, 18)
    assert system().with_counters(chosen, [other]) == (1_500_000, 50, 1, 1, 50, 19, 300, 18)
    assert system().with_counters(chosen, []) == chosen


def test_seeds_that_together_are_an_established_rating_have_its_peak() -> None:
    one, other = (1_877_000, 20, 1, 1, 0, 0, 0, 0), (1_500_000, 6, 1, 1, 0, 0, 0, 0)
    assert system().with_counters(one, [other]) == (1_877_000, 26, 1, 1, 0, 18, 0, 0)
    assert system().with_counters(one, [(1_500_000, 5, 1, 1, 0, 0, 0, 0)]) == (1_877_000, 25, 1, 1, 0, 0, 0, 0)
    assert system(peak_rounded="yes").with_counters((1_899_900, *one[1:]), [other]) == (1_899_900, 26, 1, 1, 0, 19, 0, 0)


def test_a_seed_without_a_rating_takes_no_games_of_the_others() -> None:
    assert system().with_counters((0,) * 8, [(1_500_000, 40, 1, 1, 7, 15, 3, 14)]) == (0, 0, 0, 0, 7, 15, 3, 14)
