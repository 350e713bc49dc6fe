"""A seeded mutator of raw messages: what a broken, careless or hostile publisher might send.

`mutated(message, rng)` changes one to three things of a good message: its bytes, its JSON, its key, topic, partition or headers. The same
seed gives the same messages.
"""

import json
import random
from collections.abc import Callable
from typing import Any

from rerate.messages.facts import FACT_TOPICS
from rerate.messages.reading import Message

ODD_STRINGS = (
    "",
    " ",
    "\x00",
    "\u2028",
    "é",
    "e\u0301",
    "\U0001f40e",
    "\ufeff",
    "\u202eabc",
    "club:",
    ":a",
    "club:a\n",
    "CLUB:A",
    "\uff41:\uff42",
    "a" * 81,
    "a:" + "b" * 79,
    "2024-02-30",
    "2024-01-05T00:00:00Z",
    "0000-01-01",
    "2024-13",
    "1-0 ",
    "½-½",
    "null",
    "../../etc",
)
ODD_NUMBERS = (0, -1, 1, 2**31, 2**53, -(2**53), 2**63, 2**64, 10**30, 1.5, 1e300, -0.0)
ODD_TOKENS = (
    b"NaN",
    b"Infinity",
    b"-Infinity",
    b"1.0",
    b"1e2",
    b"-0",
    b"01",
    b"1e400",
    b"9" * 5000,
    b"+1",
    b".5",
    b"tru",
    b"'a'",
    b'"\\ud800"',
)


def mutated(message: Message, rng: random.Random) -> Message:
    """The message with one to three mutations."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        message = rng.choice(_MUTATIONS)(message, rng)
    return message


def _bytes(change: Callable[[bytes, random.Random], bytes]) -> Callable[[Message, random.Random], Message]:
    return lambda message, rng: message._replace(value=change(message.value or b"", rng))


def _flip(raw: bytes, rng: random.Random) -> bytes:
    if not raw:
        return b"\x00"
    at = rng.randrange(len(raw))
    return raw[:at] + bytes([raw[at] ^ 1 << rng.randrange(8)]) + raw[at + 1 :]


def _truncate(raw: bytes, rng: random.Random) -> bytes:
    return raw[: rng.randrange(len(raw) + 1)]


def _append(raw: bytes, rng: random.Random) -> bytes:
    return raw + rng.choice((b" ", b"\n", b"x", b"{}", b"\x00", b",", b"]", raw))


def _prepend(raw: bytes, rng: random.Random) -> bytes:
    return rng.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"\x00", b" ", b"[", b"\x1f\x8b")) + raw


def _insert(raw: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(raw) + 1)
    odd = rng.choice((b"\xed\xa0\x80", b"\xc3\x28", b"\xff", b"\\", b'"', b"\\ud800", b"\\u0041", b"\x00", b"[", b"}", b":", b",", b"\\/"))
    return raw[:at] + odd + raw[at:]


def _splice(raw: bytes, rng: random.Random) -> bytes:
    low, high = sorted((rng.randrange(len(raw) + 1), rng.randrange(len(raw) + 1)))
    at = rng.randrange(len(raw) + 1)
    return raw[:at] + raw[low:high] + raw[at:]


def _put_token(raw: bytes, rng: random.Random) -> bytes:
    """A value in its place gives way to a token that is no JSON, or JSON that is not wanted."""
    starts = [at + 1 for at, byte in enumerate(raw) if byte in b":"]
    if not starts:
        return raw
    at = rng.choice(starts)
    end = at
    while end < len(raw) and raw[end] not in b",}]":
        end += 1
    return raw[:at] + rng.choice(ODD_TOKENS) + raw[end:]


def _double_key(raw: bytes, rng: random.Random) -> bytes:
    """One member of an object stands twice, the second time perhaps with an escape in its key or another value."""
    starts = [at for at in range(len(raw) - 1) if raw[at] in b"{," and raw[at + 1] == 0x22]
    if not starts:
        return raw
    at = rng.choice(starts) + 1
    end = raw.find(b'"', at + 1)
    key = raw[at : end + 1]
    if len(key) > 2 and rng.random() < 0.3:
        key = b'"\\u%04x' % key[1] + key[2:]
    return raw[:at] + key + b":" + rng.choice((b"1", b"null", b'"x"', b"{}")) + b"," + raw[at:]


def _huge(raw: bytes, rng: random.Random) -> bytes:
    return rng.choice(
        (raw + b" " * (1024 * 1024), b"[" * rng.randrange(1, 3000), b"[" * 17 + b"]" * 17, b'{"a":' * 40 + b"1" + b"}" * 40, b"9" * 10_000)
    )


def _json(change: Callable[[Any, random.Random], Any]) -> Callable[[Message, random.Random], Message]:
    """A change of one place in the parsed value, written back."""

    def mutate(message: Message, rng: random.Random) -> Message:
        try:
            root = [json.loads(message.value or b"")]
        except (ValueError, RecursionError):
            return message
        places: list[tuple[Any, Any]] = []
        todo: list[Any] = [root]
        while todo:
            inner = todo.pop()
            for key in list(inner) if isinstance(inner, dict) else range(len(inner)):
                places.append((inner, key))
                if isinstance(inner[key], dict | list):
                    todo.append(inner[key])
        inner, key = rng.choice(places)
        inner[key] = change(inner[key], rng)
        raw = json.dumps(root[0], ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")
        return message._replace(value=raw)

    return mutate


def _other_type(value: Any, rng: random.Random) -> Any:
    return rng.choice((None, True, "x", 7, 1.5, [], {}, [value], {"a": value}, str(value)))


def _odd_value(value: Any, rng: random.Random) -> Any:
    return rng.choice(ODD_STRINGS) if isinstance(value, str) or rng.random() < 0.5 else rng.choice(ODD_NUMBERS)


def _other_members(value: Any, rng: random.Random) -> Any:
    """A field more, less, or under another name; an entry more, less, or twice."""
    if isinstance(value, dict):
        out = dict(value)
        if out and rng.random() < 0.6:
            gone = out.pop(rng.choice(sorted(out)))
            if rng.random() < 0.5:
                out[rng.choice(("Magnus Carlsen", "revison", "_x", "Event", "ruling", "from"))] = gone
        else:
            out[rng.choice(("note", "Notes", "a b", "", "ruling", "revision", "saw", "mode", "set"))] = rng.choice(("x", 1, None, {}))
        return out
    if isinstance(value, list):
        return rng.choice((value + value, value[1:], value[::-1], [*value, None], value * 50))
    return _other_type(value, rng)


def _nest(value: Any, rng: random.Random) -> Any:
    for _ in range(rng.randrange(1, 40)):
        value = [value] if rng.random() < 0.5 else {"a": value}
    return value


def _key(message: Message, rng: random.Random) -> Message:
    return message._replace(key=rng.choice((None, b"", b"club:rook2", b"\xff", (message.key or b"") + b" ", b"x" * 1000)))


def _partition(message: Message, rng: random.Random) -> Message:
    return message._replace(partition=rng.randrange(7))


def _topic(message: Message, rng: random.Random) -> Message:
    return message._replace(topic=rng.choice(FACT_TOPICS))


def _headers(message: Message, rng: random.Random) -> Message:
    more: tuple[tuple[str, bytes | None], ...] = rng.choice(
        (
            (("content-type", b"application/cloudevents-batch+json"),),
            (("content-type", b"application/json"),),
            (("content-type", b"\xff"),),
            (("ce_specversion", b"1.0"),),
            (("ce_id", b"\xc3"), ("ce_specversion", b"0.3")),
            (("ce_actor", None), ("traceparent", b"00-ab")),
        )
    )
    return message._replace(headers=(*more, *message.headers) if rng.random() < 0.5 else (*message.headers, *more))


def _null(message: Message, rng: random.Random) -> Message:
    return message._replace(value=None)


_MUTATIONS: tuple[Callable[[Message, random.Random], Message], ...] = (
    *map(_bytes, (_flip, _flip, _truncate, _append, _prepend, _insert, _insert, _splice, _put_token, _put_token, _double_key, _huge)),
    *map(_json, (_other_type, _other_type, _odd_value, _odd_value, _other_members, _other_members, _nest)),
    _key,
    _partition,
    _topic,
    _headers,
    _null,
)
