"""Period keys: which period a game falls into, and how a period is named in digests, in row keys and on the wire.

A key is a tuple whose order is the order of periods: date (or month) first, then as the kind asks: event order, event id, round, board,
game id. Ids are ASCII, so comparing them as text compares their bytes.
"""

import struct
from datetime import date, timedelta

from rerate.messages.facts import Event, Game, RatingList
from rerate.ratings.face import Key
from rerate.ratings.systems import ListRules

KIND_NUMBERS: dict[str, int] = {"seeds": 0, "game": 1, "round": 2, "event": 3, "date": 4, "month": 5, "adjustment": 6}
"""As the digest layout numbers them."""

_BETWEEN = "~"
"""Sorts after every character of a date: the day before, and this, comes after all of that day and before the next."""


def period_of(rating_list: RatingList, rules: ListRules, event: Event, game: Game) -> Key | None:
    """The period of `rating_list` in which a game of an event is rated; None if the list's rules say that the event comes too late.

    The date is the event's last day, its first with `dated_by: start`, the game's own with `dated_by: game`; what is absent falls back to
    the event's last day. The month of a date is the business of the rule of that date.
    """
    day = event.date
    if rating_list.dated_by == "start":
        day = event.start_date or event.date
    elif rating_list.dated_by == "game":
        day = game.date or event.date
    match rating_list.period:
        case "date":
            return (day,)
        case "month":
            month = rules.at(day).month(event, day, rating_list.closing_day)
            return None if month is None else (month,)
        case "event":
            return (day, event.order or 0, event.id)
        case "round":
            return (day, event.order or 0, event.id, game.round or 0)
        case "game":
            return (day, event.order or 0, event.id, game.round or 0, game.board or 0, game.id)


def adjustment_key(rating_list_kind: str, before: str, adjustment: str) -> Key:
    """The key of an adjustment: after everything before the date (on a list by month: before its month), ahead of all from it on, by id
    among those of one date."""
    if rating_list_kind == "month":
        month = date.fromisoformat(f"{before[:7]}-01") - timedelta(days=1)
        return (f"{month.isoformat()[:7]}{_BETWEEN}", before[:7], adjustment)
    day = date.fromisoformat(before) - timedelta(days=1)
    return (f"{day.isoformat()}{_BETWEEN}", before, adjustment)


def is_adjustment(key: Key) -> bool:
    """Whether a key is that of an adjustment, not of a period with games."""
    return str(key[0]).endswith(_BETWEEN)


def date_of(key: Key) -> str:
    """The date (or month) of a period; of an adjustment, that before which it is made."""
    return str(key[1] if is_adjustment(key) else key[0])


def key_bytes(kind: str, key: Key) -> bytes:
    """The key as the digests see it: u8 kind, date as text, then i32 order, u16 + event id, u16 round, u16 board, u16 + game id as far as
    the kind goes. Of an adjustment: u8 6, date (or month) as text, u16 + adjustment id."""
    if is_adjustment(key):
        adjustment = str(key[2]).encode()
        return b"".join((bytes((KIND_NUMBERS["adjustment"],)), date_of(key).encode(), struct.pack(">H", len(adjustment)), adjustment))
    parts = [bytes((KIND_NUMBERS[kind],)), str(key[0]).encode()]
    if len(key) > 1:
        event = str(key[2]).encode()
        parts += [struct.pack(">iH", key[1], len(event)), event]
    if len(key) > 3:
        parts.append(struct.pack(">H", key[3]))
    if len(key) > 4:
        game = str(key[5]).encode()
        parts += [struct.pack(">HH", key[4], len(game)), game]
    return b"".join(parts)


def key_text(key: Key) -> str:
    """The key as the end of a delta's key: `2024-01-05/0/club:e1`; of an adjustment `2024-01-05/adjustment/raise`."""
    if is_adjustment(key):
        return f"{date_of(key)}/adjustment/{key[2]}"
    return "/".join(map(str, key))


_FIELDS = ("date", "order", "event", "round", "board", "game")


def key_fields(kind: str, key: Key) -> dict[str, object]:
    """The key as a delta shows it; a month stands under `date`, too."""
    if is_adjustment(key):
        return {"kind": "adjustment", "date": date_of(key), "adjustment": key[2]}
    return {"kind": kind, **dict(zip(_FIELDS, key, strict=False))}


def key_of_fields(fields: dict[str, object]) -> Key:
    """`key_fields` read back."""
    if fields["kind"] == "adjustment":
        before = str(fields["date"])
        month = len(before) == len("2024-01")
        return adjustment_key("month" if month else "date", f"{before}-01" if month else before, str(fields["adjustment"]))
    return tuple(fields[name] for name in _FIELDS if name in fields)  # type: ignore[misc]  # the schema says text and whole numbers
