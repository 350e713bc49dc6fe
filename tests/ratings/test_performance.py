"""Performance ratings: the worked numbers (`oracles_performance.json`), the borders, and what the five have in common."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rerate.ratings.fide_tables import dp, pd
from rerate.ratings.performance import (
    BY_NAME,
    TITLE_UNRATED,
    Performance,
    fide,
    linear,
    linear_800,
    perfect_tournament,
    pf,
    score_share,
)

Data = dict[str, Any]
ORACLES: list[Data] = json.loads((Path(__file__).parent / "oracles_performance.json").read_bytes())
HALVES = {"1": 2, "0.5": 1, "0": 0}

Game = tuple[int, int]
games = st.lists(st.tuples(st.integers(100, 3500), st.integers(0, 2)), min_size=1, max_size=12)


def of(kind: str) -> list[Any]:
    return [pytest.param(one, id=one["id"]) for one in ORACLES if one["kind"] == kind]


def played(one: Data) -> list[Game]:
    return [(int(rating), HALVES[score]) for rating, score in one["inputs"]["games"]]


def test_none_of_these_oracles_is_left_out() -> None:
    tried = {"linear_performance", "linear_performance_pure", "fide_performance", "fide_perfect_performance", "percentage", "fide_dp"}
    assert {one["kind"] for one in ORACLES} == tried
    assert len(ORACLES) == 18


@pytest.mark.parametrize("one", of("linear_performance"))
def test_linear_with_800_at_the_ends(one: Data) -> None:
    assert linear_800(played(one)).rating == int(one["expected"]["performance"])
    is_end = one["expected"]["rule"] == "table-end"
    assert (linear_800(played(one)).rating != linear(played(one)).rating) == is_end


@pytest.mark.parametrize("one", of("linear_performance_pure"))
def test_linear_alone(one: Data) -> None:
    assert linear(played(one)).rating == int(one["expected"]["performance"])


@pytest.mark.parametrize("one", of("fide_performance"))
def test_by_the_table_of_fide(one: Data) -> None:
    found, printed = fide(played(one)), one["expected"]
    assert found.rating == int(printed["Rp"])
    for name in printed.keys() - {"Rp"}:
        assert printed[name] in found.text


@pytest.mark.parametrize("one", of("fide_perfect_performance"))
def test_perfect_tournament(one: Data) -> None:
    assert perfect_tournament(played(one)).rating == int(one["expected"]["PTP"])


def test_the_older_performance_rounds_the_share_alone() -> None:
    """Three wins, two losses and a draw are .58 (S3-PCT), which is 57 points (S3-PF), here above a mean with a fraction."""
    (share,) = (one["expected"]["p"] for one in ORACLES if one["id"] == "S3-PCT")
    (over,) = (int(one["expected"]["dp"]) for one in ORACLES if one["id"] == "S3-PF")
    assert score_share(7, 6) == 100 * Fraction(share)
    met = list(zip((1995, 1997, 2037, 2105, 2145, 2106), (2, 2, 2, 1, 0, 0), strict=True))
    assert pf(met).rating == Fraction(12385, 6) + over
    assert fide(met).rating == 2064 + over
    assert share[1:] in pf(met).text


def test_a_mean_and_a_share_in_the_middle_go_up() -> None:
    assert fide([(1500, 1), (1501, 1)]).rating == 1501
    assert score_share(1, 4) == 13, "half a point of four is .125"
    assert score_share(0, 3) == 0
    assert score_share(6, 3) == 100


def test_an_unrated_opponent_is_left_out_or_counts_1400_for_a_title_norm() -> None:
    met = [(2000, 2), (None, 2), (2000, 0)]
    assert fide(met).rating == 2000
    assert fide(met, TITLE_UNRATED).rating == 1800 + dp(67)
    assert fide([(None, 2)], TITLE_UNRATED).rating == 2200
    with pytest.raises(ValueError, match="no game"):
        fide([(None, 2)])


@pytest.mark.parametrize("name", BY_NAME)
def test_without_a_game_there_is_none(name: str) -> None:
    with pytest.raises(ValueError, match="no game"):
        BY_NAME[name]([])


@pytest.mark.parametrize("name", BY_NAME)
def test_each_has_its_name_a_sentence_and_a_source(name: str) -> None:
    for half in (0, 1, 2):
        found = BY_NAME[name]([(1500, half)])
        assert found.name == name
        assert found.text
        assert found.source


@given(games)
def test_no_rating_below_the_perfect_tournament_performance_would_have_been_expected_to_score_as_much(met: list[Game]) -> None:
    half, found = sum(half for _, half in met), int(perfect_tournament(met).rating)
    if half:
        assert sum(pd(found - theirs) for theirs, _ in met) >= 50 * half
        assert sum(pd(found - 1 - theirs) for theirs, _ in met) < 50 * half
    else:
        assert found == min(met)[0] - 800


@pytest.mark.parametrize("name", BY_NAME)
@given(met=games, points=st.integers(-50, 2000), data=st.data())
def test_all_move_with_the_opponents_rise_with_the_score_and_know_no_order(name: str, met: list[Game], points: int, data: Any) -> None:
    find: Callable[[list[Game]], Performance] = BY_NAME[name]
    found = find(met).rating
    assert find([(rating + points, half) for rating, half in met]).rating == found + points
    assert find(data.draw(st.permutations(met))).rating == found
    at = data.draw(st.integers(0, len(met) - 1))
    better = [(rating, min(2, half + (at == i))) for i, (rating, half) in enumerate(met)]
    assert find(better).rating >= found


@given(games)
def test_but_for_the_perfect_one_all_mirror_at_the_mean(met: list[Game]) -> None:
    """Won and lost changed round: as far below the mean as above it."""
    mean, other = Fraction(sum(rating for rating, _ in met), len(met)), [(rating, 2 - half) for rating, half in met]
    assert linear(met).rating - mean == mean - linear(other).rating
    assert linear_800(met).rating - mean == mean - linear_800(other).rating
    assert pf(met).rating - mean == dp(score_share(sum(half for _, half in met), len(met)))
    assert abs(fide(met).rating - pf(met).rating) <= Fraction(1, 2), "they differ by the rounding of the mean"
