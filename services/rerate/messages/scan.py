"""Bytes to JSON, refusing what a lenient parser lets through.

`not-json`: invalid UTF-8, a byte order mark, lone surrogates (escaped ones too), a key twice, NaN, bytes behind the document. `too-deep`:
JSON, but deeper than 16. Neither verdict depends on the caller's stack, and none takes more than linear time.

The usual way is orjson, which sees all of it but two things. A key given twice: the earlier one is lost, so *fewer strings come out than
went in*; the strings of the document are counted against those of its dump. Depth: brackets outside strings are counted before anything
is parsed. Documents that are deeper, and those that orjson will not take (a number beyond a double is JSON), are judged by `read_slowly`,
which keeps its own stack.
"""

import json
import re
from typing import Final, NamedTuple

import orjson

from rerate.messages import codes
from rerate.messages.facts import MAX_DEPTH
from rerate.messages.refusals import refused

BEYOND: Final = float("inf")
"""Stands for a number that no double holds; like every other number that is not whole it is refused in `data`."""

MAX_WHOLE: Final = 2**53 - 1

_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
"""A string, or what follows an opening quote that nobody closes: linear whatever the bytes are."""

_NUMBER_TO_LOOK_AT = re.compile(rb"[0-9][.eE]|[0-9]{16}")
_BRACKETS = bytes.maketrans(b"{}", b"[]")
_NO_BRACKETS = bytes(sorted(set(range(256)) - set(b"[]{}")))


class Scanned(NamedTuple):
    """A parsed document and what was seen on the way."""

    value: object
    is_whole: bool
    """No number of it has a fraction, an exponent or more than 15 digits."""
    has_null: bool


def scan(raw: bytes, max_depth: int = MAX_DEPTH) -> Scanned:
    """Parse a document of at most `max_depth` levels.

    Raises:
        Refused: `not-json` or `too-deep`.
    """
    if b"\\" in raw:
        outside, strings = _STRING.subn(b"", raw)
    else:
        outside, strings = b"".join(raw.split(b'"')[::2]), raw.count(b'"') // 2
    if _may_be_deeper(outside, max_depth):
        value = read_slowly(raw, max_depth)
    else:
        try:
            value = orjson.loads(raw)
        except orjson.JSONDecodeError:
            value = read_slowly(raw, max_depth)
        else:
            if _strings_of(value) != strings:
                raise refused(codes.NOT_JSON)
    return Scanned(value, _NUMBER_TO_LOOK_AT.search(outside) is None, b"null" in outside)


def _may_be_deeper(outside: bytes, max_depth: int) -> bool:
    """Whether brackets nest deeper than `max_depth`, or are not paired: each round takes the innermost pairs away."""
    if outside.count(b"{") + outside.count(b"[") <= max_depth:
        return False
    if outside.count(b"{") != outside.count(b"}") or outside.count(b"[") != outside.count(b"]"):
        raise refused(codes.NOT_JSON)
    left = outside.translate(_BRACKETS, _NO_BRACKETS)
    for _ in range(max_depth):
        if not left:
            return False
        left = left.replace(b"[]", b"")
    return bool(left)


def _strings_of(value: object) -> int:
    dump = orjson.dumps(value)
    return len(_STRING.findall(dump)) if b"\\" in dump else dump.count(b'"') // 2


_TOKEN = re.compile(
    r'[ \t\n\r]*+(?:([\[{])|([\]}])|([,:])|("[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+")'
    r"|(-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?+[0-9]++)?+)|(true|false|null))"
)
_OPEN, _CLOSE, _BETWEEN, _TEXT, _NUMBER, _WORD = range(1, 7)
"""The groups of `_TOKEN`."""

_VALUE, _FIRST_VALUE, _NAME, _FIRST_NAME, _COLON, _COMMA, _END = range(7)
"""What the grammar allows next; the first in a list or an object may be its end instead."""

_BLANK = re.compile(r"[ \t\n\r]*+")
_SURROGATE = re.compile("[\ud800-\udfff]")
_WORDS: Final = {"true": True, "false": False, "null": None}
_LONGEST_NUMBER: Final = 300
"""Characters; a longer one is not worked out."""


def read_slowly(raw: bytes, max_depth: int = MAX_DEPTH) -> object:
    """Parse a document by the grammar of RFC 8259 with a stack of its own; what lies deeper than `max_depth` is judged and dropped.

    Raises:
        Refused: `not-json`; `too-deep` only for a document that is JSON.
    """
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        raise refused(codes.NOT_JSON) from None
    stack: list[list[object] | dict[str, object]] = []
    names: list[str] = []  # of the members being read, one for each open container
    at, may, deepest = 0, _VALUE, 0
    value: object = None
    while may != _END:
        token = _TOKEN.match(text, at)
        if token is None:
            raise refused(codes.NOT_JSON)
        at, kind = token.end(), token.lastindex or 0
        word = token[kind]
        if may <= _FIRST_VALUE and kind == _OPEN:
            stack.append([] if word == "[" else {})
            names.append("")
            if len(stack) > deepest:
                deepest = len(stack)
            may = _FIRST_VALUE if word == "[" else _FIRST_NAME
            continue
        if may <= _FIRST_VALUE and kind >= _TEXT:
            value = _scalar(kind, word)
        elif kind == _CLOSE and may in (_COMMA, _FIRST_VALUE, _FIRST_NAME) and (word == "]") == isinstance(stack[-1], list):
            value = stack.pop() if len(stack) <= max_depth else stack.pop().clear()
            names.pop()
        elif kind == _TEXT and may in (_NAME, _FIRST_NAME):
            names[-1] = _string(word)
            if names[-1] in stack[-1]:
                raise refused(codes.NOT_JSON)
            may = _COLON
            continue
        elif kind == _BETWEEN and may == (_COMMA if word == "," else _COLON):
            may = _NAME if word == "," and isinstance(stack[-1], dict) else _VALUE
            continue
        else:
            raise refused(codes.NOT_JSON)
        may = _COMMA if stack else _END
        if stack:
            into = stack[-1]
            if isinstance(into, list):
                into.append(value)
            else:
                into[names[-1]] = value
    if (blank := _BLANK.match(text, at)) is None or blank.end() != len(text):
        raise refused(codes.NOT_JSON)
    if deepest > max_depth:
        raise refused(codes.TOO_DEEP)
    return value


def _scalar(kind: int, token: str) -> object:
    if kind == _TEXT:
        return _string(token)
    if kind == _WORD:
        return _WORDS[token]
    if len(token) > _LONGEST_NUMBER:
        return BEYOND
    return int(token) if token.lstrip("-").isdigit() else float(token)


def _string(token: str) -> str:
    if "\\" not in token:
        return token[1:-1]
    value = str(json.loads(token))
    if _SURROGATE.search(value):
        raise refused(codes.NOT_JSON)
    return value
