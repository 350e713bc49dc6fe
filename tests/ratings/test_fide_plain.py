"""The FIDE systems against a second calculation in the plainest form (`fide_plain.py`), month by month, to the quantum."""

from collections import Counter
from random import Random

import pytest
from hypothesis import strategies as st

from rerate.ratings.face import State, System
from rerate.ratings.fide import Fide
from rerate.ratings.fide_2009 import Fide2009
from rerate.ratings.fide_curve import FideCurve
from tests.kit.laws import law
from tests.ratings.fide_plain import Plain, Player
from tests.ratings.fide_random import History, next_month

BORDERS = ["2009-05", "2011-05", "2014-04", "2021-10", "2022-08", "2024-01", "2024-10", "2025-08"]
"""Months before which a rule changed or after which one will."""

MONTHS = 6


def shown(system: System, state: State) -> dict[str, object]:
    return dict(system.wire_state(state))


def player_of(system: System, state: State) -> Player:
    """A seed as the plain calculation has it."""
    fields = system.wire_state(state)
    rating = float(str(fields["rating"]))
    peak = max(rating, 2400 if fields["reached_2400"] else 2300 if fields["reached_2300"] else 0)
    return Player(rating, int(str(fields["games"])), peak, True)


def expected_fields(player: Player, per_point: int) -> dict[str, object]:
    """What the wire would show of a plain player."""
    places = len(str(per_point)) - 1
    fields: dict[str, object] = {} if player.rating is None else {"rating": f"{player.rating:.{places}f}"}
    fields |= {"games": player.games, "reached_2300": player.peak >= 2300, "reached_2400": player.peak >= 2400}
    fields["first_event_over"] = player.has_begun
    if player.rating is None:
        for number in sorted({game[0] for game in player.pool}):
            games = [game for game in player.pool if game[0] == number]
            month = next_month("0000-12", number) if number < 0 else f"{(number - 1) // 12}_{(number - 1) % 12 + 1:02d}"
            half, ratings = round(2 * sum(game[2] for game in games)), round(per_point * sum(game[1] for game in games))
            fields[f"pool_{month}"] = f"games{len(games)}-half{half}-sum{ratings}"
    return fields


def agrees(system: System, plain: Plain, per_point: int, random: Random, low: int, high: int) -> int:
    """Play some months both ways, row by row the same; on the curve a tie may go the other way, by one quantum.

    Returns:
        How many rows were compared.
    """
    first = random.choice(BORDERS)
    history = History(system, random, first)
    history.seed(low, high)
    plain.births = history.births
    lists = {first: {player: player_of(system, state) for player, state in history.lists[first].items()}}
    compared = 0
    month = first
    for _ in range(MONTHS):
        events = history.events(month, games=random.choice([6, 12, 70]))
        rows = history.play(month, events)
        after = plain.month(month, lambda key: lists[max(key, first)], events)
        assert after.keys() == lists[month].keys() | rows.keys()
        for player, row in rows.items():
            found, wanted = dict(system.wire_state(row.state)), expected_fields(after[player], per_point)
            compared += 1
            if found != wanted and plain.curve and player in plain.near_tie:
                assert abs(float(str(found["rating"])) - float(str(wanted["rating"]))) <= 1.01 / per_point
                after[player] = player_of(system, row.state)
            else:
                assert found == wanted, (month, player)
        month = next_month(month)
        lists[month] = after
    return compared


RANGES = [(1010, 1700), (1390, 1900), (1900, 2450), (2250, 2800), (1400, 2800)]


@pytest.mark.parametrize("kind", ["standard", "rapid", "blitz"])
@law(st.integers(0, 2**32 - 1), st.sampled_from(RANGES), share=1 / 3)
def test_fide_1_is_what_the_plain_calculation_gives(kind: str, number: int, ratings: tuple[int, int]) -> None:
    compared = agrees(Fide({"kind": kind}, 1, "month"), Plain(kind), 1, Random(number), *ratings)
    assert compared >= MONTHS


@law(st.integers(0, 2**32 - 1), st.sampled_from(RANGES), st.sampled_from([1, 10, 100, 1000]), share=1 / 3)
def test_fide_curve_1_is_what_the_plain_calculation_gives(number: int, ratings: tuple[int, int], per_point: int) -> None:
    plain = Plain(curve=True, quantum=1 / per_point)
    compared = agrees(FideCurve({}, per_point, "month"), plain, per_point, Random(number), *ratings)
    assert compared >= MONTHS


@law(st.integers(0, 2**32 - 1), st.sampled_from(RANGES), share=1 / 3)
def test_fide_2009_1_is_what_the_plain_calculation_gives(number: int, ratings: tuple[int, int]) -> None:
    """Its lists monthly, so that the months are those of the plain calculation; `test_fide_dates` has the calendar."""
    compared = agrees(Fide2009({"lists": "monthly"}, 1, "month"), Plain(mean=True), 1, Random(number), *ratings)
    assert compared >= MONTHS


def test_these_histories_meet_what_the_rules_tell_apart() -> None:
    """Otherwise the agreement would say less than it seems to."""
    met: Counter[str] = Counter()
    for number in range(60):
        random = Random(number)
        system = Fide({"kind": "rapid" if number // len(BORDERS) % 2 else "standard"}, 1, "month")
        history = History(system, random, BORDERS[number % len(BORDERS)])
        history.seed(*RANGES[number % len(RANGES)])
        month = history.first
        for _ in range(MONTHS):
            events = history.events(month, games=random.choice([6, 12, 70]))
            period = history.period(month, events)
            for player, row in history.play(month, events).items():
                before = history.lists[month].get(player, system.start())
                met[f"{system.rated(before)} to {system.rated(row.state)}"] += 1
                steps = system.explain(period, player)
                met.update(step.text.partition(" with")[0] for step in steps if step.code == "k" and "above 700" not in step.text)
                met["700"] += any("above 700" in step.text for step in steps)
                met["capped"] += any("counted as" in step.text for step in steps)
                met["later"] += any("by now" in step.text for step in steps)
                met["too wide"] += any("600 or more" in step.text for step in steps)
                met["dropped"] += any(line.is_dropped for line in row.lines)
                met["pooled"] += any(step.code == "pooled" and month not in step.text and ":" in step.text for step in steps)
            month = next_month(month)
    assert not {name for name in EVERY if not met[name]}


EVERY = {"True to True", "True to False", "False to False", "False to True", "700", "capped", "later", "too wide", "dropped", "pooled"}
EVERY |= {"K 40", "K 20", "K 15", "K 25", "K 30", "K 10 for good, a published rating has been 2400 or more"}
