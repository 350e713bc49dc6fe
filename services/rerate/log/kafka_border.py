"""The border to aiokafka: its errors become ours here, its waits get an end, its clients are closed within bounds.

aiokafka retries without limit and waits for whatever does not answer, so every limit is one of ours, set from outside: a task that does not
listen to its cancellation is left behind, and nobody waits for it.
"""

import asyncio
import logging
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from aiokafka.errors import (
    ConsumerStoppedError,
    CorruptRecordException,
    IllegalOperation,
    InvalidProducerEpoch,
    KafkaError,
    KafkaTimeoutError,
    MessageSizeTooLargeError,
    OffsetOutOfRangeError,
    ProducerFenced,
    RequestTimedOutError,
    UnsupportedCodecError,
)

from .errors import Fenced, LogError, LogInconsistent, LogUnreachable, RecordTooLarge

ANSWER_S = 10.0
"""For a question that a broker answers at once."""
TAKEOVER_S = 60.0
"""For a question that may have to wait until the transaction of a dead owner has ended or another broker has taken over."""
CLOSE_S = 5.0

T = TypeVar("T")

_logger = logging.getLogger(__name__)
_left_behind: set["asyncio.Task[Any]"] = set()


async def within(seconds: float, work: Coroutine[Any, Any, T], what: str) -> T:
    """The result of the work, if it comes in time.

    Args:
        what: what is being done, for the sentence: "reading the ends of rerate.rating-heads".

    Raises:
        LogUnreachable: no answer for that many seconds; the work is cancelled and left to itself.
        LogError: whatever Kafka said to it, in our words.
    """
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait({task}, timeout=seconds)
    except asyncio.CancelledError:
        _leave(task)
        raise
    if not task.done():
        _leave(task)
        raise LogUnreachable(f"{what}: Kafka has not answered for {seconds:g} s")
    with translated(what):
        return task.result()


async def close(stop: Coroutine[Any, Any, None]) -> None:
    """Let a client stop, for `CLOSE_S` at most; a caller who is cancelled meanwhile does not disturb it."""
    task = asyncio.ensure_future(stop)
    try:
        await asyncio.wait({task}, timeout=CLOSE_S)
    finally:
        if not task.done():
            _left_behind.add(task)
            task.add_done_callback(_forget)
            asyncio.get_running_loop().call_later(CLOSE_S, task.cancel)
        else:
            _forget(task)


async def stopped(producer: Any) -> None:
    """Stop a producer, also one whose records nobody takes: it would wait for them without end."""
    try:
        await asyncio.wait_for(producer.stop(), CLOSE_S / 2)
    except TimeoutError:
        producer._sender.sender_task.cancel()
        await asyncio.wait({producer._sender.sender_task}, timeout=CLOSE_S / 4)
        await producer.client.close()


@contextmanager
def translated(what: str) -> Iterator[None]:
    """Raise aiokafka's errors as ours."""
    try:
        yield
    except LogError:
        raise
    except (KafkaError, IllegalOperation, ConsumerStoppedError, AssertionError, OSError, UnicodeDecodeError) as error:
        raise ours(error, what) from error


def ours(error: BaseException, what: str) -> LogError:
    """An error of aiokafka in our words."""
    said = f"{what}: {type(error).__name__} {error}".rstrip()
    match error:
        case ProducerFenced() | InvalidProducerEpoch():
            return Fenced(f"{what}: another writer has been opened since, or the own transaction took longer than it may")
        case MessageSizeTooLargeError():
            return RecordTooLarge(f"{said}; the broker refuses it")
        case OffsetOutOfRangeError():
            return LogInconsistent(f"{said}; this offset is not in the log any more, or not yet")
        case UnsupportedCodecError():
            return LogInconsistent(f"{said}; a producer compresses with a codec that this installation cannot read: install cramjam")
        case CorruptRecordException():
            return LogInconsistent(f"{said}; the bytes are not what was written")
        case UnicodeDecodeError():
            return LogInconsistent(f"{said}; a record has a header whose name is not UTF-8, which Kafka does not allow")
        case KafkaTimeoutError() | RequestTimedOutError():
            return LogUnreachable(f"{what}: Kafka has not answered in time. Try again when it is back")
        case _:
            return LogUnreachable(said)


def _leave(task: "asyncio.Task[Any]") -> None:
    _left_behind.add(task)
    task.add_done_callback(_forget)
    task.cancel()


def _forget(task: "asyncio.Task[Any]") -> None:
    _left_behind.discard(task)
    if not task.cancelled() and task.exception() is not None:
        _logger.debug("left behind: %r", task.exception())
