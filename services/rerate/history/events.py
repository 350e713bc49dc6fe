"""The events of a pool: each folded from its own facts, then judged under the identities.

Folding and judging are two steps: other persons behind the same ids only judge again the games that the event already has.
"""

from collections.abc import Iterable, Iterator

from rerate.history.identities import Persons
from rerate.history.judging import judge
from rerate.history.order import RULED
from rerate.history.publisher import fold_published
from rerate.history.rulings import fold_rulings
from rerate.history.values import ContentStanding, JudgedGame, RatedEvent
from rerate.messages.codes import IN_FORCE, Flag
from rerate.messages.facts import Fact, Game, Identity

Change = tuple[RatedEvent | None, RatedEvent | None]


class Events:
    """The rated events of a pool and the ids that stand in their games."""

    def __init__(self) -> None:
        self.rated: dict[str, RatedEvent] = {}
        self._facts: dict[str, dict[Identity, Fact]] = {}
        self._with: dict[str, set[str]] = {}
        """Raw id -> events in which it has a game."""
        self._touched: set[str] = set()

    def enter(self, event_id: str, fact: Fact) -> None:
        self._facts.setdefault(event_id, {})[fact.identity] = fact
        self._touched.add(event_id)

    def leave(self, event_id: str, fact: Fact) -> None:
        del self._facts[event_id][fact.identity]
        if not self._facts[event_id]:
            del self._facts[event_id]
        self._touched.add(event_id)

    def of(self, person: str, persons: Persons) -> frozenset[str]:
        """Events in which a person has a game, rated or not."""
        somewhere = {event for raw in persons.ids_of(person) for event in self._with.get(raw, ())}
        elsewhere = {event for event, there in persons.scoped.items() if person in there.values()}
        return frozenset(event for event in somewhere | elsewhere if self._has(event, person))

    def _has(self, event: str, person: str) -> bool:
        rated = self.rated.get(event)
        return rated is not None and any(person in (game.white, game.black) for game in rated.games)

    def settle(
        self, persons: Persons, ids: Iterable[str], scopes: Iterable[tuple[str, str]]
    ) -> Iterator[tuple[str, Change | None, list[ContentStanding]]]:
        """Fold what was touched and judge what is under other identities.

        Args:
            ids: raw ids that are another person than before, everywhere.
            scopes: (event, raw id) likewise, in that event only.

        Yields:
            event, its change if there is one, and standings that may have changed.
        """
        touched, self._touched = self._touched, set()
        stale = {event for raw in ids for event in self._with.get(raw, ())}
        stale.update(event for event, raw in scopes if event in self._with.get(raw, ()))
        for event_id in touched:
            old = self.rated.get(event_id)
            new, standings = _fold(event_id, self._facts.get(event_id, {}), persons)
            if new is not None:
                self.rated[event_id] = new
            elif old is not None:
                del self.rated[event_id]
            self._index(event_id, _raw_ids(old), _raw_ids(new))
            yield event_id, None if new == old else (old, new), standings
        for event_id in stale - touched:
            rated = self.rated[event_id]
            again = _judge_again(rated, persons)
            self.rated[event_id] = again
            yield event_id, None if again == rated else (rated, again), []

    def _index(self, event_id: str, old: set[str], new: set[str]) -> None:
        for raw in old - new:
            self._with[raw].remove(event_id)
            if not self._with[raw]:
                del self._with[raw]
        for raw in new - old:
            self._with.setdefault(raw, set()).add(event_id)


def _fold(event_id: str, facts: dict[Identity, Fact], persons: Persons) -> tuple[RatedEvent | None, list[ContentStanding]]:
    """One event from its facts, and the standing of each."""
    rulings = [fact for fact in facts.values() if isinstance(fact.data, RULED)]
    published = fold_published([fact for fact in facts.values() if not isinstance(fact.data, RULED)] if rulings else facts.values())
    state, content, in_force, standings = published.state, published.content, published.facts, published.standings
    if rulings:
        ruled = fold_rulings(published, rulings)
        state, content = ruled.state, ruled.content
        in_force, standings = (*in_force, *ruled.facts), {**standings, **ruled.standings}
    if state == "absent":
        return None, list(standings.values())
    flags: set[Flag] = {flag for one in standings.values() if one.standing == IN_FORCE for flag in one.flags}
    rated = RatedEvent(
        id=event_id,
        state=state,
        event=None if content is None else content.event,
        games=()
        if content is None
        else _judged(event_id, [content.games[i] for i in sorted(content.games)], content.event.status, persons),
        flags=tuple(sorted(flags)),
        facts=in_force,
    )
    return rated, list(standings.values())


def _judge_again(rated: RatedEvent, persons: Persons) -> RatedEvent:
    if rated.event is None:
        return rated
    games = _judged(rated.id, [game.game for game in rated.games], rated.event.status, persons)
    return RatedEvent(id=rated.id, state=rated.state, event=rated.event, games=games, flags=rated.flags, facts=rated.facts)


def _judged(event_id: str, games: list[Game], status: str, persons: Persons) -> tuple[JudgedGame, ...]:
    return judge(games, status == "running", persons.resolver(event_id))


def _raw_ids(rated: RatedEvent | None) -> set[str]:
    if rated is None:
        return set()
    return {raw for game in rated.games for raw in (game.game.white, game.game.black) if raw is not None}
