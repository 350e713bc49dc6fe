"""Rows of the outcome topics read back, as far as the views need them. `schemas/` says what they are."""

from collections.abc import Iterable

import msgspec
from msgspec import Struct

from rerate.replay.periods import key_of_fields


class Peak(Struct, frozen=True):
    rating: str
    date: str


class SnapshotRow(Struct, frozen=True, kw_only=True):
    """A player's standing on a list now."""

    pool: str
    list: str
    player: str
    rating: str | None
    """None: he has played, or was seeded, and has no rating."""
    shown: str | None
    provisional: bool
    games: int
    won: int
    drawn: int
    lost: int
    peak: Peak | None = None
    last_game: str | None = None
    """Day of the last rated game."""
    as_of: str | None = None


class EventLine(Struct, frozen=True, kw_only=True):
    """What one event gave a player in a period. `rating` is the one he was judged by, if he had one; what else stands here is the
    system's."""

    event: str
    rating: str | None = None
    provisional: bool = False
    games: int = 0
    protected: int = 0
    not_counted: int = 0
    """FIDE systems; US Chess says it as `uncounted`."""
    uncounted: int = 0
    score: str | None = None
    """None where the terms say it; so is `expected`."""
    expected: str | None = None
    terms: tuple[dict[str, object], ...] = ()

    @property
    def left_out(self) -> int:
        """Games beside `games`, that are rated by the facts and count for nothing on the list."""
        return self.not_counted + self.uncounted

    @property
    def played(self) -> int:
        """All games that are rated for the player by the facts: those that a snapshot counts."""
        return self.games + self.left_out


class PeriodRow(Struct, frozen=True, kw_only=True):
    """A player's line in one period."""

    rating: str | None
    shown: str | None
    provisional: bool
    state: dict[str, object]
    system: str
    events: tuple[EventLine, ...]
    adjusted_from: str | None = None
    """In an adjustment the rating before it, if there was one."""


class DeltaBy(Struct, frozen=True, kw_only=True):
    update: int
    cause: str
    before: str | None = None


class DeltaRow(Struct, frozen=True, kw_only=True):
    """The newest delta of a player and a period."""

    pool: str
    list: str
    player: str
    period: dict[str, object]
    row: PeriodRow | None
    by: DeltaBy

    @property
    def date(self) -> str:
        """The period's date, or month."""
        return str(self.period["date"])


class PersonRow(Struct, frozen=True, kw_only=True):
    """Which person an id is."""

    id: str
    person: str
    merges: tuple[str, ...]
    contested: bool


read_snapshot = msgspec.json.Decoder(SnapshotRow).decode
read_delta = msgspec.json.Decoder(DeltaRow).decode
read_person = msgspec.json.Decoder(PersonRow).decode


def deltas_in_order(values: Iterable[bytes]) -> list[DeltaRow]:
    """Deltas that stand (tombstones gone), by player and period."""
    rows = [row for value in values if (row := read_delta(value)).row is not None]
    return sorted(rows, key=lambda row: (row.player, key_of_fields(row.period)))
