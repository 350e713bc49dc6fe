"""Laws of the US Chess system over random events, and its agreement with a plain second calculation."""

from datetime import date, timedelta
from fractions import Fraction
from random import Random
from typing import Any

from hypothesis import strategies as st

from rerate.ratings.face import EventInfo, Games, Period, State
from rerate.ratings.uschess import USChess
from rerate.ratings.uschess_formulas import Value, effective_games, provisional_expectancy, ratio, special
from rerate.ratings.uschess_rules import _CHOICES
from tests.kit.laws import law
from tests.ratings import uschess_plain
from tests.ratings.uschess_plain import Person

SEEDS = st.integers(0, 2**32 - 1)
HALF_QUANTUM = Fraction(1, 2000)
CATEGORIES = ["", "dual", "match", "other"]

PlainGame = tuple[str, str, float, float, int]


def some_parameters(random: Random) -> dict[str, str]:
    given = {name: random.choice(choices) for name, choices in _CHOICES.items() if random.random() < 0.4}
    if random.random() < 0.3:
        given["bonus"] = random.choice(["0", "6.5", "12"])
    if random.random() < 0.2:
        given["start"] = random.choice(["100", "1500.125"])
    return given | {"dual_category": "dual", "match_category": "match"}


def some_seed(random: Random) -> dict[str, Any]:
    rating = random.choice([random.uniform(100, 2900), random.choice([100, 1400, 2200, 2355, 2500, 2700]), random.gauss(1500, 200)])
    games = random.choice([0, 1, 5, 8, 9, 25, 26, 60])
    seed: dict[str, Any] = {"rating": f"{max(rating, 100):.3f}", "games": games}
    if games and random.random() < 0.3:
        seed[random.choice(["dropped", "scored"])] = False
    if random.random() < 0.5:
        seed |= {"floor_points": random.randrange(60), "master_games": random.choice([0, 290, 299, 300])}
    if random.random() < 0.3:
        seed |= {"peak": f"{random.uniform(1300, 2600):.3f}", "prize_floor": random.choice(["0", "1600", "2000"])}
    return seed


def some_traits(random: Random, first: date) -> dict[str, Any]:
    traits: dict[str, Any] = {}
    if random.random() < 0.5:
        traits["birth_year"] = first.year - random.randrange(0, 60)
    if random.random() < 0.3:
        traits["birth_date"] = int((first - timedelta(random.randrange(0, 12_000))).strftime("%Y%m%d"))
    if random.random() < 0.2:
        traits["fide"] = random.choice([1000, 2000, 2150, 2151, "1840.5"])
    if random.random() < 0.1:
        traits["us_chess"] = "1777.777"
    return traits


def some_games(random: Random, names: list[str]) -> list[PlainGame]:
    games = []
    for _ in range(random.randrange(1, 4 * len(names))):
        white, black = random.sample(names, 2)
        scores = random.choice([(1.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.0, 1.0), (0.5, 0.5), (0.0, 0.0), (0.5, 0.0)])
        games.append((white, black, *scores, random.choice([3, 3, 3, 1, 2])))
    return games


class History:
    """A random history of some events: who is there, and what happens."""

    def __init__(self, seed: int, events: int) -> None:
        self.random = random = Random(seed)
        self.parameters = some_parameters(random)
        self.system = USChess(self.parameters, 1000, "event")
        self.day = date(random.choice([2016, 2017, 2022, 2024]), random.randrange(1, 13), random.randrange(1, 29))
        self.names = [f"p{number}" for number in range(random.randrange(2, 9))]
        self.states: dict[str, State | None] = {}
        self.traits: dict[str, dict[str, Any]] = {}
        for name in self.names:
            state = self.system.seed(some_seed(random)) if random.random() < 0.6 else None
            self.states[name], self.traits[name] = state, some_traits(random, self.day)
        self.events = events

    def __iter__(self) -> Any:
        for _ in range(self.events):
            self.day += timedelta(self.random.randrange(1, 400))
            there = self.random.sample(self.names, self.random.randrange(2, len(self.names) + 1))
            yield self.day.isoformat(), self.random.choice(CATEGORIES), some_games(self.random, there)

    def period(self, end: str, category: str, games: list[PlainGame], names: list[str] | None = None) -> Period:
        names = names or self.names
        columns = Games()
        for number, (white, black, white_score, black_score, bits) in enumerate(games):
            known = [tuple(sorted(self.traits[name].items())) for name in (white, black)]
            columns.append(
                names.index(white), names.index(black), int(2 * white_score), int(2 * black_score), bits, 0, f"g{number}", *known
            )
        states = [self.states[name] for name in names]
        return Period((end, 0, "e"), columns, 0, len(columns), [EventInfo("e", end, category=category)], states)


def plain_person(system: USChess, state: State | None, traits: dict[str, Any]) -> Person:
    """A seed's history, made up in full."""
    if state is None:
        return Person(traits)
    wire = system.wire_state(state)
    person = Person(traits, float(str(wire["rating"])), state[1], floor_points=state[4], master_games=state[6])
    person.peak, person.prize_floor = float(str(wire["peak"])), float(str(wire["prize_floor"]))
    if state[1]:
        person.scores = [0.5] if wire["dropped"] and wire["scored"] else [0.0] if wire["dropped"] else [1.0]
    return person


@law(SEEDS)
def test_the_system_agrees_with_the_plain_calculation_to_the_quantum(seed: int) -> None:
    """The plain one counts without caps; the rounded rating is within half a quantum of its unrounded one, in every row."""
    history = History(seed, events=8)
    people = {name: plain_person(history.system, history.states[name], history.traits[name]) for name in history.names}
    for end, category, games in history:
        plain = uschess_plain.event(people, games, end, category, history.parameters)
        rows = history.system.rate(history.period(end, category, games))
        rated = {name: row for number, row in rows.items() if row.lines[0].played for name in [history.names[number]]}
        assert rated.keys() == plain.keys()
        for name, row in rated.items():
            found = Fraction(row.state[0], 1000)
            assert abs(found - Fraction(plain[name])) <= HALF_QUANTUM + Fraction(1, 10**6), (name, float(found), plain[name])
            history.states[name] = row.state
            uschess_plain.settle(people[name], float(found))


@law(SEEDS)
def test_neither_the_order_of_games_nor_the_numbers_of_players_matter(seed: int) -> None:
    history = History(seed, events=2)
    for end, category, games in history:
        rows = history.system.rate(history.period(end, category, games))
        other_games, other_names = history.random.sample(games, len(games)), history.random.sample(history.names, len(history.names))
        others = history.system.rate(history.period(end, category, other_games, other_names))
        assert {history.names[number]: row for number, row in rows.items()} == {other_names[number]: row for number, row in others.items()}
        history.states |= {history.names[number]: row.state for number, row in rows.items()}


@law(SEEDS)
def test_the_steps_of_an_explanation_add_up_to_the_change(seed: int) -> None:
    history = History(seed, events=2)
    for end, category, games in history:
        period = history.period(end, category, games)
        rows = history.system.rate(period)
        for number, name in enumerate(history.names):
            steps = history.system.explain(period, number)
            assert bool(steps) == (number in rows)
            if not steps:
                continue
            before, after = history.states[name], rows[number].state
            was, now = (state[0] if state is not None and history.system.rated(state) else 0 for state in (before, after))
            assert sum(step.adds or 0 for step in steps) == Fraction(now - was, 1000)
            if not rows[number].lines[0].played:
                assert after == (before or history.system.start())
            mine = {number for number, game in enumerate(games) if name in game[:2] and game[4] & (1 if game[0] == name else 2)}
            assert {step.game for step in steps if step.game is not None} == mine
            assert all(step.text.endswith(".") and name not in step.text for step in steps)
        history.states |= {history.names[number]: row.state for number, row in rows.items()}


@law(SEEDS)
def test_a_state_on_the_wire_is_a_seed_of_itself(seed: int) -> None:
    history = History(seed, events=3)
    system = history.system
    for end, category, games in history:
        for number, row in system.rate(history.period(end, category, games)).items():
            history.states[history.names[number]] = row.state
            assert len(system.pack(row.state)) == 12
            if system.rated(row.state):
                assert system.seed(system.wire_state(row.state)) == row.state
            assert all(isinstance(value, str | int | bool) for value in system.wire_line(row.lines[0]).values())


@law(SEEDS)
def test_counters_of_more_seeds_add_up_in_any_order(seed: int) -> None:
    random = Random(seed)
    system = USChess({}, 1000, "event")
    states = [state for _ in range(4) if (state := system.seed(some_seed(random))) is not None]
    chosen, *others = states
    together = system.with_counters(chosen, others)
    one_by_one = chosen
    for state in random.sample(others, len(others)):
        one_by_one = system.with_counters(one_by_one, [state])
    assert together == one_by_one
    assert together[0] == chosen[0]
    system.pack(together)


@law(SEEDS)
def test_the_special_formula_is_solved_exactly(seed: int) -> None:
    """At the result the expected score is the score, to the last digit; and half a point more never brings less."""
    random = Random(seed)
    prior, games = ratio(random.randrange(100_000, 2_900_000), 1000), random.randrange(9)
    effective = effective_games(prior, games)
    opponents = [ratio(random.randrange(1, 10**7), random.choice([1000, 3000, 7777])) for _ in range(random.randrange(1, 9))]
    shift, prior_score = {"mixed": (0, Fraction(1, 2)), "won": (-400, 1), "lost": (400, 0)}[
        history := random.choice(["mixed", "won", "lost"])
    ]
    shifted = ratio(prior.top + shift * prior.bottom, prior.bottom)
    last = Fraction(-(10**9))
    for half_points in range(2 * len(opponents) + 1):
        result = special(prior, effective, history, opponents, half_points)
        raw = Fraction(result.raw.top, result.raw.bottom)
        weight = Fraction(effective.top, effective.bottom)
        reached = weight * exact(provisional_expectancy(result.raw, shifted)) + sum(
            exact(provisional_expectancy(result.raw, one)) for one in opponents
        )
        wanted = Fraction(half_points, 2) + weight * prior_score
        assert reached == wanted if effective.bottom == 1 else abs(reached - wanted) < Fraction(1, 10**12)
        assert effective.bottom == 1 or raw == Fraction(float(raw))  # a double then: no endless denominators
        assert raw >= last
        assert 100 <= exact(result.value) <= 2700
        last = raw


def exact(value: Value) -> Fraction:
    return Fraction(value.top, value.bottom)
