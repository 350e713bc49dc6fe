"""States in an older list: what a walk must remember for systems that judge a period by the list in force some time before it."""

from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Mapping, Sequence

from rerate.ratings.face import Key, State

Noted = Mapping[int, State | None]


class LookBack:
    """The states before each of the last periods, as they were and as they are, as far back as any period still to come may read."""

    def __init__(self, reads: Iterable[tuple[Key, Key]]) -> None:
        """Args:
        reads: of every period of the list, and of those to come, from where on it reads; in any order.
        """
        self._keys: list[Key] = []
        self._oldest: list[Key] = []
        """From where on this period or any after it reads, the last first."""
        for key, reads_from in sorted(reads, reverse=True):
            self._keys.append(key)
            self._oldest.append(min(reads_from, self._oldest[-1] if self._oldest else key))
        self._keys.reverse()
        self._oldest.reverse()
        self._notes: deque[tuple[Key, Noted, Noted]] = deque()

    def oldest_read(self, key: Key) -> Key:
        """From where on the period `key`, or any after it, reads."""
        at = bisect_left(self._keys, key)
        return min(key, self._oldest[at]) if at < len(self._oldest) else key

    def note(self, key: Key, was: Noted, now: Noted, oldest_read: Key) -> None:
        """Remember the states of a period's players before it; forget what lies before `oldest_read`."""
        while self._notes and self._notes[0][0] < oldest_read:
            self._notes.popleft()
        self._notes.append((key, was, now))

    def was(self, bound: Key, states: Sequence[State | None]) -> "_Older":
        """The old states before the first period that is not below `bound`; `states` are the old ones of now."""
        return _Older([was for key, was, _ in self._notes if key >= bound], states)

    def now(self, bound: Key, states: Sequence[State | None]) -> "_Older":
        """The same for the new states."""
        return _Older([now for key, _, now in self._notes if key >= bound], states)


class _Older:
    def __init__(self, notes: list[Noted], states: Sequence[State | None]) -> None:
        self._notes, self._states = notes, states

    def __getitem__(self, player: int) -> State | None:
        for note in self._notes:
            if player in note:
                return note[player]
        return self._states[player]
