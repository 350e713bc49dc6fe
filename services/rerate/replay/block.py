"""A block: some periods of a list in a row, as columns, with the state before the first of them (the checkpoint).

A list's timeline is cut into blocks of about `TARGET_GAMES` games. Editing a period rewrites its block alone, replaying restores a block's
checkpoint and runs forward, and a block in which nobody differs is passed over whole.
"""

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from rerate.ratings.face import BLACK, WHITE, EventInfo, Games, Key, State
from rerate.replay.adjusting import EVERYBODY, Adjusting
from rerate.replay.periods import date_of

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
    peak: int | None
    """Highest rating after a period, quanta; None if he was never rated."""
    peak_date: str
    """The earliest date on which it stood; empty if he was never rated."""
    last: str
    """Date of the last period (or, in a month, of the last event or by what the list dates games) with a game of his; empty without
    one."""


def add_careers(earlier: Career, later: Career) -> Career:
    """Two stretches, one after the other, as one."""
    higher = later if earlier.peak is None or (later.peak is not None and later.peak > earlier.peak) else earlier
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
        "adjusting",
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
        """Who has a game in it, on either side, or is adjusted."""
        self.adjusting: dict[Key, Adjusting] = {}
        """What its periods without games are."""
        self._careers: dict[int, Career | None] = {}
        """Those asked for so far."""

    def append(
        self,
        key: Key,
        games: Games,
        low: int,
        high: int,
        players: Sequence[int],
        states: Sequence[State],
        digest: bytes,
        inputs: bytes,
        adjusting: Adjusting | None = None,
    ) -> None:
        """Append a period with its games, or an adjustment, and its rows."""
        if adjusting is not None:
            self._adjust(key, adjusting, players)
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
        for key in other.adjusting.keys() & set(other.keys[first:end]):
            adjusting = other.adjusting[key]
            self._adjust(key, adjusting, other.row_players[rows[0] : rows[-1]])
        self.digests += other.digests[32 * first : 32 * end]
        self.inputs += other.inputs[32 * first : 32 * end]
        self.players.update(other.games.white[games[0] : games[-1]])
        self.players.update(other.games.black[games[0] : games[-1]])

    def _adjust(self, key: Key, adjusting: Adjusting, players: Iterable[int]) -> None:
        self.adjusting[key] = adjusting
        self.players.update(players, (EVERYBODY,) if adjusting.players is None else adjusting.players)

    def career(self, player: int, events: Sequence[EventInfo], rated: Callable[[State], bool]) -> Career | None:
        """What the player's rows in this block add up to; None if he has none.

        Args:
            events: by event number.
            rated: whether a state has a rating.
        """
        if player not in self._careers:
            few = len(self._careers) < FEW_CAREERS
            self._careers.update(dict.fromkeys([player] if few else self.players))
            self._careers.update(self._worked_out({player} if few else self.players, events, rated))
        return self._careers[player]

    def _worked_out(self, players: set[int], events: Sequence[EventInfo], rated: Callable[[State], bool]) -> dict[int, Career]:
        won: dict[int, list[int]] = {}
        last: dict[int, str] = {}
        peaks: dict[int, tuple[int | None, str]] = {}
        games, starts = self.games, self.game_starts
        for side, column, halves in ((WHITE, games.white, games.white_half), (BLACK, games.black, games.black_half)):
            for g, player in enumerate(column):
                if player in players and games.rated[g] & side:
                    won.setdefault(player, [0, 0, 0])[halves[g]] += 1
                    date = str(self.keys[bisect_right(starts, g) - 1][0])
                    day = date if len(date) == 10 else games.days[g] or events[games.event[g]].end
                    last[player] = max(day, last.get(player, ""))
        for r, player in enumerate(self.row_players):
            if player in players:
                highest, _ = peaks.setdefault(player, (None, ""))
                state = self.row_states[r]
                if (highest is None or state[0] > highest) and rated(state):
                    peaks[player] = (state[0], date_of(self.keys[bisect_right(self.row_starts, r) - 1]))
        careers = {}
        for p, peak in peaks.items():
            lost, drawn, wins = won.get(p, (0, 0, 0))
            careers[p] = Career(wins + drawn + lost, wins, drawn, lost, *peak, last.get(p, ""))
        return careers
