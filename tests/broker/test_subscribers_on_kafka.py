"""The reference subscriber beside a running cleaner: live, restarted with what it kept, from scratch; one topic and all; polled unevenly.

What each was shown is held against a subscriber of all topics that was there from the first update on, and that against a pool in memory.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import orjson
import pytest

from rerate.board.following import Following, Times
from rerate.board.lookup import wall_clock_ms
from rerate.board.updates import WholeUpdate
from rerate.intake import football
from rerate.log.store import RocksStore
from rerate.messages.facts import FACT_TOPICS, ROW_TOPICS, Fact, Identity, Position
from rerate.messages.reading import Message, read
from rerate.pool.pool import Settings
from rerate.rater.app import ENGINE
from tests.broker.raters import FOOTBALL, PARTITIONS, Place, chunks, football_pieces, until
from tests.kit.laws import SEED
from tests.kit.outcomes import fresh_pool
from tests.kit.published import Published

pytestmark = pytest.mark.broker

LAG_MS = 4_000
CLEANED = {
    "compacted": {
        "segment.ms": "500",
        "min.cleanable.dirty.ratio": "0.01",
        "min.compaction.lag.ms": str(LAG_MS),
        "max.compaction.lag.ms": str(LAG_MS + 1_000),
        "delete.retention.ms": "1000",
    }
}
TIMES = Times(clock_ms=wall_clock_ms, compaction_lag_ms=LAG_MS, delete_retention_ms=1_000)

Shown = Mapping[str, Mapping[bytes, bytes]]


async def test_whole_updates_only_beside_a_running_cleaner(bootstrap: str, tmp_path: Path) -> None:
    random = Random(f"{SEED} subscribers on Kafka")
    first, *later = football_pieces(2_700)
    async with Place(bootstrap, tmp_path, overrides=CLEANED) as place:
        witness = await place.follow(FOOTBALL, times=TIMES)
        await place.publish(first)  # taken in at once
        await place.rater("a")
        is_over = False
        flowing = asyncio.create_task(place.flow(islice(chunks(later, 12), 30), ahead=0))
        lives = [
            asyncio.create_task(live_on(place, topics, tmp_path / name, random, lambda: is_over))
            for name, topics in (("one", ["rating-deltas"]), ("two", ["person-ids", "rating-snapshots"]), ("all", ROW_TOPICS))
        ]
        await flowing
        await place.settled()
        is_over = True
        seen = [update for life in lives for update in await life]
        newest = await place.updates()
        await until(lambda: witness.shown() == newest, f"the witness shows {witness.shown()}, not {newest}")
        sizes = [sum(map(len, update.rows.values())) for update in witness.updates]
        assert sizes[0] > 10_000
        assert sum(10 < size < 200 for size in sizes) > 5
        kept = sum(map(len, [await place.everything(FOOTBALL, [topic]) for topic in ROW_TOPICS]))
        sent, median = sum(sizes), sorted(sizes)[len(sizes) // 2]
        print(f"{len(seen)} states of {len(sizes)} updates of {median} rows (median) to {max(sizes)} looked at; {kept} of {sent} are left")
        truth = folded(witness.updates)
        for number, shown in seen:
            for topic, rows in shown.items():
                assert rows == truth[number][topic], f"{topic} of update {number} is torn"
        due = (await in_memory(place)).holds()
        for topic, rows in truth[newest[football.POOL]].items():
            assert {key.decode().replace("@1/", "/", 1): without_by(value) for key, value in rows.items()} == due[topic]


async def live_on(place: Place, topics: Sequence[str], home: Path, random: Random, is_over: Callable[[], bool]) -> list[tuple[int, Shown]]:
    """A subscriber through several lives, some from scratch, some killed between two polls: the states that it has shown."""
    seen: list[tuple[int, Shown]] = []
    life = 0
    while not is_over() or life < 3:
        life += 1
        log = place.new_log()
        store = RocksStore(home) if random.random() < 0.7 else None
        following = Following(log, topics, TIMES, partition=FOOTBALL, store=store)
        await following.start()
        for _ in range(random.randint(3, 25)):
            if await following.step(random.choice((3, 50, 2_000))):
                head = following.subscriber.heads()[football.POOL]
                seen.append((head.update, {topic: dict(following.subscriber.rows(football.POOL, topic)) for topic in topics}))
        await following.close()
        await log.close()
        if store is not None:
            store.close()
    return seen


def folded(updates: Iterable[WholeUpdate]) -> dict[int, dict[str, dict[bytes, bytes]]]:
    rows: dict[str, dict[bytes, bytes]] = {topic: {} for topic in ROW_TOPICS}
    found = {}
    for update in updates:
        for topic, changed in update.rows.items():
            for key, value in changed:
                if value is None:
                    rows[topic].pop(key, None)
                else:
                    rows[topic][key] = value
        found[update.head.update] = {topic: dict(standing) for topic, standing in rows.items()}
    return found


def without_by(value: bytes) -> Any:
    row = orjson.loads(value)
    del row["by"]
    return row


async def in_memory(place: Place) -> Published:
    """What a pool says that is given all the facts at once."""
    records = await place.everything(FOOTBALL, FACT_TOPICS)
    facts: dict[Identity, tuple[Fact, Position]] = {}
    for one in records:
        fact = read(Message(one.topic, one.partition, one.key, one.value, one.headers), partitions=PARTITIONS)
        assert isinstance(fact, Fact)
        facts.setdefault(fact.identity, (fact, Position(one.topic, one.offset)))
    published = fresh_pool(football.POOL, list(facts.values()), Settings(engine=ENGINE))
    assert isinstance(published, Published)
    return published
