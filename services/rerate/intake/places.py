"""Where in a line something stands: the column of what a refusal names. Columns count characters from 1.

Who judges a fact looks at bytes that come from anywhere and says what is wrong by pointer. Who wrote the line by hand looks for a column.
Nothing is judged here: given bytes that were refused, each function names the best place it can and never fails.
"""

import json
import re
from collections.abc import Iterator

from rerate.messages.facts import MAX_DEPTH

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|[{}\[\],:]|[^\s{}\[\],:"]+')
_NO_NUMBER = ("NaN", "Infinity", "-Infinity")
_SURROGATE = re.compile("[\ud800-\udfff]")

_Path = tuple[str | int, ...]


def column_of_bad_json(line: bytes) -> int:
    """Where a line stops being JSON: a byte that is no UTF-8, a token out of place, a key given twice, half a surrogate pair, NaN."""
    try:
        text = line.decode()
    except UnicodeDecodeError as e:
        return len(line[: e.start].decode()) + 1
    try:
        json.loads(text, parse_int=float)
    except json.JSONDecodeError as e:
        return e.pos + 1
    except RecursionError:
        return column_of_depth(line)
    seen: set[_Path] = set()
    for path, at, token, is_key in _walk(text):
        if token in _NO_NUMBER or (token.startswith('"') and "\\" in token and _SURROGATE.search(json.loads(token))):
            return at + 1
        if is_key and path in seen:
            return at + 1
        if is_key:
            seen.add(path)
    return 1


def column_of_depth(line: bytes) -> int:
    """Where a line of JSON opens its seventeenth level."""
    column = 1
    for _, at, _, _ in _walk(line.decode(errors="replace")):
        column = at + 1
    return column


def column_of_pointer(line: bytes, pointer: str) -> int:
    """Where the value starts to which a JSON pointer leads; of a field that is missing or cut off, the object in which it is missing."""
    column, length = 1, -1
    for path, at, _, is_key in _walk(line.decode(errors="replace")):
        here = "".join(f"/{step}" for step in path)
        if not is_key and len(here) > length and (pointer == here or pointer.startswith(f"{here}/")):
            column, length = at + 1, len(here)
    return column


def _walk(text: str) -> Iterator[tuple[_Path, int, str, bool]]:
    """Every key and value of a JSON text in order: path, place from 0, first token, whether it is a key. It ends where the text becomes
    deeper than a fact may be."""
    path: list[str | int] = []
    wants_key = False
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token == ",":
            if path and isinstance(path[-1], int):
                path[-1] += 1
            wants_key = bool(path) and isinstance(path[-1], str)
        elif token in "]}":
            del path[-1:]
            wants_key = False
        elif token == ":":
            wants_key = False
        elif wants_key:
            path[-1] = _text(token)
            yield tuple(path), match.start(), token, True
        else:
            yield tuple(path), match.start(), token, False
            if token in "[{":
                path.append(0 if token == "[" else "")
                wants_key = token == "{"
            if len(path) > MAX_DEPTH:
                return


def _text(token: str) -> str:
    try:
        return str(json.loads(token))
    except ValueError:
        return token
