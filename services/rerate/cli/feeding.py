"""What the demo publishes: the football history and two Irish tournaments, counted on the way."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from rerate.intake import football, irish
from rerate.intake.cloudevents import CloudEvent, to_line
from rerate.intake.lines import FactLine, read_line
from rerate.replay.entries import SCORES

Side = tuple[str, int]
"""A player and the half points they got."""

Content = tuple[str, dict[str, frozenset[Side]]]
"""Date of an event, and its games by id; who had which colour moves no rating."""


@dataclass(slots=True)
class Tally:
    """What a stream of facts does to the games of its events, by looking at the facts alone."""

    types: Counter[str] = field(default_factory=Counter)
    corrections_of_games: int = 0
    """Corrections after which an event has another date, or other games between other persons with another score."""
    merges: list[str] = field(default_factory=list)
    """Fact ids."""
    _events: dict[str, Content] = field(default_factory=dict)
    _aliases: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Merge id -> alias and player, of the merges not undone so far."""

    def take(self, fact: CloudEvent) -> None:
        """Count one fact; they come in the order of their revisions."""
        kind, data = fact["type"].removeprefix("rerate.").rpartition(".")[0], fact["data"]
        self.types[kind] += 1
        match kind:
            case "result-published":
                self._events[data["event"]["id"]] = (data["event"]["date"], _games(data["games"]))
            case "result-corrected":
                self._correct(data)
            case "event-deleted":
                del self._events[data["event_id"]]
            case "identity-merged":
                self.merges.append(fact["id"])
                self._aliases[data["merge_id"]] = (data["alias"], data["player"])
            case "identity-unmerged":
                del self._aliases[data["merge_id"]]
            case _:
                raise AssertionError(f"the stream has no {kind}")

    def _correct(self, data: Mapping[str, Any]) -> None:
        date, games = self._events[data["event_id"]]
        removed = data.get("removed", ())
        after = data["set"].get("date", date), {id: game for id, game in games.items() if id not in removed} | _games(data["games"])
        self.corrections_of_games += self._persons(after) != self._persons((date, games))
        self._events[data["event_id"]] = after

    def _persons(self, content: Content) -> Content:
        """The content with every id as the person it is by now; merges of the stream make no chains."""
        persons = dict(self._aliases.values())
        date, games = content
        return date, {id: frozenset((persons.get(who, who), points) for who, points in game) for id, game in games.items()}


def _games(games: Iterable[Mapping[str, Any]]) -> dict[str, frozenset[Side]]:
    return {game["id"]: frozenset(zip((game["white"], game["black"]), SCORES[game["result"]], strict=True)) for game in games}


class Football:
    """The football history as lines to publish."""

    def __init__(self, partitions: int) -> None:
        self.tally = Tally()
        self.of = 0
        """Messages of the stream."""
        self._partitions = partitions
        self._converter = football.FootballFacts()
        self._messages = list(football.source_messages())
        self.of = len(self._messages)

    @property
    def names(self) -> dict[str, str]:
        """Of everything published so far."""
        return self._converter.names

    def configuration(self) -> FactLine:
        return to_publish(football.configuration(), self._partitions)

    def first_commit(self) -> int:
        """How many messages became known with the first commit of the source."""
        return sum(message.commit == self._messages[0].commit for message in self._messages)

    def lines(self, first: int, last: int) -> Iterator[FactLine]:
        """The messages from one number up to another, to be asked for in their order."""
        for message in self._messages[first:last]:
            fact = self._converter.convert(message)
            self.tally.take(fact)
            yield to_publish(fact, self._partitions)


def irish_lines(partitions: int) -> tuple[list[FactLine], dict[str, str]]:
    """The second pool: its configuration and two tournaments; and names."""
    reports = irish.reports()
    facts = [irish.configuration(), *(report.fact for report in reports)]
    return [to_publish(fact, partitions) for fact in facts], {id: name for report in reports for id, name in report.names.items()}


def to_publish(fact: CloudEvent, partitions: int) -> FactLine:
    """A fact through the same judge as a line of a file."""
    line = read_line(to_line(fact).rstrip(b"\n"), 1, partitions=partitions)
    assert isinstance(line, FactLine), f"what is shipped is good: {line}"
    return line
