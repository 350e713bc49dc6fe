"""From what `--log` says to a log. `file:DIR` is the embedded log; Kafka comes with the next change."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import click

from rerate.cli.base import Options
from rerate.log.embedded import EmbeddedLog
from rerate.log.seam import Log, Store
from rerate.log.store import RocksStore
from rerate.messages.facts import FACT_TOPICS, OUTCOME_TOPICS

COMPACTED = frozenset(OUTCOME_TOPICS) - {"fact-receipts", "rating-updates"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A log, and where its rater keeps its cache."""

    log: Log
    open_store: Callable[[], Store]
    name: str
    """As `--log` takes it."""


def embedded(directory: Path) -> Opened:
    """The embedded log in a directory; nothing is created yet."""
    log = EmbeddedLog(directory, facts=FACT_TOPICS, outcomes=OUTCOME_TOPICS, compacted=COMPACTED)
    return Opened(log=log, open_store=lambda: RocksStore(directory / "store"), name=f"file:{directory}")


def choose(options: Options) -> Opened:
    """The log that the options name.

    Raises:
        click.UsageError: they name none, or one of a kind that is not known.
    """
    if not options.log:
        raise click.UsageError("which log? Say --log file:DIR, or set RERATE_LOG")
    scheme, _, rest = options.log.partition(":")
    if scheme == "kafka":
        raise click.UsageError(f"--log {options.log}: Kafka is not there yet; use file:DIR, the embedded log")
    if scheme != "file" or not rest:
        raise click.UsageError(f"--log {options.log}: expected file:DIR, for example file:./ratings")
    if options.prefix != "rerate":
        raise click.UsageError(f"--prefix {options.prefix}: an embedded log has one set of topics; choose another directory instead")
    return embedded(Path(rest.removeprefix("//") or "/"))


@asynccontextmanager
async def opened(options: Options) -> AsyncIterator[Opened]:
    """The log that the options name, closed in the end."""
    chosen = choose(options)
    try:
        yield chosen
    finally:
        await chosen.log.close()
