"""Facts read from the log from scratch: what stands before a pool's head, and the pool that it gives."""

from collections.abc import Callable, Mapping

from rerate.log.errors import LogMissing
from rerate.log.patience import Patience
from rerate.log.seam import Log, Record
from rerate.messages.facts import FACT_TOPICS, Fact, Position
from rerate.messages.partition import partition_of
from rerate.messages.reading import Message, pool_of_key, read
from rerate.pool.chain import NoSuchPool
from rerate.pool.head import Head, read_head
from rerate.pool.pool import Pool, Settings

POLL_RECORDS = 5_000

OnProgress = Callable[[str, int, int], None]
"""Takes what is being done, how much is done, and of how much."""


async def newest_heads(log: Log, pool: str | None = None) -> dict[int, dict[str, bytes]]:
    """Values of the newest heads: partition -> pool -> value; of one pool, or of all.

    Raises:
        NoSuchPool: the pool has no head.
        LogMissing, LogUnreachable: as the log says.
    """
    heads: dict[int, dict[str, bytes]] = {}
    for partition in range(log.partitions) if pool is None else [partition_of(pool, log.partitions)]:
        records = await log.newest_with_prefix(partition, "rating-heads", b"" if pool is None else pool.encode())
        found = {r.key.decode(): r.value for r in records if r.key is not None and r.value is not None}
        heads[partition] = {name: value for name, value in found.items() if pool in (None, name)}
    if pool is not None and not any(heads.values()):
        raise NoSuchPool(pool, [name for of_partition in (await newest_heads(log)).values() for name in of_partition])
    return heads


async def pool_of(log: Log, pool: str, settings: Settings, *, on_progress: OnProgress = lambda step, done, of: None) -> Pool:
    """A pool as its newest head has it, worked out from the facts alone and held to the head's digests.

    Raises:
        NoSuchPool: it has no head.
        Halt: its facts cannot be replayed, or do not give what is published.
        LogMissing, LogUnreachable: as `verify`.
    """
    ((partition, of_partition),) = (await newest_heads(log, pool)).items()
    value = of_partition[pool]
    facts = await facts_before(log, partition, {pool: read_head(value)}, on_progress)
    on_progress(f"replaying {pool}", 0, 1)
    built = Pool.restore(pool, settings, facts[pool], value)
    on_progress("replayed", 1, 1)
    return built


async def facts_before(
    log: Log, partition: int, heads: Mapping[str, Head], on_progress: OnProgress
) -> dict[str, list[tuple[Fact, Position]]]:
    """The accepted facts of each pool before its head's positions, by pool.

    Raises:
        LogMissing: the log does not hold them all any more.
        LogUnreachable: it does not answer any more.
    """
    starts = await log.starts(partition, FACT_TOPICS)
    upto = {topic: max(head.positions.get(topic, 0) for head in heads.values()) for topic in FACT_TOPICS}
    ends = await log.ends(partition, FACT_TOPICS)
    for topic, offset in upto.items():
        if offset > ends[topic] or (starts[topic] > 0 and offset > 0):
            kept = f"{topic} holds offsets {starts[topic]} to {ends[topic]}"
            raise LogMissing(f"the facts are not whole: {kept}, the heads speak of everything from 0 to {offset}")
    found: dict[str, list[tuple[Fact, Position]]] = {pool: [] for pool in heads}
    of = sum(upto.values())
    wanted = {topic: starts[topic] for topic, offset in upto.items() if offset}
    if not wanted:
        return found
    reader, patience = await log.reader(partition, wanted), Patience()
    try:
        while any(at < upto[topic] for topic, at in reader.positions().items()):
            for record in await reader.poll(POLL_RECORDS):
                _sort_in(record, heads, found, log.partitions)
            patience.look(reader.positions())
            on_progress("reading facts", min(of, sum(reader.positions().values())), of)
    finally:
        await reader.close()
    return found


def _sort_in(record: Record, heads: Mapping[str, Head], found: dict[str, list[tuple[Fact, Position]]], partitions: int) -> None:
    pool = pool_of_key(record.key)
    if pool is None or pool not in heads or not heads[pool].covers(Position(record.topic, record.offset)):
        return
    verdict = read(Message(record.topic, record.partition, record.key, record.value, record.headers), partitions=partitions)
    if isinstance(verdict, Fact):
        found[pool].append((verdict, Position(record.topic, record.offset)))
