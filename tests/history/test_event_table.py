"""The publisher's facts of one event: each cell of the table, supersession, order, flags."""

import pytest

from rerate.messages.codes import CONFLICT, UNSEEN_CHANGE
from tests.kit.saying import (
    corrected,
    date_of,
    deleted,
    game,
    history_of,
    identity_of,
    minted,
    published,
    results,
    standing,
    stands,
)
from tests.kit.sendable import Sendable

PUBLICATION = published("e1", 1, "A>B")
BEFORE: dict[str, list[Sendable]] = {
    "absent": [],
    "live": [PUBLICATION],
    "hidden": [PUBLICATION, deleted("e1", 2, "archive")],
    "void": [PUBLICATION, deleted("e1", 2, "void")],
}
THEN = {
    "publication": published("e1", 5, "B>A"),
    "correction": corrected("e1", 5, "B>A"),
    "archive": deleted("e1", 5, "archive"),
    "void": deleted("e1", 5, "void"),
}


@pytest.mark.parametrize(
    ("before", "then", "state", "stood", "games"),
    [
        ("absent", "publication", "live", "in-force", {"g1": "B 1-0 A"}),
        ("absent", "correction", None, "held publication", None),
        ("absent", "archive", None, "held publication", None),
        ("absent", "void", None, "held publication", None),
        ("live", "publication", "live", "in-force", {"g1": "B 1-0 A"}),
        ("live", "correction", "live", "in-force", {"g1": "B 1-0 A"}),
        ("live", "archive", "hidden", "in-force", {"g1": "A 1-0 B"}),
        ("live", "void", "void", "in-force", {}),
        ("hidden", "publication", "live", "in-force", {"g1": "B 1-0 A"}),
        ("hidden", "correction", "hidden", "in-force", {"g1": "B 1-0 A"}),
        ("hidden", "archive", "hidden", "in-force", {"g1": "A 1-0 B"}),
        ("hidden", "void", "void", "in-force", {}),
        ("void", "publication", "live", "in-force", {"g1": "B 1-0 A"}),
        ("void", "correction", "void", "no-effect void", {}),
        ("void", "archive", "void", "no-effect void", {}),
        ("void", "void", "void", "no-effect void", {}),
    ],
)
def test_a_cell_of_the_table(before: str, then: str, state: str | None, stood: str, games: dict[str, str] | None) -> None:
    history = history_of(*BEFORE[before], THEN[then])
    event = history.events.get(minted("e1"))
    assert (event.state if event else None) == state
    assert stands(history, THEN[then]) == stood
    if games is not None:
        assert results(history, "e1") == games


def test_a_void_event_keeps_its_id_and_drops_its_content() -> None:
    event = history_of(*BEFORE["void"]).events[minted("e1")]
    assert (event.id, event.event, event.games) == (minted("e1"), None, ())


@pytest.mark.parametrize("newer", [published("e1", 3, "A=B"), deleted("e1", 3, "void")])
def test_a_publication_and_a_void_supersede_all_before_them(newer: Sendable) -> None:
    older = [published("e1", 1, "A>B"), corrected("e1", 2, "B>A"), deleted("e1", 2, "archive")]
    history = history_of(*older, newer)
    assert [(stands(history, one), standing(history, one).superseded_by) for one in older] == [("superseded", identity_of(newer))] * 3


def test_a_publication_supersedes_what_was_held_or_without_effect() -> None:
    held, void, ignored = corrected("e1", 1, "B>A"), deleted("e1", 3, "void"), corrected("e1", 4, "B>A")
    history = history_of(held, published("e1", 2, "A>B"), void, ignored, published("e1", 5, "A=B"))
    assert [stands(history, one) for one in (held, void, ignored)] == ["superseded"] * 3


def test_a_void_that_is_held_supersedes_nothing() -> None:
    correction, void = corrected("e1", 1, "B>A"), deleted("e1", 2, "void")
    history = history_of(correction, void)
    assert [stands(history, one) for one in (correction, void)] == ["held publication"] * 2
    assert history.events == {}


def test_superseded_by_names_the_next_that_replaced_it() -> None:
    first, second = published("e1", 1, "A>B"), published("e1", 2, "A=B")
    history = history_of(first, second, published("e1", 3, "B>A"))
    assert standing(history, first).superseded_by == identity_of(second)


def test_corrections_never_supersede_one_another() -> None:
    """U006: what was corrected back is as it was, and all three revisions are in force."""
    facts = [published("e1", 1, "A>B"), corrected("e1", 2, "B>A"), corrected("e1", 3, "A>B")]
    history = history_of(*facts)
    assert results(history, "e1") == {"g1": "A 1-0 B"}
    assert [stands(history, fact) for fact in facts] == ["in-force"] * 3
    assert history.events[minted("e1")].facts == tuple(identity_of(fact) for fact in facts)


def test_a_correction_removes_then_puts_then_sets() -> None:
    patch = corrected("e1", 2, game("g1", "B>A"), game("g4", "C>D"), removed=["g2", "unknown"], set={"date": "2024-02-01", "order": 3})
    history = history_of(published("e1", 1, "A>B", "C=D", "A=C", order=1), patch)
    assert results(history, "e1") == {"g1": "B 1-0 A", "g3": "A 1/2-1/2 C", "g4": "C 1-0 D"}
    content = history.events[minted("e1")].event
    assert content is not None
    assert (content.date, content.order) == ("2024-02-01", 3)


def test_a_null_removes_an_optional_field_and_absent_keeps_it() -> None:
    before = published("e1", 1, "A>B", order=2, start_date="2024-01-04")
    content = history_of(before, corrected("e1", 2, set={"order": None})).events[minted("e1")].event
    assert content is not None
    assert (content.order, content.start_date) == (None, "2024-01-04")


def test_a_patch_that_leaves_a_start_after_the_end_has_no_effect() -> None:
    patch = corrected("e1", 2, "B>A", set={"start_date": "2024-01-06"})
    history = history_of(published("e1", 1, "A>B"), patch)
    assert stands(history, patch) == "no-effect content"
    assert results(history, "e1") == {"g1": "A 1-0 B"}


def test_a_patch_that_leaves_too_many_games_has_no_effect() -> None:
    many = [game(f"a{i}", "A>B") for i in range(5_000)]
    one_more, in_place = corrected("e1", 2, game("b", "A>B")), corrected("e1", 3, game("b", "A>B"), removed=["a0"])
    history = history_of(published("e1", 1, *many), one_more, in_place)
    assert [stands(history, one) for one in (one_more, in_place)] == ["no-effect content", "in-force"]
    assert len(history.events[minted("e1")].games) == 5_000


def test_void_and_archive_are_two_things() -> None:
    """U017: a void event has no games, an archived one keeps them, rated."""
    base = published("e2", 1, "A>B")
    assert history_of(base, deleted("e2", 2, "void")).events[minted("e2")].games == ()
    archived = history_of(base, deleted("e2", 2, "archive")).events[minted("e2")]
    assert (archived.state, archived.games[0].rated) == ("hidden", "both")


def test_a_late_older_revision_counts_only_if_nothing_newer_replaced_it() -> None:
    """U042: an older version never wins, whenever it comes; between correction and publication it does count."""
    late = published("e1", 1, "A>B")
    assert results(history_of(published("e1", 2, "B>A"), late), "e1") == {"g1": "B 1-0 A"}
    assert results(history_of(corrected("e1", 3, "A=B"), late), "e1") == {"g1": "A 1/2-1/2 B"}


def test_the_same_fact_again_changes_nothing() -> None:
    """U040: one content under one id is one fact, however often it is sent."""
    history = history_of(PUBLICATION)
    assert history.add([PUBLICATION.fact()] * 3) == history.add([])
    assert len(history.facts) == 1


def test_the_same_content_under_another_id_supersedes_without_a_conflict() -> None:
    """U042: another id for the same content is another fact, and no contradiction."""
    first, again = published("e1", 1, "A>B", id="a"), published("e1", 1, "A>B", id="b")
    history = history_of(again, first)
    assert [stands(history, one) for one in (first, again)] == ["superseded", "in-force"]
    assert history.events[minted("e1")].flags == ()


def test_two_contents_of_one_revision_are_in_conflict() -> None:
    first, second = published("e1", 1, "A>B", id="a"), published("e1", 1, "B>A", id="b")
    history = history_of(second, first)
    assert results(history, "e1") == {"g1": "B 1-0 A"}
    assert [standing(history, one).flags for one in (first, second)] == [(CONFLICT,), (CONFLICT,)]
    assert history.events[minted("e1")].flags == (CONFLICT,)


def test_in_one_revision_publication_comes_before_correction_before_deletion() -> None:
    deletion, correction, publication = deleted("e1", 1, "archive", id="a"), corrected("e1", 1, "A=B", id="b"), published("e1", 1, "A>B")
    history = history_of(deletion, correction, publication)
    assert (history.events[minted("e1")].state, results(history, "e1")) == ("hidden", {"g1": "A 1/2-1/2 B"})


@pytest.mark.parametrize(("saw", "flags"), [(None, ()), (2, ()), (1, (UNSEEN_CHANGE,)), (0, (UNSEEN_CHANGE,))])
def test_a_correction_made_without_seeing_the_revision_before_is_flagged_and_counts(saw: int | None, flags: tuple[str, ...]) -> None:
    correction = corrected("e1", 3, "B>A", saw=saw)
    history = history_of(published("e1", 1, "A>B"), corrected("e1", 2, "A=B"), correction)
    assert standing(history, correction).flags == flags
    assert history.events[minted("e1")].flags == flags
    assert results(history, "e1") == {"g1": "B 1-0 A"}


def test_the_first_saw_nothing() -> None:
    first, not_first = published("e1", 1, "A>B", saw=0), published("e2", 2, "A>B", saw=1)
    history = history_of(first, not_first)
    assert [standing(history, one).flags for one in (first, not_first)] == [(), (UNSEEN_CHANGE,)]


def test_saw_looks_past_its_own_content_under_other_ids() -> None:
    first = published("e1", 1, "A>B")
    twice = [published("e1", 2, "B>A", saw=1, id=name) for name in ("a", "b")]
    history = history_of(first, *twice)
    assert [standing(history, one).flags for one in twice] == [(), ()]


def test_moved_to_another_date() -> None:
    history = history_of(published("e1", 1, "A>B"), corrected("e1", 2, set={"date": "2024-01-26"}))
    assert date_of(history, "e1") == "2024-01-26"
