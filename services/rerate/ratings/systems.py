"""The systems this engine knows, and a list's rules bound to them.

A list's configuration names systems with their versions; released versions stay here. A list that cannot be bound, or that falls back on a
list which cannot stand in, is *held*: its reason stands in the head, the other lists go on.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from rerate.messages.codes import FALLBACK, LAYOUT, LIST, PARAMETERS, STATE, SYSTEM, ListHeld, StandingReason
from rerate.messages.facts import RatingAdjusted, RatingList, RatingSeeded
from rerate.ratings import club, fide, fide_2009, fide_curve, glicko, glicko2, uschess
from rerate.ratings.face import State, System, Unusable
from rerate.ratings.quantum import PER_POINT, decimal, shown

Systems = Mapping[str, Callable[[Mapping[str, object], int, str], System]]
"""Name with version -> maker from parameters, quanta in a point, and period kind. A maker raises `Unusable`."""

SYSTEMS: Systems = {
    club.NAME: club.Club,
    fide.NAME: fide.Fide,
    fide_curve.NAME: fide_curve.FideCurve,
    fide_2009.NAME: fide_2009.Fide2009,
    uschess.NAME: uschess.USChess,
    glicko.NAME: glicko.Glicko,
    glicko2.NAME: glicko2.Glicko2,
}
"""Those of this package."""


class ListRules:
    """The rules of one list in force from their dates on, bound to its quantum and period kind."""

    def __init__(self, rating_list: RatingList, systems: Systems = SYSTEMS) -> None:
        """Bind a list's rules.

        Raises:
            Unusable: `system` (not known here), `parameters` (also quantum and period kind, and events that would be rated in parts), or
                `layout` (rules of unlike states).
        """
        self.per_point = PER_POINT[rating_list.quantum]
        self.shown_per_point = PER_POINT[rating_list.shown]
        self._from = [rule.from_ or "" for rule in rating_list.rules]
        self.systems: list[System] = []
        """In order of their dates."""
        for rule in rating_list.rules:
            if rule.system not in systems:
                raise Unusable(SYSTEM)
            self.systems.append(systems[rule.system](rule.parameters, self.per_point, rating_list.period))
        if len({system.layout for system in self.systems}) > 1:
            raise Unusable(LAYOUT)
        self.sees_events = any(system.sees_events for system in self.systems)
        """Whether start and category of an event matter to any of its rules."""
        self.traits: frozenset[str] = frozenset().union(*(system.traits for system in self.systems))
        """Names of the traits that any of its rules asks for."""
        self.fallbacks = frozenset(system.fallback for system in self.systems if system.fallback is not None)
        """Ids of lists whose ratings stand in for missing ones of this."""
        if rating_list.dated_by == "game" and any(system.needs_whole_events for system in self.systems):
            raise Unusable(PARAMETERS)

    def at(self, date: str) -> System:
        """The rule of a period of this date; of a month, the rule on its first day."""
        date = date if len(date) == 10 else f"{date}-01"
        return self.systems[max(bisect_right(self._from, date) - 1, 0)]

    @property
    def reads_older(self) -> bool:
        """Whether any of its rules judges by an older list."""
        return any(system.reads_older for system in self.systems)

    def rated(self, state: State) -> bool:
        """Whether a state has a rating: a matter of its layout, which all rules share."""
        return self.systems[0].rated(state)

    def rating(self, state: State) -> str | None:
        """A state's rating as a decimal string, None without one."""
        return decimal(state[0], self.per_point) if self.rated(state) else None

    def shown(self, state: State) -> str | None:
        """The rating as the list shows it to people."""
        return shown(state[0], self.per_point, self.shown_per_point) if self.rated(state) else None

    def seed_state(self, chosen: RatingSeeded, others: Sequence[RatingSeeded]) -> State:
        """The state of a person's seeds; each must be usable (`seed_problem`). All are read by the rule of the chosen one, so that counters
        add up to its cap; one that this rule cannot use, by that of its own date."""
        system = self.at(chosen.as_of)
        state = system.seed(chosen.state, chosen.as_of)
        added = [system.seed(seed.state, seed.as_of) or self.at(seed.as_of).seed(seed.state, seed.as_of) for seed in others]
        usable = [other for other in added if other is not None]
        assert state is not None, "a seed its list cannot use reached the replay"
        assert len(usable) == len(added), "a seed its list cannot use reached the replay"
        return system.with_counters(state, usable)


def bind(rating_list: RatingList, systems: Systems = SYSTEMS) -> ListRules | ListHeld:
    """The list's rules, or the reason why it is held whatever lists there are beside it."""
    try:
        return ListRules(rating_list, systems)
    except Unusable as unusable:
        return unusable.reason


Binding = Callable[[RatingList], ListRules | ListHeld]
"""As `bind`, for the systems that an engine knows."""


def bind_all(
    lists: Iterable[RatingList], systems: Systems = SYSTEMS, held: Mapping[str, str] = MappingProxyType({})
) -> dict[str, ListRules | str]:
    """The lists of one configuration by id, each with its rules or with the reason why it is held.

    What falls back on a list that cannot stand in would go by fewer ratings than its rules say, and look right; so it is held.

    Args:
        held: lists that are held in any case, and why.
    """
    bound = {one.id: held.get(one.id) or bind(one, systems) for one in lists}
    able = able_to_stand_in(bound)
    return {name: FALLBACK if isinstance(rules, ListRules) and not rules.fallbacks <= able else rules for name, rules in bound.items()}


def able_to_stand_in(bound: Mapping[str, ListRules | str]) -> set[str]:
    """Ids of the lists whose ratings can stand in on others: they are rated, and fall back on none themselves."""
    return {name for name, rules in bound.items() if isinstance(rules, ListRules) and not rules.fallbacks}


def seed_problem(rating_list: RatingList | None, seed: RatingSeeded, binding: Binding = bind) -> StandingReason | None:
    """Why a list cannot use a seed (`list`: no such list, or it cannot be bound; `state`: not a state of its system), or None."""
    if rating_list is None:
        return LIST
    rules = binding(rating_list)
    if isinstance(rules, str):
        return LIST
    return STATE if rules.at(seed.as_of).seed(seed.state, seed.as_of) is None else None


def adjustment_problem(rating_list: RatingList | None, adjusted: RatingAdjusted, binding: Binding = bind) -> StandingReason | None:
    """Why a list cannot use an adjustment (`list`: no such list, or it cannot be bound; `state`: no change that its rule of that date can
    make), or None. One that withdraws needs its list only."""
    if rating_list is None:
        return LIST
    rules = binding(rating_list)
    if isinstance(rules, str):
        return LIST
    if adjusted.change is None:
        return None
    date = adjusted.before[:7] if rating_list.period == "month" else adjusted.before
    system = rules.at(date)
    return STATE if system.adjust(system.start(), *adjusted.change, date) is None else None
