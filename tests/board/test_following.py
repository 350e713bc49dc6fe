"""Subscribers of all kinds on a log where nothing is ordered between topics, beside a cleaner, dying at any moment: whole updates only.

The same harness must catch subscribers that break a rule.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import pytest

from rerate.board.following import Following, Times
from rerate.board.keeping import Batch
from rerate.board.subscriber import Subscriber
from rerate.board.updates import Row, WholeUpdate
from rerate.log.seam import Out
from rerate.messages.facts import ROW_TOPICS
from tests.kit.rowwriter import RowWriter, head_of
from tests.kit.simlog import SimLog
from tests.kit.simloop import SimLoop, SimProcess
from tests.kit.simstore import SimDisk

SCHEDULES = 60
UPDATES = 60


class Torn(AssertionError):
    """Raised when a subscriber shows what never was."""


class World:
    """A writer, and a subscriber that dies and comes back."""

    def __init__(self, seed: int, topics: Sequence[str], *, kept: bool = True, crash_rate: float = 0.02) -> None:
        self.log = SimLog(
            seed,
            facts=("facts",),
            outcomes=ROW_TOPICS,
            compacted=ROW_TOPICS,
            lag_steps=(60, 150, 400)[seed % 3],
            retention_steps=4_000,
            clean_rate=(0.1, 0.5)[seed % 2],
        )
        self.loop = SimLoop(seed)
        self.writer = RowWriter(seed)
        self.disk = SimDisk(seed)
        self.topics, self.seed, self.kept, self.crash_rate = topics, seed, kept, crash_rate
        self.shown: dict[str, int] = {}
        self.flips = 0
        self.lives = 0

    def clock_ms(self) -> int:
        return 1_700_000_000_000 + self.log.steps

    def run(self) -> None:
        """Until the writer has ended and the subscriber shows all of it."""
        writing = self.loop.spawn(self._write(), name="writer")
        while not (writing.is_done and self.shown == self._newest()):
            self.lives += 1
            process = SimProcess(f"life {self.lives}", seed=self.seed, crash_rate=self.crash_rate if self.lives < 20 else 0)
            life = self.loop.spawn(self._live(process), process)
            self.loop.run_until(lambda life=life: life.is_done or (writing.is_done and self.shown == self._newest()), at_most=100_000)  # type: ignore[misc]
            if isinstance(life.error, Exception):
                raise life.error
            process.kill()
            if not self.kept:
                self.disk = SimDisk(self.seed)
        writing.result()

    def _newest(self) -> dict[str, int]:
        return {pool: max(number for at, number in self.writer.shown if at == pool) for pool, _ in self.writer.shown}

    async def _write(self) -> None:
        writer = await self.log.client().writer(0)
        for _ in range(UPDATES):
            await writer.commit(self.writer.transaction(), {})
            await self.loop.sleep(0.02)
        self.log.settle()

    async def _live(self, process: SimProcess) -> None:
        times = Times(clock_ms=self.clock_ms, compaction_lag_ms=self.log.lag_steps, delete_retention_ms=self.log.retention_steps)
        following = Following(self.log.client(process), self.topics, times, store=self.disk.open(process))
        await following.start()
        self._compare(following.subscriber)
        while True:
            updates = await following.step(max_records=20)
            self.flips += len(updates)
            if updates:
                self._compare(following.subscriber)
            await self.loop.sleep(0.001)

    def _compare(self, subscriber: Subscriber) -> None:
        for pool, head in subscriber.heads().items():
            if head.update < self.shown.get(pool, 0) and self.kept:
                raise Torn(f"{pool} shows update {head.update} after {self.shown[pool]}")
            self.shown[pool] = head.update
            expected = self.writer.shown[pool, head.update]
            for topic in self.topics:
                if subscriber.rows(pool, topic) != expected[topic]:
                    raise Torn(f"{topic} of {pool} is not what it was at update {head.update}")


def topics_of(seed: int) -> tuple[str, ...]:
    return (ROW_TOPICS, ROW_TOPICS[seed % 5 :][:1], ROW_TOPICS[:3], ROW_TOPICS[3:])[seed % 4]


@pytest.mark.parametrize("kept", [True, False], ids=["with a store", "in memory"])
def test_every_update_shown_is_whole(kept: bool) -> None:
    flips = lives = 0
    for seed in range(SCHEDULES):
        world = World(seed, topics_of(seed), kept=kept)
        world.run()
        flips, lives = flips + world.flips, lives + world.lives
    assert lives > 3 * SCHEDULES
    assert flips > 20 * SCHEDULES


class FlipsAtAnyHead(Subscriber):
    """Flips when the first topic has the head."""

    def flips(self) -> Iterator[WholeUpdate]:
        for name, pool in self._pools.items():
            while self._is_past_ends and (numbers := {s.head.update for q in pool.staged.values() for s in q if s.head} - {0}):
                number = min(numbers)
                closing = next(s for q in pool.staged.values() for s in q if s.head and s.head.update == number)
                assert closing.head is not None
                rows = {topic: self._apply_up_to(name, pool, topic, number, pool.shown, closing.head) for topic in self.topics}
                pool.shown, pool.shown_value = closing.head, closing.value
                if self.batch is not None:
                    self.batch.head(name, closing.value)
                yield WholeUpdate(pool=name, head=closing.head, value=closing.value, since=None, rows=rows)


class FlipsToTheFirstHead(Subscriber):
    """After a start shows the first head that all topics have, not the newest."""

    def moved(self, positions: Mapping[str, int]) -> None:
        super().moved(positions)
        for pool in self._pools.values():
            pool.floor = min((s.head.update for q in pool.staged.values() for s in q if s.head), default=0)


class IgnoresTheEnds(Subscriber):
    """Flips before it has read past the ends."""

    def start(self, ends: Mapping[str, int]) -> None:
        super().start(dict.fromkeys(ends, 0))


class _ForgetsStaged(Batch):
    def staged(self, topic: str, offset: int, row: Row) -> None:
        pass


class StoresPositionsWithoutStagedRows(Subscriber):
    def start(self, ends: Mapping[str, int]) -> None:
        super().start(ends)
        if self.batch is not None:
            self.batch.__class__ = _ForgetsStaged


class WritesEveryEditionAtOnce(Subscriber):
    """Writes rows of editions at once that a head has named already."""

    def _write_at_once(self, topic: str, row: Row) -> bool:
        if b"/" in row[0]:
            self._apply(topic, row)
        return b"/" in row[0]


BROKEN: Iterable[type[Subscriber]] = (
    FlipsAtAnyHead,
    FlipsToTheFirstHead,
    IgnoresTheEnds,
    StoresPositionsWithoutStagedRows,
    WritesEveryEditionAtOnce,
)


@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: broken.__name__)
def test_a_subscriber_that_breaks_a_rule_is_caught(broken: type[Subscriber], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rerate.board.following.Subscriber", broken)
    with pytest.raises(Torn):
        _run_many(8 * SCHEDULES)


def _run_many(schedules: int) -> None:
    for seed in range(schedules):
        World(seed, ("rating-deltas", "rating-snapshots"), kept=seed % 4 == 0).run()


def test_a_broken_chain_is_read_anew_while_the_old_ladder_stays() -> None:
    log = SimLog(0, facts=("facts",), outcomes=ROW_TOPICS, compacted=ROW_TOPICS, clean_rate=0)
    loop, disk = SimLoop(0), SimDisk(0)
    pool, topic = "club:rook", "person-ids"
    one, forged = head_of(pool, 1), head_of(pool, 2, previous=b"another")

    async def run() -> list[tuple[int, int | None, dict[bytes, bytes]]]:
        times = Times(clock_ms=lambda: 1_700_000_000_000 + log.steps)
        following = Following(log.client(), [topic], times, store=disk.open())
        seen = []
        await following.start()
        writer = await log.client().writer(0)
        for value, head in ((b"1", one), (b"2", forged)):
            await writer.commit(_update(topic, pool, value, head), {})
            log.settle()
            for _ in range(40):
                for update in await following.step():
                    seen.append((update.head.update, update.since, following.subscriber.rows(pool, topic)))
        return seen

    key = f"{pool}@1/x".encode()
    assert loop.run(run()) == [(1, None, {key: b"1"}), (2, None, {key: b"2"})]


def _update(topic: str, pool: str, value: bytes, head: bytes) -> list[Out]:
    return [Out(topic, f"{pool}@1/x".encode(), value), Out(topic, pool.encode(), head)]


def test_a_log_that_went_back_is_read_anew() -> None:
    loop, disk = SimLoop(0), SimDisk(0)
    pool, topic = "club:rook", "person-ids"

    async def run(log: SimLog, values: Sequence[bytes]) -> dict[bytes, bytes]:
        times = Times(clock_ms=lambda: 1_700_000_000_000 + log.steps)
        writer, head = await log.client().writer(0), None
        for number, value in enumerate(values, 1):
            head = head_of(pool, number, previous=head)
            await writer.commit(_update(topic, pool, value, head), {})
        log.settle()
        store = disk.open()
        following = Following(log.client(), [topic], times, store=store)
        await following.start()
        while not following.is_whole():
            await following.step()
        store.close()
        return following.subscriber.rows(pool, topic)

    def fresh() -> SimLog:
        return SimLog(0, facts=("facts",), outcomes=ROW_TOPICS, compacted=ROW_TOPICS, clean_rate=0)

    assert loop.run(run(fresh(), [b"1", b"2", b"3"])) == {f"{pool}@1/x".encode(): b"3"}
    assert loop.run(run(fresh(), [b"4"])) == {f"{pool}@1/x".encode(): b"4"}
