"""The embedded log: the contract of the log without a broker, one partition, in two RocksDB databases of a directory.

`DIR/facts` is the truth: whoever publishes opens it, appends, syncs, closes. `DIR/outcomes` stays open for writing as long as its writer
lives: the lock is the fence, one synced write batch is the transaction. All others read beside them, in this process and in others.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

from rocksdict import Options, Rdict, RdictIter

from . import compaction, frames, rocks
from .compaction import DAY_MS, Placed, Retention
from .embedded_reader import EmbeddedReader, newest_of, newest_under
from .errors import LogError, LogInconsistent, LogMissing, LogUnreachable
from .limits import FACT_LIMIT, OUTCOME_LIMIT, refuse_too_large
from .seam import Out, Record

PARTITIONS = 1
SWEEP_EVERY_MS = 60 * 60 * 1000
SWEEP_AT_MOST = 50_000
"""Records removed at one opening or commit; what is left waits for the next."""
LOCK_RETRY_S = 0.01
SETTLE_WAIT_S = 30.0


def wall_clock_ms() -> int:
    return time.time_ns() // 1_000_000


def _facts_options() -> Options:
    return rocks.options(opened_often=True)


class EmbeddedLog:
    """A log in a directory; the seam's `Log`."""

    def __init__(
        self,
        directory: Path,
        *,
        facts: Iterable[str],
        outcomes: Iterable[str],
        compacted: Iterable[str],
        clock_ms: Callable[[], int] = wall_clock_ms,
        lock_wait_s: float = 10.0,
        min_compaction_lag_ms: int = DAY_MS,
        delete_retention_ms: int = 7 * DAY_MS,
    ) -> None:
        """Nothing is opened or created yet.

        Args:
            directory: holds `facts` and `outcomes`; made by the first append or writer.
            facts, outcomes: names of topics, without a prefix.
            compacted: those of `outcomes` that keep the newest record of each key only.
            clock_ms: milliseconds since 1970 UTC, for append times and compaction.
            lock_wait_s: how long to wait for another who writes, and for a follower that shows an older moment than it should.
            min_compaction_lag_ms: how long a superseded record stays.
            delete_retention_ms: how long a tombstone stays.
        """
        self.partitions = PARTITIONS
        self.facts_path = directory / "facts"
        self.outcomes_path = directory / "outcomes"
        self.facts = frozenset(facts)
        self.outcomes = frozenset(outcomes)
        self.compacted = frozenset(compacted)
        self.kept = Retention(min_compaction_lag_ms=min_compaction_lag_ms, delete_retention_ms=delete_retention_ms)
        self.clock_ms = clock_ms
        self.lock_wait_s = lock_wait_s
        self._shown: dict[Path, Mapping[str, int]] = {}
        """Next offsets of each database's topics as last shown."""
        self._followers = {
            self.facts_path: rocks.Follower(self.facts_path, _facts_options),
            self.outcomes_path: rocks.Follower(self.outcomes_path, rocks.options),
        }

    async def create(self) -> None:
        """Make what is missing; leave what is there as it is."""
        for path in self._followers:
            if not rocks.exists(path):
                async with self._written(path):
                    pass

    async def append(self, partition: int, records: Sequence[Out]) -> list[int]:
        """See the seam; opens and closes the facts, so hand over many records at once.

        Raises:
            RecordTooLarge, LogMissing: nothing was written.
            LogUnreachable: another has been writing for too long, or the disk does not take it.
        """
        self._check_partition(partition)
        for record in records:
            if record.topic not in self.facts:
                raise LogMissing(f"there is no fact topic {record.topic}")
            refuse_too_large(record, FACT_LIMIT)
        await self.create()
        if not records:
            return []
        async with self._written(self.facts_path) as db:
            state = frames.get_state(db.get(frames.STATE))
            state.time_ms = max(self.clock_ms(), state.time_ms)
            batch = rocks.batch()
            offsets = [_place(state, record.topic) for record in records]
            for record, offset in zip(records, offsets, strict=True):
                batch.put(frames.records_of(record.topic) + frames.number(offset), frames.put_record(record, state.time_ms))
            batch.put(frames.STATE, frames.put_state(state))
            db.write(batch, rocks.synced())
        return offsets

    async def writer(self, partition: int) -> "EmbeddedWriter":
        """See the seam; here a second writer does not fence the first but waits for it.

        Raises:
            LogUnreachable: another has been the writer for too long.
            LogInconsistent: the outcomes have consumed facts that are not there.
        """
        self._check_partition(partition)
        db = await self._primary(self.outcomes_path)
        try:
            with rocks.translated(self.outcomes_path):
                state = frames.get_state(db.get(frames.STATE))
                await self._check_consumed(state.consumed or {})
                await self.create()
                return EmbeddedWriter(self, db, state)
        except BaseException:
            rocks.close(db)
            raise

    async def reader(self, partition: int, start: Mapping[str, int]) -> EmbeddedReader:
        self._check_partition(partition)
        by_path: dict[Path, list[str]] = {}
        for topic in start:
            by_path.setdefault(self._home(topic), []).append(topic)
        reader = EmbeddedReader(self.view, by_path, dict(start))
        await reader.check()
        return reader

    async def ends(self, partition: int, topics: Iterable[str]) -> dict[str, int]:
        self._check_partition(partition)
        asked = list(topics)
        states = {path: frames.get_state(_state_in(await self.view(path))) for path in {self._home(topic) for topic in asked}}
        return {topic: states[self._home(topic)].next.get(topic, 0) for topic in asked}

    async def starts(self, partition: int, topics: Iterable[str]) -> dict[str, int]:
        """See the seam; compaction leaves gaps and moves no start, so it is 0 everywhere."""
        return dict.fromkeys(await self.ends(partition, topics), 0)

    async def newest(self, partition: int, topic: str, key: bytes) -> Record | None:
        self._check_partition(partition)
        self._check_compacted(topic)
        return newest_of(await self.view(self.outcomes_path), topic, key)

    async def newest_with_prefix(self, partition: int, topic: str, prefix: bytes) -> list[Record]:
        self._check_partition(partition)
        self._check_compacted(topic)
        return newest_under(await self.view(self.outcomes_path), topic, prefix)

    async def close(self) -> None:
        """Readers of this log end with it; a writer is closed on its own."""
        for follower in self._followers.values():
            follower.close()

    async def view(self, path: Path, at_least: Mapping[str, int] | None = None) -> RdictIter:
        """An iterator over one moment of a database; to be dropped before the next await.

        While its files are being replaced a follower may show an earlier moment, or none: it is opened anew until it shows what was shown
        before and what the caller knows to be there, for `lock_wait_s` at most. A caller who finds less then has found a loss.

        Args:
            at_least: next offsets of topics that must be reached.
        """
        known, follower = dict(self._shown.get(path, {})), self._followers[path]
        for topic, offset in (at_least or {}).items():
            known[topic] = max(offset, known.get(topic, 0))
        give_up_at = time.monotonic() + self.lock_wait_s
        for tries in count(1):
            try:
                view = follower.view()
                there = frames.get_state(_state_in(view)).next
                if all(there.get(topic, 0) >= offset for topic, offset in known.items()) or time.monotonic() >= give_up_at:
                    self._shown[path] = dict(there)
                    return view
                del view
                follower.close()
            except LogUnreachable:
                if time.monotonic() >= give_up_at:
                    raise
            await asyncio.sleep(min(LOCK_RETRY_S * 2**tries, 0.5))
        raise AssertionError

    @asynccontextmanager
    async def _written(self, path: Path) -> AsyncIterator[Rdict]:
        """A database opened for one write, and closed again."""
        db = await self._primary(path)
        try:
            with rocks.translated(path):
                yield db
                await _settle(db)
        finally:
            rocks.close(db)

    async def _primary(self, path: Path) -> Rdict:
        chosen = _facts_options() if path == self.facts_path else rocks.options()
        give_up_at = time.monotonic() + self.lock_wait_s
        while (db := rocks.try_primary(path, chosen)) is None:
            if time.monotonic() >= give_up_at:
                raise LogUnreachable(f"{path} is being written by another process; waited {self.lock_wait_s:g} s for it")
            await asyncio.sleep(LOCK_RETRY_S)
        return db

    async def _check_consumed(self, consumed: Mapping[str, int]) -> None:
        there: Mapping[str, int] = {}
        if rocks.exists(self.facts_path):
            there = frames.get_state(_state_in(await self.view(self.facts_path, consumed))).next
        for topic, offset in consumed.items():
            if offset > there.get(topic, 0):
                raise LogInconsistent(
                    f"{self.outcomes_path} has consumed {topic} up to offset {offset}, but in {self.facts_path} it ends at "
                    f"{there.get(topic, 0)}: facts are lost, or one of the two is a copy of another time"
                )

    def _home(self, topic: str) -> Path:
        if topic in self.facts:
            return self.facts_path
        if topic in self.outcomes:
            return self.outcomes_path
        raise LogMissing(f"there is no topic {topic}")

    def _check_partition(self, partition: int) -> None:
        if not 0 <= partition < self.partitions:
            raise LogMissing(f"there is no partition {partition}: the embedded log has one, 0")

    def _check_compacted(self, topic: str) -> None:
        if topic not in self.compacted:
            raise LogMissing(f"there is no compacted topic {topic}")


class EmbeddedWriter:
    """Holds the lock of the outcomes from its opening to its end; the seam's `Writer`."""

    def __init__(self, log: EmbeddedLog, db: Rdict, state: frames.State) -> None:
        self._log = log
        self._db: Rdict | None = db
        self._state = state
        self._sync = rocks.synced()
        self._sweep_at_ms = 0
        self._sweep_if_due()

    def committed(self) -> dict[str, int] | None:
        consumed = self._state.consumed
        return None if consumed is None else dict(consumed)

    async def commit(self, records: Sequence[Out], consumed: Mapping[str, int]) -> None:
        db = self._open()
        for record in records:
            self._check(record)
        for topic in consumed:
            if topic not in self._log.facts:
                raise LogMissing(f"there is no fact topic {topic}")
        await asyncio.sleep(0)  # a writer with much to do gives way to others
        try:
            with rocks.translated(self._log.outcomes_path):
                self._sweep_if_due()
                self._write(db, records, consumed)
        except LogError:
            await self.close()
            raise

    def compact(self, now_ms: int, at_most: int = SWEEP_AT_MOST) -> int:
        """Remove superseded records and tombstones whose time has come, up to `at_most`; returns how many went."""
        return compaction.sweep(self._open(), now_ms, self._log.kept, at_most)

    async def close(self) -> None:
        if self._db is None:
            return
        db, self._db = self._db, None
        try:
            await _settle(db)
        finally:
            rocks.close(db)

    def _write(self, db: Rdict, records: Sequence[Out], consumed: Mapping[str, int]) -> None:
        before = self._state
        now_ms = max(self._log.clock_ms(), before.time_ms)
        noted = {**(before.consumed or {}), **consumed}
        state = frames.State(time_ms=now_ms, next=dict(before.next), consumed=noted or None)
        batch = rocks.batch()
        placed: list[Placed] = []
        for record in records:
            offset = _place(state, record.topic)
            batch.put(frames.records_of(record.topic) + frames.number(offset), frames.put_record(record, now_ms))
            if record.topic in self._log.compacted and record.key is not None:
                placed.append(Placed(record.topic, offset, record.key, record.value is None))
        compaction.note(db, batch, placed, now_ms)
        batch.put(frames.STATE, frames.put_state(state))
        db.write(batch, self._sync)
        self._state = state

    def _sweep_if_due(self) -> None:
        now_ms = self._log.clock_ms()
        if now_ms >= self._sweep_at_ms and self.compact(now_ms) < SWEEP_AT_MOST:
            self._sweep_at_ms = now_ms + SWEEP_EVERY_MS

    def _check(self, record: Out) -> None:
        if record.topic not in self._log.outcomes:
            raise LogMissing(f"there is no outcome topic {record.topic}")
        if record.key is None and record.topic in self._log.compacted:
            raise LogError(f"a record of the compacted topic {record.topic} needs a key")
        refuse_too_large(record, OUTCOME_LIMIT)

    def _open(self) -> Rdict:
        if self._db is None:
            raise LogUnreachable(f"this writer of {self._log.outcomes_path} is finished")
        return self._db


def _place(state: frames.State, topic: str) -> int:
    """The next offset of the topic, which is taken by that."""
    offset = state.next.get(topic, 0)
    state.next[topic] = offset + 1
    return offset


def _state_in(view: RdictIter) -> bytes | None:
    view.seek(frames.STATE)
    view.status()
    return view.value() if view.valid() and view.key() == frames.STATE else None


async def _settle(db: Rdict) -> None:
    """Let RocksDB merge its small tables, if so many have piled up that closing now would only add to them."""
    give_up_at = time.monotonic() + SETTLE_WAIT_S
    while not rocks.is_settled(db) and time.monotonic() < give_up_at:
        await asyncio.sleep(LOCK_RETRY_S)
