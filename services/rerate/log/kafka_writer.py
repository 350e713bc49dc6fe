"""The writer of outcomes of one partition on Kafka: one transactional producer, whose id is the fence."""

import asyncio
import logging
import time
from collections.abc import Mapping, Sequence
from typing import Any

import aiokafka.producer.sender
from aiokafka import AIOKafkaProducer, TopicPartition
from aiokafka.errors import KafkaError
from aiokafka.protocol.offset import OffsetRequest

from .errors import LogError, LogMissing, LogUnreachable
from .kafka_border import ANSWER_S, TAKEOVER_S, close, stopped, within
from .kafka_cluster import admin, group_offsets
from .limits import OUTCOME_LIMIT, refuse_too_large
from .seam import Out

TRANSACTION_MS = 30_000
"""How long the transaction of a writer that nobody replaces may hold up readers; longer than the death of a broker takes (13.5 s)."""
COMMIT_S = 40.0
"""For a whole transaction."""
BATCH_BYTES = 256 << 10
MARKS_S = 2.0
"""How long the marks of a transaction that has ended may take."""
RETRY_S = 0.05
READ_UNCOMMITTED, READ_COMMITTED = 0, 1
NEWEST_OFFSET = NO_REPLICA = -1
FRAME_BYTES = 64 << 10
"""What Kafka puts around a record and its headers, at most."""

_logger = logging.getLogger(__name__)

# A transaction that begins before the marks of the last one are written is turned away and tries again after 20 ms; they take 2 to 4.
aiokafka.producer.sender.BACKOFF_OVERRIDE = 0.005


class KafkaWriter:
    """The seam's `Writer`. Whatever a commit raises, but for a refusal before it began, it is finished by it."""

    def __init__(
        self,
        producer: Any,
        *,
        group: str,
        prefix: str,
        partition: int,
        facts: frozenset[str],
        outcomes: frozenset[str],
        compacted: frozenset[str],
    ) -> None:
        """To be had from `opened`."""
        self._producer = producer
        self._group, self._prefix, self._partition = group, prefix, partition
        self._facts, self._outcomes, self._compacted = facts, outcomes, compacted
        self._committed: dict[str, int] = {}
        self._end = ""
        self.is_closed = False

    def committed(self) -> dict[str, int] | None:
        return dict(self._committed) or None

    async def commit(self, records: Sequence[Out], consumed: Mapping[str, int]) -> None:
        """See the seam.

        Raises:
            LogUnreachable: also if the transaction has not ended after `COMMIT_S`.
        """
        if self._end:
            raise LogUnreachable(f"this writer of partition {self._partition} is finished: {self._end}")
        by_topic = self._checked(records)
        for topic in consumed:
            if topic not in self._facts:
                raise LogMissing(f"there is no fact topic {topic}")
        moved = {topic: offset for topic, offset in consumed.items() if self._committed.get(topic) != offset}
        if not records and not moved:
            return
        try:
            await within(COMMIT_S, self._transact(by_topic, moved), f"committing to partition {self._partition}")
        except BaseException as error:
            self._end = str(error) or type(error).__name__
            self._hush()
            raise
        self._committed.update(moved)

    async def close(self) -> None:
        """A transaction that is open stays so until the next writer opens, or its time is over."""
        self._end = self._end or "it was closed"
        self.is_closed = True
        await close(stopped(self._producer))

    def _checked(self, records: Sequence[Out]) -> dict[str, list[Out]]:
        by_topic: dict[str, list[Out]] = {}
        for record in records:
            if record.topic not in self._outcomes:
                raise LogMissing(f"there is no outcome topic {record.topic}")
            if record.key is None and record.topic in self._compacted:
                raise LogError(f"a record of the compacted topic {record.topic} needs a key")
            refuse_too_large(record, OUTCOME_LIMIT)
            by_topic.setdefault(record.topic, []).append(record)
        return by_topic

    async def _transact(self, by_topic: Mapping[str, Sequence[Out]], moved: Mapping[str, int]) -> None:
        await self._producer.begin_transaction()
        # aiokafka would commit although a batch has failed: every answer is awaited before the offsets and the commit.
        sent = [send(self._producer, self._prefix + topic, self._partition, records) for topic, records in by_topic.items()]
        answered(await asyncio.gather(*sent, return_exceptions=True))
        if moved:
            offsets = {TopicPartition(self._prefix + topic, self._partition): offset for topic, offset in moved.items()}
            await self._producer.send_offsets_to_transaction(offsets, self._group)
        await self._producer.commit_transaction()

    async def _end_left_open(self) -> None:
        """See to it that nothing is open in any outcome topic.

        Whoever becomes the writer has the transaction of the one before aborted by the coordinator. But where a partition has no leader
        just then (brokers coming back), Kafka 4 takes it for deleted and leaves out its mark; and what lies there would be seen as a part
        of this writer's first transaction.
        """
        waited = 0.0
        while still_open := await self._still_open():
            if waited > MARKS_S:
                _logger.warning("partition %d: aborting what Kafka has left open in %s", self._partition, ", ".join(still_open))
                await self._producer.begin_transaction()
                await asyncio.gather(
                    *[await self._producer.send(topic, b"", key=b"aborted", partition=self._partition) for topic in still_open]
                )
                await self._producer.abort_transaction()
                waited = 0.0
            await asyncio.sleep(RETRY_S)
            waited += RETRY_S

    async def _still_open(self) -> list[str]:
        """The topics in Kafka where something is neither committed nor aborted."""
        written = await self._latest(READ_UNCOMMITTED)  # asked first: what is stable only grows
        stable = await self._latest(READ_COMMITTED)
        return sorted(topic for topic, offset in written.items() if stable[topic] < offset)

    async def _latest(self, isolation: int) -> dict[str, int]:
        """Where each outcome topic ends, as a reader of this isolation sees it; asked until all have answered."""
        client = self._producer.client
        while len(found := await self._latest_known(isolation)) < len(self._outcomes):
            await client.force_metadata_update()
            await asyncio.sleep(RETRY_S)
        return found

    async def _latest_known(self, isolation: int) -> dict[str, int]:
        client = self._producer.client
        by_leader: dict[int, list[str]] = {}
        for topic in sorted(self._outcomes):
            leader = client.cluster.leader_for_partition(TopicPartition(self._prefix + topic, self._partition))
            by_leader.setdefault(leader, []).append(self._prefix + topic)
        found = {}
        for leader, topics in by_leader.items():
            asked = [(topic, [(self._partition, NEWEST_OFFSET)]) for topic in topics]
            try:
                answer = await client.send(leader, OffsetRequest(NO_REPLICA, isolation, asked))
            except KafkaError:
                continue
            for topic, ((_, code, _, offset, *_),) in answer.topics:
                if code == 0:
                    found[topic] = offset
        return found

    def _hush(self) -> None:
        """Look at what aiokafka has failed with us, or asyncio reports each of it as forgotten."""
        batches = self._producer._message_accumulator._batches.values()
        waiters = [self._producer._txn_manager._transaction_waiter, *(one._drain_waiter for queued in batches for one in queued)]
        for waiter in waiters:
            if waiter is not None and waiter.done() and not waiter.cancelled():
                waiter.exception()

    async def start(self, bootstrap: str) -> None:
        """Fence the writer before, abort what it has left open, and only then look at what is committed.

        Raises:
            LogUnreachable: no answer, also if what is open does not end.
        """
        await within(TAKEOVER_S, self._producer.start(), f"becoming the writer of partition {self._partition}")
        known = (self._producer.partitions_for(self._prefix + topic) for topic in self._outcomes)
        await within(ANSWER_S, gathered(known), "looking up the outcome topics")
        await within(TAKEOVER_S, self._end_left_open(), f"ending what is open in partition {self._partition}")
        async with admin(bootstrap) as client:
            topics = {TopicPartition(self._prefix + topic, self._partition): topic for topic in sorted(self._facts)}
            offsets = await group_offsets(client, self._group, list(topics))
        self._committed = {topic: offsets[tp] for tp, topic in topics.items() if tp in offsets}


async def opened(
    bootstrap: str, *, group: str, prefix: str, partition: int, facts: frozenset[str], outcomes: frozenset[str], compacted: frozenset[str]
) -> KafkaWriter:
    """The writer of a partition, started.

    Args:
        prefix: of the topics' names in Kafka, with its dot.
    """
    producer = AIOKafkaProducer(
        bootstrap_servers=bootstrap,
        # Nothing else may be in it: whoever opens the same partition for the same group must fence this one.
        transactional_id=f"{group}-{partition}",
        transaction_timeout_ms=TRANSACTION_MS,
        max_batch_size=BATCH_BYTES,
        max_request_size=OUTCOME_LIMIT + FRAME_BYTES,
        request_timeout_ms=int(ANSWER_S * 1000),
    )
    writer = KafkaWriter(producer, group=group, prefix=prefix, partition=partition, facts=facts, outcomes=outcomes, compacted=compacted)
    try:
        await writer.start(bootstrap)
    except BaseException:
        await writer.close()
        raise
    return writer


async def send(producer: Any, topic: str, partition: int, records: Sequence[Out]) -> list[int]:
    """Send records to one partition in their order, in batches built by hand (three to six times as fast as one by one).

    Returns:
        The offset of each.
    """
    now_ms = time.time_ns() // 1_000_000
    answers: list[Any] = []
    counts: list[int] = []
    batch = producer.create_batch()

    async def ship() -> None:
        counts.append(batch.record_count())
        answers.append(await producer.send_batch(batch, topic, partition=partition))

    try:
        for record in records:
            if _put(batch, record, now_ms) is None:
                await ship()
                batch = producer.create_batch()
                _put(batch, record, now_ms)
        await ship()
    finally:
        placed = await asyncio.gather(*answers, return_exceptions=True)
    return [one.offset + n for one, count in zip(answered(placed), counts, strict=True) for n in range(count)]


def answered(results: list[Any]) -> list[Any]:
    """Gathered results, if none is an error; else the first error is raised."""
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results


async def gathered(work: Any) -> None:
    await asyncio.gather(*work)


def _put(batch: Any, record: Out, now_ms: int) -> object | None:
    return batch.append(timestamp=now_ms, key=record.key, value=record.value, headers=list(record.headers))  # type: ignore[no-any-return]
