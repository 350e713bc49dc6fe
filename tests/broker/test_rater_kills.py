"""Raters killed, stopped and robbed of what they keep, while facts flow: every message one receipt, heads chained, digests those of
a fresh pool, nothing published twice, whole updates for readers.
"""

import asyncio
import shutil
import signal
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from random import Random

import orjson
import pytest

from rerate.log.store import RocksStore
from rerate.messages.reading import Message
from tests.broker.rater_process import Trap
from tests.broker.raters import FOOTBALL, Place, chunks, football_pieces, set_trap, until
from tests.kit.laws import SEED

pytestmark = pytest.mark.broker

IN_A_TRANSACTION = ["begun", "between sends", "rows sent", "offsets sent", "committing", "committed"]
IN_A_REBALANCE = ["before revoked", "after revoked", "before assigned", "after assigned"]


def stream(size: int = 10) -> Iterator[list[Message]]:
    """Football in small pieces, what was corrected later among them; then the same again, which counts for nothing."""
    first, *later = football_pieces(400)
    pieces = [list(piece) for piece in chunks([first], size)]
    for number, piece in enumerate(chunks(later, size)):
        pieces.insert(min(len(pieces), 40 + 2 * number), piece)
    return cycle(pieces)


async def test_killed_at_every_point_of_a_transaction_and_of_a_refill(bootstrap: str, tmp_path: Path) -> None:
    async with Place(bootstrap, tmp_path) as place:
        pieces, follower = stream(), await place.follow(FOOTBALL)
        rater = await place.rater("a", records_a_step=25)
        await place.flow([next(pieces), next(pieces)])
        for point in IN_A_TRANSACTION:
            rater.arm(point, FOOTBALL, times=2)
            await place.flow(pieces, enough=lambda rater=rater: rater.has_ended)
            await rater.ended(-signal.SIGKILL)
            rater = await place.rater("a", records_a_step=25)
            await place.publish(next(pieces))
            await place.settled()
            await place.check([FOOTBALL])
        await rater.term()
        place.delete_stores("a")
        rater = await place.rater("a", records_a_step=25, trap=Trap(point="refilling", partition=FOOTBALL, times=3))
        await rater.ended(-signal.SIGKILL)
        await place.publish(next(pieces))
        rater = await place.rater("a", records_a_step=25)
        await place.settled()
        assert rater.said("refilled", FOOTBALL) is not None
        await place.check([FOOTBALL])
        await place.check_followers(FOOTBALL, [follower])
        await rater.term()


async def test_killed_in_a_rebalance_with_facts_flowing(bootstrap: str, tmp_path: Path) -> None:
    async with Place(bootstrap, tmp_path) as place:
        pieces, follower = stream(), await place.follow(FOOTBALL)
        rater = await place.rater("a0", is_static=False)
        await place.flow([next(pieces), next(pieces)])
        for number, point in enumerate(IN_A_REBALANCE, 1):
            # The partitions go by the members' random ids, so whoever has the football partition is the one to die.
            rater.arm(point, FOOTBALL)
            newcomer = await place.rater(f"a{number}", is_static=False)
            if point.endswith("assigned"):
                set_trap(newcomer.orders, Trap(point=point, partition=FOOTBALL))
            await place.flow(pieces, enough=lambda rater=rater, newcomer=newcomer: rater.has_ended or newcomer.has_ended)
            dead, rater = (rater, newcomer) if rater.has_ended else (newcomer, rater)
            await dead.ended(-signal.SIGKILL)
            Path(rater.orders.trap).unlink(missing_ok=True)
            await place.publish(next(pieces))
            await place.settled()
            await place.check([FOOTBALL])
        await place.check_followers(FOOTBALL, [follower])
        await rater.term()


async def test_the_owner_killed_at_random_moments(bootstrap: str, tmp_path: Path) -> None:
    random = Random(f"{SEED} raters on Kafka")
    async with Place(bootstrap, tmp_path) as place:
        followers = [await place.follow(FOOTBALL), await place.follow(FOOTBALL, ["rating-deltas"])]
        pieces = stream(6)
        names = iter(f"r{number}" for number in range(100))
        for _ in range(2):
            await place.rater(next(names), is_static=False, records_a_step=random.choice((5, 2_000)))
        for kill in range(3):
            owner = await place.owner()
            await place.flow([next(pieces) for _ in range(random.randint(1, 12))], enough=lambda owner=owner: owner.has_ended)
            owner = await place.owner()
            dead_after = asyncio.get_running_loop().call_later(random.uniform(0, 0.3), owner.kill)
            await place.flow(pieces, ahead=0, enough=lambda owner=owner: owner.has_ended)
            assert dead_after.when() <= asyncio.get_running_loop().time()
            await owner.ended(-signal.SIGKILL)
            if random.random() < 0.5:
                shutil.rmtree(place.store(owner.name), ignore_errors=True)
            successor = owner.name if random.random() < 0.5 else next(names)
            await place.rater(successor, is_static=False, records_a_step=random.choice((5, 2_000)))
            await place.flow(islice(pieces, 10))
            print(f"kill {kill}: {place.sent} facts sent")
        await place.flow(islice(pieces, 100))
        await place.settled()
        await place.check([FOOTBALL])
        await place.check_followers(FOOTBALL, followers)


async def test_one_that_stood_still_past_its_session_is_fenced(bootstrap: str, tmp_path: Path) -> None:
    async with Place(bootstrap, tmp_path) as place:
        pieces, follower = stream(), await place.follow(FOOTBALL)
        await place.rater("a", is_static=False)
        await place.rater("b", is_static=False)
        await place.flow([next(pieces), next(pieces)])
        await place.balanced()
        zombie = await place.owner()
        zombie.arm("rows sent", FOOTBALL, kind="SIGSTOP")
        await place.publish(next(pieces))
        await until(zombie.is_stopped, "it does not stand still")
        (other,) = (rater for rater in place.raters if rater is not zombie)
        await until(lambda: FOOTBALL in other.owned, "nobody has taken over")
        await place.publish(next(pieces))
        await place.settled()
        assert not zombie.has_ended
        zombie.kill(signal.SIGCONT)
        await place.publish(next(pieces))
        await zombie.ended(10)
        await place.settled()
        await place.check([FOOTBALL])
        # One that stood still between two transactions has nothing to be fenced for: it finds that others have its partitions, and goes on.
        idle = await place.rater("c", is_static=False)
        await place.balanced()
        mine = await place.owner()
        mine.kill(signal.SIGSTOP)
        await until(mine.is_stopped, "it does not stand still")
        left = other if mine is idle else idle
        await until(lambda: FOOTBALL in left.owned, "nobody has taken over")
        await place.publish(next(pieces))
        await place.settled()
        mine.kill(signal.SIGCONT)
        await place.publish(next(pieces))
        await place.settled()
        await place.balanced()
        assert mine.process.returncode in (None, 10)
        await place.publish(next(pieces))
        await place.settled()
        await place.check([FOOTBALL])
        await place.check_followers(FOOTBALL, [follower])


async def test_stores_and_committed_offsets_lost_or_of_another_time(bootstrap: str, tmp_path: Path) -> None:
    async with Place(bootstrap, tmp_path) as place:
        pieces = stream(30)
        for loss in ("nothing", "stores", "group", "stores and group", "an earlier store", "a later store"):
            if "stores" in loss:
                place.delete_stores("a")
            if "group" in loss:
                await place.delete_group()
            if loss == "an earlier store":
                shutil.rmtree(place.store("a"))
                shutil.copytree(tmp_path / "earlier", place.store("a"))
            if loss == "a later store":
                later = RocksStore(place.store("a"))
                said = orjson.loads(later.get(b"n") or b"")
                said["next"]["result-published"] += 7
                later.write([(b"n", orjson.dumps(said))])
                later.close()
            before = await place.digests()
            updates = await place.updates()
            rater = await place.rater("a", records_a_step=50)
            await until(lambda rater=rater: len([e for e in rater.events if e["event"] == "live"]) == 6, "not all partitions are live")
            assert (await place.digests(), await place.updates()) == (before, updates), f"something was published for {loss}"
            is_refilled = rater.said("refilled", FOOTBALL) is not None
            assert is_refilled == (loss not in ("nothing", "group")), f"{loss}: refilled is {is_refilled}"
            await place.publish(next(pieces))
            await place.settled()
            await place.check([FOOTBALL])
            await rater.term()
            if loss == "nothing":
                shutil.copytree(place.store("a"), tmp_path / "earlier")
