"""Records with a header whose name is not UTF-8, which aiokafka cannot read: it would stop at such a record for ever.

Kafka asks for UTF-8 but no broker looks, and a client in C or Go sends whatever bytes it is given. One such message from anybody who may
publish would end a partition, so what is not UTF-8 in a name is read as U+FFFD. Of each batch aiokafka's fast code has the first try.
"""

from collections.abc import Iterator
from typing import Any

import aiokafka.consumer.fetcher
from aiokafka.record.default_records import _DefaultRecordBatchPy
from aiokafka.record.memory_records import _MemoryRecordsPy

MAGIC_OFFSET = 16


def read_any_name() -> bool:
    """From now on consumers of this process read such records, too; whether that is news."""
    if aiokafka.consumer.fetcher.MemoryRecords is _Records:
        return False
    aiokafka.consumer.fetcher.MemoryRecords = _Records
    return True


class _Records(_MemoryRecordsPy):  # type: ignore[misc] # aiokafka has no types
    """What a broker sent, batch by batch."""

    def next_batch(self) -> Any:
        raw = self._next_slice
        batch = super().next_batch()
        return batch if batch is None or raw[MAGIC_OFFSET] < 2 else _Batch(batch, raw)


class _Batch:
    """A batch as aiokafka has it, with another way to its records."""

    def __init__(self, batch: Any, raw: memoryview) -> None:
        self._batch, self._raw = batch, raw

    def __getattr__(self, name: str) -> Any:
        return getattr(self._batch, name)

    def __iter__(self) -> Iterator[Any]:
        try:
            return iter(list(self._batch))
        except UnicodeDecodeError:
            return iter(list(_Plain(bytearray(self._raw))))

    def __next__(self) -> Any:
        return next(self._batch)


class _Plain(_DefaultRecordBatchPy):  # type: ignore[misc]
    """The batch read by aiokafka's slow code from bytes that decode to some text, whatever they are."""

    def _maybe_uncompress(self) -> None:
        super()._maybe_uncompress()
        self._buffer: Any = _Text(self._buffer)


class _Text(bytearray):
    def __getitem__(self, at: Any) -> Any:
        found = super().__getitem__(at)
        return _Text(found) if isinstance(found, bytearray) else found

    def decode(self, encoding: str = "utf-8", errors: str = "replace") -> str:
        return super().decode(encoding, "replace")
