"""`rerate demo`: a real history with its corrections becomes a ladder that equals an independent one, on a log in a directory."""

import csv
import io
import shutil
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import click
import orjson

from rerate.audit.verify import verify
from rerate.board.asking import ask_ladder, ask_player
from rerate.board.lookup import Lookup
from rerate.board.rows import SnapshotRow, read_delta, read_snapshot
from rerate.cli.base import NO, Ended, Options, collect_rarely, run, shared_options
from rerate.cli.feeding import Football, irish_lines
from rerate.cli.names import Names
from rerate.cli.opening import Opened, embedded
from rerate.cli.output import count, number, progress, say, table, write_json
from rerate.cli.publishing import append_lines
from rerate.cli.rating import rate, show_verdicts
from rerate.cli.showing import show_ladder, show_player
from rerate.intake import football, irish
from rerate.intake.lines import FactLine
from rerate.ratings.quantum import PER_POINT, quanta_of

MARK = ".rerate-demo"
MADE = ("facts", "outcomes", "store", "names.csv", MARK)
BATCH = 5_000
PER_QUANTUM = PER_POINT["0.1"]


@click.command()
@click.option(
    "--dir", "directory", type=click.Path(path_type=Path, file_okay=False), default=Path("rerate-demo"), show_default=True, help="Where."
)
@shared_options
@click.pass_obj
def demo(options: Options, directory: Path) -> None:
    """Publish and rate 49,454 messages of international football and two chess tournaments, show what came of them, and verify it.

    Makes a log in a directory of its own; running it again begins anew. Takes about a minute.
    """
    _clear(directory)
    shown = run(_Demo(directory, options.as_json).run())
    if options.as_json:
        write_json(shown)
    if not shown["equal"] or not shown["verified"]:
        raise Ended("the demo did not come out as it should: see above", NO)


def _clear(directory: Path) -> None:
    """Make the directory ready.

    Raises:
        click.UsageError: it holds something that no demo has made.
    """
    if directory.is_dir() and any(directory.iterdir()) and not (directory / MARK).is_file():
        raise click.UsageError(f"{directory} is not empty and not of an earlier demo; choose another with --dir")
    directory.mkdir(parents=True, exist_ok=True)
    (directory / MARK).touch()
    for name in MADE[:-1]:
        path = directory / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


@dataclass(slots=True)
class _Demo:
    directory: Path
    is_quiet: bool
    report: dict[str, Any] = field(default_factory=dict)
    _irish_names: dict[str, str] = field(default_factory=dict)

    async def run(self) -> dict[str, Any]:
        started = time.monotonic()
        chosen = embedded(self.directory)
        try:
            source = Football(chosen.log.partitions)
            collect_rarely()
            first = source.first_commit()
            await self._first_part(chosen, source, first)
            await self._second_part(chosen, source, first)
            names = self._write_names(source)
            await self._show(chosen, source, Names(names))
            await self._verify(chosen)
        finally:
            await chosen.log.close()
        self.report["seconds"] = round(time.monotonic() - started, 1)
        self._say("", f"All of it took {self.report['seconds']} s.")
        self._what_next()
        return self.report

    # ------------------------------------------------------------------ publishing and rating

    async def _first_part(self, chosen: Opened, source: Football, first: int) -> None:
        self._title("International football, 1872 to now, as its maintainers published it")
        await append_lines(chosen.log, 0, [source.configuration()])
        await self._publish(chosen, source.lines(0, first), first)
        await self._rate(chosen)
        await self._compare(chosen, source, "whole_tenths_first_commit.csv", "after the first commit of the source")

    async def _second_part(self, chosen: Opened, source: Football, first: int) -> None:
        later = source.of - first
        self._title(f"{number(later)} later messages: new results, and old ones corrected, deleted, renamed; and a second pool")
        before = (await chosen.log.ends(0, ["rating-deltas"]))["rating-deltas"]
        await self._publish(chosen, source.lines(first, source.of), later)
        lines, self._irish_names = irish_lines(chosen.log.partitions)
        await append_lines(chosen.log, 0, lines)
        await self._rate(chosen)
        await self._count_deltas(chosen, before)
        await self._compare(chosen, source, "whole_tenths_newest.csv", "after the last message")

    async def _publish(self, chosen: Opened, lines: Iterator[FactLine], of: int) -> None:
        started, done = time.monotonic(), 0
        with progress() as advance:
            while batch := list(islice(lines, BATCH)):
                await append_lines(chosen.log, 0, batch)
                done += len(batch)
                advance("publishing", done, of)
        self._say(f"published  {number(done)} facts in {time.monotonic() - started:.1f} s")

    async def _rate(self, chosen: Opened) -> None:
        started = time.monotonic()
        done = await rate(chosen, until_idle=True)
        updates = f"{count(done.updates, 'update')} with {number(done.rows)} rows"
        self._say(f"rated      {updates} published in {time.monotonic() - started:.1f} s")

    async def _count_deltas(self, chosen: Opened, since: int) -> None:
        """What the second part did to the rows that were there."""
        reader = await chosen.log.reader(0, {"rating-deltas": since})
        causes: Counter[str] = Counter()
        while records := await reader.poll(BATCH):
            for record in records:
                if record.value is not None and b"/" in (record.key or b""):
                    delta = read_delta(record.value)
                    if delta.pool == football.POOL:
                        causes["new" if delta.by.before is None else delta.by.cause] += 1
        await reader.close()
        self.report["deltas"] = dict(causes)
        old = causes["direct"] + causes["carried"]
        self._say(
            f"re-rated   {number(old)} rows of the history: {number(causes['direct'])} because own games changed, "
            f"{number(causes['carried'])} because earlier ratings did; {number(causes['new'])} rows are new"
        )

    # ------------------------------------------------------------------ showing

    async def _compare(self, chosen: Opened, source: Football, file: str, when: str) -> None:
        """Every rating, count of games and date against numbers worked out by a program that shares no code with this one."""
        records = await chosen.log.newest_with_prefix(0, "rating-snapshots", f"{football.POOL}/elo@1/".encode())
        ours = {_said(source.names, read_snapshot(record.value or b"")) for record in records}
        theirs = {tuple(row.values()) for row in csv.DictReader(io.StringIO(football.data_file(file).decode()))}
        equal = len(ours & theirs)
        is_equal = ours == theirs
        self.report.setdefault("compared", {})[file] = {"equal": equal, "of": len(theirs), "ours": len(ours)}
        self.report["equal"] = self.report.get("equal", True) and is_equal
        mark = "equal" if is_equal else "NOT EQUAL"
        self._say(f"compared   {equal} of {len(theirs)} teams {mark} to an independent calculation, {when}: rating, games, last date")

    def _write_names(self, source: Football) -> dict[str, str]:
        names = source.names | self._irish_names
        with (self.directory / "names.csv").open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(["id", "name"])
            rows.writerows(names.items())
        return names

    async def _show(self, chosen: Opened, source: Football, names: Names) -> None:
        lookup = Lookup(chosen.log)
        await self._show_messages(lookup, source)
        found = await ask_ladder(lookup, football.POOL, None, None)
        established = [line for line in found.lines if not line.provisional]
        self.report["ladder"] = [{"rating": line.rating, "player": line.player, "name": names.of(line.player)} for line in established[:10]]
        irish_found = await ask_ladder(lookup, irish.POOL, None, None)
        page = await ask_player(lookup, football.POOL, established[0].player, None)
        if self.is_quiet:
            return
        self._title(f"The ladder of {football.POOL}, the first ten of {number(len(found.lines))}")
        show_ladder(established[:10], names)
        self._title("One history: every bar is the rating at that time")
        show_player(page, names, 3)
        self._title(f"The ladder of {irish.POOL}: two tournaments of 2011, invented people")
        show_ladder(irish_found.lines[:8], names)
        self._say(f"the first {min(8, len(irish_found.lines))} of {len(irish_found.lines)}")

    async def _show_messages(self, lookup: Lookup, source: Football) -> None:
        receipts: Counter[str] = Counter()
        async for record in lookup.records(0, "fact-receipts"):
            receipts[orjson.loads(record.value or b"{}")["status"]] += 1
        tally = source.tally
        undone = await self._undone(lookup, tally.merges)
        self.report |= {
            "messages": dict(tally.types),
            "receipts": dict(receipts),
            "corrections": {"all": tally.types["result-corrected"], "of_games": tally.corrections_of_games},
            "merges": {"all": len(tally.merges), "undone": undone},
        }
        self._title("What was published, and what it did")
        if not self.is_quiet:
            table(["messages of football", ""], [(name, number(n)) for name, n in tally.types.most_common()], right=("",))
            say("")
        corrections = number(tally.types["result-corrected"])
        statuses = ", ".join(f"{number(n)} {name}" for name, n in sorted(receipts.items()))
        self._say(
            f"{number(receipts.total())} receipts in both pools: {statuses}",
            f"{corrections} corrections: {number(tally.corrections_of_games)} changed who won, who played or when, "
            "the others nothing that is rated",
            f"{number(len(tally.merges))} merges of two names: {number(undone)} were undone later, as if never sent",
        )

    async def _undone(self, lookup: Lookup, merges: Iterable[str]) -> int:
        """How many merges do not stand any more, as their standings say."""
        undone = 0
        for id in merges:
            record = await lookup.log.newest(0, "fact-standings", f"{football.POOL}@1/{football.SOURCE}/{id}".encode())
            if record is not None and record.value is not None:
                undone += any(content["standing"] == "undone" for content in orjson.loads(record.value)["contents"])
        return undone

    async def _verify(self, chosen: Opened) -> None:
        self._title("Verified: the facts read once more and replayed from nothing, against the published heads")
        started = time.monotonic()
        with progress() as advance:
            verdicts = await verify(chosen.log, on_progress=advance)
        self.report["verified"] = all(verdict.holds for verdict in verdicts)
        if not self.is_quiet:
            show_verdicts(verdicts, time.monotonic() - started)

    def _what_next(self) -> None:
        at, names = f"--log file:{self.directory}", f"--names {self.directory / 'names.csv'}"
        team = self.report["ladder"][1]
        self._title("What to type next")
        self._say(
            f"rerate {at} ladder {football.POOL} {names} --as-of 1954-07-03 --top 10",
            f"rerate {at} player {football.POOL} {team['player']} {names}     # {team['name']}",
            f"rerate {at} event {irish.POOL} {irish.EVENTS[0]} {names}",
            f"rerate {at} standing {football.SOURCE}/m1",
            f"rerate {at} subscribe {irish.POOL} --topics rating-snapshots",
            f"rerate {at} status",
            f"rerate {at} verify",
            "rerate --help",
        )

    def _title(self, text: str) -> None:
        self._say("", click.style(text, bold=True), "")

    def _say(self, *lines: str) -> None:
        if not self.is_quiet:
            say(*lines)


def _said(names: dict[str, str], snapshot: SnapshotRow) -> tuple[str, ...]:
    """A snapshot as the independent numbers are written: team, quanta, games, last date."""
    quanta = quanta_of(snapshot.rating or "", PER_QUANTUM)
    return names[snapshot.player], str(quanta), str(snapshot.games), snapshot.last_game or ""
