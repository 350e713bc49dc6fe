"""The log in memory with Kafka's semantics as the engine sees them, driven by a seed.

What is true here, and on Kafka:
- Records of a transaction lie in their topics from the moment they are sent; nobody sees them before the end of the transaction has been
  marked in *that* topic. The marks come topic by topic, in any order, each at a step of its own, and take an offset each.
- An open transaction holds up all that comes after it in its topics, until the next writer opens and aborts it. Aborted records leave gaps.
- Opening a writer fences the one before, at whatever step that one is. When it returns, the end of every earlier transaction is marked.
- A commit, or an append, whose answer is lost raises LogUnreachable, done or not.
- Reads bring what they like: a topic or none, many records or few, and positions that stop before a gap or after it.
- The cleaner comes when it likes and cleans as far as it likes, but not what is younger than the lag, and nothing from the first open
  transaction on.

Each await is a point where others run, marks arrive, the cleaner comes, or the process dies.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from rerate.log.errors import Fenced, LogError, LogInconsistent, LogMissing, LogUnreachable
from rerate.log.limits import FACT_LIMIT, OUTCOME_LIMIT, refuse_too_large
from rerate.log.seam import Out, Record
from tests.kit.simloop import SimProcess, Switch

MARK_RATE = 0.3
"""Probability that the end of a transaction is marked in a topic at one step."""


@dataclass(slots=True)
class _Seen:
    """A record that readers see."""

    record: Record
    since: int
    """The step from which on they do."""


@dataclass(slots=True)
class _Part:
    """One partition of one topic."""

    seen: list[_Seen] = field(default_factory=list)
    sent: list[Record] = field(default_factory=list)
    """Of the transaction whose end is not marked here yet."""
    start: int = 0
    end: int = 0

    @property
    def stable(self) -> int:
        """The offset up to which a read-committed reader reads."""
        return self.sent[0].offset if self.sent else self.end

    def after(self, offset: int) -> int:
        """Index of the first seen record at or after the offset."""
        return bisect_left(self.seen, offset, key=lambda one: one.record.offset)


@dataclass(slots=True)
class _Partition:
    topics: dict[str, _Part]
    epoch: int = 0
    committed: dict[str, int] | None = None
    is_committing: bool | None = None
    """How the transaction that is being marked ended; None: it is open, or there is none."""


class SimLog:
    """The cluster. What a process sees of it is a `SimClient`."""

    def __init__(
        self,
        seed: int = 0,
        partitions: int = 1,
        *,
        facts: Iterable[str],
        outcomes: Iterable[str],
        compacted: Iterable[str] = (),
        clock_ms: Callable[[], int] | None = None,
        lag_steps: int = 2_000,
        retention_steps: int = 10_000,
        clean_rate: float = 0.01,
        lost_answer_rate: float = 0.0,
    ) -> None:
        """
        Args:
            clock_ms: by default each step takes one millisecond.
            lag_steps: how long a record is safe from the cleaner after it became visible.
            retention_steps: how long a tombstone is.
            clean_rate: probability, at each step, that the cleaner comes to one topic.
            lost_answer_rate: probability that a commit or an append raises LogUnreachable, having been done or not.
        """
        self.partitions = partitions
        self.facts = tuple(facts)
        self.outcomes = tuple(outcomes)
        self.compacted = tuple(compacted)
        self.steps = 0
        self.lag_steps = lag_steps
        self.retention_steps = retention_steps
        self.clean_rate = clean_rate
        self.lost_answer_rate = lost_answer_rate
        self.mark_rate = MARK_RATE
        self.rng = Random(f"{seed} log")
        self._clock_ms = clock_ms or (lambda: 1_700_000_000_000 + self.steps)
        topics = self.facts + self.outcomes
        self._partitions = [_Partition({topic: _Part() for topic in topics}) for _ in range(partitions)]

    def client(self, process: SimProcess | None = None) -> "SimClient":
        """The log as a process sees it; without one, as an observer who does not die."""
        return SimClient(self, process or SimProcess("observer"))

    # What happens by itself

    def drift(self) -> None:
        """One step: marks may arrive, the cleaner may come."""
        self.steps += 1
        for partition in range(self.partitions):
            if self._partitions[partition].is_committing is not None:
                for topic in self._unmarked(partition):
                    if self.rng.random() < self.mark_rate:
                        self._mark(partition, topic)
        if self.compacted and self.rng.random() < self.clean_rate:
            self.clean(self.rng.randrange(self.partitions), self.rng.choice(self.compacted), self.rng.random())

    def clean(self, partition: int, topic: str, share: float = 1.0) -> None:
        """Compact that share of what may be compacted."""
        part = self._partitions[partition].topics[topic]
        old_enough = [one for one in part.seen if one.since <= self.steps - self.lag_steps and one.record.offset < part.stable]
        cleaned = old_enough[: round(len(old_enough) * share)]
        newest = {one.record.key: one.record.offset for one in cleaned}

        def stays(one: _Seen) -> bool:
            if newest[one.record.key] != one.record.offset:
                return False
            return one.record.value is not None or one.since > self.steps - self.retention_steps

        part.seen[: len(cleaned)] = [one for one in cleaned if stays(one)]

    # What an operator or a test does

    def leave_gap(self, partition: int, topic: str, offsets: int = 1) -> None:
        """As a publisher does who uses a transaction."""
        self.part(partition, topic).end += offsets

    def delete_before(self, partition: int, topic: str, offset: int) -> None:
        """As an expired retention does."""
        part = self.part(partition, topic)
        part.start = max(part.start, min(offset, part.stable))
        del part.seen[: part.after(part.start)]

    def expire_group(self, partition: int) -> None:
        """As the broker does with an empty group: the next writer finds no committed offsets."""
        self._partitions[partition].committed = None

    def settle(self) -> None:
        """All marks that are under way arrive."""
        for partition in range(self.partitions):
            self.finish(partition)

    # What the handles do

    def part(self, partition: int, topic: str) -> _Part:
        if not 0 <= partition < self.partitions:
            raise LogMissing(f"there is no partition {partition} of {self.partitions}")
        found = self._partitions[partition].topics.get(topic)
        if found is None:
            raise LogMissing(f"there is no topic {topic}")
        return found

    def open_epoch(self, partition: int) -> int:
        """Fence the writer before; its open transaction ends here, one that was committed is seen in full."""
        state = self._partitions[partition]
        state.epoch += 1
        self.finish(partition)
        return state.epoch

    def finish(self, partition: int) -> None:
        """Mark the end of the transaction everywhere; an open one is aborted."""
        topics = self._unmarked(partition)
        self.rng.shuffle(topics)
        for topic in topics:
            self._mark(partition, topic)
        self._partitions[partition].is_committing = None

    def check_epoch(self, partition: int, epoch: int) -> None:
        newest = self._partitions[partition].epoch
        if newest != epoch:
            raise Fenced(f"writer {epoch} of partition {partition} has been fenced by writer {newest}")

    def send(self, partition: int, records: Sequence[Out]) -> None:
        """Records of one topic, as part of the open transaction."""
        part = self.part(partition, records[0].topic)
        for record in records:
            part.sent.append(self._record(partition, part, record))

    def end_transaction(self, partition: int, consumed: Mapping[str, int]) -> None:
        """The moment of commit; what is seen of it comes later."""
        state = self._partitions[partition]
        state.is_committing = True
        if consumed:
            state.committed = {**(state.committed or {}), **consumed}

    def committed(self, partition: int) -> dict[str, int] | None:
        found = self._partitions[partition].committed
        return None if found is None else dict(found)

    def append(self, partition: int, record: Out) -> int:
        part = self.part(partition, record.topic)
        appended = self._record(partition, part, record)
        part.seen.append(_Seen(appended, self.steps))
        return appended.offset

    def _record(self, partition: int, part: _Part, record: Out) -> Record:
        part.end += 1
        return Record(record.topic, partition, part.end - 1, self._clock_ms(), record.key, record.value, record.headers)

    def _unmarked(self, partition: int) -> list[str]:
        return [topic for topic, part in self._partitions[partition].topics.items() if part.sent]

    def _mark(self, partition: int, topic: str) -> None:
        state = self._partitions[partition]
        part = state.topics[topic]
        if state.is_committing:
            part.seen.extend(_Seen(record, self.steps) for record in part.sent)
        part.sent = []
        part.end += 1


class SimClient:
    """The log as one process sees it; the seam's `Log`."""

    def __init__(self, log: SimLog, process: SimProcess) -> None:
        self.partitions = log.partitions
        self.log = log
        self.process = process

    async def point(self, name: str) -> None:
        """Others run, the world goes on, and the process may die."""
        self.process.check()
        await Switch()
        self.log.drift()
        self.process.point(name)

    async def writer(self, partition: int) -> "SimWriter":
        await self.point("writer: before")
        epoch = self.log.open_epoch(partition)
        opened = SimWriter(self, partition, epoch, self.log.committed(partition))
        await self.point("writer: opened")
        return opened

    async def reader(self, partition: int, start: Mapping[str, int]) -> "SimReader":
        await self.point("reader: before")
        opened = SimReader(self, partition, dict(start))
        opened.check()
        return opened

    async def ends(self, partition: int, topics: Iterable[str]) -> dict[str, int]:
        await self.point("ends: before")
        found = {topic: self.log.part(partition, topic).stable for topic in topics}
        await self.point("ends: after")
        return found

    async def starts(self, partition: int, topics: Iterable[str]) -> dict[str, int]:
        await self.point("starts: before")
        found = {topic: self.log.part(partition, topic).start for topic in topics}
        await self.point("starts: after")
        return found

    async def newest(self, partition: int, topic: str, key: bytes) -> Record | None:
        found = await self.newest_with_prefix(partition, topic, key)
        return next((record for record in found if record.key == key), None)

    async def newest_with_prefix(self, partition: int, topic: str, prefix: bytes) -> list[Record]:
        if topic not in self.log.compacted:
            raise LogMissing(f"there is no compacted topic {topic}")
        await self.point("newest: before")
        newest = {one.record.key: one.record for one in self.log.part(partition, topic).seen}
        await self.point("newest: after")
        return [record for key, record in sorted(newest.items()) if key is not None and key.startswith(prefix) and record.value is not None]

    async def append(self, partition: int, records: Sequence[Out]) -> list[int]:
        """See the seam. Not atomic: a crash or a lost answer may leave a part of it."""
        for record in records:
            if record.topic not in self.log.facts:
                raise LogMissing(f"there is no fact topic {record.topic}")
            self.log.part(partition, record.topic)
            refuse_too_large(record, FACT_LIMIT)
        await self.point("append: before")
        last = self._last_before_answer_is_lost(len(records))
        offsets = []
        for index, record in enumerate(records):
            if index == last:
                raise LogUnreachable("the answer to an append did not come")
            offsets.append(self.log.append(partition, record))
            if self.log.rng.random() < 0.1:
                await self.point("append: between")
        if last is not None:
            raise LogUnreachable("the answer to an append did not come")
        await self.point("append: after")
        return offsets

    async def close(self) -> None:
        self.process.check()

    def _last_before_answer_is_lost(self, count: int) -> int | None:
        return self.log.rng.randint(0, count) if self.log.rng.random() < self.log.lost_answer_rate else None


class SimWriter:
    """The seam's `Writer`."""

    def __init__(self, client: SimClient, partition: int, epoch: int, committed: dict[str, int] | None) -> None:
        self._client = client
        self._log = client.log
        self._partition = partition
        self._epoch = epoch
        self._committed = committed
        self._is_finished = False

    def committed(self) -> dict[str, int] | None:
        self._client.process.check()
        return None if self._committed is None else dict(self._committed)

    async def commit(self, records: Sequence[Out], consumed: Mapping[str, int]) -> None:
        self._client.process.check()
        if self._is_finished:
            raise LogUnreachable(f"this writer of partition {self._partition} is finished")
        self._refuse(records, consumed)
        self._is_finished = True
        await self._transaction(records, consumed)
        self._is_finished = False
        if consumed:
            self._committed = {**(self._committed or {}), **consumed}

    async def close(self) -> None:
        self._client.process.check()
        self._is_finished = True

    async def _transaction(self, records: Sequence[Out], consumed: Mapping[str, int]) -> None:
        await self._point("commit: begin")
        self._log.finish(self._partition)  # the marks of the transaction before
        by_topic: dict[str, list[Out]] = {}
        for record in records:
            by_topic.setdefault(record.topic, []).append(record)
        topics = list(by_topic)
        self._log.rng.shuffle(topics)
        for topic in topics:
            self._log.send(self._partition, by_topic[topic])
            await self._point(f"commit: sent {topic}")
        await self._point("commit: sent offsets")
        is_answer_lost = self._log.rng.random() < self._log.lost_answer_rate
        if is_answer_lost and self._log.rng.random() < 0.5:
            raise LogUnreachable("the answer to a commit did not come (it was not done)")
        self._log.end_transaction(self._partition, consumed)
        if is_answer_lost:
            raise LogUnreachable("the answer to a commit did not come (it was done)")
        await self._client.point("commit: done")

    async def _point(self, name: str) -> None:
        await self._client.point(name)
        self._log.check_epoch(self._partition, self._epoch)

    def _refuse(self, records: Sequence[Out], consumed: Mapping[str, int]) -> None:
        for record in records:
            if record.topic not in self._log.outcomes:
                raise LogMissing(f"there is no outcome topic {record.topic}")
            if record.key is None and record.topic in self._log.compacted:
                raise LogError(f"a record of the compacted topic {record.topic} needs a key")
            refuse_too_large(record, OUTCOME_LIMIT)
        for topic in consumed:
            if topic not in self._log.facts:
                raise LogMissing(f"there is no fact topic {topic}")


class SimReader:
    """The seam's `Reader`."""

    def __init__(self, client: SimClient, partition: int, positions: dict[str, int]) -> None:
        self._client = client
        self._log = client.log
        self._partition = partition
        self._positions = positions

    def check(self) -> None:
        """Raise LogInconsistent if a position is not in the log."""
        for topic, position in self._positions.items():
            part = self._log.part(self._partition, topic)
            if not part.start <= position <= part.end:
                raise LogInconsistent(f"{topic} holds offsets {part.start} to {part.end}, but is to be read from {position}")

    async def poll(self, max_records: int) -> list[Record]:
        await self._client.point("poll: before")
        self.check()
        found: list[Record] = []
        moved: dict[str, int] = {}
        rng = self._log.rng
        for topic in rng.sample(sorted(self._positions), rng.randint(0, len(self._positions))):
            part = self._log.part(self._partition, topic)
            first = part.after(self._positions[topic])
            upto = part.after(part.stable)
            room = max_records - len(found)
            taken = [one.record for one in part.seen[first:upto]][: rng.choice((room, rng.randint(0, room)))]
            found += taken
            if taken:
                moved[topic] = taken[-1].offset + 1
            if first + len(taken) == upto and rng.random() < 0.5:
                moved[topic] = part.stable
        await self._client.point("poll: after")
        self._positions.update(moved)
        return found

    def positions(self) -> dict[str, int]:
        self._client.process.check()
        return dict(self._positions)

    async def close(self) -> None:
        self._client.process.check()
