"""What every store promises; a module of tests gives a fixture `shelf` and subclasses `StoreContract`."""

from abc import ABC, abstractmethod

import pytest

from rerate.log.errors import LogUnreachable
from rerate.log.seam import Store


class Shelf(ABC):
    """One place for a store, empty at first."""

    @abstractmethod
    def open(self) -> Store: ...


class StoreContract:
    def test_what_was_written_is_read_also_after_closing(self, shelf: Shelf) -> None:
        store = shelf.open()
        store.write([(b"a", b"1"), (b"b", b""), (b"\x00\xff", b"\x00" * 1000)])
        for _ in range(2):
            assert (store.get(b"a"), store.get(b"b"), store.get(b"\x00\xff"), store.get(b"c")) == (b"1", b"", b"\x00" * 1000, None)
            store.close()
            store = shelf.open()
        store.close()

    def test_a_batch_puts_and_deletes(self, shelf: Shelf) -> None:
        store = shelf.open()
        store.write([(b"a", b"1"), (b"b", b"1"), (b"c", b"1")])
        store.write([(b"a", b"2"), (b"c", b"2")], [b"b", b"c", b"never there"])
        assert list(store.items(b"")) == [(b"a", b"2"), (b"c", b"2")]
        store.close()

    def test_items_are_those_of_the_prefix_in_order_of_their_bytes(self, shelf: Shelf) -> None:
        store = shelf.open()
        keys = [b"a", b"b\x00", b"b\x01", b"b", b"ba", b"b\xff\xff", b"c", b"\xff", b"\xff\xff", b"\xff\x00"]
        store.write([(key, key) for key in keys])
        for prefix in (b"", b"a", b"b", b"b\xff", b"bb", b"\xff", b"\xff\xff", b"\xff\xff\xff"):
            assert [key for key, _ in store.items(prefix)] == sorted(key for key in keys if key.startswith(prefix))
        store.close()

    def test_items_do_not_see_what_is_written_meanwhile(self, shelf: Shelf) -> None:
        store = shelf.open()
        store.write([(b"a", b"1"), (b"b", b"1")])
        items = store.items(b"")
        first = next(items)
        store.write([(b"b", b"2"), (b"c", b"2")], [b"a"])
        assert [first, *items] == [(b"a", b"1"), (b"b", b"1")]
        store.close()

    def test_a_wiped_store_is_empty_and_goes_on(self, shelf: Shelf) -> None:
        store = shelf.open()
        store.write([(b"a", b"1")])
        store.wipe()
        assert list(store.items(b"")) == []
        store.write([(b"b", b"1")])
        store.close()
        store = shelf.open()
        assert list(store.items(b"")) == [(b"b", b"1")]
        store.close()

    def test_it_can_be_closed_while_somebody_walks_through_it(self, shelf: Shelf) -> None:
        store = shelf.open()
        store.write([(b"a", b"1"), (b"b", b"1")])
        items = store.items(b"")
        next(items)
        store.close()
        store.close()
        again = shelf.open()
        assert list(items) == []
        again.close()

    def test_two_do_not_have_it_open(self, shelf: Shelf) -> None:
        store = shelf.open()
        with pytest.raises(LogUnreachable):
            shelf.open()
        store.close()
        shelf.open().close()

    def test_a_closed_store_says_so(self, shelf: Shelf) -> None:
        store = shelf.open()
        store.close()
        with pytest.raises(LogUnreachable):
            store.get(b"a")
