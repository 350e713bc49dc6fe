"""A process that works on an embedded log until it is killed: `python -m tests.log.victim DIR write|publish NAME`.

Each line it prints is an answer it got: `fact BATCH OFFSET` or `head N`.
"""

import asyncio
import sys
from pathlib import Path

from rerate.log.embedded import EmbeddedLog
from rerate.log.seam import Out, Writer
from tests.log.contract import COMPACTED, FACTS, OUTCOMES, P, update

FACTS_AT_ONCE = 3
COMMITS_PER_WRITER = 7


def say(*words: object) -> None:
    print(*words, flush=True)


async def publish(log: EmbeddedLog, name: str, number: int) -> int:
    """One batch of facts that says what it is; the next offset after it."""
    batch = [Out("played", name.encode(), b"%d %d" % (number, index)) for index in range(FACTS_AT_ONCE)]
    offset = (await log.append(P, batch))[0]
    say("fact", number, offset)
    return offset + FACTS_AT_ONCE


async def write(log: EmbeddedLog, writer: Writer, consumed: int) -> None:
    newest = await log.newest(P, "heads", b"head")
    number = 0 if newest is None else int(newest.value or b"0")
    for n in range(number + 1, number + 1 + COMMITS_PER_WRITER):
        await writer.commit(update(n, n % 40), {"played": consumed})
        say("head", n)


async def main() -> None:
    directory, work, name = sys.argv[1:]
    log = EmbeddedLog(Path(directory), facts=FACTS, outcomes=OUTCOMES, compacted=COMPACTED)
    say("ready")
    number = 0
    while True:
        number += 1
        consumed = await publish(log, name, number)
        if work == "write":
            writer = await log.writer(P)
            await write(log, writer, consumed)
            await writer.close()
        elif number == int(work.removeprefix("publish")):
            break


asyncio.run(main())
