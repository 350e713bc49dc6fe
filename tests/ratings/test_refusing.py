"""Why a list is held: the sentence names rule, parameter, what was found and what would do; and only of lists that are held."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import convert
from msgspec.structs import replace

from rerate.messages.facts import RatingList
from rerate.ratings.describing import described
from rerate.ratings.refusing import refusals
from rerate.ratings.systems import SYSTEMS, ListRules, bind, bind_all
from tests.plugin.acme_elo import AcmeElo

Rules = list[dict[str, Any]]


def rating_list(rules: Rules, quantum: str = "0.1", period: str = "event") -> RatingList:
    return convert({"id": "main", "quantum": quantum, "shown": "1", "period": period, "rules": rules}, RatingList)


def one(system: str, **parameters: Any) -> Rules:
    return [{"system": system, "parameters": parameters}]


REFUSED: list[tuple[Rules, str, str, list[tuple[str, str | None, str]]]] = [
    (one("club/1", k_neww=40), "0.1", "event", [("parameters", "k_neww", "club/1 has no parameter k_neww (is k_new meant?); it has k_e")]),
    (
        one("clubs/1"),
        "0.1",
        "event",
        [("system", None, "there is no system clubs/1 (is club/1 meant?); those known here are club/1, fide")],
    ),
    (
        one("club/1", k_new="40", k_established=2000, protected_game_counts=True, weight=1),
        "0.1",
        "event",
        [
            ("parameters", "k_new", 'k_new must be the number 40, not the text "40"'),
            ("parameters", "k_established", "k_established cannot be 2000: K afterwards, 0 to 1,000 (default 20)"),
            ("parameters", "protected_game_counts", "protected_game_counts cannot be true: yes or no: whether"),
            ("parameters", "weight", "club/1 has no parameter weight; it has"),
        ],
    ),
    (one("uschess/1", bonus=14), "0.1", "event", [("parameters", "bonus", 'bonus must be the text "14", not the number 14')]),
    (
        one("club/1"),
        "1",
        "event",
        [("parameters", None, "club/1 does not rate by event in steps of 1, but by round, event, date in steps of 0.1, 0.01, 0.001")],
    ),
    (one("fide/1"), "1", "event", [("parameters", None, "fide/1 does not rate by event in steps of 1, but by month in steps of 1")]),
    (one("fide/1", fallback="standard"), "1", "month", [("parameters", "fallback", "fallback cannot be standard: rapid and blitz: id of")]),
    (one("fide/1", fallback="standard", kind="rapid", k="x"), "1", "month", [("parameters", "k", "k cannot be x: rule, or K for")]),
    (
        one("glicko/1", max_rating="1800", start="1900"),
        "0.1",
        "month",
        [("parameters", "start", "start 1900 does not go with max_rating 1800: a newcomer's rating")],
    ),
    (
        [*one("club/1"), {"from": "2024-01-01", **one("glicko/1")[0]}, {"from": "2025-01-01", **one("club/1", start="1200.55")[0]}],
        "0.1",
        "event",
        [
            ("layout", None, "rule 2 (from 2024-01-01): glicko/1 keeps another state of a player than club/1 ahead of it"),
            ("parameters", "start", "rule 3 (from 2025-01-01): start cannot be 1200.55: a newcomer's rating"),
        ],
    ),
    (
        [*one("fide-2009/1"), {"from": "2024-01-01", **one("glicko/1")[0]}],
        "1",
        "month",
        [("layout", None, "here fide-2009/1, fide-curve/1, fide/1 would do, or glicko/1 on a list of its own")],
    ),
]


@pytest.mark.parametrize(("rules", "quantum", "period", "expected"), REFUSED)
def test_a_held_list_says_what_it_is_held_for(rules: Rules, quantum: str, period: str, expected: list[tuple[str, str | None, str]]) -> None:
    found = refusals(rating_list(rules, quantum, period))
    assert [(told.reason, told.parameter) for told in found] == [(reason, parameter) for reason, parameter, _ in expected]
    for told, (_, _, sentence) in zip(found, expected, strict=True):
        assert sentence in told.sentence


def test_a_list_of_its_own_kind_is_refused_too() -> None:
    parts = convert(
        {"id": "us", "quantum": "0.1", "shown": "1", "period": "event", "dated_by": "game", "rules": one("uschess/1")}, RatingList
    )
    assert [told.sentence for told in refusals(parts)] == [
        "uschess/1 rates all games of an event together, so dated_by cannot be game: end or start would do"
    ]


def test_a_list_that_cannot_stand_in_is_a_refusal_of_the_parameter() -> None:
    (itself,) = refusals(rating_list(one("fide/1", kind="rapid", fallback="main"), "1", "month"))
    assert (itself.reason, itself.parameter, itself.rule) == ("fallback", "fallback", 1)
    assert itself.sentence == "fallback names the list itself, main: leave it out"
    standard = replace(rating_list(one("fide/1"), "1", "month"), id="standard")
    rules = one("fide/1", kind="rapid", fallback="standard")
    rules += [{"from": "2024-01-01", **one("fide/1", kind="rapid", fallback="standart")[0]}]
    (second,) = refusals(rating_list(rules, "1", "month"), beside=[standard])
    assert (second.rule, second.sentence) == (
        2,
        "rule 2 (from 2024-01-01): fallback names standart, and the pool has no such list (is standard meant?): standard would do, "
        "or leave it out",
    )


Drawn = tuple[list[str], bool, bool]
"""What the rules of a list fall back on, whether a parameter of them is wrong, whether a system is unheard of."""
FALLBACKS = st.sampled_from(["none", "a", "b", "c", "d"])


@given(st.lists(st.tuples(st.lists(FALLBACKS, min_size=1, max_size=2), st.booleans(), st.booleans()), min_size=1, max_size=4))
def test_of_lists_beside_each_other_exactly_those_are_refused_that_are_held(drawn: list[Drawn]) -> None:
    """And what only waits for another list can be rated without what is named."""
    made = []
    for list_id, (fallbacks, is_wrong, is_unheard_of) in zip("abcd", drawn, strict=False):
        rules: Rules = []
        for at, fallback in enumerate(fallbacks):
            wrong = {"k": "x"} if is_wrong else {}
            rules += one("fide/9" if is_unheard_of and at else "fide/1", kind="rapid", fallback=fallback, **wrong)
            rules[-1] |= {"from": f"2024-0{at}-01"} if at else {}
        made.append(replace(rating_list(rules, "1", "month"), id=list_id))
    bound = bind_all(made)
    for config in made:
        found, held = refusals(config, beside=made), bound[config.id]
        reasons = [told.reason for told in found]
        own = [reason for reason in reasons if reason != "fallback"]
        assert (held if isinstance(held, str) else None) == (own or reasons or [None])[0]
        if held == "fallback":
            named = {told.rule for told in found}
            without = tuple(
                replace(rule, parameters={"kind": "rapid"}) if number in named else rule for number, rule in enumerate(config.rules, 1)
            )
            others = [other for other in made if other is not config]
            assert isinstance(bind_all([replace(config, rules=without), *others])[config.id], ListRules)


def test_the_rule_is_numbered() -> None:
    rules = [*one("club/1"), {"from": "2025-01-01", **one("club/1", k_new=-1)[0]}]
    assert [told.rule for told in refusals(rating_list(rules))] == [2]


VALUES = st.sampled_from(
    [0, 1, 40, 2000, -1, True, "0", "1", "40", "1500", "1500.05", "9999.5", "yes", "no", "rapid", "lichess", "main", "x"]
)


@given(data=st.data())
@settings(max_examples=300)
def test_exactly_the_lists_that_are_held_are_refused_and_what_is_named_is_at_fault(data: Any) -> None:
    """Without the parameters that are named, and with the quantum and period kind that are, the list is rated."""
    names = st.sampled_from(sorted(SYSTEMS))
    rules = []
    for at in range(data.draw(st.integers(1, 2))):
        system = data.draw(names)
        known = [parameter.name for parameter in described(system, SYSTEMS[system]).parameters]
        parameters = data.draw(st.dictionaries(st.sampled_from([*known, "unheard_of"]), VALUES, max_size=4))
        rules.append({"system": system, "parameters": parameters} | ({"from": f"2024-0{at + 1}-01"} if at else {}))
    period = data.draw(st.sampled_from(["game", "event", "date", "month"]))
    config = rating_list(rules, data.draw(st.sampled_from(["1", "0.1", "0.001"])), period)
    found = refusals(config)
    assert bool(found) is not isinstance(bind_all([config])[config.id], ListRules)
    for number, rule in enumerate(config.rules, 1):
        of_rule = [told for told in found if told.rule == number]
        if any(told.parameter is None for told in of_rule):
            continue
        named = {told.parameter for told in of_rule}
        left = {name: value for name, value in rule.parameters.items() if name not in named}
        mended = rating_list([{"system": rule.system, "parameters": left}], config.quantum, period)
        assert isinstance(bind(mended), ListRules)


def test_systems_of_other_packages_are_asked_alike() -> None:
    systems = {**SYSTEMS, "acme-elo/1": AcmeElo}
    (told,) = refusals(rating_list(one("acme-elo/1", k=500)), systems)
    assert told.sentence == "k cannot be 500: K before the day of the change, 0 to 400 (default 30)"
    assert refusals(rating_list(one("acme-elo/1", k=400)), systems) == []
    assert [told.reason for told in refusals(rating_list(one("acme-elo/1", k=400)))] == ["system"]
