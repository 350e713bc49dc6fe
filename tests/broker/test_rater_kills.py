"""Raters killed, stopped and robbed of what they keep, while facts flow: every message one receipt, heads chained, digests those of
a fresh pool, nothing published twice, whole updates for readers.
"""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from rerate.messages.reading import Message
from tests.broker.rater_process import Trap
from tests.broker.raters import FOOTBALL, Place, chunks, football_pieces

pytestmark = pytest.mark.broker

IN_A_TRANSACTION = ["begun", "between sends", "rows sent", "offsets sent", "committing", "committed"]
IN_A_REBALANCE = ["before revoked", "after revoked", "before assigned", "after assigned"]


def stream(size: int = 10) -> Iterator[list[Message]]:
    """Football in small pieces, what was corrected later among them."""
    first, *later = football_pieces(400)
    pieces = [list(piece) for piece in chunks([first], size)]
    for number, piece in enumerate(chunks(later, size)):
        pieces.insert(min(len(pieces), 40 + 2 * number), piece)
    return iter(pieces)


async def test_killed_at_every_point_of_a_transaction_and_of_a_refill(bootstrap: str, tmp_path: Path) -> None:
    async with Place(bootstrap, tmp_path) as place:
        pieces, follower = stream(), await place.follow(FOOTBALL)
        rater = await place.rater("a", records_a_step=25)
        await place.flow([next(pieces), next(pieces)])
        for point in IN_A_TRANSACTION:
            rater.arm(point, FOOTBALL, times=2)
            await place.flow(pieces, by=rater)
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
