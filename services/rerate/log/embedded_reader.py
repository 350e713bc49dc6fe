"""Reading the embedded log: each poll looks at one moment of a database, so it sees transactions whole in all topics."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from rocksdict import RdictIter

from . import frames
from .errors import LogInconsistent
from .seam import Record

POLL_BYTES = 64 << 20
"""A poll ends with the record that passes this."""


class EmbeddedReader:
    """The seam's `Reader`; ends with its log."""

    def __init__(
        self,
        view: Callable[[Path, Mapping[str, int]], Awaitable[RdictIter]],
        topics: Mapping[Path, Sequence[str]],
        positions: dict[str, int],
    ) -> None:
        self._view = view
        self._topics = {path: list(named) for path, named in topics.items()}
        self._positions = positions

    async def check(self) -> None:
        """Raise LogInconsistent if a position lies beyond the log."""
        for path, topics in self._topics.items():
            self._ends(await self._view(path, self._here(topics)), path, topics)

    async def poll(self, max_records: int) -> list[Record]:
        """See the seam; returns at once when there is nothing new. The topics take turns in being first.

        Raises:
            LogInconsistent: a position lies beyond the log.
        """
        await asyncio.sleep(0)  # a reader far behind gives way to others
        found: list[Record] = []
        moved: dict[str, int] = {}
        room = POLL_BYTES
        for path, topics in self._topics.items():
            view = await self._view(path, self._here(topics))
            ends = self._ends(view, path, topics)
            for topic in list(topics):
                position = self._positions[topic]
                if position == ends[topic] or len(found) >= max_records or room <= 0:
                    continue
                moved[topic], room = _read(view, topic, position, ends[topic], max_records, room, found)
                topics.remove(topic)
                topics.append(topic)
            view.status()
            del view
        self._positions.update(moved)
        return found

    def positions(self) -> dict[str, int]:
        return dict(self._positions)

    async def close(self) -> None:
        self._topics = {}

    def _here(self, topics: Sequence[str]) -> dict[str, int]:
        return {topic: self._positions[topic] for topic in topics}

    def _ends(self, view: RdictIter, path: Path, topics: Sequence[str]) -> dict[str, int]:
        view.seek(frames.STATE)
        view.status()
        known = frames.get_state(view.value() if view.valid() and view.key() == frames.STATE else None).next
        ends = {topic: known.get(topic, 0) for topic in topics}
        for topic, end in ends.items():
            if self._positions[topic] > end:
                raise LogInconsistent(
                    f"{topic} in {path} ends at offset {end}, but is to be read from {self._positions[topic]}: "
                    "records are lost, or this is a copy of another time"
                )
        return ends


def _read(view: RdictIter, topic: str, position: int, end: int, max_records: int, room: int, found: list[Record]) -> tuple[int, int]:
    """Add the topic's records from `position` on; the next position and the bytes of room left."""
    prefix = frames.records_of(topic)
    view.seek(prefix + frames.number(position))
    while view.valid() and (key := view.key()).startswith(prefix):
        if len(found) >= max_records or room <= 0:
            return position, room
        raw = view.value()
        offset = frames.to_number(key[len(prefix) :])
        found.append(frames.get_record(topic, offset, raw))
        position = offset + 1
        room -= len(raw)
        view.next()
    return end, room


def newest_of(view: RdictIter, topic: str, key: bytes) -> Record | None:
    """The newest record of a key; None if there is none or it is a tombstone."""
    index_key = frames.keys_of(topic) + key
    view.seek(index_key)
    view.status()
    if not view.valid() or view.key() != index_key:
        return None
    return _at(view, topic, frames.to_number(view.value()))


def newest_under(view: RdictIter, topic: str, prefix: bytes) -> list[Record]:
    """The newest records of all keys that start with `prefix`, by the bytes of their keys; tombstones are left out."""
    index_prefix = frames.keys_of(topic) + prefix
    offsets = []
    view.seek(index_prefix)
    while view.valid() and view.key().startswith(index_prefix):
        offsets.append(frames.to_number(view.value()))
        view.next()
    view.status()
    return [record for offset in offsets if (record := _at(view, topic, offset)) is not None]


def _at(view: RdictIter, topic: str, offset: int) -> Record | None:
    record_key = frames.records_of(topic) + frames.number(offset)
    view.seek(record_key)
    view.status()
    if not view.valid() or view.key() != record_key:
        raise LogInconsistent(f"{topic} has lost the record at offset {offset}, the newest of its key")
    record = frames.get_record(topic, offset, view.value())
    return None if record.value is None else record
