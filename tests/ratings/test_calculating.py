"""The calculator: what it says is what the systems rate, over random games of every system."""

import re
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rerate.ratings.calculating import Answer, calculate
from rerate.ratings.calculator_question import OPEN, NotCalculable, Outcome, Question, value_of
from rerate.ratings.calculators import QUANTA, Against, Said, against, question_of, question_of_any
from rerate.ratings.systems import SYSTEMS
from tests.plugin.acme_elo import AcmeElo

DATE = "2026-03-05"
GLICKO = ("glicko/1", "glicko2/1")
ratings = st.integers(1400, 2900).map(str)
games = st.lists(st.tuples(ratings, st.integers(0, 2), st.booleans()), min_size=1, max_size=6)


def said(system: str, own: str | None, played: list[tuple[str, int | None, bool]], **more: Any) -> Said:
    beside = "80" if system in GLICKO else None
    if system in GLICKO and own is not None:
        more["deviation"] = "120"
    return Said(date=DATE, against=tuple(Against(rating, beside, half, black) for rating, half, black in played), own=own, **more)


def answered(system: str, own: str | None, played: list[Any], **more: Any) -> Answer:
    return calculate(question_of(system, said(system, own, played, **more)))


def added(outcome: Outcome) -> Fraction:
    return sum((Fraction(step.adds) for step in outcome.steps if step.adds is not None), Fraction(0))


def test_every_system_has_a_calculator() -> None:
    assert set(SYSTEMS) == set(QUANTA)


@pytest.mark.parametrize("system", SYSTEMS)
@given(own=st.none() | ratings, played=games)
@settings(max_examples=30)
def test_the_steps_add_up_to_the_change(system: str, own: str | None, played: list[Any]) -> None:
    answer = answered(system, own, played)
    (outcome,) = answer.outcomes
    before, after = (Fraction(rating or 0) for rating in (answer.before, outcome.after))
    assert added(outcome) == after - before
    if outcome.change is not None:
        assert Fraction(outcome.change) == after - before
        assert abs(Fraction(outcome.exact) - (after - before)) <= Fraction(answer.quantum) / 2 + Fraction(1, 10_000)


@pytest.mark.parametrize("system", SYSTEMS)
@given(own=st.none() | ratings, played=games, data=st.data())
@settings(max_examples=30)
def test_an_open_game_is_tried_with_each_result(system: str, own: str | None, played: list[Any], data: Any) -> None:
    at = data.draw(st.integers(0, len(played) - 1))

    def ending(half: int | None) -> list[Any]:
        return [(rating, half if i == at else other, black) for i, (rating, other, black) in enumerate(played)]

    scored = [answered(system, own, ending(half)).outcomes[0] for half in OPEN.values()]
    tried = answered(system, own, ending(None)).outcomes
    assert [one.open for one in tried] == list(OPEN)
    assert [(one.after, one.exact, one.state, one.steps) for one in tried] == [
        (one.after, one.exact, one.state, one.steps) for one in scored
    ]


@pytest.mark.parametrize("system", SYSTEMS)
@given(own=st.none() | ratings, played=games, data=st.data())
@settings(max_examples=30)
def test_neither_order_nor_colour_of_the_games_matters(system: str, own: str | None, played: list[Any], data: Any) -> None:
    others = [(rating, half, data.draw(st.booleans())) for rating, half, _ in data.draw(st.permutations(played))]
    here, there = answered(system, own, played), answered(system, own, others)
    assert [(one.after, one.state) for one in here.outcomes] == [(one.after, one.state) for one in there.outcomes]
    assert [(one.name, one.rating) for one in here.performance] == [(one.name, one.rating) for one in there.performance]


def test_the_day_is_an_argument_and_decides_the_rules() -> None:
    """A rating of 2650 against 2150, with real gaps from 1 October 2025; the month is that of the list's period."""
    question = question_of("fide/1", said("fide/1", "2650", [("2150", 2, False)], peak="2650"))
    told = {day: calculate(question._replace(date=day)) for day in ("2025-09-28", "2025-09-30", "2025-10-01")}
    assert [(one.outcomes[0].exact, one.period) for one in told.values()] == [
        ("+0.8", "2025-09"),
        ("+0.8", "2025-10"),
        ("+0.4", "2025-10"),
    ]


@pytest.mark.parametrize(
    ("system", "name", "text", "value"),
    [
        ("fide-curve/1", "cap", "0", 0),
        ("fide-curve/1", "newcomer", "1500", "1500"),
        ("fide/1", "kind", "blitz", "blitz"),
        ("club/1", "k_new", "40", 40),
        ("uschess/1", "bonus", "14", "14"),
        ("glicko2/1", "tau", "0.6", "0.6"),
        ("glicko2/1", "nothing", "12", "12"),
        ("club/1", "k_new", "4000", "4000"),
    ],
)
def test_a_parameters_value_is_a_number_where_the_system_takes_one(system: str, name: str, text: str, value: object) -> None:
    period = "event" if system in ("club/1", "uschess/1") else "month"
    found = value_of(system, QUANTA[system], period, name, text)
    assert (found, type(found)) == (value, type(value))


def test_parameters_that_do_not_go_together_are_refused() -> None:
    for parameters, sentence in (
        ({"min_rating": "9999.5"}, "min_rating cannot be 9999.5: no rating falls below"),
        ({"max_rating": "1800", "start": "1900"}, "start 1900 does not go with max_rating 1800: a newcomer's rating"),
    ):
        with pytest.raises(NotCalculable, match=sentence):
            answered("glicko/1", "1500", [("1500", 1, False)], parameters=parameters)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("1600", Against("1600", None, None, False)),
        ("1600:½", Against("1600", None, 1, False)),
        ("1600/80:0.5:black", Against("1600", "80", 1, True)),
        ("unrated:0:white", Against(None, None, 0, False)),
    ],
)
def test_a_game_is_read(text: str, read: Against) -> None:
    assert against(text) == read


def test_no_game_is_nothing_to_calculate() -> None:
    with pytest.raises(NotCalculable, match="at least one game"):
        question_of("club/1", Said(date=DATE, against=()))
    assert isinstance(question_of("club/1", said("club/1", None, [("1200", 2, False)])), Question)


WITH_ACME = {**SYSTEMS, "acme-elo/1": AcmeElo}


@given(own=st.none() | ratings, played=games)
@settings(max_examples=30)
def test_a_system_of_another_package_is_a_calculator_too(own: str | None, played: list[Any]) -> None:
    """K 20 on the day: the change is 20 x (score - expected) of each game, summed and rounded to the quantum."""
    games = tuple(Against(f"rating={rating},games=4", None, half, black) for rating, half, black in played)
    question = question_of_any("acme-elo/1", Said(date=DATE, against=games, own=own and f"rating={own},games=3"), WITH_ACME)
    answer = calculate(question, WITH_ACME)
    (outcome,) = answer.outcomes
    rated = Fraction(own or 1000)
    exact = sum(20 * (half / 2 - 1 / (1 + 10 ** (float(Fraction(rating) - rated) / 400))) for rating, half, _ in played)
    assert answer.before == f"{own or 1000}.0"
    assert abs(float(Fraction(outcome.change or "0")) - exact) < 0.051
    assert added(outcome) == Fraction(outcome.after or "0") - rated
    assert outcome.state["games"] == min(10, (3 if own else 0) + len(played))
    assert answer.most_games == 10


def test_a_player_of_any_system_may_be_said_by_a_rating_alone() -> None:
    def asked(own: str, vs: str) -> Answer:
        return calculate(question_of_any("acme-elo/1", Said(date=DATE, against=(against(vs),), own=own), WITH_ACME), WITH_ACME)

    assert asked("1500", "1600:1").outcomes == asked("rating=1500", "rating=1600,games=0:1").outcomes
    newcomer = asked("1500", "unrated")
    assert [one.open for one in newcomer.outcomes] == list(OPEN)
    assert newcomer.games[0].opponent["rating"] == "1000.0"


@pytest.mark.parametrize(
    ("system", "own", "vs", "parameters", "sentence"),
    [
        ("acme-elo/2", "1500", "1600:1", {}, "there is no system acme-elo/2; those known are acme-elo/1, club/1"),
        ("acme-elo/1", "rating=1500,wins=3", "1600:1", {}, "wins=3: say FIELD=VALUE,...; the fields are rating, games"),
        ("acme-elo/1", "1500", "1600/3:1", {}, "/3: say FIELD=VALUE,... for what stands beside a rating"),
        (
            "glicko/1",
            "rating=1800,deviation=50",
            "1600:1",
            {"max_rating": "1700"},
            "deviation 50; rating: a decimal string of the list's quantum, within the list's min_rating and max_rating (here min_rating "
            "-9999, max_rating 1700)",
        ),
        ("glicko/1", "rating=1500,deviation=400", "1600:1", {}, "max_deviation (here min_deviation 0.001, max_deviation 350)"),
        ("glicko2/1", "rating=1500,deviation=900", "1600:1", {"preset": "lichess"}, "the list's min_deviation and max_deviation"),
        ("fide/1", "rating=1500,pool_2026_03=games1-half1-sum1500", "1600:1", {}, "; pool_2026_03: of who has no rating, a field for"),
        ("uschess/1", "rating=50,games=-1", "1600:1", {}, "; rating: a decimal string of the list's quantum, 100 or more; games: games so"),
        ("acme-elo/1", "games=3", "1600:1", {}, "acme-elo/1 cannot use games 3 without rating"),
        ("acme-elo/1", "1500", "rating=1600,games=-3:1", {}, "acme-elo/1 cannot use rating 1600, games -3"),
        ("acme-elo/1", "1500.05", "1600:1", {}, "1500.05 is no rating in steps of 0.1"),
        ("acme-elo/1", "1500", "1600:1", {"k": "500"}, "k cannot be 500: K before the day of the change, 0 to 400"),
    ],
)
def test_what_any_system_cannot_use_is_refused(system: str, own: str, vs: str, parameters: dict[str, str], sentence: str) -> None:
    asked = Said(date=DATE, against=(against(vs),), own=own, parameters=parameters)
    with pytest.raises(NotCalculable, match=re.escape(sentence)):
        calculate(question_of_any(system, asked, WITH_ACME), WITH_ACME)
