"""Records and bookkeeping as bytes in RocksDB.

A topic is written as u8 length + UTF-8; numbers are big endian, so that keys sort as their numbers do.

```
key                                what it holds
00                                 the state of the database, JSON: format, time (last append, ms), next {topic: offset},
                                   consumed {topic: offset} or null
"k" topic, record key              u64: newest offset of this key           (compacted topics)
"r" topic, u64 offset              the record: i64 append time, i32 length of the key (-1: absent), u8 1 if there is a value,
                                   u16 headers, key, headers (u16 length + name, u32 length + value), value
"s" u64 time, topic, u64 offset    nothing: superseded at that time         (compacted topics)
"t" u64 time, topic, u64 offset    the record key: a tombstone of that time (compacted topics)
```
"""

import json
import struct
from dataclasses import dataclass, field

from .errors import LogInconsistent
from .seam import Out, Record

FORMAT = 1
STATE = b"\x00"
SUPERSEDED = b"s"
TOMBSTONES = b"t"

_HEAD = struct.Struct(">qiBH")
_U16 = struct.Struct(">H")
_U32 = struct.Struct(">I")
_U64 = struct.Struct(">Q")


@dataclass(slots=True)
class State:
    """What a database knows of itself; written with every batch."""

    time_ms: int = 0
    """Last append time."""
    next: dict[str, int] = field(default_factory=dict)
    """Next offset of each topic that has a record."""
    consumed: dict[str, int] | None = None
    """Next fact offsets as of the last transaction that noted any."""


def put_state(state: State) -> bytes:
    return json.dumps({"format": FORMAT, "time": state.time_ms, "next": state.next, "consumed": state.consumed}).encode()


def get_state(raw: bytes | None) -> State:
    """The state of a database; a fresh one has none yet."""
    if raw is None:
        return State()
    found = json.loads(raw)
    if found["format"] != FORMAT:
        raise LogInconsistent(f"the log is written in format {found['format']}, this program reads format {FORMAT}")
    return State(time_ms=found["time"], next=found["next"], consumed=found["consumed"])


def topic_bytes(topic: str) -> bytes:
    name = topic.encode()
    return bytes((len(name),)) + name


def records_of(topic: str) -> bytes:
    """What the key of each record of this topic starts with."""
    return b"r" + topic_bytes(topic)


def keys_of(topic: str) -> bytes:
    """What the key of each index entry of this topic starts with; the record key follows."""
    return b"k" + topic_bytes(topic)


def number(offset: int) -> bytes:
    return _U64.pack(offset)


def to_number(raw: bytes) -> int:
    return int(_U64.unpack(raw)[0])


def queue_key(queue: bytes, time_ms: int, topic: str, offset: int) -> bytes:
    return queue + _U64.pack(time_ms) + topic_bytes(topic) + _U64.pack(offset)


def from_queue_key(raw: bytes) -> tuple[int, str, int]:
    """Time, topic and offset of a queue entry."""
    return to_number(raw[1:9]), raw[10:-8].decode(), to_number(raw[-8:])


def put_record(record: Out, append_time_ms: int) -> bytes:
    key = record.key
    parts = [
        _HEAD.pack(append_time_ms, -1 if key is None else len(key), record.value is not None, len(record.headers)),
        key or b"",
    ]
    for name, value in record.headers:
        raw = name.encode()
        parts += (_U16.pack(len(raw)), raw, _U32.pack(len(value)), value)
    parts.append(record.value or b"")
    return b"".join(parts)


def get_record(topic: str, offset: int, raw: bytes) -> Record:
    append_time_ms, key_length, has_value, header_count = _HEAD.unpack_from(raw)
    at = _HEAD.size
    key = None
    if key_length >= 0:
        key = raw[at : at + key_length]
        at += key_length
    headers = []
    for _ in range(header_count):
        name_end = at + 2 + _U16.unpack_from(raw, at)[0]
        name = raw[at + 2 : name_end].decode()
        at = name_end + 4 + _U32.unpack_from(raw, name_end)[0]
        headers.append((name, raw[name_end + 4 : at]))
    return Record(topic, 0, offset, append_time_ms, key, raw[at:] if has_value else None, tuple(headers))
