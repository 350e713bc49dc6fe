"""Laws of the FIDE systems over random histories: what a number of a player means nothing for, and that every row is explained by
itself."""

from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import strategies as st

from rerate.ratings.face import EventInfo, Games, Key, Period, System
from rerate.ratings.fide import Fide
from rerate.ratings.fide_2009 import Fide2009
from rerate.ratings.fide_curve import FideCurve
from tests.kit.laws import law
from tests.ratings.fide_kit import Lists
from tests.ratings.fide_random import History, next_month

SYSTEMS: dict[str, tuple[System, int]] = {
    "standard": (Fide({}, 1, "month"), 1),
    "blitz": (Fide({"kind": "blitz", "rounding": "event", "below_floor": "forget"}, 1, "month"), 1),
    "curve": (FideCurve({"k": 32, "newcomer": "1500"}, 100, "month"), 100),
    "curve-unrated": (FideCurve({}, 1, "month"), 1),
    "2009": (Fide2009({"initial_games": 5}, 1, "month"), 1),
}
FIRST = ["2009-04", "2014-05", "2021-11", "2022-09", "2023-12", "2024-11", "2025-09"]
numbers = st.integers(0, 2**32 - 1)


def months(system: System, number: int, count: int = 3) -> Any:
    """(period, rows) of some months of a random history."""
    random = Random(number)
    history = History(system, random, random.choice(FIRST), 8)
    history.seed(*random.choice([(1010, 1700), (1390, 1500), (1900, 2450), (1400, 2800)]), share=random.choice([0.4, 0.8]))
    month = history.first
    for _ in range(count):
        period = history.period(month, history.events(month, games=random.choice([4, 12, 60])))
        rows = system.rate(period)
        yield period, rows
        history.lists[next_month(month)] = history.lists[month] | {player: row.state for player, row in rows.items()}
        month = next_month(month)


@pytest.mark.parametrize("name", SYSTEMS)
@law(numbers, share=0.1)
def test_the_steps_of_every_row_add_up_to_it(name: str, number: int) -> None:
    system, per_point = SYSTEMS[name]
    for period, rows in months(system, number):
        for player, row in rows.items():
            steps = system.explain(period, player)
            before = period.now[player] or system.start()
            assert sum((step.adds for step in steps if step.adds is not None), Fraction(0)) == Fraction(row.state[0] - before[0], per_point)
            told = [step.game for step in steps if step.game is not None]
            assert told == sorted(set(told), key=told.index), "a game is told once"
            assert set(told) == {
                at
                for at in range(period.low, period.high)
                for side, bit in ((period.games.white, 1), (period.games.black, 2))
                if side[at] == player and period.games.rated[at] & bit
            }
            assert all(step.text and step.text[0] != " " for step in steps)


@pytest.mark.parametrize("name", SYSTEMS)
def test_who_has_no_row_has_no_explanation(name: str) -> None:
    system, _ = SYSTEMS[name]
    for period, rows in months(system, 1):
        assert all(bool(system.explain(period, player)) == (player in rows) for player in range(9))


def moved_to(games: Games, number: dict[int, int], order: list[int]) -> Games:
    """The columns with other player numbers, the games of each event in another order."""
    out = Games()
    for at in order:
        white, black = number[games.white[at]], number[games.black[at]]
        out.append(
            white,
            black,
            games.white_half[at],
            games.black_half[at],
            games.rated[at],
            games.event[at],
            games.ids[at],
            white_traits=games.white_traits[at],
            black_traits=games.black_traits[at],
        )
    return out


@pytest.mark.parametrize("name", SYSTEMS)
@law(numbers, st.permutations(range(8)), share=0.1)
def test_numbers_of_players_and_the_order_of_games_never_reach_a_result(name: str, number: int, places: list[int]) -> None:
    system, _ = SYSTEMS[name]
    numbers_of = dict(enumerate(places))
    back = {place: player for player, place in numbers_of.items()}
    for period, rows in months(system, number):
        order = sorted(range(len(period.games)), key=lambda at: (period.games.event[at], Random(number + at).random()))
        now = Lists({numbers_of[player]: state for player, state in period.now.states.items()})
        reads: list[Key] = [(*(one.reads or period.key), at) for at, one in enumerate(period.events)]
        read: dict[Key, Lists] = {
            reads[event]: Lists({numbers_of[player]: state for player, state in period.read(event).states.items()})
            for event in range(len(period.events))
        }
        events = [one._replace(reads=key) for one, key in zip(period.events, reads, strict=True)]
        games = moved_to(period.games, numbers_of, order)
        again = system.rate(Period(period.key, games, 0, len(games), events, now, read.__getitem__))
        assert {back[player]: row for player, row in again.items()} == rows


@pytest.mark.parametrize("name", SYSTEMS)
@law(numbers, share=0.1)
def test_lines_sum_up_to_the_row(name: str, number: int) -> None:
    """A rated player's change is the sum over his lines as the wire shows them, rounded once (or each)."""
    system, per_point = SYSTEMS[name]
    for period, rows in months(system, number):
        for player, row in rows.items():
            before = period.now[player] or system.start()
            if not (system.rated(before) and system.rated(row.state)):
                continue
            lines: list[Any] = [system.wire_line(line) for line in row.lines]
            if before[0] < (system.floor(f"{period.key[0]}-01") or before[0]):
                continue  # below a floor that has risen, and rated again in the same month
            change = sum((line["k"] * (Fraction(line["score"]) - Fraction(line["expected"])) for line in lines), Fraction(0))
            limit = Fraction(len(lines) if name == "blitz" else 1, 2 * per_point)
            assert abs(Fraction(row.state[0] - before[0], per_point) - change) <= limit


@pytest.mark.parametrize("name", SYSTEMS)
@law(numbers, share=0.1)
def test_states_are_closed_packed_and_shown(name: str, number: int) -> None:
    """Every state that rating leaves is one that a seed can give, and the wire shows all of it."""
    system, _ = SYSTEMS[name]
    for _, rows in months(system, number):
        for row in rows.values():
            assert system.seed(system.wire_state(row.state)) == row.state
            assert len(system.pack(row.state)) == 7 + 20 * ((len(row.state) - 3) // 4)
            assert row.state[0] == 0 or system.rated(row.state)


@law(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 5), st.integers(0, 2)), min_size=1, max_size=20))
def test_with_one_k_for_all_what_one_gains_the_others_lose(games: list[tuple[int, int, int]]) -> None:
    """Each is expected what the other is not; only the rounding of each row is left over."""
    system = FideCurve({"k": 20, "newcomer": "1500", "exempt_2650": "no"}, 1000, "event")
    columns = Games()
    for at, (white, by, half) in enumerate(games):
        columns.append(white, (white + by) % 6, half, 2 - half, 3, 0, f"g{at}")
    states = {player: (1_500_000 + 90_000 * player, 9, 0) for player in range(6)}
    events = [EventInfo("w:e", "2026-03-05", "2026-03-05", "open", ())]
    rows = system.rate(Period(("2026-03-05", 0, "w:e"), columns, 0, len(columns), events, Lists(states)))
    assert 2 * abs(sum(row.state[0] - states[player][0] for player, row in rows.items())) <= len(rows)
