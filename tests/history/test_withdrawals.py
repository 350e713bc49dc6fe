"""Withdrawals, names used twice, types not known."""

import pytest

from rerate.messages.codes import CONFLICT, CONTESTED
from rerate.messages.facts import FactName
from tests.kit.saying import (
    configured,
    corrected,
    history_of,
    merged,
    published,
    results,
    ruled,
    sent,
    standing,
    stands,
    unmerged,
    withdrawn,
)

FACT = published("e1", 2, "B>A", id="wrong")
WITHDRAWAL = withdrawn(FACT)


@pytest.mark.parametrize("comes_first", [True, False])
def test_a_withdrawn_fact_is_out_before_or_after_it_arrives(comes_first: bool) -> None:
    base = published("e1", 1, "A>B")
    history = history_of(base, *([WITHDRAWAL, FACT] if comes_first else [FACT, WITHDRAWAL]))
    assert results(history, "e1") == {"g1": "A 1-0 B"}
    assert [stands(history, one) for one in (base, FACT, WITHDRAWAL)] == ["in-force", "withdrawn", "in-force"]


def test_a_withdrawal_waits_for_its_fact_and_stays_for_good() -> None:
    history = history_of(WITHDRAWAL)
    assert stands(history, WITHDRAWAL) == "held fact"
    changes = history.add([FACT.fact()])
    assert history.events == {}
    assert changes.standings.keys() == {FactName(one.source, one.id) for one in (FACT, WITHDRAWAL)}


def test_every_content_under_the_name_is_out_of_whatever_type() -> None:
    others = [published("e2", 1, "A>B", id="wrong"), configured(1, "elo", id="wrong"), merged("m1", "B", "A", id="wrong")]
    history = history_of(FACT, *others, WITHDRAWAL)
    assert [stands(history, one) for one in (FACT, *others)] == ["withdrawn"] * 4
    assert (history.events, history.configuration) == ({}, None)
    assert len(history.facts) == 5


def test_a_withdrawal_cannot_be_withdrawn() -> None:
    history = history_of(FACT, WITHDRAWAL, withdrawn(WITHDRAWAL))
    assert stands(history, WITHDRAWAL) == "in-force"
    assert stands(history, FACT) == "withdrawn"


def test_withdrawing_a_withdrawal_waits_for_a_fact_under_that_name() -> None:
    again = withdrawn(WITHDRAWAL)
    history = history_of(WITHDRAWAL, again)
    assert stands(history, again) == "held fact"
    other = published("e2", 1, "A>B", id=WITHDRAWAL.id, source=WITHDRAWAL.source)
    history.add([other.fact()])
    assert [stands(history, one) for one in (again, other, WITHDRAWAL)] == ["in-force", "withdrawn", "held fact"]


def test_two_withdrawals_of_one_name_are_both_in_force() -> None:
    other = withdrawn(FACT)
    history = history_of(WITHDRAWAL, FACT, other)
    assert [stands(history, one) for one in (WITHDRAWAL, other)] == ["in-force"] * 2


def test_two_contents_under_one_name_are_in_conflict_and_both_count() -> None:
    first, second = published("e1", 1, "A>B", id="twice"), published("e2", 1, "A>B", id="twice")
    history = history_of(first, second)
    assert [standing(history, one).flags for one in (first, second)] == [(CONFLICT,)] * 2
    assert len(history.events) == 2
    row = history.standing(FactName("t/club", "twice"))
    assert row is not None
    assert [one.identity.digest for one in row.contents] == sorted(one.identity.digest for one in row.contents)


def test_a_name_says_conflict_beside_its_other_flags() -> None:
    cycle = [merged("m1", "A", "B", id="twice"), merged("m2", "B", "A")]
    history = history_of(*cycle, published("e1", 1, "A>B", id="twice"))
    assert standing(history, cycle[0]).flags == (CONFLICT, CONTESTED)


def test_withdrawn_contents_are_in_conflict_with_nothing() -> None:
    first, second = published("e1", 1, "A>B", id="twice"), corrected("e1", 2, "B>A", id="twice")
    history = history_of(first, second, withdrawn(first))
    assert [standing(history, one).flags for one in (first, second)] == [(), ()]


def test_a_withdrawn_publication_leaves_its_corrections_waiting() -> None:
    publication, patch, void = published("e1", 1, "A>B"), corrected("e1", 2, "B>A"), ruled("e1", "r1", mode="void")
    history = history_of(publication, patch, void)
    changes = history.add([withdrawn(publication).fact()])
    assert [stands(history, one) for one in (patch, void)] == ["held publication"] * 2
    ((old, new),) = changes.events.values()
    assert (old is not None and old.state, new) == ("void", None)


def test_a_withdrawn_unmerge_brings_its_merge_back() -> None:
    merge, undo = merged("m1", "X", "A"), unmerged("m1")
    history = history_of(published("e1", 1, "X>B"), merge, undo, withdrawn(undo))
    assert results(history, "e1") == {"g1": "A 1-0 B"}
    assert [stands(history, one) for one in (merge, undo)] == ["in-force", "withdrawn"]


def test_a_type_not_known_is_held_and_can_be_withdrawn() -> None:
    unknown = sent("later", points=3)
    history = history_of(unknown)
    assert stands(history, unknown) == "held type"
    history.add([withdrawn(unknown).fact()])
    assert stands(history, unknown) == "withdrawn"


def test_a_fact_sent_and_withdrawn_in_one_batch_changes_only_standings() -> None:
    history = history_of()
    changes = history.add([FACT.fact(), WITHDRAWAL.fact()])
    assert (changes.events, len(changes.standings)) == ({}, 2)
