"""What the bus costs: facts a second and the latency of one fact, each beside the bare clients doing as little as can be done."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

from ops.drills.saying import load, ratio, say, spread
from rerate.board.following import Following, Times
from rerate.board.lookup import wall_clock_ms
from rerate.log.kafka_writer import send
from rerate.log.seam import Out
from rerate.log.topics import ensure_topics, kinds
from rerate.messages.facts import FACT_TOPICS, OUTCOME_TOPICS
from tests.broker.bench import fresh_prefix
from tests.broker.raters import FOOTBALL, PARTITIONS, Place, football_pieces, until
from tests.kit.saying import configured, published
from tests.kit.sendable import Sendable

EVERYTHING = 1_000_000
SMALL = "w:p"
A_STEP = 2_000
TRIES = 100


def beside() -> list[Sendable]:
    """A small pool."""
    facts = [configured(1, "elo", id="lists")]
    facts += [published(f"e{n}", 1, "A>B", "C=D", date=f"2024-{1 + n % 12:02}-05", id=f"e{n}") for n in range(400)]
    return [Sendable(one.type, one.source, one.id, one.data | {"pool": SMALL}, one.actor) for one in facts]


# ---------------------------------------------------------------------- throughput


async def throughput(bootstrap: str, home: Path) -> None:
    (facts, *_) = football_pieces(EVERYTHING)
    rates = {}
    for name, limits in (("caught up", {}), ("live, 2,000 a step", {"behind": EVERYTHING})):
        (home / name[:4]).mkdir()
        async with Place(bootstrap, home / name[:4]) as place:
            if limits:
                rater = await place.rater("a", **limits)
                await until(lambda rater=rater: rater.said("live", FOOTBALL) is not None, "the rater is not live")
                began = time.monotonic()
                await place.publish(facts)
            else:
                await place.publish(facts)
                rater = await place.rater("a")
                await until(lambda rater=rater: FOOTBALL in rater.owned, "it does not start")
                began = next(event["at"] for event in rater.events if event["event"] == "assigned" and FOOTBALL in event["partitions"])
            await place.settled(within_s=300)
            rates[name] = len(facts) / (time.monotonic() - began)
            outcomes = await place.everything(FOOTBALL, sorted(OUTCOME_TOPICS))
            size = sum(len(one.key or b"") + len(one.value or b"") for one in outcomes)
            bare = await copied(place, sizes=[(one.topic, len(one.value or b"")) for one in outcomes], count=len(facts))
            say(
                f"2. {name}: {rates[name]:,.0f} facts/s with {len(outcomes) / len(facts):.1f} outcome records and {size / len(facts):,.0f} "
                f"bytes a fact; bare copy of the same {bare:,.0f} facts/s; ratio {rates[name] / bare:.2f}; {load()}"
            )


async def copied(place: Place, *, sizes: Sequence[tuple[str, int]], count: int) -> float:
    """Facts a second of a loop that reads the same facts and writes records of the sizes of the outcomes, a transaction for 2,000 facts."""
    topics = kinds((), OUTCOME_TOPICS)
    prefix = fresh_prefix()
    await ensure_topics(place.bootstrap, topics, prefix=prefix, partitions=1, replication=1)
    records = [Out(topic, b"football:world/elo@1/football:t1", b"x" * size) for topic, size in sizes]
    reader = await place.log.reader(FOOTBALL, dict.fromkeys(FACT_TOPICS, 0))
    producer = AIOKafkaProducer(
        bootstrap_servers=place.bootstrap, transactional_id=f"{prefix}-copy", max_batch_size=256 << 10, max_request_size=17 << 20
    )
    await producer.start()
    began, done, written = time.monotonic(), 0, 0
    while done < count:
        found = await reader.poll(A_STEP)
        done += len(found)
        upto = len(records) * done // count
        by_topic: dict[str, list[Out]] = {}
        for record in records[written:upto]:
            by_topic.setdefault(record.topic, []).append(record)
        written = upto
        await producer.begin_transaction()
        await asyncio.gather(*(send(producer, f"{prefix}.{topic}", 0, named) for topic, named in by_topic.items()))
        moved = {TopicPartition(f"{place.prefix}.{topic}", FOOTBALL): at for topic, at in reader.positions().items()}
        await producer.send_offsets_to_transaction(moved, f"{prefix}-copy")
        await producer.commit_transaction()
    seconds = time.monotonic() - began
    await producer.stop()
    await reader.close()
    return count / seconds


# ---------------------------------------------------------------------- latency


async def latency(bootstrap: str, home: Path) -> None:
    facts = beside()
    async with Place(bootstrap, home) as place:
        await place.rater("a")
        lists, *events = [one.message(PARTITIONS) for one in facts]
        await place.publish([lists, *events[:200]])
        await place.settled()
        partition, log = lists.partition, place.new_log()
        following = Following(log, ["rating-snapshots", "rating-deltas"], Times(clock_ms=wall_clock_ms), partition=partition)
        await following.start()
        while not following.is_whole():
            await following.step()
        took = []
        for event in events[200 : 200 + TRIES]:
            began = time.monotonic()
            await place.publish([event])
            while not await following.step():
                pass
            took.append((time.monotonic() - began) * 1000)
        await following.close()
        await log.close()
        echo = await echoed(bootstrap)
        say(
            f"3. one fact to a subscriber's whole update: {spread(took)} ms; a bare echo: {spread(echo)} ms;",
            ratio(took, echo) + ";",
            load(),
        )


async def echoed(bootstrap: str) -> list[float]:
    """Milliseconds of a record produced, copied in a transaction, and read committed."""
    prefix = fresh_prefix()
    await ensure_topics(bootstrap, kinds(["in"], ["out"]), prefix=prefix, partitions=1, replication=1)
    given, taken = TopicPartition(f"{prefix}.in", 0), TopicPartition(f"{prefix}.out", 0)
    own = AIOKafkaProducer(bootstrap_servers=bootstrap, acks="all")
    copying = AIOKafkaProducer(bootstrap_servers=bootstrap, transactional_id=f"{prefix}-echo")
    consumers: list[Any] = [
        AIOKafkaConsumer(bootstrap_servers=bootstrap, isolation_level="read_committed", fetch_max_wait_ms=100) for _ in range(2)
    ]
    for client in (own, copying, *consumers):
        await client.start()
    for consumer, tp in zip(consumers, (given, taken), strict=True):
        consumer.assign([tp])
        consumer.seek(tp, 0)
    source, sink = consumers

    async def copy() -> None:
        while True:
            for records in (await source.getmany(given, timeout_ms=200)).values():
                await copying.begin_transaction()
                await asyncio.gather(*[await copying.send(taken.topic, record.value, partition=0) for record in records])
                await copying.send_offsets_to_transaction({given: records[-1].offset + 1}, f"{prefix}-echo")
                await copying.commit_transaction()

    task, took = asyncio.create_task(copy()), []
    for number in range(TRIES + 10):
        began = time.monotonic()
        await own.send_and_wait(given.topic, b"x" * 400, partition=0)
        while not await sink.getmany(taken, timeout_ms=1_000):
            pass
        if number >= 10:
            took.append((time.monotonic() - began) * 1000)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    for client in (own, copying, *consumers):
        await client.stop()
    return took
