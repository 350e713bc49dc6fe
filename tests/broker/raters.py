"""Raters on a real Kafka: processes to be killed, a log of their own, and what must hold of all that they wrote.

async with Place(bootstrap, tmp_path) as place:
    rater = await place.rater("a")
    await place.publish(messages)
    await place.settled()
    await place.check()
"""

import asyncio
import os
import shutil
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import groupby
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec
from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.protocol.admin import DeleteGroupsRequest

from rerate.audit.verify import verify
from rerate.board.following import Following, Times
from rerate.board.lookup import Lookup, wall_clock_ms
from rerate.board.updates import WholeUpdate
from rerate.cli.opening import embedded
from rerate.cli.topics import all_topics
from rerate.intake import football, irish
from rerate.intake.cloudevents import CloudEvent
from rerate.log.kafka import KafkaLog
from rerate.log.kafka_cluster import admin
from rerate.log.seam import Out, Reader, Record
from rerate.log.topics import Kind, ensure_topics
from rerate.messages.facts import COMPACTED_TOPICS, FACT_TOPICS, OUTCOME_TOPICS, ROW_TOPICS
from rerate.messages.partition import partition_of
from rerate.messages.reading import Message
from rerate.pool.head import read_head
from rerate.pool.pool import Settings
from rerate.pool.update import Update
from rerate.rater import app
from rerate.rater.app import ENGINE
from rerate.rater.progress import PartitionHead, read_partition_head
from tests.broker.bench import fresh_prefix
from tests.broker.rater_process import Orders, Trap
from tests.kit.outcomes import Facts, check_all, updates_of
from tests.kit.sendable import Sendable
from tests.kit.simworld import out

PROJECT = Path(__file__).parents[2]
PARTITIONS = 6
FOOTBALL = partition_of(football.POOL, PARTITIONS)
NO_SUCH_GROUP = 69
MAY_START_AGAIN = (1, 3, 10)
"""Exit codes of raters, see the runbook."""
DEADLINE_S = 60.0 * float(os.environ.get("RERATE_PATIENCE", "1"))
"""For anything that is waited for; on a machine that has no time, `RERATE_PATIENCE` is how many times as long."""


# ---------------------------------------------------------------------- facts


def message_of(fact: CloudEvent) -> Message:
    return Sendable(fact["type"], fact["source"], fact["id"], fact["data"], fact.get("actor")).message(PARTITIONS)


@cache
def football_pieces(count: int) -> list[list[Message]]:
    """The first messages of the history as one piece, and all that befell their events, and every name, later: a piece a commit."""
    source = list(football.source_messages())
    chosen = {message.event_key for message in source[:count]} | {""}
    facts = zip(source, football.facts(source), strict=True)
    pieces = [
        [message_of(fact) for message, fact in group if message.event_key in chosen]
        for _, group in groupby(facts, key=lambda pair: pair[0].commit)
    ]
    pieces[0].insert(0, message_of(football.configuration()))
    return [piece for piece in pieces if piece]


def irish_pieces(size: int) -> list[list[Message]]:
    facts = [message_of(fact) for fact in (irish.configuration(), *(report.fact for report in irish.reports()))]
    return [facts[at : at + size] for at in range(0, len(facts), size)]


def chunks(pieces: Iterable[Sequence[Message]], size: int) -> Iterator[list[Message]]:
    """The same in pieces of another size."""
    messages = [message for piece in pieces for message in piece]
    return (messages[at : at + size] for at in range(0, len(messages), size))


# ---------------------------------------------------------------------- waiting


async def until(holds: Callable[[], bool | Awaitable[bool]], what: str, *, within_s: float = DEADLINE_S) -> None:
    """Wait until something holds."""
    give_up_at = time.monotonic() + within_s
    while True:
        answer = holds()
        if answer if isinstance(answer, bool) else await answer:
            return
        assert time.monotonic() < give_up_at, f"not after {within_s:g} s: {what}"
        await asyncio.sleep(0.01)


# ---------------------------------------------------------------------- a rater


class Rater:
    """A process that rates."""

    def __init__(self, name: str, orders: Orders, errors: Path) -> None:
        self.name, self.orders, self._errors = name, orders, errors
        self.events: list[dict[str, Any]] = []
        """What it has said so far."""
        self.may_have_ended = False
        self.process: asyncio.subprocess.Process
        self._reading: asyncio.Task[None]

    async def start(self) -> None:
        command = [sys.executable, "-m", "tests.broker.rater_process", msgspec.json.encode(self.orders).decode()]
        with self._errors.open("ab") as errors:
            self.process = await asyncio.create_subprocess_exec(*command, cwd=PROJECT, stdout=asyncio.subprocess.PIPE, stderr=errors)
        self._reading = asyncio.create_task(self._read())

    def arm(self, point: str, partition: int | None = None, *, times: int = 1, kind: str = "SIGKILL") -> None:
        """Set its trap."""
        set_trap(self.orders, Trap(point=point, partition=partition, times=times, kind=kind))

    @property
    def owned(self) -> list[int]:
        """The partitions that it has: those it was last given, unless it was told to let them go since."""
        last = next((event for event in reversed(self.events) if event["event"] in ("assigned", "revoked")), None)
        return last["partitions"] if last and last["event"] == "assigned" else []

    def said(self, event: str, partition: int | None = None, since: float = 0.0) -> float | None:
        """When it first said this after a moment."""
        return next((e["at"] for e in self.events if e["event"] == event and e["partition"] == partition and e["at"] >= since), None)

    @property
    def has_ended(self) -> bool:
        return self.process.returncode is not None

    def kill(self, kind: signal.Signals = signal.SIGKILL) -> None:
        self.may_have_ended = True
        with suppress(ProcessLookupError):
            self.process.send_signal(kind)

    async def ended(self, *codes: int) -> int:
        """Wait until it has ended, with one of these codes."""
        returned = await asyncio.wait_for(self.process.wait(), DEADLINE_S)
        await self._reading
        self.may_have_ended = True
        assert returned in codes, f"ended with {returned}, not {codes}: {self.errors()}"
        return returned

    async def term(self) -> None:
        self.kill(signal.SIGTERM)
        await self.ended(0)

    def is_stopped(self) -> bool:
        return Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"

    def errors(self) -> str:
        return self._errors.read_text(errors="replace")[-3_000:]

    async def _read(self) -> None:
        assert self.process.stdout is not None
        async for line in self.process.stdout:
            _, brace, said = line.partition(b"{")  # Faust hides and shows the cursor
            if brace:
                self.events.append(msgspec.json.decode(brace + said))


def set_trap(orders: Orders, trap: Trap) -> None:
    path = Path(orders.trap)
    path.with_suffix(".new").write_bytes(msgspec.json.encode(trap))
    path.with_suffix(".new").rename(path)


# ---------------------------------------------------------------------- a log and its raters


class Place:
    """Topics of its own, raters, publishers and subscribers. Ends every process it started."""

    def __init__(
        self, bootstrap: str, directory: Path, *, replication: int = 1, overrides: Mapping[Kind, Mapping[str, str]] | None = None
    ) -> None:
        self.bootstrap, self.directory, self.prefix = bootstrap, directory, fresh_prefix()
        self._replication, self._overrides = replication, overrides
        self.raters: list[Rater] = []
        self.followers: list[Follower] = []
        self.log = self.new_log()
        self.sent = 0
        self.started_again: Counter[int] = Counter()
        """How often a rater was, by the code with which it had ended."""
        self.supervises = False
        """Whether raters are started again while anything is waited for, not only by `settled`."""
        self.within_s = DEADLINE_S
        """For what is waited for."""
        self._progress: dict[int, PartitionHead] = {}
        self._watching: dict[int, Reader] = {}
        self._written = AIOKafkaConsumer(bootstrap_servers=bootstrap, enable_auto_commit=False)
        """Is asked how far topics are written, committed or not."""

    async def __aenter__(self) -> Self:
        await ensure_topics(
            self.bootstrap,
            all_topics(),
            prefix=self.prefix,
            partitions=PARTITIONS,
            replication=self._replication,
            overrides=self._overrides,
        )
        await asyncio.gather(self.log.open(), self._written.start())
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for rater in self.raters:
            if not rater.has_ended:
                rater.kill()
                await rater.process.wait()
        if error is not None:
            for rater in self.raters:
                print(f"--- {rater.name}", rater.events[-5:], rater.errors(), sep="\n")
        await asyncio.gather(self.log.close(), self._written.stop(), *(follower.close() for follower in self.followers))
        async with admin(self.bootstrap) as client:
            await client.delete_topics([f"{self.prefix}.{topic}" for topic in all_topics()])

    def new_log(self) -> KafkaLog:
        return KafkaLog(self.bootstrap, prefix=self.prefix, facts=FACT_TOPICS, outcomes=OUTCOME_TOPICS, compacted=COMPACTED_TOPICS)

    # ------------------------------------------------------------------ raters

    async def rater(self, name: str, *, is_static: bool = True, trap: Trap | None = None, **more: Any) -> Rater:
        """Start one; its stores are those of the last one of the same name."""
        home = self.directory / name
        home.mkdir(exist_ok=True)
        orders = Orders(
            bootstrap=self.bootstrap,
            prefix=self.prefix,
            data=str(home / "data"),
            slot=name if is_static else None,
            trap=str(home / "trap"),
            **more,
        )
        Path(orders.trap).unlink(missing_ok=True)
        if trap is not None:
            set_trap(orders, trap)
        rater = Rater(name, orders, home / "errors")
        await rater.start()
        self.raters.append(rater)
        return rater

    async def supervise(self) -> None:
        """Start again whoever has ended with a code that allows it: because another has its partition (on a busy machine a session is soon
        over), or no broker answers."""
        ended = [rater for rater in self.raters if rater.has_ended and not rater.may_have_ended]
        for rater in [rater for rater in ended if rater.process.returncode != -signal.SIGKILL]:  # whoever kills one starts another
            assert rater.process.returncode in MAY_START_AGAIN, f"{rater.process.returncode}: {rater.errors()}"
            self.started_again[rater.process.returncode] += 1
            rater.may_have_ended = True
            orders = rater.orders
            await self.rater(
                rater.name, is_static=orders.slot is not None, records_a_step=orders.records_a_step, session_ms=orders.session_ms
            )

    def shared(self) -> list[int]:
        """The partitions that living raters have, each as often as it is owned."""
        return sorted(partition for rater in self.raters if not rater.has_ended for partition in rater.owned)

    async def balanced(self) -> None:
        """Wait until every partition is owned once, and everybody has some."""

        def is_balanced() -> bool:
            return self.shared() == list(range(PARTITIONS)) and all(rater.owned for rater in self.raters if not rater.has_ended)

        await until(is_balanced, "the partitions are not shared")

    def store(self, name: str, partition: int = FOOTBALL) -> Path:
        return self.directory / name / "data" / self.prefix / str(partition)

    def delete_stores(self, name: str) -> None:
        shutil.rmtree(self.directory / name / "data", ignore_errors=True)

    async def owner(self, partition: int = FOOTBALL) -> Rater:
        """The rater that has the partition, as soon as one has."""

        async def is_owned() -> bool:
            if self.supervises:
                await self.supervise()
            return self.owning(partition) is not None

        await until(is_owned, f"nobody has partition {partition}", within_s=self.within_s)
        found = self.owning(partition)
        assert found is not None
        return found

    def owning(self, partition: int) -> Rater | None:
        return next((rater for rater in self.raters if not rater.has_ended and partition in rater.owned), None)

    async def delete_group(self) -> None:
        """As if the committed offsets had expired."""
        async with admin(self.bootstrap) as client:
            group = f"{self.prefix}-rater"

            async def is_gone() -> bool:
                node = await client.find_coordinator(group)
                ((_, code),) = (await client._send_request(DeleteGroupsRequest([group]), node)).results
                return code in (0, NO_SUCH_GROUP)

            await until(is_gone, "the group is not deleted")

    # ------------------------------------------------------------------ publishing

    async def publish(self, messages: Iterable[Message]) -> None:
        """Append raw, the partitions side by side."""
        by_partition: dict[int, list[Message]] = defaultdict(list)
        for message in messages:
            by_partition[message.partition].append(message)
        await asyncio.gather(*(self.log.append(p, [out(message) for message in theirs]) for p, theirs in by_partition.items()))
        self.sent += sum(map(len, by_partition.values()))

    async def progress(self) -> dict[int, PartitionHead]:
        """The newest partition heads."""
        for partition in range(PARTITIONS):
            if partition not in self._watching:
                self._watching[partition] = await self.log.reader(partition, {"rater-progress": 0})
        for records in await asyncio.gather(*(reader.poll(10_000) for reader in self._watching.values())):
            for record in records:
                assert record.value is not None
                self._progress[record.partition] = read_partition_head(record.value)
        return self._progress

    async def settled(self, *, within_s: float = DEADLINE_S) -> None:
        """Wait until all facts have been rated."""
        ends = await self.fact_ends()

        async def is_rated() -> bool:
            await self.supervise()
            heads = await self.progress()
            return all(p in heads and not heads[p].catching_up and heads[p].next == at for p, at in ends.items() if any(at.values()))

        await until(is_rated, "not all facts have been rated", within_s=within_s)
        await asyncio.gather(*(self.marked(partition, OUTCOME_TOPICS) for partition in range(PARTITIONS)))

    async def marked(self, partition: int, topics: Iterable[str]) -> None:
        """Wait until nothing is open in the topics: a transaction that has ended is seen in one of them before it is in another."""
        tps = {TopicPartition(f"{self.prefix}.{topic}", partition): topic for topic in topics}

        async def is_marked() -> bool:
            written = await self._written.end_offsets(list(tps))  # asked first: what is stable only grows
            stable = await self.log.ends(partition, tps.values())
            return all(stable[topic] >= written[tp] for tp, topic in tps.items())

        await until(is_marked, f"transactions are open in partition {partition}")

    async def flow(self, pieces: Iterable[Sequence[Message]], *, ahead: int = 60, enough: Callable[[], bool] = lambda: False) -> None:
        """Publish piece by piece, as fast as the football partition is rated; never so slowly that a rater would be idle.

        Args:
            enough: no further, once this holds.
        """
        for piece in pieces:
            await self.publish(piece)
            ends = await self.log.ends(FOOTBALL, FACT_TOPICS)
            await self.rated_beyond(FOOTBALL, sum(ends.values()) - ahead, enough=enough)
            if enough():
                return

    async def rated_beyond(self, partition: int, count: int, *, enough: Callable[[], bool] = lambda: False) -> None:
        """Wait until so many facts of a partition have been rated, or `enough` holds."""

        async def is_rated() -> bool:
            if enough():
                return True
            if self.supervises:
                await self.supervise()
            heads = await self.progress()
            return partition in heads and sum(heads[partition].next.values()) >= count

        await until(is_rated, f"{count} facts of partition {partition} are not rated", within_s=self.within_s)

    async def fact_ends(self) -> dict[int, dict[str, int]]:
        found = await asyncio.gather(*(self.log.ends(partition, FACT_TOPICS) for partition in range(PARTITIONS)))
        return dict(enumerate(found))

    # ------------------------------------------------------------------ what must hold

    async def everything(self, partition: int, topics: Iterable[str]) -> list[Record]:
        """All records of a partition of the topics, in order within each, read-committed."""
        named = list(topics)
        await self.marked(partition, named)
        ends, starts = await asyncio.gather(self.log.ends(partition, named), self.log.starts(partition, named))
        reader = await self.log.reader(partition, starts)
        found: list[Record] = []
        while any(reader.positions()[topic] < end for topic, end in ends.items()):
            found += await reader.poll(50_000)
        await reader.close()
        return found

    async def check(self, partitions: Iterable[int] | None = None) -> dict[str, Facts]:
        """Every message one receipt, heads chained, rows and digests those of a fresh pool, partition heads in order; the facts of each
        pool."""
        ends, found = await self.fact_ends(), dict[str, Facts]()
        for partition in [p for p, at in ends.items() if any(at.values())] if partitions is None else partitions:
            facts, outcomes = await asyncio.gather(
                self.everything(partition, FACT_TOPICS), self.everything(partition, sorted(OUTCOME_TOPICS))
            )
            assert len(facts) == sum(ends[partition].values())
            found |= check_all(facts, outcomes, partitions=PARTITIONS, settings=Settings(engine=ENGINE))
        return found

    async def digests(self) -> dict[str, dict[str, tuple[str, str]]]:
        """Pool -> list -> its digests in the newest head."""
        found = {}
        for partition in range(PARTITIONS):
            for record in await self.log.newest_with_prefix(partition, "rating-heads", b""):
                head = read_head(record.value or b"")
                found[head.pool] = {name: (entry.list_digest, entry.input_digest) for name, entry in head.lists.items()}
        return found

    async def updates(self) -> dict[str, int]:
        """Pool -> the number of its newest update."""
        found = {}
        for partition in range(PARTITIONS):
            for record in await self.log.newest_with_prefix(partition, "rating-heads", b""):
                head = read_head(record.value or b"")
                found[head.pool] = head.update
        return found

    async def follow(self, partition: int, topics: Sequence[str] = ROW_TOPICS, *, times: Times | None = None) -> "Follower":
        log = self.new_log()
        following = Following(log, topics, times or Times(clock_ms=wall_clock_ms), partition=partition)
        await following.start()
        self.followers.append(Follower(following, log))
        return self.followers[-1]

    async def check_followers(self, partition: int, followers: Iterable["Follower"]) -> None:
        """They were shown whole updates only, in order, up to the newest."""
        truth = updates_of(await self.everything(partition, ROW_TOPICS))
        newest = {pool: len(updates) for pool, updates in truth.items()}
        for follower in followers:
            await follower.end(newest)
            follower.check(truth)


# ---------------------------------------------------------------------- subscribers


class Follower:
    """The reference subscriber, reading all the while."""

    def __init__(self, following: Following, log: KafkaLog) -> None:
        self._following, self._log = following, log
        self.updates: list[WholeUpdate] = []
        self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        while True:
            self.updates += await self._following.step(500)

    def shown(self) -> dict[str, int]:
        return {pool: head.update for pool, head in self._following.subscriber.heads().items()}

    def rows(self, pool: str, topic: str) -> dict[bytes, bytes]:
        return self._following.subscriber.rows(pool, topic)

    async def end(self, newest: Mapping[str, int]) -> None:
        """Stop it when it shows these updates."""
        await until(lambda: self._task.done() or self.shown() == newest, f"a subscriber shows {self.shown()}, not {newest}")
        assert not self._task.done(), self._task.exception()
        await self.close()

    async def close(self) -> None:
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task
        await self._log.close()

    def check(self, truth: Mapping[str, Sequence[Update]]) -> None:
        """Each update that it was shown is whole, and none is older than one before."""
        shown: dict[str, int] = {}
        for update in self.updates:
            number, name = update.head.update, f"{update.pool}@{update.head.update}"
            assert update.since == shown.get(update.pool), f"{name} follows {update.since}, {shown} was shown"
            assert number > shown.get(update.pool, 0), f"{name} after {shown}"
            for topic in self._following.topics:
                told, due = dict(update.rows[topic]), folded(truth[update.pool][update.since or 0 : number], topic)
                if update.since is None:
                    told, due = standing(told), standing(due)
                assert told == due, f"{topic} of {name} is torn"
            shown[update.pool] = number
        assert shown == self.shown()
        for pool, number in shown.items():
            for topic in self._following.topics:
                assert self.rows(pool, topic) == standing(folded(truth[pool][:number], topic)), f"{topic} of {pool}@{number} is stale"


def folded(updates: Iterable[Update], topic: str) -> dict[bytes, bytes | None]:
    """What some updates change in a topic: the last value of each key."""
    return {key.encode(): value for update in updates for key, value in update.rows[topic]}


def standing(rows: Mapping[bytes, bytes | None]) -> dict[bytes, bytes | None]:
    """Without tombstones."""
    return {key: value for key, value in rows.items() if value is not None}


# ---------------------------------------------------------------------- beside it


async def embedded_run(place: Place, directory: Path) -> dict[str, dict[str, tuple[str, str]]]:
    """The digests that an embedded log gives that was handed the same messages; held to `rerate verify` as well."""
    chosen = embedded(directory)
    await chosen.log.create()  # type: ignore[attr-defined]
    for partition in range(PARTITIONS):
        messages = await place.everything(partition, FACT_TOPICS)
        for at in range(0, len(messages), 5_000):
            await chosen.log.append(0, [Out(one.topic, one.key, one.value, one.headers) for one in messages[at : at + 5_000]])
    await app.run(chosen.log, chosen.open_store, until_idle=True)
    heads = await Lookup(chosen.log).heads()
    assert all(verdict.holds for verdict in await verify(chosen.log))
    await chosen.log.close()
    return {pool: {name: (one.list_digest, one.input_digest) for name, one in head.lists.items()} for pool, head in heads.items()}


def command(*arguments: str) -> list[str]:
    """`rerate` as a process."""
    return [sys.executable, "-c", "from rerate.cli import main; main()", *arguments]


async def rerate(*arguments: str, input: bytes | None = None, env: Mapping[str, str] | None = None) -> tuple[int, str, str]:
    """Run a command to its end: exit code, standard output, standard error."""
    process = await asyncio.create_subprocess_exec(
        *command(*arguments),
        cwd=PROJECT,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=os.environ | dict(env or {}),
    )
    said, errors = await asyncio.wait_for(process.communicate(input), DEADLINE_S)
    assert process.returncode is not None
    return process.returncode, said.decode(), errors.decode()
