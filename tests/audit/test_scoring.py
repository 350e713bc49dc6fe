"""How lists foretell: losses worked out by hand, forecasts from what was known before the period, the same games for all."""

from math import isclose, log

import pytest

from rerate.audit.scoring import Foretold, NothingToScore, brier, calibration, compare, foretold, log_loss, of_list, under_system
from rerate.pool.lists import LiveList
from rerate.pool.pool import Pool
from rerate.ratings.face import Forecast
from rerate.replay.replay import ListReplay
from tests.kit.driving import Driven, club_list, lists
from tests.kit.lagged import SETTINGS, WITH_LAG, pool_histories
from tests.kit.laws import law
from tests.kit.saying import game, minted, published, seeded
from tests.kit.sendable import Sendable

HALF = 500_000


def replay_of(pool: Pool, list_id: str = "elo") -> ListReplay:
    live = pool.lists[list_id]
    assert isinstance(live, LiveList)
    return live.replay


def forecasts(pool: Pool, list_id: str = "elo") -> dict[tuple[str, str], int]:
    """Of the events named by their local ids."""
    return {(event.removeprefix("t:"), id): one.forecast.expected for (event, id), one in foretold(replay_of(pool, list_id))}


# ---------------------------------------------------------------------- losses


@pytest.mark.parametrize(
    ("expected", "half_points", "loss"),
    [
        (750_000, 2, 0.2876820725),  # -ln 0.75
        (750_000, 0, 1.3862943611),  # -ln 0.25
        (750_000, 1, 0.8369882168),  # the mean of the two
        (HALF, 1, 0.6931471806),
        (1, 2, 13.8155105580),  # -ln 0.000001
        (0, 2, 13.8155105580),
        (1_000_000, 0, 13.8155105580),
        (1_000_000, 2, 0.0000010000),
        (0, 0, 0.0000010000),
    ],
)
def test_log_loss_by_hand(expected: int, half_points: int, loss: float) -> None:
    assert isclose(log_loss(expected, half_points), loss, abs_tol=1e-10)


@pytest.mark.parametrize(
    ("expected", "half_points", "score"), [(750_000, 2, 0.0625), (750_000, 1, 0.0625), (750_000, 0, 0.5625), (0, 2, 1)]
)
def test_brier_by_hand(expected: int, half_points: int, score: float) -> None:
    assert isclose(brier(expected, half_points), score)


def test_forecasts_are_sorted_into_tenths_with_one_in_the_highest() -> None:
    games = [(0, 0), (99_999, 1), (100_000, 2), (900_000, 2), (1_000_000, 1)]
    bands = calibration([Foretold(Forecast(expected, is_rated=True), half_points) for expected, half_points in games])
    assert [band.games for band in bands] == [2, 1, 0, 0, 0, 0, 0, 0, 0, 2]
    assert [(band.low, band.high) for band in bands][:2] == [(0.0, 0.1), (0.1, 0.2)]
    assert (bands[0].forecast, bands[0].score) == (0.0499995, 0.25)
    assert (bands[9].forecast, bands[9].score) == (0.95, 0.75)
    assert (bands[2].forecast, bands[2].score) == (None, None)


# ---------------------------------------------------------------------- forecasts


def test_a_game_is_foretold_from_what_was_known_before_its_period() -> None:
    """A wins 20 from B in e1, so in e2 a gap of 40 is known, of which the table says 0.557312; inside e2 nothing is."""
    pool = Driven(lists(1, club_list()), published("e1", 1, "A>B"), published("e2", 1, "A>B", "B>A", date="2024-01-06")).pool
    assert forecasts(pool) == {("e1", "g1"): HALF, ("e2", "g1"): 557_312, ("e2", "g2"): 442_688}
    told = compare(pool, [of_list(pool, "elo")])
    (score,) = told.scores
    assert (told.games, told.left_out, told.score) == (3, 0, 1.0)
    assert isclose(score.log_loss, -(log(0.5) + log(0.557312) + log(0.442688)) / 3)
    assert isclose(score.brier, (0.25 + (1 - 0.557312) ** 2 + (1 - 0.442688) ** 2) / 3)
    assert isclose(score.forecast, 0.5)
    assert isclose(told.coin_log_loss, log(2))
    assert told.coin_brier == 0.25


def test_a_later_game_changes_no_earlier_forecast() -> None:
    pool = Driven(lists(1, club_list()), published("e1", 1, "A>B"), published("e3", 1, "A>B", date="2024-01-07"))
    before = forecasts(pool.pool)
    pool.take(published("e4", 1, "B>A", date="2024-01-08"))
    after = forecasts(pool.pool)
    assert {name: after[name] for name in before} == before
    pool.take(published("e2", 1, "B>A", date="2024-01-06"))
    assert forecasts(pool.pool)["e3", "g1"] != before["e3", "g1"]


def test_a_seed_is_known_before_the_first_game() -> None:
    pool = Driven(lists(1, club_list()), seeded("A", state={"rating": "1240", "games": 20}), published("e1", 1, "A>B")).pool
    assert forecasts(pool) == {("e1", "g1"): 557_312}


def test_games_that_do_not_share_a_point_or_rate_for_one_side_are_left_out() -> None:
    penalties = [game("g2", "A-C", result="0-0", rated="both"), game("g3", "A-D", result="1/2-0", rated="both")]
    games = [game("g1", "A-B", result="1-0", rated="both"), *penalties, game("g4", "A-E", result="1-0", rated="white")]
    assert forecasts(Driven(lists(1, club_list()), published("e1", 1, *games)).pool) == {("e1", "g1"): HALF}


@law(pool_histories(), share=0.5)
def test_the_walk_over_all_periods_knows_what_each_was_rated_from(history: list[Sendable]) -> None:
    pool = Driven(settings=SETTINGS)
    pool.take(*history)
    for live in pool.pool.lists.values():
        if not isinstance(live, LiveList):
            continue
        replay, seen = live.replay, []
        everybody = [number for number in map(replay.number_of, replay.persons()) if number is not None]
        for period in replay.walked():
            seen.append(period.key)
            one = replay.period(period.key)
            assert one is not None
            assert (one.low, one.high) == (period.low, period.high)
            assert one.games is period.games
            for states, same in [
                (period.now, one.now),
                *((period.read(e), one.read(e)) for e in set(period.games.event[one.low : one.high])),
            ]:
                assert [states[p] for p in everybody] == [same[p] for p in everybody]
        assert seen == [key for key, _, _ in replay.periods() if replay.period(key) is not None]


# ---------------------------------------------------------------------- comparisons


def test_lists_are_held_to_the_games_that_all_of_them_rate() -> None:
    both = lists(1, club_list(), club_list("cup", {"k_new": 0}, categories=["cup"], shadow=True))
    pool = Driven(both, published("e1", 1, "A>B"), published("e2", 1, "A>B", "A=B", date="2024-01-06", category="cup")).pool
    told = compare(pool, [of_list(pool, "elo"), of_list(pool, "cup")])
    assert (told.games, told.left_out) == (2, 1)
    elo, cup = told.scores
    assert (elo.name, elo.shadow, cup.name, cup.shadow) == ("elo", False, "cup", True)
    assert isclose(elo.log_loss, -(log(0.557312) + (log(0.557312) + log(0.442688)) / 2) / 2)
    assert isclose(cup.log_loss, log(2))


def test_lists_without_a_game_in_common_are_not_compared() -> None:
    pool = Driven(lists(1, club_list(), club_list("cup", categories=["cup"])), published("e1", 1, "A>B")).pool
    with pytest.raises(NothingToScore, match="no game that elo and cup"):
        compare(pool, [of_list(pool, "elo"), of_list(pool, "cup")])
    with pytest.raises(NothingToScore, match="no list"):
        compare(pool, [])


def test_lists_that_have_no_game_in_common_are_told_which_have() -> None:
    some = (club_list("club", categories=["club"]), club_list("std", categories=["std"]), club_list("trial", categories=["std", "cup"]))
    pool = Driven(lists(1, *some), published("e1", 1, "A>B"), published("e2", 1, "A>B", category="std")).pool
    with pytest.raises(
        NothingToScore, match="that club and std and trial all rate; std and trial have some in common: name them with --lists"
    ):
        compare(pool, [of_list(pool, name) for name in ("club", "std", "trial")])
    with pytest.raises(NothingToScore, match="that club and std all rate; no two of them have one in common"):
        compare(pool, [of_list(pool, name) for name in ("club", "std")])
    empty = Driven(lists(1, club_list())).pool
    with pytest.raises(NothingToScore, match=r"there is no game that elo rates\Z"):
        compare(empty, [of_list(empty, "elo")])


def test_games_without_a_rating_are_counted_for_each_list() -> None:
    """FIDE's list knows A and B only; on the club's everybody begins with a rating; on rapid that of the standard list stands in."""
    fide = club_list("std", quantum="1", period="month", rules=[{"system": "fide/1", "parameters": {}}])
    rapid = fide | {"id": "rapid", "rules": [{"system": "fide/1", "parameters": {"kind": "rapid", "fallback": "std"}}]}
    seeds = [seeded(who, list="std", state={"rating": "1800", "games": 40}) for who in "AB"]
    games = published("e1", 1, "A>B", "A>N", "M=N", date="2026-03-05")
    pool = Driven(lists(1, fide, rapid, club_list("elo")), *seeds, games).pool
    told = compare(pool, [of_list(pool, name) for name in ("std", "rapid", "elo")])
    assert [(one.name, one.unrated) for one in told.scores] == [("std", 2), ("rapid", 2), ("elo", 0)]


def season(*more: Sendable) -> list[Sendable]:
    facts = [published(f"e{n}", 1, "A>B", "C=D", "B>C", "D<A", date=f"2024-{1 + n:02}-05") for n in range(6)]
    return [*facts, *more]


@pytest.mark.parametrize("system", ["club/1", "fide-curve/1", "uschess/1", "glicko/1", "glicko2/1"])
def test_the_facts_under_another_system_are_the_list_that_would_be_carried(system: str) -> None:
    carried = club_list("trial", rules=[{"system": system, "parameters": {}}])
    pool = Driven(lists(1, club_list(), carried), *season()).pool
    bound = under_system(pool, "elo", system)
    assert bound.replay.digest() == replay_of(pool, "trial").digest()
    assert dict(foretold(bound.replay)) == dict(foretold(replay_of(pool, "trial")))
    (score,) = compare(pool, [bound]).scores
    assert (score.name, score.list, score.systems, score.period, score.quantum) == (system, "elo", (system,), "event", "0.1")


def test_parameters_are_read_as_the_system_has_them() -> None:
    """`newcomer` is a decimal, `k` a whole number: both are written alike."""
    rules = [{"system": "fide-curve/1", "parameters": {"newcomer": "1500", "k": 20, "floor": "none"}}]
    pool = Driven(lists(1, club_list(), club_list("trial", rules=rules)), *season()).pool
    bound = under_system(pool, "elo", "fide-curve/1,newcomer=1500,k=20,floor=none")
    assert bound.replay.digest() == replay_of(pool, "trial").digest()


def test_a_system_without_the_period_of_the_list_has_one_of_its_own() -> None:
    pool = Driven(lists(1, club_list()), *season()).pool
    (score,) = compare(pool, [under_system(pool, "elo", "fide/1")]).scores
    assert (score.period, score.quantum) == ("month", "1")


def test_a_seed_counts_as_far_as_the_other_system_can_use_it() -> None:
    """club/1 gives rating and games: the FIDE curve takes both, Glicko asks for a deviation and begins anew."""
    pool = Driven(lists(1, club_list()), seeded("A", state={"rating": "1900.0", "games": 40}), *season()).pool
    seeds = {system: under_system(pool, "elo", system).replay.seed_of(minted("A")) for system in ("fide-curve/1", "glicko/1")}
    curve = seeds["fide-curve/1"]
    assert curve is not None
    assert curve[1][0] == 19_000
    assert seeds["glicko/1"] is None


def test_a_seed_is_judged_by_the_rules_of_its_date() -> None:
    """1300 is no FIDE rating from March 2024 on."""
    known = [
        seeded(player, as_of=as_of, state={"rating": "1300", "games": 40}) for player, as_of in (("A", "2024-06-01"), ("B", "2024-02-01"))
    ]
    pool = Driven(lists(1, club_list()), *known, published("e1", 1, "A>B", date="2024-07-05")).pool
    replay = under_system(pool, "elo", "fide/1").replay
    assert [replay.seed_of(minted(player)) is None for player in "AB"] == [True, False]


def test_a_rating_that_stands_in_is_known_to_the_forecast() -> None:
    """On rapid 2000 against 1800 on the standard list: 0.76 by table 8.1.2, on the list and under the system asked for."""
    rapid = {"kind": "rapid", "fallback": "std", "initial_games": 1}
    standard = club_list("std", quantum="1", period="month", rules=[{"system": "fide/1", "parameters": {}}])
    pool = Driven(
        lists(1, standard, standard | {"id": "rapid", "rules": [{"system": "fide/1", "parameters": rapid}]}),
        seeded("A", list="rapid", state={"rating": "2000", "games": 40}),
        seeded("B", list="std", state={"rating": "1800", "games": 40}),
        published("e1", 1, "A>B", date="2026-03-05"),
    ).pool
    assert forecasts(pool, "rapid") == {("e1", "g1"): 760_000}
    asked = under_system(pool, "rapid", "fide/1,kind=rapid,fallback=std,initial_games=1")
    assert dict(foretold(asked.replay)) == dict(foretold(replay_of(pool, "rapid")))


def test_a_system_from_elsewhere_can_be_asked_for() -> None:
    pool = Driven(lists(1, club_list(period="date")), *season()).pool
    assert under_system(pool, "elo", "lag/1", WITH_LAG).replay.rules.systems[0].name == "lag/1"


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ("elo/1", "no system elo/1.*; those known here are club/1, fide-2009/1"),
        ("club/1,k_old=20", "club/1 has no parameter k_old.*; it has k_established"),
        ("club/1,k_new=many", "club/1,k_new=many: k_new cannot be many: "),
        ("fide-curve/1,foo=1", "fide-curve/1 has no parameter foo"),
        ("fide/1,closing_days=40,k=20", "closing_days cannot be 40: "),
        ("club/1,k_new", "a parameter is NAME=VALUE, found 'k_new'"),
        ("club/1,=5", "a parameter is NAME=VALUE, found '=5'"),
    ],
)
def test_a_system_that_cannot_be_had_says_why(asked: str, says: str) -> None:
    pool = Driven(lists(1, club_list()), *season()).pool
    with pytest.raises(NothingToScore, match=says):
        under_system(pool, "elo", asked)


def test_a_list_that_is_not_rated_is_not_scored() -> None:
    held = club_list("odd", rules=[{"system": "unheard-of/1", "parameters": {}}])
    pool = Driven(lists(1, club_list(), held), *season()).pool
    with pytest.raises(NothingToScore, match="no list nix that is rated; its lists are elo"):
        of_list(pool, "nix")
    with pytest.raises(NothingToScore, match=r"list odd is held \(system\): there is no system unheard-of/1"):
        of_list(pool, "odd")
