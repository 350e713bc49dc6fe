import asyncio
import random
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rocksdict import Options, Rdict

from rerate.log.compaction import DAY_MS
from rerate.log.embedded import SWEEP_EVERY_MS, EmbeddedLog
from rerate.log.errors import LogInconsistent, LogMissing, LogUnreachable
from rerate.log.rocks import TABLES_TOO_MANY
from rerate.log.seam import Log, Out, Record, Writer
from tests.log.contract import COMPACTED, FACTS, OUTCOMES, Bench, LogContract, P, read, update

PROJECT = Path(__file__).parents[2]
FACTS_AT_ONCE = 3
"""As the victim appends them."""


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now_ms = 1_700_000_000_000

    def __call__(self) -> int:
        return self.now_ms


class EmbeddedBench(Bench):
    second_writer = "waits"
    lag_ms = DAY_MS
    retention_ms = 7 * DAY_MS

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.clock = Clock()
        self.opened: list[EmbeddedLog] = []
        self.writers: list[Writer] = []

    async def open(self, name: str = "log") -> EmbeddedLog:
        log = EmbeddedLog(self.directory / name, facts=FACTS, outcomes=OUTCOMES, compacted=COMPACTED, clock_ms=self.clock, lock_wait_s=0.05)
        self.opened.append(log)
        return log

    async def open_missing(self) -> Log:
        return await self.open("missing")

    async def pass_time(self, ms: int) -> None:
        self.clock.now_ms += ms

    async def clean(self, writer: Writer) -> None:
        await writer.commit([], {})

    async def close(self) -> None:
        for log in self.opened:
            await log.close()


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[EmbeddedBench]:
    made = EmbeddedBench(tmp_path)
    yield made
    await made.close()


class TestEmbeddedLog(LogContract):
    pass


# Who writes, and who waits


async def test_append_time_does_not_follow_a_clock_that_goes_back(bench: EmbeddedBench) -> None:
    log = await bench.open()
    writer = await log.writer(P)
    start = bench.clock.now_ms
    for moved in (0, 1000, -5000, 3000):
        bench.clock.now_ms += moved
        await log.append(P, [Out("played", b"k", b"v")])
        await writer.commit([Out("receipts", b"k", b"v")], {})
    for topic in ("played", "receipts"):
        assert [record.append_time_ms - start for record in await read(log, [topic])] == [0, 1000, 1000, 1000]


async def test_who_waits_too_long_is_told_for_what(bench: EmbeddedBench) -> None:
    log = await bench.open()
    await log.create()
    for path, attempt in ((log.facts_path, lambda: log.append(P, [Out("played", b"k", b"v")])), (log.outcomes_path, lambda: log.writer(P))):
        other = Rdict(str(path), Options(raw_mode=True))
        with pytest.raises(LogUnreachable, match=f"{path} is being written by another process; waited 0.05 s"):
            await attempt()
        other.close()
        await attempt()


async def test_who_waits_not_too_long_gets_his_turn(bench: EmbeddedBench) -> None:
    log, other = await bench.open(), await bench.open()
    other.lock_wait_s = 10
    first = await log.writer(P)
    waiting = asyncio.ensure_future(other.writer(P))
    for n in range(3):
        await asyncio.sleep(0)
        await first.commit(update(n, 1), {})
    assert not waiting.done()
    await first.close()
    await (await waiting).commit(update(3, 1), {})


async def test_publishers_at_once_lose_and_mix_nothing(tmp_path: Path) -> None:
    names = ("anna", "boris", "clara")
    async with AsyncExitStack() as stack:
        processes = [await stack.enter_async_context(started(tmp_path, "publish20", name)) for name in names]
        await asyncio.gather(*(process.wait() for process in processes))
    log = EmbeddedLog(tmp_path, facts=FACTS, outcomes=OUTCOMES, compacted=COMPACTED)
    facts = await read(log, ["played"])
    assert [fact.offset for fact in facts] == list(range(len(names) * 20 * FACTS_AT_ONCE))
    for name in names:
        values = [fact.value for fact in facts if fact.key == name.encode()]
        assert values == [b"%d %d" % (number, index) for number in range(1, 21) for index in range(FACTS_AT_ONCE)]
    for at in range(0, len(facts), FACTS_AT_ONCE):
        assert len({fact.key for fact in facts[at : at + FACTS_AT_ONCE]}) == 1, "an append is in one piece"
    times = [fact.append_time_ms for fact in facts]
    assert times == sorted(times)
    await log.close()


async def test_many_small_appends_leave_few_files(bench: EmbeddedBench) -> None:
    log = await bench.open()
    for n in range(40):
        await log.append(P, [Out("played", b"k", b"%d" % n)])
    assert len(list(log.facts_path.glob("*.sst"))) <= TABLES_TOO_MANY
    assert len(await read(log, ["played"])) == 40


async def test_followers_leave_nothing_behind(bench: EmbeddedBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    homes = tmp_path / "homes"
    homes.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(homes))
    log = await bench.open()
    await log.append(P, [Out("played", b"k", b"v")])
    await log.ends(P, [*FACTS, *OUTCOMES])
    assert list(homes.iterdir()) == []
    await log.append(P, [Out("played", b"k", b"w")])
    assert [record.value for record in await read(log, ["played"])] == [b"v", b"w"]


# What is missing, and what does not fit


async def test_a_missing_log_is_named(bench: EmbeddedBench) -> None:
    log = await bench.open()
    with pytest.raises(LogMissing, match=f"there is no log at {log.outcomes_path}"):
        await log.ends(P, ["rows"])


async def test_an_append_and_a_writer_make_what_is_missing(bench: EmbeddedBench) -> None:
    published, written = await bench.open("published"), await bench.open("written")
    await published.append(P, [Out("played", b"k", b"v")])
    await written.writer(P)
    for log in (published, written):
        assert await read(log, OUTCOMES) == []
    assert await written.ends(P, ["played"]) == {"played": 0}


async def test_outcomes_of_facts_that_are_not_there_open_for_nobody(bench: EmbeddedBench) -> None:
    log = await bench.open()
    await log.append(P, [Out("played", b"k", b"v")] * 3)
    writer = await log.writer(P)
    await writer.commit([], {"played": 3})
    await writer.close()
    shutil.rmtree(log.facts_path)
    with pytest.raises(LogInconsistent, match=r"has consumed played up to offset 3, but in .*facts it ends at 0: facts are lost"):
        await (await bench.open()).writer(P)
    await (again := await bench.open()).append(P, [Out("played", b"k", b"v")] * 2)
    with pytest.raises(LogInconsistent, match="it ends at 2: facts are lost"):
        await again.writer(P)
    await again.append(P, [Out("played", b"k", b"v")])
    assert (await again.writer(P)).committed() == {"played": 3}


async def test_a_log_of_another_format_is_not_touched(bench: EmbeddedBench) -> None:
    log = await bench.open()
    await log.create()
    db = Rdict(str(log.facts_path), Options(raw_mode=True))
    db[b"\x00"] = b'{"format": 2}'
    db.close()
    with pytest.raises(LogInconsistent, match="format 2, this program reads format 1"):
        await log.append(P, [Out("played", b"k", b"v")])
    with pytest.raises(LogInconsistent, match="format 2"):
        await log.ends(P, ["played"])


# Compaction


async def test_compaction_comes_at_the_opening_and_then_hourly(bench: EmbeddedBench) -> None:
    log = await bench.open()
    writer = await log.writer(P)

    async def left() -> list[bytes | None]:
        return [record.value for record in await read(log, ["rows"])]

    await writer.commit([Out("rows", b"k", b"1"), Out("rows", b"k", b"2")], {})
    await bench.pass_time(DAY_MS)
    await writer.close()
    writer = await log.writer(P)
    assert await left() == [b"2"]
    await writer.commit([Out("rows", b"k", b"3")], {})
    await bench.pass_time(DAY_MS - SWEEP_EVERY_MS // 2)
    await writer.commit([], {})
    await bench.pass_time(SWEEP_EVERY_MS - 1)
    await writer.commit([], {})
    assert await left() == [b"2", b"3"]
    await bench.pass_time(1)
    await writer.commit([], {})
    assert await left() == [b"3"]


async def test_compaction_does_not_do_more_at_once_than_told(bench: EmbeddedBench) -> None:
    log = await bench.open()
    writer = await log.writer(P)
    await writer.commit([Out("rows", b"%d" % (n % 10), b"%d" % n) for n in range(30)], {})
    later = bench.clock.now_ms + DAY_MS
    assert [writer.compact(later, at_most=15) for _ in range(3)] == [15, 5, 0]
    assert [record.value for record in await read(log, ["rows"])] == [b"%d" % n for n in range(20, 30)]


LAG_MS, RETENTION_MS = 10, 25
MOVES = st.one_of(
    st.lists(st.tuples(st.sampled_from([b"a", b"ab", b"b", b"b\xff"]), st.sampled_from([b"v", None])), min_size=1, max_size=4),
    st.integers(0, 40),
    st.sampled_from(["compact", "compact one by one", "reopen"]),
)


@given(st.lists(MOVES, max_size=25))
@example([[(b"a", b"v"), (b"a", None)], RETENTION_MS, "compact one by one"])
@settings(max_examples=25, deadline=None)
def test_compaction_keeps_what_a_plain_model_keeps(moves: list[list[tuple[bytes, bytes | None]] | int | str]) -> None:
    """The model looks at each record: is it superseded for as long as the lag, is it a tombstone as old as its retention?"""

    async def run(directory: Path) -> None:
        clock = Clock()
        log = EmbeddedLog(
            directory,
            facts=FACTS,
            outcomes=OUTCOMES,
            compacted=COMPACTED,
            clock_ms=clock,
            min_compaction_lag_ms=LAG_MS,
            delete_retention_ms=RETENTION_MS,
        )
        writer = await log.writer(P)
        model = Model()
        for move in moves:
            match move:
                case int():
                    clock.now_ms += move
                case list():
                    await writer.commit([Out("rows", key, value) for key, value in move], {})
                    model.write(move, clock.now_ms)
                case "compact":
                    writer.compact(clock.now_ms)
                    model.compact(clock.now_ms)
                case "compact one by one":
                    while writer.compact(clock.now_ms, at_most=1):
                        assert fold(await read(log, ["rows"])) == model.newest
                    model.compact(clock.now_ms)
                case _:
                    await writer.close()
                    writer = await log.writer(P)
                    model.compact(clock.now_ms)
            left = await read(log, ["rows"])
            assert [(r.offset, r.append_time_ms, r.key, r.value) for r in left] == model.left
            assert fold(left) == model.newest
            for prefix in (b"", b"a", b"b"):
                found = [(r.key, r.value) for r in await log.newest_with_prefix(P, "rows", prefix)]
                assert found == sorted((key, value) for key, value in model.newest.items() if key.startswith(prefix))
        await writer.close()
        await log.close()

    with tempfile.TemporaryDirectory() as directory:
        asyncio.run(run(Path(directory)))


def fold(records: list[Record]) -> dict[bytes | None, bytes]:
    """As a subscriber who begins now has it."""
    newest = {record.key: record.value for record in records}
    return {key: value for key, value in newest.items() if value is not None}


class Model:
    def __init__(self) -> None:
        self.left: list[tuple[int, int, bytes, bytes | None]] = []
        self.newest: dict[bytes, bytes] = {}
        self._end = 0

    def write(self, records: list[tuple[bytes, bytes | None]], now_ms: int) -> None:
        for key, value in records:
            self.left.append((self._end, now_ms, key, value))
            self._end += 1
            self.newest.pop(key, None)
            if value is not None:
                self.newest[key] = value

    def compact(self, now_ms: int) -> None:
        self.left = [one for one in self.left if not self._goes(*one, now_ms)]

    def _goes(self, offset: int, time_ms: int, key: bytes, value: bytes | None, now_ms: int) -> bool:
        superseded_ms = next((later for at, later, other, _ in self.left if other == key and at > offset), None)
        if superseded_ms is not None:
            return superseded_ms <= now_ms - LAG_MS
        return value is None and time_ms <= now_ms - RETENTION_MS


# Killed at any moment


@asynccontextmanager
async def started(directory: Path, work: str, name: str = "victim") -> AsyncIterator[asyncio.subprocess.Process]:
    """The victim at work; killed at the end if it is still there."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.log.victim", str(directory), work, name, stdout=asyncio.subprocess.PIPE, cwd=PROJECT
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


class Watcher:
    """Reads all row topics beside the victim and stops at anything torn."""

    def __init__(self) -> None:
        self.head = 0
        self._rows = dict.fromkeys(COMPACTED, 0)
        self._heads = dict.fromkeys(COMPACTED, 0)

    def take(self, records: list[Record]) -> None:
        for record in records:
            number = int(record.value or b"")
            assert number == self._heads[record.topic] + 1, "rows of one update, then the next"
            if record.key == b"head":
                assert self._rows[record.topic] == (number % 40 if record.topic != "heads" else 0), "a head comes after all of its rows"
                self._heads[record.topic] = number
            self._rows[record.topic] = 0 if record.key == b"head" else self._rows[record.topic] + 1
        assert set(self._rows.values()) == {0}, "a poll that is not full ends with a whole update"
        assert len(set(self._heads.values())) == 1, "and with the same in all topics"
        self.head = self._heads["heads"]


def check_facts(facts: list[Record]) -> None:
    assert [fact.offset for fact in facts] == list(range(len(facts)))
    times = [fact.append_time_ms for fact in facts]
    assert times == sorted(times)
    for at in range(0, len(facts), FACTS_AT_ONCE):
        batch = [(fact.value or b"").split() for fact in facts[at : at + FACTS_AT_ONCE]]
        assert [(number, int(index)) for number, index in batch] == [(batch[0][0], index) for index in range(FACTS_AT_ONCE)]


async def test_killed_at_random_moments_nothing_is_torn_and_nothing_that_was_answered_is_lost(tmp_path: Path) -> None:
    rng = random.Random(20)
    log = EmbeddedLog(tmp_path, facts=FACTS, outcomes=OUTCOMES, compacted=COMPACTED)
    await log.create()
    reader = await log.reader(P, dict.fromkeys(COMPACTED, 0))
    watcher = Watcher()
    answered = {b"head": 0, b"fact": -1}
    for _ in range(30):
        async with started(tmp_path, "write") as victim:
            assert victim.stdout is not None
            for _ in range(rng.randint(1, 20)):
                words = (await victim.stdout.readline()).split()
                assert words, "the victim has ended by itself"
                if words[0] in answered:
                    answered[words[0]] = int(words[-1])
                watcher.take(await reader.poll(1_000_000))
            kill_at = time.monotonic() + rng.uniform(0, 0.01)
            while time.monotonic() < kill_at:
                watcher.take(await reader.poll(1_000_000))
        watcher.take(await reader.poll(1_000_000))
        assert watcher.head >= answered[b"head"]
        facts = await read(log, ["played"])
        check_facts(facts)
        assert len(facts) > answered[b"fact"]
        writer = await log.writer(P)
        assert (writer.committed() or {"played": 0})["played"] <= len(facts)
        await writer.close()
    assert watcher.head > 30
    await log.close()
