"""A small log made by the commands themselves, and a way to call them."""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from rerate.cli import cli
from rerate.cli.opening import embedded
from rerate.intake import football, irish
from rerate.intake.cloudevents import CloudEvent, cloud_event, to_line
from rerate.log.seam import Out

POOL = football.POOL
FACTS = 60


@dataclass(frozen=True)
class Command:
    """Calls `rerate` on one log."""

    directory: Path

    def __call__(self, *arguments: str, input: bytes | None = None) -> Result:
        result = CliRunner().invoke(cli, ["--log", f"file:{self.directory}", *arguments], input=input)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    def lines(self, *arguments: str, input: bytes | None = None, code: int = 0) -> list[dict[str, Any]]:
        """The objects of a command with --json."""
        result = self(*arguments, "--json", input=input)
        assert result.exit_code == code, result.output
        return [json.loads(line) for line in result.stdout.splitlines()]

    def append(self, records: Sequence[Out]) -> None:
        """Onto the facts as they are, past every check."""

        async def run() -> None:
            log = embedded(self.directory).log
            await log.append(0, records)
            await log.close()

        asyncio.run(run())

    def commit(self, records: Sequence[Out]) -> None:
        """Into the outcomes, as nobody should."""

        async def run() -> None:
            log = embedded(self.directory).log
            writer = await log.writer(0)
            await writer.commit(records, {})
            await writer.close()
            await log.close()

        asyncio.run(run())

    def newest(self, topic: str, key: str) -> bytes:
        async def run() -> bytes | None:
            log = embedded(self.directory).log
            record = await log.newest(0, topic, key.encode())
            await log.close()
            return None if record is None else record.value

        value = asyncio.run(run())
        assert value is not None
        return value


def history() -> list[CloudEvent]:
    """A configuration, the first messages of football, a correction, and a merge."""
    facts = [football.configuration(), *islice(football.facts(football.source_messages()), FACTS)]
    correction = {
        "pool": POOL,
        "event_id": "football:e1",
        "revision": 2,
        "saw": 1,
        "reason": "wrong-result",
        "games": [{"id": "g1", "white": "football:t1", "black": "football:t2", "result": "1-0"}],
    }
    facts.append(cloud_event("result-corrected", football.SOURCE, "c1", correction))
    merge = {"pool": POOL, "merge_id": "football:x1", "alias": "football:t3", "player": "football:t4"}
    facts.append(cloud_event("identity-merged", football.SOURCE, "x1", merge, football.MAINTAINER))
    return facts


def jsonl(facts: Sequence[CloudEvent]) -> bytes:
    return b"".join(map(to_line, facts))


@pytest.fixture(scope="session")
def rated(tmp_path_factory: pytest.TempPathFactory) -> Command:
    """A rated log with two pools; to be read only."""
    return make_rated(tmp_path_factory.mktemp("rated"))


@pytest.fixture
def altered(tmp_path: Path) -> Command:
    """A rated log of one's own."""
    return make_rated(tmp_path / "log")


@pytest.fixture
def fresh(tmp_path: Path) -> Command:
    """No log yet."""
    return Command(tmp_path / "log")


def make_rated(directory: Path) -> Command:
    command = Command(directory)
    second = [irish.configuration(), *(report.fact for report in irish.reports())]
    assert command("publish", "-", input=jsonl(history() + second)).exit_code == 0
    command.append([Out("result-published", POOL.encode(), b'{"no": "cloudevent"}')])
    assert command("rater", "--until-idle").exit_code == 0
    return command


MakeNames = Callable[[str], Path]


@pytest.fixture
def names_file(tmp_path: Path) -> MakeNames:
    def make(text: str) -> Path:
        path = tmp_path / "names.csv"
        path.write_text(text, encoding="utf-8")
        return path

    return make
