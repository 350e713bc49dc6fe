"""A player's state on a FIDE-like list: rating, latches, games since he joined the list, and the pooled results of who has no rating yet.

A state is (rating in quanta, flags, games, and four numbers of each pooled month: month, games, half points, sum of the opponents' ratings
in quanta). Who has no rating has 0 in its place; who has one has no pooled months. Packed (big endian): i32 rating, u8 flags, u8 games, u8
number of pooled months, and of each u32 month (12 x year + month - 1), u32 games, u32 half points, i64 sum.
"""

import re
import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from rerate.ratings.face import State
from rerate.ratings.fide_dates import month_index, month_name
from rerate.ratings.quantum import MOST_POINTS, decimal, quanta_of

LAYOUT = "fide: rating i32, flags u8, games u8, months u8, each month u32, games u32, half points u32, ratings i64"
"""One for all FIDE-like systems, so that a list may pass from one to the next on a date."""

RATED, REACHED_2400, REACHED_2300, FIRST_EVENT_OVER = 1, 2, 4, 8
"""Flags: has a rating; a published rating has ever been 2400, 2300 or more; the first event with a game that counts is behind him (so it is
for everybody with a rating)."""

GAMES_CAP = 30
"""No rule asks for more games than these."""

POOL_MONTHS = 26
"""Results are pooled over at most so many months in a row, the present one among them (B02 7.1.4, 2024-03-01)."""

NEWCOMER: State = (0, 0, 0)

MOST_POOLED = 9_999
"""Games that people may give one pooled month by a seed."""

_HEAD = struct.Struct(">iBBB")
_MONTH = struct.Struct(">IIIq")
_NUMBERS = 4
"""Numbers in a state of each pooled month."""

_LATCHES = {"reached_2300": REACHED_2300, "reached_2400": REACHED_2400, "first_event_over": FIRST_EVENT_OVER}
_POOL_FIELD = re.compile(r"pool_([1-9][0-9]{3})_(0[1-9]|1[0-2])\Z")
_POOL_VALUE = re.compile(r"games([1-9][0-9]{0,8})-half([0-9]{1,9})-sum(-?[0-9]{1,12})\Z")


class Pooled(NamedTuple):
    """What a player without a rating has scored against rated opponents in one month's period."""

    month: int
    games: int
    half: int
    ratings: int
    """Sum of the opponents' ratings, quanta."""


def rated_state(rating: int, flags: int, games: int, per_point: int) -> State:
    """The state of who is published with a rating; the latches see it."""
    flags |= RATED | FIRST_EVENT_OVER
    if rating >= 2400 * per_point:
        flags |= REACHED_2400
    if rating >= 2300 * per_point:
        flags |= REACHED_2300
    return (rating, flags, min(games, GAMES_CAP))


def unrated_state(flags: int, games: int, months: Iterable[Pooled] = ()) -> State:
    """The state of who has no rating."""
    return (0, flags & ~RATED, min(games, GAMES_CAP), *(number for one in months for number in one))


def pooled(state: State, month: int | None = None) -> list[Pooled]:
    """The pooled months of a state in their order; with `month`, those that still count in it."""
    months = [Pooled(*state[at : at + _NUMBERS]) for at in range(3, len(state), _NUMBERS)]
    return months if month is None else [one for one in months if one.month > month - POOL_MONTHS]


def added(months: Iterable[Pooled]) -> list[Pooled]:
    """Pooled months with those of one month added up, in order, the newest `POOL_MONTHS` months of them."""
    sums: dict[int, Pooled] = {}
    for one in months:
        other = sums.get(one.month)
        sums[one.month] = one if other is None else Pooled(*(one.month, *(a + b for a, b in zip(one[1:], other[1:], strict=True))))
    newest = max(sums, default=0)
    return [sums[month] for month in sorted(sums) if month > newest - POOL_MONTHS]


def with_counters(chosen: State, others: Sequence[State]) -> State:
    """The chosen seed's rating with latches or-ed, games added up to their cap; who has no rating gets all pooled results."""
    flags, games = chosen[1], chosen[2]
    for state in others:
        flags |= state[1] & ~RATED
        games += state[2]
    if chosen[1] & RATED:
        return (chosen[0], flags, min(games, GAMES_CAP))
    return unrated_state(flags, games, added(one for state in (chosen, *others) for one in pooled(state)))


def pack(state: State) -> bytes:
    """The state as the digests see it; how many pooled months follow stands before them."""
    months = pooled(state)
    return b"".join((_HEAD.pack(*state[:3], len(months)), *(_MONTH.pack(*one) for one in months)))


def fields_of(state: State, per_point: int) -> dict[str, object]:
    """A state by name, as a seed may give it: no `rating` for who has none; a pooled month as `games5-half7-sum9512`, the sum in quanta."""
    fields: dict[str, object] = {"rating": decimal(state[0], per_point)} if state[1] & RATED else {}
    fields["games"] = state[2]
    fields |= {name: bool(state[1] & bit) for name, bit in _LATCHES.items()}
    for month, games, half, ratings in pooled(state):
        fields[f"pool_{month_name(month).replace('-', '_')}"] = f"games{games}-half{half}-sum{ratings}"
    return fields


def state_of(fields: Mapping[str, object], per_point: int, least: int) -> State | None:
    """The state that fields stand for, each of them optional; None for a field that is not known, is not of its kind, or does not fit.

    Args:
        least: the lowest rating, quanta.
    """
    left = dict(fields)
    rating, games = left.pop("rating", None), left.pop("games", 0)
    quanta = quanta_of(rating, per_point) if isinstance(rating, str) else None
    if (rating is not None and (quanta is None or quanta < least)) or type(games) is not int or games < 0:
        return None
    flags = 0
    for name, bit in _LATCHES.items():
        value = left.pop(name, False)
        if not isinstance(value, bool):
            return None
        flags |= bit if value else 0
    months = [_month_of(name, value, per_point) for name, value in left.items()]
    whole = [one for one in months if one is not None]
    if len(whole) < len(months) or (quanta is not None and months):
        return None
    if quanta is not None:
        return rated_state(quanta, flags, games, per_point)
    return unrated_state(flags | (FIRST_EVENT_OVER if whole else 0), games, added(whole))


def _month_of(name: str, value: object, per_point: int) -> Pooled | None:
    field = _POOL_FIELD.match(name)
    numbers = _POOL_VALUE.match(value) if isinstance(value, str) else None
    if field is None or numbers is None:
        return None
    games, half, ratings = int(numbers[1]), int(numbers[2]), int(numbers[3])
    if half > 2 * games or abs(ratings) >= games * MOST_POINTS * per_point:
        return None
    return Pooled(month_index(f"{field[1]}-{field[2]}"), games, half, ratings)
