"""The scan agrees with a plain parser where both take a document, and refuses what that one lets through."""

import json
import os
import random
import sys
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rerate.messages import codes
from rerate.messages.facts import Fact
from rerate.messages.reading import Message, read
from rerate.messages.refusals import Refusal, Refused
from rerate.messages.scan import read_slowly, scan
from tests.kit.mutate import mutated
from tests.messages.samples import PARTITIONS, binary, example, good_messages, structured

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=25,
)
GOOD = good_messages()


def verdict(raw: bytes) -> object:
    """The value, or the reason of refusal."""
    try:
        return scan(raw).value
    except Refused as error:
        return error.refusal.reason


def slow_verdict(raw: bytes) -> object:
    try:
        return read_slowly(raw)
    except Refused as error:
        return error.refusal.reason


def plain_verdict(raw: bytes) -> object:
    """By the standard library, with hooks for what it lets through."""

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) != len(pairs):
            raise ValueError("a key twice")
        return dict(pairs)

    def refuse(_: str) -> None:
        raise ValueError("no number")

    try:
        text = raw.decode()
        value = json.loads(text, object_pairs_hook=members, parse_constant=refuse)
        json.dumps(value, ensure_ascii=False).encode()
    except ValueError:
        return codes.NOT_JSON
    return codes.TOO_DEEP if depth(value) > 16 else value


def depth(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max(map(depth, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(depth, value), default=0)
    return 0


def same(one: object, other: object) -> bool:
    """Equal, whole numbers beyond 64 bits being floats to one parser and whole to another."""
    if isinstance(one, float) or isinstance(other, float):
        return isinstance(one, int | float) and isinstance(other, int | float) and float(one) == float(other)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and one == other


@settings(deadline=None)
@given(VALUES, st.booleans(), st.sampled_from([None, 1]))
def test_every_document_is_read_as_what_it_says(value: object, ascii_only: bool, indent: int | None) -> None:
    raw = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode()
    assert same(verdict(raw), plain_verdict(raw))
    assert same(slow_verdict(raw), plain_verdict(raw))


@settings(deadline=None)
@given(VALUES, st.randoms(use_true_random=False))
def test_every_damaged_document_gets_the_verdict_of_a_plain_parser(value: object, rng: random.Random) -> None:
    raw = json.dumps([value, {"a": "b", "c": ["\\", '"']}], ensure_ascii=rng.random() < 0.5).encode()
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(raw))
        new = rng.choice((b"", b'"', b"\\", b"[", b"]", b"{", b"}", b",", b":", b"0", b"-", b"e", b"\xff", b"\x00", b" ", b'"a":1,', b"u"))
        raw = raw[:at] + new + raw[at + rng.randrange(2) :]
        if not raw:
            return
    expected = plain_verdict(raw)
    assert same(verdict(raw), expected)
    assert same(slow_verdict(raw), expected)


@pytest.mark.parametrize("levels", [15, 16, 17, 30])
@pytest.mark.parametrize(("before", "after"), [(b"[", b"]"), (b'{"a":', b"}"), (b'[1,"]]]",', b"]"), (b'[" \\" [[[",', b"]")])
def test_depth_is_that_of_brackets_outside_strings(levels: int, before: bytes, after: bytes) -> None:
    raw = before * levels + b"0" + after * levels
    assert (verdict(raw) == codes.TOO_DEEP) == (levels > 16)
    assert verdict(raw[:-1]) == codes.NOT_JSON


def test_the_verdict_on_depth_does_not_depend_on_the_callers_stack() -> None:
    raw = b"[" * 400 + b"]" * 400

    def deeper(frames: int) -> object:
        return verdict(raw) if frames == 0 else deeper(frames - 1)

    room = sys.getrecursionlimit() // 2
    assert {deeper(frames) for frames in (0, room // 2, room)} == {codes.TOO_DEEP}


@pytest.mark.parametrize(
    "raw",
    [
        b"[" * 2**20,
        b"[" * 2**19 + b"]" * 2**19,
        b'{"a":' * 170_000 + b"1" + b"}" * 170_000,
        b"9" * 2**20,
        b"[" + b"9" * 5000 + b"]",
        b'"' * 2**20,
        b'\\"' * 2**19,
        b'"' + b'\\"' * (2**19 - 1),
        b"\\" * 2**20,
        b"[" + b"[]," * 300_000 + b"[]]",
        b"-" * 2**20,
        b"0." + b"1" * 2**20,
        b" " * 2**20,
    ],
    ids=range(13),
)
def test_no_mebibyte_is_slow(raw: bytes) -> None:
    start = time.process_time()
    verdict(raw)
    assert time.process_time() - start < 10


def test_numbers_that_are_not_small_and_whole_are_noticed() -> None:
    assert scan(b'{"a":123456789012345,"b":"1.5e99 1234567890123456"}').is_whole
    for number in (b"1.0", b"1e2", b"1E2", b"-0.0", b"1234567890123456", b"9" * 400):
        assert not scan(b"[" + number + b"]").is_whole


def check(message: Message) -> Fact | Refusal:
    """Read it; a refusal says nothing of the message beyond types, lengths and names of fields."""
    verdict = read(message, partitions=PARTITIONS)
    if isinstance(verdict, Refusal):
        assert verdict.reason in codes.SENTENCES["receipt-reason"]
        assert len(verdict.pointer or "") <= 200
        assert len(verdict.found or "") <= 100
        assert len(verdict.expected or "") <= 300
    return verdict


@settings(max_examples=int(os.environ.get("RERATE_LAWS", "300")), deadline=None)
@given(st.integers(0, 2**64))
def test_a_mutated_message_is_a_fact_or_a_refusal(seed: int) -> None:
    rng = random.Random(seed)
    check(mutated(rng.choice(GOOD), rng))


@pytest.mark.long
def test_a_hundred_thousand_mutated_messages_are_facts_or_refusals() -> None:
    rng = random.Random(20240105)
    reasons = {type(check(mutated(rng.choice(GOOD), rng))) for _ in range(100_000)}
    assert reasons == {Fact, Refusal}


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_a_fact_or_a_refusal(value: bytes) -> None:
    message = structured(example("result-published.v1/smallest"))
    check(message._replace(value=value))
    check(message._replace(key=value, headers=(("ce_specversion", value), ("ce_id", value), ("content-type", value))))


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**64))
def test_changed_data_has_the_same_verdict_in_both_modes(seed: int) -> None:
    """The same change of the data, in structured and in binary mode."""
    rng = random.Random(seed)
    names = (
        "result-published.v1/everything-said",
        "result-corrected.v1/ruling",
        "rating-seeded.v1/from-paper",
        "rating-adjusted.v1/base-correction",
    )
    sent = example(rng.choice(names))
    only_data = Message("x", 0, None, json.dumps(sent["data"]).encode())
    value = mutated(only_data, rng).value or b""
    try:
        data = json.loads(value)
        text = json.dumps(data, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return
    in_binary = read(binary(sent)._replace(value=text), partitions=PARTITIONS)
    in_structured = read(
        structured(sent)._replace(value=json.dumps(sent | {"data": data}, ensure_ascii=False).encode()), partitions=PARTITIONS
    )
    assert in_binary == in_structured
