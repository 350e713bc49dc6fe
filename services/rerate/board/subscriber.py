"""The reference subscriber: which whole updates the records of some row topics of one partition make, by the rule of the contract.

(a) The records of each topic are staged in their order. (b) A pool flips to n, ascending, when each followed topic has delivered head n;
what lies before head n in each is applied, the rest stays staged. (c) After *every* start nothing flips before all followed topics have
been read past the ends noted at that start; then each pool flips to the newest head seen in any of them once all have it. (d) Who reads
longer than the compaction lag or was away longer than the retention starts again: that is for whoever reads, `rerate.board.following`.
(e) Written at once are only rows of an edition that no head in that topic has named yet, and tombstones of an edition that the shown head
has left: neither is seen.

From the first flip on the heads of a pool must be a chain: each the next number, with the digest of the one before. Where it is broken the
old ladder is kept, marked stale, and only a reading from the beginning ends that.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from rerate.board.keeping import Batch, Kept
from rerate.board.updates import Edition, Row, View, WholeUpdate, edition_of, named_in, pool_of, shown_in
from rerate.log.seam import Record
from rerate.messages.facts import ROW_TOPICS
from rerate.pool.head import Head, head_digest, read_head


@dataclass(slots=True)
class _Segment:
    """Rows up to a head of one pool in one topic; the last of a topic is not closed yet."""

    rows: list[tuple[int, Row]] = field(default_factory=list)
    """With their offsets."""
    head: Head | None = None
    value: bytes = b""
    offset: int = -1
    """Of the head."""


@dataclass(slots=True)
class _Pool:
    """What is known of one pool."""

    staged: dict[str, deque[_Segment]]
    """Topic -> segments in order; there is always an open one at the end."""
    named: dict[str, dict[str, int]]
    """Topic -> list -> newest edition that a head in that topic has named."""
    shown: Head | None = None
    shown_value: bytes = b""
    floor: int = 0
    """The newest head that was seen in any topic when the ends had been read past: no flip to a lower one."""
    is_stale: bool = False


class Subscriber:
    """Follows row topics of one partition; what it shows moves from whole update to whole update."""

    def __init__(self, topics: Iterable[str], *, kept: Kept | None = None, keeps: bool = False) -> None:
        """
        Args:
            topics: the row topics to follow; their order does not matter.
            kept: what an earlier life has kept.
            keeps: note in `batch` what changes, to be kept.
        """
        wanted = frozenset(topics)
        unknown = wanted - frozenset(ROW_TOPICS)
        if unknown or not wanted:
            raise ValueError(f"a subscriber follows some of {', '.join(ROW_TOPICS)}, not {', '.join(sorted(unknown)) or 'nothing'}")
        self.topics = tuple(topic for topic in ROW_TOPICS if topic in wanted)
        self.view = View()
        self.batch: Batch | None = None
        """What changed since it was last written; None if nothing is kept."""
        self.positions: dict[str, int | None] = dict.fromkeys(self.topics)
        """Next offset of each topic as kept; None at the very beginning."""
        self._ends: dict[str, int] | None = None
        self._is_past_ends = False
        self._pools: dict[str, _Pool] = {}
        if kept is not None:
            self._load(kept)
        if keeps:
            self.batch = Batch()
            self.batch.followed(self.topics)

    # ------------------------------------------------------------------ what it is told

    def start(self, ends: Mapping[str, int]) -> None:
        """After *every* start, before the first record: the ends of all followed topics as they are now."""
        self._ends = {topic: ends[topic] for topic in self.topics}
        self._is_past_ends = False

    def take(self, records: Iterable[Record]) -> None:
        """Stage records, those of each topic in order."""
        for record in records:
            assert record.key is not None, "a row topic is compacted: its records have keys"
            row = (record.key, record.value)
            if not self._write_at_once(record.topic, row):
                if self.batch is not None:
                    self.batch.staged(record.topic, record.offset, row)
                self._stage(record.topic, record.offset, row)

    def moved(self, positions: Mapping[str, int]) -> None:
        """Where the reader stands after the records taken so far."""
        if self.batch is not None:
            for topic in self.topics:
                self.batch.position(topic, positions[topic])
        if self._ends is not None and not self._is_past_ends:
            self._is_past_ends = all(positions[topic] >= end for topic, end in self._ends.items())
            if self._is_past_ends:
                for pool in self._pools.values():
                    pool.floor = max((number for topic in self.topics for number in _heads(pool, topic)), default=0)

    def flips(self) -> Iterator[WholeUpdate]:
        """The updates that are whole now, pool by pool, each ascending; to be taken to the last."""
        if not self._is_past_ends:
            return
        for name in sorted(self._pools):
            pool = self._pools[name]
            while not pool.is_stale and (number := self._next(pool)) is not None:
                update = self._flip(name, pool, number)
                if update is not None:
                    yield update

    # ------------------------------------------------------------------ what it says

    @property
    def is_whole(self) -> bool:
        """Whether the ends are read past and every pool shows the newest head that was seen then."""
        return self._is_past_ends and all(
            pool.is_stale or pool.floor <= (pool.shown.update if pool.shown is not None else 0) for pool in self._pools.values()
        )

    @property
    def is_past_ends(self) -> bool:
        """Whether the ends noted at the start are read past."""
        return self._is_past_ends

    def stale(self) -> list[str]:
        """Pools whose shown ladder is old because the chain of their heads is broken."""
        return sorted(name for name, pool in self._pools.items() if pool.is_stale)

    def heads(self) -> dict[str, Head]:
        """The head shown of each pool that has one."""
        return {name: pool.shown for name, pool in sorted(self._pools.items()) if pool.shown is not None}

    def rows(self, pool: str, topic: str) -> dict[bytes, bytes]:
        """The rows of a topic as shown."""
        known = self._pools.get(pool)
        return {} if known is None or known.shown is None else self.view.shown(topic, known.shown)

    def as_read_anew(self, before: "Subscriber") -> list[WholeUpdate]:
        """Take over from a subscriber whose chain broke, having read everything from the beginning: an update for each pool whose head
        is not the one it showed."""
        updates = []
        for name, pool in sorted(self._pools.items()):
            old = before._pools.get(name)
            if pool.shown is not None and (old is None or old.shown_value != pool.shown_value):
                rows: dict[str, list[Row]] = {topic: list(self.view.shown(topic, pool.shown).items()) for topic in self.topics}
                updates.append(WholeUpdate(pool=name, head=pool.shown, value=pool.shown_value, since=None, rows=rows))
        return updates

    # ------------------------------------------------------------------ staging

    def _stage(self, topic: str, offset: int, row: Row) -> None:
        key, value = row
        pool = self._pool(pool_of(key))
        last = pool.staged[topic][-1]
        if b"/" in key:
            last.rows.append((offset, row))
            return
        assert value is not None, "a closing head is never deleted"
        last.head, last.value, last.offset = read_head(value), value, offset
        pool.staged[topic].append(_Segment())
        for list_id, edition in named_in(topic, last.head).items():
            pool.named[topic][list_id] = max(edition, pool.named[topic].get(list_id, 0))

    def _write_at_once(self, topic: str, row: Row) -> bool:
        key, value = row
        if b"/" not in key:
            return False
        edition = edition_of(topic, key)
        pool = self._pool(edition.pool)
        is_ahead = edition.number > pool.named[topic].get(edition.list_id, 0)
        is_left = value is None and pool.shown is not None and _has_left(topic, pool.shown, edition)
        if is_ahead or is_left:
            self._apply(topic, row)
        return is_ahead or is_left

    def _apply(self, topic: str, row: Row) -> None:
        self.view.apply(topic, row)
        if self.batch is not None:
            self.batch.row(topic, row)

    def _pool(self, name: str) -> _Pool:
        pool = self._pools.get(name)
        if pool is None:
            pool = self._pools[name] = _Pool({topic: deque([_Segment()]) for topic in self.topics}, {topic: {} for topic in self.topics})
        return pool

    # ------------------------------------------------------------------ flipping

    def _next(self, pool: _Pool) -> int | None:
        """The lowest head from the floor on that every followed topic has delivered."""
        common = set.intersection(*(set(_heads(pool, topic)) for topic in self.topics))
        return min((number for number in common if number >= pool.floor), default=None)

    def _flip(self, name: str, pool: _Pool, number: int) -> WholeUpdate | None:
        """Show head `number`; None if the chain is broken there."""
        closing = {topic: _segment(pool, topic, number) for topic in self.topics}
        if not _is_chained(pool, number, closing):
            pool.is_stale = True
            if self.batch is not None:
                self.batch.stale(name)
            return None
        before, last = pool.shown, closing[self.topics[0]]
        assert last.head is not None
        rows = {topic: self._apply_up_to(name, pool, topic, number, before, last.head) for topic in self.topics}
        pool.shown, pool.shown_value = last.head, last.value
        if self.batch is not None:
            self.batch.head(name, last.value)
        since = None if before is None else before.update
        return WholeUpdate(pool=name, head=last.head, value=last.value, since=since, rows=rows)

    def _apply_up_to(self, name: str, pool: _Pool, topic: str, number: int, before: Head | None, head: Head) -> list[Row]:
        """Apply what lies before head `number`. What it shows for the first time was written at once, and is told with it."""
        begun = shown_in(topic, head).items() - (set() if before is None else shown_in(topic, before).items())
        changed: list[Row] = list(self.view.under(topic, (Edition(name, *entry) for entry in begun)))
        staged = pool.staged[topic]
        while staged[0].head is not None and staged[0].head.update <= number:
            segment = staged.popleft()
            for offset, row in segment.rows:
                self._apply(topic, row)
                changed.append(row)
                if self.batch is not None:
                    self.batch.unstaged(topic, offset)
            if self.batch is not None:
                self.batch.unstaged(topic, segment.offset)
        return changed

    # ------------------------------------------------------------------ an earlier life

    def _load(self, kept: Kept) -> None:
        for name, value in kept.heads():
            pool = self._pool(name)
            pool.shown, pool.shown_value = read_head(value), value
            pool.named = {topic: named_in(topic, pool.shown) for topic in self.topics}
        for name in kept.stale():
            self._pool(name).is_stale = True
        for topic in self.topics:
            self.positions[topic] = kept.position(topic)
            for row in kept.rows(topic):
                self.view.apply(topic, row)
            for offset, staged in kept.staged(topic):
                self._stage(topic, offset, staged)


def _heads(pool: _Pool, topic: str) -> Iterator[int]:
    """Numbers of the staged heads."""
    return (segment.head.update for segment in pool.staged[topic] if segment.head is not None)


def _segment(pool: _Pool, topic: str, number: int) -> _Segment:
    return next(segment for segment in pool.staged[topic] if segment.head is not None and segment.head.update == number)


def _has_left(topic: str, head: Head, edition: Edition) -> bool:
    """Whether a head shows a later edition, or none any more."""
    named, shown = named_in(topic, head).get(edition.list_id, 0), shown_in(topic, head).get(edition.list_id, 0)
    return edition.number <= named and edition.number != shown


def _is_chained(pool: _Pool, number: int, closing: Mapping[str, _Segment]) -> bool:
    """Whether every topic closes with the same head, and it follows on the one shown.

    After a start heads in the middle may be compacted away: a step over these is no gap, but those that are there must fit. Once the newest
    head of that time is shown, every head must come.
    """
    if len({segment.value for segment in closing.values()}) != 1:
        return False
    if pool.shown is None:
        return True
    seen = {pool.shown.update: pool.shown_value}
    for staged in pool.staged.values():
        seen.update({s.head.update: s.value for s in staged if s.head is not None and s.head.update <= number})
    for at in sorted(seen):
        if at > pool.shown.update and at - 1 in seen and read_head(seen[at]).previous != head_digest(seen[at - 1]):
            return False
    is_step_over_compacted = number == pool.floor
    return number == pool.shown.update + 1 or (number > pool.shown.update and is_step_over_compacted)
