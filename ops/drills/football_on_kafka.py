"""The football history through a real Kafka, with raters, and a broker, killed again and again, and what it costs.

    python -m ops.drills.football_on_kafka [--log kafka://HOST:PORT] [--brokers 3] [--minutes 12] [--first N] [--seed 1] [--parts 123]

Starts Kafkas of its own unless one is named, and ends only what it started. Three parts, each printed as it is done:

1. On three brokers: the whole history, commit by commit, on six partitions, two pools beside it, two raters. The owner of the football's
   partition is killed with SIGKILL ten times, at each exact point of `EXACT` once and else at random moments; a rater stands still for
   longer than its session, in a transaction, and goes on; a broker is killed and comes back (none that was named, nor the only one). Then:
   every message one receipt, heads chained, rows those of a pool in memory, digests those of an embedded run and of `rerate verify`; and
   every update that subscribers were shown is whole, in order, and the last one is the newest.
2. On one broker: facts a second. The first commit, published before a rater starts, until its last receipt and its heads are out; beside it
   a bare transactional copy of the same facts, 2,000 a transaction, writing as many records of the sizes of the outcomes.
3. On one broker: one fact from its publication to a subscriber's whole update, 100 times with nothing else to do; beside it a bare echo:
   produced, copied in a transaction, consumed.
"""

import argparse
import asyncio
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from itertools import count, zip_longest
from pathlib import Path
from random import Random

import orjson

from ops.drills.costs import EVERYTHING, beside, latency, throughput
from ops.drills.saying import load, say, spread
from ops.kafka.local import LocalKafka
from rerate.audit.verify import verify
from rerate.intake import football
from rerate.log.kafka_noise import limit_noise
from rerate.log.seam import Record
from rerate.messages.facts import FACT_TOPICS, OUTCOME_TOPICS, ROW_TOPICS
from rerate.messages.reading import Message
from rerate.pool.head import read_head
from rerate.pool.pool import Settings
from rerate.rater.app import ENGINE
from tests.broker.rater_process import Trap
from tests.broker.raters import FOOTBALL, PARTITIONS, Follower, Place, Rater, embedded_run, football_pieces, irish_pieces, set_trap
from tests.kit.outcomes import check_heads, check_progress, check_receipts, fresh_pool
from tests.kit.published import Published
from tests.kit.saying import published
from tests.kit.sendable import Sendable

EXACT = ("between sends", "committed", "refilling", "after revoked", "before assigned")
"""Between two sends; after the commit, before the store's batch; while the store is refilled; in a rebalance, on both sides of it."""
REFILLING = "refilling"
IN_A_REBALANCE = ("after revoked", "before assigned")
KILLS = 10
SESSION_MS = 6_000
PATIENCE_S = 240.0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m ops.drills.football_on_kafka", description="The football history through Kafka.")
    parser.add_argument("--log", help="kafka://HOST:PORT of a Kafka that is there")
    parser.add_argument("--brokers", type=int, choices=(1, 3), default=3, help="of part 1, if no Kafka is named")
    parser.add_argument("--minutes", type=float, default=12, help="ended after so many, done or not")
    parser.add_argument("--first", type=int, default=EVERYTHING, help="part 1 with the events of the first so many messages only")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--parts", default="123", help="which parts, for example 23")
    asked = parser.parse_args()

    limit_noise()

    async def run(part: str, kafka: LocalKafka | None, bootstrap: str, home: Path) -> None:
        if part == "1":
            await Drill(bootstrap, home, kafka if asked.brokers == 3 else None, asked.first, Random(asked.seed)).run()
        else:
            await {"2": throughput, "3": latency}[part](bootstrap, home)

    async def all_parts(home: Path) -> None:
        async with asyncio.timeout(asked.minutes * 60):
            for part in asked.parts:
                (home / part).mkdir()
                if asked.log:
                    await run(part, None, asked.log.removeprefix("kafka://"), home / part)
                    continue
                kafka = LocalKafka(home / part / "kafka")
                try:
                    bootstrap = await asyncio.to_thread(kafka.start, asked.brokers if part == "1" else 1)
                    await run(part, kafka, bootstrap, home / part)
                finally:
                    kafka.wipe()

    with tempfile.TemporaryDirectory(prefix="rerate-drill-") as directory:
        asyncio.run(all_parts(Path(directory)))
    return 0


class Drill:
    """Part 1."""

    def __init__(self, bootstrap: str, home: Path, kafka: LocalKafka | None, first: int, random: Random) -> None:
        self.home, self.kafka, self.random = home, kafka, random
        self.place = Place(bootstrap, home, replication=3 if kafka is not None else 1)
        self.place.supervises, self.place.within_s = True, PATIENCE_S
        self.pieces = football_pieces(first)
        self.commits = self._commits()
        self.number = 0
        """Commits published so far."""
        self.kills = 0
        self.pauses: list[float] = []
        """Seconds from a death until a successor was live."""
        self.silences: list[float] = []
        """Seconds from a death until a subscriber was shown the next update of football."""
        self._names = (f"r{number}" for number in range(1_000))

    async def run(self) -> None:
        async with self.place as place:
            followers = [await place.follow(FOOTBALL), await place.follow(FOOTBALL, ["rating-snapshots"])]
            self.follower = followers[0]
            for _ in range(2):
                await self.rater()
            began = time.monotonic()
            await self.flow(lambda: self.number == 2)
            say(f"   {place.sent} messages are rated after {time.monotonic() - began:.0f} s; {load()}")
            for at, (what, trouble) in zip(self._moments(), self._troubles(), strict=True):
                await self.flow(lambda at=at: self.number >= at, ahead=500)  # type: ignore[misc]
                before = self.number
                told = await trouble()
                say(f"   {what}, {told}; commits {before} to {self.number} of {len(self.pieces)}; {load()}")
            await self.flow(lambda: self.number >= len(self.pieces), ahead=500)
            await place.settled(within_s=PATIENCE_S)
            again = ", ".join(f"{count} with code {code}" for code, count in sorted(place.started_again.items())) or "none"
            say(f"1. {place.sent} messages, football commit by commit, {self.kills} kills of its owner: {time.monotonic() - began:.0f} s")
            say(f"   successor live after {spread(self.pauses)} s, next update shown after {spread(self.silences)} s")
            say(f"   (session {SESSION_MS / 1000:g} s); ended by themselves and started again: {again}; {load()}")
            await self.hold(followers)

    # ------------------------------------------------------------------ facts and raters

    def _commits(self) -> Iterator[list[Message]]:
        """Each commit of football with a little of the other pools; after the last one games that were played since, one by one."""
        small = [one.message(PARTITIONS) for one in beside()]
        pairs = [small[at : at + 2] for at in range(0, len(small), 2)]
        for piece, *others in zip_longest(self.pieces, irish_pieces(1), pairs[: len(self.pieces)], fillvalue=[]):
            yield [message for one in (piece, *others) for message in one]
        for number in count():
            one = published(f"since{number}", 1, "A>B", date=f"2026-{1 + number % 12:02}-05", id=f"since{number}")
            yield [Sendable(one.type, one.source, one.id, one.data | {"pool": football.POOL}, one.actor).message(PARTITIONS)]

    async def flow(self, enough: Callable[[], bool], *, ahead: int = 0) -> None:
        """Publish commit by commit, each as soon as the one before is rated but for so many facts, until something holds."""
        while not enough():
            self.number += 1
            await self.place.publish(next(self.commits))
            ends = await self.place.log.ends(FOOTBALL, FACT_TOPICS)
            await self.place.rated_beyond(FOOTBALL, sum(ends.values()) - ahead, enough=enough)

    async def rater(self, name: str | None = None) -> Rater:
        return await self.place.rater(name or next(self._names), is_static=False, session_ms=SESSION_MS)

    def dead(self) -> Rater | None:
        """One that was killed and not replaced yet."""
        return next((r for r in self.place.raters if r.process.returncode == -signal.SIGKILL and not r.may_have_ended), None)

    def living(self) -> list[Rater]:
        return [rater for rater in self.place.raters if not rater.has_ended]

    # ------------------------------------------------------------------ troubles

    def _moments(self) -> list[int]:
        """The commits before which there is trouble."""
        return sorted(self.random.sample(range(3, max(len(self.pieces) - 20, 30)), len(self._troubles())))

    def _troubles(self) -> list[tuple[str, Callable[[], Awaitable[str]]]]:
        """In a random order; refilling takes two kills."""
        troubles: list[tuple[str, Callable[[], Awaitable[str]]]] = [
            (f"killed {point}", partial(self.killed_at, point)) for point in EXACT if point != REFILLING
        ]
        troubles += [("killed, and the next one while refilling", self.killed_refilling)]
        troubles += [("killed at random", self.killed_at_random)] * (KILLS - len(EXACT) - 1)
        troubles += [("stood still past the session", self.stood_still)]
        troubles += [("a broker of three killed", self.broker_killed)] if self.kafka is not None else []
        self.random.shuffle(troubles)
        return troubles

    async def killed_at(self, point: str) -> str:
        armed = self.arm(point, times=1 if point.endswith("ed") else self.random.randint(1, 3))
        if point in IN_A_REBALANCE:
            await self.rater()
        await self.flow(lambda: self.is_dead(armed))
        return await self.succeeded()

    async def killed_refilling(self) -> str:
        """Nobody else has a store, so whoever takes over reads the facts again, and dies of that."""
        owner = await self.place.owner()
        for rater in self.living():
            if rater is not owner:
                shutil.rmtree(self.place.store(rater.name), ignore_errors=True)
        armed = self.arm(REFILLING)
        owner.process.kill()
        await owner.ended(-signal.SIGKILL)
        self.kills += 1
        await self.rater()
        await self.flow(lambda: self.is_dead(armed))
        return await self.succeeded()

    async def killed_at_random(self) -> str:
        owner = await self.place.owner()
        asyncio.get_running_loop().call_later(self.random.uniform(0, 0.5), owner.process.kill)
        await self.flow(lambda: owner.has_ended)
        return await self.succeeded()

    async def stood_still(self) -> str:
        """In a transaction, until another has the partition; then it goes on, and is fenced."""
        armed = self.arm("rows sent", kind="SIGSTOP")
        still: list[Rater] = []

        def is_still() -> bool:
            still[:] = [rater for rater in self.rearmed(armed) if rater.is_stopped()]
            return bool(still)

        await self.flow(is_still)
        (zombie,), at = still, time.monotonic()
        zombie.may_have_ended = True
        self.disarm()
        await self.flow(lambda: any(rater is not zombie for rater in self.live_since(at)))
        taken = time.monotonic() - at
        assert not zombie.has_ended
        zombie.kill(signal.SIGCONT)
        code = await zombie.ended(10, 3)  # 3 if it stood still for longer than a transaction may take
        await self.rater(zombie.name)
        return f"another was live after {taken:.1f} s, and it ended with {code} when it went on (10: fenced, 3: out of time)"

    async def broker_killed(self) -> str:
        assert self.kafka is not None
        node = self.random.randint(1, 3)
        took = []
        for move in (self.kafka.kill, self.kafka.up):
            await asyncio.to_thread(move, node)
            at, rated = time.monotonic(), self.number + 3
            await self.flow(lambda rated=rated: self.number > rated)  # type: ignore[misc]
            took.append(time.monotonic() - at)
        return f"number {node}: three more commits were rated after {took[0]:.1f} s; it is back, three more after {took[1]:.1f} s"

    # ------------------------------------------------------------------ traps

    def arm(self, point: str, *, times: int = 1, kind: str = "SIGKILL") -> Trap:
        trap = Trap(point=point, partition=FOOTBALL, times=times, kind=kind)
        self._armed: list[Rater] = []
        self.rearmed(trap)
        return trap

    def rearmed(self, trap: Trap) -> list[Rater]:
        """Every living rater has the trap: whoever comes to that point of the football partition first, it is its owner."""
        for rater in self.living():
            if rater not in self._armed:
                set_trap(rater.orders, trap)
                self._armed.append(rater)
        return self.living()

    def disarm(self) -> None:
        for rater in self.living():
            Path(rater.orders.trap).unlink(missing_ok=True)

    def is_dead(self, trap: Trap) -> bool:
        self.rearmed(trap)
        return self.dead() is not None

    async def succeeded(self) -> str:
        """Somebody was killed: start another if there are not two, and wait until one is live, and a subscriber shown something new."""
        victim, at = self.dead(), time.monotonic()
        assert victim is not None
        self.disarm()
        await victim.ended(-signal.SIGKILL)
        self.kills += 1
        shown = len(self.follower.updates)
        if len(self.living()) < 2:
            await self.rater(self.random.choice([victim.name, None]))
        await self.flow(lambda: bool(self.live_since(at)))
        self.pauses.append(min(rater.said("live", FOOTBALL, at) or at for rater in self.live_since(at)) - at)
        await self.flow(lambda: len(self.follower.updates) > shown)
        self.silences.append(time.monotonic() - at)
        return (
            f"kill {self.kills}: a successor was live after {self.pauses[-1]:.1f} s, the next update shown after {self.silences[-1]:.1f} s"
        )

    def live_since(self, at: float) -> list[Rater]:
        return [rater for rater in self.living() if rater.said("live", FOOTBALL, at) is not None]

    # ------------------------------------------------------------------ what must hold

    async def hold(self, followers: list[Follower]) -> None:
        place = self.place
        late = [await place.follow(FOOTBALL), await place.follow(FOOTBALL, ["rating-snapshots"])]
        for partition in range(PARTITIONS):
            facts = await place.everything(partition, FACT_TOPICS)
            if facts:
                hold(facts, await place.everything(partition, sorted(OUTCOME_TOPICS)))
        digests = await place.digests()
        say(f"   one receipt a message, heads chained, rows and digests as in memory: {', '.join(sorted(digests))}")
        assert all(verdict.holds for verdict in await verify(place.log)), "verify says no"
        assert digests == await embedded_run(place, self.home / "embedded"), "an embedded run gives other digests"
        say(f"   digests as in an embedded run and by verify: {dict(sorted(digests.items()))}")
        await place.check_followers(FOOTBALL, [*followers, *late])
        shown = [len(follower.updates) for follower in (*followers, *late)]
        say(f"   subscribers were shown {shown} updates, whole and in order; none is stale")


def hold(facts: Sequence[Record], outcomes: Sequence[Record]) -> None:
    """What must hold of a partition; `Place.check` holds every update to a fresh pool, which takes hours for so many rows."""
    heads = check_heads(outcomes)
    accepted = check_receipts(facts, outcomes, {pool: list(map(read_head, values)) for pool, values in heads.items()}, PARTITIONS)
    check_progress(facts, outcomes, PARTITIONS)
    for pool, batch in accepted.items():
        fresh = fresh_pool(pool, batch, Settings(engine=ENGINE))
        assert isinstance(fresh, Published)
        lists = read_head(heads[pool][-1]).lists
        assert {name: (one.list_digest, one.input_digest) for name, one in lists.items()} == {
            name: (one.list_digest, one.input_digest) for name, one in fresh.head.lists.items()
        }
        rows: dict[str, dict[str, bytes]] = {topic: {} for topic in ROW_TOPICS}
        for one in outcomes:
            if one.topic in ROW_TOPICS and one.key is not None and one.key.startswith((f"{pool}/".encode(), f"{pool}@".encode())):
                if one.value is None:
                    del rows[one.topic][one.key.decode()]
                else:
                    rows[one.topic][one.key.decode()] = one.value
        for topic in ROW_TOPICS:
            assert {key: bare(value) for key, value in rows[topic].items()} == fresh.rows(topic), f"{topic} of {pool}"


def bare(value: bytes) -> object:
    row = orjson.loads(value)
    del row["by"]
    return row


if __name__ == "__main__":
    sys.exit(main())
