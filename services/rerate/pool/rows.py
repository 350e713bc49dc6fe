"""Rows of the five row topics as values: what holds. `by` is put beside it when an update is written."""

from typing import NamedTuple

from msgspec import to_builtins

from rerate.history import ContentStanding, IdentityRow, JudgedGame, RatedEvent, StandingRow
from rerate.messages.facts import FactName
from rerate.ratings.face import Key, Row
from rerate.ratings.quantum import decimal
from rerate.ratings.systems import ListRules
from rerate.replay.block import Career
from rerate.replay.periods import date_of, key_fields
from rerate.replay.replay import ListReplay

Value = dict[str, object]


class Snapshot(NamedTuple):
    """A player's standing on a list now."""

    rating: str | None
    """Decimal string; None if he has played and has no rating yet, or no longer."""
    shown: str | None
    provisional: bool
    games: int
    """Career total, the seed's and his own."""
    won: int
    drawn: int
    lost: int
    peak: tuple[int, str] | None
    """Highest rating after a period, quanta, and the earliest date on which it stood; None if no row has a rating."""
    last_game: str | None
    as_of: str | None
    """Date of the seed that he starts from."""


def snapshot_of(replay: ListReplay, person: str, seed_games: int) -> Snapshot | None:
    """A person's snapshot, None without rows and seed.

    Args:
        seed_games: games played elsewhere, as the seeds say.
    """
    seed, career, state = replay.seed_of(person), replay.career(person), replay.state(person)
    if state is None or (seed is None and career is None):
        return None
    as_of = None if seed is None else seed[0]
    if career is None:
        assert as_of is not None
        provisional = replay.rules.at(as_of).provisional(state)
        return Snapshot(replay.rules.rating(state), replay.rules.shown(state), provisional, seed_games, 0, 0, 0, None, None, as_of)
    rule = replay.rules.at(_last_period(replay, person, career))
    return Snapshot(
        replay.rules.rating(state),
        replay.rules.shown(state),
        rule.provisional(state),
        seed_games + career.games,
        career.won,
        career.drawn,
        career.lost,
        None if career.peak is None else (career.peak, career.peak_date),
        career.last or None,
        as_of,
    )


def _last_period(replay: ListReplay, person: str, career: Career) -> str:
    """Date or month of a person's last row. In a month the last game may be dated in another."""
    key = replay.last_key(person) if replay.kind == "month" or not career.last or replay.adjustments else None
    return career.last if key is None else date_of(key)


def snapshot_value(pool: str, list_id: str, person: str, rules: ListRules, s: Snapshot) -> Value:
    """A snapshot on the wire."""
    value: Value = {
        "pool": pool,
        "list": list_id,
        "player": person,
        "rating": s.rating,
        "shown": s.shown,
        "provisional": s.provisional,
        "games": s.games,
        "won": s.won,
        "drawn": s.drawn,
        "lost": s.lost,
    }
    if s.peak is not None:
        value["peak"] = {"rating": decimal(s.peak[0], rules.per_point), "date": s.peak[1]}
    if s.last_game is not None:
        value["last_game"] = s.last_game
    if s.as_of is not None:
        value["as_of"] = s.as_of
    return value


def delta_value(pool: str, list_id: str, replay: ListReplay, key: Key, person: str, row: Row | None) -> Value:
    """A row after its change on the wire; `row` None is a row that goes."""
    rules = replay.rules
    return {
        "pool": pool,
        "list": list_id,
        "player": person,
        "period": key_fields(replay.kind, key),
        "row": None if row is None else _row_value(replay, rules, date_of(key), row),
    }


def _row_value(replay: ListReplay, rules: ListRules, date: str, row: Row) -> Value:
    system = rules.at(date)
    value: Value = {
        "rating": rules.rating(row.state),
        "shown": rules.shown(row.state),
        "provisional": system.provisional(row.state),
        "state": system.wire_state(row.state),
        "system": system.name,
        "events": [{"event": replay.event_id(line[0]), **system.wire_line(line)} for line in row.lines],
    }
    if row.adjusted_from is not None:
        value["adjusted_from"] = decimal(row.adjusted_from[0], rules.per_point) if row.adjusted_from else None
    return value


def rated_event_value(pool: str, rated: RatedEvent) -> Value:
    """What the facts decide of an event."""
    return {
        "pool": pool,
        "event": {"id": rated.id} if rated.event is None else to_builtins(rated.event),
        "state": rated.state,
        "games": [_game_value(judged) for judged in rated.games],
        "flags": list(rated.flags),
    }


def _game_value(judged: JudgedGame) -> Value:
    game = judged.game
    value: Value = to_builtins(game)
    for side, person in (("white", judged.white), ("black", judged.black)):
        if person is not None:
            value[side] = {"id": value[side], "person": person}
    value["rated"] = judged.rated
    if judged.why is not None:
        value["why"] = judged.why
    if judged.early != "none":
        value["early"] = judged.early
    if judged.clash is not None:
        value["ids"] = list(judged.clash)
    return value


def identity_value(pool: str, row: IdentityRow) -> Value:
    """Which person an id is."""
    return {
        "pool": pool,
        "id": row.id,
        "person": row.person,
        "merges": list(row.merges),
        "scoped": [{"event": event, "person": person} for event, person in row.scoped],
        "contested": row.contested,
    }


def standing_value(pool: str, name: FactName, row: StandingRow) -> Value:
    """The standing of every content under a name."""
    return {"pool": pool, "source": name.source, "id": name.id, "contents": [_standing(content) for content in row.contents]}


def _standing(content: ContentStanding) -> Value:
    value: Value = {
        "digest": content.identity.digest.hex(),
        "type": content.type,
        "standing": content.standing,
        "flags": list(content.flags),
    }
    if content.reason is not None:
        value["reason"] = content.reason
    if content.superseded_by is not None:
        by = content.superseded_by
        value["superseded_by"] = {"source": by.source, "id": by.id, "digest": by.digest.hex()}
    if content.merge is not None:
        value["merge"] = content.merge
    if content.not_fitting:
        value["not_fitting"] = [{"at": at, "reason": reason} for at, reason in content.not_fitting]
    return value
