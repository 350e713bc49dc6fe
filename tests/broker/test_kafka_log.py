import asyncio
import struct
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiokafka import AIOKafkaProducer, TopicPartition
from aiokafka.admin.records_to_delete import RecordsToDelete
from aiokafka.record.util import calc_crc32c

from rerate.log.errors import Fenced, LogInconsistent, LogMissing, LogUnreachable, RecordTooLarge
from rerate.log.kafka import KafkaLog
from rerate.log.kafka_cluster import admin
from rerate.log.kafka_writer import send
from rerate.log.seam import Out
from rerate.log.topics import ensure_topics, kinds
from tests.broker.bench import QUICK, KafkaBench
from tests.log.contract import COMPACTED, FACTS, OUTCOMES, LogContract, P, drain, facts, read, until_seen, update

pytestmark = pytest.mark.broker

PROJECT = Path(__file__).parents[2]


@pytest.fixture
async def bench(bootstrap: str, request: pytest.FixtureRequest) -> AsyncIterator[KafkaBench]:
    made = KafkaBench(bootstrap)
    # A cleaner as quick as this tears what is read for longer than its lag; only tests of cleaning have one.
    await made.create(QUICK if "clean" in request.function.__code__.co_names else {})
    yield made
    await made.close()


class TestKafkaLog(LogContract):
    pass


# Who writes


async def test_what_a_killed_writer_left_open_is_gone_when_the_next_one_has_opened(bench: KafkaBench) -> None:
    log = bench.kafka_log()
    victim = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.broker.victim", bench.bootstrap, bench.prefix, cwd=PROJECT, stdout=asyncio.subprocess.PIPE
    )
    assert victim.stdout is not None
    assert await victim.stdout.readline() == b"open\n"
    victim.kill()
    await victim.wait()
    assert await log.ends(P, ["rows"]) == {"rows": 0}
    began = time.monotonic()
    writer = await log.writer(P)
    await writer.commit([Out("rows", b"k", b"1")], {"played": 1})
    seen = await until_seen(log, "rows", 1)
    assert [(record.offset, record.value) for record in seen] == [(4, b"1")]
    assert time.monotonic() - began < 10, "its transaction would have stayed open for 30 s"


async def test_a_writer_stopped_within_its_transaction_is_fenced_when_it_goes_on(bench: KafkaBench) -> None:
    log = bench.kafka_log()
    zombie = await log.writer(P)
    await zombie._producer.begin_transaction()
    await send(zombie._producer, f"{bench.prefix}.rows", P, [Out("rows", b"k", b"lost")])
    successor = await bench.kafka_log().writer(P)
    zombie._producer._txn_manager.state = type(zombie._producer._txn_manager.state).READY
    with pytest.raises(Fenced):
        await zombie.commit(update(9, 2), {"played": 9})
    with pytest.raises(LogUnreachable, match="finished"):
        await zombie.commit([], {})
    assert successor.committed() is None
    await successor.commit(update(1, 1), {})
    assert [record.value for record in await until_seen(log, "heads", 1)] == [b"1"]


async def test_writers_of_two_partitions_do_not_disturb_each_other(bootstrap: str) -> None:
    bench = KafkaBench(bootstrap, partitions=2)
    await bench.create({})
    log = bench.kafka_log()
    first, second = await log.writer(0), await log.writer(1)
    for n in range(3):
        await asyncio.gather(*(writer.commit(update(n, 2), {"played": n}) for writer in (first, second)))
    assert first.committed() == second.committed() == {"played": 2}
    assert log.partitions == 2
    await bench.close()


async def test_a_row_that_the_broker_refuses_lets_nothing_of_its_transaction_be_seen(bootstrap: str) -> None:
    bench = KafkaBench(bootstrap)
    await bench.create({"kept": {"max.message.bytes": "100000"}})
    log = bench.kafka_log()
    writer = await log.writer(P)
    with pytest.raises(RecordTooLarge, match="refuses"):
        await writer.commit([*update(1, 2), Out("receipts", b"k", b"x" * 200_000)], {"played": 5})
    with pytest.raises(LogUnreachable, match="finished"):
        await writer.commit(update(1, 2), {})
    successor = await log.writer(P)
    assert successor.committed() is None
    await successor.commit(update(2, 1), {})
    assert [record.value for record in await until_seen(log, "heads", 1)] == [b"2"]
    await bench.close()


# Reading


async def test_positions_move_over_what_was_aborted(bench: KafkaBench) -> None:
    log = bench.kafka_log()
    reader = await log.reader(P, {"rows": 0, "heads": 0})
    await bench.write_aborted(("rows", "heads"), rows=5)
    ends = await log.ends(P, ["rows", "heads"])
    assert ends == {"rows": 6, "heads": 6}
    assert await drain(reader, ends) == []
    assert reader.positions() == ends


async def test_an_offset_that_retention_took_is_an_inconsistency_at_once_or_later(bench: KafkaBench) -> None:
    log = bench.kafka_log()
    await log.append(P, facts(b"a", b"b", b"c"))
    early = await log.reader(P, {"played": 0})
    async with admin(bench.bootstrap) as client:
        await client.delete_records({TopicPartition(f"{bench.prefix}.played", P): RecordsToDelete(before_offset=2)})
    assert await log.starts(P, ["played"]) == {"played": 2}
    with pytest.raises(LogInconsistent, match="holds offsets 2 to 3, but is to be read from 1"):
        await log.reader(P, {"played": 1})
    with pytest.raises(LogInconsistent, match="played"):
        await drain(early, {"played": 3})
    assert [record.value for record in await drain(await log.reader(P, {"played": 2}), {"played": 3})] == [b"c"]


async def test_messages_of_other_clients_come_as_they_were_sent(bench: KafkaBench) -> None:
    binary = [("ce_specversion", b"1.0"), ("ce_type", b"rerate.result-published.v1"), ("content-type", b"application/json")]
    async with AIOKafkaProducer(bootstrap_servers=bench.bootstrap, compression_type="gzip", max_request_size=30_000_000) as producer:
        await producer.send_and_wait(f"{bench.prefix}.played", b'{"specversion":"1.0"}', b"club:rook", partition=P)
        await producer.send_and_wait(f"{bench.prefix}.played", b"{}", b"club:rook", partition=P, headers=binary)
        await producer.send_and_wait(f"{bench.prefix}.played", None, b"club:rook", partition=P, headers=[("absent", None)])
        await producer.send_and_wait(f"{bench.prefix}.played", b" " * 20_000_000, b"club:rook", partition=P)
    found = await read(bench.kafka_log(), ["played"])
    assert [(record.key, record.value, record.headers) for record in found[:3]] == [
        (b"club:rook", b'{"specversion":"1.0"}', ()),
        (b"club:rook", b"{}", tuple(binary)),
        (b"club:rook", None, (("absent", b""),)),
    ]
    assert len(found[3].value or b"") == 20_000_000, "large, but small as it was sent"


async def test_a_header_that_is_not_utf8_does_not_stop_a_reader(bench: KafkaBench) -> None:
    async with AIOKafkaProducer(bootstrap_servers=bench.bootstrap) as producer:
        for name in ("first", "größe", "last"):
            batch = producer.create_batch()
            batch.append(timestamp=None, key=name.encode(), value=b"v", headers=[("a", b"1"), ("größe", b"2")])
            if name == "größe":
                spoil(batch)
            await (await producer.send_batch(batch, f"{bench.prefix}.played", partition=P))
    log = bench.kafka_log()
    await log.append(P, facts(b"own"))
    for _ in range(2):
        found = await read(log, ["played"])
        assert [record.key for record in found] == [b"first", "größe".encode(), b"last", b"club:rook"]
        assert found[0].headers == found[2].headers == (("a", b"1"), ("größe", b"2"))
        assert found[1].headers == (("a", b"1"), ("gr\ufffd\ufffd\ufffd\ufffde", b"2"))
        assert {record.value for record in found} == {b"v", b"own"}


def spoil(batch: object) -> None:
    """Make a header's name what no UTF-8 is, as a client in another language can send it."""
    built = batch._build()  # type: ignore[attr-defined]
    raw = bytearray(built)
    at = raw.rindex("größe".encode())
    raw[at + 2 : at + 6] = b"\xff\xfe\xff\xfe"
    struct.pack_into(">I", raw, 17, calc_crc32c(raw[21:]))
    batch._buffer = raw  # type: ignore[attr-defined]


# What is not there


async def test_a_cluster_that_is_not_there_is_said_soon() -> None:
    log = KafkaLog("127.0.0.1:1", facts=FACTS, outcomes=OUTCOMES, compacted=COMPACTED)
    began = time.monotonic()
    for ask in (log.open(), log.writer(P), log.reader(P, {}), log.append(P, facts(b"a")), log.newest(P, "rows", b"k")):
        with pytest.raises(LogUnreachable, match=r"connecting to 127\.0\.0\.1:1"):
            await ask
    with pytest.raises(LogUnreachable):
        await ensure_topics("127.0.0.1:1", kinds(FACTS, OUTCOMES, COMPACTED))
    assert time.monotonic() - began < 10
    await log.close()


async def test_a_missing_topic_and_unequal_topics_are_named(bench: KafkaBench) -> None:
    for facts_too, error, said in ((["other"], LogMissing, r"\.other: .*rerate topics"), (["wide"], LogInconsistent, r"2: .*\.wide")):
        if facts_too == ["wide"]:
            await ensure_topics(bench.bootstrap, kinds(facts_too), prefix=bench.prefix, partitions=2, replication=1)
        log = KafkaLog(bench.bootstrap, prefix=bench.prefix, facts=[*FACTS, *facts_too], outcomes=OUTCOMES, compacted=COMPACTED)
        with pytest.raises(error, match=said):
            await log.open()
        await log.close()
