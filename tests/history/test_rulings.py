"""What the office rules on top of the publisher's word, rule by rule of the contract."""

from typing import Any

import pytest

from rerate.messages.codes import CONFLICT, CONTESTED
from tests.kit.saying import (
    change,
    corrected,
    date_of,
    deleted,
    game,
    history_of,
    identity_of,
    merged,
    minted,
    published,
    results,
    ruled,
    standing,
    stands,
)
from tests.kit.sendable import Data

PUBLICATION = published("e1", 1, "A>B", "C>D")
FIX = ruled("e1", "r1", games=[change("g1", "A-B", result="0-1")])


def without_result(id: str, pairing: str) -> Data:
    """A game named by id and sides."""
    return game(id, pairing)


def test_a_ruling_outlives_the_next_upload() -> None:
    history = history_of(PUBLICATION, FIX, published("e1", 2, "A>B", "C=D"))
    assert results(history, "e1") == {"g1": "A 0-1 B", "g2": "C 1/2-1/2 D"}
    assert stands(history, FIX) == "in-force"


def test_a_publishers_standings_never_look_at_rulings() -> None:
    void = ruled("e1", "r1", mode="void")
    correction = corrected("e1", 2, "B>A")
    history = history_of(PUBLICATION, void, correction)
    assert [stands(history, one) for one in (PUBLICATION, void, correction)] == ["in-force"] * 3
    assert history.events[minted("e1")].facts == tuple(identity_of(one) for one in (PUBLICATION, correction, void))


def test_the_newest_revision_of_a_ruling_counts_whenever_it_comes() -> None:
    newer = ruled("e1", "r1", 2, games=[change("g1", "A-B", result="1/2-1/2")])
    history = history_of(PUBLICATION, newer, FIX)
    assert results(history, "e1")["g1"] == "A 1/2-1/2 B"
    assert (stands(history, FIX), standing(history, FIX).superseded_by) == ("superseded", identity_of(newer))


def test_one_ruling_id_is_one_ruling_over_both_types() -> None:
    archive = ruled("e1", "r1", 1, mode="archive")
    history = history_of(PUBLICATION, archive, FIX)
    assert [stands(history, one) for one in (FIX, archive)] == ["superseded", "in-force"]
    assert (history.events[minted("e1")].state, results(history, "e1")["g1"]) == ("hidden", "A 1-0 B")


@pytest.mark.parametrize("withdrawal", [ruled("e1", "r1", 2), ruled("e1", "r1", 2, mode=None), ruled("e1", "r1", 2, set={}, games=[])])
def test_a_ruling_that_names_nothing_withdraws_it(withdrawal: Any) -> None:
    history = history_of(PUBLICATION, ruled("e1", "r1", 1, mode="void"), withdrawal)
    assert results(history, "e1")["g1"] == "A 1-0 B"
    assert stands(history, withdrawal) == "in-force"
    assert history.events[minted("e1")].facts == (identity_of(PUBLICATION),)


def test_two_contents_of_one_ruling_and_revision_are_in_conflict() -> None:
    other = ruled("e1", "r1", games=[change("g1", "A-B", result="1/2-1/2")])
    history = history_of(PUBLICATION, FIX, other, ruled("e1", "r2", set={"order": 2}))
    assert [standing(history, one).flags for one in (FIX, other)] == [(CONFLICT,), (CONFLICT,)]
    assert history.events[minted("e1")].flags == (CONFLICT,)


def test_rulings_on_an_absent_event_wait_and_make_no_event() -> None:
    rulings = [FIX, ruled("e1", "r2", mode="void"), ruled("e1", "r3")]
    history = history_of(*rulings)
    assert [stands(history, one) for one in rulings] == ["held publication"] * 3
    assert history.events == {}


def test_rulings_on_an_event_its_publisher_voided_have_no_effect() -> None:
    rulings = [FIX, ruled("e1", "r2", mode="archive"), ruled("e1", "r3"), ruled("e1", "r4", added=[game("g9", "A>B")])]
    history = history_of(PUBLICATION, deleted("e1", 2, "void"), *rulings)
    assert [stands(history, one) for one in rulings] == ["no-effect void"] * 4
    assert history.events[minted("e1")].state == "void"


def test_a_void_wins_over_every_other_ruling() -> None:
    voids = [ruled("e1", "r0", mode="void"), ruled("e1", "r9", mode="void")]
    others = [FIX, ruled("e1", "r2", mode="archive"), ruled("e1", "r3")]
    history = history_of(PUBLICATION, *voids, *others)
    assert [stands(history, one) for one in (*voids, *others)] == ["in-force"] * 2 + ["no-effect ruling"] * 3
    assert (history.events[minted("e1")].state, history.events[minted("e1")].event) == ("void", None)


@pytest.mark.parametrize(("mode", "state"), [("void", "void"), ("archive", "hidden")])
def test_no_publication_lifts_a_void_or_an_archive_but_its_withdrawal_does(mode: str, state: str) -> None:
    newer = published("e1", 2, "B>A")
    history = history_of(PUBLICATION, ruled("e1", "r1", mode=mode), newer)
    assert history.events[minted("e1")].state == state
    history.add([ruled("e1", "r1", 2).fact()])
    assert (history.events[minted("e1")].state, results(history, "e1")) == ("live", {"g1": "B 1-0 A"})


def test_inside_a_ruling_removed_then_added_then_games_then_set() -> None:
    ruling = ruled(
        "e1",
        "r1",
        set={"date": "2024-02-01"},
        games=[change("g2", "C-D", result="1/2-1/2")],
        added=[game("g3", "A=C")],
        removed=[without_result("g1", "A-B")],
    )
    history = history_of(PUBLICATION, ruling)
    assert results(history, "e1") == {"g2": "C 1/2-1/2 D", "g3": "A 1/2-1/2 C"}
    assert date_of(history, "e1") == "2024-02-01"


def test_fields_change_singly_and_null_removes_one() -> None:
    base = published("e1", 1, game("g1", "A>B", round=3, board=1))
    history = history_of(base, ruled("e1", "r1", games=[change("g1", "A-B", white=minted("X"), board=None)]))
    ruled_game = history.events[minted("e1")].games[0].game
    assert (ruled_game.white, ruled_game.black, ruled_game.round, ruled_game.board) == (minted("X"), minted("B"), 3, None)


@pytest.mark.parametrize(
    ("data", "pointer", "reason"),
    [
        ({"games": [change("g7", "A-B", result="0-1")]}, "/games/0", "unknown-game"),
        ({"games": [change("g1", "B-A", result="0-1")]}, "/games/0", "other-sides"),
        ({"games": [change("g1", "A", result="0-1")]}, "/games/0", "other-sides"),
        ({"removed": [without_result("g7", "A-B")]}, "/removed/0", "unknown-game"),
        ({"removed": [without_result("g1", "A-C")]}, "/removed/0", "other-sides"),
        ({"added": [game("g1", "B>A")]}, "/added/0", "other-sides"),
        ({"set": {"start_date": "2024-01-06"}}, "/set", "content"),
        ({"games": [change("g1", "A-B", result="0-0")]}, "/games/0", "content"),
        ({"games": [change("g1", "A-B", result="bye-half")]}, "/games/0", "content"),
        ({"games": [change("g1", "A-B", result="bye-pairing", black=None)]}, "/games/0", "content"),
        ({"games": [change("g1", "A-B", points=1)]}, "/games/0", "content"),
        ({"games": [change("g1", "A-B", unrated_reason="casual")]}, "/games/0", "content"),
    ],
)
def test_what_does_not_fit_has_no_effect_and_says_so(data: Any, pointer: str, reason: str) -> None:
    ruling = ruled("e1", "r1", **data)
    history = history_of(PUBLICATION, ruling)
    assert (stands(history, ruling), standing(history, ruling).not_fitting) == ("no-effect not-fitting", ((pointer, reason),))
    assert results(history, "e1") == {"g1": "A 1-0 B", "g2": "C 1-0 D"}
    assert history.events[minted("e1")].facts == (identity_of(PUBLICATION),)


def test_a_dropped_pairing_does_not_make_a_ruling_hit_another_pairs_game() -> None:
    history = history_of(PUBLICATION, FIX, published("e1", 2, "C>D"))
    assert results(history, "e1") == {"g1": "C 1-0 D"}
    assert standing(history, FIX).not_fitting == (("/games/0", "other-sides"),)


def test_a_ruling_fits_again_when_its_game_comes_back() -> None:
    history = history_of(PUBLICATION, FIX, published("e1", 2, "C>D"), published("e1", 3, "A=B"))
    assert (results(history, "e1"), stands(history, FIX)) == ({"g1": "A 0-1 B"}, "in-force")


def test_each_game_fits_for_itself() -> None:
    ruling = ruled(
        "e1", "r1", games=[change("g1", "A-B", result="0-1"), change("g2", "D-C", result="0-1")], set={"start_date": "2024-01-06"}
    )
    history = history_of(PUBLICATION, ruling)
    assert results(history, "e1") == {"g1": "A 0-1 B", "g2": "C 1-0 D"}
    assert (stands(history, ruling), standing(history, ruling).not_fitting) == (
        "in-force",
        (("/games/1", "other-sides"), ("/set", "content")),
    )


def test_added_puts_an_unknown_game_or_replaces_one_with_the_same_sides() -> None:
    ruling = ruled("e1", "r1", added=[game("g1", "A=B"), game("g9", "B>C")])
    assert results(history_of(PUBLICATION, ruling), "e1") == {"g1": "A 1/2-1/2 B", "g2": "C 1-0 D", "g9": "B 1-0 C"}


def test_added_does_not_pass_the_greatest_number_of_games() -> None:
    many = published("e1", 1, *[game(f"a{i}", "A>B") for i in range(5_000)])
    ruling = ruled("e1", "r1", added=[game("a0", "A=B"), game("b", "A>B")])
    history = history_of(many, ruling)
    assert standing(history, ruling).not_fitting == (("/added/1", "content"),)
    assert len(history.events[minted("e1")].games) == 5_000


def test_existence_and_sides_are_those_of_the_publisher_not_of_other_rulings() -> None:
    swap = ruled("e1", "r1", games=[change("g1", "A-B", white=minted("X"))], added=[game("g9", "A>B")])
    named_as_published = ruled("e1", "r2", games=[change("g1", "A-B", result="0-1"), change("g9", "A-B", result="0-1")])
    history = history_of(PUBLICATION, swap, named_as_published)
    assert results(history, "e1") == {"g1": "X 0-1 B", "g2": "C 1-0 D", "g9": "A 1-0 B"}
    assert standing(history, named_as_published).not_fitting == (("/games/1", "unknown-game"),)


def test_sides_are_raw_ids_and_identities_come_afterwards() -> None:
    history = history_of(PUBLICATION, merged("m1", "A", "Z"), FIX)
    assert results(history, "e1")["g1"] == "Z 0-1 B"


def test_a_game_removed_by_another_ruling_does_not_fit() -> None:
    removal = ruled("e1", "r0", removed=[without_result("g1", "A-B")])
    again = ruled("e1", "r2", removed=[without_result("g1", "A-B")])
    history = history_of(PUBLICATION, removal, FIX, again)
    assert [standing(history, one).not_fitting for one in (removal, FIX, again)] == [
        (),
        (("/games/0", "removed-by-ruling"),),
        (("/removed/0", "removed-by-ruling"),),
    ]


def test_validity_is_judged_on_what_is_there_by_then() -> None:
    needs_rated = ruled("e1", "r2", games=[change("g1", "A-B", result="0-0")])
    says_rated = ruled("e1", "r1", games=[change("g1", "A-B", rated="both")])
    assert stands(history_of(PUBLICATION, needs_rated), needs_rated) == "no-effect not-fitting"
    assert stands(history_of(PUBLICATION, needs_rated, says_rated), needs_rated) == "in-force"


@pytest.mark.parametrize(
    ("first", "second", "is_contested"),
    [
        ({"set": {"order": 1}}, {"set": {"order": 2}}, True),
        ({"set": {"order": 1}}, {"set": {"category": "cup"}}, False),
        ({"games": [change("g1", "A-B", result="0-1")]}, {"games": [change("g1", "A-B", result="0-1")]}, True),
        ({"games": [change("g1", "A-B", result="0-1")]}, {"games": [change("g1", "A-B", round=2)]}, False),
        ({"games": [change("g1", "A-B", result="0-1")]}, {"games": [change("g2", "C-D", result="0-1")]}, False),
        ({"games": [change("g1", "A-B", result="0-1")]}, {"removed": [without_result("g1", "A-B")]}, True),
        ({"games": [change("g1", "A-B", result="0-1")]}, {"added": [game("g1", "A=B")]}, True),
        ({"added": [game("g9", "A>B")]}, {"added": [game("g9", "C>D")]}, True),
        ({"removed": [without_result("g1", "A-B")]}, {"removed": [without_result("g1", "A-B")]}, True),
        ({"games": [change("g1", "B-A", result="0-1")]}, {"games": [change("g1", "A-B", result="0-1")]}, False),
        ({"games": [change("g1", "A-B", result="0-0")]}, {"games": [change("g1", "A-B", result="0-1")]}, True),
        ({"set": {"order": 1}}, {"mode": "archive"}, False),
    ],
)
def test_two_rulings_on_one_field_or_one_whole_game_are_contested(first: Any, second: Any, is_contested: bool) -> None:
    rulings = [ruled("e1", "r1", **first), ruled("e1", "r2", **second)]
    history = history_of(PUBLICATION, *rulings)
    assert [standing(history, one).flags for one in rulings] == [(CONTESTED,) if is_contested else ()] * 2
    assert history.events[minted("e1")].flags == ((CONTESTED,) if is_contested else ())


def test_the_greater_ruling_id_wins() -> None:
    history = history_of(PUBLICATION, ruled("e1", "r2", set={"date": "2024-03-02"}), ruled("e1", "r1", set={"date": "2024-03-01"}))
    assert date_of(history, "e1") == "2024-03-02"


def test_a_superseded_revision_contests_nothing() -> None:
    history = history_of(PUBLICATION, FIX, ruled("e1", "r1", 2), ruled("e1", "r2", games=[change("g1", "A-B", result="1/2-1/2")]))
    assert history.events[minted("e1")].flags == ()
