"""`make bench`: reading and rating the football history, as ratios against something plain that runs beside it in the same process.

    python -m ops.bench [--rounds 5] [--each]
    python -m ops.bench --systems [--games 100000]      every rating system instead, see `systems`
    python -m ops.bench --seeds [--players 400000]      the start of a federation instead, see `seeds`

Reading: JSON lines to facts, every check done, against `orjson.loads` of the same lines with the result dropped. Rating: facts in memory to
rows, heads and digests ready to be written, all in one batch and one batch a commit of the source, against reading the same facts. `--each`
adds every fact alone (minutes). Results are compared before anything is printed: the same digests each time.
"""

import argparse
import gc
import os
import platform
import statistics
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from time import process_time

import orjson

from ops.bench import seeds, systems
from rerate import __version__
from rerate.intake import football
from rerate.intake.cloudevents import to_line
from rerate.messages.facts import FACT_TOPICS, Fact, Position
from rerate.messages.reading import Message, read
from rerate.messages.writing import fact_topic
from rerate.pool.lists import LiveList
from rerate.pool.pool import Pool, Settings
from rerate.ratings.club import NAME, Club
from rerate.ratings.face import Period, Row

Batch = list[tuple[Fact, Position]]


class CountingClub(Club):
    """The club ladder, counting the games that it rates."""

    games_rated = 0

    def rate(self, period: Period) -> dict[int, Row]:
        CountingClub.games_rated += period.high - period.low
        return super().rate(period)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--each", action="store_true", help="also every fact alone")
    parser.add_argument("--systems", action="store_true", help="games per second of every rating system")
    parser.add_argument("--games", type=int, default=100_000, help="for --systems (default %(default)s)")
    parser.add_argument("--seeds", action="store_true", help="the start of a federation: seeds and no games")
    parser.add_argument("--players", type=int, default=400_000, help="for --seeds (default %(default)s)")
    asked = parser.parse_args()
    gc.freeze()
    gc.set_threshold(100_000, 50, 1_000)
    print(_circumstances())
    if asked.systems:
        systems.measure(asked.games)
    if asked.seeds:
        seeds.measure(asked.players)
    if asked.systems or asked.seeds:
        return
    messages, commits = _messages()
    facts, base = _reading(messages, asked.rounds)
    _rating(facts, commits, base, asked.each)


def _messages() -> tuple[list[Message], list[int]]:
    """The football facts as messages, and how many of them each commit of the source has (the configuration goes with the first)."""
    source = list(football.source_messages())
    events = [football.configuration(), *football.facts(source)]
    messages = [Message(fact_topic(event["type"]), 0, football.POOL.encode(), to_line(event).strip(), ()) for event in events]
    commits = [len(list(group)) for _, group in groupby(source, key=lambda message: message.commit)]
    commits[0] += 1
    return messages, commits


def _reading(messages: Sequence[Message], rounds: int) -> tuple[Batch, float]:
    plain, checked, facts = [], [], []
    for _ in range(rounds):
        plain.append(_seconds(lambda: _each(orjson.loads, (message.value for message in messages))))
        checked.append(_seconds(lambda: _each(lambda message: read(message, partitions=1), messages)))
    offsets = dict.fromkeys(FACT_TOPICS, 0)
    for message in messages:
        fact = read(message, partitions=1)
        assert isinstance(fact, Fact), fact
        facts.append((fact, Position(message.topic, offsets[message.topic])))
        offsets[message.topic] += 1
    ratios = [mine / bare for mine, bare in zip(checked, plain, strict=True)]
    seconds = statistics.median(checked)
    print(
        f"reading {len(messages)} facts: {seconds:.2f} s, {seconds / len(messages) * 1e6:.1f} us a fact; "
        f"orjson.loads alone {statistics.median(plain):.2f} s; ratio median {statistics.median(ratios):.1f} "
        f"({min(ratios):.1f} to {max(ratios):.1f})"
    )
    return facts, seconds


def _rating(facts: Batch, commits: list[int], reading: float, each: bool) -> None:
    settings = Settings(engine=f"rerate/{__version__}", systems={NAME: CountingClub})
    digests = set()
    runs = [("in one batch", [len(facts)]), ("a batch a commit", commits)]
    if each:
        runs.append(("each fact alone", [1] * len(facts)))
    for name, sizes in runs:
        CountingClub.games_rated = rows = updates = 0
        pool = Pool(football.POOL, settings)
        begin = process_time()
        for batch in _batches(facts, sizes):
            update = pool.take(batch, {}, 0)
            if update is not None:
                updates += 1
                rows += update.row_count
        seconds = process_time() - begin
        for rated in pool.lists.values():
            assert isinstance(rated, LiveList)
            digests.add(rated.replay.digest())
        print(
            f"rating {name}: {seconds:.1f} s of CPU, {len(facts) / seconds:.0f} facts/s, {seconds / reading:.1f} x reading them; "
            f"{len(sizes)} batches, {updates} updates, {rows} rows written, {CountingClub.games_rated} games rated"
        )
        assert len(digests) == 1, "the runs do not agree"


def _batches(facts: Batch, sizes: Sequence[int]) -> Iterator[Batch]:
    at = 0
    for size in sizes:
        yield facts[at : at + size]
        at += size


def _seconds(work: Callable[[], object]) -> float:
    begin = process_time()
    work()
    return process_time() - begin


def _each(work: Callable[..., object], items: Iterable[object]) -> None:
    for item in items:
        work(item)


def _circumstances() -> str:
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False).stdout.strip()
    load = os.getloadavg()[0]
    return (
        f"rerate {__version__} {commit}, CPython {platform.python_version()}, {platform.machine()}, {os.cpu_count()} CPUs, load {load:.1f}"
    )


if __name__ == "__main__":
    main()
