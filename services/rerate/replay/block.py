"""A block: some periods of a list in a row, as columns, with the state before the first of them (the checkpoint).

A list's timeline is cut into blocks of about `TARGET_GAMES` games. Editing a period rewrites its block alone, replaying restores a block's
checkpoint and runs forward, and a block in which nobody differs is passed over whole.
"""

from array import array
from collections.abc import Sequence
from typing import NamedTuple

from rerate.ratings.face import BLACK, WHITE, Games, Key, State

TARGET_GAMES = 1_024
"""A block grows to twice this, then it is cut."""


class Career(NamedTuple):
    """What a player's rows of a stretch of periods add up to."""

    games: int
    won: int
    drawn: int
    lost: int
    peak: int
    """Highest rating after a period, quanta."""
    peak_date: str
    """The earliest date on which it stood."""
    last: str
    """Date of the last period (or, in a month, of the last event) with a game of his."""


def add_careers(earlier: Career, later: Career) -> Career:
    """Two stretches, one after the other, as one."""
    higher = later if later.peak > earlier.peak else earlier
    return Career(
        earlier.games + later.games,
        earlier.won + later.won,
        earlier.drawn + later.drawn,
        earlier.lost + later.lost,
        higher.peak,
        higher.peak_date,
        max(earlier.last, later.last),
    )


class Block:
    """Columns of consecutive periods. Games and rows of period i are [starts[i], starts[i+1]) of their columns."""

    __slots__ = (
        "before",
        "careers",
        "digests",
        "game_starts",
        "games",
        "inputs",
        "keys",
        "players",
        "row_players",
        "row_starts",
        "row_states",
    )

    def __init__(self, before: list[State | None]) -> None:
        self.before = before
        """The checkpoint: each player's state before the first period, by player number; a player beyond its end has none."""
        self.keys: list[Key] = []
        self.games = Games()
        self.game_starts = array("q", [0])
        self.row_players = array("i")
        """The log of states: rows of each period by id bytes of the player."""
        self.row_states: list[State] = []
        self.row_starts = array("q", [0])
        self.digests = bytearray()
        """32 bytes a period."""
        self.inputs = bytearray()
        self.players: set[int] = set()
        """Who has a game in it, on either side."""
        self.careers: dict[int, Career] | None = None

    def append(
        self, key: Key, games: Games, low: int, high: int, players: Sequence[int], states: Sequence[State], digest: bytes, inputs: bytes
    ) -> None:
        """Append a period with its games and its rows."""
        self.keys.append(key)
        self.games.extend(games, low, high)
        self.game_starts.append(len(self.games))
        self.row_players.extend(players)
        self.row_states.extend(states)
        self.row_starts.append(len(self.row_players))
        self.digests += digest
        self.inputs += inputs
        self.players.update(games.white[low:high])
        self.players.update(games.black[low:high])

    def career(self, player: int, event_dates: Sequence[str]) -> Career | None:
        """What the player's rows in this block add up to; None if he has none. `event_dates` by event number: last days."""
        if self.careers is None:
            self.careers = self._careers(event_dates)
        return self.careers.get(player)

    def _careers(self, event_dates: Sequence[str]) -> dict[int, Career]:
        won: dict[int, list[int]] = {}
        last: dict[int, str] = {}
        peaks: dict[int, tuple[int, str]] = {}
        games = self.games
        for i, key in enumerate(self.keys):
            date = str(key[0])
            for g in range(self.game_starts[i], self.game_starts[i + 1]):
                rated = games.rated[g]
                day = date if len(date) == 10 else event_dates[games.event[g]]
                if rated & WHITE:
                    player = games.white[g]
                    won.setdefault(player, [0, 0, 0])[games.white_half[g]] += 1
                    last[player] = max(day, last.get(player, ""))
                if rated & BLACK:
                    player = games.black[g]
                    won.setdefault(player, [0, 0, 0])[games.black_half[g]] += 1
                    last[player] = max(day, last.get(player, ""))
            for r in range(self.row_starts[i], self.row_starts[i + 1]):
                player, rating = self.row_players[r], self.row_states[r][0]
                if player not in peaks or rating > peaks[player][0]:
                    peaks[player] = (rating, date)
        return {p: Career(sum(n), n[2], n[1], n[0], *peaks[p], last[p]) for p, n in won.items()}
