"""The rater's cache of facts: every accepted message of a partition by pool, and how far the cache goes.

It can only be behind the log, and may be deleted at any time. Keys (NUL cannot stand in an id):

    n                                  {"layout", "engine", "next": {topic: offset}}
    f NUL pool NUL u8 topic u64 offset the message: digest of its content, append time, key, headers, value
    i NUL pool NUL 32 bytes            u8 topic u64 offset: SHA-256 of a fact's identity, where it was first accepted
    p NUL pool                         the pool has facts that no update names yet
"""

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from typing import NamedTuple

import msgspec

from rerate.log.seam import Record, Store
from rerate.messages.errors import RerateError
from rerate.messages.facts import FACT_TOPICS, Fact, Identity, Position
from rerate.messages.reading import Message, read

LAYOUT = 1
"""Version of the layout above; another one found is thrown away."""

_PLACE = struct.Struct(">BQ")
_NEXT = b"n"
_TOPIC_NUMBERS = {topic: number for number, topic in enumerate(FACT_TOPICS)}


class CacheDamaged(RerateError):
    """Raised when a cached message is not the fact it was stored as: the pool's facts must be read from the log again."""


class Accepted(NamedTuple):
    """An accepted fact with the record that it came in."""

    fact: Fact
    record: Record

    @property
    def position(self) -> Position:
        return Position(self.record.topic, self.record.offset)

    @property
    def pool(self) -> str:
        return self.fact.data.pool

    @property
    def timed(self) -> "Timed":
        return Timed(self.fact, self.position, self.record.append_time_ms)


class Timed(NamedTuple):
    """An accepted fact with its place and time in the log."""

    fact: Fact
    position: Position
    append_time_ms: int


class _Next(msgspec.Struct):
    layout: int
    engine: str
    next: dict[str, int]


_Cached = tuple[bytes, int, bytes | None, tuple[tuple[str, bytes], ...], bytes | None]
_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(_Cached)


class FactCache:
    """The facts of one partition in a store."""

    def __init__(self, store: Store, *, partition: int, partitions: int, engine: str) -> None:
        self._store, self._partition, self._partitions, self._engine = store, partition, partitions, engine
        self.next: dict[str, int] = dict.fromkeys(FACT_TOPICS, 0)
        """Next offset of each fact topic: all before it is in the cache."""
        self._read_next()

    def _read_next(self) -> None:
        raw = self._store.get(_NEXT)
        if raw is None:
            return
        try:
            found = msgspec.json.decode(raw, type=_Next)
        except msgspec.DecodeError:
            found = None
        if found is None or (found.layout, found.engine) != (LAYOUT, self._engine) or found.next.keys() != self.next.keys():
            self.wipe()
        else:
            self.next = found.next

    def wipe(self) -> None:
        """Forget everything."""
        self._store.wipe()
        self.next = dict.fromkeys(FACT_TOPICS, 0)

    def has(self, pool: str, identity: Identity) -> bool:
        """Whether a fact was accepted before."""
        return self._store.get(_identity_key(pool, identity)) is not None

    def write(self, accepted: Iterable[Accepted], next_offsets: Mapping[str, int], pending: Iterable[str], settled: Iterable[str]) -> None:
        """Take in a step, in one batch.

        Args:
            pending: pools that now have facts which no update names yet.
            settled: pools that have none any more.
        """
        puts: list[tuple[bytes, bytes]] = []
        for one in accepted:
            puts += self._puts(one)
        puts += [(_pending_key(pool), b"") for pool in pending]
        puts.append((_NEXT, msgspec.json.encode(_Next(LAYOUT, self._engine, dict(next_offsets)))))
        self._store.write(puts, [_pending_key(pool) for pool in settled])
        self.next = dict(next_offsets)

    def replace(self, pool: str, accepted: Iterable[Accepted]) -> None:
        """Put a pool's facts in place of what the cache has of it."""
        gone = [key for prefix in (b"f", b"i") for key, _ in self._store.items(b"%b\x00%b\x00" % (prefix, pool.encode()))]
        puts = [put for one in accepted for put in self._puts(one)]
        self._store.write(puts, gone)

    def facts(self, pool: str, leave_out: Callable[[Position], bool] = lambda position: False) -> list[Timed]:
        """A pool's facts, topic by topic, but for those at positions to leave out. Long work for a large pool: to be offloaded.

        Raises:
            CacheDamaged: one is not what was stored, or facts and identities are not the same ones.
        """
        return list(self._facts(pool, leave_out))

    def _facts(self, pool: str, leave_out: Callable[[Position], bool]) -> Iterator[Timed]:
        prefix = b"f\x00%b\x00" % pool.encode()
        identities = {place: key for key, place in self._store.items(b"i\x00%b\x00" % pool.encode())}
        for key, raw in self._store.items(prefix):
            try:
                number, offset = _PLACE.unpack(key[len(prefix) :])
                topic = FACT_TOPICS[number]
                identity = identities.pop(key[len(prefix) :], None)
                if leave_out(Position(topic, offset)):
                    continue
                digest, append_time_ms, message_key, headers, value = _DECODER.decode(raw)
            except (struct.error, msgspec.DecodeError, IndexError) as error:
                raise CacheDamaged(f"pool {pool}: a cached message cannot be read") from error
            fact = read(Message(topic, self._partition, message_key, value, headers), partitions=self._partitions)
            if not isinstance(fact, Fact) or fact.identity.digest != digest or fact.data.pool != pool:
                raise CacheDamaged(f"pool {pool}: the cached message at {topic} {offset} is not the fact that was stored")
            if identity != _identity_key(pool, fact.identity):
                raise CacheDamaged(f"pool {pool}: the identity of the cached message at {topic} {offset} is not the one that was stored")
            yield Timed(fact, Position(topic, offset), append_time_ms)
        if identities:
            raise CacheDamaged(f"pool {pool}: {len(identities)} cached messages are missing")

    def pending(self) -> list[str]:
        """Pools that have facts which no update names yet."""
        return [key[2:].decode() for key, _ in self._store.items(b"p\x00")]

    def close(self) -> None:
        self._store.close()

    @staticmethod
    def _puts(one: Accepted) -> list[tuple[bytes, bytes]]:
        record, pool = one.record, one.pool
        place = _PLACE.pack(_TOPIC_NUMBERS[record.topic], record.offset)
        value = _ENCODER.encode((one.fact.identity.digest, record.append_time_ms, record.key, record.headers, record.value))
        return [(b"f\x00%b\x00%b" % (pool.encode(), place), value), (_identity_key(pool, one.fact.identity), place)]


def _identity_key(pool: str, identity: Identity) -> bytes:
    name = sha256(f"{identity.source}\x00{identity.id}\x00".encode() + identity.digest).digest()
    return b"i\x00%b\x00%b" % (pool.encode(), name)


def _pending_key(pool: str) -> bytes:
    return b"p\x00%b" % pool.encode()
