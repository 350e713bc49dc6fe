"""From what `--log` says to a log: `file:DIR` is the embedded one, `kafka://HOST:PORT[,...]` a cluster."""

import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import click

from rerate.cli.base import Options
from rerate.log.embedded import EmbeddedLog
from rerate.log.kafka import KafkaLog
from rerate.log.kafka_noise import limit_noise
from rerate.log.seam import Log, Store
from rerate.log.store import RocksStore
from rerate.messages.facts import COMPACTED_TOPICS as COMPACTED
from rerate.messages.facts import FACT_TOPICS, OUTCOME_TOPICS

PREFIX = re.compile(r"[A-Za-z0-9._-]{1,80}")


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
    bootstrap = kafka_address(options)
    if bootstrap is not None:
        log = KafkaLog(bootstrap, prefix=options.prefix, facts=FACT_TOPICS, outcomes=OUTCOME_TOPICS, compacted=COMPACTED)
        return Opened(log=log, open_store=_no_store, name=options.log)
    if scheme != "file" or not rest:
        raise click.UsageError(f"--log {options.log}: expected file:DIR or kafka://HOST:PORT[,...], for example file:./ratings")
    if options.prefix != "rerate":
        raise click.UsageError(f"--prefix {options.prefix}: an embedded log has one set of topics; choose another directory instead")
    return embedded(Path(rest.removeprefix("//") or "/"))


def kafka_address(options: Options) -> str | None:
    """The bootstrap servers, if the options name a log on Kafka.

    Raises:
        click.UsageError: an address that is none.
    """
    if not options.log or not options.log.startswith("kafka:"):
        return None
    bootstrap = options.log.removeprefix("kafka:").removeprefix("//").rstrip("/")
    for server in bootstrap.split(","):
        host, _, port = server.rpartition(":")
        if not host or not port.isdecimal():
            raise click.UsageError(f"--log {options.log}: expected kafka://HOST:PORT[,HOST:PORT...], found {server or 'nothing'!r}")
    if not PREFIX.fullmatch(options.prefix):
        raise click.UsageError(f"--prefix {options.prefix}: expected letters, digits, '.', '_' and '-'")
    limit_noise()
    return bootstrap


def _no_store() -> Store:
    raise click.UsageError("on Kafka a rater keeps one store a partition: run `rerate rater`")


@asynccontextmanager
async def opened(options: Options) -> AsyncIterator[Opened]:
    """The log that the options name, closed in the end."""
    chosen = choose(options)
    try:
        if isinstance(chosen.log, KafkaLog):
            await chosen.log.open()
        yield chosen
    finally:
        await chosen.log.close()
