"""What of the log on Kafka needs no broker."""

import logging

import pytest
from aiokafka.partitioner import DefaultPartitioner
from aiokafka.partitioner import murmur2 as murmur2_of_aiokafka
from hypothesis import given
from hypothesis import strategies as st

from rerate.log.errors import LogInconsistent, LogMissing
from rerate.log.kafka_cluster import equal_count
from rerate.log.kafka_noise import FewOfEach, limit_noise
from rerate.log.kafka_reader import windows
from rerate.log.topics import kinds
from rerate.messages.partition import murmur2, partition_of


@given(st.binary(min_size=1, max_size=80))
def test_murmur2_is_that_of_aiokafka(key: bytes) -> None:
    assert murmur2(key) == murmur2_of_aiokafka(key) & 0xFFFFFFFF


@given(st.text("abcdefgh0123456789._~-:", min_size=1, max_size=80), st.integers(1, 50))
def test_a_pool_is_where_aiokafka_would_put_it(pool: str, n: int) -> None:
    assert partition_of(pool, n) == DefaultPartitioner()(pool.encode(), list(range(n)), list(range(n)))


@given(st.integers(0, 100), st.integers(0, 100_000), st.integers(1, 2_000))
def test_windows_cover_all_offsets_once_from_the_end_backwards(start: int, count: int, size: int) -> None:
    found = list(windows(start, start + count, size))
    assert sorted(found) == found[::-1]
    edges = [start + count, *(low for low, _ in found)]
    assert [high for _, high in found] == edges[:-1]
    assert edges[-1] == start


def test_topics_must_be_there_and_equally_many() -> None:
    assert equal_count({"a": 4, "b": 4, "c": 1}, ["a", "b"], "here") == 4
    with pytest.raises(LogMissing, match="here has no topic b, c: "):
        equal_count({"a": 4}, ["c", "a", "b"], "here")
    with pytest.raises(LogInconsistent, match="2: b; 4: a, c"):
        equal_count({"a": 4, "b": 2, "c": 4}, ["a", "b", "c"], "here")


def test_each_topic_is_of_one_kind() -> None:
    assert kinds(["f"], ["r", "h", "k"], ["r", "h"], ["h"]) == {"f": "fact", "r": "compacted", "h": "newest only", "k": "kept"}


def test_a_flood_of_the_same_line_is_a_few_lines_and_a_count() -> None:
    now = [0.0]
    few = FewOfEach(at_once=2, every_s=30, clock=lambda: now[0])

    def passed(message: str, *args: object) -> str | None:
        record = logging.LogRecord("aiokafka.client", logging.ERROR, "", 0, message, args, None)
        return record.getMessage() if few.filter(record) else None

    assert [passed("no node %s", n) for n in range(250)][:4] == ["no node 0", "no node 1", None, None]
    assert passed("another") == "another"
    now[0] = 30.0
    assert passed("no node %s", 1) == "no node 1 (and 248 more like it in 30 s)"
    now[0] = 90.0
    assert passed("no node %s", 1) == "no node 1"


def test_every_logger_of_aiokafka_is_limited_once() -> None:
    for _ in range(2):
        limit_noise()
    for name in ("aiokafka", "aiokafka.conn", "aiokafka.consumer.fetcher", "aiokafka.producer.sender"):
        assert [type(one) for one in logging.getLogger(name).filters] == [FewOfEach]
