"""`fide/1`: the FIDE rating lists, standard, rapid and blitz, with every rule dated back to 1 July 2009.

Game by game with the tables 8.1.1 and 8.1.2; one list a month (until July 2012 every two); one rounding a period, half away from zero.
What concerns an event (cap, exemption, 600 rule, first ratings) goes by its first day, what concerns a list (K, floor) by the list before
the period. Source: FIDE Handbook B02 (2024-03-01 with the change of 2025-10-01) and the rapid and blitz regulations; what they leave open
is a parameter, its default named in `PARAMETERS`. On a list `dated_by: game` the games of a league that read the
same list (those of one month) count as an event of their own, as leagues are reported month by month: one capped win, one first event
without a point. On a rapid or blitz list whose parameter `fallback` names the standard list, who has only a standard rating plays as rated
with it.

State: see `fide_state`.
"""

from collections.abc import Mapping

from rerate.messages.codes import PARAMETERS as PARAMETERS_REFUSED
from rerate.ratings.face import Unusable
from rerate.ratings.fide_dated import DATED, DatedFide
from rerate.ratings.fide_tables import pd

NAME = "fide/1"

PARAMETERS = DATED
"""Every parameter with its default and meaning."""


class Fide(DatedFide):
    """A FIDE list with its parameters, in whole points, by month."""

    name = NAME
    parameters = PARAMETERS

    def __init__(self, parameters: Mapping[str, object], per_point: int, period: str) -> None:
        super().__init__(parameters, PARAMETERS, per_point)
        if per_point != 1 or period != "month":
            raise Unusable(PARAMETERS_REFUSED)

    def expect(self, gap: int) -> int:
        return pd(gap)
