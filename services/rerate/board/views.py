"""What people ask: a ladder now or as of a date, a player's history, an event and what it did to ratings. Pure: rows in, answers out."""

import calendar
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date as Day
from decimal import ROUND_HALF_UP, Decimal
from itertools import groupby
from typing import Any

import orjson
from msgspec import Struct
from msgspec.structs import replace

from rerate.board.rows import DeltaRow, PeriodRow, SnapshotRow
from rerate.ratings import fide, fide_2009, fide_curve
from rerate.ratings.face import LAST_MONTH, next_month
from rerate.ratings.fide_dates import is_inactive
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
    """Day of the last rated game; of an earlier date on a list by month only where it is known, no later game hiding it."""
    last_period: str | None = None
    """Of an earlier date on a list by month: the period in which the last game was rated."""
    inactive: bool | None = None
    """See `inactive`."""
    won: int | None = None
    """These three are told of the ladder of now only."""
    drawn: int | None = None
    lost: int | None = None


INACTIVE_BY = frozenset({fide.NAME, fide_curve.NAME, fide_2009.NAME})
"""Systems whose lists know inactive players."""


def inactive(last_game: str | None, system: str | None, on: str) -> bool | None:
    """Whether a player is inactive on a day: by the FIDE systems, without a rated game for one year (B02 7.2.2). None if the list's system
    knows nothing of it, or no game is published.

    Args:
        last_game: day of the last rated game; of a period by month its last day counts, so that nobody is called inactive too soon.
        system: by the rule in force on the day.
    """
    return is_inactive(_last_day(last_game), on) if system in INACTIVE_BY and last_game is not None else None


def system_on(deltas: Iterable[DeltaRow], date: str) -> str | None:
    """The system of a list's newest row up to a date, which is the one in force as far as rows tell; None without such a row."""
    rows = [delta for delta in deltas if delta.row is not None and delta.date <= date]
    newest = max(rows, key=lambda delta: key_of_fields(delta.period)[:1], default=None)
    return None if newest is None or newest.row is None else newest.row.system


def ladder(snapshots: Iterable[SnapshotRow], *, system: str | None = None, on: str = "") -> list[LadderLine]:
    """The ladder as it stands: established players by rating, then the provisional ones by rating, then those without one.

    Args:
        system: by which the list is rated now, if that is known.
        on: the day on which it is read.
    """
    return _ranked(
        LadderLine(
            rank=0,
            player=s.player,
            rating=s.rating,
            shown=s.shown,
            provisional=s.provisional,
            games=s.games,
            last_game=s.last_game,
            inactive=inactive(s.last_game, system, on),
            won=s.won,
            drawn=s.drawn,
            lost=s.lost,
        )
        for s in snapshots
    )


def ladder_as_of(snapshots: Iterable[SnapshotRow], deltas: Sequence[DeltaRow], date: str) -> list[LadderLine]:
    """The ladder in force on an earlier date, as today's facts tell it: of each player the newest row up to that date.

    A seeded player without a row yet has what his first row was judged by.

    Args:
        deltas: by player and period.
        date: the last day to count. Of a list by month it is the list of the first of that month, by which events of the day are judged,
            whatever the day on which its periods close.
    """
    rows = {player: list(group) for player, group in groupby(deltas, key=lambda delta: delta.player)}
    system = system_on([delta for delta in deltas if _in_force_from(delta) <= date], date)
    lines = (_as_of(snapshot, rows.get(snapshot.player, []), date, system) for snapshot in snapshots)
    return _ranked(line for line in lines if line is not None)


def _as_of(snapshot: SnapshotRow, rows: Sequence[DeltaRow], date: str, system: str | None) -> LadderLine | None:
    before = [delta for delta in rows if _in_force_from(delta) <= date]
    elsewhere = snapshot.games - sum(_games(delta) for delta in rows)
    if before:
        last = before[-1]
        assert last.row is not None
        rating, shown = last.row.rating, last.row.shown
        played = next((delta.date for delta in reversed(before) if _games(delta)), None)
        is_last = not any(_games(delta) for delta in rows[len(before) :])
        last_game = (snapshot.last_game if is_last and played is not None else None) or played
        return LadderLine(
            rank=0,
            player=snapshot.player,
            rating=rating,
            shown=shown,
            provisional=last.row.provisional,
            games=elsewhere + sum(_games(delta) for delta in before),
            last_game=last_game if last_game is not None and _is_day(last_game) else None,
            last_period=None if played is None or _is_day(played) else played,
            inactive=inactive(last_game, system, date),
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
    return _in_steps(row.events[0].rating, row) if row.events else row.adjusted_from


def _in_steps(rating: str | None, row: PeriodRow) -> str | None:
    """A rating of which a system shows more places than its list has, with those of the list."""
    if rating is None:
        return None
    if row.rating is not None:
        return rounded_like(rating, row.rating)
    return rating.rstrip("0").removesuffix(".") if "." in rating else rating


def _games(delta: DeltaRow) -> int:
    """Games that are rated for the player by the facts, whether the list counts them or not."""
    return 0 if delta.row is None else sum(line.played for line in delta.row.events)


def _is_day(date: str) -> bool:
    return len(date) == len("2024-01-05")


def _in_force_from(delta: DeltaRow) -> str:
    """The day from which a row is in force: its own; of a month's games the first of the next month, of an adjustment before a month the
    first of that."""
    if _is_day(delta.date):
        return delta.date
    if delta.date == LAST_MONTH and "adjustment" not in delta.period:
        return "9999-12-31"  # no list comes after it
    return f"{delta.date if 'adjustment' in delta.period else next_month(delta.date)}-01"


def _last_day(date: str) -> str:
    """The date itself; of a month its last day."""
    if _is_day(date):
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
    """The rating of the row before; in his first row, and where that one has none, the one he was judged by (of a list that his own falls
    back on, too). None: he had none."""
    rating: str | None
    change: str | None
    """None if he had no rating before it, or has none after it."""
    games: int
    """Rated by the facts, those that count for nothing on the list among them."""
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
        before = (steps[-1].rating if steps else None) or _judged_by(delta.row)
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
    """The rating over time; None without two rated steps."""
    steps = [step for step in steps if step.rating is not None]
    if len(steps) < 2:
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
    not_counted: int
    """Of these, games that count for nothing on the list."""
    score: str
    """Of the others."""
    expected: str | None
    """None where the list expects nothing: of a player without a rating, by a formula of another kind, of no game."""
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
                scores, expected = ([Decimal(str(term[name])) for term in line.terms if name in term] for name in ("score", "expected"))
                counts = line.games > line.protected
                found.append(
                    EventRating(
                        list=delta.list,
                        player=delta.player,
                        period=key_text(key_of_fields(delta.period)),
                        judged_by=_in_steps(line.rating, delta.row),
                        rating=delta.row.rating,
                        games=line.played,
                        protected=line.protected,
                        not_counted=line.left_out,
                        score=line.score or str(sum(scores, Decimal("0.0"))),
                        expected=(line.expected or (str(sum(expected)) if expected else None)) if counts else None,
                        others=tuple(other.event for other in delta.row.events if other.event != event),
                    )
                )
    return sorted(found, key=lambda one: (one.list, one.player))


class LeftOut(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Games of an event that the facts rate and a list does not."""

    list: str
    games: tuple[str, ...]
    """Ids."""
    why: str
    """`held`: the list is; `before-seed`: before the day from which a side has a rating from elsewhere there; `not-named`: the event names
    its lists, and not this one; `not-taken`: by category, variant or dates, or because it was reported too late."""
    players: tuple[str, ...] = ()
    """Whose seed it is."""


def missed(event_value: bytes, ratings: Iterable[EventRating], list_id: str) -> dict[str, tuple[str, ...]]:
    """The games of an event that a list may have left out: their players have fewer games there than the facts rate. Those of a running
    event are asked for only where the list rates some. Game id -> both persons."""
    played: Counter[str] = Counter()
    for one in ratings:
        if one.list == list_id:
            played[one.player] += one.games
    both, of = {}, {}
    for game in orjson.loads(event_value)["games"]:
        sides = game.get("early", "none") if game["rated"] == "none" and played else game["rated"]
        if sides != "none":
            both[game["id"]] = (game["white"]["person"], game["black"]["person"])
            of[game["id"]] = {game[side]["person"] for side in ("white", "black") if sides in ("both", side)}
    rated = Counter(person for persons in of.values() for person in persons)
    return {id: both[id] for id, persons in of.items() if all(played[person] < rated[person] for person in persons)}


def left_out(
    event_value: bytes, ratings: Sequence[EventRating], list_id: str, *, is_held: bool, seeded_from: Mapping[str, str]
) -> list[LeftOut]:
    """Why a list has not rated games of an event that the facts rate, as far as what is published tells: of a list that rates others of
    them, no more than what seeds keep out.

    Args:
        seeded_from: person -> first day of a rating from elsewhere on the list.
    """
    row = orjson.loads(event_value)
    games = missed(event_value, ratings, list_id)
    if is_held and games:
        return [LeftOut(list=list_id, games=tuple(games), why="held")]
    periods = {one.period.partition("/")[0] for one in ratings if one.list == list_id}
    date = max(periods, default=row["event"].get("date", "")[:7])
    is_named = list_id in row["event"].get("lists", (list_id,))
    why: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for id, sides in games.items():
        later = tuple(sorted({one for one in sides if date < seeded_from.get(one, "")[: len(date)]}))
        if later and is_named:
            why.setdefault(("before-seed", later), []).append(id)
        elif not periods:
            why.setdefault(("not-taken" if is_named else "not-named", ()), []).append(id)
    return [LeftOut(list=list_id, games=tuple(ids), why=code, players=players) for (code, players), ids in sorted(why.items())]


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
