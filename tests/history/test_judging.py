"""Which games the facts rate and why not the others; two ids of one person in a round."""

from typing import Any

import pytest

from tests.kit.saying import game, history_of, merged, minted, published, results, unmerged


@pytest.mark.parametrize("result", ["+/-", "-/+", "-/-", "*", "bye-full", "bye-half", "bye-zero", "bye-pairing"])
def test_what_was_not_played_stays_in_the_event_and_is_not_rated(result: str) -> None:
    """U079 (forfeits), U081 and U082 (each code is kept and none is rated)."""
    sides = "A-" if result.startswith("bye") else "A-B"
    more: dict[str, Any] = {"points": 1} if result == "bye-pairing" else {}
    event = history_of(published("e1", 1, game("g1", sides, result=result, **more))).events[minted("e1")]
    assert [(one.game.result, one.rated, one.why) for one in event.games] == [(result, "none", "not-played")]


def test_two_byes_worth_half_a_point_can_be_told_apart() -> None:
    """U083: a pairing bye worth half a point and a half-point bye asked for."""
    byes = game("g1", "A-", result="bye-pairing", points=1), game("g2", "B-", result="bye-half")
    event = history_of(published("e1", 1, *byes)).events[minted("e1")]
    assert [(one.game.result, one.game.points, one.why) for one in event.games] == [
        ("bye-pairing", 1, "not-played"),
        ("bye-half", None, "not-played"),
    ]


@pytest.mark.parametrize(
    ("fields", "rated", "why"),
    [
        ({"result": "1-0"}, "both", None),
        ({"result": "1-0", "rated": "both"}, "both", None),
        ({"result": "1-0", "rated": "white"}, "white", None),
        ({"result": "0-0", "rated": "black"}, "black", None),
        ({"result": "1/2-0", "rated": "both"}, "both", None),
        ({"result": "1-0", "rated": "none"}, "none", "declared-unrated"),
    ],
)
def test_for_whom_a_played_game_is_rated(fields: dict[str, Any], rated: str, why: str | None) -> None:
    judged = history_of(published("e1", 1, game("g1", "A-B", **fields))).events[minted("e1")].games[0]
    assert (judged.rated, judged.why) == (rated, why)


def test_a_league_may_declare_a_game_unplayed_and_its_reason_is_kept() -> None:
    """U080: the reason is stored with the game."""
    declared = game("g1", "A>B", rated="none", unrated_reason="not-both-moved")
    judged = history_of(published("e1", 1, declared)).events[minted("e1")].games[0]
    assert (judged.why, judged.game.unrated_reason) == ("declared-unrated", "not-both-moved")


def test_the_first_reason_that_fits_is_given() -> None:
    games = [
        game("g1", "A-A", result="+/-", rated="none"),
        game("g2", "A-", result="1-0", rated="none"),
        game("g3", "A>A", rated="none"),
        game("g4", "A>A"),
    ]
    facts = [published("e1", 1, *games, status="running"), published("e2", 1, *games)]
    history = history_of(*facts)
    assert [one.why for one in history.events[minted("e1")].games] == ["not-played", "unknown-side", "declared-unrated", "running"]
    assert [one.why for one in history.events[minted("e2")].games] == ["not-played", "unknown-side", "declared-unrated", "same-person"]


RUNNING_GAMES = (
    game("g1", "A>B", round=1, date="2024-01-03"),
    game("g2", "A>B", round=1, date="2024-01-03", rated="white"),
    game("g3", "C>D", round=1),
    game("g4", "C>D", round=1, date="2024-01-03", rated="none"),
    game("g5", "A-B", round=1, date="2024-01-03", result="*"),
    game("g6", "A>A2", round=2, date="2024-01-03"),
    game("g7", "A2>C", round=1, date="2024-01-03"),
)


def test_a_game_of_a_running_event_is_rated_early_if_it_is_over_and_has_a_date() -> None:
    games = history_of(published("e1", 1, *RUNNING_GAMES, status="running")).events[minted("e1")].games
    assert [(one.rated, one.why, one.early) for one in games] == [
        ("none", "running", "both"),
        ("none", "running", "white"),
        ("none", "running", "none"),
        ("none", "declared-unrated", "none"),
        ("none", "not-played", "none"),
        ("none", "running", "both"),
        ("none", "running", "both"),
    ]
    assert {one.early for one in history_of(published("e1", 1, *RUNNING_GAMES)).events[minted("e1")].games} == {"none"}


def test_what_would_not_rate_in_the_end_is_not_rated_early() -> None:
    """One person on both sides, two ids of one person in a round: the reason stays that the event is running."""
    history = history_of(published("e1", 1, *RUNNING_GAMES, status="running"), merged("m1", "A2", "A"))
    games = {one.game.id: (one.why, one.early) for one in history.events[minted("e1")].games}
    assert {id: games[id] for id in ("g1", "g2", "g6", "g7")} == dict.fromkeys(("g1", "g2", "g6", "g7"), ("running", "none"))
    history.add([unmerged("m1").fact()])
    assert [history.events[minted("e1")].games[at].early for at in (0, 1, 5, 6)] == ["both", "white", "both", "both"]


def test_games_are_sorted_by_id() -> None:
    history = history_of(published("e1", 1, game("g2", "A>B"), game("g10", "A>B"), game("G3", "A>B")))
    assert list(results(history, "e1")) == ["G3", "g10", "g2"]


def test_two_merged_players_who_met_are_one_person_on_both_sides() -> None:
    history = history_of(published("e1", 1, "A>X", "A>B"), merged("m1", "X", "A"))
    assert results(history, "e1") == {"g1": "A 1-0 A: same-person", "g2": "A 1-0 B"}


def test_a_merge_of_two_who_played_in_one_event_takes_only_the_games_that_clash() -> None:
    """U068: accepted; he is one player there, and only his games of a round in which both ids played do not rate, for either side."""
    first, second = [game("g1", "A>B", round=1), game("g2", "X>C", round=1)], [game("g3", "A>C", round=2), game("g4", "B>C")]
    history = history_of(published("e1", 1, *first, *second), merged("m1", "X", "A"))
    assert results(history, "e1") == {
        "g1": "A 1-0 B: round-clash",
        "g2": "A 1-0 C: round-clash",
        "g3": "A 1-0 C",
        "g4": "B 1-0 C",
    }
    assert history.events[minted("e1")].games[0].clash == (minted("A"), minted("X"))


def test_other_games_of_the_round_rate() -> None:
    games = game("g1", "A>B", round=1), game("g2", "X>C", round=1), game("g3", "D>E", round=1)
    assert results(history_of(published("e1", 1, *games), merged("m1", "X", "A")), "e1")["g3"] == "D 1-0 E"


def test_without_a_round_nothing_clashes() -> None:
    history = history_of(published("e1", 1, "A>B", "X>C"), merged("m1", "X", "A"))
    assert results(history, "e1") == {"g1": "A 1-0 B", "g2": "A 1-0 C"}


def test_one_id_twice_in_a_round_is_the_publishers_business() -> None:
    history = history_of(published("e1", 1, "A>B", "A>C", "D>E"), merged("m1", "X", "A"))
    assert all(one.why is None for one in history.events[minted("e1")].games)


@pytest.mark.parametrize(
    ("other", "clashes"),
    [
        ({"result": "bye-full", "black": None}, False),
        ({"result": "+/-"}, False),
        ({"result": "*"}, False),
        ({"result": "1-0", "rated": "none"}, True),
        ({"result": "1-0", "black": None}, True),
        ({"result": "1-0", "black": minted("X")}, True),
        ({"result": "1-0", "black": minted("A")}, True),
        ({"result": "1-0", "round": 2}, False),
    ],
)
def test_which_games_prove_that_two_ids_played(other: dict[str, Any], clashes: bool) -> None:
    second = {"id": "g2", "round": 1, "white": minted("X"), "black": minted("C"), **other}
    event = published("e1", 1, game("g1", "A>B", round=1), {name: value for name, value in second.items() if value is not None})
    judged = history_of(event, merged("m1", "X", "A")).events[minted("e1")].games[0]
    assert judged.why == ("round-clash" if clashes else None)


def test_the_reason_names_the_two_smallest_ids_of_whites_person() -> None:
    games = [game("g1", "C>Z", round=1), game("g2", "B>D", round=1), game("g3", "A>Y", round=1)]
    merges = [merged("m1", "C", "A"), merged("m2", "B", "A"), merged("m3", "Y", "Z")]
    history = history_of(published("e1", 1, *games), *merges)
    assert history.events[minted("e1")].games[0].clash == (minted("A"), minted("B"))
    history.add([unmerged("m1").fact()])
    assert history.events[minted("e1")].games[0].clash == (minted("Y"), minted("Z"))


def test_a_clash_is_judged_on_the_persons_of_that_event() -> None:
    games = [game("g1", "A>B", round=1), game("g2", "X>C", round=1)]
    facts = [published("e1", 1, *games), published("e2", 1, *games)]
    history = history_of(*facts, merged("m1", "X", "A", "e2"))
    assert [one.why for event in ("e1", "e2") for one in history.events[minted(event)].games] == [None, None, "round-clash", "round-clash"]
