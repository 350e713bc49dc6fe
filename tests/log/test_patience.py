"""A log that falls silent in the midst of a reading: every reading up to an end ends with a sentence."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

import pytest

from rerate.audit.verify import verify
from rerate.board.following import Following, Times, whole_updates
from rerate.board.lookup import Lookup, wall_clock_ms
from rerate.log import patience
from rerate.log.errors import LogUnreachable
from rerate.log.patience import SILENCE_S, Patience
from rerate.log.seam import Record
from rerate.messages.facts import FACT_TOPICS
from rerate.pool.head import read_head, write_head
from tests.kit.rowwriter import head_of


def test_as_long_as_it_moves_it_may_take_any_time() -> None:
    now = [0.0]
    one = Patience(clock=lambda: now[0])
    for offset in range(5):
        one.look({"facts": offset})
        now[0] += SILENCE_S
    one.look({"facts": 4})
    now[0] += 1
    with pytest.raises(LogUnreachable, match="has not answered for 60 s; read so far: facts at offset 4"):
        one.look({"facts": 4})


class Silent:
    """A log with ten records a topic of which none comes."""

    partitions = 1
    polls = 0

    async def ends(self, partition: int, topics: Iterable[str]) -> dict[str, int]:
        return dict.fromkeys(topics, 10)

    async def starts(self, partition: int, topics: Iterable[str]) -> dict[str, int]:
        return dict.fromkeys(topics, 0)

    async def newest_with_prefix(self, partition: int, topic: str, prefix: bytes) -> list[Record]:
        head = read_head(head_of("club:p", 1))
        value = write_head(
            type(head)(**{name: getattr(head, name) for name in head.__struct_fields__} | {"positions": {FACT_TOPICS[0]: 5}})
        )
        return [Record(topic, 0, 0, 0, b"club:p", value)]

    async def reader(self, partition: int, start: Mapping[str, int]) -> "Silent":
        self.start = dict(start)
        return self

    async def poll(self, max_records: int) -> list[Record]:
        self.polls += 1
        await asyncio.sleep(0)  # what polls for real gives way to others
        return []

    def positions(self) -> dict[str, int]:
        return self.start

    async def close(self) -> None: ...


async def records(log: Any) -> None:
    async for _ in Lookup(log).records(0, "fact-receipts"):
        raise AssertionError


async def subscribe(log: Any) -> None:
    following = Following(log, ["rating-deltas"], Times(clock_ms=wall_clock_ms))
    await following.start()
    async for _ in whole_updates(following, asyncio.sleep):
        raise AssertionError


@pytest.mark.parametrize("read", [verify, records, subscribe], ids=lambda read: read.__name__)
async def test_a_silent_log_is_not_waited_for_without_end(read: Callable[[Any], Awaitable[Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "SILENCE_S", 0.05)
    with pytest.raises(LogUnreachable, match="has not answered"):
        await read(Silent())


async def test_who_follows_for_ever_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "SILENCE_S", 0.01)
    log, paused = Silent(), 0.0

    async def sleep(seconds: float) -> None:
        nonlocal paused
        paused += seconds
        await asyncio.sleep(seconds)

    following = Following(log, ["rating-deltas"], Times(clock_ms=wall_clock_ms))  # type: ignore[arg-type]
    await following.start()
    waiting = asyncio.ensure_future(anext(whole_updates(following, sleep, forever=True)))
    while paused <= 10 * patience.SILENCE_S and not waiting.done():
        await asyncio.sleep(0)
    assert log.polls > 1
    assert not waiting.done()
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
