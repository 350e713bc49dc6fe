from collections.abc import Mapping

import pytest

from rerate.log.errors import LogUnreachable
from rerate.log.kafka_cluster import admin, partition_counts
from rerate.log.topics import SETTINGS, Kind, TopicState, ensure_topics, kinds
from tests.broker.bench import fresh_prefix

pytestmark = pytest.mark.broker

TOPICS = kinds(["played"], ["rows", "heads", "receipts"], ["rows", "heads"], ["heads"])


async def ensure(
    bootstrap: str,
    prefix: str,
    topics: Mapping[str, Kind] = TOPICS,
    overrides: Mapping[Kind, Mapping[str, str]] | None = None,
    partitions: int = 2,
) -> dict[str, TopicState]:
    done = await ensure_topics(bootstrap, topics, prefix=prefix, partitions=partitions, replication=1, overrides=overrides)
    assert [one.topic for one in done] == [f"{prefix}.{topic}" for topic in topics]
    return {one.topic.removeprefix(f"{prefix}."): one for one in done}


async def test_all_are_created_once_with_their_settings(bootstrap: str) -> None:
    prefix = fresh_prefix()
    assert {one.state for one in (await ensure(bootstrap, prefix, kinds(["played"]))).values()} == {"created"}
    assert {topic: one.state for topic, one in (await ensure(bootstrap, prefix)).items()} == {
        "played": "found",
        "rows": "created",
        "heads": "created",
        "receipts": "created",
    }
    assert {one.state for one in (await ensure(bootstrap, prefix)).values()} == {"found"}
    async with admin(bootstrap) as client:
        counts = await partition_counts(client)
    assert {counts[f"{prefix}.{topic}"] for topic in TOPICS} == {2}


@pytest.mark.parametrize(
    ("topic", "setting", "value", "why"),
    [
        ("played", "cleanup.policy", "compact", "facts would be lost"),
        ("played", "retention.ms", "1000000", "facts would be lost"),
        ("played", "retention.bytes", "1000000", "facts would be lost"),
        ("played", "message.timestamp.type", "CreateTime", "publisher's time"),
        ("played", "max.message.bytes", "1000000", "large records would be refused"),
        ("receipts", "retention.ms", "1000000", "outcomes would be lost"),
        ("rows", "cleanup.policy", "delete", "rows would be lost"),
        ("rows", "cleanup.policy", "compact,delete", "rows would be lost"),
        ("heads", "cleanup.policy", "delete", "heads would be lost"),
    ],
)
async def test_a_topic_that_would_lose_something_is_refused_and_nothing_created(
    bootstrap: str, topic: str, setting: str, value: str, why: str
) -> None:
    prefix, kind = fresh_prefix(), TOPICS[topic]
    await ensure(bootstrap, prefix, {topic: kind}, {kind: {setting: value}})
    done = await ensure(bootstrap, prefix)
    assert done[topic].state == "refused"
    (reason,) = done[topic].reasons
    assert reason.startswith(f"{prefix}.{topic} has {setting}={value}, ")
    assert SETTINGS[kind][setting] in reason
    assert why in reason
    assert {one.state for name, one in done.items() if name != topic} == {"missing"}
    async with admin(bootstrap) as client:
        assert [name for name in await partition_counts(client) if name.startswith(prefix)] == [f"{prefix}.{topic}"]


async def test_another_number_of_partitions_is_refused(bootstrap: str) -> None:
    prefix = fresh_prefix()
    await ensure(bootstrap, prefix, {"rows": TOPICS["rows"]}, partitions=3)
    assert (await ensure(bootstrap, prefix))["rows"].reasons == (f"{prefix}.rows has 3 partitions, not 2: a pool's partition would change",)


async def test_what_the_cluster_cannot_do_is_said(bootstrap: str) -> None:
    with pytest.raises(LogUnreachable, match=r"played cannot be created: .*replication"):
        await ensure_topics(bootstrap, TOPICS, prefix=fresh_prefix(), replication=99)
