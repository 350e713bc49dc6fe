"""A block: some periods of a list in a row, as columns, with the state before the first of them (the checkpoint).

A list's timeline is cut into blocks of about `TARGET_GAMES` games. Editing a period rewrites its block alone, replaying restores a block's
checkpoint and runs forward, and a block in which nobody differs is passed over whole.
"""

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from rerate.ratings.face import BLACK, WHITE, EventInfo, Games, Key, State

TARGET_GAMES = 1_024
"""A block grows to twice this, then it is cut."""

FEW_CAREERS = 8
"""So many careers of a block are worked out one by one; who asks for more gets all in one go."""


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
        "_careers",
        "before",
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
        self._careers: dict[int, Career | None] = {}
        """Those asked for so far."""

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

    def append_stretch(self, other: "Block", first: int, end: int) -> None:
        """Append periods first..end (exclusive) of another block as they are."""
        games, rows = other.game_starts[first : end + 1], other.row_starts[first : end + 1]
        self.keys += other.keys[first:end]
        self.game_starts.extend([start - games[0] + len(self.games) for start in games[1:]])
        self.row_starts.extend([start - rows[0] + len(self.row_players) for start in rows[1:]])
        self.games.extend(other.games, games[0], games[-1])
        self.row_players.extend(other.row_players[rows[0] : rows[-1]])
        self.row_states += other.row_states[rows[0] : rows[-1]]
        self.digests += other.digests[32 * first : 32 * end]
        self.inputs += other.inputs[32 * first : 32 * end]
        self.players.update(other.games.white[games[0] : games[-1]])
        self.players.update(other.games.black[games[0] : games[-1]])

    def career(self, player: int, events: Sequence[EventInfo]) -> Career | None:
        """What the player's rows in this block add up to; None if he has none. `events` by event number."""
        if player not in self._careers:
            few = len(self._careers) < FEW_CAREERS
            self._careers.update(dict.fromkeys([player] if few else self.players))
            self._careers.update(self._worked_out({player} if few else self.players, events))
        return self._careers[player]

    def _worked_out(self, players: set[int], events: Sequence[EventInfo]) -> dict[int, Career]:
        won: dict[int, list[int]] = {}
        last: dict[int, str] = {}
        peaks: dict[int, tuple[int, str]] = {}
        games, starts = self.games, self.game_starts
        for side, column, halves in ((WHITE, games.white, games.white_half), (BLACK, games.black, games.black_half)):
            for g, player in enumerate(column):
                if player in players and games.rated[g] & side:
                    won.setdefault(player, [0, 0, 0])[halves[g]] += 1
                    date = str(self.keys[bisect_right(starts, g) - 1][0])
                    day = date if len(date) == 10 else events[games.event[g]].end
                    last[player] = max(day, last.get(player, ""))
        for r, player in enumerate(self.row_players):
            if player in players and (player not in peaks or self.row_states[r][0] > peaks[player][0]):
                peaks[player] = (self.row_states[r][0], str(self.keys[bisect_right(self.row_starts, r) - 1][0]))
        return {p: Career(sum(n), n[2], n[1], n[0], *peaks[p], last[p]) for p, n in won.items()}
