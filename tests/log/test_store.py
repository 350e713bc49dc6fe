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
