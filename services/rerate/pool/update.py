"""One published step of a pool: its rows per topic, and the head that closes it in every one of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rerate.messages.canonical import canonical
from rerate.messages.facts import ROW_TOPICS
from rerate.pool.rows import Value

Wire = tuple[str, bytes | None]
"""Key, and value (None: a tombstone)."""

Emit = Callable[[str, str, Value | None, Value], None]
"""Takes topic, key, what holds (None: a tombstone) and `by`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """What a pool publishes in one transaction."""

    pool: str
    number: int
    rows: Mapping[str, list[Wire]]
    """Row topic -> its rows by key bytes; a row that goes stands twice, as a delta and as a tombstone."""
    head: bytes
    """The same bytes close every row topic and go to `rating-updates` and `rating-heads`."""

    @property
    def row_count(self) -> int:
        return sum(map(len, self.rows.values()))


class Collected:
    """Rows on their way into an update, what holds beside what it was made by."""

    def __init__(self) -> None:
        self.rows: dict[str, list[tuple[str, Value | None, Value]]] = {topic: [] for topic in ROW_TOPICS}

    def emit(self, topic: str, key: str, holds: Value | None, by: Value) -> None:
        """Take in a row; `holds` None is a tombstone."""
        self.rows[topic].append((key, holds, by))

    @property
    def count(self) -> int:
        return sum(map(len, self.rows.values()))

    def wire(self, number: int) -> dict[str, list[Wire]]:
        """The rows as they are written, with the update's number in each."""
        return {
            topic: [
                (key, None if holds is None else _fitted(canonical({**holds, "by": {**by, "update": number}})))
                for key, holds, by in sorted(rows, key=lambda row: row[0])
            ]
            for topic, rows in self.rows.items()
        }


def _fitted(value: bytes) -> bytes:
    """The same bytes in memory of their size: what orjson gives keeps its buffer of some KiB, and an update may hold a million values."""
    return bytes(memoryview(value))
