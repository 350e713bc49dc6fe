"""Which person an id is: merges, chains, cycles, merges by event, unmerges; what is told of the ids."""

import pytest

from rerate.history import IdentityRow
from rerate.messages.codes import CONTESTED
from tests.kit.saying import history_of, merged, minted, published, results, standing, stands, unmerged


def test_an_alias_is_the_player_everywhere() -> None:
    """U057: after a merge everything new that names the old id speaks of the person; the raw id stays in the event."""
    history = history_of(published("e1", 1, "X>B"), merged("m1", "X", "A"), published("e3", 1, "X>C"))
    assert (results(history, "e1"), results(history, "e3")) == ({"g1": "A 1-0 B"}, {"g1": "A 1-0 C"})
    assert history.events[minted("e3")].games[0].game.white == minted("X")


def test_only_ids_named_by_a_merge_in_force_have_a_row() -> None:
    history = history_of(published("e1", 1, "X>B"), merged("m1", "X", "A"))
    row = IdentityRow(id=minted("X"), person=minted("A"), merges=(minted("m1"),), scoped=(), contested=False)
    assert history.identity(minted("X")) == row
    named = history.identity(minted("A"))
    assert named is not None
    assert (named.person, named.merges) == (minted("A"), (minted("m1"),))
    assert history.identity(minted("B")) is None


def test_a_chain_is_one_person_in_any_order() -> None:
    chain = [merged("m1", "Z", "Y"), merged("m2", "Y", "X"), merged("m3", "X", "W")]
    for order in (chain, chain[::-1]):
        history = history_of(published("e1", 1, "Z>B"), *order)
        assert results(history, "e1") == {"g1": "W 1-0 B"}


def test_a_person_is_named_by_the_smallest_id_that_is_nobodys_alias() -> None:
    history = history_of(published("e1", 1, "A>B"), merged("m1", "A", "Z"), merged("m2", "A", "Y"))
    assert results(history, "e1") == {"g1": "Y 1-0 B"}


def test_two_targets_for_one_alias_unite_and_are_contested() -> None:
    merges = [merged("m1", "A", "Z"), merged("m2", "A", "Y")]
    history = history_of(*merges)
    assert [standing(history, one).flags for one in merges] == [(CONTESTED,)] * 2
    for raw in "AYZ":
        row = history.identity(minted(raw))
        assert row is not None
        assert (row.person, row.contested) == (minted("Y"), True)


def test_a_cycle_is_one_person_by_the_smallest_id_and_contested() -> None:
    merges = [merged("m1", "B", "C"), merged("m2", "C", "D"), merged("m3", "D", "B")]
    history = history_of(published("e1", 1, "D>A"), *merges)
    assert results(history, "e1") == {"g1": "B 1-0 A"}
    assert [standing(history, one).flags for one in merges] == [(CONTESTED,)] * 3


def test_the_same_merge_said_twice_is_not_contested() -> None:
    merges = [merged("m1", "X", "A"), merged("m2", "X", "A")]
    assert [standing(history_of(*merges), one).flags for one in merges] == [(), ()]


def test_an_unmerge_gives_back_what_was() -> None:
    """U066: while the merge holds, old ids that go on arriving are the person; after the unmerge nothing is left of it."""
    facts = [published("e1", 1, "A>B"), published("e2", 1, "X>C"), merged("m1", "X", "A"), published("e3", 1, "X<D")]
    history = history_of(*facts)
    assert [results(history, event)["g1"] for event in ("e1", "e2", "e3")] == ["A 1-0 B", "A 1-0 C", "A 0-1 D"]
    history.add([unmerged("m1").fact()])
    assert history.events == history_of(*(fact for fact in facts if "merge_id" not in fact.data)).events
    assert history.identity(minted("X")) is None


@pytest.mark.parametrize("comes_first", [True, False])
def test_an_unmerge_kills_its_merge_before_or_after(comes_first: bool) -> None:
    merge, undo = merged("m1", "X", "A"), unmerged("m1")
    history = history_of(*([undo, merge] if comes_first else [merge, undo]))
    assert [stands(history, one) for one in (merge, undo)] == ["undone", "in-force"]
    assert standing(history, merge).merge == minted("m1")
    assert stands(history_of(undo), undo) == "held merge"


def test_one_unmerge_ends_every_fact_of_its_merge_id() -> None:
    merges = [merged("m1", "X", "A"), merged("m1", "Y", "B")]
    assert {raw: history_of(*merges).person(minted(raw)) for raw in "XY"} == {"X": minted("A"), "Y": minted("B")}
    assert [stands(history_of(*merges, unmerged("m1")), one) for one in merges] == ["undone"] * 2


def test_a_merge_with_itself_has_no_effect_even_if_undone() -> None:
    merge, undo = merged("m1", "A", "A"), unmerged("m1")
    history = history_of(merge, undo)
    assert [stands(history, one) for one in (merge, undo)] == ["no-effect self", "in-force"]


def test_a_split_by_event_is_as_if_the_event_had_named_the_other_id() -> None:
    """U056: A's events e1, e3 stay, e2 goes to A2; undone by one message."""
    base = [published("e1", 1, "A>B"), published("e3", 1, "A>C")]
    split = history_of(*base, published("e2", 1, "A>C"), merged("m1", "A", "A2", "e2"))
    named = history_of(*base, published("e2", 1, "A2>C"))
    assert [results(split, event) for event in ("e1", "e2", "e3")] == [results(named, event) for event in ("e1", "e2", "e3")]
    split.add([unmerged("m1").fact()])
    assert results(split, "e2") == {"g1": "A 1-0 C"}


def test_at_no_moment_has_a_game_no_owner_or_two() -> None:
    """U061: each batch of a split leaves every side with exactly one person."""
    history = history_of(published("e1", 1, "A>B"), published("e2", 1, "A>C"))
    for fact in (merged("m1", "A", "A2", "e2"), merged("m2", "A2", "A3"), unmerged("m1")):
        changes = history.add([fact.fact()])
        for _, event in changes.events.values():
            assert event is not None
            assert all(game.white is not None and game.black is not None for game in event.games)
    assert history.events_of(minted("A")) == {minted("e1"), minted("e2")}
    assert history.events_of(minted("A2")) == history.events_of(minted("A3")) == frozenset()


def test_a_merge_by_event_is_resolved_first_and_then_everywhere() -> None:
    history = history_of(published("e1", 1, "X>B"), published("e2", 1, "X>B"), merged("m1", "X", "Y", "e1"), merged("m2", "Y", "A"))
    assert (results(history, "e1"), results(history, "e2")) == ({"g1": "A 1-0 B"}, {"g1": "X 1-0 B"})
    row = history.identity(minted("X"))
    assert row is not None
    assert (row.person, row.scoped) == (minted("X"), ((minted("e1"), minted("A")),))


def test_a_merge_by_event_goes_before_one_everywhere() -> None:
    history = history_of(published("e1", 1, "X>B"), merged("m1", "X", "Z"), merged("m2", "X", "Y", "e1"))
    assert results(history, "e1") == {"g1": "Y 1-0 B"}


def test_two_targets_by_event_the_smallest_counts_and_both_are_contested() -> None:
    merges = [merged("m1", "X", "Z", "e1", "e2"), merged("m2", "X", "Y", "e1"), merged("m3", "X", "Q", "e3")]
    history = history_of(published("e1", 1, "X>B"), *merges)
    assert results(history, "e1") == {"g1": "Y 1-0 B"}
    assert [standing(history, one).flags for one in merges] == [(CONTESTED,), (CONTESTED,), ()]
    row = history.identity(minted("X"))
    assert row is not None
    assert row.contested


def test_events_of_a_person_are_those_of_all_his_ids_where_they_are_him() -> None:
    facts = [published("e1", 1, "A>B"), published("e2", 1, "X>B"), published("e3", 1, "X>B")]
    bye = published("e5", 1, {"id": "g1", "white": minted("A"), "result": "bye-full"})
    history = history_of(*facts, bye, merged("m1", "X", "A"), merged("m2", "X", "C", "e3"))
    assert history.events_of(minted("A")) == {minted("e1"), minted("e2"), minted("e5")}
    assert history.events_of(minted("C")) == {minted("e3")}
    assert history.events_of(minted("X")) == frozenset()


def test_changed_identities_judge_only_the_events_they_touch() -> None:
    history = history_of(published("e1", 1, "X>B"), published("e2", 1, "C>D"))
    changes = history.add([merged("m1", "X", "A").fact()])
    assert changes.events.keys() == {minted("e1")}
    assert changes.identities.keys() == {minted("X"), minted("A")}
