"""Period keys: which period a game falls into, and how a period is named in digests, in row keys and on the wire.

A key is a tuple whose order is the order of periods: date (or month) first, then as the kind asks: event order, event id, round, board,
game id. Ids are ASCII, so comparing them as text compares their bytes.
"""

import struct
from typing import Literal

from rerate.messages.facts import Event, Game, RatingList
from rerate.ratings.face import Key

Kind = Literal["game", "round", "event", "date", "month"]

KIND_NUMBERS: dict[str, int] = {"seeds": 0, "game": 1, "round": 2, "event": 3, "date": 4, "month": 5}
"""As the digest layout numbers them."""


def period_of(rating_list: RatingList, event: Event, game: Game) -> Key:
    """The period of `rating_list` in which a game of an event is rated.

    The date is the event's last day, its first with `dated_by: start`, the game's own with `dated_by: game`; what is absent falls back to
    the event's last day.
    """
    date = event.date
    if rating_list.dated_by == "start":
        date = event.start_date or event.date
    elif rating_list.dated_by == "game":
        date = game.date or event.date
    match rating_list.period:
        case "date":
            return (date,)
        case "month":
            return (month_of(date, rating_list.closing_day),)
        case "event":
            return (date, event.order or 0, event.id)
        case "round":
            return (date, event.order or 0, event.id, game.round or 0)
        case "game":
            return (date, event.order or 0, event.id, game.round or 0, game.board or 0, game.id)


def month_of(date: str, closing_day: int | None) -> str:
    """The month that a date falls into; a day after the closing day falls into the next."""
    if closing_day is None or int(date[8:]) <= closing_day:
        return date[:7]
    year, month = int(date[:4]), int(date[5:7])
    return f"{year + 1:04d}-01" if month == 12 else f"{year:04d}-{month + 1:02d}"


def key_bytes(kind: str, key: Key) -> bytes:
    """The key as the digests see it: u8 kind, date as text, then i32 order, u16 + event id, u16 round, u16 board, u16 + game id as far as
    the kind goes."""
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
    """The key as the end of a delta's key: `2024-01-05/0/club:e1`."""
    return "/".join(map(str, key))


_FIELDS = ("date", "order", "event", "round", "board", "game")


def key_fields(kind: str, key: Key) -> dict[str, object]:
    """The key as a delta shows it; a month stands under `date`, too."""
    return {"kind": kind, **dict(zip(_FIELDS, key, strict=False))}


def key_of_fields(fields: dict[str, object]) -> Key:
    """`key_fields` read back."""
    return tuple(fields[name] for name in _FIELDS if name in fields)  # type: ignore[misc]  # the schema says text and whole numbers
