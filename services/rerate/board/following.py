"""Reads the row topics of one partition for a subscriber: the only part of it that waits.

It adds rule (d): who reads longer than the compaction lag, was away longer than the retention, or finds the chain of heads broken, reads
from the beginning. While that goes on the old ladders are still there, and what is read anew replaces them in one step.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass

from rerate.board.keeping import Batch, Kept
from rerate.board.subscriber import Subscriber
from rerate.board.updates import WholeUpdate
from rerate.log.errors import LogInconsistent
from rerate.log.patience import Patience
from rerate.log.seam import Log, Reader, Store

DAY_MS = 24 * 60 * 60 * 1000
POLL_RECORDS = 2_000
IDLE_S = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """How long what was superseded stays on the log, and the clock to hold against it."""

    clock_ms: Callable[[], int]
    """Milliseconds since 1970 UTC."""
    compaction_lag_ms: int = DAY_MS
    delete_retention_ms: int = 7 * DAY_MS


class Following:
    """One subscriber on its way through the log."""

    def __init__(self, log: Log, topics: Iterable[str], times: Times, *, partition: int = 0, store: Store | None = None) -> None:
        """Nothing is read before `start`.

        Args:
            store: keeps what was read from one life to the next; None: every life begins at the beginning.
        """
        self.topics = tuple(topics)
        self._log = log
        self._times = times
        self._partition = partition
        self._store = store
        self.subscriber = Subscriber(self.topics)
        """What is shown."""
        self._anew: Subscriber | None = None
        """What is being read from the beginning, to replace it."""
        self.is_idle = False
        """Whether the last poll brought nothing."""
        self._reader: Reader | None = None
        self._started_ms = 0

    async def start(self) -> None:
        """Take up what the store has, and note the ends."""
        kept = None if self._store is None else Kept(self._store)
        is_usable = kept is not None and kept.followed() == Subscriber(self.topics).topics
        self.subscriber = Subscriber(self.topics, kept=kept if is_usable else None, keeps=self._store is not None)
        away_ms = self._times.clock_ms() - (kept.last_read() if kept is not None and is_usable else 0)
        positions = {topic: at for topic, at in self.subscriber.positions.items() if at is not None}
        if not is_usable or len(positions) < len(self.subscriber.topics):
            self.subscriber = await self._from_the_beginning()
            self._wipe_with_next_batch()
        elif away_ms > self._times.delete_retention_ms or self.subscriber.stale():
            self._anew = await self._from_the_beginning()
        else:
            try:
                await self._open(self.subscriber, positions)
            except LogInconsistent:
                self._anew = await self._from_the_beginning()

    async def step(self, max_records: int = POLL_RECORDS) -> list[WholeUpdate]:
        """Poll once; what has become whole by that. What is shown and what is kept afterwards is the same."""
        assert self._reader is not None, "start comes first"
        reading = self._anew or self.subscriber
        records, before = await self._reader.poll(max_records), reading.is_past_ends
        positions, now_ms = self._reader.positions(), self._times.clock_ms()
        self.is_idle = not records
        if not before and now_ms - self._started_ms > self._times.compaction_lag_ms:
            self._anew = await self._from_the_beginning()
            return []
        if before and any(now_ms - record.append_time_ms > self._times.compaction_lag_ms for record in records):
            reading.start(await self._log.ends(self._partition, reading.topics))  # so late that heads in the middle may be gone
        reading.take(records)
        reading.moved(positions)
        updates = list(reading.flips())
        if self._anew is not None:
            return self._take_over(self._anew, now_ms) if self._anew.is_whole else []
        if reading.batch is not None and self._store is not None:
            reading.batch.last_read(now_ms)
            reading.batch.write(self._store)
        if reading.stale():
            self._anew = await self._from_the_beginning()
        return updates

    def is_whole(self) -> bool:
        """Whether everything that stood on the log at the start is shown."""
        return self._anew is None and self.subscriber.is_whole

    def positions(self) -> dict[str, int]:
        """Where it stands in each topic."""
        return {} if self._reader is None else self._reader.positions()

    async def close(self) -> None:
        if self._reader is not None:
            await self._reader.close()

    async def _from_the_beginning(self) -> Subscriber:
        fresh = Subscriber(self.topics, keeps=self._store is not None)
        starts = await self._log.starts(self._partition, fresh.topics)
        await self._open(fresh, starts)
        return fresh

    async def _open(self, subscriber: Subscriber, positions: dict[str, int]) -> None:
        if self._reader is not None:
            await self._reader.close()
        self._started_ms = self._times.clock_ms()
        subscriber.start(await self._log.ends(self._partition, subscriber.topics))
        self._reader = await self._log.reader(self._partition, positions)

    def _take_over(self, anew: Subscriber, now_ms: int) -> list[WholeUpdate]:
        updates = anew.as_read_anew(self.subscriber)
        self.subscriber, self._anew = anew, None
        if self._store is not None and anew.batch is not None:
            anew.batch.last_read(now_ms)
            anew.batch.replace(self._store)
        return updates

    def _wipe_with_next_batch(self) -> None:
        """What the store holds is of no use: it goes together with the first that is kept."""
        if self._store is not None and self.subscriber.batch is not None:
            fresh = Batch()
            fresh.deletes = {key for key, _ in self._store.items(b"")}
            fresh.followed(self.subscriber.topics)
            self.subscriber.batch = fresh


async def whole_updates(
    following: Following, sleep: Callable[[float], Awaitable[None]], *, forever: bool = False
) -> AsyncIterator[WholeUpdate]:
    """The updates of a started subscriber: up to what stood on the log at the start, or for ever.

    Raises:
        LogUnreachable: the log does not answer any more before that end; who follows for ever waits until it does.
    """
    patience = Patience()
    while forever or not following.is_whole():
        for update in await following.step():
            yield update
        if not forever:
            patience.look(following.positions())
        if following.is_idle and (forever or not following.is_whole()):
            await sleep(IDLE_S)
