"""The states of `uschess/1`: layout, seeds, counters, floors, and how they look on the wire.

A state is (rating in quanta, 0 for who has none; games; some game was not won; some game was not lost; floor points; peak in hundreds;
master games; prize floor in hundreds). All is capped, or cut down, to what the rules can tell apart: 50 games; 50 points to the personal
floor, 4 for a win, 2 for a draw, 1 for an event of three games; the highest established rating from 1400 to 2300 in whole hundreds; 300
games at 2200 or more.
"""

import struct
from collections.abc import Mapping, Sequence
from typing import TypeGuard

from rerate.ratings.face import State
from rerate.ratings.quantum import decimal, quanta_of, round_half_away
from rerate.ratings.uschess_formulas import FLOOR, MOST_GAMES, established_floor, personal_floor

LAYOUT = "uschess/1: rating i32, games u8, dropped u8, scored u8, floor points u8, peak u8, master games u16, prize floor u8"
EMPTY: State = (0, 0, 0, 0, 0, 0, 0, 0)
"""Of who has no rating."""

MOST_RATING = 10_000
"""Ratings that people set are below this."""
ESTABLISHED = 25
"""Established with more games than this."""
MASTER = 2_200
MASTER_GAMES = 300
"""So many games at `MASTER` or more make a floor of `MASTER`."""
MOST_POINTS = 50
LEAST_PEAK, MOST_PEAK = 14, 23
"""In hundreds: below, there is no floor; above, it gets no higher."""

_STATE = struct.Struct(">iBBBBBHB")
_DEFAULTS: dict[str, object] = {"dropped": True, "scored": True, "floor_points": 0, "peak": "0", "master_games": 0, "prize_floor": "0"}


def pack(state: State) -> bytes:
    return _STATE.pack(*state)


def seed(fields: Mapping[str, object], per_point: int, peak_rounded: bool) -> State | None:
    """The state of a seed's fields; None if they are none. See `USChess.seed`."""
    if not {"rating", "games"} <= fields.keys() <= {"rating", "games", *_DEFAULTS}:
        return None
    filled = {**_DEFAULTS, **fields}
    rating, highest, prize = (_quanta(filled[name], per_point) for name in ("rating", "peak", "prize_floor"))
    games, points, master_games = filled["games"], filled["floor_points"], filled["master_games"]
    dropped, scored = filled["dropped"], filled["scored"]
    if rating is None or highest is None or prize is None:
        return None
    if rating < FLOOR * per_point and (rating or games):
        return None  # 0 without a game is the state of who has no rating yet
    if not (_is_count(games) and _is_count(points) and _is_count(master_games) and isinstance(dropped, bool) and isinstance(scored, bool)):
        return None
    hundreds, rest = divmod(prize, 100 * per_point)
    if rest or 100 * hundreds > MASTER or (games and not dropped and not scored):
        return None  # no floor, or games neither all won nor all lost nor mixed
    if games > ESTABLISHED:
        highest = max(highest, rating)
    return (
        rating,
        min(games, MOST_GAMES),
        int(dropped and games > 0),
        int(scored and games > 0),
        min(points, MOST_POINTS),
        peak(highest, per_point, peak_rounded),
        min(master_games, MASTER_GAMES),
        hundreds,
    )


def with_counters(chosen: State, others: Sequence[State], per_point: int, peak_rounded: bool) -> State:
    """Counters added up to their cap, latches or-ed; of peaks and prize floors, which only rise, the highest.

    Who is established by these games has a peak by his rating, too; who has no rating has no games that it would rest on.
    """
    rating, games, dropped, scored, points, highest, master_games, prize = chosen
    for _, games_2, dropped_2, scored_2, points_2, highest_2, master_games_2, prize_2 in others:
        games = min(MOST_GAMES, games + games_2)
        dropped, scored = dropped | dropped_2, scored | scored_2
        points = min(MOST_POINTS, points + points_2)
        highest, prize = max(highest, highest_2), max(prize, prize_2)
        master_games = min(MASTER_GAMES, master_games + master_games_2)
    if not rating:
        games = dropped = scored = 0
    elif games > ESTABLISHED:
        highest = max(highest, peak(rating, per_point, peak_rounded))
    return (rating, games, dropped, scored, points, highest, master_games, prize)


def counted(state: State, half_points: Sequence[int], as_master: bool) -> State:
    """The state with an event's games counted; rating and peak as before."""
    rating, games, dropped, scored, points, highest, master_games, prize = state
    points += 4 * half_points.count(2) + 2 * half_points.count(1) + (len(half_points) >= 3)
    return (
        rating,
        min(MOST_GAMES, games + len(half_points)),
        int(dropped or min(half_points) < 2),
        int(scored or max(half_points) > 0),
        min(MOST_POINTS, points),
        highest,
        min(MASTER_GAMES, master_games + len(half_points)) if as_master else master_games,
        prize,
    )


def rated(state: State, quanta: int, per_point: int, peak_rounded: bool) -> State:
    """A counted state with its new rating, and with its peak if that is an established one."""
    _, games, dropped, scored, points, highest, master_games, prize = state
    if games > ESTABLISHED:
        highest = max(highest, peak(quanta, per_point, peak_rounded))
    return (quanta, games, dropped, scored, points, highest, master_games, prize)


def adjusted(state: State, kind: str, value: str, per_point: int, peak_rounded: bool) -> State | None:
    """A state after a decision. To set a rating gives it to who has none; to add to none leaves it."""
    quanta = quanta_of(value, per_point)
    if quanta is None or kind not in ("set", "add"):
        return None
    if kind == "add" and not state[0]:
        return state
    rating = quanta if kind == "set" else state[0] + quanta
    return rated(state, rating, per_point, peak_rounded) if FLOOR * per_point <= rating < MOST_RATING * per_point else None


def peak(quanta: int, per_point: int, rounded: bool) -> int:
    """A highest established rating in hundreds, 14 to 23; 0 below."""
    hundreds = (round_half_away(quanta, per_point) if rounded else quanta // per_point) // 100
    return min(hundreds, MOST_PEAK) if hundreds >= LEAST_PEAK else 0


def floor(state: State) -> int:
    """The floor in points (section 5): the highest of the personal one, the established one, the life master's and a money prize's."""
    _, _, _, _, points, highest, master_games, prize = state
    return max(personal_floor(points), established_floor(highest), MASTER if master_games >= MASTER_GAMES else 0, 100 * prize)


def wire(state: State, per_point: int) -> dict[str, object]:
    """What `seed` reads back."""
    rating, games, dropped, scored, points, highest, master_games, prize = state
    return {
        "rating": decimal(rating, per_point),
        "games": games,
        "dropped": bool(dropped),
        "scored": bool(scored),
        "floor_points": points,
        "peak": decimal(100 * highest * per_point, per_point),
        "master_games": master_games,
        "prize_floor": decimal(100 * prize * per_point, per_point),
    }


def _is_count(value: object) -> TypeGuard[int]:
    return type(value) is int and value >= 0


def _quanta(value: object, per_point: int) -> int | None:
    quanta = quanta_of(value, per_point) if isinstance(value, str) else None
    return quanta if quanta is not None and quanta >= 0 else None
