"""The README is run and held to the code: its commands work, its files exist, its figures are those of the data."""

import re
import shlex
from pathlib import Path

import pytest
from click.shell_completion import get_completion_class
from click.testing import CliRunner

from rerate.cli import cli
from rerate.intake import football

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def test_the_club_of_the_readme_is_published_rated_and_verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (facts,) = blocks("jsonl")
    (tmp_path / "club.jsonl").write_text(facts, encoding="utf-8")
    said = {}
    for line in blocks("sh")[0].splitlines():
        words = shlex.split(line)
        if words[0] == "export":
            name, _, value = words[1].partition("=")
            monkeypatch.setenv(name, value)
            continue
        assert words[0] == "rerate"
        result = CliRunner().invoke(cli, words[1:])
        assert result.exit_code == 0, (line, result.output)
        said[words[1]] = result.output
    first = next(line for line in said["ladder"].splitlines() if line.startswith("1 "))
    assert "club:ben" in first, "after the correction Ben has won both games and leads"
    assert "in-force" in said["standing"]


@pytest.mark.parametrize("line", [line for block in blocks("sh")[1:] for line in block.splitlines()])
def test_every_other_command_of_the_readme_exists_with_its_options(line: str) -> None:
    program, option, _, name, *rest = shlex.split(line)
    assert (program, option) == ("rerate", "--log")
    command = cli.commands[name]
    known = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in rest if word.startswith("--")} <= known


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_command_completes_itself_in_each_shell_the_readme_names(shell: str) -> None:
    assert f"{shell}_source" in README
    complete = get_completion_class(shell)
    assert complete is not None
    completion = complete(cli, {}, "rerate", "_RERATE_COMPLETE")
    assert "_RERATE_COMPLETE" in completion.source_template % completion.source_vars()
    assert {"publish", "verify", "topics"} <= {item.value for item in completion.get_completions([], "")}
    assert "--until-idle" in {item.value for item in completion.get_completions(["rater"], "--")}
    assert {"fide", "glicko2"} <= {item.value for item in completion.get_completions(["calc"], "")}
    assert {"--own", "--vs", "--k"} <= {item.value for item in completion.get_completions(["calc", "fide"], "--")}


def test_every_make_target_of_the_readme_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"(?:^|`)make ([a-z-]+)", README, re.MULTILINE)) <= targets


def test_every_file_that_the_readme_names_exists() -> None:
    for link in re.findall(r"\]\(([^)]+)\)", README):
        assert (ROOT / link).exists(), link
    for path in (
        "docker-compose.yml",
        "requirements.lock",
        "services/rerate/intake/data",
        *re.findall(r"`(services/rerate/[a-z]+)`", README),
    ):
        assert (ROOT / path).exists(), path


def test_the_figures_of_the_football_history_are_those_of_the_data() -> None:
    kinds = [message.kind for message in football.source_messages()]
    for kind, words in (
        ("result-published", "{:,} publications"),
        ("result-corrected", "{:,} corrections"),
        ("event-deleted", "{:,}\ndeletions"),
        ("identity-merged", "{:,} merges"),
        ("identity-unmerged", "{:,} were undone"),
    ):
        assert words.format(kinds.count(kind)) in README, kind
    assert f"{len(kinds):,} messages" in README
