"""What went wrong elsewhere must not here: public field reports, one test an id, on a pool that is fed bytes.

Unless a test says otherwise: club/1, start 1500, K 20 for everybody, nobody provisional, quantum 0.001, a period an event. The right
figures come from `tests.kit.plain_elo`, which knows nothing of the engine. BASE3 is three events of one game: A>B, B>C, C>A.

Of the kinds K01, K02, K04, K05, K06, K08 and K13 these are not here:

* the intake's, which makes dates of times, matches names and reads files: U044, U062, U064, U067, U080;
* the audit's and the dry run's: U154;
* the log's and the rater's transaction: U164 (an update is whole: `test_pool.py`; that it stays so in a crash: `tests/log`, `tests/rater`);
* no such concept or system here: U024, U028 (TrueSkill, ceilings of entry).
"""

import os
import struct
import time
from collections.abc import Iterator
from hashlib import sha256
from itertools import permutations
from random import Random

import orjson
import pytest

from rerate.messages.facts import FACT_TOPICS
from rerate.messages.partition import partition_of
from rerate.messages.reading import Message, read
from rerate.messages.refusals import Refusal
from rerate.pool.head import halted_update
from rerate.pool.lists import LiveList
from rerate.pool.pool import Halt, Pool
from tests.kit.driving import DELTAS, SETTINGS, SNAPSHOTS, Driven, club_list, counts, deltas, e20, lists, moved, rows
from tests.kit.plain_elo import history, ladder
from tests.kit.saying import POOL, change, corrected, deleted, game, merged, minted, published, ruled, seeded, sent, unmerged, withdrawn
from tests.kit.sendable import Data, Sendable

E1, E2, E3 = "2024-01-05 e1 A>B", "2024-01-12 e2 B>C", "2024-01-19 e3 C>A"


def played(event: str) -> Sendable:
    """The publication of an event said as `2024-01-05 e1 A>B`."""
    date, id, *pairings = event.split()
    return published(id, 1, *pairings, date=date)


def base3() -> Driven:
    return Driven(e20(), *map(played, (E1, E2, E3)))


def test_the_plain_calculation_gives_the_figures_of_the_reports() -> None:
    assert list(ladder(E1, E2, E3).values()) == ["1499.417", "1500.288", "1500.295"]
    assert list(ladder(E1.replace(">", "<"), E2, E3).values()) == ["1480.008", "1519.712", "1500.280"]


# ---------------------------------------------------------------------- K01: a correction does not reach every number


def test_a_corrected_game_reaches_who_did_not_play_in_it() -> None:
    """U001: C moves by 0.015, though only e1 of A and B was corrected; six rows and three snapshots are another."""
    pool = base3()
    update = pool.make(corrected("e1", 2, "A<B"))
    right = ladder(E1.replace(">", "<"), E2, E3)
    assert pool.ratings() == right
    assert right["C"] == "1500.280" != ladder(E1, E2, E3)["C"]
    assert moved(update).keys() == {("A", "e1"), ("A", "e3"), ("B", "e1"), ("B", "e2"), ("C", "e2"), ("C", "e3")}
    assert counts(update)[SNAPSHOTS] == 3


def test_a_removed_match_takes_its_later_consequences_along() -> None:
    """U002"""
    pool = base3()
    pool.take(deleted("e1", 2, "void"))
    assert pool.ratings() == ladder(E2, E3)
    assert pool.rating("A") != "1489.417", "the points of e1 subtracted"


def test_a_deleted_event_leaves_the_bytes_of_a_pool_that_never_saw_it() -> None:
    """U003, for the system there is: no inverse of an update is asked for, the rest is replayed."""
    pool = base3()
    pool.take(deleted("e2", 2, "void"))
    assert pool.digests() == Driven(e20(), played(E1), played(E3)).digests()


def test_who_has_no_game_left_is_gone() -> None:
    """U004: each row goes with a delta without a row, then with tombstones in both topics."""
    pool = Driven(e20(), published("e1", 1, "A>B", "C>D"))
    update = pool.make(deleted("e1", 2, "void"))
    assert (pool.ratings(), pool.deltas()) == ({}, [])
    assert {player: after for (player, _), (_, after) in moved(update).items()} == dict.fromkeys("ABCD")
    assert [value for _, value in rows(update, SNAPSHOTS)] == [None] * 4
    assert [value is None for _, value in rows(update, DELTAS)] == [False, True] * 4


@pytest.mark.parametrize("order", [("e3", "e2", "e1"), ("e1", "e2", "e3")])
def test_removing_one_event_after_another_is_right_at_every_step(order: tuple[str, ...]) -> None:
    """U005"""
    pool, left = base3(), {"e1": E1, "e2": E2, "e3": E3}
    for event in order:
        pool.take(deleted(event, 2, "void"))
        del left[event]
        assert pool.ratings() == ladder(*left.values())
    assert pool.deltas() == []


def test_a_result_corrected_and_corrected_back_is_as_if_never_touched() -> None:
    """U006: three facts are in force, and the event shows the third."""
    first, wrong, back = published("e1", 1, "A>B"), corrected("e1", 2, "A<B"), corrected("e1", 3, "A>B")
    pool = Driven(e20(), first, wrong)
    assert pool.ratings() == ladder("2024-01-05 e1 A<B")
    pool.take(back)
    assert pool.ratings() == ladder(E1)
    assert [pool.standing(fact) for fact in (first, wrong, back)] == ["in-force"] * 3
    event = pool.event("e1")
    assert event is not None
    assert [fact["revision"] for fact in event["by"]["facts"]] == [1, 2, 3]
    assert event["games"][0]["result"] == "1-0"


def test_sides_swapped_with_the_result_change_no_rating_and_sides_alone_do() -> None:
    """U007"""
    pool = base3()
    update = pool.make(corrected("e1", 2, "B<A"))
    assert counts(update).keys() == {"rated-events", "fact-standings"}
    assert pool.ratings() == ladder(E1, E2, E3)
    pool.take(corrected("e1", 3, "B>A"))
    assert pool.ratings() == ladder(E1.replace(">", "<"), E2, E3)


def test_a_rating_never_rises_by_a_game_that_was_lost() -> None:
    """U009: a row's own change has the sign of score - expected, or is nothing; also after corrections and annulments."""
    random, pool = Random(9), Driven(e20())
    for step in range(120):
        event, (one, other) = f"e{step % 30}", random.sample("ABCDEFG", 2)
        pool.take(published(event, 1 + step, f"{one}{random.choice('>=<')}{other}", date=f"2024-01-{1 + step % 28:02d}"))
        if step % 10 == 9:
            pool.take(deleted(f"e{random.randrange(30)}", 500 + step, "void"))
    checked = 0
    for row in pool.deltas():
        (line,) = row["row"]["events"]
        (term,) = line["terms"]
        difference = thousandths(term["score"]) * 1000 - int(term["expected"].replace(".", ""))
        change = thousandths(row["row"]["rating"]) - thousandths(line["rating"])
        assert change * difference >= 0
        checked += change != 0
    assert checked > 30


def thousandths(decimal: str) -> int:
    whole, _, places = decimal.partition(".")
    return int(whole + places.ljust(3, "0"))


def test_the_peak_follows_corrections_up_and_down() -> None:
    """U012"""
    pool = Driven(e20(), played(E1), played("2024-01-12 e2 C>A"))
    right = history(E1, "2024-01-12 e2 A>C")
    for result, rating, date in (("A>C", right["e2"]["A"], "2024-01-12"), ("C>A", right["e1"]["A"], "2024-01-05")):
        pool.take(published("e2", 2 if result == "A>C" else 3, result, date="2024-01-12"))
        snapshot = pool.snapshot("A")
        assert snapshot is not None
        assert snapshot["peak"] == {"rating": rating, "date": date}


def test_all_outputs_tell_the_same_story_after_a_correction() -> None:
    """U013: the ladder, the player's rows, the event joined with its rows, and the stream of deltas."""
    pool = base3()
    update = pool.make(corrected("e1", 2, "A<B"))
    after = history(E1.replace(">", "<"), E2, E3)
    for event, players in after.items():
        shown = pool.event(event)
        assert shown is not None
        sides = {side["person"].removeprefix("t:") for one in shown["games"] for side in (one["white"], one["black"])}
        assert sides == players.keys()
        for player, rating in players.items():
            row = pool.row(player, event)
            assert row is not None
            assert row["row"]["rating"] == rating == moved(update)[player, event][1]
    assert {player: pool.rating(player) for player in "ABC"} == {p: after[e][p] for p, e in (("A", "e3"), ("B", "e2"), ("C", "e3"))}


def test_void_and_archive_are_two_things_and_neither_is_guessed() -> None:
    """U017: an archived event is hidden and still rated; a deletion that does not say which is refused."""
    pool = base3()
    update = pool.make(deleted("e2", 2, "archive"))
    assert counts(update).keys() == {"rated-events", "fact-standings"}
    assert pool.ratings() == ladder(E1, E2, E3)
    hidden = pool.event("e2")
    assert hidden is not None
    assert hidden["state"] == "hidden"
    pool.take(deleted("e2", 3, "void"))
    assert pool.ratings() == ladder(E1, E3)
    guess = sent("event-deleted", event_id=minted("e3"), revision=2, reason="never-played")
    verdict = read(guess.message(), partitions=1)
    assert isinstance(verdict, Refusal)
    assert verdict.reason == "schema"


def test_exactly_those_who_differ_get_rows() -> None:
    """U018: an event of 50 players goes; deltas are the (player, period) that differ, snapshots the players that differ."""
    pairs = [f"P{n}>P{n + 1}" for n in range(0, 50, 2)]
    big, after = "2024-01-05 big " + " ".join(pairs), ["2024-01-12 e2 P0>Q", "2024-01-19 e3 R=S"]
    pool = Driven(e20(), played(big), *map(played, after))
    before, update = history(big, *after), pool.make(deleted("big", 2, "void"))
    now = history(*after)
    differing = {(p, e) for e, players in before.items() for p in players if now.get(e, {}).get(p) != players[p]}
    assert moved(update).keys() == differing
    players = {player for player in ladder(big, *after) if ladder(*after).get(player) != ladder(big, *after)[player]}
    assert {key.rpartition("/")[2].removeprefix("t:") for key, _ in rows(update, SNAPSHOTS)} == players
    assert len(players) == 51


# ---------------------------------------------------------------------- K02: recompute and replay


def test_every_prefix_of_a_log_gives_what_a_replay_from_scratch_gives() -> None:
    """U019: 200 facts about 40 events; digests after each, and everything published now and then."""
    random, pool = Random(19), Driven(e20())
    for step in range(200):
        one, other = random.sample("ABCDEFGHIJ", 2)
        event, revision = f"e{random.randrange(40)}", random.randrange(1, 60)
        pool.take(random_fact(random, event, revision, f"{one}{random.choice('>=<')}{other}"))
        fresh = pool.fresh()
        assert pool.digests() == fresh.digests()
        if step % 20 == 19:
            assert pool.holds() == fresh.holds()


def random_fact(random: Random, event: str, revision: int, pairing: str) -> Sendable:
    date = f"2024-01-{random.randrange(1, 29):02d}"
    match random.choices(["publication", "correction", "deletion"], [6, 3, 1])[0]:
        case "publication":
            return published(event, revision, pairing, date=date)
        case "correction":
            return corrected(event, revision, pairing, set={"date": date})
        case _:
            return deleted(event, revision, random.choice(["void", "archive"]))


def test_games_of_an_event_may_be_told_player_by_player_or_round_by_round() -> None:
    """U020"""
    rounds = [game(f"g{r}{b}", pairing, round=r, board=b) for r, b, pairing in ((1, 1, "A>B"), (1, 2, "C=D"), (2, 1, "A<C"), (2, 2, "B>D"))]
    by_player = sorted(rounds, key=lambda one: (one["white"], one["black"]))
    assert by_player != rounds
    assert Driven(e20(), published("e1", 1, *rounds)).digests() == Driven(e20(), published("e1", 1, *by_player)).digests()


def test_a_rebuild_of_what_is_right_publishes_no_row() -> None:
    """U021: no number jumps though nobody played."""
    pool = base3()
    before = pool.holds()
    update = pool.rebuilt()
    assert (update.row_count, update.number) == (0, 5)
    assert pool.holds() == before


@pytest.mark.parametrize("size", [1, 4, 16])
def test_a_rebuild_in_pieces_of_any_size_gives_the_same_digest(size: int) -> None:
    """U022: there are no parallel jobs that could overtake one another; how much is taken at once is free."""
    events = [
        f"2024-01-{1 + n % 28:02d} e{n} {'ABCDEFG'[n % 7]}>{'ABCDEFG'[(3 * n + 1) % 7]}" for n in range(48) if n % 7 != (3 * n + 1) % 7
    ]
    facts, pool = [e20(), *map(played, events)], Driven()
    for at in range(0, len(facts), size):
        pool.take(*facts[at : at + size])
    assert pool.ratings() == ladder(*events)
    assert pool.digests() == Driven().fresh(facts).digests()


def test_games_of_an_event_in_all_24_orders_give_one_digest() -> None:
    """U023"""
    games = [game(f"g{n}", pairing) for n, pairing in enumerate(("A>B", "A=C", "B>C", "C>D"))]
    found = {Driven(e20(), published("e1", 1, *order)).digests() for order in permutations(games)}
    assert len(found) == 1


def test_the_highest_rating_is_never_below_the_current_one() -> None:
    """U029: after each of 200 random corrections, and with the date on which the peak stood first."""
    random = Random(29)
    events = {f"e{n}": f"2024-{1 + n // 28:02d}-{1 + n % 28:02d}" for n in range(40)}
    pool = Driven(e20(), *(published(event, 1, "A=B", "C=D", date=date) for event, date in events.items()))
    for revision in range(2, 202):
        event = random.choice(list(events))
        pool.take(
            corrected(event, revision, *(f"{a}{random.choice('>=<')}{b}" for a, b in (random.sample("AB", 2), random.sample("CD", 2))))
        )
        for player in "ABCD":
            snapshot = pool.snapshot(player)
            assert snapshot is not None
            of_player = [row for row in pool.deltas() if row["player"] == minted(player)]
            highest = max(of_player, key=lambda row: (thousandths(row["row"]["rating"]), [-ord(c) for c in row["period"]["date"]]))
            assert snapshot["peak"] == {"rating": highest["row"]["rating"], "date": highest["period"]["date"]}
            assert thousandths(snapshot["peak"]["rating"]) >= thousandths(snapshot["rating"])


# ---------------------------------------------------------------------- K04: duplicates


def test_a_fact_sent_four_times_counts_once() -> None:
    """U040: the repetitions make no update; each would get its receipt as a duplicate."""
    first = played(E1)
    pool = Driven(e20(), first)
    assert pool.each(first, first, first) == [None, None, None]
    pool.each(played(E2), played(E3), first)
    assert pool.ratings() == ladder(E1, E2, E3)


def test_an_older_version_redelivered_late_never_wins() -> None:
    """U042: the same message is a duplicate; the same content under another id is folded below the correction."""
    first, fix = published("e1", 1, "A>B"), corrected("e1", 2, "A<B")
    pool = Driven(e20(), first, fix)
    assert pool.take(first) is None
    again = published("e1", 1, "A>B")
    pool.take(again)
    assert pool.ratings() == ladder("2024-01-05 e1 A<B")
    assert sorted([pool.standing(first), pool.standing(again)]) == ["in-force", "superseded"]


def test_two_events_of_one_date_have_one_order_whichever_arrives_first() -> None:
    """U043: by date, then `order`, then event id."""
    one, other = "2024-01-05 e1 A>B", "2024-01-05 e2 A>C"
    pools = [Driven(e20(), *map(played, order)) for order in ((one, other), (other, one))]
    assert [pool.ratings() for pool in pools] == [ladder(one, other)] * 2
    assert pools[0].digests() == pools[1].digests()
    turned = Driven(e20(), played(one), published("e2", 1, "A>C", date="2024-01-05", order=-1))
    assert turned.ratings() == ladder("2024-01-05 e2 A>B", "2024-01-05 e1 A>C")


# ---------------------------------------------------------------------- K05: dates


def test_an_event_stands_where_it_was_played_not_where_it_was_told() -> None:
    """U046: e1 is told last and stands first; corrected to another date it stands last."""
    pool = Driven(e20(), *map(played, (E2, E3, E1)))
    assert pool.ratings() == ladder(E1, E2, E3)
    pool.take(corrected("e1", 2, set={"date": "2024-01-26"}))
    assert pool.ratings() == ladder(E1.replace("2024-01-05", "2024-01-26"), E2, E3)
    assert pool.ratings() == {"A": "1500.295", "B": "1499.417", "C": "1500.288"}


@pytest.fixture(params=["UTC", "America/Los_Angeles", "Asia/Jakarta"])
def time_zone(request: pytest.FixtureRequest) -> Iterator[str]:
    """The process in another time zone."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = request.param
    time.tzset()
    yield request.param
    os.environ.pop("TZ") if before is None else os.environ.update(TZ=before)
    time.tzset()


@pytest.mark.parametrize("date", ["2023-03-15T20:15-04:00", "2023-03-15T20:15", "2023-03-15 20:15"])
def test_a_time_in_a_date_is_refused_in_every_time_zone(time_zone: str, date: str) -> None:
    """U047: whoever publishes says which day it was; nobody here works it out from an hour."""
    verdict = read(published("e1", 1, "A>B", date=date).message(), partitions=1)
    assert isinstance(verdict, Refusal)
    assert (verdict.reason, verdict.pointer) == ("schema", "/data/event/date")


def test_a_bare_date_stays_that_date_in_every_time_zone(time_zone: str) -> None:
    """U049"""
    pool = Driven(e20(), published("e1", 1, "A>B", date="2024-03-28"))
    event, row, snapshot = pool.event("e1"), pool.row("A", "e1"), pool.snapshot("A")
    assert event is not None
    assert row is not None
    assert snapshot is not None
    assert {event["event"]["date"], row["period"]["date"], snapshot["last_game"], snapshot["peak"]["date"]} == {"2024-03-28"}
    rated = struct.pack(">H3sIB", 3, b"t:A", 1_510_000, 1) + struct.pack(">H3sIB", 3, b"t:B", 1_490_000, 1)
    raw = b"rerate.period.1\n" + struct.pack(">HB10sIH4sI", 21, 3, b"2024-03-28", 0, 4, b"t:e1", 2) + rated
    assert pool.digests()[0] == sha256(b"rerate.list.1\n" + sha256(raw).digest()).hexdigest()


@pytest.mark.parametrize("date", ["2024-03-31T23:30:00-05:00", "2024-04-01T04:30:00Z", "2024-04-01T11:30:00+07:00", "2024-04-01Z"])
def test_an_instant_in_any_spelling_is_no_date(date: str) -> None:
    """U051: one instant, three local dates; it is refused wherever a date stands."""
    for fact in (
        published("e1", 1, "A>B", date=date),
        published("e1", 1, "A>B", start_date=date),
        published("e1", 1, game("g1", "A>B", date=date)),
        corrected("e1", 2, set={"date": date}),
        seeded("A", as_of=date),
    ):
        assert isinstance(read(fact.message(), partitions=1), Refusal)


@pytest.mark.parametrize("period", ["event", "date", "round"])
def test_no_event_is_too_old(period: str) -> None:
    """U053: from 1872 on, and before and after 1970; as many events are rated as there are."""
    dates = [f"{year}-0{1 + year % 9}-15" for year in range(1872, 2024)]
    pool = Driven(e20(period=period))
    pool.take(*(published(f"e{n}", 1, "A>B", date=date) for n, date in enumerate(dates)))
    assert sum(len(row["row"]["events"]) for row in pool.deltas()) == 2 * len(dates)
    snapshot = pool.snapshot("A")
    assert snapshot is not None
    assert (snapshot["games"], snapshot["last_game"]) == (len(dates), dates[-1])


# ---------------------------------------------------------------------- K06: identity

AX1, AX2 = "2024-01-05 e1 A>B", "2024-01-12 e2 X>C"


def test_merged_people_are_one_player_at_once() -> None:
    """U054: the update that says so has the replayed ladder in it."""
    pool = Driven(e20(), played(AX1), played(AX2))
    update = pool.make(merged("m1", "X", "A"))
    assert pool.ratings() == ladder(AX1, AX2.replace("X", "A"))
    assert counts(update).keys() == {"person-ids", "rated-events", "fact-standings", DELTAS, SNAPSHOTS}


def test_two_people_under_one_id_are_parted_by_one_fact_and_joined_by_one() -> None:
    """U056: in e2, and only there, A was A2."""
    pool = base3()
    before = pool.holds()
    pool.take(published("e4", 1, "A>C", date="2024-01-26"), split := merged("m1", "A", "A2", "e4"))
    assert pool.ratings() == ladder(E1, E2, E3, "2024-01-26 e4 A2>C")
    pool.take(withdrawn(split))
    assert pool.ratings() == ladder(E1, E2, E3, "2024-01-26 e4 A>C")
    pool.take(deleted("e4", 2, "void"))
    assert {topic: len(pool.holds()[topic]) for topic in (DELTAS, SNAPSHOTS)} == {
        topic: len(before[topic]) for topic in (DELTAS, SNAPSHOTS)
    }


def test_a_merged_id_shows_up_nowhere_as_a_player() -> None:
    """U057: also not for results that go on naming it; the event says under which id he was recorded."""
    pool = Driven(e20(), played(AX1), played(AX2), merged("m1", "X", "A"))
    update = pool.make(published("e3", 1, "X>D", date="2024-01-19"))
    assert "X" not in pool.ratings()
    assert {row["player"] for row in pool.deltas()} == {minted(player) for player in "ABCD"}
    assert {player for player, _ in moved(update)} == {"A", "D"}
    event, person = pool.event("e3"), pool.person("X")
    assert event is not None
    assert person is not None
    assert event["games"][0]["white"] == {"id": minted("X"), "person": minted("A")}
    assert person["person"] == minted("A")


def test_an_unmerge_restores_everything() -> None:
    """U058: one merge, by the person who decided; after the unmerge all is as before, and only the two facts stand beside it."""
    pool = Driven(e20(), played(AX1), played(AX2))
    before, digests = pool.holds(), pool.digests()
    anonymous = merged("m1", "X", "A")
    assert isinstance(read(Sendable(anonymous.type, anonymous.source, "m", anonymous.data).message(), partitions=1), Refusal)
    pool.each(merge := merged("m1", "X", "A"), unmerged("m1"))
    assert pool.digests() == digests
    assert pool.standing(merge) == "undone"
    after = pool.holds()
    assert all(after[topic] == before[topic] for topic in (DELTAS, SNAPSHOTS, "rated-events", "person-ids"))


def test_who_has_aliases_already_may_get_another() -> None:
    """U059: there are no names here that could be in the way; a chain of ids is one person."""
    pool = Driven(e20(), played(AX1), played(AX2), played("2024-01-19 e3 Y>D"))
    pool.each(merged("m1", "Y", "A"), merged("m2", "X", "Y"))
    assert pool.ratings() == ladder(AX1, "2024-01-12 e2 A>C", "2024-01-19 e3 A>D")


def test_at_no_update_has_a_result_no_owner_or_two() -> None:
    """U061: a split is one fact; every side of every game is one person in every update, and has one row."""
    pool = base3()
    for fact in (merged("m1", "A", "A2", "e1"), merged("m2", "A2", "A3"), unmerged("m1"), unmerged("m2")):
        pool.take(fact)
        owners = [
            (one["event"]["id"], side["person"])
            for value in pool.topics["rated-events"].values()
            for one in [orjson.loads(value)]
            for played_game in one["games"]
            for side in (played_game["white"], played_game["black"])
        ]
        assert len(owners) == len(set(owners)) == 6
        assert sorted(owners) == sorted((row["period"]["event"], row["player"]) for row in pool.deltas())


def test_old_ids_go_on_arriving_and_belong_to_the_merged_person() -> None:
    """U066"""
    facts = [played(AX1), played(AX2), merged("m1", "X", "A"), published("e3", 1, "X<D", date="2024-01-19")]
    pool = Driven(e20(), *facts)
    assert pool.ratings() == ladder(AX1, "2024-01-12 e2 A>C", "2024-01-19 e3 D>A")
    pool.take(unmerged("m1"))
    assert pool.ratings() == ladder(AX1, AX2, "2024-01-19 e3 D>X")


def test_two_ids_of_one_person_in_one_event_are_one_player_and_only_what_clashes_does_not_rate() -> None:
    """U068: accepted; never two rows of one person in an event. Where both played in one round, nobody's game of it rates."""
    games = [game("g1", "A>B", round=1), game("g2", "X>C", round=2), game("g3", "A>D", round=3), game("g4", "X>B", round=3)]
    pool = Driven(e20(), published("e1", 1, *games), merged("m1", "X", "A"))
    assert pool.ratings() == ladder("2024-01-05 e1 A>B A>C")
    assert len([row for row in pool.deltas() if row["player"] == minted("A")]) == 1
    event = pool.event("e1")
    assert event is not None
    assert {one["id"]: one.get("why") for one in event["games"]} == {"g1": None, "g2": None, "g3": "round-clash", "g4": "round-clash"}
    assert event["games"][2]["ids"] == [minted("A"), minted("X")]


# ---------------------------------------------------------------------- K08: unplayed games, provisional rules

UNPLAYED = {"+": "+/-", "-": "-/+", "F": "bye-full", "H": "bye-half", "Z": "bye-zero", "U": "bye-pairing"}


def unplayed(id: str, code: str) -> Data:
    more = {"points": 2} if code == "U" else {}
    return game(id, "A-B" if code in "+-" else "A-", result=UNPLAYED[code], **more)


def test_a_win_by_forfeit_rates_for_nobody() -> None:
    """U079: no game counted; the result stays in the event."""
    pool = Driven(e20(), published("e1", 1, unplayed("g1", "+")))
    assert (pool.ratings(), pool.deltas()) == ({}, [])
    event = pool.event("e1")
    assert event is not None
    assert (event["games"][0]["result"], event["games"][0]["why"]) == ("+/-", "not-played")


def test_a_full_point_bye_and_a_pairing_bye_keep_their_codes_and_rate_for_nobody() -> None:
    """U081"""
    pool = Driven(e20(), published("e1", 1, unplayed("g1", "F"), unplayed("g2", "U")))
    event = pool.event("e1")
    assert event is not None
    assert [one["result"] for one in event["games"]] == ["bye-full", "bye-pairing"]
    assert pool.ratings() == {}


def test_only_played_games_of_two_named_sides_rate() -> None:
    """U082: of all codes with and without an opponent."""
    games = [unplayed(f"g{n}", code) for n, code in enumerate(UNPLAYED)]
    games += [game("h1", "A-", result="1-0"), game("h2", "A-B", result="*"), game("h3", "A-B", result="-/-"), game("h4", "A>B")]
    pool = Driven(e20(), published("e1", 1, *games))
    assert pool.ratings() == ladder("2024-01-05 e1 A>B")
    event = pool.event("e1")
    assert event is not None
    assert {one["id"] for one in event["games"] if one["rated"] != "none"} == {"h4"}


def test_a_pairing_bye_of_half_a_point_is_told_from_a_half_point_bye() -> None:
    """U083: by its `points`; both are worth half a point, and neither rates."""
    halves = game("g1", "A-", result="bye-pairing", points=1), game("g2", "B-", result="bye-half")
    pool = Driven(e20(), published("e1", 1, *halves))
    event = pool.event("e1")
    assert event is not None
    assert [(one["result"], one.get("points")) for one in event["games"]] == [("bye-pairing", 1), ("bye-half", None)]
    assert pool.ratings() == {}
    unsaid = read(published("e1", 1, game("g1", "A-", result="bye-pairing")).message(), partitions=1)
    assert isinstance(unsaid, Refusal)


def test_a_loss_to_a_provisional_player_costs_the_established_nothing() -> None:
    """U084: with the club's own parameters; the game counts for both."""
    seeds = seeded("A", state={"rating": "1400", "games": 30}), seeded("P", state={"rating": "1200", "games": 2})
    pool = Driven(lists(1, club_list()), *seeds, published("e1", 1, "P>A"))
    assert pool.ratings() == {"A": "1400.0", "P": "1230.4"}
    row = pool.row("A", "e1")
    assert row is not None
    assert (row["row"]["events"][0]["games"], row["row"]["events"][0]["protected"]) == (1, 1)
    assert Driven(lists(1, club_list()), published("e1", 1, "A>B")).ratings() == {"A": "1220.0", "B": "1180.0"}


def test_who_is_established_today_was_provisional_then() -> None:
    """U086: the row of January says so, and goes on saying so."""
    pool = Driven(lists(1, club_list()))
    pool.take(*(published(f"e{n}", 1, "A=B", date=f"2024-0{n}-10") for n in range(1, 7)))
    row, snapshot = pool.row("A", "e1"), pool.snapshot("A")
    assert row is not None
    assert snapshot is not None
    assert (row["row"]["events"][0]["provisional"], row["row"]["state"]["games"]) == (True, 1)
    assert snapshot["provisional"] is False


# ---------------------------------------------------------------------- K13: late records, tombstones, retractions


def test_who_is_gone_gets_a_tombstone() -> None:
    """U156: a new reader of the compacted topics does not see him."""
    pool = Driven(e20(), published("e1", 1, "P>Q"), played(E2))
    update = pool.make(deleted("e1", 2, "void"))
    assert [key for key, value in rows(update, SNAPSHOTS) if value is None] == [f"{POOL}/elo@1/{minted(p)}" for p in "PQ"]
    assert pool.ratings() == ladder(E2)


@pytest.mark.parametrize("topic", FACT_TOPICS)
def test_a_tombstone_in_a_fact_topic_is_refused_and_crashes_nothing(topic: str) -> None:
    """U158"""
    for key in (POOL.encode(), None, b"\xff"):
        verdict = read(Message(topic, partition_of(POOL, 1), key, None), partitions=1)
        assert isinstance(verdict, Refusal)
        assert verdict.reason == "not-json"


def test_a_merged_id_gets_an_explicit_null() -> None:
    """U159: not silence, which would leave X where he was."""
    pool = Driven(e20(), played(AX1), played(AX2))
    update = pool.make(merged("m1", "X", "A"))
    assert (f"{POOL}/elo@1/{minted('X')}", None) in rows(update, SNAPSHOTS)
    assert moved(update)["X", "e2"] == ("1510.000", None)
    assert (f"{POOL}/elo@1/{minted('X')}/2024-01-12/0/{minted('e2')}", None) in rows(update, DELTAS)


def test_a_reader_who_missed_a_tombstone_finds_the_ghost() -> None:
    """U160: the head counts players and rows, and its digest is that of the states that are there."""
    pool = Driven(e20(), played(AX1), played(AX2))
    ghost = pool.topics[SNAPSHOTS][f"{POOL}/elo@1/{minted('X')}"]
    pool.take(deleted("e2", 2, "void"))
    of_list = pool.head()["lists"]["elo"]
    assert (of_list["players"], of_list["rows"]) == (len(pool.topics[SNAPSHOTS]), len(pool.topics[DELTAS])) == (2, 2)
    stale = pool.topics[SNAPSHOTS] | {f"{POOL}/elo@1/{minted('X')}": ghost}
    assert len(stale) != of_list["players"]


def test_the_whole_year_sent_again_changes_nothing() -> None:
    """U161: under the same ids it makes no update; under other ids no rating, no row."""
    year = [played(f"2024-{1 + n // 4:02d}-{5 + n % 4:02d} e{n} {'ABCD'[n % 4]}>{'ABCD'[(n + 1) % 4]}") for n in range(40)]
    pool = Driven(e20(), *year)
    assert pool.take(*year) is None
    update = pool.make(*(Sendable(one.type, one.source, f"again-{n}", one.data) for n, one in enumerate(year)))
    assert counts(update).keys() <= {"fact-standings", "rated-events"}
    assert deltas(update) == []


def test_an_old_version_after_newer_ones_is_superseded() -> None:
    """U162: accepted, counted for nothing, and said to be so."""
    pool = Driven(e20(), published("e1", 3, "A<B"), published("e1", 2, "A=B"))
    update = pool.make(old := published("e1", 1, "A>B"))
    assert counts(update) == {"fact-standings": 1}
    assert pool.standing(old) == "superseded"
    assert pool.ratings() == ladder("2024-01-05 e1 A<B")


def test_a_contradiction_inside_stops_the_pool_and_its_head_says_so() -> None:
    """U163: nothing is published from a memory that is not what was published; a rebuild ends the halt."""
    pool = Driven(e20(), published("e1", 1, "A>B", "C>D"), played(E2), played(E3))
    kept = pool.pool.lists["elo"]
    assert isinstance(kept, LiveList)
    kept.replay._blocks[0].row_states[0] = (1_234_567, 1)
    facts = [(published("e1", 2, "A>B", "C<D").fact(), pool.log[-1][1])]
    with pytest.raises(Halt, match="must be rebuilt") as halt:
        pool.pool.take(facts, pool.positions, 0)
    update = halted_update(POOL, pool.updates[-1].head, halt.value.reason, semantics=1, engine=SETTINGS.engine)
    data = orjson.loads(update.head)["data"]
    assert (data["state"], data["reason"], data["update"], update.row_count) == ("halted", "fold", 5, 0)
    assert data["lists"] == pool.head()["lists"]
    again, rebuilt = Pool.rebuild(POOL, SETTINGS, pool.log, update.head, pool.topics, pool.positions, 0)
    assert (rebuilt.row_count, again.update) == (0, 6)
    assert orjson.loads(rebuilt.head)["data"]["state"] == "live"


def test_a_ruling_outlives_the_next_upload() -> None:
    """K01 as it concerns the office: the arbiter's next upload does not undo its fix."""
    pool = Driven(e20(), published("e1", 1, "A>B"), ruled("e1", "r1", games=[change("g1", "A-B", result="0-1")]))
    pool.take(published("e1", 2, "A>B", "C=D"))
    assert pool.ratings() == ladder("2024-01-05 e1 A<B C=D")
