"""A fact as it is sent: what generators and hand-written tests are made of, and what becomes of it on a log and when it is read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rerate.messages.facts import Fact
from rerate.messages.partition import partition_of
from rerate.messages.reading import Message, read
from rerate.messages.writing import fact_message, fact_topic

Data = dict[str, Any]


@dataclass(frozen=True)
class Sendable:
    """A fact as it is sent."""

    type: str
    source: str
    id: str
    data: Data
    actor: str | None = None

    @property
    def topic(self) -> str:
        """Without the prefix."""
        return fact_topic(self.type)

    @property
    def cloud_event(self) -> dict[str, Any]:
        """As one line of a file of facts holds it."""
        event: dict[str, Any] = {"specversion": "1.0", "type": self.type, "source": self.source, "id": self.id, "data": self.data}
        return event if self.actor is None else event | {"actor": self.actor}

    def message(self, partitions: int = 1) -> Message:
        """As it stands on the log."""
        key, value = fact_message(self.type, self.source, self.id, self.data, self.actor)
        return Message(self.topic, partition_of(key.decode(), partitions), key, value)

    def fact(self) -> Fact:
        """As it is read."""
        fact = read(self.message(), partitions=1)
        assert isinstance(fact, Fact), f"not an acceptable fact: {self}: {fact}"
        return fact


def facts_of(history: Sequence[Sendable]) -> list[Fact]:
    """The facts of a history, read."""
    return [sent.fact() for sent in history]
