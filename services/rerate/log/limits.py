"""How large a record may be: the same on every log, so that what one takes the others take too."""

from .errors import RecordTooLarge
from .seam import Out

FACT_LIMIT = (1 << 20) + (64 << 10)
"""Bytes of key, value and headers of a fact: 1 MiB and an envelope, so that a fact just above 1 MiB gets its receipt."""

OUTCOME_LIMIT = 16 << 20
"""Bytes of key, value and headers of an outcome record."""


def size(record: Out) -> int:
    """Bytes of key, value and headers together."""
    headers = sum(len(name.encode()) + len(value) for name, value in record.headers)
    return len(record.key or b"") + len(record.value or b"") + headers


def refuse_too_large(record: Out, limit: int) -> None:
    """Raise RecordTooLarge, naming topic and sizes, if the record is above the limit."""
    found = size(record)
    if found > limit:
        raise RecordTooLarge(f"a record of {found:,} bytes is above the {limit:,} that {record.topic} takes")
