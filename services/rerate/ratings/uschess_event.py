"""One event of `uschess/1`: its five steps (section 1 of the text), then limits, floors and rounding."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from rerate.ratings import uschess_states
from rerate.ratings.face import BLACK, WHITE, Period, State, Traits
from rerate.ratings.quantum import round_half_away
from rerate.ratings.uschess_formulas import (
    FLOOR,
    SPECIAL_GAMES,
    History,
    Special,
    Standard,
    Value,
    bonus_threshold,
    effective_games,
    factor,
    ratio,
    special,
    standard,
    within,
)
from rerate.ratings.uschess_rules import Rules
from rerate.ratings.uschess_states import EMPTY, ESTABLISHED, MASTER

MATCH_GAP = 400
MATCH_CHANGE = 50
RATING_LIMIT = 9_999
"""No rule: the state's width. Bonuses could inflate a closed group without end."""

_ONE_GAME = Value(1.0, 1, 1)


class Seen(NamedTuple):
    """A game as one of its players sees it."""

    number: int
    """Of the columns."""
    opponent: int
    half_points: int


@dataclass(slots=True)
class Entrant:
    """A player of the event."""

    state: State | None
    start: str
    """Where his starting value comes from; empty if he has a rating."""
    value: Value
    """R0."""
    games: int
    """N."""
    history: History
    effective: Value
    """N'."""
    played: list[Seen] = field(default_factory=list)
    """His games that count for him."""
    uncounted: list[tuple[Seen, str]] = field(default_factory=list)
    """His other games, and why they do not count: `provisional`, `gap`."""
    half_points: int = 0
    special: bool = False
    """Whether the special formula is his."""
    threshold: float | None = None
    """What his change must exceed for a bonus; None: there is none."""
    k: float = 0.0
    floor: int = FLOOR
    counted: State = EMPTY
    """His state with the event's games counted."""


class Result(NamedTuple):
    """Of step 4 or step 5."""

    formula: Special | Standard
    value: Value
    """Not below the floor, if floors hold in both."""


class Rated(NamedTuple):
    """An event rated: by player, what he is taken for in step 4 and in step 5, and his results of both steps."""

    entrants: dict[int, Entrant]
    """In no meaningful order. Who has no game here has no row."""
    estimates: dict[int, Value]
    intermediate: dict[int, Value]
    first: dict[int, Result]
    last: dict[int, Result]


class Final(NamedTuple):
    """From the result of step 5 to the new state."""

    limited: Value
    """Within a match's limit."""
    floored: Value
    state: State


def rate_event(rules: Rules, period: Period) -> Rated:
    """The five steps. No sum in them depends on an order of games or players."""
    entrants = _enter(rules, period)
    event = period.events[period.games.event[period.low]]
    playing = [(player, entrant) for player, entrant in entrants.items() if entrant.played]
    estimates = {player: entrant.value for player, entrant in entrants.items()}
    intermediate = dict(estimates)
    for _, entrant in playing:
        _prepare(rules, entrant, event.end, event.category)
    before = dict(estimates)
    for player, entrant in playing:
        if entrant.games == 0:
            estimates[player] = _special(rules, entrant, _ONE_GAME, before).value
    first = {player: _step(rules, entrant, estimates) for player, entrant in playing}
    for player, result in first.items():
        intermediate[player] = result.value
    last = {player: _step(rules, entrant, intermediate) for player, entrant in playing}
    return Rated(entrants, estimates, intermediate, first, last)


def conclude(rules: Rules, entrant: Entrant, result: Result | None, category: str) -> Final:
    """Match limit, floor, one rounding, and the state after the event."""
    if result is None:
        return Final(entrant.value, entrant.value, entrant.state or EMPTY)
    limited = result.formula.value
    if rules.is_match(category):
        _, top, bottom = entrant.value
        limited = within(limited, ratio(top - MATCH_CHANGE * bottom, bottom), ratio(top + MATCH_CHANGE * bottom, bottom))
    floored = within(limited, ratio(entrant.floor, 1), ratio(RATING_LIMIT, 1))
    quanta = round_half_away(floored.top * rules.per_point, floored.bottom)
    return Final(limited, floored, uschess_states.rated(entrant.counted, quanta, rules.per_point, rules.peak_rounded))


def fraction(value: Value) -> Fraction:
    return Fraction(value.top, value.bottom)


def _enter(rules: Rules, period: Period) -> dict[int, Entrant]:
    """Steps 1 and 2, and who played whom."""
    games, event = period.games, period.events[period.games.event[period.low]]
    states = period.read(games.event[period.low])
    is_match = rules.is_match(event.category)
    entrants: dict[int, Entrant] = {}
    for i in range(period.low, period.high):
        white, black, rated = games.white[i], games.black[i], games.rated[i]
        if white not in entrants:
            entrants[white] = _entrant(rules, states[white], games.white_traits[i], event.end)
        if black not in entrants:
            entrants[black] = _entrant(rules, states[black], games.black_traits[i], event.end)
        why = _why_not(entrants[white], entrants[black]) if is_match else ""
        for bit, me, seen in (
            (WHITE, white, Seen(i, black, games.white_half[i])),
            (BLACK, black, Seen(i, white, games.black_half[i])),
        ):
            if rated & bit and why:
                entrants[me].uncounted.append((seen, why))
            elif rated & bit:
                entrants[me].played.append(seen)
    return entrants


def _entrant(rules: Rules, state: State | None, traits: Traits, end: str) -> Entrant:
    if state is not None and state[0]:
        quanta, games, dropped, scored = state[:4]
        value = ratio(quanta, rules.per_point)
        history: History = "mixed" if not games or (dropped and scored) else "lost" if dropped else "won"
        return Entrant(state, "", value, games, history, effective_games(value, games))
    start, value, games = rules.starting_value(dict(traits), end)
    return Entrant(state, start, value, games, "mixed", effective_games(value, games))


def _why_not(white: Entrant, black: Entrant) -> str:
    """Why a game of a match does not count; empty if it does."""
    if white.games <= ESTABLISHED or black.games <= ESTABLISHED:
        return "provisional"
    return "gap" if abs(fraction(white.value) - fraction(black.value)) > MATCH_GAP else ""


def _prepare(rules: Rules, entrant: Entrant, end: str, category: str) -> None:
    """What both passes use of an entrant who has games that count."""
    halves = [seen.half_points for seen in entrant.played]
    m = len(halves)
    entrant.half_points = sum(halves)
    entrant.special = entrant.games <= SPECIAL_GAMES or entrant.history != "mixed"
    if not entrant.special:
        entrant.k = factor(entrant.value, entrant.effective, m, rules.is_dual(category))
    if not entrant.special and m >= 3 and not rules.is_match(category):
        most_met = max(Counter(seen.opponent for seen in entrant.played).values())
        if most_met <= (1 if m == 3 and rules.three_distinct else 2):
            entrant.threshold = bonus_threshold(rules.bonus(end), m)
    state = entrant.state or EMPTY
    if not state[0] and entrant.games:
        state = (0, entrant.games, 1, 1, *state[4:])  # a converted rating that stands for games is neither all won nor all lost
    as_master = entrant.value.near >= MASTER and (rules.any_master or entrant.games > ESTABLISHED)
    entrant.counted = uschess_states.counted(state, halves, as_master)
    if rules.match_floors or not rules.is_match(category):
        entrant.floor = uschess_states.floor(entrant.counted)


def _step(rules: Rules, entrant: Entrant, others: Mapping[int, Value]) -> Result:
    """Steps 4 and 5 for one player: by his formula from R0, the others being taken for these values."""
    formula: Special | Standard
    if entrant.special:
        formula = _special(rules, entrant, entrant.effective, others)
    else:
        opponents = [others[seen.opponent] for seen in entrant.played]
        formula = standard(entrant.value, entrant.k, opponents, entrant.half_points, entrant.threshold)
    value = formula.value
    if rules.floors_twice and value.near < entrant.floor:
        value = ratio(entrant.floor, 1)
    return Result(formula, value)


def _special(rules: Rules, entrant: Entrant, effective: Value, others: Mapping[int, Value]) -> Special:
    opponents = [others[seen.opponent] for seen in entrant.played]
    return special(entrant.value, effective, entrant.history, opponents, entrant.half_points, rules.limit_mean)
