"""Facts that say the whole state of a subject: the last counts.

Subjects are a pool's configuration, a player's registration, a player's seed on a list, an adjustment of a list.
"""

from collections.abc import Hashable
from typing import Generic, TypeVar

from msgspec import to_builtins

from rerate.history.order import in_conflict, state_order
from rerate.history.values import ContentStanding, flags_of
from rerate.messages.canonical import canonical
from rerate.messages.codes import CONFLICT, IN_FORCE, SUPERSEDED
from rerate.messages.facts import Fact, Identity

Subject = TypeVar("Subject", bound=Hashable)


class WholeState(Generic[Subject]):
    """The facts of each subject; `newest` is the last by (revision, source, id, digest)."""

    def __init__(self) -> None:
        self._facts: dict[Subject, dict[Identity, Fact]] = {}
        self.newest: dict[Subject, Fact] = {}
        self._touched: set[Subject] = set()

    def touched(self) -> set[Subject]:
        """Subjects whose facts are others than when this was last asked."""
        touched, self._touched = self._touched, set()
        return touched

    def enter(self, subject: Subject, fact: Fact) -> None:
        self._facts.setdefault(subject, {})[fact.identity] = fact
        self._touched.add(subject)
        if subject not in self.newest or state_order(self.newest[subject]) < state_order(fact):
            self.newest[subject] = fact

    def leave(self, subject: Subject, fact: Fact) -> None:
        left = self._facts[subject]
        del left[fact.identity]
        self._touched.add(subject)
        if not left:
            del self._facts[subject], self.newest[subject]
        elif self.newest[subject] is fact:
            self.newest[subject] = max(left.values(), key=state_order)

    def standings(self, subject: Subject) -> list[ContentStanding]:
        """In force for the newest, superseded for the others; a caller may know more about the newest."""
        facts = list(self._facts.get(subject, {}).values())
        conflict = in_conflict(facts)
        newest = self.newest.get(subject)
        return [
            ContentStanding(
                identity=fact.identity,
                type=fact.type,
                standing=IN_FORCE if fact is newest else SUPERSEDED,
                superseded_by=None if fact is newest or newest is None else newest.identity,
                flags=flags_of({CONFLICT: fact.identity in conflict}),
            )
            for fact in facts
        ]


def is_same(one: object, other: object) -> bool:
    """Whether two values say the same in every byte: to Python, 1 and true are equal."""
    return one == other and canonical(to_builtins(one)) == canonical(to_builtins(other))
