"""What is registered of a person: the registration of the naming id, else of the smallest of his ids that has one."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import cast

from rerate.history.identities import Persons
from rerate.history.values import ContentStanding
from rerate.history.whole_state import WholeState, is_same
from rerate.messages.codes import NO_EFFECT, REGISTRATION
from rerate.messages.facts import Fact, PlayerRegistered


class Registrations:
    """The registrations of a pool's players."""

    def __init__(self) -> None:
        self._players: WholeState[str] = WholeState()
        self._in_force: dict[str, PlayerRegistered] = {}
        """Person -> what counts for him."""

    def enter(self, fact: Fact, data: PlayerRegistered) -> None:
        self._players.enter(data.player, fact)

    def leave(self, fact: Fact, data: PlayerRegistered) -> None:
        self._players.leave(data.player, fact)

    def of(self, person: str) -> PlayerRegistered | None:
        """What counts for a person (not for an id that is somebody else)."""
        return self._in_force.get(person)

    def settle(self, persons: Persons, changed: Iterable[str]) -> Iterator[tuple[str | None, list[ContentStanding]]]:
        """Bring what counts up to date.

        Args:
            changed: persons who consist of other ids than before.

        Yields:
            A person if something else is registered of him than before, else None; and standings that may have changed.
        """
        for person in {persons.of(player) for player in self._players.touched()}.union(changed):
            counting = self._counting(person, persons)
            standings = []
            for player in persons.ids_of(person):
                for content in self._players.standings(player):
                    if player != counting and content.identity == self._players.newest[player].identity:
                        content = replace(content, standing=NO_EFFECT, reason=REGISTRATION)
                    standings.append(content)
            old = self._in_force.pop(person, None)
            new = None if counting is None else cast(PlayerRegistered, self._players.newest[counting].data)
            if new is not None:
                self._in_force[person] = new
            yield None if is_same(old and old.traits, new and new.traits) else person, standings

    def _counting(self, person: str, persons: Persons) -> str | None:
        """The id whose registration counts."""
        registered = [player for player in persons.ids_of(person) if player in self._players.newest]
        return person if person in registered else min(registered, default=None)
