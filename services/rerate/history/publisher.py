"""What an event's publisher says of it: publications, corrections and deletions folded from absent.

| | publication | correction | archive | void |
|---|---|---|---|---|
| absent | live, content replaced | held | held | held |
| live | live, content replaced | removed, then games put by id, then `set` | hidden, still rated | void, content dropped |
| hidden | live, content replaced | patched, stays hidden | hidden | void |
| void | live, content replaced | no effect | no effect | no effect |

A publication, and a void that is not held, supersedes all before it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from rerate.history.order import event_order, in_conflict, revision_of
from rerate.history.patches import patched
from rerate.history.values import ContentStanding, flags_of
from rerate.messages.codes import (
    CONFLICT,
    CONTENT,
    FOR_PUBLICATION,
    HELD,
    IN_FORCE,
    NO_EFFECT,
    SUPERSEDED,
    UNSEEN_CHANGE,
    VOID,
    Flag,
    Standing,
    StandingReason,
)
from rerate.messages.facts import Event, EventCorrected, EventDeleted, Fact, Game, Identity, ResultPublished
from rerate.messages.validity import event_problem


@dataclass(frozen=True, slots=True)
class Content:
    """An event with its games by id."""

    event: Event
    games: dict[str, Game]
    """Not to be changed: patches make a new one."""


@dataclass(frozen=True, slots=True)
class Published:
    """The publisher's word on one event."""

    state: Literal["absent", "live", "hidden", "void"]
    content: Content | None
    """None if absent or void."""
    facts: tuple[Identity, ...]
    """In force, in fold order."""
    standings: dict[Identity, ContentStanding]


@dataclass(slots=True)
class _Verdict:
    fact: Fact
    standing: Standing = IN_FORCE
    reason: StandingReason | None = None
    by: Identity | None = None


def fold_published(facts: Iterable[Fact]) -> Published:
    """Fold the publisher's facts of one event, in any order; none gives absent."""
    ordered = sorted(facts, key=event_order)
    state: Literal["absent", "live", "hidden", "void"] = "absent"
    content: Content | None = None
    verdicts: list[_Verdict] = []
    begin = 0
    for place, fact in enumerate(ordered):
        verdict = _Verdict(fact)
        replaces = False
        match fact.data:
            case ResultPublished(event=event, games=games):
                state, content, replaces = "live", Content(event, {game.id: game for game in games}), True
            case EventCorrected() | EventDeleted() if state == "absent":
                verdict.standing, verdict.reason = HELD, FOR_PUBLICATION
            case EventCorrected() | EventDeleted() if content is None:
                verdict.standing, verdict.reason = NO_EFFECT, VOID
            case EventCorrected() as patch:
                assert content is not None
                after = corrected(content, patch)
                if after is None:
                    verdict.standing, verdict.reason = NO_EFFECT, CONTENT
                else:
                    content = after
            case EventDeleted(mode="archive"):
                state = "hidden"
            case EventDeleted(mode="void"):
                state, content, replaces = "void", None, True
            case _:
                raise TypeError(f"not a publisher's fact of an event: {fact.type}")
        if replaces:
            for before in verdicts[begin:]:
                before.standing, before.reason, before.by = SUPERSEDED, None, fact.identity
            begin = place
        verdicts.append(verdict)
    flags = _flags(ordered)
    return Published(
        state,
        content,
        tuple(v.fact.identity for v in verdicts if v.standing == IN_FORCE),
        {
            v.fact.identity: ContentStanding(
                identity=v.fact.identity,
                type=v.fact.type,
                standing=v.standing,
                reason=v.reason,
                superseded_by=v.by,
                flags=flags.get(v.fact.identity, ()),
            )
            for v in verdicts
        },
    )


def corrected(content: Content, patch: EventCorrected) -> Content | None:
    """The content after a correction, or None if that is not what a publication may be."""
    games = dict(content.games)
    for game_id in patch.removed:
        games.pop(game_id, None)
    games.update((game.id, game) for game in patch.games)
    event = content.event if patch.set is None else patched(content.event, patch.set)
    return Content(event, games) if event_problem(event, len(games)) is None else None


def _flags(ordered: list[Fact]) -> dict[Identity, tuple[Flag, ...]]:
    """`conflict`: another content has the same revision. `unseen-change`: `saw` is not the revision of the last other content before it."""
    conflict = in_conflict(ordered)
    flags: dict[Identity, tuple[Flag, ...]] = {}
    for place, fact in enumerate(ordered):
        saw: int | None = getattr(fact.data, "saw", None)
        unseen = saw is not None and saw != _revision_before(ordered, place)
        if fact.identity in conflict or unseen:
            flags[fact.identity] = flags_of({CONFLICT: fact.identity in conflict, UNSEEN_CHANGE: unseen})
    return flags


def _revision_before(ordered: list[Fact], place: int) -> int:
    """Revision of the last fact of another content before this place; 0 if there is none."""
    digest = ordered[place].identity.digest
    for before in range(place - 1, -1, -1):
        if ordered[before].identity.digest != digest:
            return revision_of(ordered[before])
    return 0
