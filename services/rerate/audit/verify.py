"""Proves or disproves what is published: the facts before each pool's newest head, replayed from nothing, against that head.

Whether it holds is told by the fact topics and the heads alone. Only where a list differs are the published rows asked, so as to name the
first period that is not what the facts give.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from rerate.audit.explaining import FirstDifference, PublishedRows, first_difference
from rerate.audit.facts import POLL_RECORDS, OnProgress, facts_before, newest_heads
from rerate.log.patience import Patience
from rerate.log.seam import Log, Record
from rerate.messages.facts import DELTAS, Fact, Position
from rerate.pool.chain import Chain, chains
from rerate.pool.head import Head, ListHead, read_head
from rerate.pool.lists import LiveList
from rerate.pool.pool import Halt, Pool, Settings
from rerate.ratings.installed import known_systems

LATE_POLLS = 50
"""After the end of `rating-updates`, for a head still to come: 5 s on Kafka, where a poll waits; none is late in an embedded log."""


class ListVerdict(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One list of a head."""

    list: str
    verdict: Literal["same", "differs", "held", "missing", "unknown"]
    """missing: the facts give no such list, or one that is held; unknown: they give one that the head does not have."""
    differs_in: Literal["games", "ratings"] | None = None
    """games: other games are rated; ratings: the same games give other ratings."""
    list_digest: str | None = None
    """As the facts give it, hex."""
    input_digest: str | None = None
    published_list_digest: str | None = None
    published_input_digest: str | None = None
    rows: int = 0
    players: int = 0
    first: FirstDifference | None = None
    rows_say: Literal["facts", "head", "neither"] | None = None
    """Whose digest the published rows give."""


class PoolVerdict(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One pool."""

    pool: str
    update: int
    state: str
    reason: str | None = None
    """Why it is halted."""
    facts: int
    """Accepted messages before the head's positions, repetitions included."""
    lists: tuple[ListVerdict, ...]
    heads: int
    """Length of the chain."""
    faults: tuple[str, ...] = ()
    """What is wrong with the chain, or why the facts could not be replayed."""

    @property
    def holds(self) -> bool:
        """Whether everything published follows from the facts."""
        return not self.faults and all(one.verdict in ("same", "held") for one in self.lists)


async def verify(log: Log, pool: str | None = None, *, on_progress: OnProgress = lambda step, done, of: None) -> list[PoolVerdict]:
    """Replay one pool, or all, from scratch.

    Raises:
        NoSuchPool: the pool has no head.
        LogMissing: there are no outcomes, or no facts.
        LogUnreachable: the log does not answer any more.
        BadPlugin: an installed package brings a rating system that cannot be used.
    """
    settings = Settings(engine="rerate/verify", systems=known_systems(), max_rows=2**62)
    heads = await newest_heads(log, pool)
    verdicts = []
    for partition, of_partition in heads.items():
        if of_partition:
            verdicts += await _verify_partition(log, settings, partition, of_partition, on_progress)
    return sorted(verdicts, key=lambda verdict: verdict.pool)


async def _verify_partition(
    log: Log, settings: Settings, partition: int, values: Mapping[str, bytes], on_progress: OnProgress
) -> list[PoolVerdict]:
    heads = {pool: read_head(value) for pool, value in values.items()}
    facts = await facts_before(log, partition, heads, on_progress)
    followed = await _chains(log, partition, values)
    verdicts = []
    for number, (pool, head) in enumerate(sorted(heads.items())):
        on_progress(f"replaying {pool}", number, len(heads))
        chain = followed.get(pool, Chain())
        faults = list(chain.faults)
        if chain.value != values[pool]:
            faults.append("the newest head in rating-heads is not in rating-updates")
        of_pool = facts.pop(pool)
        lists: list[ListVerdict] = []
        try:
            lists = await _lists(log, settings, partition, head, of_pool)
        except Halt as halt:
            faults.append(f"the facts cannot be replayed: {halt.detail}")
        verdicts.append(
            PoolVerdict(
                pool=pool,
                update=head.update,
                state=head.state,
                reason=head.reason,
                facts=len(of_pool),
                lists=tuple(lists),
                heads=chain.count,
                faults=tuple(faults),
            )
        )
    on_progress("replayed", len(heads), len(heads))
    return verdicts


# ------------------------------------------------------------------ reading


async def _chains(log: Log, partition: int, newest: Mapping[str, bytes]) -> dict[str, Chain]:
    """The chain of each pool up to its verified head; what was published since is not looked at.

    A transaction is seen in one topic before it is in another: a head that is in `rating-heads` may be about to come in `rating-updates`,
    beyond its end as it is now. It has `LATE_POLLS` for that.
    """
    topic = "rating-updates"
    (end,) = (await log.ends(partition, [topic])).values()
    reader, patience = await log.reader(partition, await log.starts(partition, [topic])), Patience()
    records: list[Record] = []
    expected = set(newest.values())
    late = 0
    try:
        while reader.positions()[topic] < end or (expected and late < LATE_POLLS):
            late += reader.positions()[topic] >= end
            found = await reader.poll(POLL_RECORDS)
            expected -= {record.value for record in found}
            records += found
            if reader.positions()[topic] < end:
                patience.look(reader.positions())
    finally:
        await reader.close()
    return chains(_up_to(newest, [(record.key, record.value) for record in records]))


def _up_to(newest: Mapping[str, bytes], heads: Iterable[tuple[bytes | None, bytes | None]]) -> Iterator[tuple[bytes | None, bytes | None]]:
    passed: set[bytes] = set()
    for key, value in heads:
        if key is not None and key not in passed:
            yield key, value
            if value == newest.get(key.decode()):
                passed.add(key)


# ------------------------------------------------------------------ comparing


async def _lists(log: Log, settings: Settings, partition: int, head: Head, facts: Sequence[tuple[Fact, Position]]) -> list[ListVerdict]:
    pool = Pool.restore(head.pool, settings, facts, None)
    verdicts = []
    for name in sorted(head.lists.keys() | pool.lists.keys()):
        entry, have = head.lists.get(name), pool.lists.get(name)
        if entry is None:
            verdicts.append(ListVerdict(list=name, verdict="unknown"))
        elif entry.held is not None:
            verdicts.append(ListVerdict(list=name, verdict="held"))
        elif not isinstance(have, LiveList):
            verdicts.append(ListVerdict(list=name, verdict="missing"))
        else:
            verdicts.append(await _list(log, settings, partition, head, name, entry, have, facts))
    return verdicts


async def _list(
    log: Log,
    settings: Settings,
    partition: int,
    head: Head,
    name: str,
    entry: ListHead,
    have: LiveList,
    facts: Sequence[tuple[Fact, Position]],
) -> ListVerdict:
    rows, inputs = (digest.hex() for digest in have.replay.digest())
    is_same = (rows, inputs) == (entry.list_digest, entry.input_digest)
    verdict = ListVerdict(
        list=name,
        verdict="same" if is_same else "differs",
        differs_in=None if is_same else "games" if inputs != entry.input_digest else "ratings",
        list_digest=rows,
        input_digest=inputs,
        published_list_digest=entry.list_digest,
        published_input_digest=entry.input_digest,
        rows=have.replay.row_count,
        players=have.replay.player_count,
    )
    if is_same:
        return verdict
    prefix = f"{head.pool}/{name}@{entry.edition}/".encode()
    records = await log.newest_with_prefix(partition, DELTAS, prefix)
    published = PublishedRows(have.replay, [record.value for record in records if record.value is not None])
    digest = published.list_digest().hex()
    return replace(
        verdict,
        rows_say="facts" if digest == rows else "head" if digest == entry.list_digest else "neither",
        first=first_difference(head.pool, settings, name, have.replay, published, facts),
    )
