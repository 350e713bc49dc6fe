"""The contract of `rerate.ratings.face.System`: checks that every system passes, one of a package of its own, too.

A `Candidate` is a system with parameters, quantum and period kind. `walked` sends random periods through its face alone, with seeds and
adjustments, older lists where it reads them, events in its categories and registered traits, and keeps everything that was seen. The
functions below it take what was seen and fail where the contract is broken.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from fractions import Fraction
from functools import partial
from itertools import permutations
from random import Random
from typing import NamedTuple

import msgspec

from rerate.messages.codes import PARAMETERS
from rerate.messages.facts import ParameterName, StateValue
from rerate.ratings.expected import SCALE
from rerate.ratings.face import (
    BLACK,
    FALLBACK,
    WHITE,
    EventInfo,
    Games,
    Key,
    Period,
    Row,
    State,
    States,
    System,
    Traits,
    Unusable,
    month_of,
)
from rerate.ratings.quantum import decimal
from tests.kit.foretelling import expected, forecast
from tests.kit.sendable import Data

Maker = Callable[[Mapping[str, object], int, str], System]

PLAYERS = 7


@dataclass(frozen=True)
class Candidate:
    """A system to be held to the contract."""

    label: str
    make: Maker
    kind: str
    parameters: Data = field(default_factory=dict)
    per_point: int = 10
    seeds: tuple[Data, ...] = ()
    """Fields of states to begin with."""
    values: tuple[str, ...] = ("1500", "1812", "2390")
    """Ratings that an adjustment may set."""
    formulas: tuple[str, ...] = ()
    categories: tuple[str, ...] = ("club",)
    years: tuple[int, int] = (2023, 2025)
    """First and last year in which a history begins."""
    follows_order: bool = False
    """Whether a parameter makes the order of the games in an event matter."""
    favours_white: bool = False
    has_floor: bool = False
    """Whether a state may be rated and yet stand below what the list shows, so that it counts as none."""

    def bound(self) -> System:
        return self.make(self.parameters, self.per_point, self.kind)


class Seen(NamedTuple):
    """One period that was rated."""

    period: Period
    rows: dict[int, Row]


@dataclass
class Walked:
    """What a random history showed."""

    candidate: Candidate
    system: System
    seen: list[Seen] = field(default_factory=list)
    states: list[State] = field(default_factory=list)
    """Every state that was reached: by a seed, a merge of seeds, an adjustment or a row; each once."""

    def keep(self, state: State) -> State:
        if state not in self.states:
            self.states.append(state)
        return state


def walked(candidate: Candidate, number: int, periods: int = 6) -> Walked:
    """A random history of a candidate by its number."""
    random, system = Random(number), candidate.bound()
    out = Walked(candidate, system)
    now: list[State | None] = [None] * PLAYERS
    for player in range(PLAYERS):
        if candidate.seeds and random.random() < 0.5:
            states = [system.seed(random.choice(candidate.seeds)) for _ in range(random.choice([1, 1, 1, 2, 3]))]
            kept = [state for state in states if state is not None]
            assert len(kept) == len(states), f"{candidate.label}: a seed of the tests is refused"
            now[player] = out.keep(system.with_counters(kept[0], kept[1:]))
    traits = [_traits(random, system) for _ in range(PLAYERS)]
    lists: list[tuple[Key, list[State | None]]] = []
    day = date(random.randint(*candidate.years), random.randint(1, 12), random.randint(1, 28))
    for _ in range(periods):
        if random.random() < 0.15:
            _adjust(random, candidate, out, now)
        period = _period(random, candidate, system, day.isoformat(), traits, now, lists)
        lists.append((period.key, now.copy()))
        rows = system.rate(period)
        out.seen.append(Seen(period, rows))
        for player, row in rows.items():
            now[player] = out.keep(row.state)
        day += timedelta(days=random.choice([32, 40, 70, 400]) if candidate.kind == "month" else random.choice([1, 6, 31, 200, 700]))
    return out


def _traits(random: Random, system: System) -> Traits:
    """Mostly what some registration may say, and now and then nonsense."""
    some: dict[str, tuple[str | int | bool, ...]] = {
        "birth_year": (1980, 2008, 2013, 2013, 2999, "unheard-of", True),
        "birth_date": (19900228, 20120229, 20991231, 7, "unheard-of"),
        "fide": ("1850", "2210.5", 2477, 3, False),
        "us_chess": ("1431", 1999, "unheard-of"),
        FALLBACK: ("1850", "2210.5"),
    }
    asked = sorted({*system.traits, *([FALLBACK] if system.fallback else [])})
    return tuple((name, random.choice(some[name])) for name in asked if random.random() < 0.5)


def _adjust(random: Random, candidate: Candidate, out: Walked, now: list[State | None]) -> None:
    changes = [("set", random.choice(candidate.values)), ("add", random.choice(["15", "-40"]))]
    kind, value = random.choice([*changes, *(("formula", name) for name in candidate.formulas)])
    for player, state in enumerate(now):
        if state is not None and random.random() < 0.6:
            after = out.system.adjust(state, kind, value)
            if after is not None:
                now[player] = out.keep(after)


def _period(
    random: Random,
    candidate: Candidate,
    system: System,
    day: str,
    traits: Sequence[Traits],
    now: list[State | None],
    lists: list[tuple[Key, list[State | None]]],
) -> Period:
    """A period of a date with one event, or with up to three where its kind allows it, in the stated order of games."""
    kind = candidate.kind
    number_of_events = random.choice([1, 1, 2, 3]) if kind in ("date", "month") else 1
    names = sorted(random.sample(range(100), number_of_events))
    first = (day, 0, f"w:e{names[0]}", random.randint(1, 3), random.randint(1, 3), "g0")
    key: Key = (month_of(day, None),) if kind == "month" else first[: {"date": 1, "event": 3, "round": 4, "game": 6}[kind]]
    games, events = Games(), list[EventInfo]()
    for name in names:
        ends = date.fromisoformat(day)
        start = (ends - timedelta(days=random.choice([0, 2, 25, 45, 100]))).isoformat()
        category = random.choice(candidate.categories) if system.sees_events else ""
        reads = system.reads(key, start) if system.reads_older else ()
        assert reads <= key, f"{candidate.label}: {key} reads a list after it, {reads}"
        events.append(EventInfo(f"w:e{name}", day, start if system.sees_events else "", category, reads))
        _play(random, 1 if kind == "game" else random.randint(1, 9), len(events) - 1, traits, games)
    states = {bound: next((states for at, states in lists if at >= bound), now) for bound in {event.reads for event in events}}
    frozen = {bound: list(found) for bound, found in states.items()}
    older: Callable[[Key], States] | None = frozen.__getitem__ if system.reads_older else None
    return Period(key, games, 0, len(games), events, now.copy(), older)


def _play(random: Random, number: int, event: int, traits: Sequence[Traits], games: Games) -> None:
    """Pairings at random; in half of the events one player meets all others, and some meet twice and more."""
    one = random.randrange(PLAYERS) if random.random() < 0.5 else None
    for at in range(number):
        white, black = random.sample(range(PLAYERS), 2)
        if one is not None and one not in (white, black):
            white = one
        half = random.choice([0, 1, 2])
        other = 2 - half if random.random() < 0.95 else random.choice([0, 1]) if half < 2 else 0
        rated = random.choice([WHITE | BLACK] * 8 + [WHITE, BLACK])
        games.append(white, black, half, other, rated, event, f"g{at}", traits[white], traits[black])


# ---------------------------------------------------------------------- rows


def rows_are_of_those_rated(walk: Walked) -> None:
    """A row for each player with a game that is rated for him, and for nobody else; a line for each event in which he has one."""
    for period, rows in walk.seen:
        assert set(rows) == set(_rated_in(period)), f"{period.key}: rows of {set(rows)}"
        for player, row in rows.items():
            assert [line[0] for line in row.lines] == list(dict.fromkeys(_rated_in(period)[player])), f"{period.key}: lines of {player}"


def _rated_in(period: Period) -> dict[int, list[int]]:
    """Player -> events of the games rated for him, in their order."""
    events: dict[int, list[int]] = {}
    games = period.games
    for i in range(period.low, period.high):
        for bit, player in ((WHITE, games.white[i]), (BLACK, games.black[i])):
            if games.rated[i] & bit:
                events.setdefault(player, []).append(games.event[i])
    return events


def explanations_add_up(walk: Walked) -> None:
    """What the steps add is the change from the rating before to the one of the row, exactly, who has none having 0; who has no row has no
    steps; steps speak of the player's own games and events."""
    system, per_point = walk.system, walk.candidate.per_point
    for period, rows in walk.seen:
        for player in range(PLAYERS):
            steps = system.explain(period, player)
            if player not in rows:
                assert steps == []
                continue
            before, after = (state[0] if system.rated(state) else 0 for state in (period.now[player] or system.start(), rows[player].state))
            added = sum((step.adds for step in steps if step.adds is not None), Fraction(0))
            change = Fraction(after - before, per_point)
            assert added == change, f"{period.key}, player {player}: the steps add {added}, the row {change}"
            own = {line[0] for line in rows[player].lines}
            for step in steps:
                assert "" not in (step.code, step.text), f"{step}: says nothing"
                assert step.event is None or step.event in own, f"{step}: of an event without him"
                assert step.game is None or player in (period.games.white[step.game], period.games.black[step.game])


def numbers_do_not_matter(walk: Walked, random: Random) -> None:
    """Players and events numbered in another way have the same rows."""
    for period, rows in walk.seen:
        people, events = _shuffled(random, PLAYERS), _shuffled(random, len(period.events))
        other = walk.system.rate(_renumbered(period, people, events))
        expected = {people[player]: _with_events(row, events) for player, row in rows.items()}
        assert other == expected, f"{period.key}: other rows with other numbers"


def _shuffled(random: Random, length: int) -> list[int]:
    return random.sample(range(length), length)


def _renumbered(period: Period, people: Sequence[int], events: Sequence[int]) -> Period:
    games, infos = Games(), list(period.events)
    for i in range(period.low, period.high):
        _copy(period.games, i, games, people, events)
    for number, info in enumerate(period.events):
        infos[events[number]] = info

    def states(found: States) -> list[State | None]:
        out: list[State | None] = [None] * PLAYERS
        for player in range(PLAYERS):
            out[people[player]] = found[player]
        return out

    reads = {info.reads: states(period.read(number)) for number, info in enumerate(period.events)}
    older: Callable[[Key], States] | None = reads.__getitem__ if any(reads) else None
    return Period(period.key, games, 0, len(games), infos, states(period.now), older)


def _copy(games: Games, i: int, into: Games, people: Sequence[int], events: Sequence[int]) -> None:
    into.append(
        people[games.white[i]],
        people[games.black[i]],
        games.white_half[i],
        games.black_half[i],
        games.rated[i],
        events[games.event[i]],
        games.ids[i],
        games.white_traits[i],
        games.black_traits[i],
    )


def _with_events(row: Row, events: Sequence[int]) -> Row:
    """A row with its events numbered in another way."""
    lines = tuple(line._replace(event=events[line[0]]) for line in row.lines)
    assert all(line[0] == events[old[0]] for line, old in zip(lines, row.lines, strict=True)), "the first field of a line is the event"
    return row._replace(lines=lines)


def order_does_not_matter(walk: Walked, random: Random) -> None:
    """The games of an event in another order have the same rows, unless a parameter says that they follow one."""
    if walk.candidate.follows_order:
        return
    as_they_are = list(range(PLAYERS))
    for period, rows in walk.seen:
        games, by_event = Games(), dict[int, list[int]]()
        for i in range(period.low, period.high):
            by_event.setdefault(period.games.event[i], []).append(i)
        for its in by_event.values():
            for i in random.sample(its, len(its)):
                _copy(period.games, i, games, as_they_are, list(range(len(period.events))))
        other = Period(period.key, games, 0, len(games), period.events, period.now, partial(_read, period))
        assert walk.system.rate(other) == rows, f"{period.key}: other rows in another order"


def _read(period: Period, bound: Key) -> States:
    return next(period.read(number) for number, info in enumerate(period.events) if info.reads == bound)


# ---------------------------------------------------------------------- states


def states_read_back(walk: Walked) -> None:
    """What `wire_state` shows of a state is a seed of that state, and may stand in a fact; an audit works from it."""
    system = walk.system
    for state in (*walk.states, system.start()):
        fields = system.wire_state(state)
        assert system.seed(fields) == state, f"{fields} stands for {state}, read back it is {system.seed(fields)}"
        msgspec.convert(fields, dict[ParameterName, StateValue], strict=True)
        assert len(fields) <= 32
        if system.rated(state):
            assert fields["rating"] == decimal(state[0], walk.candidate.per_point)
        assert _games(system, state) >= 0
        assert type(system.provisional(state)) is bool


def lines_are_shown(walk: Walked) -> None:
    """Lines are shown by what may stand on the wire: no floats, and no numbers of players or events."""
    for _, rows in walk.seen:
        for row in rows.values():
            for line in row.lines:
                for value in _values(walk.system.wire_line(line)):
                    assert value is None or type(value) in (str, int, bool), f"{value!r} in a line"
                assert walk.system.wire_line(line) == walk.system.wire_line(line._replace(event=line[0] + 17))


def _games(system: System, state: State) -> int:
    """How many games a state counts, as it is shown; none where its system counts none."""
    games = system.wire_state(state).get("games", 0)
    assert isinstance(games, int)
    return games


def _values(shown: object) -> Iterator[object]:
    if isinstance(shown, dict):
        for value in shown.values():
            yield from _values(value)
    elif isinstance(shown, list):
        for value in shown:
            yield from _values(value)
    else:
        yield shown


def rules_follow_each_other(walk: Walked, others: Sequence[State], random: Random) -> None:
    """States that another rule of the list has left are judged, adjusted, and become states of this rule's own: they can be read back."""
    system, candidate = walk.system, walk.candidate
    for period, _ in walk.seen:
        now: list[State | None] = [random.choice(others) for _ in range(PLAYERS)]
        older: Callable[[Key], States] | None = {event.reads: now for event in period.events}.__getitem__ if system.reads_older else None
        following = Period(period.key, period.games, period.low, period.high, period.events, now, older)
        rows = system.rate(following)
        for row in rows.values():
            assert system.seed(system.wire_state(row.state)) == row.state, f"{row.state} cannot be read back"
        explanations_add_up(Walked(candidate, system, [Seen(following, rows)]))
    for state in others:
        for kind, value in (
            ("set", candidate.values[0]),
            ("add", "25"),
            ("add", "-25"),
            *(("formula", name) for name in candidate.formulas),
        ):
            after = system.adjust(state, kind, value)
            if after is not None and after != state:
                _is_closed(system, after)


def packed_states(walk: Walked) -> dict[bytes, State]:
    """Every state packed: no two alike."""
    packed = {walk.system.pack(state): state for state in walk.states}
    assert len(packed) == len(walk.states), "two states are packed alike"
    return packed


def counters_add_up(walk: Walked, random: Random) -> None:
    """Seeds of one person: the others' order does not matter, alone a seed is itself, and what comes of them is a state like any other."""
    system = walk.system
    for _ in range(5):
        chosen, *others = random.choices([*walk.states, system.start()], k=random.randint(1, 4))
        assert system.with_counters(chosen, ()) == chosen
        summed = {system.with_counters(chosen, order) for order in permutations(others)}
        assert len(summed) == 1, f"{chosen} with {others}: {summed}, as they are ordered"
        (state,) = summed
        assert system.seed(system.wire_state(state)) == state, f"{chosen} with {others}: {state} is no state that can be read back"
        assert state[0] == chosen[0]


def adjustments_are_as_ordered(walk: Walked) -> None:
    """Unknown kinds, values and formulas give None for every state; to set a rating gives it (before the first game, where a rating
    rests on games, it is a starting value), to add moves a rating or leaves who has none; games stay, and the state is one like any other.
    """
    system, per_point = walk.system, walk.candidate.per_point
    for state in (*walk.states, system.start()):
        for kind, value in (
            ("set", "high"),
            ("set", "1500.1234567"),
            ("add", ""),
            ("formula", "unheard-of"),
            ("formula", "1500"),
            ("?", "1"),
        ):
            assert system.adjust(state, kind, value) is None, f"{kind} {value} is used for {state}"
        for value in walk.candidate.values:
            after = system.adjust(state, "set", value)
            assert after is not None, f"{value} cannot be set for {state}"
            assert system.rated(after) or not _games(system, after), f"{value} is set for {state} and is no rating"
            assert (after[0], _games(system, after)) == (int(value) * per_point, _games(system, state))
            assert system.adjust(after, "set", value) == after
            _is_closed(system, after)
        assert system.adjust(state, "add", "0") == state
        for points in (25, -25):
            after = system.adjust(state, "add", str(points))
            if after is not None and (system.rated(state) or after != state):
                assert after[0] - state[0] == points * per_point
                assert _games(system, after) == _games(system, state)
                _is_closed(system, after)
        for formula in walk.candidate.formulas:
            after = system.adjust(state, "formula", formula)
            assert after is not None
            assert system.rated(state) or after == state
            _is_closed(system, after)


def _is_closed(system: System, state: State) -> None:
    assert system.seed(system.wire_state(state)) == state, f"an adjustment gives {state}, which cannot be read back"


def parameters_are_documented(walk: Walked) -> None:
    """Each has a meaning and a default which, said aloud, changes nothing; what is not documented, or a value of no kind, is refused."""
    candidate, documented = walk.candidate, walk.system.parameters
    assert candidate.parameters.keys() <= documented.keys()
    period, rows = walk.seen[-1]
    for name, (default, meaning) in documented.items():
        assert meaning, f"{name} has no meaning"
        if not candidate.parameters:
            said = candidate.make({name: default}, candidate.per_point, candidate.kind)
            assert said.rate(period) == rows, f"{name} = {default} is not its default"
        assert _is_refused(candidate, {name: [default]}), f"{name} takes a list"
    assert _is_refused(candidate, {"unheard_of": 1}), "takes parameters that nobody knows"


def _is_refused(candidate: Candidate, more: Data) -> bool:
    try:
        candidate.make(candidate.parameters | more, candidate.per_point, candidate.kind)
    except Unusable as unusable:
        return unusable.reason == PARAMETERS
    return False


def expectations_are_scores(walk: Walked, random: Random) -> None:
    """A whole number of millionths from none to all of them, a half where both are alike, and never less for more rating."""
    system, key = walk.system, walk.seen[-1].period.key
    states = [None, system.start(), *walk.states]
    for state in states:
        traits = _traits(random, system), _traits(random, system)
        alike = expected(system, state, state, key, (traits[0], traits[0]))
        assert alike >= SCALE // 2 if walk.candidate.favours_white else alike == SCALE // 2
        other = random.choice(states)
        told = forecast(system, state, other, key, traits)
        assert type(told.expected) is int
        assert 0 <= told.expected <= SCALE
        if state is not None and system.rated(state) and (higher := system.adjust(state, "add", "25")) is not None:
            own, theirs = traits
            if walk.candidate.has_floor:  # below it another list's rating may stand in, which is higher than what is just above
                own = tuple(trait for trait in own if trait[0] != FALLBACK)
            less, more = (forecast(system, one, other, key, (own, theirs)) for one in (state, higher))
            if less.is_rated and more.is_rated:
                assert more.expected >= less.expected, f"25 points more than {state} are worth less against {other}"


def forecasts_know_no_result(walk: Walked) -> None:
    """What is expected of a game is the same whatever the results of its period; it is told from ratings if, and but for a floor only if,
    both have one, or another that stands in."""
    system = walk.system
    for period, _ in walk.seen:
        games = Games()
        games.extend(period.games, period.low, period.high)
        for at in range(len(games)):
            games.white_half[at], games.black_half[at] = games.black_half[at], games.white_half[at]
        other = Period(period.key, games, 0, len(games), period.events, period.now, period._older)
        for at in range(len(games)):
            told = system.foretell(period, period.low + at)
            assert told == system.foretell(other, at), f"{period.key}: game {at} is foretold from results"
            are_rated = all(
                system.rated(state or system.start()) or (system.fallback is not None and any(name == FALLBACK for name, _ in traits))
                for state, traits in period.sides(period.low + at)
            )
            assert told.is_rated == are_rated or (walk.candidate.has_floor and are_rated), f"{period.key}: game {at} {told.is_rated}"


def periods_end_alike(walk: Walked) -> None:
    """The same period again has the same rows, and rating it leaves what it was given as it was."""
    for period, rows in walk.seen:
        before = list(period.now) if isinstance(period.now, list) else []
        columns = _columns(period.games)
        assert walk.system.rate(period) == rows
        assert (period.now, _columns(period.games)) == (before, columns)


def _columns(games: Games) -> list[object]:
    return [list(getattr(games, name)) for name in Games.__slots__]
