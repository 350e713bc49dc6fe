"""What the engine does on the embedded log with its real store: altered from outside, deleted, and with messages sent raw."""

import asyncio
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import orjson
import pytest
from rocksdict import Options, Rdict

from rerate.log.embedded import EmbeddedLog
from rerate.log.seam import Out, Record
from rerate.log.store import RocksStore
from rerate.messages.facts import COMPACTED_TOPICS, FACT_TOPICS, OUTCOME_TOPICS, ROW_TOPICS
from rerate.messages.reading import Message
from rerate.messages.writing import STRUCTURED_HEADERS
from rerate.pool.head import head_digest, read_head
from rerate.pool.pool import Settings
from rerate.rater import app
from rerate.rater.app import ENGINE, RaterEnded
from rerate.rater.cache import Accepted, FactCache
from tests.kit.outcomes import check_all, check_heads
from tests.kit.saying import POOL, configured, corrected, merged, published
from tests.kit.sendable import Sendable
from tests.kit.simworld import out

SEASON = [
    configured(1, "elo"),
    *(published(f"e{n}", 1, "A>B", "C=D", date=f"2024-01-{n:02d}") for n in range(1, 10)),
    merged("m1", "D", "C"),
]
LATE = corrected("e3", 2, "A<B", "C=D")
BAD = Message("pool-facts", 0, POOL.encode(), b"no fact at all")


class Home:
    """A directory with an embedded log and a rater's store."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.log = EmbeddedLog(directory, facts=FACT_TOPICS, outcomes=OUTCOME_TOPICS, compacted=COMPACTED_TOPICS)

    async def send(self, *messages: Sendable | Message) -> None:
        await self.log.append(0, [out(one.message() if isinstance(one, Sendable) else one) for one in messages])

    async def rate(self) -> app.Progress:
        return await app.run(self.log, self.open_store, until_idle=True)

    def open_store(self) -> RocksStore:
        return RocksStore(self.directory / "store")

    async def read(self, topics: Iterable[str]) -> list[Record]:
        """Everything in the topics."""
        ends = await self.log.ends(0, topics)
        reader = await self.log.reader(0, dict.fromkeys(ends, 0))
        found: list[Record] = []
        while any(reader.positions()[topic] < end for topic, end in ends.items()):
            found += await reader.poll(10_000)
        return found

    async def heads(self) -> list[Any]:
        return [read_head(value) for value in check_heads(await self.read(OUTCOME_TOPICS))[POOL]]

    async def check(self) -> None:
        facts, outcomes = await self.read(FACT_TOPICS), await self.read(OUTCOME_TOPICS)
        check_all(facts, outcomes, partitions=1, settings=Settings(engine=ENGINE))

    def alter_store(self, change: Callable[[Rdict], object]) -> None:
        """Through the RocksDB interface, past everything of ours."""
        db = Rdict(str(self.directory / "store"), Options(raw_mode=True))
        change(db)
        db.close()


@pytest.fixture
async def home(tmp_path: Path) -> Home:
    """A pool that was rated."""
    home = Home(tmp_path)
    await home.send(*SEASON)
    await home.rate()
    return home


@pytest.fixture
def rereads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Pools that were read again from the log."""
    pools: list[str] = []
    replace = FactCache.replace

    def counting(cache: FactCache, pool: str, accepted: Iterable[Accepted]) -> None:
        pools.append(pool)
        replace(cache, pool, accepted)

    monkeypatch.setattr(FactCache, "replace", counting)
    return pools


def entries(db: Rdict, prefix: bytes) -> list[tuple[bytes, bytes]]:
    return [(key, value) for key, value in db.items() if isinstance(key, bytes) and key.startswith(prefix)]


def other_result(db: Rdict) -> None:
    key, value = next((key, value) for key, value in entries(db, b"f\x00") if b'"1-0"' in value)
    db[key] = value.replace(b'"1-0"', b'"0-1"', 1)


def torn_message(db: Rdict) -> None:
    key, value = entries(db, b"f\x00")[3]
    db[key] = value[: len(value) // 2]


def other_digest(db: Rdict) -> None:
    key, value = entries(db, b"f\x00")[2]
    db[key] = value[:5] + bytes([value[5] ^ 1]) + value[6:]


def no_message(db: Rdict) -> None:
    del db[entries(db, b"f\x00")[4][0]]


def no_identity(db: Rdict) -> None:
    del db[entries(db, b"i\x00")[4][0]]


def other_identity(db: Rdict) -> None:
    key, value = entries(db, b"i\x00")[4]
    db[key] = value[:-1] + bytes([value[-1] ^ 1])


@pytest.mark.parametrize("alter", [other_result, torn_message, other_digest, no_message, no_identity, other_identity])
async def test_an_altered_value_has_its_pool_rebuilt_once_from_the_log(
    alter: Callable[[Rdict], object], home: Home, rereads: list[str]
) -> None:
    before = await home.heads()
    home.alter_store(alter)
    await home.rate()
    assert rereads == [POOL]
    assert await home.heads() == before
    await home.send(LATE, *SEASON)
    await home.rate()
    assert rereads == [POOL], "once, and then the store is right again"
    assert len(await home.heads()) == 2
    await home.check()


@pytest.mark.parametrize("said", [b"", b"{}", b"null", b'{"schema":1,"engine":"another/1","next":{}}'])
async def test_a_store_whose_place_is_altered_to_nonsense_is_filled_anew(said: bytes, home: Home, rereads: list[str]) -> None:
    home.alter_store(lambda db: db.put(b"n", said))
    await home.send(LATE)
    await home.rate()
    assert rereads == []
    await home.check()


@pytest.mark.parametrize("by", [-5, 1, 1_000])
async def test_a_store_whose_place_is_altered_goes_on_with_the_same_digests(by: int, home: Home, rereads: list[str]) -> None:
    def alter(db: Rdict) -> None:
        said = orjson.loads(db[b"n"] or b"")
        said["next"]["result-published"] += by
        db[b"n"] = orjson.dumps(said)

    home.alter_store(alter)
    await home.send(LATE, SEASON[3])
    await home.rate()
    assert rereads == []
    await home.check()


async def test_a_deleted_store_comes_back_by_itself(home: Home) -> None:
    shutil.rmtree(home.directory / "store")
    await home.send(LATE, SEASON[1], BAD)
    await home.rate()
    assert len(await home.heads()) == 2
    shutil.rmtree(home.directory / "store")
    await home.rate()
    assert len(await home.heads()) == 2
    await home.check()


async def test_a_head_that_the_log_does_not_give_halts_its_pool_until_it_is_rebuilt(home: Home) -> None:
    newest = await home.log.newest(0, "rating-heads", POOL.encode())
    assert newest is not None
    assert newest.value is not None
    forged = orjson.loads(newest.value)
    forged["id"] = f"{POOL}@2"
    forged["data"] |= {"update": 2, "previous": head_digest(newest.value)}
    forged["data"]["lists"]["elo"]["list_digest"] = "0" * 64
    value = orjson.dumps(forged, option=orjson.OPT_SORT_KEYS)
    writer = await home.log.writer(0)
    topics = (*ROW_TOPICS, "rating-updates", "rating-heads")
    await writer.commit([Out(topic, POOL.encode(), value, STRUCTURED_HEADERS) for topic in topics], {})
    await writer.close()
    await home.send(LATE)
    await home.rate()
    head = (await home.heads())[-1]
    assert (head.update, head.state, head.reason) == (3, "halted", "digest")
    update, rows = await app.rebuild(home.log, home.open_store, POOL)
    assert (update, rows > 0) == (4, True)
    assert await app.rebuild(home.log, home.open_store, POOL) == (5, 0)
    await home.rate()
    assert [head.state for head in await home.heads()] == ["live", "live", "halted", "live", "live"]
    await home.check()


async def test_a_rater_that_lives_takes_what_comes(home: Home) -> None:
    steps: list[str] = []
    rater = asyncio.create_task(app.run(home.log, home.open_store, on_progress=lambda now: steps.append(now.step)))
    publisher = EmbeddedLog(home.directory, facts=FACT_TOPICS, outcomes=OUTCOME_TOPICS, compacted=COMPACTED_TOPICS)
    async with asyncio.timeout(60):
        while "live" not in steps:
            await asyncio.sleep(0.02)
        await publisher.append(0, [out(LATE.message()), out(SEASON[2].message()), out(BAD)])
        while len(await home.read(["fact-receipts"])) < len(SEASON) + 3:
            await asyncio.sleep(0.02)
    rater.cancel()
    with pytest.raises(asyncio.CancelledError):
        await rater
    receipts = [orjson.loads(record.value or b"") for record in await home.read(["fact-receipts"])][-3:]
    assert {told["status"]: told["update"] for told in receipts} == {"accepted": 2, "duplicate": 2, "rejected": None}
    await home.check()


async def test_outcomes_of_another_copy_of_the_log_end_the_process_with_a_sentence(home: Home, tmp_path: Path) -> None:
    record = await home.log.newest(0, "rater-progress", b"0")
    assert record is not None
    said = orjson.loads(record.value or b"")
    said["next"]["result-published"] -= 1
    writer = await home.log.writer(0)
    await writer.commit([Out("rater-progress", b"0", orjson.dumps(said, option=orjson.OPT_SORT_KEYS), record.headers)], {})
    await writer.close()
    with pytest.raises(RaterEnded, match="one of them was changed from outside"):
        await home.rate()
