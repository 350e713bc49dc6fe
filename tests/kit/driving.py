"""A pool driven by hand: facts go in as the bytes they are on the wire, one by one or in batches, and what comes out is kept as a reader
of the compacted topics has it.

    pool = Driven(lists(1, club_list()))
    update = pool.take(published("e1", 1, "A>B"))
    assert pool.rating("A") == "1220.0"

Facts are said in the words of `tests.kit.saying`; players and events may be named without their authority.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from rerate.messages.facts import FACT_TOPICS, ROW_TOPICS, Fact, Position
from rerate.pool.pool import Pool, Settings
from rerate.pool.update import Update
from tests.kit.published import DELTAS, EVENTS, PERSONS, SNAPSHOTS, STANDINGS, Published
from tests.kit.saying import POOL, minted, sent
from tests.kit.sendable import Data, Sendable

SETTINGS = Settings(engine="rerate tests")
NOW_MS = 1_704_412_800_000
"""Append time of the first fact; each further one is a millisecond later."""

E20: Data = {"start": "1500", "k_new": 20, "k_established": 20, "provisional_below": 0}
"""Parameters of the field reports: start 1500, K 20, nobody provisional. Their quantum is 0.001."""


def club_list(
    id: str = "elo", parameters: Data | None = None, *, quantum: str = "0.1", period: str = "event", shown: str = "1", **more: Any
) -> Data:
    """A list of club/1 under one rule; `rules` may be given instead. `from_` is the list's first day."""
    rules = more.pop("rules", None) or [{"system": "club/1", "parameters": parameters or {}}]
    named = {name.rstrip("_"): value for name, value in more.items()}
    return {"id": id, "quantum": quantum, "shown": shown, "period": period, "rules": rules, **named}


def lists(revision: int, *configured: Data, **more: Any) -> Sendable:
    """A configuration of the pool."""
    return sent("pool-configured", revision=revision, lists=list(configured), **more)


def e20(**more: Any) -> Sendable:
    """The configuration under which the field reports are run."""
    return lists(1, club_list("elo", E20, quantum="0.001", **more))


class Driven:
    """A pool, everything that it published, and its topics as they stand."""

    def __init__(self, *facts: Sendable, settings: Settings = SETTINGS) -> None:
        """A pool that was given the facts one by one."""
        self.settings = settings
        self.pool = Pool(POOL, settings)
        self.log: list[tuple[Fact, Position]] = []
        """Every message taken, repeated ones too."""
        self.updates: list[Update] = []
        self.published = Published()
        """The topics folded, and held to what a subscriber may see: the chain of heads, the order of rows, `before` = the last after."""
        self.each(*facts)

    # ------------------------------------------------------------------ facts in

    def take(self, *facts: Sendable) -> Update | None:
        """Take the facts as one batch."""
        batch = [self._appended(fact.fact()) for fact in facts]
        return self._publish(self.pool.take(batch, self.positions, NOW_MS + len(self.log)))

    def each(self, *facts: Sendable) -> list[Update | None]:
        """Take the facts one by one."""
        return [self.take(fact) for fact in facts]

    def make(self, *facts: Sendable) -> Update:
        """Take the facts as one batch, which must give an update."""
        update = self.take(*facts)
        assert update is not None, "no row changed"
        return update

    @property
    def positions(self) -> dict[str, int]:
        """Next offset of each fact topic."""
        counts = Counter(position.topic for _, position in self.log)
        return {topic: counts[topic] for topic in FACT_TOPICS}

    def _appended(self, fact: Fact) -> tuple[Fact, Position]:
        topic = Sendable(fact.type, "", "", {}).topic
        entry = (fact, Position(topic, self.positions[topic]))
        self.log.append(entry)
        return entry

    def _publish(self, update: Update | None) -> Update | None:
        if update is None:
            return None
        self.published.apply(update)
        self.updates.append(update)
        return update

    @property
    def topics(self) -> dict[str, dict[str, bytes]]:
        """Row topic -> key -> value, heads left out."""
        return self.published.topics

    # ------------------------------------------------------------------ starting again

    def fresh(self, facts: Iterable[Sendable] | None = None) -> "Driven":
        """A new pool that was given the same facts, or others, in one batch."""
        other = Driven(settings=self.settings)
        if facts is not None:
            other.take(*facts)
        elif self.log:
            other.log = list(self.log)
            other._publish(other.pool.take(self.log, self.positions, NOW_MS))
        return other

    def rebuilt(self) -> Update:
        """The pool built anew from its facts, held to the topics as they stand, and published."""
        head = self.updates[-1].head if self.updates else None
        self.pool, update = Pool.rebuild(POOL, self.settings, self.log, head, self.topics, self.positions, NOW_MS)
        self._publish(update)
        return update

    # ------------------------------------------------------------------ what stands on the topics

    def value(self, topic: str, key: str) -> Data | None:
        """The value under a key."""
        raw = self.topics[topic].get(key)
        return None if raw is None else orjson.loads(raw)

    def snapshot(self, player: str, list_id: str = "elo") -> Data | None:
        """A player's snapshot, of whatever edition the newest head names."""
        return self.value(SNAPSHOTS, f"{self._prefix(list_id)}/{minted(player)}")

    def rating(self, player: str, list_id: str = "elo") -> str | None:
        """A player's rating in his snapshot."""
        snapshot = self.snapshot(player, list_id)
        return None if snapshot is None else snapshot["rating"]

    def ratings(self, list_id: str = "elo") -> dict[str, str]:
        """Player -> rating, of all snapshots of a list."""
        return {row["player"].removeprefix("t:"): row["rating"] for row in self._rows(SNAPSHOTS, list_id)}

    def row(self, player: str, event: str, list_id: str = "elo") -> Data | None:
        """A player's delta in the period of an event, of a list with a period an event."""
        return next(
            (row for row in self.deltas(list_id) if (row["player"], row["period"].get("event")) == (minted(player), minted(event))), None
        )

    def deltas(self, list_id: str = "elo") -> list[Data]:
        """The deltas of a list as they stand, by key."""
        return list(self._rows(DELTAS, list_id))

    def event(self, event: str) -> Data | None:
        """The row of a rated event."""
        return self.value(EVENTS, f"{POOL}@1/{minted(event)}")

    def person(self, raw: str) -> Data | None:
        """The row of an id."""
        return self.value(PERSONS, f"{POOL}@1/{minted(raw)}")

    def standing(self, fact: Sendable) -> str:
        """What is published of a fact in one word or two, with its flags: `held publication`."""
        row = self.value(STANDINGS, f"{POOL}@1/{fact.source}/{fact.id}")
        assert row is not None
        digest = fact.fact().identity.digest.hex()
        content = next(content for content in row["contents"] if content["digest"] == digest)
        return " ".join([content["standing"], *([content["reason"]] if "reason" in content else []), *content["flags"]])

    def head(self) -> Data:
        """The data of the newest head."""
        head: Data = orjson.loads(self.updates[-1].head)["data"]
        return head

    def digests(self, list_id: str = "elo") -> tuple[str, str]:
        """List digest and input digest in the newest head."""
        of_list = self.head()["lists"][list_id]
        return of_list["list_digest"], of_list["input_digest"]

    def holds(self) -> Data:
        """What holds of everything published: without `by`, and without editions in keys."""
        return self.published.holds()

    def _prefix(self, list_id: str) -> str:
        edition = self.head()["lists"][list_id]["edition"] if self.updates and list_id in self.head()["lists"] else 0
        return f"{POOL}/{list_id}@{edition}"

    def _rows(self, topic: str, list_id: str) -> Iterator[Data]:
        prefix = self._prefix(list_id) + "/"
        return (orjson.loads(raw) for key, raw in sorted(self.topics[topic].items()) if key.startswith(prefix))


# ---------------------------------------------------------------------- one update


def rows(update: Update | None, topic: str) -> list[tuple[str, Data | None]]:
    """Key and value of an update's rows of one topic, tombstones as None; none without an update."""
    if update is None:
        return []
    return [(key, None if value is None else orjson.loads(value)) for key, value in update.rows[topic]]


def deltas(update: Update | None) -> list[Data]:
    """The deltas of an update with their key, tombstones left out."""
    return [value | {"key": key} for key, value in rows(update, DELTAS) if value is not None]


def counts(update: Update | None) -> dict[str, int]:
    """Rows of an update by topic, tombstones left out, topics without rows too."""
    found = {topic: sum(value is not None for _, value in rows(update, topic)) for topic in ROW_TOPICS}
    return {topic: count for topic, count in found.items() if count}


def moved(update: Update | None) -> dict[tuple[str, str], tuple[str | None, str | None]]:
    """(player, event) -> rating of the row before and after, of a list with a period an event."""
    return {
        (delta["player"].removeprefix("t:"), delta["period"]["event"].removeprefix("t:")): (
            delta["by"]["before"],
            None if delta["row"] is None else delta["row"]["rating"],
        )
        for delta in deltas(update)
    }
