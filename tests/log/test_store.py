from pathlib import Path

import pytest

from rerate.log.seam import Store
from rerate.log.store import RocksStore
from tests.log.store_contract import Shelf, StoreContract


class RocksShelf(Shelf):
    def __init__(self, path: Path) -> None:
        self.path = path

    def open(self) -> Store:
        return RocksStore(self.path, lock_wait_s=0.05)


@pytest.fixture
def shelf(tmp_path: Path) -> RocksShelf:
    return RocksShelf(tmp_path / "deep" / "store")


class TestRocksStore(StoreContract):
    pass


@pytest.mark.parametrize("lost", ["MANIFEST-*", "*.sst", "CURRENT"])
def test_a_store_that_cannot_be_opened_is_begun_anew(tmp_path: Path, lost: str) -> None:
    path = tmp_path / "store"
    store = RocksStore(path)
    store.write([(b"k", b"v" * 1000)])
    store.close()
    reopened = RocksStore(path)  # what was only in its journal is in a table now
    reopened.close()
    found = list(path.glob(lost))
    assert found
    for file in found:
        file.unlink()
    begun = RocksStore(path)
    begun.write([(b"new", b"1")])
    assert begun.get(b"new") == b"1"
    begun.close()
    assert [entry.name for entry in tmp_path.iterdir()] == ["store"]


def test_what_a_kill_in_a_wipe_left_behind_is_removed_with_the_next_wipe(tmp_path: Path) -> None:
    (tmp_path / "store.gone-1").mkdir(parents=True)
    store = RocksStore(tmp_path / "store")
    store.wipe()
    store.close()
    assert [entry.name for entry in tmp_path.iterdir()] == ["store"]
