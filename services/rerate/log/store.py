"""The rater's store in RocksDB: the seam's `Store`."""

import logging
import shutil
import time
import weakref
from collections.abc import Generator, Iterable
from pathlib import Path

from rocksdict import Rdict

from . import rocks
from .errors import LogInconsistent, LogUnreachable

LOCK_RETRY_S = 0.02

_logger = logging.getLogger(__name__)


class RocksStore:
    """Bytes by key in one directory, opened by one at a time.

    A batch outlives a kill of the process. A loss of power may take the last batches: the store is then behind, as it may be.
    """

    def __init__(self, path: Path, *, lock_wait_s: float = 5.0) -> None:
        """Open, or create.

        Raises:
            LogUnreachable: another has had it open for `lock_wait_s` seconds.
        """
        self._path = path
        self._lock_wait_s = lock_wait_s
        self._walks: weakref.WeakSet[Generator[tuple[bytes, bytes], None, None]] = weakref.WeakSet()
        self._db: Rdict | None = self._open()

    def get(self, key: bytes) -> bytes | None:
        with rocks.translated(self._path):
            value: bytes | None = self._opened().get(key)
        return value

    def items(self, prefix: bytes) -> Generator[tuple[bytes, bytes], None, None]:
        """See the seam; all of one moment, whatever is written meanwhile. Ends when the store is closed."""
        walk = self._walk(prefix)
        self._walks.add(walk)
        return walk

    def write(self, puts: Iterable[tuple[bytes, bytes]], deletes: Iterable[bytes] = ()) -> None:
        batch = rocks.batch()
        for key in deletes:
            batch.delete(key)
        for key, value in puts:
            batch.put(key, value)
        with rocks.translated(self._path):
            self._opened().write(batch)

    def wipe(self) -> None:
        self.close()
        self._put_aside()
        self._db = self._open()

    def close(self) -> None:
        if self._db is None:
            return
        for walk in list(self._walks):
            walk.close()
        rocks.close(self._db)
        self._db = None

    def _walk(self, prefix: bytes) -> Generator[tuple[bytes, bytes], None, None]:
        with rocks.translated(self._path):
            for key, value in self._opened().items(from_key=prefix):
                assert isinstance(key, bytes)  # raw mode
                if not key.startswith(prefix):
                    return
                yield key, value

    def _open(self) -> Rdict:
        give_up_at = time.monotonic() + self._lock_wait_s
        while (db := self._try()) is None:
            if time.monotonic() >= give_up_at:
                raise LogUnreachable(f"{self._path} is open in another process (waited {self._lock_wait_s:g} s): another rater runs on it")
            time.sleep(LOCK_RETRY_S)
        return db

    def _try(self) -> Rdict | None:
        """Open; None if another has it open. What cannot be opened otherwise is put aside: a store may be lost at any time."""
        try:
            return rocks.try_primary(self._path, rocks.options())
        except (LogInconsistent, LogUnreachable) as error:
            _logger.warning("%s; it is only a cache, so a new one is begun", error)
            self._put_aside()
            return rocks.try_primary(self._path, rocks.options())

    def _put_aside(self) -> None:
        """Out of the way in one step, so that a kill leaves no half of it; then removed, with what earlier kills left."""
        if self._path.exists():
            self._path.rename(self._path.with_name(f"{self._path.name}.gone-{time.time_ns()}"))
        for gone in self._path.parent.glob(f"{self._path.name}.gone-*"):
            shutil.rmtree(gone, ignore_errors=True)

    def _opened(self) -> Rdict:
        if self._db is None:
            raise LogUnreachable(f"the store {self._path} is closed")
        return self._db
