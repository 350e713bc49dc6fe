"""Field reports of concurrency (K03), of Kafka clients and stream engines (K12), and of subscribers out of step (K14), on a real Kafka.

Held elsewhere:

* `test_rater_kills.py`: U034 (killed between transaction and store batch), U142 (killed again and again, no offset without its receipt),
  U151 (a partition that comes back goes on where its store's last transaction was), U171 (a restart with nothing new publishes nothing),
  U177 (what a stopped owner had sent and not committed is never seen);
* `test_rater_moves.py`: U039, U135, U140, U148 (joins and leaves at full flow: one receipt a message, `before` is the last after);
* every test with a follower: U172 (updates of a pool come in their order, whole);
* `tests/board`: U174, U175, U178, U179 (a broken chain is seen and read anew, ends are noted at each start);
* `tests/pool/test_field_reports.py`: what a period that is reopened means (U038: there are no closed periods, every event has a standing).

Left out: U146 (no table is shared between partitions: a pool's merges lie in its own partition), U180 and U181 (pages and exports, of which
there are none yet). U152, a long idleness, is `test_broker_faults.py`, with ids that expire after seconds.
"""

import asyncio
from pathlib import Path
from random import Random

import orjson
import pytest
from aiokafka import AIOKafkaProducer, TopicPartition
from aiokafka.admin import RecordsToDelete

from rerate.log.kafka_cluster import admin
from rerate.log.store import RocksStore
from rerate.messages.reading import Message
from tests.broker.raters import FOOTBALL, PARTITIONS, Place, football_pieces, until
from tests.kit.driving import e20
from tests.kit.laws import SEED
from tests.kit.saying import POOL, published
from tests.kit.sendable import Sendable
from tests.kit.simworld import out

pytestmark = pytest.mark.broker


def of(pool: str, *facts: Sendable) -> list[Message]:
    return [Sendable(one.type, one.source, one.id, one.data | {"pool": pool}, one.actor).message(PARTITIONS) for one in facts]


async def ratings(place: Place, pool: str, partition: int) -> dict[str, str]:
    """Player -> rating, with all its places."""
    rows = await place.log.newest_with_prefix(partition, "rating-snapshots", f"{pool}/".encode())
    return {row["player"]: row["rating"] for row in (orjson.loads(record.value or b"") for record in rows)}


async def test_two_games_of_a_day_published_before_either_is_rated(bootstrap: str, tmp_path: Path) -> None:
    """U031, U033: the second starts from what the first has made."""
    async with Place(bootstrap, tmp_path) as place:
        for pool, result in (("c:win", "A>B"), ("c:draw", "A=B")):
            await place.publish(of(pool, e20(), published("e1", 1, result, order=1), published("e2", 1, "A>C", order=2)))
        await place.rater("a")
        await place.settled()
        await place.check()
        assert await ratings(place, "c:win", of("c:win", e20())[0].partition) == {"t:A": "1519.712", "t:B": "1490.000", "t:C": "1490.288"}


async def test_eight_publishers_at_once_twenty_times_over(bootstrap: str, tmp_path: Path) -> None:
    """U035: a hundred events with player A in each; twenty pools are given them in as many orders and come to the same digests."""
    random = Random(f"{SEED} eight publishers")
    events = [published(f"e{n}", 1, f"A{random.choice('>=<')}{chr(66 + n % 20)}", id=f"e{n}") for n in range(100)]
    pools = [f"c:p{n}" for n in range(20)]
    messages = [message for pool in pools for message in of(pool, *events)]
    random.shuffle(messages)
    async with Place(bootstrap, tmp_path) as place:
        await place.rater("a", is_static=False)
        await place.rater("b", is_static=False)
        await place.publish([message for pool in pools for message in of(pool, e20())])
        places = [place.new_log() for _ in range(8)]

        async def publish(number: int) -> None:
            for at in range(number, len(messages), 8 * 5):
                for message in messages[at : at + 40 : 8]:
                    await places[number].append(message.partition, [out(message)])

        await asyncio.gather(*map(publish, range(8)))
        await asyncio.gather(*(log.close() for log in places))
        await place.settled()
        digests = await place.digests()
        assert digests.keys() == set(pools)
        assert len({str(lists) for lists in digests.values()}) == 1
        await place.check()


async def test_two_ladders_on_one_cluster(bootstrap: str, tmp_path: Path) -> None:
    """U139: two prefixes have nothing in common; neither fences the other."""
    (tmp_path / "one").mkdir()
    (tmp_path / "other").mkdir()
    async with Place(bootstrap, tmp_path / "one") as one, Place(bootstrap, tmp_path / "other") as other:
        raters = [await place.rater("a") for place in (one, other)]
        for event in range(3):
            for place in (one, other):
                facts = [e20()] if event == 0 else []
                await place.publish(of(POOL, *facts, published(f"e{event}", 1, "A>B")))
                await place.settled()
        for place in (one, other):
            await place.check()
        assert not any(rater.has_ended for rater in raters)


async def test_a_store_that_another_has_open(bootstrap: str, tmp_path: Path) -> None:
    """U147: it waits, then ends with a plain sentence, to be started again."""
    async with Place(bootstrap, tmp_path) as place:
        path = place.store("a")
        path.parent.mkdir(parents=True)
        store = RocksStore(path)
        rater = await place.rater("a")
        await rater.ended(3)
        assert "is open in another process" in rater.errors()
        store.close()
        rater = await place.rater("a")
        await place.publish(football_pieces(400)[0][:20])
        await place.settled()
        await place.check([FOOTBALL])


async def test_facts_deleted_before_they_were_rated(bootstrap: str, tmp_path: Path) -> None:
    """U149: never idle and green."""
    facts = football_pieces(400)[0]
    async with Place(bootstrap, tmp_path) as place:
        rater = await place.rater("a")
        await place.publish(facts[:20])
        await place.settled()
        await rater.term()
        await place.publish(facts[20:60])
        async with admin(bootstrap) as client:
            await client.delete_records({TopicPartition(f"{place.prefix}.result-published", FOOTBALL): RecordsToDelete(before_offset=40)})
        rater = await place.rater("a")
        await rater.ended(20)
        assert "a person must look" in rater.errors()
        assert "records are lost" in rater.errors() or "deleted from the log" in rater.errors()


@pytest.mark.long
async def test_four_raters_join_a_cold_start_one_after_the_other(bootstrap: str, tmp_path: Path) -> None:
    """U150: all get their share although the partitions move while they are being taken up."""
    async with Place(bootstrap, tmp_path) as place:
        for piece in football_pieces(1_500):
            await place.publish(piece)
        raters = []
        for number in range(4):
            raters.append(await place.rater(f"r{number}", is_static=False))
            await until(lambda: bool(raters[-1].owned), "it gets nothing")
        await until(lambda: sorted(p for rater in raters for p in rater.owned) == list(range(PARTITIONS)), "not all partitions are owned")
        await place.settled()
        assert not any(rater.has_ended for rater in raters)
        await place.check()


async def test_publishers_with_transactions(bootstrap: str, tmp_path: Path) -> None:
    """U144, U167, U169: aborted records, marks at the end of a topic, and an earlier one committed later: nothing is skipped, nothing is
    waited for in vain, neither live nor in a refill."""
    facts = football_pieces(400)[0]
    async with Place(bootstrap, tmp_path) as place:
        topic = f"{place.prefix}.result-published"
        rater = await place.rater("a")
        await place.publish(facts[:10])
        publishers = [AIOKafkaProducer(bootstrap_servers=bootstrap, transactional_id=f"{place.prefix}-p{n}") for n in range(3)]
        for number, publisher in enumerate(publishers):
            await publisher.start()
            await publisher.begin_transaction()
            for fact in facts[10 + 5 * number : 15 + 5 * number]:
                await publisher.send_and_wait(topic, fact.value, fact.key, partition=FOOTBALL)
        await publishers[1].commit_transaction()
        await publishers[2].abort_transaction()
        await publishers[0].commit_transaction()
        await until(lambda: receipted(place, 20), "not every committed fact has its receipt")
        await rater.term()
        place.delete_stores("a")
        rater = await place.rater("a")
        await until(lambda: rater.said("live", FOOTBALL) is not None, "it never goes live")
        assert rater.said("refilled", FOOTBALL) is not None
        await place.publish(facts[20:30])
        await until(lambda: receipted(place, 30), "not every fact has its receipt")
        for publisher in publishers:
            await publisher.stop()
        receipts = [orjson.loads(one.value or b"") for one in await place.everything(FOOTBALL, ["fact-receipts"])]
        assert {one["status"] for one in receipts} == {"accepted"}


async def receipted(place: Place, count: int) -> bool:
    receipts = await place.everything(FOOTBALL, ["fact-receipts"])
    places = {(said["topic"], said["offset"]) for said in (orjson.loads(one.value or b"")["message"] for one in receipts)}
    assert len(places) == len(receipts) <= count
    return len(places) == count
