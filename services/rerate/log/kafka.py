"""The log on Kafka: the seam's `Log` over aiokafka.

Topic `name` of the seam is `PREFIX.name` on the cluster, and the partition is always given, never hashed. The log creates no topic; see
`topics`. Each reader is a consumer of its own, each writer a producer of its own; questions about offsets share one consumer.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

from . import kafka_reader, kafka_writer
from .errors import LogError, LogInconsistent, LogMissing
from .kafka_border import ANSWER_S, TAKEOVER_S, close, stopped, within
from .kafka_cluster import admin, equal_count, partition_counts
from .kafka_reader import KafkaReader, reading, up_to, windows
from .kafka_writer import BATCH_BYTES, FRAME_BYTES, KafkaWriter, answered, gathered, send
from .limits import FACT_LIMIT, refuse_too_large
from .seam import Out, Record

NEWEST_WINDOW = 1_000
"""Offsets from the end of a topic in which the newest record of a key is looked for first."""


class KafkaLog:
    """A log on a cluster; connects when it is first asked for something. For one event loop."""

    partitions: int
    """0 until it has connected, see `open`."""

    def __init__(
        self,
        bootstrap: str,
        *,
        prefix: str = "rerate",
        group: str | None = None,
        facts: Iterable[str],
        outcomes: Iterable[str],
        compacted: Iterable[str],
    ) -> None:
        """
        Args:
            bootstrap: `HOST:PORT[,HOST:PORT...]`.
            prefix: of the topics, without its dot.
            group: the consumer group whose offsets the transactions commit, and the first part of the transactional ids; by default
                `PREFIX-rater`.
            facts, outcomes: names of topics, without the prefix.
            compacted: those of `outcomes` that keep the newest record of each key only.
        """
        self.partitions = 0
        self.bootstrap = bootstrap
        self.group = group or f"{prefix}-rater"
        self.facts = frozenset(facts)
        self.outcomes = frozenset(outcomes)
        self.compacted = frozenset(compacted)
        self._prefix = f"{prefix}."
        self._opening = asyncio.Lock()
        self._asking: Any = None
        self._publishing: Any = None
        self._opened: list[KafkaReader | KafkaWriter] = []

    async def open(self) -> "KafkaLog":
        """Connect, and learn the number of partitions. Every other question does it first, too.

        Returns:
            Itself.

        Raises:
            LogMissing: a topic does not exist, or may not be seen.
            LogInconsistent: the topics differ in their number of partitions.
            LogUnreachable: no broker answers.
        """
        async with self._opening:
            if self._asking is None:
                async with admin(self.bootstrap) as client:
                    counts = await partition_counts(client)
                partitions = equal_count(counts, map(self._named, self.facts | self.outcomes), self.bootstrap)
                self._asking = await self._connected()
                self.partitions = partitions
        return self

    async def writer(self, partition: int) -> KafkaWriter:
        """See the seam; fences the writer before, and aborts the transaction it has left open.

        Raises:
            LogUnreachable: no answer, also if the transaction of the one before does not end.
        """
        await self._check(partition)
        writer = await kafka_writer.opened(
            self.bootstrap,
            group=self.group,
            prefix=self._prefix,
            partition=partition,
            facts=self.facts,
            outcomes=self.outcomes,
            compacted=self.compacted,
        )
        self._keep(writer)
        return writer

    async def reader(self, partition: int, start: Mapping[str, int]) -> KafkaReader:
        await self._check(partition, start)
        ends, starts = await asyncio.gather(self.ends(partition, start), self.starts(partition, start))
        for topic, position in start.items():
            if not starts[topic] <= position <= ends[topic]:
                raise LogInconsistent(
                    f"{self._named(topic)} partition {partition} holds offsets {starts[topic]} to {ends[topic]}, but is to be read from "
                    f"{position}: records are lost, or this is another cluster"
                )
        reader = await kafka_reader.opened(self.bootstrap, self._prefix, partition, start)
        self._keep(reader)
        return reader

    async def ends(self, partition: int, topics: Iterable[str]) -> dict[str, int]:
        """See the seam: the last stable offsets, so an open transaction is beyond them."""
        return await self._offsets(partition, list(topics), "end_offsets")

    async def starts(self, partition: int, topics: Iterable[str]) -> dict[str, int]:
        return await self._offsets(partition, list(topics), "beginning_offsets")

    async def newest(self, partition: int, topic: str, key: bytes) -> Record | None:
        """See the seam; reads from the end backwards until it finds the key."""
        await self._check(partition, [topic], among=self.compacted)
        start, end = await self._bounds(partition, topic)
        for low, high in windows(start, end, NEWEST_WINDOW):
            newest = None
            async with reading(self.bootstrap, self._prefix, partition, {topic: low}) as reader:
                async for record in up_to(reader, topic, high):
                    if record.key == key:
                        newest = record
            if newest is not None:
                return None if newest.value is None else newest
        return None

    async def newest_with_prefix(self, partition: int, topic: str, prefix: bytes) -> list[Record]:
        """See the seam; reads the whole topic."""
        await self._check(partition, [topic], among=self.compacted)
        start, end = await self._bounds(partition, topic)
        newest: dict[bytes, Record] = {}
        if start < end:
            async with reading(self.bootstrap, self._prefix, partition, {topic: start}) as reader:
                async for record in up_to(reader, topic, end):
                    if record.key is not None and record.key.startswith(prefix):
                        newest[record.key] = record
        return [newest[key] for key in sorted(newest) if newest[key].value is not None]

    async def append(self, partition: int, records: Sequence[Out]) -> list[int]:
        """See the seam; all topics are written side by side, the records of one in their order.

        Raises:
            RecordTooLarge, LogMissing: nothing was written.
            LogUnreachable: no answer; the records may be written, now or when the brokers are back, each once.
        """
        for record in records:
            if record.topic not in self.facts:
                raise LogMissing(f"there is no fact topic {record.topic}")
            refuse_too_large(record, FACT_LIMIT)
        await self._check(partition)
        by_topic: dict[str, list[Out]] = {}
        for record in records:
            by_topic.setdefault(record.topic, []).append(record)
        producer = await self._publisher()
        offsets: dict[str, list[int]] = {}

        async def publish() -> None:
            sent = [send(producer, self._named(topic), partition, named) for topic, named in by_topic.items()]
            offsets.update(zip(by_topic, answered(await asyncio.gather(*sent, return_exceptions=True)), strict=True))

        try:
            await within(TAKEOVER_S, publish(), f"appending to partition {partition}")
        except LogError:
            if producer._sender.sender_task.done():  # it has failed for good; while it only waits, it must keep its place in the sequence
                self._publishing = None
                await close(stopped(producer))
            raise
        nexts = {topic: iter(placed) for topic, placed in offsets.items()}
        return [next(nexts[record.topic]) for record in records]

    async def close(self) -> None:
        """Its readers and writers end with it."""
        asking, publishing = self._asking, self._publishing
        self._asking = self._publishing = None
        clients = [] if asking is None else [close(asking.stop())]
        if publishing is not None:
            clients.append(close(stopped(publishing)))
        await asyncio.gather(*clients, *(one.close() for one in self._opened))

    # ------------------------------------------------------------------ inside

    def _keep(self, opened: KafkaReader | KafkaWriter) -> None:
        self._opened = [one for one in self._opened if not one.is_closed] + [opened]

    def _named(self, topic: str) -> str:
        return self._prefix + topic

    async def _check(self, partition: int, topics: Iterable[str] = (), *, among: frozenset[str] | None = None) -> None:
        await self.open()
        if not 0 <= partition < self.partitions:
            raise LogMissing(f"there is no partition {partition}: {self.bootstrap} has {self.partitions} of {self._prefix}*, from 0 on")
        for topic in topics:
            if topic not in (self.facts | self.outcomes if among is None else among):
                raise LogMissing(f"there is no {'' if among is None else 'compacted '}topic {topic}")

    async def _bounds(self, partition: int, topic: str) -> tuple[int, int]:
        ends, starts = await asyncio.gather(self.ends(partition, [topic]), self.starts(partition, [topic]))
        return starts[topic], ends[topic]

    async def _offsets(self, partition: int, topics: list[str], which: str) -> dict[str, int]:
        await self._check(partition, topics)
        tps = {TopicPartition(self._named(topic), partition): topic for topic in topics}
        ask = getattr(self._asking, which)
        found = await within(TAKEOVER_S, ask(list(tps)), f"asking for the offsets of {', '.join(topics)}")
        return {topic: found[tp] for tp, topic in tps.items()}

    async def _connected(self) -> Any:
        """A consumer that is asked for offsets and reads nothing."""
        consumer = AIOKafkaConsumer(
            bootstrap_servers=self.bootstrap,
            isolation_level="read_committed",
            enable_auto_commit=False,
            auto_offset_reset="none",
            request_timeout_ms=int(ANSWER_S * 1000),
        )
        try:
            await within(ANSWER_S, consumer.start(), f"connecting to {self.bootstrap}")
            # Without this it would learn of its topics one by one, a tenth of a second each.
            await within(
                ANSWER_S,
                gathered([consumer._client.set_topics([self._named(topic) for topic in self.facts | self.outcomes])]),
                "looking up the topics",
            )
        except BaseException:
            await close(consumer.stop())
            raise
        return consumer

    async def _publisher(self) -> Any:
        if self._publishing is None:
            producer = AIOKafkaProducer(
                bootstrap_servers=self.bootstrap,
                enable_idempotence=True,
                acks="all",
                max_batch_size=BATCH_BYTES,
                max_request_size=FACT_LIMIT + FRAME_BYTES,
                request_timeout_ms=int(ANSWER_S * 1000),
            )
            try:
                await within(ANSWER_S, producer.start(), f"connecting to {self.bootstrap}")
            except BaseException:
                await close(stopped(producer))
                raise
            if self._publishing is None:
                self._publishing = producer
            else:
                await close(stopped(producer))
        return self._publishing
