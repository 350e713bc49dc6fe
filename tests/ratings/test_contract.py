"""Every system, in several bindings, and one of a package of its own, held to the contract of a system."""

import struct
from array import array
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from random import Random
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import strategies as st

from rerate.ratings.club import Club
from rerate.ratings.face import BLACK, WHITE, Forecast, Games, Period, Row, State, Step
from rerate.ratings.fide import Fide
from rerate.ratings.fide_2009 import Fide2009
from rerate.ratings.fide_curve import FideCurve
from rerate.ratings.glicko import Glicko
from rerate.ratings.glicko2 import Glicko2
from rerate.ratings.systems import SYSTEMS
from rerate.ratings.uschess import USChess
from tests.kit import system_contract as contract
from tests.kit.laws import IS_LONG, law
from tests.kit.sendable import Data
from tests.kit.system_contract import Candidate, Walked, walked
from tests.plugin.acme_elo import PARAMETERS, AcmeElo

CLUB: tuple[Data, ...] = ({"rating": "900.0", "games": 3}, {"rating": "1812.5", "games": 30})
FIDE: tuple[Data, ...] = (
    {"rating": "1405", "games": 29},
    {"rating": "1999", "games": 4},
    {"rating": "2385", "games": 30, "reached_2300": True},
    {"rating": "2640", "games": 30},
    {"games": 3, "reached_2400": True},
    {"pool_2022_11": "games2-half3-sum4100", "pool_2023_01": "games1-half1-sum1900"},
    {"pool_2008_06": "games4-half5-sum8100", "first_event_over": True},
)
FINE = tuple(one for one in FIDE if not any(name.startswith("pool") for name in one))
US: tuple[Data, ...] = (
    {"rating": "1431.0", "games": 5, "dropped": True, "scored": False},
    {"rating": "1877.0", "games": 20},
    {"rating": "2214.0", "games": 50, "peak": "2301.0", "master_games": 297, "floor_points": 49},
    {"rating": "1500.0", "games": 30, "prize_floor": "1400.0"},
    {"rating": "100.0", "games": 1},
    {"rating": "1700.0", "games": 0},
)
GLICKO: tuple[Data, ...] = (
    {"rating": "1400.0", "deviation": "50"},
    {"rating": "1900.5", "deviation": "347.123", "games": 3, "last": 20221105},
    {"rating": "2600.0", "deviation": "61", "last": 20230101, "games": 400},
)
VOLATILE: tuple[Data, ...] = (*GLICKO, {"rating": "1500.0", "deviation": "80", "volatility": "0.0612"})
RAISE = ("raise-2024",)
DATED = (2021, 2025)

CANDIDATES = (
    Candidate("club", Club, "event", seeds=CLUB),
    Candidate("club per game", Club, "round", {"k_policy": "per_game", "k_new_games": 4}, seeds=CLUB, follows_order=True),
    Candidate("club of few games", Club, "event", {"k_new_games": 9, "provisional_below": 0}, seeds=CLUB),
    Candidate("club in thousandths", Club, "date", {"protected_game_counts": "no"}, 1000, CLUB, categories=("club", "cup")),
    Candidate("fide", Fide, "month", {}, 1, FIDE, formulas=RAISE, years=DATED),
    Candidate("fide since 2009", Fide, "month", {"initial_step": "half-k"}, 1, FIDE, formulas=RAISE, years=(2007, 2017)),
    Candidate(
        "fide rapid", Fide, "month", {"kind": "rapid", "no_birth_year": "junior", "fallback": "std"}, 1, FIDE, formulas=RAISE, years=DATED
    ),
    Candidate("fide blitz", Fide, "month", {"kind": "blitz", "below_floor": "forget"}, 1, FIDE, formulas=RAISE, years=DATED),
    Candidate("fide by events", Fide, "month", {"rounding": "event", "initial_games_count": "yes"}, 1, FIDE, formulas=RAISE),
    Candidate("fide-2009", Fide2009, "month", {}, 1, FIDE, years=(2006, 2013)),
    Candidate("fide-2009 mean", Fide2009, "month", {"cap_on": "mean", "initial_games": 3}, 1, FIDE, years=(2006, 2013)),
    Candidate("fide-curve", FideCurve, "month", {}, 1, FIDE, formulas=RAISE, years=DATED),
    Candidate("fide-curve by event", FideCurve, "event", {"k": 20}, 10, FINE, formulas=RAISE, years=DATED),
    Candidate("fide-curve by date", FideCurve, "date", {"newcomer": "1500", "cap": 0}, 100, FINE, formulas=RAISE),
    Candidate("fide-curve low", FideCurve, "event", {"floor": "none", "initial_games": 1}, 10, FINE, formulas=RAISE),
    Candidate("uschess", USChess, "event", {}, seeds=US, years=(2016, 2025)),
    Candidate(
        "uschess read otherwise",
        USChess,
        "event",
        {
            "bonus_three": "distinct",
            "conversion_games": "text",
            "flat_stretch": "mean",
            "floors": "both",
            "peak_rounded": "yes",
            "life_master": "any",
        },
        100,
        US,
    ),
    Candidate(
        "uschess matches",
        USChess,
        "event",
        {"dual_category": "dual", "match_category": "match", "match_floors": "no", "start_order": "us", "age_by": "days"},
        seeds=US,
        categories=("dual", "match", "match", "open"),
    ),
    Candidate("glicko by month", Glicko, "month", seeds=GLICKO),
    Candidate("glicko by date", Glicko, "date", {"c": "30", "provisional_games": 7, "min_rating": "1000"}, 10, GLICKO),
    Candidate(
        "glicko by days",
        Glicko,
        "date",
        {"seed_beyond_limits": "limit", "max_rating": "2900", "max_deviation": "300", "start_deviation": "300"},
        10,
        GLICKO,
    ),
    Candidate("glicko by event", Glicko, "event", {"growth": "played", "max_change": "90"}, 1000, GLICKO),
    Candidate("glicko by game", Glicko, "game", {"white_advantage": "33.5", "min_deviation": "45"}, 10, GLICKO, favours_white=True),
    Candidate("glicko2 by month", Glicko2, "month", {"tau": "1.2"}, 10, VOLATILE),
    Candidate("glicko2 by round", Glicko2, "round", {"days_per_period": "4"}, 100, VOLATILE),
    Candidate("glicko2 lichess", Glicko2, "game", {"preset": "lichess"}, 1000, VOLATILE, favours_white=True),
    Candidate("glicko2 by date", Glicko2, "date", {"idle": "within", "provisional_games": 5}, 10, VOLATILE),
    Candidate("glicko2 steady", Glicko2, "date", {"max_volatility": "0.0605", "max_deviation": "350"}, 10, VOLATILE[:-1]),
    Candidate("acme-elo", AcmeElo, "month", seeds=CLUB),
    Candidate("acme-elo by event", AcmeElo, "event", {"k": 24, "later_from": 20240110}, 100, CLUB),
)
CANDIDATES = tuple(
    replace(one, has_floor=True) if one.make in (Fide, Fide2009, FideCurve) and one.parameters.get("floor") != "none" else one
    for one in CANDIDATES
)
CHECKS: tuple[Callable[[Walked], None], ...] = (
    contract.rows_are_of_those_rated,
    contract.explanations_add_up,
    contract.states_read_back,
    contract.lines_are_shown,
    contract.adjustments_are_as_ordered,
    contract.forecasts_know_no_result,
    contract.periods_end_alike,
)
CHECKS_BY_CHANCE: tuple[Callable[[Walked, Random], None], ...] = (
    contract.numbers_do_not_matter,
    contract.order_does_not_matter,
    contract.counters_add_up,
    contract.expectations_are_scores,
)
NUMBERS = st.integers(0, 2**64 - 1)


def test_every_system_is_a_candidate() -> None:
    assert {candidate.bound().name for candidate in CANDIDATES} == {*SYSTEMS, "acme-elo/1"}


@pytest.mark.parametrize("candidate", CANDIDATES, ids=lambda candidate: candidate.label)
@law(NUMBERS, share=1 if IS_LONG else 0.04)
def test_contract(candidate: Candidate, number: int) -> None:
    walk = walked(candidate, number)
    for check in CHECKS:
        check(walk)
    for check_by_chance in CHECKS_BY_CHANCE:
        check_by_chance(walk, Random(number))


@pytest.mark.parametrize("candidate", CANDIDATES, ids=lambda candidate: candidate.label)
def test_parameters_are_documented(candidate: Candidate) -> None:
    contract.parameters_are_documented(walked(candidate, 1))


@law(NUMBERS, share=0.04)
def test_states_of_one_layout_are_packed_alike(number: int) -> None:
    """Whatever the parameters, and for all systems that share it: so a list may pass from one rule to the next."""
    layouts: dict[str, dict[bytes, tuple[int, ...]]] = {}
    for candidate in CANDIDATES:
        walk = walked(candidate, number, periods=3)
        packed = layouts.setdefault(walk.system.layout, {})
        for raw, state in contract.packed_states(walk).items():
            assert packed.setdefault(raw, state) == state, f"{candidate.label}: {state} is packed as {packed[raw]}"
            assert all(walk.system.pack(other) == known for known, other in list(packed.items())[:20])


@law(NUMBERS, share=0.1)
def test_rules_of_one_layout_follow_each_other(number: int) -> None:
    random = Random(number)
    first = random.choice(CANDIDATES)
    followers = [one for one in CANDIDATES if _shared(one) == _shared(first)]
    walk, states = walked(random.choice(followers), number, periods=2), walked(first, number).states
    contract.rules_follow_each_other(walk, states, random)


def _shared(candidate: Candidate) -> tuple[str, int, str]:
    """What all rules of a list share."""
    return candidate.bound().layout, candidate.per_point, candidate.kind


# ---------------------------------------------------------------------- broken systems are caught


class RatesAllSides(AcmeElo):
    def rate(self, period: Period) -> dict[int, Row]:
        games = Games()
        games.extend(period.games, period.low, period.high)
        games.rated[:] = array("b", [WHITE | BLACK] * len(games))
        return super().rate(Period(period.key, games, 0, len(games), period.events, period.now))


class ForgetsToRound(AcmeElo):
    def explain(self, period: Period, player: int) -> list[Step]:
        return super().explain(period, player)[:-1]


class FavoursTheFirst(AcmeElo):
    def rate(self, period: Period) -> dict[int, Row]:
        rows = super().rate(period)
        first = min(rows)
        return rows | {first: rows[first]._replace(state=(rows[first].state[0] + 1, rows[first].state[1]))}


class FavoursTheLastGame(AcmeElo):
    def rate(self, period: Period) -> dict[int, Row]:
        rows = super().rate(period)
        white = period.games.white[period.high - 1]
        return {me: row._replace(state=(row.state[0] + (me == white), row.state[1])) for me, row in rows.items()}


class ShowsTooFewGames(AcmeElo):
    def wire_state(self, state: State) -> dict[str, object]:
        return super().wire_state(state) | {"games": min(state[1], 3)}


class ShowsAFloat(AcmeElo):
    def wire_line(self, line: Any) -> dict[str, object]:
        return super().wire_line(line) | {"expected": line.expected / 1_000_000}


class TakesTheLastSeed(AcmeElo):
    def with_counters(self, chosen: State, others: Sequence[State]) -> State:
        return (chosen[0], others[-1][1] if others else chosen[1])


class AddsTwice(AcmeElo):
    def adjust(self, state: State, kind: str, value: str, date: str = "") -> State | None:
        after = super().adjust(state, kind, value)
        return after if after is None or kind != "add" else (2 * after[0] - state[0], after[1])


class SeesItAsBlack(AcmeElo):
    def foretell(self, period: Period, game: int) -> Forecast:
        seen = super().foretell(period, game)
        return seen._replace(expected=1_000_000 - seen.expected)


class ForetellsWhatHappened(AcmeElo):
    def foretell(self, period: Period, game: int) -> Forecast:
        return Forecast(period.games.white_half[game] * 500_000, is_rated=True)


class ForetellsOfNobody(AcmeElo):
    def foretell(self, period: Period, game: int) -> Forecast:
        return super().foretell(period, game)._replace(is_rated=False)


class ChangesWhatItIsGiven(AcmeElo):
    def rate(self, period: Period) -> dict[int, Row]:
        rows = super().rate(period)
        assert isinstance(period.now, list)
        for player, row in rows.items():
            period.now[player] = row.state
        return rows


class HidesAParameter(AcmeElo):
    parameters = MappingProxyType({name: said for name, said in AcmeElo.parameters.items() if name != "k"})


class SaysAnotherDefault(AcmeElo):
    parameters = MappingProxyType({**AcmeElo.parameters, "k_later": (25, "K from that day on")})


class TakesAnything(AcmeElo):
    def __init__(self, parameters: Mapping[str, object], per_point: int, period: str) -> None:
        super().__init__({name: value for name, value in parameters.items() if name in PARAMETERS}, per_point, period)


class PacksTheRating(AcmeElo):
    def pack(self, state: State) -> bytes:
        return struct.pack(">i", state[0])


BROKEN: dict[type[AcmeElo], Callable[[Walked], object]] = {
    RatesAllSides: contract.rows_are_of_those_rated,
    ForgetsToRound: contract.explanations_add_up,
    FavoursTheFirst: lambda walk: contract.numbers_do_not_matter(walk, Random(1)),
    FavoursTheLastGame: lambda walk: contract.order_does_not_matter(walk, Random(1)),
    ShowsTooFewGames: contract.states_read_back,
    ShowsAFloat: contract.lines_are_shown,
    TakesTheLastSeed: lambda walk: contract.counters_add_up(walk, Random(1)),
    AddsTwice: contract.adjustments_are_as_ordered,
    SeesItAsBlack: lambda walk: contract.expectations_are_scores(walk, Random(1)),
    ForetellsWhatHappened: contract.forecasts_know_no_result,
    ForetellsOfNobody: contract.forecasts_know_no_result,
    ChangesWhatItIsGiven: contract.periods_end_alike,
    HidesAParameter: contract.parameters_are_documented,
    SaysAnotherDefault: contract.parameters_are_documented,
    TakesAnything: contract.parameters_are_documented,
    PacksTheRating: contract.packed_states,
}


@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: broken.__name__)
def test_a_broken_system_is_caught(broken: type[AcmeElo]) -> None:
    assert any(_is_caught(broken, number) for number in range(20))
    assert not any(_is_caught(AcmeElo, number, BROKEN[broken]) for number in range(20))


class RatesEverybody(USChess):
    def foretell(self, period: Period, game: int) -> Forecast:
        return super().foretell(period, game)._replace(is_rated=True)


def test_who_has_no_rating_is_none_in_a_forecast() -> None:
    for maker, is_caught in ((USChess, False), (RatesEverybody, True)):
        walk = walked(Candidate("uschess", maker, "event", seeds=US), 1)
        with pytest.raises(AssertionError) if is_caught else nullcontext():
            contract.forecasts_know_no_result(walk)


def _is_caught(system: type[AcmeElo], number: int, check: Callable[[Walked], object] | None = None) -> bool:
    parameters = {"k": 24} if system is HidesAParameter else {}
    walk = walked(Candidate("broken", system, "date", parameters, seeds=CLUB), number)
    try:
        (check or BROKEN[system])(walk)
    except AssertionError:
        return True
    return False
