"""Two raters on a real Kafka say what one pool in memory says, byte for byte but for positions, times and the numbers of updates."""

from itertools import zip_longest
from pathlib import Path

import pytest

from rerate.intake import football, irish
from tests.broker.raters import FOOTBALL, PARTITIONS, Place, chunks, embedded_run, football_pieces, irish_pieces, rerate
from tests.kit.saying import configured, corrected, deleted, merged, published
from tests.kit.sendable import Sendable

pytestmark = pytest.mark.broker


async def test_two_raters_say_what_a_pool_in_memory_says(bootstrap: str, tmp_path: Path) -> None:
    async with Place(bootstrap, tmp_path) as place:
        log = ["--log", f"kafka://{bootstrap}", "--prefix", place.prefix]
        assert (await rerate(*log, "topics", "--replication", "1"))[0] == 0, "the topics are there, as they should be"
        raters = [await place.rater(name) for name in ("a", "b")]
        followers = [await place.follow(FOOTBALL), await place.follow(FOOTBALL, ["rating-snapshots"])]
        third = [one.message(PARTITIONS) for one in small_season()]
        pieces = zip_longest(football_pieces(1_500), irish_pieces(5), chunks([third], 4), fillvalue=())
        for side_by_side in pieces:
            await place.publish(message for piece in side_by_side for message in piece)
        await place.settled()
        accepted = await place.check()
        digests = await place.digests()
        assert digests.keys() == {football.POOL, irish.POOL, "w:p"}
        assert digests == await embedded_run(place, tmp_path / "embedded")
        assert accepted.keys() == digests.keys()
        late = [await place.follow(FOOTBALL), await place.follow(FOOTBALL, ["rated-events"])]
        await place.check_followers(FOOTBALL, followers + late)
        code, said, errors = await rerate(*log, "verify")
        assert code == 0, said + errors
        assert "differs" not in said.lower()
        for rater in raters:
            assert rater.owned
            await rater.term()


def small_season() -> list[Sendable]:
    """A third pool, on a partition of its own."""
    facts = [configured(1, "elo"), *(published(f"e{n}", 1, "A>B", "C=D", "B>C", date=f"2024-{1 + n % 12:02}-05") for n in range(40))]
    facts += [corrected("e3", 2, "A<B", saw=1), deleted("e4", 2, "void"), merged("m1", "D", "A")]
    return [Sendable(one.type, one.source, one.id, one.data | {"pool": "w:p"}, one.actor) for one in facts]
