"""The page of what `--json` writes is held to the commands: each has a row, and those of the calculator and of scores name every field."""

import re
from pathlib import Path

import pytest
from msgspec.structs import fields

from rerate.audit.scoring import Band, Score
from rerate.audit.what_if import Beside, Planned, Preview, Scenario
from rerate.audit.what_if import Outcome as Forecast
from rerate.audit.why import Explanation
from rerate.board.views import EventRating, LadderLine, LeftOut, Step
from rerate.cli import cli
from rerate.ratings.calculating import Answer, ToldPerformance
from rerate.ratings.calculator_question import Outcome, ToldGame, ToldStep
from rerate.ratings.calculator_remarks import Remark
from rerate.ratings.describing import Described, Field, Parameter
from rerate.ratings.performance import BY_NAME
from rerate.ratings.refusing import Refusal

PAGE = (Path(__file__).parents[2] / "schemas" / "commands.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| `([a-z]+)[^`]*` \| (.*) \|$", PAGE, re.MULTILINE))


@pytest.mark.parametrize("name", cli.commands)
def test_every_command_has_a_row(name: str) -> None:
    assert name in ROWS


@pytest.mark.parametrize("struct", [Answer, Outcome, Remark, ToldGame, ToldPerformance])
def test_the_calculators_row_names_every_field_it_writes(struct: type) -> None:
    named = set(re.findall(r"`([a-z_]+)`", ROWS["calc"]))
    assert {field.name for field in fields(struct)} <= named


def test_its_steps_are_those_of_explanations() -> None:
    assert {field.name for field in fields(ToldStep)} <= set(re.findall(r"`([a-z_]+)`", ROWS["explain"]))


def test_its_performances_are_all_named() -> None:
    (names,) = re.findall(r"\{`name`: ([a-z0-9 -]+), ", ROWS["calc"])
    assert names.split() == list(BY_NAME)


@pytest.mark.parametrize("struct", [Score, Band])
def test_the_row_of_scores_names_every_field_it_writes(struct: type) -> None:
    assert {field.name for field in fields(struct)} <= set(re.findall(r"`([a-z_]+)`", ROWS["score"]))


def test_the_row_of_publish_names_every_field_of_what_a_list_would_be_held_for() -> None:
    assert {field.name for field in fields(Refusal)} <= set(re.findall(r"`([a-z_]+)`", ROWS["publish"]))


@pytest.mark.parametrize("struct", [Described, Parameter, Field])
def test_the_row_of_systems_names_every_field_it_writes(struct: type) -> None:
    assert {field.name for field in fields(struct)} <= set(re.findall(r"`([a-z_]+)`", ROWS["systems"]))


@pytest.mark.parametrize(("command", "struct"), [
    ("ladder", LadderLine), ("player", Step), ("event", EventRating), ("event", LeftOut),
    ("explain", Explanation), ("preview", Preview), ("preview", Beside), ("preview", Planned), ("preview", Scenario), ("preview", Forecast),
])  # fmt: skip
def test_the_rows_of_views_and_explanations_name_every_field_they_write(command: str, struct: type) -> None:
    assert {field.name for field in fields(struct)} <= set(re.findall(r"`([a-z_]+)`", ROWS[command]))
