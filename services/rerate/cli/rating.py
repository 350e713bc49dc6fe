"""`rerate rater` and `rerate verify`: the two that replay."""

import asyncio
import logging
import signal
import time
from contextlib import suppress
from pathlib import Path

import click

from rerate.audit.verify import ListVerdict, PoolVerdict
from rerate.audit.verify import verify as verify_log
from rerate.board.lookup import Lookup
from rerate.cli.base import INTERRUPTED, NO, Ended, Options, TimedOut, collect_rarely, run, shared_options
from rerate.cli.opening import Opened, kafka_address, opened
from rerate.cli.output import count, number, progress, say, write_json
from rerate.messages.codes import HALTED, SENTENCES
from rerate.messages.partition import partition_of
from rerate.pool.pool import MAX_ROWS
from rerate.rater import app
from rerate.rater.app import Progress

REBUILD_S = 300
"""How long to wait for a rebuild on Kafka."""


@click.command()
@click.option("--until-idle", is_flag=True, help="End when everything there is has been rated.")
@click.option("--rebuild", metavar="POOL", help="Forget what is derived of a pool, replay it from the log, publish what differs, and end.")
@click.option("--max-rows", type=click.IntRange(1), default=MAX_ROWS, show_default=True, help="Rows of one update; more halts its pool.")
@click.option("--data", type=click.Path(file_okay=False, path_type=Path), help="On Kafka: where the stores lie [default: ./rerate-data].")
@click.option("--slot", metavar="NAME", help="On Kafka: a fixed name of this rater; a quick restart then moves no partition.")
@shared_options
@click.pass_obj
def rater(options: Options, until_idle: bool, rebuild: str | None, max_rows: int, data: Path | None, slot: str | None) -> None:
    """Rate what is published, until stopped (Ctrl-C).

    On Kafka several raters share the partitions. One that ends by itself says why: exit code 3, the log does not answer, and 10, another
    rater has its partition (start it again, both); 20, a person must look.
    """
    bootstrap = kafka_address(options)
    if bootstrap is not None:
        if until_idle:
            raise click.UsageError("--until-idle is for the embedded log; on Kafka raters run on, and `rerate publish --wait` waits")
        if rebuild is not None:
            _show_rebuilt(options, rebuild, *run(_rebuild_on_kafka(options, bootstrap, rebuild)))
            return
        from rerate.rater import bus  # Faust takes a second to import; only a rater on Kafka needs it

        bus.run(bus.Bus(bootstrap=bootstrap, prefix=options.prefix, data=data or Path("rerate-data"), slot=slot, max_rows=max_rows))
    if data is not None or slot is not None:
        raise click.UsageError("--data and --slot are for Kafka; the embedded log has its store beside it")
    logging.basicConfig(format="%(message)s", level=logging.WARNING)
    collect_rarely()
    if rebuild is not None:
        _show_rebuilt(options, rebuild, *run(_rebuild(options, rebuild, max_rows)))
        return
    done, halted, held = run(_rate(options, until_idle, max_rows))
    if done is None:
        if until_idle:
            raise Ended("stopped before everything was rated; what was rated is kept, start it again", INTERRUPTED)
        return
    if options.as_json:
        write_json({"facts": done.facts, "updates": done.updates, "rows": done.rows, "halted": halted, "held": held})
        return
    say(f"{count(done.facts, 'message')} rated in all; now {count(done.updates, 'update')} with {count(done.rows, 'row')} published")
    for pool, reason in halted.items():
        say(f"{pool} is halted: {SENTENCES['halt-reason'].get(reason, reason)} `rerate rater --rebuild {pool}` ends it")
    for name, reason in held.items():
        say(f"list {name} is held ({reason}): {SENTENCES['list-held'].get(reason, reason)}")


async def _rate(options: Options, until_idle: bool, max_rows: int) -> tuple[Progress | None, dict[str, str], dict[str, str]]:
    async with opened(options) as chosen:
        rating = asyncio.ensure_future(rate(chosen, until_idle=until_idle, max_rows=max_rows))
        loop = asyncio.get_running_loop()
        for number_ in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number_, rating.cancel)
        done = None
        with suppress(asyncio.CancelledError):
            done = await rating
        for number_ in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number_)
        if done is None:
            return None, {}, {}
        heads = await Lookup(chosen.log).heads()
        halted = {pool: head.reason or "" for pool, head in heads.items() if head.state == HALTED}
        held = {f"{pool}/{name}": one.held for pool, head in heads.items() for name, one in head.lists.items() if one.held is not None}
        return done, halted, held


async def rate(chosen: Opened, *, until_idle: bool, max_rows: int = MAX_ROWS) -> Progress:
    """Run the rater with a progress bar."""
    with progress() as advance:

        def told(now: Progress) -> None:
            advance(now.step, now.facts, now.of)

        return await app.run(chosen.log, chosen.open_store, until_idle=until_idle, on_progress=told, max_rows=max_rows)


async def _rebuild(options: Options, pool: str, max_rows: int) -> tuple[int, int]:
    async with opened(options) as chosen:
        partition = partition_of(pool, chosen.log.partitions)
        return await app.rebuild(chosen.log, chosen.open_store, pool, partition=partition, max_rows=max_rows)


async def _rebuild_on_kafka(options: Options, bootstrap: str, pool: str) -> tuple[int, int | None]:
    """Have the pool's owner rebuild it, and wait for the head that says so."""
    async with opened(options) as chosen:
        lookup = Lookup(chosen.log)
        before = (await lookup.heads()).get(pool)
        if before is None:
            raise Ended(f"pool {pool} has never been rated here", NO)
        from rerate.rater import bus  # Faust takes a second to import; only a rater on Kafka needs it

        await bus.ask_rebuild(bootstrap, options.prefix, pool)
        until = time.monotonic() + REBUILD_S
        while time.monotonic() < until:
            now = (await lookup.heads()).get(pool)
            if now is not None and now.update > before.update:
                return now.update, None
            await asyncio.sleep(0.5)
    raise TimedOut(f"after {REBUILD_S} s there is no new head of {pool}. Is a rater running? See its log, and `rerate heads {pool}`")


def _show_rebuilt(options: Options, pool: str, update: int, rows: int | None) -> None:
    """What a rebuild came to; `rows` None: the owner's log says how many rows were wrong."""
    if options.as_json:
        write_json({"pool": pool, "update": update, "rows": rows})
        return
    verdict = "" if rows is None else ", every row was right" if not rows else f", {count(rows, 'row')} put right"
    say(f"{pool} rebuilt: update {number(update)}{verdict}")


@click.command()
@click.argument("pool", required=False)
@shared_options
@click.pass_obj
def verify(options: Options, pool: str | None) -> None:
    """Replay the facts from scratch and hold the newest heads against it, and the chain of heads.

    Reads nothing but the fact topics and the heads to decide; exit code 1 if anything differs. Where a list differs the first period that
    is not what the facts give is named.
    """
    collect_rarely()
    started = time.monotonic()
    verdicts = run(_verify(options, pool))
    if options.as_json:
        for verdict in verdicts:
            write_json({"holds": verdict.holds, "verdict": verdict})
    else:
        show_verdicts(verdicts, time.monotonic() - started)
    if not all(verdict.holds for verdict in verdicts):
        wrong = [verdict.pool for verdict in verdicts if not verdict.holds]
        raise Ended(f"what is published of {', '.join(wrong)} does not follow from the facts", NO)


async def _verify(options: Options, pool: str | None) -> list[PoolVerdict]:
    async with opened(options) as chosen:
        with progress() as advance:
            return await verify_log(chosen.log, pool, on_progress=advance)


def show_verdicts(verdicts: list[PoolVerdict], seconds: float) -> None:
    """The verdicts for people."""
    for verdict in verdicts:
        say(
            f"{verdict.pool}: update {number(verdict.update)}, {count(verdict.facts, 'fact')} replayed from scratch, "
            f"chain of {count(verdict.heads, 'head')} {'unbroken' if not verdict.faults else 'not in order'}"
        )
        if verdict.state == HALTED:
            say(f"  halted: {SENTENCES['halt-reason'].get(verdict.reason or '', verdict.reason)}")
        for fault in verdict.faults:
            say(f"  {fault}")
        for one in verdict.lists:
            say(*(f"  {line}" for line in _list_lines(one)))
    if not verdicts:
        say("no pool has been rated yet")
    say(f"{seconds:.1f} s")


def _list_lines(one: ListVerdict) -> list[str]:
    match one.verdict:
        case "differs":
            return _difference_lines(one)
        case "same":
            return [f"list {one.list}: same, {number(one.rows)} rows of {count(one.players, 'player')}, digest {one.list_digest}"]
        case "held":
            return [f"list {one.list}: held, not compared"]
        case "missing":
            return [f"list {one.list}: DIFFERS, the facts give no such list"]
        case "unknown":
            return [f"list {one.list}: DIFFERS, the facts give this list, the head does not have it"]


def _difference_lines(one: ListVerdict) -> list[str]:
    what = "other games are rated" if one.differs_in == "games" else "the same games give other ratings (arithmetic)"
    lines = [
        f"list {one.list}: DIFFERS, {what}",
        f"  the facts give  list {one.list_digest}, games {one.input_digest}",
        f"  the head says   list {one.published_list_digest}, games {one.published_input_digest}",
    ]
    if one.rows_say is not None:
        lines.append(f"  the published rows give {'neither' if one.rows_say == 'neither' else f'what the {one.rows_say} say'}")
    if one.first is not None:
        lines.append(f"  first period that differs: {one.first.period}, {count(one.first.differing, 'player')}")
        lines += [
            f"    {player}: the facts give {ours or 'no row'}, published is {theirs or 'no row'}"
            for player, ours, theirs in one.first.players
        ]
    return lines
