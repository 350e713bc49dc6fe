"""What a subscriber shows: whole updates, and the view they add up to. Keys of rows read back."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from rerate.messages.facts import LIST_TOPICS
from rerate.pool.head import Head

Row = tuple[bytes, bytes | None]
"""Key and value; None is a tombstone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeUpdate:
    """A step from one head of a pool to a later one."""

    pool: str
    head: Head
    value: bytes
    """The head's bytes, as they stand in every topic."""
    since: int | None
    """Update that was shown before; None: nothing was, or it was read anew from the beginning."""
    rows: Mapping[str, list[Row]]
    """Followed topic -> what changed, in the order to apply it."""


class Edition(NamedTuple):
    """What the key of a row says before the row's own name."""

    pool: str
    list_id: str
    """Empty for what belongs to the pool's fold."""
    number: int


def pool_of(key: bytes) -> str:
    """The pool of a key of a row topic; a closing head's key is the pool."""
    return key.partition(b"/")[0].partition(b"@")[0].decode()


def edition_of(topic: str, key: bytes) -> Edition:
    """The edition that a row's key names: of `pool/list@1/…` or of `pool@1/…`."""
    first, _, rest = key.decode().partition("/")
    if topic in LIST_TOPICS:
        list_id, _, number = rest.partition("/")[0].rpartition("@")
        return Edition(first, list_id, int(number))
    pool, _, number = first.rpartition("@")
    return Edition(pool, "", int(number))


def named_in(topic: str, head: Head) -> dict[str, int]:
    """The newest edition of each list (or of the fold, as list "") that a head names, of those that have left, too."""
    if topic not in LIST_TOPICS:
        return {"": head.edition}
    return {**head.left, **{list_id: entry.edition for list_id, entry in head.lists.items()}}


def shown_in(topic: str, head: Head) -> dict[str, int]:
    """The editions that a head shows, by list."""
    if topic not in LIST_TOPICS:
        return {"": head.edition}
    return {list_id: entry.edition for list_id, entry in head.lists.items()}


class View:
    """The rows that stand, of every pool; also of editions that no head names yet or any more, which are not shown."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str], dict[bytes, bytes]] = {}

    def apply(self, topic: str, row: Row) -> None:
        """Put a row, or take it out if it is a tombstone."""
        key, value = row
        rows = self._rows.setdefault((topic, pool_of(key)), {})
        if value is None:
            rows.pop(key, None)
        else:
            rows[key] = value

    def under(self, topic: str, editions: Iterable[Edition]) -> Iterator[tuple[bytes, bytes]]:
        """The rows of some editions of one pool, by key."""
        wanted = set(editions)
        for pool in {edition.pool for edition in wanted}:
            rows = self._rows.get((topic, pool), {})
            for key in sorted(rows):
                if edition_of(topic, key) in wanted:
                    yield key, rows[key]

    def shown(self, topic: str, head: Head) -> dict[bytes, bytes]:
        """The rows of a topic that are shown under a head."""
        return dict(self.under(topic, (Edition(head.pool, *entry) for entry in shown_in(topic, head).items())))
