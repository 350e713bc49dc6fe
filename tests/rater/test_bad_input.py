"""Whatever is on a fact topic ends as exactly one receipt that gives nothing of it away, and its pool goes on."""

import json
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any, get_args

import pytest

from rerate.messages.codes import Reason
from rerate.messages.facts import MAX_FACT_BYTES
from rerate.messages.reading import Message
from rerate.rater.world import Limits
from tests.kit.laws import IS_LONG, SEED
from tests.kit.mutate import mutated
from tests.kit.outcomes import check_schemas
from tests.kit.saying import OFFICE, POOL, configured, corrected, game, merged, published, sent, unmerged, withdrawn
from tests.kit.sendable import Sendable
from tests.kit.simworld import fits, random_messages
from tests.messages.samples import good_messages
from tests.rater.place import Place

NAME = "Magnus-Carlsen"
"""In every bad message; the rejected one is exactly the one with a name in it."""

NIGHT = published("e2", 1, f"{NAME}>B", date="2024-01-12")
Event = dict[str, Any]


def raw(event: Event, message: Message | None = None) -> Message:
    """A message with the event as its value, whatever that is, else as another one."""
    return (message or NIGHT.message())._replace(value=json.dumps(event, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def changed(change: Callable[[Event], object], fact: Sendable = NIGHT) -> Message:
    """A fact with something changed in its CloudEvent."""
    event = json.loads(json.dumps(fact.cloud_event))
    change(event)
    return raw(event, fact.message())


def replaced(old: bytes, new: bytes) -> Message:
    """The night with some bytes replaced."""
    message = NIGHT.message()
    assert message.value is not None
    assert old in message.value
    return message._replace(value=message.value.replace(old, new, 1))


def data(**fields: Any) -> Callable[[Event], object]:
    return lambda event: event["data"].update(fields)


def later(**fields: Any) -> Message:
    """A message of a version that is not known yet."""
    return changed(lambda event: event.update(type="rerate.result-published.v2", data=fields))


def deep(levels: int) -> Any:
    value: Any = NAME
    for _ in range(levels):
        value = [value]
    return value


MERGE = merged("m1", NAME, "A")
WITHDRAWAL = withdrawn(published("e1", 1, id=NAME))
RULING = sent(
    "result-corrected", actor=OFFICE, event_id="t:e1", ruling={"id": NAME, "revision": 1}, reason="ruling", removed=[{"id": "g1"}]
)

REJECTED: list[tuple[str, Message, str, str | None]] = [
    ("too large", NIGHT.message()._replace(value=(NIGHT.message().value or b"").ljust(MAX_FACT_BYTES + 1)), "too-large", None),
    ("not JSON", NIGHT.message()._replace(value=f"the results of {NAME}".encode()), "not-json", None),
    ("a null value", NIGHT.message()._replace(value=None), "not-json", None),
    ("an empty value", NIGHT.message()._replace(value=b""), "not-json", None),
    ("cut off", NIGHT.message()._replace(value=(NIGHT.message().value or b"")[:-1]), "not-json", None),
    ("duplicate keys", replaced(b'"revision":1', b'"revision":1,"revision":1'), "not-json", None),
    ("duplicate keys, one escaped", replaced(b'"revision":1', b'"revision":1,"\\u0072evision":1'), "not-json", None),
    ("invalid UTF-8", replaced(NAME.encode(), NAME.encode() + b"\xff"), "not-json", None),
    ("a surrogate in UTF-8", replaced(NAME.encode(), NAME.encode() + b"\xed\xa0\x80"), "not-json", None),
    ("a lone surrogate", replaced(NAME.encode(), NAME.encode() + b"\\ud800"), "not-json", None),
    ("NaN", replaced(b'"revision":1', b'"revision":NaN'), "not-json", None),
    ("Infinity", replaced(b'"revision":1', b'"revision":Infinity'), "not-json", None),
    ("too deep", changed(data(deep=deep(15))), "too-deep", None),
    ("no specversion", changed(lambda event: event.pop("specversion")), "not-cloudevents", "/specversion"),
    ("a list", raw([NAME]), "not-cloudevents", ""),  # type: ignore[arg-type]
    (
        "a batch",
        NIGHT.message()._replace(headers=(("content-type", b"application/cloudevents-batch+json"),)),
        "not-cloudevents",
        None,
    ),
    ("a foreign type", changed(lambda event: event.update(type=f"com.example.{NAME}")), "foreign-type", "/type"),
    ("another topic", NIGHT.message()._replace(topic="pool-facts"), "wrong-topic", "/type"),
    ("a fraction", replaced(b'"revision":1', b'"revision":1.5'), "schema", "/data/revision"),
    ("an exponent", replaced(b'"revision":1', b'"revision":1e0'), "schema", "/data/revision"),
    ("a number too large", replaced(b'"revision":1', b'"revision":9007199254740992'), "schema", "/data/revision"),
    ("an unknown field", changed(data(note=NAME)), "schema", "/data"),
    ("an unknown field of a game", changed(lambda event: event["data"]["games"][0].update(player=NAME)), "schema", "/data/games/0"),
    ("a name as a key", changed(lambda event: event["data"].update({NAME: 1})), "schema", "/data"),
    ("30 February", changed(lambda event: event["data"]["event"].update(date="2024-02-30")), "schema", "/data/event/date"),
    ("a time", changed(lambda event: event["data"]["event"].update(date="2024-01-12T20:00:00Z")), "schema", "/data/event/date"),
    ("a result that is none", changed(lambda event: event["data"]["games"][0].update(result="2-0")), "schema", "/data/games/0/result"),
    ("an id too long", changed(lambda event: event.update(id="x" * 81)), "schema", "/id"),
    ("a player's id too long", replaced(NAME.encode(), (NAME * 6).encode()), "schema", "/data/games/0/white"),
    ("a name for an id", changed(lambda event: event["data"]["games"][0].update(white=NAME)), "schema", "/data/games/0/white"),
    ("5,001 games", changed(data(games=[game(f"g{n}", f"{NAME}>B") for n in range(5_001)])), "schema", "/data/games"),
    ("a game id twice", changed(data(games=[game("g1", f"{NAME}>B")] * 2)), "schema", "/data/games/1/id"),
    ("no source", changed(lambda event: event.update(source=NAME)), "schema", "/source"),
    ("a merge without actor", changed(lambda event: event.pop("actor"), MERGE), "schema", "/actor"),
    ("an unmerge without actor", changed(lambda event: event.pop("actor"), unmerged(NAME)), "schema", "/actor"),
    ("a withdrawal without actor", changed(lambda event: event.pop("actor"), WITHDRAWAL), "schema", "/actor"),
    ("a ruling without actor", changed(lambda event: event.pop("actor"), RULING), "schema", "/actor"),
    ("another authority", changed(lambda event: event.update(source="x/club")), "wrong-authority", "/data/event/id"),
    ("another key", NIGHT.message()._replace(key=b"t:other"), "wrong-key", "/data/pool"),
    ("no key", NIGHT.message()._replace(key=None), "wrong-key", "/data/pool"),
    ("a later version, its key not the pool", later(pool=NAME), "wrong-key", "/data/pool"),
    ("a later version with a fraction", later(pool=POOL, points=0.5), "schema", "/data/points"),
]  # fmt: skip


@pytest.mark.parametrize(("message", "reason", "pointer"), [case[1:] for case in REJECTED], ids=[case[0] for case in REJECTED])
def test_a_message_that_is_no_fact_ends_as_one_receipt_and_its_pool_goes_on(message: Message, reason: str, pointer: str | None) -> None:
    place = Place()
    place.send(configured(1, "elo"), published("e1", 1, "A>B"))
    with place.living() as rater:
        before = len(place.receipts())
        place.each(rater, message)
        told = [told for told in place.receipts() if told["status"] == "rejected"]
        assert len(place.receipts()) == before + 1
        assert [(one["reason"], one.get("pointer")) for one in told] == [(reason, pointer)]
        assert told[0]["update"] is None
        assert told[0].get("length") == (None if message.value is None else len(message.value))
        place.each(rater, published("e3", 1, "A>B", date="2024-02-02"))
    assert len(place.heads()) == 2
    assert place.rating("A") == "1237.7"
    assert not [record for record in place.said if NAME.encode() in (record.key or b"") + (record.value or b"")]
    check_schemas(place.said, Random(0), 100)
    place.check()


def test_a_fact_on_another_partition_is_refused_with_the_setting_to_change() -> None:
    place = Place(partitions=6)
    wrong = published("e1", 1, "A>B").message(6)
    assert wrong.partition != 0
    place.send(wrong._replace(partition=0))
    place.rate()
    told = place.receipt("result-published")
    assert (told["status"], told["reason"]) == ("rejected", "wrong-partition")
    assert "partitioner=murmur2_random" in told["sentence"]
    place.check()


def test_every_reason_is_tried() -> None:
    assert {reason for _, _, reason, _ in REJECTED} | {"wrong-partition"} == set(get_args(Reason))


# ---------------------------------------------------------------------- held, not rejected


@pytest.mark.parametrize(
    ("kind", "topic"), [("rerate.result-published.v2", "result-published"), ("rerate.rating-adjusted.v2", "pool-facts")]
)
def test_a_newer_version_and_an_unknown_type_are_accepted_and_held(kind: str, topic: str) -> None:
    place, later = Place(), Sendable(kind, "t/club", "later", {"pool": POOL, "points": 7})
    place.send(configured(1, "elo"))
    with place.living() as rater:
        place.each(rater, later, published("e1", 1, "A>B"))
    assert [told["status"] for told in place.receipts() if told["message"]["topic"] == topic] == ["accepted"] * 2
    assert {name: place.standing(later)[name] for name in ("standing", "reason", "type")} == {
        "standing": "held",
        "reason": "type",
        "type": kind,
    }
    assert place.rating("A") == "1220.0"
    place.check()


@pytest.mark.parametrize(
    ("rule", "held"),
    [
        ({"system": "unheard-of/1", "parameters": {}}, "system"),
        ({"system": "club/1", "parameters": {"k_old": 1}}, "parameters"),
    ],
)
def test_a_list_that_cannot_be_rated_is_held_in_the_head_and_the_others_go_on(rule: dict[str, Any], held: str) -> None:
    place = Place()
    plain = configured(1, "elo").data["lists"][0]
    place.send(sent("pool-configured", revision=1, lists=[plain, {**plain, "id": "odd", "rules": [rule]}]), published("e1", 1, "A>B"))
    place.rate()
    assert (place.head().lists["odd"].held, place.head().lists["elo"].held) == (held, None)
    assert {told["status"] for told in place.receipts()} == {"accepted"}
    assert place.rating("A") == "1220.0"
    place.check()


def test_a_correction_of_what_is_not_there_is_no_bad_message() -> None:
    place, early = Place(), corrected("e1", 2, "A<B")
    place.send(configured(1, "elo"), early)
    place.rate()
    assert place.receipt("result-corrected")["status"] == "accepted"
    assert place.standing(early)["standing"] == "held"


# ---------------------------------------------------------------------- anything at all

AT_ONCE = 5_000
CHUNKS = 20 if IS_LONG else 1


def mutations(random: Random, count: int) -> list[Message]:
    """Facts of every kind of three pools, and the examples of the schemas in both modes, most of them mutated."""
    good = [*random_messages(random, (POOL, "w:q", "w:r"), 1, 150, 0.0), *(message._replace(partition=0) for message in good_messages())]
    messages = (mutated(random.choice(good), random) if random.random() < 0.95 else random.choice(good) for _ in range(2 * count))
    return [message for message in messages if fits(message)][:count]


@pytest.mark.parametrize("chunk", [pytest.param(chunk, marks=[pytest.mark.long] if IS_LONG else []) for chunk in range(CHUNKS)])
def test_mutated_messages_crash_nothing_and_each_has_one_receipt(chunk: int) -> None:
    random = Random(f"{SEED} {chunk}")
    messages = mutations(random, AT_ONCE)
    place = Place(limits=Limits(records_a_step=200, behind=1_000))
    with place.living() as rater:
        place.send(*messages[:2_000])
        rater.settle()
        for at in range(2_000, len(messages), 100):
            place.send(*messages[at : at + 100])
            rater.settle()
    receipts = place.receipts()
    assert len(receipts) == len(messages) == AT_ONCE
    place.check()
    check_schemas(place.said, random, 100)
    reasons = Counter(told.get("reason", told["status"]) for told in receipts)
    print(f"mutations of RERATE_LAWS_SEED={SEED}, chunk {chunk}: {dict(reasons)}")
    assert {"accepted", "duplicate", "not-json", "schema", "wrong-key", "wrong-topic", "too-large"} <= reasons.keys()
