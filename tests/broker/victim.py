"""A writer that is killed within its transaction: `python -m tests.broker.victim BOOTSTRAP PREFIX`; says `open` when its rows are out."""

import asyncio
import sys

from rerate.log.kafka_writer import send
from rerate.log.seam import Out
from tests.broker.bench import KafkaBench
from tests.log.contract import P


async def main() -> None:
    bootstrap, prefix = sys.argv[1:]
    bench = KafkaBench(bootstrap)
    bench.prefix = prefix
    writer = await bench.kafka_log().writer(P)
    await writer._producer.begin_transaction()
    await send(writer._producer, f"{prefix}.rows", P, [Out("rows", b"k", b"lost")] * 3)
    print("open", flush=True)
    await asyncio.sleep(600)


asyncio.run(main())
