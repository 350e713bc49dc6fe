"""The FIDE systems a second time, in the plainest form: floats, lists of games, the printed tables, nothing shared with the engine.

One month at a time: `month` takes the lists before each month and gives the one after. It is written from the fact sheet.
"""

import csv
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

HERE = Path(__file__).parent


def table(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(newline="") as file:
        return list(csv.DictReader(file))


GAPS, SHARES = table("fide_8_1_2.csv"), {row["p"]: int(row["dp"]) for row in table("fide_8_1_1.csv")}


def from_table(gap: float) -> float:
    for row in GAPS:
        if abs(gap) <= int(row["d_max"] or 100_000):
            return float(row["pd_higher"] if gap > 0 else row["pd_lower"])
    raise AssertionError(gap)


def from_curve(gap: float) -> float:
    return float(1 / (1 + 10 ** (-gap / 400)))


def half_away(value: float) -> float:
    """Ties away from zero; what is a tie but for the last bits of a float is one."""
    return math.copysign(math.floor(abs(round(value, 7)) + 0.5), value)


@dataclass(frozen=True)
class Player:
    rating: float | None = None
    games: int = 0
    peak: float = 0
    has_begun: bool = False
    pool: tuple[tuple[int, float, float], ...] = ()
    """(number of the month, opponent's rating, score)"""


@dataclass(frozen=True)
class Event:
    id: str
    start: str
    end: str
    games: list[tuple[int, int, float, float, bool, bool]]
    """(white, black, White's score, Black's, whether it is rated for White, for Black)"""


@dataclass
class Plain:
    """One list. `curve`: expected by the curve; `mean`: the older method with its own K."""

    kind: str = "standard"
    curve: bool = False
    mean: bool = False
    quantum: float = 1
    births: dict[int, int] = field(default_factory=dict)
    near_tie: set[int] = field(default_factory=set)
    """Players whose sum of the last month is nearer to a tie than a table of millionths tells apart."""

    def month(self, month: str, lists: Callable[[str], dict[int, Player]], events: list[Event]) -> dict[int, Player]:
        now = lists(month)
        self.near_tie = set()
        after = dict(now)
        for me in sorted({side for event in events for game in event.games for side in game[:2]}):
            mine = [(event, self.games_of(event, me)) for event in events]
            mine = [(event, games) for event, games in mine if games]
            if mine:
                old = self.listed(now.get(me, Player()), month)
                after[me] = self.first(month, lists, old, mine) if old.rating is None else self.change(month, lists, me, old, mine)
        return after

    def games_of(self, event: Event, me: int) -> list[tuple[int, float]]:
        out = []
        for white, black, white_score, black_score, for_white, for_black in event.games:
            if white == me and for_white:
                out.append((black, white_score))
            if black == me and for_black:
                out.append((white, black_score))
        return out

    def list_of(self, month: str, lists: Callable[[str], dict[int, Player]], event: Event) -> dict[int, Player]:
        then = min(event.start[:7], month)
        return {me: self.listed(player, then) for me, player in lists(then).items()}

    def listed(self, player: Player, month: str) -> Player:
        """Who is below the floor of a list has no rating on it."""
        return player if player.rating is None or player.rating >= self.floor(month) else replace(player, rating=None)

    def change(
        self,
        month: str,
        lists: Callable[[str], dict[int, Player]],
        me: int,
        old: Player,
        mine: list[tuple[Event, list[tuple[int, float]]]],
    ) -> Player:
        assert old.rating is not None
        parts: list[tuple[Player, float, int]] = []
        for event, games in mine:
            then = self.list_of(month, lists, event)
            own = then.get(me, Player())
            own = old if own.rating is None else own
            assert own.rating is not None
            met = [(then.get(other, Player()).rating, score) for other, score in games]
            rated = [
                (rating, score) for rating, score in met if rating is not None and not self.is_too_wide(own.rating, rating, event.start)
            ]
            won = sum(score for _, score in rated)
            parts.append((own, won - self.expected(own.rating, [rating for rating, _ in rated], event.start), len(rated)))
        games_played = sum(one[2] for one in parts)
        total = table_error = 0.0
        for own, won, count in parts:
            k = self.k(month, own if self.k_at_start(month) else old, self.births.get(me))
            if games_played * k > 700 and self.has_700(month):
                k = 700 // games_played
            total += k * won
            table_error += k * count * 5e-7
        exact = total / self.quantum
        if abs(exact % 1 - 0.5) <= table_error / self.quantum:
            self.near_tie.add(me)
        rating = old.rating + half_away(exact) * self.quantum
        rating = round(rating, 3)
        played = min(30, old.games + games_played)
        if rating < self.published(month):
            return Player(None, played, old.peak, True)
        return Player(rating, played, max(old.peak, rating), True)

    def is_too_wide(self, own: float, other: float, start: str) -> bool:
        return self.kind != "standard" and start >= "2024-12-01" and abs(own - other) >= 600 and max(own, other) > 2600

    def expected(self, own: float, others: list[float], start: str) -> float:
        if not others:
            return 0
        cap = 350 if start < "2009-07-01" else 400
        if self.mean:
            others = [min(max(other, own - cap), own + cap) for other in others]
            mean = math.floor(sum(others) / len(others) + 0.5)
            return len(others) * from_table(own - mean)
        if self.kind == "standard" and own >= 2650 and start >= "2025-10-01":
            gaps = [own - other for other in others]
        elif "2022-01-01" <= start < "2024-03-01":
            gaps = sorted((max(own - other, -cap) for other in others), reverse=True)
            gaps[0] = min(gaps[0], cap)
        else:
            gaps = [min(max(own - other, -cap), cap) for other in others]
        return sum(from_curve(gap) if self.curve else from_table(gap) for gap in gaps)

    def k_at_start(self, month: str) -> bool:
        return month >= "2009-07" if self.mean else self.kind == "standard" and month < "2014-07"

    def has_700(self, month: str) -> bool:
        return not self.mean and (self.kind != "standard" or month >= "2014-07")

    def k(self, month: str, player: Player, born: int | None) -> int:
        assert player.rating is not None
        if self.kind != "standard" and month < "2022-10":
            return 20
        if self.mean or (self.kind == "standard" and month < "2014-07"):
            if player.games < 30:
                return 25 if month < "2011-07" else 30
            return 10 if player.peak >= 2400 else 15
        if player.peak >= 2400:
            return 10
        if born is not None and int(month[:4]) - born <= 18 and player.peak < 2300 and player.rating < 2300:
            return 40
        return 40 if player.games < 30 else 20

    def published(self, month: str) -> float:
        """The floor of the list that comes out next, where it falls."""
        year, number = int(month[:4]), int(month[5:])
        return min(self.floor(month), self.floor(f"{year + number // 12:04d}-{number % 12 + 1:02d}"))

    def floor(self, month: str) -> float:
        if month < "2009-07" or month >= "2024-03":
            return 1400
        return 1200 if month < "2012-07" else 1000

    def first(
        self, month: str, lists: Callable[[str], dict[int, Player]], old: Player, mine: list[tuple[Event, list[tuple[int, float]]]]
    ) -> Player:
        number = int(month[:4]) * 12 + int(month[5:])
        counted = []
        for event, games in mine:
            then = self.list_of(month, lists, event)
            ratings = [(then.get(other, Player()).rating, score) for other, score in games]
            known = [(number, rating, score) for rating, score in ratings if rating is not None]
            if known:
                counted.append((event, known))
        has_begun = old.has_begun or bool(counted)
        if counted and not old.has_begun:
            first = min(counted, key=lambda one: (one[0].end, one[0].id))
            if sum(score for _, _, score in first[1]) == 0:
                counted.remove(first)
        pool = tuple(game for game in old.pool if number - game[0] < 26) + tuple(game for _, games in counted for game in games)
        latest = max((event.start for event, _ in counted), default="")
        if not counted or len(pool) < (9 if self.mean or latest < "2014-07-01" else 5):
            return replace(old, has_begun=has_begun, pool=pool)
        rating = self.initial(month, [one[1] for one in pool], sum(one[2] for one in pool), latest)
        if rating < self.published(month):
            return replace(old, has_begun=has_begun, pool=pool)
        return Player(rating, old.games, max(old.peak, rating), True)

    def initial(self, month: str, ratings: list[float], won: float, start: str) -> float:
        if start >= "2024-03-01":
            ratings, won = [*ratings, 1800, 1800], won + 1
        mean = sum(ratings) / len(ratings)
        if start < "2024-03-01" and won > len(ratings) / 2:
            step = 12.5 if month < "2011-07" else 15 if self.mean or month < "2014-07" else 20
            return half_away(mean + step * 2 * (won - len(ratings) / 2))
        share = math.floor(round(100 * won / len(ratings), 7) + 0.5)
        rating = half_away(mean + SHARES[f"{share / 100:.2f}"])
        return min(rating, 2200) if start >= "2024-03-01" else rating
