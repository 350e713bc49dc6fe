"""`acme-elo/1`: plain Elo with one K for everybody, which changes on one day. A system of a package of its own, for the tests.

Everybody starts at `start`; all games of a period are judged by the ratings before it; the sum of K x (score - expected) is rounded once,
half away from zero. No cap, no floor.

State: rating (i32 quanta), games (u8, capped at `NEW_GAMES`).
"""

import struct
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from rerate.messages.codes import PARAMETERS as PARAMETERS_REFUSED
from rerate.messages.facts import MAX_GAMES
from rerate.ratings.expected import SCALE, expected_score
from rerate.ratings.face import BLACK, WHITE, Forecast, Key, Period, Row, State, Step, Unusable, Usual
from rerate.ratings.quantum import MOST_POINTS, decimal, quanta_of, round_half_away, signed

NAME = "acme-elo/1"
PERIODS = frozenset({"game", "round", "event", "date", "month"})
NEW_GAMES = 10
"""Provisional with fewer."""
MAX_K = 400

PARAMETERS: dict[str, tuple[str | int, str]] = {
    "start": ("1000", "a newcomer's rating, a decimal string of the list's quantum"),
    "k": (30, "K before the day of the change, 0 to 400"),
    "k_later": (20, "K from that day on"),
    "later_from": (20240201, "the day, as YYYYMMDD; a month begins with its first day"),
}
"""Every parameter with its default and meaning."""

_STATE = struct.Struct(">iB")


class Line(NamedTuple):
    """What one event contributed to a player's row."""

    event: int
    rating: int
    """Rating used, quanta."""
    k: int
    games: int
    halves: int
    expected: int
    """Sum, millionths."""


class AcmeElo(Usual):
    """The system with its parameters, over whole numbers of a quantum."""

    name = NAME
    parameters = PARAMETERS
    layout = "acme-elo/1: rating i32, games u8"

    def __init__(self, parameters: Mapping[str, object], per_point: int, period: str) -> None:
        if per_point == 1 or period not in PERIODS or not parameters.keys() <= PARAMETERS.keys():
            raise Unusable(PARAMETERS_REFUSED)
        given = {name: parameters.get(name, default) for name, (default, _) in PARAMETERS.items()}
        start = quanta_of(str(given["start"]), per_point)
        if start is None:
            raise Unusable(PARAMETERS_REFUSED)
        self.per_point = per_point
        self._start: State = (start, 0)
        self._ks = (_whole(given["k"], MAX_K), _whole(given["k_later"], MAX_K))
        self._later_from = str(_whole(given["later_from"], 9999_12_31))
        if max(self._ks) * MAX_GAMES * per_point >= 1 << 31:
            raise Unusable(PARAMETERS_REFUSED)  # one event could leave the state's 32 bits
        self._expected = expected_score(per_point)

    def start(self) -> State:
        return self._start

    def seed(self, fields: Mapping[str, object], as_of: str = "") -> State | None:
        """A seed is {rating, games?}."""
        rating, games = fields.get("rating"), fields.get("games", 0)
        if not {"rating"} <= fields.keys() <= {"rating", "games"} or not isinstance(rating, str) or type(games) is not int or games < 0:
            return None
        quanta = quanta_of(rating, self.per_point)
        return None if quanta is None else (quanta, min(games, NEW_GAMES))

    def with_counters(self, chosen: State, others: Sequence[State]) -> State:
        return (chosen[0], min(NEW_GAMES, chosen[1] + sum(state[1] for state in others)))

    def adjust(self, state: State, kind: str, value: str, date: str = "") -> State | None:
        quanta = quanta_of(value, self.per_point)
        if quanta is None or kind not in ("set", "add"):
            return None
        rating = quanta if kind == "set" else state[0] + quanta
        return (rating, state[1]) if abs(rating) < MOST_POINTS * self.per_point else None

    def rate(self, period: Period) -> dict[int, Row]:
        rows = {}
        k = self._k(period.key)
        for player, games in self._played(period).items():
            before = period.now[player] or self._start
            lines: list[Line] = []
            for event, half, expected, _ in games:
                if lines and lines[-1].event == event:
                    line = lines.pop()
                    lines.append(Line(event, line.rating, k, line.games + 1, line.halves + half, line.expected + expected))
                else:
                    lines.append(Line(event, before[0], k, 1, half, expected))
            rating = before[0] + self._rounded(sum((self._change(k, half, expected) for _, half, expected, _ in games), Fraction(0)))
            rows[player] = Row((rating, min(NEW_GAMES, before[1] + len(games))), tuple(lines))
        return rows

    def explain(self, period: Period, player: int) -> list[Step]:
        games = self._played(period).get(player, [])
        k, sum_ = self._k(period.key), Fraction(0)
        steps = [Step("k", f"K {k}", "the list's parameters")] if games else []
        for event, half, expected, number in games:
            adds = self._change(k, half, expected)
            sum_ += adds
            text = f"scored {half / 2}, expected {expected / SCALE:.6f}, K {k}: {signed(adds)}"
            steps.append(Step("change", text, "", event, number, adds))
        if games:
            rounded = Fraction(self._rounded(sum_), self.per_point)
            steps.append(Step("rounding", f"the sum {signed(sum_)}, rounded to {signed(rounded)}", adds=rounded - sum_))
        return steps

    def foretell(self, period: Period, game: int) -> Forecast:
        (white, _), (black, _) = period.sides(game)
        return Forecast(self._expected((white or self._start)[0] - (black or self._start)[0]), is_rated=True)

    def pack(self, state: State) -> bytes:
        return _STATE.pack(*state)

    def rated(self, state: State) -> bool:
        return True

    def provisional(self, state: State) -> bool:
        return state[1] < NEW_GAMES

    def wire_state(self, state: State) -> dict[str, object]:
        return {"rating": decimal(state[0], self.per_point), "games": state[1]}

    def wire_line(self, line: Line) -> dict[str, object]:
        return {
            "rating": decimal(line.rating, self.per_point),
            "k": line.k,
            "games": line.games,
            "score": f"{line.halves // 2}.{5 * (line.halves % 2)}",
            "expected": f"{line.expected // SCALE}.{line.expected % SCALE:06d}",
        }

    def _k(self, key: Key) -> int:
        date = str(key[0]) if len(str(key[0])) == len("2024-01-05") else f"{key[0]}-01"
        return self._ks[date.replace("-", "") >= self._later_from]

    def _played(self, period: Period) -> dict[int, list[tuple[int, int, int, int]]]:
        """Of each player with a rated game: event, half points, expected score in millionths, which game; in the order of the columns."""
        games, now = period.games, period.now
        played: dict[int, list[tuple[int, int, int, int]]] = {}
        for i in range(period.low, period.high):
            white, black, event = games.white[i], games.black[i], games.event[i]
            expected = self._expected((now[white] or self._start)[0] - (now[black] or self._start)[0])
            if games.rated[i] & WHITE:
                played.setdefault(white, []).append((event, games.white_half[i], expected, i))
            if games.rated[i] & BLACK:
                played.setdefault(black, []).append((event, games.black_half[i], SCALE - expected, i))
        return played

    @staticmethod
    def _change(k: int, half: int, expected: int) -> Fraction:
        return k * (Fraction(half, 2) - Fraction(expected, SCALE))

    def _rounded(self, points: Fraction) -> int:
        return round_half_away(points.numerator * self.per_point, points.denominator)


def _whole(value: object, most: int) -> int:
    if type(value) is not int or not 0 <= value <= most:
        raise Unusable(PARAMETERS_REFUSED)
    return value
