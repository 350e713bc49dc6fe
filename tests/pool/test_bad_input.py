"""Bad input that only other facts or the engine can see: never rejected, always said. A list that its system cannot rate is held in the
head, a seed beyond its list's limits has no effect and says why, and what is not known of a player stands in his row, with a parameter that
says how the list treats it.
"""

from typing import Any

import pytest

from rerate.audit.why import explain
from tests.kit.driving import Driven, club_list, lists
from tests.kit.saying import game, minted, published, registered, seeded
from tests.kit.sendable import Data, Sendable

QUANTA = {
    "club/1": "0.1",
    "fide/1": "1",
    "fide-curve/1": "1",
    "fide-2009/1": "1",
    "uschess/1": "0.01",
    "glicko/1": "0.1",
    "glicko2/1": "0.01",
}
KINDS = {"fide/1": "month", "fide-curve/1": "month", "fide-2009/1": "month"}


def of(system: str, parameters: Data | None = None, **more: Any) -> Data:
    """A list named as its system, without the version."""
    rules = [{"system": system, "parameters": parameters or {}}]
    given = {"quantum": QUANTA[system], "period": KINDS.get(system, "event")} | more
    return club_list(system.partition("/")[0], rules=rules, **given)


@pytest.mark.parametrize(
    ("system", "parameters"),
    [
        ("club/1", {"k_new_games": 256}),
        ("club/1", {"start": "1200.05"}),
        ("fide/1", {"k": 1_001}),
        ("fide/1", {"kind": "bullet"}),
        ("fide/1", {"one_capped_from": 20221301}),
        ("fide-curve/1", {"initial_games": 0}),
        ("fide-2009/1", {"closing_days": 29}),
        ("uschess/1", {"bonus": "1000.001"}),
        ("uschess/1", {"start": "99"}),
        ("uschess/1", {"match_category": "club_match"}),
        ("glicko/1", {"start_deviation": "0"}),
        ("glicko/1", {"min_rating": "1600", "max_rating": "1500"}),
        ("glicko2/1", {"tau": "-0.5"}),
        ("glicko2/1", {"unheard_of": 1}),
    ],
)
def test_a_parameter_out_of_its_systems_bounds_holds_the_list_and_the_others_go_on(system: str, parameters: Data) -> None:
    pool = Driven(configuration := lists(1, of(system, parameters) | {"id": "odd"}, club_list("elo")), published("e1", 1, "A>B"))
    assert pool.head()["lists"]["odd"]["held"] == "parameters"
    assert pool.standing(configuration) == "in-force"
    assert (pool.ratings("odd"), pool.rating("A")) == ({}, "1220.0")
    pool.take(lists(2, of(system) | {"id": "odd"}, club_list("elo")))
    assert "held" not in pool.head()["lists"]["odd"]
    assert {row["player"] for row in pool.deltas("odd")} == {minted("A"), minted("B")}


@pytest.mark.parametrize(
    ("system", "period", "quantum"),
    [
        ("club/1", "month", "0.1"),
        ("club/1", "game", "0.1"),
        ("club/1", "event", "1"),
        ("fide/1", "event", "1"),
        ("fide/1", "date", "1"),
        ("fide/1", "month", "0.1"),
        ("fide-2009/1", "game", "1"),
        ("uschess/1", "month", "0.01"),
        ("uschess/1", "game", "0.01"),
        ("uschess/1", "event", "1"),
    ],
)
def test_a_period_kind_or_a_quantum_that_the_system_does_not_have_holds_the_list(system: str, period: str, quantum: str) -> None:
    pool = Driven(lists(1, of(system, period=period, quantum=quantum) | {"id": "odd"}, club_list("elo")), published("e1", 1, "A>B"))
    assert pool.head()["lists"]["odd"]["held"] == "parameters"
    assert pool.rating("A") == "1220.0"


SEEDS: list[tuple[str, Data, bool]] = [
    ("club/1", {"rating": "1400.05", "games": 20}, False),
    ("club/1", {"rating": "1400", "games": 20, "peak": "1500"}, False),
    ("club/1", {"rating": "1400", "games": 20}, True),
    ("fide/1", {"rating": "0", "games": 40}, False),
    ("fide/1", {"rating": "1800.5", "games": 40}, False),
    ("fide/1", {"rating": "1800", "games": 40, "reached_2400": 1}, False),
    ("fide/1", {"pool_2023_11": "games3-half7-sum5000"}, False),
    ("fide/1", {"pool_2023_11": "games3-half2-sum5000"}, True),
    ("uschess/1", {"rating": "99.99", "games": 30}, False),
    ("uschess/1", {"rating": "1800", "games": 30, "prize_floor": "1750"}, False),
    ("uschess/1", {"rating": "1800", "games": 30, "peak": "1900"}, True),
    ("glicko/1", {"rating": "1500", "deviation": "0"}, False),
    ("glicko2/1", {"rating": "1500", "deviation": "200", "volatility": "0"}, False),
    ("glicko2/1", {"rating": "1500", "deviation": "200", "volatility": "0.06"}, True),
]


@pytest.mark.parametrize(("system", "state", "is_usable"), SEEDS)
def test_a_seed_beyond_its_lists_limits_has_no_effect_and_says_so(system: str, state: Data, is_usable: bool) -> None:
    config = of(system)
    seed = seeded("A", list=config["id"], state=state)
    pool = Driven(lists(1, config), seed, published("e1", 1, "A>B"))
    assert pool.standing(seed) == ("in-force" if is_usable else "no-effect state")
    without = Driven(lists(1, config), published("e1", 1, "A>B"))
    same = pool.digests(config["id"]) == without.digests(config["id"])
    assert same is not is_usable


def test_a_list_says_whether_a_seed_beyond_its_limits_is_refused_or_limited() -> None:
    seed = seeded("A", list="glicko", state={"rating": "2500", "deviation": "500"})
    limits = {"max_rating": "2000", "max_deviation": "350"}
    refused = Driven(lists(1, of("glicko/1", limits)), seed)
    assert (refused.standing(seed), refused.rating("A", "glicko")) == ("no-effect state", None)
    limited = Driven(lists(1, of("glicko/1", limits | {"seed_beyond_limits": "limit"})), seed)
    assert (limited.standing(seed), limited.rating("A", "glicko")) == ("in-force", "2000.0")
    refused.take(lists(2, of("glicko/1", limits | {"seed_beyond_limits": "limit"})))
    assert (refused.standing(seed), refused.rating("A", "glicko")) == ("in-force", "2000.0"), "the configuration decides, not the message"


def test_a_list_says_whether_a_seed_below_the_floor_of_its_date_is_refused_or_no_rating() -> None:
    seed = seeded("A", list="fide", as_of="2024-06-01", state={"rating": "1399", "games": 40})
    refused = Driven(lists(1, of("fide/1")), seed)
    assert (refused.standing(seed), refused.rating("A", "fide")) == ("no-effect state", None)
    before = seeded("A", list="fide", as_of="2024-02-29", state={"rating": "1399", "games": 40})
    assert Driven(lists(1, of("fide/1")), before).standing(before) == "in-force"
    refused.take(lists(2, of("fide/1", {"seed_below_floor": "unrated"})))
    assert (refused.standing(seed), refused.rating("A", "fide")) == ("in-force", None)
    assert refused.holds() == refused.fresh().holds()


def test_a_list_whose_system_would_rate_parts_of_events_is_held() -> None:
    config = of("uschess/1", dated_by="game")
    pool = Driven(lists(1, config, club_list("elo")), published("e1", 1, "A>B"))
    assert pool.head()["lists"][config["id"]]["held"] == "parameters"
    assert pool.rating("A") == "1220.0"


def test_a_seed_for_a_list_that_is_not_there_or_is_held_waits_for_it() -> None:
    seed = seeded("A", list="fide", state={"rating": "1800", "games": 40})
    pool = Driven(lists(1, club_list("elo")), seed)
    assert pool.standing(seed) == "no-effect list"
    pool.take(lists(2, of("fide/1", {"k": -1})))
    assert pool.standing(seed) == "no-effect list"
    pool.take(lists(3, of("fide/1")))
    assert (pool.standing(seed), pool.rating("A", "fide")) == ("in-force", "1800")


RATED = [seeded(player, list="fide", state={"rating": "1800", "games": 10}) for player in "AB"]


@pytest.mark.parametrize(
    ("parameters", "born", "k"),
    [({}, None, 20), ({"no_birth_year": "adult"}, None, 20), ({"no_birth_year": "junior"}, None, 40), ({}, 2012, 40), ({}, 1980, 20)],
)
def test_without_a_birth_year_the_list_says_whether_one_is_a_junior(parameters: Data, born: int | None, k: int) -> None:
    """The row shows the K used, and the explanation which rule chose it."""
    known: list[Sendable] = [seeded(player, list="fide", state={"rating": "1800", "games": 40}) for player in "AB"]
    known += [] if born is None else [registered("A", birth_year=born)]
    pool = Driven(lists(1, of("fide/1", parameters)), *known, published("e1", 1, "A>B"))
    (line,) = next(row for row in pool.deltas("fide") if row["player"] == minted("A"))["row"]["events"]
    assert (line["k"], pool.rating("A", "fide")) == (k, str(1800 + k // 2))
    (step,) = [step for step in explain(pool.pool, minted("A")).steps if step.code == "k"]
    assert str(k) in step.text


def test_a_birth_year_that_comes_later_counts_for_the_years_before_too() -> None:
    known = [seeded(player, list="fide", state={"rating": "1800", "games": 40}) for player in "AB"]
    pool = Driven(lists(1, of("fide/1")), *known, published("e1", 1, "A>B"))
    assert pool.rating("A", "fide") == "1810"
    pool.take(registered("A", birth_year=2012))
    assert pool.rating("A", "fide") == "1820"


def test_who_has_no_seed_is_unrated_on_a_fide_list_and_his_games_say_that_they_do_not_count() -> None:
    """For the rated side the game is `not_counted`; for the other his result is pooled until it is enough."""
    seed = seeded("A", list="fide", state={"rating": "1800", "games": 40})
    pool = Driven(lists(1, of("fide/1")), seed, published("e1", 1, "A>N", "N<A"))
    rows = {row["player"]: row["row"] for row in pool.deltas("fide")}
    (rated,), (unrated,) = rows[minted("A")]["events"], rows[minted("N")]["events"]
    assert (rows[minted("A")]["rating"], rated["games"], rated["not_counted"]) == ("1800", 0, 2)
    assert (rows[minted("N")]["rating"], unrated["games"], unrated["dropped"]) == (None, 2, True)
    snapshot = pool.snapshot("N", "fide")
    assert snapshot is not None
    assert (snapshot["rating"], snapshot["shown"], snapshot["games"]) == (None, None, 2)
    assert any(step.code == "not-counted" for step in explain(pool.pool, minted("A")).steps)


@pytest.mark.parametrize(("traits", "start", "rating"), [({}, "unknown", "1300"), ({"birth_year": 2009}, "birth_year", "750")])
def test_an_unregistered_player_starts_as_one_of_unknown_age_and_his_row_says_so(traits: Data, start: str, rating: str) -> None:
    seed = seeded("A", list="uschess", state={"rating": "1500", "games": 30})
    known = [registered("N", **traits)] if traits else []
    pool = Driven(lists(1, of("uschess/1")), seed, *known, published("e1", 1, "A=N"))
    (line,) = next(row for row in pool.deltas("uschess") if row["player"] == minted("N"))["row"]["events"]
    assert (line["start"], line["rating"]) == (start, f"{rating}.000000")


def test_the_starting_value_of_who_is_not_registered_is_the_lists() -> None:
    pool = Driven(lists(1, of("uschess/1", {"start": "1000"})), published("e1", 1, "A=N"))
    (line,) = next(row for row in pool.deltas("uschess") if row["player"] == minted("N"))["row"]["events"]
    assert (line["start"], line["rating"]) == ("unknown", "1000.000000")


def test_a_trait_that_no_list_asks_for_changes_nothing() -> None:
    facts = [lists(1, of("fide/1")), *RATED, published("e1", 1, "A>B")]
    pool = Driven(*facts)
    digests = pool.digests("fide")
    update = pool.take(odd := registered("A", shoe_size=44))
    assert (pool.digests("fide"), pool.standing(odd)) == (digests, "in-force")
    assert update is not None
    assert [topic for topic, sent in update.rows.items() if sent] == ["fact-standings"]


def test_a_report_that_comes_too_late_for_three_lists_rates_nowhere_until_an_officer_says_where() -> None:
    late = published("e1", 1, "A>B", date="2024-01-20", reported="2024-07-10")
    pool = Driven(lists(1, of("fide/1")), *RATED, late)
    assert (pool.deltas("fide"), pool.standing(late)) == ([], "in-force")
    pool.take(published("e1", 2, "A>B", date="2024-01-20", reported="2024-07-10", rate_in="2024-07"))
    assert {row["period"]["date"] for row in pool.deltas("fide")} == {"2024-07"}


def test_an_unfinished_game_and_a_score_of_another_kind_never_reach_a_list() -> None:
    games = [game("g1", "A-B", result="*"), game("g2", "A-B", result="+/-")]
    pool = Driven(lists(1, of("glicko2/1")), published("e1", 1, *games))
    assert pool.deltas("glicko2") == []
