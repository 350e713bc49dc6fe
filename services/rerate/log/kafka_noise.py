"""Keeps aiokafka's log readable: while a broker is away it says the same some 250 times a second."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

import aiokafka.admin  # so that its loggers are there
import aiokafka.consumer.fetcher
import aiokafka.consumer.group_coordinator
import aiokafka.producer.sender  # noqa: F401

EVERY_S = 30.0
AT_ONCE = 3


@dataclass(slots=True)
class _Said:
    since: float
    count: int


class FewOfEach(logging.Filter):
    """Lets the first few of each message through in a while; the first of the next while tells how many were kept back."""

    def __init__(self, *, at_once: int = AT_ONCE, every_s: float = EVERY_S, clock: Callable[[], float] = time.monotonic) -> None:
        """
        Args:
            at_once: how many of one message pass in a while.
            every_s: how long a while is.
        """
        super().__init__()
        self._at_once, self._every_s, self._clock = at_once, every_s, clock
        self._said: dict[tuple[str, int, str], _Said] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        key = (record.name, record.levelno, str(record.msg))
        now = self._clock()
        said = self._said.get(key)
        if said is None or now - said.since >= self._every_s:
            kept_back = 0 if said is None else max(0, said.count - self._at_once)
            if kept_back:
                record.msg, record.args = (
                    f"{record.getMessage()} (and {kept_back} more like it in {now - (said or _Said(now, 0)).since:.0f} s)",
                    (),
                )
            self._said[key] = _Said(now, 1)
            return True
        said.count += 1
        return said.count <= self._at_once


def limit_noise() -> None:
    """Let all loggers of aiokafka say each thing a few times only; a second call changes nothing."""
    few = FewOfEach()
    for name in list(logging.root.manager.loggerDict):
        logger = logging.getLogger(name)
        if name.split(".")[0] == "aiokafka" and not any(isinstance(one, FewOfEach) for one in logger.filters):
            logger.addFilter(few)
