"""Public field reports of kinds K09 (rating maths) and K10 (rules that change), one test an id, on the systems that there are.

Not here:

* no such concept or system: U090, U092, U093, U094, U107 (ties of a free-for-all, teams), U113 (a ceiling of entry), U116 (a
  disqualification with a rule of its own for deviation and volatility: a game rates or it does not, and a deletion is a replay, U003);
* the dry run of a configuration, the first half of U111: nothing shows yet who would change by how much before it is sent.
"""

from fractions import Fraction
from typing import Any

import pytest

from rerate.audit.why import Explanation, explain
from rerate.ratings.face import BLACK, WHITE, EventInfo, Games, Period, System
from rerate.ratings.glicko import Glicko
from rerate.ratings.glicko2 import Glicko2
from tests.kit.driving import Driven, club_list, deltas, e20, lists
from tests.kit.plain_glicko import Player, glicko2
from tests.kit.saying import corrected, deleted, game, minted, published, seeded
from tests.kit.sendable import Data, Sendable


def one_list(system: str, quantum: str, period: str, parameters: Data | None = None, **more: Any) -> Data:
    return club_list("list", rules=[{"system": system, "parameters": parameters or {}}], quantum=quantum, period=period, **more)


def known(*players: str, list: str = "list", **state: object) -> list[Sendable]:
    """Seeds said as `A 1500`."""
    return [seeded(name, list=list, state={"rating": rating, **state}) for name, _, rating in (player.partition(" ") for player in players)]


def rows_of(pool: Driven, player: str, list_id: str = "list") -> list[Data]:
    return [row for row in pool.deltas(list_id) if row["player"] == minted(player)]


def told(pool: Driven, player: str, list_id: str = "list", period: str | None = None) -> Explanation:
    return explain(pool.pool, minted(player), period, list_id)


def added(explanation: Explanation, code: str) -> list[Fraction]:
    return [Fraction(step.adds) for step in explanation.steps if step.code == code and step.adds is not None]


# ---------------------------------------------------------------------- K01 and K08, for the systems that came later


@pytest.mark.parametrize(("system", "period"), [("glicko2/1", "month"), ("glicko2/1", "event"), ("glicko/1", "game")])
def test_a_deleted_event_of_a_glicko_league_leaves_the_bytes_of_one_that_never_saw_it(system: str, period: str) -> None:
    """U003: no inverse of an update is asked for; the rest is replayed, deviation and volatility too."""
    league = [
        published(f"e{n}", 1, *pairings, date=f"2024-0{n}-05")
        for n, pairings in enumerate((["A>B", "C>D"], ["B>C", "D>A"], ["A=C"]), start=1)
    ]
    configuration = lists(1, one_list(system, "0.01", period))
    pool = Driven(configuration, *league)
    pool.take(deleted("e2", 2, "void"))
    never = Driven(configuration, league[0], league[2])
    assert (pool.digests("list"), pool.ratings("list")) == (never.digests("list"), never.ratings("list"))


# ---------------------------------------------------------------------- K09: rating maths


@pytest.mark.parametrize(
    ("system", "quantum", "period", "parameters", "seed"),
    [
        ("club/1", "0.001", "event", {"k_new": 20, "provisional_below": 0}, {"games": 0}),
        ("fide/1", "1", "month", {"k": 20}, {"games": 40}),
        ("fide-curve/1", "1", "month", {"k": 20}, {"games": 40}),
        ("fide-curve/1", "0.01", "month", {"k": 20}, {"games": 40}),
    ],
)
def test_the_winner_gains_what_the_loser_loses(system: str, quantum: str, period: str, parameters: Data, seed: Data) -> None:
    """U095: a change is rounded once, half away from zero, alike for both."""
    config = one_list(system, quantum, period, parameters, shown="1")
    pool = Driven(lists(1, config), *known("A 1500", "B 1523", **seed), published("e1", 1, "A>B"))
    gained = Fraction(str(pool.rating("A", "list"))) - 1500
    assert gained > 10
    assert gained + Fraction(str(pool.rating("B", "list"))) - 1523 == 0
    assert added(told(pool, "A"), "change")[0] + added(told(pool, "B"), "change")[0] == 0


def test_what_is_shown_is_never_fed_back() -> None:
    """U095: two lists that differ in `shown` alone have the same states."""
    fine, coarse = (club_list(name, quantum="0.001", shown=shown) for name, shown in (("fine", "0.001"), ("coarse", "1")))
    pool = Driven(lists(1, fine, coarse), *(published(f"e{n}", 1, "A>B", "B=C", date=f"2024-01-{n:02d}") for n in range(1, 20)))
    assert pool.ratings("fine") == pool.ratings("coarse")
    assert pool.digests("fine") == pool.digests("coarse")


def test_one_game_on_a_list_of_500_moves_two_players_by_at_most_k() -> None:
    """U096"""
    crowd = [f"p{n} {1200 + n}" for n in range(500)]
    pool = Driven(e20(), *known(*crowd, list="elo", games=30))
    update = pool.make(published("e1", 1, "p0>p499"))
    assert sorted(delta["player"] for delta in deltas(update)) == [minted("p0"), minted("p499")]
    for name, before in (("p0", 1200), ("p499", 1699)):
        assert 0 < abs(Fraction(str(pool.rating(name))) - before) <= 20


@pytest.mark.parametrize(
    ("system", "quantum", "period", "games", "k"),
    [
        ("club/1", "0.1", "event", 0, 40),
        ("club/1", "0.1", "event", 30, 20),
        ("fide/1", "1", "month", 10, 40),
        ("fide/1", "1", "month", 40, 20),
    ],
)
def test_the_k_that_is_told_is_the_k_that_was_used(system: str, quantum: str, period: str, games: int, k: int) -> None:
    """U097: in the row, in the explanation, and the change is K x (score - expected) to the last digit."""
    pool = Driven(lists(1, one_list(system, quantum, period)), *known("A 1500", "B 1560", games=games), published("e1", 1, "A>B"))
    (row,) = rows_of(pool, "A")
    (line,) = row["row"]["events"]
    (term,) = line.get("terms", [line])
    explanation = told(pool, "A")
    assert term["k"] == k
    exact = k * (Fraction(term["score"]) - Fraction(term["expected"]))
    assert sum(added(explanation, "change")) == exact
    assert sum(added(explanation, "change")) + sum(added(explanation, "rounding")) == Fraction(row["row"]["rating"]) - 1500
    assert any(str(k) in step.text.split() or f"K {k}" in step.text for step in explanation.steps)


@pytest.mark.parametrize("system", [Glicko({}, 100, "month"), Glicko2({}, 100, "month")], ids=["glicko", "glicko2"])
@pytest.mark.parametrize("is_level", [True, False], ids=["level", "one-sided"])
def test_a_period_of_300_000_games_of_two_equal_players_ends_in_finite_numbers(system: System, is_level: bool) -> None:
    """U101: level they stay where they were; one-sided they part, within the limits. The deviation stays above 0."""
    games = Games()
    for n in range(300_000):
        games.append(0, 1, 2 if n % 2 or not is_level else 0, 0 if n % 2 or not is_level else 2, WHITE | BLACK, 0, f"g{n}")
    event = EventInfo("t:e1", "2024-01-31")
    rated = system.rate(Period(("2024-01",), games, 0, len(games), [event], [system.start(), system.start()]))
    (white, black) = (rated[player].state for player in (0, 1))
    assert white[1] > 0
    assert black[1] > 0
    if is_level:
        assert (white[0], black[0]) == (150_000, 150_000)
        assert white[1] < 50_000
    else:
        assert 150_000 < white[0] <= 999_900
        assert -999_900 <= black[0] < 150_000
    assert system.seed(system.wire_state(white)) is not None


def test_a_period_without_a_game_widens_the_deviation_and_counts_no_earlier_game_again() -> None:
    """U102: 200 becomes 200.2714 by a volatility of 0.06. No row is made for the idle month; it is worked out with the next game."""
    played = {"deviation": "200", "volatility": "0.06", "last": 20240115}
    config = one_list("glicko2/1", "0.01", "month")
    pool = Driven(lists(1, config), *known("A 1500", "B 1500", **played), published("e1", 1, "A=B", date="2024-03-10"))
    assert [row["period"]["date"] for row in pool.deltas("list")] == ["2024-03"] * 2
    (line,) = rows_of(pool, "A")[0]["row"]["events"]
    assert (line["deviation"], line["grown_deviation"][:8], line["games"]) == ("200.000", "200.2714", 1)
    assert pool.rating("A", "list") == "1500.00"
    busy = Driven(lists(1, config), *known("A 1500", "B 1500", **played), published("e1", 1, "A=B", date="2024-02-10"))
    (line,) = rows_of(busy, "A")[0]["row"]["events"]
    assert line["grown_deviation"][:8] == "200.0000"


def test_two_lists_start_a_newcomer_alike_and_each_names_the_opponents_rating_that_it_used() -> None:
    """U105"""
    rules = [{"system": "glicko2/1", "parameters": {}}]
    both, blitz = (
        club_list(name, rules=rules, quantum="0.01", variants=of) for name, of in (("all", ["standard", "blitz"]), ("blitz", ["blitz"]))
    )
    strength: Data = {"deviation": "60", "volatility": "0.06"}
    alike = Driven(lists(1, both, blitz), published("e1", 1, "N>B", variant="blitz"))
    assert alike.ratings("all") == alike.ratings("blitz")
    seeds = [*known("B 1700", list="all", **strength), *known("B 1500", list="blitz", **strength)]
    pool = Driven(lists(1, both, blitz), *seeds, published("e1", 1, "N>B", variant="blitz"))
    for name, opponent in (("all", "1700.00"), ("blitz", "1500.00")):
        (line,) = rows_of(pool, "N", name)[0]["row"]["events"]
        explanation = told(pool, "N", name)
        assert (line["rating"], line["deviation"], explanation.list) == ("1500.00", "350.000", name)
        assert [step.text.startswith(f"against {opponent},") for step in explanation.steps if step.code == "change"] == [True]
    assert Fraction(str(pool.rating("N", "all"))) > Fraction(str(pool.rating("N", "blitz")))


def test_glickmans_example_and_a_favourite_that_loses_many_games() -> None:
    """U106: the example's unrounded figures, to the quantum; the volatility of a favourite that loses rises, and does not explode."""
    config = one_list("glicko2/1", "0.001", "month", {"tau": "0.5"})
    me = seeded("A", list="list", state={"rating": "1500", "deviation": "200", "volatility": "0.06"})
    field = [
        seeded(name, list="list", state={"rating": rating, "deviation": deviation, "volatility": "0.06"})
        for name, rating, deviation in (("X", "1400", "30"), ("Y", "1550", "100"), ("Z", "1700", "300"))
    ]
    pool = Driven(lists(1, config), me, *field, published("e1", 1, "A>X", "A<Y", "A<Z"))
    (row,) = rows_of(pool, "A")
    state = row["row"]["state"]
    assert (state["rating"], state["deviation"], state["volatility"]) == ("1464.051", "151.517", "0.059995984")
    favourite = Driven(lists(1, config), *known("A 2000", "X 1500", deviation="50", volatility="0.06"))
    mine, theirs = Player(2000, 50, 0.06), Player(1500, 50, 0.06)
    for month in range(1, 13):
        favourite.take(published(f"e{month}", 1, *["A<X"] * 5, date=f"2024-{month:02d}-05"))
        before = mine.sigma
        mine, theirs = glicko2(mine, [(theirs, 0, 0)] * 5, 0.5, 1), glicko2(theirs, [(mine, 1, 0)] * 5, 0.5, 1)
        state = rows_of(favourite, "A")[-1]["row"]["state"]
        assert float(state["volatility"]) == pytest.approx(mine.sigma, abs=1e-7)
        assert float(state["rating"]) == pytest.approx(mine.rating, abs=0.05)
        assert month > 3 or before < mine.sigma < 0.07


# ---------------------------------------------------------------------- K10: rules that change


@pytest.mark.parametrize(("date", "rating"), [("2025-09-30", "2650.91"), ("2025-10-01", "2650.70")])
def test_from_october_2025_there_is_no_cap_from_2650_on_for_games_since_then(date: str, rating: str) -> None:
    """U108: by the curve. What is replayed years later comes to the same, whatever was rated in between."""
    config = one_list("fide-curve/1", "0.01", "month", {"k": 10})
    pool = Driven(lists(1, config), *known("A 2650", "B 2200", games=100), published("e1", 1, "A>B", date=date))
    assert pool.rating("A", "list") == rating
    pool.take(published("e2", 1, "C>D", date="2027-03-05"))
    pool.each(corrected("e1", 2, "A<B"), corrected("e1", 3, "A>B"))
    assert pool.rating("A", "list") == rating == pool.fresh().rating("A", "list")


def test_a_past_event_keeps_the_k_of_its_own_time() -> None:
    """U109: K 40 in May, K 20 in June; what is corrected in July is rated in May by 40."""
    config = one_list("fide/1", "1", "month")
    may = published("may", 1, "A>B", "A=C", date="2024-05-10")
    pool = Driven(lists(1, config), *known("A 1800", games=28), *known("B 1800", "C 1800", games=40), may)
    pool.take(published("june", 1, "A>C", date="2024-06-14"))
    pool.take(published("july", 1, "B=C", date="2024-07-05"))
    assert [row["row"]["events"][0]["k"] for row in rows_of(pool, "A")] == [40, 20]
    pool.take(corrected("may", 2, "A<B", "A=C"))
    assert [row["row"]["events"][0]["k"] for row in rows_of(pool, "A")] == [40, 20]
    assert rows_of(pool, "A")[0]["row"]["rating"] == "1780"
    assert pool.digests("list") == pool.fresh().digests("list")


def test_another_start_value_from_a_season_on_leaves_the_season_before_as_it_was() -> None:
    """U111, the second half: one version, one switch; who came before it keeps what he had."""
    first = {"system": "club/1", "parameters": {"start": "1500"}}
    later = {"from": "2024-07-01", "system": "club/1", "parameters": {"start": "1200"}}
    seasons = [published("e1", 1, "A>B", date="2024-03-01"), published("e2", 1, "C>D", "A>B", date="2024-09-01")]
    pool = Driven(lists(1, club_list(rules=[first])), *seasons)
    was = {row["player"]: row["row"] for row in pool.deltas() if row["period"]["event"] == minted("e1")}
    updates = len(pool.updates)
    pool.take(lists(2, club_list(rules=[first, later])))
    assert len(pool.updates) == updates + 1
    assert pool.head()["lists"]["elo"]["edition"] == 2
    assert {row["player"]: row["row"] for row in pool.deltas() if row["period"]["event"] == minted("e1")} == was
    assert (pool.rating("C"), pool.rating("D")) == ("1220.0", "1180.0")
    assert was[minted("A")]["rating"] == "1520.0"


@pytest.mark.parametrize(
    "config",
    [
        one_list("club/1", "0.1", "event"),
        one_list("glicko2/1", "0.01", "month"),
        one_list("glicko2/1", "0.01", "month", dated_by="game"),
        one_list("club/1", "0.1", "date", dated_by="start"),
    ],
    ids=["event", "month", "month-by-game-without-a-date", "by-start"],
)
def test_a_correction_of_one_event_rates_no_other_that_waits(config: Data) -> None:
    """U115: e2 is over and not rated yet (`running`); a correction of e1 leaves it so."""
    waits = published("e2", 1, game("g1", "C>D"), game("g2", "A>B"), date="2024-01-12", status="running", start_date="2024-01-11")
    pool = Driven(lists(1, config), published("e1", 1, "A>B"), waits)
    pool.take(corrected("e1", 2, "A<B"))
    assert pool.ratings("list").keys() == {"A", "B"}
    event = pool.event("e2")
    assert event is not None
    assert [(one["rated"], one["why"], "early" in one) for one in event["games"]] == [("none", "running", False)] * 2
