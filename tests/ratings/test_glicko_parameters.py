"""The parameters, seeds, limits and dates of glicko/1 and glicko2/1, and their search that may come to no end."""

from datetime import date, timedelta
from fractions import Fraction
from typing import Any

import pytest

from rerate.ratings import glicko2
from rerate.ratings.face import NoResult, State, Step, Unusable
from rerate.ratings.glicko import PARAMETERS as GLICKO
from rerate.ratings.glicko import Glicko
from rerate.ratings.glicko2 import LICHESS, Glicko2, new_volatility
from rerate.ratings.glicko2 import PARAMETERS as GLICKO_2
from rerate.ratings.glicko_base import GlickoBase
from tests.kit import plain_glicko
from tests.kit.foretelling import expected
from tests.kit.plain_glicko import Player
from tests.ratings.glicko_kit import KEYS, MAKERS, period, seeded

NAMES = sorted(MAKERS)
DOCUMENTED = {"glicko/1": GLICKO, "glicko2/1": GLICKO_2}
DEFAULTS = {name: {key: default for key, (default, _) in documented.items()} for name, documented in DOCUMENTED.items()}


def one_game(system: GlickoBase, *states: State | None, half: int = 2, day: str = "2024-01-15") -> list[State]:
    """The states of player 0 (White) and player 1 after a game between them."""
    given = period(
        [[0, 1, half]], {n: state for n, state in enumerate(states) if state is not None}, (day[:7] if system._time.by_month else day,)
    )
    rows = system.rate(given)
    return [rows[0].state, rows[1].state]


# ---------------------------------------------------------------------- what is taken and what is refused


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("per_point", [1, 10, 100, 1000])
@pytest.mark.parametrize("kind", ["event", "date", "round", "month", "game"])
def test_no_parameters_mean_the_defaults(name: str, per_point: int, kind: str) -> None:
    plain, said = MAKERS[name]({}, per_point, kind), MAKERS[name](DEFAULTS[name], per_point, kind)
    assert plain.start() == said.start()
    assert plain.start()[:4] == (1500 * per_point, 350_000, 0, 0)
    a, b = (seeded(plain, rating=r, deviation=d, last=20_220_101) for r, d in (("1400", "80"), ("1600", "120.5")))
    assert one_game(plain, a, b) == one_game(said, a, b)


@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_is_documented_and_no_more_than_a_rule_may_name(name: str) -> None:
    assert len(DOCUMENTED[name]) <= 32
    assert all(meaning for _, meaning in DOCUMENTED[name].values())


AT_THE_BOUNDS: list[dict[str, Any]] = [
    {"start": "-9999"},
    {"start": "9999"},
    {"start": 1200},
    {"start_deviation": "0.001"},
    {"start_deviation": 350},
    {"growth": "played"},
    {"days_per_period": "0.001"},
    {"days_per_period": 9_999},
    {"periods_per_day": "0.000000001"},
    {"white_advantage": "-1000"},
    {"white_advantage": "1000"},
    {"white_advantage": "11.782457"},
    {"min_rating": "1500", "max_rating": "1500"},
    {"max_change": "0"},
    {"min_deviation": "350", "max_deviation": "350"},
    {"provisional_deviation": "0"},
    {"provisional_at_limit": "no"},
    {"provisional_games": 255},
    {"seed_beyond_limits": "limit"},
]
AT_THE_BOUNDS_OF: dict[str, list[dict[str, Any]]] = {
    "glicko/1": [*AT_THE_BOUNDS, {"c": "0"}, {"c": "9999.999999999"}],
    "glicko2/1": [
        *AT_THE_BOUNDS,
        {"preset": "lichess"},
        {"start_volatility": "0.000000001"},
        {"start_volatility": "4"},
        {"min_volatility": "0.06", "max_volatility": "0.06"},
        {"tau": "0.01"},
        {"tau": 10},
        {"tolerance": "0.000000001"},
        {"tolerance": "0.01"},
        {"idle": "within"},
    ],
}

BEYOND_THE_BOUNDS: list[dict[str, Any]] = [
    {"floor": "100"},
    {"start": "1500.0005"},
    {"start": "10000"},
    {"start": 10_000},
    {"start": True},
    {"start": "high"},
    {"start": "399", "min_rating": "400"},
    {"start": "2501", "max_rating": "2500"},
    {"start_deviation": "0"},
    {"start_deviation": "0.0005"},
    {"start_deviation": "-1"},
    {"start_deviation": "351", "max_deviation": "350"},
    {"start_deviation": "29", "min_deviation": "30"},
    {"growth": "never"},
    {"growth": True},
    {"days_per_period": "0"},
    {"days_per_period": "-30"},
    {"days_per_period": "0.0001"},
    {"days_per_period": "month"},
    {"periods_per_day": "-0.1"},
    {"white_advantage": "1000.000000001"},
    {"white_advantage": "-1001"},
    {"min_rating": "2000", "max_rating": "1900"},
    {"max_change": "-1"},
    {"min_deviation": "0"},
    {"min_deviation": "351", "max_deviation": "350"},
    {"max_deviation": "300"},
    {"provisional_deviation": "-1"},
    {"provisional_at_limit": True},
    {"provisional_games": -1},
    {"provisional_games": 256},
    {"provisional_games": "5"},
    {"provisional_games": True},
    {"seed_beyond_limits": "ask"},
]
BEYOND_THE_BOUNDS_OF: dict[str, list[dict[str, Any]]] = {
    "glicko/1": [*BEYOND_THE_BOUNDS, {"c": "-1"}, {"c": False}, {"tau": "0.5"}, {"preset": "lichess"}, {"idle": "before"}],
    "glicko2/1": [
        *BEYOND_THE_BOUNDS,
        {"c": "63.2"},
        {"preset": "chess"},
        {"preset": 1},
        {"start_volatility": "0"},
        {"start_volatility": "0.101", "preset": "lichess"},
        {"start_volatility": "0.0000000001"},
        {"min_volatility": "0"},
        {"min_volatility": "0.07"},
        {"max_volatility": "4.000000001"},
        {"max_volatility": "0.05"},
        {"tau": "0.009"},
        {"tau": "10.1"},
        {"tau": "0"},
        {"tolerance": "0"},
        {"tolerance": "0.011"},
        {"idle": "after"},
    ],
}


@pytest.mark.parametrize(("name", "parameters"), [(name, one) for name in NAMES for one in AT_THE_BOUNDS_OF[name]])
def test_values_at_the_bounds_are_taken_and_give_a_rating(name: str, parameters: dict[str, Any]) -> None:
    system = MAKERS[name](parameters, 1000, "event")
    assert all(system.pack(state) for state in one_game(system, None, None))


@pytest.mark.parametrize(("name", "parameters"), [(name, one) for name in NAMES for one in BEYOND_THE_BOUNDS_OF[name]])
def test_other_values_and_unknown_names_are_refused(name: str, parameters: dict[str, Any]) -> None:
    with pytest.raises(Unusable) as refused:
        MAKERS[name](parameters, 1000, "event")
    assert refused.value.reason == "parameters"


@pytest.mark.parametrize("name", NAMES)
def test_a_period_kind_that_is_not_there_is_refused(name: str) -> None:
    with pytest.raises(Unusable):
        MAKERS[name]({}, 1000, "week")


@pytest.mark.parametrize("name", NAMES)
def test_a_rating_finer_than_the_quantum_is_refused(name: str) -> None:
    with pytest.raises(Unusable):
        MAKERS[name]({"start": "1500.5"}, 1, "event")
    assert MAKERS[name]({"start": "1500.5"}, 10, "event").start()[0] == 15_005


def test_the_preset_has_the_constants_of_lichess_and_what_is_named_goes_before_them() -> None:
    preset, said = Glicko2({"preset": "lichess"}, 10, "game"), Glicko2(LICHESS, 10, "game")
    assert preset.start() == said.start() == (15_000, 500_000, 0, 0, 90_000_000)
    other = Glicko2({"preset": "lichess", "white_advantage": "20.30966", "start_deviation": "400"}, 10, "game")
    assert other.start() == (15_000, 400_000, 0, 0, 90_000_000)
    first, second, third = (one_game(system, (15_000, 400_000, 0, 0, 90_000_000), None) for system in (preset, said, other))
    assert first == second != third


# ---------------------------------------------------------------------- seeds and states


@pytest.mark.parametrize("name", NAMES)
def test_a_seed_needs_rating_and_deviation_and_the_rest_has_defaults(name: str) -> None:
    system = MAKERS[name]({"provisional_games": 20}, 10, "event")
    assert seeded(system, rating="1400.5", deviation="80")[:4] == (14_005, 80_000, 0, 0)
    full = seeded(system, rating=-3, deviation="80.125", games=30, last=20_240_229)
    assert full[:4] == (-30, 80_125, 20, system._time.day("2024-02-29"))


def test_a_seed_of_glicko_2_may_have_a_volatility() -> None:
    system = Glicko2({}, 10, "event")
    assert seeded(system, rating="1400", deviation="80")[4] == 60_000_000
    assert seeded(system, rating="1400", deviation="80", volatility="0.059995984")[4] == 59_995_984


def test_a_date_is_that_of_its_months_first_day_on_a_list_by_month() -> None:
    system = Glicko({}, 10, "month")
    assert seeded(system, rating="1400", deviation="80", last=20_240_229) == seeded(system, rating="1400", deviation="80", last=20_240_201)
    assert system.wire_state(seeded(system, rating="1400", deviation="80", last=20_240_229))["last"] == 20_240_201


BAD_SEEDS: list[dict[str, Any]] = [
    {"rating": "1400"},
    {"deviation": "80"},
    {"rating": "1400.05", "deviation": "80"},
    {"rating": "strong", "deviation": "80"},
    {"rating": True, "deviation": "80"},
    {"rating": 1400.5, "deviation": "80"},
    {"rating": "1400", "deviation": "0"},
    {"rating": "1400", "deviation": "-80"},
    {"rating": "1400", "deviation": "80.0005"},
    {"rating": "1400", "deviation": True},
    {"rating": "1400", "deviation": "80", "games": -1},
    {"rating": "1400", "deviation": "80", "games": "3"},
    {"rating": "1400", "deviation": "80", "games": True},
    {"rating": "1400", "deviation": "80", "last": 0},
    {"rating": "1400", "deviation": "80", "last": 20_230_229},
    {"rating": "1400", "deviation": "80", "last": 20_241_301},
    {"rating": "1400", "deviation": "80", "last": 202_401},
    {"rating": "1400", "deviation": "80", "last": "2024-01-05"},
    {"rating": "1400", "deviation": "80", "last": True},
    {"rating": "1400", "deviation": "80", "peak": "1500"},
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("fields", BAD_SEEDS)
def test_another_state_is_no_seed(name: str, fields: dict[str, Any]) -> None:
    assert MAKERS[name]({}, 10, "event").seed(fields) is None


@pytest.mark.parametrize("volatility", ["0", "-0.06", True, "high", "4.1"])
def test_another_volatility_is_no_seed(volatility: object) -> None:
    assert Glicko2({}, 10, "event").seed({"rating": "1400", "deviation": "80", "volatility": volatility}) is None


def test_glicko_knows_no_volatility() -> None:
    assert Glicko({}, 10, "event").seed({"rating": "1400", "deviation": "80", "volatility": "0.06"}) is None


@pytest.mark.parametrize(
    ("fields", "limited"),
    [
        ({"rating": "399.9", "deviation": "80"}, (4_000, 80_000, 0, 0, 90_000_000)),
        ({"rating": "4000.1", "deviation": "80"}, (40_000, 80_000, 0, 0, 90_000_000)),
        ({"rating": "1500", "deviation": "44.999"}, (15_000, 45_000, 0, 0, 90_000_000)),
        ({"rating": "1500", "deviation": "500.001"}, (15_000, 500_000, 0, 0, 90_000_000)),
        ({"rating": "1500", "deviation": "80", "volatility": "0.100000001"}, (15_000, 80_000, 0, 0, 100_000_000)),
    ],
)
def test_a_seed_beyond_the_limits_is_refused_or_limited_as_the_parameter_says(fields: dict[str, Any], limited: State) -> None:
    assert Glicko2({"preset": "lichess"}, 10, "game").seed(fields) is None
    assert Glicko2({"preset": "lichess", "seed_beyond_limits": "limit"}, 10, "game").seed(fields) == limited


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("kind", "value", "rating"),
    [
        ("set", "1400.5", 14_005),
        ("set", "2500", 25_000),
        ("set", "2500.1", None),
        ("add", "25", 15_250),
        ("add", "-25.5", 14_745),
        ("add", "1000", 25_000),
        ("add", "1000.1", None),
        ("add", "0.05", None),
        ("add", "some", None),
        ("formula", "raise-2024", None),
    ],
)
def test_an_adjustment_sets_or_adds_to_the_rating_alone(name: str, kind: str, value: str, rating: int | None) -> None:
    system = MAKERS[name]({"max_rating": "2500"}, 10, "event")
    state = seeded(system, rating="1500", deviation="80", last=20_240_105)
    assert system.adjust(state, kind, value) == (None if rating is None else (rating, *state[1:]))
    limiting = MAKERS[name]({"max_rating": "2500", "seed_beyond_limits": "limit"}, 10, "event")
    assert limiting.adjust(state, "set", "9000") == (25_000, *state[1:])


@pytest.mark.parametrize("name", NAMES)
def test_further_seeds_of_a_person_add_their_games_up_to_the_cap(name: str) -> None:
    system = MAKERS[name]({"provisional_games": 10}, 10, "event")
    chosen, one, two = (seeded(system, rating="1400", deviation="80", games=n, last=20_240_100 + n) for n in (3, 4, 9))
    assert system.with_counters(chosen, []) == chosen
    assert system.with_counters(chosen, [one]) == (*chosen[:2], 7, *chosen[3:])
    assert system.with_counters(chosen, [one, two])[2] == 10


def test_the_widths_of_the_states() -> None:
    assert Glicko({}, 10, "event").pack((15_000, 350_000, 3, 738_000)).hex() == "00003a98" + "00055730" + "03" + "000b42d0"
    state = (-1, 45_000, 0, 0, 59_995_984)
    assert Glicko2({}, 10, "event").pack(state).hex() == "ffffffff" + "0000afc8" + "00" + "00000000" + "03937750"


@pytest.mark.parametrize(
    ("deviation", "at_limit", "games", "provisional"),
    [
        ("109.999", "yes", 5, False),
        ("110", "yes", 5, True),
        ("110", "no", 5, False),
        ("110.001", "no", 5, True),
        ("50", "yes", 4, True),
        ("50", "no", 5, False),
    ],
)
@pytest.mark.parametrize("name", NAMES)
def test_provisional_is_who_has_a_wide_deviation_or_few_games(
    name: str, deviation: str, at_limit: str, games: int, provisional: bool
) -> None:
    system = MAKERS[name]({"provisional_at_limit": at_limit, "provisional_games": 5}, 10, "event")
    state = seeded(system, rating="1500", deviation=deviation, games=games)
    assert (system.provisional(state), system.wire_state(state)["games"], system.rated(state)) == (provisional, games, True)


def test_a_label_drops_the_fraction_towards_zero() -> None:
    system = Glicko({}, 10, "event")
    labels = [system.label(seeded(system, rating=rating, deviation="50")) for rating in ("1512.9", "-12.9", "-0.9", "0")]
    assert labels == ["1512", "-12", "0", "0"]


# ---------------------------------------------------------------------- time


def at(day: str, kind: str, **parameters: str) -> int:
    """The deviation of 100 of January 31st 2024 as it stands at another date."""
    system = Glicko({"c": "30", "max_deviation": "350", **parameters}, 10, kind)
    return system.deviation_at(seeded(system, rating="1500", deviation="100", last=20_240_131), day)


def grown(periods: float) -> int:
    return round(1000 * (100**2 + 30**2 * periods) ** 0.5)


def test_months_count_as_whole_periods() -> None:
    assert [at(day, "month") for day in ("2024-01-31", "2024-02-01", "2024-02", "2024-03-31", "2025-01")] == [
        grown(months) for months in (0, 1, 1, 2, 12)
    ]


@pytest.mark.parametrize("kind", ["event", "date", "round", "game"])
def test_dates_count_as_parts_of_a_period(kind: str) -> None:
    days = {"2024-01-31": 0, "2024-02-01": 1, "2024-03-01": 30, "2024-03-31": 60, "2025-01-30": 365}
    assert [at(day, kind) for day in days] == [grown(n / 30) for n in days.values()]
    assert [at(day, kind, days_per_period="7") for day in days] == [grown(n / 7) for n in days.values()]
    assert [at(day, kind, periods_per_day="0.21436", days_per_period="7") for day in days] == [grown(n * 0.21436) for n in days.values()]


@pytest.mark.parametrize("kind", ["event", "month"])
def test_with_growth_by_periods_played_dates_do_not_matter(kind: str) -> None:
    assert [at(day, kind, growth="played") for day in ("2024-02-01", "2034-02-01")] == [grown(1), grown(1)]


@pytest.mark.parametrize("kind", ["event", "month"])
def test_time_does_not_run_backwards(kind: str) -> None:
    assert at("2023-01-01", kind) == 100_000


def test_a_deviation_grows_to_its_limit() -> None:
    assert at("9999-12", "month") == 350_000
    assert at("9999-12", "month", max_deviation="400") == 400_000


@pytest.mark.parametrize("name", NAMES)
def test_who_has_no_date_has_his_deviation_as_it_is(name: str) -> None:
    system = MAKERS[name]({}, 10, "event")
    assert system.deviation_at(seeded(system, rating="1500", deviation="100"), "2024-01-15") == 100_000
    assert system.deviation_at(system.start(), "2024-01-15") == 350_000


def test_both_players_enter_a_period_of_glicko_with_their_grown_deviations() -> None:
    system = Glicko({}, 1000, "date")
    a, b = seeded(system, rating="1500", deviation="60", last=20_230_101), seeded(system, rating="1550", deviation="80", last=20_230_601)
    today = "2024-01-15"
    as_seeded = [seeded(system, rating=r, deviation=f"{system.deviation_at(s, today) / 1000:.3f}") for r, s in (("1500", a), ("1550", b))]
    left, right = one_game(system, a, b), one_game(system, *as_seeded)
    assert all(abs(mine - theirs) <= 2 for one, other in zip(left, right, strict=True) for mine, theirs in zip(one, other, strict=True))
    assert one_game(system, a, seeded(system, rating="1550", deviation="80"))[0] != left[0]


@pytest.mark.parametrize(("days", "same"), [(0, True), (15, True), (30, True), (31, False), (300, False)])
def test_growth_before_and_within_agree_over_one_period_and_part_after_it(days: int, same: bool) -> None:
    before, within = (Glicko2({"idle": idle}, 1000, "date") for idle in ("before", "within"))
    last = int((date(2024, 1, 15) - timedelta(days=days)).strftime("%Y%m%d"))
    a, b = (seeded(before, rating=rating, deviation="60", last=last) for rating in ("1500", "1800"))
    assert (one_game(before, a, b) == one_game(within, a, b)) == same


def test_on_lichess_a_year_without_games_counts_at_the_next_game() -> None:
    """The deviation grows by the new volatility times 365 x 0.21436 periods, 60 to 110 before what the game tells."""
    system = Glicko2({"preset": "lichess"}, 1000, "game")
    me, other = (seeded(system, rating="1500", deviation="60", volatility="0.06", last=20_230_115) for _ in range(2))
    fresh = seeded(system, rating="1500", deviation="60", volatility="0.06")
    assert system.deviation_at(me, "2024-01-15") == 110_001
    before = Player(1500, 60, 0.06)
    for states, days in (((me, other), 365), ((fresh, fresh), 0)):
        after = plain_glicko.glicko2(before, [(before, 1.0, 11.782457)], 0.75, days * 0.21436)
        assert one_game(system, *states)[0][:2] == (round(1000 * after.rating), round(1000 * after.rd))


# ---------------------------------------------------------------------- colour, limits, one side


@pytest.mark.parametrize("name", NAMES)
def test_the_advantage_is_as_if_white_were_rated_higher(name: str) -> None:
    shifted, plain = MAKERS[name]({"white_advantage": "40"}, 1000, "event"), MAKERS[name]({}, 1000, "event")
    a, b, a_up = (seeded(plain, rating=r, deviation="80") for r in ("1500", "1520", "1540"))
    with_advantage, with_rating = one_game(shifted, a, b), one_game(plain, a_up, b)
    assert with_advantage[0][0] - 1_500_000 == with_rating[0][0] - 1_540_000
    assert with_advantage[1:] == with_rating[1:]
    assert expected(shifted, a, b, KEYS["event"]) == expected(plain, a_up, b, KEYS["event"])


def test_a_rating_stops_at_its_limits() -> None:
    for limits in ({"min_rating": "1480"}, {"max_rating": "1520"}):
        system = Glicko2(limits, 10, "event")
        a, b = one_game(system, None, None)
        assert (a[0], b[0]) == ((16_622, 14_800) if "min_rating" in limits else (15_200, 13_378))


def test_the_limit_of_a_change_is_per_game() -> None:
    system = Glicko({"max_change": "20"}, 10, "event")
    rows = system.rate(period([[0, 1, 2], [0, 2, 2], [3, 4, 2]], {}))
    assert [rows[n].state[0] for n in range(5)] == [15_400, 14_800, 14_800, 15_200, 14_800]


def test_a_change_of_nothing_still_counts_the_game_and_narrows_the_deviation() -> None:
    system = Glicko({"max_change": "0", "provisional_games": 5}, 10, "event")
    assert one_game(system, None, None)[0][:3] == (15_000, 290_231, 1)


@pytest.mark.parametrize("name", NAMES)
def test_a_deviation_stops_at_its_limits(name: str) -> None:
    system = MAKERS[name]({"min_deviation": "60", "max_deviation": "350"}, 10, "event")
    assert one_game(system, *[seeded(system, rating="1500", deviation="60")] * 2)[0][1] == 60_000
    if name == "glicko2/1":
        wide = Glicko2({"max_deviation": "100", "start_deviation": "100", "start_volatility": "3", "growth": "played"}, 10, "event")
        assert one_game(wide, None, None)[0][1] == 100_000


def test_a_volatility_stops_at_its_limits() -> None:
    low = Glicko2({"min_volatility": "0.06"}, 10, "event")
    assert one_game(low, None, None, half=1)[0][4] == 60_000_000
    high = Glicko2({"max_volatility": "0.06"}, 10, "event")
    a, b = (seeded(high, rating=r, deviation="40") for r in ("1000", "2200"))
    assert one_game(high, a, b)[0][4] == 60_000_000
    assert one_game(Glicko2({}, 10, "event"), a, b)[0][4] > 60_000_000


@pytest.mark.parametrize("name", NAMES)
def test_a_game_rated_for_one_side_moves_that_side_alone(name: str) -> None:
    system = MAKERS[name]({}, 10, "event")
    both = system.rate(period([[0, 1, 2]], {}))
    assert system.rate(period([[0, 1, 2, 1]], {})) == {0: both[0]}
    assert system.rate(period([[0, 1, 2, 2]], {})) == {1: both[1]}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("rating", ["-9999", "9999"])
def test_the_widest_gaps_have_a_result(name: str, rating: str) -> None:
    """An upset that the curve calls impossible: no sum is empty, no search endless, and the state fits its widths."""
    for deviation in ("0.001", "30", "350"):
        for more in ({}, {"white_advantage": "1000"}, {"white_advantage": "-1000"}):
            system = MAKERS[name](more, 1000, "event")
            me, other = (seeded(system, rating=r, deviation=deviation) for r in (rating, str(-int(rating))))
            for half in (0, 1, 2):
                for state in one_game(system, me, other, half=half):
                    assert len(system.pack(state)) in (13, 17)
                    assert -9_999_000 <= state[0] <= 9_999_000


# ---------------------------------------------------------------------- the search that may come to no end


def test_a_search_that_does_not_converge_gives_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    system = Glicko2({}, 1000, "event")
    given = period([[0, 1, 2]], {})
    assert system.rate(given)
    monkeypatch.setattr(glicko2, "MOST_STEPS", 2)
    with pytest.raises(NoResult, match="does not come to an end in 2 steps"):
        system.rate(given)
    with pytest.raises(NoResult):
        system.explain(given, 0)


def test_nor_does_one_that_finds_no_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wide start and games that say more than any can: the first point at which f is not below zero lies several steps down."""
    phi, sigma, v, delta, tau = 0.001, 4.0, 0.000_01, 0.0, 10.0
    assert 0 < new_volatility(phi, sigma, v, delta, tau, 1e-6) < sigma
    monkeypatch.setattr(glicko2, "MOST_STEPS", 1)
    with pytest.raises(NoResult, match="finds no interval in 1 steps"):
        new_volatility(phi, sigma, v, delta, tau, 1e-6)


def test_the_search_needs_few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over what players are like; the bound is far off."""
    monkeypatch.setattr(glicko2, "MOST_STEPS", 25)
    for deviation in (30, 80, 200, 350):
        for gap in range(-800, 801, 100):
            for half in (0, 1, 2):
                for tau in ("0.3", "0.5", "1.2"):
                    system = Glicko2({"tau": tau, "tolerance": "0.000000001"}, 1000, "event")
                    states = [seeded(system, rating=str(1500 + own), deviation=str(deviation)) for own in (0, gap)]
                    assert one_game(system, *states, half=half)


# ---------------------------------------------------------------------- explanations


def told(system: GlickoBase, *states: State | None, **more: Any) -> list[Step]:
    given = period([[0, 1, 2]], {n: state for n, state in enumerate(states) if state is not None}, (more.get("day", "2024-01-15"),))
    return system.explain(given, 0)


def test_the_steps_of_a_row_name_its_numbers_and_their_sources() -> None:
    system = Glicko2({"max_change": "20", "max_rating": "1515", "min_deviation": "190"}, 10, "date")
    me, other = seeded(system, rating="1500", deviation="200", last=20_230_115), seeded(system, rating="1400", deviation="190")
    paper = "Glickman, Example of the Glicko-2 system (glicko2.pdf)"
    assert [
        (step.code, step.text, step.source, step.adds if step.adds is None else round(step.adds, 4)) for step in told(system, me, other)
    ] == [
        (
            "own",
            "rated 1500.0, deviation 200.000 before this period; 12.166667 periods since the last, "
            "by 11.166667 of which the deviation becomes 203.010 at its start",
            f"{paper}, step 6 of idle periods",
            None,
        ),
        (
            "change",
            "against 1400.0, deviation 190.000 (g 0.856356): scored 1.0, expected 0.620803: +62.4742",
            f"{paper}, steps 3 and 7",
            Fraction(624_742, 10_000),
        ),
        (
            "volatility",
            "v 5.792588, delta 1.881013, tau 0.5: volatility 0.060000000 becomes 0.059999046; "
            "the deviation grows by it for 1.000000 periods",
            f"{paper}, steps 3 to 6",
            None,
        ),
        ("deviation", "deviation 203.278 before the games, 182.815 after them", f"{paper}, step 7", None),
        ("limit", "the deviation is held at 190.000", "the list's min_deviation", None),
        ("rounding", "the sum +62.4742, rounded half away from zero to +62.5", "the list's quantum", Fraction(258, 10_000)),
        ("limit", "held to +20 for 1 game", "the list's max_change", Fraction(-425, 10)),
        ("limit", "the rating is held at 1515.0", "the list's max_rating", Fraction(-5)),
    ]


def test_limits_from_below_and_of_the_deviation_from_above_are_told() -> None:
    system = Glicko2({"min_rating": "1500", "max_deviation": "350", "start_volatility": "3", "growth": "played"}, 10, "event")
    given = period([[0, 1, 2]], {})
    limits = [(step.text, step.source) for step in system.explain(given, 1) if step.code == "limit"]
    assert limits == [
        ("the deviation is held at 350.000", "the list's max_deviation"),
        ("the rating is held at 1500.0", "the list's min_rating"),
    ]


def test_what_is_on_the_wire_of_a_row() -> None:
    system = Glicko2({"provisional_games": 3}, 10, "event")
    me = seeded(system, rating="1500", deviation="200", games=1, last=20_231_231)
    others = {
        n: seeded(system, rating=r, deviation=d) for n, (r, d) in enumerate((("1400", "30"), ("1550", "100"), ("1700", "300")), start=1)
    }
    row = system.rate(period([[0, 1, 2], [2, 0, 2], [3, 0, 2, 3, 1]], {0: me} | others))[0]
    assert system.wire_state(row.state) == {
        "rating": "1464.1",
        "deviation": "151.458",
        "volatility": "0.059995984",
        "games": 3,
        "last": 20_240_115,
    }
    before = {"rating": "1500.0", "deviation": "200.000", "volatility": "0.060000000", "provisional": True}
    grown = {"grown_deviation": "200.000000000", "elapsed": "0.500000000"}
    assert [system.wire_line(line) for line in row.lines] == [
        before | grown | {"games": 2, "score": "1.0", "expected": "1.071310", "outcome": "-0.052700945", "information": "0.451380439"},
        before | grown | {"games": 1, "score": "0.0", "expected": "0.302841", "outcome": "-0.219328000", "information": "0.110740347"},
    ]
    newcomer = system.rate(period([[0, 1, 2]], {}))[0]
    assert "elapsed" not in system.wire_line(newcomer.lines[0])


def test_glicko_has_no_volatility_to_tell_of() -> None:
    codes = [step.code for step in told(Glicko({}, 10, "date"), None, None)]
    assert codes == ["own", "change", "deviation", "rounding"]
    assert sum((step.adds or Fraction(0) for step in told(Glicko({}, 10, "date"), None, None)), Fraction(0)) == Fraction(1622, 10)
