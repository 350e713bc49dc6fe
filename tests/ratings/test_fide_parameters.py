"""The parameters of the FIDE systems: defaults, bounds, what is refused, and what each of them does."""

from typing import Any

import pytest

from rerate.messages.facts import RatingList, Rule
from rerate.ratings import fide, fide_2009, fide_curve
from rerate.ratings.face import FALLBACK, Unusable
from rerate.ratings.fide import Fide
from rerate.ratings.fide_2009 import Fide2009
from rerate.ratings.fide_curve import FideCurve
from rerate.ratings.systems import ListRules
from tests.ratings.fide_kit import ME, Built, adds, moved, one_player, seeded

ALL = {
    Fide: {name: default for name, (default, _) in fide.PARAMETERS.items()},
    FideCurve: {name: default for name, (default, _) in fide_curve.PARAMETERS.items()},
    Fide2009: {name: default for name, (default, _) in fide_2009.PARAMETERS.items()},
}
MAKERS: dict[str, Any] = {maker.name: maker for maker in ALL}


@pytest.mark.parametrize("maker", ALL, ids=MAKERS)
def test_the_defaults_may_be_said(maker: Any) -> None:
    assert maker(ALL[maker], 1, "month").given == maker({}, 1, "month").given == ALL[maker]
    assert len(ALL[maker]) <= 32


@pytest.mark.parametrize("name", ["fide/1", "fide-2009/1"])
@pytest.mark.parametrize(
    ("per_point", "period"), [(10, "month"), (1000, "month"), (1, "event"), (1, "date"), (1, "round"), (1, "game"), (1, "year")]
)
def test_official_lists_are_in_whole_points_and_by_month(name: str, per_point: int, period: str) -> None:
    with pytest.raises(Unusable, match="parameters"):
        MAKERS[name]({}, per_point, period)


@pytest.mark.parametrize("period", ["round", "game", "year"])
def test_a_curve_has_three_kinds_of_period(period: str) -> None:
    for kind in ("event", "date", "month"):
        for per_point in (1, 10, 100, 1000):
            FideCurve({}, per_point, kind)
    with pytest.raises(Unusable):
        FideCurve({}, 10, period)


BAD: dict[str, list[Any]] = {
    "k": [-1, 1001, "20", "hand", True],
    "kind": ["", "bullet", 1, True],
    "fallback": [1, True, "standard"],
    "no_birth_year": ["yes", 2000, True],
    "rounding": ["game", 1],
    "initial_games_count": ["maybe", True, 1],
    "below_floor": ["drop", 1400],
    "closing_days": [0, 29, -1, "3", True],
    "official_category": [1, True],
    "initial_games": [0, 31, "5", True],
    "initial_step": ["12.5", 20, True],
    "seed_below_floor": ["keep", 1400, True],
    "floor": [1400, "no", True],
    "lists": ["weekly", "two-monthly", 4],
    "new_30_from": [0, 20110000, 20111301, 20110732, 99999999, "2011", True],
    "one_capped_from": [0, 20220100, "2022", False],
}
BAD_OF = {
    "fide/1": BAD,
    "fide-curve/1": BAD
    | {
        "cap": [-1, 5001, "400", True],
        "exempt_2650": [True, "never"],
        "newcomer": ["rated", "0", "-100", "1500.05", 1500, True],
    },
    "fide-2009/1": {name: values for name, values in BAD.items() if name not in ("kind", "fallback", "no_birth_year", "one_capped_from")}
    | {"lists": ["weekly", 4], "cap_on": ["both", True], "floor": [0, 3001, "1400", "none", True]},
}


GOOD: dict[str, dict[str, list[Any]]] = {
    "fide/1": {
        "k": ["rule", 0, 1000],
        "closing_days": [1, 28],
        "initial_games": [1, 30],
        "new_30_from": [10000101, 99991231],
        "kind": ["rapid", "blitz"],
    },
    "fide-curve/1": {"k": [0, 1000], "cap": [0, 5000], "newcomer": ["0.1", "9999.9"]},
    "fide-2009/1": {"k": [0, 1000], "floor": [1, 3000], "closing_days": [1, 28], "lists": ["quarterly", "two-monthly", "monthly"]},
}


@pytest.mark.parametrize(("system", "name"), [(system, name) for system, good in GOOD.items() for name in good])
def test_the_ends_of_a_range_are_good(system: str, name: str) -> None:
    for value in GOOD[system][name]:
        assert MAKERS[system]({name: value}, 10 if system == "fide-curve/1" else 1, "month").given[name] == value


def test_every_parameter_is_tried() -> None:
    assert {maker.name: parameters.keys() for maker, parameters in ALL.items()} == {name: bad.keys() for name, bad in BAD_OF.items()}


@pytest.mark.parametrize(
    ("system", "name", "value"),
    [(system, name, value) for system, bad in BAD_OF.items() for name, values in bad.items() for value in values],
)
def test_a_bad_value_is_refused(system: str, name: str, value: Any) -> None:
    per_point = 10 if system == "fide-curve/1" else 1
    with pytest.raises(Unusable, match="parameters"):
        MAKERS[system]({name: value}, per_point, "month")


@pytest.mark.parametrize("name", MAKERS)
def test_an_unknown_name_is_refused(name: str) -> None:
    with pytest.raises(Unusable, match="parameters"):
        MAKERS[name]({"k_factor": 20}, 1, "month")


def test_a_list_may_pass_from_one_to_the_next_on_a_date() -> None:
    """They share one layout, so that history is one list."""
    rules = (
        Rule(system="fide-2009/1", parameters={}),
        Rule(from_="2009-07-01", system="fide/1", parameters={}),
        Rule(from_="2030-01-01", system="fide-curve/1", parameters={}),
    )
    bound = ListRules(RatingList(id="std", quantum="1", shown="1", period="month", rules=rules), MAKERS)
    assert [bound.at(month).name for month in ("2009-06", "2009-07", "2029-12", "2030-01")] == [
        "fide-2009/1",
        "fide/1",
        "fide/1",
        "fide-curve/1",
    ]
    assert (bound.reads_older, bound.sees_events, bound.traits) == (True, True, frozenset({"birth_year"}))


# ---------------------------------------------------------------------- what they do


def test_only_rapid_and_blitz_have_a_fallback() -> None:
    assert Fide({"kind": "rapid", "fallback": "standard"}, 1, "month").fallback == "standard"
    assert FideCurve({"kind": "blitz", "fallback": "standard"}, 10, "event").fallback == "standard"
    assert (Fide({"kind": "rapid"}, 1, "month").fallback, Fide2009({}, 1, "month").fallback) == (None, None)


def test_a_rating_on_the_fallback_list_stands_in_for_who_has_none() -> None:
    """For himself and as an opponent; a draw of 1900 and 1800 on K 40, and the other way on K 20."""
    for parameters, ratings in (({}, (0, 1800)), ({"fallback": "standard"}, (1894, 1803))):
        system = Fide({"kind": "rapid"} | parameters, 1, "month")
        built = Built(system)
        built.now = {1: seeded(system, "1800")}
        built.traits[ME] = ((FALLBACK, "1900"),)
        built.game(built.event("2026-03-05"), ME, 1, 1)
        rows = built.rate()
        assert (rows[ME].state[0], rows[1].state[0]) == ratings
        assert adds(built) == moved(built)


def test_a_player_without_a_birth_year_is_an_adult_or_a_junior() -> None:
    def k(traits: tuple[tuple[str, Any], ...], **parameters: Any) -> int:
        system = Fide(parameters, 1, "month")
        built = Built(system)
        built.now = {ME: seeded(system, "1800"), 1: seeded(system, "1800")}
        built.traits[ME] = traits
        built.game(built.event("2026-03-05"), ME, 1, 2)
        return int(built.rate()[ME].lines[0].k)

    young, old, ahead = (("birth_year", 2008),), (("birth_year", "2007"),), (("birth_year", 2027),)
    for none in ((("birth_year", "true"),), (("birth_year", 11),), (("birth_year", "20080"),), ahead, ()):
        assert [k(none), k(none, no_birth_year="junior")] == [20, 40]
    for parameters in ({}, {"no_birth_year": "junior"}):
        assert [k(traits, **parameters) for traits in (young, (("birth_year", "2008"),), old)] == [40, 40, 20]


def test_who_has_no_birth_year_is_told_so_where_it_matters() -> None:
    def rule(rating: str, *traits: tuple[str, Any], **parameters: Any) -> str:
        system = Fide(parameters, 1, "month")
        built = Built(system)
        built.now = {ME: seeded(system, rating), 1: seeded(system, "1800")}
        built.traits[ME] = traits
        built.game(built.event("2026-03-05"), ME, 1, 2)
        return next(step.text for step in system.explain(built.period(), ME) if step.code == "k")

    settled = "K 20 with 30 or more games on the list, never 2400 so far"
    assert rule("1800") == f"{settled}; no birth year is registered, so taken for an adult"
    assert rule("1800", ("birth_year", 11)) == f"{settled}; the registered birth year 11 is none, so taken for an adult"
    assert rule("1800", ("birth_year", 1980)) == rule("2300") == settled
    assert rule("1800", no_birth_year="junior") == (
        "K 40 until the end of the year of the 18th birthday, never 2300 so far; no birth year is registered, so taken for a junior"
    )


@pytest.mark.parametrize(("counts", "games"), [("no", 0), ("yes", 12)])
def test_the_games_of_the_first_rating_may_count_towards_the_30(counts: str, games: int) -> None:
    system = Fide({"initial_games_count": counts}, 1, "month")
    built = one_player(system, None, [(None, [["1800", "0.5"]] * 12)])
    assert system.wire_state(built.rate()[ME].state)["games"] == games


@pytest.mark.parametrize(("below_floor", "games", "reached"), [("keep", 30, True), ("forget", 0, False)])
def test_who_falls_below_the_floor_keeps_or_loses_games_and_latches(below_floor: str, games: int, reached: bool) -> None:
    system = Fide({"below_floor": below_floor}, 1, "month")
    built = one_player(system, seeded(system, "1400", 29, reached_2400=True), [("1400", [["1400", "0"]])])
    fields = system.wire_state(built.rate()[ME].state)
    assert fields == {"games": games, "reached_2300": False, "reached_2400": reached, "first_event_over": reached}


def test_nine_games_made_a_first_rating_by_the_older_method() -> None:
    for games, is_rated in ((8, False), (9, True)):
        system = Fide2009({}, 1, "month")
        built = one_player(system, None, [(None, [["1800", "0.5"]] * games)], "2009-02-05", "2009-03")
        assert system.rated(built.rate()[ME].state) is is_rated


def test_how_many_games_make_a_first_rating_is_a_parameter() -> None:
    for games, needed, is_rated in [(4, 5, False), (5, 5, True), (8, 9, False), (9, 9, True), (1, 1, True)]:
        system = Fide({"initial_games": needed}, 1, "month")
        built = one_player(system, None, [(None, [["1800", "0.5"]] * games)])
        assert system.rated(built.rate()[ME].state) is is_rated


@pytest.mark.parametrize(
    ("parameters", "month", "rating"),
    [
        ({"initial_step": "20"}, "2010-03", 1840),
        ({}, "2010-03", 1825),
        ({}, "2012-03", 1830),
        ({}, "2015-03", 1840),
    ],
)
def test_the_archived_step_of_a_first_rating(parameters: dict[str, Any], month: str, rating: int) -> None:
    """One point above half against 1800: two half points at 20, or at half of K 25, 30, 40."""
    games = [["1800", "1"], ["1800", "1"], *[["1800", "0.5"]] * 7]
    built = one_player(Fide(parameters, 1, "month"), None, [(None, games)], f"{month}-05", month)
    assert built.rate()[ME].state[0] == rating


def test_the_day_of_k_30_is_a_parameter() -> None:
    def k(month: str, **parameters: Any) -> int:
        system = Fide(parameters, 1, "month")
        built = one_player(system, seeded(system, "1800", 0), [("1800", [["1800", "1"]])], f"{month}-05", month)
        built.older[(month, 0)][ME] = built.now[ME]
        return int(built.rate()[ME].lines[0].k)

    assert (k("2011-06"), k("2011-07"), k("2014-06"), k("2014-07")) == (25, 30, 30, 40)
    assert (k("2013-03", new_30_from=20130401), k("2013-04", new_30_from=20130401)) == (25, 30)


def test_a_curve_may_have_everybody_rated_from_the_first_day() -> None:
    system = FideCurve({"newcomer": "1500", "k": 20}, 10, "event")
    built = Built(system)
    built.key = ("2026-03-05", 0, "w:e0")
    built.game(built.event("2026-03-05"), 0, 1, 2)
    rows = built.rate()
    assert [system.wire_state(rows[player].state)["rating"] for player in (0, 1)] == ["1510.0", "1490.0"]
    for _ in range(20):
        built.now = {player: row.state for player, row in rows.items()}
        rows = built.rate()
    assert all(system.rated(row.state) for row in rows.values())
    assert rows[1].state[0] < 14_000
    assert moved(built) > 0


def test_a_newcomer_who_was_not_in_the_list_at_the_start_plays_by_the_newcomers_rating() -> None:
    """As his opponents see him, too."""
    system = FideCurve({"newcomer": "1500", "k": 20}, 10, "month")
    built = Built(system)
    built.now = {ME: seeded(system, "1900.0"), 1: seeded(system, "1500.0")}
    built.older[("2026-01",)] = {}
    built.game(built.event("2026-01-20", reads=("2026-01",)), ME, 1, 2)
    rows = built.rate()
    assert [rows[player].lines[0].rating for player in (ME, 1)] == [15_000, 15_000]
    assert moved(built) == 10


def test_a_curve_without_a_floor_keeps_everybody() -> None:
    for floor, is_rated in (("rule", False), ("none", True)):
        system = FideCurve({"floor": floor}, 10, "month")
        built = one_player(system, seeded(system, "1400.0"), [("1400.0", [["1400.0", "0"]])])
        assert system.rated(built.rate()[ME].state) is is_rated


@pytest.mark.parametrize(("name", "used"), [("fide/1", 35), ("fide-curve/1", 35), ("fide-2009/1", 30)])
def test_k_by_hand_is_everybodys_and_the_700_rule_has_no_hold_on_it(name: str, used: int) -> None:
    for k, expected in ((43, 43), (0, 0), ("rule", used)):
        system = MAKERS[name]({"k": k}, 1, "month")
        built = one_player(system, seeded(system, "1800", 0), [(None, [["1800", "0.5"]] * 20)])
        assert built.rate()[ME].lines[0].k == expected
        texts = [step.text for step in system.explain(built.period(), ME) if step.code == "k"]
        assert ("K set by hand" in texts) is (k != "rule")


@pytest.mark.parametrize(("parameters", "expected"), [({}, 947), ({"exempt_2650": "no"}, 909), ({"cap": 450}, 930), ({"cap": 0}, 947)])
def test_a_curves_cap_and_its_exemption(parameters: dict[str, Any], expected: int) -> None:
    """2700 against 2200: the real gap of 500, 400, 450; a cap by hand holds above 2650 where there is no exemption."""
    system = FideCurve(parameters | ({"exempt_2650": "no"} if "cap" in parameters else {}), 10, "month")
    built = one_player(system, seeded(system, "2700.0"), [(None, [["2200.0", "1"]])])
    assert round(built.rate()[ME].lines[0].expected / 1000) == expected


@pytest.mark.parametrize(("cap_on", "ratings", "gap"), [("opponent", 2000 + 2400, 200), ("mean", 1000 + 2400, 400)])
def test_the_older_method_caps_each_opponent_or_the_mean(cap_on: str, ratings: int, gap: int) -> None:
    """2400 against 1000 and 2400, after July 2009: opponents count as 2000 and 2400; or the mean of 1700 as 2000."""
    system = Fide2009({"cap_on": cap_on}, 1, "month")
    own = seeded(system, "2400")
    event = system.judge(0, own, False, [(0, 2, 1000), (1, 0, 2400)], "2009-09-01")
    assert (event.ratings, {one.gap for one in event.games}) == (ratings, {gap})


def test_the_older_methods_floor_is_a_parameter() -> None:
    for floor, is_rated in ((1000, True), (1801, False), (1800, False), (1787, True)):
        system = Fide2009({"floor": floor}, 1, "month")
        built = one_player(system, seeded(system, "1800", 0), [("1800", [["1800", "0"]])], "2009-02-05", "2009-03")
        assert built.rate()[ME].state[0] in (1787, 0)
        assert system.rated(built.rate()[ME].state) is is_rated
