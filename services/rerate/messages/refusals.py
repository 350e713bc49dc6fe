"""A refusal: why a message is no fact, in words that give nothing of it away.

A refusal ends on a topic that is kept for ever, and the rejected message is exactly the one with a name in it. So `expected` comes from
the schema, `found` is a type or a length, and a pointer names fields of the schemas and places in lists, never a key that the publisher
made up.
"""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from rerate.messages import codes
from rerate.messages.errors import RerateError

MAX_POINTER_BYTES: Final = 200

NOTHING: Final = "nothing"
UNKNOWN_FIELD: Final = "an unknown field"

Path = tuple[str | int, ...]
"""Names of fields and places in lists, from the root of the message in structured mode: `("data", "games", 0)`."""


class Refusal(Struct, frozen=True, kw_only=True):
    """A message that is no fact, and why."""

    reason: codes.Reason
    pointer: str | None = None
    """JSON pointer into the message in structured mode (in binary mode too), at most 200 bytes."""
    expected: str | None = None
    found: str | None = None
    """A type or a length, never the value."""
    sentence: str
    """For the person who must act."""


class Fault(Struct, frozen=True):
    """One thing that the schema of a fact does not allow."""

    path: Path
    expected: str
    found: str


class Refused(RerateError):
    """Raised inside this room when a message is no fact; `read` makes it a value again."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.sentence)
        self.refusal = refusal


def refused(
    reason: codes.Reason, path: Path | None = None, expected: str | None = None, found: str | None = None, advice: str = ""
) -> Refused:
    """The exception for a reason; its sentence is the reason's, then the place, expected and found, then the advice."""
    pointer = None if path is None else pointer_of(path)
    parts = [codes.SENTENCES["receipt-reason"][reason]]
    if expected is not None or found is not None:
        at = f"At {pointer}: expected " if pointer else "Expected "
        parts.append(f"{at}{expected}, found {found}.")
    if advice:
        parts.append(advice)
    return Refused(Refusal(reason=reason, pointer=pointer, expected=expected, found=found, sentence=" ".join(parts)))


def pointer_of(path: Sequence[str | int]) -> str:
    """The JSON pointer of a path, cut behind a whole step where it would pass 200 bytes; names have no `~` and no `/` to escape."""
    pointer = ""
    for step in path:
        longer = f"{pointer}/{step}"
        if len(longer) > MAX_POINTER_BYTES:
            break
        pointer = longer
    return pointer


def kind_of(value: object) -> str:
    """What a parsed value is, by type and length only."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int():
            return "a whole number"
        case float():
            return "a number with a fraction, an exponent or too many digits"
        case str():
            return f"a string of {len(value)} characters"
        case list():
            return f"a list of {len(value)}"
        case _:
            return "an object"
