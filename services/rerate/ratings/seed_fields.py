"""What a seed may say to each system of this package: the fields of `state` in a `rating-seeded` fact, with an example of each.

It is for readers; what a system takes is what its `seed` takes, and a test holds the two together.
"""

from collections.abc import Mapping
from typing import NamedTuple

from rerate.ratings import club, fide, fide_2009, fide_curve, glicko, glicko2, uschess


class SeedField(NamedTuple):
    """One field of a seed's state."""

    example: object
    """As JSON has it."""
    meaning: str
    """With its limits, and what is taken where it is left out."""
    is_in_example: bool = True
    """Whether a seed of the others may have it beside them."""


_RATING = "a decimal string of the list's quantum"

_FIDE = {
    "rating": SeedField(
        "1850",
        f"{_RATING}, above 0, and below the lowest rating of the fact's `as_of` only as the list's seed_below_floor has it; left out of "
        "who has none",
    ),
    "games": SeedField(30, "rated games so far, 0 up, which K goes by; more than 30 are 30; default 0"),
    "reached_2300": SeedField(False, "true: a published rating has been 2300 or more, which ends the K of juniors; default false"),
    "reached_2400": SeedField(False, "true: it has been 2400 or more, K 10 for good; default false"),
    "first_event_over": SeedField(
        True, "true: the first event is behind the player, and no other is dropped for want of a point; default false"
    ),
    "pool_2026_03": SeedField(
        "games3-half4-sum5400",
        "of who has no rating, a field for each month, named after it: 3 games against rated opponents, 4 half points, 5400 quanta the sum "
        "of their ratings",
        is_in_example=False,
    ),
}
_GLICKO = {
    "rating": SeedField("1850", f"{_RATING}, within the list's min_rating and max_rating"),
    "deviation": SeedField("65.5", "a decimal string of at most three places, within the list's min_deviation and max_deviation"),
    "games": SeedField(12, "games so far, 0 up, counted up to the list's provisional_games; default 0"),
    "last": SeedField(
        20231205, "day of the last period as a whole number, YYYYMMDD, since when the deviation grows; left out: it has not grown"
    ),
}

SEED_FIELDS: Mapping[str, Mapping[str, SeedField]] = {
    club.NAME: {
        "rating": SeedField("1480", _RATING),
        "games": SeedField(24, "games so far, 0 up; K and whether the player is provisional go by it"),
    },
    fide.NAME: _FIDE,
    fide_curve.NAME: _FIDE,
    fide_2009.NAME: _FIDE,
    uschess.NAME: {
        "rating": SeedField("1850", f"{_RATING}, 100 or more; with 0 games a starting value"),
        "games": SeedField(40, "games so far, 0 up; more than 50 are 50"),
        "dropped": SeedField(True, "false: all games so far were won; default true"),
        "scored": SeedField(True, "false: all games so far were lost; default true"),
        "floor_points": SeedField(
            0, "points to the personal floor, 4 for a win, 2 for a draw, 1 for an event of three games, up to 50; default 0"
        ),
        "peak": SeedField(
            "1900", "the highest established rating, a decimal string, of who has more than 25 games not below the rating; default 0"
        ),
        "master_games": SeedField(0, "games at 2200 or more, up to 300, which make a floor of 2200; default 0"),
        "prize_floor": SeedField("0", "floor for a money prize, a decimal string, whole hundreds up to 2200; default 0"),
    },
    glicko.NAME: _GLICKO,
    glicko2.NAME: _GLICKO
    | {
        "volatility": SeedField(
            "0.06",
            "a decimal string of at most nine places, within the list's min_volatility and max_volatility; default: its start_volatility",
        )
    },
}
