"""The expected score as a whole-number table: E(d) in millionths for a gap of d quanta.

E(d) = 10^6 / (1 + 10^(-d / 400 points)), rounded half up from 50 decimal digits for d >= 0; E(-d) = 10^6 - E(d) by construction. There is
no cap on the gap; the table saturates where the curve rounds to a whole million (25,205, 252,042 and 2,520,412 quanta). The tables are made
by `ops/tables.py` and held by their SHA-256, so that no result depends on a platform's mathematics library.

Files (`tables/`, little endian u32): `expected_0.1.bin` and `expected_0.01.bin` hold E(0), E(1), ... up to saturation;
`expected_0.001.bin` holds for each of 500,001 ... 1,000,000 the first gap whose E reaches it.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_right
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from importlib.resources import files

from rerate.messages.errors import RerateError

SCALE = 1_000_000
"""Millionths in a whole score."""

_FILES = {
    10: ("expected_0.1.bin", "2ce4068ceb303f8c745b40f87a347ddc778175aee1b4c2eaee866f9102353a36"),
    100: ("expected_0.01.bin", "a1d7dfbccd3494bf24ad5daf522b2aefebe2d4546f84b11df4368a03ee0dea8e"),
    1000: ("expected_0.001.bin", "36da006e98329bdc140c3fcf761638ae92f388a80f0c444aba6dff633b4cc6ff"),
}


class TableDamaged(RerateError):
    """Raised when a shipped table is not the one this code was released with: install the package again."""


def _load(per_point: int) -> array[int]:
    name, digest = _FILES[per_point]
    raw = files("rerate.ratings").joinpath("tables", name).read_bytes()
    if sha256(raw).hexdigest() != digest:
        raise TableDamaged(f"{name}: the table's SHA-256 is not the one of this release; install rerate again")
    table = array("I")
    table.frombytes(raw)
    if sys.byteorder == "big":
        table.byteswap()
    return table


@cache
def expected_score(per_point: int) -> Callable[[int], int]:
    """The function from a gap (own minus opponent's rating, in quanta) to the expected score in millionths.

    Args:
        per_point: quanta in one point: 10, 100 or 1000.
    """
    table = _load(per_point)
    if per_point == 1000:

        def by_first_gap(gap: int) -> int:
            return 500_000 + bisect_right(table, gap) if gap >= 0 else 500_000 - bisect_right(table, -gap)

        return by_first_gap
    last = len(table) - 1

    def by_gap(gap: int) -> int:
        if gap >= 0:
            return table[gap] if gap <= last else SCALE
        return SCALE - table[-gap] if -gap <= last else 0

    return by_gap
