"""The pools that a partition has in memory: loaded when first needed, held against their heads, least recently used ones dropped."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, cast

from rerate.messages.codes import DIGEST, HALTED, HaltReason
from rerate.messages.codes import SEMANTICS as UNKNOWN_SEMANTICS
from rerate.messages.facts import FactWithdrawn, PoolConfigured
from rerate.pool.head import halted_update, read_head
from rerate.pool.pool import SEMANTICS, Halt, Pool, Settings
from rerate.pool.update import Update
from rerate.rater.cache import Accepted, CacheDamaged, FactCache, Timed

Reread = Callable[[str], Awaitable[list[Accepted]]]
"""Gives a pool's facts from the log itself."""


class Standstill:
    """A halted pool: its facts are kept and receipted, nothing else happens until somebody acts."""

    def __init__(self, reason: HaltReason) -> None:
        self.reason = reason


class Residents:
    """Takes batches for any pool of the partition."""

    def __init__(
        self,
        cache: FactCache,
        settings: Settings,
        heads: dict[str, bytes],
        *,
        offload: Callable[..., Awaitable[Any]],
        reread: Reread,
        on_halt: Callable[[Halt], None],
        max_facts: int,
    ) -> None:
        """Args:
        heads: value of each pool's newest head; kept up to date here.
        reread: reads a pool's facts from the log, when the cache is damaged.
        on_halt: told of each halt, for the operator's log.
        max_facts: facts of all pools in memory; above it the least recently used pools go.
        """
        self._cache, self._settings, self._heads = cache, settings, heads
        self._offload, self._reread, self._on_halt, self._max_facts = offload, reread, on_halt, max_facts
        self._pools: OrderedDict[str, Pool | Standstill] = OrderedDict()
        self._unchecked = dict.fromkeys(sorted(heads, reverse=True))

    def update_in_force(self, pool: str) -> int | None:
        """Number of the pool's newest update; None if it has none or stands still."""
        value = self._heads.get(pool)
        head = None if value is None else read_head(value)
        return None if head is None or head.state == HALTED else head.update

    async def take(self, pool: str, batch: Sequence[Accepted], positions: Mapping[str, int]) -> Update | None:
        """Let a pool take a batch of newly accepted facts, and those that no update names yet.

        Args:
            batch: not in the cache yet.
            positions: next offset of each fact topic after the batch.

        Returns:
            The update to publish; also the one that says that the pool is halted.
        """
        return await self._guarded(pool, self._take(pool, [one.timed for one in batch], positions))

    async def take_waiting(self, pool: str, positions: Mapping[str, int]) -> Update | None:
        """Let a pool take the facts in the cache that no update names yet."""
        return await self._guarded(pool, self._take_waiting(pool, positions))

    async def _take_waiting(self, pool: str, positions: Mapping[str, int]) -> Update | None:
        resident, facts = self._pools.get(pool), []
        if isinstance(resident, Pool):
            covers = (lambda position: False) if resident.head is None else resident.head.covers
            try:
                facts = await self._offload(self._cache.facts, pool, covers)
            except CacheDamaged:
                del self._pools[pool]
        elif isinstance(resident, Standstill) and resident.reason == UNKNOWN_SEMANTICS:
            del self._pools[pool]  # the facts that wait may hold a configuration that ends it
        return await self._take(pool, facts, positions)

    async def _guarded(self, pool: str, work: Awaitable[Update | None]) -> Update | None:
        try:
            update = await work
        except Halt as halt:
            update = self._halt(pool, halt)
        if update is not None:
            self._heads[pool] = update.head
        self._drop_least_used()
        return update

    async def _take(self, pool: str, facts: list[Timed], positions: Mapping[str, int]) -> Update | None:
        resident = self._pools.get(pool)
        if isinstance(resident, Standstill):
            speaks = any(isinstance(one.fact.data, PoolConfigured | FactWithdrawn) for one in facts)
            if resident.reason != UNKNOWN_SEMANTICS or not speaks:
                return None
            resident = None
        if resident is None:
            resident, waiting = await self._load(pool)
            facts = waiting + facts
        self._pools.move_to_end(pool)
        return await self._work(resident, facts, positions)

    def adopt(self, pool: Pool, update: Update) -> None:
        """Take over a pool that was built anew, and the update that says so."""
        self._pools[pool.id] = pool
        self._heads[pool.id] = update.head
        self._unchecked.pop(pool.id, None)

    def is_halted(self, pool: str) -> bool:
        """Whether a pool's newest head says that it stands still."""
        value = self._heads.get(pool)
        return value is not None and read_head(value).state == HALTED

    async def check_next(self, positions: Mapping[str, int]) -> Update | None:
        """Load one pool that nobody has needed since the start and hold it against its head.

        Args:
            positions: next offset of each fact topic; facts that no update names yet are taken, too.

        Returns:
            The update to publish, if it must be halted, or if this engine can rate a list that was held.
        """
        while self._unchecked:
            pool, _ = self._unchecked.popitem()
            if pool not in self._pools:
                return await self.take(pool, (), positions)
        return None

    @property
    def has_unchecked(self) -> bool:
        return bool(self._unchecked)

    # ------------------------------------------------------------------ inside

    async def _work(self, pool: Pool, facts: Sequence[Timed], positions: Mapping[str, int]) -> Update | None:
        newest = max([one.append_time_ms for one in facts], default=0)
        if pool.head is not None:
            newest = max(newest, pool.head.append_time_ms)
        update = await self._offload(pool.take, [(one.fact, one.position) for one in facts], positions, newest)
        assert update is None or isinstance(update, Update)
        return update

    async def _load(self, pool: str) -> tuple[Pool, list[Timed]]:
        """The pool as of its newest head, and the facts that no update names yet.

        Raises:
            Halt: the log itself does not give the head.
        """
        self._unchecked.pop(pool, None)
        value = self._heads.get(pool)
        head = None if value is None else read_head(value)
        if head is not None and head.state == HALTED and head.reason is not None and head.reason != UNKNOWN_SEMANTICS:
            raise Halt(pool, cast(HaltReason, head.reason), "it was halted before")
        try:
            return await self._restore(pool, await self._offload(self._cache.facts, pool), value)
        except (CacheDamaged, Halt) as error:
            if isinstance(error, Halt) and error.reason != DIGEST:
                raise
            accepted = await self._reread(pool)
            self._cache.replace(pool, accepted)
            return await self._restore(pool, [one.timed for one in accepted], value)

    async def _restore(self, pool: str, facts: list[Timed], value: bytes | None) -> tuple[Pool, list[Timed]]:
        head = None if value is None else read_head(value)
        named = [(one.fact, one.position) for one in facts if head is not None and head.covers(one.position)]
        waiting = [one for one in facts if head is None or not head.covers(one.position)]
        restored = await self._offload(Pool.restore, pool, self._settings, named, value)
        assert isinstance(restored, Pool)
        self._pools[pool] = restored
        return restored, waiting

    def _halt(self, pool: str, halt: Halt) -> Update | None:
        """Note that a pool stands still; the update that says so, unless its newest head says it already."""
        self._pools[pool] = Standstill(halt.reason)
        value = self._heads.get(pool)
        if value is not None:
            head = read_head(value)
            if head.state == HALTED and head.reason == halt.reason:
                return None
        self._on_halt(halt)
        return halted_update(pool, value, halt.reason, semantics=SEMANTICS, engine=self._settings.engine)

    def _drop_least_used(self) -> None:
        total = sum(len(pool.history.facts) for pool in self._pools.values() if isinstance(pool, Pool))
        while total > self._max_facts and len(self._pools) > 1:
            _, dropped = self._pools.popitem(last=False)
            total -= len(dropped.history.facts) if isinstance(dropped, Pool) else 0
