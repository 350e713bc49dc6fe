"""Why a list cannot be rated: which rule, which parameter, what was found and what would do. Found by asking the systems, as they bind, and
of what it falls back on by looking at the lists beside it.

A system says no more than that it refuses (`Unusable`); the reason is found by binding it to less. What does not stand alone is a fault of
its own, what stands alone and not with the others is one of the two together.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from difflib import get_close_matches

from msgspec import Struct

from rerate.messages.codes import FALLBACK, LAYOUT, SYSTEM, ListHeld
from rerate.messages.codes import PARAMETERS as PARAMETERS_REFUSED
from rerate.messages.facts import RatingList
from rerate.ratings.describing import Maker, described, rates_by
from rerate.ratings.face import Documented, System, Unusable
from rerate.ratings.quantum import PER_POINT
from rerate.ratings.systems import SYSTEMS, ListRules, Systems, able_to_stand_in, bind


class Refusal(Struct, frozen=True, kw_only=True):
    """One thing for which a list is held."""

    reason: ListHeld
    sentence: str
    """For the person who must act: what was found, and what would do."""
    rule: int = 1
    """Which rule of the list, from 1."""
    parameter: str | None = None
    """The parameter at fault; None: it is none of them, or all together."""


def refusals(rating_list: RatingList, systems: Systems = SYSTEMS, beside: Collection[RatingList] = ()) -> list[Refusal]:
    """Everything for which a list would be held, in order of its rules; empty if it can be rated.

    Args:
        beside: the lists of its configuration, itself among them or not.
    """
    found: list[Refusal] = []
    bound: list[System] = []
    others = {one.id: bind(one, systems) for one in beside if one.id != rating_list.id}
    for number, rule in enumerate(rating_list.rules, 1):
        place = "" if len(rating_list.rules) == 1 else f"rule {number}{'' if rule.from_ is None else f' (from {rule.from_})'}: "
        faults = rule_refusals(rule.system, rule.parameters, rating_list.quantum, rating_list.period, systems)
        for one in faults:
            found.append(Refusal(reason=one.reason, sentence=place + one.sentence, rule=number, parameter=one.parameter))
        if faults:
            continue
        bound.append(systems[rule.system](rule.parameters, PER_POINT[rating_list.quantum], rating_list.period))
        if bound[-1].layout != bound[0].layout:
            alike = ", ".join(sorted(_of_layout(bound[0].layout, rating_list, systems)))
            sentence = (
                f"{place}{rule.system} keeps another state of a player than {bound[0].name} ahead of it, so no list passes from one to the "
                f"other: here {alike} would do, or {rule.system} on a list of its own"
            )
            found.append(Refusal(reason=LAYOUT, sentence=sentence, rule=number))
        if rating_list.dated_by == "game" and bound[-1].needs_whole_events:
            sentence = f"{place}{rule.system} rates all games of an event together, so dated_by cannot be game: end or start would do"
            found.append(Refusal(reason=PARAMETERS_REFUSED, sentence=sentence, rule=number))
        fallback = bound[-1].fallback
        if fallback is not None and fallback not in able_to_stand_in(others):
            sentence = f"{place}{_why_it_cannot_stand_in(fallback, rating_list.id, bound[-1].layout, others)}"
            found.append(Refusal(reason=FALLBACK, sentence=sentence, rule=number, parameter="fallback"))
    return found


def _why_it_cannot_stand_in(name: str, list_id: str, layout: str, others: Mapping[str, ListRules | ListHeld]) -> str:
    """Why a list's ratings cannot stand in, and what would do: a list of the same family of systems, if there is one."""
    able = sorted(able_to_stand_in(others))
    kin = [one for one in able if isinstance(rules := others[one], ListRules) and rules.systems[0].layout == layout]
    would_do = f"{' or '.join(kin or able)} would do, or leave it out" if able else "leave it out"
    found = others.get(name)
    if name == list_id:
        return f"fallback names the list itself, {name}: {would_do}"
    if found is None:
        near = _nearest(name, others)
        if near and near not in able:
            would_do = f"name it and mend it, for as it is it cannot stand in; or {would_do}"
        return f"fallback names {name}, and the pool has no such list{meant(name, others)}: {would_do}"
    if isinstance(found, ListRules):
        return f"fallback names {name}, which itself falls back on {' and '.join(sorted(found.fallbacks))}: {would_do}"
    return f"fallback names {name}, which is held itself ({found}): mend that list; or {would_do}"


def rule_refusals(name: str, parameters: Mapping[str, object], quantum: str, period: str, systems: Systems = SYSTEMS) -> list[Refusal]:
    """Everything for which one rule cannot be bound, whatever list it stands on."""
    if name not in systems:
        sentence = f"there is no system {name}{meant(name, systems)}; those known here are {', '.join(sorted(systems))}"
        return [Refusal(reason=SYSTEM, sentence=sentence)]
    asked = _Asked(systems[name], PER_POINT[quantum], period)
    if asked.binds(parameters):
        return []
    about = described(name, systems[name])
    if about.quanta and quantum not in about.quanta.get(period, ()):
        sentence = f"{name} does not rate by {period} in steps of {quantum}, but by {rates_by(about)}"
        return [Refusal(reason=PARAMETERS_REFUSED, sentence=sentence)]
    documented = {one.name: (one.default, one.meaning) for one in about.parameters}
    found: dict[str, str] = {}
    for parameter in parameters if documented else ():
        if parameter not in documented:
            names = ", ".join(sorted(documented))
            found[parameter] = f"{name} has no parameter {parameter}{meant(parameter, documented)}; it has {names}"
    known = {parameter: value for parameter, value in parameters.items() if parameter in documented}
    kept = asked.kept(known)
    for parameter, value in known.items():
        if parameter not in kept:
            found[parameter] = asked.sentence(parameter, value, kept, documented)
    if not found:
        sentence = f"{name} cannot be had with these parameters by {period} in steps of {quantum}, and does not say why"
        return [Refusal(reason=PARAMETERS_REFUSED, sentence=sentence)]
    return [Refusal(reason=PARAMETERS_REFUSED, sentence=found[one], parameter=one) for one in parameters if one in found]


class _Asked:
    """A system of one quantum and kind of period, asked what it can be bound to."""

    def __init__(self, maker: Maker, per_point: int, period: str) -> None:
        self._maker, self._per_point, self._period = maker, per_point, period

    def binds(self, parameters: Mapping[str, object]) -> bool:
        try:
            self._maker(parameters, self._per_point, self._period)
        except Unusable:
            return False
        return True

    def kept(self, parameters: Mapping[str, object]) -> dict[str, object]:
        """As many of the parameters as can be bound together: one that needs another waits for it."""
        kept: dict[str, object] = {}
        while more := [name for name, value in parameters.items() if name not in kept and self.binds(kept | {name: value})]:
            kept[more[0]] = parameters[more[0]]
        return kept

    def sentence(self, name: str, value: object, kept: Mapping[str, object], documented: Documented) -> str:
        """Why a parameter is not among those kept, and what it may be."""
        default, meaning = documented[name]
        other = _of_other_kind(value)
        if other is not None and self.binds({**kept, name: other}):
            return f"{name} must be {_kind(other)}, not {_kind(value)}"
        may_be = f"{meaning} (default {default})"
        if self.binds({name: value}):
            against = [one for one in kept if self.binds({**{each: kept[each] for each in kept if each != one}, name: value})]
            beside = " and ".join(f"{one} {_told(kept[one])}" for one in against) or "the others"
            return f"{name} {_told(value)} does not go with {beside}: {may_be}"
        return f"{name} cannot be {_told(value)}: {may_be}"


def _of_other_kind(value: object) -> object:
    """A number said as text as the number, a number as text; None for anything else."""
    if isinstance(value, str):
        return int(value) if value.isascii() and value.removeprefix("-").isdecimal() and len(value) < 10 else None
    return str(value) if type(value) is int else None


def _kind(value: object) -> str:
    return f'the text "{value}"' if isinstance(value, str) else f"the number {value}"


def _told(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def meant(name: str, names: Iterable[str], likeness: float = 0.6) -> str:
    """` (is NAME meant?)` where one of the names is that near, from 0 to 1."""
    near = _nearest(name, names, likeness)
    return f" (is {near} meant?)" if near else ""


def _nearest(name: str, names: Iterable[str], likeness: float = 0.6) -> str | None:
    return next(iter(get_close_matches(name, sorted(names), 1, likeness)), None)


def _of_layout(layout: str, rating_list: RatingList, systems: Systems) -> Iterator[str]:
    """Systems with a state of this layout that the list can be rated by."""
    for name, maker in systems.items():
        with suppress(Unusable):
            if maker({}, PER_POINT[rating_list.quantum], rating_list.period).layout == layout:
                yield name
