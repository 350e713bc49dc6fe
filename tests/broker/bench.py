"""Logs on a real Kafka for tests: fresh topics under a prefix of their own, whose compaction takes a second."""

import asyncio
import time
import uuid
from collections.abc import Mapping

from aiokafka import AIOKafkaProducer

from rerate.log.kafka import KafkaLog
from rerate.log.kafka_cluster import admin
from rerate.log.seam import Log, Record, Writer
from rerate.log.topics import Kind, ensure_topics, kinds
from tests.log.contract import COMPACTED, FACTS, OUTCOMES, Bench, P, read

LAG_MS = 2_000
RETENTION_MS = 500
SEGMENT_MS = 100
CLEANED_WITHIN_S = 15.0
QUICK: Mapping[Kind, Mapping[str, str]] = {
    "compacted": {
        "segment.ms": str(SEGMENT_MS),
        "min.cleanable.dirty.ratio": "0.001",
        "min.compaction.lag.ms": str(LAG_MS),
        "max.compaction.lag.ms": str(LAG_MS + 1),
        "delete.retention.ms": str(RETENTION_MS),
    }
}
"""So that a cleaner is seen at work."""


def fresh_prefix() -> str:
    return f"t{uuid.uuid4().hex[:12]}"


class KafkaBench(Bench):
    second_writer = "fences"
    lag_ms = LAG_MS
    retention_ms = RETENTION_MS

    def __init__(self, bootstrap: str, *, partitions: int = 1) -> None:
        self.bootstrap = bootstrap
        self.partitions = partitions
        self.prefix = fresh_prefix()
        self.opened: list[KafkaLog] = []

    async def create(self, overrides: Mapping[Kind, Mapping[str, str]]) -> None:
        topics = kinds(FACTS, OUTCOMES, COMPACTED)
        made = await ensure_topics(
            self.bootstrap, topics, prefix=self.prefix, partitions=self.partitions, replication=1, overrides=overrides
        )
        assert {one.state for one in made} == {"created"}

    async def open(self, prefix: str | None = None) -> Log:
        return self.kafka_log(prefix)

    def kafka_log(self, prefix: str | None = None) -> KafkaLog:
        log = KafkaLog(self.bootstrap, prefix=prefix or self.prefix, facts=FACTS, outcomes=OUTCOMES, compacted=COMPACTED)
        self.opened.append(log)
        return log

    async def open_missing(self) -> Log:
        return await self.open(fresh_prefix())

    async def pass_time(self, ms: int) -> None:
        await asyncio.sleep(ms / 1000)

    async def clean(self, writer: Writer) -> None:
        """A cleaner takes closed segments only, and a segment is closed by a write: of an aborted transaction, so that nobody sees it."""
        log = self.kafka_log()
        give_up_at = time.monotonic() + CLEANED_WITHIN_S
        began = round(time.time() * 1000)
        await asyncio.sleep(SEGMENT_MS / 1000)
        await self.write_aborted(COMPACTED)
        await asyncio.sleep(0.3)
        while any([must_go(await read(log, [topic]), began) for topic in COMPACTED]):
            assert time.monotonic() < give_up_at, f"not cleaned after {CLEANED_WITHIN_S} s"
            await asyncio.sleep(0.05)

    async def write_aborted(self, topics: tuple[str, ...], rows: int = 1) -> None:
        producer = AIOKafkaProducer(bootstrap_servers=self.bootstrap, transactional_id=f"{self.prefix}-aborting")
        await producer.start()
        await producer.begin_transaction()
        for topic in topics:
            for row in range(rows):
                await producer.send(f"{self.prefix}.{topic}", b"aborted", b"%d" % row, partition=P)
        await producer.flush()
        await producer.abort_transaction()
        await producer.stop()
        log = self.kafka_log()
        while 0 in (await log.ends(P, topics)).values():  # its marks are written a little later
            await asyncio.sleep(0.01)

    async def close(self) -> None:
        await asyncio.gather(*(log.close() for log in self.opened))
        async with admin(self.bootstrap) as client:
            await client.delete_topics([f"{self.prefix}.{topic}" for topic in FACTS + OUTCOMES])


def must_go(records: list[Record], now_ms: int) -> list[Record]:
    """The records of a compacted topic that a cleaner takes: what an old enough one superseded, and tombstones out of time."""
    old_enough = [record for record in records if record.append_time_ms <= now_ms - LAG_MS]
    newest = {record.key: record.offset for record in old_enough}
    superseded = [record for record in old_enough if newest[record.key] != record.offset]
    out_of_time = now_ms - LAG_MS - RETENTION_MS - 200
    tombstones = [
        record for record in old_enough if record.value is None and record.append_time_ms < out_of_time and record not in superseded
    ]
    return superseded + tombstones
