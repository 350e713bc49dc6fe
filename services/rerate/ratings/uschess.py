"""`uschess/1`: the US Chess rating system (Glickman and Doan), as its text of 2 September 2020 has it and with the constants since.

Every period is one event, rated in five steps: starting values of the unrated, effective numbers of games, a first estimate of the unrated,
an intermediate rating of everybody against these, and from the rating before the event again against the intermediate ratings of the
opponents. So a result moves third persons of the same event. Everything inside an event is exact or a double; a rating is rounded once, at
the end, half away from zero to the list's quantum. What the published text leaves open is a parameter, its default named in `PARAMETERS`.

A match (an event of `match_category`) rates games between established players at most 400 points apart, without a bonus, and moves nobody
by more than 50 points. Limits on matches over 180 days are not part of this version: they would need a player's past matches in his state.
A floor for a money prize comes by a seed alone.

State: rating (i32 quanta; 0 for who has none), games (u8, up to 50), whether some game was not won and some not lost (u8 each), floor
points (u8, up to 50: 4 for a win, 2 for a draw, 1 for an event of three games), peak (u8: highest established rating cut down to hundreds,
14 to 23, else 0: its floor knows no more), master games (u16, up to 300: games at 2200 or more), prize floor (u8, hundreds).
"""

import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from typing import NamedTuple, TypeGuard

from rerate.messages.codes import PARAMETERS as PARAMETERS_REFUSED
from rerate.messages.facts import Event
from rerate.ratings.expected import expected_score
from rerate.ratings.face import BLACK, WHITE, Key, Period, Row, State, Step, Traits, Unusable, placed_month
from rerate.ratings.quantum import decimal, quanta_of, round_half_away
from rerate.ratings.uschess_formulas import (
    FLOOR,
    MOST_GAMES,
    SPECIAL_GAMES,
    History,
    Special,
    Standard,
    Value,
    age_rating,
    bonus_constant,
    bonus_threshold,
    effective_games,
    established_floor,
    expectancy,
    factor,
    from_fide,
    personal_floor,
    provisional_expectancy,
    ratio,
    special,
    standard,
)

NAME = "uschess/1"
PERIODS = frozenset({"event"})

PARAMETERS: dict[str, tuple[str | int, str]] = {
    "bonus": ("table", "B of the bonus: table: by the last day of the event (12, from 2017-05-01 14, 2023-02-01 12, 2025-01-01 10); or a "
              "constant, a decimal string 0 to 1,000"),
    "bonus_three": ("twice", "in an event of three games a bonus needs: twice: nobody met more than twice; distinct: three opponents"),
    "start": ("1300", "starting value of who is over 26 or of unknown age, a decimal string of the list's quantum, 100 to 4,000"),
    "start_order": ("fide", "which starting value goes first: fide: the converted one; us: the one of another US Chess list"),
    "age_by": ("years", "years: whole years; days: days / 365.25, for who has a birth_date"),
    "fide_edition": ("2025", "conversion from FIDE: 2025, old, or none"),
    "fide_trait": ("fide", "name of the trait with a FIDE rating"),
    "us_trait": ("us_chess", "name of the trait with a rating on another US Chess list, taken as it is"),
    "conversion_games": ("none", "none: a converted starting value stands for no games; text: for 5, over FIDE 2150 for 10"),
    "flat_stretch": ("prior", "special formula solved by an interval with nobody near: prior: R0 limited to it; mean: M limited to it"),
    "floors": ("last", "last: floors limit the result of the event; both: its intermediate ratings too"),
    "peak_rounded": ("no", "yes: the highest established rating is rounded to a whole number before its floor is taken"),
    "life_master": ("established", "which games at 2200 or more count to the 300: established: with an established rating; any"),
    "dual_category": ("", "category of dual-rated events, a word; by default none is"),
    "match_category": ("", "category of matches, a word; by default none is"),
    "match_floors": ("yes", "yes or no: whether floors hold in a match"),
}  # fmt: skip
"""Every parameter with its default and meaning."""

ESTABLISHED = 25
"""Established with more games than this."""
MASTER = 2_200
MASTER_GAMES = 300
"""So many games at `MASTER` or more make a floor of `MASTER`."""
MATCH_GAP = 400
MATCH_CHANGE = 50
MOST_POINTS = 50
MOST_PEAK = 23
RATING_LIMIT = 9_999
"""No rule: the state's width. Bonuses could inflate a closed group without end."""

_STATE = struct.Struct(">iBBBBBHB")
_EMPTY: State = (0, 0, 0, 0, 0, 0, 0, 0)
_NO_GAMES = Value(0.0, 0, 1)
_ONE_GAME = Value(1.0, 1, 1)
_CHOICES = {
    "bonus_three": ("twice", "distinct"),
    "start_order": ("fide", "us"),
    "age_by": ("years", "days"),
    "fide_edition": ("2025", "old", "none"),
    "conversion_games": ("none", "text"),
    "flat_stretch": ("prior", "mean"),
    "floors": ("last", "both"),
    "peak_rounded": ("no", "yes"),
    "life_master": ("established", "any"),
    "match_floors": ("yes", "no"),
}
_TRAIT = re.compile(r"[a-z][a-z0-9_]{0,39}\Z")
_CATEGORY = re.compile(r"[a-z0-9-]{1,40}\Z")
_WORDS = {"fide_trait": _TRAIT, "us_trait": _TRAIT, "dual_category": _CATEGORY, "match_category": _CATEGORY}


class Line(NamedTuple):
    """What the event contributed to a player's row. Numbers are millionths."""

    event: int
    start: str
    """Where the starting value of an unrated player comes from: `fide`, `us`, `birth_date`, `birth_year`, `unknown`; else empty."""
    rating: int
    """Rating before, or starting value."""
    games: int
    """Earlier games, up to 50."""
    effective: int
    """N'."""
    played: int
    """m: games that count."""
    half_points: int
    formula: str
    """`special`, `standard`, or `none` if no game counts."""
    first: int
    """Intermediate rating."""
    expected: int
    """Standard formula: sum of the expectancies."""
    k: int
    bonus: int
    result: int
    """What the formula gave, before limits, floors and rounding."""
    floor: int
    """In whole points."""


class _Game(NamedTuple):
    """A game as one of its players sees it."""

    number: int
    opponent: int
    half_points: int


@dataclass(slots=True)
class _Entrant:
    """A player of the event."""

    state: State | None
    start: str
    value: Value
    """R0."""
    games: int
    """N."""
    history: History
    effective: Value
    played: list[_Game] = field(default_factory=list)
    """The games that count for him."""
    uncounted: list[tuple[_Game, str]] = field(default_factory=list)
    has_row: bool = False


class _Result(NamedTuple):
    formula: Special | Standard
    value: Value
    """With a floor, if floors hold in both passes."""


class _Passes(NamedTuple):
    """An event rated: by player, what the others are taken for in step 4 and in step 5, and the result of both steps."""

    entrants: dict[int, _Entrant]
    estimates: dict[int, Value]
    intermediate: dict[int, Value]
    first: dict[int, _Result]
    last: dict[int, _Result]


class _Final(NamedTuple):
    """From the result of step 5 to the new state."""

    limited: Fraction
    """The result within a match's limit."""
    floored: Fraction
    floor: int
    quanta: int
    state: State


class USChess:
    """The US Chess system with its parameters, over whole numbers of a quantum."""

    name = NAME
    layout = "uschess/1: rating i32, games u8, dropped u8, scored u8, floor points u8, peak u8, master games u16, prize floor u8"
    reads_older = False

    def __init__(self, parameters: Mapping[str, object], per_point: int, period: str) -> None:
        if per_point == 1 or period not in PERIODS or not parameters.keys() <= PARAMETERS.keys():
            raise Unusable(PARAMETERS_REFUSED)
        given = {name: parameters.get(name, default) for name, (default, _) in PARAMETERS.items()}
        for name, choices in _CHOICES.items():
            if given[name] not in choices:
                raise Unusable(PARAMETERS_REFUSED)
        for name, pattern in _WORDS.items():
            word = given[name]
            if name in parameters and not (isinstance(word, str) and pattern.match(word)):
                raise Unusable(PARAMETERS_REFUSED)
        self.per_point = per_point
        start = given["start"]
        quanta = quanta_of(start, per_point) if isinstance(start, str) else None
        if quanta is None or not FLOOR * per_point <= quanta <= 4_000 * per_point:
            raise Unusable(PARAMETERS_REFUSED)
        self._start: State = (quanta, *_EMPTY[1:])
        self._bonus = None if given["bonus"] == "table" else _constant(given["bonus"])
        self._three_distinct = given["bonus_three"] == "distinct"
        self._us_first = given["start_order"] == "us"
        self._by_days = given["age_by"] == "days"
        self._edition = str(given["fide_edition"])
        self._fide_trait, self._us_trait = str(given["fide_trait"]), str(given["us_trait"])
        self._converted_games = given["conversion_games"] == "text"
        self._limit_mean = given["flat_stretch"] == "mean"
        self._floors_twice = given["floors"] == "both"
        self._peak_rounded = given["peak_rounded"] == "yes"
        self._any_master = given["life_master"] == "any"
        self._dual, self._match = given["dual_category"], given["match_category"]
        self._match_floors = given["match_floors"] == "yes"
        self.sees_events = bool(self._dual or self._match)
        self.traits = frozenset({"birth_date", "birth_year", self._us_trait} | ({self._fide_trait} if self._edition != "none" else set()))
        self._expected = expected_score(per_point)

    def month(self, event: Event, date: str, closing_day: int | None) -> str | None:
        return placed_month(event, date, closing_day)

    def reads(self, key: Key, start: str) -> Key:
        return key

    def start(self) -> State:
        """A newcomer of unknown age. Starting values by age and conversion are worked out in the event."""
        return self._start

    def seed(self, fields: Mapping[str, object]) -> State | None:
        """A seed is {rating, games} and, where known, {dropped, scored, floor_points, peak, master_games, prize_floor}.

        rating, peak and prize_floor are decimal strings of the list's quantum, from 100 on; a prize floor is a whole hundred up to 2200.
        With 0 games the rating is a starting value. `dropped` and `scored` say that some game was not won, and not lost; both are taken for
        true if left out.
        """
        if not {"rating", "games"} <= fields.keys() <= {"rating", "games", *_SEED_DEFAULTS}:
            return None
        filled = {**_SEED_DEFAULTS, **fields}
        rating, games = self._quanta(filled["rating"]), filled["games"]
        dropped, scored = filled["dropped"], filled["scored"]
        points, master_games = filled["floor_points"], filled["master_games"]
        if rating is None or not isinstance(dropped, bool) or not isinstance(scored, bool):
            return None
        if not (_is_count(games) and _is_count(points) and _is_count(master_games)):
            return None
        if games and not (dropped or scored):
            return None  # a game is not won or not lost
        peak = prize = 0
        if "peak" in fields:
            highest = self._quanta(fields["peak"])
            if highest is None:
                return None
            peak = self._peak(highest)
        if "prize_floor" in fields:
            given = self._quanta(fields["prize_floor"])
            if given is None or given % (100 * self.per_point) or given > MASTER * self.per_point:
                return None
            prize = given // (100 * self.per_point)
        return (
            rating,
            min(games, MOST_GAMES),
            int(dropped and games > 0),
            int(scored and games > 0),
            min(points, MOST_POINTS),
            peak,
            min(master_games, MASTER_GAMES),
            prize,
        )

    def with_counters(self, chosen: State, others: Sequence[State]) -> State:
        """Counters added up to their cap, latches or-ed; of peaks and prize floors the highest."""
        rating, games, dropped, scored, points, peak, master_games, prize = chosen
        for _, games_2, dropped_2, scored_2, points_2, peak_2, master_games_2, prize_2 in others:
            games = min(MOST_GAMES, games + games_2)
            dropped, scored = dropped | dropped_2, scored | scored_2
            points = min(MOST_POINTS, points + points_2)
            peak, prize = max(peak, peak_2), max(prize, prize_2)
            master_games = min(MASTER_GAMES, master_games + master_games_2)
        return (rating, games, dropped, scored, points, peak, master_games, prize)

    def expected(self, white: State | None, black: State | None, key: Key) -> int:
        """White's expected score in millionths by the logistic expectancy, before a game in the period of this key."""
        own, other = (state[0] if state is not None and state[0] else self._start[0] for state in (white, black))
        return self._expected(own - other)

    # ------------------------------------------------------------------ rating an event

    def rate(self, period: Period) -> dict[int, Row]:
        passes = self._passes(period)
        event = period.games.event[period.low]
        category = period.events[event].category
        return {
            me: Row(self._final(entrant, passes.last.get(me), category).state, (self._line(event, category, me, passes),))
            for me, entrant in passes.entrants.items()
            if entrant.has_row
        }

    def _passes(self, period: Period) -> _Passes:
        """Steps 1 to 5 of one event."""
        games, event = period.games, period.events[period.games.event[period.low]]
        states = period.read(games.event[period.low])
        entrants: dict[int, _Entrant] = {}
        for i in range(period.low, period.high):
            sides = ((games.white[i], games.white_traits[i]), (games.black[i], games.black_traits[i]))
            for player, traits in sides:
                if player not in entrants:
                    entrants[player] = self._entrant(states[player], traits, event.end)
            (white, _), (black, _) = sides
            why = self._why_not(entrants[white], entrants[black], event.category)
            for bit, me, opponent, half_points in ((WHITE, white, black, games.white_half[i]), (BLACK, black, white, games.black_half[i])):
                if games.rated[i] & bit:
                    entrant, game = entrants[me], _Game(i, opponent, half_points)
                    entrant.has_row = True
                    if why:
                        entrant.uncounted.append((game, why))
                    else:
                        entrant.played.append(game)
        before = {player: entrant.value for player, entrant in entrants.items()}
        estimates, intermediate = dict(before), dict(before)
        playing = [(player, entrant) for player, entrant in entrants.items() if entrant.played]
        for player, entrant in playing:
            if entrant.games == 0:
                estimates[player] = self._special(entrant, _ONE_GAME, before).value
        first = {player: self._step(entrant, estimates, event.end, event.category) for player, entrant in playing}
        intermediate.update((player, result.value) for player, result in first.items())
        last = {player: self._step(entrant, intermediate, event.end, event.category) for player, entrant in playing}
        return _Passes(entrants, estimates, intermediate, first, last)

    def _entrant(self, state: State | None, traits: Traits, end: str) -> _Entrant:
        """Steps 1 and 2."""
        if state is not None and state[0]:
            quanta, games, dropped, scored = state[:4]
            value = ratio(quanta, self.per_point)
            history: History = "mixed" if not games or (dropped and scored) else "lost" if dropped else "won"
            return _Entrant(state, "", value, games, history, effective_games(value, games))
        start, value, games = self._starting_value(dict(traits), end)
        return _Entrant(state, start, value, games, "mixed", effective_games(value, games))

    def _starting_value(self, traits: Mapping[str, str | int | bool], end: str) -> tuple[str, Value, int]:
        """Step 1 (section 2): where the value is from, the value, and for how many games it stands."""
        fide, listed = _trait_rating(traits.get(self._fide_trait)), _trait_rating(traits.get(self._us_trait))
        if listed is not None and (self._us_first or fide is None or self._edition == "none"):
            return "us", listed, 0
        if fide is not None and self._edition != "none":
            converted = from_fide(fide, self._edition)
            value = converted if converted.top >= FLOOR * converted.bottom else ratio(FLOOR, 1)
            return "fide", value, (10 if fide.near > 2_150 else 5) if self._converted_games else 0
        otherwise = ratio(self._start[0], self.per_point)
        born = _birth_date(traits.get("birth_date"))
        if born is not None:
            last = date.fromisoformat(end)
            if born <= last:
                if self._by_days:
                    return "birth_date", age_rating((last - born).days * 4, 1_461) or otherwise, 0
                return (
                    "birth_date",
                    age_rating(last.year - born.year - ((last.month, last.day) < (born.month, born.day)), 1) or otherwise,
                    0,
                )
        year = _whole(traits.get("birth_year"))
        if year is not None and 0 <= int(end[:4]) - year < 150:
            return "birth_year", age_rating(int(end[:4]) - year, 1) or otherwise, 0
        return "unknown", otherwise, 0

    def _why_not(self, white: _Entrant, black: _Entrant, category: str) -> str:
        """Why a game does not count; empty if it does. Only a match asks."""
        if not self._match or category != self._match:
            return ""
        if white.games <= ESTABLISHED or black.games <= ESTABLISHED:
            return "provisional"
        gap = Fraction(white.value.top, white.value.bottom) - Fraction(black.value.top, black.value.bottom)
        return "gap" if abs(gap) > MATCH_GAP else ""

    def _step(self, entrant: _Entrant, others: Mapping[int, Value], end: str, category: str) -> _Result:
        """Steps 4 and 5 for one player: the formula of his kind from R0, the others being taken for these values."""
        formula: Special | Standard
        if entrant.games <= SPECIAL_GAMES or entrant.history != "mixed":
            formula = self._special(entrant, entrant.effective, others)
        else:
            k = factor(entrant.value, entrant.effective, len(entrant.played), self._is_dual(category))
            threshold = self._threshold(entrant, end, category)
            formula = standard(entrant.value, k, [others[game.opponent] for game in entrant.played], _half_points(entrant), threshold)
        value = formula.value
        if self._floors_twice and value.near < (floor := self._floor(entrant, category)):
            value = ratio(floor, 1)
        return _Result(formula, value)

    def _special(self, entrant: _Entrant, effective: Value, others: Mapping[int, Value]) -> Special:
        opponents = [others[game.opponent] for game in entrant.played]
        return special(entrant.value, effective, entrant.history, opponents, _half_points(entrant), self._limit_mean)

    def _is_dual(self, category: str) -> bool:
        return bool(self._dual) and category == self._dual

    def _is_match(self, category: str) -> bool:
        return bool(self._match) and category == self._match

    def _threshold(self, entrant: _Entrant, end: str, category: str) -> float | None:
        """What the change must exceed for a bonus; None if there is none: fewer than three games, somebody met too often, or a match."""
        played = len(entrant.played)
        if played < 3 or self._is_match(category):
            return None
        met: dict[int, int] = {}
        for game in entrant.played:
            met[game.opponent] = met.get(game.opponent, 0) + 1
        if max(met.values()) > (1 if played == 3 and self._three_distinct else 2):
            return None
        return bonus_threshold(bonus_constant(end) if self._bonus is None else self._bonus, played)

    # ------------------------------------------------------------------ from the result to the state

    def _counted(self, entrant: _Entrant) -> State:
        """The state with the event's games counted, the rating and the peak as before."""
        state = entrant.state or _EMPTY
        dropped, scored = (state[2], state[3]) if state[0] or not entrant.games else (1, 1)
        points, master_games = state[4], state[6]
        halves = [game.half_points for game in entrant.played]
        points += 4 * halves.count(2) + 2 * halves.count(1) + (len(halves) >= 3)
        if entrant.value.near >= MASTER and (self._any_master or entrant.games > ESTABLISHED):
            master_games += len(halves)
        return (
            state[0],
            min(MOST_GAMES, entrant.games + len(halves)),
            int(dropped or any(half < 2 for half in halves)),
            int(scored or any(half > 0 for half in halves)),
            min(MOST_POINTS, points),
            state[5],
            min(MASTER_GAMES, master_games),
            state[7],
        )

    def _floor(self, entrant: _Entrant, category: str) -> int:
        """His floor (section 5), the event's games counted: the highest of the personal, established, life master's and prize floor."""
        if self._is_match(category) and not self._match_floors:
            return FLOOR
        _, _, _, _, points, peak, master_games, prize = self._counted(entrant)
        master = MASTER if master_games >= MASTER_GAMES else 0
        return max(personal_floor(points), established_floor(peak), master, 100 * prize)

    def _final(self, entrant: _Entrant, result: _Result | None, category: str) -> _Final:
        """Match limit, floor, rounding, and the state after the event."""
        if result is None:
            state = entrant.state or _EMPTY
            return _Final(_exact(entrant.value), _exact(entrant.value), FLOOR, state[0], state)
        limited = _exact(result.formula.value)
        if self._is_match(category):
            before = _exact(entrant.value)
            limited = max(before - MATCH_CHANGE, min(limited, before + MATCH_CHANGE))
        floor = self._floor(entrant, category)
        floored = min(max(limited, Fraction(floor)), Fraction(RATING_LIMIT))
        quanta = round_half_away(floored.numerator * self.per_point, floored.denominator)
        _, games, dropped, scored, points, peak, master_games, prize = self._counted(entrant)
        if games > ESTABLISHED:
            peak = max(peak, self._peak(quanta))
        return _Final(limited, floored, floor, quanta, (quanta, games, dropped, scored, points, peak, master_games, prize))

    def _peak(self, quanta: int) -> int:
        """A highest established rating in hundreds, 14 to 23, 0 below."""
        points = round_half_away(quanta, self.per_point) if self._peak_rounded else quanta // self.per_point
        return min(points // 100, MOST_PEAK) if points >= 1_400 else 0

    def _line(self, event: int, category: str, me: int, passes: _Passes) -> Line:
        entrant, first, last = passes.entrants[me], passes.first.get(me), passes.last.get(me)
        formula = last.formula if last else None
        by_standard = formula if isinstance(formula, Standard) else None
        return Line(
            event,
            entrant.start,
            _of_value(entrant.value),
            entrant.games,
            _of_value(entrant.effective),
            len(entrant.played),
            _half_points(entrant),
            "none" if formula is None else "standard" if by_standard else "special",
            _of_value(first.value if first else entrant.value),
            _of_double(by_standard.expected) if by_standard else 0,
            _of_double(by_standard.k) if by_standard else 0,
            _of_double(by_standard.bonus) if by_standard else 0,
            _of_value(formula.value if formula else entrant.value),
            self._floor(entrant, category) if formula else 0,
        )

    # ------------------------------------------------------------------ explaining

    def explain(self, period: Period, player: int) -> list[Step]:
        passes = self._passes(period)
        entrant = passes.entrants.get(player)
        if entrant is None or not entrant.has_row:
            return []
        event = period.games.event[period.low]
        about = period.events[event]
        steps = [*self._explain_before(entrant, event)]
        result = passes.last.get(player)
        for game, why in entrant.uncounted:
            text = "one of the two is provisional" if why == "provisional" else f"the two are more than {MATCH_GAP} points apart"
            steps.append(Step("not-counted", f"A game of a match does not count: {text}.", _source("matches"), event, game.number))
        if result is None:
            return [step._replace(adds=None) for step in steps]
        if isinstance(result.formula, Standard):
            steps += self._explain_standard(entrant, passes, result.formula, event, about.end, about.category)
        else:
            steps += self._explain_special(entrant, passes, result.formula, event)
        final = self._final(entrant, result, about.category)
        reached, before = _exact(result.formula.value), _exact(entrant.value)
        so_far = _sum(steps) + Fraction(self._origin(entrant), self.per_point)
        if final.limited != reached:
            text = f"A match moves nobody by more than {MATCH_CHANGE} points: {_shown(final.limited)} instead of {_shown(reached)}."
            steps.append(Step("match-limit", text, _source("matches"), event, adds=final.limited - reached))
            so_far += final.limited - reached
        if final.floored > final.limited:
            text = f"The floor is {final.floor}: {final.floor} instead of {_shown(final.limited)}."
            steps.append(Step("floor", text, _source("5"), event, adds=final.floored - final.limited))
            so_far += final.floored - final.limited
        elif final.floored < final.limited:
            text = f"No rating is kept above {RATING_LIMIT}."
            steps.append(Step("limit", text, event=event, adds=final.floored - final.limited))
            so_far += final.floored - final.limited
        after = Fraction(final.quanta, self.per_point)
        text = f"Rounded once, half away from zero: {decimal(final.quanta, self.per_point)}, {_signed(after - before)} in all."
        steps.append(Step("rounding", text, event=event, adds=after - so_far))
        return steps

    def _origin(self, entrant: _Entrant) -> int:
        """From where a row's change is counted, in quanta: the rating before, or a newcomer's of unknown age."""
        return entrant.state[0] if entrant.state is not None and entrant.state[0] else self._start[0]

    def _explain_before(self, entrant: _Entrant, event: int) -> list[Step]:
        value = _exact(entrant.value)
        if entrant.start:
            by = {
                "fide": f"a FIDE rating, converted by the edition {self._edition}",
                "us": "a rating on another US Chess list",
                "birth_date": "age on the event's last day",
                "birth_year": "year of birth",
                "unknown": "no rating elsewhere and no age known",
            }[entrant.start]
            adds = value - Fraction(self._start[0], self.per_point)
            own = Step("start", f"Unrated: the starting value is {_shown(value)}, by {by}.", _source("step 1, section 2"), event, adds=adds)
        else:
            own = Step("own", f"The rating before the event is {_shown(value)}, from {_games(entrant.games)}.", event=event)
        text = f"The effective number of earlier games is {_shown(_exact(entrant.effective))}."
        return [own, Step("effective-games", text, _source("step 2, section 3"), event)]

    def _explain_standard(self, entrant: _Entrant, passes: _Passes, formula: Standard, event: int, end: str, category: str) -> list[Step]:
        steps = []
        for game in entrant.played:
            opponent = passes.intermediate[game.opponent]
            e = expectancy(entrant.value.near, opponent.near)
            text = f"Against {_shown(_exact(opponent))} (after step 4): scored {_halves(game.half_points)}, expected {_shown(Fraction(e))}."
            steps.append(Step("expected", text, _source("step 5, section 4.2"), event, game.number))
        m, dual = len(entrant.played), self._is_dual(category) and entrant.value.near > MASTER
        text = f"K is {_shown(Fraction(formula.k))} for {_games(m)}{', by the rule of dual-rated events above 2200' if dual else ''}."
        steps.append(Step("k", text, _source("section 4.2"), event))
        text = f"K x ({_halves(_half_points(entrant))} - {_shown(Fraction(formula.expected))}) is {_signed(Fraction(formula.change))}."
        steps.append(Step("change", text, _source("section 4.2"), event, adds=Fraction(formula.change)))
        threshold = self._threshold(entrant, end, category)
        if threshold is None:
            text = "There is no bonus: fewer than three games, an opponent met too often, or a match."
        else:
            text = f"The bonus is what the change has above {_shown(Fraction(threshold))}: {_shown(Fraction(formula.bonus))}."
        source = f"new.uschess.org, B for events that end on {end}" if self._bonus is None else _source("section 4.2")
        steps.append(Step("bonus", text, source, event, adds=Fraction(formula.bonus)))
        return steps

    def _explain_special(self, entrant: _Entrant, passes: _Passes, formula: Special, event: int) -> list[Step]:
        steps = []
        for game in entrant.played:
            opponent = passes.intermediate[game.opponent]
            e = _exact(provisional_expectancy(formula.raw, opponent))
            met = f"Against {_shown(_exact(opponent))} (after step 4)"
            text = f"{met}: scored {_halves(game.half_points)}, at the result expected {_shown(e)}."
            steps.append(Step("expected", text, _source("step 5, section 4.1"), event, game.number))
        why = f"{_games(entrant.games)} before" if entrant.games <= SPECIAL_GAMES else f"all earlier games {entrant.history}"
        result = _exact(formula.value)
        how = "the point chosen from a whole stretch" if formula.flat else "the point"
        text = f"Special formula ({why}): {_shown(_exact(formula.raw))} is {how} where the score is the expected one."
        if formula.raw != formula.value:
            text += f" Limited to 100 to 2700: {_shown(result)}."
        steps.append(Step("special", text, _source("section 4.1"), event, adds=result - _exact(entrant.value)))
        return steps

    # ------------------------------------------------------------------ states

    def pack(self, state: State) -> bytes:
        return _STATE.pack(*state)

    def rated(self, state: State) -> bool:
        return state[1] > 0

    def provisional(self, state: State) -> bool:
        return state[1] <= ESTABLISHED

    def games(self, state: State) -> int:
        return state[1]

    def wire_state(self, state: State) -> dict[str, object]:
        rating, games, dropped, scored, points, peak, master_games, prize = state
        shown: dict[str, object] = {
            "rating": decimal(rating, self.per_point),
            "games": games,
            "dropped": bool(dropped),
            "scored": bool(scored),
            "floor_points": points,
            "master_games": master_games,
        }
        if peak:
            shown["peak"] = decimal(100 * peak * self.per_point, self.per_point)
        if prize:
            shown["prize_floor"] = decimal(100 * prize * self.per_point, self.per_point)
        return shown

    def wire_line(self, line: Line) -> dict[str, object]:
        shown: dict[str, object] = {
            "rating": _millionths(line.rating),
            "games_before": line.games,
            "effective_games": _millionths(line.effective),
            "games": line.played,
            "score": _halves(line.half_points),
            "formula": line.formula,
        }
        if line.start:
            shown["start"] = line.start
        if line.formula == "standard":
            shown |= {"expected": _millionths(line.expected), "k": _millionths(line.k), "bonus": _millionths(line.bonus)}
        if line.formula != "none":
            shown |= {"first_pass": _millionths(line.first), "result": _millionths(line.result), "floor": line.floor}
        return shown

    def _quanta(self, value: object) -> int | None:
        quanta = quanta_of(value, self.per_point) if isinstance(value, str) else None
        return quanta if quanta is not None and quanta >= FLOOR * self.per_point else None


_SEED_DEFAULTS: dict[str, object] = {
    "dropped": True,
    "scored": True,
    "floor_points": 0,
    "peak": None,
    "master_games": 0,
    "prize_floor": None,
}


def _constant(value: object) -> float:
    thousandths = quanta_of(value, 1000) if isinstance(value, str) else None
    if thousandths is None or not 0 <= thousandths <= 1_000_000:
        raise Unusable(PARAMETERS_REFUSED)
    return thousandths / 1000


def _is_count(value: object) -> TypeGuard[int]:
    return type(value) is int and value >= 0


def _whole(value: object) -> int | None:
    """A trait as a whole number, which may have come as a string."""
    if type(value) is int:
        return value
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() else None


def _trait_rating(value: object) -> Value | None:
    """A trait as a rating; None if there is none, or it is none from 100 to 4,000."""
    thousandths = quanta_of(str(value), 1000) if type(value) in (int, str) else None
    return ratio(thousandths, 1000) if thousandths is not None and FLOOR * 1000 <= thousandths <= 4_000_000 else None


def _birth_date(value: object) -> date | None:
    """A trait YYYYMMDD as a date; a trait cannot hold a date as text."""
    number = _whole(value)
    if number is None:
        return None
    try:
        return date(number // 10_000, number // 100 % 100, number % 100)
    except (ValueError, OverflowError):
        return None


def _half_points(entrant: _Entrant) -> int:
    return sum(game.half_points for game in entrant.played)


def _exact(value: Value) -> Fraction:
    return Fraction(value.top, value.bottom)


def _of_value(value: Value) -> int:
    return round_half_away(value.top * 1_000_000, value.bottom)


def _of_double(number: float) -> int:
    top, bottom = number.as_integer_ratio()
    return round_half_away(top * 1_000_000, bottom)


def _millionths(number: int) -> str:
    sign = "-" if number < 0 else ""
    return f"{sign}{abs(number) // 1_000_000}.{abs(number) % 1_000_000:06d}"


def _shown(number: Fraction) -> str:
    """A number in a sentence: rounded to six places, without trailing zeros."""
    return _millionths(round_half_away(number.numerator * 1_000_000, number.denominator)).rstrip("0").rstrip(".")


def _signed(number: Fraction) -> str:
    return f"{'+' if number >= 0 else ''}{_shown(number)}"


def _sum(steps: Sequence[Step]) -> Fraction:
    return sum((step.adds for step in steps if step.adds is not None), Fraction(0))


def _source(where: str) -> str:
    return f"US Chess Rating System, {where} (2020-09-02)"


def _halves(half_points: int) -> str:
    return f"{half_points // 2}.{5 * (half_points % 2)}"


def _games(number: int) -> str:
    return "1 game" if number == 1 else f"{number} games"
