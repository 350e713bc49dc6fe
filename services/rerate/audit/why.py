"""Why a row is what it is: the steps of its calculation, by the same code that rates, over the facts replayed from scratch."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from rerate.messages.canonical import canonical
from rerate.messages.codes import SENTENCES
from rerate.messages.errors import RerateError
from rerate.messages.facts import Event, Game
from rerate.pool.lists import HeldList, LiveList
from rerate.pool.pool import Pool
from rerate.ratings.face import FALLBACK, Key, State, Step
from rerate.ratings.quantum import decimal
from rerate.ratings.refusing import refusals
from rerate.ratings.seed_faults import seed_fault
from rerate.ratings.systems import SYSTEMS, Systems
from rerate.replay.entries import sides_rated, takes
from rerate.replay.periods import date_of, is_adjustment, key_text, period_of
from rerate.replay.replay import ListReplay


class NothingToExplain(RerateError):
    """Raised when there is no such list, player or row; says what there is."""


class ToldStep(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One step, with ids in place of numbers. See `rerate.ratings.face.Step`."""

    code: str
    text: str
    source: str = ""
    event: str | None = None
    game: str | None = None
    colour: str | None = None
    """`white` or `black`, of the player explained."""
    opponent: str | None = None
    adds: str | None = None
    """Points it adds: an exact fraction such as `9/5`."""


class Explanation(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A row and how it came about."""

    pool: str
    list: str
    update: int
    """The newest, whose rows these are."""
    player: str
    period: str
    system: str
    before: str | None
    """The rating before the period; None: there was none."""
    before_from: str | None = None
    """Id of the list whose rating it is, standing in for a missing one."""
    rating: str | None
    steps: tuple[ToldStep, ...]
    refused_seeds: tuple[str, ...] = ()
    """What of the person's ratings from elsewhere the list cannot use, and why."""


class ToldRow(NamedTuple):
    """A player's row in a period with games."""

    before: str | None
    before_from: str | None
    steps: tuple[ToldStep, ...]


def explain(pool: Pool, player: str, period: str | None = None, list_id: str | None = None, systems: Systems = SYSTEMS) -> Explanation:
    """Explain a row.

    Args:
        player: any id of the person.
        period: as `rerate player` shows it, or its beginning; None: the last.
        list_id: may be left out where the pool has one list.
        systems: those that the pool is rated with.

    Raises:
        NothingToExplain: see there.
    """
    name, live = the_list(pool, list_id, systems)
    person = pool.history.person(player)
    keys = [key for key, who in live.replay.row_keys() if who == person]
    if not keys:
        refused = "".join(f"; {one}" for one in _refused_seeds(pool, live, person))
        raise NothingToExplain(f"{player} has no row on list {name} of {pool.id}{refused}")
    key = _chosen(keys, period, player)
    replay = live.replay
    state = replay.row(person, key)
    number = replay.number_of(person)
    assert state is not None
    assert number is not None
    system = replay.rules.at(date_of(key))
    if is_adjustment(key):
        was = replay.states_before(key)[number]
        row = ToldRow(None if was is None else replay.rules.rating(was), None, _adjusted(pool, live, key, was, state))
    else:
        row = told_row(replay, key, number)
        row = row._replace(steps=(*row.steps, *_unrated(pool, live, person, key)))
    return Explanation(
        pool=pool.id,
        list=name,
        update=pool.update,
        player=person,
        period=key_text(key),
        system=system.name,
        before=row.before,
        before_from=row.before_from,
        rating=replay.rules.rating(state),
        steps=row.steps,
        refused_seeds=_refused_seeds(pool, live, person),
    )


def the_list(pool: Pool, list_id: str | None, systems: Systems = SYSTEMS) -> tuple[str, LiveList]:
    """A list of a pool that is rated.

    Raises:
        NothingToExplain: there is none, or more than one and none was named (if just one is official, it is meant); it is held, or all
            are, and why.
    """
    live = pool.live()
    official = [name for name, one in live.items() if not one.config.shadow]
    if list_id is None and 1 in (len(live), len(official)):
        (list_id,) = live if len(live) == 1 else official
    asked = [list_id] if list_id is not None else [] if live else list(pool.lists)
    held = [one for name in asked if isinstance(one := pool.lists.get(name), HeldList)]
    if held:
        raise NothingToExplain(f"{pool.id}: {'; '.join(why_held(pool, one, systems) for one in held)}")
    if list_id is None or list_id not in live:
        there = ", ".join(sorted(live)) or "none"
        what = "name one with --list" if list_id is None else f"it has no list {list_id} that is rated"
        raise NothingToExplain(f"{pool.id}: {what}; its lists are {there}")
    return list_id, live[list_id]


def _refused_seeds(pool: Pool, live: LiveList, person: str) -> tuple[str, ...]:
    said = []
    for seed in pool.history.refused_seeds(live.config.id, person):
        parameters = [rule.parameters for rule in live.config.rules if rule.from_ is None or rule.from_ <= seed.as_of][-1]
        system, state = live.replay.rules.at(seed.as_of), canonical(dict(seed.state)).decode()
        why = seed_fault(system, seed.state, parameters, seed.as_of).why
        said.append(f"the seed of {seed.player} (revision {seed.revision}) has no effect: {system.name} cannot use {state}{why}")
    return tuple(said)


def why_held(pool: Pool, held: HeldList, systems: Systems = SYSTEMS) -> str:
    """That a list of a pool is held, and for what: the rule and the parameter at fault, as far as this engine refuses them."""
    beside = [one.config for one in pool.lists.values()]
    found = "; ".join(refusal.sentence for refusal in refusals(held.config, systems, beside))
    return f"list {held.config.id} is held ({held.reason}): {found or SENTENCES['list-held'].get(held.reason, held.reason)}"


def told_row(replay: ListReplay, key: Key, number: int) -> ToldRow:
    """A player's row in a period with games. Where he has no rating and one of another list stands in, that is the one before it, and no
    step adds it."""
    was, rules, steps = replay.states_before(key)[number], replay.rules, _told_steps(replay, key, number)
    before = None if was is None else rules.rating(was)
    for at, step in enumerate(steps):
        if before is None and step.code == FALLBACK and step.adds is not None:
            steps[at] = replace(step, adds=None)
            return ToldRow(
                decimal(int(Fraction(step.adds) * rules.per_point), rules.per_point), rules.at(date_of(key)).fallback, tuple(steps)
            )
    return ToldRow(before, None, tuple(steps))


def _told_steps(replay: ListReplay, key: Key, number: int) -> list[ToldStep]:
    period = replay.period(key)
    assert period is not None, "a row belongs to a period"
    games = period.games

    def told(step: Step) -> ToldStep:
        event = step.event if step.event is not None else None if step.game is None else games.event[step.game]
        game = colour = opponent = None
        if step.game is not None:
            game = games.ids[step.game]
            is_white = games.white[step.game] == number
            colour = "white" if is_white else "black"
            opponent = replay.person(games.black[step.game] if is_white else games.white[step.game])
        adds = None if step.adds is None else str(step.adds)
        where = None if event is None else replay.event_id(event)
        return ToldStep(
            code=step.code, text=step.text, source=step.source, event=where, game=game, colour=colour, opponent=opponent, adds=adds
        )

    return [told(step) for step in replay.rules.at(date_of(key)).explain(period, number)]


def _chosen(keys: Sequence[Key], period: str | None, player: str) -> Key:
    if period is None:
        return keys[-1]
    exact = [key for key in keys if period == key_text(key)]
    found = exact or [key for key in keys if key_text(key).startswith(period)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise NothingToExplain(f"{player} has no row in a period {period}; the last is {key_text(keys[-1])} (see `rerate player`)")
    some = ", ".join(key_text(key) for key in found[:5])
    raise NothingToExplain(f"{period} begins {len(found)} periods of {player}: {some}{' ...' if len(found) > 5 else ''}; say more of it")


def _adjusted(pool: Pool, live: LiveList, key: Key, before: State | None, after: State) -> tuple[ToldStep, ...]:
    adjustment, rules = pool.history.adjustments(live.config.id)[str(key[2])], live.replay.rules
    of = "everybody on the list" if adjustment.persons is None else f"{len(adjustment.persons)} named"
    text = f"adjusted by decision {adjustment.id} before {adjustment.before}: {adjustment.kind} {adjustment.value}, for {of}"
    was, now = (Fraction((None if state is None else rules.rating(state)) or 0) for state in (before, after))
    return (ToldStep(code="adjustment", text=text, adds=str(now - was)),)


def _unrated(pool: Pool, live: LiveList, person: str, key: Key) -> list[ToldStep]:
    """Games of the person that the facts leave unrated, in the events of the period that the list takes."""
    steps = []
    for event_id in sorted(pool.history.events_of(person)):
        rated = pool.history.events[event_id]
        if rated.event is None or not takes(live.config, rated.event):
            continue
        for judged in rated.games:
            if judged.why is None or person not in (judged.white, judged.black) or not _is_in(live, key, rated.event, judged.game):
                continue
            if sides_rated(live.config, judged) != "none":
                continue
            colour, opponent = ("white", judged.black) if judged.white == person else ("black", judged.white)
            text = f"not rated ({judged.why}): {SENTENCES['unrated-why'][judged.why]}"
            steps.append(ToldStep(code="not-rated", text=text, event=event_id, game=judged.game.id, colour=colour, opponent=opponent))
    return steps


def _is_in(live: LiveList, key: Key, event: Event, game: Game) -> bool:
    """Whether a game belongs to a period, or its event does if the list's periods are events or parts of them."""
    if len(key) > 1:
        return str(key[2]) == event.id
    return period_of(live.config, live.replay.rules, event, game) == key
