"""A pool's topics as a subscriber folds them from updates, and a pool that is fed and watched.

`Published` takes updates in order and refuses what no subscriber should see: a hole or a break in the chain of heads, rows out of order, a
row of an edition that the head does not have, a number that is sent again unchanged. `Fed` is a `Pool` behind it, with positions.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import orjson

from rerate.messages.canonical import canonical
from rerate.messages.facts import FACT_TOPICS, ROW_TOPICS, Fact, Position
from rerate.pool.head import Head, head_digest, read_head
from rerate.pool.pool import Pool, Settings
from rerate.pool.update import Update, Wire
from tests.kit.lagged import SETTINGS
from tests.kit.sendable import Data, Sendable

DELTAS, SNAPSHOTS, EVENTS, PERSONS, STANDINGS = "rating-deltas", "rating-snapshots", "rated-events", "person-ids", "fact-standings"
_EDITION = re.compile(r"@([1-9][0-9]*)(?=/)")

POOL = "w:pool"


class Published:
    """The row topics compacted, and every head."""

    def __init__(self) -> None:
        self.topics: dict[str, dict[str, bytes]] = {topic: {} for topic in ROW_TOPICS}
        self.heads: list[bytes] = []
        self._rows: dict[str, dict[str, Data]] = {topic: {} for topic in ROW_TOPICS}
        """The same, read."""
        self._editions: dict[str, int] = {}
        """The last edition of every list there ever was."""

    @property
    def head(self) -> Head:
        return read_head(self.heads[-1])

    def apply(self, update: Update) -> None:
        """Take in the next update."""
        head = read_head(update.head)
        assert head.update == update.number == len(self.heads) + 1, f"update {update.number} after {len(self.heads)}"
        assert head.previous == (head_digest(self.heads[-1]) if self.heads else None), f"update {update.number} breaks the chain"
        self.heads.append(update.head)
        assert update.rows.keys() == set(ROW_TOPICS)
        for topic, rows in update.rows.items():
            self._apply_rows(topic, rows, update.number)
        self._check_editions(head)

    def _apply_rows(self, topic: str, rows: Sequence[Wire], number: int) -> None:
        keys = [key for key, _ in rows]
        assert keys == sorted(keys), f"{topic}: rows not in the order of their keys"
        for (key, value), (following, tombstone) in pairwise(rows):
            if key == following:
                is_going = topic == DELTAS and value is not None and orjson.loads(value)["row"] is None and tombstone is None
                assert is_going, f"{topic} {key}: twice in one update"
        for key, value in rows:
            if value is None:
                assert key in self.topics[topic], f"{topic} {key}: a tombstone for nothing"
                del self.topics[topic][key], self._rows[topic][key]
                continue
            row = orjson.loads(value)
            assert canonical(row) == value, f"{topic} {key}: not canonical"
            by = row.pop("by")
            assert by["update"] == number, f"{topic} {key}: says update {by['update']} in update {number}"
            if topic != EVENTS:  # an event's row also says which facts it is made from
                assert self._rows[topic].get(key) != row, f"{topic} {key}: sent again, unchanged"
            if topic == DELTAS:
                self._check_delta(key, row, by)
            self.topics[topic][key], self._rows[topic][key] = value, row

    def _check_delta(self, key: str, row: Data, by: Data) -> None:
        before = self._rows[DELTAS].get(key)
        assert by["before"] == (None if before is None else before["row"]["rating"]), f"{key}: by.before is not the row before"
        assert row["row"] is not None or before is not None, f"{key}: the end of a row that was not there"

    def _check_editions(self, head: Head) -> None:
        """Rows stand under the edition in the head, lists not in the head and held ones have none, and editions count up."""
        live = {name: entry for name, entry in head.lists.items() if entry.held is None}
        prefixes = {f"{head.pool}/{name}@{entry.edition}" for name, entry in live.items()}
        for topic in (DELTAS, SNAPSHOTS):
            standing = {"/".join(key.split("/", 2)[:2]) for key in self.topics[topic]}
            assert standing <= prefixes, f"{topic}: rows of {standing - prefixes} stand, the head has {prefixes}"
        for name, entry in live.items():
            prefix = f"{head.pool}/{name}@{entry.edition}/"
            rows, players = (sum(key.startswith(prefix) for key in self.topics[topic]) for topic in (DELTAS, SNAPSHOTS))
            assert (rows, players) == (entry.rows, entry.players), f"{name}: {rows} rows and {players} players stand, not {entry}"
        now = dict(head.left) | {name: entry.edition for name, entry in head.lists.items()}
        assert not head.left.keys() & head.lists.keys()
        for name, edition in now.items():
            last = self._editions.get(name, 0)
            assert last <= edition <= last + 1, f"list {name}: edition {edition} after {last}"
        assert self._editions.keys() <= now.keys(), "the edition of a list is forgotten"
        self._editions = now

    def spoil(self, topic: str, key: str, value: bytes | None) -> None:
        """Let something stand on a topic (None: nothing) that no update has put there."""
        self.topics[topic].pop(key, None)
        self._rows[topic].pop(key, None)
        if value is not None:
            row = orjson.loads(value)
            del row["by"]
            self.topics[topic][key], self._rows[topic][key] = value, row

    def rows(self, topic: str) -> Mapping[str, Data]:
        """Key as sent -> what holds, of one topic."""
        return self._rows[topic]

    def holds(self, topics: Iterable[str] = ROW_TOPICS) -> Data:
        """What holds: rows without `by` under keys without edition, and of the newest head what lists come to."""
        said: Data = {topic: {_EDITION.sub("", key, count=1): row for key, row in self._rows[topic].items()} for topic in topics}
        return said | {"head": self.heads and _head_holds(self.head)}

    def of_list(self, topic: str, list_id: str) -> dict[str, Data]:
        """What holds of a list's rows in deltas or snapshots, by the end of the key: player, or player/period."""
        prefix = f"{self.head.pool}/{list_id}@"
        return {key.split("/", 2)[2]: row for key, row in self._rows[topic].items() if key.startswith(prefix)}


def _head_holds(head: Head) -> Data:
    lists = {
        name: (entry.held, entry.rows, entry.players, entry.list_digest, entry.input_digest, entry.rules_digest)
        for name, entry in head.lists.items()
    }
    return {"lists": lists, "state": head.state, "semantics": head.semantics}


class Fed:
    """A pool that is fed facts, what it published, and the log of what it was fed."""

    def __init__(self, settings: Settings = SETTINGS, pool: str = POOL) -> None:
        self.settings = settings
        self.pool = Pool(pool, settings)
        self.published = Published()
        self.log: list[tuple[Fact, Position]] = []
        self._next = dict.fromkeys(FACT_TOPICS, 0)

    @property
    def positions(self) -> dict[str, int]:
        """Next offset of each fact topic."""
        return {topic: offset for topic, offset in self._next.items() if offset}

    def take(self, batch: Iterable[tuple[str, Fact]]) -> Update | None:
        """Append facts with their topics to the log and let the pool take them as one batch."""
        placed = []
        for topic, fact in batch:
            placed.append((fact, Position(topic, self._next[topic])))
            self._next[topic] += 1
        self.log += placed
        update = self.pool.take(placed, self.positions, 1_700_000_000_000 + len(self.log))
        if update is not None:
            self.published.apply(update)
        return update

    def holds(self) -> Data:
        return self.published.holds()


Placed = tuple[str, Fact]
"""A fact with the topic it is sent to."""


def placed(history: Iterable[Sendable]) -> list[Placed]:
    """The facts of a history with their topics."""
    return [(sent.topic, sent.fact()) for sent in history]


def fed(batches: Iterable[Iterable[Placed]], settings: Settings = SETTINGS, pool: str = POOL) -> Fed:
    """A pool that took some batches."""
    taking = Fed(settings, pool)
    for batch in batches:
        taking.take(batch)
    return taking


def difference(one: Any, other: Any, at: str = "") -> str:
    """The first place where two values differ, in words; empty if they are the same."""
    if one == other:
        return ""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(one.keys() | other.keys(), key=str):
            if one.get(key) != other.get(key) or (key in one) != (key in other):
                return difference(one.get(key), other.get(key), f"{at} / {key}") or f"{at}: {key} is not in both"
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return next(difference(a, b, f"{at} / {i}") for i, (a, b) in enumerate(zip(one, other, strict=True)) if a != b)
    return f"{at}: {one!r} is not {other!r}"


def same(one: Any, other: Any) -> None:
    """Assert that two values are the same, naming the first place where they differ."""
    assert one == other, difference(one, other)
