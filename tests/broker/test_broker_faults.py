"""What brokers do to raters: one of three dies and comes back under flow; transactional ids expire; nobody answers, or has no topics."""

import asyncio
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ops.kafka.local import LocalKafka
from tests.broker.bench import fresh_prefix
from tests.broker.raters import FOOTBALL, Place, rerate, until
from tests.broker.test_rater_kills import stream

pytestmark = pytest.mark.broker


@contextmanager
def cluster(directory: Path, nodes: int, **settings: str) -> Iterator[tuple[LocalKafka, str]]:
    """A Kafka of one's own."""
    kafka = LocalKafka(directory / "kafka", settings={name.replace("_", "."): value for name, value in settings.items()})
    try:
        yield kafka, kafka.start(nodes)
    finally:
        kafka.wipe()


@pytest.mark.long
async def test_one_broker_of_three_dies_and_comes_back_under_flow(tmp_path: Path) -> None:
    with cluster(tmp_path, 3) as (kafka, bootstrap):
        async with Place(bootstrap, tmp_path, replication=3) as place:
            raters = [await place.rater(name, is_static=False, session_ms=30_000) for name in ("a", "b")]
            pieces, follower = stream(), await place.follow(FOOTBALL)
            await place.flow([next(pieces), next(pieces)])
            is_over = False
            flowing = asyncio.ensure_future(place.flow(pieces, ahead=0, enough=lambda: is_over))
            for node, end in ((1, kafka.kill), (2, kafka.term), (3, kafka.kill)):
                sent, at = place.sent, time.monotonic()
                await asyncio.to_thread(end, node)
                await until(lambda sent=sent: place.sent > sent + 20, "nothing flows")
                print(f"{end.__name__} {node}: flowing again after {time.monotonic() - at:.1f} s")
                await asyncio.to_thread(kafka.up, node)
                sent = place.sent
                await until(lambda sent=sent: place.sent > sent + 20, "nothing flows")
            is_over = True
            await flowing
            await place.settled()
            assert not any(rater.has_ended for rater in raters), "pauses only"
            await place.check([FOOTBALL])
            await place.check_followers(FOOTBALL, [follower])


@pytest.mark.long
async def test_a_transactional_id_expired_while_nothing_happened(tmp_path: Path) -> None:
    """U152: the next fact is rated, by a rater that was started again if need be."""
    short = {"transactional_id_expiration_ms": "3000", "transaction_remove_expired_transaction_cleanup_interval_ms": "500"}
    with cluster(tmp_path, 1, **short, producer_id_expiration_ms="3000") as (_, bootstrap):
        async with Place(bootstrap, tmp_path) as place:
            pieces, rater = stream(), await place.rater("a")
            await place.flow([next(pieces), next(pieces)])
            await place.settled()
            await asyncio.sleep(8)  # idle for longer than the ids live
            await place.publish(next(pieces))
            try:
                await place.settled(within_s=10)
            except AssertionError:
                await until(lambda: rater.has_ended, "it neither rates nor ends", within_s=60)
                print(f"ended with {rater.process.returncode}: {rater.errors()[-300:]}")
                await rater.ended(rater.process.returncode or 0)
                assert rater.process.returncode in (3, 10), "may be started again"
                await place.rater("a")
                await place.settled()
            await place.check([FOOTBALL])


async def test_no_broker_or_no_topics_at_the_start(bootstrap: str, tmp_path: Path) -> None:
    for address, code, sentence in (("127.0.0.1:1", 3, "it may be started again"), (bootstrap, 20, "rerate topics")):
        log = ["--log", f"kafka://{address}", "--prefix", fresh_prefix()]
        ended, said, errors = await rerate(*log, "rater", "--data", str(tmp_path / "data"))
        assert (ended, said) == (code, ""), errors
        assert sentence in errors
        assert "Traceback" not in errors
    assert os.listdir(tmp_path) == []
