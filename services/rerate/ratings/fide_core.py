"""What all FIDE-like systems share: which games count, K and the one rounding of a period, the floor.

A system derives from `FideLike` and says how a game (or an event) is expected to end. Who has a rating in the list to which a period is
written plays as a rated player: by his rating in the list that the event reads, or by the present one if he had none there (B02 8.2.4). A
game against somebody without a rating in the list that the event reads does not count (B02 8.2, 8.3.1). Who has no rating pools his games.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType

from rerate.messages.codes import PARAMETERS as PARAMETERS_REFUSED
from rerate.messages.facts import Event
from rerate.ratings import fide_state
from rerate.ratings.bounds import bounded
from rerate.ratings.expected import SCALE
from rerate.ratings.face import (
    BLACK,
    FALLBACK,
    WHITE,
    Documented,
    Forecast,
    Key,
    Period,
    Row,
    State,
    States,
    Step,
    Traits,
    Unusable,
    Usual,
    next_month,
)
from rerate.ratings.fide_account import Account, Dated, Game, Judged, Line, Played, date_of, places, row_of, start_of
from rerate.ratings.fide_dates import Closing, in_force
from rerate.ratings.fide_explain import Wording, steps_of
from rerate.ratings.fide_first import FirstRating
from rerate.ratings.fide_k import K, limited
from rerate.ratings.fide_state import MOST_POOLED, NEWCOMER, RATED, pooled, rated_state, unrated_state
from rerate.ratings.fide_texts import STANDARD, cited
from rerate.ratings.quantum import MOST_POINTS, decimal, halves, quanta_of, round_half_away

Reads = dict[int, tuple[States, int | None]]
"""The list that each event reads, by its number, and that list's floor in quanta."""

MAX_K = 1_000

COMMON: dict[str, tuple[str | int, str]] = {
    "k": ("rule", "rule, or K for everyone, 0 to 1,000, on which the 700 rule has no hold"),
    "rounding": ("period", "period: one rounding a period; event: one of each event's change (what one published period fits)"),
    "initial_games_count": ("no", "yes or no: whether the games that made the first rating count towards the 30"),
    "below_floor": ("keep", "keep or forget games and latches of who falls below the floor and has no rating then"),
    "closing_days": (3, "so many days before its list's date a period closes, 1 to 28"),
    "official_category": ("fide-official", "the category of official events, for which it closes on the last day before the list"),
    "initial_games": ("rule", "rule: 9 against rated opponents before 2014-07-01, then 5; or how many a first rating needs, 1 to 30"),
    "initial_step": ("half-k", "half-k of a newcomer's K, or 20: points per half point above half in the archived rule of first ratings"),
    "seed_below_floor": ("refuse", "refuse or unrated: what becomes of a seed with a rating below the lowest one of its date"),
    "new_30_from": (20110701, "from this day, as YYYYMMDD, to 2014-06-30 a newcomer's K is 30, before it 25"),
}
"""Parameters of every FIDE-like system, with the present defaults."""


class FideLike(Usual, ABC):
    """Base of the FIDE systems, bound to parameters, quantum and period kind."""

    name: str
    layout = fide_state.LAYOUT
    sees_events = True
    whole = 100
    """Parts of one expected point."""
    reads_older = True
    formulas: Mapping[str, Callable[[int, int], int]] = MappingProxyType({})
    """One-time changes by name, from a rating in quanta and the quanta in a point."""
    book = STANDARD
    """The regulations that its explanations cite."""
    counted_as = "counted as"
    """How the explanation of a game calls a gap that counts as another."""

    def __init__(self, parameters: Mapping[str, object], defaults: Documented, per_point: int) -> None:
        if not parameters.keys() <= defaults.keys():
            raise Unusable(PARAMETERS_REFUSED)
        self.given = {name: parameters.get(name, default) for name, (default, _) in defaults.items()}
        self.per_point = per_point
        self._start: State = NEWCOMER
        self._least = 1
        """The lowest rating, in quanta, that a seed or an adjustment may give."""
        self._round_events = self.choice("rounding", "period", "event") == "event"
        self._keep_below = self.choice("below_floor", "keep", "forget") == "keep"
        least = None if self.given["initial_games"] == "rule" else self.number("initial_games", 1, 30)
        self._first = FirstRating(least, self.choice("initial_games_count", "no", "yes") == "yes", per_point)
        self._refuse_below = self.choice("seed_below_floor", "refuse", "unrated") == "refuse"
        self._is_half_k = self.choice("initial_step", "20", "half-k") == "half-k"
        self._new_30_from = self.day("new_30_from")
        self._by_hand = None if self.given["k"] == "rule" else K(self.number("k", 0, MAX_K), "K set by hand", "")
        official = self.given["official_category"]
        if not isinstance(official, str):
            raise Unusable(PARAMETERS_REFUSED)
        self._closing = Closing(self.number("closing_days", 1, 28), official, self.closes)

    def choice(self, name: str, *words: str) -> str:
        """A parameter that is one of some words."""
        value = self.given[name]
        if not isinstance(value, str) or value not in words:
            raise Unusable(PARAMETERS_REFUSED)
        return value

    def number(self, name: str, least: int, most: int) -> int:
        """A parameter that is a whole number within bounds."""
        value = self.given[name]
        if type(value) is not int or not least <= value <= most:
            raise Unusable(PARAMETERS_REFUSED)
        return value

    def day(self, name: str) -> str:
        """A parameter that is a day as YYYYMMDD."""
        digits = str(self.number(name, 1000_01_01, 9999_12_31))
        if not ("01" <= digits[4:6] <= "12" and "01" <= digits[6:] <= "31"):
            raise Unusable(PARAMETERS_REFUSED)
        return f"{digits[:4]}-{digits[4:6]}-{digits[6:]}"

    # ------------------------------------------------------------------ what a system says

    @abstractmethod
    def judge(self, event: int, own: State, is_later: bool, games: Sequence[Game], start: str) -> Judged:
        """A rated player's games of one event that begins on `start`, judged by the state `own`."""

    @abstractmethod
    def forecast(self, own: int, theirs: int, start: str) -> int:
        """The expected score of one game in parts of `whole`, whether it counts or not."""

    @abstractmethod
    def source(self, start: str) -> str:
        """Where the expected score of a game comes from."""

    @abstractmethod
    def k_rule(self, date: str, state: State, traits: Traits) -> K:
        """K of a rated player before the 700 rule, for a list of this date."""

    @abstractmethod
    def step(self, date: str) -> Fraction:
        """Points per half point above half in the archived rule of first ratings."""

    @abstractmethod
    def floor(self, date: str) -> int | None:
        """The lowest rating on a list of this date, quanta."""

    def closes(self, month: int) -> int:
        """The month in which the period closes that a month belongs to (`fide_dates.month_index`)."""
        return month

    def k_at_start(self, date: str) -> bool:
        """Whether K comes from the list that the event reads, and not from the one before the period."""
        return False

    @abstractmethod
    def is_limited(self, date: str) -> bool:
        """Whether the 700 rule is applied."""

    # ------------------------------------------------------------------ calendar and states

    def month(self, event: Event, date: str, closing_day: int | None) -> str | None:
        return self._closing.place(event, date, closing_day)

    def reads(self, key: Key, start: str) -> Key:
        return in_force(key, start) if self.reads_older and start else key

    def start(self) -> State:
        return self._start

    def seed(self, fields: Mapping[str, object], as_of: str = "") -> State | None:
        """A seed has the fields of `wire_state`, each of them optional: rating, games, reached_2300, reached_2400, first_event_over, and
        for a player without a rating his pooled months, as `pool_2026_03: games5-half7-sum9512` (the sum of ratings in quanta)."""
        state = fide_state.state_of(fields, self.per_point, self._least)
        if state is None or not as_of:
            return state
        if any(month.games > MOST_POOLED for month in pooled(state)):
            return None
        if not self._is_below(state, self.floor(as_of)):
            return state
        return None if self._refuse_below else self._unrated(state)

    def with_counters(self, chosen: State, others: Sequence[State]) -> State:
        return fide_state.with_counters(chosen, others)

    def adjust(self, state: State, kind: str, value: str, date: str = "") -> State | None:
        """See `System.adjust`. To set a rating gives it to who has none; all else leaves him as he is. Below the floor of the date no
        rating can be set, and who comes to stand there by points added has no rating any more."""
        if kind == "formula":
            formula = self.formulas.get(value)
            if formula is None or not state[1] & RATED:
                return None if formula is None else state
            return rated_state(formula(state[0], self.per_point), state[1], state[2], self.per_point)
        quanta = quanta_of(value, self.per_point)
        if quanta is None or kind not in ("set", "add"):
            return None
        if kind == "add" and not state[1] & RATED:
            return state
        rating = quanta if kind == "set" else state[0] + quanta
        if not self._least <= rating < MOST_POINTS * self.per_point:
            return None
        after = rated_state(rating, state[1], state[2], self.per_point)
        if not date or not self._is_below(after, self.floor(date if len(date) == 10 else f"{date}-01")):
            return after
        return None if kind == "set" else self._unrated(state)

    @staticmethod
    def _is_below(state: State, floor: int | None) -> bool:
        """Whether a rating is below the floor: nobody's, then."""
        return floor is not None and bool(state[1] & RATED) and state[0] < floor

    def _unrated(self, state: State) -> State:
        """Who falls below the floor (B02 7.2.1)."""
        return unrated_state(state[1], state[2]) if self._keep_below else NEWCOMER

    def pack(self, state: State) -> bytes:
        return fide_state.pack(state)

    def rated(self, state: State) -> bool:
        return bool(state[1] & RATED)

    def provisional(self, state: State) -> bool:
        """FIDE knows no provisional rating: who has few games has none."""
        return not state[1] & RATED

    def wire_state(self, state: State) -> dict[str, object]:
        return fide_state.fields_of(state, self.per_point)

    def wire_line(self, line: Line) -> dict[str, object]:
        shown: dict[str, object] = {"games": line.games, "score": halves(line.half), "opponents": decimal(line.ratings, self.per_point)}
        if line.rating is None:
            shown["dropped"] = line.is_dropped
        else:
            shown |= {"rating": decimal(line.rating, self.per_point), "k": line.k, "expected": places(line.expected, self.whole)}
        return shown | {"not_counted": line.not_counted}

    def foretell(self, period: Period, game: int) -> Forecast:
        """See `System.foretell`: by the method of the system as on the event's first day; a half where one of the two has no rating on the
        list that it reads, nor another that stands in for it."""
        event = period.games.event[game]
        floor = self.floor(self._read_on(period, event))
        white, black = (self._listed(state or self._start, floor, traits) for state, traits in period.sides(game))
        if not white[1] & black[1] & RATED:
            return Forecast(SCALE // 2, is_rated=False)
        return Forecast(self.forecast(white[0], black[0], start_of(period.events[event])) * (SCALE // self.whole), is_rated=True)

    # ------------------------------------------------------------------ rating

    def rate(self, period: Period) -> dict[int, Row]:
        """See `System.rate`. A row's change is the sum over its lines of K x (half points / 2 - expected), rounded once."""
        players, reads = self._played(period)
        dated = self._dated(period.key)
        return {me: row_of(self._account(period, dated, me, played, reads)) for me, played in players.items()}

    def explain(self, period: Period, player: int) -> list[Step]:
        """See `System.explain`."""
        players, reads = self._played(period, player)
        if player not in players:
            return []
        dated = self._dated(period.key)
        account = self._account(period, dated, player, players[player], reads)
        how = Wording(self.book, self.per_point, self.whole, self.source, dated.published, self.counted_as)
        steps = steps_of(account, period, how)
        now, date = period.now[player] or self._start, dated.date
        first = []
        if self._is_below(now, dated.floor):
            lowest = decimal(dated.floor or 0, self.per_point)
            text = f"{decimal(now[0], self.per_point)} is below {lowest}, the lowest rating by now: is without one"
            first.append(Step("floor", text, cited(self.book, "7.2.1", date), adds=Fraction(-now[0], self.per_point)))
        if account.before[1] & RATED and (first or not now[1] & RATED):
            rating = Fraction(account.before[0], self.per_point)
            text = (
                f"has no rating on this list and plays with {decimal(account.before[0], self.per_point)}, the one on list {self.fallback}"
            )
            first.append(Step("fallback", text, cited(self.book, "7.1", date), adds=rating))
        return first + steps

    def _dated(self, key: Key) -> Dated:
        date = date_of(key)
        floor = published = self.floor(date)
        if floor is not None and self.reads_older:  # a list by month: where the floor falls, the list that comes out has it already
            published = min(floor, self.floor(f"{next_month(date[:7])}-01") or floor)
        return Dated(date, floor, published, self.k_at_start(date), self._by_hand is None and self.is_limited(date))

    def _played(self, period: Period, only: int | None = None) -> tuple[dict[int, Played], Reads]:
        """The games of each player (or of one) that are rated for him by the facts, and the lists by which they are judged."""
        games, start = period.games, self._start
        whites, blacks, rated, events = games.white, games.black, games.rated, games.event
        players: dict[int, Played] = {}
        reads: Reads = {}
        for i in range(period.low, period.high):
            white, black, bits, event = whites[i], blacks[i], rated[i], events[i]
            if only is not None and only not in (white, black):
                continue
            found = reads.get(event)
            if found is None:
                found = reads[event] = period.read(event), self.floor(self._read_on(period, event))
            read, floor = found
            if bits & WHITE and (only is None or white == only):
                theirs = self._listed(read[black] or start, floor, games.black_traits[i])
                players.setdefault(white, {}).setdefault(event, []).append(
                    (i, games.white_half[i], theirs[0] if theirs[1] & RATED else None)
                )
            if bits & BLACK and (only is None or black == only):
                theirs = self._listed(read[white] or start, floor, games.white_traits[i])
                players.setdefault(black, {}).setdefault(event, []).append(
                    (i, games.black_half[i], theirs[0] if theirs[1] & RATED else None)
                )
        return players, reads

    @staticmethod
    def _read_on(period: Period, event: int) -> str:
        """The date of the list that an event reads."""
        return date_of(period.events[event].reads or period.key)

    def _listed(self, state: State, floor: int | None, traits: Traits) -> State:
        """The state as a list shows it: who is below its floor (of old, when it was lower, or by a decision) has no rating. For who has
        none the one that his rating on another list stands for: without pooled results, and no latch is reached by it, for it was not
        published on this list (rapid and blitz regulations)."""
        if state[1] & RATED:
            if floor is None or state[0] >= floor:
                return state
            state = self._unrated(state)
        if self.fallback is None:
            return state
        for name, value in traits:
            if name == FALLBACK and isinstance(value, str):
                points = Fraction(value)
                quanta = bounded(round_half_away(points.numerator * self.per_point, points.denominator), self.per_point)
                return state if floor is not None and quanta < floor else (quanta, state[1] | RATED, state[2])
        return state

    @staticmethod
    def _traits(period: Period, player: int, game: int) -> Traits:
        games = period.games
        return games.white_traits[game] if games.white[game] == player else games.black_traits[game]

    def _account(self, period: Period, dated: Dated, me: int, played: Played, reads: Reads) -> Account:
        first = next(iter(played.values()))[0][0]
        traits = self._traits(period, me, first)
        before = self._listed(period.now[me] or self._start, dated.floor, traits)
        if not before[1] & RATED:
            return self._first.account(period, dated, before, played, self.step(dated.date))
        judged = []
        for event, games in played.items():
            states, floor = reads[event]
            read = self._listed(states[me] or self._start, floor, self._traits(period, me, games[0][0]))
            is_later = not read[1] & RATED
            judged.append(self.judge(event, before if is_later else read, is_later, games, start_of(period.events[event])))
        return self._change(dated, before, judged, traits)

    def _change(self, dated: Dated, before: State, judged: list[Judged], traits: Traits) -> Account:
        """A rated player's period: K, one rounding, the floor (B02 8.3, 7.2.1)."""
        whole, games = self.whole, sum(one.counted for one in judged)
        ks, used, exact = [], [], []
        for one in judged:
            rule = self._by_hand or self.k_rule(dated.date, one.own if dated.from_start else before, traits)
            k = limited(rule.k, games) if dated.is_limited else rule.k
            ks.append(rule)
            used.append(k)
            exact.append(k * (one.half * whole - 2 * one.expected))
        sums = exact if self._round_events else [sum(exact)]
        change = sum(round_half_away(number * self.per_point, 2 * whole) for number in sums)
        rating = bounded(before[0] + change, self.per_point)
        if dated.published is None or rating >= dated.published:
            after = rated_state(rating, before[1], before[2] + games, self.per_point)
        else:
            after = self._unrated((0, before[1], before[2] + games))
        return Account(before, judged, ks, used, exact, change, frozenset(), [], None, after)
