"""K of the FIDE lists: 40/20/10 with its latches, the junior K, the 700 rule, and what was before.

Sources: B02 8.3.3 (2024-03-01) with the order of tests proved on published lists; the archived texts for what was before 1 July 2014; the
rapid and blitz regulations for 1 October 2022. A K goes by the date of the list from which it is taken.
"""

from functools import lru_cache
from typing import NamedTuple

from rerate.ratings.face import State
from rerate.ratings.fide_state import GAMES_CAP, REACHED_2300, REACHED_2400

LIMIT = 700
"""K x games of a period may not pass it."""

JUNIOR_YEARS = 18
K_40_20_10 = "2014-07-01"
RAPID_AS_STANDARD = "2022-10-01"
JUNIOR_BELOW = 2300


class K(NamedTuple):
    """A K and the rule that chose it."""

    k: int
    text: str
    source: str
    """The article, as the newest text numbers it, or where the rule stood."""


_PRESENT = "8.3.3"
_BEFORE_2014 = "FIDE B02 8.5 (until 2014-06-30)"

REACHED = K(10, "K 10 for good, a published rating has been 2400 or more", _PRESENT)
JUNIOR = K(40, "K 40 until the end of the year of the 18th birthday, never 2300 so far", _PRESENT)
NEW = K(40, "K 40 with fewer than 30 games on the list", _PRESENT)
SETTLED = K(20, "K 20 with 30 or more games on the list, never 2400 so far", _PRESENT)
RAPID_BEFORE_2022 = K(20, "K 20 for everyone", "FIDE rapid and blitz regulations (until 2022-09-30)")
OLD_NEW_25 = K(25, "K 25 with fewer than 30 games on the list", _BEFORE_2014)
OLD_NEW_30 = K(30, "K 30 with fewer than 30 games on the list", _BEFORE_2014)
OLD_REACHED = K(10, "K 10 for good, a published rating has been 2400 or more and 30 games are played", _BEFORE_2014)
OLD_SETTLED = K(15, "K 15 with 30 or more games on the list, never 2400 so far", _BEFORE_2014)


def k_of(kind: str, date: str, state: State, per_point: int, birth_year: int | None, new_30_from: str) -> K:
    """K of a rated player before the 700 rule.

    Args:
        kind: standard, rapid or blitz.
        date: of the list; its year is the one of the junior rule.
        state: the player's state on that list.
        birth_year: None is no junior.
        new_30_from: from this date to 2014-06-30 a newcomer's K is 30, before it 25.
    """
    rating, flags, games = state[:3]
    if kind != "standard":
        if date < RAPID_AS_STANDARD:
            return RAPID_BEFORE_2022
    elif date < K_40_20_10:
        return old_k_of(date, state, new_30_from)
    if flags & REACHED_2400:
        return REACHED
    is_young = birth_year is not None and int(date[:4]) - birth_year <= JUNIOR_YEARS
    if is_young and rating < JUNIOR_BELOW * per_point and not flags & REACHED_2300:
        return JUNIOR
    return NEW if games < GAMES_CAP else SETTLED


def old_k_of(date: str, state: State, new_30_from: str) -> K:
    """K of a rated player by the rules until 2014-06-30: 25 (later 30), 15, 10."""
    if state[2] < GAMES_CAP:
        return old_newcomers_k(date, new_30_from)
    return OLD_REACHED if state[1] & REACHED_2400 else OLD_SETTLED


def old_newcomers_k(date: str, new_30_from: str) -> K:
    """K of a newcomer by the rules until 2014-06-30."""
    return OLD_NEW_25 if date < new_30_from else OLD_NEW_30


@lru_cache(maxsize=1 << 12)
def unknown_year(chosen: K, why: str, *, is_junior: bool) -> K:
    """A K that goes by a birth year nobody knows."""
    return chosen._replace(text=f"{chosen.text}; {why}, so taken for {'a junior' if is_junior else 'an adult'}")


def limited(k: int, games: int) -> int:
    """K after the 700 rule, for all games of the period on the list: at most 700 / games, rounded down (B02 8.3.3)."""
    return k if k * games <= LIMIT else LIMIT // games
