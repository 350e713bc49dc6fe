"""The football history through a real Kafka, with the raters' owner killed again and again, and what it costs.

    python -m ops.drills.football_on_kafka [--log kafka://HOST:PORT] [--kills 10] [--minutes 15]

Starts a Kafka of its own unless one is named, and ends only what it started. Three parts, each printed as it is done:

1. The whole history, commit by commit, on six partitions, two pools beside it, two raters; the owner of the football partition is killed
   with SIGKILL at random moments. Then: every message one receipt, heads chained, rows and digests those of a pool in memory.
2. Facts a second: the first commit, published before a rater starts, until its last receipt and its heads are out; beside it a bare
   transactional copy of the same facts, 2,000 a transaction, writing as many records of the sizes of the outcomes.
3. One fact from its publication to a subscriber's whole update, 100 times with nothing else to do; beside it a bare echo: produced, copied
   in a transaction, consumed.
"""

import argparse
import asyncio
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import orjson
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

from ops.kafka.local import LocalKafka
from rerate.board.following import Following, Times
from rerate.board.lookup import wall_clock_ms
from rerate.intake import football
from rerate.log.kafka_writer import send
from rerate.log.seam import Out
from rerate.log.topics import ensure_topics, kinds
from rerate.messages.facts import FACT_TOPICS, OUTCOME_TOPICS, ROW_TOPICS
from rerate.pool.head import read_head
from rerate.pool.pool import Settings
from rerate.rater.app import ENGINE
from tests.broker.bench import fresh_prefix
from tests.broker.raters import FOOTBALL, PARTITIONS, Follower, Place, football_pieces, irish_pieces, until
from tests.kit.outcomes import check_heads, check_progress, check_receipts, fresh_pool
from tests.kit.published import Published
from tests.kit.saying import configured, published
from tests.kit.sendable import Sendable

EVERYTHING = 1_000_000
SMALL = "w:p"
A_STEP = 2_000
TRIES = 100


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m ops.drills.football_on_kafka", description="The football history through Kafka.")
    parser.add_argument("--log", help="kafka://HOST:PORT of a Kafka that is there")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--minutes", type=float, default=15, help="ended after so many, done or not")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--parts", default="123", help="which parts, for example 23")
    asked = parser.parse_args()
    parts: dict[str, Callable[[str, Path], Awaitable[None]]] = {
        "1": lambda bootstrap, home: killed(bootstrap, home, asked.kills, Random(asked.seed)),
        "2": throughput,
        "3": latency,
    }

    async def run(bootstrap: str, home: Path) -> None:
        async with asyncio.timeout(asked.minutes * 60):
            for part in asked.parts:
                (home / part).mkdir()
                await parts[part](bootstrap, home / part)

    with tempfile.TemporaryDirectory(prefix="rerate-drill-") as directory:
        home = Path(directory)
        if asked.log:
            asyncio.run(run(asked.log.removeprefix("kafka://"), home))
            return 0
        kafka = LocalKafka(home / "kafka")
        try:
            asyncio.run(run(kafka.start(), home))
        finally:
            kafka.wipe()
    return 0


def say(*words: object) -> None:
    print(*words, flush=True)


# ---------------------------------------------------------------------- kills


def beside() -> list[Sendable]:
    """A third pool."""
    facts = [configured(1, "elo", id="lists")]
    facts += [published(f"e{n}", 1, "A>B", "C=D", date=f"2024-{1 + n % 12:02}-05", id=f"e{n}") for n in range(400)]
    return [Sendable(one.type, one.source, one.id, one.data | {"pool": SMALL}, one.actor) for one in facts]


async def killed(bootstrap: str, home: Path, kills: int, random: Random) -> None:
    pieces, small = football_pieces(EVERYTHING), [one.message(PARTITIONS) for one in beside()]
    irish = irish_pieces(1)
    total = sum(map(len, pieces))
    async with Place(bootstrap, home) as place:
        follower = await place.follow(FOOTBALL)
        for number in range(2):
            await place.rater(f"r{number}", is_static=False)
        began, next_name, dead = time.monotonic(), 2, 0
        kill_before = sorted(random.sample(range(1, len(pieces) - 5), kills))
        pauses = []
        for number, piece in enumerate(pieces):
            extra = [*irish[number : number + 1], small[2 * number : 2 * number + 2]]
            if number in kill_before:
                owner = await place.owner()
                asyncio.get_running_loop().call_later(random.uniform(0, 0.2), owner.kill)
                await place.flow([piece, *extra], ahead=0, enough=lambda owner=owner: owner.has_ended)
                await owner.ended(-signal.SIGKILL)
                at = time.monotonic()
                await place.rater(f"r{next_name}", is_static=False)
                await until(lambda at=at: is_live(place, at), "nobody has taken over", within_s=240)
                pauses.append(min(live_at(place, at)) - at)
                say(f"   kill {dead + 1}, before commit {number + 1} of {len(pieces)}: live elsewhere after {pauses[-1]:.1f} s")
                next_name, dead = next_name + 1, dead + 1
            else:
                await place.flow([piece, *extra], ahead=A_STEP if number else EVERYTHING)
        await place.settled(within_s=240)
        say(f"1. {total} facts of football and {place.sent - total} of two pools beside it, commit by commit, two raters,")
        say(f"   {dead} kills of the owner: {time.monotonic() - began:.0f} s; live elsewhere after", spread(pauses), "s (session 3 s)")
        newest = await place.updates()
        await until(lambda: follower.shown() == {football.POOL: newest[football.POOL]}, "the subscriber is not at the end")
        for partition in sorted({FOOTBALL, irish[0][0].partition, small[0].partition}):
            await hold(place, partition, follower if partition == FOOTBALL else None)
        say(f"   one receipt a message, heads chained, digests and rows as in memory: {', '.join(sorted(newest))};")
        say(f"   the subscriber was shown {len(follower.updates)} of {newest[football.POOL]} updates of football, and has those rows")


async def hold(place: Place, partition: int, follower: Follower | None) -> None:
    """What must hold of a partition; `Place.check` holds every update in between as well, which takes hours for so many rows."""
    facts = await place.everything(partition, FACT_TOPICS)
    outcomes = await place.everything(partition, sorted(OUTCOME_TOPICS))
    heads = check_heads(outcomes)
    accepted = check_receipts(facts, outcomes, {pool: list(map(read_head, values)) for pool, values in heads.items()}, PARTITIONS)
    check_progress(facts, outcomes, PARTITIONS)
    for pool, batch in accepted.items():
        fresh = fresh_pool(pool, batch, Settings(engine=ENGINE))
        assert isinstance(fresh, Published)
        lists = read_head(heads[pool][-1]).lists
        assert {name: (one.list_digest, one.input_digest) for name, one in lists.items()} == {
            name: (one.list_digest, one.input_digest) for name, one in fresh.head.lists.items()
        }
        rows: dict[str, dict[str, bytes]] = {topic: {} for topic in ROW_TOPICS}
        for one in outcomes:
            if one.topic in ROW_TOPICS and one.key is not None and one.key.startswith((f"{pool}/".encode(), f"{pool}@".encode())):
                if one.value is None:
                    del rows[one.topic][one.key.decode()]
                else:
                    rows[one.topic][one.key.decode()] = one.value
        for topic in ROW_TOPICS:
            assert {key: bare(value) for key, value in rows[topic].items()} == fresh.rows(topic), f"{topic} of {pool}"
            if follower is not None:
                shown = {key.decode(): value for key, value in follower.rows(pool, topic).items()}
                assert shown == rows[topic], f"the subscriber shows another {topic}"
    if follower is not None:
        numbers = [(update.since, update.head.update) for update in follower.updates]
        assert all(since == before for (_, before), (since, _) in pairwise(numbers)), "the subscriber was shown updates out of order"


def bare(value: bytes) -> object:
    row = orjson.loads(value)
    del row["by"]
    return row


def live_at(place: Place, since: float) -> list[float]:
    return [at for rater in place.raters if (at := rater.said("live", FOOTBALL, since)) is not None and not rater.has_ended]


def is_live(place: Place, since: float) -> bool:
    for rater in place.raters:
        assert not rater.has_ended or rater.may_have_ended, rater.errors()
    return bool(live_at(place, since))


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
                f"bytes a fact; bare copy of the same {bare:,.0f} facts/s; ratio {rates[name] / bare:.2f}"
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
        say(f"3. one fact to a subscriber's whole update: {spread(took)} ms; a bare echo: {spread(echo)} ms;", ratio(took, echo))


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


def spread(values: Sequence[float]) -> str:
    """Median and p99, or the greatest of few."""
    if not values:
        return "-"
    top = sorted(values)[min(len(values) - 1, int(len(values) * 0.99))]
    return f"{statistics.median(values):.1f} (median), {top:.1f} (p99)"


def ratio(one: Sequence[float], other: Sequence[float]) -> str:
    return f"ratio of medians {statistics.median(one) / statistics.median(other):.1f}"


if __name__ == "__main__":
    sys.exit(main())
