"""Asks the log for what stands now: rows of a pool under one head, heads, receipts. The part of the views that waits.

What is read from several topics belongs together if each of them says the same head before and after. Where a rater publishes faster than
that, a subscriber reads the topics whole instead.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from typing import TypeVar

import msgspec

from rerate.board.following import Following, Times, whole_updates
from rerate.log.errors import LogMissing
from rerate.log.patience import Patience
from rerate.log.seam import Log, Record
from rerate.messages.facts import FACT_TOPICS
from rerate.messages.partition import partition_of
from rerate.pool.chain import NoSuchPool
from rerate.pool.head import Head, read_head

T = TypeVar("T")

Rows = list[tuple[bytes, bytes]]
"""Key and value, by key."""

Fetch = Callable[[str, str], Awaitable[Rows]]
"""The rows of a topic whose keys start with a text; all that one reading fetches belongs to one head."""

TRIES = 5
POLL_RECORDS = 5_000


class _Progress(msgspec.Struct):
    """As much of a partition head as is needed here."""

    next: dict[str, int]


_decode_progress = msgspec.json.Decoder(_Progress).decode


def wall_clock_ms() -> int:
    return time.time_ns() // 1_000_000


class Lookup:
    """Reads a log's outcomes."""

    def __init__(self, log: Log) -> None:
        self.log = log

    def partition(self, pool: str) -> int:
        return partition_of(pool, self.log.partitions)

    async def heads(self) -> dict[str, Head]:
        """The newest head of every pool, by id."""
        return {pool: read_head(value) for pool, value in (await self.head_values()).items()}

    async def head_values(self) -> dict[str, bytes]:
        """The bytes of the newest head of every pool, by id."""
        found: dict[str, bytes] = {}
        for partition in range(self.log.partitions):
            for record in await self.log.newest_with_prefix(partition, "rating-heads", b""):
                if record.key is not None and record.value is not None:
                    found[record.key.decode()] = record.value
        return dict(sorted(found.items()))

    async def head(self, pool: str) -> Head:
        """The newest head of a pool.

        Raises:
            NoSuchPool: it has none.
        """
        record = await self.log.newest(self.partition(pool), "rating-heads", pool.encode())
        if record is None or record.value is None:
            raise NoSuchPool(pool, await self.heads())
        return read_head(record.value)

    async def reading(self, pool: str, topics: Iterable[str], read: Callable[[Head, Fetch], Awaitable[T]]) -> T:
        """What `read` makes of a pool's rows; all it fetches is of the head it is given.

        Args:
            topics: the row topics it will fetch from.

        Raises:
            NoSuchPool: it has no head.
        """
        await self.head(pool)
        chosen, partition = tuple(topics), self.partition(pool)

        async def fetch(topic: str, prefix: str) -> Rows:
            records = await self.log.newest_with_prefix(partition, topic, prefix.encode())
            return [(record.key, record.value) for record in records if record.key is not None and record.value is not None]

        for _ in range(TRIES):
            before = await self._closing_heads(pool, chosen)
            if len(before) != 1 or None in before:
                continue
            (value,) = before
            assert value is not None
            found = await read(read_head(value), fetch)
            if await self._closing_heads(pool, chosen) == before:
                return found
        return await self._reading_whole(pool, chosen, read)

    async def records(self, partition: int, topic: str) -> AsyncIterator[Record]:
        """All records of a topic, up to its end as it is now.

        Raises:
            LogUnreachable: the log does not answer any more.
        """
        (end,) = (await self.log.ends(partition, [topic])).values()
        reader, patience = await self.log.reader(partition, await self.log.starts(partition, [topic])), Patience()
        try:
            while reader.positions()[topic] < end:
                for record in await reader.poll(POLL_RECORDS):
                    if record.offset < end:
                        yield record
                patience.look(reader.positions())
        finally:
            await reader.close()

    async def progress(self) -> dict[int, Mapping[str, int]]:
        """Partition -> next offset of each fact topic that the rater has come to; a partition never rated is left out."""
        found: dict[int, Mapping[str, int]] = {}
        for partition in range(self.log.partitions):
            record = await self.log.newest(partition, "rater-progress", str(partition).encode())
            if record is not None and record.value is not None:
                found[partition] = _decode_progress(record.value).next
        return found

    async def fact_ends(self, partition: int) -> dict[str, int]:
        """The ends of the fact topics; zeros where nothing has been published."""
        try:
            return await self.log.ends(partition, FACT_TOPICS)
        except LogMissing:
            return dict.fromkeys(FACT_TOPICS, 0)

    async def _closing_heads(self, pool: str, topics: Iterable[str]) -> set[bytes | None]:
        found: set[bytes | None] = set()
        for topic in topics:
            record = await self.log.newest(self.partition(pool), topic, pool.encode())
            found.add(None if record is None else record.value)
        return found

    async def _reading_whole(self, pool: str, topics: tuple[str, ...], read: Callable[[Head, Fetch], Awaitable[T]]) -> T:
        following = Following(self.log, topics, Times(clock_ms=wall_clock_ms), partition=self.partition(pool))
        try:
            await following.start()
            async for _ in whole_updates(following, asyncio.sleep):
                pass
        finally:
            await following.close()
        subscriber = following.subscriber
        head = subscriber.heads().get(pool)
        if head is None:
            raise NoSuchPool(pool, subscriber.heads())

        async def fetch(topic: str, prefix: str) -> Rows:
            start = prefix.encode()
            return [(key, value) for key, value in subscriber.rows(pool, topic).items() if key.startswith(start)]

        return await read(head, fetch)
