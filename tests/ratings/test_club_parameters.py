"""The parameters and seeds of club/1: defaults, bounds, and what is refused."""

from typing import Any

import pytest

from rerate.messages.facts import RatingList, Rule
from rerate.pool.lists import LiveList
from rerate.ratings.club import PARAMETERS, Club
from rerate.ratings.face import EventInfo, Games, Period, Row, Unusable
from rerate.ratings.systems import ListRules, bind
from tests.kit.driving import Driven, club_list, lists
from tests.kit.saying import merged, minted, published, seeded

ALL = {name: default for name, (default, _) in PARAMETERS.items()}


def rated(
    parameters: dict[str, Any], *states: tuple[int, int] | None, quantum: int = 10, result: tuple[int, int] = (2, 0)
) -> dict[int, Row]:
    """One game of player 0 against player 1."""
    games = Games()
    games.append(0, 1, *result, 3, 0, "g1")
    return Club(parameters, quantum, "event").rate(Period(("2024-01-05",), games, 0, 1, [EventInfo("club:e1", "2024-01-05")], states))


def a_list(**more: Any) -> RatingList:
    given = {"id": "elo", "quantum": "0.1", "shown": "1", "period": "event"} | more
    rules = given.pop("rules", None) or (Rule(system="club/1", parameters=given.pop("parameters", {})),)
    return RatingList(rules=rules, **given)


def test_the_defaults_are_the_ladders() -> None:
    assert ALL == {
        "start": "1200",
        "k_new": 40,
        "k_new_games": 20,
        "k_established": 20,
        "provisional_below": 5,
        "k_policy": "event_start",
        "protected_game_counts": "yes",
    }


def test_no_parameters_mean_the_defaults() -> None:
    assert rated({}, None, None) == rated(ALL, None, None)
    assert Club({}, 10, "event").start() == (12_000, 0)


@pytest.mark.parametrize(
    "parameters",
    [
        {"k_new": 0},
        {"k_established": 0},
        {"k_new_games": 0},
        {"k_new_games": 255},
        {"provisional_below": 0},
        {"provisional_below": 255},
        {"start": "-100"},
        {"start": "1200.5"},
        {"start": 1200},
        {"k_policy": "per_game"},
        {"protected_game_counts": "no"},
    ],
)
def test_values_at_the_bounds_are_taken(parameters: dict[str, Any]) -> None:
    assert isinstance(bind(a_list(parameters=parameters)), ListRules)


REFUSED: list[dict[str, Any]] = [
    {"k_new": -1},
    {"k_established": 1_001},
    {"k_new": "40"},
    {"k_new": True},
    {"k_new_games": 256},
    {"k_new_games": -1},
    {"provisional_below": 256},
    {"provisional_below": True},
    {"start": "1200.05"},
    {"start": "high"},
    {"start": True},
    {"start": 10_000},
    {"k_policy": "sometimes"},
    {"k_policy": True},
    {"protected_game_counts": True},
    {"protected_game_counts": "maybe"},
    {"floor": 100},
]


@pytest.mark.parametrize("parameters", REFUSED)
def test_other_values_and_unknown_names_are_refused(parameters: dict[str, Any]) -> None:
    with pytest.raises(Unusable):
        Club(parameters, 10, "event")
    assert bind(a_list(parameters=parameters)) == "parameters"


@pytest.mark.parametrize("parameters", REFUSED)
def test_a_list_with_refused_parameters_is_held_and_the_others_go_on(parameters: dict[str, Any]) -> None:
    pool = Driven(lists(1, club_list("odd", parameters), club_list("elo")), published("e1", 1, "A>B"))
    assert pool.head()["lists"]["odd"]["held"] == "parameters"
    assert (pool.ratings("odd"), pool.rating("A")) == ({}, "1220.0")


@pytest.mark.parametrize(
    ("configured", "held"),
    [
        ({"quantum": "1"}, "parameters"),
        ({"period": "month"}, "parameters"),
        ({"period": "game"}, "parameters"),
        ({"rules": (Rule(system="club/2", parameters={}),)}, "system"),
        ({"rules": (Rule(system="club/1", parameters={}), Rule(from_="2024-01-01", system="acme/1", parameters={}))}, "system"),
    ],
)
def test_a_quantum_a_period_or_a_system_that_is_not_there_holds_the_list(configured: dict[str, Any], held: str) -> None:
    assert bind(a_list(**configured)) == held


def test_rules_of_unlike_states_hold_the_list() -> None:
    class Other(Club):
        layout = "other"

    rules = (Rule(system="club/1", parameters={}), Rule(from_="2024-01-01", system="other/1", parameters={}))
    assert bind(a_list(rules=rules), {"club/1": Club, "other/1": Other}) == "layout"


def test_a_newcomer_starts_where_the_parameter_says() -> None:
    assert rated({"start": "1500"}, None, None)[0].state == (15_200, 1)


def test_k_is_high_for_the_first_games_and_low_after() -> None:
    changes = [
        rated({"k_new_games": 3, "provisional_below": 0}, (12_000, count), (12_000, count))[0].state[0] - 12_000 for count in range(5)
    ]
    assert changes == [200, 200, 200, 100, 100]


def test_the_counter_stops_at_the_larger_threshold() -> None:
    rows = rated({"k_new_games": 3, "provisional_below": 7}, (12_000, 7), (12_000, 6))
    assert (rows[0].state[1], rows[1].state[1]) == (7, 7)
    assert rated({"k_new_games": 0, "provisional_below": 0}, None, None)[0].state[1] == 0


def test_a_state_is_packed_in_five_bytes() -> None:
    club = Club({}, 10, "event")
    assert club.pack((14_000, 20)).hex() == "000036b014"
    assert club.pack((-1, 0)).hex() == "ffffffff00"


def test_the_settled_meets_the_newcomer_and_only_the_newcomer_moves() -> None:
    rows = rated({}, (15_000, 20), None, result=(0, 2))
    assert rows[0].state == (15_000, 20)
    assert rows[1].state == (12_340, 1)


def test_a_protected_game_counts_unless_the_parameter_says_no() -> None:
    states = ((15_000, 6), (12_000, 0))
    assert rated({"protected_game_counts": "yes"}, *states)[0].state == (15_000, 7)
    assert rated({"protected_game_counts": "no"}, *states)[0].state == (15_000, 6)
    assert rated({"protected_game_counts": "no"}, *states)[1].state[1] == 1


def test_a_change_is_summed_exactly_and_rounded_once() -> None:
    """A draw a tenth below the opponent brings 0.003 points, which is nothing; twenty in one event bring 0.058, which is a tenth."""
    games = Games()
    for number in range(20):
        games.append(0, 1, 1, 1, 3, 0, f"g{number}")
    club = Club({"provisional_below": 0, "k_new_games": 0}, 10, "event")
    states = ((11_999, 0), (12_000, 0))
    events = [EventInfo("club:e1", "2024-01-05")]
    one, twenty = (club.rate(Period(("2024-01-05",), games, 0, end, events, states)) for end in (1, 20))
    assert (one[0].state[0], twenty[0].state[0], twenty[1].state[0]) == (11_999, 12_000, 11_999)


# ---------------------------------------------------------------------- seeds


@pytest.mark.parametrize(
    ("fields", "state"),
    [
        ({"rating": "1400", "games": 20}, (14_000, 20)),
        ({"rating": "1400.5", "games": 0}, (14_005, 0)),
        ({"rating": "-3", "games": 4}, (-30, 4)),
        ({"rating": "1400", "games": 4_000}, (14_000, 20)),
    ],
)
def test_a_seed_is_a_rating_and_a_count(fields: dict[str, Any], state: tuple[int, int]) -> None:
    assert Club({}, 10, "event").seed(fields) == state


@pytest.mark.parametrize(
    "fields",
    [
        {"rating": "1400"},
        {"games": 3},
        {"rating": "1400", "games": -1},
        {"rating": "1400", "games": "3"},
        {"rating": "1400", "games": True},
        {"rating": 1400, "games": 3},
        {"rating": "1400.05", "games": 3},
        {"rating": "strong", "games": 3},
        {"rating": "1400", "games": 3, "deviation": "50"},
    ],
)
def test_another_state_is_no_seed_and_its_fact_has_no_effect(fields: dict[str, Any]) -> None:
    assert Club({}, 10, "event").seed(fields) is None
    pool = Driven(lists(1, club_list()), fact := seeded("A", state=fields))
    assert (pool.standing(fact), pool.ratings()) == ("no-effect state", {})


def test_a_seed_for_a_list_that_is_not_there_has_no_effect() -> None:
    pool = Driven(lists(1, club_list()), fact := seeded("A", list="blitz"))
    assert pool.standing(fact) == "no-effect list"


def test_further_seeds_of_a_person_add_their_counters_up_to_the_cap() -> None:
    club = Club({}, 10, "event")
    assert club.with_counters((14_000, 3), [(13_000, 4)]) == (14_000, 7)
    assert club.with_counters((14_000, 15), [(13_000, 4), (9_000, 12)]) == (14_000, 20)


def test_the_counters_of_all_seeds_go_by_the_rule_of_the_chosen_one() -> None:
    """The other begins under a rule that counts to 5 only; found by 10,000 histories against the plainest calculation."""
    rules = [{"system": "club/1", "parameters": {}}, {"from": "2024-01-05", "system": "club/1", "parameters": {"k_new_games": 2}}]
    configured = lists(1, club_list(rules=rules))
    own, other = seeded("A", state={"rating": "1400", "games": 3}), seeded("B", as_of="2024-01-05", state={"rating": "1500", "games": 30})
    pool = Driven(configured, own, other, merged("m1", "B", "A"))
    live = pool.pool.lists["elo"]
    assert isinstance(live, LiveList)
    assert live.replay.seed_of(minted("A")) == ("2023-12-31", (14_000, 20))
