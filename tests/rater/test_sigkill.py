"""The real rater on the embedded log, killed thirty times at random moments while publishers append and readers follow.

Half of the kills come after a time drawn by a seed, half when something has just become visible: a partition head, a head of a pool.
"""

import asyncio
import shutil
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

import pytest

from rerate.audit.verify import verify
from rerate.board.following import Following, Times
from rerate.board.updates import WholeUpdate
from rerate.intake import football
from rerate.log.embedded import EmbeddedLog, wall_clock_ms
from rerate.log.seam import Record, Store
from rerate.log.store import RocksStore
from rerate.messages.facts import COMPACTED_TOPICS, FACT_TOPICS, OUTCOME_TOPICS, ROW_TOPICS
from rerate.messages.reading import Message
from rerate.pool.pool import Settings
from rerate.rater.app import ENGINE
from rerate.rater.progress import read_partition_head
from tests.kit.laws import SEED
from tests.kit.outcomes import check_all, check_schemas, updates_of
from tests.kit.sendable import Sendable
from tests.kit.simworld import out, random_messages

PROJECT = Path(__file__).parents[2]
KILLS = 30
FOOTBALL = 2_500
"""Facts of the football history, of some 45,000."""
DEADLINE_S = 60.0
"""For anything that is waited for."""


def football_excerpt(random: Random, count: int) -> list[Message]:
    """Events of the football history with all that befell them, those that were corrected or deleted first, and all merges."""
    messages = list(football.source_messages())
    corrected = {message.event_key for message in messages if message.kind in ("result-corrected", "event-deleted")}
    known = sorted({message.event_key for message in messages if message.event_key})
    random.shuffle(known)
    chosen = set(sorted(corrected)[:300] + known[: count - 1_000])
    sent = [football.configuration()]
    sent += [fact for message, fact in zip(messages, football.facts(messages), strict=True) if message.event_key in chosen | {""}]
    return [Sendable(fact["type"], fact["source"], fact["id"], fact["data"], fact.get("actor")).message() for fact in sent[:count]]


def embedded(directory: Path) -> EmbeddedLog:
    return EmbeddedLog(directory, facts=FACT_TOPICS, outcomes=OUTCOME_TOPICS, compacted=COMPACTED_TOPICS)


async def everything(log: EmbeddedLog, topics: Iterable[str]) -> list[Record]:
    """All records of the topics, in order within each."""
    named = list(topics)
    ends = await log.ends(0, named)
    reader = await log.reader(0, dict.fromkeys(named, 0))
    found: list[Record] = []
    while any(reader.positions()[topic] < end for topic, end in ends.items()):
        found += await reader.poll(100_000)
    await reader.close()
    return found


# ---------------------------------------------------------------------- publishers and readers


class Publisher:
    """Appends what is left, piece by piece; sometimes a piece twice."""

    def __init__(self, log: EmbeddedLog, messages: Sequence[Message], random: Random) -> None:
        self._log, self._random = log, random
        self._left = [out(message) for message in messages]
        self.sent = 0

    async def append(self, count: int) -> None:
        piece, self._left = self._left[:count], self._left[count:]
        for _ in range(2 if self._random.random() < 0.1 else 1):
            await self._log.append(0, piece)
            self.sent += len(piece)

    @property
    def left(self) -> int:
        return len(self._left)


class Reader:
    """A subscriber through all its lives, and what it was shown."""

    def __init__(self, log: EmbeddedLog, topics: Sequence[str], store_path: Path | None) -> None:
        self.topics, self._log, self._store_path = tuple(topics), log, store_path
        self.updates: list[WholeUpdate] = []
        self.lives = 0
        self._following: Following | None = None
        self._store: Store | None = None

    async def begin(self) -> None:
        """A new life; with a store it goes on from there."""
        self.lives += 1
        self._store = None if self._store_path is None else RocksStore(self._store_path)
        self._following = Following(self._log, self.topics, Times(clock_ms=wall_clock_ms), store=self._store)
        await self._following.start()

    async def look(self) -> int:
        """Take what there is now; how many updates became whole."""
        assert self._following is not None
        shown = await self._following.step()
        self.updates += shown
        return len(shown)

    async def end(self) -> None:
        assert self._following is not None
        await self._following.close()
        if self._store is not None:
            self._store.close()

    def heads(self) -> dict[str, int]:
        """What it shows."""
        assert self._following is not None
        return {pool: head.update for pool, head in self._following.subscriber.heads().items()}


def check_shown(reader: Reader, truth: Mapping[tuple[str, int], Mapping[str, Mapping[bytes, bytes]]]) -> None:
    """Each update it was shown is whole, and none is older than one before."""
    shown: dict[str, int] = {}
    for update in reader.updates:
        number, name = update.head.update, f"{update.pool}@{update.head.update}"
        assert number >= shown.get(update.pool, 0), f"{name} after {shown}"
        if update.since is not None:
            assert update.since == shown[update.pool] < number, f"{name} follows {update.since}, {shown} was shown"
        for topic in reader.topics:
            rows = {} if update.since is None else dict(truth[update.pool, update.since][topic])
            for key, value in update.rows[topic]:
                if value is None:
                    rows.pop(key, None)
                else:
                    rows[key] = value
            assert rows == truth[update.pool, number][topic], f"{topic} of {name} is torn"
        shown[update.pool] = number


def truth_of(outcomes: Sequence[Record]) -> dict[tuple[str, int], dict[str, dict[bytes, bytes]]]:
    """Pool and update -> row topic -> the rows that stand under its head."""
    truth = {}
    for pool, updates in updates_of(outcomes).items():
        rows: dict[str, dict[bytes, bytes]] = {topic: {} for topic in ROW_TOPICS}
        for update in updates:
            for topic, changed in update.rows.items():
                for key, value in changed:
                    if value is None:
                        del rows[topic][key.encode()]
                    else:
                        rows[topic][key.encode()] = value
            truth[pool, update.number] = {topic: dict(found) for topic, found in rows.items()}
    return truth


# ---------------------------------------------------------------------- the victim


@asynccontextmanager
async def rater(directory: Path, *more: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """`rerate rater` at work; killed at the end if it is still there."""
    command = "from rerate.cli import main; main()"
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-c", command, "--log", f"file:{directory}", "rater", *more),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        cwd=PROJECT,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def until_killed(process: asyncio.subprocess.Process, log: EmbeddedLog, readers: Sequence[Reader], random: Random) -> str:
    """Follow the rater up to a random moment, and kill it there; what moment that was."""
    topic, key = random.choice((("rater-progress", b"0"), ("rating-heads", football.POOL.encode()), ("rating-heads", b"w:q")))
    wanted = random.choice((0, 0, 1, 2, 4))
    seen, changes = await log.newest(0, topic, key), 0
    after_s = random.uniform(0.2, 1.5)
    give_up_at = time.monotonic() + (after_s if not wanted else DEADLINE_S)
    while changes < wanted or not wanted:
        if process.returncode is not None:
            said, _ = await process.communicate()
            raise AssertionError(f"the rater has ended by itself with {process.returncode}: {said.decode()}")
        now = await log.newest(0, topic, key)
        changes += now != seen
        seen = now
        for reader in readers:
            await reader.look()
        if time.monotonic() >= give_up_at:
            break
        if wanted and await _is_idle(log):
            break
        await asyncio.sleep(0.002)
    kill_at = time.monotonic() + random.choice((0, 0, random.uniform(0, 0.05)))
    while time.monotonic() < kill_at:
        await asyncio.sleep(0)
    process.send_signal(signal.SIGKILL)
    assert await process.wait() == -signal.SIGKILL
    return f"after {changes} changes of {topic}" if wanted else "after a time"


async def _is_idle(log: EmbeddedLog) -> bool:
    """Whether nothing is left that could change: all facts have been read and rated."""
    record = await log.newest(0, "rater-progress", b"0")
    if record is None or record.value is None:
        return False
    head = read_partition_head(record.value)
    return not head.catching_up and head.next == await log.ends(0, FACT_TOPICS)


# ---------------------------------------------------------------------- thirty kills


@pytest.mark.timeout(600)
async def test_thirty_kills_lose_and_double_nothing_and_no_reader_sees_anything_torn(tmp_path: Path) -> None:
    random = Random(f"{SEED} kills")
    directory = tmp_path / "log"
    log = embedded(directory)
    await log.create()
    messages = football_excerpt(random, FOOTBALL)
    for message in random_messages(random, ("w:q", "w:r"), 1, 150, 0.1):
        messages.insert(random.randrange(len(messages)), message)
    publisher = Publisher(log, messages, random)
    readers = [
        Reader(log, ("rating-snapshots",), tmp_path / "one"),
        Reader(log, ROW_TOPICS, tmp_path / "all"),
        Reader(log, ROW_TOPICS, None),
    ]
    for reader in readers:
        await reader.begin()
    moments: Counter[str] = Counter()
    for number in range(KILLS):
        if number in (7, 15, 16, 24):
            shutil.rmtree(directory / "store", ignore_errors=True)
            moments["the store deleted before"] += 1
        async with rater(directory) as process:
            publishing = asyncio.create_task(publish_in_pieces(publisher, KILLS - number, random))
            moments[await until_killed(process, log, readers, random)] += 1
            await publishing
        restarted = random.choice(readers)
        await restarted.end()
        await restarted.begin()
    await publisher.append(publisher.left)
    async with rater(directory, "--until-idle") as process:
        said, _ = await process.communicate()
        assert process.returncode == 0, said.decode()
    await check_everything(log, readers)
    print(f"RERATE_LAWS_SEED={SEED}: {publisher.sent} messages, {dict(moments)}")
    for reader in readers:
        await reader.end()
    await log.close()


async def publish_in_pieces(publisher: Publisher, lives_left: int, random: Random) -> None:
    """This life's share, in some pieces."""
    share = publisher.left // lives_left
    pieces = random.randint(1, 6)
    for _ in range(pieces):
        await publisher.append(share // pieces)
        await asyncio.sleep(random.uniform(0, 0.2))


async def check_everything(log: EmbeddedLog, readers: Sequence[Reader]) -> None:
    facts, outcomes = await everything(log, FACT_TOPICS), await everything(log, OUTCOME_TOPICS)
    accepted = check_all(facts, outcomes, partitions=1, settings=Settings(engine=ENGINE))
    check_schemas(outcomes, Random(0), 100)
    truth = truth_of(outcomes)
    newest: dict[str, int] = defaultdict(int)
    for pool, number in truth:
        newest[pool] = max(number, newest[pool])
    assert newest.keys() == accepted.keys() >= {football.POOL, "w:q", "w:r"}
    give_up_at = time.monotonic() + DEADLINE_S
    for reader in readers:
        while reader.heads() != newest:
            await reader.look()
            assert time.monotonic() < give_up_at, f"a reader stays at {reader.heads()}, the heads are {newest}"
        check_shown(reader, truth)
        assert len(reader.updates) > 10
    assert all(verdict.holds for verdict in await verify(log))
    print(f"{dict(newest)} updates, shown {[len(reader.updates) for reader in readers]}")
