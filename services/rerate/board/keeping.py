"""What a subscriber keeps, as bytes in a store. One batch holds all that a poll changed, its positions among it.

```
key                         what it holds
"f"                         the followed topics, JSON
"t"                         u64: when the log was last read, milliseconds since 1970 UTC
"p" topic                   u64: next offset to be read
"s" topic, u64 offset       a staged record: u16 length + key, value; nothing behind the key is a tombstone's b"-", else b"+" and the value
"v" topic, record key       a row of the view
"h" pool                    the head shown: its value
"x" pool                    nothing: what is shown of the pool is stale
```

A topic is written as u8 length + UTF-8; numbers are big endian.
"""

import struct
from collections.abc import Iterator

import orjson

from rerate.board.updates import Row
from rerate.log.seam import Store

_U16 = struct.Struct(">H")
_U64 = struct.Struct(">Q")

FOLLOWED = b"f"
LAST_READ = b"t"


def _topic(topic: str) -> bytes:
    name = topic.encode()
    return bytes((len(name),)) + name


class Batch:
    """What is to be written next."""

    def __init__(self) -> None:
        self.puts: dict[bytes, bytes] = {}
        self.deletes: set[bytes] = set()

    def put(self, key: bytes, value: bytes) -> None:
        self.puts[key] = value
        self.deletes.discard(key)

    def delete(self, key: bytes) -> None:
        self.puts.pop(key, None)
        self.deletes.add(key)

    def followed(self, topics: tuple[str, ...]) -> None:
        self.put(FOLLOWED, orjson.dumps(topics))

    def last_read(self, time_ms: int) -> None:
        self.put(LAST_READ, _U64.pack(time_ms))

    def position(self, topic: str, offset: int) -> None:
        self.put(b"p" + _topic(topic), _U64.pack(offset))

    def staged(self, topic: str, offset: int, row: Row) -> None:
        key, value = row
        self.put(b"s" + _topic(topic) + _U64.pack(offset), _U16.pack(len(key)) + key + (b"-" if value is None else b"+" + value))

    def unstaged(self, topic: str, offset: int) -> None:
        self.delete(b"s" + _topic(topic) + _U64.pack(offset))

    def row(self, topic: str, row: Row) -> None:
        key, value = row
        if value is None:
            self.delete(b"v" + _topic(topic) + key)
        else:
            self.put(b"v" + _topic(topic) + key, value)

    def head(self, pool: str, value: bytes) -> None:
        self.put(b"h" + pool.encode(), value)

    def stale(self, pool: str) -> None:
        self.put(b"x" + pool.encode(), b"")

    def write(self, store: Store) -> None:
        """Write all of it, and be empty again."""
        if self.puts or self.deletes:
            store.write(self.puts.items(), self.deletes)
        self.puts, self.deletes = {}, set()

    def replace(self, store: Store) -> None:
        """Write all of it in place of everything that is there."""
        self.deletes.update(key for key, _ in store.items(b"") if key not in self.puts)
        self.write(store)


class Kept:
    """What a store holds, read back."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def followed(self) -> tuple[str, ...] | None:
        """The topics it was written for; None if it is empty."""
        raw = self._store.get(FOLLOWED)
        return None if raw is None else tuple(orjson.loads(raw))

    def last_read(self) -> int:
        raw = self._store.get(LAST_READ)
        return 0 if raw is None else int(_U64.unpack(raw)[0])

    def position(self, topic: str) -> int | None:
        raw = self._store.get(b"p" + _topic(topic))
        return None if raw is None else int(_U64.unpack(raw)[0])

    def staged(self, topic: str) -> Iterator[tuple[int, Row]]:
        """Staged records by offset."""
        prefix = b"s" + _topic(topic)
        for key, raw in self._store.items(prefix):
            end = 2 + _U16.unpack_from(raw)[0]
            yield _U64.unpack(key[len(prefix) :])[0], (raw[2:end], None if raw[end : end + 1] == b"-" else raw[end + 1 :])

    def rows(self, topic: str) -> Iterator[tuple[bytes, bytes]]:
        prefix = b"v" + _topic(topic)
        return ((key[len(prefix) :], value) for key, value in self._store.items(prefix))

    def heads(self) -> Iterator[tuple[str, bytes]]:
        return ((key[1:].decode(), value) for key, value in self._store.items(b"h"))

    def stale(self) -> Iterator[str]:
        return (key[1:].decode() for key, _ in self._store.items(b"x"))
