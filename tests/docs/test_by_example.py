"""The page of facts by example: each is read as a fact, all together are rated, and the parameters are those of the code."""

import re
from pathlib import Path

from click.testing import CliRunner

from rerate.cli import cli
from rerate.intake.lines import FactLine, read_line
from rerate.messages.facts import Unknown
from rerate.messages.reading import _BY_TYPE
from rerate.ratings.club import PARAMETERS

PAGE = (Path(__file__).parents[2] / "schemas" / "by-example.md").read_text(encoding="utf-8")
LINES = [line for block in re.findall(r"^```jsonl\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL) for line in block.splitlines()]


def test_every_example_is_a_fact_of_a_type_that_is_known_and_every_type_has_one() -> None:
    read = [read_line(line.encode(), number, partitions=1) for number, line in enumerate(LINES, 1)]
    facts = [line.fact for line in read if isinstance(line, FactLine)]
    assert len(facts) == len(LINES), [line for line in read if not isinstance(line, FactLine)]
    assert not any(isinstance(fact.data, Unknown) for fact in facts)
    assert {fact.type for fact in facts} == set(_BY_TYPE)


def test_all_examples_together_are_rated_and_verified(tmp_path: Path) -> None:
    file = tmp_path / "facts.jsonl"
    file.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    log = ["--log", f"file:{tmp_path / 'log'}"]
    said = {}
    for command in (["publish", str(file)], ["rater", "--until-idle"], ["verify"], ["standings", "club:rook"]):
        result = CliRunner().invoke(cli, [*log, *command])
        assert result.exit_code == 0, result.output
        said[command[0]] = result.output
    assert re.findall(r"^club/\S+", said["standings"], re.MULTILINE) == ["club/desk/k2", "club/office/m1", "club/office/o1"]


def test_the_parameters_of_the_club_system_are_those_of_the_code() -> None:
    for name, (default, meaning) in PARAMETERS.items():
        written = f'"{default}"' if isinstance(default, str) else str(default)
        assert f"| `{name}` | `{written}` | {meaning} |" in PAGE
