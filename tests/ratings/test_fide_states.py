"""The states of the FIDE systems: seeds, what the wire shows, bytes, counters of merged persons."""

import struct
from typing import Any

import pytest
from hypothesis import strategies as st

from rerate.ratings.face import State
from rerate.ratings.fide import Fide
from rerate.ratings.fide_2009 import Fide2009
from rerate.ratings.fide_curve import FideCurve
from tests.kit.laws import law
from tests.ratings.fide_kit import seeded

FIDE, CURVE = Fide({}, 1, "month"), FideCurve({}, 10, "month")


@pytest.mark.parametrize("system", [FIDE, Fide2009({}, 1, "month"), CURVE])
def test_a_newcomer_has_nothing(system: Fide) -> None:
    start = system.start()
    assert (start, system.rated(start), system.provisional(start), start[2]) == ((0, 0, 0), False, True, 0)
    assert system.wire_state(start) == {"games": 0, "reached_2300": False, "reached_2400": False, "first_event_over": False}


def test_what_the_wire_shows_of_a_rated_player_and_of_one_who_pools() -> None:
    assert CURVE.wire_state(seeded(CURVE, "2310.5", 12)) == {
        "rating": "2310.5",
        "games": 12,
        "reached_2300": True,
        "reached_2400": False,
        "first_event_over": True,
    }
    pooled = seeded(CURVE, None, 0, pool_2025_12="games2-half3-sum36005", pool_2026_01="games1-half0-sum-15")
    assert pooled == (0, 8, 0, 2025 * 12 + 11, 2, 3, 36005, 2026 * 12, 1, 0, -15)
    assert CURVE.wire_state(pooled)["pool_2025_12"] == "games2-half3-sum36005"


@pytest.mark.parametrize(
    "fields",
    [
        {"rating": 1800},
        {"rating": "1800.5"},
        {"rating": "0"},
        {"rating": "-5"},
        {"rating": "high"},
        {"rating": "10000"},
        {"games": -1},
        {"games": "5"},
        {"games": True},
        {"reached_2400": "yes"},
        {"reached_2300": 1},
        {"first_event_over": "no"},
        {"peak": "2400"},
        {"pool_2026_13": "games1-half1-sum1800"},
        {"pool_2026_00": "games1-half1-sum1800"},
        {"pool_2026_1": "games1-half1-sum1800"},
        {"pool_2026_01": "games0-half0-sum0"},
        {"pool_2026_01": "games1-half3-sum1800"},
        {"pool_2026_01": "games1-half1"},
        {"pool_2026_01": 5},
        {"rating": "1800", "pool_2026_01": "games1-half1-sum1800"},
    ],
)
def test_a_seed_that_cannot_be_used(fields: dict[str, Any]) -> None:
    assert FIDE.seed(fields) is None


def test_every_field_of_a_seed_is_optional_and_games_stop_at_30() -> None:
    assert FIDE.seed({"rating": "1800"}) == (1800, 9, 0)
    assert FIDE.seed({"games": 31}) == (0, 0, 30)
    assert FIDE.seed({"first_event_over": True}) == (0, 8, 0)
    assert FIDE.seed({"rating": "2400"}) == (2400, 15, 0)
    assert FIDE.seed({"rating": "2399", "reached_2400": True}) == (2399, 15, 0)


def test_without_a_floor_a_rating_may_be_below_zero() -> None:
    free = FideCurve({"floor": "none"}, 10, "month")
    assert free.seed({"rating": "-5.5"}) == (-55, 9, 0)
    assert free.seed({"rating": "-9999.9"}) == (-99_999, 9, 0)
    assert free.wire_state((-55, 9, 0))["rating"] == "-5.5"
    assert free.adjust((20, 9, 0), "add", "-5") == (-30, 9, 0)


def test_a_seed_of_more_than_26_months_keeps_the_newest() -> None:
    fields = {f"pool_20{20 + n // 12}_{n % 12 + 1:02d}": "games1-half1-sum1800" for n in range(28)}
    state = FIDE.seed(fields)
    assert state is not None
    assert (len(state), state[3], state[-4]) == (3 + 4 * 26, 2020 * 12 + 2, 2020 * 12 + 27)


def test_the_bytes_say_how_many_months_follow() -> None:
    rated, pooled = seeded(FIDE, "1800", 12), seeded(FIDE, None, 3, pool_2026_01="games2-half3-sum3600")
    assert FIDE.pack(rated) == struct.pack(">iBBB", 1800, 9, 12, 0)
    assert FIDE.pack(pooled) == struct.pack(">iBBBIIIq", 0, 8, 3, 1, 2026 * 12, 2, 3, 3600)


# ---------------------------------------------------------------------- merged persons


def test_latches_are_ored_and_games_added_up_to_30() -> None:
    chosen, others = seeded(FIDE, "1800", 12), [seeded(FIDE, "2410", 10), seeded(FIDE, None, 20)]
    assert FIDE.with_counters(chosen, others) == (1800, 15, 30)
    assert FIDE.with_counters(chosen, []) == chosen
    assert FIDE.with_counters(seeded(FIDE, None, 1), [seeded(FIDE, "2310", 2)]) == (0, 12, 3)


def test_pooled_results_are_added_month_by_month_where_the_chosen_has_no_rating() -> None:
    one = seeded(FIDE, None, 0, pool_2026_01="games2-half3-sum3600", pool_2026_03="games1-half0-sum1700")
    other = seeded(FIDE, None, 0, pool_2026_01="games1-half1-sum1500", pool_2026_02="games4-half4-sum8000")
    both = seeded(
        FIDE,
        None,
        0,
        pool_2026_01="games3-half4-sum5100",
        pool_2026_02="games4-half4-sum8000",
        pool_2026_03="games1-half0-sum1700",
    )
    assert FIDE.with_counters(one, [other]) == FIDE.with_counters(other, [one]) == both
    assert FIDE.with_counters(seeded(FIDE, "1800", 5), [other]) == (1800, 9, 5)


months = st.integers(2000, 2099).flatmap(lambda year: st.integers(1, 12).map(lambda month: f"pool_{year}_{month:02d}"))
pools = st.dictionaries(
    months,
    st.integers(1, 99).flatmap(
        lambda games: st.tuples(st.integers(0, 2 * games), st.integers(-9_999, 99_999 * games)).map(
            lambda one: f"games{games}-half{one[0]}-sum{one[1]}"
        )
    ),
    max_size=30,
)
latches = st.fixed_dictionaries({}, optional={name: st.booleans() for name in ("reached_2300", "reached_2400", "first_event_over")})
ratings = st.integers(1, 99_999).map(lambda tenths: {"rating": f"{tenths // 10}.{tenths % 10}"})


@st.composite
def states(draw: st.DrawFn) -> State:
    state = CURVE.seed({"games": draw(st.integers(0, 40)), **draw(latches), **draw(st.one_of(ratings, pools))})
    assert state is not None
    return state


@law(states(), share=0.3)
def test_what_the_wire_shows_is_a_seed_of_the_same_state(state: State) -> None:
    assert CURVE.seed(CURVE.wire_state(state)) == state


@law(states(), states(), share=0.3)
def test_different_states_have_different_bytes_even_at_each_others_ends(one: State, other: State) -> None:
    assert (CURVE.pack(one) == CURVE.pack(other)) is (one == other)
    assert not CURVE.pack(one).startswith(CURVE.pack(other)) or one == other


@law(states(), st.lists(states(), max_size=3), share=0.3)
def test_counters_of_merged_persons_do_not_depend_on_their_order(chosen: State, others: list[State]) -> None:
    merged = CURVE.with_counters(chosen, others)
    assert CURVE.with_counters(chosen, others[::-1]) == merged
    assert CURVE.rated(merged) is CURVE.rated(chosen)
    assert CURVE.seed(CURVE.wire_state(merged)) == merged
