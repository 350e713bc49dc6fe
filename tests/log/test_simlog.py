from collections.abc import Callable, Coroutine, Generator
from contextlib import suppress
from typing import Any

import pytest

from rerate.log.errors import Fenced, LogInconsistent, LogUnreachable
from rerate.log.seam import Log, Out, Record, Store, Writer
from tests.kit.simlog import SimLog
from tests.kit.simloop import Crashed, SimLoop, SimProcess
from tests.kit.simstore import UNSYNCED_AT_MOST, SimDisk
from tests.log.contract import COMPACTED, FACTS, OUTCOMES, Bench, LogContract, P, update
from tests.log.store_contract import Shelf, StoreContract


class SimBench(Bench):
    second_writer = "fences"
    lag_ms = 50_000
    retention_ms = 200_000

    def __init__(self, seed: int) -> None:
        self.log = SimLog(
            seed,
            facts=FACTS,
            outcomes=OUTCOMES,
            compacted=COMPACTED,
            lag_steps=self.lag_ms,
            retention_steps=self.retention_ms,
            clean_rate=0.05,
        )

    async def open(self) -> Log:
        return self.log.client(SimProcess("one more"))

    async def open_missing(self) -> Log:
        return SimLog(facts=(), outcomes=()).client()

    async def pass_time(self, ms: int) -> None:
        self.log.settle()
        self.log.steps += ms

    async def clean(self, writer: Writer) -> None:
        for topic in COMPACTED:
            self.log.clean(0, topic)


@pytest.fixture(params=range(5))
def bench(request: pytest.FixtureRequest) -> SimBench:
    return SimBench(request.param)


class TestSimLog(LogContract):
    pass


class SimShelf(Shelf):
    def __init__(self) -> None:
        self.disk = SimDisk()

    def open(self) -> Store:
        return self.disk.open(SimProcess())


@pytest.fixture
def shelf() -> SimShelf:
    return SimShelf()


class TestSimStore(StoreContract):
    pass


# What Kafka does and the embedded log does not


def cluster(seed: int, *, clean_rate: float = 0.0, lost_answer_rate: float = 0.0, lag_steps: int = 2_000) -> SimLog:
    return SimLog(
        seed,
        facts=FACTS,
        outcomes=OUTCOMES,
        compacted=COMPACTED,
        clean_rate=clean_rate,
        lost_answer_rate=lost_answer_rate,
        lag_steps=lag_steps,
        retention_steps=5 * lag_steps,
    )


def seen(log: SimLog, topic: str) -> list[bytes | None]:
    return [one.record.value for one in log.part(P, topic).seen]


def test_each_topic_shows_a_transaction_at_its_own_time() -> None:
    first_shown = set()
    for seed in range(20):
        log = cluster(seed)

        async def commit(log: SimLog = log) -> None:
            writer = await log.client().writer(P)
            await writer.commit(update(1, 3), {})

        SimLoop(seed).run(commit())
        while not all(seen(log, topic) for topic in COMPACTED):
            shown = tuple(topic for topic in COMPACTED if seen(log, topic))
            if len(shown) == 1:
                first_shown.add(shown[0])
            assert all(len(seen(log, topic)) in (0, 1 if topic == "heads" else 4) for topic in COMPACTED)
            log.drift()
    assert first_shown == set(COMPACTED)


def test_what_a_dead_writer_left_open_holds_readers_back_until_the_next_one_opens_and_is_never_seen() -> None:
    for seed in range(20):
        log, loop = cluster(seed), SimLoop(seed)
        process = SimProcess("rater")

        async def die_in_a_commit(log: SimLog = log, process: SimProcess = process) -> None:
            writer = await log.client(process).writer(P)
            await writer.commit([Out("rows", b"k", b"1")], {"played": 1})
            log.settle()
            process._crash_at = process.points + 3
            await writer.commit([Out("rows", b"k", b"lost")] * 2, {"played": 2})

        with pytest.raises(Crashed):
            loop.run(die_in_a_commit(), process)
        for _ in range(100):
            log.drift()
        assert loop.run(log.client().ends(P, ["rows"])) == {"rows": 2}
        assert log.part(P, "rows").end == 4
        writer = loop.run(log.client().writer(P))
        assert writer.committed() == {"played": 1}
        loop.run(writer.commit([Out("rows", b"k", b"2")], {"played": 2}))
        log.settle()
        assert [(r.offset, r.value) for r in loop.run(read_by_hand(log, "rows"))] == [(0, b"1"), (5, b"2")]
        assert loop.run(log.client().ends(P, ["rows"])) == {"rows": 7}


async def read_by_hand(log: SimLog, topic: str) -> list[Record]:
    client = log.client()
    ends = await client.ends(P, [topic])
    reader = await client.reader(P, {topic: 0})
    found: list[Record] = []
    while reader.positions()[topic] < ends[topic]:
        found += await reader.poll(3)
    return found


def test_a_writer_that_was_stopped_is_fenced_when_it_goes_on_wherever_it_was() -> None:
    ends = set()
    for seed in range(200):
        log, loop = cluster(seed), SimLoop(seed)
        old = SimProcess("old")

        async def write(log: SimLog, process: SimProcess, number: int) -> None:
            writer = await log.client(process).writer(P)
            while True:
                await writer.commit(update(number, 2), {"played": number})

        zombie = loop.spawn(write(log, old, 1), old)
        for _ in range(10 + seed % 23):
            loop.step()
        old.is_paused = True
        successor = loop.run(log.client().writer(P))
        before = len(seen(log, "heads"))
        assert (successor.committed() is None) == (before == 0)
        assert len(seen(log, "rows")) == before * 3
        old.is_paused = False
        loop.run_until(lambda zombie=zombie: zombie.is_done)
        assert isinstance(zombie.error, Fenced)
        loop.run(successor.commit(update(2, 2), {"played": 2}))
        log.settle()
        assert seen(log, "heads") == [b"1"] * before + [b"2"]
        ends.add(before)
    assert len(ends) > 3


def test_a_commit_whose_answer_is_lost_was_done_or_not() -> None:
    outcomes = set()
    for seed in range(40):
        log, loop = cluster(seed, lost_answer_rate=1.0), SimLoop(seed)
        writer = loop.run(log.client().writer(P))
        with pytest.raises(LogUnreachable):
            loop.run(writer.commit(update(1, 2), {"played": 1}))
        with pytest.raises(LogUnreachable, match="finished"):
            loop.run(writer.commit([], {}))
        committed = loop.run(log.client().writer(P)).committed()
        assert len(seen(log, "rows")) == (3 if committed else 0)
        outcomes.add(committed is None)
    assert outcomes == {True, False}


def test_an_append_whose_answer_is_lost_was_done_in_part() -> None:
    counts = set()
    for seed in range(40):
        log = cluster(seed, lost_answer_rate=1.0)
        with pytest.raises(LogUnreachable):
            SimLoop(seed).run(log.client().append(P, [Out("played", b"k", b"v")] * 3))
        counts.add(len(seen(log, "played")))
    assert counts == {0, 1, 2, 3}


def test_the_cleaner_takes_what_is_superseded_in_its_own_time_and_leaves_what_is_young() -> None:
    lengths = set()
    for seed in range(30):
        log, loop = cluster(seed, clean_rate=0.2, lag_steps=30), SimLoop(seed)
        writer = loop.run(log.client().writer(P))
        for n in range(20):
            loop.run(writer.commit([Out("rows", b"%d" % (n % 3), b"%d" % n), Out("receipts", None, b"%d" % n)], {}))
            since = {one.record.value: one.since for one in log.part(P, "rows").seen}
            young = [b"%d" % m for m in range(n) if since.get(b"%d" % m, 0) > log.steps - 30]
            assert [value for value in seen(log, "rows") if value in young] == young
            log.settle()
            assert seen(log, "rows")[-1] == b"%d" % n
        assert len(seen(log, "receipts")) == 20
        lengths.add(len(seen(log, "rows")))
    assert len(lengths) > 3


def test_gaps_retention_and_an_expired_group_are_at_hand() -> None:
    log, loop = cluster(1), SimLoop(1)
    client = log.client()
    loop.run(client.append(P, [Out("played", b"k", b"%d" % n) for n in range(4)]))
    log.leave_gap(P, "played", 2)
    assert loop.run(client.append(P, [Out("played", b"k", b"4")])) == [6]
    log.delete_before(P, "played", 2)
    assert loop.run(client.starts(P, ["played"])) == {"played": 2}
    with pytest.raises(LogInconsistent, match="holds offsets 2 to 7, but is to be read from 0"):
        loop.run(client.reader(P, {"played": 0}))
    writer = loop.run(client.writer(P))
    loop.run(writer.commit([], {"played": 7}))
    log.expire_group(P)
    assert loop.run(client.writer(P)).committed() is None


# Crashes and the loop


class Rater:
    """The smallest engine: a receipt for each fact, the count of facts in its store. Each of its lives is one run."""

    def __init__(self, log: SimLog, disk: SimDisk, loop: SimLoop, process: SimProcess) -> None:
        self.log = log.client(process)
        self.disk = disk
        self.loop = loop
        self.process = process

    async def run(self) -> None:
        store = self.disk.open(self.process)
        writer = await self.log.writer(P)
        try:
            await self.work(store, writer)
        except Crashed:  # clean-up of a dead process: nothing may come of it
            with suppress(Crashed):
                store.write([(b"count", b"spoilt")])
            await writer.commit([Out("receipts", None, b"spoilt")], {})

    async def work(self, store: Store, writer: Writer) -> None:
        position = (writer.committed() or {"played": 0})["played"]
        refill = await self.log.reader(P, {"played": int(store.get(b"count") or b"0")})
        count = refill.positions()["played"]
        assert count <= position, "the store can only be behind"
        while refill.positions()["played"] < position:
            count += len(await refill.poll(position - refill.positions()["played"]))
            await self.loop.sleep(0)
        assert count == position
        reader = await self.log.reader(P, {"played": position})
        while True:
            facts = await reader.poll(3)
            if not facts:
                await self.loop.sleep(0.1)
                continue
            count = await self.loop.offload(lambda count, facts: count + len(facts), count, facts)
            receipts = [Out("receipts", None, fact.value) for fact in facts]
            await writer.commit([*receipts, Out("heads", b"head", b"%d" % count)], {"played": reader.positions()["played"]})
            store.write([(b"count", b"%d" % count)])


FACT_COUNT = 10


def run_lives(seed: int, life: Callable[[int], SimProcess], *, power_loss_rate: float = 0.0, lost_answer_rate: float = 0.0) -> SimProcess:
    """Lives of a rater until all facts have their receipt; the first life."""
    log, disk = cluster(seed, lost_answer_rate=lost_answer_rate), SimDisk(seed, power_loss_rate=power_loss_rate)
    facts = [b"%d" % n for n in range(FACT_COUNT)]
    for value in facts:
        log.append(P, Out("played", b"k", value))
    with SimLoop(seed) as loop:
        first = process = life(0)
        task = loop.spawn(Rater(log, disk, loop, process).run(), process)
        number = 0
        while len(seen(log, "receipts")) < len(facts) or (disk.content.get(b"count") != b"10" and not task.is_done):
            if task.is_done:
                if isinstance(task.error, LogUnreachable):
                    process.kill()
                assert not process.alive, task.error
                number += 1
                process = life(number)
                task = loop.spawn(Rater(log, disk, loop, process).run(), process)
            loop.step()
    log.settle()
    assert seen(log, "receipts") == facts
    heads = [int(value or b"0") for value in seen(log, "heads")]
    assert heads == sorted(set(heads)), "no head twice, none older after a newer"
    return first


def test_a_crash_at_each_point_leaves_each_fact_one_receipt() -> None:
    points = run_lives(1, lambda number: SimProcess(f"life {number}")).points
    assert points > 40
    for crash_at in range(1, points + 1):
        first = run_lives(1, lambda number, crash_at=crash_at: SimProcess(f"life {number}", crash_at=None if number else crash_at))
        assert (first.points, first.alive) == (crash_at, False)


def test_crashes_anywhere_again_and_again_with_power_and_answers_lost_leave_each_fact_one_receipt() -> None:
    for seed in range(300):

        def life(number: int, seed: int = seed) -> SimProcess:
            return SimProcess(f"life {number}", seed=seed, crash_rate=0.05)

        run_lives(seed, life, power_loss_rate=0.5, lost_answer_rate=0.1)


def test_the_same_seed_gives_the_same_history() -> None:
    def history(seed: int) -> tuple[int, str]:
        first = run_lives(seed, lambda number: SimProcess(f"life {number}", seed=seed, crash_rate=0.02))
        return first.points, first.reason

    assert [history(seed) for seed in range(10)] == [history(seed) for seed in range(10)]
    assert len({history(seed) for seed in range(10)}) > 3


def test_a_loss_of_power_takes_whole_batches_from_the_end() -> None:
    disk = SimDisk()
    store = disk.open()
    for n in range(20):
        store.write([(b"n", b"%d" % n), (b"%d" % n, b"")], [b"%d" % (n - 2)])
    disk.lose_power(3)
    assert disk.content == {b"n": b"16", b"16": b"", b"15": b""}
    disk.lose_power(100)
    assert disk.content[b"n"] == b"%d" % (19 - UNSYNCED_AT_MOST)


def test_a_dead_process_ends_whatever_it_awaits_and_its_clean_up_does_nothing() -> None:
    loop, process = SimLoop(), SimProcess("rater")
    log, disk = cluster(0), SimDisk()
    task = loop.spawn(Rater(log, disk, loop, process).run(), process)
    for _ in range(50):
        loop.step()
    process.kill("switched off")
    loop.run(loop.sleep(1))
    assert task.crashed
    assert disk.content == {}
    assert seen(log, "receipts") == []
    with pytest.raises(Crashed, match="switched off"):
        task.result()


def test_sleepers_wake_in_time_and_others_run_meanwhile() -> None:
    orders = set()
    for seed in range(20):
        loop = SimLoop(seed, now_ms=0)
        woken: list[str] = []

        async def sleeper(name: str, seconds: float, loop: SimLoop = loop, woken: list[str] = woken) -> None:
            began_ms = loop.now_ms
            await loop.sleep(seconds)
            assert loop.now_ms >= began_ms + seconds * 1000
            woken.append(name)

        tasks = [loop.spawn(sleeper(name, seconds)) for name, seconds in (("long", 5), ("short", 1), ("short too", 1))]
        loop.run_until(lambda tasks=tasks: all(task.is_done for task in tasks))
        orders.add(tuple(woken))
    assert {("short", "short too", "long"), ("short too", "short", "long")} <= orders


class Foreign:
    def __await__(self) -> Generator[str, None, None]:
        yield "the answer of a socket"


def test_the_loop_says_when_nothing_can_run_or_something_foreign_is_awaited() -> None:
    async def foreign() -> None:
        await Foreign()

    async def forever(loop: SimLoop) -> None:
        while True:
            await loop.sleep(1)

    with SimLoop() as loop, pytest.raises(AssertionError, match="no end after 50 steps"):
        loop.run(forever(loop), at_most=50)
    with pytest.raises(AssertionError, match="nothing can run"):
        SimLoop().step()
    await_foreign: Coroutine[Any, Any, None] = foreign()
    with pytest.raises(AssertionError, match="not of this world"):
        SimLoop().run(await_foreign)
    await_foreign.close()
