"""Reading facts of the log once more: to bring the cache up to where it should be, or for a pool whose cached facts are damaged."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from rerate.log.seam import Log, Record
from rerate.messages.facts import FACT_TOPICS, Identity
from rerate.rater.cache import Accepted
from rerate.rater.judging import Judged, judge


class Rereading:
    """Reads the fact topics of one partition from one vector of offsets up to another."""

    def __init__(
        self,
        log: Log,
        partition: int,
        *,
        records_a_step: int,
        between: Callable[[], Awaitable[None]],
        rest: Callable[[], Awaitable[None]],
        offload: Callable[..., Awaitable[Any]],
    ) -> None:
        """Args:
        between: awaited before each poll: where the engine may be parked or stopped.
        rest: awaited after a poll that brought nothing.
        """
        self._log, self._partition, self._records_a_step = log, partition, records_a_step
        self._between, self._rest, self._offload = between, rest, offload

    async def each(self, start: Mapping[str, int], until: Mapping[str, int], take: Callable[[list[Record]], Awaitable[None]]) -> None:
        """Let `take` have the records from `start` up to `until`, step by step, in offset order within each topic."""
        reader = await self._log.reader(self._partition, start)
        try:
            while any(reader.positions()[topic] < end for topic, end in until.items()):
                await self._between()
                records = await reader.poll(self._records_a_step)
                inside = [record for record in records if record.offset < until[record.topic]]
                if inside:
                    await take(inside)
                elif not records:
                    await self._rest()
        finally:
            await reader.close()

    async def facts_of(self, pool: str, until: Mapping[str, int]) -> list[Accepted]:
        """All facts of a pool before `until`, each once, topic by topic."""
        starts = await self._log.starts(self._partition, FACT_TOPICS)
        found: dict[Identity, Accepted] = {}

        async def take(records: list[Record]) -> None:
            mine = [record for record in records if record.key == pool.encode()]
            judged: list[Judged] = await self._offload(judge, mine, lambda *_: False, self._log.partitions)
            for one in judged:
                if one.accepted is not None:
                    found.setdefault(one.accepted.fact.identity, one.accepted)

        await self.each(starts, until, take)
        return list(found.values())
