"""What `glicko/1` and `glicko2/1` share: a player's numbers at the start of a period, his games, their sums, and the new rating.

Both papers' formulas are one calculation on the scale of Glicko-2, phi = deviation / scale; Glicko-1 is the one whose deviation does not
widen inside the period (its scale is 400 / ln 10 = 1 / q):

    g and E of each game: see `glicko_game`
    1/v = sum of g_j^2 E (1 - E)      (Glicko-1: scale^2 / d^2)
    phi' = 1 / sqrt(1 / phi*^2 + 1/v)
    rating' = rating + scale phi'^2 (sum of g_j (s - E))

All players enter with their values at the start of the period. Sums are `math.fsum`, which gives the double nearest to the true sum of its
terms: neither the order of the games nor the numbers of the players reach a result. The state is quantised after every period: rating in
quanta, half away from zero; deviation in thousandths of a point, half up.

State: rating (i32 quanta), deviation (u32 thousandths of a point), games (u8, counted up to `provisional_games`), last (i32, day number of
the last period, on lists by month of its month's first day; 0: none known), and what the system adds.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import floor, fsum, sqrt
from typing import NamedTuple

from rerate.messages.codes import PARAMETERS as PARAMETERS_REFUSED
from rerate.ratings.expected import SCALE
from rerate.ratings.face import BLACK, WHITE, Forecast, Period, Row, State, Step, Unusable, Usual
from rerate.ratings.glicko_game import Met, Standing, curve, g_of, met
from rerate.ratings.glicko_settings import BILLION, PER_DEVIATION, Given, Time, date_of, parts_of, text_of
from rerate.ratings.quantum import decimal, halves, round_half_away, signed

PERIODS = frozenset({"event", "date", "round", "month", "game"})


class Sources(NamedTuple):
    """Where in its paper a system's steps stand."""

    start: str
    """The deviation at the start of a period."""
    game: str
    """g, E and what a game adds."""
    deviation: str
    """The new deviation."""


class Result(NamedTuple):
    """What a player's games of one period come to. Deviations are on the inner scale."""

    outcome: float
    """Sum of g (s - E)."""
    information: float
    """Sum of g^2 E (1 - E), the papers' 1/v."""
    widened: float
    """phi*, the deviation before the games."""
    phi: float
    """phi'."""
    change: float
    """Points, before rounding and limits."""
    rounded: int
    """The change in quanta."""
    allowed: int
    """The change that `max_change` leaves."""
    state: State


class Line(NamedTuple):
    """What one event contributed to a player's row: what is shown of it, and no more."""

    event: int
    rating: int
    """Before the period, quanta."""
    deviation: int
    """Before the period, thousandths of a point."""
    provisional: bool
    beyond: tuple[int, ...]
    """What the system's state has beyond `last`, before the period."""
    grown_deviation: int
    """At the start of the period, billionths of a point."""
    elapsed: int | None
    """Periods since his last, billionths."""
    games: int
    halves: int
    expected: int
    """Sum of the expected scores, millionths."""
    outcome: int
    """Sum of g (s - E), billionths."""
    information: int
    """Sum of g^2 E (1 - E), billionths."""


class GlickoBase(Usual, ABC):
    """A Glicko system with its parameters, over whole numbers of a quantum."""

    name: str
    layout: str

    sources: Sources
    """For explanations."""
    scale: float
    """Points in one of the inner scale."""

    def __init__(self, given: Given, per_point: int, period: str) -> None:
        if period not in PERIODS:
            raise Unusable(PARAMETERS_REFUSED)
        self.per_point = per_point
        self._time = Time(given, period)
        self._advantage = given.parts("white_advantage", BILLION, -1_000 * BILLION, 1_000 * BILLION) / BILLION
        self._min_rating = given.parts("min_rating", per_point)
        self._max_rating = given.parts("max_rating", per_point, self._min_rating)
        self._max_change = given.parts("max_change", per_point, 0)
        self._min_deviation = given.parts("min_deviation", PER_DEVIATION, 1)
        self._max_deviation = given.parts("max_deviation", PER_DEVIATION, self._min_deviation)
        self._provisional_deviation = given.parts("provisional_deviation", PER_DEVIATION, 0)
        self._provisional_at_limit = given.word("provisional_at_limit", "yes", "no") == "yes"
        self._cap = given.whole("provisional_games", 255)
        self._limits_seeds = given.word("seed_beyond_limits", "refuse", "limit") == "limit"
        start = given.parts("start", per_point, self._min_rating, self._max_rating)
        deviation = given.parts("start_deviation", PER_DEVIATION, self._min_deviation, self._max_deviation)
        self._start: State = (start, deviation, 0, 0)
        self._widest = self._inner(self._max_deviation)

    # ---------------------------------------------------------------------- what the systems differ in

    @abstractmethod
    def _grown(self, state: State, periods: float) -> float:
        """phi after so many periods without a game, at most the limit."""

    @abstractmethod
    def _shares(self, elapsed: float | None) -> tuple[float, float]:
        """Periods of growth before this period, and those inside it."""

    @abstractmethod
    def _widen(self, me: Standing, outcome: float, information: float) -> tuple[float, tuple[int, ...]]:
        """phi* of this period, and what the new state has beyond `last`.

        Raises:
            NoResult: the search does not converge.
        """

    @abstractmethod
    def _widening_steps(self, me: Standing, result: Result) -> list[Step]:
        """How phi* came about."""

    # ---------------------------------------------------------------------- rating a period

    def start(self) -> State:
        return self._start

    def rate(self, period: Period) -> dict[int, Row]:
        """See `System.rate`. Sums over a period's games are exact, so their order is free."""
        day = self._time.day(str(period.key[0]))
        standings, played = self._played(period, day)
        return {me: self._row(standings[me], games, day) for me, games in played.items()}

    def _played(self, period: Period, day: int) -> tuple[dict[int, Standing], dict[int, list[Met]]]:
        """Everybody who sits at a board of the period at its start, and the games rated for each player, in their order."""
        games, now = period.games, period.now
        standings: dict[int, Standing] = {}
        played: dict[int, list[Met]] = {}
        for i in range(period.low, period.high):
            white, black, rated, event = games.white[i], games.black[i], games.rated[i], games.event[i]
            for player in (white, black):
                if player not in standings:
                    standings[player] = self._standing(now[player] or self._start, day)
            left, right = standings[white], standings[black]
            gap = ((left.state[0] - right.state[0]) / self.per_point + self._advantage) / self.scale
            if rated & WHITE:
                played.setdefault(white, []).append(met(event, i, games.white_half[i], right, gap))
            if rated & BLACK:
                played.setdefault(black, []).append(met(event, i, games.black_half[i], left, -gap))
        return standings, played

    def _standing(self, state: State, day: int) -> Standing:
        elapsed = self._time.between(state[3], day)
        before, within = self._shares(elapsed)
        phi = self._grown(state, before)
        return Standing(state, phi, g_of(phi), elapsed, within)

    def _result(self, me: Standing, met: Sequence[Met], day: int) -> Result:
        outcome = fsum([one.outcome for one in met])
        information = fsum([one.information for one in met])
        widened, beyond = self._widen(me, outcome, information)
        phi = 1.0 / sqrt(1.0 / (widened * widened) + information)
        change = self.scale * (phi * phi * outcome)
        numerator, denominator = change.as_integer_ratio()
        rounded = round_half_away(numerator * self.per_point, denominator)
        most = self._max_change * len(met)
        allowed = min(max(rounded, -most), most)
        rating = min(max(me.state[0] + allowed, self._min_rating), self._max_rating)
        deviation = min(max(self._outer(phi), self._min_deviation), self._max_deviation)
        after = (rating, deviation, min(self._cap, me.state[2] + len(met)), day, *beyond)
        return Result(outcome, information, widened, phi, change, rounded, allowed, after)

    def _row(self, me: Standing, met: list[Met], day: int) -> Row:
        lines: list[Line] = []
        low = 0
        for at in range(1, len(met) + 1):
            if at == len(met) or met[at].event != met[low].event:
                lines.append(self._line(me, met[low:at]))
                low = at
        return Row(self._result(me, met, day).state, tuple(lines))

    def _line(self, me: Standing, met: Sequence[Met]) -> Line:
        return Line(
            met[0].event,
            me.state[0],
            me.state[1],
            self.provisional(me.state),
            me.state[4:],
            _nearest(me.phi * self.scale, BILLION),
            None if me.elapsed is None else _nearest(me.elapsed, BILLION),
            len(met),
            sum(one.half for one in met),
            _nearest(fsum([one.expected for one in met]), SCALE),
            _nearest(fsum([one.outcome for one in met]), BILLION),
            _nearest(fsum([one.information for one in met]), BILLION),
        )

    def _inner(self, deviation: int) -> float:
        """Thousandths of a point on the inner scale."""
        return deviation / PER_DEVIATION / self.scale

    def _outer(self, phi: float) -> int:
        """A deviation on the inner scale in thousandths of a point."""
        return _nearest(phi * self.scale, PER_DEVIATION)

    # ---------------------------------------------------------------------- explaining a row

    def explain(self, period: Period, player: int) -> list[Step]:
        """See `System.explain`."""
        day = self._time.day(str(period.key[0]))
        standings, played = self._played(period, day)
        if player not in played:
            return []
        me, met = standings[player], played[player]
        result = self._result(me, met, day)
        steps = [self._own(me)]
        weight = self.scale * (result.phi * result.phi)
        added = Fraction(0)
        for one in met:
            adds = Fraction(weight * one.outcome)
            added += adds
            text = (
                f"against {decimal(one.opponent.state[0], self.per_point)}, deviation {one.opponent.phi * self.scale:.3f} (g "
                f"{one.opponent.g:.6f}): scored {halves(one.half)}, expected {one.expected:.6f}: {signed(adds)}"
            )
            steps.append(Step("change", text, self.sources.game, one.event, one.game, adds))
        steps += self._widening_steps(me, result)
        text = f"deviation {result.widened * self.scale:.3f} before the games, {result.phi * self.scale:.3f} after them"
        steps.append(Step("deviation", text, self.sources.deviation))
        if (kept := result.state[1]) != self._outer(result.phi):
            name = "min_deviation" if kept > self._outer(result.phi) else "max_deviation"
            steps.append(Step("limit", f"the deviation is held at {decimal(kept, PER_DEVIATION)}", f"the list's {name}"))
        rounded = Fraction(result.rounded, self.per_point)
        text = f"the sum {signed(added)}, rounded half away from zero to {signed(rounded)}"
        steps.append(Step("rounding", text, "the list's quantum", adds=rounded - added))
        if result.allowed != result.rounded:
            allowed = Fraction(result.allowed, self.per_point)
            text = f"held to {signed(allowed)} for {len(met)} game{'' if len(met) == 1 else 's'}"
            steps.append(Step("limit", text, "the list's max_change", adds=allowed - rounded))
        if beyond := result.state[0] - me.state[0] - result.allowed:
            text = f"the rating is held at {decimal(result.state[0], self.per_point)}"
            name = "min_rating" if beyond > 0 else "max_rating"
            steps.append(Step("limit", text, f"the list's {name}", adds=Fraction(beyond, self.per_point)))
        return steps

    def _own(self, me: Standing) -> Step:
        state = me.state
        text = f"rated {decimal(state[0], self.per_point)}, deviation {decimal(state[1], PER_DEVIATION)} before this period"
        if me.elapsed is None:
            text += "; no period before it is known"
        else:
            text += f"; {me.elapsed:.6f} periods since the last"
            if (idle := me.elapsed - me.within) > 0:
                text += f", by {idle:.6f} of which the deviation becomes {me.phi * self.scale:.3f} at its start"
        return Step("own", text, self.sources.start)

    # ---------------------------------------------------------------------- for readers

    def foretell(self, period: Period, game: int) -> Forecast:
        """See `System.foretell`. Both deviations count, as they have grown by the period's date. Source: glicko.pdf, the expected outcome
        of a game."""
        day = self._time.day(str(period.key[0]))
        left, right = (state or self._start for state, _ in period.sides(game))
        gap = (left[0] - right[0]) / self.per_point + self._advantage
        larger = _nearest(self.forecast(abs(gap), self._phi_on(left, day) * self.scale, self._phi_on(right, day) * self.scale), SCALE)
        return Forecast(larger if gap >= 0 else SCALE - larger, self.rated(left) and self.rated(right))

    def forecast(self, gap: float, deviation: float, other: float) -> float:
        """Expected score by the gap in ratings and both deviations, in points."""
        return curve(g_of(sqrt(deviation * deviation + other * other) / self.scale) * gap / self.scale)[0]

    def deviation_at(self, state: State, date: str) -> int:
        """The deviation on a date (or in a month) if no game came since, thousandths of a point. Nothing is published when a day goes by:
        readers ask."""
        return self._outer(self._phi_on(state, self._time.day(date)))

    def _phi_on(self, state: State, day: int) -> float:
        return self._grown(state, self._time.between(state[3], day) or 0.0)

    def interval(self, state: State) -> tuple[Fraction, Fraction]:
        """Where the strength lies with 95 %: rating - and + 1.96 deviations, in points. Source: glicko.pdf, the interval."""
        rating, half = Fraction(state[0], self.per_point), Fraction(196 * state[1], 100 * PER_DEVIATION)
        return rating - half, rating + half

    def label(self, state: State) -> str:
        """The rating without its fraction, and a question mark if it is provisional. Source: Lichess (scalachess model.scala)."""
        whole = abs(state[0]) // self.per_point
        return f"{'-' if state[0] < 0 and whole else ''}{whole}{'?' if self.provisional(state) else ''}"

    # ---------------------------------------------------------------------- states

    def seed(self, fields: Mapping[str, object], as_of: str = "") -> State | None:
        """A seed is {rating, deviation, games?, last?}: decimal strings, a whole number, and the date of the last period as a whole number
        (20240105)."""
        if not {"rating", "deviation"} <= fields.keys() <= {"rating", "deviation", "games", "last"}:
            return None
        rating = self._within_limits(parts_of(fields["rating"], self.per_point), self._min_rating, self._max_rating)
        deviation = self._within_limits(parts_of(fields["deviation"], PER_DEVIATION), self._min_deviation, self._max_deviation)
        games = fields.get("games", 0)
        last = text_of(fields["last"]) if "last" in fields else ""
        if rating is None or deviation is None or last is None or type(games) is not int or games < 0:
            return None
        return (rating, deviation, min(games, self._cap), self._time.day(last) if last else 0)

    def _within_limits(self, parts: int | None, least: int, most: int) -> int | None:
        """A seed's number, or None if it is none or beyond the limits and `seed_beyond_limits` refuses that."""
        if parts is None or not (self._limits_seeds or least <= parts <= most):
            return None
        return min(max(parts, least), most)

    def with_counters(self, chosen: State, others: Sequence[State]) -> State:
        games = min(self._cap, chosen[2] + sum(state[2] for state in others))
        return (*chosen[:2], games, *chosen[3:])

    def adjust(self, state: State, kind: str, value: str, date: str = "") -> State | None:
        """See `System.adjust`. There is no formula; a rating beyond the limits is treated as a seed's; all else stays as it is,
        within this rule's limits where another rule left it beyond them."""
        parts = parts_of(value, self.per_point)
        if parts is None or kind not in ("set", "add"):
            return None
        rating = self._within_limits(parts if kind == "set" else state[0] + parts, self._min_rating, self._max_rating)
        return None if rating is None else self._held((rating, *state[1:]))

    def _held(self, state: State) -> State:
        """A state that another rule of the list has left, within the limits of this one."""
        deviation = min(max(state[1], self._min_deviation), self._max_deviation)
        return (state[0], deviation, min(state[2], self._cap), *state[3:])

    def rated(self, state: State) -> bool:
        return True

    def provisional(self, state: State) -> bool:
        deviation, limit = state[1], self._provisional_deviation
        return deviation > limit or (self._provisional_at_limit and deviation == limit) or state[2] < self._cap

    def wire_state(self, state: State) -> dict[str, object]:
        shown: dict[str, object] = {
            "rating": decimal(state[0], self.per_point),
            "deviation": decimal(state[1], PER_DEVIATION),
            "games": state[2],
        }
        return shown | ({"last": date_of(state[3])} if state[3] else {})

    def wire_line(self, line: Line) -> dict[str, object]:
        shown: dict[str, object] = {
            "rating": decimal(line.rating, self.per_point),
            "provisional": line.provisional,
            "deviation": decimal(line.deviation, PER_DEVIATION),
            "grown_deviation": fixed(line.grown_deviation, 9),
            "games": line.games,
            "score": halves(line.halves),
            "expected": fixed(line.expected, 6),
            "outcome": fixed(line.outcome, 9),
            "information": fixed(line.information, 9),
        }
        return shown | ({} if line.elapsed is None else {"elapsed": fixed(line.elapsed, 9)})


def _nearest(value: float, per_one: int) -> int:
    """A number in whole parts of one, half up."""
    return floor(value * per_one + 0.5)


@lru_cache(maxsize=1 << 16)
def fixed(parts: int, places: int) -> str:
    """Parts of which 10^places make one, as a decimal string with all its places."""
    whole, rest = divmod(abs(parts), 10**places)
    return f"{'-' if parts < 0 else ''}{whole}.{rest:0{places}d}"
