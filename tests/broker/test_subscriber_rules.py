"""The rule for subscribers on a real Kafka: whoever breaks a part of it is caught, beside a running cleaner, where the reference is whole.

A writer of rows commits updates of 40 rows and of 10,000 all the while. A subscriber lives again and again, with a store or from scratch,
and reads the topics unevenly: for a while one of them only, so that they run far apart. Every sixth update takes longer to write than a
segment lasts, so that what the cleaner has been over ends in the midst of an update.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from pathlib import Path
from random import Random
from typing import Any

import pytest
from aiokafka import AIOKafkaProducer

from rerate.board.following import Following, Times
from rerate.board.lookup import wall_clock_ms
from rerate.board.subscriber import Subscriber
from rerate.board.updates import WholeUpdate
from rerate.log.kafka import KafkaLog
from rerate.log.kafka_writer import send
from rerate.log.seam import Out, Reader, Record
from rerate.log.store import RocksStore
from rerate.log.topics import Kind
from rerate.messages.facts import ROW_TOPICS
from tests.board.test_following import BROKEN, Torn
from tests.broker.raters import Place, until
from tests.broker.test_subscribers_on_kafka import CLEANED, LAG_MS
from tests.kit.laws import SEED
from tests.kit.rowwriter import RowWriter

pytestmark = pytest.mark.broker

P = 0
FEW, MANY = 40, 10_000
LONGER_THAN_A_SEGMENT_S = 0.55
CAUGHT_WITHIN_S = 240.0
"""Whether a life meets a boundary of the cleaner's is chance, so a subscriber that breaks a rule lives on until it is caught."""
DEPARTED = [f"departed{number}" for number in range(20)]
RETENTION_MS = 4_000
SETTINGS: Mapping[Kind, Mapping[str, str]] = {"compacted": CLEANED["compacted"] | {"delete.retention.ms": str(RETENTION_MS)}}
KNOWN = Times(clock_ms=wall_clock_ms, compaction_lag_ms=LAG_MS, delete_retention_ms=RETENTION_MS)
FORGETFUL = Times(clock_ms=wall_clock_ms, compaction_lag_ms=LAG_MS)
"""Those of one that believes in the usual retention."""


class Updates(RowWriter):
    """One pool of 12,500 keys."""

    def __init__(self) -> None:
        super().__init__(f"{SEED} rules on Kafka", pools=1)  # type: ignore[arg-type]
        (self.pool,) = self.pools

    def update(self, rows: int, *, names: Sequence[str] = (), is_end: bool = False) -> list[Out]:
        """An update of so many rows, shared out among the topics; of these names if there are any."""
        records = []
        standing = self._rows[self.pool]
        for topic in ROW_TOPICS:
            for name in names or self.rng.sample(range(MANY // 4), rows // len(ROW_TOPICS)):
                key = self._key(topic, self.pool, 1, str(name))
                if is_end or (key in standing[topic] and self.rng.random() < 0.2):
                    standing[topic].pop(key, None)
                    records.append(Out(topic, key, None))
                else:
                    records.append(Out(topic, key, self._value(standing, topic, key)))
        return records + self._close(self.pool)


class Unevenly:
    """A log whose readers read one topic only for a while, then another."""

    def __init__(self, log: KafkaLog, random: Random) -> None:
        self._log, self._random = log, random

    def __getattr__(self, name: str) -> Any:
        return getattr(self._log, name)

    async def reader(self, partition: int, start: Mapping[str, int]) -> "UnevenReader":
        return UnevenReader({topic: await self._log.reader(partition, {topic: at}) for topic, at in start.items()}, self._random)


class UnevenReader:
    def __init__(self, readers: Mapping[str, Reader], random: Random) -> None:
        self._readers, self._random = readers, random
        self._left = 0
        self._reader: Reader

    async def poll(self, max_records: int) -> list[Record]:
        if not self._left:
            self._reader, self._left = self._random.choice(list(self._readers.values())), self._random.randint(1, 3)
        self._left -= 1
        return await self._reader.poll(max_records)

    def positions(self) -> dict[str, int]:
        return {topic: at for reader in self._readers.values() for topic, at in reader.positions().items()}

    async def close(self) -> None:
        await asyncio.gather(*(reader.close() for reader in self._readers.values()))


class Rows:
    """The log, its writer, and the subscribers on it."""

    def __init__(self, place: Place) -> None:
        self.place, self.random = place, Random(f"{SEED} uneven")
        self.written = Updates()
        self.newest = 0
        self._asked: list[list[Out]] = []

    async def write(self) -> None:
        """Until cancelled."""
        prefix = self.place.prefix
        producer = AIOKafkaProducer(bootstrap_servers=self.place.bootstrap, transactional_id=f"{prefix}-rows", max_batch_size=256 << 10)
        await producer.start()
        try:
            await self._commit(producer, self.written.update(MANY))
            await self._commit(producer, self.written.update(0, names=DEPARTED))
            while True:
                for number in range(6):
                    rows = MANY if self.newest % 12 == 0 else FEW
                    records = self._asked.pop() if self._asked else self.written.update(rows)
                    await self._commit(producer, records, is_slow=number == 0)
        finally:
            await producer.stop()

    async def _commit(self, producer: Any, records: list[Out], *, is_slow: bool = False) -> None:
        by_topic = {topic: [record for record in records if record.topic == topic] for topic in ROW_TOPICS}
        await producer.begin_transaction()
        for half in (0, 1):
            halves = {topic: mine[: len(mine) // 2] if half == 0 else mine[len(mine) // 2 :] for topic, mine in by_topic.items()}
            await asyncio.gather(*(send(producer, f"{self.place.prefix}.{topic}", P, mine) for topic, mine in halves.items()))
            if half == 0 and is_slow:
                await asyncio.sleep(LONGER_THAN_A_SEGMENT_S)
        await producer.commit_transaction()
        self.newest += 1

    async def depart(self) -> None:
        """Have some rows deleted, and wait until they are."""
        self._asked.append(self.written.update(0, names=DEPARTED, is_end=True))
        await until(lambda: not self._asked, "nothing is deleted")

    async def is_forgotten(self) -> bool:
        """Whether nothing is left that says so."""
        left = await self.place.everything(P, ["rating-deltas", "rating-snapshots"])
        return not any(record.key is not None and b"/departed" in record.key for record in left)

    @asynccontextmanager
    async def following(self, topics: Sequence[str], times: Times, home: Path | None = None) -> AsyncIterator[Following]:
        log = self.place.new_log()
        store = None if home is None else RocksStore(home)
        following = Following(Unevenly(log, self.random), topics, times, partition=P, store=store)  # type: ignore[arg-type]
        await following.start()
        try:
            self.compare(following.subscriber)
            yield following
        finally:
            await following.close()
            await log.close()
            if store is not None:
                store.close()

    async def live(self, topics: Sequence[str], home: Path, *, lives: int) -> int:
        """How often a subscriber has moved on in so many lives: three with a store, the second of them killed in the midst of reading, and
        one from scratch. Torn is raised if it was ever torn."""
        moved = 0
        for life in range(lives):
            polls = self.random.randint(2, 8) if life % 4 == 1 else 1_000
            async with self.following(topics, KNOWN, None if life % 4 == 3 else home) as following:
                moves = 0
                while polls and moves < 2:
                    polls -= 1
                    if await following.step(self.random.choice((50, 2_000, 10_000))):
                        moves += 1
                        self.compare(following.subscriber)
            moved += moves
        return moved

    async def live_on(self, topics: Sequence[str], home: Path) -> None:
        """Live until Torn is raised."""
        while True:
            await self.live(topics, home, lives=4)

    async def until_whole(self, following: Following) -> None:
        while not following.is_whole():
            if await following.step():
                self.compare(following.subscriber)

    def watched(self, *given: Any, **named: Any) -> Subscriber:
        """A subscriber that is looked at after each flip."""
        subscriber = KIND.get()(*given, **named)
        flips = subscriber.flips

        def looked_at() -> Iterator[WholeUpdate]:
            for update in flips():
                self.compare(subscriber)
                yield update

        subscriber.flips = looked_at  # type: ignore[method-assign]
        return subscriber

    def compare(self, subscriber: Subscriber) -> None:
        """There is one edition, so what is shown is all that the view has; and to look there takes no time."""
        for pool, head in subscriber.heads().items():
            expected = self.written.shown[pool, head.update]
            for topic in subscriber.topics:
                if subscriber.view._rows.get((topic, pool), {}) != expected[topic]:
                    raise Torn(f"{topic} is not what it was at update {head.update}")


KIND: ContextVar[type[Subscriber]] = ContextVar("KIND", default=Subscriber)
"""Which subscriber a task follows with."""


async def test_who_breaks_a_rule_is_caught_where_the_reference_is_whole(
    bootstrap: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    two = ["rating-deltas", "rating-snapshots"]
    async with Place(bootstrap, tmp_path, overrides=SETTINGS) as place:
        rows = Rows(place)
        monkeypatch.setattr("rerate.board.following.Subscriber", rows.watched)
        writing = asyncio.create_task(rows.write())
        await until(lambda: rows.newest > 2, "nothing is written")
        for name, times in (("away", KNOWN), ("forgetful", FORGETFUL)):
            async with rows.following(two, times, tmp_path / name) as following:
                await rows.until_whole(following)
        await rows.depart()

        async def is_whole(name: str, topics: Sequence[str]) -> None:
            moves = await rows.live(topics, tmp_path / name, lives=4)
            print(f"{name}: moved on {moves} times, never torn; {rows.newest} updates are there")
            assert moves >= 6

        async def is_caught(broken: type[Subscriber]) -> None:
            KIND.set(broken)
            with pytest.raises(Torn) as torn:
                await asyncio.wait_for(rows.live_on(two, tmp_path / broken.__name__), CAUGHT_WITHIN_S)
            print(f"{broken.__name__} is caught: {torn.value}; {rows.newest} are there")

        kinds = (("one", ["fact-standings"]), ("two", two), ("all", ROW_TOPICS))
        await asyncio.gather(*(is_whole(*kind) for kind in kinds), *map(is_caught, BROKEN))

        # Away for longer than what was deleted is remembered.
        await until(rows.is_forgotten, "the tombstones stay")
        assert not writing.done(), writing
        async with rows.following(two, KNOWN, tmp_path / "away") as following:
            await rows.until_whole(following)
        with pytest.raises(Torn):
            async with rows.following(two, FORGETFUL, tmp_path / "forgetful") as following:
                await rows.until_whole(following)
        writing.cancel()
        await asyncio.gather(writing, return_exceptions=True)
