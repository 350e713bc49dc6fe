"""The worked numbers of Glicko, Glicko-2 and Lichess (`oracles_glicko.json`): from the papers, from public implementations, some worked
out twice from the formulas. All are declared to reproduce, and do."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from rerate.ratings.face import State
from rerate.ratings.glicko import Glicko, growth_constant
from rerate.ratings.glicko2 import Glicko2, new_volatility
from rerate.ratings.glicko_base import GlickoBase, Result
from rerate.ratings.glicko_game import curve, g_of
from tests.kit.foretelling import expected
from tests.ratings.glicko_kit import KEYS, deviation_of, period, seeded, worked

ORACLES: dict[str, dict[str, Any]] = {one["id"]: one for one in json.loads((Path(__file__).parent / "oracles_glicko.json").read_bytes())}
HALF = {"1": 2, "0.5": 1, "0": 0}


def of(*kinds: str) -> list[str]:
    return [id for id, one in ORACLES.items() if one["kind"] in kinds]


def tolerance(oracle: dict[str, Any], printed: str) -> Decimal:
    """As stated, else half of the last digit that is printed."""
    return Decimal(oracle["tolerance"]) if "tolerance" in oracle else Decimal(5).scaleb(-len(printed.partition(".")[2]) - 1)


def is_as_printed(oracle: dict[str, Any], found: dict[str, float]) -> bool:
    printed = oracle["expected"]
    assert printed.keys() <= found.keys()
    return all(abs(Decimal(found[name]) - Decimal(value)) <= tolerance(oracle, value) for name, value in printed.items())


def test_every_oracle_is_tried_and_all_are_declared_to_reproduce() -> None:
    tried = {
        *of("glicko1_period", "glicko1_c", "glicko1_inactivity", "glicko1_expected_two_rd", "glicko1_interval", "glicko2_period"),
        *of("glicko2_idle", "glicko2_sequential", "lichess_game", "lichess_idle", "lichess_flags"),
    }
    assert tried == ORACLES.keys()
    assert len(tried) == 32
    assert {one["declared"] for one in ORACLES.values()} == {"reproduced"}


# ---------------------------------------------------------------------- Glicko-1


def met(system: GlickoBase, inputs: dict[str, Any], **more: str) -> tuple[list[list[int]], dict[int, State]]:
    """The games of player 0 against opponents who are seeded as the oracle has them."""
    states = {0: seeded(system, rating=inputs["rating"], deviation=inputs["rd"], **more)}
    games = []
    for number, (rating, deviation, score) in enumerate(inputs["games"], start=1):
        states[number] = seeded(system, rating=rating, deviation=deviation)
        games.append([0, number, HALF[score]])
    return games, states


@pytest.mark.parametrize("kind", ["month", "event", "date", "round", "game"])
@pytest.mark.parametrize("id", of("glicko1_period"))
def test_a_period_of_glicko_is_as_printed(id: str, kind: str) -> None:
    """As a newcomer enters with his deviation as it is, so does a seed without a date, by whichever kind of period."""
    oracle = ORACLES[id]
    system = Glicko({}, 1000, kind)
    given = period(*met(system, oracle["inputs"]), KEYS[kind])
    _, played = system._played(given, 1)
    result = worked(system, given, 0)
    found = {"rating": 1500 + result.change, "rd": deviation_of(system, result)}
    for number, one in enumerate(played[0], start=1):
        found |= {f"g_{number}": one.opponent.g, f"E_{number}": one.expected}
    assert is_as_printed(oracle, found)
    assert system.rate(given)[0].state[:2] == (1_464_106, 151_399)


@pytest.mark.parametrize("id", of("glicko1_c"))
def test_the_constant_of_growth_is_as_printed(id: str) -> None:
    oracle = ORACLES[id]
    inputs = oracle["inputs"]
    c = growth_constant(float(inputs["rd_unrated"]), float(inputs["rd_typical"]), float(inputs["periods"]))
    assert is_as_printed(oracle, {"c": c})


@pytest.mark.parametrize("id", of("glicko1_inactivity"))
def test_the_deviation_after_idle_periods_is_as_printed(id: str) -> None:
    oracle = ORACLES[id]
    inputs = oracle["inputs"]
    system = Glicko({"c": inputs["c"]}, 1000, "month")
    months = int(inputs["periods"])
    state = seeded(system, rating="1500", deviation=inputs["rd"], last=20_200_115)
    assert is_as_printed(oracle, {"rd": system._grown(state, float(months)) * system.scale})
    shown = system.deviation_at(state, f"{2020 + months // 12}-{1 + months % 12:02d}")
    assert abs(Decimal(shown) / 1000 - Decimal(oracle["expected"]["rd"])) <= Decimal("0.0005")


@pytest.mark.parametrize("id", of("glicko1_expected_two_rd"))
def test_a_forecast_is_as_printed(id: str) -> None:
    oracle = ORACLES[id]
    inputs = oracle["inputs"]
    system = Glicko({}, 1000, "date")
    gap = float(inputs["a"]) - float(inputs["b"])
    assert is_as_printed(oracle, {"E_a": system.forecast(gap, float(inputs["rd_a"]), float(inputs["rd_b"]))})
    a, b = (seeded(system, rating=inputs[who], deviation=inputs[f"rd_{who}"]) for who in "ab")
    millionths = expected(system, a, b, KEYS["date"])
    assert abs(Decimal(millionths) / 10**6 - Decimal(oracle["expected"]["E_a"])) <= max(
        tolerance(oracle, oracle["expected"]["E_a"]), Decimal("0.0000005")
    )


@pytest.mark.parametrize("id", of("glicko1_interval"))
def test_an_interval_is_as_printed(id: str) -> None:
    oracle = ORACLES[id]
    system = Glicko({}, 10, "date")
    low, high = system.interval(seeded(system, rating=oracle["inputs"]["rating"], deviation=oracle["inputs"]["rd"]))
    assert is_as_printed(oracle, {"low": float(low), "high": float(high)})


# ---------------------------------------------------------------------- Glicko-2


def paper(inputs: dict[str, Any], kind: str = "month", **more: str) -> Glicko2:
    """A system in which a player's first period is a whole one, as in the paper's example."""
    sigma = inputs["sigma"]
    tolerance = {"tolerance": "0.000000001"} if "epsilon" in inputs else {}
    return Glicko2({"tau": inputs["tau"], "start_volatility": sigma, **tolerance, **more}, 1000, kind)


@pytest.mark.parametrize(("kind", "growth"), [("month", "time"), ("month", "played"), ("event", "played"), ("game", "played")])
@pytest.mark.parametrize("id", of("glicko2_period"))
def test_a_period_of_glicko_2_is_as_printed(id: str, kind: str, growth: str) -> None:
    oracle = ORACLES[id]
    inputs = oracle["inputs"]
    system = paper(inputs, kind, growth=growth)
    given = period(*met(system, inputs, volatility=inputs["sigma"]), KEYS[kind])
    result = worked(system, given, 0)
    rating, deviation, v = float(inputs["rating"]) + result.change, deviation_of(system, result), 1 / result.information
    sigma = new_volatility(
        float(inputs["rd"]) / system.scale, float(inputs["sigma"]), v, v * result.outcome, float(inputs["tau"]), system._tolerance
    )
    found = {"rating": rating, "rd": deviation, "sigma": sigma, "v": v, "delta": v * result.outcome}
    found |= {"rating_rounded": round(rating), "rd_rounded": round(deviation)}
    assert is_as_printed(oracle, found)
    state = system.rate(given)[0].state
    assert state[0] == round(rating * 1000)
    assert state[1] == round(deviation * 1000)
    assert state[4] == round(sigma * 10**9)


def test_the_volatility_of_the_papers_example_is_right_to_its_billionths() -> None:
    """G2-2 has twelve digits of it; ours are nine, and the paper's own tolerance is enough for them."""
    for id in ("G2-1", "G2-2"):
        system = paper(ORACLES[id]["inputs"])
        state = system.rate(period(*met(system, ORACLES[id]["inputs"]), KEYS["month"]))[0].state
        assert state == (1_464_051, 151_517, 0, system._time.day("2024-01"), 59_995_984)


@pytest.mark.parametrize("id", of("glicko2_idle", "lichess_idle"))
def test_the_deviation_of_who_does_not_play_is_as_printed(id: str) -> None:
    oracle = ORACLES[id]
    inputs = oracle["inputs"]
    days = int(inputs.get("days", 0))
    system = Glicko2({"periods_per_day": inputs.get("periods_per_day", "0")}, 1000, "date" if days else "month")
    state = seeded(system, rating="1500", deviation=inputs["rd"], volatility=inputs["sigma"], last=20_230_101)
    date = "2024-01-01" if days else "2023-02"
    assert (days, inputs.get("periods")) in [(365, None), (0, "1")]
    assert is_as_printed(oracle, {"rd": system.deviation_at(state, date) / 1000})


@pytest.mark.parametrize("id", of("glicko2_sequential"))
def test_game_by_game_is_another_calculation_and_as_printed(id: str) -> None:
    oracle = ORACLES[id]
    inputs = oracle["inputs"]
    system = paper(inputs, "game", growth="played")
    games, states = met(system, inputs, volatility=inputs["sigma"])
    for number, game in enumerate(games):
        key = ("2024-01-15", 0, "w:e1", number + 1, 1, f"g{number}")
        states[0] = system.rate(period([game], states, key))[0].state
    rating, deviation, _, _, sigma = states[0]
    assert is_as_printed(oracle, {"rating": rating / 1000, "rd": deviation / 1000, "sigma": sigma / 10**9})
    worked_out_unrounded = (1_463_788.372, 151_873.213, 59_997_514.1)
    assert all(abs(mine - theirs) < 1 for mine, theirs in zip((rating, deviation, sigma), worked_out_unrounded, strict=True))


# ---------------------------------------------------------------------- Lichess


def lichess_game(inputs: dict[str, Any]) -> tuple[Glicko2, dict[str, Result]]:
    """One game, on a list by game; the seeds know of no date, so no time has passed."""
    assert (inputs["tau"], inputs["periods"]) == ("0.75", "0")
    system = Glicko2({"preset": "lichess", "white_advantage": inputs.get("advantage", "0")}, 1000, "game")
    sides = [inputs["white"], inputs["black"]]
    states = {n: seeded(system, rating=r, deviation=d, volatility=v) for n, (r, d, v) in enumerate(sides)}
    given = period([[0, 1, HALF[inputs["score_white"]]]], states, KEYS["game"])
    return system, {name: worked(system, given, n) for n, name in enumerate(("white", "black"))}


@pytest.mark.parametrize("id", of("lichess_game"))
def test_a_game_of_lichess_is_as_printed(id: str) -> None:
    oracle = ORACLES[id]
    system, results = lichess_game(oracle["inputs"])
    found = {}
    for name, result in results.items():
        found[f"{name}.rating"] = float(oracle["inputs"][name][0]) + result.change
        found[f"{name}.rd"] = deviation_of(system, result)
        found[f"{name}.sigma"] = result.state[4] / 10**9
    assert is_as_printed(oracle, found)


@pytest.mark.parametrize("id", of("lichess_flags"))
def test_the_mark_of_the_provisional_is_as_printed(id: str) -> None:
    oracle = ORACLES[id]
    system = Glicko2({"preset": "lichess"}, 10, "game")
    state = seeded(system, rating=oracle["inputs"]["rating"], deviation=oracle["inputs"]["rd"])
    assert system.provisional(state) == (oracle["expected"]["provisional"] == "yes")
    assert system.label(state) == oracle["expected"]["display"]


def test_the_curve_and_the_weight_at_their_ends() -> None:
    assert curve(0.0) == (0.5, 0.5)
    assert curve(800.0) == (1.0, 0.0)
    assert curve(-800.0) == (0.0, 1.0)
    assert g_of(0.0) == 1.0
