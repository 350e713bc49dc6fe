"""Where published rows part from what the facts give: the first period, and who differs in it."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

import orjson
from msgspec import Struct

from rerate.messages.facts import DELTAS, Fact, Position
from rerate.pool.pool import Pool, Settings
from rerate.ratings.face import Key
from rerate.replay.digests import LIST, PERIOD, frame, tag
from rerate.replay.periods import date_of, key_bytes, key_of_fields, key_text
from rerate.replay.replay import ListReplay

PLAYERS_NAMED = 10


class FirstDifference(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The first period whose published rows are not what the facts give."""

    period: str
    players: tuple[tuple[str, str | None, str | None], ...]
    """Player, rating as the facts give it, rating as published; None: no row. The first ten."""
    differing: int
    """How many players of the period differ."""


class PublishedRows:
    """The published rows of a list, by period."""

    def __init__(self, replay: ListReplay, values: Iterable[bytes]) -> None:
        self._replay = replay
        self.periods: dict[Key, dict[str, dict[str, object]]] = {}
        for value in values:
            delta = orjson.loads(value)
            if delta["row"] is not None:
                self.periods.setdefault(key_of_fields(delta["period"]), {})[delta["player"]] = delta
        self.digests = {key: self._digest(key, rows) for key, rows in sorted(self.periods.items())}

    def list_digest(self) -> bytes:
        """The list digest that these rows give, with the seeds of the facts."""
        running = sha256(LIST)
        running.update(self._replay.seeds_digest())
        for digest in self.digests.values():
            running.update(digest)
        return running.digest()

    def _digest(self, key: Key, rows: Mapping[str, Mapping[str, object]]) -> bytes:
        system = self._replay.rules.at(date_of(key))
        packed = []
        for player, delta in sorted(rows.items()):
            state = system.seed(delta["row"]["state"])  # type: ignore[index]  # the schema says an object
            packed.append(tag(player) + (b"?" if state is None else system.pack(state)))
        return frame(PERIOD, key_bytes(self._replay.kind, key), len(packed), packed)


def first_difference(
    pool: str, settings: Settings, name: str, replay: ListReplay, published: PublishedRows, facts: Sequence[tuple[Fact, Position]]
) -> FirstDifference | None:
    """The first period whose digest is another, or that only one of the two has.

    Args:
        settings: with a bound of rows above those of the pool.
    """
    expected = {key: digest for key, digest, _ in replay.periods()}
    differing = (key for key in sorted(expected.keys() | published.digests.keys()) if expected.get(key) != published.digests.get(key))
    first = next(differing, None)
    if first is None:
        return None
    update = Pool(pool, settings).take(facts, {}, 0)
    ours: dict[str, bytes] = {}
    if update is not None:
        ending = f"/{key_text(first)}"
        for key, value in update.rows[DELTAS]:
            row_list, _, rest = key.removeprefix(f"{pool}/").partition("/")
            if row_list.rpartition("@")[0] == name and key.endswith(ending) and value is not None:
                ours[rest.removesuffix(ending)] = value
    theirs = published.periods.get(first, {})
    players = [
        (player, _rating(orjson.loads(ours[player])) if player in ours else None, _rating(theirs[player]) if player in theirs else None)
        for player in sorted(ours.keys() | theirs.keys())
        if player not in ours or player not in theirs or _holds(orjson.loads(ours[player])) != _holds(theirs[player])
    ]
    return FirstDifference(period=key_text(first), players=tuple(players[:PLAYERS_NAMED]), differing=len(players))


def _rating(delta: Mapping[str, object]) -> str:
    row = delta["row"]
    return str(row["rating"]) if isinstance(row, dict) else "-"


def _holds(delta: Mapping[str, object]) -> dict[str, object]:
    """What holds of a row: all but `by`."""
    return {name: value for name, value in delta.items() if name != "by"}
