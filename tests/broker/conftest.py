"""One broker for the whole run, whoever asks for it; `RERATE_TEST_KAFKA=HOST:PORT` names one that is there instead."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from ops.kafka.local import RUN, KafkaMissing, LocalKafka, find_java

HERE = Path(__file__).parent

SHARED = RUN.with_name(".run-tests")
"""The same for all workers of all runs in this checkout: they share one broker, and the last one ends it."""
USERS = SHARED.with_suffix(".users")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Without Java and Maven one of the broker tests says so, skipped, for all; in CI they fail."""
    mine = [item for item in items if item.get_closest_marker("broker") and item.path.is_relative_to(HERE)]
    if not mine or os.environ.get("RERATE_TEST_KAFKA") or os.environ.get("CI"):
        return
    try:
        find_java()
    except KafkaMissing as missing:
        reason = f"and {len(mine) - 1} more broker tests: {missing}; or name a broker: RERATE_TEST_KAFKA=HOST:PORT"
        mine[0].add_marker(pytest.mark.skip(reason=reason))
        config.hook.pytest_deselected(items=mine[1:])
        items[:] = [item for item in items if item not in mine[1:]]


@pytest.fixture(scope="session")
def bootstrap() -> Iterator[str]:
    named = os.environ.get("RERATE_TEST_KAFKA")
    if named:
        yield named
        return
    kafka = LocalKafka(SHARED)
    with _users() as users:
        if not (users and kafka.is_running()):
            kafka.wipe()
            kafka.start()
        users.add(os.getpid())
    yield kafka.bootstrap()
    with _users() as users:
        users.discard(os.getpid())
        if not users:
            kafka.wipe()


@contextmanager
def _users() -> Iterator[set[int]]:
    """The processes that use the broker, for one at a time to look at and to change."""
    with USERS.open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        users = {pid for pid in map(int, file.read().split()) if _lives(pid)}
        yield users
        file.seek(0)
        file.truncate()
        file.write(" ".join(map(str, sorted(users))))


def _lives(pid: int) -> bool:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, 0)
        return Path(f"/proc/{pid}").exists() or not Path("/proc").exists()
    return False
