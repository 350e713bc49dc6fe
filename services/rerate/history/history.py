"""The facts of one pool, folded: what it says is a function of the set of facts alone.

No order of arrival, no batch and no repetition shows in it, nor in what it keeps inside. Mappings promise no order of iteration.
"""

from collections.abc import Iterable, Mapping
from typing import assert_never

from rerate.history.adjustments import AdjustmentProblem, Adjustments
from rerate.history.events import Events
from rerate.history.identities import Persons, changed_ids, changed_scopes, fold_identities
from rerate.history.names import Names
from rerate.history.registrations import Registrations
from rerate.history.seeds import SeedProblem, Seeds
from rerate.history.values import Adjustment, Changes, ContentStanding, IdentityRow, RatedEvent, SeedGroup, StandingRow, in_force_or_held
from rerate.history.whole_state import WholeState, is_same
from rerate.messages.codes import FOR_TYPE
from rerate.messages.facts import (
    DeletionRuled,
    EventCorrected,
    EventDeleted,
    EventRuled,
    Fact,
    FactName,
    FactWithdrawn,
    Identity,
    IdentityMerged,
    IdentityUnmerged,
    PlayerRegistered,
    PoolConfigured,
    RatingAdjusted,
    RatingSeeded,
    ResultPublished,
    Unknown,
)
from rerate.ratings.systems import adjustment_problem, seed_problem


class History:
    """The facts of one pool and what they come to."""

    def __init__(self, seed_problem: SeedProblem = seed_problem, adjustment_problem: AdjustmentProblem = adjustment_problem) -> None:
        """An empty pool.

        Args:
            seed_problem: whether a list can use a seed; a pure function.
            adjustment_problem: whether a list can use an adjustment; a pure function.
        """
        self._names = Names()
        self._events = Events()
        self._merges: dict[Identity, Fact] = {}
        self._unmerges: dict[Identity, Fact] = {}
        self._persons = Persons()
        self._configurations: WholeState[str] = WholeState()
        self._configuration: PoolConfigured | None = None
        self._registrations = Registrations()
        self._seeds = Seeds(seed_problem)
        self._adjustments = Adjustments(adjustment_problem)
        self._standings: dict[Identity, ContentStanding] = {}
        """Of each fact for itself; conflicts under one name come on top in its row."""
        self._rows: dict[FactName, StandingRow] = {}
        self._are_identities_touched = False

    @property
    def facts(self) -> Mapping[Identity, Fact]:
        """All of them, withdrawn ones too."""
        return self._names.facts

    @property
    def events(self) -> Mapping[str, RatedEvent]:
        """Every event that the fold does not leave absent."""
        return self._events.rated

    @property
    def configuration(self) -> PoolConfigured | None:
        """The configuration in force."""
        return self._configuration

    def knows(self, identity: Identity) -> bool:
        return identity in self._names.facts

    def seeds(self, list_id: str) -> Mapping[str, SeedGroup]:
        """Person -> seeds in use on a list."""
        return self._seeds.groups(list_id)

    def seed(self, list_id: str, person: str) -> SeedGroup | None:
        return self._seeds.groups(list_id).get(person)

    def refused_seeds(self, list_id: str, person: str) -> list[RatingSeeded]:
        """The newest seeds of a person's ids on a list that the list cannot use."""
        group = self.seed(list_id, person)
        used = () if group is None else (group.chosen, *group.others)
        return [seed for seed in self._seeds.newest(list_id, self._persons.ids_of(person)) if seed not in used]

    def adjustments(self, list_id: str) -> Mapping[str, Adjustment]:
        """Adjustment id -> adjustment in use on a list."""
        return self._adjustments.of(list_id)

    def standing(self, name: FactName) -> StandingRow | None:
        """The standings of the contents under a name; None if there is none."""
        return self._rows.get(name)

    def identity(self, raw_id: str) -> IdentityRow | None:
        """Who an id named by a merge in force is; None for every other id."""
        return self._persons.rows.get(raw_id)

    def person(self, raw_id: str, event_id: str | None = None) -> str:
        """Who an id is: in one event, or where nothing else is said."""
        return self._persons.of(raw_id) if event_id is None else self._persons.resolver(event_id)(raw_id)

    def events_of(self, person: str) -> frozenset[str]:
        """Ids of the events in which a person has a game, rated or not."""
        return self._events.of(person, self._persons)

    def has_player(self, raw_id: str) -> bool:
        """Whether a game, a registration, a merge, or a seed that a list uses is about an id."""
        person = self.person(raw_id)
        return (
            bool(self.events_of(person))
            or self.identity(raw_id) is not None
            or self.registration(person) is not None
            or any(person in self._seeds.groups(one) for one in self._seeds.lists())
        )

    def registration(self, person: str) -> PlayerRegistered | None:
        """What is registered of a person."""
        return self._registrations.of(person)

    def add(self, facts: Iterable[Fact], lists: Iterable[str] = ()) -> Changes:
        """Take in facts, in any order; those known already are ignored.

        Args:
            lists: ids of lists of which `seed_problem` or `adjustment_problem` says something else than before.

        Returns:
            What differs from before. The work is that of the events, players and lists touched, and for merges of all merges of the pool.
        """
        changes = Changes()
        names: set[FactName] = set()
        for fact in facts:
            if fact.identity not in self._names.facts:
                self._take(fact, names)
        relisted = self._settle_configuration(changes, names) | set(lists)
        ids, scopes, recomposed = self._settle_identities(changes, names)
        for event_id, event, contents in self._events.settle(self._persons, ids, scopes):
            if event is not None:
                changes.events[event_id] = event
            self._stand(contents, names)
        for person, contents in self._registrations.settle(self._persons, recomposed):
            if person is not None:
                changes.registered.add(person)
            self._stand(contents, names)
        for group, contents in self._seeds.settle(self._configuration, relisted, self._persons, recomposed):
            if group is not None:
                changes.seeds.add(group)
            self._stand(contents, names)
        for adjustment, contents in self._adjustments.settle(self._configuration, relisted, self._persons, ids):
            if adjustment is not None:
                changes.adjusted.add(adjustment)
            self._stand(contents, names)
        for name in names:
            old, new = self._rows.get(name), self._names.row(name, self._standings)
            if new != old:
                self._rows[name] = new
                changes.standings[name] = (old, new)
        return changes

    def _settle_configuration(self, changes: Changes, names: set[FactName]) -> set[str]:
        """Ids of the lists that are configured in another way than before."""
        if not self._configurations.touched():
            return set()
        self._stand(self._configurations.standings(""), names)
        old, newest = self._configuration, self._configurations.newest.get("")
        new = newest.data if newest is not None and isinstance(newest.data, PoolConfigured) else None
        if is_same(new, old):
            return set()
        self._configuration = new
        changes.configuration = (old, new)
        before, after = ({one.id: one for one in configured.lists} if configured is not None else {} for configured in (old, new))
        return {list_id for list_id in before.keys() | after.keys() if not is_same(before.get(list_id), after.get(list_id))}

    def _settle_identities(self, changes: Changes, names: set[FactName]) -> tuple[set[str], set[tuple[str, str]], set[str]]:
        """Ids that are another person than before, (event, id) where scoped merges say so, and persons of other ids than before."""
        if not self._are_identities_touched:
            return set(), set(), set()
        self._are_identities_touched = False
        old, new = self._persons, fold_identities(self._merges.values(), self._unmerges.values())
        self._persons = new
        self._stand(new.standings.values(), names)
        for raw in old.rows.keys() | new.rows.keys():
            if old.rows.get(raw) != new.rows.get(raw):
                changes.identities[raw] = (old.rows.get(raw), new.rows.get(raw))
        ids = changed_ids(old, new)
        return ids, changed_scopes(old, new), {person for raw in ids for person in (old.of(raw), new.of(raw))}

    def _take(self, fact: Fact, names: set[FactName]) -> None:
        """Let a new fact in; what it withdraws goes out."""
        entering, leaving, contents = self._names.add(fact)
        for one in entering:
            self._move(one, enters=True)
            names.add(one.identity.name)
        for one in leaving:
            self._move(one, enters=False)
        self._stand(contents, names)

    def _move(self, fact: Fact, *, enters: bool) -> None:
        """Put a fact where it is folded, or take it from there."""
        data = fact.data
        match data:
            case ResultPublished():
                (self._events.enter if enters else self._events.leave)(data.event.id, fact)
            case EventCorrected() | EventDeleted() | EventRuled() | DeletionRuled():
                (self._events.enter if enters else self._events.leave)(data.event_id, fact)
            case IdentityMerged() | IdentityUnmerged():
                facts = self._merges if isinstance(data, IdentityMerged) else self._unmerges
                self._are_identities_touched = True
                if enters:
                    facts[fact.identity] = fact
                else:
                    del facts[fact.identity]
            case PoolConfigured():
                (self._configurations.enter if enters else self._configurations.leave)("", fact)
            case PlayerRegistered():
                (self._registrations.enter if enters else self._registrations.leave)(fact, data)
            case RatingSeeded():
                (self._seeds.enter if enters else self._seeds.leave)(fact, data)
            case RatingAdjusted():
                (self._adjustments.enter if enters else self._adjustments.leave)(fact, data)
            case Unknown():
                if enters:
                    self._standings[fact.identity] = in_force_or_held(fact, FOR_TYPE)
            case FactWithdrawn():
                raise AssertionError("a withdrawal is never folded nor withdrawn")
            case _:
                assert_never(data)

    def _stand(self, contents: Iterable[ContentStanding], names: set[FactName]) -> None:
        """Note standings, and the names of those that are other than before."""
        for content in contents:
            if self._standings.get(content.identity) != content:
                self._standings[content.identity] = content
                names.add(content.identity.name)
