"""From facts and outcomes to the bytes on the wire.

Facts and heads are structured CloudEvents without `time`; rows, receipts and partition heads are binary mode: attributes in headers, the
value canonical JSON. An outcome's source is a constant, so that an export elsewhere has the same bytes.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

import msgspec

from rerate.messages import codes
from rerate.messages.canonical import canonical
from rerate.messages.facts import FACT_TOPICS, Fact
from rerate.messages.refusals import Refusal

RATER_SOURCE: Final = "rerate/rater"

RATING_SNAPSHOT: Final = "rerate.rating-snapshot.v1"
RATING_DELTA: Final = "rerate.rating-delta.v1"
RATED_EVENT: Final = "rerate.rated-event.v1"
PERSON_ID: Final = "rerate.person-id.v1"
FACT_STANDING: Final = "rerate.fact-standing.v1"
FACT_RECEIPT: Final = "rerate.fact-receipt.v1"
RATING_HEAD: Final = "rerate.rating-head.v1"
PARTITION_HEAD: Final = "rerate.partition-head.v1"

STRUCTURED_HEADERS: Final = (("content-type", b"application/cloudevents+json; charset=UTF-8"),)
"""Of facts and heads."""


def fact_topic(type: str) -> str:
    """The topic of a fact's type, without the prefix: five are named after their type, `pool-facts` has all others."""
    name = type.removeprefix("rerate.").rpartition(".")[0]
    return name if name in FACT_TOPICS else "pool-facts"


def fact_message(
    type: str,
    source: str,
    id: str,
    data: Mapping[str, Any] | msgspec.Struct,
    actor: str | None = None,
    submission: str | None = None,
) -> tuple[bytes, bytes]:
    """Key and value of a fact. It is written as it is told to be; `read` says whether it is one."""
    content = msgspec.to_builtins(data)
    envelope = {"specversion": "1.0", "type": type, "source": source, "id": id, "data": content}
    if actor is not None:
        envelope["actor"] = actor
    if submission is not None:
        envelope["submission"] = submission
    return str(content["pool"]).encode(), canonical(envelope)


def row_headers(ce_type: str, ce_id: str) -> tuple[tuple[str, bytes], ...]:
    """Headers of a row, a receipt or a partition head.

    Args:
        ce_id: of a row `key@update`, of a receipt the message's `topic/partition/offset`, of a partition head `partition@messages before`.
    """
    return (
        ("ce_specversion", b"1.0"),
        ("ce_type", ce_type.encode()),
        ("ce_source", RATER_SOURCE.encode()),
        ("ce_id", ce_id.encode()),
        ("content-type", b"application/json"),
    )


def head_message(pool: str, update: int, data: Mapping[str, Any]) -> bytes:
    """Value of a head: the same bytes in every topic it closes."""
    content = {"by": {}, **data, "pool": pool, "update": update}
    return canonical(
        {"specversion": "1.0", "type": RATING_HEAD, "source": RATER_SOURCE, "id": f"{pool}@{update}", "data": content},
    )


def receipt(
    topic: str,
    partition: int,
    offset: int,
    verdict: Fact | Refusal,
    *,
    update: int | None,
    is_duplicate: bool = False,
    value: bytes | None = None,
) -> bytes:
    """Value of the receipt of one message.

    Args:
        topic: without the prefix; with partition and offset the message's position.
        verdict: what `read` said.
        update: the pool's update that is in force after the message; None while catching up and for a halted pool.
        is_duplicate: the fact was there before.
        value: the rejected message, for its SHA-256 and length; none of its bytes are kept.
    """
    record: dict[str, object] = {
        "message": {"topic": topic, "partition": partition, "offset": offset},
        "update": update,
        "by": {},
    }
    if isinstance(verdict, Refusal):
        record["status"] = codes.REJECTED
        record["reason"] = verdict.reason
        record["sentence"] = verdict.sentence
        for name, said in (("pointer", verdict.pointer), ("expected", verdict.expected), ("found", verdict.found)):
            if said is not None:
                record[name] = said
        if value is not None:
            record["sha256"] = sha256(value).hexdigest()
            record["length"] = len(value)
    else:
        identity = verdict.identity
        record["status"] = codes.DUPLICATE if is_duplicate else codes.ACCEPTED
        record["fact"] = {"source": identity.source, "id": identity.id, "digest": identity.digest.hex()}
    return canonical(record)


def partition_head(partition: int, partitions: int, next_offsets: Mapping[str, int], *, is_catching_up: bool) -> bytes:
    """Value of a partition head: the public "read up to here"."""
    return canonical(
        {"partition": partition, "partitions": partitions, "next": dict(next_offsets), "catching_up": is_catching_up, "by": {}},
    )
