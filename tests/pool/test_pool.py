"""One pool: what makes an update, what is in it, and how a pool starts again."""

import json
from functools import cache
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema
import orjson
import pytest

from rerate.messages.canonical import canonical
from rerate.messages.facts import ROW_TOPICS, Position
from rerate.pool.head import halted_update, head_digest, read_head
from rerate.pool.pool import Halt, Pool, Settings
from rerate.pool.update import Update
from rerate.ratings import glicko2
from tests.kit.driving import (
    DELTAS,
    E20,
    EVENTS,
    NOW_MS,
    PERSONS,
    SETTINGS,
    SNAPSHOTS,
    STANDINGS,
    Driven,
    club_list,
    counts,
    deltas,
    lists,
    moved,
    rows,
)
from tests.kit.saying import (
    POOL,
    corrected,
    deleted,
    game,
    merged,
    minted,
    published,
    registered,
    ruled,
    seeded,
    sent,
    unmerged,
    withdrawn,
)
from tests.kit.sendable import Data, Sendable

SCHEMAS = Path(__file__).parents[2] / "schemas"
SCHEMA_OF = {
    SNAPSHOTS: "rating-snapshot.v1",
    DELTAS: "rating-delta.v1",
    EVENTS: "rated-event.v1",
    PERSONS: "person-id.v1",
    STANDINGS: "fact-standing.v1",
}


@cache
def validator(name: str) -> jsonschema.Draft202012Validator:
    schema = json.loads((SCHEMAS / f"{name}.json").read_bytes())
    return jsonschema.Draft202012Validator(schema, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER)


def club(*facts: Sendable, **of_list: Any) -> Driven:
    """A pool with one list `elo` of the club system as it is."""
    return Driven(lists(1, club_list(**of_list)), *facts)


def snapshot(pool: Driven, player: str, list_id: str = "elo") -> Data:
    found = pool.snapshot(player, list_id)
    assert found is not None, f"{player} has no snapshot"
    return found


# ---------------------------------------------------------------------- when there is an update


def test_the_first_update_is_that_of_the_configuration() -> None:
    pool = club()
    assert [counts(update) for update in pool.updates] == [{STANDINGS: 1}]
    empty = [sha256(f"rerate.{name}.1\n".encode()).hexdigest() for name in ("list", "inputs")]
    assert (*pool.digests(), pool.head()["lists"]["elo"]["rows"]) == (*empty, 0)
    configured = canonical(club_list())
    assert pool.head()["lists"]["elo"]["rules_digest"] == sha256(configured).hexdigest()


def test_an_empty_batch_and_a_duplicate_make_no_update() -> None:
    pool = club(one := published("e1", 1, "A>B"))
    assert pool.take() is None
    assert pool.take(one) is None
    assert pool.take(one, one) is None
    assert (pool.pool.update, len(pool.updates)) == (2, 2)


def test_a_duplicate_beside_something_new_shows_nothing_of_itself() -> None:
    pool = club(one := published("e1", 1, "A>B"))
    assert counts(pool.make(one, published("e2", 1, "A>B", date="2024-01-12"), one)) == {STANDINGS: 1, EVENTS: 1, DELTAS: 2, SNAPSHOTS: 2}


def test_a_fact_without_a_list_is_folded_and_stands() -> None:
    pool = Driven(published("e1", 1, "A>B"))
    assert counts(pool.updates[0]) == {STANDINGS: 1, EVENTS: 1}
    assert pool.head()["lists"] == {}
    update = pool.make(lists(1, club_list()))
    assert counts(update) == {STANDINGS: 1, DELTAS: 2, SNAPSHOTS: 2}


def test_a_correction_of_a_label_moves_the_event_and_no_row() -> None:
    pool = club(published("e1", 1, "A>B"))
    digests = pool.digests()
    assert counts(pool.make(corrected("e1", 2, set={"category": "friendly"}))) == {STANDINGS: 1, EVENTS: 1}
    assert pool.digests() == digests


@pytest.mark.parametrize(
    "fact",
    [
        registered("A", birth_year=1990),
        unmerged("m9"),
        corrected("e9", 2, "A>B"),
        sent("something-new", later="yes"),
        withdrawn(published("e9", 1, "A>B")),
    ],
)
def test_an_accepted_fact_without_effect_moves_its_standing_alone(fact: Sendable) -> None:
    assert counts(club(published("e1", 1, "A>B")).make(fact)) == {STANDINGS: 1}


# ---------------------------------------------------------------------- what is in it


def test_a_row_that_goes_is_a_delta_without_row_and_two_tombstones() -> None:
    pool = club(published("e1", 1, "A>B"), published("e2", 1, "A>B", date="2024-01-12"))
    update = pool.make(deleted("e2", 2, "void"))
    going = [
        (key.rsplit("/", 3)[0].rpartition("/")[2], value and value["row"], value and value["by"]["before"])
        for key, value in rows(update, DELTAS)
    ]
    assert going == [("t:A", None, "1237.7"), ("t:A", None, None), ("t:B", None, "1162.3"), ("t:B", None, None)]
    assert all(value is not None for _, value in rows(update, SNAPSHOTS))
    update = pool.make(deleted("e1", 2, "void"))
    assert [value for _, value in rows(update, SNAPSHOTS)] == [None, None]


def test_rows_stand_by_the_bytes_of_their_keys() -> None:
    """Upper case before lower, a shorter id before what it begins; not by what the ids mean."""
    pool = club()
    update = pool.make(published("e1", 1, "b>B", "a>A1", "a1>A"), published("e10", 1, "a>b"), published("e2", 1, "a>b"))
    for topic in ROW_TOPICS:
        keys = [key.encode() for key, _ in update.rows[topic]]
        assert keys == sorted(keys)
    assert [key.rpartition(":")[2] for key, _ in update.rows[SNAPSHOTS]] == ["A", "A1", "B", "a", "a1", "b"]
    assert [key.rpartition(":")[2] for key, _ in update.rows[EVENTS]] == ["e1", "e10", "e2"]


def test_every_row_topic_is_in_every_update() -> None:
    assert all(list(update.rows) == list(ROW_TOPICS) for update in busy().updates)


def test_heads_are_a_chain_without_holes() -> None:
    heads = [update.head for update in busy().updates]
    assert [read_head(head).update for head in heads] == list(range(1, len(heads) + 1))
    assert [read_head(head).previous for head in heads] == [None, *(head_digest(head) for head in heads[:-1])]


def test_a_head_says_what_the_update_stands_for() -> None:
    pool = club(published("e1", 1, "A>B"))
    head = pool.head()
    assert {name: head[name] for name in ("pool", "update", "edition", "semantics", "engine", "state", "left", "append_time_ms", "by")} == {
        "pool": POOL,
        "update": 2,
        "edition": 1,
        "semantics": 1,
        "engine": SETTINGS.engine,
        "state": "live",
        "left": {},
        "append_time_ms": NOW_MS + 2,
        "by": {},
    }
    assert {topic: offset for topic, offset in head["positions"].items() if offset} == {"pool-facts": 1, "result-published": 1}
    assert (head["lists"]["elo"]["players"], head["lists"]["elo"]["rows"]) == (2, 2)


def test_own_games_are_direct_and_what_follows_is_carried() -> None:
    pool = club(published("e1", 1, "A>B"), published("e2", 1, "B>C", date="2024-01-12"))
    update = pool.make(corrected("e1", 2, "A<B"))
    assert {(d["player"], d["period"]["event"], d["by"]["cause"]) for d in deltas(update)} == {
        (minted("A"), minted("e1"), "direct"),
        (minted("B"), minted("e1"), "direct"),
        (minted("B"), minted("e2"), "carried"),
        (minted("C"), minted("e2"), "carried"),
    }


def test_before_is_what_was_last_published_under_the_key() -> None:
    """U039: over a busy life, with rows that go and come back."""
    last: dict[str, str | None] = {}
    seen = 0
    for update in busy().updates:
        for delta in deltas(update):
            assert delta["by"]["before"] == last.get(delta["key"])
            last[delta["key"]] = None if delta["row"] is None else delta["row"]["rating"]
            seen += delta["by"]["before"] is not None
    assert seen > 20


def test_a_row_is_the_sum_of_what_it_shows() -> None:
    """rating used + sum of K x (score - expected), rounded once = the rating after."""
    for delta in busy().deltas("fine"):
        (line,) = delta["row"]["events"]
        change = sum(term["k"] * (millionths(term["score"]) - millionths(term["expected"])) for term in line["terms"])
        size = (2 * abs(change) + 1_000) // 2_000
        assert millionths(delta["row"]["rating"]) - millionths(line["rating"]) == 1_000 * (size if change >= 0 else -size)
        assert line["games"] == line["protected"] + sum(term["games"] for term in line["terms"])


def millionths(decimal: str) -> int:
    whole, _, places = decimal.partition(".")
    return int(whole + places.ljust(6, "0"))


# ---------------------------------------------------------------------- snapshots


def test_a_snapshot_says_where_a_player_stands() -> None:
    pool = club(published("e1", 1, "A>B", "A=C", "D>A"), published("e2", 1, "A>B", date="2024-02-01"))
    found = snapshot(pool, "A")
    del found["by"], found["pool"], found["list"]
    assert found == {
        "player": minted("A"),
        "rating": "1218.8",
        "shown": "1219",
        "provisional": True,
        "games": 4,
        "won": 2,
        "drawn": 1,
        "lost": 1,
        "peak": {"rating": "1218.8", "date": "2024-02-01"},
        "last_game": "2024-02-01",
    }


def test_the_peak_is_no_start_value_and_its_first_date_counts() -> None:
    pool = club(published("e1", 1, "A<B"), published("e2", 1, "C=D", date="2024-01-06"), published("e3", 1, "C=D", date="2024-01-07"))
    assert snapshot(pool, "A")["peak"] == {"rating": "1180.0", "date": "2024-01-05"}
    assert snapshot(pool, "C")["peak"] == {"rating": "1200.0", "date": "2024-01-06"}


def test_the_last_game_goes_back_when_it_goes() -> None:
    pool = club(published("e1", 1, "A>B"), published("e2", 1, "A=B", date="2024-01-12"))
    assert snapshot(pool, "A")["last_game"] == "2024-01-12"
    pool.take(deleted("e2", 2, "void"))
    assert snapshot(pool, "A")["last_game"] == "2024-01-05"


def test_results_that_leave_the_row_as_it_is_still_move_won_drawn_and_lost() -> None:
    pool = club(published("e1", 1, "A>B", "A<B"))
    update = pool.make(corrected("e1", 2, "A=B", "A=B"))
    assert DELTAS not in counts(update)
    assert [snapshot(pool, player)["drawn"] for player in "AB"] == [2, 2]
    assert pool.holds() == pool.fresh().holds()


def test_a_penalty_counts_each_side_by_its_own_score() -> None:
    pool = club(published("e1", 1, game("g1", "A-B", result="1/2-0", rated="both"), game("g2", "A-B", result="0-0", rated="both")))
    assert [[snapshot(pool, player)[name] for name in ("won", "drawn", "lost")] for player in "AB"] == [[0, 1, 1], [0, 0, 2]]


def test_a_game_rated_for_one_side_makes_a_row_for_that_side() -> None:
    pool = club(published("e1", 1, game("g1", "A>B", rated="white")))
    assert pool.ratings() == {"A": "1220.0"}
    assert pool.head()["lists"]["elo"]["players"] == 1


# ---------------------------------------------------------------------- seeds


def test_a_seed_makes_a_snapshot_and_no_delta() -> None:
    pool = club()
    update = pool.make(seeded("A", as_of="2023-12-31", state={"rating": "1400", "games": 7}))
    assert counts(update) == {STANDINGS: 1, SNAPSHOTS: 1}
    found = snapshot(pool, "A")
    assert (found["rating"], found["games"], found["as_of"], found["provisional"], found["won"]) == ("1400.0", 7, "2023-12-31", False, 0)
    assert "peak" not in found
    assert "last_game" not in found
    assert (pool.head()["lists"]["elo"]["players"], pool.head()["lists"]["elo"]["rows"]) == (1, 0)


def test_before_its_date_a_seeded_player_has_no_row_and_his_games_rate_for_nobody() -> None:
    pool = club(published("e1", 1, "A>B", "B>C"), published("e2", 1, "A>B", date="2024-01-12"))
    pool.take(seeded("A", as_of="2024-01-12", state={"rating": "1400", "games": 20}))
    assert {(row["player"], row["period"]["event"]) for row in pool.deltas()} == {
        (minted("B"), minted("e1")),
        (minted("C"), minted("e1")),
        (minted("A"), minted("e2")),
        (minted("B"), minted("e2")),
    }
    assert snapshot(pool, "A")["games"] == 21
    assert pool.row("B", "e1")["row"]["rating"] == "1220.0"  # type: ignore[index]


def test_the_day_of_the_seed_itself_is_rated() -> None:
    pool = club(seeded("A", as_of="2024-01-05"), published("e1", 1, "A>B"))
    assert pool.row("A", "e1") is not None


def test_a_later_seed_date_takes_rows_away_and_a_withdrawal_brings_them_back() -> None:
    pool = club(published("e1", 1, "A>B"), published("e2", 1, "C=D"))
    before = pool.holds()
    update = pool.make(seed := seeded("A", as_of="2024-06-01"))
    assert {player for player, (_, after) in ((p, a) for (p, _), a in moved(update).items()) if after is None} == {"A", "B"}
    pool.take(withdrawn(seed))
    assert {t: rows for t, rows in pool.holds().items() if t != STANDINGS} == {t: rows for t, rows in before.items() if t != STANDINGS}


def test_of_two_seeds_of_one_person_one_is_chosen_and_the_other_adds_its_games() -> None:
    own, other = seeded("A", state={"rating": "1400", "games": 3}), seeded("X", as_of="2024-01-01", state={"rating": "1500", "games": 4})
    pool = club(own, other, merged("m1", "X", "A"))
    found = snapshot(pool, "A")
    assert (found["rating"], found["games"], found["as_of"], found["provisional"]) == ("1400.0", 7, "2023-12-31", False)
    assert pool.ratings() == {"A": "1400.0"}
    assert [pool.standing(fact) for fact in (own, other)] == ["in-force", "in-force counters-only"]


def test_without_a_seed_of_the_naming_id_the_newest_counts() -> None:
    seeds = (
        seeded("X", as_of="2023-01-01", state={"rating": "1300", "games": 3}),
        seeded("Y", as_of="2024-01-01", state={"rating": "1500", "games": 4}),
    )
    pool = club(*seeds, merged("m1", "X", "A"), merged("m2", "Y", "A"))
    assert (pool.rating("A"), snapshot(pool, "A")["as_of"], snapshot(pool, "A")["games"]) == ("1500.0", "2024-01-01", 7)


def test_seeds_are_in_the_digest_of_the_list() -> None:
    seeded_pool = club(seeded("A"))
    assert seeded_pool.digests()[0] != club().digests()[0]
    assert seeded_pool.digests()[1] == club().digests()[1]


def test_a_list_keeps_its_seeds_when_its_last_game_goes() -> None:
    pool = club(seeded("A"), published("e1", 1, "A>B"), deleted("e1", 2, "void"), published("e1", 3, "A>B"))
    assert pool.ratings() == {"A": "1400.0", "B": "1190.4"}
    assert pool.holds() == pool.fresh().holds() | {STANDINGS: pool.holds()[STANDINGS]}


# ---------------------------------------------------------------------- which list takes what


def taken(event: dict[str, Any], **of_list: Any) -> bool:
    """Whether a list takes an event."""
    return bool(club(published("e1", 1, "A>B", **event), **of_list).ratings())


@pytest.mark.parametrize(
    ("event", "of_list", "takes"),
    [
        ({}, {}, True),
        ({"category": "cup"}, {"categories": ["club", "cup"]}, True),
        ({"category": "friendly"}, {"categories": ["club", "cup"]}, False),
        ({"category": "friendly"}, {"categories": []}, False),
        ({"variant": "standard"}, {}, True),
        ({"variant": "blitz"}, {}, False),
        ({"variant": "blitz"}, {"variants": ["blitz", "rapid"]}, True),
        ({}, {"variants": ["blitz", "rapid"]}, False),
        ({"variant": "bughouse"}, {"variants": ["bughouse"]}, False),
        ({"variant": "bughouse", "lists": ["elo"]}, {"variants": ["bughouse"]}, False),
        ({"date": "2024-01-05"}, {"from_": "2024-01-05"}, True),
        ({"date": "2024-01-04"}, {"from_": "2024-01-05"}, False),
        ({"date": "2024-01-04"}, {"until": "2024-01-05"}, True),
        ({"date": "2024-01-05"}, {"until": "2024-01-05"}, False),
        ({"lists": ["elo"], "category": "friendly"}, {"categories": ["club"]}, True),
        ({"lists": ["blitz"]}, {}, False),
        ({"lists": []}, {}, False),
        ({"lists": ["elo"], "date": "2023-01-01"}, {"from_": "2024-01-05"}, False),
        ({"lists": ["elo"], "variant": "blitz"}, {}, False),
        ({"status": "running"}, {}, False),
    ],
)
def test_a_list_takes_an_event(event: dict[str, Any], of_list: dict[str, Any], takes: bool) -> None:
    assert taken(event, **of_list) is takes


def test_an_event_without_result_yet_is_rated_when_it_is_final() -> None:
    pool = club(published("e1", 1, "A>B", status="running"))
    event = pool.event("e1")
    assert event is not None
    assert (event["games"][0]["why"], pool.ratings()) == ("running", {})
    pool.take(corrected("e1", 2, set={"status": "final"}))
    assert pool.rating("A") == "1220.0"


def test_two_lists_go_their_own_ways() -> None:
    pool = Driven(lists(1, club_list("all"), club_list("cup", E20, categories=["cup"], quantum="0.001")))
    pool.take(published("e1", 1, "A>B"))
    assert (pool.ratings("all"), pool.ratings("cup")) == ({"A": "1220.0", "B": "1180.0"}, {})
    update = pool.make(published("e2", 1, "A>B", date="2024-01-12", category="cup"))
    assert (pool.rating("A", "all"), pool.rating("A", "cup")) == ("1237.7", "1510.000")
    assert [key.split("/")[1] for key, _ in update.rows[DELTAS]] == ["all@1", "all@1", "cup@1", "cup@1"]
    digests = pool.digests("cup")
    pool.take(corrected("e1", 2, "A<B"))
    assert pool.digests("cup") == digests


def test_another_range_of_dates_or_other_categories_move_rows_within_the_edition() -> None:
    pool = club(published("e1", 1, "A>B"), published("e2", 1, "A>B", date="2024-02-01", category="cup"))
    pool.take(lists(2, club_list(from_="2024-02-01")))
    assert {row["period"]["event"] for row in pool.deltas()} == {minted("e2")}
    pool.take(lists(3, club_list(categories=["club"])))
    assert {row["period"]["event"] for row in pool.deltas()} == {minted("e1")}
    assert (pool.head()["lists"]["elo"]["edition"], pool.head()["left"]) == (1, {})
    assert pool.digests() == pool.fresh().digests()


def test_the_list_says_by_which_date_an_event_is_rated() -> None:
    first = published("e1", 1, game("g1", "A>B", date="2024-01-03"), game("g2", "A>B"), start_date="2024-01-01")
    for dated_by, dates in (("end", ["2024-01-05"]), ("start", ["2024-01-01"]), ("game", ["2024-01-03", "2024-01-05"])):
        pool = club(first, dated_by=dated_by, period="date")
        assert sorted({row["period"]["date"] for row in pool.deltas()}) == dates
    pool = club(first, dated_by="game", period="date")
    assert snapshot(pool, "A")["last_game"] == "2024-01-05"
    pool.take(lists(2, club_list(dated_by="start", period="date")))
    assert (pool.head()["lists"]["elo"]["edition"], snapshot(pool, "A")["last_game"]) == (1, "2024-01-01")
    assert pool.holds() == pool.fresh().holds()


def test_a_period_a_round_judges_each_round_by_the_one_before() -> None:
    games = game("g1", "A>B", round=1), game("g2", "A>B", round=2)
    assert club(published("e1", 1, *games), period="round").rating("A") == "1237.7"
    assert club(published("e1", 1, *games), period="event").rating("A") == "1240.0"


def test_a_period_a_date_judges_all_events_of_a_day_by_the_day_before() -> None:
    pool = club(published("e1", 1, "A>B"), published("e2", 1, "A>B"), period="date")
    assert pool.rating("A") == "1240.0"
    (row,) = (row for row in pool.deltas() if row["player"] == minted("A"))
    assert [line["event"] for line in row["row"]["events"]] == [minted("e1"), minted("e2")]


# ---------------------------------------------------------------------- configurations that follow


RULE = {"system": "club/1", "parameters": {}}


def test_a_rule_that_begins_later_sends_nothing_again() -> None:
    pool = club(published("e1", 1, "A>B"))
    digests = pool.digests()
    update = pool.make(lists(2, club_list(rules=[RULE, {"from": "2024-02-01", **RULE, "parameters": {"k_new": 32}}])))
    assert counts(update) == {STANDINGS: 2}
    assert (pool.head()["lists"]["elo"]["edition"], pool.digests()) == (1, digests)
    pool.take(published("e2", 1, "C>D", date="2024-02-01"))
    assert pool.rating("C") == "1216.0"


@pytest.mark.parametrize(
    "second",
    [
        club_list(quantum="0.01"),
        club_list(shown="0.1"),
        club_list(period="date"),
        club_list(parameters={"k_new": 32}),
        club_list(rules=[RULE, {"from": "2024-01-05", **RULE, "parameters": {"k_new": 32}}]),
    ],
)
def test_what_reaches_rows_already_there_begins_a_new_edition(second: Data) -> None:
    pool = club(published("e1", 1, "A>B"))
    update = pool.make(lists(2, second))
    assert (pool.head()["lists"]["elo"]["edition"], pool.head()["left"]) == (2, {})
    assert {key.split("/")[1] for key, value in rows(update, DELTAS) if value is not None} == {"elo@2"}
    assert [key.split("/")[1] for key, value in rows(update, DELTAS) if value is None] == ["elo@1"] * 2
    assert all("/elo@2/" in key for key in pool.topics[SNAPSHOTS])
    assert pool.holds() == pool.fresh().holds()


def test_a_list_that_leaves_takes_its_rows_along_and_comes_back_under_the_next_number() -> None:
    pool = club(published("e1", 1, "A>B"))
    update = pool.make(lists(2))
    assert (pool.topics[DELTAS], pool.topics[SNAPSHOTS]) == ({}, {})
    assert [value for topic in (DELTAS, SNAPSHOTS) for _, value in rows(update, topic)] == [None] * 4
    assert (pool.head()["lists"], pool.head()["left"]) == ({}, {"elo": 1})
    pool.take(lists(3, club_list()))
    assert (pool.head()["lists"]["elo"]["edition"], pool.head()["left"], pool.rating("A")) == (2, {}, "1220.0")


def test_an_unknown_system_holds_its_list_until_a_configuration_says_another() -> None:
    pool = Driven(lists(1, club_list("new", rules=[{"system": "glicko/7", "parameters": {}}]), club_list()), published("e1", 1, "A>B"))
    assert (pool.head()["lists"]["new"]["held"], pool.rating("A")) == ("system", "1220.0")
    assert "list_digest" not in pool.head()["lists"]["new"]
    pool.take(lists(2, club_list("new"), club_list()))
    assert (pool.rating("A", "new"), pool.head()["lists"]["new"]["edition"]) == ("1220.0", 2)


def test_an_older_configuration_that_arrives_late_changes_nothing() -> None:
    pool = Driven(lists(2, club_list()), published("e1", 1, "A>B"))
    assert counts(pool.make(lists(1, club_list(quantum="0.001")))) == {STANDINGS: 1}


# ---------------------------------------------------------------------- on the wire


def busy() -> Driven:
    """A pool to which everything happens, on two lists."""
    pool = Driven(lists(1, club_list("elo"), club_list("fine", E20, quantum="0.001", shown="0.01")))
    night = [game(f"g{n}", pairing, round=1 + n // 2, board=1 + n % 2) for n, pairing in enumerate(("A>B", "C=D", "A<C", "B>D"))]
    unplayed = [game("b1", "E-", result="bye-full"), game("b2", "E-", result="bye-pairing", points=1), game("f1", "A-E", result="+/-")]
    first = published("e1", 1, *night, *unplayed, start_date="2024-01-04", reported="2024-01-06", part_of="season-24", order=-1)
    pool.each(
        first,
        published(
            "e2", 1, "A>B", game("g2", "C-A", result="1/2-0", rated="white"), date="2024-01-12", category="cup", lists=["elo", "fine"]
        ),
        published("e3", 1, "X>C", game("g2", "D>A", rated="none", unrated_reason="casual"), date="2024-01-19"),
        corrected("e1", 2, game("g0", "A<B", round=1, board=1), saw=0),
        seeded("D", as_of="2023-12-31", state={"rating": "1400", "games": 20}),
        merge := merged("m1", "X", "A"),
        merged("m2", "E", "B", "e1"),
        merged("m3", "E", "C", "e1"),
        ruled("e2", "r1", games=[game("g1", "A-B") | {"fields": {"result": "0-1"}}], set={"date": "2024-01-13"}),
        ruled("e2", "r2", games=[game("g1", "B-A") | {"fields": {"result": "0-1"}}]),
        deleted("e3", 2, "archive"),
        unmerged("m1"),
        deleted("e1", 3, "void"),
        published("e1", 4, *night),
        published("e1", 4, "A=B"),
        withdrawn(merge),
        lists(2, club_list("elo", period="date"), club_list("fine", E20, quantum="0.001", shown="0.01")),
        lists(3, club_list("fine", E20, quantum="0.001", shown="0.01"), club_list("odd", rules=[{"system": "later/1", "parameters": {}}])),
        registered("A", birth_year=1990),
        sent("something-new", later="yes"),
        seeded("A", list="fine", state={"rating": "high", "games": 1}),
    )
    return pool


def test_every_published_value_is_what_its_schema_says() -> None:
    pool = busy()
    checked: dict[str, int] = {}
    for update in pool.updates:
        for topic in ROW_TOPICS:
            for _, value in rows(update, topic):
                if value is not None:
                    validator(SCHEMA_OF[topic]).validate(value)
                    checked[topic] = checked.get(topic, 0) + 1
        validator("rating-head.v1").validate(orjson.loads(update.head)["data"])
    assert min(checked[topic] for topic in ROW_TOPICS) >= 5


def test_every_published_value_is_canonical_and_says_its_update() -> None:
    for update in busy().updates:
        assert canonical(orjson.loads(update.head)) == update.head
        for topic in ROW_TOPICS:
            for _, raw in update.rows[topic]:
                if raw is not None:
                    assert canonical(orjson.loads(raw)) == raw
                    assert orjson.loads(raw)["by"]["update"] == update.number


@pytest.mark.parametrize("k", [255, 256, 1_000])
def test_a_row_of_a_high_k_is_what_its_schema_says(k: int) -> None:
    pool = club(published("e1", 1, "A>B"), parameters={"k_new": k})
    for delta in pool.deltas():
        validator("rating-delta.v1").validate(delta)


def test_what_is_published_is_what_a_pool_fed_at_once_publishes() -> None:
    pool = busy()
    assert pool.fresh().holds() == pool.holds()


# ---------------------------------------------------------------------- halted


def test_an_unknown_semantics_halts_the_pool() -> None:
    pool = club(published("e1", 1, "A>B"))
    with pytest.raises(Halt) as halt:
        pool.take(lists(2, club_list(), semantics=2))
    assert halt.value.reason == "semantics"


def test_an_update_of_too_many_rows_halts_the_pool() -> None:
    pool = Driven(settings=Settings(engine="rerate tests", max_rows=6))
    pool.each(lists(1, club_list()), published("e1", 1, "A=B"))
    with pytest.raises(Halt) as halt:
        pool.take(published("e2", 1, "A>C", date="2023-01-01"))
    assert halt.value.reason == "too-many-rows"


def test_a_row_that_no_log_carries_halts_the_pool_and_without_its_fact_it_goes_on() -> None:
    pool = Driven(settings=Settings(engine="rerate tests", max_row_bytes=2_000))
    pool.each(lists(1, club_list()), published("e1", 1, "A=B"))
    games = [f"P{n}>Q{n}" for n in range(20)]
    large = published("e2", 1, *games)
    with pytest.raises(Halt, match=r"row t:pool@1/t:e2 of rated-events has \d+ bytes, 2000 is the bound") as halt:
        pool.take(large)
    assert halt.value.reason == "row-too-large"
    assert pool.fresh([lists(1, club_list()), published("e1", 1, "A=B")]).ratings() == {"A": "1200.0", "B": "1200.0"}


def test_a_search_that_comes_to_no_number_halts_the_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    of = {"id": "g2", "quantum": "0.1", "shown": "1", "period": "event"}
    pool = Driven(lists(1, {**of, "rules": [{"system": "glicko2/1", "parameters": {}}]}))
    monkeypatch.setattr(glicko2, "MOST_STEPS", 1)
    with pytest.raises(Halt, match="does not come to an end in 1 steps") as halt:
        pool.take(published("e1", 1, "A>B", "A>C"))
    assert halt.value.reason == "no-result"


def test_a_rebuild_heeds_the_bound_on_rows() -> None:
    pool = Driven(lists(1, club_list()), published("e1", 1, "A>B"))
    facts = [(fact, position) for fact, position in pool.log]
    bounded = Settings(engine="rerate tests", max_rows=2)
    with pytest.raises(Halt) as halt:
        Pool.rebuild(pool.pool.id, bounded, facts, pool.updates[-1].head, {}, pool.positions, 0)
    assert halt.value.reason == "too-many-rows"


def test_a_fault_in_a_system_halts_the_pool_with_what_it_was() -> None:
    def broken(*_: object) -> Any:
        raise ZeroDivisionError("in the depth of a formula")

    pool = Driven(settings=Settings(engine="rerate tests", systems={"club/1": broken}))
    with pytest.raises(Halt, match="ZeroDivisionError: in the depth") as halt:
        pool.take(lists(1, club_list()))
    assert halt.value.reason == "fold"


def test_a_halted_head_says_why_and_keeps_positions_and_lists() -> None:
    pool = club(published("e1", 1, "A>B"))
    update = halted_update(POOL, pool.updates[-1].head, "fold", semantics=1, engine="rerate other")
    data, before = orjson.loads(update.head)["data"], pool.head()
    assert (data["state"], data["reason"], data["update"], update.number) == ("halted", "fold", 3, 3)
    assert data["previous"] == head_digest(pool.updates[-1].head)
    assert {name: data[name] for name in ("positions", "lists", "left", "append_time_ms")} == {
        name: before[name] for name in ("positions", "lists", "left", "append_time_ms")
    }
    assert update.rows == {topic: [] for topic in ROW_TOPICS}
    validator("rating-head.v1").validate(data)


def test_a_pool_may_be_halted_before_its_first_update() -> None:
    update = halted_update(POOL, None, "semantics", semantics=1, engine="rerate tests")
    data = orjson.loads(update.head)["data"]
    assert (data["update"], data["lists"], "previous" in data) == (1, {}, False)
    validator("rating-head.v1").validate(data)


# ---------------------------------------------------------------------- starting again


def restored(pool: Driven, head: bytes | None = None) -> Pool:
    return Pool.restore(POOL, pool.settings, pool.log, head or pool.updates[-1].head)


def test_a_restored_pool_goes_on_as_if_it_had_never_stopped() -> None:
    pool, twin = busy(), busy()
    twin.pool = restored(twin)
    following = published("e9", 1, "A>Q", date="2024-03-01", id="after-restart")
    one, other = pool.make(following), twin.make(following)
    assert one.rows == other.rows
    assert one.head == other.head


def test_a_pool_without_a_head_is_restored_from_nothing() -> None:
    assert Pool.restore(POOL, SETTINGS, [], None).update == 0


@pytest.mark.parametrize(("digest", "said"), [("list_digest", "ratings of list elo"), ("input_digest", "games of list elo")])
def test_a_head_whose_digest_the_facts_do_not_give_halts(digest: str, said: str) -> None:
    pool = club(published("e1", 1, "A>B"))
    event = orjson.loads(pool.updates[-1].head)
    event["data"]["lists"]["elo"][digest] = "0" * 64
    with pytest.raises(Halt, match=said) as halt:
        restored(pool, canonical(event))
    assert halt.value.reason == "digest"


def test_facts_that_are_missing_halt_as_games_that_differ() -> None:
    pool = club(published("e1", 1, "A>B"), published("e2", 1, "A>B", date="2024-01-12"))
    with pytest.raises(Halt, match="games of list elo are not those of head 3"):
        Pool.restore(POOL, SETTINGS, pool.log[:-1], pool.updates[-1].head)
    with pytest.raises(Halt, match="has a list elo that the facts do not give"):
        Pool.restore(POOL, SETTINGS, pool.log[1:], pool.updates[-1].head)


def test_a_list_held_in_the_newest_head_wakes_at_the_next_update_with_an_edition_of_its_own() -> None:
    old = Driven(settings=Settings(engine="rerate old", systems={}))
    old.each(lists(1, club_list()), published("e1", 1, "A>B"), seeded("C"))
    assert old.head()["lists"]["elo"]["held"] == "system"
    pool = Pool.restore(POOL, SETTINGS, old.log, old.updates[-1].head)
    update = pool.take([], old.positions, NOW_MS)
    assert update is not None
    assert {key.split("/")[1] for key, _ in update.rows[SNAPSHOTS]} == {"elo@2"}
    assert len(update.rows[SNAPSHOTS]) == 3


def test_an_engine_that_lacks_the_system_of_a_rated_list_halts_its_pool_and_a_rebuild_goes_on_without_it() -> None:
    """Held in silence, its rows would go on standing for what they are no longer."""
    pool = club(published("e1", 1, "A>B"), seeded("C"))
    older = Settings(engine="rerate old", systems={})
    with pytest.raises(Halt, match=r"cannot rate list elo of head 3 \(system\): install what it lacks"):
        Pool.restore(POOL, older, pool.log, pool.updates[-1].head)
    pool.settings = older
    pool.rebuilt()
    assert pool.head()["lists"]["elo"]["held"] == "system"
    assert (pool.topics[DELTAS], pool.topics[SNAPSHOTS]) == ({}, {})
    assert pool.holds() == pool.fresh().holds()
    pool.settings = SETTINGS
    pool.rebuilt()
    assert pool.rating("A") == "1220.0"


def test_a_held_list_says_why_this_engine_holds_it() -> None:
    odd = club_list("elo", rules=[{"system": "club/1", "parameters": {"k_old": 1}}])
    old = Driven(settings=Settings(engine="rerate old", systems={}))
    old.each(lists(1, odd, club_list("other")), published("e1", 1, "A>B"))
    assert old.head()["lists"]["elo"]["held"] == "system"
    old.settings = SETTINGS
    old.pool = Pool.restore(POOL, SETTINGS, old.log, old.updates[-1].head)
    old.take(published("e2", 1, "A>B", date="2024-01-12"))
    assert old.head()["lists"]["elo"]["held"] == "parameters"
    assert old.holds() == old.fresh().holds()


def test_a_rebuild_always_publishes_a_head_and_no_row_if_the_topics_are_right() -> None:
    pool = busy()
    before = {topic: dict(values) for topic, values in pool.topics.items()}
    update = pool.rebuilt()
    assert (update.row_count, update.number) == (0, len(pool.updates))
    assert pool.topics == before
    assert read_head(update.head).previous == head_digest(pool.updates[-2].head)
    assert pool.rebuilt().number == update.number + 1


def test_a_rebuilt_pool_goes_on() -> None:
    pool = busy()
    pool.rebuilt()
    pool.take(published("e9", 1, "A>Q", date="2024-03-01"))
    assert pool.holds() == pool.fresh().holds()


def damaged(pool: Driven) -> dict[str, dict[str, bytes]]:
    """The topics with a rating altered, a row lost, a row too many, in each of deltas and snapshots."""
    topics = {topic: dict(values) for topic, values in pool.topics.items()}
    for topic in (SNAPSHOTS, DELTAS):
        altered, lost, *_ = topics[topic]
        topics[topic][altered] = topics[topic][altered].replace(b'"rating":"1', b'"rating":"2')
        assert topics[topic][altered] != pool.topics[topic][altered]
        del topics[topic][lost]
        topics[topic][f"{altered}~"] = topics[topic][altered]
    return topics


def rebuilt(pool: Driven, topics: dict[str, dict[str, bytes]]) -> Update:
    return Pool.rebuild(POOL, SETTINGS, pool.log, pool.updates[-1].head, topics, pool.positions, NOW_MS)[1]


def test_a_rebuild_mends_rows_that_were_altered_lost_or_made_up() -> None:
    pool = club(*(published(f"e{n}", 1, "A>B", "C=D", date=f"2024-01-1{n}") for n in range(4)))
    topics = damaged(pool)
    update = rebuilt(pool, topics)
    assert {topic: len({key for key, _ in values}) for topic, values in update.rows.items() if values} == {DELTAS: 3, SNAPSHOTS: 3}
    for topic, values in update.rows.items():
        for key, value in values:
            if value is None:
                topics[topic].pop(key)
            else:
                topics[topic][key] = value
    what_holds = {topic: {key: held(value) for key, value in values.items()} for topic, values in topics.items()}
    assert what_holds == {topic: {key: held(value) for key, value in values.items()} for topic, values in pool.topics.items()}


def held(value: bytes) -> Data:
    row: Data = orjson.loads(value)
    del row["by"]
    return row


def test_a_rebuild_says_of_each_row_it_mends_what_stood_there() -> None:
    """So `before` is the last published `after` here too, and a row that goes is sent as a delta before its tombstone."""
    pool = club(*(published(f"e{n}", 1, "A>B", "C=D", date=f"2024-01-1{n}") for n in range(4)))
    topics = damaged(pool)
    stood = {key: orjson.loads(value)["row"]["rating"] for key, value in topics[DELTAS].items()}
    update = rebuilt(pool, topics)
    assert [delta["by"]["before"] for delta in deltas(update)] == [stood.get(delta["key"]) for delta in deltas(update)]
    assert [delta["key"][-1] for delta in deltas(update) if delta["row"] is None] == ["~"]
    for (key, value), (following, tombstone) in pairwise(update.rows[DELTAS]):
        if tombstone is None:
            assert key == following
            assert value is not None


def test_a_rebuild_ends_a_halt_under_the_edition_of_its_lists() -> None:
    pool = club(published("e1", 1, "A>B"))
    pool.take(lists(2, club_list(quantum="0.01")))
    halted = halted_update(POOL, pool.updates[-1].head, "fold", semantics=1, engine="rerate tests")
    again, update = Pool.rebuild(POOL, SETTINGS, pool.log, halted.head, pool.topics, pool.positions, NOW_MS)
    assert (update.row_count, update.number) == (0, 5)
    assert again.head is not None
    assert (again.head.state, again.head.lists["elo"].edition) == ("live", 2)


def test_a_list_configured_anew_while_its_pool_stood_still_begins_a_new_edition() -> None:
    pool = Driven(lists(1, club_list("elo"), club_list("other")), published("e1", 1, "A>B"))
    halted = halted_update(POOL, pool.updates[-1].head, "fold", semantics=1, engine="rerate tests")
    pool.log.append((lists(2, club_list("elo", quantum="0.01")).fact(), Position("pool-facts", 1)))
    again, update = Pool.rebuild(POOL, SETTINGS, pool.log, halted.head, pool.topics, pool.positions, NOW_MS)
    assert again.head is not None
    assert ({name: entry.edition for name, entry in again.head.lists.items()}, again.head.left) == ({"elo": 2}, {"other": 1})
    assert [(key.split("/")[1], value is None) for key, value in update.rows[SNAPSHOTS]] == [
        *[("elo@1", True)] * 2,
        *[("elo@2", False)] * 2,
        *[("other@1", True)] * 2,
    ]
    assert all(value is not None or key.split("/")[1] != "elo@2" for key, value in update.rows[DELTAS])


def test_a_rebuild_replaces_what_nobody_can_read() -> None:
    pool = club(published("e1", 1, "A>B"))
    topics = {topic: {key: b"\xff" if "t:A" in key else b"[1]" for key in values} for topic, values in pool.topics.items()}
    assert {key: value for values in rebuilt(pool, topics).rows.values() for key, value in values}.keys() == {
        key for values in pool.topics.values() for key in values
    }
