"""The facts as values: what a publisher says happened, typed and frozen.

A fact's *data* is one of the structures below; `Fact` is the data with its envelope and identity. Field names and limits are those of
`schemas/`; every structure refuses fields it does not know. Reading bytes into these values is `rerate.messages.reading`.

Dates are ISO texts (`2024-01-05`, `2024-01`) from end to end: a bare date never passes through a timestamp. Ids are ASCII, so comparing
them as text compares their bytes.
"""

from typing import Annotated, Literal, NamedTuple, NewType

import msgspec
from msgspec import Meta, Struct

Sha256 = NewType("Sha256", bytes)
"""32 bytes."""

Id = Annotated[str, Meta(pattern=r"^[A-Za-z0-9._:~-]{1,80}\Z")]
Minted = Annotated[str, Meta(pattern=r"^[A-Za-z0-9._~-]{1,78}:[A-Za-z0-9._:~-]{1,78}\Z", max_length=80)]
"""`authority:local`, split at the first colon."""
Word = Annotated[str, Meta(pattern=r"^[a-z0-9-]{1,40}\Z")]
Source = Annotated[str, Meta(pattern=r"^[A-Za-z0-9._~-]{1,40}/[A-Za-z0-9._~-]{1,40}\Z")]
Date = Annotated[str, Meta(pattern=r"^[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}\Z")]
Month = Annotated[str, Meta(pattern=r"^[1-9][0-9]{3}-(0[1-9]|1[0-2])\Z")]
Revision = Annotated[int, Meta(ge=1, le=2**31 - 1)]
Saw = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Order = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]
SystemName = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9-]{0,39}/[1-9][0-9]{0,2}\Z")]
"""A rating system in a version: `club/1`."""
Decimal = Annotated[str, Meta(pattern=r"^-?(0|[1-9][0-9]{0,3})(\.[0-9]{1,9})?\Z")]
"""A decimal string below 10,000 in size."""
HexDigest = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
Quantum = Literal["1", "0.1", "0.01", "0.001"]

Result = Literal[
    "1-0", "1/2-1/2", "0-1", "0-0", "1/2-0", "0-1/2", "+/-", "-/+", "-/-", "bye-full", "bye-half", "bye-zero", "bye-pairing", "*"
]
RatedSides = Literal["both", "none", "white", "black"]
UnratedReason = Literal["casual", "unequal-time", "not-both-moved", "decided-match", "fair-play", "other"]
ReasonCode = Literal[
    "wrong-result", "wrong-player", "wrong-date", "game-added", "game-removed", "label", "never-played", "duplicate", "ruling"
]
AdjustmentReason = Literal["base-correction", "one-time-raise", "fair-play", "administrative"]
AdjustmentKind = Literal["set", "add", "formula"]

MAX_FACT_BYTES = 1024 * 1024
MAX_DEPTH = 16
MAX_GAMES = 5_000
MAX_MERGE_EVENTS = 5_000
MAX_LISTS = 16
MAX_ADJUSTED = 5_000
MAX_STATE_FIELDS = 32


class _Data(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of all that a publisher writes: frozen, strict, absent when unset."""


class Game(_Data, frozen=True, kw_only=True):
    """One pairing of an event as its publisher knows it."""

    id: Id
    """Stays when a player or the result changes."""
    round: Annotated[int, Meta(ge=1, le=1_000)] | None = None
    board: Annotated[int, Meta(ge=1, le=65_535)] | None = None
    date: Date | None = None
    white: Minted | None = None
    """Raw id, as published; absent in a bye."""
    black: Minted | None = None
    result: Result
    rated: RatedSides | None = None
    """For which sides it is to be rated; absent means both. Must be said where a penalty was given."""
    unrated_reason: UnratedReason | None = None
    points: Annotated[int, Meta(ge=0, le=2)] | None = None
    """Half points of a pairing bye."""


class Event(_Data, frozen=True, kw_only=True):
    """A competition: what is said of it beside its games."""

    id: Minted
    date: Date
    """Its last day."""
    start_date: Date | None = None
    order: Order | None = None
    """Place among the events of one date; absent is 0."""
    category: Word
    variant: Word | None = None
    """Absent is standard."""
    status: Literal["running", "final"]
    lists: Annotated[tuple[Word, ...], Meta(max_length=MAX_LISTS)] | None = None
    """The lists it counts for; absent: decided by its category."""
    part_of: Id | None = None
    reported: Date | None = None
    rate_in: Month | None = None


class ResultPublished(_Data, frozen=True, kw_only=True):
    """A whole event as its publisher knows it at this revision."""

    pool: Minted
    event: Event
    revision: Revision
    saw: Saw | None = None
    games: Annotated[tuple[Game, ...], Meta(max_length=MAX_GAMES)]


class Ruling(_Data, frozen=True, kw_only=True):
    """Names a ruling of the pool's office and its revision."""

    id: Id
    revision: Revision


class EventPatch(_Data, frozen=True, kw_only=True):
    """Fields of an event to set. UNSET is "not named"; None removes an optional one."""

    date: Date | msgspec.UnsetType = msgspec.UNSET
    start_date: Date | msgspec.UnsetType | None = msgspec.UNSET
    order: Order | msgspec.UnsetType | None = msgspec.UNSET
    category: Word | msgspec.UnsetType = msgspec.UNSET
    variant: Word | msgspec.UnsetType | None = msgspec.UNSET
    status: Literal["running", "final"] | msgspec.UnsetType = msgspec.UNSET
    lists: Annotated[tuple[Word, ...], Meta(max_length=MAX_LISTS)] | msgspec.UnsetType | None = msgspec.UNSET
    part_of: Id | msgspec.UnsetType | None = msgspec.UNSET
    reported: Date | msgspec.UnsetType | None = msgspec.UNSET
    rate_in: Month | msgspec.UnsetType | None = msgspec.UNSET


class GamePatch(_Data, frozen=True, kw_only=True):
    """Fields of a game that a ruling sets. UNSET is "not named"; None removes an optional one."""

    round: Annotated[int, Meta(ge=1, le=1_000)] | msgspec.UnsetType | None = msgspec.UNSET
    board: Annotated[int, Meta(ge=1, le=65_535)] | msgspec.UnsetType | None = msgspec.UNSET
    date: Date | msgspec.UnsetType | None = msgspec.UNSET
    white: Minted | msgspec.UnsetType | None = msgspec.UNSET
    black: Minted | msgspec.UnsetType | None = msgspec.UNSET
    result: Result | msgspec.UnsetType = msgspec.UNSET
    rated: RatedSides | msgspec.UnsetType | None = msgspec.UNSET
    unrated_reason: UnratedReason | msgspec.UnsetType | None = msgspec.UNSET
    points: Annotated[int, Meta(ge=0, le=2)] | msgspec.UnsetType | None = msgspec.UNSET


class RuledGame(_Data, frozen=True, kw_only=True):
    """A change of one published game, named by id and sides."""

    id: Id
    white: Minted | None = None
    black: Minted | None = None
    fields: GamePatch


class RuledRemoval(_Data, frozen=True, kw_only=True):
    """A published game to take out, named by id and sides."""

    id: Id
    white: Minted | None = None
    black: Minted | None = None


class EventCorrected(_Data, frozen=True, kw_only=True):
    """A publisher's patch of an event: `removed`, then `games` put whole by id, then `set`."""

    pool: Minted
    event_id: Minted
    revision: Revision
    saw: Saw | None = None
    reason: ReasonCode
    set: EventPatch | None = None
    games: Annotated[tuple[Game, ...], Meta(max_length=MAX_GAMES)] = ()
    removed: Annotated[tuple[Id, ...], Meta(max_length=MAX_GAMES)] = ()


class EventRuled(_Data, frozen=True, kw_only=True):
    """An office's patch of an event, which outlives later uploads; one that names nothing withdraws the ruling."""

    pool: Minted
    event_id: Minted
    ruling: Ruling
    reason: ReasonCode
    set: EventPatch | None = None
    games: Annotated[tuple[RuledGame, ...], Meta(max_length=MAX_GAMES)] = ()
    removed: Annotated[tuple[RuledRemoval, ...], Meta(max_length=MAX_GAMES)] = ()
    added: Annotated[tuple[Game, ...], Meta(max_length=MAX_GAMES)] = ()


class EventDeleted(_Data, frozen=True, kw_only=True):
    """A publisher's void (never happened) or archive (hidden, still rated)."""

    pool: Minted
    event_id: Minted
    revision: Revision
    mode: Literal["void", "archive"]
    reason: ReasonCode


class DeletionRuled(_Data, frozen=True, kw_only=True):
    """An office's void or archive; without a mode it withdraws the ruling."""

    pool: Minted
    event_id: Minted
    ruling: Ruling
    mode: Literal["void", "archive"] | None = None
    reason: ReasonCode


class IdentityMerged(_Data, frozen=True, kw_only=True):
    """`alias` is `player`: everywhere, or in the named events only."""

    pool: Minted
    merge_id: Minted
    alias: Minted
    player: Minted
    events: Annotated[tuple[Minted, ...], Meta(min_length=1, max_length=MAX_MERGE_EVENTS)] | None = None


class IdentityUnmerged(_Data, frozen=True, kw_only=True):
    """The merge was not right: it counts for nothing, before or after."""

    pool: Minted
    merge_id: Minted


ParameterName = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]{0,39}\Z")]
StateValue = (
    Annotated[str, Meta(pattern=r"^(-?(0|[1-9][0-9]{0,3})(\.[0-9]{1,9})?|[a-z][a-z0-9_-]{0,39})\Z")]
    | Annotated[int, Meta(ge=-(2**53 - 1), le=2**53 - 1)]
    | bool
)
"""A decimal string below 10,000 in size, a word, a whole number or a yes/no; a system reads what it knows."""


class Rule(_Data, frozen=True, kw_only=True):
    """A system in a version with its parameters, from a date on."""

    from_: Date | None = msgspec.field(default=None, name="from")
    system: SystemName
    parameters: Annotated[dict[ParameterName, StateValue], Meta(max_length=MAX_STATE_FIELDS)]


PeriodKind = Literal["game", "round", "event", "date", "month"]


class RatingList(_Data, frozen=True, kw_only=True):
    """One rating list of a pool."""

    id: Word
    quantum: Quantum
    shown: Quantum
    period: PeriodKind
    dated_by: Literal["end", "start", "game"] | None = None
    """Which date puts an event into its period; absent is `end`."""
    closing_day: Annotated[int, Meta(ge=1, le=31)] | None = None
    categories: Annotated[tuple[Word, ...], Meta(max_length=100)] | None = None
    variants: Annotated[tuple[Word, ...], Meta(max_length=100)] | None = None
    from_: Date | None = msgspec.field(default=None, name="from")
    """Its first day."""
    until: Date | None = None
    """The day after its last."""
    shadow: bool | None = None
    """Rated and published under its own id, and never official."""
    rules: Annotated[tuple[Rule, ...], Meta(min_length=1, max_length=100)]


class PoolConfigured(_Data, frozen=True, kw_only=True):
    """The lists of a pool; the whole of its configuration."""

    pool: Minted
    revision: Revision
    semantics: Annotated[int, Meta(ge=1, le=2**31 - 1)] | None = None
    """Version of the fold; absent is 1."""
    lists: Annotated[tuple[RatingList, ...], Meta(max_length=MAX_LISTS)]


class PlayerRegistered(_Data, frozen=True, kw_only=True):
    """What a rule needs to know of a player."""

    pool: Minted
    player: Minted
    revision: Revision
    traits: Annotated[dict[ParameterName, StateValue], Meta(max_length=MAX_STATE_FIELDS)]


class SeedOrigin(_Data, frozen=True, kw_only=True):
    """Where a seed comes from: a code, with a digest or a place in another pool."""

    code: Word
    digest: HexDigest | None = None
    pool: Minted | None = None
    list: Word | None = None
    update: Annotated[int, Meta(ge=1, le=2**53 - 1)] | None = None


class RatingSeeded(_Data, frozen=True, kw_only=True):
    """A rating from elsewhere, the starting point of a player on one list."""

    pool: Minted
    list: Word
    player: Minted
    revision: Revision
    as_of: Date
    state: Annotated[dict[ParameterName, StateValue], Meta(min_length=1, max_length=MAX_STATE_FIELDS)]
    origin: SeedOrigin


class RatingAdjusted(_Data, frozen=True, kw_only=True):
    """A change of ratings on one list that people ordered; one that says neither `set` nor `add` nor `formula` withdraws it."""

    pool: Minted
    adjustment: Id
    revision: Revision
    list: Word
    before: Date
    """It is applied before the first period at or after this date; on a list by month, before the period of its month."""
    players: Annotated[tuple[Minted, ...], Meta(min_length=1, max_length=MAX_ADJUSTED)] | None = None
    """Raw ids; absent: everybody who is rated on the list by then."""
    set: Decimal | None = None
    """The rating; players are named."""
    add: Decimal | None = None
    """Points."""
    formula: Word | None = None
    """A formula that the list's system knows by this name."""
    reason: AdjustmentReason

    @property
    def change(self) -> tuple[AdjustmentKind, str] | None:
        """What is done to the ratings and with which value; None if it withdraws the adjustment."""
        if self.set is not None:
            return "set", self.set
        if self.add is not None:
            return "add", self.add
        return None if self.formula is None else ("formula", self.formula)


class FactWithdrawn(_Data, frozen=True, kw_only=True):
    """Every content under (source, id) is out of the set, for good."""

    pool: Minted
    source: Source
    id: Id


class Unknown(_Data, frozen=True, kw_only=True):
    """A `rerate.*` type or version this engine does not know: kept, held, judged by the next engine."""

    pool: Minted


Data = (
    ResultPublished
    | EventCorrected
    | EventRuled
    | EventDeleted
    | DeletionRuled
    | IdentityMerged
    | IdentityUnmerged
    | PoolConfigured
    | PlayerRegistered
    | RatingSeeded
    | RatingAdjusted
    | FactWithdrawn
    | Unknown
)


class FactName(NamedTuple):
    """The name under which a publisher sent it. Two contents under one name are two facts."""

    source: str
    id: str


class Identity(NamedTuple):
    """What makes a fact itself: its name and the digest of what it says."""

    source: str
    id: str
    digest: bytes
    """SHA-256 of RFC 8785 of [type, actor or null, data]: 32 bytes."""

    @property
    def name(self) -> FactName:
        return FactName(self.source, self.id)


class Position(NamedTuple):
    """Where a message stands in the log."""

    topic: str
    """Without the prefix."""
    offset: int


class Fact(Struct, frozen=True, kw_only=True):
    """An accepted fact: what it says, who says so, and which bytes it is known by."""

    identity: Identity
    type: str
    """`rerate.result-published.v1`"""
    actor: str | None
    """Minted id of the person who decided."""
    submission: str | None = None
    """`id:part:of`; tracked, not atomic."""
    data: Data


FACT_TOPICS = ("result-published", "result-corrected", "event-deleted", "identity-merged", "identity-unmerged", "pool-facts")
"""Without the prefix, in the order in which vectors of positions name them."""

PERSONS, EVENTS, STANDINGS = "person-ids", "rated-events", "fact-standings"
DELTAS, SNAPSHOTS = "rating-deltas", "rating-snapshots"

ROW_TOPICS = (PERSONS, EVENTS, STANDINGS, DELTAS, SNAPSHOTS)
"""Each closes every update with the head."""

LIST_TOPICS = (DELTAS, SNAPSHOTS)
"""Rows of lists: their keys begin with `pool/list@edition/`, those of the other row topics with `pool@edition/`."""

OUTCOME_TOPICS = (*ROW_TOPICS, "fact-receipts", "rating-updates", "rating-heads", "rater-progress")

COMMAND_TOPIC = "rater-commands"
"""What operators ask of raters; neither fact nor outcome."""

NEWEST_ONLY_TOPICS = ("rating-heads", "rater-progress")
"""Compacted, and nothing is asked of them but the newest record of a key."""

COMPACTED_TOPICS = (*ROW_TOPICS, *NEWEST_ONLY_TOPICS)
"""The newest record of each key is kept; the other outcome topics are kept for ever."""
