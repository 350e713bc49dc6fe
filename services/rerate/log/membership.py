"""Which partitions a worker owns: a member of the consumer group that consumes nothing.

The group only shares out the partitions; facts are read by each partition's own reader from its own position, and the transactional writer
is what keeps two owners apart. So the group subscribes to one topic: a partition's number stands for that partition of all topics, whose
counts are equal, and an assignment cannot tear them apart.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable

from aiokafka import AIOKafkaConsumer, ConsumerRebalanceListener
from aiokafka.coordinator.assignors.range import RangePartitionAssignor
from aiokafka.structs import TopicPartition

from rerate.log.errors import LogUnreachable

_logger = logging.getLogger(__name__)

Told = Callable[[frozenset[int]], Awaitable[None]]


class Membership:
    """A member of the group."""

    def __init__(
        self,
        bootstrap: str,
        *,
        group: str,
        topic: str,
        slot: str | None,
        on_assigned: Told,
        on_revoked: Told,
        on_failure: Callable[[str], None],
        session_timeout_ms: int = 30_000,
        rebalance_timeout_ms: int = 60_000,
    ) -> None:
        """Nothing is joined yet.

        Args:
            topic: the topic whose partitions are shared out.
            slot: static id of this member; a restart within the session then moves nothing.
            on_assigned: told all partitions owned from now on; must take milliseconds.
            on_revoked: told what is taken away; nothing of it may be running when it returns.
            on_failure: told when membership is lost or one of the above raised; the process has to end.
        """
        self._topic, self._on_failure = topic, on_failure
        self._consumer = AIOKafkaConsumer(
            bootstrap_servers=bootstrap,
            group_id=group,
            group_instance_id=slot,
            enable_auto_commit=False,
            auto_offset_reset="none",
            isolation_level="read_committed",
            partition_assignment_strategy=[RangePartitionAssignor],
            session_timeout_ms=session_timeout_ms,
            heartbeat_interval_ms=max(session_timeout_ms // 10, 100),
            rebalance_timeout_ms=rebalance_timeout_ms,
            max_poll_interval_ms=600_000,
        )
        self._listener = _Listener(self._consumer, on_assigned, on_revoked, on_failure)

    async def start(self) -> None:
        """Join.

        Raises:
            LogUnreachable: no broker within 10 s.
        """
        try:
            await asyncio.wait_for(self._consumer.start(), 10)
        except Exception as error:
            await self._consumer.stop()
            raise LogUnreachable(f"no broker answers ({error}); start Kafka or name another address") from error
        self._consumer.subscribe([self._topic], listener=self._listener)

    async def serve(self) -> None:
        """Stay a member until cancelled. Polls, as a member must, and gets nothing: every partition is paused."""
        while True:
            await self._consumer.getmany(timeout_ms=200, max_records=1)

    async def stop(self) -> None:
        """Leave the group."""
        await self._consumer.stop()


class _Listener(ConsumerRebalanceListener):  # type: ignore[misc]  # aiokafka has no types
    """Exceptions out of these callbacks would be logged and swallowed: all are caught, and the process told to end."""

    def __init__(self, consumer: AIOKafkaConsumer, on_assigned: Told, on_revoked: Told, on_failure: Callable[[str], None]) -> None:
        self._consumer, self._on_assigned, self._on_revoked, self._on_failure = consumer, on_assigned, on_revoked, on_failure

    async def on_partitions_revoked(self, revoked: Iterable[TopicPartition]) -> None:
        await self._told(self._on_revoked, revoked)

    async def on_partitions_assigned(self, assigned: Iterable[TopicPartition]) -> None:
        assigned = list(assigned)
        self._consumer.pause(*assigned)
        for partition in assigned:
            self._consumer.seek(partition, 0)  # a paused partition with a position is never fetched, nor looked up
        await self._told(self._on_assigned, assigned)

    async def _told(self, told: Told, partitions: Iterable[TopicPartition]) -> None:
        try:
            await told(frozenset(partition.partition for partition in partitions))
        except Exception as error:
            _logger.exception("rebalance failed")
            self._on_failure(f"a rebalance failed: {error}")
