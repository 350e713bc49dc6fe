"""The orders in which facts are folded, and the conflicts they show: functions of content alone, never of arrival."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Final

from rerate.messages.facts import DeletionRuled, EventCorrected, EventDeleted, EventRuled, Fact, Identity, ResultPublished

FoldOrder = tuple[int, int, Identity]
"""Revision, rank of the type, then source, id, digest."""


RULED: Final = (EventRuled, DeletionRuled)
"""What an office says of an event."""

_RANK: Final[Mapping[type, int]] = {ResultPublished: 0, EventCorrected: 1, EventRuled: 1, EventDeleted: 2, DeletionRuled: 2}


def event_order(fact: Fact) -> FoldOrder:
    """Order of a publisher's facts of one event, or of the facts of one ruling: publication < correction < deletion in a revision."""
    return (revision_of(fact), _RANK[type(fact.data)], fact.identity)


def state_order(fact: Fact) -> FoldOrder:
    """Order of the whole-state facts of one subject: the last counts."""
    return (revision_of(fact), 0, fact.identity)


def revision_of(fact: Fact) -> int:
    """The fact's own revision: its publisher's, its ruling's, or its subject's."""
    data = fact.data
    if isinstance(data, RULED):
        return data.ruling.revision
    revision: int = getattr(data, "revision", 0)
    return revision


def in_conflict(facts: Sequence[Fact], group: Callable[[Fact], Hashable] = revision_of) -> frozenset[Identity]:
    """Those that share their group (the revision) with another content."""
    if len(facts) < 2:
        return frozenset()
    digests: dict[Hashable, set[bytes]] = {}
    for fact in facts:
        digests.setdefault(group(fact), set()).add(fact.identity.digest)
    return frozenset(fact.identity for fact in facts if len(digests[group(fact)]) > 1)
