"""What the fold says, as values: rated events, persons, seeds, standings, and what one batch changed in them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from rerate.messages.codes import HELD, IN_FORCE, EventState, Flag, MisfitReason, Standing, StandingReason, UnratedWhy
from rerate.messages.facts import AdjustmentKind, Event, Fact, FactName, Game, Identity, PoolConfigured, RatedSides, RatingSeeded

Misfit = tuple[str, MisfitReason]
"""JSON pointer into a ruling's data, and why what stands there does not fit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedGame:
    """One game of an event: who played it, and for whom the facts rate it."""

    game: Game
    """With rulings on top."""
    white: str | None
    """Person."""
    black: str | None
    rated: RatedSides
    """`none` whenever `why` is set."""
    why: UnratedWhy | None
    clash: tuple[str, str] | None
    """For `round-clash`: the two smallest raw ids of the person who stands twice in the round; white's if both sides do."""
    early: RatedSides = "none"
    """For whom lists `dated_by: game` rate it although `why` is `running`: it is over, has a date of its own, and nothing else speaks
    against it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedEvent:
    """An event that the fold does not leave absent."""

    id: str
    state: EventState
    event: Event | None
    """None if void."""
    games: tuple[JudgedGame, ...]
    """Sorted by game id; none if void."""
    flags: tuple[Flag, ...]
    """Sorted: the flags that its own facts in force have among each other (one name for two contents is a matter of standings)."""
    facts: tuple[Identity, ...]
    """In force on it, in fold order: the publisher's, then rulings by ruling id. A ruling that names nothing is not among them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedGroup:
    """The seeds of one person in use on one list."""

    chosen: RatingSeeded
    """Gives rating and `as_of`."""
    others: tuple[RatingSeeded, ...]
    """Give their counters and latches only; by player id."""

    @property
    def as_of(self) -> str:
        return self.chosen.as_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjustment:
    """A change of ratings in use on one list."""

    id: str
    before: str
    """Date: it is applied before the first period at or after it."""
    kind: AdjustmentKind
    value: str
    """A decimal string, of a `formula` its name."""
    persons: tuple[str, ...] | None
    """Sorted; None for everybody who is rated on the list by then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentStanding:
    """What one content under a name counts for."""

    identity: Identity
    type: str
    standing: Standing
    reason: StandingReason | None = None
    superseded_by: Identity | None = None
    merge: str | None = None
    """For `undone`: the merge id that an unmerge ended."""
    not_fitting: tuple[Misfit, ...] = ()
    """What of a ruling does not fit, in the order of its application."""
    flags: tuple[Flag, ...] = ()
    """Sorted."""


def in_force_or_held(fact: Fact, waits_for: StandingReason | None) -> ContentStanding:
    """In force, or held if it waits for something."""
    return ContentStanding(identity=fact.identity, type=fact.type, standing=HELD if waits_for else IN_FORCE, reason=waits_for)


def flags_of(flags: Mapping[Flag, bool]) -> tuple[Flag, ...]:
    """The flags that hold, sorted."""
    return tuple(sorted(flag for flag, holds in flags.items() if holds))


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingRow:
    """The standing of every content under one name."""

    contents: tuple[ContentStanding, ...]
    """Sorted by digest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityRow:
    """Which person an id is, by which merges. Only ids named by a merge in force have one."""

    id: str
    person: str
    """Wherever `scoped` does not say otherwise."""
    merges: tuple[str, ...]
    """Merges in force that name this id, as alias or player, sorted."""
    scoped: tuple[tuple[str, str], ...]
    """(event, person): who this id is there, sorted."""
    contested: bool
    """Merges contradict each other about this id or somebody it is merged with."""


@dataclass(slots=True, kw_only=True)
class Changes:
    """What a batch changed: only what differs before and after it. None stands for absent."""

    events: dict[str, tuple[RatedEvent | None, RatedEvent | None]] = field(default_factory=dict)
    identities: dict[str, tuple[IdentityRow | None, IdentityRow | None]] = field(default_factory=dict)
    standings: dict[FactName, tuple[StandingRow | None, StandingRow]] = field(default_factory=dict)
    configuration: tuple[PoolConfigured | None, PoolConfigured | None] | None = None
    """(old, new), or None if it is the same."""
    seeds: set[tuple[str, str]] = field(default_factory=set)
    """(list, person) whose group of seeds changed."""
    adjusted: set[tuple[str, str]] = field(default_factory=set)
    """(list, adjustment id) where another adjustment is in use than before."""
    registered: set[str] = field(default_factory=set)
    """Persons of whom other traits are registered than before."""
