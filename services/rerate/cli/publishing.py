"""`rerate publish`: good lines go to the log, bad ones are named with line and column."""

import asyncio
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cache, lru_cache
from typing import Any, BinaryIO

import click
import orjson
from msgspec import to_builtins

from rerate.cli.base import NO, Ended, Options, TimedOut, run, shared_options
from rerate.cli.opening import Opened, opened
from rerate.cli.output import Advance, count, number, progress, say, write_json
from rerate.intake.lines import BadLine, FactLine, read_lines
from rerate.log.errors import LogMissing
from rerate.log.seam import Log, Out, Reader
from rerate.messages.codes import REJECTED
from rerate.messages.facts import PlayerRegistered, PoolConfigured, ResultPublished, Unknown
from rerate.messages.reading import FACT_TYPES
from rerate.messages.writing import STRUCTURED_HEADERS
from rerate.ratings.describing import described
from rerate.ratings.installed import BadPlugin, known_systems
from rerate.ratings.refusing import meant, refusals
from rerate.ratings.systems import SYSTEMS, Systems

LINES_A_BATCH = 5_000
AHEAD_DAYS = 31
TO_COME_SHOWN = 5
"""Final events of days far ahead that are named one by one."""
BYTES_A_BATCH = 16 << 20
WAIT_S = 30.0
POLL_S = 0.1
RECEIPTS = "fact-receipts"

Place = tuple[int, str, int]
"""Partition, topic, offset."""


@dataclass(slots=True)
class Published:
    """What came of a file."""

    facts: int = 0
    bad: int = 0
    topics: Counter[str] = field(default_factory=Counter)
    pools: Counter[str] = field(default_factory=Counter)
    places: dict[Place, FactLine] = field(default_factory=dict)
    """Where each fact stands; kept only for those who wait."""
    receipts: Counter[str] = field(default_factory=Counter)
    held: list[dict[str, Any]] = field(default_factory=list)
    """Lists that this version would hold."""
    unknown: Counter[str] = field(default_factory=Counter)
    """Facts of types that this version does not know."""
    unasked: Counter[str] = field(default_factory=Counter)
    """Traits of registered players that are near one that a system known here asks for -> facts."""
    to_come: list[dict[str, Any]] = field(default_factory=list)
    """Final events of a day more than `AHEAD_DAYS` ahead."""

    def summary(self) -> dict[str, Any]:
        said: dict[str, Any] = {"published": self.facts, "bad": self.bad, "topics": self.topics, "pools": self.pools}
        more = {"receipts": self.receipts, "held": self.held, "unknown": self.unknown, "unasked": self.unasked, "to_come": self.to_come}
        return said | {name: value for name, value in more.items() if value}


class _Publish(click.Command):
    """`--wait` may stand before the file without a number."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        for at, arg in enumerate(args):
            following = args[at + 1] if at + 1 < len(args) else ""
            if arg == "--wait" and not following.replace(".", "", 1).isdecimal():
                args = [*args[:at], f"--wait={WAIT_S:g}", *args[at + 1 :]]
        return super().parse_args(ctx, args)


@click.command(cls=_Publish)
@click.argument("facts", metavar="FACTS.jsonl", type=click.File("rb"))
@click.option("--wait", type=click.FloatRange(min=0), metavar="[SECONDS]", help="Wait for the receipts of what was published (30 s).")
@shared_options
@click.pass_obj
def publish(options: Options, facts: BinaryIO, wait: float | None) -> None:
    """Publish facts from a file, one CloudEvent a line; `-` is the standard input.

    Good lines are published, bad ones named with line and column (exit code 1). With --wait a rejected fact is exit code 1, too, and a
    receipt that does not come in time is 4. A configuration is published whatever its lists say; what a list would be held for is
    named.
    """
    published = run(_publish(options, facts, wait))
    for type, facts_of in sorted(published.unknown.items()):
        held = f"{count(facts_of, 'fact')} kept, and held until a newer version knows it"
        click.echo(f"{type} is no type that this version knows{_type_meant(type)}: {held}", err=True)
    for trait, facts_of in sorted(published.unasked.items()):
        click.echo(
            f"trait {trait}{_trait_meant(trait)} in {count(facts_of, 'registration')}: no rating system asks for it by default",
            err=True,
        )
    for one in published.to_come[:TO_COME_SHOWN]:
        click.echo(f"line {one['line']}: {one['event']} is final, and dated {one['date']}, which is to come: is the year right?", err=True)
    if len(published.to_come) > TO_COME_SHOWN:
        click.echo(f"and {count(len(published.to_come) - TO_COME_SHOWN, 'more final event')} of days to come", err=True)
    if options.as_json:
        write_json(published.summary())
    else:
        pools = f" for {', '.join(sorted(published.pools))}" if 0 < len(published.pools) <= 5 else ""
        say(f"{count(published.facts, 'fact')} published{pools}")
        if published.receipts:
            say(", ".join(f"{number(n)} {status}" for status, n in sorted(published.receipts.items())))
    if published.bad:
        raise Ended(f"{count(published.bad, 'line is', 'lines are')} not published; each is named above", NO)
    if published.receipts[REJECTED]:
        raise Ended(f"{count(published.receipts[REJECTED], 'message was', 'messages were')} rejected", NO)


async def _publish(options: Options, file: BinaryIO, wait: float | None) -> Published:
    published = Published()
    async with opened(options) as chosen:
        since = await _receipt_ends(chosen.log) if wait is not None else {}
        with progress() as advance:
            await _append(chosen, file, published, wait is not None, advance)
            if wait is not None and published.places:
                waiting = _Waiting(chosen, published, options.as_json)
                await waiting.run(since, wait, advance)
    return published


async def _append(chosen: Opened, file: BinaryIO, published: Published, keeps: bool, advance: Advance) -> None:
    for lines in _batches(read_lines(file, partitions=chosen.log.partitions)):
        by_partition: dict[int, list[FactLine]] = {}
        for line in lines:
            if isinstance(line, BadLine):
                published.bad += 1
                click.echo(line.sentence, err=True)
            else:
                by_partition.setdefault(line.message.partition, []).append(line)
        for partition, good in by_partition.items():
            offsets = await append_lines(chosen.log, partition, good)
            published.facts += len(good)
            for line, offset in zip(good, offsets, strict=True):
                published.topics[line.message.topic] += 1
                published.pools[line.fact.data.pool] += 1
                _judge(line, published)
                if keeps:
                    published.places[partition, line.message.topic, offset] = line
        advance("publishing", published.facts, None)


def _judge(line: FactLine, published: Published) -> None:
    """Say of a good line what will keep it from counting, as far as it can be told without other facts."""
    data = line.fact.data
    if isinstance(data, Unknown):
        published.unknown[line.fact.type] += 1
    if isinstance(data, PlayerRegistered):
        published.unasked.update(name for name in data.traits if _trait_meant(name))
    if isinstance(data, ResultPublished) and data.event.status == "final" and data.event.date > _far_ahead():
        published.to_come.append({"line": line.number, "event": data.event.id, "date": data.event.date})
    if not isinstance(data, PoolConfigured):
        return
    for one in data.lists:
        found = refusals(one, _systems(), data.lists)
        for refusal in found:
            click.echo(f"line {line.number}: {data.pool}, list {one.id} would be held: {refusal.sentence}", err=True)
        if found:
            published.held.append({"line": line.number, "pool": data.pool, "list": one.id, "refusals": to_builtins(found)})


def _type_meant(type: str) -> str:
    """A type that is misspelt; another version of a known one is what a newer publisher sends."""
    name, _, version = type.rpartition(".")
    known = {one.rpartition(".")[0] for one in FACT_TYPES if one.rpartition(".")[2] == version}
    return "" if name in known else meant(name, known, 0.92)


@cache
def _far_ahead() -> str:
    """The last day for which a final event is taken to be announced a little early, and no slip of the pen."""
    return (date.today() + timedelta(days=AHEAD_DAYS)).isoformat()


@cache
def _traits() -> frozenset[str]:
    """What the systems known here ask for of registered players, as far as their parameters do not name others."""
    found: set[str] = set()
    for name, maker in _systems().items():
        with suppress(Exception):  # facts are published whatever is installed
            found.update(described(name, maker).traits)
    return frozenset(found)


@lru_cache(4096)  # a federation's registrations name the same few
def _trait_meant(name: str) -> str:
    """A trait that nobody asks for, and that is near one that somebody does."""
    return "" if name in _traits() else meant(name, _traits())


@cache
def _systems() -> Systems:
    """Those that a rater of this installation would know. Facts are published whatever is installed."""
    try:
        return known_systems()
    except BadPlugin as error:
        click.echo(str(error), err=True)
        return SYSTEMS


async def append_lines(log: Log, partition: int, lines: Sequence[FactLine]) -> list[int]:
    """Append facts of one partition; their offsets."""
    return await log.append(
        partition, [Out(line.message.topic, line.message.key, line.message.value, STRUCTURED_HEADERS) for line in lines]
    )


def _batches(lines: Iterator[FactLine | BadLine]) -> Iterator[list[FactLine | BadLine]]:
    """Lines in batches of so many, or of so many bytes."""
    batch: list[FactLine | BadLine] = []
    size = 0
    for line in lines:
        batch.append(line)
        size += len(line.message.value or b"") if isinstance(line, FactLine) else 0
        if len(batch) >= LINES_A_BATCH or size >= BYTES_A_BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


async def _receipt_ends(log: Log) -> dict[int, int]:
    """Where the receipts end before anything is published; 0 where no rater has run yet."""
    ends = {}
    for partition in range(log.partitions):
        try:
            ends[partition] = (await log.ends(partition, [RECEIPTS]))[RECEIPTS]
        except LogMissing:
            ends[partition] = 0
    return ends


class _Waiting:
    """Waits until every published fact has its receipt."""

    def __init__(self, chosen: Opened, published: Published, as_json: bool) -> None:
        self._chosen, self._published, self._as_json = chosen, published, as_json
        self._missing = set(published.places)
        self._readers: dict[int, Reader] = {}

    async def run(self, since: Mapping[int, int], seconds: float, advance: Advance) -> None:
        """
        Raises:
            TimedOut: not all receipts came.
        """
        until = time.monotonic() + seconds
        of = len(self._missing)
        while self._missing:
            for partition in {partition for partition, _, _ in self._missing}:
                await self._poll(partition, since[partition])
            advance("waiting for receipts", of - len(self._missing), of)
            if self._missing and time.monotonic() >= until:
                raise TimedOut(
                    f"{count(self._published.facts, 'fact')} published; after {seconds:g} s {number(len(self._missing))} of them have no "
                    f"receipt yet. Is a rater running? Start one: rerate --log {self._chosen.name} rater"
                )
            if self._missing:
                await asyncio.sleep(POLL_S)

    async def _poll(self, partition: int, since: int) -> None:
        if partition not in self._readers:
            try:
                self._readers[partition] = await self._chosen.log.reader(partition, {RECEIPTS: since})
            except LogMissing:
                return  # no rater has ever run here
        while records := await self._readers[partition].poll(LINES_A_BATCH):
            for record in records:
                self._take(orjson.loads(record.value or b"{}"))

    def _take(self, receipt: dict[str, Any]) -> None:
        message = receipt["message"]
        place = (message["partition"], message["topic"], message["offset"])
        if place not in self._missing:
            return
        self._missing.discard(place)
        self._published.receipts[receipt["status"]] += 1
        line = self._published.places[place].number
        if self._as_json:
            write_json({"line": line, **receipt})
        elif receipt["status"] == REJECTED:
            click.echo(f"line {line}: {receipt['sentence']}", err=True)
