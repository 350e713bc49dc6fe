"""The topics of a log on Kafka: with which settings they are made, and which of those that are there would lose facts.

Fact topics are the truth: kept for ever, stamped by the broker's clock. Outcomes are either kept for ever or compacted. All have the same
number of partitions, for life.
"""

import asyncio
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from aiokafka.admin import NewTopic
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import TopicAlreadyExistsError, for_code
from aiokafka.protocol.metadata import MetadataRequest

from .errors import LogUnreachable
from .kafka_border import ANSWER_S, TAKEOVER_S, within
from .kafka_cluster import RETRY_S, admin, partition_counts
from .kafka_writer import FRAME_BYTES
from .limits import FACT_LIMIT, OUTCOME_LIMIT

PARTITIONS = 6
REPLICATION = 3
HOUR_MS = 60 * 60 * 1000
DAY_MS = 24 * HOUR_MS

Kind = Literal["fact", "kept", "compacted", "newest only"]

_FOR_EVER = {"cleanup.policy": "delete", "retention.ms": "-1", "retention.bytes": "-1", "message.timestamp.type": "LogAppendTime"}
_COMPACTED = {
    "cleanup.policy": "compact",
    "message.timestamp.type": "LogAppendTime",
    "segment.ms": str(DAY_MS),
    "min.compaction.lag.ms": str(DAY_MS),  # a subscriber's first read must be shorter than this
    "max.compaction.lag.ms": str(7 * DAY_MS),
    "delete.retention.ms": str(7 * DAY_MS),  # and its absence than this
}
SETTINGS: Mapping[Kind, Mapping[str, str]] = {
    "fact": _FOR_EVER | {"max.message.bytes": str(FACT_LIMIT + FRAME_BYTES)},
    "kept": _FOR_EVER | {"max.message.bytes": str(OUTCOME_LIMIT + FRAME_BYTES)},
    "compacted": _COMPACTED | {"max.message.bytes": str(OUTCOME_LIMIT + FRAME_BYTES)},
    # No update spans such a topic and its rows, so nothing tears when it is compacted at once, and a start reads an hour and not a day.
    "newest only": _COMPACTED
    | {"segment.ms": str(HOUR_MS), "min.compaction.lag.ms": "0", "max.compaction.lag.ms": str(DAY_MS)}
    | {"max.message.bytes": str(OUTCOME_LIMIT + FRAME_BYTES)},
}
"""Settings of each kind of topic in production."""

_MUST_BE: Mapping[Kind, Mapping[str, str]] = {
    "fact": dict.fromkeys(_FOR_EVER, "facts would be lost or get a publisher's time"),
    "kept": dict.fromkeys(["cleanup.policy", "retention.ms", "retention.bytes"], "outcomes would be lost"),
    "compacted": {"cleanup.policy": "rows would be lost, or never cleaned"},
    "newest only": {"cleanup.policy": "heads would be lost, or never cleaned"},
}
"""Why a topic that is there and differs is refused; other differences are the operator's choice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicState:
    """What was done about a topic, or found."""

    topic: str
    """With its prefix."""
    kind: Kind
    state: Literal["created", "found", "missing", "refused"]
    """`missing`: not created, because another was refused."""
    reasons: tuple[str, ...] = ()
    """Plain sentences that say why it is refused."""


def kinds(
    facts: Iterable[str], outcomes: Iterable[str] = (), compacted: Iterable[str] = (), newest_only: Iterable[str] = ()
) -> dict[str, Kind]:
    """Topic -> its kind, facts first."""
    packed, newest = set(compacted), set(newest_only)
    named: dict[str, Kind] = dict.fromkeys(facts, "fact")
    for topic in outcomes:
        named[topic] = "newest only" if topic in newest else "compacted" if topic in packed else "kept"
    return named


async def ensure_topics(
    bootstrap: str,
    topics: Mapping[str, Kind],
    *,
    prefix: str = "rerate",
    partitions: int = PARTITIONS,
    replication: int = REPLICATION,
    overrides: Mapping[Kind, Mapping[str, str]] | None = None,
) -> list[TopicState]:
    """Create what is missing, unless something that is there must be refused; change nothing that is there.

    Args:
        topics: without prefix, see `kinds`.
        partitions: of each topic; never changed afterwards.
        replication: copies of each record; with three or more, two must have it before it counts as written.
        overrides: settings that win over `SETTINGS`, for tests.

    Returns:
        One for each topic, in their order.

    Raises:
        LogUnreachable: no broker answers, or one refuses to create a topic.
    """
    named = {f"{prefix}.{topic}": kind for topic, kind in topics.items()}
    chosen = overrides or {}
    async with admin(bootstrap) as client:
        counts = await partition_counts(client)
        reasons = await _reasons(client, {topic: kind for topic, kind in named.items() if topic in counts}, counts, partitions)
        created: set[str] = set()
        if not any(reasons.values()):
            missing = [
                NewTopic(
                    topic,
                    partitions,
                    replication,
                    topic_configs={
                        "min.insync.replicas": "2" if replication > 2 else "1",
                        **SETTINGS[kind],
                        **chosen.get(kind, {}),
                    },
                )
                for topic, kind in named.items()
                if topic not in counts
            ]
            created = await _create(client, missing)
            await _wait_led(client, list(named))
            beside = {topic: named[topic] for topic in named if topic not in counts and topic not in created}
            if beside:  # somebody else was quicker
                reasons |= await _reasons(client, beside, await partition_counts(client), partitions)
    return [_state(topic, kind, reasons.get(topic), topic in created) for topic, kind in named.items()]


def _state(topic: str, kind: Kind, reasons: tuple[str, ...] | None, is_created: bool) -> TopicState:
    if is_created:
        return TopicState(topic=topic, kind=kind, state="created")
    if reasons is None:
        return TopicState(topic=topic, kind=kind, state="missing")
    return TopicState(topic=topic, kind=kind, state="refused" if reasons else "found", reasons=reasons)


async def _reasons(client: Any, there: Mapping[str, Kind], counts: Mapping[str, int], partitions: int) -> dict[str, tuple[str, ...]]:
    """Topic -> why it is refused; nothing if it is not."""
    configs = await _configs(client, list(there))
    found: dict[str, tuple[str, ...]] = {}
    for topic, kind in there.items():
        said = [f"has {counts[topic]} partitions, not {partitions}: a pool's partition would change"] if counts[topic] != partitions else []
        for name, why in _MUST_BE[kind].items():
            if configs[topic][name] != SETTINGS[kind][name]:
                said.append(f"has {name}={configs[topic][name]}, not {SETTINGS[kind][name]}: {why}")
        limit = SETTINGS[kind]["max.message.bytes"]
        if int(configs[topic]["max.message.bytes"]) < int(limit):
            said.append(f"has max.message.bytes={configs[topic]['max.message.bytes']}, less than {limit}: large records would be refused")
        found[topic] = tuple(f"{topic} {one}" for one in said)
    return found


async def _configs(client: Any, topics: list[str]) -> dict[str, dict[str, str]]:
    if not topics:
        return {}
    asked = [ConfigResource(ConfigResourceType.TOPIC, topic) for topic in topics]
    answers = await within(ANSWER_S, client.describe_configs(asked), "reading the settings of the topics")
    found: dict[str, dict[str, str]] = {}
    for answer in answers:
        for code, message, _, topic, entries, *_ in answer.resources:
            if code:
                raise LogUnreachable(f"reading the settings of {topic}: {for_code(code).__name__} {message or ''}".rstrip())
            found[topic] = {entry[0]: entry[1] for entry in entries}
    return found


async def _create(client: Any, missing: list[Any]) -> set[str]:
    if not missing:
        return set()
    answer = await within(TAKEOVER_S, client.create_topics(missing), "creating topics")
    created = set()
    for topic, code, message, *_ in answer.topic_errors:
        error = for_code(code)
        if not code:
            created.add(topic)
        elif error is not TopicAlreadyExistsError:
            raise LogUnreachable(f"{topic} cannot be created: {message or error.__name__}")
    return created


async def _wait_led(client: Any, topics: list[str]) -> None:
    """Until every broker knows a leader of every partition: before, a client that asks another one is told that there is no such topic."""
    give_up_at = time.monotonic() + ANSWER_S
    while unled := await _unled(client, topics):
        if time.monotonic() > give_up_at:
            raise LogUnreachable(f"{', '.join(sorted(unled))}: not every broker knows a leader after {ANSWER_S:g} s")
        await asyncio.sleep(RETRY_S)


async def _unled(client: Any, topics: list[str]) -> set[str]:
    """Topics of which a broker does not know all leaders, as far as brokers answer."""
    cluster = await within(ANSWER_S, client.describe_cluster(), "listing the brokers")
    unled: set[str] = set()
    for broker in cluster["brokers"]:
        try:
            answer = await within(ANSWER_S, client._send_request(MetadataRequest(None), broker["node_id"]), "listing the topics")
        except LogUnreachable:
            continue  # it has gone; who lists it will know
        found = answer.to_object()["topics"]
        led = {topic["topic"] for topic in found if topic["partitions"] and all(one["leader"] >= 0 for one in topic["partitions"])}
        unled |= set(topics) - led
    return unled
