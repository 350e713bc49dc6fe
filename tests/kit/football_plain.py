"""The football history folded and rated in the plainest way, to tell whether an engine is right after any part of it.

Dictionaries and one loop over the dates; nothing of the engine is used. There are two folds, one over the messages of the source (teams by
name) and one over the facts (teams by id), each from the first on and in order, for neither knows what late means. What they hold can be
compared with an engine's, and `rate` says what the club system must make of it with one period a calendar date. Other facts of the same few
kinds will do too, such as the two Irish tournaments, if no game is declared unrated and no two events share a date.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import cache
from typing import Any, NamedTuple

FIRST_COMMIT = 34_835
"""The last message of the source's first commit; the second right answer is the one after it."""

_MILLION = 10**6
_FIFTY_DIGITS = Context(prec=50, rounding=ROUND_HALF_UP)


class PlainGame(NamedTuple):
    """A game as the ratings see it: persons, not the names under which they played."""

    date: str
    white: str
    black: str
    half_points: int
    """White's: 2, 1 or 0."""


class PlainRating(NamedTuple):
    """Where a player stands."""

    quanta: int
    games: int
    last_played: str


class PlainSource:
    """What the messages of the source say so far."""

    def __init__(self, messages: Iterable[Mapping[str, Any]] = ()) -> None:
        self._events: dict[str, Mapping[str, Any]] = {}
        self._renamed: dict[str, str] = {}
        for message in messages:
            self.take(message)

    def take(self, message: Mapping[str, Any]) -> None:
        match message["kind"]:
            case "result-published" | "result-corrected":
                self._events[message["event_key"]] = message
            case "event-deleted":
                del self._events[message["event_key"]]
            case "identity-merged":
                self._renamed[message["alias"]] = message["into"]
            case "identity-unmerged":
                assert self._renamed.pop(message["alias"]) == message["into"]
            case kind:
                raise AssertionError(f"not a message of the stream: {kind}")

    def games(self) -> list[PlainGame]:
        """Every game, sorted."""
        return sorted(
            PlainGame(m["event_date"], _last(self._renamed, g["home"]), _last(self._renamed, g["away"]), round(2 * g["result"]))
            for m in self._events.values()
            for g in m["games"]
        )


class PlainFacts:
    """What the facts say so far; facts about other things than results and names are passed over."""

    def __init__(self, facts: Iterable[Mapping[str, Any]] = ()) -> None:
        self._dates: dict[str, str] = {}
        self._games: dict[str, dict[str, Mapping[str, Any]]] = {}
        self._merges: dict[str, tuple[str, str]] = {}
        for fact in facts:
            self.take(fact)

    def take(self, fact: Mapping[str, Any]) -> None:
        data = fact["data"]
        match fact["type"]:
            case "rerate.result-published.v1":
                event_id = data["event"]["id"]
                self._dates[event_id] = data["event"]["date"]
                self._games[event_id] = {game["id"]: game for game in data["games"]}
            case "rerate.result-corrected.v1":
                event_id = data["event_id"]
                self._dates[event_id] = data["set"]["date"]
                for id in data.get("removed", ()):
                    del self._games[event_id][id]
                self._games[event_id] |= {game["id"]: game for game in data["games"]}
            case "rerate.event-deleted.v1":
                del self._dates[data["event_id"]], self._games[data["event_id"]]
            case "rerate.identity-merged.v1":
                self._merges[data["merge_id"]] = (data["alias"], data["player"])
            case "rerate.identity-unmerged.v1":
                del self._merges[data["merge_id"]]
            case _:
                pass

    def persons(self) -> dict[str, str]:
        """The person of every id that is another's: the end of its chain of merges."""
        into = dict(self._merges.values())
        assert len(into) == len(self._merges), "two merges in force for one alias"
        return {alias: _last(into, alias) for alias in into}

    def games(self) -> list[PlainGame]:
        """Every game that was played, sorted."""
        person = self.persons()
        half_points = {"1-0": 2, "1/2-1/2": 1, "0-1": 0}
        return sorted(
            PlainGame(
                self._dates[event_id], person.get(g["white"], g["white"]), person.get(g["black"], g["black"]), half_points[g["result"]]
            )
            for event_id, games in self._games.items()
            for g in games.values()
            if g["result"] in half_points
        )


def _last(into: Mapping[str, str], name: str) -> str:
    while name in into:
        name = into[name]
    return name


def rate(games: Iterable[PlainGame], quantum: str = "0.1") -> dict[str, PlainRating]:
    """Where everybody stands who played, by club/1 with its usual parameters and one period a date.

    Args:
        games: all of them, in any order.
        quantum: `1`, `0.1`, `0.01` or `0.001`.
    """
    per_point = round(1 / Decimal(quantum))
    by_date: dict[str, list[PlainGame]] = defaultdict(list)
    for game in games:
        by_date[game.date].append(game)
    now: dict[str, PlainRating] = {}
    newcomer = PlainRating(1200 * per_point, 0, "")
    for date in sorted(by_date):
        won = defaultdict[str, int](int)
        played = defaultdict[str, int](int)
        for game in by_date[date]:
            sides = ((game.white, game.black, game.half_points), (game.black, game.white, 2 - game.half_points))
            for own, other, half_points in sides:
                played[own] += 1
                mine, theirs = now.get(own, newcomer), now.get(other, newcomer)
                if theirs.games >= 5 or mine.games < 5:
                    k = 40 if mine.games < 20 else 20
                    won[own] += k * per_point * (half_points * _MILLION // 2 - _expected(mine.quanta - theirs.quanta, per_point))
        before = {player: now.get(player, newcomer) for player in played}
        for player, (quanta, count, _) in before.items():
            now[player] = PlainRating(quanta + _half_away_from_zero(won[player], _MILLION), count + played[player], date)
    return now


@cache
def _expected(ahead: int, per_point: int) -> int:
    """Expected score in millionths of who is so many quanta ahead."""
    if ahead < 0:
        return _MILLION - _expected(-ahead, per_point)
    c = _FIFTY_DIGITS
    odds = c.power(Decimal(10), c.divide(Decimal(-ahead), Decimal(400 * per_point)))
    return int(c.divide(Decimal(_MILLION), c.add(Decimal(1), odds)).to_integral_value(ROUND_HALF_UP))


def _half_away_from_zero(numerator: int, denominator: int) -> int:
    size = (2 * abs(numerator) + denominator) // (2 * denominator)
    return size if numerator >= 0 else -size
