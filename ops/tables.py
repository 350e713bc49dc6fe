"""Make the expected-score tables of `services/rerate/ratings/tables/` anew: `python -m ops.tables DIRECTORY`.

Prints the SHA-256 of each, which `rerate.ratings.expected` pins. Takes some minutes: everything is worked out with 50 decimal digits.
"""

from __future__ import annotations

import hashlib
import sys
from array import array
from decimal import ROUND_CEILING, ROUND_HALF_UP, Decimal, localcontext
from pathlib import Path

SCALE = 1_000_000


def millionths(gap: int, per_point: int) -> int:
    """E(gap) for gap >= 0, rounded half up from 50 digits."""
    with localcontext() as context:
        context.prec = 50
        score = SCALE / (1 + Decimal(10) ** (-Decimal(gap) / (400 * per_point)))
        return int(score.quantize(Decimal(1), ROUND_HALF_UP))


def whole_table(per_point: int) -> array[int]:
    table = array("I")
    while not table or table[-1] < SCALE:
        table.append(millionths(len(table), per_point))
    return table


def first_gaps(per_point: int) -> array[int]:
    """For each of 500,001 ... 1,000,000 the first gap whose expected score rounds to it or above."""
    table = array("I")
    with localcontext() as context:
        context.prec = 50
        for score in range(500_001, SCALE + 1):
            share = (Decimal(score) - Decimal("0.5")) / SCALE
            gap = (400 * per_point * (share / (1 - share)).log10()).to_integral_value(ROUND_CEILING)
            table.append(max(int(gap), 1))
    return table


def main() -> None:
    directory = Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    for name, table in (("0.1", whole_table(10)), ("0.01", whole_table(100)), ("0.001", first_gaps(1000))):
        if sys.byteorder == "big":
            table.byteswap()
        path = directory / f"expected_{name}.bin"
        path.write_bytes(table.tobytes())
        print(path.name, len(table), hashlib.sha256(path.read_bytes()).hexdigest(), flush=True)


if __name__ == "__main__":
    main()
