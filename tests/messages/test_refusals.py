"""Each reason to refuse a message, sent raw, with its exact place."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from rerate.messages import codes
from rerate.messages.facts import Fact, RatingAdjusted, Unknown
from rerate.messages.reading import Message, read
from rerate.messages.refusals import Refusal, pointer_of
from tests.messages.samples import PARTITIONS, binary, example, structured

Event = dict[str, Any]
Change = Callable[[Event], object]

SMALLEST = "result-published.v1/smallest"
EVERYTHING = "result-published.v1/everything-said"
PATCH = "result-corrected.v1/wrong-result"
RULING = "result-corrected.v1/ruling"
LISTS = "pool-configured.v1/two-lists-with-dated-rules"
SEED = "rating-seeded.v1/from-paper"
CORRECTION, RAISE = "rating-adjusted.v1/base-correction", "rating-adjusted.v1/raise-for-all"
SECRET = "Magnus-Carlsen"


def refusal(message: Message) -> Refusal:
    verdict = read(message, partitions=PARTITIONS)
    assert isinstance(verdict, Refusal), verdict
    return verdict


def raw(value: bytes) -> Message:
    return structured(example(SMALLEST))._replace(value=value)


def smallest(old: bytes, new: bytes) -> Message:
    message = structured(example(SMALLEST))
    assert message.value is not None
    assert old in message.value
    return message._replace(value=message.value.replace(old, new))


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"hello",
        b"{",
        b"[1,]",
        b'{"a":1}x',
        b'{"a":1}{"b":2}',
        b'\xef\xbb\xbf{"a":1}',
        b'{"a":"\xff"}',
        b'{"a":"\xed\xa0\x80"}',
        rb'{"a":"\ud800"}',
        rb'{"a":"\udc00\ud800"}',
        b'{"a":1,"a":2}',
        rb'{"a":1,"\u0061":2}',
        b'{"a":{"b":[{"c":1,"c":1}]}}',
        b'{"a":NaN}',
        b'{"a":Infinity}',
        b'{"a":-Infinity}',
        b"[" * (1024 * 1024),
        b'{"a":' + b"[" * 20 + b'{"b":1,"b":2}' + b"]" * 20 + b"}",
    ],
)
def test_what_is_not_json(value: bytes) -> None:
    assert refusal(raw(value)).reason == codes.NOT_JSON


def test_a_null_value_is_not_json() -> None:
    assert refusal(structured(example(SMALLEST))._replace(value=None)).reason == codes.NOT_JSON


def test_a_message_over_one_mebibyte_is_too_large() -> None:
    value = structured(example(SMALLEST)).value or b""
    padded = value + b" " * (1024 * 1024 - len(value))
    assert isinstance(read(raw(padded), partitions=PARTITIONS), Fact)
    refused = refusal(raw(padded + b" "))
    assert (refused.reason, refused.found) == (codes.TOO_LARGE, "1048577 bytes")


@pytest.mark.parametrize("mode", [structured, binary])
def test_seventeen_levels_are_too_deep_in_both_modes(mode: Callable[[Event], Message]) -> None:
    event = example(SMALLEST)
    event["type"] = "rerate.later.v1"
    event["data"] = {"pool": "club:rook", "a": json.loads("[" * 14 + "]" * 14)}
    assert isinstance(read(mode(event), partitions=PARTITIONS), Fact)
    event["data"]["a"] = [event["data"]["a"]]
    assert refusal(mode(event)).reason == codes.TOO_DEEP


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        (lambda e: e.pop("specversion"), "/specversion"),
        (lambda e: e.update(specversion="0.3"), "/specversion"),
        (lambda e: e.update(specversion=1), "/specversion"),
        (lambda e: e.pop("type"), "/type"),
        (lambda e: e.pop("source"), "/source"),
        (lambda e: e.pop("id"), "/id"),
        (lambda e: e.update(id=""), "/id"),
        (lambda e: e.update(id=7), "/id"),
        (lambda e: e.update(actor=7), "/actor"),
        (lambda e: e.update(data_base64="e30="), "/data_base64"),
        (lambda e: e.update(datacontenttype="text/xml"), "/datacontenttype"),
    ],
)
def test_what_is_no_cloudevent(change: Change, pointer: str) -> None:
    event = example(SMALLEST)
    change(event)
    refused = refusal(structured({"type": "rerate.result-published.v1", **event})._replace(value=json.dumps(event).encode()))
    assert (refused.reason, refused.pointer) == (codes.NOT_CLOUDEVENTS, pointer)


@pytest.mark.parametrize("content_type", [b"application/cloudevents-batch+json", b"application/cloudevents+avro", b"application/json"])
def test_a_batch_and_other_formats_are_no_cloudevent(content_type: bytes) -> None:
    message = structured(example(SMALLEST))._replace(headers=(("content-type", content_type),))
    assert refusal(message).reason == codes.NOT_CLOUDEVENTS


@pytest.mark.parametrize("value", [b"[]", b"7", b'"x"', b"null", b"true", b"1e400"])
def test_json_that_is_no_object_is_no_cloudevent(value: bytes) -> None:
    assert refusal(raw(value)).reason == codes.NOT_CLOUDEVENTS


def test_an_attribute_in_two_headers_is_no_cloudevent() -> None:
    message = binary(example(SMALLEST))
    assert refusal(message._replace(headers=(*message.headers, ("ce_id", b"other")))).pointer == "/id"


def test_a_header_that_is_not_utf8_is_no_cloudevent() -> None:
    message = binary(example(SMALLEST))
    headers = tuple((name, b"\xc3" if name == "ce_source" else value) for name, value in message.headers)
    assert refusal(message._replace(headers=headers)).pointer == "/source"


@pytest.mark.parametrize(
    "kind", ["org.other.thing", "rerate.result-published", "rerate.x.v0", "rerate.X.v1", "rerate.x.v1000", "rerate.x.v1\n"]
)
def test_a_type_that_is_not_ours_is_foreign(kind: str) -> None:
    event = example(SMALLEST) | {"type": kind}
    assert refusal(structured(event)).reason == codes.FOREIGN_TYPE


@pytest.mark.parametrize(
    ("kind", "topic"),
    [
        ("rerate.result-published.v1", "result-published"),
        ("rerate.result-published.v2", "result-published"),
        ("rerate.pool-facts.v1", "pool-facts"),
        ("rerate.fact-withdrawn.v1", "pool-facts"),
        ("rerate.whatever.v9", "pool-facts"),
    ],
)
def test_a_type_has_one_topic(kind: str, topic: str) -> None:
    refused = refusal(structured(example(SMALLEST) | {"type": kind})._replace(topic="identity-merged"))
    assert (refused.reason, refused.expected) == (codes.WRONG_TOPIC, topic)


def game(**fields: object) -> Change:
    return lambda e: e["data"]["games"][0].update(fields)


def event(**fields: object) -> Change:
    return lambda e: e["data"]["event"].update(fields)


def data(**fields: object) -> Change:
    return lambda e: e["data"].update(fields)


def parameters(**fields: object) -> Change:
    """Of the first rule of the first list, others in place of its own."""
    return lambda e: e["data"]["lists"][0]["rules"][0].update(parameters=fields)


def without(*path: str | int) -> Change:
    def change(e: Event) -> None:
        inner: Any = e
        for step in path[:-1]:
            inner = inner[step]
        del inner[path[-1]]

    return change


SCHEMA_FAULTS: list[tuple[str, Change, str, str]] = [
    # the envelope
    (SMALLEST, lambda e: e.update(id="x" * 81), "/id", "a string of 81 characters"),
    (SMALLEST, lambda e: e.update(source="club"), "/source", "a string of 4 characters"),
    (SMALLEST, lambda e: e.update(actor="nobody"), "/actor", "a string of 6 characters"),
    (SMALLEST, lambda e: e.update(submission="s:3:2"), "/submission", "a string of 5 characters"),
    (SMALLEST, lambda e: e.update(submission="s:1:1000001"), "/submission", "a string of 11 characters"),
    (SMALLEST, lambda e: e.update(data=[]), "/data", "a list of 0"),
    # keys and numbers
    (SMALLEST, lambda e: e["data"].update({SECRET: 1}), "/data", "another key"),
    (SMALLEST, lambda e: e["data"]["games"][0].update({"": 1}), "/data/games/0", "another key"),
    (SMALLEST, data(revision=1.0), "/data/revision", "a number with a fraction, an exponent or too many digits"),
    (SMALLEST, data(revision=2**53), "/data/revision", "a larger number"),
    (SMALLEST, game(round=2.5), "/data/games/0/round", "a number with a fraction, an exponent or too many digits"),
    # types
    (SMALLEST, data(note="x"), "/data", "an unknown field"),
    (SMALLEST, game(magnus_carlsen="x"), "/data/games/0", "an unknown field"),
    (SMALLEST, without("data", "event", "date"), "/data/event/date", "nothing"),
    (SMALLEST, without("data", "games", 0, "result"), "/data/games/0/result", "nothing"),
    (SMALLEST, data(revision=0), "/data/revision", "a whole number"),
    (SMALLEST, data(revision=True), "/data/revision", "a boolean"),
    (SMALLEST, data(revision="1"), "/data/revision", "a string of 1 characters"),
    (SMALLEST, data(games={}), "/data/games", "an object"),
    (SMALLEST, data(saw=None), "/data/saw", "null"),
    (SMALLEST, game(white=None), "/data/games/0/white", "null"),
    (SMALLEST, game(result="2-0"), "/data/games/0/result", "a string of 3 characters"),
    (SMALLEST, game(result="0.7"), "/data/games/0/result", "a string of 3 characters"),
    (SMALLEST, game(result=SECRET), "/data/games/0/result", "a string of 14 characters"),
    (SMALLEST, game(white=SECRET), "/data/games/0/white", "a string of 14 characters"),
    (SMALLEST, game(white="club:a\n"), "/data/games/0/white", "a string of 7 characters"),
    (SMALLEST, game(id="x" * 81), "/data/games/0/id", "a string of 81 characters"),
    (SMALLEST, event(category="Club Night"), "/data/event/category", "a string of 10 characters"),
    (SMALLEST, event(rate_in="2024-13"), "/data/event/rate_in", "a string of 7 characters"),
    (SMALLEST, data(games=[{"id": f"g{n}", "result": "*"} for n in range(5001)]), "/data/games", "a list of 5001"),
    # dates
    (SMALLEST, event(date="2024-02-30"), "/data/event/date", "a date that does not exist"),
    (SMALLEST, event(date="2024-01-05T18:00:00Z"), "/data/event/date", "a string of 20 characters"),
    (SMALLEST, event(date="0999-12-31"), "/data/event/date", "a string of 10 characters"),
    (SMALLEST, event(start_date="2024-01-06"), "/data/event/start_date", "a later date"),
    (SMALLEST, event(reported="2023-02-29"), "/data/event/reported", "a date that does not exist"),
    (SMALLEST, game(date="2024-04-31"), "/data/games/0/date", "a date that does not exist"),
    (RULING, lambda e: e["data"]["set"].update(date="2024-04-31"), "/data/set/date", "a date that does not exist"),
    (
        RULING,
        lambda e: e["data"]["games"][0]["fields"].update(date="2024-04-31"),
        "/data/games/0/fields/date",
        "a date that does not exist",
    ),
    # games
    (SMALLEST, lambda e: e["data"]["games"].append(e["data"]["games"][0]), "/data/games/1/id", "one that stands before"),
    (SMALLEST, game(result="0-0"), "/data/games/0/rated", "absent"),
    (SMALLEST, game(unrated_reason="casual"), "/data/games/0/unrated_reason", "present"),
    (SMALLEST, game(rated="both", unrated_reason="casual"), "/data/games/0/unrated_reason", "present"),
    (SMALLEST, game(points=2), "/data/games/0/points", "present"),
    (SMALLEST, game(result="bye-half"), "/data/games/0/black", "both sides"),
    (SMALLEST, lambda e: e["data"].update(games=[{"id": "g1", "result": "bye-zero"}]), "/data/games/0/black", "no side"),
    (EVERYTHING, without("data", "games", 8, "points"), "/data/games/8/points", "absent"),
    (EVERYTHING, lambda e: e["data"]["event"]["lists"].append("rapid"), "/data/event/lists/2", "one that stands before"),
    # corrections and rulings
    (PATCH, data(removed=["g7", "g1"]), "/data/removed/1", "one that stands before"),
    (PATCH, data(removed=["g7", "g7"]), "/data/removed/1", "one that stands before"),
    (PATCH, data(ruling={"id": "r", "revision": 1}), "/data", "both"),
    (PATCH, without("data", "revision"), "/data", "neither"),
    (PATCH, data(set={"date": None}), "/data/set/date", "null"),
    (PATCH, data(set=None), "/data/set", "null"),
    (PATCH, data(reason="because"), "/data/reason", "a string of 7 characters"),
    (RULING, lambda e: e.pop("actor"), "/actor", "nothing"),
    (RULING, lambda e: e["data"].update(saw=1), "/data", "an unknown field"),
    (RULING, lambda e: e["data"]["added"].append({"id": "1.1", "result": "*"}), "/data/added/1/id", "one that stands before"),
    (RULING, lambda e: e["data"]["removed"].append({"id": "1.9"}), "/data/removed/1/id", "one that stands before"),
    (RULING, without("data", "games", 0, "fields"), "/data/games/0/fields", "nothing"),
    ("event-deleted.v1/void", without("data", "mode"), "/data/mode", "nothing"),
    ("event-deleted.v1/void-by-ruling", lambda e: e.pop("actor"), "/actor", "nothing"),
    # who decided
    ("identity-merged.v1/everywhere", lambda e: e.pop("actor"), "/actor", "nothing"),
    ("identity-unmerged.v1/unmerged", lambda e: e.update(actor=None), "/actor", "nothing"),
    ("fact-withdrawn.v1/withdrawn", lambda e: e.pop("actor"), "/actor", "nothing"),
    ("identity-merged.v1/in-two-events", data(events=[]), "/data/events", "a list of 0"),
    ("identity-merged.v1/in-two-events", data(events=["club:e1", "club:e1"]), "/data/events/1", "one that stands before"),
    # whole-state facts
    (LISTS, lambda e: e["data"]["lists"][1].update(id="standard"), "/data/lists/1/id", "one that stands before"),
    (LISTS, lambda e: e["data"]["lists"][0].update(until="2020-01-01"), "/data/lists/0/until", "a day that is not later"),
    (LISTS, lambda e: e["data"]["lists"][0]["categories"].append("open"), "/data/lists/0/categories/2", "one that stands before"),
    (LISTS, lambda e: e["data"]["lists"][0]["rules"][0].update({"from": "2019-01-01"}), "/data/lists/0/rules/0/from", "a date"),
    (LISTS, lambda e: e["data"]["lists"][0]["rules"][1].pop("from"), "/data/lists/0/rules/1/from", "nothing"),
    (
        LISTS,
        lambda e: e["data"]["lists"][0]["rules"].append(e["data"]["lists"][0]["rules"][1]),
        "/data/lists/0/rules/2/from",
        "a date that is not later",
    ),
    (LISTS, lambda e: e["data"]["lists"][0].update(rules=[]), "/data/lists/0/rules", "a list of 0"),
    (LISTS, lambda e: e["data"]["lists"][0]["rules"][0].update(system="club"), "/data/lists/0/rules/0/system", "a string of 4 characters"),
    (LISTS, lambda e: e["data"]["lists"][0].update(quantum="0.5"), "/data/lists/0/quantum", "a string of 3 characters"),
    (LISTS, lambda e: e["data"]["lists"][0].update(period="week"), "/data/lists/0/period", "a string of 4 characters"),
    (LISTS, lambda e: e["data"]["lists"][0].update(dated_by="report"), "/data/lists/0/dated_by", "a string of 6 characters"),
    (LISTS, lambda e: e["data"]["lists"][0].update(closing_day=32), "/data/lists/0/closing_day", "a whole number"),
    (LISTS, parameters(start="10000"), "/data/lists/0/rules/0/parameters", "a string of 5 characters"),
    (LISTS, parameters(start="1200.0000000001"), "/data/lists/0/rules/0/parameters", "a string of 15 characters"),
    (LISTS, parameters(start=1200.5), "/data/lists/0/rules/0/parameters", "a number with a fraction, an exponent or too many digits"),
    (LISTS, parameters(k_new=[40]), "/data/lists/0/rules/0/parameters", "a list of 1"),
    (LISTS, parameters(**{f"k_{n}": 1 for n in range(33)}), "/data/lists/0/rules/0/parameters", "an object"),
    (LISTS, data(lists=[example(LISTS)["data"]["lists"][0]] * 17), "/data/lists", "a list of 17"),
    (SEED, lambda e: e["data"]["state"].update(rating="10000"), "/data/state", "a string of 5 characters"),
    (SEED, lambda e: e["data"]["state"].update(rating=SECRET), "/data/state", "a string of 14 characters"),
    (SEED, lambda e: e["data"]["state"].update({"x" * 41: 1}), "/data/state", "another name"),
    (SEED, data(state={}), "/data/state", "an object"),
    (SEED, data(state={f"x_{n}": 1 for n in range(33)}), "/data/state", "an object"),
    (SEED, lambda e: e["data"]["state"].update(rating=1400.5), "/data/state", "a number with a fraction, an exponent or too many digits"),
    (SEED, lambda e: e["data"]["state"].update(deviation="-10000"), "/data/state", "a string of 6 characters"),
    (SEED, data(as_of="2023-11-31"), "/data/as_of", "a date that does not exist"),
    (SEED, lambda e: e["data"]["origin"].update(pool="club:x"), "/data/origin/list", "nothing"),
    (CORRECTION, lambda e: e.pop("actor"), "/actor", "nothing"),
    (CORRECTION, without("data", "reason"), "/data/reason", "nothing"),
    (CORRECTION, data(reason="because"), "/data/reason", "a string of 7 characters"),
    (CORRECTION, without("data", "before"), "/data/before", "nothing"),
    (CORRECTION, data(before="2023-02-29"), "/data/before", "a date that does not exist"),
    (CORRECTION, data(before="2024-01"), "/data/before", "a string of 7 characters"),
    (CORRECTION, data(adjustment="a b"), "/data/adjustment", "a string of 3 characters"),
    (CORRECTION, data(players=[]), "/data/players", "a list of 0"),
    (CORRECTION, data(players=["club:a", "club:b", "club:a"]), "/data/players/2", "one that stands before"),
    (CORRECTION, data(players=["club:a", SECRET]), "/data/players/1", "a string of 14 characters"),
    (CORRECTION, data(players=[f"club:{n}" for n in range(5_001)]), "/data/players", "a list of 5001"),
    (CORRECTION, data(players=None), "/data/players", "null"),
    (CORRECTION, without("data", "players"), "/data/players", "nothing"),
    (CORRECTION, data(set="10000"), "/data/set", "a string of 5 characters"),
    (CORRECTION, data(set="01"), "/data/set", "a string of 2 characters"),
    (CORRECTION, data(set=1525), "/data/set", "a whole number"),
    (CORRECTION, data(add="1.5"), "/data/add", "another one"),
    (CORRECTION, data(formula="raise"), "/data/formula", "another one"),
    (RAISE, data(add="+1.5"), "/data/add", "a string of 4 characters"),
    (RAISE, data(add="1.5"), "/data/formula", "another one"),
    (RAISE, data(formula="Raise"), "/data/formula", "a string of 5 characters"),
    ("player-registered.v1/birth-year", lambda e: e["data"].update(traits={SECRET: 1}), "/data/traits", "another key"),
    (
        "player-registered.v1/birth-year",
        lambda e: e["data"].update(traits={"magnus_carlsen": 1.5}),
        "/data/traits",
        "a number with a fraction, an exponent or too many digits",
    ),
]


@pytest.mark.parametrize("mode", [structured, binary])
@pytest.mark.parametrize(("name", "change", "pointer", "found"), SCHEMA_FAULTS, ids=range(len(SCHEMA_FAULTS)))
def test_what_the_schema_refuses_and_where(mode: Callable[[Event], Message], name: str, change: Change, pointer: str, found: str) -> None:
    sent = example(name)
    pool = sent["data"]["pool"]
    change(sent)
    if mode is binary and sent.get("actor", "") is None:
        del sent["actor"]
    refused = refusal(in_mode(mode, sent, pool))
    assert (refused.reason, refused.pointer, refused.found) == (codes.SCHEMA, pointer, found)
    assert refused.expected
    for word in (SECRET, "magnus_carlsen"):
        assert word not in f"{refused}"


def in_mode(mode: Callable[[Event], Message], sent: Event, pool: str) -> Message:
    """As the mode writes it, key and partition of the pool, with whatever data there is now."""
    message = mode(sent | {"data": {"pool": pool}})
    content = sent if mode is structured else sent["data"]
    return message._replace(value=json.dumps(content, ensure_ascii=False).encode())


@pytest.mark.parametrize("name", [SMALLEST, PATCH, "event-deleted.v1/void"])
def test_only_its_own_authority_sends_revisions_of_an_event(name: str) -> None:
    refused = refusal(structured(example(name) | {"source": "other/desk"}))
    assert refused.reason == codes.WRONG_AUTHORITY


def test_an_office_of_another_authority_may_rule() -> None:
    assert isinstance(read(structured(example(RULING) | {"source": "other/desk"}), partitions=PARTITIONS), Fact)


@pytest.mark.parametrize("key", [None, b"", b"club:rook2", b"\xff"])
def test_the_key_is_the_pool(key: bytes | None) -> None:
    refused = refusal(structured(example(SMALLEST))._replace(key=key))
    assert (refused.reason, refused.pointer) == (codes.WRONG_KEY, "/data/pool")


def test_another_partition_is_refused_with_the_setting_to_change() -> None:
    refused = refusal(structured(example(SMALLEST))._replace(partition=3))
    assert (refused.reason, refused.expected, refused.found) == (codes.WRONG_PARTITION, "partition 4 of 6", "partition 3")
    assert "partitioner=murmur2_random" in refused.sentence
    assert "club:rook belongs on partition 4 of 6, CRC32 gives 3" in refused.sentence


@pytest.mark.parametrize("kind", ["rerate.result-published.v2", "rerate.rating-adjusted.v2"])
def test_a_type_or_version_not_known_yet_is_a_fact_to_hold(kind: str) -> None:
    sent = example(SMALLEST) | {"type": kind}
    sent["data"] = {"pool": "club:rook", "anything": [{"x": None, "name": "ünïcode\n"}]}
    fact = read(structured(sent), partitions=PARTITIONS)
    assert isinstance(fact, Fact)
    assert fact.data == Unknown(pool="club:rook")
    assert fact == read(binary(sent), partitions=PARTITIONS)


@pytest.mark.parametrize(
    ("content", "reason", "pointer"),
    [
        ({"pool": "club:rook", "a": 1.5}, codes.SCHEMA, "/data"),
        ({"pool": "club:rook", "games": [1, 2**60]}, codes.SCHEMA, "/data/games/1"),
        ({"pool": "club:rook", "some": {"B": 1}}, codes.SCHEMA, "/data"),
        ({"a": 1}, codes.WRONG_KEY, "/data/pool"),
        ({"pool": 7}, codes.WRONG_KEY, "/data/pool"),
        ({"pool": SECRET}, codes.WRONG_KEY, "/data/pool"),
        ("x", codes.SCHEMA, "/data"),
    ],
)
def test_the_common_rules_hold_for_types_not_known_yet(content: object, reason: str, pointer: str) -> None:
    sent = example(SMALLEST) | {"type": "rerate.later.v1", "data": content}
    for mode in (structured, binary):
        refused = refusal(in_mode(mode, sent, "club:rook"))
        assert (refused.reason, refused.pointer) == (reason, pointer)


def test_foreign_extensions_are_ignored_whatever_they_hold() -> None:
    sent = example(SMALLEST) | {"traceparent": "00-ab", "Odd Key": 1.5, "time": "yesterday", "big": 10**400, "subject": None}
    plain = structured(example(SMALLEST))
    assert read(plain._replace(value=json.dumps(sent).encode()), partitions=PARTITIONS) == read(plain, partitions=PARTITIONS)


def test_the_order_of_the_document_and_its_blanks_do_not_matter() -> None:
    sent = example(EVERYTHING)
    loose = json.dumps(dict(reversed(sent.items())), indent=3).replace("/", "\\/").encode()
    assert read(structured(sent)._replace(value=loose), partitions=PARTITIONS) == read(structured(sent), partitions=PARTITIONS)


def test_the_first_reason_that_fits_is_given() -> None:
    """A message with every fault is refused for the first; mended one by one, for the next."""
    sent = example(SMALLEST) | {"type": "other", "source": "other/desk"}
    del sent["specversion"]
    sent["data"]["revision"] = 0
    message = Message("pool-facts", 5, b"other:pool", None)
    reasons = [refusal(message._replace(value=b"{" + b" " * 1024 * 1024)).reason, refusal(message).reason]
    mending: list[Change] = [
        lambda e: e.update(deep=json.loads("[" * 20 + "]" * 20)),
        lambda e: e.pop("deep"),
        lambda e: e.update(specversion="1.0"),
        lambda e: e.update(type="rerate.result-published.v1"),
        lambda e: None,
        lambda e: e["data"].update(revision=1),
        lambda e: e.update(source="club/desk"),
        lambda e: None,
    ]
    for step, mend in enumerate(mending):
        mend(sent)
        if step == 4:
            message = message._replace(topic="result-published")
        if step == 7:
            message = message._replace(key=b"club:rook")
        reasons.append(refusal(message._replace(value=json.dumps(sent).encode())).reason)
    assert reasons == list(codes.SENTENCES["receipt-reason"])


def test_five_thousand_players_may_be_adjusted_at_once() -> None:
    sent = example(CORRECTION)
    sent["data"]["players"] = [f"club:{n}" for n in range(5_000)]
    fact = read(structured(sent), partitions=PARTITIONS)
    assert isinstance(fact, Fact)
    assert isinstance(fact.data, RatingAdjusted)
    assert fact.data.players is not None
    assert len(fact.data.players) == 5_000


@pytest.mark.parametrize(
    ("name", "change"),
    [(CORRECTION, ("set", "1525.0")), (RAISE, ("formula", "raise-2024")), ("rating-adjusted.v1/raise-withdrawn", None)],
)
def test_what_an_adjustment_does_is_one_thing_or_nothing(name: str, change: tuple[str, str] | None) -> None:
    fact = read(structured(example(name)), partitions=PARTITIONS)
    assert isinstance(fact, Fact)
    assert isinstance(fact.data, RatingAdjusted)
    assert fact.data.change == change


@pytest.mark.parametrize("value", ["0", "-0.5", "9999.999999999", "-9999"])
def test_points_to_add_are_bounded_as_the_state_of_a_seed(value: str) -> None:
    sent = example(RAISE)
    del sent["data"]["formula"]
    sent["data"]["add"] = value
    fact = read(structured(sent), partitions=PARTITIONS)
    assert isinstance(fact, Fact)
    assert isinstance(fact.data, RatingAdjusted)
    assert fact.data.change == ("add", value)


def test_a_pointer_is_cut_behind_a_whole_step() -> None:
    pointer = pointer_of(("data", *["unrated_reason"] * 20))
    assert len(pointer) <= 200
    assert set(pointer.split("/")) == {"", "data", "unrated_reason"}
