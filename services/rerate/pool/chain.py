"""The heads of a pool as a chain: numbers without holes, each with the digest of the one before. Pure."""

from collections.abc import Iterable

from msgspec import Struct

from rerate.messages.errors import RerateError
from rerate.pool.head import Head, head_digest, read_head


class NoSuchPool(RerateError):
    """Raised when a pool is asked for that has no head; the sentence says which pools have one."""

    def __init__(self, pool: str, pools: Iterable[str]) -> None:
        known = ", ".join(sorted(pools))
        there = f"there are: {known}" if known else "no pool has been rated yet (`rerate rater` rates what is published)"
        super().__init__(f"there is no pool {pool}; {there}")


class Link(Struct, frozen=True, kw_only=True):
    """A head in its chain."""

    head: Head
    digest: str
    """SHA-256 of its value: what the next one must name."""
    fault: str | None = None
    """Why it does not follow on the one before."""


class Chain:
    """Takes the heads of one pool in the order of the topic."""

    def __init__(self) -> None:
        self.last: Link | None = None
        self.value: bytes | None = None
        """Of the newest head."""
        self.faults: list[str] = []
        self.count = 0

    def take(self, value: bytes) -> Link:
        """The next head, held against the one before."""
        head, digest = read_head(value), head_digest(value)
        fault = self._fault(head)
        if fault is not None:
            self.faults.append(fault)
        self.last, self.value = Link(head=head, digest=digest, fault=fault), value
        self.count += 1
        return self.last

    def _fault(self, head: Head) -> str | None:
        number, previous = (0, None) if self.last is None else (self.last.head.update, self.last.digest)
        if head.update != number + 1:
            return (
                f"update {number + 1} is expected after {number}, found {head.update}" if number else f"the first update is {head.update}"
            )
        if head.previous != previous:
            return f"update {head.update} names {head.previous} as the digest of the head before, which is {previous}"
        return None


def chains(records: Iterable[tuple[bytes | None, bytes | None]]) -> dict[str, Chain]:
    """The chain of each pool from keys and values of `rating-updates`."""
    found: dict[str, Chain] = {}
    for key, value in records:
        if key is not None and value is not None:
            found.setdefault(key.decode(), Chain()).take(value)
    return found
