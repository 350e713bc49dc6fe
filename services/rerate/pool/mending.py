"""What brings the rows on a topic to what they should be: the rows of an update that subtracts from what stands there."""

from collections.abc import Collection, Mapping, Sequence

import orjson

from rerate.messages.canonical import canonical
from rerate.messages.codes import CARRIED
from rerate.pool.rows import Value
from rerate.pool.update import Wire


def mended(wanted: Sequence[Wire], there: Mapping[str, bytes]) -> list[Wire]:
    """The rows to publish so that `wanted` stands where `there` does; none if both say the same. What nobody can read is replaced.

    Args:
        wanted: by key, none twice, no tombstones.
    """
    rows: list[Wire] = [(key, value) for key, value in wanted if value is not None and not _same(value, there.get(key))]
    kept = {key for key, _ in wanted}
    return sorted(rows + [(key, None) for key in there if key not in kept], key=lambda row: row[0])


def mended_deltas(wanted: Sequence[Wire], there: Mapping[str, bytes], editions: Collection[str], update: int) -> list[Wire]:
    """The same for deltas: each says what stood there before it, and a row that goes from an edition in force is a delta first.

    Args:
        editions: `pool/list@edition` of the lists in force.
    """
    rows: list[Wire] = []
    for key, value in mended(wanted, there):
        stood = _read(there.get(key))
        if value is not None:
            row = orjson.loads(value)
            value = canonical({**row, "by": {**row["by"], "before": _rating(stood)}})
        elif stood is not None and "/".join(key.split("/", 2)[:2]) in editions:
            by: Value = {"edition": stood["by"].get("edition"), "cause": CARRIED, "before": _rating(stood), "update": update}
            rows.append((key, canonical({**stood, "row": None, "by": by})))
        rows.append((key, value))
    return rows


def _same(one: bytes, other: bytes | None) -> bool:
    """Whether two values of rows hold the same, `by` aside."""
    mine, theirs = _read(one), _read(other)
    return mine is not None and theirs is not None and {**mine, "by": None} == {**theirs, "by": None}


def _read(value: bytes | None) -> dict[str, dict[str, object]] | None:
    """A row as it stands; None if there is none, or none that can be read."""
    try:
        row = None if value is None else orjson.loads(value)
    except orjson.JSONDecodeError:
        return None
    return row if isinstance(row, dict) and isinstance(row.get("by"), dict) else None


def _rating(stood: dict[str, dict[str, object]] | None) -> object:
    row = stood and stood.get("row")
    return row.get("rating") if isinstance(row, dict) else None
