"""The face that every rating system has: the games of one period and the states before it in, the rows of that period out.

A system is pure and *local*: it sees the players of the period, their games and nothing else. A `System` is one version of a system bound
to a rule's parameters and a list's quantum. Its state per player is small and closed (rating, capped counters, latches).
"""

from array import array
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from rerate.messages.codes import ListHeld
from rerate.messages.errors import RerateError

State = tuple[int, ...]
"""A player's state on a list: the rating in quanta first, then what the system needs, whole numbers all."""

Key = tuple[str | int, ...]
"""A period's key as sortable values; the first is its date (or month) as text. See `rerate.replay.periods`."""

WHITE, BLACK = 1, 2
"""Bits of `Games.rated`: for which side a game is rated by the facts."""


class Games:
    """Rated games as columns, in period order; inside a period by (event order, event id), round, board, game id.

    Players and events are numbers of the replay that owns the columns (by first appearance: they never reach a digest, an order or an
    output).
    """

    __slots__ = ("black", "black_half", "event", "ids", "rated", "white", "white_half")

    def __init__(self) -> None:
        self.white = array("i")
        self.black = array("i")
        self.white_half = array("b")
        """Half points of White: 0, 1, 2."""
        self.black_half = array("b")
        self.rated = array("b")
        self.event = array("i")
        self.ids: list[str] = []
        """Game id within its event."""

    def __len__(self) -> int:
        return len(self.ids)

    def append(self, white: int, black: int, white_half: int, black_half: int, rated: int, event: int, game: str) -> None:
        self.white.append(white)
        self.black.append(black)
        self.white_half.append(white_half)
        self.black_half.append(black_half)
        self.rated.append(rated)
        self.event.append(event)
        self.ids.append(game)

    def extend(self, other: "Games", low: int, high: int) -> None:
        """Append games low..high (exclusive) of `other`."""
        self.white.extend(other.white[low:high])
        self.black.extend(other.black[low:high])
        self.white_half.extend(other.white_half[low:high])
        self.black_half.extend(other.black_half[low:high])
        self.rated.extend(other.rated[low:high])
        self.event.extend(other.event[low:high])
        self.ids.extend(other.ids[low:high])


class Row(NamedTuple):
    """A player's line in one period: the state after it and, per event, the numbers it was made from."""

    state: State
    lines: tuple[Any, ...]
    """One per event, of the system's own shape; `System.wire_line` shows it. The first field is the event's number."""


class States(Protocol):
    """States by player number; None for who has none yet."""

    def __getitem__(self, player: int, /) -> State | None: ...


class System(Protocol):
    """One version of a rating system, bound to parameters and a quantum. Everything here is pure."""

    @property
    def name(self) -> str:
        """With its version: `club/1`."""

    @property
    def layout(self) -> str:
        """Names the fields and widths of a state; all rules of one list share it."""

    @property
    def reads_older(self) -> bool:
        """Whether a period may be judged by a list older than the one it is written to; `reads` says by which."""

    def reads(self, key: Key) -> Key:
        """The period `key` is judged by the list as it stood before the first period that is not below the returned key. It never
        passes `key` and grows with it."""

    def start(self) -> State:
        """A newcomer's state."""

    def seed(self, fields: Mapping[str, object]) -> State | None:
        """The state that a seed's fields stand for; None if this system cannot use them."""

    def with_counters(self, chosen: State, others: Sequence[State]) -> State:
        """The chosen seed's state with the counters and latches of the person's other seeds added."""

    def rate(self, games: Games, low: int, high: int, read: States, now: States) -> dict[int, Row]:
        """Rate games low..high (exclusive) as one period.

        Args:
            read: states in the list by which the period is judged.
            now: states in the list to which the changes are added.

        Returns:
            The row of each player who has a game rated for him by the facts; the order inside the period does not matter but where a
            parameter says so.
        """

    def pack(self, state: State) -> bytes:
        """A state in its fixed width, big endian, as the digests see it."""

    def provisional(self, state: State) -> bool:
        """Whether the player has few games."""

    def games(self, state: State) -> int:
        """The (capped) count of games in a state."""

    def wire_state(self, state: State) -> dict[str, object]:
        """A state as rows on the wire show it."""

    def wire_line(self, line: Any) -> dict[str, object]:
        """One event of a row as shown on the wire, without the event's id."""


class Unusable(RerateError):
    """Raised when a system cannot be bound to parameters, quantum or period kind; `reason` is the code under which the list is held."""

    def __init__(self, reason: ListHeld) -> None:
        super().__init__(reason)
        self.reason = reason
