"""Two raters on a real Kafka say what one pool in memory says, byte for byte but for positions, times and the numbers of updates."""

from itertools import zip_longest
from pathlib import Path

import pytest

from rerate.intake import football
from rerate.pool.pool import Settings
from rerate.rater.app import ENGINE
from tests.broker.raters import FOOTBALL, Place, football_pieces, irish_pieces, rerate
from tests.kit.outcomes import fresh_pool
from tests.kit.published import Published

pytestmark = pytest.mark.broker


async def test_two_raters_say_what_a_pool_in_memory_says(bootstrap: str, tmp_path: Path) -> None:
    async with Place(bootstrap, tmp_path) as place:
        log = ["--log", f"kafka://{bootstrap}", "--prefix", place.prefix]
        assert (await rerate(*log, "topics", "--replication", "1"))[0] == 0, "the topics are there, as they should be"
        raters = [await place.rater(name) for name in ("a", "b")]
        followers = [await place.follow(FOOTBALL), await place.follow(FOOTBALL, ["rating-snapshots"])]
        pieces = zip_longest(football_pieces(1_500), irish_pieces(5), fillvalue=[])
        for football_piece, irish_piece in pieces:
            await place.publish([*football_piece, *irish_piece])
        await place.settled()
        accepted = await place.check()
        digests = await place.digests()
        assert set(digests) == {football.POOL, "irl:open"}
        for pool, facts in accepted.items():
            fresh = fresh_pool(pool, facts, Settings(engine=ENGINE))
            assert isinstance(fresh, Published)
            assert digests[pool] == {name: (one.list_digest, one.input_digest) for name, one in fresh.head.lists.items()}
        late = [await place.follow(FOOTBALL), await place.follow(FOOTBALL, ["rated-events"])]
        await place.check_followers(FOOTBALL, followers + late)
        code, said, errors = await rerate(*log, "verify")
        assert code == 0, said + errors
        assert "differs" not in said.lower()
        for rater in raters:
            assert rater.owned
            await rater.term()
