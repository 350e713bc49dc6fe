"""Which person an id is: the equivalence closure of the merges in force, and the merges that hold in some events only.

There is no order: an unmerge kills its merge id before or after, and a merge only ever unites. A person is named by the smallest id that
is nobody's alias, else by the smallest. A merge scoped to events is resolved first, on the raw id.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from rerate.history.values import ContentStanding, IdentityRow, flags_of, in_force_or_held
from rerate.messages.codes import CONTESTED, FOR_MERGE, IN_FORCE, NO_EFFECT, SELF, UNDONE
from rerate.messages.facts import Fact, Identity, IdentityMerged, IdentityUnmerged


@dataclass(frozen=True, slots=True)
class Persons:
    """The identities of a pool, resolved."""

    person: Mapping[str, str] = field(default_factory=dict)
    """Id -> person, for the ids that a merge in force names everywhere; every other id is a person of its own."""
    members: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Person -> ids, the inverse of `person`."""
    scoped: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Event -> raw id -> person."""
    rows: Mapping[str, IdentityRow] = field(default_factory=dict)
    standings: Mapping[Identity, ContentStanding] = field(default_factory=dict)

    def of(self, raw: str) -> str:
        """Who an id is, everywhere where nothing else is said."""
        return self.person.get(raw, raw)

    def ids_of(self, person: str) -> tuple[str, ...]:
        """All ids of a person, sorted; none for an id that is somebody else."""
        return self.members.get(person, (person,) if person not in self.person else ())

    def resolver(self, event: str) -> Callable[[str], str]:
        """Who a raw id is in one event."""
        there = self.scoped.get(event)
        if there is None:
            return self.of
        return lambda raw: there.get(raw) or self.of(raw)


def fold_identities(merges: Iterable[Fact], unmerges: Iterable[Fact]) -> Persons:
    """Resolve the merges of a pool, given in any order."""
    merged = [(fact, fact.data) for fact in merges if isinstance(fact.data, IdentityMerged)]
    unmerged = [(fact, fact.data) for fact in unmerges if isinstance(fact.data, IdentityUnmerged)]
    dead = {data.merge_id for _, data in unmerged}
    in_force = [data for _, data in merged if data.merge_id not in dead and data.alias != data.player]
    person, contested = _closure([data for data in in_force if data.events is None])

    targets: dict[tuple[str, str], set[str]] = {}
    for data in in_force:
        for event in data.events or ():
            targets.setdefault((event, data.alias), set()).add(data.player)
    scoped: dict[str, dict[str, str]] = {}
    for (event, alias), players in targets.items():
        target = min(players)
        scoped.setdefault(event, {})[alias] = person.get(target, target)

    def is_contested(data: IdentityMerged) -> bool:
        if data.events is None:
            return data.alias in contested
        return any(len(targets[event, data.alias]) > 1 for event in data.events)

    standings: dict[Identity, ContentStanding] = {}
    for fact, data in merged:
        if data.alias == data.player:
            content = ContentStanding(identity=fact.identity, type=fact.type, standing=NO_EFFECT, reason=SELF)
        elif data.merge_id in dead:
            content = ContentStanding(identity=fact.identity, type=fact.type, standing=UNDONE, merge=data.merge_id)
        else:
            flags = flags_of({CONTESTED: is_contested(data)})
            content = ContentStanding(identity=fact.identity, type=fact.type, standing=IN_FORCE, flags=flags)
        standings[fact.identity] = content
    known = {data.merge_id for _, data in merged}
    for fact, undo in unmerged:
        standings[fact.identity] = in_force_or_held(fact, None if undo.merge_id in known else FOR_MERGE)

    contested |= {alias for (_, alias), players in targets.items() if len(players) > 1}
    return Persons(person, _members(person), scoped, _rows(in_force, person, scoped, contested), standings)


def changed_ids(old: Persons, new: Persons) -> set[str]:
    """Ids that are another person than before, everywhere."""
    return {raw for raw in old.person.keys() | new.person.keys() if old.of(raw) != new.of(raw)}


def changed_scopes(old: Persons, new: Persons) -> set[tuple[str, str]]:
    """(event, raw id) of which only merges scoped to events say something else than before."""
    return {
        (event, raw)
        for event in old.scoped.keys() | new.scoped.keys()
        for raw in {**old.scoped.get(event, {}), **new.scoped.get(event, {})}
        if old.scoped.get(event, {}).get(raw) != new.scoped.get(event, {}).get(raw)
    }


def _closure(merges: Iterable[IdentityMerged]) -> tuple[dict[str, str], set[str]]:
    """Id -> person, and the ids whose person is contested: an alias with two targets, or a cycle."""
    parent: dict[str, str] = {}

    def root(raw: str) -> str:
        while parent.setdefault(raw, raw) != raw:
            parent[raw] = parent[parent[raw]]
            raw = parent[raw]
        return raw

    targets: dict[str, set[str]] = {}
    for merge in merges:
        targets.setdefault(merge.alias, set()).add(merge.player)
        parent[root(merge.alias)] = root(merge.player)
    united: dict[str, list[str]] = {}
    for raw in parent:
        united.setdefault(root(raw), []).append(raw)
    person: dict[str, str] = {}
    contested: set[str] = set()
    for ids in united.values():
        nobodys_alias = [raw for raw in ids if raw not in targets]
        person.update(dict.fromkeys(ids, min(nobodys_alias or ids)))
        if len(nobodys_alias) != 1 or any(len(targets.get(raw, ())) > 1 for raw in ids):
            contested.update(ids)
    return person, contested


def _members(person: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    members: dict[str, list[str]] = {}
    for raw in sorted(person):
        members.setdefault(person[raw], []).append(raw)
    return {name: tuple(ids) for name, ids in members.items()}


def _rows(
    in_force: Iterable[IdentityMerged], person: Mapping[str, str], scoped: Mapping[str, Mapping[str, str]], contested: set[str]
) -> dict[str, IdentityRow]:
    """A row for every id that a merge in force names."""
    naming: dict[str, set[str]] = {}
    for merge in in_force:
        for raw in (merge.alias, merge.player):
            naming.setdefault(raw, set()).add(merge.merge_id)
    events: dict[str, list[tuple[str, str]]] = {}
    for event, there in scoped.items():
        for alias, who in there.items():
            events.setdefault(alias, []).append((event, who))
    return {
        raw: IdentityRow(
            id=raw,
            person=person.get(raw, raw),
            merges=tuple(sorted(merge_ids)),
            scoped=tuple(sorted(events.get(raw, ()))),
            contested=raw in contested,
        )
        for raw, merge_ids in naming.items()
    }
