"""The page of facts by example: each is read as a fact, all together are rated, and the parameters are those of the code."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from rerate.cli import cli
from rerate.intake.lines import FactLine, read_line
from rerate.messages.facts import Unknown
from rerate.messages.reading import _BY_TYPE
from rerate.ratings.club import PARAMETERS
from rerate.ratings.describing import described
from rerate.ratings.systems import SYSTEMS

PAGE = (Path(__file__).parents[2] / "schemas" / "by-example.md").read_text(encoding="utf-8")
LINES = [line for block in re.findall(r"^```jsonl\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL) for line in block.splitlines()]


def test_every_example_is_a_fact_of_a_type_that_is_known_and_every_type_has_one() -> None:
    read = [read_line(line.encode(), number, partitions=1) for number, line in enumerate(LINES, 1)]
    facts = [line.fact for line in read if isinstance(line, FactLine)]
    assert len(facts) == len(LINES), [line for line in read if not isinstance(line, FactLine)]
    assert not any(isinstance(fact.data, Unknown) for fact in facts)
    assert {fact.type for fact in facts} == set(_BY_TYPE)


class Examples:
    """All facts of the page, published and rated."""

    def __init__(self, directory: Path) -> None:
        self._log = ["--log", f"file:{directory / 'log'}"]
        file = directory / "facts.jsonl"
        file.write_text("\n".join(LINES) + "\n", encoding="utf-8")
        self.published = CliRunner().invoke(cli, [*self._log, "publish", str(file)])
        self.rated = self.say("rater", "--until-idle")

    def say(self, *words: str) -> str:
        result = CliRunner().invoke(cli, [*self._log, *words])
        assert result.exit_code == 0, result.output
        return result.output

    def objects(self, *words: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.say(*words, "--json").splitlines()]


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Examples:
    return Examples(tmp_path_factory.mktemp("examples"))


def test_all_examples_together_are_published_without_a_word_rated_and_verified(examples: Examples) -> None:
    assert (examples.published.exit_code, examples.published.stderr) == (0, "")
    examples.say("verify")
    standings = examples.say("standings", "club:rook")
    assert re.findall(r"^club/\S+", standings, re.MULTILINE) == ["club/desk/k2", "club/office/m1", "club/office/o1"]
    assert examples.objects("standings", "fed:main") == [], "every fact of the federation counts"


def test_the_federations_games_stand_in_the_periods_that_the_page_says(examples: Examples) -> None:
    rows = {
        one["list"]: [(row["period"], row["before"], row["games"]) for row in one["rows"]]
        for one in examples.objects("player", "fed:main", "fed:p1")
    }
    assert {name: [period for period, _, _ in found] for name, found in rows.items()} == {
        "standard": ["2026-12", "2027-01/adjustment/base-2027"],
        "rapid": ["2026-12"],
        "trial": ["2026-11", "2026-12"],
    }
    assert rows["standard"][0][1:] == ("1850", 2)
    assert rows["rapid"] == [("2026-12", "1850", 1)], "played with the standard rating, as it stood on the event's first day"
    assert [one["list"] for one in examples.objects("player", "fed:main", "fed:p1") if one.get("shadow")] == ["trial"]


def test_the_federations_junior_has_k_40_by_the_registered_year(examples: Examples) -> None:
    steps = {
        player: [step for one in examples.objects("explain", "fed:main", player, "2026-12", "--list", "standard") for step in one["steps"]]
        for player in ("fed:p1", "fed:p2")
    }
    ks = {player: [step["text"].split()[1] for step in found if step["code"] == "k"] for player, found in steps.items()}
    assert ks == {"fed:p1": ["40"], "fed:p2": ["20"]}
    (own,) = [step["text"] for step in steps["fed:p1"] if step["code"] == "own"]
    assert "2026-11-27" in own, "by the list in force on the first day"


def test_the_day_of_the_list_is_the_one_that_the_calculator_says() -> None:
    words = ["calc", "fide", "--own", "1850", "--games", "30", "--vs", "2250:1", "--json", "--date"]
    found = [json.loads(CliRunner().invoke(cli, [*words, date]).output) for date in ("2026-11-28", "2026-11-30", "2026-12-29")]
    assert [(one["period"], one["list_date"]) for one in found] == [
        ("2026-11", "2026-12-01"),
        ("2026-12", "2027-01-01"),
        ("2026-12", "2027-01-01"),
    ]


def test_the_traits_are_read_by_the_systems_that_the_page_says() -> None:
    traits = {name: set(described(name, maker).traits) for name, maker in SYSTEMS.items()}
    assert {name: found for name, found in traits.items() if found} == {
        "fide/1": {"birth_year"},
        "fide-curve/1": {"birth_year"},
        "uschess/1": {"birth_year", "birth_date", "fide", "us_chess"},
    }


def test_the_parameters_of_the_club_system_are_those_of_the_code() -> None:
    for name, (default, meaning) in PARAMETERS.items():
        written = f'"{default}"' if isinstance(default, str) else str(default)
        assert f"| `{name}` | `{written}` | {meaning} |" in PAGE
