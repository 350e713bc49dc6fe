"""What brokers do to raters: one of three dies and comes back under flow; transactional ids expire; nobody answers, or has no topics."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import pytest

from ops.kafka.local import LocalKafka
from rerate.log.kafka_noise import limit_noise
from tests.broker.bench import fresh_prefix
from tests.broker.raters import FOOTBALL, Place, rerate, until
from tests.broker.test_rater_kills import stream

pytestmark = pytest.mark.broker


@contextmanager
def cluster(directory: Path, nodes: int, **settings: str) -> Iterator[tuple[LocalKafka, str]]:
    """A Kafka of one's own."""
    limit_noise()
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


@pytest.mark.long
@pytest.mark.parametrize("within", [None, "between sends", "rows sent", "committed"])
async def test_the_broker_is_away_while_the_rater_is_asked_to_end(tmp_path: Path, within: str | None) -> None:
    """Between two transactions or inside one: it ends, within its limit, and nothing is lost."""
    with cluster(tmp_path, 1) as (kafka, bootstrap):
        async with Place(bootstrap, tmp_path) as place:
            pieces, rater = stream(), await place.rater("a", records_a_step=5)
            await place.flow([next(pieces), next(pieces)])
            await place.settled()
            if within is not None:
                rater.arm(within, FOOTBALL, kind="SIGSTOP")
                await place.publish(next(pieces))
                await until(rater.is_stopped, f"it does not stand still: {within}")
            await asyncio.to_thread(kafka.kill, 1)
            rater.kill(signal.SIGCONT)
            at = time.monotonic()
            rater.kill(signal.SIGTERM)
            code = await rater.ended(0, 3)
            print(f"{within}: ended with {code} {time.monotonic() - at:.1f} s after it was asked to")
            await asyncio.to_thread(kafka.up, 1)
            rater = await place.rater("a")
            await place.publish(next(pieces))
            await place.settled()
            await place.check([FOOTBALL])
            await rater.term()


@pytest.mark.long
@pytest.mark.parametrize(("away_s", "codes"), [(5, (None, 3, 10)), (None, (3,))], ids=["for seconds", "for longer than the limit"])
@pytest.mark.parametrize("point", ["begun", "between sends", "rows sent", "offsets sent"])
async def test_the_broker_is_away_inside_a_transaction(
    tmp_path: Path, point: str, away_s: float | None, codes: tuple[int | None, ...]
) -> None:
    """For some seconds: it goes on, or ends. For longer than a transaction may take: it ends, and whoever starts it again loses nothing."""
    with cluster(tmp_path, 1) as (kafka, bootstrap):
        async with Place(bootstrap, tmp_path) as place:
            pieces, rater = stream(), await place.rater("a", session_ms=30_000)
            follower = await place.follow(FOOTBALL)
            await place.flow([next(pieces), next(pieces)])
            await place.settled()
            rater.arm(point, FOOTBALL, kind="SIGSTOP")
            await place.publish(next(pieces))
            await until(rater.is_stopped, f"it does not stand still: {point}")
            await asyncio.to_thread(kafka.kill, 1)
            os.kill(rater.process.pid, signal.SIGCONT)
            at = time.monotonic()
            if away_s is None:
                code = await rater.ended(3)
                print(f"{point}: ended with {code} after {time.monotonic() - at:.1f} s")
            else:
                await asyncio.sleep(away_s)  # how long it is away is what is tried
            await asyncio.to_thread(kafka.up, 1)
            if away_s is None:
                rater = await place.rater("a")
            await place.publish(next(pieces))
            await place.settled()
            assert rater.process.returncode in (None, *codes)
            print(f"{point}: settled {time.monotonic() - at:.1f} s later, started again: {dict(place.started_again)}")
            await place.check([FOOTBALL])
            await place.check_followers(FOOTBALL, [follower])


@pytest.mark.long
@pytest.mark.parametrize("away_s", [15, 60])
async def test_two_brokers_of_three_are_away_under_flow(tmp_path: Path, away_s: float) -> None:
    with cluster(tmp_path, 3) as (kafka, bootstrap):
        async with Place(bootstrap, tmp_path, replication=3) as place:
            for name in ("a", "b"):
                await place.rater(name, is_static=False, session_ms=30_000, records_a_step=5)
            pieces, follower = stream(), await place.follow(FOOTBALL)
            await place.flow([next(pieces), next(pieces)])
            await place.publish(fact for _ in range(40) for fact in next(pieces))
            for node in (1, 2):
                await asyncio.to_thread(kafka.kill, node)
            at = time.monotonic()
            while time.monotonic() - at < away_s:
                await place.supervise()
                await asyncio.sleep(1)  # between two looks, while they are away
            print(f"two away for {away_s} s: started again {dict(place.started_again)}")
            for node in (1, 2):
                await asyncio.to_thread(kafka.up, node)
            at = time.monotonic()
            await place.settled(within_s=180)
            print(f"all facts are rated {time.monotonic() - at:.1f} s after they were back; started again {dict(place.started_again)}")
            await place.publish(next(pieces))
            await place.settled()
            await place.check([FOOTBALL])
            await place.check_followers(FOOTBALL, [follower])


VANISHING = """
import os, signal, sys
from rerate.cli import main
from rerate.log import kafka_reader, patience
from rerate.log.kafka_reader import KafkaReader

poll, awaited, patience.SILENCE_S, kafka_reader.FETCH_BYTES = KafkaReader.poll, sys.argv.pop(1), 3.0, 5_000
broker = int(sys.argv.pop(1))

async def polled(reader, max_records):
    found = await poll(reader, 10)
    if any(record.topic == awaited for record in found):
        os.kill(broker, signal.SIGKILL)
    return found

def kill(pid, number, kill=os.kill):
    try:
        kill(pid, number)
    except ProcessLookupError:
        pass

os.kill, KafkaReader.poll = kill, polled
main()
"""
"""A command that kills the broker when it has read the first records of a topic."""


@pytest.mark.long
async def test_the_broker_vanishes_in_the_midst_of_a_command(tmp_path: Path) -> None:
    with cluster(tmp_path, 1) as (kafka, bootstrap):
        async with Place(bootstrap, tmp_path) as place:
            pieces, rater = stream(), await place.rater("a", records_a_step=5)
            await place.flow(islice(pieces, 30))  # so that everything lies in many batches, which come one by one
            await place.settled()
            await rater.term()
            log = ["--log", f"kafka://{bootstrap}", "--prefix", place.prefix]
            for topic, asked in (
                ("result-published", ["verify"]),
                ("fact-receipts", ["receipts"]),
                ("rating-snapshots", ["ladder", "football:world"]),
                ("rating-deltas", ["subscribe", "football:world"]),
            ):
                process = await asyncio.create_subprocess_exec(
                    *(sys.executable, "-c", VANISHING, topic, str(kafka.pid(1)), *log, *asked),
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.PIPE,
                )
                at = time.monotonic()
                _, errors = await asyncio.wait_for(process.communicate(), 60)
                print(f"{asked[0]}: {process.returncode} after {time.monotonic() - at:.1f} s, {errors.decode().splitlines()[-1]}")
                assert process.returncode == 3, errors.decode()
                assert "not answered" in errors.decode()
                assert "Traceback" not in errors.decode()
                await asyncio.to_thread(kafka.up, 1)


async def test_no_broker_or_no_topics_at_the_start(bootstrap: str, tmp_path: Path) -> None:
    for address, code, sentence in (("127.0.0.1:1", 3, "it may be started again"), (bootstrap, 20, "rerate topics")):
        log = ["--log", f"kafka://{address}", "--prefix", fresh_prefix()]
        ended, said, errors = await rerate(*log, "rater", "--data", str(tmp_path / "data"))
        assert (ended, said) == (code, ""), errors
        assert sentence in errors
        assert "Traceback" not in errors
    assert os.listdir(tmp_path) == []
