"""The reference subscriber by records written down by hand."""

import pytest

from rerate.board.subscriber import Subscriber
from rerate.log.seam import Record
from tests.kit.rowwriter import head_of

POOL = "club:rook"
A, B = "person-ids", "rating-snapshots"


class Tape:
    """Records of two topics in the order in which they are delivered."""

    def __init__(self, subscriber: Subscriber, ends: int = 0) -> None:
        self.subscriber = subscriber
        self.next = dict.fromkeys(subscriber.topics, 0)
        subscriber.start(dict.fromkeys(subscriber.topics, ends))

    def take(self, topic: str, key: str, value: bytes | None) -> list[int]:
        """Deliver one record; the numbers of the updates that are whole by it."""
        self.subscriber.take([Record(topic, 0, self.next[topic], 0, key.encode(), value)])
        self.next[topic] += 1
        self.subscriber.moved(self.next)
        return [update.head.update for update in self.subscriber.flips()]

    def rows(self, topic: str) -> dict[bytes, bytes]:
        return self.subscriber.rows(POOL, topic)


def heads(count: int) -> list[bytes]:
    chain: list[bytes] = []
    for number in range(1, count + 1):
        chain.append(head_of(POOL, number, previous=chain[-1] if chain else None))
    return chain


def test_an_update_is_whole_when_every_topic_has_delivered_its_head() -> None:
    tape, (one, two) = Tape(Subscriber([A, B])), heads(2)
    assert tape.take(A, f"{POOL}@1/x", b"1") == []
    assert tape.take(A, POOL, one) == []
    assert tape.take(A, f"{POOL}@1/x", b"2") == []
    assert tape.take(A, POOL, two) == []
    assert tape.take(B, POOL, one) == [1]
    assert tape.rows(A) == {f"{POOL}@1/x".encode(): b"1"}
    assert tape.take(B, f"{POOL}/elo@1/x", b"9") == []
    assert tape.rows(B) == {}
    assert tape.take(B, POOL, two) == [2]
    assert tape.rows(A) == {f"{POOL}@1/x".encode(): b"2"}
    assert tape.rows(B) == {f"{POOL}/elo@1/x".encode(): b"9"}


def test_after_a_start_nothing_is_shown_before_the_ends_and_then_only_the_newest() -> None:
    tape, (one, two) = Tape(Subscriber([A, B]), ends=2), heads(2)
    assert [tape.take(topic, POOL, one) for topic in (A, B)] == [[], []]
    assert [tape.take(topic, POOL, two) for topic in (A, B)] == [[], [2]]


def test_the_newest_head_seen_in_any_topic_is_waited_for_in_all() -> None:
    tape, (one, two, three) = Tape(Subscriber([A, B]), ends=1), heads(3)
    tape.subscriber.take([Record(A, 0, 0, 0, POOL.encode(), one), Record(A, 0, 1, 0, POOL.encode(), two)])
    tape.next[A] = 2
    assert tape.take(B, POOL, one) == []
    assert tape.take(B, POOL, two) == [2]
    assert [tape.take(topic, POOL, three) for topic in (A, B)] == [[], [3]]


def test_heads_in_the_middle_may_have_been_compacted_away() -> None:
    tape, chain = Tape(Subscriber([A, B]), ends=2), heads(7)
    assert [tape.take(A, POOL, chain[2]), tape.take(A, POOL, chain[6])] == [[], []]
    assert [tape.take(B, f"{POOL}/elo@1/x", b"9"), tape.take(B, POOL, chain[6])] == [[], [7]]


def test_a_broken_chain_keeps_the_old_ladder_and_marks_it_stale() -> None:
    tape = Tape(Subscriber([A]))
    one, forged = head_of(POOL, 1), head_of(POOL, 2, previous=b"another")
    assert tape.take(A, f"{POOL}@1/x", b"1") == []
    assert tape.take(A, POOL, one) == [1]
    assert tape.take(A, f"{POOL}@1/x", b"2") == []
    assert tape.take(A, POOL, forged) == []
    assert tape.subscriber.stale() == [POOL]
    assert tape.rows(A) == {f"{POOL}@1/x".encode(): b"1"}


def test_a_missing_number_is_a_broken_chain() -> None:
    tape, (one, _, three) = Tape(Subscriber([A])), heads(3)
    assert tape.take(A, POOL, one) == [1]
    assert tape.take(A, POOL, three) == []
    assert tape.subscriber.stale() == [POOL]


def test_topics_that_close_with_different_heads_are_a_broken_chain() -> None:
    tape = Tape(Subscriber([A, B]))
    assert tape.take(A, POOL, head_of(POOL, 1)) == []
    assert tape.take(B, POOL, head_of(POOL, 1, lists=False)) == []
    assert tape.subscriber.stale() == [POOL]


def test_rows_of_an_edition_that_no_head_names_are_not_seen_before_one_does() -> None:
    subscriber = Subscriber([B])
    tape, one = Tape(subscriber), head_of(POOL, 1)
    two = head_of(POOL, 2, previous=one, edition=2)
    tape.take(B, f"{POOL}/elo@1/x", b"1")
    assert tape.take(B, POOL, one) == [1]
    tape.take(B, f"{POOL}/elo@2/x", b"2")
    assert tape.rows(B) == {f"{POOL}/elo@1/x".encode(): b"1"}
    subscriber.take([Record(B, 0, 3, 0, POOL.encode(), two)])
    (update,) = subscriber.flips()
    assert update.rows == {B: [(f"{POOL}/elo@2/x".encode(), b"2")]}
    assert tape.rows(B) == {f"{POOL}/elo@2/x".encode(): b"2"}


def test_one_pool_does_not_wait_for_another() -> None:
    tape, (one,) = Tape(Subscriber([A, B])), heads(1)
    assert tape.take(A, "club:other", head_of("club:other", 1)) == []
    assert [tape.take(topic, POOL, one) for topic in (A, B)] == [[], [1]]
    assert list(tape.subscriber.heads()) == [POOL]


def test_an_update_says_since_when_and_what_changed_in_order() -> None:
    subscriber = Subscriber([A])
    subscriber.start({A: 0})
    one, two = heads(2)
    key = f"{POOL}@1/x".encode()
    values = [(key, b"1"), (POOL.encode(), one), (key, b"2"), (key, None), (POOL.encode(), two)]
    subscriber.moved({A: 0})
    subscriber.take([Record(A, 0, n, 0, *value) for n, value in enumerate(values)])
    subscriber.moved({A: 5})
    first, second = subscriber.flips()
    assert (first.since, first.rows) == (None, {A: [(key, b"1")]})
    assert (second.since, second.rows) == (1, {A: [(key, b"2"), (key, None)]})


@pytest.mark.parametrize("topics", [[], ["fact-receipts"]])
def test_only_row_topics_are_followed(topics: list[str]) -> None:
    with pytest.raises(ValueError, match="a subscriber follows some of"):
        Subscriber(topics)
