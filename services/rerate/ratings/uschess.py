"""`uschess/1`: the US Chess rating system (Glickman and Doan), as its text of 2 September 2020 has it and with the constants since.

Every period is one event, rated in five steps: starting values of the unrated, effective numbers of games, a first estimate of the unrated,
an intermediate rating of everybody against these, and from the rating before the event again against the intermediate ratings of the
opponents. So a result moves third persons of the same event. Everything inside an event is exact or a double; a rating is rounded once, at
the end, half away from zero to the list's quantum. What the published text leaves open is a parameter, its default named in `PARAMETERS`.

A match (an event of `match_category`) rates games between established players at most 400 points apart, without a bonus, and moves nobody
by more than 50 points. Limits on matches over 180 days are not part of this version: they would need a player's past matches in his state.
A floor for a money prize comes by a seed alone.

A rule that came into force backwards (B = 10, introduced in June 2025 for events from 1 January on) is a rule of the list dated back.

The rooms: `uschess_formulas` (arithmetic), `uschess_rules` (parameters, starting values), `uschess_states`, `uschess_event` (the five
steps) and `uschess_words` (explanations).
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rerate.ratings import uschess_states
from rerate.ratings.expected import expected_score
from rerate.ratings.face import Forecast, Period, Row, State, Step, Traits, Usual
from rerate.ratings.quantum import halves, round_half_away
from rerate.ratings.uschess_event import Entrant, Rated, conclude, fraction, rate_event
from rerate.ratings.uschess_formulas import Standard, Value
from rerate.ratings.uschess_rules import PARAMETERS, bound
from rerate.ratings.uschess_words import explain_event, millionths

__all__ = ["NAME", "PARAMETERS", "USChess"]

NAME = "uschess/1"


class Line(NamedTuple):
    """What the event contributed to a player's row. Numbers with a fraction are millionths."""

    event: int
    start: str
    """Where the starting value of an unrated player comes from (`Rules.starting_value`); empty if he has a rating."""
    rating: int
    """R0: rating before, or starting value."""
    games: int
    """N: earlier games, up to 50."""
    effective: int
    """N'."""
    played: int
    """m: games that count."""
    uncounted: int
    """Games that do not: of a match, with a provisional player or beyond 400 points."""
    half_points: int
    formula: str
    """`special`, `standard`, or `none` if no game counts."""
    first: int
    """Intermediate rating (step 4)."""
    expected: int
    """Standard formula: sum of the expectancies."""
    k: int
    bonus: int
    result: int
    """What the formula gave in step 5, before a match's limit, floor and rounding."""
    floor: int
    """In whole points."""


class USChess(Usual):
    """The US Chess system with its parameters, over whole numbers of a quantum."""

    name = NAME
    parameters = PARAMETERS
    needs_whole_events = True
    layout = uschess_states.LAYOUT

    def __init__(self, parameters: Mapping[str, object], per_point: int, period: str) -> None:
        self.per_point = per_point
        self._rules = bound(parameters, per_point, period)
        self.sees_events = bool(self._rules.dual or self._rules.match)
        self.traits = self._rules.traits
        self._expected = expected_score(per_point)

    def start(self) -> State:
        """No rating: a newcomer's starting value is worked out in his first event."""
        return uschess_states.EMPTY

    def seed(self, fields: Mapping[str, object], as_of: str = "") -> State | None:
        """A seed is {rating, games} and, where known, {dropped, scored, floor_points, peak, master_games, prize_floor}.

        Ratings are decimal strings of the list's quantum; the rating is 100 or more, a prize floor a whole hundred up to 2200, and "0" is
        no peak and no prize floor. With 0 games the rating is a starting value. `dropped` and `scored` say that some game was not won, and
        not lost: both true if left out. An established player's peak is not below his rating.
        """
        return uschess_states.seed(fields, self.per_point, self._rules.peak_rounded)

    def with_counters(self, chosen: State, others: Sequence[State]) -> State:
        return uschess_states.with_counters(chosen, others, self.per_point, self._rules.peak_rounded)

    def foretell(self, period: Period, game: int) -> Forecast:
        """See `System.foretell`: the logistic expectancy for everybody; who has no rating is taken at his starting value."""
        sides = [(state or uschess_states.EMPTY, traits) for state, traits in period.sides(game)]
        own, other = (state[0] or self._starting(traits, str(period.key[0])) for state, traits in sides)
        return Forecast(self._expected(own - other), all(self.rated(state) for state, _ in sides))

    def _starting(self, traits: Traits, date: str) -> int:
        """The starting value of a newcomer of these traits, quanta."""
        value = fraction(self._rules.starting_value(dict(traits), date)[1]) * self.per_point
        return round_half_away(value.numerator, value.denominator)

    def adjust(self, state: State, kind: str, value: str, date: str = "") -> State | None:
        """See `System.adjust`. There is no formula."""
        return uschess_states.adjusted(state, kind, value, self.per_point, self._rules.peak_rounded)

    def rate(self, period: Period) -> dict[int, Row]:
        event = period.games.event[period.low]
        category = period.events[event].category
        rated = rate_event(self._rules, period)
        return {
            player: Row(conclude(self._rules, entrant, rated.last.get(player), category).state, (_line(event, player, entrant, rated),))
            for player, entrant in rated.entrants.items()
            if entrant.played or entrant.uncounted
        }

    def explain(self, period: Period, player: int) -> list[Step]:
        return explain_event(self._rules, period, player)

    def pack(self, state: State) -> bytes:
        return uschess_states.pack(state)

    def rated(self, state: State) -> bool:
        return state[1] > 0

    def provisional(self, state: State) -> bool:
        return state[1] <= uschess_states.ESTABLISHED

    def wire_state(self, state: State) -> dict[str, object]:
        return uschess_states.wire(state, self.per_point)

    def wire_line(self, line: Line) -> dict[str, object]:
        shown: dict[str, object] = {
            "rating": millionths(line.rating),
            "games_before": line.games,
            "effective_games": millionths(line.effective),
            "games": line.played,
            "score": halves(line.half_points),
            "formula": line.formula,
        }
        if line.start:
            shown["start"] = line.start
        if line.uncounted:
            shown["uncounted"] = line.uncounted
        if line.formula == "standard":
            shown |= {"expected": millionths(line.expected), "k": millionths(line.k), "bonus": millionths(line.bonus)}
        if line.formula != "none":
            shown |= {"first_pass": millionths(line.first), "result": millionths(line.result), "floor": line.floor}
        return shown


def _line(event: int, player: int, entrant: Entrant, rated: Rated) -> Line:
    first, last = rated.first.get(player), rated.last.get(player)
    formula = last.formula if last is not None else None
    standard = formula if isinstance(formula, Standard) else None
    return Line(
        event,
        entrant.start,
        _ratio(entrant.value),
        entrant.games,
        _ratio(entrant.effective),
        len(entrant.played),
        len(entrant.uncounted),
        entrant.half_points,
        "none" if formula is None else "special" if standard is None else "standard",
        _ratio(first.value if first is not None else entrant.value),
        _double(standard.expected) if standard is not None else 0,
        _double(standard.k) if standard is not None else 0,
        _double(standard.bonus) if standard is not None else 0,
        _ratio(formula.value if formula is not None else entrant.value),
        entrant.floor,
    )


def _ratio(value: Value) -> int:
    return round_half_away(value.top * 1_000_000, value.bottom)


def _double(number: float) -> int:
    top, bottom = number.as_integer_ratio()
    return round_half_away(top * 1_000_000, bottom)
