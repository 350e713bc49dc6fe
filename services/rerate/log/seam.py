"""The one seam to the log: topics of records with offsets, transactional writing, read-committed reading, a store.

The engine in `rater/` knows a log by these protocols alone and awaits nothing else. Three logs keep them: the embedded one (`embedded`),
Kafka, and the simulated one of the tests. One contract suite holds all three.

Promised: a transaction is seen whole or not at all *within each topic*; nothing is promised between topics. Offsets of one topic's
partition grow; gaps are allowed in outcome topics (compaction, aborted records, control records).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

Headers = tuple[tuple[str, bytes], ...]


class Record(NamedTuple):
    """A record as read. `key` and `value` may be absent; an absent value in a compacted topic is a tombstone."""

    topic: str
    """Without the prefix."""
    partition: int
    offset: int
    append_time_ms: int
    """The log's own clock, milliseconds since 1970 UTC."""
    key: bytes | None
    value: bytes | None
    headers: Headers = ()


class Out(NamedTuple):
    """A record to be written."""

    topic: str
    key: bytes | None
    value: bytes | None
    headers: Headers = ()


class Reader(Protocol):
    """Reads topics of one partition, read-committed, each from its own position."""

    async def poll(self, max_records: int) -> list[Record]:
        """Up to `max_records` next records, in offset order within each topic; empty if there are none now (it does not wait for more
        than a short moment)."""

    def positions(self) -> dict[str, int]:
        """Next offset of each topic; moves over gaps, too."""

    async def close(self) -> None: ...


class Writer(Protocol):
    """The one writer of outcomes of a partition. Opening it fences the one before."""

    def committed(self) -> dict[str, int] | None:
        """Next offsets of the fact topics as of the last transaction, noted when the writer opened and after each commit.

        A topic that a transaction does not name keeps its offset. None: no transaction has named any yet.
        """

    async def commit(self, records: Sequence[Out], consumed: Mapping[str, int]) -> None:
        """Write the records and note the consumed fact offsets, in one transaction.

        Raises:
            Fenced: another writer of this partition has been opened since.
            RecordTooLarge, LogMissing: a record is above the topic's limit, a topic does not exist; nothing was written.
            LogUnreachable: the log did not answer; whether it was written is not known, and this writer is finished.
        """

    async def close(self) -> None: ...


class Log(Protocol):
    """A log with fact topics and outcome topics of equal partition counts."""

    partitions: int

    async def writer(self, partition: int) -> Writer: ...

    async def reader(self, partition: int, start: Mapping[str, int]) -> Reader:
        """A reader of the topics named in `start`, each from that offset.

        Raises:
            LogMissing: the log or a topic does not exist.
            LogInconsistent: an offset lies beyond the topic's end or before its start; reading may say so later, too.
        """

    async def ends(self, partition: int, topics: Iterable[str]) -> dict[str, int]:
        """Next offset to be written of each topic, as a read-committed reader sees it."""

    async def starts(self, partition: int, topics: Iterable[str]) -> dict[str, int]:
        """First offset kept of each topic."""

    async def newest(self, partition: int, topic: str, key: bytes) -> Record | None:
        """The newest record of a key in a compacted topic; None if there is none or it is a tombstone."""

    async def newest_with_prefix(self, partition: int, topic: str, prefix: bytes) -> list[Record]:
        """The newest records of all keys that start with `prefix` in a compacted topic, by the bytes of their keys, without tombstones.

        On a log without an index (Kafka) both read the topic to its end: ask rarely.
        """

    async def append(self, partition: int, records: Sequence[Out]) -> list[int]:
        """A publisher's append to fact topics, durable when it returns.

        Returns:
            The offset of each record.
        """

    async def close(self) -> None: ...


class Store(Protocol):
    """The rater's cache of one partition: bytes by key, written in atomic batches; can only be behind the log."""

    def get(self, key: bytes) -> bytes | None: ...

    def items(self, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Keys that start with `prefix`, in order of their bytes."""

    def write(self, puts: Iterable[tuple[bytes, bytes]], deletes: Iterable[bytes] = ()) -> None:
        """All or nothing, and it outlives a kill of the process. A key in both is put."""

    def wipe(self) -> None:
        """Forget everything."""

    def close(self) -> None: ...
