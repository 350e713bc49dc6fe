"""What the engine of a partition is handed, what bounds it, and what it counts."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn

from rerate.log.seam import Log

POLL_SECONDS = 0.1
"""How long an idle rater waits before it looks again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds of the engine."""

    records_a_step: int = 2_000
    behind: int = 10_000
    """Facts; further behind than this the rater catches up: it publishes once at the end."""
    resident_facts: int = 2_000_000
    """Facts of all pools in memory; above it the least recently used pools are dropped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What the engine is handed from outside."""

    log: Log
    sleep: Callable[[float], Awaitable[None]]
    offload: Callable[..., Awaitable[Any]]
    """Runs pure work in a thread: `await offload(function, *arguments)`."""
    die: Callable[[str], NoReturn]
    """Ends the process with a sentence for the operator."""
    rests_in_polls: bool = False
    """Whether a poll of this log waits for what comes, so that nobody need sleep between two."""
    tell: Callable[[str], None] = lambda sentence: None
    """Tells the operator something that does not end the process."""

    async def rest(self) -> None:
        """Wait before the next poll, the last one having brought nothing."""
        await self.sleep(0 if self.rests_in_polls else POLL_SECONDS)


@dataclass(slots=True, kw_only=True)
class Counts:
    """What the engine has done, for progress and metrics."""

    consumed: int = 0
    accepted: int = 0
    updates: int = 0
    rows: int = 0
    gaps: int = 0
    """Offsets missing in fact topics (a publisher's transactions leave them)."""
    refilled: int = 0
    transactions_begun: int = 0
    transactions_ended: int = 0
    step: str = "starting"
    ends: dict[str, int] = field(default_factory=dict)
    """Ends of the fact topics as last looked at."""
    next: dict[str, int] = field(default_factory=dict)
