"""A player's period on a FIDE-like list, worked out: what becomes his row, and what its explanation tells."""

from typing import NamedTuple

from rerate.ratings.face import EventInfo, Key, Row, State
from rerate.ratings.fide_initial import Initial
from rerate.ratings.fide_k import K
from rerate.ratings.fide_state import Pooled

NO_RATING, TOO_WIDE = -1, -2
"""In place of the expected score: the game does not count, the opponent having no rating, or the gap being 600 or more (rapid, blitz)."""


Game = tuple[int, int, int | None]
"""Which of the columns, half points, the opponent's rating in quanta or None."""

Played = dict[int, list[Game]]
"""A player's games by event number, in order."""


class Dated(NamedTuple):
    """What the date of a period decides for everybody in it."""

    date: str
    floor: int | None
    """Of the list before it: who stands below has no rating. Quanta; None: there is none."""
    published: int | None
    """The lowest rating that the list after it shows."""
    from_start: bool
    """Whether K comes from the list that the event reads."""
    is_limited: bool
    """Whether the 700 rule is applied."""


class Scored(NamedTuple):
    """One game of one player as it is judged."""

    game: int
    """Which of the columns."""
    half: int
    theirs: int
    """The opponent's rating, quanta; 0 where he has none."""
    gap: int
    """Own minus opponent's rating as it is counted, quanta; 0 where one has none."""
    expected: int
    """In parts of `FideLike.whole`, or why the game does not count."""


class Judged(NamedTuple):
    """One event of one player: his games, and sums over those that count."""

    event: int
    own: State
    """The state by which he is judged."""
    is_later: bool
    """It is the present one: he had no rating in the list that the event reads."""
    games: list[Scored]
    counted: int
    half: int
    expected: int
    """In parts of `FideLike.whole`."""
    ratings: int
    """Sum of the opponents' ratings (as counted, where the method takes their mean), quanta."""


class Account(NamedTuple):
    """A player's period."""

    before: State
    judged: list[Judged]
    ks: list[K]
    """Per event, before the 700 rule; empty for who has no rating."""
    limited: list[int]
    """After it."""
    changes: list[int]
    """Per event, exact: points x 2 x `FideLike.whole`."""
    added: int
    """What is added to the rating, quanta: the rounded change or the first rating, published or not."""
    dropped: frozenset[int]
    """Numbers of the first event, in which a player without a rating scored nothing."""
    months: list[Pooled]
    """Pooled results with those of this period."""
    initial: Initial | None
    after: State


class Line(NamedTuple):
    """What one event contributed to a player's row."""

    event: int
    rating: int | None
    """Rating used, quanta; None for who has none."""
    k: int
    """After the 700 rule."""
    games: int
    """Games that count."""
    half: int
    expected: int
    ratings: int
    not_counted: int
    is_dropped: bool


def row_of(account: Account) -> Row:
    """What of an account is kept."""
    lines = []
    for at, one in enumerate(account.judged):
        rating, k = (one.own[0], account.limited[at]) if account.ks else (None, 0)
        not_counted = len(one.games) - one.counted
        lines.append(
            Line(one.event, rating, k, one.counted, one.half, one.expected, one.ratings, not_counted, one.event in account.dropped)
        )
    return Row(account.after, tuple(lines))


def date_of(key: Key) -> str:
    """The date by which a period's rules go: its day, or the first of its month."""
    date = str(key[0])
    return date if len(date) == 10 else f"{date}-01"


def start_of(event: EventInfo) -> str:
    """An event's first day."""
    return event.start or event.end


def places(parts: int, whole: int) -> str:
    """An expected score in parts of a whole, as a decimal string with its places: 181 of 100 gives `1.81`."""
    return f"{parts // whole}.{parts % whole:0{len(str(whole)) - 1}d}"
