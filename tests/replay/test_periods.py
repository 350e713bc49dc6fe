"""Which period a game falls into, and how a period is named in bytes, in keys of rows, and in deltas."""

from typing import Any

import pytest
from msgspec.structs import replace

from rerate.messages.facts import Event, Game, RatingList, Rule
from rerate.ratings.face import Key, month_of
from rerate.ratings.systems import ListRules
from rerate.replay.periods import key_bytes, key_fields, key_of_fields, key_text, period_of

KEYS: dict[str, Key] = {
    "date": ("2024-01-05",),
    "month": ("2024-01",),
    "event": ("2024-01-05", -2, "club:e1"),
    "round": ("2024-01-05", 0, "club:e1", 3),
    "game": ("2024-01-05", 7, "club:e1", 3, 1, "g1"),
}


def period(kind: str, game: dict[str, Any] | None = None, **more: Any) -> Key:
    """The period of a game in an event of January 5th; `more` goes to the event, `dated_by` and `closing_day` to the list."""
    of_list = {name: more.pop(name) for name in ("dated_by", "closing_day") if name in more}
    rules = (Rule(system="club/1", parameters={}),)
    rating_list = RatingList(id="elo", quantum="0.1", shown="1", period=kind, rules=rules, **of_list)  # type: ignore[arg-type]
    event = Event(**({"id": "club:e1", "date": "2024-01-05", "category": "club", "status": "final"} | more))
    found = period_of(rating_list, ListRules(replace(rating_list, period="date")), event, Game(id="g1", result="1-0", **(game or {})))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        ("date", ("2024-01-05",)),
        ("month", ("2024-01",)),
        ("event", ("2024-01-05", -2, "club:e1")),
        ("round", ("2024-01-05", -2, "club:e1", 3)),
        ("game", ("2024-01-05", -2, "club:e1", 3, 1, "g1")),
    ],
)
def test_a_period_is_as_narrow_as_its_kind(kind: str, key: Key) -> None:
    assert period(kind, {"round": 3, "board": 1}, order=-2) == key


def test_what_is_absent_is_nought() -> None:
    assert period("game") == ("2024-01-05", 0, "club:e1", 0, 0, "g1")


@pytest.mark.parametrize(
    ("dated_by", "date"), [(None, "2024-01-05"), ("end", "2024-01-05"), ("start", "2024-01-01"), ("game", "2024-01-03")]
)
def test_the_list_says_which_date_counts(dated_by: str | None, date: str) -> None:
    assert period("date", {"date": "2024-01-03"}, start_date="2024-01-01", dated_by=dated_by) == (date,)


@pytest.mark.parametrize("dated_by", ["start", "game"])
def test_an_event_without_that_date_falls_back_to_its_last_day(dated_by: str) -> None:
    assert period("date", dated_by=dated_by) == ("2024-01-05",)


@pytest.mark.parametrize(
    ("date", "closing_day", "month"),
    [
        ("2024-01-31", None, "2024-01"),
        ("2024-01-25", 25, "2024-01"),
        ("2024-01-26", 25, "2024-02"),
        ("2024-12-26", 25, "2025-01"),
        ("2024-02-29", 31, "2024-02"),
        ("1999-12-31", 1, "2000-01"),
    ],
)
def test_a_day_after_the_closing_day_falls_into_the_next_month(date: str, closing_day: int | None, month: str) -> None:
    assert month_of(date, closing_day) == month
    assert period("month", date=date, closing_day=closing_day) == (month,)


def test_an_officer_says_in_which_month_an_event_is_rated() -> None:
    assert period("month", date="2024-01-05", rate_in="2024-03") == ("2024-03",)
    assert period("date", date="2024-01-05", rate_in="2024-03") == ("2024-01-05",)


@pytest.mark.parametrize(
    ("kind", "in_bytes"),
    [
        ("date", "04 323032342d30312d3035"),
        ("month", "05 323032342d3031"),
        ("event", "03 323032342d30312d3035 fffffffe 0007 636c75623a6531"),
        ("round", "02 323032342d30312d3035 00000000 0007 636c75623a6531 0003"),
        ("game", "01 323032342d30312d3035 00000007 0007 636c75623a6531 0003 0001 0002 6731"),
    ],
)
def test_a_key_is_written_in_bytes_for_the_digests(kind: str, in_bytes: str) -> None:
    assert key_bytes(kind, KEYS[kind]).hex() == in_bytes.replace(" ", "")


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("date", "2024-01-05"),
        ("month", "2024-01"),
        ("event", "2024-01-05/-2/club:e1"),
        ("round", "2024-01-05/0/club:e1/3"),
        ("game", "2024-01-05/7/club:e1/3/1/g1"),
    ],
)
def test_a_key_is_written_as_text_for_the_keys_of_rows(kind: str, text: str) -> None:
    assert key_text(KEYS[kind]) == text


@pytest.mark.parametrize("kind", KEYS)
def test_a_key_shown_in_a_delta_is_read_back(kind: str) -> None:
    fields = key_fields(kind, KEYS[kind])
    assert fields["kind"] == kind
    assert key_of_fields(fields) == KEYS[kind]


def test_keys_go_by_date_then_order_as_a_number_then_id_as_bytes() -> None:
    keys: list[Key] = [
        ("2023-12-31", 2_147_483_647, "club:z"),
        ("2024-01-05", -2_147_483_648, "club:z"),
        ("2024-01-05", -1, "club:a"),
        ("2024-01-05", 0, "Club:a"),
        ("2024-01-05", 0, "club:B"),
        ("2024-01-05", 0, "club:a"),
        ("2024-01-05", 0, "club:a1"),
        ("2024-01-05", 0, "club:a~"),
        ("2024-01-05", 9, "club:a"),
        ("2024-01-05", 10, "club:a"),
    ]
    assert sorted(keys) == keys
    assert sorted(keys, key=lambda key: (str(key[0]).encode(), key[1], str(key[2]).encode())) == keys


@pytest.mark.parametrize("order", [-(2**31), -1, 0, 2**31 - 1])
def test_every_order_has_four_bytes(order: int) -> None:
    assert len(key_bytes("event", ("2024-01-05", order, "club:e1"))) == 24
