"""Judging one step's records: which are facts, which were there before, which are refused. Each gets one verdict, in order."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from rerate.log.seam import Record
from rerate.messages.facts import Fact, Identity
from rerate.messages.reading import Message, read
from rerate.messages.refusals import Refusal
from rerate.rater.cache import Accepted


class Judged(NamedTuple):
    """One record and what it is."""

    record: Record
    verdict: Fact | Refusal
    is_duplicate: bool

    @property
    def accepted(self) -> Accepted | None:
        """The record as a new fact, if it is one."""
        return Accepted(self.verdict, self.record) if isinstance(self.verdict, Fact) and not self.is_duplicate else None


def judge(records: Sequence[Record], has: Callable[[str, Identity], bool], partitions: int) -> list[Judged]:
    """Judge records by their own bytes, key and partition, and by the facts accepted before them.

    Args:
        has: whether the fact of a pool was accepted before this step.
    """
    judged: list[Judged] = []
    seen: set[Identity] = set()
    for record in records:
        verdict = read(Message(record.topic, record.partition, record.key, record.value, record.headers), partitions=partitions)
        is_duplicate = False
        if isinstance(verdict, Fact):
            is_duplicate = verdict.identity in seen or has(verdict.data.pool, verdict.identity)
            seen.add(verdict.identity)
        judged.append(Judged(record, verdict, is_duplicate))
    return judged
