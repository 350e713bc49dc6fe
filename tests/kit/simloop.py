"""A world of simulated processes: coroutines driven by hand, in an order and with crashes drawn by a seed.

A coroutine in this world awaits the simulated log, `SimLoop.sleep` and `SimLoop.offload`, and nothing else. There is no thread and no
clock: time passes when the loop says so. The simulated log alone also runs under asyncio (its awaits then just give way).
"""

from collections.abc import Callable, Coroutine, Generator
from random import Random
from typing import Any, Generic, NoReturn, TypeVar

T = TypeVar("T")


class Crashed(BaseException):
    """Raised when the simulated process dies at this point: what it has in memory is gone, what it has written stays."""


class Switch:
    """Awaited where others may run; under asyncio, too."""

    def __await__(self) -> Generator[None, None, None]:
        yield


class SimProcess:
    """One life of a process. It may die at each point it passes; from then on whatever it tries raises Crashed, so no clean-up runs."""

    def __init__(self, name: str = "process", *, seed: int = 0, crash_rate: float = 0.0, crash_at: int | None = None) -> None:
        """
        Args:
            crash_rate: probability of dying at each point.
            crash_at: die at the point of this number, counted from 1. Run once without, read `points`, then try each of them.
        """
        self.name = name
        self.alive = True
        self.is_paused = False
        """Does not run while it is: a process that was stopped and goes on later."""
        self.points = 0
        """Points passed so far."""
        self.last_point = ""
        self.reason = ""
        """Why it died."""
        self._rng = Random(f"{seed} {name}")
        self._crash_rate = crash_rate
        self._crash_at = crash_at

    def point(self, name: str) -> None:
        """A place where the process may die."""
        self.check()
        self.points += 1
        self.last_point = name
        if self.points == self._crash_at or (self._crash_rate and self._rng.random() < self._crash_rate):
            self.die(f"crashed at point {self.points}, {name}")

    def check(self) -> None:
        if not self.alive:
            raise Crashed(self.reason)

    def kill(self, reason: str = "killed") -> None:
        """From outside; the loop ends its tasks."""
        if self.alive:
            self.alive = False
            self.reason = reason

    def die(self, reason: str) -> NoReturn:
        """From inside; what the engine is handed as `die`."""
        self.kill(reason)
        raise Crashed(reason)


class SimTask(Generic[T]):
    """A coroutine on its way. Its error stays in `error` until `result` is asked for."""

    def __init__(self, coroutine: Coroutine[Any, Any, T], process: SimProcess | None, name: str) -> None:
        self.coroutine = coroutine
        self.process = process
        self.name = name
        self.wake_at_ms: int | None = None
        self.is_done = False
        self.error: BaseException | None = None
        self._result: list[T] = []

    @property
    def crashed(self) -> bool:
        return isinstance(self.error, Crashed)

    def result(self) -> T:
        """What the coroutine returned; its error is raised."""
        if self.error is not None:
            raise self.error
        return self._result[0]

    def advance(self) -> object:
        """Run up to its next await; what it awaits, or None."""
        try:
            return self.coroutine.send(None)
        except StopIteration as end:
            self._result.append(end.value)
        except (Crashed, Exception) as error:
            self.error = error
        self.is_done = True
        return None

    def bury(self, reason: str) -> None:
        """End it as a dead process ends: its own clean-up meets Crashed at each await."""
        for _ in range(100):
            try:
                self.coroutine.throw(Crashed(reason))
            except (StopIteration, Crashed, Exception):
                break
        else:
            raise AssertionError(f"{self.name} goes on awaiting after its process has died")
        self.error = Crashed(reason)
        self.is_done = True


class _Sleep:
    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __await__(self) -> Generator["_Sleep", None, None]:
        yield self


class SimLoop:
    """Runs tasks one await at a time; which one is next, and when time passes, is drawn by the seed.

    As a context it ends with all that still runs in it.
    """

    def __init__(self, seed: int = 0, *, now_ms: int = 1_700_000_000_000) -> None:
        self.now_ms = now_ms
        self._rng = Random(f"{seed} loop")
        self._tasks: list[SimTask[Any]] = []

    def __enter__(self) -> "SimLoop":
        return self

    def __exit__(self, *_: object) -> None:
        for task in self._tasks:
            if task.process is not None:
                task.process.kill("the world has ended")
            if not task.is_done:
                task.bury("the world has ended")
        self._tasks = []

    def clock_ms(self) -> int:
        return self.now_ms

    async def sleep(self, seconds: float) -> None:
        """Others run meanwhile; wakes when time has come that far, which may be long after."""
        await _Sleep(seconds)

    async def offload(self, work: Callable[..., T], *arguments: object) -> T:
        """As a thread would: others run before and after."""
        await Switch()
        done = work(*arguments)
        await Switch()
        return done

    def spawn(self, coroutine: Coroutine[Any, Any, T], process: SimProcess | None = None, name: str = "") -> SimTask[T]:
        task = SimTask(coroutine, process, name or str(coroutine))
        self._tasks.append(task)
        return task

    def run(self, coroutine: Coroutine[Any, Any, T], process: SimProcess | None = None, *, at_most: int = 1_000_000) -> T:
        """Spawn, run until it is done, and return what it returned."""
        task = self.spawn(coroutine, process)
        self.run_until(lambda: task.is_done, at_most=at_most)
        return task.result()

    def run_until(self, is_enough: Callable[[], bool], *, at_most: int = 1_000_000) -> None:
        """Run until the condition holds.

        Raises:
            AssertionError: it does not hold after `at_most` steps, or nothing can run any more.
        """
        for _ in range(at_most):
            if is_enough():
                return
            self.step()
        raise AssertionError(f"no end after {at_most} steps; at work: {[task.name for task in self._tasks]}")

    def step(self) -> None:
        """One task up to its next await, or a leap of time to the next sleeper; the dead are buried first."""
        for task in self._tasks:
            if task.process is not None and not task.process.alive and not task.is_done:
                task.bury(task.process.reason)
        self._tasks = [task for task in self._tasks if not task.is_done]
        able = [task for task in self._tasks if task.process is None or not task.process.is_paused]
        ready = [task for task in able if task.wake_at_ms is None or task.wake_at_ms <= self.now_ms]
        asleep = [task.wake_at_ms for task in able if task.wake_at_ms is not None and task.wake_at_ms > self.now_ms]
        if asleep and (not ready or self._rng.random() < 0.1):
            self.now_ms = min(asleep)
            return
        assert ready, f"nothing can run: {[task.name for task in self._tasks]}"
        self._advance(self._rng.choice(ready))

    def _advance(self, task: SimTask[Any]) -> None:
        task.wake_at_ms = None
        awaited = task.advance()
        if isinstance(awaited, _Sleep):
            task.wake_at_ms = self.now_ms + round(awaited.seconds * 1000)
        elif awaited is not None:
            raise AssertionError(f"{task.name} awaits {awaited!r}, which is not of this world")
        if task.crashed and task.process is not None:
            task.process.kill(str(task.error))
