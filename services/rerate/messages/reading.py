"""From the bytes of a message to a fact or a refusal. It never raises, whatever the bytes are.

The reasons are asked in one order and the first that fits is given: too large, not JSON, too deep, no CloudEvent, foreign type, wrong
topic, schema, wrong authority, wrong key, wrong partition. A message is judged by its own bytes, key, partition and schema alone.

Depth is counted as in structured mode, where the data is one level down, so that a fact has the same verdict in both modes.
"""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

import msgspec

from rerate.messages import codes, facts
from rerate.messages.canonical import content_digest
from rerate.messages.common_rules import fault_in_keys_or_numbers, first_null
from rerate.messages.envelope import Envelope, Headers, envelope_of, is_binary
from rerate.messages.expectations import describe_field, fault_of
from rerate.messages.facts import Fact, Identity
from rerate.messages.partition import partition_of
from rerate.messages.refusals import NOTHING, Fault, Path, Refusal, Refused, kind_of, refused
from rerate.messages.scan import Scanned, scan
from rerate.messages.sense import fault_in

_TYPE = re.compile(r"rerate\.([a-z][a-z0-9-]{0,39})\.v[1-9][0-9]{0,2}")
_ID = re.compile(r"[A-Za-z0-9._:~-]{1,80}")
_SOURCE = re.compile(r"[A-Za-z0-9._~-]{1,40}/[A-Za-z0-9._~-]{1,40}")
_MINTED = re.compile(r"(?=.{3,80}\Z)[A-Za-z0-9._~-]{1,78}:[A-Za-z0-9._:~-]{1,78}")
_SUBMISSION = re.compile(r"[A-Za-z0-9._:~-]{1,80}:([1-9][0-9]{0,6}):([1-9][0-9]{0,6})")
_MAX_PARTS: Final = 1_000_000

_BY_TYPE: Final[Mapping[str, type[facts.Data]]] = {
    "rerate.result-published.v1": facts.ResultPublished,
    "rerate.result-corrected.v1": facts.EventCorrected,
    "rerate.event-deleted.v1": facts.EventDeleted,
    "rerate.identity-merged.v1": facts.IdentityMerged,
    "rerate.identity-unmerged.v1": facts.IdentityUnmerged,
    "rerate.pool-configured.v1": facts.PoolConfigured,
    "rerate.player-registered.v1": facts.PlayerRegistered,
    "rerate.rating-seeded.v1": facts.RatingSeeded,
    "rerate.rating-adjusted.v1": facts.RatingAdjusted,
    "rerate.fact-withdrawn.v1": facts.FactWithdrawn,
}
FACT_TYPES: Final = frozenset(_BY_TYPE)
"""Types of facts that this version knows."""
_RULED: Final[Mapping[type[facts.Data], type[facts.Data]]] = {
    facts.EventCorrected: facts.EventRuled,
    facts.EventDeleted: facts.DeletionRuled,
}
_NEEDS_ACTOR: Final = (
    facts.IdentityMerged,
    facts.IdentityUnmerged,
    facts.RatingAdjusted,
    facts.FactWithdrawn,
    facts.EventRuled,
    facts.DeletionRuled,
)

_PARTITION_ADVICE: Final = (
    "Set partitioner=murmur2_random in a producer built on librdkafka (its default is CRC32); the Java client and aiokafka do it by "
    "themselves. Worked example: the key club:rook belongs on partition 4 of 6, CRC32 gives 3."
)


def pool_of_key(key: bytes | None) -> str | None:
    """The pool that a message's key names, None if it is no pool id."""
    text = None if key is None else key.decode("ascii", "replace")
    return text if text is not None and _MINTED.fullmatch(text) else None


class Message(NamedTuple):
    """A message as the log has it."""

    topic: str
    """Without the prefix."""
    partition: int
    key: bytes | None
    value: bytes | None
    headers: Headers = ()


def read(message: Message, *, partitions: int) -> Fact | Refusal:
    """Read one message.

    Args:
        message: from any of the fact topics, in structured or binary mode.
        partitions: how many each fact topic has.

    Returns:
        The fact, or why it is none.
    """
    try:
        return _read(message, partitions)
    except Refused as error:
        return error.refusal


def reread(message: Message, *, partitions: int) -> Fact:
    """Read a message that was accepted before: from the store, from the log.

    Raises:
        Refused: it is not the message that was accepted.
    """
    return _read(message, partitions)


def _read(message: Message, partitions: int) -> Fact:
    raw = message.value
    if raw is None:
        raise refused(codes.NOT_JSON, None, "a value", NOTHING)
    if len(raw) > facts.MAX_FACT_BYTES:
        raise refused(codes.TOO_LARGE, None, f"at most {facts.MAX_FACT_BYTES} bytes", f"{len(raw)} bytes")
    binary = is_binary(message.headers)
    scanned = scan(raw, facts.MAX_DEPTH - 1 if binary else facts.MAX_DEPTH)
    envelope = envelope_of(scanned.value, message.headers, binary)
    named = _TYPE.fullmatch(envelope.type)
    if named is None:
        raise refused(codes.FOREIGN_TYPE, ("type",), "rerate.NAME.vN", kind_of(envelope.type))
    topic = named[1] if named[1] in facts.FACT_TOPICS and named[1] != "pool-facts" else "pool-facts"
    if message.topic != topic:
        raise refused(codes.WRONG_TOPIC, ("type",), topic, message.topic if message.topic in facts.FACT_TOPICS else "another topic")
    _check_envelope(envelope)
    data = _data(envelope, scanned)
    _check_authority(envelope, data)
    _check_place(message, data, partitions)
    return Fact(
        identity=Identity(envelope.source, envelope.id, content_digest(envelope.type, envelope.actor, envelope.data)),
        type=envelope.type,
        actor=envelope.actor,
        submission=envelope.submission,
        data=data,
    )


def _check_envelope(envelope: Envelope) -> None:
    if not _SOURCE.fullmatch(envelope.source):
        raise refused(codes.SCHEMA, ("source",), "authority/program", kind_of(envelope.source))
    if not _ID.fullmatch(envelope.id):
        raise refused(codes.SCHEMA, ("id",), "an id of 1 to 80 letters, digits, '.', '_', ':', '~' or '-'", kind_of(envelope.id))
    if envelope.actor is not None and not _MINTED.fullmatch(envelope.actor):
        raise refused(codes.SCHEMA, ("actor",), "an id authority:local of at most 80 characters", kind_of(envelope.actor))
    if envelope.submission is not None:
        parts = _SUBMISSION.fullmatch(envelope.submission)
        if parts is None or not int(parts[1]) <= int(parts[2]) <= _MAX_PARTS:
            raise refused(codes.SCHEMA, ("submission",), "id:part:of with part at most of", kind_of(envelope.submission))


def _data(envelope: Envelope, scanned: Scanned) -> facts.Data:
    """The data as its structure.

    Raises:
        Refused: `schema`; for a type or version not known `wrong-key` if it names no pool.
    """
    data = envelope.data
    if not isinstance(data, dict):
        raise refused(codes.SCHEMA, ("data",), "an object", NOTHING if data is None else kind_of(data))
    structure = _BY_TYPE.get(envelope.type)
    if structure is None or not scanned.is_whole:
        _refuse(fault_in_keys_or_numbers(data, scanned))
    if structure is None:
        pool = data.get("pool")
        if not isinstance(pool, str) or not _MINTED.fullmatch(pool):
            raise refused(codes.WRONG_KEY, ("data", "pool"), "the id of a pool", NOTHING if pool is None else kind_of(pool))
        return facts.Unknown(pool=pool)
    if structure in _RULED:
        if ("ruling" in data) == ("revision" in data):
            raise refused(codes.SCHEMA, ("data",), "either a revision or a ruling", "both" if "ruling" in data else "neither")
        if "ruling" in data:
            structure = _RULED[structure]
    try:
        value = msgspec.convert(data, structure)
    except msgspec.ValidationError as error:
        _refuse(fault_in_keys_or_numbers(data, scanned))
        _refuse(fault_of(str(error), data, structure))
        raise  # not reached
    if scanned.has_null and (at := first_null(data, ("data",))) is not None:
        _refuse(Fault(at, describe_field(structure, at), "null"))
    _refuse(fault_in(value))
    if envelope.actor is None and isinstance(value, _NEEDS_ACTOR):
        raise refused(codes.SCHEMA, ("actor",), "the id of the person who decided", NOTHING)
    return value


def _refuse(fault: Fault | None) -> None:
    if fault is not None:
        raise refused(codes.SCHEMA, fault.path, fault.expected, fault.found)


def _check_authority(envelope: Envelope, data: facts.Data) -> None:
    """Only its own authority publishes, corrects and deletes an event; rulings are a matter of who may write."""
    path: Path
    if isinstance(data, facts.ResultPublished):
        path, event = ("data", "event", "id"), data.event.id
    elif isinstance(data, facts.EventCorrected | facts.EventDeleted):
        path, event = ("data", "event_id"), data.event_id
    else:
        return
    if envelope.source.partition("/")[0] != event.partition(":")[0]:
        raise refused(codes.WRONG_AUTHORITY, path, "an event of the authority in source", "an event of another authority")


def _check_place(message: Message, data: facts.Data, partitions: int) -> None:
    if message.key != data.pool.encode():
        found = "no key" if message.key is None else f"another key, of {len(message.key)} bytes"
        raise refused(codes.WRONG_KEY, ("data", "pool"), "a key that is data.pool", found)
    expected = partition_of(data.pool, partitions)
    if message.partition != expected:
        place = f"partition {expected} of {partitions}"
        raise refused(codes.WRONG_PARTITION, None, place, f"partition {message.partition}", _PARTITION_ADVICE)
