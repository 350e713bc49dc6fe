"""What other clients put on the bus: a wrong partition, binary mode, too much, nothing."""

import gzip
from pathlib import Path
from typing import Any

import orjson
import pytest
from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError, MessageSizeTooLargeError

from rerate.intake.cloudevents import to_line
from rerate.log.seam import Record
from rerate.messages.facts import MAX_FACT_BYTES
from rerate.messages.partition import partition_of
from tests.broker.raters import PARTITIONS, Place, rerate
from tests.kit.saying import configured, published
from tests.kit.sendable import Sendable

pytestmark = pytest.mark.broker

ROOK = "club:rook"
RIGHT, CRC32 = 4, 3
"""Where the pool belongs, and where librdkafka's default partitioner puts its key."""


def of_rook(fact: Sendable) -> Sendable:
    return Sendable(fact.type, fact.source, fact.id, fact.data | {"pool": ROOK}, fact.actor)


async def test_what_other_clients_send_is_receipted_as_the_contract_says(bootstrap: str, tmp_path: Path) -> None:
    assert partition_of(ROOK, PARTITIONS) == RIGHT
    lists, first, second, third = (
        of_rook(one) for one in (configured(1, "elo"), published("e1", 1, "A>B"), published("e2", 1, "B>C"), published("e3", 1, "C>A"))
    )
    async with Place(bootstrap, tmp_path) as place:
        rater = await place.rater("a")
        topic, key = f"{place.prefix}.result-published", ROOK.encode()
        async with producer(bootstrap) as own, producer(bootstrap, compression_type="gzip") as packing:
            await place.publish([lists.message(PARTITIONS)])
            value = orjson.dumps(first.cloud_event)
            await own.send_and_wait(topic, value, key, partition=CRC32)
            await own.send_and_wait(topic, value, key, partition=RIGHT)
            binary = {"ce_specversion": "1.0", "ce_type": second.type, "ce_source": second.source, "ce_id": second.id}
            headers = [(name, said.encode()) for name, said in (binary | {"content-type": "application/json"}).items()]
            await own.send_and_wait(topic, orjson.dumps(second.data), key, partition=RIGHT, headers=headers)
            await own.send_and_wait(topic, None, key, partition=RIGHT)
            large = value[:-1] + b" " * (MAX_FACT_BYTES + 50_000) + b"}"
            await packing.send_and_wait(topic, large, key, partition=RIGHT)
            await packing.send_and_wait(topic, b" " * 20_000_000, key, partition=RIGHT)
            with pytest.raises((MessageSizeTooLargeError, KafkaError)) as refused:
                await own.send_and_wait(topic, b" " * 20_000_000, key, partition=RIGHT)
            assert isinstance(refused.value, MessageSizeTooLargeError)
            await own.send_and_wait(topic, orjson.dumps(third.cloud_event), key, partition=RIGHT)
            place.sent += 8
        await place.settled()
        await place.check()
        assert len(gzip.compress(large)) < MAX_FACT_BYTES

        (wrong,) = await receipts(place, CRC32)
        assert (wrong["status"], wrong["reason"]) == ("rejected", "wrong-partition")
        for said in ("club:rook", "murmur2", str(RIGHT), str(CRC32)):
            assert said in wrong["sentence"], wrong
        answers = [(one["status"], one.get("reason")) for one in await receipts(place, RIGHT, "result-published")]
        assert answers == [
            ("accepted", None),
            ("accepted", None),
            ("rejected", "not-json"),
            ("rejected", "too-large"),
            ("rejected", "too-large"),
            ("accepted", None),
        ]
        await rater.term()


async def test_publish_refuses_a_message_of_20_mb(bootstrap: str, tmp_path: Path) -> None:
    async with Place(bootstrap, tmp_path) as place:
        line = to_line({**of_rook(published("e1", 1, "A>B")).cloud_event, "padding": "x" * 20_000_000})  # type: ignore[arg-type]
        code, said, errors = await rerate("--log", f"kafka://{bootstrap}", "--prefix", place.prefix, "publish", "-", input=line)
        assert code == 1, said
        assert "1 line is not published" in errors
        assert len(errors) < 1_000
        assert not any(any(at.values()) for at in (await place.fact_ends()).values())


def producer(bootstrap: str, **more: Any) -> Any:
    return AIOKafkaProducer(bootstrap_servers=bootstrap, acks="all", max_request_size=30_000_000, **more)


async def receipts(place: Place, partition: int, topic: str | None = None) -> list[dict[str, Any]]:
    records: list[Record] = await place.everything(partition, ["fact-receipts"])
    said = [orjson.loads(record.value or b"") for record in records]
    return [one for one in said if topic in (None, one["message"]["topic"])]
