"""A simulated cluster with its publishers, raters and readers, driven by a seed through crashes, and the truth to hold them against.

The cluster notes what each committed transaction says. From that the truth of each update follows: the rows of each topic as they stand
under its head. A reader must show exactly that, whenever it shows anything.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from rerate.board.following import Following, Times
from rerate.board.updates import WholeUpdate, pool_of
from rerate.log.errors import LogUnreachable, RecordTooLarge
from rerate.log.limits import FACT_LIMIT, refuse_too_large
from rerate.log.seam import Out, Record
from rerate.messages.facts import FACT_TOPICS, OUTCOME_TOPICS, ROW_TOPICS
from rerate.messages.partition import partition_of
from rerate.messages.reading import Message
from rerate.pool.pool import Settings
from rerate.rater.engine import Engine
from rerate.rater.progress import read_partition_head
from rerate.rater.world import Counts, Limits
from rerate.rater.world import World as Handed
from tests.kit.histories import WORLD, World, random_history
from tests.kit.mutate import mutated
from tests.kit.outcomes import COMPACTED_TOPICS, Facts, check_all, check_schemas, ends_of
from tests.kit.simlog import SimLog
from tests.kit.simloop import Crashed, SimLoop, SimProcess, SimTask
from tests.kit.simstore import SimDisk

SETTINGS = Settings(engine="rerate/simulated")
SMALL = Limits(records_a_step=3, behind=5, resident_facts=12)
"""So small that catching up, falling behind, and dropping and loading pools all happen."""

START_MS = 1_700_000_000_000


def out(message: Message) -> Out:
    """A message to be appended raw; a header without a value, which no log of ours takes, gets an empty one."""
    return Out(message.topic, message.key, message.value, tuple((name, value or b"") for name, value in message.headers))


def fits(message: Message) -> bool:
    """Whether a log takes it at all."""
    try:
        refuse_too_large(out(message), FACT_LIMIT)
    except RecordTooLarge:
        return False
    return True


class RecordedLog(SimLog):
    """A cluster that notes what was committed."""

    def __init__(self, seed: int = 0, partitions: int = 1, **more: Any) -> None:
        self.said: dict[int, list[Out]] = {partition: [] for partition in range(partitions)}
        """Partition -> records of committed transactions, in order within each topic."""
        self.truth: dict[tuple[str, int], dict[str, dict[bytes, bytes]]] = {}
        """Pool and update -> row topic -> rows that stand under its head."""
        self._open: dict[int, list[Out]] = defaultdict(list)
        self._rows: dict[str, dict[str, dict[bytes, bytes]]] = defaultdict(lambda: {topic: {} for topic in ROW_TOPICS})
        self._numbers: Counter[str] = Counter()
        self._progress: dict[int, bytes] = {}
        super().__init__(seed, partitions, facts=FACT_TOPICS, outcomes=OUTCOME_TOPICS, compacted=COMPACTED_TOPICS, **more)

    def messages(self, partition: int = 0) -> list[Record]:
        """All records of the fact topics."""
        return [one.record for topic in FACT_TOPICS for one in self.part(partition, topic).seen]

    def newest(self, pool: str) -> int:
        """Number of the last update committed."""
        return self._numbers[pool]

    def is_read(self, partition: int) -> bool:
        """Whether the newest partition head says that everything has been read and rated."""
        ends, value = ends_of(self.messages(partition)), self._progress.get(partition)
        if value is None:
            return not any(ends.values())
        head = read_partition_head(value)
        return head.next == ends and not head.catching_up

    def partition_of(self, pool: str) -> int:
        """Where a pool's messages are."""
        return partition_of(pool, self.partitions)

    def pools(self) -> list[str]:
        """Pools with an update."""
        return sorted(self._numbers)

    def send(self, partition: int, records: Sequence[Out]) -> None:
        super().send(partition, records)
        self._open[partition] += records

    def finish(self, partition: int) -> None:
        super().finish(partition)
        self._open[partition] = []

    def end_transaction(self, partition: int, consumed: Mapping[str, int]) -> None:
        super().end_transaction(partition, consumed)
        records, self._open[partition] = self._open[partition], []
        self.said[partition] += records
        for record in records:
            if record.topic in ROW_TOPICS and record.key is not None and b"/" in record.key:
                rows = self._rows[pool_of(record.key)][record.topic]
                if record.value is None:
                    del rows[record.key]
                else:
                    rows[record.key] = record.value
        for record in records:
            if record.topic == "rater-progress" and record.value is not None:
                self._progress[partition] = record.value
            if record.topic == "rating-updates" and record.key is not None:
                pool = pool_of(record.key)
                self._numbers[pool] += 1
                self.truth[pool, self._numbers[pool]] = {topic: dict(rows) for topic, rows in self._rows[pool].items()}


class Watching:
    """A reader of some topics through all its lives, which refuses what is torn or old."""

    def __init__(self, log: RecordedLog, topics: Sequence[str], partition: int, disk: SimDisk | None) -> None:
        self.topics, self.partition, self.disk = tuple(topics), partition, disk
        self.shown: dict[str, int] = {}
        """Pool -> update that it shows."""
        self.flips = 0
        self._log = log

    async def live(self, loop: SimLoop, process: SimProcess, random: Random) -> None:
        """One life, until it is killed."""
        store = None if self.disk is None else self.disk.open(process)
        times = Times(
            clock_ms=lambda: START_MS + self._log.steps,
            compaction_lag_ms=self._log.lag_steps,
            delete_retention_ms=self._log.retention_steps,
        )
        following = Following(self._log.client(process), self.topics, times, partition=self.partition, store=store)
        await following.start()
        while True:
            self._check_shown(following)
            await loop.sleep(0.05)
            for update in await following.step(random.choice((1, 4, 2_000))):
                self._check_update(update)

    def _check_shown(self, following: Following) -> None:
        """What is shown is an update as it was said, and none before one that was shown in this life or an earlier one."""
        for pool, head in following.subscriber.heads().items():
            assert head.update >= self.shown.get(pool, 0), f"{pool}@{head.update} is shown after {self.shown}"
            self.shown[pool] = head.update
            for topic in self.topics:
                rows = following.subscriber.rows(pool, topic)
                assert rows == self._log.truth[pool, head.update][topic], f"{topic} of {pool}@{head.update} is torn"

    def _check_update(self, update: WholeUpdate) -> None:
        """Hold one whole update against the truth."""
        number, name = update.head.update, f"{update.pool}@{update.head.update}"
        assert number > (update.since or 0), f"{name} after {update.since}"
        for topic in self.topics:
            rows = {} if update.since is None else dict(self._log.truth[update.pool, update.since][topic])
            for key, value in update.rows[topic]:
                if value is None:
                    rows.pop(key, None)
                else:
                    rows[key] = value
            assert rows == self._log.truth[update.pool, number][topic], f"{topic} of {name} is torn"
        self.flips += 1


@dataclass(frozen=True, kw_only=True)
class Weather:
    """How often what happens to a world."""

    crash_rate: float = 0.0
    """Of a rater, at each point."""
    kill_rate: float = 0.0
    """Of a rater, at each step of the world: between any two awaits."""
    pause_rate: float = 0.0
    """A rater stops, another starts, and the first goes on later."""
    second_rate: float = 0.0
    """Another rater of the same partition starts while the first lives."""
    wipe_rate: float = 0.0
    """A rater starts without its store."""
    expire_rate: float = 0.0
    """The group's offsets expire, at each step."""
    power_loss_rate: float = 0.0
    lost_answer_rate: float = 0.0
    publisher_crash_rate: float = 0.0
    reader_crash_rate: float = 0.0
    clean_rate: float = 0.0
    lag_steps: int = 2_000

    @classmethod
    def drawn(cls, random: Random) -> "Weather":
        """Any weather, each part of it often absent."""

        def sometimes(*rates: float) -> float:
            return random.choice((0.0, *rates))

        return cls(
            crash_rate=random.choice((0.0, 0.001, 0.005, 0.02, 0.05)),
            kill_rate=sometimes(0.002, 0.01),
            pause_rate=sometimes(0.003),
            second_rate=sometimes(0.003, 0.01),
            wipe_rate=sometimes(0.1, 0.5),
            expire_rate=sometimes(0.002),
            power_loss_rate=sometimes(0.5),
            lost_answer_rate=sometimes(0.02, 0.1),
            publisher_crash_rate=sometimes(0.02),
            reader_crash_rate=sometimes(0.02),
            clean_rate=sometimes(0.05, 0.5),
            lag_steps=random.choice((500, 2_000)),
        )


class SimWorld:
    """The partitions of a cluster, each with a place for two raters and two readers, and the publishers."""

    def __init__(self, seed: int, weather: Weather, *, partitions: int = 1, settings: Settings = SETTINGS, limits: Limits = SMALL) -> None:
        self.seed, self.weather, self.settings, self.limits = seed, weather, settings, limits
        self.random = Random(f"{seed} world")
        self.loop = SimLoop(seed, now_ms=START_MS)
        self.log = RecordedLog(
            seed,
            partitions,
            lag_steps=weather.lag_steps,
            retention_steps=5 * weather.lag_steps,
            clean_rate=weather.clean_rate,
            lost_answer_rate=weather.lost_answer_rate,
        )
        self.happened: Counter[str] = Counter()
        """What raters did and how they ended, for a test to see that it happens at all."""
        self.watching = [
            Watching(self.log, topics, partition, SimDisk(seed) if self.random.random() < 0.7 else None)
            for partition in range(partitions)
            for topics in ((self.random.choice(ROW_TOPICS),), ROW_TOPICS)
        ]
        self.disks = {
            (partition, slot): SimDisk(2 * seed + slot, power_loss_rate=weather.power_loss_rate)
            for partition in range(partitions)
            for slot in range(2)
        }
        self._raters: dict[tuple[int, int], _Life] = {}
        self._readers: dict[int, _Life] = {}
        self._publishers: list[_Publisher] = []
        self._late: list[_Publisher] = []
        self.loop.spawn(self._time())

    # ------------------------------------------------------------------ what is to be done

    def publish(self, messages: Sequence[Message], *, late: bool = False) -> None:
        """One more publisher: appends the messages in small batches of one partition each, each batch as many times as it takes.

        Args:
            late: not before the calm, to raters that live on.
        """
        batches: list[_Batch] = []
        for message in messages:
            partition, record = message.partition % self.log.partitions, out(message)
            if batches and batches[-1].partition == partition and self.random.random() < 0.6:
                batches[-1].records.append(record)
            else:
                batches.append(_Batch(partition, [record]))
        (self._late if late else self._publishers).append(_Publisher(batches))

    def run(self, *, at_most: int = 200_000) -> None:
        """Let it all happen; then, in calm, let one rater a partition take what comes late, and all readers come to the end."""
        for _ in range(at_most):
            if all(publisher.is_done for publisher in self._publishers):
                break
            self._happen()
            self.loop.step()
        else:
            raise AssertionError("the publishers do not come to an end")
        for _ in range(self.random.randint(0, 300)):
            self._happen()
            self.loop.step()
        self._calm()

    def begin(self, process: SimProcess) -> SimProcess:
        """The first life of the rater beside the late publishers: until it has died, or all has been read."""
        task = self.start(process)
        self.loop.run_until(lambda: task.is_done or self.is_late_read)
        process.kill("killed")
        self.loop.run_until(lambda: task.is_done)
        self._note_end(process, task)
        return process

    def start(self, process: SimProcess) -> SimTask[None]:
        """The same, but nothing runs yet."""
        for publisher in self._late:
            self._start_publisher(publisher, 0.0)
        return self.loop.spawn(self._rater(process, 0, 0, until_idle=False), process)

    @property
    def is_late_read(self) -> bool:
        """Whether all that comes late has been published, and rated."""
        return all(one.is_done for one in self._late) and self.log.is_read(0)

    def end(self) -> None:
        """Whatever is left to do, in calm."""
        self._calm()

    def rate(self, partition: int = 0, slot: int = 0, *, process: SimProcess | None = None, settings: Settings | None = None) -> SimProcess:
        """One life of a rater, until nothing is left to do or it has died of what `process` says."""
        process = process or SimProcess("rater")
        task = self.loop.spawn(self._rater(process, partition, slot, until_idle=True, settings=settings), process)
        self.loop.run_until(lambda: task.is_done)
        self._note_end(process, task)
        return process

    def check(self, *, schemas: int = 0) -> dict[str, Facts]:
        """Hold all that was said against all that was sent; the accepted facts of each pool.

        Args:
            schemas: how many records of each kind are held against their schema.
        """
        accepted: dict[str, Facts] = {}
        for partition in range(self.log.partitions):
            facts, said = self.log.messages(partition), self.log.said[partition]
            accepted |= check_all(facts, said, partitions=self.log.partitions, settings=self.settings)
            if facts:
                assert (self.log.committed(partition) or ends_of(facts)) == ends_of(facts)
            check_schemas(said, self.random, schemas)
        return accepted

    # ------------------------------------------------------------------ inside

    async def _time(self) -> None:
        while True:
            await self.loop.sleep(0.05)

    def _happen(self) -> None:
        """Whoever has ended is started again, and something may befall those who live."""
        for publisher in self._publishers:
            if not publisher.is_done and publisher.has_ended:
                self._start_publisher(publisher, self.weather.publisher_crash_rate)
        for number, watching in enumerate(self.watching):
            if number not in self._readers or self._readers[number].has_ended:
                self._end_reader(number)
                self._start_reader(number, watching, self.weather.reader_crash_rate)
        for partition in range(self.log.partitions):
            if self._chance(self.weather.expire_rate):
                self.log.expire_group(partition)
            for slot in range(2):
                self._befall_rater(partition, slot)

    def _befall_rater(self, partition: int, slot: int) -> None:
        life, other = self._raters.get((partition, slot)), self._raters.get((partition, 1 - slot))
        if life is not None and life.has_ended:
            del self._raters[partition, slot]
            self._note_end(life.process, life.task)
        elif life is None:
            is_alone = other is None or other.process.is_paused
            if self._chance(0.2 if is_alone else self.weather.second_rate):
                self._start_rater(partition, slot, self.weather.crash_rate)
        elif life.process.is_paused:
            life.process.is_paused = not self._chance(0.01)
        elif self._chance(self.weather.pause_rate):
            life.process.is_paused = True
        elif self._chance(self.weather.kill_rate):
            life.process.kill("killed")

    def _chance(self, rate: float) -> bool:
        return self.random.random() < rate

    def _start_rater(self, partition: int, slot: int, crash_rate: float) -> None:
        if self._chance(self.weather.wipe_rate):
            self.disks[partition, slot].wipe()
        process = self._process("rater", crash_rate)
        task = self.loop.spawn(self._rater(process, partition, slot, until_idle=False), process, f"rater {partition} {slot}")
        self._raters[partition, slot] = _Life(process, task)

    async def _rater(self, process: SimProcess, partition: int, slot: int, *, until_idle: bool, settings: Settings | None = None) -> None:
        handed = Handed(log=self.log.client(process), sleep=self.loop.sleep, offload=self.loop.offload, die=process.die)
        engine = Engine(handed, self.disks[partition, slot].open(process), partition, settings or self.settings, self.limits)
        try:
            await engine.run(until_idle=until_idle)
        finally:
            self._note(engine.counts)

    def _note(self, counts: Counts) -> None:
        for name in ("consumed", "accepted", "updates", "refilled", "gaps"):
            self.happened[name] += getattr(counts, name)

    def _note_end(self, process: SimProcess, task: SimTask[None]) -> None:
        """An end must be a crash, an answer that did not come, or the loss of ownership; anything else is a fault."""
        error = task.error
        if error is None:
            self.happened["came to the end"] += 1
        elif isinstance(error, LogUnreachable):
            self.happened["had no answer"] += 1
        elif not isinstance(error, Crashed):
            raise AssertionError(f"seed {self.seed}: the rater ended with {error!r}") from error
        elif "ownership lost" in process.reason:
            self.happened["lost ownership"] += 1
        elif process.reason.startswith(("crashed at point", "killed")):
            self.happened["crashed"] += 1
        else:
            raise AssertionError(f"seed {self.seed}: the rater died: {process.reason}")

    def _start_publisher(self, publisher: "_Publisher", crash_rate: float) -> None:
        process = self._process("publisher", crash_rate)

        async def publish() -> None:
            client = self.log.client(process)
            while not publisher.is_done:
                batch = publisher.batches[publisher.done]
                try:
                    await client.append(batch.partition, batch.records)
                except LogUnreachable:
                    continue  # it may have arrived; it is sent again
                publisher.done += 1
                await self.loop.sleep(self.random.choice((0, 0, 0.1, 1, 3)))

        publisher.life = _Life(process, self.loop.spawn(publish(), process, "publisher"))

    def _start_reader(self, number: int, watching: Watching, crash_rate: float) -> None:
        process = self._process("reader", crash_rate)
        task = self.loop.spawn(watching.live(self.loop, process, self.random), process, f"reader of {watching.topics}")
        self._readers[number] = _Life(process, task)

    def _end_reader(self, number: int) -> None:
        life = self._readers.pop(number, None)
        if life is not None and life.task.error is not None and not life.task.crashed:
            raise AssertionError(f"seed {self.seed}: a reader ended with {life.task.error!r}") from life.task.error

    def _process(self, name: str, crash_rate: float) -> SimProcess:
        return SimProcess(name, seed=self.random.getrandbits(32), crash_rate=crash_rate)

    def _calm(self) -> None:
        self.log.lost_answer_rate = 0.0
        self._end_raters()
        for number in list(self._readers):
            self._readers[number].process.kill()
            self._until_ended(self._readers[number])
            self._end_reader(number)
        for partition in range(self.log.partitions):
            self._start_rater(partition, self.random.randrange(2), 0.0)
        for number, watching in enumerate(self.watching):
            self._start_reader(number, watching, 0.0)
        for publisher in self._late:
            if publisher.has_ended and not publisher.is_done:
                self._start_publisher(publisher, 0.0)
        lives = [*self._raters.values(), *self._readers.values()]
        self.loop.run_until(lambda: self._all_is_shown() or any(life.has_ended for life in lives), at_most=100_000)
        for number in list(self._readers):
            if self._readers[number].has_ended:
                self._end_reader(number)
        self._end_raters()
        said = {partition: len(records) for partition, records in self.log.said.items()}
        for partition in range(self.log.partitions):
            process = self.rate(partition, self.random.randrange(2))
            assert process.alive, process.reason
        for partition, records in self.log.said.items():
            assert {record.topic for record in records[said[partition] :]} <= {"rater-progress"}, (
                "a start with nothing to do says something"
            )

    def _end_raters(self) -> None:
        for life in self._raters.values():
            life.process.is_paused = False
            life.process.kill("killed")
            self._until_ended(life)
            self._note_end(life.process, life.task)
        self._raters.clear()

    def _until_ended(self, life: "_Life") -> None:
        self.loop.run_until(lambda: life.has_ended)

    def _all_is_shown(self) -> bool:
        if not all(publisher.is_done for publisher in self._late):
            return False
        if not all(self.log.is_read(partition) for partition in range(self.log.partitions)):
            return False
        newest = {pool: self.log.newest(pool) for pool in self.log.pools()}
        return all(
            watching.shown == {pool: number for pool, number in newest.items() if self.log.partition_of(pool) == watching.partition}
            for watching in self.watching
        )


@dataclass
class _Life:
    process: SimProcess
    task: SimTask[None]

    @property
    def has_ended(self) -> bool:
        return self.task.is_done


@dataclass
class _Batch:
    partition: int
    records: list[Out]


@dataclass
class _Publisher:
    batches: list[_Batch]
    done: int = 0
    """Batches that were answered."""
    life: _Life | None = None

    @property
    def is_done(self) -> bool:
        return self.done == len(self.batches)

    @property
    def has_ended(self) -> bool:
        return self.life is None or self.life.has_ended


def random_messages(random: Random, pools: Iterable[str], partitions: int, length: int, bad: float, worlds: World = WORLD) -> list[Message]:
    """Facts of some pools, late, repeated, in conflict, and bad messages among them.

    Args:
        length: facts of each pool.
        bad: share of messages that are mutated; most of these are refused, some are facts all the same.
    """
    messages = [
        sent.message(partitions)
        for pool in pools
        for sent in random_history(random, length, replace(worlds, pool=pool), is_configured=True)
    ]
    messages = [mutated(message, random) if random.random() < bad else message for message in messages]
    random.shuffle(messages)
    return [message for message in messages if fits(message)]
