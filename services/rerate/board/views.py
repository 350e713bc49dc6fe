"""What people ask: a ladder now or as of a date, a player's history, an event and what it did to ratings. Pure: rows in, answers out."""

import calendar
from collections.abc import Iterable, Sequence
from datetime import date as Day
from decimal import ROUND_HALF_UP, Decimal
from itertools import groupby
from typing import Any

import orjson
from msgspec import Struct
from msgspec.structs import replace

from rerate.board.rows import DeltaRow, PeriodRow, SnapshotRow
from rerate.ratings.face import next_month
from rerate.replay.periods import key_of_fields, key_text

BARS = "▁▂▃▄▅▆▇█"


class LadderLine(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A player's place on a ladder."""

    rank: int
    """Equal ratings share a rank; provisional players are ranked among themselves, so are those without a rating."""
    player: str
    rating: str | None
    shown: str | None
    provisional: bool
    games: int
    last_game: str | None = None
    won: int | None = None
    """These three are told of the ladder of now only."""
    drawn: int | None = None
    lost: int | None = None


def ladder(snapshots: Iterable[SnapshotRow]) -> list[LadderLine]:
    """The ladder as it stands: established players by rating, then the provisional ones by rating, then those without one."""
    return _ranked(
        LadderLine(
            rank=0,
            player=s.player,
            rating=s.rating,
            shown=s.shown,
            provisional=s.provisional,
            games=s.games,
            last_game=s.last_game,
            won=s.won,
            drawn=s.drawn,
            lost=s.lost,
        )
        for s in snapshots
    )


def ladder_as_of(snapshots: Iterable[SnapshotRow], deltas: Sequence[DeltaRow], date: str) -> list[LadderLine]:
    """The ladder of an earlier date, as today's facts tell it: of each player the newest row up to that date.

    A seeded player without a row yet has what his first row was judged by.

    Args:
        deltas: by player and period.
        date: the last day to count; a month counts when it is over.
    """
    rows = {player: list(group) for player, group in groupby(deltas, key=lambda delta: delta.player)}
    lines = (_as_of(snapshot, rows.get(snapshot.player, []), date) for snapshot in snapshots)
    return _ranked(line for line in lines if line is not None)


def _as_of(snapshot: SnapshotRow, rows: Sequence[DeltaRow], date: str) -> LadderLine | None:
    before = [delta for delta in rows if _last_day(delta.date) <= date]
    elsewhere = snapshot.games - sum(_games(delta) for delta in rows)
    if before:
        last = before[-1]
        assert last.row is not None
        rating, shown = last.row.rating, last.row.shown
        return LadderLine(
            rank=0,
            player=snapshot.player,
            rating=rating,
            shown=shown,
            provisional=last.row.provisional,
            games=elsewhere + sum(_games(delta) for delta in before),
            last_game=next((delta.date for delta in reversed(before) if _games(delta)), None),
        )
    if snapshot.as_of is None or snapshot.as_of > date:
        return None
    first = rows[0].row if rows else None
    rating = snapshot.rating if first is None else _judged_by(first)
    shown = None if rating is None else rounded_like(rating, snapshot.shown or rating)
    line = next((line for delta in rows if delta.row is not None for line in delta.row.events), None)
    provisional = snapshot.provisional if line is None else line.provisional
    return LadderLine(rank=0, player=snapshot.player, rating=rating, shown=shown, provisional=provisional, games=elsewhere)


def _judged_by(row: PeriodRow) -> str | None:
    """The rating by which a row was judged, of an adjustment the one before it."""
    return row.events[0].rating if row.events else row.adjusted_from


def _games(delta: DeltaRow) -> int:
    return 0 if delta.row is None else sum(line.games for line in delta.row.events)


def _last_day(date: str) -> str:
    """The date itself; of a month its last day."""
    if len(date) == 10:
        return date
    year, month = int(date[:4]), int(date[5:7])
    return f"{date}-{calendar.monthrange(year, month)[1]:02d}"


def _ranked(lines: Iterable[LadderLine]) -> list[LadderLine]:
    by_rating = sorted(lines, key=lambda line: (line.rating is None, line.provisional, -Decimal(line.rating or 0), line.player))
    ranked: list[LadderLine] = []
    for _, group in groupby(by_rating, key=lambda line: (line.rating is None, line.provisional)):
        rank = 0
        for place, line in enumerate(group, 1):
            if place == 1 or line.rating != ranked[-1].rating:
                rank = place
            ranked.append(replace(line, rank=rank))
    return ranked


def rounded_like(rating: str, example: str) -> str:
    """A rating rounded half away from zero to as many places as an example has."""
    places = Decimal(1).scaleb(-len(example.partition(".")[2]))
    return str(Decimal(rating).quantize(places, rounding=ROUND_HALF_UP))


class Step(Struct, frozen=True, kw_only=True):
    """A row of a player's history."""

    date: str
    period: str
    """Date, order, event, round, board, game as far as the list's periods go."""
    before: str | None
    """The rating of the row before; in his first row the one he was judged by. None: he had none."""
    rating: str | None
    change: str | None
    """None if he had no rating before it, or has none after it."""
    games: int
    events: tuple[str, ...]
    cause: str
    """`direct`: facts of this period changed when this row was last published; `carried`: only ratings before it."""
    update: int
    """In which this row was last published."""


def history(deltas: Iterable[DeltaRow]) -> list[Step]:
    """A player's rows on one list as steps, in order."""
    steps: list[Step] = []
    for delta in deltas:
        assert delta.row is not None, "what stands is asked for"
        before = steps[-1].rating if steps else _judged_by(delta.row)
        steps.append(
            Step(
                date=delta.date,
                period=key_text(key_of_fields(delta.period)),
                before=before,
                rating=delta.row.rating,
                change=difference(delta.row.rating, before),
                games=_games(delta),
                events=tuple(line.event for line in delta.row.events),
                cause=delta.by.cause,
                update=delta.by.update,
            )
        )
    return steps


def difference(after: str | None, before: str | None) -> str | None:
    """How far a rating went, with its sign."""
    return None if after is None or before is None else f"{Decimal(after) - Decimal(before):+}"


class Plot(Struct, frozen=True, kw_only=True):
    """A player's rating over time as bars, each column an equal stretch of time."""

    lines: tuple[str, ...]
    """From the top."""
    high: str
    low: str
    first: str
    """Date of the first column."""
    last: str


def plot(steps: Sequence[Step], *, width: int = 72, height: int = 6) -> Plot | None:
    """The rating over time; None without a rated step."""
    steps = [step for step in steps if step.rating is not None]
    if not steps:
        return None
    first, last = (_day(step.date) for step in (steps[0], steps[-1]))
    values: list[Decimal] = []
    at = 0
    for column in range(width):
        until = first + (last - first) * (column + 1) // width
        while at + 1 < len(steps) and _day(steps[at + 1].date) <= until:
            at += 1
        values.append(Decimal(steps[at].rating or 0))
    low, high = min(values), max(values)
    eighths = [1 + int((value - low) * (8 * height - 1) / (high - low)) if high > low else 4 * height for value in values]
    lines = []
    for row in range(height - 1, -1, -1):
        filled = [min(8, max(0, level - 8 * row)) for level in eighths]
        lines.append("".join(BARS[fill - 1] if fill else " " for fill in filled))
    return Plot(lines=tuple(lines), high=str(high), low=str(low), first=steps[0].date, last=steps[-1].date)


def _day(date: str) -> int:
    """A number that grows with time: the day, of a month its last."""
    return Day.fromisoformat(_last_day(date)).toordinal()


class EventRating(Struct, frozen=True, kw_only=True):
    """What a period with this event did to a player."""

    list: str
    player: str
    period: str
    judged_by: str | None
    """The rating of the list that judged him; None: he had none there."""
    rating: str | None
    """After the period."""
    games: int
    protected: int
    """Of these, games that moved nothing, the opponent being provisional."""
    score: str
    """Of the others."""
    expected: str
    others: tuple[str, ...]
    """Other events of the same period: their games are in the rating, too."""


def event_ratings(event: str, deltas: Iterable[DeltaRow]) -> list[EventRating]:
    """The rows that name an event, by list and player."""
    found = []
    for delta in deltas:
        if delta.row is None:
            continue
        for line in delta.row.events:
            if line.event == event:
                terms = [(Decimal(str(term.get("score", "0"))), Decimal(str(term.get("expected", "0")))) for term in line.terms]
                found.append(
                    EventRating(
                        list=delta.list,
                        player=delta.player,
                        period=key_text(key_of_fields(delta.period)),
                        judged_by=line.rating,
                        rating=delta.row.rating,
                        games=line.games,
                        protected=line.protected,
                        score=line.score or str(sum((score for score, _ in terms), Decimal(0))),
                        expected=line.expected or str(sum((expected for _, expected in terms), Decimal(0))),
                        others=tuple(other.event for other in delta.row.events if other.event != event),
                    )
                )
    return sorted(found, key=lambda one: (one.list, one.player))


def months_of(event_value: bytes) -> list[str]:
    """The months in which a rated event can have been rated: those of its dates, of its games' and of its report, and the ones after
    (closing days); or the one that an officer named."""
    row = orjson.loads(event_value)
    about = row["event"]
    dates = [about.get("date"), about.get("start_date"), about.get("reported"), *(game.get("date") for game in row["games"])]
    months = {date[:7] for date in dates if date}
    return sorted(months | {next_month(month) for month in months} | ({about["rate_in"]} if "rate_in" in about else set()))


def persons_of(event_value: bytes) -> list[str]:
    """Everybody who has a side in an event."""
    row: dict[str, Any] = orjson.loads(event_value)
    return sorted({game[side]["person"] for game in row["games"] for side in ("white", "black") if side in game})
