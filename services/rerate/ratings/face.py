"""The face that every rating system has: the games of one period and the states before it in, the rows of that period out.

A system is pure and *local*: it sees the players of the period, their games and nothing else. A `System` is one version of a system bound
to a rule's parameters and a list's quantum. Its state per player is small and closed (rating, capped counters, latches).
"""

from array import array
from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from rerate.messages.codes import ListHeld
from rerate.messages.errors import RerateError
from rerate.messages.facts import Event

State = tuple[int, ...]
"""A player's state on a list: the rating in quanta first, then what the system needs, whole numbers all."""

Key = tuple[str | int, ...]
"""A period's key as sortable values; the first is its date (or month) as text. See `rerate.replay.periods`."""

Traits = tuple[tuple[str, str | int], ...]
"""What is registered of a player, of the traits that a list's systems ask for: (name, value), by name; yes and no as `true`, `false`."""

Documented = Mapping[str, tuple[str | int, str]]
"""Parameters by name, with their defaults (whole numbers, words, decimals as text) and meanings (with their limits)."""

LAST_MONTH = "9999-12"

FALLBACK = "fallback"
"""Name of the trait that holds a rating on another list."""

WHITE, BLACK = 1, 2
"""Bits of `Games.rated`: for which side a game is rated by the facts."""


class EventInfo(NamedTuple):
    """What a list's systems see of an event."""

    id: str
    end: str
    """Its last day."""
    start: str = ""
    """Its first day, its last if none is known; empty unless a system of the list sees events."""
    category: str = ""
    """Empty if it has none, or no system of the list sees events."""
    reads: Key = ()
    """Its games (with `dated_by: game` those of days that read alike) are judged by the list as it stood before the first period that is
    not below this key; empty: as it stands."""


class Games:
    """Rated games as columns, in period order; inside a period by (event order, event id), round, board, game id.

    Players and events are numbers of the replay that owns the columns (by first appearance: they never reach a digest, an order or an
    output). An event whose `EventInfo` changes gets another number.
    """

    __slots__ = ("black", "black_half", "black_traits", "days", "event", "ids", "rated", "white", "white_half", "white_traits")

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
        self.white_traits: list[Traits] = []
        self.black_traits: list[Traits] = []
        self.days: list[str] = []
        """The game's own day on a list by month and `dated_by: game`, else empty: it rates nothing, it is when a player last played."""

    def __len__(self) -> int:
        return len(self.ids)

    def append(
        self,
        white: int,
        black: int,
        white_half: int,
        black_half: int,
        rated: int,
        event: int,
        game: str,
        white_traits: Traits = (),
        black_traits: Traits = (),
        day: str = "",
    ) -> None:
        self.white.append(white)
        self.black.append(black)
        self.white_half.append(white_half)
        self.black_half.append(black_half)
        self.rated.append(rated)
        self.event.append(event)
        self.ids.append(game)
        self.white_traits.append(white_traits)
        self.black_traits.append(black_traits)
        self.days.append(day)

    def extend(self, other: "Games", low: int, high: int) -> None:
        """Append games low..high (exclusive) of `other`."""
        self.white.extend(other.white[low:high])
        self.black.extend(other.black[low:high])
        self.white_half.extend(other.white_half[low:high])
        self.black_half.extend(other.black_half[low:high])
        self.rated.extend(other.rated[low:high])
        self.event.extend(other.event[low:high])
        self.ids.extend(other.ids[low:high])
        self.white_traits.extend(other.white_traits[low:high])
        self.black_traits.extend(other.black_traits[low:high])
        self.days.extend(other.days[low:high])


class Row(NamedTuple):
    """A player's line in one period: the state after it and, per event, the numbers it was made from."""

    state: State
    lines: tuple[Any, ...]
    """One per event, of the system's own shape; `System.wire_line` shows it. The first field is the event's number."""
    adjusted_from: tuple[int, ...] | None = None
    """Set in an adjustment, which has no event: the rating before it in quanta, empty without one. What else of the state before it
    nobody is shown, so a change of that is no change of the row."""


class Step(NamedTuple):
    """One step of the explanation of a row, in the order of the calculation."""

    code: str
    """What kind of step: `own`, `counts`, `not-counted`, `expected`, `k`, `change`, `rounding`, `floor`, `deviation` ..."""
    text: str
    """A plain English sentence with the numbers in it, without names."""
    source: str = ""
    """Article and date of the rule, or where the method is published: `FIDE B02 8.3.1 (2024-03-01)`."""
    event: int | None = None
    """The event's number."""
    game: int | None = None
    """Which game of the columns."""
    adds: Fraction | None = None
    """Points it adds to the rating. Over all steps of a row these sum to the rating after it minus the one before; with a rounding step
    for what rounding adds."""


class Forecast(NamedTuple):
    """What a system expects of a game before it is played."""

    expected: int
    """White's score, millionths."""
    is_rated: bool
    """Whether it is told from ratings of both players; if not, the system says what it does of newcomers."""


class States(Protocol):
    """States by player number; None for who has none yet."""

    def __getitem__(self, player: int, /) -> State | None: ...


class Period:
    """The games of one period, and what they are judged by."""

    __slots__ = ("_older", "events", "games", "high", "key", "low", "now")

    def __init__(
        self,
        key: Key,
        games: Games,
        low: int,
        high: int,
        events: Sequence[EventInfo],
        now: States,
        older: Callable[[Key], States] | None = None,
    ) -> None:
        """Args:
        key: the period's key.
        games, low, high: the period's games are low..high (exclusive) of the columns.
        events: by event number.
        now: states in the list to which the changes are added, as it stands before the period.
        older: states in the list as it stood before the first period that is not below a key; None: nothing older is read.
        """
        self.key, self.games, self.low, self.high, self.events, self.now = key, games, low, high, events, now
        self._older = older

    def read(self, event: int) -> States:
        """States in the list by which an event is judged, by the event's number."""
        reads = self.events[event].reads
        return self.now if self._older is None or not reads else self._older(reads)

    def sides(self, game: int) -> tuple[tuple[State | None, Traits], tuple[State | None, Traits]]:
        """White and Black of a game: the state by which the event is judged (None: none yet), and the traits."""
        games, states = self.games, self.read(self.games.event[game])
        return (states[games.white[game]], games.white_traits[game]), (states[games.black[game]], games.black_traits[game])


class System(Protocol):
    """One version of a rating system, bound to parameters and a quantum. Everything here is pure."""

    @property
    def name(self) -> str:
        """With its version: `club/1`."""

    @property
    def parameters(self) -> Documented:
        """Every parameter of the system, whatever it is bound to."""

    @property
    def layout(self) -> str:
        """Names the fields and widths of a state; all rules of one list share it."""

    @property
    def reads_older(self) -> bool:
        """Whether an event may be judged by a list older than the one it is written to; `reads` says by which."""

    @property
    def sees_events(self) -> bool:
        """Whether start and category of an event matter. If not, `EventInfo` leaves them empty."""

    @property
    def needs_whole_events(self) -> bool:
        """Whether all games of an event are rated together; a list `dated_by: game`, which may rate parts of it apart, is held then."""

    @property
    def traits(self) -> frozenset[str]:
        """Names of the traits it asks of registered players. Others are left out of the columns."""

    @property
    def formulas(self) -> Collection[str]:
        """Names of the formulas that `adjust` knows."""

    @property
    def fallback(self) -> str | None:
        """Id of another list of the pool whose rating, in force when an event begins, stands in for a player who has none here. It comes
        as a trait of the name `FALLBACK`, a decimal string, for whoever has a rating there."""

    def month(self, event: Event, date: str, closing_day: int | None) -> str | None:
        """The month (`YYYY-MM`) in whose period an event of this date is rated, on a list by month; None if it comes too late to be
        rated. `Usual.month` is what most systems do."""

    def reads(self, key: Key, start: str) -> Key:
        """An event that begins on `start` and is written to the period `key` is judged by the list as it stood before the first period
        that is not below the returned key. It never passes `key`. Asked only if `reads_older`."""

    def start(self) -> State:
        """A newcomer's state."""

    def seed(self, fields: Mapping[str, object], as_of: str = "") -> State | None:
        """The state that a seed's fields stand for; None if this system cannot use them, or not on the day `as_of`. Without a day, of
        `wire_state` of a state it is that state."""

    def with_counters(self, chosen: State, others: Sequence[State]) -> State:
        """The chosen seed's state with the counters and latches of the person's other seeds added."""

    def adjust(self, state: State, kind: str, value: str, date: str = "") -> State | None:
        """A state after an adjustment by decision: `set` a rating, `add` points (decimal strings), or a `formula` by its name; unchanged
        where it is not for such a state. None if the system cannot use the value, or not from the date (or month) on for which it is, or
        has no such formula."""

    def rate(self, period: Period) -> dict[int, Row]:
        """Rate the games of one period.

        Returns:
            The row of each player who has a game rated for him by the facts; the order inside the period does not matter but where a
            parameter says so.

        Raises:
            NoResult: the arithmetic comes to no end; the pool is halted.
        """

    def explain(self, period: Period, player: int) -> list[Step]:
        """How the player's row of this period comes about, by the same code that rates it. Empty if `rate` gives him none."""

    def foretell(self, period: Period, game: int) -> Forecast:
        """What is expected of a game of the period, by its number in the columns: from the list that judges it, whatever its result."""

    def pack(self, state: State) -> bytes:
        """A state as the digests see it, big endian; of fixed width, or saying its own length."""

    def rated(self, state: State) -> bool:
        """Whether the player has a rating; without one, the first field of the state means nothing."""

    def provisional(self, state: State) -> bool:
        """Whether the player has few games."""

    def wire_state(self, state: State) -> dict[str, object]:
        """A state as rows on the wire show it."""

    def wire_line(self, line: Any) -> dict[str, object]:
        """One event of a row as shown on the wire, without the event's id."""


class Usual:
    """What most systems answer where the face asks for the unusual; a system derives from it and says only what is its own."""

    parameters: Documented = MappingProxyType({})
    reads_older: bool = False
    sees_events: bool = False
    needs_whole_events: bool = False
    traits: frozenset[str] = frozenset()
    formulas: Collection[str] = ()
    fallback: str | None = None

    def month(self, event: Event, date: str, closing_day: int | None) -> str | None:
        """The month of the date, an officer's `rate_in` before it."""
        return event.rate_in or month_of(date, closing_day)

    def reads(self, key: Key, start: str) -> Key:
        """The list as it stands before the period."""
        return key


class Unusable(RerateError):
    """Raised when a system cannot be bound to parameters, quantum or period kind; `reason` is the code under which the list is held."""

    def __init__(self, reason: ListHeld) -> None:
        super().__init__(reason)
        self.reason = reason


class NoResult(RerateError):
    """Raised by `System.rate` when a search does not converge: no number is better than a wrong one."""


def month_of(date: str, closing_day: int | None) -> str:
    """The month that a date falls into; a day after the closing day falls into the next."""
    if closing_day is None or int(date[8:]) <= closing_day:
        return date[:7]
    return next_month(date[:7])


def next_month(month: str) -> str:
    """The month after `YYYY-MM`; after the last that can be written there is none, so it is that one again."""
    year, number = int(month[:4]), int(month[5:7])
    if month == LAST_MONTH:
        return month
    return f"{year + 1:04d}-01" if number == 12 else f"{year:04d}-{number + 1:02d}"
