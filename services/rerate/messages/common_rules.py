"""What holds for the data of every fact, of types and versions known or not: its keys and its numbers."""

import re

from rerate.messages.expectations import field_names
from rerate.messages.refusals import Fault, Path, kind_of
from rerate.messages.scan import MAX_WHOLE, Scanned

_KEY = re.compile(r"[a-z][a-z0-9_]*")


def fault_in_keys_or_numbers(data: object, scanned: Scanned) -> Fault | None:
    """The first key that is not `[a-z][a-z0-9_]*`, or number that is not whole within ±(2^53-1), in the order of the document."""
    return _first_fault(data, ("data",), scanned.is_whole, True)


def _first_fault(value: object, path: Path, is_whole: bool, is_known: bool) -> Fault | None:
    """The depth is bounded by the scan. The path ends before the first key that no schema has: such a key may be a name."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if not _KEY.fullmatch(key):
                return Fault(path, "keys of a-z, 0-9 and '_' that begin with a letter", "another key")
            is_field = is_known and key in field_names()
            fault = _first_fault(inner, (*path, key) if is_field else path, is_whole, is_field)
            if fault is not None:
                return fault
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            fault = _first_fault(inner, (*path, place) if is_known else path, is_whole, is_known)
            if fault is not None:
                return fault
    elif not is_whole:
        if isinstance(value, float):
            return Fault(path, "a whole number without fraction or exponent", kind_of(value))
        if isinstance(value, int) and not -MAX_WHOLE <= value <= MAX_WHOLE:
            return Fault(path, "a whole number within ±(2^53-1)", "a larger number")
    return None


def first_null(value: object, path: Path) -> Path | None:
    """Where a null stands that is not in the `set` of a correction or the `fields` of a ruled game; only there it means something."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in ("set", "fields") and isinstance(inner, dict):
                continue
            if inner is None:
                return (*path, key) if key in field_names() else path
            if (at := first_null(inner, (*path, key))) is not None:
                return at
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            if (at := first_null(inner, (*path, place))) is not None:
                return at
    return None
