"""Elo in whole numbers in the plainest form, as a second opinion: nothing of the engine is used.

Start 1500, K 20 for everybody, no cap and no floor; every event is judged by the ratings before it and each player's change in it is
rounded once, half away from zero, to a thousandth. Events go by date, then by event id.
"""

from decimal import ROUND_HALF_UP, Context, Decimal
from functools import cache

_MILLION = 10**6
_FIFTY_DIGITS = Context(prec=50, rounding=ROUND_HALF_UP)
_HALF_POINTS = {">": 2, "=": 1, "<": 0}
_START = 1500 * 1000
_K = 20


def ladder(*events: str) -> dict[str, str]:
    """The ratings after all events.

    Args:
        events: such as `2024-01-05 e1 A>B C=D`: date, event id, games.

    Returns:
        Player -> rating with three places.
    """
    return {player: _decimal(quanta) for player, quanta in _ratings(events).items()}


def history(*events: str) -> dict[str, dict[str, str]]:
    """Event id -> the ratings of those who played in it, after it."""
    done: list[str] = []
    after: dict[str, dict[str, str]] = {}
    for event in sorted(events):
        done.append(event)
        now = _ratings(done)
        after[event.split()[1]] = {player: _decimal(now[player]) for player in _ratings([event])}
    return after


def _ratings(events: list[str] | tuple[str, ...]) -> dict[str, int]:
    now: dict[str, int] = {}
    for event in sorted(events):
        changes: dict[str, int] = {}
        for game in event.split()[2:]:
            sign = next(sign for sign in _HALF_POINTS if sign in game)
            white, black = game.split(sign)
            for own, other, half_points in ((white, black, _HALF_POINTS[sign]), (black, white, 2 - _HALF_POINTS[sign])):
                ahead = now.get(own, _START) - now.get(other, _START)
                changes[own] = changes.get(own, 0) + _K * 1000 * (half_points * _MILLION // 2 - _expected(ahead))
        for player, change in changes.items():
            now[player] = now.get(player, _START) + _half_away_from_zero(change, _MILLION)
    return now


@cache
def _expected(ahead: int) -> int:
    """Expected score in millionths of who is so many thousandths ahead."""
    if ahead < 0:
        return _MILLION - _expected(-ahead)
    c = _FIFTY_DIGITS
    odds = c.power(Decimal(10), c.divide(Decimal(-ahead), Decimal(400_000)))
    return int(c.divide(Decimal(_MILLION), c.add(Decimal(1), odds)).to_integral_value(ROUND_HALF_UP))


def _half_away_from_zero(numerator: int, denominator: int) -> int:
    size = (2 * abs(numerator) + denominator) // (2 * denominator)
    return size if numerator >= 0 else -size


def _decimal(quanta: int) -> str:
    return f"{quanta // 1000}.{quanta % 1000:03d}"
