"""What a Kafka cluster knows beside records: which topics it has with how many partitions, and a group's committed offsets."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from aiokafka import TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError

from .errors import LogInconsistent, LogMissing, LogUnreachable
from .kafka_border import ANSWER_S, close, within

RETRY_S = 0.1


@asynccontextmanager
async def admin(bootstrap: str) -> AsyncIterator[Any]:
    """An admin client for a few questions.

    Raises:
        LogUnreachable: no broker answers.
    """
    client = AIOKafkaAdminClient(bootstrap_servers=bootstrap, request_timeout_ms=int(ANSWER_S * 1000))
    try:
        await within(ANSWER_S, client.start(), f"connecting to {bootstrap}")
        yield client
    finally:
        await close(client.close())


async def partition_counts(client: Any) -> dict[str, int]:
    """Topic -> partitions, of all topics that this client may see.

    Asks for all of them: where brokers create topics by themselves, asking for one by its name would create it.
    """
    found = await within(ANSWER_S, client.describe_topics(), "listing the topics")
    return {topic["topic"]: len(topic["partitions"]) for topic in found}


def equal_count(counts: Mapping[str, int], topics: Iterable[str], where: str) -> int:
    """The number of partitions that all these topics have.

    Raises:
        LogMissing: a topic is missing.
        LogInconsistent: they differ.
    """
    wanted = sorted(topics)
    missing = [topic for topic in wanted if topic not in counts]
    if missing:
        raise LogMissing(f"{where} has no topic {', '.join(missing)}: create what is missing with `rerate topics`")
    by_count: dict[int, list[str]] = {}
    for topic in wanted:
        by_count.setdefault(counts[topic], []).append(topic)
    if len(by_count) != 1:
        each = "; ".join(f"{count}: {', '.join(named)}" for count, named in sorted(by_count.items()))
        raise LogInconsistent(f"the topics on {where} must have equally many partitions, but have {each}")
    return next(iter(by_count))


async def group_offsets(client: Any, group: str, wanted: list[TopicPartition]) -> dict[TopicPartition, int]:
    """The committed offsets of a group; a partition without one is not in it.

    Right only after the last transaction that names them has ended, so ask after the writer has been opened: until then the answer may
    be of before it.

    Raises:
        LogUnreachable: no coordinator has answered for `ANSWER_S`.
    """
    what = f"reading the committed offsets of {group}"
    give_up_at = time.monotonic() + ANSWER_S
    while True:
        try:
            found = await within(ANSWER_S, _ask(client, group, wanted), what)
        except LogUnreachable:
            if time.monotonic() > give_up_at:
                raise
        else:
            # A coordinator that is just moving answers with nothing at all; a partition without an offset is there with -1.
            if all(one in found for one in wanted):
                return {one: found[one].offset for one in wanted if found[one].offset >= 0}
            if time.monotonic() > give_up_at:
                raise LogUnreachable(f"{what}: the coordinator has not answered for {ANSWER_S:g} s")
        await asyncio.sleep(RETRY_S)


async def _ask(client: Any, group: str, wanted: list[TopicPartition]) -> Any:
    try:
        return await client.list_consumer_group_offsets(group, partitions=wanted)
    except AttributeError as error:  # aiokafka, reading the code of an error from where it is not
        raise KafkaError("a partition's offset cannot be read now") from error
