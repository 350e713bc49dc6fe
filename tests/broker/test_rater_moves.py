"""Raters that come and go at full flow; a pool rebuilt by hand and after a damage of the store; a head that the facts do not give."""

import asyncio
import signal
import time
from pathlib import Path

import orjson
import pytest

from rerate.log.seam import Out
from rerate.log.store import RocksStore
from rerate.messages.facts import ROW_TOPICS
from rerate.messages.partition import partition_of
from rerate.pool.head import head_digest, read_head
from tests.broker.raters import FOOTBALL, PARTITIONS, Place, Rater, rerate, until
from tests.broker.test_rater_kills import stream
from tests.kit.saying import configured, published
from tests.kit.sendable import Sendable

pytestmark = pytest.mark.broker


async def test_ten_joins_and_leaves_at_full_flow(bootstrap: str, tmp_path: Path) -> None:
    async with Place(bootstrap, tmp_path) as place:
        pieces, follower = stream(), await place.follow(FOOTBALL)
        stays = await place.rater("a", is_static=False)
        await until(lambda: len(stays.owned) == PARTITIONS, "it has not all partitions")
        is_over = False
        flowing = asyncio.ensure_future(place.flow(pieces, enough=lambda: is_over))
        for number in range(5):
            guest = await place.rater(f"guest{number}", is_static=False)
            await until(lambda guest=guest: shared(stays, guest), "the partitions are not shared")
            took, given = began(guest), guest.owned
            print(f"join: live {max(guest.said('live', p) or 0.0 for p in given) - took:.2f} s after it was given {given}")
            left = time.monotonic()
            guest.kill(signal.SIGTERM)
            await guest.ended(0)
            back: list[float] = []

            def is_back(given: list[int] = given, left: float = left, back: list[float] = back) -> bool:
                back[:] = [at for p in given if (at := stays.said("live", p, left)) is not None]
                return len(back) == len(given)

            await until(is_back, "the partitions are not live elsewhere")
            print(f"leave: live elsewhere {max(back) - left:.2f} s after it was asked to end")
            assert not flowing.done(), flowing
        is_over = True
        await flowing
        await place.settled()
        await place.check([FOOTBALL])
        await place.check_followers(FOOTBALL, [follower])


def shared(one: Rater, other: Rater) -> bool:
    """Whether each has some, together they have all, and all are live."""
    if not one.owned or not other.owned or sorted([*one.owned, *other.owned]) != list(range(PARTITIONS)):
        return False
    return all(other.said("live", partition) is not None for partition in other.owned)


def began(rater: Rater) -> float:
    """When it was last given partitions."""
    at: float = next(e["at"] for e in reversed(rater.events) if e["event"] == "assigned")
    return at


W, V = "w:p", "w:q"
"""Two pools of one partition."""


def of(pool: str, *facts: Sendable) -> list[Sendable]:
    return [Sendable(one.type, one.source, f"{pool}-{one.id}", one.data | {"pool": pool}, one.actor) for one in facts]


def season(pool: str, first: int, last: int) -> list[Sendable]:
    events = [published(f"e{n}", 1, "A>B", "C=D", "B>C", date=f"2024-{1 + n % 12:02}-05", id=f"e{n}") for n in range(first, last)]
    return of(pool, *([configured(1, "elo", id="lists")] if first == 0 else []), *events)


async def test_rebuilt_by_hand_and_after_a_damage_and_halted_alone(bootstrap: str, tmp_path: Path) -> None:
    assert partition_of(W, PARTITIONS) == partition_of(V, PARTITIONS) != FOOTBALL
    partition = partition_of(W, PARTITIONS)
    log = ["--log", f"kafka://{bootstrap}"]
    async with Place(bootstrap, tmp_path) as place:
        log += ["--prefix", place.prefix]
        rater = await place.rater("a")
        await place.publish([one.message(PARTITIONS) for one in season(W, 0, 30) + season(V, 0, 30)])
        await place.settled()

        # Asked by hand, once, through the topic of commands: the next head says so, also if no row was wrong.
        before = await place.updates()
        code, said, errors = await rerate(*log, "rater", "--rebuild", W)
        assert code == 0, errors
        assert f"{W} rebuilt: update {before[W] + 1}" in said
        assert (await place.updates()) == before | {W: before[W] + 1}
        await rater.term()

        # A value altered on the disk: the pool is read from the log again, publishes nothing, and goes on; what was asked before is over.
        store = RocksStore(place.store("a", partition))
        key, value = next(iter(store.items(b"f\x00" + W.encode() + b"\x00")))
        store.write([(key, value[:-40] + b"!" + value[-39:])])
        store.close()
        before = await place.updates()
        rater = await place.rater("a")
        await place.publish([one.message(PARTITIONS) for one in season(W, 30, 31)])
        await place.settled()
        assert (await place.updates()) == before | {W: before[W] + 1}
        await place.check([partition])
        await rater.term()
        store = RocksStore(place.store("a", partition))
        assert store.get(key) == value
        store.close()

        # A head with digests that the facts do not give: that pool halts, the other on the partition goes on.
        await forge(place, partition)
        before = await place.updates()
        rater = await place.rater("a")
        await until(lambda: halted(place, partition), "the pool is not halted")
        await place.publish([one.message(PARTITIONS) for one in season(W, 31, 32) + season(V, 31, 32)])
        await place.settled()
        assert (await place.updates()) == {W: before[W] + 1, V: before[V] + 1}
        assert await halted(place, partition)
        code, said, errors = await rerate(*log, "verify", W)
        assert code == 1, said + errors
        code, said, errors = await rerate(*log, "rater", "--rebuild", W)
        assert code == 0, said + errors
        assert not await halted(place, partition)
        await place.check([partition])
        code, said, errors = await rerate(*log, "verify")
        assert code == 0, said + errors
        await rater.term()


async def forge(place: Place, partition: int) -> None:
    """The next head of a pool, in its place in the chain, with another digest of its list."""
    newest = await place.log.newest(partition, "rating-heads", W.encode())
    assert newest is not None
    assert newest.value is not None
    said = orjson.loads(newest.value)
    number = said["data"]["update"] + 1
    said["id"] = f"{W}@{number}"
    said["data"] |= {"update": number, "previous": head_digest(newest.value)}
    said["data"]["lists"]["elo"]["list_digest"] = "0" * 64
    value = orjson.dumps(said, option=orjson.OPT_SORT_KEYS)
    read_head(value)
    writer = await place.log.writer(partition)
    topics = (*ROW_TOPICS, "rating-updates", "rating-heads")
    await writer.commit([Out(topic, W.encode(), value, newest.headers) for topic in topics], {})
    await writer.close()

    async def is_seen() -> bool:
        return (await place.updates())[W] == number

    await until(is_seen, "the forged head is not seen")  # the marks of a transaction are written a little after its commit


async def halted(place: Place, partition: int) -> bool:
    newest = await place.log.newest(partition, "rating-heads", W.encode())
    assert newest is not None
    head = read_head(newest.value or b"")
    return (head.state, head.reason) == ("halted", "digest")
