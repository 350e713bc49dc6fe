"""A writer of outcomes that knows no rating: pools with rows, editions and chained heads in real bytes, drawn by a seed.

It remembers what each pool looked like at each of its heads, so that a reader can be held to it.
"""

from random import Random

from rerate.log.seam import Out
from rerate.messages.canonical import canonical
from rerate.messages.facts import ROW_TOPICS
from rerate.pool.head import Head, ListHead, head_digest, write_head

State = dict[str, dict[bytes, bytes]]
"""Row topic -> key -> value."""

LIST = "elo"
_LIST_TOPICS = ("rating-deltas", "rating-snapshots")


def head_of(pool: str, update: int, *, previous: bytes | None = None, edition: int = 1, lists: bool = True) -> bytes:
    """The value of a head with one list, or none."""
    entry = ListHead(edition=edition, players=0, rows=0, list_digest="0" * 64, input_digest="0" * 64, rules_digest="0" * 64)
    head = Head(
        pool=pool,
        update=update,
        previous=None if previous is None else head_digest(previous),
        positions={},
        append_time_ms=0,
        edition=1,
        lists={LIST: entry} if lists else {},
        left={},
        semantics=1,
        engine="test",
        state="live",
    )
    return write_head(head)


class RowWriter:
    """Several pools."""

    def __init__(self, seed: int, pools: int = 3) -> None:
        self.rng = Random(f"{seed} rows")
        self.pools = [f"club:p{n}" for n in range(pools)]
        self.shown: dict[tuple[str, int], State] = {}
        """(pool, update) -> what must be shown then."""
        self._editions = dict.fromkeys(self.pools, 1)
        self._updates = dict.fromkeys(self.pools, 0)
        self._heads: dict[str, bytes] = {}
        self._rows: dict[str, State] = {pool: {topic: {} for topic in ROW_TOPICS} for pool in self.pools}
        self._built: dict[str, list[Out]] = {}
        """Pool -> rows of its next edition that are on the log already."""

    def transaction(self) -> list[Out]:
        """The next transaction: updates of some pools, or rows of an edition that no head names yet."""
        pool = self.rng.choice(self.pools)
        if self._updates[pool] and self.rng.random() < 0.15:
            return self._build(pool)
        chosen = self.rng.sample(self.pools, min(len(self.pools), self.rng.choice((1, 1, 2))))
        return [record for pool in sorted(chosen) for record in self._update(pool)]

    def _update(self, pool: str) -> list[Out]:
        rows = self._rows[pool]
        records: list[Out] = []
        if self._built.get(pool):
            self._switch(pool, rows)
        for topic in ROW_TOPICS:
            for name in self.rng.sample("abcdefgh", self.rng.choice((0, 0, 1, 4))):
                key = self._key(topic, pool, self._editions[pool], name)
                if key in rows[topic] and self.rng.random() < 0.3:
                    del rows[topic][key]
                    records.append(Out(topic, key, None))
                else:
                    records.append(Out(topic, key, self._value(rows, topic, key)))
        return records + self._close(pool)

    def _build(self, pool: str) -> list[Out]:
        """A slice of the next edition of the pool's list."""
        built = self._built.setdefault(pool, [])
        topic, name = self.rng.choice(_LIST_TOPICS), self.rng.choice("abcdefgh")
        key = self._key(topic, pool, self._editions[pool] + 1, name)
        built.append(Out(topic, key, self._value({topic: {}}, topic, key)))
        return built[-1:]

    def _switch(self, pool: str, rows: State) -> None:
        """The next head names the edition that was built; the rows of the old one are not shown any more."""
        self._editions[pool] += 1
        for topic in _LIST_TOPICS:
            rows[topic] = {
                record.key: record.value for record in self._built[pool] if record.topic == topic and record.key and record.value
            }
        self._built[pool] = []

    def _close(self, pool: str) -> list[Out]:
        self._updates[pool] += 1
        value = head_of(pool, self._updates[pool], previous=self._heads.get(pool), edition=self._editions[pool])
        self._heads[pool] = value
        self.shown[pool, self._updates[pool]] = {topic: dict(rows) for topic, rows in self._rows[pool].items()}
        return [Out(topic, pool.encode(), value) for topic in ROW_TOPICS]

    def _key(self, topic: str, pool: str, edition: int, name: str) -> bytes:
        if topic in _LIST_TOPICS:
            return f"{pool}/{LIST}@{edition}/{name}".encode()
        return f"{pool}@1/{name}".encode()

    def _value(self, rows: State, topic: str, key: bytes) -> bytes:
        rows[topic][key] = canonical({"n": self.rng.randrange(1_000_000)})
        return rows[topic][key]
