"""RocksDB databases as the log and the store open them: a primary that waits for the lock, a follower that reads beside it.

Always raw mode. Measured on rocksdict 0.3.29: the second primary of a path fails at once with an error that names its LOCK file; each open
and close of a primary leaves one small table, and tables whose keys do not overlap are moved down but never merged (300 after 300
appends). So a database that is opened for each append has universal compaction, a key that every batch writes, and is closed only when
it `is_settled`.
"""

import gc
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rocksdict import AccessType, DbClosedError, DBCompactionStyle, DBCompressionType, Options, Rdict, RdictIter, WriteBatch, WriteOptions

from .errors import LogInconsistent, LogMissing, LogUnreachable

TABLES_MERGED_AT = 8
"""Number of small tables at which RocksDB starts merging them."""
TABLES_TOO_MANY = 16
"""Number of small tables with which a primary is not closed before they are merged."""


def options(*, opened_often: bool = False) -> Options:
    chosen = Options(raw_mode=True)
    chosen.create_if_missing(True)
    chosen.set_compression_type(DBCompressionType.lz4())
    chosen.set_keep_log_file_num(2)
    chosen.set_stats_dump_period_sec(0)
    chosen.set_max_file_opening_threads(1)  # else each catching up of a follower starts and ends 15 threads
    chosen.set_level_zero_file_num_compaction_trigger(TABLES_MERGED_AT)
    if opened_often:
        chosen.set_compaction_style(DBCompactionStyle.universal())
        chosen.set_write_buffer_size(16 << 20)
    return chosen


def batch() -> WriteBatch:
    return WriteBatch(raw_mode=True)


def synced() -> WriteOptions:
    """A write that outlives a loss of power when it returns."""
    chosen = WriteOptions()
    chosen.sync = True
    return chosen


def exists(path: Path) -> bool:
    """Whether there is a database; a creation that was killed half way left none."""
    return (path / "CURRENT").is_file()


def try_primary(path: Path, chosen: Options) -> Rdict | None:
    """Open for writing; None if another, here or in another process, has it open."""
    path.mkdir(parents=True, exist_ok=True)
    try:
        with translated(path):
            return Rdict(str(path), chosen)
    except LogUnreachable as error:
        if f"{path}/LOCK:" in str(error):
            return None
        raise


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """RocksDB's errors become ours here. rocksdict raises `Exception` itself, so what is of another class is none of its own."""
    try:
        yield
    except Exception as error:
        if type(error) not in (Exception, DbClosedError):
            raise
        if str(error).startswith("Corruption"):
            raise LogInconsistent(f"{path} is damaged: {error}") from error
        raise LogUnreachable(f"{path} does not answer: {error}") from error


def is_settled(db: Rdict) -> bool:
    """Whether it may be closed; else small tables have piled up, and the merging that goes on would be lost."""
    return (db.property_int_value("rocksdb.num-files-at-level0") or 0) < TABLES_TOO_MANY


def close(db: Rdict) -> None:
    """Give the lock back; iterators must be gone, those in dead cycles are collected here."""
    gc.collect()
    db.close()


class Follower:
    """Reads a database beside its writer, in this or another process, as a RocksDB secondary.

    All that is read through one view is of one moment: whole batches. Views must be dropped before the next one is asked for.
    """

    def __init__(self, path: Path, make_options: Callable[[], Options]) -> None:
        self._path = path
        self._make_options = make_options
        self._db: Rdict | None = None
        self._opened_at = b""
        """What CURRENT named when it was opened: the primary's life that is followed."""

    def view(self) -> RdictIter:
        """An iterator over the newest state.

        A database that was opened for writing anew is followed anew: catching up from one life of its primary to the next has been seen to
        stand still, and to fall back.

        Raises:
            LogMissing: there is no such database.
            LogUnreachable: reading failed, as it may when files are replaced at this moment; the next try opens anew.
        """
        try:
            with translated(self._path):
                current = self._current()
                if self._db is None or current != self._opened_at:
                    self.close()
                    self._db, self._opened_at = self._open(), current
                self._db.try_catch_up_with_primary()
                return self._db.iter()
        except LogUnreachable:
            self.close()
            raise

    def _open(self) -> Rdict:
        if not exists(self._path):
            raise LogMissing(f"there is no log at {self._path}")
        # A secondary wants a directory for its own LOG and never looks at it again: gone at once, a killed process leaves none behind.
        with tempfile.TemporaryDirectory(prefix="rerate-follower-") as home:
            return Rdict(str(self._path), self._make_options(), access_type=AccessType.secondary(home))

    def _current(self) -> bytes:
        try:
            return (self._path / "CURRENT").read_bytes()
        except FileNotFoundError:
            return b""

    def close(self) -> None:
        if self._db is not None:
            close(self._db)
            self._db = None
