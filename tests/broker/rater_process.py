"""A rater that says what it does, and dies or stands still where it is told to: `python -m tests.broker.rater_process ORDERS`.

It is `rerate rater` with short time-outs. The file that the orders name may hold a trap: as soon as it is there, the rater sends itself the
signal at the named point. Nothing of the rater is replaced; its steps are watched from outside.
"""

import asyncio
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import msgspec
from aiokafka import AIOKafkaProducer

from rerate.rater import bus
from rerate.rater.cache import FactCache
from rerate.rater.engine import Engine
from rerate.rater.worker import Worker
from rerate.rater.world import Limits


class Orders(msgspec.Struct, kw_only=True):
    """What the process is to do."""

    bootstrap: str
    prefix: str
    data: str
    slot: str | None = None
    session_ms: int = 3_000
    rebalance_ms: int = 15_000
    records_a_step: int = 2_000
    behind: int = 10_000
    trap: str
    """File of the trap."""


class Trap(msgspec.Struct, kw_only=True):
    """Where the rater is to die, or to stand still."""

    point: str
    partition: int | None = None
    """Of which partition; None: of any."""
    times: int = 1
    """At which time that it comes there."""
    kind: str = "SIGKILL"


def main() -> None:
    orders = msgspec.json.decode(sys.argv[1], type=Orders)
    watch(Path(orders.trap))
    bus.run(
        bus.Bus(
            bootstrap=orders.bootstrap,
            prefix=orders.prefix,
            data=Path(orders.data),
            slot=orders.slot,
            session_timeout_ms=orders.session_ms,
            rebalance_timeout_ms=orders.rebalance_ms,
            limits=Limits(records_a_step=orders.records_a_step, behind=orders.behind),
        )
    )


def say(event: str, *, partition: int | None = None, partitions: list[int] | None = None) -> None:
    """One line for whoever started this; the clock is the machine's."""
    said = {"at": time.monotonic(), "event": event, "partition": partition, "partitions": partitions}
    print(msgspec.json.encode(said).decode(), flush=True)


def watch(trap: Path) -> None:
    """Let every step say that it is there."""
    been: dict[bytes, int] = {}

    def at(point: str, partition: int | None) -> None:
        try:
            raw = trap.read_bytes()
        except FileNotFoundError:
            return
        wanted = msgspec.json.decode(raw, type=Trap)
        if wanted.point != point or (wanted.partition is not None and wanted.partition != partition):
            return
        been[raw] = been.get(raw, 0) + 1
        if been[raw] == wanted.times:
            trap.unlink()
            os.kill(os.getpid(), signal.Signals[wanted.kind])

    _watch_transactions(at, trap)
    _watch_store(at)
    _watch_rebalances(at)


def _watch_transactions(at: Callable[[str, int | None], None], trap: Path) -> None:
    begin, send, offsets, commit = (
        getattr(AIOKafkaProducer, name) for name in ("begin_transaction", "send_batch", "send_offsets_to_transaction", "commit_transaction")
    )

    def partition_of(producer: Any) -> int | None:
        name: str | None = producer._txn_manager.transactional_id if producer._txn_manager else None
        return int(name.rpartition("-")[2]) if name else None

    async def begun(self: Any) -> None:
        await begin(self)
        at("begun", partition_of(self))

    async def sent(self: Any, *arguments: Any, **named: Any) -> Any:
        answer = await send(self, *arguments, **named)
        if trap.exists() and partition_of(self) is not None:
            await asyncio.wait({answer})  # so that something of the transaction is at the broker
            at("between sends", partition_of(self))
        return answer

    async def sent_offsets(self: Any, *arguments: Any) -> None:
        at("rows sent", partition_of(self))
        await offsets(self, *arguments)
        at("offsets sent", partition_of(self))

    async def committed(self: Any) -> None:
        task = asyncio.ensure_future(commit(self))
        await asyncio.sleep(0.001)
        at("committing", partition_of(self))
        await task
        at("committed", partition_of(self))

    AIOKafkaProducer.begin_transaction = begun
    AIOKafkaProducer.send_batch = sent
    AIOKafkaProducer.send_offsets_to_transaction = sent_offsets
    AIOKafkaProducer.commit_transaction = committed


def _watch_store(at: Callable[[str, int | None], None]) -> None:
    refilling: ContextVar[int | None] = ContextVar("refilling", default=None)
    refill, write, catch_up = Engine._refill, FactCache.write, Engine.catch_up

    async def refilled(self: Engine) -> None:
        before = self.counts.refilled
        token = refilling.set(self._partition)
        try:
            await refill(self)
        finally:
            refilling.reset(token)
        if self.counts.refilled > before:
            say("refilled", partition=self._partition)

    def written(self: FactCache, *arguments: Any) -> None:
        write(self, *arguments)
        if refilling.get() is not None:
            at("refilling", refilling.get())

    async def caught_up(self: Engine) -> None:
        await catch_up(self)
        say("live", partition=self._partition)

    Engine._refill = refilled  # type: ignore[method-assign]
    FactCache.write = written  # type: ignore[method-assign]
    Engine.catch_up = caught_up  # type: ignore[method-assign]


def _watch_rebalances(at: Callable[[str, int | None], None]) -> None:
    def around(name: str, of: Callable[[Worker, frozenset[int]], Awaitable[None]]) -> Any:
        async def watched(self: Worker, partitions: frozenset[int]) -> None:
            for partition in sorted(partitions):
                at(f"before {name}", partition)
            await of(self, partitions)
            say(name, partitions=sorted(partitions))
            for partition in sorted(partitions):
                at(f"after {name}", partition)

        return watched

    Worker.assigned = around("assigned", Worker.assigned)  # type: ignore[method-assign]
    Worker.revoked = around("revoked", Worker.revoked)  # type: ignore[method-assign]


if __name__ == "__main__":
    main()
