"""One period through a system's face, built by hand: players by number, states by number, events in order."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from rerate.ratings.face import EventInfo, Games, Key, Period, Row, State, System, Traits

HALF_POINTS = {"1": 2, "0.5": 1, "0": 0}

ME = 0


class Lists:
    """States by player number."""

    def __init__(self, states: Mapping[int, State]) -> None:
        self.states = dict(states)

    def __getitem__(self, player: int) -> State | None:
        return self.states.get(player)


class Built:
    """A period in the making; `now` and, by key, `older` lists are filled by the test."""

    def __init__(self, system: System, month: str = "2026-03") -> None:
        self.system = system
        self.key: Key = (month,)
        self.games, self.events = Games(), list[EventInfo]()
        self.now: dict[int, State] = {}
        self.older: dict[Key, dict[int, State]] = {}
        self.traits: dict[int, Traits] = {}

    def event(self, start: str, end: str = "", reads: Key = (), id: str = "") -> int:
        """Another event; its number."""
        number = len(self.events)
        self.events.append(EventInfo(id or f"w:e{number}", end or start, start, "open", reads))
        return number

    def game(self, event: int, white: int, black: int, half: int, rated: int = 3, black_half: int | None = None) -> None:
        other = 2 - half if black_half is None else black_half
        whites, blacks = (self.traits.get(player, ()) for player in (white, black))
        self.games.append(white, black, half, other, rated, event, f"g{len(self.games)}", white_traits=whites, black_traits=blacks)

    def period(self) -> Period:
        older = {key: Lists(states) for key, states in self.older.items()}
        now = Lists(self.now)
        return Period(self.key, self.games, 0, len(self.games), self.events, now, lambda key: older.get(key, now))

    def rate(self) -> dict[int, Row]:
        return self.system.rate(self.period())


def seeded(system: System, rating: str | None, games: int = 30, **more: Any) -> State:
    """A state by its fields; `rating` None: without one."""
    state = system.seed({"games": games, **({} if rating is None else {"rating": rating}), **more})
    assert state is not None
    return state


def one_player(
    system: System,
    own: State | None,
    events: Sequence[tuple[str | None, Sequence[Sequence[str]]]],
    start: str = "2026-03-05",
    month: str = "2026-03",
) -> Built:
    """A period of player `ME`: per event the rating by which he is judged (None: the present one) and [opponent or "", score] of games."""
    built = Built(system, month)
    if own is not None:
        built.now[ME] = own
    opponent = 0
    for at, (rating, games) in enumerate(events):
        key = (start[:7], at)
        event = built.event(start, reads=key)
        read: dict[int, State] = {} if own is None else {ME: own}
        if rating is not None:
            read[ME] = seeded(system, rating)
        for theirs, score in games:
            opponent += 1
            if theirs:
                read[opponent] = seeded(system, theirs)
            half = HALF_POINTS[score]
            if opponent % 2:
                built.game(event, ME, opponent, half)
            else:
                built.game(event, opponent, ME, 2 - half)
        built.older[key] = read
    return built


def exact_change(system: System, row: Row) -> Fraction:
    """The unrounded change of a row in points: the sum of K x (score - expected) over its lines."""
    whole = getattr(system, "whole", 0)
    return sum((line.k * (Fraction(line.half, 2) - Fraction(line.expected, whole)) for line in row.lines), Fraction(0))


def moved(built: Built, player: int = ME) -> Fraction:
    """Points between the first numbers of the states before and after."""
    per_point = getattr(built.system, "per_point", 0)
    before = built.now.get(player) or built.system.start()
    return Fraction(built.rate()[player].state[0] - before[0], per_point)


def adds(built: Built, player: int = ME) -> Fraction:
    """What the steps of the player's explanation add up to."""
    return sum((step.adds for step in built.system.explain(built.period(), player) if step.adds is not None), Fraction(0))
