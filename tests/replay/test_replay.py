"""The one replay: what it works out anew after an edit, what it passes over, where it stops, and that it forgets nothing."""

from collections.abc import Iterator
from random import Random

import pytest

from rerate.replay import builder
from rerate.replay.replay import Change
from rerate.replay.walk import ReplayBroken
from tests.kit.counting import CountedReplay


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of four games, so that a few events fill many."""
    monkeypatch.setattr(builder, "TARGET_GAMES", 4)


def days(count: int) -> Iterator[tuple[str, str]]:
    """Event ids and dates, one a day."""
    return ((f"e{n:03d}", f"2024-{1 + n // 28:02d}-{1 + n % 28:02d}") for n in range(count))


def season(count: int, *games: str, **parameters: object) -> CountedReplay:
    """The same games every day."""
    of = CountedReplay(**parameters)
    for event, date in days(count):
        of.set(event, date, *games)
    of.step()
    return of


def changed(change: Change) -> list[tuple[str, str]]:
    return [(str(row.key[0]), row.player) for row in change.rows]


def same_as_fresh(
    of: CountedReplay, *events: tuple[str, str, tuple[str, ...]], seeds: dict[str, tuple[str, tuple[int, int]]] | None = None
) -> None:
    """A replay from nothing of these events comes to the same."""
    fresh = CountedReplay()
    for person, seed in (seeds or {}).items():
        fresh.replay.seed(person, seed)
    for event, date, games in events:
        fresh.set(event, date, *games)
    fresh.step()
    assert list(of.replay.periods()) == list(fresh.replay.periods())
    assert of.replay.digest() == fresh.replay.digest()
    assert (of.replay.row_count, of.replay.player_count) == (fresh.replay.row_count, fresh.replay.player_count)
    assert list(of.replay.persons()) == list(fresh.replay.persons())
    for person in fresh.replay.persons():
        assert of.replay.state(person) == fresh.replay.state(person)
        assert of.replay.career(person) == fresh.replay.career(person)
        assert of.replay.last_key(person) == fresh.replay.last_key(person)


# ---------------------------------------------------------------------- skip and stop


def test_a_new_last_period_is_worked_out_alone() -> None:
    of = season(100, "A>B")
    of.set("late", "2024-12-31", "A>B")
    assert changed(of.step()) == [("2024-12-31", "A"), ("2024-12-31", "B")]
    assert of.periods_rated == 1


def test_the_same_entries_again_are_no_work() -> None:
    of = season(10, "A>B")
    of.set("e003", "2024-01-04", "A>B")
    assert (changed(of.step()), of.periods_rated) == ([], 0)


def test_periods_of_others_are_skipped() -> None:
    """C and D play on half of the days; a change between A and B leaves those days as they are."""
    of = CountedReplay()
    for n, (event, date) in enumerate(days(40)):
        of.set(event, date, "A>B" if n % 2 else "C>D")
    of.step()
    of.set("e001", "2024-01-02", "A<B")
    assert {player for _, player in changed(of.step())} == {"A", "B"}
    assert of.periods_rated <= 2 * 20


def test_the_walk_stops_where_nobody_differs_any_more() -> None:
    """With K 0 another result leaves every state as it was."""
    of = season(50, "A=B", k_new=0, k_established=0)
    of.set("e000", "2024-01-01", "A>B")
    assert changed(of.step()) == [("2024-01-01", "A"), ("2024-01-01", "B")]
    assert of.periods_rated == 2, "the edited period as it is and as it was; no other, for no state differs"


def test_a_game_more_counts_only_as_long_as_the_counter_is_not_full() -> None:
    """The counter is capped: a draw among equals added in front is forgotten once both have games enough; the last row that is another
    has the state it had, but K 20 instead of 40."""
    of = season(60, "A=B")
    of.set("front", "2023-12-31", "A=B")
    change = of.step()
    dates = [date for date, player in changed(change) if player == "A"]
    assert dates == ["2023-12-31", *(date for _, date in days(60))][:21]
    assert of.replay.state("A") == (12_000, 20)


def test_two_edits_far_apart_are_one_walk(small_blocks: None) -> None:
    of = season(80, "A=B", "C=D", k_new=0, k_established=0)
    of.set("e001", "2024-01-02", "A>B", "C=D")
    of.set("e070", "2024-03-15", "A=B", "C>D")
    assert changed(of.step()) == [("2024-01-02", "A"), ("2024-01-02", "B"), ("2024-03-15", "C"), ("2024-03-15", "D")]
    assert of.periods_rated == 4


def test_a_change_that_touches_no_state_changes_the_row_that_shows_it() -> None:
    """With K 0 another result moves nobody; the row still says what was scored."""
    of = CountedReplay(k_new=0, k_established=0)
    of.set("e1", "2024-01-01", "A>B")
    of.step()
    of.set("e1", "2024-01-01", "A<B")
    assert [(row.player, row.old, row.new and row.new.state) for row in of.step().rows] == [
        ("A", (12_000, 1), (12_000, 1)),
        ("B", (12_000, 1), (12_000, 1)),
    ]


def test_rows_say_whether_the_players_own_games_changed() -> None:
    of = CountedReplay()
    of.set("e1", "2024-01-01", "A>B")
    of.set("e2", "2024-01-02", "B>C")
    of.step()
    of.set("e1", "2024-01-01", "A<B")
    assert [(row.player, row.key[0], row.direct) for row in of.step().rows] == [
        ("A", "2024-01-01", True),
        ("B", "2024-01-01", True),
        ("B", "2024-01-02", False),
        ("C", "2024-01-02", False),
    ]


# ---------------------------------------------------------------------- careers


def test_a_win_and_a_loss_that_become_two_draws_are_told_though_no_row_differs() -> None:
    of = CountedReplay()
    of.set("e1", "2024-01-01", "A>B", "A<B")
    of.step()
    of.set("e1", "2024-01-01", "A=B", "A=B")
    change = of.step()
    assert (change.rows, change.players) == ([], {"A", "B"})
    career = of.replay.career("A")
    assert career is not None
    assert (career.won, career.drawn, career.lost) == (0, 2, 0)


def test_the_last_game_of_a_month_follows_the_date_of_its_event() -> None:
    of = CountedReplay("month")
    of.set("e1", "2024-01-05", "A>B")
    of.step()
    of.set("e1", "2024-01-12", "A>B")
    change = of.step()
    assert (change.rows, change.players) == ([], {"A", "B"})
    career = of.replay.career("A")
    assert career is not None
    assert (career.last, career.peak_date) == ("2024-01-12", "2024-01")


def test_the_peak_is_the_highest_row_and_its_earliest_date(small_blocks: None) -> None:
    of = CountedReplay()
    for (event, date), game in zip(days(12), ("A>B", "A<B") * 6, strict=True):
        of.set(event, date, game, "C=D", "E=F")
    of.step()
    careers = {person: of.replay.career(person) for person in "AC"}
    assert careers["A"] is not None
    assert careers["C"] is not None
    assert (careers["A"].peak, careers["A"].peak_date) == (12_200, "2024-01-01")
    assert (careers["C"].peak, careers["C"].peak_date, careers["C"].last) == (12_000, "2024-01-01", "2024-01-12")


# ---------------------------------------------------------------------- blocks


def test_blocks_split_as_they_grow_and_nothing_shows_of_it(small_blocks: None) -> None:
    of = season(60, "A>B", "C=D")
    assert len(of.replay._blocks) > 10
    same_as_fresh(of, *((event, date, ("A>B", "C=D")) for event, date in days(60)))


def test_blocks_that_empty_go(small_blocks: None) -> None:
    of = season(60, "A>B", "C=D")
    before = len(of.replay._blocks)
    for event, date in list(days(60))[10:50]:
        of.set(event, date)
    of.step()
    assert len(of.replay._blocks) < before - 5
    same_as_fresh(of, *((event, date, ("A>B", "C=D")) for event, date in [*list(days(60))[:10], *list(days(60))[50:]]))


def test_a_list_that_empties_and_fills_again_is_as_new(small_blocks: None) -> None:
    of = season(30, "A>B", "C=D")
    for event, date in days(30):
        of.set(event, date)
    of.step()
    assert (list(of.replay.persons()), of.replay.row_count) == ([], 0)
    of.set("e000", "2024-01-01", "A>B")
    of.step()
    same_as_fresh(of, ("e000", "2024-01-01", ("A>B",)))


def test_a_list_that_empties_still_has_its_seeds() -> None:
    of, seed = CountedReplay(), ("2023-12-31", (14_000, 20))
    of.replay.seed("A", seed)
    for games in (("A>B",), (), ("A>B",)):
        of.set("e1", "2024-01-01", *games)
        of.step()
    same_as_fresh(of, ("e1", "2024-01-01", ("A>B",)), seeds={"A": seed})


def test_a_seed_changes_everything_after_it() -> None:
    of, seed = season(30, "A>B", "C=D"), ("2023-12-31", (14_000, 20))
    of.replay.seed("C", seed)
    assert {player for _, player in changed(of.step())} == {"C", "D"}
    same_as_fresh(of, *((event, date, ("A>B", "C=D")) for event, date in days(30)), seeds={"C": seed})
    of.replay.seed("C", None)
    of.step()
    same_as_fresh(of, *((event, date, ("A>B", "C=D")) for event, date in days(30)))


def test_any_edits_come_to_what_a_replay_from_nothing_gives(small_blocks: None) -> None:
    """120 steps of a few random edits each: events come, change, move to another day, and go."""
    random, of = Random(7), CountedReplay()
    standing: dict[str, tuple[str, tuple[str, ...]]] = {}
    dates = [date for _, date in days(40)]
    for _ in range(120):
        for event in random.sample([f"e{n:02d}" for n in range(30)], 3):
            games = tuple(f"{a}{random.choice('>=<')}{b}" for a, b in (random.sample("ABCDEFGH", 2) for _ in range(random.randrange(4))))
            date = random.choice(dates)
            of.set(event, date, *games)
            standing[event] = (date, games)
        of.step()
        same_as_fresh(of, *((event, date, games) for event, (date, games) in standing.items()))


def test_a_period_kept_that_is_not_what_it_was_made_from_breaks_the_replay() -> None:
    """The memory was altered: nothing may be published from it."""
    of = season(3, "A>B", "C=D")
    of.replay._blocks[0].row_states[0] = (13_000, 1)
    of.set("e000", "2024-01-01", "A>B", "C>D")
    with pytest.raises(ReplayBroken, match="must be rebuilt"):
        of.step()
