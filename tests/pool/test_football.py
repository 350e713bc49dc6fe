"""150 years of football through a pool: what is published equals an independent calculation exactly, however the facts are fed.

The facts are those of `rerate.intake.football`, with the history's own corrections, deletions, renames and undone renames. Heavy runs turn
the cyclic collector off, which would double their time.
"""

import csv
import gc
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import groupby
from random import Random
from typing import NamedTuple

import orjson
import pytest

from rerate.intake import football
from rerate.intake.cloudevents import CloudEvent, to_line
from rerate.intake.football import POOL, FootballFacts, SourceMessage, data_file, source_messages
from rerate.intake.lines import FactLine, read_line
from rerate.messages.facts import Fact, Position
from rerate.pool.pool import Pool, Settings
from rerate.pool.update import Update
from tests.kit.football_plain import FIRST_COMMIT, PlainFacts, PlainGame, PlainRating, _expected, _half_away_from_zero, rate

PARTITIONS = 6
DELTAS, SNAPSHOTS = "rating-deltas", "rating-snapshots"

LIST_DIGEST = "741a27136b2d4b3f1e75943587d48c138e19f7e61dfae55ba69462179739640a"
INPUT_DIGEST = "11ee1b3a762f61ab3e12e90fec20c74691caa962a329f822bc343e7d00db9e37"
"""At the end, with quantum 0.1 and a period a date. The first is worked out anew below, the second is what every way of feeding gives."""

Placed = tuple[Fact, Position]


class Corpus(NamedTuple):
    """The whole history, read."""

    messages: list[SourceMessage]
    facts: list[Placed]
    """One for each message."""
    configuration: Placed
    two_lists: Placed
    """The same configuration with a second list in hundredths."""
    names: dict[str, str]

    def commits(self) -> Iterator[list[tuple[SourceMessage, Placed]]]:
        """What became known together."""
        pairs = zip(self.messages, self.facts, strict=True)
        return (list(group) for _, group in groupby(pairs, key=lambda pair: pair[0].commit))


def placed(event: CloudEvent, number: int) -> Placed:
    line = read_line(to_line(event).rstrip(b"\n"), number, partitions=PARTITIONS)
    assert isinstance(line, FactLine)
    return line.fact, Position(line.message.topic, number)


@pytest.fixture(scope="session")
def corpus() -> Iterator[Corpus]:
    gc.disable()
    converter, messages = FootballFacts(), list(source_messages())
    facts = [placed(converter.convert(message), number) for number, message in enumerate(messages)]
    configuration = football.configuration()
    fine = football.configuration("0.01")["data"]["lists"][0] | {"id": "fine"}
    two = configuration | {"data": configuration["data"] | {"lists": [*configuration["data"]["lists"], fine]}}
    read = Corpus(messages, facts, placed(configuration, 0), placed(two, 0), dict(converter.names))
    gc.collect()
    gc.freeze()
    gc.enable()
    yield read
    gc.unfreeze()


@pytest.fixture(autouse=True)
def without_collector(corpus: Corpus) -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()
    gc.collect()


@dataclass
class Feed:
    """A pool and its snapshots as published."""

    pool: Pool = field(default_factory=lambda: Pool(POOL, Settings(engine="rerate tests")))
    snapshots: dict[str, bytes] = field(default_factory=dict)

    def take(self, *facts: Placed) -> Update | None:
        update = self.pool.take(facts, {}, 0)
        for key, value in update.rows[SNAPSHOTS] if update is not None else ():
            if value is None:
                del self.snapshots[key]
            else:
                self.snapshots[key] = value
        return update

    def ratings(self, names: dict[str, str], list_id: str = "elo") -> dict[str, PlainRating]:
        """Team -> rating, games and date of the last game, of a list's published snapshots."""
        rows = (orjson.loads(value) for key, value in self.snapshots.items() if key.startswith(f"{POOL}/{list_id}@"))
        return {names[row["player"]]: PlainRating(int(row["rating"].replace(".", "")), row["games"], row["last_game"]) for row in rows}

    def digests(self, list_id: str = "elo") -> tuple[str | None, str | None]:
        assert self.pool.head is not None
        of_list = self.pool.head.lists[list_id]
        return of_list.list_digest, of_list.input_digest


def right(name: str) -> dict[str, PlainRating]:
    """The independent calculation in whole tenths."""
    rows = csv.DictReader(io.StringIO(data_file(name).decode()))
    return {row["team"]: PlainRating(int(row["rating_quanta"]), int(row["games"]), row["last_played"]) for row in rows}


def test_in_one_batch_ratings_are_exact_and_hundredths_stay_close_to_floating_point(corpus: Corpus) -> None:
    feed = Feed()
    feed.take(corpus.two_lists, *corpus.facts)
    assert feed.ratings(corpus.names) == right("whole_tenths_newest.csv")
    assert feed.digests() == (LIST_DIGEST, INPUT_DIGEST)
    floating = {row["team"]: row for row in csv.DictReader(io.StringIO(data_file("elo_newest.csv").decode()))}
    fine = feed.ratings(corpus.names, "fine")
    assert fine.keys() == floating.keys()
    assert all(abs(fine[team].quanta / 100 - float(row["rating_6dp"])) < 0.05 for team, row in floating.items())
    assert all((fine[team].games, fine[team].last_played) == (int(row["games"]), row["last_played"]) for team, row in floating.items())


def test_shuffled_and_repeated_the_facts_come_to_the_same(corpus: Corpus) -> None:
    random = Random(1872)
    facts = [corpus.configuration, *corpus.facts, *random.sample(corpus.facts, 10_000)]
    random.shuffle(facts)
    feed, third = Feed(), len(facts) // 3
    for at in range(0, len(facts), third):
        feed.take(*facts[at : at + third])
    assert feed.ratings(corpus.names) == right("whole_tenths_newest.csv")
    assert feed.digests() == (LIST_DIGEST, INPUT_DIGEST)


@pytest.mark.timeout(1_800)
def test_commit_by_commit_ratings_are_exact_and_what_has_no_effect_changes_no_row(corpus: Corpus) -> None:
    """Of each commit the corrections whose effect is `none` are taken apart: they change no snapshot and no delta. Sixteen of them move a
    game between two events of one date: these are taken with the rest, and after their commits every rating is the right one."""
    feed, plain, taken, harmless, moving = Feed(), PlainFacts(), 0, 0, 0
    feed.take(corpus.configuration)
    converter = FootballFacts()
    for commit in corpus.commits():
        apart = [fact for message, fact in commit if has_no_effect(message) and not moves_a_game(message)]
        moved = sum(has_no_effect(message) and moves_a_game(message) for message, _ in commit)
        feed.take(*(fact for message, fact in commit if not has_no_effect(message) or moves_a_game(message)))
        assert_no_rows(feed.take(*apart))
        for message, _ in commit:
            plain.take(converter.convert(message))
        taken, harmless, moving = taken + len(commit), harmless + len(apart), moving + moved
        if taken == FIRST_COMMIT:
            assert feed.ratings(corpus.names) == right("whole_tenths_first_commit.csv")
        if moved:
            assert feed.ratings(corpus.names) == {corpus.names[id]: rating for id, rating in rate(plain.games()).items()}
    assert (taken, moving) == (49_454, 16)
    assert harmless > 5_000
    assert feed.ratings(corpus.names) == right("whole_tenths_newest.csv")
    assert feed.digests() == (LIST_DIGEST, INPUT_DIGEST)


def has_no_effect(message: SourceMessage) -> bool:
    """Whether the source says of a correction that no game, date, team or outcome changed."""
    return message.kind == "result-corrected" and message.effect == "none"


def moves_a_game(message: SourceMessage) -> bool:
    return not {change.op for change in message.changes}.isdisjoint({"moved-in", "moved-out"})


def assert_no_rows(update: Update | None) -> None:
    assert update is None or (update.rows[SNAPSHOTS], update.rows[DELTAS]) == ([], [])


@pytest.mark.long
@pytest.mark.timeout(7_200)
def test_one_by_one_ratings_are_exact_and_what_has_no_effect_changes_no_row(corpus: Corpus) -> None:
    feed = Feed()
    feed.take(corpus.configuration)
    for number, (message, fact) in enumerate(zip(corpus.messages, corpus.facts, strict=True), start=1):
        update = feed.take(fact)
        if has_no_effect(message) and not moves_a_game(message):
            assert_no_rows(update)
        if number == FIRST_COMMIT:
            assert feed.ratings(corpus.names) == right("whole_tenths_first_commit.csv")
    assert feed.ratings(corpus.names) == right("whole_tenths_newest.csv")
    assert feed.digests() == (LIST_DIGEST, INPUT_DIGEST)


# ---------------------------------------------------------------------- the digest, worked out without the engine


def u16(text: str) -> bytes:
    return len(text).to_bytes(2, "big") + text.encode()


def rated_on(games: list[PlainGame], before: dict[str, PlainRating]) -> dict[str, PlainRating]:
    """Where those who played on a date stand after it."""
    newcomer, change = PlainRating(12_000, 0, ""), dict[str, list[int]]()
    for game in games:
        for own, other, half_points in ((game.white, game.black, game.half_points), (game.black, game.white, 2 - game.half_points)):
            mine, theirs = before.get(own, newcomer), before.get(other, newcomer)
            k = 0 if mine.games >= 5 > theirs.games else 40 if mine.games < 20 else 20
            change.setdefault(own, []).append(k * 10 * (half_points * 500_000 - _expected(mine.quanta - theirs.quanta, 10)))
    return {
        player: PlainRating(standing.quanta + _half_away_from_zero(sum(changes), 10**6), standing.games + len(changes), games[0].date)
        for player, changes in change.items()
        for standing in [before.get(player, newcomer)]
    }


def test_the_list_digest_is_that_of_the_plain_calculation(corpus: Corpus) -> None:
    games = PlainFacts(football.facts(corpus.messages)).games()
    running = sha256(b"rerate.list.1\n")
    before: dict[str, PlainRating] = {}
    for date, of_date in groupby(games, key=lambda game: game.date):
        after = rated_on(list(of_date), before)
        rows = [
            u16(player) + rating.quanta.to_bytes(4, "big", signed=True) + bytes([min(rating.games, 20)])
            for player, rating in sorted(after.items())
        ]
        period = b"rerate.period.1\n" + u16("\x04" + date) + len(rows).to_bytes(4, "big") + b"".join(rows)
        running.update(sha256(period).digest())
        before |= after
    assert running.hexdigest() == LIST_DIGEST
    assert before == rate(games)
