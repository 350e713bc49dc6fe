"""`rerate systems`: what may be said to each system, as its code has it."""

import json
from typing import Any

import pytest
from click.testing import CliRunner

from rerate.cli import cli
from rerate.ratings.describing import described
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


def test_a_system_of_another_package_is_described_alike() -> None:
    acme = described("acme-elo/1", AcmeElo)
    assert list(acme.quanta) == ["game", "round", "event", "date", "month"]
    assert set(acme.quanta.values()) == {("0.1", "0.01", "0.001")}
    assert [(one.name, one.default) for one in acme.parameters][:2] == [("start", "1000"), ("k", 30)]


@pytest.mark.parametrize("name", ["elo", "fide", "fide/2"])
def test_an_unknown_system_names_those_that_are_known(name: str) -> None:
    result = CliRunner().invoke(cli, ["systems", name])
    assert result.exit_code == 2
    assert f"there is no system {name}; those known are club/1, fide-2009/1" in result.output
