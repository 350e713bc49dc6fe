"""Digests of periods and lists, and of the games they were made from. The layout stands in `schemas/digests.md` (big endian).

period = SHA-256( "rerate.period.1\\n"  u16 length + key  u32 rows  rows by id bytes: u16 length + id, state )
inputs = SHA-256( "rerate.games.1\\n"   u16 length + key  u32 games  by (event, game): u16 + event, u16 + game, u16 + white, u16 + black,
                  u8, u8 half points, u8 bits, with bit 4 u16 + traits, with bit 8 first and last day and u16 + category, with bit 16 the
                  game's own day )
adjusted = SHA-256( "rerate.adjusted.1\\n"  u16 length + key  u32 1 + persons  u16 + kind, u16 + value  persons by id bytes: u16 + id )
                  (for everybody: u32 0, no person) in place of an adjustment's inputs
list   = SHA-256( "rerate.list.1\\n"  or "rerate.inputs.1\\n"  period digests in order )
"""

import struct
from collections.abc import Iterable, Mapping
from hashlib import sha256

from rerate.messages.canonical import canonical
from rerate.replay.entries import Entry

PERIOD = b"rerate.period.1\n"
GAMES = b"rerate.games.1\n"
ADJUSTED = b"rerate.adjusted.1\n"
LIST = b"rerate.list.1\n"
INPUTS = b"rerate.inputs.1\n"

_TRAITS, _SEEN, _DAY = 4, 8, 16
"""Bits of a game in the input digest: traits of the players follow, dates and category of the event follow, the game's own day follows."""

SEEDS_KEY = b"\x00"
"""Key of the period of seeds: its kind, and nothing after it."""

_U16 = struct.Struct(">H")
_U32 = struct.Struct(">I")


def tag(text: str) -> bytes:
    """u16 length and the text's bytes."""
    raw = text.encode()
    return _U16.pack(len(raw)) + raw


def frame(head: bytes, key: bytes, count: int, rows: Iterable[bytes]) -> bytes:
    """The digest of one period: head, key with its length, count, rows."""
    return sha256(b"".join((head, _U16.pack(len(key)), key, _U32.pack(count), *rows))).digest()


def input_digest(key: bytes, games: Iterable[Entry]) -> bytes:
    """The input digest of one period's rated games."""
    rows = [_game(g) for g in sorted(games, key=lambda g: (g.event, g.id))]
    return frame(GAMES, key, len(rows), rows)


def _game(g: Entry) -> bytes:
    bits = g.rated | (_TRAITS if g.white_traits or g.black_traits else 0) | (_SEEN if g.info.start else 0) | (_DAY if g.day else 0)
    parts = [tag(g.event), tag(g.id), tag(g.white), tag(g.black), bytes((g.white_half, g.black_half, bits))]
    if bits & _TRAITS:
        sides = {"black": dict(g.black_traits), "white": dict(g.white_traits)}
        parts.append(tag(canonical(sides).decode()))
    if bits & _SEEN:
        parts += [g.info.start.encode(), g.info.end.encode(), tag(g.info.category)]
    if bits & _DAY:
        parts.append(g.day.encode())
    return b"".join(parts)


def adjustment_digest(key: bytes, kind: str, value: str, persons: Iterable[str] | None) -> bytes:
    """The input digest of an adjustment."""
    tags = None if persons is None else [tag(person) for person in sorted(persons)]
    return frame(ADJUSTED, key, 0 if tags is None else 1 + len(tags), (tag(kind), tag(value), *(tags or ())))


def seeds_digest(seeds: Mapping[str, tuple[str, bytes]]) -> bytes:
    """The digest of the period of seeds: person -> (as_of, packed state)."""
    rows = [tag(person) + as_of.encode() + state for person, (as_of, state) in sorted(seeds.items())]
    return frame(PERIOD, SEEDS_KEY, len(rows), rows)
