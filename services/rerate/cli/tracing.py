"""`rerate receipts`, `standing`, `heads`, `status`: what became of each message, and what stands for a pool."""

from collections import Counter
from typing import Any

import click
import orjson

from rerate.board.asking import ask_remarkable, ask_standing, is_remarkable
from rerate.board.lookup import Lookup
from rerate.cli.base import NO, Ended, Options, run, shared_options
from rerate.cli.opening import opened
from rerate.cli.output import count, instant, number, say, table, write_json
from rerate.log.errors import LogMissing
from rerate.messages.codes import HALTED, SENTENCES, STATE
from rerate.pool.chain import Chain, Link, NoSuchPool
from rerate.pool.head import Head, ListHead


@click.command()
@click.option("--pool", metavar="POOL", help="Only messages whose key is this pool.")
@click.option("--status", type=click.Choice(["accepted", "duplicate", "rejected"]), help="Only these.")
@click.option("--last", type=click.IntRange(min=0), metavar="N", help="Only the last N (20 for people, all with --json); 0: all.")
@shared_options
@click.pass_obj
def receipts(options: Options, pool: str | None, status: str | None, last: int | None) -> None:
    """What became of each message: accepted, duplicate, or rejected and why."""
    found, counts = run(_receipts(options, pool, status))
    keep = last if last is not None else 0 if options.as_json else 20
    shown = found[-keep:] if keep else found
    if options.as_json:
        for key, receipt in shown:
            write_json({"pool": key, **receipt})
        return
    every = ", ".join(f"{number(n)} {name}" for name, n in sorted(counts.items())) or "no receipts"
    say(every if status is None else f"{number(counts[status])} {status}, of {count(counts.total(), 'message')}")
    if shown:
        say("")
        has_updates = any(r["update"] is not None for _, r in shown)  # none while a rater catches up
        columns = ["message", "pool", "status", *(["update"] if has_updates else []), "what"]
        cells = [(_message(r), key, r["status"], *([r["update"]] if has_updates else []), _what(r)) for key, r in shown]
        table(columns, cells, right=("update",))
    if len(shown) < len(found):
        say(f"the last {len(shown)} of {number(len(found))}; --last 0 shows all")


async def _receipts(options: Options, pool: str | None, status: str | None) -> tuple[list[tuple[str | None, dict[str, Any]]], Counter[str]]:
    found: list[tuple[str | None, dict[str, Any]]] = []
    counts: Counter[str] = Counter()
    async with opened(options) as chosen:
        lookup = Lookup(chosen.log)
        for partition in range(chosen.log.partitions) if pool is None else [lookup.partition(pool)]:
            async for record in lookup.records(partition, "fact-receipts"):
                key = None if record.key is None else record.key.decode()
                if pool is not None and key != pool:
                    continue
                receipt = orjson.loads(record.value or b"{}")
                counts[receipt["status"]] += 1
                if status in (None, receipt["status"]):
                    found.append((key, receipt))
        if pool is not None and not counts:
            pools = await lookup.heads()
            if pool not in pools:
                raise NoSuchPool(pool, pools)
    return found, counts


def _message(receipt: dict[str, Any]) -> str:
    at = receipt["message"]
    return f"{at['topic']}/{at['partition']}/{at['offset']}"


def _what(receipt: dict[str, Any]) -> str:
    if "fact" in receipt:
        return f"{receipt['fact']['source']}/{receipt['fact']['id']}"
    return f"{receipt['reason']}: {receipt['sentence']}"


@click.command()
@click.argument("fact", metavar="SOURCE/ID")
@click.option("--pool", metavar="POOL", help="Look in this pool only.")
@shared_options
@click.pass_obj
def standing(options: Options, fact: str, pool: str | None) -> None:
    """What an accepted fact counts for: in force, superseded, held, without effect, undone, withdrawn; and by what."""
    if fact.count("/") != 2:
        raise click.UsageError(f"{fact}: a fact is named by source and id, authority/program/id, for example club/desk/night-1")
    rows = run(_standing(options, fact, pool))
    for row in rows:
        if options.as_json:
            write_json(row)
            continue
        say(f"{row['source']}/{row['id']} in {row['pool']}, update {row['by']['update']}")
        for content in row["contents"]:
            say(*(f"  {line}" for line in _content_lines(content)))


async def _standing(options: Options, fact: str, pool: str | None) -> list[dict[str, Any]]:
    async with opened(options) as chosen:
        return await ask_standing(Lookup(chosen.log), fact, pool)


def _content_lines(content: dict[str, Any]) -> list[str]:
    lines = [f"{content['type']}, content {content['digest'][:16]}: {content['standing']}. {SENTENCES['standing'][content['standing']]}"]
    if "reason" in content:
        lines.append(f"  {content['reason']}: {SENTENCES['standing-reason'].get(content['reason'], '')}")
        if (content["reason"], content["type"]) == (STATE, "rerate.rating-seeded.v1"):
            lines.append("  `rerate explain POOL PLAYER --list LIST` says which field, and what it may be")
    if "superseded_by" in content:
        lines.append(f"  superseded by {content['superseded_by']['source']}/{content['superseded_by']['id']}")
    if "merge" in content:
        lines.append(f"  merge {content['merge']}")
    lines += [
        f"  {miss['at']}: {SENTENCES['misfit-reason'].get(miss['reason'], miss['reason'])}" for miss in content.get("not_fitting", ())
    ]
    lines += [f"  {flag}: {SENTENCES['flag'][flag]}" for flag in content["flags"]]
    return lines


@click.command()
@click.argument("pool")
@shared_options
@click.pass_obj
def standings(options: Options, pool: str) -> None:
    """Facts of a pool that do not simply count: held, without effect, undone, withdrawn, not fitting in part, or flagged.

    What a newer fact has replaced is left out, unless it is flagged.
    """
    rows = run(_standings(options, pool))
    for row in rows:
        if options.as_json:
            write_json(row)
            continue
        say(f"{row['source']}/{row['id']}")
        for content in filter(is_remarkable, row["contents"]):
            say(*(f"  {line}" for line in _content_lines(content)))
    if not rows and not options.as_json:
        say("every fact counts, or was replaced by a newer one")


async def _standings(options: Options, pool: str) -> list[dict[str, Any]]:
    async with opened(options) as chosen:
        return await ask_remarkable(Lookup(chosen.log), pool)


@click.command()
@click.argument("pool")
@click.option("--last", type=click.IntRange(min=0), metavar="N", help="Only the last N (20 for people, all with --json); 0: all.")
@shared_options
@click.pass_obj
def heads(options: Options, pool: str, last: int | None) -> None:
    """Every head of a pool ever published, held together as a chain; exit code 1 if it is broken."""
    links, chain = run(_heads(options, pool))
    keep = last if last is not None else 0 if options.as_json else 20
    shown = links[-keep:] if keep else links
    if options.as_json:
        for link in shown:
            write_json({"head": link.head, "digest": link.digest, **({"fault": link.fault} if link.fault else {})})
    else:
        table(["update", "newest fact", "state", "lists", "digest"], [_link_cells(link) for link in shown], right=("update",))
        if len(shown) < len(links):
            say(f"the last {len(shown)} of {number(len(links))}; --last 0 shows all")
    if chain.faults:
        raise Ended(f"the chain of {pool} is broken: {'; '.join(chain.faults[:3])}", NO)
    if not options.as_json:
        say(f"{count(len(links), 'head')}, chain unbroken")


async def _heads(options: Options, pool: str) -> tuple[list[Link], Chain]:
    async with opened(options) as chosen:
        lookup = Lookup(chosen.log)
        chain, links = Chain(), []
        async for record in lookup.records(lookup.partition(pool), "rating-updates"):
            if record.key == pool.encode() and record.value is not None:
                links.append(chain.take(record.value))
        if not links:
            raise NoSuchPool(pool, await lookup.heads())
        return links, chain


def _link_cells(link: Link) -> tuple[object, ...]:
    head = link.head
    lists = [
        f"{name}@{one.edition}{_shadow(one)}: "
        + (
            f"held ({one.held})"
            if one.held
            else f"{count(one.players, 'player')}, {count(one.rows, 'row')}, {(one.list_digest or '')[:12]}"
        )
        for name, one in sorted(head.lists.items())
    ]
    state = f"{head.state} ({head.reason})" if head.reason else head.state
    return head.update, instant(head.append_time_ms), state, "\n".join(lists), link.digest[:12]


@click.command()
@shared_options
@click.pass_obj
def status(options: Options) -> None:
    """How far the rater is, and what stands for each pool."""
    partitions, pools = run(_status(options))
    if options.as_json:
        for one in partitions:
            write_json({"partition": one["partition"], "behind": one["behind"], "next": one["next"], "ends": one["ends"]})
        for head in pools:
            write_json({"pool": head.pool, "head": head})
        return
    for one in partitions:
        rated, ends = sum(one["next"].values()), sum(one["ends"].values())
        say(f"partition {one['partition']}: {number(rated)} of {count(ends, 'message')} rated, {number(one['behind'])} behind")
        cells = [(topic, number(one["next"].get(topic, 0)), number(end)) for topic, end in one["ends"].items()]
        table(["topic", "rated up to", "end"], cells, right=("rated up to", "end"))
        say("")
    lists = [(*_pool_cells(head), *_list_cells(name, one)) for head in pools for name, one in sorted(head.lists.items())]
    lists += [(*_pool_cells(head), "(none)", "", "") for head in pools if not head.lists]
    if lists:
        table(["pool", "update", "newest fact", "state", "list", "players", "rows"], lists, right=("update", "players", "rows"))
    else:
        say("no pool has been rated yet")


def _pool_cells(head: Head) -> tuple[object, ...]:
    state = f"{head.state}: {SENTENCES['halt-reason'].get(head.reason or '', '')}" if head.state == HALTED else head.state
    return head.pool, head.update, instant(head.append_time_ms), state


def _list_cells(name: str, one: ListHead) -> tuple[object, ...]:
    told = f"{name}{_shadow(one)}"
    return (told, f"held ({one.held})", "") if one.held else (told, number(one.players), number(one.rows))


def _shadow(one: ListHead) -> str:
    return " (shadow)" if one.shadow else ""


async def _status(options: Options) -> tuple[list[dict[str, Any]], list[Head]]:
    async with opened(options) as chosen:
        lookup = Lookup(chosen.log)
        try:
            progress = await lookup.progress()
            pools = list((await lookup.heads()).values())
        except LogMissing:
            await chosen.log.ends(0, ["result-published"])  # without facts there is no log at all
            progress, pools = {}, []
        partitions = []
        for partition in range(chosen.log.partitions):
            ends, rated = await lookup.fact_ends(partition), progress.get(partition, {})
            behind = sum(max(0, end - rated.get(topic, 0)) for topic, end in ends.items())
            partitions.append({"partition": partition, "next": dict(rated), "ends": ends, "behind": behind})
        return partitions, pools
