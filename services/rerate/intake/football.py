"""International football, 1872 to now, as facts: a real history with its real corrections, deletions, renames and undone renames.

    python -m rerate.intake.football > facts.jsonl           the pool's configuration, then one fact for every message of the stream
    python -m rerate.intake.football --names > names.csv     which id stands for which team or event

The stream lies beside this module; `data/football/README.md` says where it is from. Its keys are made of names and up to 100 bytes long, so
ids are minted here in order of first appearance: `football:e1` an event, `football:t1` a name of a team, `g1` a game. An id stays when what
it stands for is corrected. A game that moves to another event keeps its id and is a game of that event from then on; in an event it stands
at most once.

What the stream calls a rename is a merge of two names, and what it calls back is an unmerge. Two pairs of names merge twice, and an unmerge
ends its merge id for good: so a merge is named by the message that states it (`football:m123`), and an unmerge names the one in force.

Not carried: country, scores, neutral ground, the periods of former names, the time at which a message became known. A correction that
touched only these is sent all the same, with the event's games whole: it happened, and must change no rating.
"""

import argparse
import csv
import gzip
import io
import os
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from typing import Any, Literal

import msgspec
from msgspec import Struct

from rerate.intake.cloudevents import CloudEvent, cloud_event, to_line
from rerate.intake.configuring import Quantum, club_pool

POOL = "football:world"
SOURCE = "football/history"
OFFICE = "football/office"
MAINTAINER = "football:maintainer"

_RESULT = {1: "1-0", 0.5: "1/2-1/2", 0: "0-1"}
_REASON = (
    ("score", "wrong-result"),
    ("teams", "wrong-player"),
    ("swapped", "wrong-player"),
    ("date", "wrong-date"),
    ("moved-in", "wrong-date"),
    ("moved-out", "wrong-date"),
    ("added", "game-added"),
    ("removed", "game-removed"),
)
"""The first change that a message names decides the reason it is given."""


class SourceGame(Struct, frozen=True):
    """A match as it stands after the message."""

    id: str
    home: str
    away: str
    result: float
    """1, 0.5 or 0 for home."""


class SourceChange(Struct, frozen=True):
    """What happened to an event, in the words of the stream: score, teams, swapped, neutral, added, removed, moved-in, moved-out, date,
    tournament, country."""

    op: str


class SourceMessage(Struct, frozen=True):
    """A message of the stream. The first three kinds speak of an event, the last two of a name."""

    seq: int
    """1, 2, 3, …"""
    kind: Literal["result-published", "result-corrected", "event-deleted", "identity-merged", "identity-unmerged"]
    commit: str
    """Messages of one commit became known together."""
    event_key: str = ""
    event_date: str = ""
    tournament: str = ""
    country: str = ""
    revision: int = 0
    games: tuple[SourceGame, ...] = ()
    """The whole event after the message; none for a deletion."""
    changes: tuple[SourceChange, ...] = ()
    effect: Literal["", "ratings", "none"] = ""
    """Whether a game, a date, a team or an outcome changed; said of corrections, deletions and unusual publications."""
    alias: str = ""
    into: str = ""


def data_file(name: str) -> bytes:
    """A file shipped beside this module: the stream, or the right ratings at the end and after the first commit."""
    return files("rerate.intake").joinpath("data", "football", name).read_bytes()


def source_messages(packed: bytes | None = None) -> Iterator[SourceMessage]:
    """The messages of the stream in order, by default of the one shipped.

    Raises:
        msgspec.DecodeError: a line is not a message of the stream; what is shipped has none.
    """
    decode = msgspec.json.Decoder(SourceMessage).decode
    with gzip.open(io.BytesIO(data_file("messages.jsonl.gz") if packed is None else packed)) as lines:
        for line in lines:
            yield decode(line)


def category(tournament: str) -> str:
    """The tournament as a category: ASCII letters without their marks, digits and single hyphens, at most 40.

    Of the stream's 217 tournaments six are cut, and two pairs share a category, each two spellings of one tournament (CONIFA and ConIFA).
    """
    bare = "".join(c for c in unicodedata.normalize("NFKD", tournament) if not unicodedata.combining(c))
    return re.sub("[^a-z0-9]+", "-", bare.lower()).strip("-")[:40].rstrip("-")


class _Ids:
    """Ids minted in order of first appearance."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._ids: dict[str, str] = {}

    def of(self, key: str) -> str:
        return self._ids.setdefault(key, f"{self._prefix}{len(self._ids) + 1}")


class FootballFacts:
    """The converter: one message in, one fact out, in the order of the stream from its first message on."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        """Of every id of a team or an event so far; an event's is its tournament and country as last told."""
        self._events = _Ids("football:e")
        self._teams = _Ids("football:t")
        self._games = _Ids("g")
        self._standing: dict[str, tuple[str, ...]] = {}
        """Game ids of each event as it stands."""
        self._merge_in_force: dict[str, str] = {}
        """Merge id by alias."""

    def convert(self, message: SourceMessage) -> CloudEvent:
        """The fact that the message states."""
        match message.kind:
            case "result-published":
                return self._fact(message, self._published(message))
            case "result-corrected":
                return self._fact(message, self._corrected(message))
            case "event-deleted":
                return self._fact(message, self._deleted(message))
            case "identity-merged":
                return self._fact(message, self._merged(message), MAINTAINER)
            case "identity-unmerged":
                merge_id = self._merge_in_force.pop(message.alias)
                return self._fact(message, {"merge_id": merge_id}, MAINTAINER)

    def _fact(self, message: SourceMessage, said: dict[str, Any], actor: str | None = None) -> CloudEvent:
        return cloud_event(message.kind, SOURCE, f"m{message.seq}", {"pool": POOL} | said, actor)

    def _published(self, message: SourceMessage) -> dict[str, Any]:
        event = {"id": self._event(message), "date": message.event_date, "category": category(message.tournament), "status": "final"}
        games = [self._game(game) for game in message.games]
        self._standing[message.event_key] = tuple(game["id"] for game in games)
        return {"event": event, "revision": message.revision, "games": games}

    def _corrected(self, message: SourceMessage) -> dict[str, Any]:
        event_id = self._event(message)
        games = [self._game(game) for game in message.games]
        before, now = self._standing[message.event_key], tuple(game["id"] for game in games)
        self._standing[message.event_key] = now
        said = {
            "event_id": event_id,
            "revision": message.revision,
            "saw": message.revision - 1,
            "reason": reason(message),
            "set": {"date": message.event_date, "category": category(message.tournament)},
            "games": games,
        }
        removed = [id for id in before if id not in now]
        return said | {"removed": removed} if removed else said

    def _deleted(self, message: SourceMessage) -> dict[str, Any]:
        self._standing[message.event_key] = ()
        return {"event_id": self._event(message), "revision": message.revision, "mode": "void", "reason": "never-played"}

    def _merged(self, message: SourceMessage) -> dict[str, Any]:
        merge_id = self._merge_in_force[message.alias] = f"football:m{message.seq}"
        return {"merge_id": merge_id, "alias": self._team(message.alias), "player": self._team(message.into)}

    def _event(self, message: SourceMessage) -> str:
        event_id = self._events.of(message.event_key)
        self.names[event_id] = f"{message.tournament}, {message.country}"
        return event_id

    def _team(self, name: str) -> str:
        team_id = self._teams.of(name)
        self.names[team_id] = name
        return team_id

    def _game(self, game: SourceGame) -> dict[str, Any]:
        id = self._games.of(game.id)
        return {"id": id, "white": self._team(game.home), "black": self._team(game.away), "result": _RESULT[game.result]}


def reason(message: SourceMessage) -> str:
    """The reason code of a correction: what its changes say first in the order of `_REASON`, else that only labels changed.

    A game that moves between events of one date moved by a label, its country or tournament.
    """
    changed = {change.op for change in message.changes}
    if message.effect == "none":
        changed -= {"moved-in", "moved-out"}
    return next((code for op, code in _REASON if op in changed), "label")


def facts(messages: Iterable[SourceMessage]) -> Iterator[CloudEvent]:
    """One fact for each message, which must be the stream's from its first on."""
    converter = FootballFacts()
    return (converter.convert(message) for message in messages)


def configuration(quantum: Quantum = "0.1", revision: int = 1) -> CloudEvent:
    """The pool's lists: one, `elo`, club/1 by calendar date."""
    return club_pool(POOL, source=OFFICE, period="date", quantum=quantum, revision=revision)


def main(arguments: Sequence[str] | None = None) -> None:
    """Writes the facts, or the names, to the standard output."""
    description = "International football as facts, one CloudEvent a line."
    parser = argparse.ArgumentParser(prog="python -m rerate.intake.football", description=description)
    parser.add_argument("--names", action="store_true", help="write the names of teams and events instead, as CSV: id,name")
    parser.add_argument("--quantum", choices=["1", "0.1", "0.01", "0.001"], default="0.1", help="unit of the ratings (default %(default)s)")
    options = parser.parse_args(arguments)
    converter = FootballFacts()
    if options.names:
        for message in source_messages():
            converter.convert(message)
        rows = csv.writer(sys.stdout, lineterminator="\n")
        rows.writerow(["id", "name"])
        rows.writerows(converter.names.items())
        return
    out = sys.stdout.buffer
    out.write(to_line(configuration(options.quantum)))
    out.writelines(to_line(converter.convert(message)) for message in source_messages())


if __name__ == "__main__":
    try:
        main()
        sys.stdout.flush()
    except BrokenPipeError:  # who reads has seen enough; the interpreter must not complain at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
