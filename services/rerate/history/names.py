"""The names under which facts were sent: which contents stand under each, and which names are withdrawn.

A withdrawal removes every content under the name it gives, for good, before or after it arrives; withdrawals themselves stay. Two contents
under one name that are not withdrawn are in conflict.
"""

from collections.abc import Iterable
from dataclasses import replace

from rerate.history.values import ContentStanding, StandingRow, in_force_or_held
from rerate.messages.codes import CONFLICT, FOR_FACT, WITHDRAWN
from rerate.messages.facts import Fact, FactName, FactWithdrawn, Identity


class Names:
    """Every fact by its name, withdrawals carried out."""

    def __init__(self) -> None:
        self.facts: dict[Identity, Fact] = {}
        self._under: dict[FactName, tuple[Identity, ...]] = {}
        """Sorted."""
        self._withdrawals: dict[FactName, frozenset[Identity]] = {}
        """Withdrawn name -> who withdraws it."""

    def add(self, fact: Fact) -> tuple[list[Fact], list[Fact], list[ContentStanding]]:
        """Take in a fact that is not known yet.

        Returns:
            the facts that enter the set to be folded, those that leave it, and standings given by withdrawals.
        """
        identity = fact.identity
        name = identity.name
        self.facts[identity] = fact
        there = self._under.get(name)
        self._under[name] = (identity,) if there is None else tuple(sorted((*there, identity)))
        if isinstance(fact.data, FactWithdrawn):
            return self._withdraw(fact, FactName(fact.data.source, fact.data.id))
        by = self._withdrawals.get(name)
        if by is None:
            return [fact], [], []
        return [], [], [_withdrawn(fact), *(in_force_or_held(self.facts[one], None) for one in by)]

    def row(self, name: FactName, standings: dict[Identity, ContentStanding]) -> StandingRow:
        """The standings of the contents under a name, with the conflicts between them."""
        under = self._under[name]
        if len(under) == 1:
            return StandingRow(contents=(standings[under[0]],))
        contents = [standings[identity] for identity in under]
        if sum(content.standing != WITHDRAWN for content in contents) > 1:
            contents = [content if content.standing == WITHDRAWN else _conflicting(content) for content in contents]
        return StandingRow(contents=tuple(contents))

    def _withdraw(self, fact: Fact, name: FactName) -> tuple[list[Fact], list[Fact], list[ContentStanding]]:
        targets = [other for other in self._facts_under(name) if not isinstance(other.data, FactWithdrawn)]
        leaving = [] if name in self._withdrawals else targets
        self._withdrawals[name] = self._withdrawals.get(name, frozenset()) | {fact.identity}
        return [], leaving, [in_force_or_held(fact, None if targets else FOR_FACT), *(_withdrawn(other) for other in leaving)]

    def _facts_under(self, name: FactName) -> Iterable[Fact]:
        return (self.facts[identity] for identity in self._under.get(name, ()))


def _withdrawn(fact: Fact) -> ContentStanding:
    return ContentStanding(identity=fact.identity, type=fact.type, standing=WITHDRAWN)


def _conflicting(content: ContentStanding) -> ContentStanding:
    return replace(content, flags=tuple(sorted({*content.flags, CONFLICT})))
