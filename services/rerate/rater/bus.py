"""The rater as a Faust worker: Faust gives the process (app, worker, signals, timer, monitor, command topic), the engine does the work.

Facts do not go through Faust's agents or tables, and its exactly-once mode is not used: they would skip or double messages where the
engine's own loop, one fenced transaction a step, does not. What Faust carries are commands (`{"rebuild": "club:rook"}` on
`<prefix>.rater-commands`), which may be lost or repeated without harm. Every worker reads all of them, and the owner of the pool acts.
"""

import asyncio
import logging
import threading
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import faust
import msgspec

from rerate.log.errors import Fenced, LogError, LogUnreachable
from rerate.log.kafka import KafkaLog
from rerate.log.kafka_noise import limit_noise
from rerate.log.membership import Membership
from rerate.log.seam import Out
from rerate.log.store import RocksStore
from rerate.messages.facts import COMMAND_TOPIC, COMPACTED_TOPICS, FACT_TOPICS, OUTCOME_TOPICS
from rerate.messages.partition import partition_of
from rerate.pool.pool import MAX_ROWS
from rerate.rater.worker import Worker, end_process
from rerate.rater.world import Limits

STOP_SECONDS = 20
"""Limit for finishing the running steps and leaving the group."""

END_SECONDS = 25
"""After a SIGTERM the process has ended by then, whatever does not answer."""

REPORT_SECONDS = 10.0

LOG_LOST, OWNERSHIP_LOST, LOOK = 3, 10, 20
"""Exit codes of a rater that ended by itself: the log does not answer, and another rater has the partition (start it again, both), a person
must look (starting it again does not help)."""

_logger = logging.getLogger("rerate.rater")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bus:
    """Where the log is and how this worker takes part."""

    bootstrap: str
    """HOST:PORT, several with commas."""
    prefix: str
    data: Path
    """Directory of the stores, one a partition."""
    slot: str | None = None
    """Static id of this worker in the group: a restart within the session then moves nothing."""
    session_timeout_ms: int = 30_000
    rebalance_timeout_ms: int = 60_000
    limits: Limits | None = None
    max_rows: int = MAX_ROWS
    """Rows of one update; more halts its pool."""

    @property
    def group(self) -> str:
        return f"{self.prefix}-rater"


class _Command(msgspec.Struct):
    rebuild: str


class Host:
    """What the rater does in a Faust app: joins the group, owns partitions, obeys commands."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._log = KafkaLog(
            bus.bootstrap, prefix=bus.prefix, group=bus.group, facts=FACT_TOPICS, outcomes=OUTCOME_TOPICS, compacted=COMPACTED_TOPICS
        )
        self._worker = Worker(self._log, self._open_store, limits=bus.limits, max_rows=bus.max_rows, end=_end)
        self._member = Membership(
            bus.bootstrap,
            group=bus.group,
            topic=f"{bus.prefix}.{FACT_TOPICS[0]}",
            slot=bus.slot,
            on_assigned=self._worker.assigned,
            on_revoked=self._worker.revoked,
            on_failure=lambda sentence: _end(LogUnreachable(sentence)),
            session_timeout_ms=bus.session_timeout_ms,
            rebalance_timeout_ms=bus.rebalance_timeout_ms,
        )
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Check the topics, join, and stay.

        Raises:
            LogUnreachable, LogMissing: no broker, or a topic is not there.
        """
        await self._log.open()
        await self._member.start()
        for work in (self._member.serve(), self._worker.watch()):
            task = asyncio.create_task(work)
            task.add_done_callback(_ended)
            self._tasks.append(task)

    async def stop(self) -> None:
        """Finish the running steps, leave the group; within a limit."""
        async with asyncio.timeout(STOP_SECONDS):
            await self._worker.stop()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await self._member.stop()
            await self._log.close()

    def obey(self, value: bytes) -> None:
        """Do what a command says, if its pool's partition is owned here. What is no command is told and passed over."""
        try:
            command = msgspec.json.decode(value, type=_Command)
        except msgspec.MsgspecError as error:
            _logger.warning("passed over a message on %s that is no command: %s", COMMAND_TOPIC, error)
            return
        partition = partition_of(command.rebuild, self._log.partitions)
        if self._worker.ask_rebuild(command.rebuild, partition):
            _logger.warning("rebuilding pool %s", command.rebuild)

    def report(self) -> None:
        """Say how far each partition is."""
        for partition, counts in sorted(self._worker.counts.items()):
            _logger.info(
                "partition %d: %s; %d consumed, %d accepted, %d updates, %d rows, %d gaps",
                partition,
                counts.step,
                counts.consumed,
                counts.accepted,
                counts.updates,
                counts.rows,
                counts.gaps,
            )

    def _open_store(self, partition: int) -> RocksStore:
        path = self._bus.data / self._bus.prefix / str(partition)
        path.parent.mkdir(parents=True, exist_ok=True)
        return RocksStore(path)


def make_app(bus: Bus) -> faust.App:
    """The Faust app with the rater in it. Nothing is started."""
    app = faust.App(
        # A group of its own: one that was killed would otherwise hold its next life up until its session is over, a minute.
        f"{bus.group}-commands-{uuid.uuid4().hex}",
        consumer_auto_offset_reset="latest",  # what was asked before this life is no business of it
        broker=[f"kafka://{one}" for one in bus.bootstrap.split(",")],
        store="memory://",
        web_enabled=False,
        topic_disable_leader=True,
        stream_wait_empty=False,
        autodiscover=False,
        datadir=str(bus.data / ".faust"),
    )
    hosts: list[Host] = []

    @app.service
    class Rater(faust.Service):
        async def on_start(self) -> None:
            host = Host(bus)
            try:
                await host.start()
            except LogError as error:
                _end(error)
            hosts.append(host)

        async def on_stop(self) -> None:
            for host in hosts:
                try:
                    await host.stop()
                except TimeoutError:
                    end_process(0)  # as asked; what was not closed the next start mends

    @app.agent(app.topic(f"{bus.prefix}.{COMMAND_TOPIC}", value_serializer="raw", key_serializer="raw"))
    async def obey(stream: faust.StreamT[bytes]) -> None:
        async for value in stream:
            for host in hosts:
                host.obey(value)

    @app.timer(interval=REPORT_SECONDS)  # type: ignore[untyped-decorator]  # Faust's is
    async def report() -> None:
        for host in hosts:
            host.report()

    return app


async def ask_rebuild(bootstrap: str, prefix: str, pool: str) -> None:
    """Tell the raters to rebuild a pool; its owner does, and its next head says so."""
    log = KafkaLog(bootstrap, prefix=prefix, facts=[COMMAND_TOPIC], outcomes=(), compacted=())
    try:
        await log.open()
        await log.append(partition_of(pool, log.partitions), [Out(COMMAND_TOPIC, pool.encode(), msgspec.json.encode(_Command(pool)))])
    finally:
        await log.close()


def run(bus: Bus) -> NoReturn:
    """Run until SIGTERM or a failure; ends the process."""
    limit_noise()
    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(_look(bus))
    except LogError as error:
        _end(error)
    finally:
        loop.close()
    bus.data.mkdir(parents=True, exist_ok=True)  # Faust puts a directory into it, and makes no parents
    worker = _Worker(make_app(bus), loglevel="WARNING", quiet=True, redirect_stdouts=False)
    worker.spinner = None  # it would write to the standard output, quiet or not
    worker.execute_from_commandline()


class _Worker(faust.Worker):
    """Faust's, with an end: while the brokers are away its consumer's thread fails as it is stopped, and Faust waits for it for ever."""

    def _on_sigint(self) -> None:
        self._end_in_time()
        super()._on_sigint()

    def _on_sigterm(self) -> None:
        self._end_in_time()
        super()._on_sigterm()

    def _end_in_time(self) -> None:
        timer = threading.Timer(END_SECONDS, end_process, [0])  # as asked; what was not closed the next start mends
        timer.daemon = True
        timer.start()


async def _look(bus: Bus) -> None:
    """Whether the brokers answer and every topic is there; Faust would say it with pages and a code of its own, or wait half a minute."""
    log = KafkaLog(
        bus.bootstrap, prefix=bus.prefix, facts=[*FACT_TOPICS, COMMAND_TOPIC], outcomes=OUTCOME_TOPICS, compacted=COMPACTED_TOPICS
    )
    try:
        await log.open()
    finally:
        await log.close()


def _ended(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        _end(error)


def _end(error: BaseException) -> NoReturn:
    """End the process with the code of the failure."""
    if isinstance(error, Fenced) or isinstance(error.__context__, Fenced):
        code = OWNERSHIP_LOST
    elif isinstance(error, LogError) and error.retriable:
        code = LOG_LOST
    else:
        code = LOOK
    again = "a person must look before it is started again" if code == LOOK else "it may be started again"
    _logger.critical("the rater ends (%d, %s): %s", code, again, error)
    end_process(code)
