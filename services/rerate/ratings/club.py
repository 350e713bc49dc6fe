"""`club/1`: the club ladder.

Everybody starts at 1200; K is 40 for the first 20 games, then 20; fewer than 5 games is provisional. All games of a period are judged by
the ratings and counts held before it, and the changes are added at its end, summed exactly and rounded once, half away from zero. A
provisional opponent moves no established player. There is no cap on the gap and no floor. Source: the club ladder guide of 2026-08-20
(Chess Caddy); what it leaves open is a parameter, its default named in `PARAMETERS`.

State: rating (i32 quanta), games (u8, capped at the larger of `k_new_games` and `provisional_below`).
"""

import struct
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from rerate.messages.codes import PARAMETERS as PARAMETERS_REFUSED
from rerate.ratings.bounds import bound_steps, bounded
from rerate.ratings.expected import SCALE, expected_score
from rerate.ratings.face import BLACK, WHITE, Forecast, Period, Row, State, Step, Unusable, Usual
from rerate.ratings.quantum import MOST_POINTS, decimal, halves, quanta_of, round_half_away, signed

NAME = "club/1"
PERIODS = frozenset({"event", "date", "round"})
MAX_K = 1_000
GUIDE = "club ladder guide (2026-08-20)"

PARAMETERS: dict[str, tuple[str | int, str]] = {
    "start": ("1200", "a newcomer's rating, a decimal string of the list's quantum"),
    "k_new": (40, "K of the first games, 0 to 1,000"),
    "k_new_games": (20, "how many games k_new lasts, 0 to 255"),
    "k_established": (20, "K afterwards, 0 to 1,000"),
    "provisional_below": (5, "provisional with fewer games than this, 0 to 255"),
    "k_policy": ("event_start", "event_start: K by the count before the period; per_game: by the count before each game"),
    "protected_game_counts": ("yes", "yes or no: whether a game that cannot move an established player counts for him"),
}
"""Every parameter with its default and meaning."""

_STATE = struct.Struct(">iB")


PROTECTED = -1
"""In place of half points: the game moves nothing, its opponent being provisional."""

Term = tuple[int, int, int, int]
"""Games of one event that were rated with one K: K, games, half points, sum of the expected scores in millionths."""


Score = tuple[int, int, int, int]
"""A game of a player: event, half points or PROTECTED, expected score in millionths, which game of the columns."""


class Line(NamedTuple):
    """What one event contributed to a player's row."""

    event: int
    rating: int
    """Rating used, quanta."""
    provisional: bool
    games: int
    protected: int
    """Games that moved nothing, the opponent being provisional."""
    terms: tuple[Term, ...]


class Club(Usual):
    """The club ladder with its parameters, over whole numbers of a quantum."""

    name = NAME
    parameters = PARAMETERS
    layout = "club/1: rating i32, games u8"

    def __init__(self, parameters: Mapping[str, object], per_point: int, period: str) -> None:
        if per_point == 1:
            raise Unusable(PARAMETERS_REFUSED)
        if period not in PERIODS:
            raise Unusable(PARAMETERS_REFUSED)
        if not parameters.keys() <= PARAMETERS.keys():
            raise Unusable(PARAMETERS_REFUSED)
        given = {name: parameters.get(name, default) for name, (default, _) in PARAMETERS.items()}
        start = given["start"]
        quanta = quanta_of(str(start), per_point) if isinstance(start, str | int) and not isinstance(start, bool) else None
        if quanta is None:
            raise Unusable(PARAMETERS_REFUSED)
        self.per_point = per_point
        self._start: State = (quanta, 0)
        self._k_new = _whole(given["k_new"], MAX_K)
        self._k_new_games = _whole(given["k_new_games"], 255)
        self._k_established = _whole(given["k_established"], MAX_K)
        self._provisional_below = _whole(given["provisional_below"], 255)
        self._per_game = _choice(given["k_policy"], "per_game", "event_start")
        self._protected_counts = _choice(given["protected_game_counts"], "yes", "no")
        self._cap = max(self._k_new_games, self._provisional_below)
        self._expected = expected_score(per_point)

    def start(self) -> State:
        return self._start

    def seed(self, fields: Mapping[str, object], as_of: str = "") -> State | None:
        """A seed is {rating, games}: a decimal string of the list's quantum and a whole number."""
        rating, games = fields.get("rating"), fields.get("games")
        if fields.keys() != {"rating", "games"} or not isinstance(rating, str) or type(games) is not int or games < 0:
            return None
        quanta = quanta_of(rating, self.per_point)
        return None if quanta is None else (quanta, min(games, self._cap))

    def with_counters(self, chosen: State, others: Sequence[State]) -> State:
        return (chosen[0], min(self._cap, chosen[1] + sum(state[1] for state in others)))

    def adjust(self, state: State, kind: str, value: str, date: str = "") -> State | None:
        """See `System.adjust`. The club ladder has no formula. Games that another rule counted further are cut to this rule's cap."""
        quanta = quanta_of(value, self.per_point)
        if quanta is None or kind not in ("set", "add"):
            return None
        rating = quanta if kind == "set" else state[0] + quanta
        return (rating, min(state[1], self._cap)) if abs(rating) < MOST_POINTS * self.per_point else None

    def rate(self, period: Period) -> dict[int, Row]:
        """See `System.rate`. A row's change is the sum over its lines' terms of K x (half points / 2 - expected), rounded once."""
        read = period.read(period.games.event[period.low])  # one list for all its events
        start, now = self._start, period.now
        return {me: self._row(scores, read[me] or start, now[me] or start) for me, scores in self._played(period).items()}

    def _played(self, period: Period) -> dict[int, list[Score]]:
        """What each player's games of a period come to, in their order."""
        start, below, expected = self._start, self._provisional_below, self._expected
        played: dict[int, list[Score]] = {}
        games, read = period.games, period.read(period.games.event[period.low])
        for i in range(period.low, period.high):
            white, black, rated, event = games.white[i], games.black[i], games.rated[i], games.event[i]
            white_rating, white_games = read[white] or start
            black_rating, black_games = read[black] or start
            score = expected(white_rating - black_rating)
            if rated & WHITE:
                half = PROTECTED if white_games >= below > black_games else games.white_half[i]
                played.setdefault(white, []).append((event, half, score, i))
            if rated & BLACK:
                half = PROTECTED if black_games >= below > white_games else games.black_half[i]
                played.setdefault(black, []).append((event, half, SCALE - score, i))
        return played

    def _k(self, games: int) -> int:
        """K of a game, by the number of games before it (`k_policy` says which)."""
        return self._k_new if games < self._k_new_games else self._k_established

    def _row(self, scores: list[Score], frozen: State, now: State) -> Row:
        """A player's row from his games in order."""
        rating, count = frozen
        change, counted = 0, 0
        terms: list[Term] = []
        lines: list[Line] = []
        last = len(scores) - 1
        games = protected = 0
        for at, (event, half, score, _) in enumerate(scores):
            games += 1
            if half == PROTECTED:
                protected += 1
                counted += self._protected_counts
            else:
                k = self._k(count + counted if self._per_game else count)
                counted += 1
                change += k * (half * SCALE - 2 * score)
                if terms and terms[-1][0] == k:
                    _, number, halves, sum_expected = terms[-1]
                    terms[-1] = (k, number + 1, halves + half, sum_expected + score)
                else:
                    terms.append((k, 1, half, score))
            if at == last or scores[at + 1][0] != event:
                lines.append(Line(event, rating, count < self._provisional_below, games, protected, tuple(terms)))
                terms, games, protected = [], 0, 0
        rating = bounded(now[0] + round_half_away(change * self.per_point, 2 * SCALE), self.per_point)
        return Row((rating, min(self._cap, now[1] + counted)), tuple(lines))

    def explain(self, period: Period, player: int) -> list[Step]:
        """See `System.explain`."""
        scores = self._played(period).get(player)
        if scores is None:
            return []
        games, read = period.games, period.read(period.games.event[period.low])
        rating, count = read[player] or self._start
        of = "first games" if count < self._k_new_games else "later games"
        steps = [Step("own", f"rated {decimal(rating, self.per_point)} after {self._count(count)} before this period")]
        counted, change = 0, Fraction(0)
        for event, half, score, g in scores:
            opponent = games.black[g] if games.white[g] == player else games.white[g]
            theirs, their_games = read[opponent] or self._start
            met = f"against {decimal(theirs, self.per_point)}"
            if half == PROTECTED:
                text = f"{met}: moves nothing, the opponent is provisional with {self._count(their_games)}, the player is not"
                steps.append(Step("not-counted", text, GUIDE, event, g))
                counted += self._protected_counts
                continue
            k = self._k(count + counted if self._per_game else count)
            counted += 1
            adds = k * (Fraction(half, 2) - Fraction(score, SCALE))
            change += adds
            text = f"{met}: scored {halves(half)}, expected {_millionths(score)}, K {k}: {signed(adds)}"
            steps.append(Step("change", text, GUIDE, event, g, adds))
        steps.append(Step("k", f"K {self._k_new} for the first {self._k_new_games} games, then {self._k_established}: {of}", GUIDE))
        rounded = Fraction(round_half_away(change.numerator * self.per_point, change.denominator), self.per_point)
        text = f"the sum {signed(change, 6)}, rounded half away from zero to {signed(rounded)}"
        steps.append(Step("rounding", text, GUIDE, adds=rounded - change))
        moved = int(rounded * self.per_point)
        now = (period.now[player] or self._start)[0]
        steps += bound_steps(now + moved, self.per_point)
        return steps

    def _count(self, games: int) -> str:
        """A capped counter in words."""
        return f"{games} or more games" if games == self._cap else f"{games} game{'' if games == 1 else 's'}"

    def foretell(self, period: Period, game: int) -> Forecast:
        """See `System.foretell`."""
        (white, _), (black, _) = period.sides(game)
        return Forecast(self._expected((white or self._start)[0] - (black or self._start)[0]), is_rated=True)

    def pack(self, state: State) -> bytes:
        return _STATE.pack(*state)

    def rated(self, state: State) -> bool:
        return True

    def provisional(self, state: State) -> bool:
        return state[1] < self._provisional_below

    def wire_state(self, state: State) -> dict[str, object]:
        return {"rating": decimal(state[0], self.per_point), "games": state[1]}

    def wire_line(self, line: Line) -> dict[str, object]:
        return {
            "rating": decimal(line.rating, self.per_point),
            "provisional": line.provisional,
            "games": line.games,
            "protected": line.protected,
            "terms": [
                {"k": k, "games": games, "score": halves(half_points), "expected": _millionths(expected)}
                for k, games, half_points, expected in line.terms
            ],
        }


def _whole(value: object, most: int) -> int:
    if type(value) is not int or not 0 <= value <= most:
        raise Unusable(PARAMETERS_REFUSED)
    return value


def _choice(value: object, yes: str, no: str) -> bool:
    if value not in (yes, no):
        raise Unusable(PARAMETERS_REFUSED)
    return value == yes


@lru_cache(maxsize=1 << 16)
def _millionths(value: int) -> str:
    return f"{value // SCALE}.{value % SCALE:06d}"
