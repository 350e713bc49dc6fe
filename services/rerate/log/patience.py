"""How long a reading up to a known end may come no nearer to it: while brokers are away, a poll only says that nothing is new."""

from collections.abc import Callable, Mapping
from time import monotonic

from .errors import LogUnreachable

SILENCE_S = 60.0
"""As long as it may take until another broker has taken over, or until the transaction of a dead owner has ended."""


class Patience:
    """For one reading. Only who follows a log for ever needs none."""

    def __init__(self, *, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._positions: dict[str, int] = {}
        self._moved_at = clock()

    def look(self, positions: Mapping[str, int]) -> None:
        """To be called after each poll, with where the reader stands.

        Raises:
            LogUnreachable: it has not moved for `SILENCE_S`.
        """
        if positions != self._positions:
            self._positions, self._moved_at = dict(positions), self._clock()
        elif self._clock() - self._moved_at > SILENCE_S:
            at = ", ".join(f"{topic} at offset {offset}" for topic, offset in sorted(positions.items()))
            raise LogUnreachable(f"the log has not answered for {SILENCE_S:g} s; read so far: {at}. Try again when it is back")
