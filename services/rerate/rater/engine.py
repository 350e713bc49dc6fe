"""The rater of one partition: reads facts, lets their pools take them, publishes what changed. Life and death of the process happen here.

It is handed the log, `sleep`, `offload` (a thread for long pure work) and `die`, and awaits nothing else, so that a simulation can drive it
through every crash. The order of things is what keeps the laws:

    start    open the writer (fences the last owner), then read the partition head: it is the truth. A cache ahead of it is thrown away, one
             behind is refilled silently.
    catch up fold up to the ends noted at the start: each message gets its receipt, no update; then each pool publishes once.
    live     a step: poll, judge, let the pools take, one transaction {rows, heads, receipts, partition head, offsets}, one store batch.

A crash between transaction and store batch leaves the cache behind, which the next start mends.
"""

from collections.abc import Mapping, Sequence

from rerate.log.errors import Fenced
from rerate.log.seam import Out, Reader, Record, Store, Writer
from rerate.messages.facts import FACT_TOPICS, LIST_TOPICS, ROW_TOPICS, Fact
from rerate.pool.chain import NoSuchPool
from rerate.pool.head import read_head
from rerate.pool.pool import Halt, Pool, Settings
from rerate.pool.update import Update
from rerate.rater.cache import Accepted, FactCache
from rerate.rater.judging import Judged, judge
from rerate.rater.outcome import progress_record, receipt_record, transaction
from rerate.rater.progress import PartitionHead, read_partition_head
from rerate.rater.rereading import Rereading
from rerate.rater.residents import Residents
from rerate.rater.world import Counts, Limits, World

POLLS_A_LOOK = 10
"""After so many polls with something in them in a row the rater looks how far behind it is."""

RESTING_SECONDS = 0.02
"""How often a parked rater looks whether it may go on."""


class _Stopped(Exception):
    """Raised inside when the engine has been asked to stop."""


class Engine:
    """The rater of one partition.

    From outside it may be *parked* (it keeps what it has and begins no transaction; if somebody else has owned the partition meanwhile, its
    next one is fenced) and *stopped*.
    """

    def __init__(self, world: World, store: Store, partition: int, settings: Settings, limits: Limits | None = None) -> None:
        self.counts = Counts()
        self.is_parked = False
        """Set from outside."""
        self.is_stopped = False
        """Set from outside: `run` returns after the running step."""
        self.rebuilds: list[str] = []
        """Pools to rebuild between two steps; added to from outside."""
        self._world, self._partition, self._settings, self._limits = world, partition, settings, limits or Limits()
        self._partitions = world.log.partitions
        self._cache = FactCache(store, partition=partition, partitions=self._partitions, engine=settings.engine)
        self._next: dict[str, int] = dict.fromkeys(FACT_TOPICS, 0)
        self._heads: dict[str, bytes] = {}
        self._rereading = Rereading(
            world.log,
            partition,
            records_a_step=self._limits.records_a_step,
            between=self._between_steps,
            rest=world.rest,
            offload=world.offload,
        )
        self._is_opening = False
        self._polls = 0
        """Since it was last looked how far behind this is."""
        self._says_catching_up = False
        self._writer: Writer | None = None
        self._reader: Reader | None = None
        self._residents: Residents

    # ------------------------------------------------------------------ the life of a partition

    async def run(self, *, until_idle: bool = False) -> None:
        """Start, catch up, and rate until the world ends it.

        Args:
            until_idle: return when all facts there are have been taken and every pool has been held against its head.
        """
        try:
            await self.start()
            await self.catch_up()
            while True:
                await self._between_steps()
                if self.rebuilds:
                    await self._rebuild_asked()
                self.counts.step = "live"
                if await self.step() or await self._check_one():
                    continue
                if until_idle:
                    return
                await self._world.rest()
        except _Stopped:
            return
        finally:
            await self.close()

    async def start(self) -> None:
        """Become the owner of the partition, and bring the cache to where the partition head is."""
        log = self._world.log
        await self._between_steps()
        self._is_opening = True
        writer = self._writer = await log.writer(self._partition)
        self._is_opening = False
        head = await self._read_partition_head()
        committed = writer.committed()
        if head is not None:
            if head.partitions != self._partitions:
                self._world.die(
                    f"partition {self._partition} was rated as one of {head.partitions}, the log has {self._partitions} partitions; "
                    "partitions are never added: make a new log and copy the facts"
                )
            self._next |= head.next
            self._says_catching_up = head.catching_up
        if committed is not None and (head is None or any(self._next[topic] != committed[topic] for topic in committed)):
            await self._write([], committed)  # another rater may have opened, and gone on, between the two readings
            self._world.die(
                f"partition {self._partition}: the partition head says {self._next}, the consumer group {committed}; one of them was "
                "changed from outside, look before you delete the group's offsets"
            )
        self._heads = {
            record.key.decode(): record.value
            for record in await log.newest_with_prefix(self._partition, "rating-heads", b"")
            if record.key is not None and record.value is not None
        }
        if any(self._cache.next[topic] > self._next[topic] for topic in FACT_TOPICS):
            self._cache.wipe()
        await self._refill()
        self._reader = await log.reader(self._partition, self._next)
        self._residents = Residents(
            self._cache,
            self._settings,
            self._heads,
            offload=self._world.offload,
            reread=lambda pool: self._rereading.facts_of(pool, self._cache.next),
            on_halt=self._on_halt,
            max_facts=self._limits.resident_facts,
        )
        self.counts.next = self._next

    async def close(self) -> None:
        """Give everything back."""
        if self._reader is not None:
            await self._reader.close()
        if self._writer is not None:
            await self._writer.close()
        self._cache.close()

    async def catch_up(self) -> None:
        """Take in everything up to the ends as they are now, then let each pool publish once."""
        self.counts.step = "catching up"
        ends = self.counts.ends = await self._world.log.ends(self._partition, FACT_TOPICS)
        assert self._reader is not None
        while any(self._reader.positions()[topic] < end for topic, end in ends.items()):
            await self._between_steps()
            judged = await self._poll()
            if judged:
                await self._commit(judged, {}, is_catching_up=True)
            else:
                await self._world.rest()
        waiting = sorted(self._cache.pending())
        for number, pool in enumerate(waiting, 1):
            await self._between_steps()
            self.counts.step = f"rating pool {number} of {len(waiting)}"
            update = await self._residents.take_waiting(pool, self._next)
            settled = [] if self._residents.is_halted(pool) else [pool]
            await self._commit([], {} if update is None else {pool: update}, is_catching_up=number < len(waiting), settled=settled)
        if self._says_catching_up:
            await self._commit([], {}, is_catching_up=False)

    async def step(self) -> bool:
        """One live step.

        Returns:
            Whether there was anything to do.
        """
        judged = await self._poll()
        if not judged:
            self._polls = 0
            return False
        self._polls += 1
        is_time = len(judged) >= self._limits.records_a_step or self._polls >= POLLS_A_LOOK
        if is_time and await self._is_far_behind():
            await self._commit(judged, {}, is_catching_up=True)
            await self.catch_up()
            return True
        updates: dict[str, Update] = {}
        for pool, batch in _by_pool(judged).items():
            update = await self._residents.take(pool, batch, self._next)
            if update is not None:
                updates[pool] = update
        await self._commit(judged, updates, is_catching_up=False)
        return True

    async def rebuild(self, pool: str) -> Update:
        """Forget what is derived of a pool, replay its facts from the log, and bring its rows on the topics to what they should be.

        To be called between `start` and `close`, between two steps. Ends a halt.

        Raises:
            Halt: its facts cannot be folded or replayed; nothing was published.
            NoSuchPool: the partition has no fact of it.
        """
        accepted = await self._rereading.facts_of(pool, self._cache.next)
        if not accepted and pool not in self._heads:
            raise NoSuchPool(pool, self._heads)
        self._cache.replace(pool, accepted)
        published: dict[str, dict[str, bytes]] = {}
        for topic in ROW_TOPICS:
            prefix = f"{pool}/" if topic in LIST_TOPICS else f"{pool}@"
            rows = await self._world.log.newest_with_prefix(self._partition, topic, prefix.encode())
            published[topic] = {row.key.decode(): row.value for row in rows if row.key is not None and row.value is not None}
        facts = [(one.fact, one.position) for one in accepted]
        newest = max([one.record.append_time_ms for one in accepted], default=0)
        rebuilt, update = await self._world.offload(
            Pool.rebuild, pool, self._settings, facts, self._heads.get(pool), published, self._next, newest
        )
        assert isinstance(rebuilt, Pool)
        assert isinstance(update, Update)
        self._residents.adopt(rebuilt, update)
        await self._commit([], {pool: update}, is_catching_up=self._says_catching_up, settled=[pool])
        return update

    @property
    def is_in_transaction(self) -> bool:
        """Whether it is fencing others, or a transaction or the store batch that belongs to it is on its way; parked it begins neither."""
        return self._is_opening or self.counts.transactions_begun != self.counts.transactions_ended

    # ------------------------------------------------------------------ inside

    async def _between_steps(self) -> None:
        """Where the engine may be parked or stopped: between two steps, and before a transaction."""
        while self.is_parked and not self.is_stopped:
            await self._world.sleep(RESTING_SECONDS)
        if self.is_stopped:
            raise _Stopped

    async def _rebuild_asked(self) -> None:
        pool = self.rebuilds.pop(0)
        self.counts.step = f"rebuilding {pool}"
        try:
            update = await self.rebuild(pool)
        except (Halt, NoSuchPool) as error:
            self._world.tell(f"not rebuilt: {error}")
        else:
            self._world.tell(f"pool {pool} rebuilt: update {update.number}, {update.row_count} rows were not what they should have been")

    async def _poll(self) -> list[Judged]:
        """The next records, judged; `_next` moves past them.

        Ends the process if an offset is not the next one of its topic, but for what the log has dropped before its start.
        """
        assert self._reader is not None
        records = await self._reader.poll(self._limits.records_a_step)
        for record in records:
            expected = self._next[record.topic]
            if record.offset != expected:
                await self._explain_gap(record, expected)
            self._next[record.topic] = record.offset + 1
        self.counts.consumed += len(records)
        judged = await self._world.offload(judge, records, self._cache.has, self._partitions) if records else []
        assert isinstance(judged, list)
        return judged

    async def _explain_gap(self, record: Record, expected: int) -> None:
        where = f"{record.topic} partition {record.partition}: offset {expected} was expected, {record.offset} came"
        if record.offset < expected:
            self._world.die(f"{where}; a log never goes back, look at what was done to it")
        starts = await self._world.log.starts(self._partition, [record.topic])
        if starts[record.topic] > expected:
            self._world.die(f"{where}; facts between were deleted from the log, restore it from a copy")
        self.counts.gaps += record.offset - expected

    async def _is_far_behind(self) -> bool:
        self._polls = 0
        ends = self.counts.ends = await self._world.log.ends(self._partition, FACT_TOPICS)
        return sum(ends[topic] - self._next[topic] for topic in FACT_TOPICS) > self._limits.behind

    async def _check_one(self) -> bool:
        """Hold one more pool against its head; what that publishes consumes no facts."""
        if not self._residents.has_unchecked:
            return False
        update = await self._residents.check_next(self._next)
        if update is not None:
            await self._commit([], {update.pool: update}, is_catching_up=False)
        return True

    async def _commit(
        self, judged: Sequence[Judged], updates: Mapping[str, Update], *, is_catching_up: bool, settled: Sequence[str] = ()
    ) -> None:
        """One transaction, then one store batch."""
        receipts = []
        for one in judged:
            pool = one.verdict.data.pool if isinstance(one.verdict, Fact) else None
            update = None if pool is None or is_catching_up else self._residents.update_in_force(pool)
            receipts.append(receipt_record(one.record, one.verdict, is_duplicate=one.is_duplicate, update=update))
        progress = progress_record(self._partition, self._partitions, self._next, is_catching_up=is_catching_up)
        await self._write(transaction(list(updates.values()), receipts, progress), self._next)
        self._says_catching_up = is_catching_up
        accepted = [new for one in judged if (new := one.accepted) is not None]
        pending = {one.pool for one in accepted if self._is_unnamed(one)}
        self._cache.write(accepted, self._next, pending, set(settled) - pending)
        self.counts.accepted += len(accepted)
        self.counts.updates += len(updates)
        self.counts.rows += sum(update.row_count for update in updates.values())

    async def _write(self, records: Sequence[Out], consumed: Mapping[str, int]) -> None:
        """One transaction, by whoever still owns the partition."""
        assert self._writer is not None
        await self._between_steps()
        self.counts.transactions_begun += 1
        try:
            await self._writer.commit(records, consumed)
        except Fenced as fenced:
            self._world.die(f"partition {self._partition}: ownership lost, another rater has it ({fenced})")
        self.counts.transactions_ended += 1

    async def _refill(self) -> None:
        """Bring the cache up to the partition head, publishing nothing: what lies before it has its receipts."""
        if self._cache.next == self._next:
            return
        self.counts.step = "refilling the store"
        ahead = dict(self._cache.next)

        async def take(records: list[Record]) -> None:
            for record in records:
                ahead[record.topic] = record.offset + 1
            judged = await self._world.offload(judge, records, self._cache.has, self._partitions)
            accepted = [new for one in judged if (new := one.accepted) is not None]
            self._cache.write(accepted, ahead, {one.pool for one in accepted if self._is_unnamed(one)}, ())
            self.counts.refilled += len(records)

        await self._rereading.each(dict(ahead), self._next, take)
        self._cache.write((), self._next, (), ())

    def _is_unnamed(self, one: Accepted) -> bool:
        """Whether no update names a fact yet."""
        value = self._heads.get(one.pool)
        return value is None or not read_head(value).covers(one.position)

    async def _read_partition_head(self) -> PartitionHead | None:
        record = await self._world.log.newest(self._partition, "rater-progress", str(self._partition).encode())
        return None if record is None or record.value is None else read_partition_head(record.value)

    def _on_halt(self, halt: Halt) -> None:
        self._world.tell(str(halt))


def _by_pool(judged: Sequence[Judged]) -> dict[str, list[Accepted]]:
    """New facts by pool, pools by id."""
    batches: dict[str, list[Accepted]] = {}
    for one in judged:
        accepted = one.accepted
        if accepted is not None:
            batches.setdefault(accepted.pool, []).append(accepted)
    return dict(sorted(batches.items()))
