"""The rater as a process: puts the engine together with a real log, a real store, real sleep and threads, and runs it."""

import asyncio
import gc
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from typing import NoReturn

from rerate import __version__
from rerate.log.seam import Log, Store
from rerate.messages.errors import RerateError
from rerate.pool.head import read_head
from rerate.pool.pool import MAX_ROWS, Settings
from rerate.rater.engine import Engine
from rerate.rater.world import Limits, World
from rerate.ratings.installed import known_systems

ENGINE = f"rerate/{__version__}"
PROGRESS_SECONDS = 0.2

_logger = logging.getLogger("rerate.rater")


class RaterEnded(RerateError):
    """Raised when the rater must not go on; the sentence says why, and what a person has to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a rater has come."""

    step: str
    facts: int
    """Messages before the partition's position."""
    of: int | None
    """Messages there were when it last looked; None before that."""
    updates: int
    rows: int


OnProgress = Callable[[Progress], None]


async def run(
    log: Log,
    open_store: Callable[[], Store],
    *,
    partition: int = 0,
    until_idle: bool = False,
    on_progress: OnProgress | None = None,
    limits: Limits | None = None,
    max_rows: int = MAX_ROWS,
) -> Progress:
    """Run the rater of one partition.

    Args:
        open_store: opens the store of this partition; the engine closes it.
        until_idle: return when all facts there are have been taken; else run until cancelled.
        on_progress: told every now and then.
        max_rows: rows of one update; more halts its pool.

    Raises:
        RaterEnded: it must not go on.
        LogError: the log failed.
        BadPlugin: an installed package brings a rating system that cannot be used.
    """
    engine = _engine(log, open_store, partition, limits, max_rows)
    async with _told(engine, on_progress):
        with _few_collections():
            await engine.run(until_idle=until_idle)
    return _progress(engine)


async def rebuild(log: Log, open_store: Callable[[], Store], pool: str, *, partition: int = 0, max_rows: int = MAX_ROWS) -> tuple[int, int]:
    """Rebuild one pool from the log (`rerate rater --rebuild POOL`).

    Returns:
        The number of the update published, and how many rows were not what they should have been.

    Raises:
        Halt: the pool cannot be rebuilt; the sentence says why.
        RaterEnded, LogError, BadPlugin: as `run`.
    """
    engine = _engine(log, open_store, partition, None, max_rows)
    try:
        await engine.start()
        with _few_collections():
            update = await engine.rebuild(pool)
    finally:
        await engine.close()
    return read_head(update.head).update, update.row_count


def _engine(log: Log, open_store: Callable[[], Store], partition: int, limits: Limits | None, max_rows: int) -> Engine:
    settings = Settings(engine=ENGINE, systems=known_systems(), max_rows=max_rows)
    world = World(log=log, sleep=asyncio.sleep, offload=asyncio.to_thread, die=_die, tell=_logger.error)
    return Engine(world, open_store(), partition, settings, limits)


def _die(sentence: str) -> NoReturn:
    raise RaterEnded(sentence)


def _progress(engine: Engine) -> Progress:
    counts = engine.counts
    return Progress(
        step=counts.step,
        facts=sum(counts.next.values()),
        of=sum(counts.ends.values()) if counts.ends else None,
        updates=counts.updates,
        rows=counts.rows,
    )


@asynccontextmanager
async def _told(engine: Engine, on_progress: OnProgress | None) -> AsyncIterator[None]:
    if on_progress is None:
        yield
        return

    async def tell() -> None:
        while True:
            on_progress(_progress(engine))
            await asyncio.sleep(PROGRESS_SECONDS)

    task = asyncio.create_task(tell())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        on_progress(_progress(engine))


@contextmanager
def _few_collections() -> Iterator[None]:
    """Facts and states live long: looking for cycles among them again and again would double the time of a replay."""
    threshold = gc.get_threshold()
    gc.set_threshold(100_000, 50, 1_000)
    try:
        yield
    finally:
        gc.set_threshold(*threshold)
