"""Reading topics of one partition from Kafka, read-committed, from own positions, in no group."""

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from itertools import count
from typing import Any

from aiokafka import AIOKafkaConsumer, TopicPartition

from .kafka_border import ANSWER_S, close, translated, within
from .kafka_names import read_any_name
from .patience import Patience
from .seam import Record

POLL_MS = 100
"""How long a poll may wait for the next record, on the broker: with nothing to do it need not be asked more often."""
LOOK_MS = 20
"""How soon a poll notices that it has moved over records that are not for readers."""
FETCH_BYTES = 4 << 20
"""Of one partition in one answer; a larger record comes all the same."""


class KafkaReader:
    """The seam's `Reader`. A poll waits up to `POLL_MS` for something to come, so nobody need sleep between polls."""

    def __init__(self, consumer: Any, topics: Mapping[TopicPartition, str], positions: dict[str, int]) -> None:
        """To be had from `opened`."""
        self._consumer = consumer
        self._topics = dict(topics)
        self._positions = positions
        self._is_placed = False
        self.is_closed = False

    async def poll(self, max_records: int) -> list[Record]:
        """See the seam. While the brokers are away there is nothing new.

        Raises:
            LogInconsistent: a position is not in the log any more, or a record cannot be read.
            LogUnreachable: the reader is closed, or may not read a topic.
        """
        if not self._is_placed:
            self._place()
        for _ in range(POLL_MS // LOOK_MS):
            with translated(f"reading {', '.join(self._positions)}"):
                found = await self._next(max_records)
                has_moved = await self._note_positions()
            if found or has_moved:
                break
        else:
            return []
        return [
            Record(topic, one.partition, one.offset, one.timestamp, one.key, one.value, _headers(one.headers) if one.headers else ())
            for tp, records in found.items()
            for topic in (self._topics[tp],)
            for one in records
        ]

    def positions(self) -> dict[str, int]:
        """See the seam; moves over control records and aborted transactions, too."""
        return dict(self._positions)

    async def close(self) -> None:
        self.is_closed = True
        await close(self._consumer.stop())

    def _place(self) -> None:
        """Only the first poll lets the client fetch: what it has fetched it would return, although it may be compacted away by then."""
        self._is_placed = True
        self._consumer.assign(list(self._topics))
        for tp, topic in self._topics.items():
            self._consumer.seek(tp, self._positions[topic])

    async def _next(self, max_records: int) -> dict[TopicPartition, list[Any]]:
        try:
            found: dict[TopicPartition, list[Any]] = await self._consumer.getmany(
                *self._topics, timeout_ms=LOOK_MS, max_records=max_records
            )
        except UnicodeDecodeError:
            if not read_any_name():
                raise
            return {}  # the position has not moved: it comes again
        return found

    async def _note_positions(self) -> bool:
        has_moved = False
        for tp, topic in self._topics.items():
            position = await self._consumer.position(tp)
            if position != self._positions[topic]:
                self._positions[topic] = position
                has_moved = True
        return has_moved


async def opened(bootstrap: str, prefix: str, partition: int, start: Mapping[str, int]) -> KafkaReader:
    """A reader of the topics in `start`, which must exist (a client waits for a missing one without a word).

    Args:
        prefix: of the topics' names in Kafka, with its dot.
    """
    consumer = AIOKafkaConsumer(
        bootstrap_servers=bootstrap,
        isolation_level="read_committed",
        enable_auto_commit=False,
        auto_offset_reset="none",
        fetch_max_wait_ms=POLL_MS,
        max_partition_fetch_bytes=FETCH_BYTES,
        request_timeout_ms=int(ANSWER_S * 1000),
    )
    topics = {TopicPartition(prefix + topic, partition): topic for topic in start}
    try:
        await within(ANSWER_S, consumer.start(), f"connecting to {bootstrap}")
    except BaseException:
        await close(consumer.stop())
        raise
    return KafkaReader(consumer, topics, dict(start))


@asynccontextmanager
async def reading(bootstrap: str, prefix: str, partition: int, start: Mapping[str, int]) -> AsyncIterator[KafkaReader]:
    """A reader that is closed at the end of the block."""
    reader = await opened(bootstrap, prefix, partition, start)
    try:
        yield reader
    finally:
        await reader.close()


async def up_to(reader: KafkaReader, topic: str, end: int, max_records: int = 5_000) -> AsyncIterator[Record]:
    """The records before an end, which must be a read-committed one.

    Raises:
        LogUnreachable: it comes no nearer for `SILENCE_S`.
    """
    patience = Patience()
    while reader.positions()[topic] < end:
        for record in await reader.poll(max_records):
            if record.topic == topic and record.offset < end:
                yield record
        patience.look(reader.positions())


def windows(start: int, end: int, size: int) -> Iterable[tuple[int, int]]:
    """The offsets [start, end) from the end backwards, in windows that double."""
    for width in (size << n for n in count()):
        if end <= start:
            return
        yield max(start, end - width), end
        end -= width


def _headers(sent: Iterable[tuple[str, bytes | None]]) -> tuple[tuple[str, bytes], ...]:
    # Kafka tells an absent value of a header from an empty one; CloudEvents and we do not.
    return tuple((name, value or b"") for name, value in sent)
