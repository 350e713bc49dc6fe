"""The rater on Kafka: one engine for each partition that the group gives to this worker.

Every join of a worker takes all partitions from everybody and gives most of them back at once. So an engine whose partition is taken away
is *parked*: its running transaction ends, it keeps its pools, its reader and its writer. Given back, it goes on from its own
position: had anybody owned the partition meanwhile, its next transaction would be fenced. Given to another, it is closed.
"""

import asyncio
import gc
import logging
import os
from collections.abc import Callable, Mapping
from typing import NoReturn

from rerate.log.errors import LogError, LogUnreachable
from rerate.log.seam import Log, Store
from rerate.pool.pool import MAX_ROWS, Settings
from rerate.rater.app import ENGINE, RaterEnded
from rerate.rater.engine import Engine
from rerate.rater.world import Counts, Limits, World
from rerate.ratings.installed import known_systems

TRANSACTION_SECONDS = 40
"""Limit of one transaction. A client that cannot reach its broker waits without end; this is what ends it."""

HAND_OVER_SECONDS = 45
"""Limit for parking when partitions are taken away; below the group's rebalance time-out, after which another may own them."""

CLOSE_SECONDS = 20

_logger = logging.getLogger("rerate.rater")


class Worker:
    """The engines of the partitions that this process owns."""

    def __init__(
        self,
        log: Log,
        open_store: Callable[[int], Store],
        *,
        limits: Limits | None = None,
        max_rows: int = MAX_ROWS,
        end: Callable[[BaseException], None],
    ) -> None:
        """Args:
        open_store: opens the store of a partition.
        end: told the failure that ends the process.

        Raises:
            BadPlugin: an installed package brings a rating system that cannot be used.
        """
        self._log, self._open_store, self._limits, self._end = log, open_store, limits, end
        self._settings = Settings(engine=ENGINE, systems=known_systems(), max_rows=max_rows)
        self._engines: dict[int, Engine] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._is_stopping = False
        self.generation = 0
        """Grows with each assignment."""
        gc.set_threshold(100_000, 50, 1_000)  # facts live long: looking for cycles among them again and again doubles a replay

    @property
    def counts(self) -> Mapping[int, Counts]:
        """What the engine of each owned partition has done."""
        return {partition: engine.counts for partition, engine in self._engines.items()}

    async def assigned(self, partitions: frozenset[int]) -> None:
        """These partitions are owned from now on, and no others."""
        self.generation += 1
        if self._is_stopping:
            return
        for partition in sorted(self._engines.keys() - partitions):
            self._retire(partition)
        for partition in sorted(partitions):
            engine = self._engines.get(partition)
            if engine is not None:
                engine.is_parked = False
            else:
                task = asyncio.create_task(self._own(partition), name=f"partition {partition}")
                self._tasks[partition] = task
                task.add_done_callback(self._ended)
        _logger.info("generation %d: partitions %s", self.generation, sorted(partitions))

    async def revoked(self, partitions: frozenset[int]) -> None:
        """These partitions may belong to another when this returns: no transaction of theirs is on its way then, and none will begin."""
        async with asyncio.timeout(HAND_OVER_SECONDS):
            while {partition for partition in partitions if not self._is_parked(partition)}:  # asks every one
                await asyncio.sleep(0.01)

    async def watch(self) -> None:
        """End the process if a transaction takes longer than its limit; runs until cancelled."""
        begun: dict[int, tuple[int, float]] = {}
        clock = asyncio.get_running_loop().time
        while True:
            for partition, counts in self.counts.items():
                if counts.transactions_begun == counts.transactions_ended:
                    begun.pop(partition, None)
                    continue
                number, since = begun.setdefault(partition, (counts.transactions_begun, clock()))
                if number != counts.transactions_begun:
                    begun[partition] = (counts.transactions_begun, clock())
                elif clock() - since > TRANSACTION_SECONDS:
                    sentence = f"partition {partition}: a transaction has taken {TRANSACTION_SECONDS} s, the log does not answer"
                    self._end(LogUnreachable(sentence))
            await asyncio.sleep(1)

    def ask_rebuild(self, pool: str, partition: int) -> bool:
        """Have a pool rebuilt, if its partition is owned here."""
        engine = self._engines.get(partition)
        if engine is None:
            return False
        engine.rebuilds.append(pool)
        return True

    async def stop(self) -> None:
        """End all engines after their running steps, within a limit; what is assigned from now on is left alone."""
        self._is_stopping = True
        for partition in list(self._engines):
            self._retire(partition)
        tasks = [*self._tasks.values(), *self._closing]
        for task in self._tasks.values():
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=CLOSE_SECONDS)

    # ------------------------------------------------------------------ inside

    def _is_parked(self, partition: int) -> bool:
        """Have a partition's engine parked; whether no transaction of it is on its way any more."""
        task, engine = self._tasks.get(partition), self._engines.get(partition)
        if task is None or task.done():
            return True
        if engine is None:
            return False  # its store is being opened
        engine.is_parked = True
        return not engine.is_in_transaction

    def _retire(self, partition: int) -> None:
        engine, task = self._engines.pop(partition), self._tasks.pop(partition)
        engine.is_stopped = True
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def _own(self, partition: int) -> None:
        world = World(log=self._log, sleep=asyncio.sleep, offload=asyncio.to_thread, die=_die, rests_in_polls=True, tell=_logger.error)
        store = await self._opened(partition)
        engine = self._engines[partition] = Engine(world, store, partition, self._settings, self._limits)
        await engine.run()

    async def _opened(self, partition: int) -> Store:
        """The store; an engine of ours that had the partition before may still be closing it."""
        closing = [task for task in self._closing if task.get_name() == f"partition {partition}"]
        if closing:
            await asyncio.wait(closing, timeout=CLOSE_SECONDS)
        return await asyncio.to_thread(self._open_store, partition)

    def _ended(self, task: asyncio.Task[None]) -> None:
        if task.cancelled() or task.exception() is None:
            return
        error = task.exception()
        assert error is not None
        _logger.error("%s ended", task.get_name(), exc_info=None if isinstance(error, RaterEnded | LogError) else error)
        self._end(error)


def _die(sentence: str) -> NoReturn:
    raise RaterEnded(sentence)


def end_process(code: int) -> NoReturn:
    """End at once: nothing of a process that has lost its log can be cleaned up safely, the next start does it."""
    logging.shutdown()
    os._exit(code)
