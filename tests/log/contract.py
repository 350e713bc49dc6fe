"""What every log promises, whoever keeps it: one suite, run on the embedded log, on the simulated one, later on Kafka.

A module of tests gives a fixture `bench` with a `Bench` of its log and subclasses `LogContract`.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import ClassVar, Literal

import pytest

from rerate.log.errors import Fenced, LogInconsistent, LogMissing, LogUnreachable, RecordTooLarge
from rerate.log.limits import FACT_LIMIT, OUTCOME_LIMIT
from rerate.log.seam import Log, Out, Reader, Record, Writer

FACTS = ("played", "merged")
COMPACTED = ("rows", "more-rows", "heads")
KEPT = ("receipts",)
OUTCOMES = COMPACTED + KEPT

P = 0
"""The partition that most tests use."""


class Bench(ABC):
    """One log under test, empty at first, and what a test may do to the world around it."""

    second_writer: ClassVar[Literal["fences", "waits"]]
    lag_ms: int
    retention_ms: int

    @abstractmethod
    async def open(self) -> Log:
        """One more handle to the log, as another process would have it; closed by the bench."""

    @abstractmethod
    async def open_missing(self) -> Log:
        """A handle to a log that does not exist."""

    @abstractmethod
    async def pass_time(self, ms: int) -> None:
        """Until records written before are that much older."""

    @abstractmethod
    async def clean(self, writer: Writer) -> None:
        """Let the cleaner remove all that it may by now."""


async def drain(reader: Reader, ends: Mapping[str, int]) -> list[Record]:
    """All records before the ends."""
    found: list[Record] = []
    for _ in range(10_000):
        if all(position >= ends[topic] for topic, position in reader.positions().items()):
            return found
        found += await reader.poll(1000)
        await asyncio.sleep(0)
    raise AssertionError(f"the reader stays at {reader.positions()} before {ends}")


async def read(log: Log, topics: Iterable[str], start: int = 0) -> list[Record]:
    """All records of the topics up to their ends as of now, in order within each topic."""
    named = list(topics)
    reader = await log.reader(P, dict.fromkeys(named, start))
    ends = await log.ends(P, named)
    found = await drain(reader, ends)
    await reader.close()
    return [record for record in found if record.offset < ends[record.topic]]


async def read_values(log: Log, topic: str) -> list[bytes | None]:
    return [record.value for record in await read(log, [topic])]


async def until_seen(log: Log, topic: str, count: int) -> list[Record]:
    """Wait until the topic shows that many records."""
    for _ in range(10_000):
        found = await read(log, [topic])
        if len(found) >= count:
            return found
    raise AssertionError(f"{topic} does not show {count} records")


def facts(*values: bytes, topic: str = "played") -> list[Out]:
    return [Out(topic, b"club:rook", value) for value in values]


def update(n: int, rows: int, topics: Sequence[str] = ("rows", "more-rows")) -> list[Out]:
    """Rows of several topics and, closing each, head n."""
    head = Out("heads", b"head", b"%d" % n)
    written = [[Out(topic, b"%d/%d" % (n, row), b"%d" % n) for row in range(rows)] + [head._replace(topic=topic)] for topic in topics]
    return [*chain.from_iterable(written), head]


class LogContract:
    # Facts

    async def test_facts_get_the_next_offsets_of_their_topic(self, bench: Bench) -> None:
        log = await bench.open()
        assert await log.append(P, [*facts(b"a", b"b"), *facts(b"c", topic="merged"), *facts(b"d")]) == [0, 1, 0, 2]
        assert await log.append(P, facts(b"e")) == [3]
        assert [(r.offset, r.value) for r in await read(log, ["played"])] == [(0, b"a"), (1, b"b"), (2, b"d"), (3, b"e")]
        assert [(r.topic, r.partition, r.offset, r.value) for r in await read(log, ["merged"])] == [("merged", P, 0, b"c")]

    async def test_an_appended_fact_is_there_for_everybody(self, bench: Bench) -> None:
        reader_log, publisher_log = await bench.open(), await bench.open()
        await publisher_log.append(P, facts(b"a"))
        reader = await reader_log.reader(P, {"played": 0})
        await publisher_log.append(P, facts(b"b"))
        assert [record.value for record in await drain(reader, {"played": 2})] == [b"a", b"b"]

    async def test_an_empty_append_is_none(self, bench: Bench) -> None:
        log = await bench.open()
        assert await log.append(P, []) == []
        assert await log.ends(P, FACTS) == {"played": 0, "merged": 0}

    async def test_absent_and_empty_keys_values_and_headers_come_back_as_they_were(self, bench: Bench) -> None:
        log = await bench.open()
        headers = (("ce_type", b"rerate.x.v1"), ("ce_type", b""), ("größe", bytes(range(256))))
        written = [
            (None, None, ()),
            (b"", b"", ()),
            (b"k", None, headers),
            (None, b"\x00v", headers),
            (bytes(range(256)), b"v" * 70_000, ()),
        ]
        await log.append(P, [Out("played", key, value, sent) for key, value, sent in written])
        writer = await log.writer(P)
        await writer.commit([Out("receipts", key, value, sent) for key, value, sent in written], {})
        await until_seen(log, "receipts", len(written))
        for topic in ("played", "receipts"):
            assert [(r.key, r.value, r.headers) for r in await read(log, [topic])] == written

    async def test_a_fact_just_above_its_mebibyte_is_taken_and_a_larger_one_refused_with_all_beside_it(self, bench: Bench) -> None:
        log = await bench.open()
        assert await log.append(P, facts(b"x" * (1024 * 1024 + 1))) == [0]
        with pytest.raises(RecordTooLarge, match=r"1,114,113 .* 1,114,112 that played takes"):
            await log.append(P, [*facts(b"a"), Out("played", b"key", b"x" * (FACT_LIMIT - 2))])
        assert await log.ends(P, ["played"]) == {"played": 1}

    async def test_append_times_do_not_go_back_within_a_topic(self, bench: Bench) -> None:
        log = await bench.open()
        for value in (b"a", b"b", b"c"):
            await log.append(P, facts(value))
        times = [record.append_time_ms for record in await read(log, ["played"])]
        assert times == sorted(times)
        assert times[0] > 1_600_000_000_000

    # Reading

    async def test_a_reader_begins_where_it_is_told_and_knows_where_it_is(self, bench: Bench) -> None:
        log = await bench.open()
        await log.append(P, [*facts(b"a", b"b", b"c"), *facts(b"d", topic="merged")])
        reader = await log.reader(P, {"played": 1, "merged": 1})
        assert reader.positions() == {"played": 1, "merged": 1}
        assert [record.value for record in await drain(reader, {"played": 3, "merged": 1})] == [b"b", b"c"]
        assert reader.positions() == {"played": 3, "merged": 1}
        assert await reader.poll(10) == []

    async def test_a_poll_returns_no_more_than_asked_for_and_no_topic_starves(self, bench: Bench) -> None:
        log = await bench.open()
        await log.append(P, [*facts(*[b"a"] * 50), *facts(*[b"b"] * 50, topic="merged")])
        reader = await log.reader(P, dict.fromkeys(FACTS, 0))
        found: list[Record] = []
        while sum(reader.positions().values()) < 100:
            polled = await reader.poll(7)
            assert len(polled) <= 7
            found += polled
            if len(found) == 70:
                assert {record.topic for record in found} == set(FACTS)
        for topic in FACTS:
            assert [record.offset for record in found if record.topic == topic] == list(range(50))

    async def test_readers_do_not_disturb_each_other(self, bench: Bench) -> None:
        log = await bench.open()
        await log.append(P, facts(b"a", b"b"))
        first, second = await log.reader(P, {"played": 0}), await log.reader(P, {"played": 0})
        assert len(await drain(first, {"played": 2})) == 2
        await first.close()
        assert len(await drain(second, {"played": 2})) == 2

    async def test_ends_and_starts_of_an_empty_topic_are_zero(self, bench: Bench) -> None:
        log = await bench.open()
        await log.append(P, facts(b"a"))
        assert await log.ends(P, [*FACTS, *OUTCOMES]) == {**dict.fromkeys([*FACTS, *OUTCOMES], 0), "played": 1}
        assert await log.starts(P, ["played", "rows"]) == {"played": 0, "rows": 0}

    async def test_a_position_beyond_the_end_is_an_inconsistency(self, bench: Bench) -> None:
        log = await bench.open()
        await log.append(P, facts(b"a"))
        with pytest.raises(LogInconsistent, match="played"):
            await (await log.reader(P, {"played": 2})).poll(10)

    async def test_what_does_not_exist_is_said(self, bench: Bench) -> None:
        log = await bench.open()
        await log.append(P, facts(b"a"))
        for refused in (log.append(P, facts(b"a", topic="rows")), log.reader(P, {"nothing": 0}), log.ends(P, ["nothing"])):
            with pytest.raises(LogMissing):
                await refused
        with pytest.raises(LogMissing):
            await log.ends(log.partitions, ["played"])
        writer = await log.writer(P)
        for records, consumed in (([Out("nothing", b"k", b"v")], {}), ([Out("played", b"k", b"v")], {}), ([], {"rows": 1})):
            with pytest.raises(LogMissing):
                await writer.commit(records, consumed)

    async def test_a_missing_log_is_said(self, bench: Bench) -> None:
        log = await bench.open_missing()
        for refused in (log.reader(P, {"played": 0}), log.ends(P, ["rows"]), log.starts(P, ["played"]), log.newest(P, "rows", b"k")):
            with pytest.raises(LogMissing):
                await refused

    # Transactions

    async def test_committed_records_are_seen_in_order_by_everybody(self, bench: Bench) -> None:
        log, other = await bench.open(), await bench.open()
        writer = await log.writer(P)
        await writer.commit([Out("rows", b"k", b"1"), Out("receipts", None, b"2"), Out("rows", b"l", b"3"), Out("rows", b"k", None)], {})
        seen = await until_seen(other, "rows", 3)
        assert [(record.key, record.value) for record in seen] == [(b"k", b"1"), (b"l", b"3"), (b"k", None)]
        assert [record.value for record in await until_seen(other, "receipts", 1)] == [b"2"]

    async def test_consumed_offsets_are_noted_with_the_transaction(self, bench: Bench) -> None:
        log = await bench.open()
        writer = await log.writer(P)
        assert writer.committed() is None
        await log.append(P, [*facts(b"a", b"b"), *facts(b"c", topic="merged")])
        await writer.commit([], {"played": 1, "merged": 1})
        assert writer.committed() == {"played": 1, "merged": 1}
        await writer.commit([Out("receipts", None, b"r")], {"played": 2})
        await writer.commit([], {})
        await writer.close()
        assert (await log.writer(P)).committed() == {"played": 2, "merged": 1}

    async def test_empty_commits_write_nothing(self, bench: Bench) -> None:
        log = await bench.open()
        writer = await log.writer(P)
        await writer.commit([], {})
        assert writer.committed() is None
        assert await read(log, OUTCOMES) == []

    async def test_all_is_there_when_everybody_has_been_away(self, bench: Bench) -> None:
        log = await bench.open()
        await log.append(P, facts(b"a"))
        writer = await log.writer(P)
        await writer.commit(update(1, 3), {"played": 1})
        await writer.close()
        await log.close()
        log = await bench.open()
        writer = await log.writer(P)
        assert writer.committed() == {"played": 1}
        await writer.commit(update(2, 3), {})
        assert [record.value for record in await until_seen(log, "heads", 2)] == [b"1", b"2"]
        assert await read_values(log, "played") == [b"a"]

    async def test_a_finished_writer_writes_nothing(self, bench: Bench) -> None:
        log = await bench.open()
        writer = await log.writer(P)
        await writer.close()
        await writer.close()
        with pytest.raises(LogUnreachable):
            await writer.commit(update(1, 1), {})
        await log.writer(P)
        assert await read(log, OUTCOMES) == []

    async def test_there_is_one_writer(self, bench: Bench) -> None:
        log, other = await bench.open(), await bench.open()
        first = await log.writer(P)
        await first.commit(update(1, 2), {"played": 0})
        if bench.second_writer == "waits":
            with pytest.raises(LogUnreachable):
                await other.writer(P)
            await first.commit(update(2, 2), {})
            await first.close()
            second = await other.writer(P)
        else:
            second = await other.writer(P)
            with pytest.raises(Fenced):
                await first.commit(update(9, 2), {"played": 9})
            await second.commit(update(2, 2), {})
        assert second.committed() == {"played": 0}
        await second.commit(update(3, 2), {"played": 1})
        assert [record.value for record in await until_seen(log, "heads", 3)] == [b"1", b"2", b"3"]

    async def test_a_record_too_large_writes_nothing_and_the_writer_goes_on(self, bench: Bench) -> None:
        log = await bench.open()
        writer = await log.writer(P)
        with pytest.raises(RecordTooLarge, match=r"16,777,217 .* rows"):
            await writer.commit([*update(1, 2), Out("rows", b"k", b"x" * OUTCOME_LIMIT)], {"played": 5})
        assert writer.committed() is None
        await writer.commit([Out("rows", b"key", b"x" * (OUTCOME_LIMIT - 3))], {"played": 0})
        assert [len(record.value or b"") for record in await until_seen(log, "rows", 1)] == [OUTCOME_LIMIT - 3]
        assert await read(log, ["heads", "more-rows"]) == []

    async def test_each_topic_shows_a_transaction_whole_or_not_at_all(self, bench: Bench) -> None:
        log, other = await bench.open(), await bench.open()
        writer = await log.writer(P)
        topics = ("rows", "more-rows")

        async def write() -> None:
            for n in range(1, 31):
                await writer.commit(update(n, n % 7 * 20), {"played": 0})
                await asyncio.sleep(0)

        writing = asyncio.ensure_future(write())
        last_seen = 0
        while last_seen < 30:
            assert not writing.done() or writing.exception() is None
            await asyncio.sleep(0)
            for record in await read(other, topics):
                if record.key == b"head":
                    last_seen = int(record.value or b"0")
            found = {topic: await read(other, [topic]) for topic in topics}
            for records in found.values():
                assert not records or records[-1].key == b"head", "a reader's end lies inside a transaction"
                count = 0
                for record in records:
                    if record.key == b"head":
                        assert count == int(record.value or b"") % 7 * 20
                    count = 0 if record.key == b"head" else count + 1
        await writing

    # Compaction

    async def test_the_newest_record_of_a_key_is_found_by_key_and_by_prefix(self, bench: Bench) -> None:
        log = await bench.open()
        writer = await log.writer(P)
        rows = [
            (b"a/1", b"1"),
            (b"a/2", b"2"),
            (b"b/1", b"3"),
            (b"a/1", b"4"),
            (b"a/3", b"5"),
            (b"a/2", None),
            (b"a", b"6"),
            (b"a\xff", b"7"),
        ]
        await writer.commit([Out("rows", key, value) for key, value in rows], {})
        await writer.commit([Out("rows", b"a/3", b"8")], {})
        await until_seen(log, "rows", 9)
        one = await log.newest(P, "rows", b"a/1")
        assert one is not None
        assert (one.topic, one.partition, one.key, one.value) == ("rows", P, b"a/1", b"4")
        assert await log.newest(P, "rows", b"a/2") is None
        assert await log.newest(P, "rows", b"a/4") is None
        assert await log.newest(P, "more-rows", b"a/1") is None
        assert [(r.key, r.value) for r in await log.newest_with_prefix(P, "rows", b"a/")] == [(b"a/1", b"4"), (b"a/3", b"8")]
        assert [r.key for r in await log.newest_with_prefix(P, "rows", b"")] == [b"a", b"a/1", b"a/3", b"a\xff", b"b/1"]

    async def test_of_each_key_the_newest_record_stays(self, bench: Bench) -> None:
        log = await bench.open()
        writer = await log.writer(P)
        for n in range(4):
            await writer.commit([Out("rows", b"%d" % key, b"%d" % n) for key in range(n, 4)] + [Out("receipts", b"k", b"%d" % n)], {})
        await bench.pass_time(bench.lag_ms)
        await bench.clean(writer)
        assert [(r.key, r.value) for r in await read(log, ["rows"])] == [(b"0", b"0"), (b"1", b"1"), (b"2", b"2"), (b"3", b"3")]
        assert await read_values(log, "receipts") == [b"0", b"1", b"2", b"3"]

    async def test_a_superseded_record_stays_for_the_lag(self, bench: Bench) -> None:
        log = await bench.open()
        writer = await log.writer(P)
        await writer.commit([Out("rows", b"k", b"1"), Out("rows", b"l", b"1")], {})
        await bench.pass_time(bench.lag_ms)
        await writer.commit([Out("rows", b"k", b"2")], {})
        await until_seen(log, "rows", 3)
        await bench.clean(writer)
        assert await read_values(log, "rows") == [b"1", b"1", b"2"]

    async def test_a_tombstone_goes_after_its_retention_and_what_it_deleted_before(self, bench: Bench) -> None:
        log = await bench.open()
        writer = await log.writer(P)
        await writer.commit([Out("rows", b"k", b"1"), Out("rows", b"l", b"1"), Out("rows", b"k", None)], {})
        await bench.pass_time(bench.lag_ms)
        await bench.clean(writer)
        assert [(r.key, r.value) for r in await read(log, ["rows"])] == [(b"l", b"1"), (b"k", None)]
        await bench.pass_time(bench.retention_ms)
        await bench.clean(writer)
        assert [(r.key, r.value) for r in await read(log, ["rows"])] == [(b"l", b"1")]

    async def test_a_key_written_again_after_its_tombstone_is_there(self, bench: Bench) -> None:
        log = await bench.open()
        writer = await log.writer(P)
        for value in (b"1", None, b"2"):
            await writer.commit([Out("rows", b"k", value)], {})
        await bench.pass_time(bench.lag_ms + bench.retention_ms)
        await bench.clean(writer)
        assert await read_values(log, "rows") == [b"2"]
        await writer.commit([Out("rows", b"k", b"3")], {})
        await bench.pass_time(bench.lag_ms + bench.retention_ms)
        await bench.clean(writer)
        assert await read_values(log, "rows") == [b"3"]

    async def test_a_reader_goes_on_over_what_compaction_took_and_offsets_stay(self, bench: Bench) -> None:
        log = await bench.open()
        writer = await log.writer(P)
        for n in range(10):
            await writer.commit([Out("rows", b"k", b"%d" % n)], {})
        before = await until_seen(log, "rows", 10)
        reader = await log.reader(P, {"rows": before[3].offset})
        await bench.pass_time(bench.lag_ms)
        await bench.clean(writer)
        assert [(r.offset, r.value) for r in await drain(reader, await log.ends(P, ["rows"]))] == [(before[9].offset, b"9")]
        await writer.commit([Out("rows", b"k", b"x")], {})
        assert (await until_seen(log, "rows", 2))[-1].offset > before[9].offset
