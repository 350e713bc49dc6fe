"""Compaction of the embedded log: of each key the newest record stays, what it replaced goes after a while.

As Kafka does it, seen from a reader: a record that was superseded stays for the lag after that moment, a tombstone for the retention (never
less than the lag, so that it outlives what it deleted), and a reader meets nothing but missing offsets. A commit notes in time order what
will have to go; `sweep` walks along these notes, so both cost what they touch and not what the log holds.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rocksdict import Rdict, WriteBatch

from . import frames, rocks

DAY_MS = 24 * 60 * 60 * 1000
SLICE = 5_000
"""Removals in one write batch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    min_compaction_lag_ms: int = DAY_MS
    """How long a superseded record stays."""
    delete_retention_ms: int = 7 * DAY_MS
    """How long a tombstone stays."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A record of a compacted topic with the place it gets."""

    topic: str
    offset: int
    key: bytes
    is_tombstone: bool


def note(db: Rdict, batch: WriteBatch, placed: Sequence[Placed], time_ms: int) -> None:
    """Put into the batch what compaction will need to know about these records."""
    index_keys = [frames.keys_of(one.topic) + one.key for one in placed]
    known: list[bytes | None] = db.get(index_keys) if index_keys else []  # type: ignore[assignment, arg-type] # a list in, a list out
    newest = {key: frames.to_number(raw) for key, raw in zip(index_keys, known, strict=True) if raw is not None}
    for one, index_key in zip(placed, index_keys, strict=True):
        before = newest.get(index_key)
        if before is not None:
            batch.put(frames.queue_key(frames.SUPERSEDED, time_ms, one.topic, before), b"")
        if one.is_tombstone:
            batch.put(frames.queue_key(frames.TOMBSTONES, time_ms, one.topic, one.offset), one.key)
        newest[index_key] = one.offset
    for index_key, offset in newest.items():
        batch.put(index_key, frames.number(offset))


def sweep(db: Rdict, now_ms: int, kept: Retention, limit: int) -> int:
    """Remove up to `limit` records whose time has come.

    Returns:
        How many went; `limit` means that there may be more.
    """
    superseded_until = now_ms - kept.min_compaction_lag_ms
    tombstones_until = min(superseded_until, now_ms - kept.delete_retention_ms)
    removed = _sweep(db, frames.SUPERSEDED, superseded_until, limit)
    # What was superseded goes first, to the last one: a deleted row must not come back because its tombstone went before it.
    return removed + _sweep(db, frames.TOMBSTONES, tombstones_until, limit - removed)


def _sweep(db: Rdict, queue: bytes, until_ms: int, limit: int) -> int:
    removed = 0
    while removed < limit:
        due = _due(db, queue, until_ms, min(SLICE, limit - removed))
        if not due:
            break
        batch = rocks.batch()
        for noted, record_key in due:
            _, topic, offset = frames.from_queue_key(noted)
            batch.delete(noted)
            if queue == frames.TOMBSTONES:
                index_key = frames.keys_of(topic) + record_key
                if db.get(index_key) != frames.number(offset):
                    continue  # superseded since: noted in the other queue
                batch.delete(index_key)
            batch.delete(frames.records_of(topic) + frames.number(offset))
        db.write(batch)
        removed += len(due)
    return removed


def _due(db: Rdict, queue: bytes, until_ms: int, limit: int) -> list[tuple[bytes, bytes]]:
    due: list[tuple[bytes, bytes]] = []
    entries = db.iter()
    entries.seek(queue)
    while len(due) < limit and entries.valid():
        noted = entries.key()
        if not noted.startswith(queue) or frames.from_queue_key(noted)[0] > until_ms:
            break
        due.append((noted, entries.value()))
        entries.next()
    return due
