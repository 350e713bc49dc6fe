"""The engine in the simulated world: crashes at every await, two raters at once, lost stores, publishers that send twice.

After each schedule every message has one receipt, the heads are a chain, the topics say what a fresh pool says, and no reader was ever
shown anything torn or old.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from rerate.log.seam import Out, Record
from rerate.messages.facts import ROW_TOPICS
from rerate.messages.reading import Message
from rerate.pool.head import read_head
from rerate.pool.pool import Pool
from rerate.pool.update import Update
from rerate.rater import outcome
from rerate.rater.cache import FactCache
from rerate.rater.engine import Engine
from rerate.rater.judging import Judged
from rerate.rater.outcome import update_records
from rerate.rater.residents import Residents
from rerate.rater.world import Limits
from tests.kit.histories import World
from tests.kit.laws import EXAMPLES, IS_LONG, SEED
from tests.kit.outcomes import check_head, check_heads
from tests.kit.simloop import SimProcess
from tests.kit.simworld import SimWorld, Weather, random_messages

POOLS = ("w:pool", "w:q", "w:r")
CHUNKS = 10


def often(test: Callable[[int], None]) -> Callable[[int], None]:
    """As for a law: `RERATE_LAWS` says how many schedules, and makes it long."""
    return pytest.mark.timeout(7_200)(pytest.mark.long(test)) if IS_LONG else test


def schedule(seed: int) -> SimWorld:
    """One world from its seed."""
    random = Random(f"{seed} schedule")
    partitions = random.choice((1, 1, 2))
    limits = Limits(records_a_step=random.choice((3, 10)), behind=random.choice((5, 100)), resident_facts=12)
    world = SimWorld(seed, Weather.drawn(random), partitions=partitions, limits=limits)
    history = World(unknown_semantics=random.random() < 0.3)
    messages = random_messages(random, POOLS[: random.randint(1, 3)], partitions, random.randint(3, 20), random.choice((0, 0.2)), history)
    middle, late = sorted((random.randint(0, len(messages)), random.randint(0, len(messages))))
    world.publish(messages[:middle])
    world.publish(messages[middle:late])
    world.publish(messages[late:], late=True)
    return world


@pytest.mark.parametrize("chunk", range(CHUNKS))
@often
def test_nothing_is_lost_doubled_or_torn_whatever_dies(chunk: int) -> None:
    happened: Counter[str] = Counter()
    for number in range(chunk, EXAMPLES, CHUNKS):
        seed = SEED + number
        try:
            happened += run(seed)
        except BaseException as error:
            error.add_note(f"run({seed}), schedule {number} of RERATE_LAWS_SEED={SEED}")
            raise
    print(f"schedules {chunk} of {CHUNKS}: {dict(happened)}")


def run(seed: int) -> Counter[str]:
    """Run one schedule and hold it against the laws.

    Returns:
        What happened in it.
    """
    world = schedule(seed)
    with world.loop:
        world.run()
        accepted = world.check(schemas=1)
        for partition in range(world.log.partitions):
            for pool, values in check_heads(world.log.said[partition]).items():
                check_head(read_head(Random(seed).choice(values)), accepted[pool], world.settings)
    return world.happened + Counter(flips=sum(watching.flips for watching in world.watching))


# One short scenario, and a crash at every point of it


def short_world(messages: Sequence[Message]) -> SimWorld:
    """A world without weather; its publisher is at work while the rater starts."""
    world = SimWorld(7, Weather())
    world.publish(messages, late=True)
    return world


def some_messages() -> list[Message]:
    return random_messages(Random(7), POOLS[:2], 1, 5, 0.2)


def lived(crash_at: int | None, *, then: str = "") -> SimProcess:
    """The process of a rater that dies at a point, after which the world comes to its end and is held against the laws.

    Args:
        then: what befalls the store: `wiped`, `lost power`, or nothing.
    """
    world = short_world(some_messages())
    with world.loop:
        process = world.begin(SimProcess("rater", crash_at=crash_at))
        disk = world.disks[0, 0]
        if then == "wiped":
            disk.wipe()
        elif then == "lost power":
            disk.lose_power(3)
        world.end()
        world.check()
    return process


@pytest.mark.parametrize("then", ["", "wiped", "lost power"])
def test_a_crash_at_any_point_loses_and_doubles_nothing(then: str) -> None:
    points = lived(None).points
    assert points > 60
    names = Counter(lived(at, then=then).last_point for at in range(1, points + 1))
    print(f"{points} points: {dict(names)}")
    assert {
        "writer: opened",
        "commit: sent fact-receipts",
        "commit: sent offsets",
        "commit: done",
        "store: before the batch",
    } <= names.keys()


def test_a_crash_at_any_point_of_the_recovery_loses_and_doubles_nothing() -> None:
    """The store is lost, so that recovery reads everything; it dies at each of its points, and is itself recovered from."""
    at, has_died = 0, True
    while has_died:
        at += 1
        world = short_world(some_messages())
        with world.loop:
            world.begin(SimProcess("rater"))
            world.disks[0, 0].wipe()
            has_died = not world.rate(process=SimProcess("recovering", crash_at=at)).alive
            world.end()
            world.check()
    assert at > 30
    print(f"{at} points")


# Engines that are broken on purpose


def refill_names_all(patch: pytest.MonkeyPatch) -> None:
    """What is refilled is thought to be named by an update."""
    patch.setattr(Engine, "_is_unnamed", lambda self, one: False)


def store_ahead_is_kept(patch: pytest.MonkeyPatch) -> None:
    """The store batch is written before the transaction, and a store that is ahead is kept."""
    commit = Engine._commit

    async def store_first(self: Engine, judged: Sequence[Judged], *arguments: Any, **more: Any) -> None:
        accepted = [one.accepted for one in judged if one.accepted is not None]
        self._cache.write(accepted, self._next, {one.pool for one in accepted}, ())
        await commit(self, judged, *arguments, **more)

    patch.setattr(Engine, "_commit", store_first)
    patch.setattr(FactCache, "wipe", lambda self: None)


def heads_where_rows_are(patch: pytest.MonkeyPatch) -> None:
    """A topic without rows gets no head."""

    def records(update: Update) -> list[Out]:
        return [
            record
            for topic in ROW_TOPICS
            if update.rows[topic]
            for record in update_records(replace(update, rows={**{key: [] for key in ROW_TOPICS}, topic: update.rows[topic]}))
            if record.topic == topic
        ]

    patch.setattr(outcome, "update_records", records)


def duplicates_of_a_step_only(patch: pytest.MonkeyPatch) -> None:
    """Facts of earlier steps are forgotten when it comes to duplicates."""
    patch.setattr(FactCache, "has", lambda self, pool, identity: False)


def waiting_facts_are_dropped(patch: pytest.MonkeyPatch) -> None:
    """A pool that is loaded forgets what no update names yet."""
    load = Residents._load

    async def dropping(self: Residents, pool: str) -> tuple[Pool, list[object]]:
        return (await load(self, pool))[0], []

    patch.setattr(Residents, "_load", dropping)


def heads_read_before_the_fence(patch: pytest.MonkeyPatch) -> None:
    """Partition head and heads are read before the writer is opened."""
    start = Engine.start

    async def early(self: Engine) -> None:
        log = self._world.log
        head = await log.newest(self._partition, "rater-progress", str(self._partition).encode())
        heads = await log.newest_with_prefix(self._partition, "rating-heads", b"")

        async def known(partition: int, topic: str, key: bytes) -> Record | None:
            return head

        async def all_known(partition: int, topic: str, prefix: bytes) -> list[Record]:
            return heads

        log.newest, log.newest_with_prefix = known, all_known  # type: ignore[method-assign]
        await start(self)

    patch.setattr(Engine, "start", early)


def receipts_apart(patch: pytest.MonkeyPatch) -> None:
    """Receipts in a transaction of their own, after the rows."""
    write = Engine._write

    async def apart(self: Engine, records: Sequence[Out], consumed: Mapping[str, int]) -> None:
        await write(self, [record for record in records if record.topic != "fact-receipts"], consumed)
        await write(self, [record for record in records if record.topic == "fact-receipts"], consumed)

    patch.setattr(Engine, "_write", apart)


BROKEN = (
    refill_names_all,
    store_ahead_is_kept,
    heads_where_rows_are,
    duplicates_of_a_step_only,
    waiting_facts_are_dropped,
    heads_read_before_the_fence,
    receipts_apart,
)


@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: broken.__name__)
def test_a_broken_engine_is_caught(broken: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch)
    for seed in range(SEED, SEED + 1_000):
        try:
            run(seed)
        except Exception as error:
            print(f"caught by schedule {seed - SEED}: {str(error)[:200]}")
            return
    raise AssertionError("nobody noticed")
