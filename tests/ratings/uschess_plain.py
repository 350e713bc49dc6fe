"""The US Chess system a second time, in the plainest form: doubles, `math`, bisection, counters without caps. Nothing of it is the engine's
but the games' columns; no speed, no states.

It says what a player's rating after an event is before it is rounded, and keeps the whole history of who plays.
"""

import math
from collections import Counter
from dataclasses import dataclass, field
from datetime import date
from typing import Any

DEFAULTS = {
    "bonus": "table", "bonus_three": "twice", "start": "1300", "start_order": "fide", "age_by": "years", "fide_edition": "2025",
    "conversion_games": "text", "flat_stretch": "prior", "floors": "last", "peak_rounded": "no", "life_master": "established",
    "dual_category": "", "match_category": "", "match_floors": "yes",
}  # fmt: skip


@dataclass
class Person:
    """Everything that ever happened to a player."""

    traits: dict[str, Any] = field(default_factory=dict)
    rating: float | None = None
    games: int = 0
    scores: list[float] = field(default_factory=list)
    """Of all games; a converted rating that stands for games puts a half for each."""
    floor_points: int = 0
    peak: float = 0.0
    master_games: int = 0
    prize_floor: float = 0.0


def event(
    people: dict[str, Person], games: list[tuple[str, str, float, float, int]], end: str, category: str, given: dict[str, str]
) -> dict[str, float]:
    """Rate one event; the persons are changed but for their ratings.

    Args:
        games: (white, black, White's score, Black's score, rated bits).

    Returns:
        Player -> rating before rounding, of who has a game that counts.
    """
    say = DEFAULTS | given
    is_match = bool(say["match_category"]) and category == say["match_category"]
    is_dual = bool(say["dual_category"]) and category == say["dual_category"]
    r0: dict[str, float] = {}
    n: dict[str, int] = {}
    for name in {name for game in games for name in game[:2]}:
        person = people[name]
        if person.rating is not None:
            r0[name], n[name] = person.rating, person.games
        else:
            r0[name], n[name] = start(person.traits, end, say)
    mine: dict[str, list[tuple[str, float]]] = {}
    for white, black, white_score, black_score, bits in games:
        if is_match and not (n[white] > 25 and n[black] > 25 and abs(r0[white] - r0[black]) <= 400):
            continue
        if bits & 1:
            mine.setdefault(white, []).append((black, white_score))
        if bits & 2:
            mine.setdefault(black, []).append((white, black_score))
    history = {name: people[name].scores or [0.5] * n[name] for name in r0}

    def one_pass(name: str, others: dict[str, float]) -> float:
        played = mine[name]
        rivals, score, m = [others[rival] for rival, _ in played], sum(score for _, score in played), len(played)
        effective = min(n[name], n_star(r0[name]))
        won = n[name] > 0 and all(one == 1 for one in history[name])
        lost = n[name] > 0 and all(one == 0 for one in history[name])
        if n[name] <= 8 or won or lost:
            return special(r0[name], effective, "won" if won else "lost" if lost else "", rivals, score, say["flat_stretch"])
        k = 800 / (effective + m)
        if is_dual and r0[name] > 2200:
            k = 800 * (6.5 - 0.0025 * r0[name]) / (effective + m) if r0[name] < 2500 else 200 / (effective + m)
        change = k * (score - sum(1 / (1 + math.pow(10, (rival - r0[name]) / 400)) for rival in rivals))
        most = max(Counter(rival for rival, _ in played).values())
        if m < 3 or is_match or most > (1 if m == 3 and say["bonus_three"] == "distinct" else 2):
            return r0[name] + change
        return r0[name] + change + max(0, change - b_of(end, say) * math.sqrt(max(m, 4)))

    floors: dict[str, float] = {}
    for name, played in mine.items():
        person = people[name]
        person.scores = history[name] + [score for _, score in played]
        person.floor_points += sum(4 if score == 1 else 2 if score == 0.5 else 0 for _, score in played) + (len(played) >= 3)
        if r0[name] >= 2200 and (n[name] > 25 or say["life_master"] == "any"):
            person.master_games += len(played)
        person.games = n[name] + len(played)
        floors[name] = 100 if is_match and say["match_floors"] == "no" else floor(person, say)
    third = dict(r0)
    for name, played in mine.items():
        if n[name] == 0:
            third[name] = special(
                r0[name], 1, "", [r0[rival] for rival, _ in played], sum(score for _, score in played), say["flat_stretch"]
            )
    fourth = r0 | {name: one_pass(name, third) for name in mine}
    if say["floors"] == "both":
        fourth |= {name: max(fourth[name], floors[name]) for name in mine}
    fifth = {name: one_pass(name, fourth) for name in mine}
    if is_match:
        fifth = {name: min(max(value, r0[name] - 50), r0[name] + 50) for name, value in fifth.items()}
    return {name: max(value, floors[name]) for name, value in fifth.items()}


def settle(person: Person, rating: float) -> None:
    """The rounded rating, as the next event finds it."""
    person.rating = rating
    if person.games > 25:
        person.peak = max(person.peak, rating)


def start(traits: dict[str, Any], end: str, say: dict[str, str]) -> tuple[float, int]:
    fide = float(traits["fide"]) if "fide" in traits and say["fide_edition"] != "none" else None
    listed = float(traits["us_chess"]) if "us_chess" in traits else None
    if listed is not None and (fide is None or say["start_order"] == "us"):
        return listed, 0
    if fide is not None:
        if say["fide_edition"] == "2025":
            converted = -1073 + 1.5667 * fide if fide <= 2000 else 20 + 1.02 * fide
        else:
            converted = 20 + 1.02 * fide if fide <= 2000 else 180 + 0.94 * fide
        return max(converted, 100), 0 if say["conversion_games"] == "none" else 10 if fide > 2150 else 5
    age: float | None = None
    if "birth_date" in traits:
        born, last = date.fromisoformat(str(traits["birth_date"])), date.fromisoformat(end)
        if say["age_by"] == "days":
            age = (last - born).days / 365.25
        else:
            age = last.year - born.year - (1 if (last.month, last.day) < (born.month, born.day) else 0)
    elif "birth_year" in traits:
        age = int(end[:4]) - int(traits["birth_year"])
    if age is None or age > 26:
        return float(say["start"]), 0
    return (100, 0) if age < 2 else (50 * age, 0)


def n_star(r0: float) -> float:
    return 50 / math.sqrt(0.662 + 0.00000739 * (2569 - r0) ** 2) if r0 <= 2355 else 50


def b_of(end: str, say: dict[str, str]) -> float:
    if say["bonus"] != "table":
        return float(say["bonus"])
    return 10 if end >= "2025" else 12 if end >= "2023-02" else 14 if end >= "2017-05" else 12


def floor(person: Person, say: dict[str, str]) -> float:
    peak = float(math.floor(person.peak + 0.5)) if say["peak_rounded"] == "yes" else person.peak
    established = min(max(math.floor((peak - 200) / 100) * 100, 1200), 2100) if peak >= 1400 else 0
    return max(min(100 + person.floor_points, 150), established, 2200 if person.master_games >= 300 else 0, person.prize_floor)


def special(r0: float, effective: float, history: str, rivals: list[float], score: float, flat: str) -> float:
    """Bisection from both sides: where the expected score first reaches the score, and where it first leaves it."""
    prior = r0 - 400 if history == "won" else r0 + 400 if history == "lost" else r0
    wanted = score + (effective if history == "won" else 0 if history == "lost" else effective / 2)

    def expected(rating: float) -> float:
        each = [min(max(0.5 + (rating - rival) / 800, 0), 1) for rival in [prior, *rivals]]
        return effective * each[0] + sum(each[1:])

    low, high = _first(lambda rating: expected(rating) >= wanted - 1e-11), _first(lambda rating: expected(rating) > wanted + 1e-11)
    mean = (effective * prior + sum(rivals) + 400 * (2 * wanted - effective - len(rivals))) / (effective + len(rivals))
    found = min(max(mean, low), high)
    if high - low > 1e-6 and flat == "prior" and all(abs(found - place) > 400 + 1e-6 for place in [prior, *rivals]):
        found = min(max(r0, low), high)
    return min(max(found, 100), 2700)


def _first(reached: Any) -> float:
    low, high = -20_000.0, 30_000.0
    for _ in range(70):
        middle = (low + high) / 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high
