"""One partition to try the engine on: a simulated log without weather, a disk, and what was said.

place = Place()
place.send(configured(1, "elo"), published("e1", 1, "A>B"))
place.rate()                                # one life, until nothing is left to do
with place.living() as rater:               # one that lives on
    place.send(published("e2", 1, "B>C"))
    rater.settle()
assert place.update("t:pool").number == 2
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import orjson

from rerate.log.seam import Out, Record
from rerate.messages.facts import FACT_TOPICS, ROW_TOPICS
from rerate.messages.reading import Message
from rerate.pool.head import Head, read_head
from rerate.pool.pool import Settings
from rerate.pool.update import Update
from rerate.rater.engine import Engine
from rerate.rater.world import Counts, Limits, World
from tests.kit.outcomes import check_all, check_heads, updates_of
from tests.kit.saying import POOL
from tests.kit.sendable import Data, Sendable
from tests.kit.simloop import SimLoop, SimProcess, SimTask
from tests.kit.simstore import SimDisk
from tests.kit.simworld import SETTINGS, RecordedLog, out


class Life:
    """A rater at work."""

    def __init__(self, place: "Place", process: SimProcess, settings: Settings, limits: Limits) -> None:
        self.process, self.told = process, list[str]()
        self._place = place
        handed = World(
            log=place.log.client(process), sleep=place.loop.sleep, offload=place.loop.offload, die=process.die, tell=self.told.append
        )
        self.engine = Engine(handed, place.disk.open(process), 0, settings, limits)
        self.task: SimTask[None]

    @property
    def counts(self) -> Counts:
        return self.engine.counts

    def settle(self) -> None:
        """Let it take everything there is; `died` says if it could not."""
        self._place.loop.run_until(lambda: self.task.is_done or self._is_idle())
        if self.task.is_done:
            self.task.result()

    def _is_idle(self) -> bool:
        is_read = self.counts.next == self._place.log_ends()
        return is_read and self.counts.step == "live" and self.task.wake_at_ms is not None and not self.engine._residents.has_unchecked


class Place:
    """A simulated log, its rater's disk, and what was said on it."""

    def __init__(self, *, partitions: int = 1, settings: Settings = SETTINGS, limits: Limits | None = None) -> None:
        self.settings, self.limits = settings, limits or Limits()
        self.loop = SimLoop()
        self.log = RecordedLog(0, partitions)
        self.disk = SimDisk()
        self.told: list[str] = []
        """By all raters so far, and why they died."""

    # ------------------------------------------------------------------ what is done

    def send(self, *messages: Sendable | Message) -> None:
        """Append facts, or raw messages."""
        for message in messages:
            raw = message.message(self.log.partitions) if isinstance(message, Sendable) else message
            self.log.append(0 if self.log.partitions == 1 else raw.partition, out(raw))

    def rate(self, *, settings: Settings | None = None, limits: Limits | None = None, process: SimProcess | None = None) -> Counts:
        """One life of a rater until nothing is left to do.

        Raises:
            Crashed: it died; its reason is the last of `told`.
        """
        process = process or SimProcess("rater")
        life = Life(self, process, settings or self.settings, limits or self.limits)
        try:
            self.loop.run(life.engine.run(until_idle=True), process)
        finally:
            self.told += [*life.told, process.reason]
        self.log.settle()
        return life.counts

    @contextmanager
    def living(self, *, settings: Settings | None = None, limits: Limits | None = None) -> Iterator[Life]:
        """A rater that lives on, having taken everything there is."""
        process = SimProcess("rater")
        life = Life(self, process, settings or self.settings, limits or self.limits)
        life.task = self.loop.spawn(life.engine.run(), process)
        life.settle()
        try:
            yield life
        finally:
            self.told += life.told
            life.engine.is_stopped = True
            self.loop.run_until(lambda: life.task.is_done)
            self.log.settle()

    def each(self, life: Life, *messages: Sendable | Message) -> None:
        """Append one by one, each when the one before has been taken."""
        for message in messages:
            self.send(message)
            life.settle()

    def rebuild(self, pool: str = POOL) -> Update:
        """As `rerate rater --rebuild POOL` does."""
        process = SimProcess("rebuilding")
        life = Life(self, process, self.settings, self.limits)

        async def work() -> Update:
            await life.engine.start()
            update = await life.engine.rebuild(pool)
            await life.engine.close()
            return update

        update = self.loop.run(work(), process)
        self.log.settle()
        return update

    def write(self, *records: Out) -> None:
        """As a writer that is none of ours: what is on the outcome topics then nobody rated."""

        async def work() -> None:
            writer = await self.log.client().writer(0)
            await writer.commit(records, {})
            await writer.close()

        self.loop.run(work())
        self.log.settle()

    # ------------------------------------------------------------------ what was said

    @property
    def said(self) -> list[Out]:
        """Every record of the outcome topics, in order within each topic."""
        return self.log.said[0]

    def log_ends(self) -> dict[str, int]:
        """Next offset of each fact topic behind its last record."""
        ends = dict.fromkeys(FACT_TOPICS, 0)
        for record in self.log.messages():
            ends[record.topic] = record.offset + 1
        return ends

    def receipts(self) -> list[Data]:
        """All receipts, by topic and offset."""
        read = [orjson.loads(record.value or b"") for record in self.said if record.topic == "fact-receipts"]
        return sorted(read, key=lambda told: (told["message"]["topic"], told["message"]["offset"]))

    def receipt(self, topic: str, offset: int = -1) -> Data:
        """The receipt of a message, by default of the last one of its topic."""
        found = [told for told in self.receipts() if told["message"]["topic"] == topic]
        return found[offset] if offset < 0 else next(told for told in found if told["message"]["offset"] == offset)

    def updates(self, pool: str = POOL) -> list[Update]:
        return updates_of(self.said).get(pool, [])

    def heads(self, pool: str = POOL) -> list[Head]:
        return [read_head(value) for value in check_heads(self.said).get(pool, [])]

    def head(self, pool: str = POOL) -> Head:
        return self.heads(pool)[-1]

    def progress(self) -> Data:
        """The newest partition head."""
        value: Data = orjson.loads([record.value or b"" for record in self.said if record.topic == "rater-progress"][-1])
        return value

    def row(self, topic: str, key: str, pool: str = POOL) -> Any:
        """A row as it stands, None if it does not."""
        value = self.log.truth[pool, self.log.newest(pool)][topic].get(key.encode())
        return None if value is None else orjson.loads(value)

    def rating(self, player: str, rating_list: str = "elo@1") -> str:
        rating: str = self.row("rating-snapshots", f"{POOL}/{rating_list}/t:{player}")["rating"]
        return rating

    def standing(self, fact: Sendable) -> Data:
        """What stands of a fact that has its id for itself."""
        content: Data = self.row("fact-standings", f"{POOL}@1/{fact.source}/{fact.id}")["contents"][0]
        return content

    def check(self) -> None:
        """Hold all that was said against all that was sent."""
        check_all(self.log.messages(), self.said, partitions=self.log.partitions, settings=self.settings)


def row_count(update: Update) -> int:
    return sum(len(update.rows[topic]) for topic in ROW_TOPICS)


def facts_in(records: list[Record], pool: str = POOL) -> list[Record]:
    """Messages whose key names the pool."""
    return [record for record in records if record.key == pool.encode()]
