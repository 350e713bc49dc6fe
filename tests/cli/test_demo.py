"""`rerate demo`: its own directory only, and all of it on a small scale."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from rerate.cli import cli, demonstrating, feeding
from rerate.intake import football
from rerate.intake.football import source_messages


def test_a_directory_of_others_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    result = CliRunner().invoke(cli, ["demo", "--dir", str(tmp_path)])
    assert result.exit_code == 2
    assert "is not empty and not of an earlier demo" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_an_earlier_demo_is_cleared_and_nothing_else(tmp_path: Path) -> None:
    for name in (demonstrating.MARK, "names.csv", "notes.txt"):
        (tmp_path / name).touch()
    (tmp_path / "facts").mkdir()
    demonstrating._clear(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [demonstrating.MARK, "notes.txt"]


def test_corrections_that_change_a_game_are_counted_from_the_facts() -> None:
    """The source says itself which corrections have an effect on ratings; beside them 16 move a game to another event of the same date."""
    tally, told = feeding.Tally(), 0
    for message, fact in zip(source_messages(), football.facts(source_messages()), strict=True):
        tally.take(fact)
        told += message.kind == "result-corrected" and message.effect == "ratings"
    assert tally.types["result-corrected"] == 5_646
    assert tally.corrections_of_games == told + 16


@pytest.mark.long
def test_the_whole_demo_comes_out(tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, ["demo", "--dir", str(tmp_path / "demo")])
    assert result.exit_code == 0, result.output
    assert "337 of 337 teams equal" in result.output
    assert "What to type next" in result.output
