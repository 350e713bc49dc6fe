"""A player's period on a FIDE-like list while he has no rating: his results are pooled until they give one (B02 7.1.4, 8.2)."""

from fractions import Fraction
from typing import NamedTuple

from rerate.ratings.face import Period, State
from rerate.ratings.fide_account import NO_RATING, Account, Dated, Judged, Played, Scored, start_of
from rerate.ratings.fide_dates import month_index
from rerate.ratings.fide_initial import initial_rating, min_games
from rerate.ratings.fide_state import FIRST_EVENT_OVER, Pooled, added, pooled, rated_state, unrated_state


class FirstRating(NamedTuple):
    """How a list makes first ratings."""

    min_games: int | None
    """How many games against rated opponents one needs; None: as the regulations of the date have it."""
    counts: bool
    """Whether those games count as rated ones for K."""
    per_point: int

    def account(self, period: Period, dated: Dated, before: State, played: Played, step: Fraction) -> Account:
        """The period of a player without a rating.

        Args:
            step: points per half point above half in the archived rule.
        """
        judged = []
        for event, games in played.items():
            scored = [Scored(i, half, theirs or 0, 0, NO_RATING if theirs is None else 0) for i, half, theirs in games]
            known = [one for one in scored if one.expected >= 0]
            scores, ratings = sum(one.half for one in known), sum(one.theirs for one in known)
            judged.append(Judged(event, before, False, scored, len(known), scores, 0, ratings))
        month = month_index(str(period.key[0]))
        counted = [one for one in judged if one.counted]
        months, flags, dropped = pooled(before, month), before[1], frozenset[int]()
        if counted and not flags & FIRST_EVENT_OVER:
            flags |= FIRST_EVENT_OVER
            dropped = _first_without_a_point(period, counted)
            counted = [one for one in counted if one.event not in dropped]
        initial, rating = None, 0
        if counted:
            months = added([*months, *(Pooled(month, one.counted, one.half, one.ratings) for one in counted)])
            number, scores, ratings = (sum(column) for column in zip(*(one[1:] for one in months), strict=True))
            latest = max(start_of(period.events[one.event]) for one in counted)
            if number >= (self.min_games or min_games(latest)):
                initial = initial_rating(number, scores, Fraction(ratings, self.per_point), latest, step)
                rating = initial.rating * self.per_point
                if dated.published is None or rating >= dated.published:
                    after = rated_state(rating, flags, before[2] + (number if self.counts else 0), self.per_point)
                    return Account(before, judged, [], [], [], rating, dropped, months, initial, after)
        return Account(before, judged, [], [], [], rating, dropped, months, initial, unrated_state(flags, before[2], months))


def _first_without_a_point(period: Period, counted: list[Judged]) -> frozenset[int]:
    """The numbers of the first event in which games count, if all of them were lost (B02 8.2.1).

    First is what ended first; on one day the order of the columns, which is that of the events.
    """
    events = period.events
    first = events[min(counted, key=lambda one: events[one.event].end).event].id
    its = [one for one in counted if events[one.event].id == first]
    return frozenset() if any(one.half for one in its) else frozenset(one.event for one in its)
