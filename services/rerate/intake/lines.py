"""Facts from a file, one CloudEvent a line: every good line as the message to publish, every bad one with line and column.

A line is judged by `rerate.messages.reading`, the same judge that the rater asks: what is good here is accepted there. Blank lines are
skipped, CRLF ends a line as LF does, and a byte order mark before the first line is passed over. The bytes that are published are those of
the line.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import BinaryIO

import msgspec
from msgspec import Struct

from rerate.intake.places import column_of_bad_json, column_of_depth, column_of_pointer
from rerate.messages import codes
from rerate.messages.facts import MAX_FACT_BYTES, Fact
from rerate.messages.partition import partition_of
from rerate.messages.reading import Message, read
from rerate.messages.refusals import Refusal, refused
from rerate.messages.writing import fact_topic

_BOM = b"\xef\xbb\xbf"
_LONGEST = MAX_FACT_BYTES + len(_BOM) + len(b"\r\n")
"""Bytes read of a line at most; one that fills them is too long with or without its mark and its end."""

_READ_ON = 64 * 1024
_TOO_LONG = refused(codes.TOO_LARGE, None, f"at most {MAX_FACT_BYTES} bytes", "more").refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class FactLine:
    """A line that is a fact, ready to publish."""

    number: int
    """From 1."""
    message: Message
    """Topic without prefix, partition, key and the bytes of the line."""
    fact: Fact


@dataclass(frozen=True, slots=True, kw_only=True)
class BadLine:
    """A line that is none, and why."""

    number: int
    column: int
    """In characters, from 1."""
    refusal: Refusal

    @property
    def sentence(self) -> str:
        """What the person who wrote the line has to mend, the place first."""
        place, refusal = f"line {self.number}, column {self.column}", self.refusal
        if refusal.pointer is not None and refusal.expected is not None:
            return f"{place}: {refusal.pointer}: expected {refusal.expected}, found {refusal.found} ({refusal.reason})"
        return f"{place}: {refusal.sentence}"


class _Peek(Struct):
    """As much of a line as is needed to address it; what else is wrong with it the judge will say."""

    type: object = None
    data: msgspec.Raw = msgspec.Raw(b"")


class _DataPeek(Struct):
    pool: str = ""


_peek = msgspec.json.Decoder(_Peek).decode
_peek_data = msgspec.json.Decoder(_DataPeek).decode
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def read_lines(stream: BinaryIO, *, partitions: int) -> Iterator[FactLine | BadLine]:
    """The lines of a stream in order, blank ones left out; no bytes make it raise.

    Args:
        stream: read line by line; of a line that is longer than a fact may be no more is held than that.
        partitions: how many the topics have.
    """
    number = 0
    while raw := stream.readline(_LONGEST):
        number += 1
        if len(raw) == _LONGEST and not raw.endswith(b"\n"):
            _skip_the_rest(stream)
            yield BadLine(number=number, column=1, refusal=_TOO_LONG)
            continue
        line = (raw.removeprefix(_BOM) if number == 1 else raw).removesuffix(b"\n").removesuffix(b"\r")
        if line.strip(b" \t\r\f\v"):
            yield read_line(line, number, partitions=partitions)


def read_line(line: bytes, number: int, *, partitions: int) -> FactLine | BadLine:
    """What a line is, without its end."""
    topic, pool = _address(line)
    message = Message(topic=topic, partition=partition_of(pool, partitions), key=pool.encode(), value=line, headers=())
    verdict = read(message, partitions=partitions)
    if isinstance(verdict, Fact):
        return FactLine(number=number, message=message, fact=verdict)
    return BadLine(number=number, column=_column(line, verdict), refusal=verdict)


def _address(line: bytes) -> tuple[str, str]:
    """Topic and pool. Of bytes that have none, any will do: they are refused before it matters."""
    type, pool = "", ""
    with suppress(*_UNREADABLE):
        peek = _peek(line)
        type = peek.type if isinstance(peek.type, str) else ""
        pool = _peek_data(peek.data).pool
    return fact_topic(type), pool


def _column(line: bytes, refusal: Refusal) -> int:
    if refusal.reason == codes.TOO_LARGE:
        return 1
    if refusal.reason == codes.NOT_JSON:
        return column_of_bad_json(line)
    if refusal.reason == codes.TOO_DEEP:
        return column_of_depth(line)
    return column_of_pointer(line, refusal.pointer or "")


def _skip_the_rest(stream: BinaryIO) -> None:
    while (more := stream.readline(_READ_ON)) and not more.endswith(b"\n"):
        pass
