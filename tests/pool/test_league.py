"""A league from October to April: 528 games in rounds of one running event, rated round by round in the period of their own date.

Twelve teams of eight boards meet once each: eleven rounds of six matches. One game of round 5 is postponed by two months, and one player
was registered anew in mid-season, so that his later games stand under another id until the two are merged.
"""

from functools import lru_cache
from typing import NamedTuple

import pytest

from rerate.messages.facts import DELTAS, SNAPSHOTS, STANDINGS
from tests.kit.driving import Driven, club_list, deltas, lists
from tests.kit.saying import corrected, game, merged, published, registered, seeded, unmerged
from tests.kit.sendable import Data, Sendable

TEAMS, BOARDS = 12, 8
ROUNDS = (
    *("2023-10-08", "2023-10-22", "2023-11-12", "2023-11-26", "2023-12-10"),
    *("2024-01-14", "2024-01-28", "2024-02-11", "2024-03-03", "2024-03-24", "2024-04-14"),
)
START, END = ROUNDS[0], "2024-04-30"
MONTHS = ["2023-10", "2023-11", "2023-12", "2024-01", "2024-02", "2024-03", "2024-04"]
POSTPONED, REPLAYED = "r5t1b3", "2024-02-20"
DOUBLE, AGAIN, NEW_ID_FROM = "t2b1", "t2b1x", 6
RESULTS = ("1-0", "1/2-1/2", "0-1", "1-0", "0-1", "1/2-1/2", "1-0")


class Kind(NamedTuple):
    """A list that can rate a league while it runs."""

    config: Data
    seed: Data | None
    """State that everybody begins with."""


def by_month(system: str, quantum: str, **more: object) -> Data:
    return club_list("liga", rules=[{"system": system, "parameters": {}}], quantum=quantum, period="month", dated_by="game", **more)


KINDS = {
    "glicko2": Kind(by_month("glicko2/1", "0.01"), None),
    "glicko2-closing-on-the-20th": Kind(by_month("glicko2/1", "0.01", closing_day=20), None),
    "glicko": Kind(by_month("glicko/1", "0.1"), None),
    "fide": Kind(by_month("fide/1", "1"), {"games": 40}),
    "fide-curve": Kind(by_month("fide-curve/1", "1"), {"games": 40}),
    "club-by-date": Kind(club_list("liga", quantum="0.1", period="date", dated_by="game"), None),
}
EVERY = pytest.mark.parametrize("name", KINDS)
SOME = pytest.mark.parametrize("name", ["glicko2", "fide", "club-by-date"])


def pairs(round: int) -> list[tuple[int, int]]:
    """Who meets whom in a round, by the circle: team 12 stays where it is, the others go round."""
    circle = [TEAMS, *((round - 1 + i) % (TEAMS - 1) + 1 for i in range(TEAMS - 1))]
    return [(circle[i], circle[-1 - i]) for i in range(TEAMS // 2)]


def round_of(number: int, double: str = DOUBLE) -> list[Data]:
    """The 48 games of a round; from round 6 on one player stands there under the id `double`."""
    games = []
    for home, away in pairs(number):
        for board in range(1, BOARDS + 1):
            names = [double if number >= NEW_ID_FROM and one == DOUBLE else one for one in (f"t{home}b{board}", f"t{away}b{board}")]
            id = f"r{number}t{min(home, away)}b{board}"
            result = "*" if id == POSTPONED else RESULTS[(number * 5 + home * 3 + board * board) % len(RESULTS)]
            date = None if id == POSTPONED else ROUNDS[number - 1]
            fields = {"round": number, "board": board, "result": result} | ({} if date is None else {"date": date})
            games.append(game(id, "-".join(names), **fields))
    return games


def before(name: str) -> list[Sendable]:
    """The configuration and what is known of the players; FIDE's begin with a rating, for by its rules nobody else could count."""
    kind = KINDS[name]
    facts = [lists(1, kind.config), registered(DOUBLE, birth_year=2007)]
    if kind.seed is not None:
        for team in range(1, TEAMS + 1):
            for board in range(1, BOARDS + 1):
                state = kind.seed | {"rating": str(2300 - 60 * board + 7 * team)}
                facts.append(seeded(f"t{team}b{board}", list="liga", as_of="2023-09-30", state=state))
    return facts


def season(double: str = DOUBLE) -> list[Sendable]:
    """A publication, a correction for every later round, the postponed game when it is played, and the end."""
    facts = [published("league", 1, *round_of(1), status="running", start_date=START, date=END)]
    for number in range(2, len(ROUNDS) + 1):
        if number == NEW_ID_FROM and double != DOUBLE:
            facts.append(registered(double, birth_year=2007))
        facts.append(corrected("league", number, *round_of(number, double)))
    late = next(one for one in round_of(5) if one["id"] == POSTPONED)
    facts.append(corrected("league", 20, late | {"result": "0-1", "date": REPLAYED}))
    return facts


FINAL = corrected("league", 30, set={"status": "final"})


@lru_cache(maxsize=len(KINDS))
def one_id(name: str) -> Driven:
    """The season as it would be without the second registration, all at once."""
    pool = Driven()
    pool.take(*before(name), *season(), FINAL)
    return pool


def ratings(pool: Driven) -> dict[str, dict[str, object]]:
    """What holds of the rows and snapshots of ratings."""
    holds = pool.holds()
    return {topic: holds[topic] for topic in (DELTAS, SNAPSHOTS)}


def games_rated(pool: Driven) -> int:
    """Games of the league that stand in rows of ratings, twice each."""
    total = 0
    for row in pool.deltas("liga"):
        for line in row["row"]["events"]:
            total += line["games"] + line.get("not_counted", 0)
    return total // 2


def test_the_league_has_528_games_and_everybody_meets_once() -> None:
    games = [one for number in range(1, len(ROUNDS) + 1) for one in round_of(number)]
    assert len(games) == len({one["id"] for one in games}) == 528
    assert len({frozenset((one["white"], one["black"])) for one in games}) == 528


@EVERY
def test_finished_rounds_rate_while_the_league_runs_each_in_the_period_of_its_date(name: str) -> None:
    pool = Driven(*before(name))
    for number, fact in enumerate(season()[:-1], start=1):
        pool.take(fact)
        assert games_rated(pool) == 48 * number - (number >= 5)
    dates = {row["period"]["date"] for row in pool.deltas("liga")}
    assert dates == set(ROUNDS if KINDS[name].config["period"] == "date" else MONTHS)
    snapshot = pool.snapshot("t3b4", "liga")
    assert snapshot is not None
    assert snapshot["last_game"] == ROUNDS[-1] < END


@SOME
def test_a_postponed_game_rates_when_it_is_played_and_carries_on_from_there(name: str) -> None:
    *rounds, late = season()
    pool = Driven(*before(name), *rounds)
    update = pool.make(late)
    assert games_rated(pool) == 528
    assert min(delta["period"]["date"] for delta in deltas(update)) == (
        REPLAYED if KINDS[name].config["period"] == "date" else REPLAYED[:7]
    )


@SOME
def test_that_the_league_is_over_changes_no_rating(name: str) -> None:
    pool = Driven(*before(name), *season())
    was, digests = ratings(pool), pool.digests("liga")
    pool.take(FINAL)
    assert (ratings(pool), pool.digests("liga")) == (was, digests)


@EVERY
def test_a_player_registered_twice_and_merged_leaves_the_bytes_of_one_id_and_all_528_games(name: str) -> None:
    pool, right = Driven(*before(name)), one_id(name)
    pool.each(*season(AGAIN), FINAL)
    apart, digests = pool.holds(), pool.digests("liga")
    assert ratings(pool) != ratings(right)
    pool.take(merged("m1", AGAIN, DOUBLE))
    assert ratings(pool) == ratings(right)
    assert pool.digests("liga") == right.digests("liga")
    assert games_rated(pool) == 528
    event = pool.event("league")
    assert event is not None
    assert [one["id"] for one in event["games"] if one["rated"] != "both" or "why" in one] == []
    pool.take(unmerged("m1"))
    after = pool.holds()
    assert {topic: after[topic] for topic in after if topic != STANDINGS} == {topic: apart[topic] for topic in apart if topic != STANDINGS}
    assert pool.digests("liga") == digests


@SOME
def test_a_merge_in_mid_season_is_the_same_as_one_at_the_end(name: str) -> None:
    facts = season(AGAIN)
    pool = Driven(*before(name))
    pool.each(*facts[:8], merged("m1", AGAIN, DOUBLE), *facts[7:], FINAL)
    assert ratings(pool) == ratings(one_id(name))
