"""`rerate subscribe`: the reference subscriber, its whole updates as JSON lines."""

import asyncio
from pathlib import Path

import click
import orjson

from rerate.board.following import Following, Times, whole_updates
from rerate.board.lookup import Lookup, wall_clock_ms
from rerate.board.updates import WholeUpdate
from rerate.cli.base import Options, collect_rarely, run, shared_options
from rerate.cli.opening import opened
from rerate.log.store import RocksStore
from rerate.messages.facts import ROW_TOPICS


@click.command()
@click.argument("pool")
@click.option(
    "--topics",
    metavar="TOPIC[,TOPIC...]",
    default=",".join(ROW_TOPICS),
    help=f"Row topics to follow; default: all of {', '.join(ROW_TOPICS)}.",
)
@click.option("--follow", is_flag=True, help="Go on with every later update, until stopped (Ctrl-C).")
@click.option(
    "--store", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Keep what was read, and go on from there next time."
)
@shared_options
@click.pass_obj
def subscribe(options: Options, pool: str, topics: str, follow: bool, store: Path | None) -> None:
    """Whole updates of a pool, one JSON object a line: first everything that stands, then what changes.

    Never a part of an update, and never an older one after a newer.
    """
    wanted = [topic for topic in topics.split(",") if topic]
    for topic in wanted:
        if topic not in ROW_TOPICS:
            raise click.UsageError(f"--topics {topic}: expected some of {', '.join(ROW_TOPICS)}")
    if not wanted:
        raise click.UsageError(f"--topics: expected some of {', '.join(ROW_TOPICS)}")
    collect_rarely()
    run(_subscribe(options, pool, wanted, follow, store))


async def _subscribe(options: Options, pool: str, topics: list[str], follow: bool, directory: Path | None) -> None:
    async with opened(options) as chosen:
        lookup = Lookup(chosen.log)
        if not follow:
            await lookup.head(pool)
        store = None if directory is None else RocksStore(directory)
        following = Following(chosen.log, topics, Times(clock_ms=wall_clock_ms), partition=lookup.partition(pool), store=store)
        try:
            await following.start()
            async for update in whole_updates(following, asyncio.sleep, forever=follow):
                if update.pool == pool:
                    _write(update)
        finally:
            await following.close()
            if store is not None:
                store.close()


def _write(update: WholeUpdate) -> None:
    rows = {
        topic: [{"key": key.decode(), "value": None if value is None else orjson.Fragment(value)} for key, value in changed]
        for topic, changed in update.rows.items()
    }
    said = {
        "pool": update.pool,
        "update": update.head.update,
        "since": update.since,
        "head": orjson.loads(update.value)["data"],
        "rows": rows,
    }
    out = click.get_binary_stream("stdout")
    out.write(orjson.dumps(said, option=orjson.OPT_APPEND_NEWLINE))
    out.flush()
