"""Laws of both Glicko systems over random periods, and each against a second calculation (`tests/kit/plain_glicko.py`)."""

import math
from collections.abc import Mapping
from datetime import date, timedelta
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import strategies as st

from rerate.ratings.face import BLACK, WHITE, Key, Period, State
from rerate.ratings.glicko2 import LICHESS, Glicko2, new_volatility
from rerate.ratings.glicko_base import GlickoBase
from rerate.ratings.quantum import decimal
from tests.kit import plain_glicko
from tests.kit.foretelling import expected
from tests.kit.laws import EXAMPLES, SEED, law
from tests.kit.plain_glicko import Player
from tests.ratings.glicko_kit import KEYS, MAKERS, period, seeded

# ---------------------------------------------------------------------- random periods

ROUGH: dict[str, dict[str, Any]] = {
    "glicko/1": {"c": "40", "white_advantage": "35", "min_rating": "900", "max_rating": "2400", "max_change": "60", "min_deviation": "30"},
    "glicko2/1": {
        "preset": "lichess",
        "min_rating": "900",
        "max_rating": "2400",
        "max_change": "60",
        "min_deviation": "60",
        "max_deviation": "120",
        "start_deviation": "115",
        "max_volatility": "0.0905",
        "seed_beyond_limits": "limit",
        "provisional_games": 7,
    },
}
"""Parameters under which every limit is met often."""


def fields(random: Random, system: GlickoBase) -> dict[str, Any]:
    """A seed's fields, of ratings and deviations as they are met."""
    given: dict[str, Any] = {
        "rating": decimal(random.randrange(600 * system.per_point, 2_800 * system.per_point), system.per_point),
        "deviation": decimal(random.randint(20_000, 350_000), 1000),
        "games": random.randint(0, 9),
    }
    if random.random() < 0.5:
        given["last"] = 20_230_100 + random.randint(1, 31)
    if isinstance(system, Glicko2):
        given["volatility"] = f"0.{random.randint(30_000_000, 120_000_000):09d}"
    return given


@st.composite
def periods(draw: st.DrawFn, system: GlickoBase, key: Key) -> Period:
    """Two to eight players, some of them newcomers, and one to twenty games between them in up to three events, some rated for one side."""
    players, count = draw(st.integers(2, 8)), draw(st.integers(1, 20))
    random = Random(draw(st.integers(0, 2**32)))
    seeds = {player: system.seed(fields(random, system)) for player in range(players) if random.random() < 0.8}
    games = []
    event = 0
    for _ in range(count):
        white, black = random.sample(range(players), 2)
        event = min(event + (random.random() < 0.2), 2)
        games.append([white, black, random.randint(0, 2), random.choice([3, 3, 3, WHITE, BLACK]), event])
    return period(games, {player: state for player, state in seeds.items() if state is not None}, key)


SYSTEMS: list[GlickoBase] = [
    maker(parameters, per_point, kind)
    for name, maker in MAKERS.items()
    for parameters in ({}, ROUGH[name])
    for per_point, kind in ((1000, "event"), (10, "month"), (1, "date"))
]
KIND_KEYS = {1000: KEYS["event"], 10: KEYS["month"], 1: KEYS["date"]}


@st.composite
def rated_periods(draw: st.DrawFn) -> tuple[GlickoBase, Period]:
    system = draw(st.sampled_from(SYSTEMS))
    return system, draw(periods(system, KIND_KEYS[system.per_point]))


def shuffled(given: Period, random: Random, numbers: Mapping[int, int]) -> Period:
    """The same period with its games in another order and its players under other numbers."""
    games = given.games
    order = list(range(given.low, given.high))
    random.shuffle(order)
    columns = [(numbers[games.white[i]], numbers[games.black[i]], games.white_half[i], games.rated[i], games.event[i]) for i in order]
    states = {number: state for player, number in numbers.items() if (state := given.now[player]) is not None}
    return period(columns, states, given.key)


# ---------------------------------------------------------------------- laws


@law(rated_periods(), st.randoms(use_true_random=True))
def test_neither_the_order_of_the_games_nor_the_numbers_of_the_players_reach_a_state(
    given: tuple[GlickoBase, Period], random: Random
) -> None:
    system, one = given
    others = list(range(100, 108))
    random.shuffle(others)
    numbers = dict(enumerate(others))
    again = system.rate(shuffled(one, random, numbers))
    assert {numbers[player]: row.state for player, row in system.rate(one).items()} == {player: row.state for player, row in again.items()}


@law(rated_periods())
def test_the_steps_of_every_row_add_up_to_its_change(given: tuple[GlickoBase, Period]) -> None:
    system, one = given
    for player, row in system.rate(one).items():
        before = (one.now[player] or system.start())[0]
        steps = system.explain(one, player)
        assert sum((step.adds for step in steps if step.adds is not None), Fraction(0)) == Fraction(row.state[0] - before, system.per_point)
        assert [step.game for step in steps if step.code == "change"] == [
            i
            for i in range(one.low, one.high)
            if (one.games.white[i] == player and one.games.rated[i] & WHITE)
            or (one.games.black[i] == player and one.games.rated[i] & BLACK)
        ]
        rounding = next(step.adds for step in steps if step.code == "rounding")
        assert rounding is not None
        assert abs(rounding) <= Fraction(1, 2 * system.per_point) + Fraction(1, 10**9)


@law(rated_periods())
def test_rows_are_of_those_with_a_rated_game_and_nobody_else_is_explained(given: tuple[GlickoBase, Period]) -> None:
    system, one = given
    whites = {one.games.white[i] for i in range(one.high) if one.games.rated[i] & WHITE}
    blacks = {one.games.black[i] for i in range(one.high) if one.games.rated[i] & BLACK}
    rows = system.rate(one)
    assert rows.keys() == whites | blacks
    assert all(bool(system.explain(one, player)) == (player in rows) for player in range(9))


@law(rated_periods())
def test_what_a_state_shows_is_a_seed_of_the_same_state(given: tuple[GlickoBase, Period]) -> None:
    system, one = given
    for row in system.rate(one).values():
        assert system.seed(system.wire_state(row.state)) == row.state


@law(rated_periods())
def test_unlike_states_are_packed_unlike_and_in_one_width(given: tuple[GlickoBase, Period]) -> None:
    system, one = given
    states = {row.state for row in system.rate(one).values()}
    packed = {system.pack(state) for state in states}
    assert len(packed) == len(states)
    assert {len(raw) for raw in packed} == {17 if isinstance(system, Glicko2) else 13}


@law(rated_periods())
def test_states_stay_within_their_limits(given: tuple[GlickoBase, Period]) -> None:
    system, one = given
    played = one.games.white.tolist() + one.games.black.tolist()
    for player, row in system.rate(one).items():
        rating, deviation, games, last, *more = row.state
        before = one.now[player] or system.start()
        assert system._min_rating <= rating <= system._max_rating
        assert system._min_deviation <= deviation <= system._max_deviation
        assert abs(rating - before[0]) <= system._max_change * played.count(player)
        assert before[2] <= games <= system._cap
        assert last == system._time.day(str(one.key[0]))
        if isinstance(system, Glicko2):
            assert system._min_volatility <= more[0] <= system._max_volatility


@law(rated_periods())
def test_the_lines_of_a_row_hold_the_numbers_it_was_made_from(given: tuple[GlickoBase, Period]) -> None:
    """From what is on the wire alone: the new deviation and rating, as far as the nine places of the sums and the limits allow."""
    system, one = given
    for row in system.rate(one).values():
        lines = [system.wire_line(line) for line in row.lines]
        assert [line.event for line in row.lines] == sorted({line.event for line in row.lines})
        outcome, information = (sum(float(str(line[name])) for line in lines) for name in ("outcome", "information"))
        phi = widened = float(str(lines[0]["grown_deviation"])) / system.scale
        if isinstance(system, Glicko2):
            elapsed = float(str(lines[0]["elapsed"])) if "elapsed" in lines[0] else None
            sigma, v = float(str(lines[0]["volatility"])), 1 / information
            sigma = new_volatility(phi, sigma, v, v * outcome, system._tau, system._tolerance)
            widened = math.sqrt(phi**2 + system._shares(elapsed)[1] * sigma**2)
        new = 1 / math.sqrt(1 / widened**2 + information)
        kept = min(max(new * system.scale, system._min_deviation / 1000), system._max_deviation / 1000)
        assert row.state[1] / 1000 == pytest.approx(kept, abs=0.000_51)
        change = system.scale * new**2 * outcome
        most = sum(int(str(line["games"])) for line in lines) * system._max_change / system.per_point
        rating = float(str(lines[0]["rating"])) + min(max(change, -most), most)
        rating = min(max(rating, system._min_rating / system.per_point), system._max_rating / system.per_point)
        assert row.state[0] / system.per_point == pytest.approx(rating, abs=0.5 / system.per_point + 0.000_01)


@law(st.sampled_from(sorted(MAKERS)), st.randoms(use_true_random=True))
def test_a_game_between_equals_moves_both_by_the_same(name: str, random: Random) -> None:
    system = MAKERS[name]({}, 1000, "game")
    state = seeded(system, **fields(random, system))
    half = random.randint(0, 2)
    rows = system.rate(period([[0, 1, half]], {0: state, 1: state}, KEYS["game"]))
    assert rows[0].state[0] - state[0] == state[0] - rows[1].state[0]
    assert rows[0].state[1:] == rows[1].state[1:]
    assert (rows[0].state[0] > state[0], rows[0].state[0] == state[0]) == (half == 2, half == 1)


@law(st.sampled_from(sorted(MAKERS)), st.randoms(use_true_random=True))
def test_a_forecast_of_both_sides_makes_one_whole_and_better_results_never_cost(name: str, random: Random) -> None:
    system = MAKERS[name]({}, 1000, "game")
    a, b = (seeded(system, **fields(random, system)) for _ in range(2))
    assert expected(system, a, b, KEYS["game"]) + expected(system, b, a, KEYS["game"]) == 1_000_000
    ratings = [system.rate(period([[0, 1, half]], {0: a, 1: b}, KEYS["game"]))[0].state[0] for half in (0, 1, 2)]
    assert ratings == sorted(ratings)
    assert ratings[0] <= a[0] <= ratings[2]


# ---------------------------------------------------------------------- against a second calculation


FINE = {"tolerance": "0.000000001"}


@st.composite
def compared(draw: st.DrawFn, name: str) -> tuple[dict[str, Any], GlickoBase, Period]:
    parameters: dict[str, Any] = {
        "white_advantage": draw(st.sampled_from(["0", "11.782457", "-50"])),
        "growth": draw(st.sampled_from(["time", "played"])),
    }
    if name == "glicko2/1":
        parameters["tau"] = draw(st.sampled_from(["0.3", "0.5", "0.75", "1.2"]))
        parameters["idle"] = draw(st.sampled_from(["before", "within"]))
    kind = draw(st.sampled_from(["event", "month"]))
    system = MAKERS[name](parameters | (FINE if name == "glicko2/1" else {}), 1000, kind)
    return parameters | {"kind": kind}, system, draw(periods(system, KEYS[kind]))


def plain_periods(parameters: dict[str, Any], state: State, name: str) -> tuple[float, float]:
    """Periods of growth before the period and inside it. The seeds' dates lie in January 2023, the period in January 2024, on its 15th."""
    whole = parameters["kind"] == "month" or parameters["growth"] == "played"
    if state[3] == 0:
        return 0.0, float(whole and name == "glicko2/1")
    if parameters["growth"] == "played":
        elapsed = 1.0
    elif parameters["kind"] == "month":
        elapsed = 12.0
    else:
        elapsed = (date(2024, 1, 15).toordinal() - state[3]) / 30
    if name == "glicko/1":
        return elapsed, 0.0
    return (0.0, elapsed) if parameters["idle"] == "within" else (max(elapsed - 1, 0.0), min(elapsed, 1.0))


def plain_start(state: State, idle: float, name: str) -> Player:
    """A state after so many idle periods."""
    rating, rd = state[0] / 1000, state[1] / 1000
    if name == "glicko/1":
        return Player(rating, min(math.sqrt(rd**2 + 63.2**2 * idle), 350.0))
    sigma = state[4] / 10**9
    return Player(rating, math.sqrt(rd**2 + idle * (plain_glicko.SCALE * sigma) ** 2), sigma)


def games_of(player: int, one: Period, before: Mapping[int, Player], advantage: float) -> list[plain_glicko.Game]:
    games = []
    for i in range(one.low, one.high):
        white, black, half = one.games.white[i], one.games.black[i], one.games.white_half[i]
        if white == player and one.games.rated[i] & WHITE:
            games.append((before[black], half / 2, advantage))
        elif black == player and one.games.rated[i] & BLACK:
            games.append((before[white], 1 - half / 2, -advantage))
    return games


def agree_to_the_quantum(parameters: dict[str, Any], system: GlickoBase, one: Period) -> None:
    """Rating and deviation to half a thousandth of a point, with room for what floats lose; the volatility to half a billionth and what
    a tolerance of 10^-9 in the logarithm of its square leaves open, half of that times itself. Beyond the limits, both are at them."""
    name = system.name
    states = {player: one.now[player] or system.start() for player in range(8)}
    spans = {player: plain_periods(parameters, state, name) for player, state in states.items()}
    before = {player: plain_start(states[player], idle, name) for player, (idle, _) in spans.items()}
    for player, row in system.rate(one).items():
        games = games_of(player, one, before, float(parameters["white_advantage"]))
        if name == "glicko/1":
            after = plain_glicko.glicko(before[player], games)
        else:
            after = plain_glicko.glicko2(before[player], games, float(parameters["tau"]), spans[player][1])
            assert abs(row.state[4] - min(after.sigma, 4) * 10**9) <= 0.5 + after.sigma * 0.5
        assert abs(row.state[0] - min(max(after.rating, -9_999), 9_999) * 1000) <= 0.5001
        assert abs(row.state[1] - min(after.rd, 9_999) * 1000) <= 0.5001


@law(compared("glicko/1"))
def test_both_calculations_of_glicko_agree_to_the_quantum(given: tuple[dict[str, Any], GlickoBase, Period]) -> None:
    agree_to_the_quantum(*given)


@law(compared("glicko2/1"))
def test_both_calculations_of_glicko_2_agree_to_the_quantum(given: tuple[dict[str, Any], GlickoBase, Period]) -> None:
    agree_to_the_quantum(*given)


CAREERS = [
    ("glicko/1", "month", {"min_deviation": "30"}),
    ("glicko/1", "game", {"days_per_period": "7", "white_advantage": "35"}),
    ("glicko2/1", "month", FINE),
    ("glicko2/1", "date", FINE | {"tau": "0.75"}),
    ("glicko2/1", "game", FINE | {"preset": "lichess"}),
]


@pytest.mark.parametrize(("name", "kind", "parameters"), CAREERS, ids=[f"{name}-{kind}" for name, kind, _ in CAREERS])
def test_both_calculations_agree_over_careers(name: str, kind: str, parameters: dict[str, Any]) -> None:
    """Periods at random dates, one after another, among twelve players. The second calculation keeps the dates by itself."""
    system, random = MAKERS[name](parameters, 1000, kind), Random(SEED)
    states: dict[int, State] = {}
    played: dict[int, date] = {}
    day = date(2015, 1, 1)
    said = (LICHESS if "preset" in parameters else {}) | parameters
    advantage, tau = float(said.get("white_advantage", 0)), float(said.get("tau", 0.5))
    gaps = {"game": (0, 1, 7, 40), "date": (1, 7, 40), "month": (31, 62, 93)}[kind]
    for _ in range(EXAMPLES):
        day += timedelta(days=random.choice(gaps))
        games = [[*random.sample(range(12), 2), random.randint(0, 2)] for _ in range(1 if kind == "game" else 15)]
        one = period(games, states, (day.isoformat()[:7] if kind == "month" else day.isoformat(),))
        before, within = {}, {}
        for player in range(12):
            idle, within[player] = plain_spans(name, kind, parameters, played.get(player), day)
            before[player] = plain_start(states.get(player) or system.start(), idle, name)
        for player, row in system.rate(one).items():
            met = games_of(player, one, before, advantage)
            if name == "glicko/1":
                after = plain_glicko.glicko(before[player], met)
            else:
                after = plain_glicko.glicko2(before[player], met, tau, within[player])
                assert abs(row.state[4] - min(after.sigma, system._max_volatility / 10**9) * 10**9) <= 0.5 + after.sigma * 0.5
            assert abs(row.state[0] - after.rating * 1000) <= 0.5001
            least, most = system._min_deviation, system._max_deviation
            assert abs(row.state[1] - min(max(after.rd * 1000, least), most)) <= 0.5001
            states[player], played[player] = row.state, day


def plain_spans(name: str, kind: str, parameters: dict[str, Any], last: date | None, day: date) -> tuple[float, float]:
    """Periods of growth before the period and inside it, from the dates."""
    if last is None:
        return 0.0, float(kind == "month" and name == "glicko2/1")
    per_day = 0.21436 if "preset" in parameters else 1 / float(parameters.get("days_per_period", 30))
    months = 12 * (day.year - last.year) + day.month - last.month
    elapsed = months if kind == "month" else (day - last).days * per_day
    if name == "glicko/1":
        return elapsed, 0.0
    return (0.0, elapsed) if "preset" in parameters else (max(elapsed - 1, 0.0), min(elapsed, 1.0))


@law(compared("glicko2/1"))
def test_the_papers_tolerance_is_enough_for_the_seventh_place_of_a_volatility(given: tuple[dict[str, Any], GlickoBase, Period]) -> None:
    parameters, fine, one = given
    kind = parameters.pop("kind")
    coarse = Glicko2(parameters, 1000, kind)
    left, right = coarse.rate(one), fine.rate(one)
    assert left.keys() == right.keys()
    assert all(abs(left[player].state[4] - right[player].state[4]) <= 60 for player in left)


@law(st.floats(0.1, 2.5), st.floats(0.02, 0.15), st.floats(0.05, 20.0), st.floats(-3.0, 3.0), st.sampled_from([0.3, 0.5, 0.75, 1.2]))
def test_the_volatility_is_a_root_of_the_papers_function(phi: float, sigma: float, v: float, outcome: float, tau: float) -> None:
    """By the platform's functions, f changes its sign within a tolerance of it."""
    f = plain_glicko.f_of(phi, sigma, v, v * outcome, tau)
    x = 2 * math.log(new_volatility(phi, sigma, v, v * outcome, tau, 1e-9))
    assert f(x - 2e-9) * f(x + 2e-9) < 0


@pytest.mark.parametrize("name", sorted(MAKERS))
def test_a_line_holds_nothing_that_is_not_shown(name: str) -> None:
    """What a row says must not be another because of a number that nobody sees: the row would be sent again, unchanged."""
    system = MAKERS[name]({"provisional_games": 3}, 10, "date")
    states = [seeded(system, rating="1700", deviation="80", games=games) for games in (3, 40)]
    few, many = ({0: (*state[:2], counted, *state[3:])} for state, counted in zip(states, (1, 2), strict=True))
    one, other = (system.rate(period([(0, 1, 2), (0, 2, 1)], found))[0] for found in (few, many))
    assert (one.state, one.lines) == (other.state, other.lines)
    assert system.wire_line(one.lines[0]) == system.wire_line(other.lines[0])
