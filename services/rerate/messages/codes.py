"""Every closed code that stands in a message, with its English sentence.

A code is lower case with hyphens and never changes its meaning; a new meaning is a new code. `SENTENCES` holds all of them by family and is
what `schemas/codes.json` says. Codes that a publisher writes come first, then what rerate answers.
"""

from collections.abc import Mapping
from typing import Final, Literal

Reason = Literal[
    "too-large",
    "not-json",
    "too-deep",
    "not-cloudevents",
    "foreign-type",
    "wrong-topic",
    "schema",
    "wrong-authority",
    "wrong-key",
    "wrong-partition",
]
"""Why a message is rejected: the first that fits, in this order."""

TOO_LARGE: Final = "too-large"
NOT_JSON: Final = "not-json"
TOO_DEEP: Final = "too-deep"
NOT_CLOUDEVENTS: Final = "not-cloudevents"
FOREIGN_TYPE: Final = "foreign-type"
WRONG_TOPIC: Final = "wrong-topic"
SCHEMA: Final = "schema"
WRONG_AUTHORITY: Final = "wrong-authority"
WRONG_KEY: Final = "wrong-key"
WRONG_PARTITION: Final = "wrong-partition"

ReceiptStatus = Literal["accepted", "duplicate", "rejected"]

ACCEPTED: Final = "accepted"
DUPLICATE: Final = "duplicate"
REJECTED: Final = "rejected"

Standing = Literal["in-force", "superseded", "held", "no-effect", "undone", "withdrawn"]
"""What an accepted fact counts for; a function of the set of facts."""

IN_FORCE: Final = "in-force"
SUPERSEDED: Final = "superseded"
HELD: Final = "held"
NO_EFFECT: Final = "no-effect"
UNDONE: Final = "undone"
WITHDRAWN: Final = "withdrawn"

StandingReason = Literal[
    "publication",
    "merge",
    "fact",
    "type",
    "semantics",
    "void",
    "self",
    "content",
    "schema",
    "list",
    "state",
    "registration",
    "counters-only",
    "ruling",
    "not-fitting",
]
"""Why it stands so. `schema` is `SCHEMA` and `semantics` is `SEMANTICS` of the halt reasons: one word, one constant."""

FOR_PUBLICATION: Final = "publication"
FOR_MERGE: Final = "merge"
FOR_FACT: Final = "fact"
FOR_TYPE: Final = "type"
SEMANTICS: Final = "semantics"
VOID: Final = "void"
SELF: Final = "self"
CONTENT: Final = "content"
LIST: Final = "list"
STATE: Final = "state"
REGISTRATION: Final = "registration"
COUNTERS_ONLY: Final = "counters-only"
RULING: Final = "ruling"
NOT_FITTING: Final = "not-fitting"

MisfitReason = Literal["unknown-game", "other-sides", "removed-by-ruling", "content"]
"""Why one game of a ruling, or its `set`, does not fit. `content` is `CONTENT`."""

UNKNOWN_GAME: Final = "unknown-game"
OTHER_SIDES: Final = "other-sides"
REMOVED_BY_RULING: Final = "removed-by-ruling"

Flag = Literal["conflict", "unseen-change", "contested"]

CONFLICT: Final = "conflict"
UNSEEN_CHANGE: Final = "unseen-change"
CONTESTED: Final = "contested"

UnratedWhy = Literal["not-played", "unknown-side", "declared-unrated", "running", "same-person", "round-clash"]
"""Why a game is not rated: the first that fits, in this order, for the last on one or both sides."""

NOT_PLAYED: Final = "not-played"
UNKNOWN_SIDE: Final = "unknown-side"
DECLARED_UNRATED: Final = "declared-unrated"
RUNNING: Final = "running"
SAME_PERSON: Final = "same-person"
ROUND_CLASH: Final = "round-clash"

EventState = Literal["live", "hidden", "void"]

LIVE: Final = "live"
"""Also the state of a head."""
HIDDEN: Final = "hidden"

Cause = Literal["direct", "carried"]

DIRECT: Final = "direct"
CARRIED: Final = "carried"

HeadState = Literal["live", "halted"]

HALTED: Final = "halted"

HaltReason = Literal["semantics", "fold", "too-many-rows", "row-too-large", "digest", "no-result"]

FOLD: Final = "fold"
TOO_MANY_ROWS: Final = "too-many-rows"
ROW_TOO_LARGE: Final = "row-too-large"
NO_RESULT: Final = "no-result"
DIGEST: Final = "digest"

ListHeld = Literal["system", "parameters", "layout", "fallback"]
"""Why a list of a configuration in force is held."""

SYSTEM: Final = "system"
PARAMETERS: Final = "parameters"
LAYOUT: Final = "layout"
FALLBACK: Final = "fallback"

SENTENCES: Final[Mapping[str, Mapping[str, str]]] = {
    "result": {
        "1-0": "White won.",
        "1/2-1/2": "Drawn.",
        "0-1": "Black won.",
        "0-0": "Played, with a penalty: no points for either side.",
        "1/2-0": "Played, with a penalty: half a point for white, nothing for black.",
        "0-1/2": "Played, with a penalty: half a point for black, nothing for white.",
        "+/-": "Not played: white wins by forfeit.",
        "-/+": "Not played: black wins by forfeit.",
        "-/-": "Not played: both sides forfeit.",
        "bye-full": "Not played: a bye for a full point.",
        "bye-half": "Not played: a bye for half a point.",
        "bye-zero": "Not played: a bye for no point.",
        "bye-pairing": "Not played: a bye because there was no opponent; its points are said.",
        "*": "Unfinished.",
    },
    "rated-sides": {
        "both": "The game is to be rated for both sides.",
        "none": "The game is to be rated for neither side.",
        "white": "The game is to be rated for white only.",
        "black": "The game is to be rated for black only.",
    },
    "unrated-reason": {
        "casual": "The game was agreed to be casual.",
        "unequal-time": "The sides had unequal time.",
        "not-both-moved": "Not both sides made a move.",
        "decided-match": "The match was decided before this game.",
        "fair-play": "A side broke the rules of fair play.",
        "other": "The publisher does not rate it for a reason of their own.",
    },
    "correction-reason": {
        "wrong-result": "A result was wrong.",
        "wrong-player": "A player was wrong.",
        "wrong-date": "A date was wrong.",
        "game-added": "A game was missing.",
        "game-removed": "A game was there that should not be.",
        "label": "Category, variant or another label was wrong.",
        "never-played": "It was never played.",
        "duplicate": "It was published twice.",
        "ruling": "The office has ruled so.",
    },
    "adjustment-reason": {
        "base-correction": "The rating that a player had was wrong.",
        "one-time-raise": "The rules raise ratings once.",
        "fair-play": "A side broke the rules of fair play.",
        "administrative": "The office has a reason of its own.",
    },
    "event-status": {
        "running": "The event is not over; only lists dated by game rate those of its games that have a date.",
        "final": "The event is over.",
    },
    "deletion-mode": {
        "void": "The event never happened; nothing of it is rated.",
        "archive": "The event is hidden and stays rated.",
    },
    "receipt-status": {
        ACCEPTED: "The message is a fact and was taken in.",
        DUPLICATE: "This fact was taken in before; nothing changes.",
        REJECTED: "The message is not a fact; nothing changes.",
    },
    "receipt-reason": {
        TOO_LARGE: "The message is larger than 1 MiB; split it into several facts.",
        NOT_JSON: "The message is not JSON: UTF-8 without a byte order mark, no key twice, no lone surrogate, nothing behind it.",
        TOO_DEEP: "The message is nested deeper than 16 levels.",
        NOT_CLOUDEVENTS: "The message is not a CloudEvent 1.0 with the attributes that a fact needs.",
        FOREIGN_TYPE: "The type of the message is not one of rerate's: rerate.NAME.vN.",
        WRONG_TOPIC: "Facts of this type belong on another topic.",
        SCHEMA: "The data is not what the schema of its type allows; the pointer says where.",
        WRONG_AUTHORITY: "Only the authority of the event's id sends revisions of it; an office changes it by a ruling.",
        WRONG_KEY: "The key of the message must be the pool that its data names.",
        WRONG_PARTITION: "The message is on another partition than murmur2 of its key gives; set the producer's partitioner.",
    },
    "standing": {
        IN_FORCE: "It counts.",
        SUPERSEDED: "A newer fact has replaced it.",
        HELD: "It waits for something that is not there yet.",
        NO_EFFECT: "It is taken in and changes nothing.",
        UNDONE: "The merge was undone by an unmerge.",
        WITHDRAWN: "It was withdrawn for good.",
    },
    "standing-reason": {
        FOR_PUBLICATION: "It waits for the publication of its event.",
        FOR_MERGE: "It waits for the merge that it undoes.",
        FOR_FACT: "It waits for a fact that can be withdrawn under the name it gives; a withdrawal cannot.",
        FOR_TYPE: "This engine does not know its type or version; the next one will judge it.",
        SEMANTICS: "The semantics that the pool's configuration names do not have its type yet.",
        VOID: "The event is void.",
        SELF: "Alias and player are the same id.",
        CONTENT: "It would leave what a publication may not be.",
        SCHEMA: "The schema of its type, which became known later, refuses it.",
        LIST: "The pool has no such list, or it is held for its system, parameters or layout.",
        STATE: "The list's system cannot use this state or this change of ratings.",
        REGISTRATION: "The registration of another id of the same person counts.",
        COUNTERS_ONLY: "The seed of another id of the same person gives the rating; only the counters and latches of this one count.",
        RULING: "A void ruled by the office goes before it.",
        NOT_FITTING: "What it names does not fit what the publisher has; the list says where.",
    },
    "misfit-reason": {
        UNKNOWN_GAME: "The publisher has no game with this id.",
        OTHER_SIDES: "The publisher's game with this id has other sides.",
        REMOVED_BY_RULING: "Another ruling has removed this game.",
        CONTENT: "It would leave what a publication may not be.",
    },
    "flag": {
        CONFLICT: "Two contents stand under one name or one revision.",
        UNSEEN_CHANGE: "It was made without having seen the revision before it.",
        CONTESTED: "Two facts contradict each other here; a person has to decide.",
    },
    "unrated-why": {
        NOT_PLAYED: "The game was not played.",
        UNKNOWN_SIDE: "A side has no id.",
        DECLARED_UNRATED: "The publisher or a ruling says that it is not rated.",
        RUNNING: "The event is still running; lists dated by game rate it if it has a date.",
        SAME_PERSON: "Both sides are one person.",
        ROUND_CLASH: "Two ids of one person played in the same round.",
    },
    "event-state": {
        LIVE: "The event is shown and rated.",
        HIDDEN: "The event is archived: hidden and still rated.",
        VOID: "The event is void: it never happened.",
    },
    "cause": {
        DIRECT: "Facts of this period changed.",
        CARRIED: "Only the ratings before this period changed.",
    },
    "head-state": {
        LIVE: "The pool is up to its positions.",
        HALTED: "The pool stands still until a person acts; its facts are kept and receipted.",
    },
    "halt-reason": {
        SEMANTICS: "The configuration names semantics that this engine does not know; run a newer engine or withdraw the configuration.",
        FOLD: "Folding or replaying the facts failed; see the rater's log, then rebuild the pool.",
        TOO_MANY_ROWS: "The update has more rows than one transaction may carry; raise --max-rows, then rebuild the pool.",
        ROW_TOO_LARGE: "One row is larger than the log carries: withdraw facts that pile up under one id or event, then rebuild the pool.",
        DIGEST: "The facts do not give the digest of the newest head; verify the pool, then rebuild it.",
        NO_RESULT: "A rating system comes to no number for some games: correct them or its parameters, then rebuild the pool.",
    },
    "list-held": {
        SYSTEM: "This engine does not know a system of the list.",
        PARAMETERS: "The list's system refuses its parameters, its quantum or its kind of period (`rerate systems` tells what it takes).",
        LAYOUT: "The rules of the list do not share one layout of state.",
        FALLBACK: "The list it falls back on is not in the configuration, is held, or falls back on another itself.",
    },
}
"""Family → code → sentence."""
