"""Heads read back, and the head of a pool that must stand still."""

from functools import lru_cache
from hashlib import sha256

import msgspec

from rerate.messages.codes import HALTED, HaltReason, HeadState
from rerate.messages.facts import ROW_TOPICS, Position
from rerate.messages.writing import head_message
from rerate.pool.update import Update


class ListHead(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a head says of one list."""

    edition: int
    players: int
    rows: int
    list_digest: str | None = None
    """Hex; absent if held."""
    input_digest: str | None = None
    rules_digest: str
    held: str | None = None
    """A `ListHeld`, or the word of a newer engine."""
    shadow: bool = False
    """Whether it is computed and published for comparison only, never official."""


class Head(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an update of a pool stands for. A chain: `previous` is the SHA-256 of the value of the head before."""

    pool: str
    update: int
    previous: str | None = None
    positions: dict[str, int]
    """Fact topic -> next offset: every fact of the pool before it is in."""
    append_time_ms: int
    """The log's time of the newest fact, milliseconds since 1970 UTC."""
    edition: int
    lists: dict[str, ListHead]
    left: dict[str, int]
    """Lists that left the configuration -> their last edition."""
    semantics: int
    engine: str
    state: HeadState
    reason: str | None = None
    """A `HaltReason`, or the word of a newer engine."""

    def covers(self, position: Position) -> bool:
        """Whether the fact at a position is in."""
        return position.offset < self.positions.get(position.topic, 0)


class _Envelope(msgspec.Struct):
    data: Head


_DECODER = msgspec.json.Decoder(_Envelope)


@lru_cache(maxsize=1024)
def read_head(value: bytes) -> Head:
    """The head in the value of a head message. Not to be changed by who gets it."""
    return _DECODER.decode(value).data


def head_digest(value: bytes) -> str:
    """SHA-256 of a head's value: the next one's `previous`."""
    return sha256(value).hexdigest()


def write_head(head: Head) -> bytes:
    """The value of a head message."""
    return head_message(head.pool, head.update, msgspec.to_builtins(head))


def halted_update(pool: str, newest: bytes | None, reason: HaltReason, *, semantics: int, engine: str) -> Update:
    """The update that says that a pool stands still: positions and lists as in its newest head, and no row."""
    if newest is None:
        head = Head(
            pool=pool,
            update=1,
            positions={},
            append_time_ms=0,
            edition=1,
            lists={},
            left={},
            semantics=semantics,
            engine=engine,
            state=HALTED,
            reason=reason,
        )
    else:
        last = read_head(newest)
        head = msgspec.structs.replace(
            last, update=last.update + 1, previous=head_digest(newest), engine=engine, state=HALTED, reason=reason
        )
    return Update(pool=pool, number=head.update, rows={topic: [] for topic in ROW_TOPICS}, head=write_head(head))
