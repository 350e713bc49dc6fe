"""What the pool's office rules on an event, on top of what its publisher says.

A ruling is (event, ruling id), over corrections and deletions; its newest revision counts, one that names nothing withdraws it. A void
wins. Else archives hide and corrections are applied in order of ruling id; inside one: removed, added, games, set. Whether a game named
by id and sides exists is judged on the publisher's content; whether the outcome may be, and whether another ruling has removed the game,
on what is there by then. Rulings never revive an event and never touch the standing of a publisher's fact.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from rerate.history.order import RULED, event_order, in_conflict
from rerate.history.patches import named_fields, patched
from rerate.history.publisher import Content, Published
from rerate.history.values import ContentStanding, Misfit, flags_of
from rerate.messages.codes import (
    CONFLICT,
    CONTENT,
    CONTESTED,
    FOR_PUBLICATION,
    HELD,
    IN_FORCE,
    NO_EFFECT,
    NOT_FITTING,
    OTHER_SIDES,
    REMOVED_BY_RULING,
    RULING,
    SUPERSEDED,
    UNKNOWN_GAME,
    VOID,
    MisfitReason,
    Standing,
    StandingReason,
)
from rerate.messages.facts import DeletionRuled, EventRuled, Fact, Game, Identity, RuledGame, RuledRemoval
from rerate.messages.validity import event_problem, game_problem


@dataclass(frozen=True, slots=True)
class Ruled:
    """An event with its rulings on top."""

    state: Literal["absent", "live", "hidden", "void"]
    content: Content | None
    facts: tuple[Identity, ...]
    """In force and naming something, by ruling id."""
    standings: dict[Identity, ContentStanding]


@dataclass(slots=True)
class _Verdict:
    standing: Standing = IN_FORCE
    reason: StandingReason | None = None
    by: Identity | None = None
    misfits: tuple[Misfit, ...] = ()


def fold_rulings(published: Published, facts: Iterable[Fact]) -> Ruled:
    """Put an event's rulings, in any order, on its publisher's word."""
    rulings: dict[str, list[Fact]] = {}
    for fact in facts:
        rulings.setdefault(_ruling(fact).ruling.id, []).append(fact)
    verdicts: dict[Identity, _Verdict] = {}
    conflict: set[Identity] = set()
    counting: list[Fact] = []
    for ruling_id in sorted(rulings):
        *older, newest = sorted(rulings[ruling_id], key=event_order)
        verdicts.update((fact.identity, _Verdict(SUPERSEDED, by=newest.identity)) for fact in older)
        conflict |= in_conflict(rulings[ruling_id])
        counting.append(newest)
    state, content = published.state, published.content
    contested: frozenset[Identity] = frozenset()
    if content is None:
        reason: StandingReason = VOID if state == "void" else FOR_PUBLICATION
        verdicts.update((fact.identity, _Verdict(NO_EFFECT if state == "void" else HELD, reason)) for fact in counting)
    elif any(_mode(fact) == "void" for fact in counting):
        state, content = "void", None
        verdicts.update((f.identity, _Verdict() if _mode(f) == "void" else _Verdict(NO_EFFECT, RULING)) for f in counting)
    else:
        contested = _contested(content, counting)
        if any(_mode(fact) == "archive" for fact in counting):
            state = "hidden"
        bench = _Bench(content)
        for fact in counting:
            verdicts[fact.identity] = bench.rule(fact.data) if isinstance(fact.data, EventRuled) else _Verdict()
        content = bench.content()
    return Ruled(
        state,
        content,
        tuple(fact.identity for fact in counting if verdicts[fact.identity].standing == IN_FORCE and not _names_nothing(fact)),
        {
            fact.identity: ContentStanding(
                identity=fact.identity,
                type=fact.type,
                standing=verdicts[fact.identity].standing,
                reason=verdicts[fact.identity].reason,
                superseded_by=verdicts[fact.identity].by,
                not_fitting=verdicts[fact.identity].misfits,
                flags=flags_of({CONFLICT: fact.identity in conflict, CONTESTED: fact.identity in contested}),
            )
            for same in rulings.values()
            for fact in same
        },
    )


class _Bench:
    """The content while rulings are applied to it, one after the other."""

    def __init__(self, published: Content) -> None:
        self._published = published.games
        self._event = published.event
        self._games = dict(published.games)

    def content(self) -> Content:
        return Content(self._event, self._games)

    def rule(self, ruling: EventRuled) -> _Verdict:
        """Apply one ruling; each game, and `set` as a whole, fits or not for itself."""
        named = list(self._apply(ruling))
        misfits = tuple((pointer, reason) for pointer, reason in named if reason is not None)
        if misfits and len(misfits) == len(named):
            return _Verdict(NO_EFFECT, NOT_FITTING, misfits=misfits)
        return _Verdict(misfits=misfits)

    def _apply(self, ruling: EventRuled) -> Iterator[tuple[str, MisfitReason | None]]:
        """What the ruling names, in the order of application: a pointer, and why it does not fit."""
        for i, removal in enumerate(ruling.removed):
            yield f"/removed/{i}", self._remove(removal)
        for i, game in enumerate(ruling.added):
            yield f"/added/{i}", self._put(game)
        for i, change in enumerate(ruling.games):
            yield f"/games/{i}", self._change(change)
        if ruling.set is not None and named_fields(ruling.set):
            event = patched(self._event, ruling.set)
            if event_problem(event, len(self._games)) is not None:
                yield "/set", CONTENT
            else:
                self._event = event
                yield "/set", None

    def _remove(self, removal: RuledRemoval) -> MisfitReason | None:
        reason = _named(self._published, removal)
        if reason is not None:
            return reason
        return None if self._games.pop(removal.id, None) is not None else REMOVED_BY_RULING

    def _put(self, game: Game) -> MisfitReason | None:
        if not _may_be_added(self._published, game):
            return OTHER_SIDES
        if event_problem(self._event, len(self._games) + (game.id not in self._games)) is not None:
            return CONTENT
        self._games[game.id] = game
        return None

    def _change(self, change: RuledGame) -> MisfitReason | None:
        reason = _named(self._published, change)
        if reason is not None:
            return reason
        if change.id not in self._games:
            return REMOVED_BY_RULING
        game = patched(self._games[change.id], change.fields)
        if game_problem(game) is not None:
            return CONTENT
        self._games[change.id] = game
        return None


def _named(published: dict[str, Game], item: RuledGame | RuledRemoval) -> MisfitReason | None:
    """Why the publisher has no such game with these sides."""
    game = published.get(item.id)
    if game is None:
        return UNKNOWN_GAME
    return None if (game.white, game.black) == (item.white, item.black) else OTHER_SIDES


def _may_be_added(published: dict[str, Game], game: Game) -> bool:
    """Whether the publisher has no such id, or has it with these sides."""
    there = published.get(game.id)
    return there is None or (there.white, there.black) == (game.white, game.black)


def _contested(content: Content, counting: list[Fact]) -> frozenset[Identity]:
    """Rulings that name one field, or of which one names a game whole that the other touches; only what exists with its sides is judged."""
    targets: dict[tuple[str, str], list[Identity]] = {}
    """(game id or nothing, field) -> who names it."""
    touched: dict[str, list[Identity]] = {}
    whole: set[str] = set()
    for fact in counting:
        if not isinstance(fact.data, EventRuled):
            continue
        ruling = fact.data
        for field in named_fields(ruling.set) if ruling.set is not None else ():
            targets.setdefault(("", field), []).append(fact.identity)
        for change in ruling.games:
            if _named(content.games, change) is None:
                touched.setdefault(change.id, []).append(fact.identity)
                for field in named_fields(change.fields):
                    targets.setdefault((change.id, field), []).append(fact.identity)
        taken = [removal.id for removal in ruling.removed if _named(content.games, removal) is None]
        put = [game.id for game in ruling.added if _may_be_added(content.games, game)]
        for game_id in (*taken, *put):
            touched.setdefault(game_id, []).append(fact.identity)
            whole.add(game_id)
    groups = [*targets.values(), *(touched[game_id] for game_id in whole)]
    return frozenset(identity for group in groups if len(group) > 1 for identity in group)


def _ruling(fact: Fact) -> EventRuled | DeletionRuled:
    if isinstance(fact.data, RULED):
        return fact.data
    raise TypeError(f"not a ruling: {fact.type}")


def _mode(fact: Fact) -> str | None:
    return fact.data.mode if isinstance(fact.data, DeletionRuled) else None


def _names_nothing(fact: Fact) -> bool:
    """Whether it only withdraws its ruling."""
    data = _ruling(fact)
    if isinstance(data, DeletionRuled):
        return data.mode is None
    return not (data.games or data.removed or data.added or (data.set is not None and named_fields(data.set)))
