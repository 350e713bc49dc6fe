"""What is read from several topics belongs to one head, however fast a rater publishes."""

import pytest

from rerate.board.lookup import Fetch, Lookup
from rerate.log.seam import Out
from rerate.messages.facts import ROW_TOPICS
from rerate.pool.chain import NoSuchPool
from rerate.pool.head import Head
from tests.kit.rowwriter import RowWriter
from tests.kit.simlog import SimLog
from tests.kit.simloop import SimLoop

TOPICS = ("rated-events", "rating-deltas")


def log(seed: int) -> SimLog:
    outcomes = (*ROW_TOPICS, "rating-heads")
    return SimLog(seed, facts=("facts",), outcomes=outcomes, compacted=outcomes, clean_rate=0)


async def publish(client_log: SimLog, rows: RowWriter, loop: SimLoop, updates: int) -> None:
    writer = await client_log.client().writer(0)
    for _ in range(updates):
        records = rows.transaction()
        heads = [Out("rating-heads", record.key, record.value) for record in records if record.key and b"/" not in record.key]
        await writer.commit(records + heads, {})
        await loop.sleep(0.002)
    client_log.settle()


async def read(head: Head, fetch: Fetch) -> tuple[Head, list[dict[bytes, bytes]]]:
    return head, [
        dict(await fetch(topic, f"{head.pool}/elo@{head.lists['elo'].edition}/" if "deltas" in topic else f"{head.pool}@1/"))
        for topic in TOPICS
    ]


def test_rows_of_several_topics_are_of_one_head_beside_a_writer() -> None:
    for seed in range(30):
        world, loop, rows = log(seed), SimLoop(seed), RowWriter(seed, pools=1)
        pool = rows.pools[0]
        loop.run(publish(world, rows, loop, 3))
        writing = loop.spawn(publish(world, rows, loop, 30), name="writer")
        head, found = loop.run(Lookup(world.client()).reading(pool, TOPICS, read))
        assert found == [rows.shown[pool, head.update][topic] for topic in TOPICS]
        loop.run_until(lambda writing=writing: writing.is_done)


def test_where_the_writer_is_too_fast_a_subscriber_reads_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rerate.board.lookup.TRIES", 0)
    world, loop, rows = log(1), SimLoop(1), RowWriter(1, pools=1)
    monkeypatch.setattr("rerate.board.lookup.asyncio.sleep", loop.sleep)
    monkeypatch.setattr("rerate.board.lookup.wall_clock_ms", lambda: 1_700_000_000_000 + world.steps)
    loop.run(publish(world, rows, loop, 20))
    head, found = loop.run(Lookup(world.client()).reading(rows.pools[0], TOPICS, read))
    assert found == [rows.shown[rows.pools[0], head.update][topic] for topic in TOPICS]


def test_a_pool_without_a_head_is_not_there() -> None:
    world, loop, rows = log(1), SimLoop(1), RowWriter(1, pools=1)
    loop.run(publish(world, rows, loop, 3))
    with pytest.raises(NoSuchPool, match="there is no pool club:nobody; there are: club:p0"):
        loop.run(Lookup(world.client()).reading("club:nobody", TOPICS, read))
