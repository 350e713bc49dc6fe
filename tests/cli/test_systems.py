"""`rerate systems`: what may be said to each system, as its code has it."""

import json
from typing import Any

import pytest
from click.testing import CliRunner

from rerate.cli import cli
from rerate.intake.lines import FactLine, read_line
from rerate.messages.facts import RatingSeeded
from rerate.ratings.describing import described
from rerate.ratings.quantum import PER_POINT
from rerate.ratings.systems import SYSTEMS
from tests.plugin.acme_elo import AcmeElo


def ask(*words: str) -> str:
    result = CliRunner().invoke(cli, [*words])
    assert result.exit_code == 0, result.output
    return result.output


def objects(*words: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in ask("systems", "--json", *words).splitlines()]


def test_every_system_is_listed() -> None:
    assert {one["system"] for one in objects()} >= set(SYSTEMS)
    said = ask("systems")
    assert all(name in said for name in SYSTEMS)


def test_a_list_can_be_configured_from_what_is_said() -> None:
    for one in objects():
        defaults = {parameter["name"]: parameter["default"] for parameter in one["parameters"]}
        quanta = {"1": 1, "0.1": 10, "0.01": 100, "0.001": 1000}
        for kind, steps in one["quanta"].items():
            for step in steps:
                assert SYSTEMS[one["system"]](defaults, quanta[step], kind).name == one["system"]


def test_a_system_tells_its_parameters_as_json_has_them() -> None:
    said = ask("systems", "club/1")
    assert said.startswith("club/1 rates by round, event, date in steps of 0.1, 0.01, 0.001\n")
    assert [line.split()[:2] for line in said.splitlines() if line.startswith(("k_new ", "start "))] == [
        ["start", '"1200"'],
        ["k_new", "40"],
    ]
    assert "asks for what is registered of a player as birth_year" in ask("systems", "fide/1")


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_seed_can_be_written_from_what_is_said(name: str) -> None:
    """The fact at the end of the page is one, and its state is taken in every quantum and kind of period that the system has."""
    *_, line = ask("systems", name).splitlines()
    read = read_line(line.encode(), 1, partitions=1)
    assert isinstance(read, FactLine)
    assert isinstance(read.fact.data, RatingSeeded)
    (told,) = objects(name)
    assert read.fact.data.state == told["example"]
    for kind, steps in told["quanta"].items():
        for step in steps:
            assert SYSTEMS[name]({}, PER_POINT[step], kind).seed(told["example"], read.fact.data.as_of) is not None


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_fields_of_a_seed_are_those_that_the_system_takes(name: str) -> None:
    (told,) = objects(name)
    kind, (step, *_) = next(iter(told["quanta"].items()))
    system, fields = SYSTEMS[name]({}, PER_POINT[step], kind), {one["name"]: one for one in told["seed"]}
    state = system.seed(told["example"])
    assert state is not None
    assert system.wire_state(state).keys() <= fields.keys()
    assert system.wire_state(system.start()).keys() <= fields.keys()
    needed = {field: one["example"] for field, one in fields.items() if one["is_needed"]}
    assert needed.keys() <= told["example"].keys()
    for field, one in fields.items():
        assert system.seed(needed | {field: one["example"]}) is not None, field
        assert system.seed(told["example"] | {field: []}) is None, field
        assert one["meaning"]
        left_out = system.seed({other: value for other, value in told["example"].items() if other != field})
        assert (left_out is None) is one["is_needed"], field
    assert system.seed(told["example"] | {"unheard_of": 1}) is None


def test_fields_that_a_newcomer_has_not_are_told_too() -> None:
    assert "last" in {one["name"] for one in objects("glicko/1")[0]["seed"]}
    assert {"rating", "pool_2026_03"} <= {one["name"] for one in objects("fide/1")[0]["seed"]}
    assert [line.split()[:3] for line in ask("systems", "glicko2/1").splitlines() if line.startswith(("rating ", "last "))] == [
        ["rating", '"1850"', "yes"],
        ["last", "20231205", "day"],
    ]


def test_a_system_of_another_package_is_described_alike() -> None:
    acme = described("acme-elo/1", AcmeElo)
    assert list(acme.quanta) == ["game", "round", "event", "date", "month"]
    assert set(acme.quanta.values()) == {("0.1", "0.01", "0.001")}
    assert [(one.name, one.default) for one in acme.parameters][:2] == [("start", "1000"), ("k", 30)]
    assert [(one.name, one.is_needed) for one in acme.seed] == [("rating", True), ("games", False)]
    assert AcmeElo({}, 100, "date").seed(acme.example) is not None
    assert acme.formulas == ()


def test_the_formulas_of_an_adjustment_are_told() -> None:
    assert {name: described(name, SYSTEMS[name]).formulas for name in SYSTEMS if described(name, SYSTEMS[name]).formulas} == {
        "fide/1": ("raise-2024",),
        "fide-curve/1": ("raise-2024",),
    }
    assert "may name the formula raise-2024" in CliRunner().invoke(cli, ["systems", "fide/1"]).output


@pytest.mark.parametrize(
    ("name", "meant"),
    [("elo", ""), ("fide", " (is fide/1 meant?)"), ("fide/2", " (is fide/1 meant?)"), ("glico2/1", " (is glicko2/1 meant?)")],
)
def test_an_unknown_system_names_those_that_are_known(name: str, meant: str) -> None:
    result = CliRunner().invoke(cli, ["systems", name])
    assert result.exit_code == 2
    assert f"there is no system {name}{meant}; those known are club/1, fide-2009/1" in result.output
