"""An event of the US Chess system for tests: a few words in, the rows and explanations out, through the face alone."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from rerate.ratings.face import BLACK, WHITE, EventInfo, Games, Period, Row, State, Step, Traits
from rerate.ratings.uschess import USChess

BOTH = WHITE | BLACK
HALF_POINTS = {"1": 2, "0.5": 1, "0": 0}


class Rated:
    """One event, rated for players named by any text."""

    def __init__(
        self,
        system: USChess,
        players: Mapping[str, Mapping[str, Any] | State | None],
        games: Iterable[Sequence[Any]],
        *,
        end: str = "2025-06-01",
        category: str = "",
        traits: Mapping[str, Mapping[str, str | int | bool]] | None = None,
    ) -> None:
        """Args:
        players: name -> a seed's fields, a state, or None.
        games: (white, black, White's score, rated bits or nothing for both).
        """
        self.system = system
        self.names = list(players)
        self.states: list[State | None] = []
        for name, given in players.items():
            state = system.seed(given) if isinstance(given, Mapping) else given
            assert state is not None or given is None, f"no seed: {name} {given}"
            self.states.append(state)
        columns = Games()
        for number, (white, black, score, *rated) in enumerate(games):
            half = HALF_POINTS[score]
            sides = (self.names.index(white), self.names.index(black))
            known: list[Traits] = [tuple(sorted((traits or {}).get(name, {}).items())) for name in (white, black)]
            columns.append(*sides, half, 2 - half, rated[0] if rated else BOTH, 0, f"g{number}", *known)
        self.period = Period((end, 0, "e"), columns, 0, len(columns), [EventInfo("e", end, category=category)], self.states)
        self.rows = system.rate(self.period)

    def row(self, name: str) -> Row:
        return self.rows[self.names.index(name)]

    def state(self, name: str) -> dict[str, Any]:
        return self.system.wire_state(self.row(name).state)

    def rating(self, name: str) -> str:
        return str(self.state(name)["rating"])

    def line(self, name: str) -> dict[str, Any]:
        return self.system.wire_line(self.row(name).lines[0])

    def steps(self, name: str) -> list[Step]:
        return self.system.explain(self.period, self.names.index(name))

    def added(self, name: str, *codes: str) -> Fraction:
        """What the steps of these codes (all, if none are named) add."""
        steps = [step for step in self.steps(name) if not codes or step.code in codes]
        return sum((step.adds for step in steps if step.adds is not None), Fraction(0))


def against(
    system: USChess, own: Mapping[str, Any] | State | None, games: Sequence[Sequence[str]], *, names: Sequence[str] = (), **more: Any
) -> Rated:
    """One event of the player `me` against opponents who hold still: his games are rated for him alone.

    Args:
        games: (rating of the opponent, score).
        names: of the opponents in order, where some are met twice.
    """
    names = names or [f"o{number}" for number in range(len(games))]
    opponents = {name: {"rating": rating, "games": 50} for name, (rating, _) in zip(names, games, strict=True)}
    played = [("me", name, score, WHITE) for name, (_, score) in zip(names, games, strict=True)]
    return Rated(system, {"me": own, **opponents}, played, **more)
