"""The runbook is held to the code: its commands are read by the commands, and every code, reason and sentence it names is there."""

import ast
import re
import shlex
from pathlib import Path
from typing import get_args

import pytest
from ruamel.yaml import YAML

from rerate.cli import cli
from rerate.cli.base import NO, TIMED_OUT
from rerate.cli.rating import REBUILD_S
from rerate.log import topics
from rerate.messages import facts
from rerate.messages.codes import HALTED, HaltReason
from rerate.rater import bus
from rerate.rater.worker import TRANSACTION_SECONDS
from rerate.rater.world import Limits
from tests.ops.command_lines import parsed

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "ops" / "runbook.md").read_text(encoding="utf-8")
LINES = [line for block in re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL) for line in block.splitlines()]
SPANS = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", PAGE, flags=re.MULTILINE | re.DOTALL))


def section(title: str) -> str:
    """What stands under a heading."""
    found: str = re.split(r"^## ", PAGE.partition(f"## {title}\n")[2], flags=re.MULTILINE)[0]
    assert found, title
    return found


def rows(title: str, header: str) -> dict[str, str]:
    """First cell -> the rest, of the table with this header."""
    table = section(title).partition(f"| {header} |\n|{'---|' * len(header.split(' | '))}\n")[2].split("\n\n")[0]
    return dict(re.findall(r"^\| (.+?) \| (.+) \|$", table, re.MULTILINE))


def sentences() -> str:
    """Every text in the code, one a line; what is worked out at run time is left out of it."""
    found = []
    for path in (ROOT / "services" / "rerate").rglob("*.py"):
        found += [
            node.value
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
    return "\n".join(found)


# ---------------------------------------------------------------------- commands


@pytest.mark.parametrize("line", [line for line in LINES if line.startswith("rerate")])
def test_a_command_line_is_one_that_rerate_takes(line: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    name, _, log = next(line for line in LINES if line.startswith("export")).removeprefix("export ").partition("=")
    monkeypatch.setenv(name, log)
    assert parsed(shlex.split(line)[1:], monkeypatch, tmp_path).bootstrap == log.removeprefix("kafka://")


def test_every_other_line_is_compose_or_the_environment() -> None:
    for line in LINES:
        assert line.split()[0] in {"rerate", "export"} or line.startswith("docker compose exec kafka /opt/kafka/bin/")


def test_commands_and_options_in_the_text_exist() -> None:
    for span in SPANS:
        words = shlex.split(span) if span.startswith("rerate ") else []
        if words[1:]:
            assert words[1] in cli.commands, span
            assert {word for word in words if word.startswith("--")} <= options(words[1]), span
        if span.startswith("--"):
            assert span.split()[0] in {option for name in cli.commands for option in options(name)}, span


def options(command: str) -> set[str]:
    return {option for parameter in cli.commands[command].params for option in parameter.opts}


def test_compose_services_and_volumes_in_the_text_exist() -> None:
    compose = YAML(typ="safe").load(ROOT / "docker-compose.yml")
    named = {service for line in (*SPANS, *LINES) for service in re.findall(r"^docker compose (?:stop|exec|rm) ([a-z0-9-]+)", line)}
    assert named == {"kafka", "rater-1"} <= set(compose["services"])
    assert {f"{compose['name']}_{volume}" for volume in compose["volumes"]} >= set(re.findall(r"rerate_[a-z0-9-]+", PAGE))


# ---------------------------------------------------------------------- codes


def test_every_exit_code_of_a_rater_is_told() -> None:
    told = rows("A rater has ended", "code | means | do")
    assert set(told) == {"0", "1", *map(str, (bus.LOG_LOST, bus.OWNERSHIP_LOST, bus.LOOK))}
    assert f"longer than {TRANSACTION_SECONDS} s" in told[str(bus.LOG_LOST)]
    assert "the rater ends (" in sentences()


def test_every_reason_to_halt_is_told() -> None:
    assert set(rows("A pool stands still", "reason | means | do")) == {f"`{reason}`" for reason in get_args(HaltReason)}
    assert f"`{HALTED}`" in section("A pool stands still")
    assert f"Exit code {TIMED_OUT}:\nno new head within five minutes" in PAGE
    assert REBUILD_S == 5 * 60


@pytest.mark.parametrize(
    ("title", "header"),
    [("A rater has ended", "the sentence of a 20 says | it means | do"), ("`rerate topics` refuses", "it says | do")],
)
def test_every_sentence_that_it_explains_is_said(title: str, header: str) -> None:
    said = sentences()
    quoted = [span for first in rows(title, header) for span in re.findall(r"`([^`]+)`", first)]
    assert len(quoted) >= 5
    assert [span for span in quoted if span not in said] == []


def test_every_refusal_of_a_topic_is_explained() -> None:
    told = "\n".join(rows("`rerate topics` refuses", "it says | do"))
    for reasons in topics._MUST_BE.values():
        for why in reasons.values():
            assert f"`{why}`" in told
    assert f"Exit code {NO}:" in section("`rerate topics` refuses")
    for name, value in topics.SETTINGS["fact"].items():
        assert f"`{name}={value}`" in PAGE or name == "max.message.bytes"


# ---------------------------------------------------------------------- figures and names


def test_the_figures_are_those_of_the_code() -> None:
    lag = section("It is behind")
    assert f"more than {Limits().behind:,} facts behind" in lag
    assert f"after its session,\n  {bus.Bus(bootstrap='', prefix='', data=Path()).session_timeout_ms // 1000} s" in lag


def test_every_topic_that_it_names_exists_and_the_group_is_the_raters() -> None:
    group = bus.Bus(bootstrap="", prefix="rerate", data=Path()).group
    assert f"--group {group}\n" in PAGE
    assert f"`{group}-0`" in PAGE
    for topic in ("fact-receipts", "rating-updates", "rater-progress", "rating-heads"):
        assert f"`{topic}`" in PAGE
        assert topic in facts.OUTCOME_TOPICS
