"""The rater's store in memory: a disk that outlives simulated crashes, and the store a process has open on it."""

from collections.abc import Iterable, Iterator
from random import Random

from rerate.log.errors import LogUnreachable
from tests.kit.simloop import SimProcess

UNSYNCED_AT_MOST = 8
"""Batches that a loss of power may take."""

_Undo = dict[bytes, bytes | None]


class SimDisk:
    """One directory. A batch is there whole or not at all; a crash may be a loss of power, which takes the last batches."""

    def __init__(self, seed: int = 0, *, power_loss_rate: float = 0.0) -> None:
        """
        Args:
            power_loss_rate: probability that the end of a process that has died was a loss of power.
        """
        self.content: dict[bytes, bytes] = {}
        """As it is now; a test may alter it."""
        self._undo: list[_Undo] = []
        self._power_loss_rate = power_loss_rate
        self._rng = Random(f"{seed} disk")
        self._owner: SimProcess | None = None

    def open(self, process: SimProcess | None = None) -> "SimStore":
        """
        Raises:
            LogUnreachable: another process that lives has it open.
        """
        process = process or SimProcess("observer")
        process.point("store: opening")
        if self._owner is not None:
            if self._owner.alive:
                raise LogUnreachable(f"the store is open in {self._owner.name}")
            if self._rng.random() < self._power_loss_rate:
                self.lose_power(self._rng.randint(0, UNSYNCED_AT_MOST))
        self._owner = process
        return SimStore(self, process)

    def lose_power(self, batches: int) -> None:
        """Forget the last batches."""
        for _ in range(min(batches, len(self._undo))):
            for key, value in self._undo.pop().items():
                self._put(key, value)

    def write(self, batch: _Undo) -> None:
        self._undo.append({key: self.content.get(key) for key in batch})
        del self._undo[:-UNSYNCED_AT_MOST]
        for key, value in batch.items():
            self._put(key, value)

    def wipe(self) -> None:
        self.content.clear()
        self._undo.clear()

    def release(self) -> None:
        self._owner = None

    def _put(self, key: bytes, value: bytes | None) -> None:
        if value is None:
            self.content.pop(key, None)
        else:
            self.content[key] = value


class SimStore:
    """The seam's `Store` of one process; each use raises Crashed once the process is dead."""

    def __init__(self, disk: SimDisk, process: SimProcess) -> None:
        self._disk: SimDisk | None = disk
        self._process = process

    def get(self, key: bytes) -> bytes | None:
        return self._opened().content.get(key)

    def items(self, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        content = self._opened().content
        found = sorted((key, value) for key, value in content.items() if key.startswith(prefix))
        return self._walk(found)

    def write(self, puts: Iterable[tuple[bytes, bytes]], deletes: Iterable[bytes] = ()) -> None:
        batch: _Undo = dict.fromkeys(deletes)
        batch.update(puts)
        disk = self._opened()
        self._process.point("store: before the batch")
        disk.write(batch)
        self._process.point("store: after the batch")

    def wipe(self) -> None:
        disk = self._opened()
        self._process.point("store: before wiping")
        disk.wipe()
        self._process.point("store: after wiping")

    def close(self) -> None:
        self._process.check()
        if self._disk is not None:
            self._disk.release()
            self._disk = None

    def _walk(self, found: list[tuple[bytes, bytes]]) -> Iterator[tuple[bytes, bytes]]:
        for entry in found:
            if self._disk is None:
                return
            self._process.check()
            yield entry

    def _opened(self) -> SimDisk:
        self._process.check()
        if self._disk is None:
            raise LogUnreachable("the store is closed")
        return self._disk
