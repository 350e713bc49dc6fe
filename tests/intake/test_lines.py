"""A file of facts is read line by line: what is good is ready to publish, what is bad is named with its place."""

import io
import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rerate.intake import football, irish
from rerate.intake.cloudevents import cloud_event, to_line
from rerate.intake.lines import BadLine, FactLine, read_lines
from rerate.messages import codes
from rerate.messages.facts import MAX_FACT_BYTES
from rerate.messages.partition import partition_of
from rerate.messages.reading import read
from rerate.messages.writing import fact_message

GOOD = {
    "specversion": "1.0",
    "type": "rerate.result-published.v1",
    "source": "club/arbiter",
    "id": "1",
    "data": {
        "pool": "club:rook",
        "event": {"id": "club:e1", "date": "2024-01-05", "category": "club", "status": "final"},
        "revision": 1,
        "games": [{"id": "g1", "white": "club:a", "black": "club:b", "result": "1-0"}],
    },
}


def dumps(fact: dict[str, Any]) -> bytes:
    return json.dumps(fact, separators=(",", ":")).encode()


def lines_of(*lines: bytes) -> list[FactLine | BadLine]:
    return list(read_lines(io.BytesIO(b"\n".join(lines)), partitions=6))


def bad(line: bytes) -> BadLine:
    (only,) = lines_of(line)
    assert isinstance(only, BadLine)
    return only


def test_a_good_line_is_addressed_and_keeps_its_bytes() -> None:
    (only,) = lines_of(dumps(GOOD))
    assert isinstance(only, FactLine)
    assert (only.number, only.message.topic, only.message.key, only.message.partition) == (1, "result-published", b"club:rook", 4)
    assert only.message.value == dumps(GOOD)
    assert (only.fact.identity.source, only.fact.identity.id) == ("club/arbiter", "1")


def test_a_fact_of_ours_is_a_line_of_the_bytes_that_writing_gives() -> None:
    event = cloud_event("identity-merged", "club/office", "1", {"pool": "club:rook", "merge_id": "club:m1"}, actor="club:eva")
    assert to_line(event) == fact_message("rerate.identity-merged.v1", "club/office", "1", event["data"], actor="club:eva")[1] + b"\n"


def test_blank_lines_are_skipped_and_counted() -> None:
    assert [line.number for line in lines_of(b"", dumps(GOOD), b" \t ", b"", dumps(GOOD), b"")] == [2, 5]


def test_crlf_and_a_byte_order_mark_change_nothing() -> None:
    plain = read_lines(io.BytesIO(dumps(GOOD) + b"\n" + dumps(GOOD)), partitions=6)
    other = read_lines(io.BytesIO(b"\xef\xbb\xbf" + dumps(GOOD) + b"\r\n" + dumps(GOOD) + b"\r"), partitions=6)
    assert list(plain) == list(other)


def test_a_bad_line_does_not_hold_back_the_good_ones() -> None:
    found = lines_of(dumps(GOOD), b'{"specversion": nope}', dumps(GOOD))
    assert [(line.number, isinstance(line, FactLine)) for line in found] == [(1, True), (2, False), (3, True)]


@pytest.mark.parametrize(
    ("line", "column"),
    [
        (b'{"specversion": nope}', 17),
        (b'{"id":"1","id":"2"}', 11),
        (b'{"data":{"id":"1"},"more":{"id":"1","id":"2"}}', 37),
        (b'{"id":[1,2,3}', 13),
        (b'{"id":"1"} {"id":"2"}', 12),
        (b'{"id":"1"', 10),
        (b'{"id":NaN}', 7),
        (b'{"id":"\\ud800"}', 7),
        ('{"é":"\xff'.encode("latin-1"), 3),
        ('{"é":"'.encode() + b'\xff"}', 7),
        (b"[" * 30_000, 17),
        (b"nothing", 1),
    ],
)
def test_what_is_not_json_is_named_with_its_column(line: bytes, column: int) -> None:
    found = bad(line)
    assert (found.refusal.reason, found.column) == (codes.NOT_JSON, column)
    assert found.sentence.startswith(f"line 1, column {column}: ")


def test_what_is_too_deep_is_named_where_it_becomes_so() -> None:
    found = bad(b'{"data":' + b"[" * 40 + b"]" * 40 + b"}")
    assert (found.refusal.reason, found.column) == (codes.TOO_DEEP, len('{"data":') + 16)


def changed(path: list[str | int], value: object) -> bytes:
    fact = json.loads(dumps(GOOD))
    at = fact
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return dumps(fact)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["data", "event", "date"], "2024-02-30"),
        (["data", "games", 0, "result"], "2-0"),
        (["data", "games", 0, "white"], "Adam"),
        (["data", "revision"], 0),
        (["data", "pool"], "rook"),
    ],
)
def test_what_the_schema_does_not_allow_is_named_with_its_pointer_and_the_column_of_the_value(path: list[str | int], value: object) -> None:
    line = changed(path, value)
    found = bad(line)
    pointer = "".join(f"/{step}" for step in path)
    assert (found.refusal.reason, found.refusal.pointer) == (codes.SCHEMA, pointer)
    assert line[found.column - 1 :].startswith(dumps(value) if isinstance(value, dict) else json.dumps(value).encode())
    assert pointer in found.sentence
    assert f"expected {found.refusal.expected}, found {found.refusal.found}" in found.sentence


def test_a_missing_field_is_named_at_the_object_that_misses_it() -> None:
    fact = json.loads(dumps(GOOD))
    del fact["data"]["event"]["category"]
    found = bad(dumps(fact))
    assert found.refusal.pointer == "/data/event/category"
    assert dumps(fact)[found.column - 1 :].startswith(b'{"id":"club:e1"')


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        (["specversion"], "2.0", codes.NOT_CLOUDEVENTS),
        (["type"], "other.result.v1", codes.FOREIGN_TYPE),
        (["type"], 7, codes.NOT_CLOUDEVENTS),
        (["source"], "rival/arbiter", codes.WRONG_AUTHORITY),
        (["data"], [], codes.SCHEMA),
        (["data", "pool"], 7, codes.SCHEMA),
    ],
)
def test_other_refusals_are_the_rater_s_own(path: list[str | int], value: object, reason: str) -> None:
    assert bad(changed(path, value)).refusal.reason == reason


def test_an_unknown_type_is_good_for_the_next_engine_and_goes_to_the_pool_s_topic() -> None:
    (only,) = lines_of(changed(["type"], "rerate.rating-adjusted.v2"))
    assert isinstance(only, FactLine)
    assert only.message.topic == "pool-facts"


@pytest.mark.parametrize("filling", [b"x", b" "])
def test_a_line_over_the_limit_is_refused_and_never_held(tmp_path: Path, filling: bytes) -> None:
    with (tmp_path / "facts.jsonl").open("wb") as out:
        out.write(dumps(GOOD) + b"\n")
        out.writelines([filling * MAX_FACT_BYTES] * 32)
        out.write(b"\n" + dumps(GOOD))
    tracemalloc.start()
    try:
        with (tmp_path / "facts.jsonl").open("rb") as stream:
            found = list(read_lines(stream, partitions=6))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert [(line.number, isinstance(line, FactLine)) for line in found] == [(1, True), (2, False), (3, True)]
    assert isinstance(found[1], BadLine)
    assert found[1].refusal.reason == codes.TOO_LARGE
    assert peak < 8 * MAX_FACT_BYTES


def test_a_line_of_exactly_the_limit_is_read() -> None:
    line = dumps(GOOD)
    full = line + b" " * (MAX_FACT_BYTES - len(line))
    ends = [type(next(read_lines(io.BytesIO(text), partitions=6))) for text in (full + b"\r\n", full, full + b" \r\n", full + b" ")]
    assert ends == [FactLine, FactLine, BadLine, BadLine]


MUTATED = st.builds(
    lambda at, cut, put: dumps(GOOD)[:at] + put + dumps(GOOD)[at + cut :],
    st.integers(0, 330),
    st.integers(0, 9),
    st.binary(max_size=4) | st.sampled_from([b"\n", b'"', b"{", b"}", b"[", b"\\u", b"\\ud800", b"1e999", b"null", b",", b'"id":1,']),
)


@given(st.lists(MUTATED | st.binary(max_size=40), max_size=4))
@example([b"\xff", b"\r", b"\\", b'"\\'])
def test_no_bytes_make_it_raise(lines: list[bytes]) -> None:
    text = b"\n".join(lines)
    found = lines_of(*lines)
    numbers = [n for n, line in enumerate(text.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1) if line.strip(b" \t\r\f\v")]
    assert [line.number for line in found] == numbers
    for line in found:
        if isinstance(line, BadLine):
            assert line.column >= 1
        else:
            assert read(line.message, partitions=6) == line.fact


@pytest.fixture(scope="module")
def shipped() -> bytes:
    def lines() -> Iterator[bytes]:
        yield to_line(football.configuration())
        yield from map(to_line, football.facts(football.source_messages()))
        yield to_line(irish.configuration())
        yield from (to_line(report.fact) for report in irish.reports())

    return b"".join(lines())


def test_every_shipped_fact_is_accepted_on_its_pool_s_partition(shipped: bytes) -> None:
    found = list(read_lines(io.BytesIO(shipped), partitions=6))
    assert [line.sentence for line in found if isinstance(line, BadLine)] == []
    assert len(found) == 49_455 + 3
    assert {line.message.key: line.message.partition for line in found if isinstance(line, FactLine)} == {
        pool.encode(): partition_of(pool, 6) for pool in (football.POOL, irish.POOL)
    }
