"""The FIDE tables 8.1.1 and 8.1.2: every row as printed (`fide_8_1_1.csv`, `fide_8_1_2.csv`), and the hash of both."""

import csv
from hashlib import sha256
from pathlib import Path

import pytest

from rerate.ratings.fide_tables import dp, pd

HERE = Path(__file__).parent
BEYOND = 2_000


def rows(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(newline="") as file:
        return list(csv.DictReader(file))


def hundredths(text: str) -> int:
    return int(text.replace(".", ""))


def test_every_gap_of_every_row_of_8_1_2_on_both_sides() -> None:
    seen = []
    for row in rows("fide_8_1_2.csv"):
        for gap in range(int(row["d_min"]), int(row["d_max"] or BEYOND) + 1):
            assert pd(gap) == hundredths(row["pd_higher"]), gap
            assert pd(-gap) == (hundredths(row["pd_lower"]) if gap else 50), gap
            seen.append(gap)
    assert seen == list(range(BEYOND + 1))


def test_the_two_sides_always_expect_one_point() -> None:
    assert {pd(gap) + pd(-gap) for gap in range(5_000)} == {100}
    assert (pd(10_000), pd(-10_000)) == (100, 0)


def test_every_row_of_8_1_1() -> None:
    printed = {hundredths(row["p"]): int(row["dp"]) for row in rows("fide_8_1_1.csv")}
    assert {p: dp(p) for p in range(101)} == printed


@pytest.mark.parametrize("p", [-1, 101])
def test_no_share_outside_0_to_100(p: int) -> None:
    with pytest.raises(ValueError, match="0 to 100"):
        dp(p)


def test_the_tables_are_the_ones_released() -> None:
    """A release that changed a row would change published numbers."""
    whole = ",".join(str(pd(gap)) for gap in range(-800, 801)) + ";" + ",".join(str(dp(p)) for p in range(101))
    assert sha256(whole.encode()).hexdigest() == "dcf9027721587db6f221a24be42d6e5bec4372805969e58fc29c234afbd2efea"
