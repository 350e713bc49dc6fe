"""What a rater wrote, held against what it read: receipts, heads, rows, partition heads, each by the contract and all by the facts.

    accepted = check_all(facts, outcomes, partitions=1, settings=SETTINGS)

`facts` are all records of the fact topics of one partition, `outcomes` all records of its outcome topics, in order within each topic and
before any compaction. A fresh pool that is given the accepted facts in one batch must say what the topics say.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final

import jsonschema
import orjson

from rerate.log.seam import Out, Record
from rerate.messages.codes import HALTED
from rerate.messages.codes import SEMANTICS as UNKNOWN_SEMANTICS
from rerate.messages.facts import FACT_TOPICS, ROW_TOPICS, Fact, Identity, Position
from rerate.messages.reading import Message, pool_of_key, read
from rerate.messages.writing import receipt
from rerate.pool.head import Head, head_digest, read_head
from rerate.pool.pool import Halt, Pool, Settings
from rerate.pool.update import Update, Wire
from tests.kit.published import Published, same

COMPACTED_TOPICS: Final = (*ROW_TOPICS, "rating-heads", "rater-progress")

SCHEMAS = Path(__file__).parents[2] / "schemas"
_SCHEMA_OF: Final[Mapping[str, str]] = {
    "rating-snapshots": "rating-snapshot.v1",
    "rating-deltas": "rating-delta.v1",
    "rated-events": "rated-event.v1",
    "person-ids": "person-id.v1",
    "fact-standings": "fact-standing.v1",
    "fact-receipts": "fact-receipt.v1",
    "rater-progress": "partition-head.v1",
}

Written = Out | Record
Facts = list[tuple[Fact, Position]]


def check_all(facts: Sequence[Record], outcomes: Sequence[Written], *, partitions: int, settings: Settings) -> dict[str, Facts]:
    """Hold everything against everything; the accepted facts of each pool."""
    heads = check_heads(outcomes)
    accepted = check_receipts(facts, outcomes, {pool: list(map(read_head, values)) for pool, values in heads.items()}, partitions)
    assert heads.keys() == accepted.keys(), "a pool has a head, the other facts"
    updates = updates_of(outcomes)
    for pool, batch in accepted.items():
        check_pool(pool, batch, updates[pool], settings)
    check_progress(facts, outcomes, partitions)
    return accepted


# ---------------------------------------------------------------------- heads


def check_heads(outcomes: Sequence[Written]) -> dict[str, list[bytes]]:
    """The heads of each pool: a chain without holes, the same in `rating-updates`, `rating-heads` and closing each row topic."""
    by_topic: dict[str, dict[str, list[bytes]]] = {topic: defaultdict(list) for topic in (*ROW_TOPICS, "rating-updates", "rating-heads")}
    for record in outcomes:
        if record.topic in by_topic and record.key is not None and b"/" not in record.key:
            assert record.value is not None, f"{record.topic}: a head without a value"
            by_topic[record.topic][record.key.decode()].append(record.value)
    chains: dict[str, list[bytes]] = dict(by_topic["rating-updates"])
    for topic, found in by_topic.items():
        assert dict(found) == chains, f"{topic} has other heads than rating-updates"
    for pool, values in chains.items():
        for number, value in enumerate(values, 1):
            head = read_head(value)
            assert (head.pool, head.update) == (pool, number), f"head {head.pool}@{head.update} where {pool}@{number} was due"
            assert head.previous == (head_digest(values[number - 2]) if number > 1 else None), f"the chain breaks at {pool}@{number}"
            assert orjson.loads(value)["id"] == f"{pool}@{number}"
    return chains


def updates_of(outcomes: Iterable[Written]) -> dict[str, list[Update]]:
    """The updates of each pool, put together again from the row topics."""
    segments: dict[str, dict[str, list[tuple[list[Wire], bytes]]]] = defaultdict(lambda: {topic: [] for topic in ROW_TOPICS})
    rows: dict[tuple[str, str], list[Wire]] = defaultdict(list)
    for record in outcomes:
        if record.topic not in ROW_TOPICS:
            continue
        assert record.key is not None
        key = record.key.decode()
        pool = key.partition("/")[0].partition("@")[0]
        if "/" in key:
            rows[pool, record.topic].append((key, record.value))
        else:
            assert record.value is not None
            segments[pool][record.topic].append((rows.pop((pool, record.topic), []), record.value))
    assert not rows, "rows that no head closes"
    return {pool: _updates(pool, by_topic) for pool, by_topic in segments.items()}


def _updates(pool: str, segments: Mapping[str, Sequence[tuple[list[Wire], bytes]]]) -> list[Update]:
    updates = []
    for closed in zip(*(segments[topic] for topic in ROW_TOPICS), strict=True):
        heads = {head for _, head in closed}
        assert len(heads) == 1, f"{pool}: row topics are closed by different heads"
        head = heads.pop()
        rows = {topic: found for topic, (found, _) in zip(ROW_TOPICS, closed, strict=True)}
        updates.append(Update(pool=pool, number=read_head(head).update, rows=rows, head=head))
    return updates


# ---------------------------------------------------------------------- receipts


def check_receipts(
    facts: Sequence[Record], outcomes: Sequence[Written], heads: Mapping[str, Sequence[Head]], partitions: int
) -> dict[str, Facts]:
    """Every message has exactly one receipt, with the bytes it must have; the accepted facts of each pool."""
    found: dict[tuple[str, int], Written] = {}
    for record in outcomes:
        if record.topic == "fact-receipts":
            assert record.value is not None
            place = orjson.loads(record.value)["message"]
            assert (place["topic"], place["offset"]) not in found, f"two receipts for {place}"
            found[place["topic"], place["offset"]] = record
    assert found.keys() == {(record.topic, record.offset) for record in facts}, "receipts for other messages than there are"
    accepted: dict[str, Facts] = defaultdict(list)
    seen: set[Identity] = set()
    for record in sorted(facts, key=lambda record: (record.topic, record.offset)):
        verdict = read(Message(record.topic, record.partition, record.key, record.value, record.headers), partitions=partitions)
        is_duplicate = isinstance(verdict, Fact) and verdict.identity in seen
        told = found[record.topic, record.offset]
        update = orjson.loads(told.value or b"")["update"]
        due = receipt(record.topic, record.partition, record.offset, verdict, update=update, is_duplicate=is_duplicate, value=record.value)
        assert told.value == due, f"{told.value!r} is not the receipt {due!r}"
        pool = pool_of_key(record.key)
        assert told.key == (None if pool is None else pool.encode())
        if not isinstance(verdict, Fact):
            assert update is None, "a rejected message names no update"
            continue
        if update is not None:
            _check_acknowledgement(record, heads[verdict.data.pool], update, is_first=not is_duplicate)
        if not is_duplicate:
            seen.add(verdict.identity)
            accepted[verdict.data.pool].append((verdict, Position(record.topic, record.offset)))
    return dict(accepted)


def _check_acknowledgement(record: Record, heads: Sequence[Head], update: int, *, is_first: bool) -> None:
    """The update that a receipt names takes the message in, and is the first that does; a duplicate was in one before."""
    where = f"{record.topic} {record.offset}: update {update}"
    assert 1 <= update <= len(heads), f"{where} does not exist"
    assert heads[update - 1].state != HALTED, f"{where} is a halt"
    if is_first:
        assert heads[update - 1].positions[record.topic] > record.offset, f"{where} does not take it in"
        assert update == 1 or heads[update - 2].positions.get(record.topic, 0) <= record.offset, f"{where} is not the first"


# ---------------------------------------------------------------------- pools


def check_pool(pool: str, batch: Facts, updates: Sequence[Update], settings: Settings) -> None:
    """The pool's topics as a subscriber folds them say what a fresh pool says."""
    published = Published()
    for update in updates:
        published.apply(update)
    fresh = fresh_pool(pool, batch, settings)
    if isinstance(fresh, Halt):
        assert fresh.reason == UNKNOWN_SEMANTICS, fresh
        assert (published.head.state, published.head.reason) == (HALTED, UNKNOWN_SEMANTICS)
        return
    same(published.holds(), fresh.holds())


def fresh_pool(pool: str, batch: Facts, settings: Settings) -> Published | Halt:
    """What a pool publishes that is given all of them at once, or why it must stand still."""
    published = Published()
    try:
        update = Pool(pool, settings).take(batch, {}, 0)
    except Halt as halt:
        return halt
    assert update is not None
    published.apply(update)
    return published


def check_head(head: Head, batch: Facts, settings: Settings) -> None:
    """A head's lists are those of a fresh pool with the facts before its positions."""
    named = [(fact, position) for fact, position in batch if position.offset < head.positions.get(position.topic, 0)]
    fresh = Pool(head.pool, settings).take(named, {}, 0)
    lists = {} if fresh is None else read_head(fresh.head).lists
    for name, entry in head.lists.items():
        digests = (entry.held, entry.rows, entry.players, entry.list_digest, entry.input_digest, entry.rules_digest)
        due = lists[name]
        assert digests == (due.held, due.rows, due.players, due.list_digest, due.input_digest, due.rules_digest), (
            f"{head.pool}@{head.update}"
        )
    assert lists.keys() == head.lists.keys()


# ---------------------------------------------------------------------- partition heads


def ends_of(facts: Iterable[Record]) -> dict[str, int]:
    """Next offset of each fact topic behind its last record."""
    ends = dict.fromkeys(FACT_TOPICS, 0)
    for record in facts:
        ends[record.topic] = max(ends[record.topic], record.offset + 1)
    return ends


def check_progress(facts: Sequence[Record], outcomes: Sequence[Written], partitions: int) -> None:
    """Partition heads never go back, and the last one says that all has been read."""
    heads = [orjson.loads(record.value or b"") for record in outcomes if record.topic == "rater-progress"]
    before = dict.fromkeys(FACT_TOPICS, 0)
    for head in heads:
        assert head["partitions"] == partitions
        assert all(before[topic] <= offset for topic, offset in head["next"].items()), f"{head} after {before}"
        before = head["next"]
    if facts:
        assert not heads[-1]["catching_up"]
    assert before == ends_of(facts)


# ---------------------------------------------------------------------- schemas


@cache
def validator(name: str) -> jsonschema.Draft202012Validator:
    """The schema `schemas/NAME.json`."""
    schema = json.loads((SCHEMAS / f"{name}.json").read_bytes())
    return jsonschema.Draft202012Validator(schema, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER)


def check_schemas(outcomes: Sequence[Written], random: Random, of_each: int) -> None:
    """Some records of each topic, and some heads, are what their schema and headers say."""
    groups: dict[str, list[Written]] = defaultdict(list)
    for record in outcomes:
        is_head = record.topic in ("rating-updates", "rating-heads") or (record.topic in ROW_TOPICS and b"/" not in (record.key or b""))
        groups["head" if is_head else record.topic].append(record)
    for topic, records in groups.items():
        for record in random.sample(records, min(of_each, len(records))):
            check_schema(topic, record)


def check_schema(topic: str, record: Written) -> None:
    """One record, by its topic or as a `head`."""
    headers = dict(record.headers)
    if record.value is None:
        assert topic in ROW_TOPICS
        assert not headers
        return
    value: Any = orjson.loads(record.value)
    assert record.value == orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    if topic == "head":
        assert headers == {"content-type": b"application/cloudevents+json; charset=UTF-8"}
        assert value.keys() == {"specversion", "type", "source", "id", "data"}
        assert (value["type"], value["source"]) == ("rerate.rating-head.v1", "rerate/rater")
        validator("rating-head.v1").validate(value["data"])
        return
    name = _SCHEMA_OF[topic]
    validator(name).validate(value)
    assert headers["ce_type"] == f"rerate.{name}".encode()
    assert (headers["ce_specversion"], headers["ce_source"]) == (b"1.0", b"rerate/rater")
    assert headers["content-type"] == b"application/json"
    if topic in ROW_TOPICS:
        assert headers["ce_id"] == b"%b@%d" % (record.key or b"", value["by"]["update"])
