"""Adjustments of a list: ratings set, moved or put through a formula by a decision, between two periods."""

from collections.abc import Iterable, Sequence, Set
from typing import NamedTuple

from rerate.ratings.face import Row, State, System

EVERYBODY = -1
"""Stands for all players among player numbers."""


class Adjusting(NamedTuple):
    """An adjustment as the replay of a list holds it."""

    kind: str
    """`set`, `add` or `formula`; see `System.adjust`."""
    value: str
    players: frozenset[int] | None
    """Numbers of those it is for; None: everybody who is rated."""
    not_yet: frozenset[int]
    """Whose seed begins later: nothing before it is theirs."""

    def touches(self, differing: Set[int]) -> bool:
        """Whether one of those who differ may be among those it is for."""
        return bool(differing) if self.players is None else not self.players.isdisjoint(differing)

    def rows(self, system: System, date: str, states: Sequence[State | None]) -> dict[int, Row]:
        """The row of everybody whose state becomes another, by the system in force on the date (or in the month) from which on it is."""
        players: Iterable[int] = range(len(states)) if self.players is None else self.players
        rows: dict[int, Row] = {}
        for player in players:
            state = states[player] if player < len(states) else None
            if state is None or player in self.not_yet:
                continue
            after = system.adjust(state, self.kind, self.value, date)
            if after is not None and after != state:
                rows[player] = Row(after, (), state[:1] if system.rated(state) else ())
        return rows
