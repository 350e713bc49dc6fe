"""How the drills print what they saw."""

import os
import statistics
from collections.abc import Sequence


def say(*words: object) -> None:
    print(*words, flush=True)


def load() -> str:
    """How busy the machine is, for the figures beside it."""
    return f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"


def spread(values: Sequence[float]) -> str:
    """Median and p99, or the greatest of few."""
    if not values:
        return "-"
    top = sorted(values)[min(len(values) - 1, int(len(values) * 0.99))]
    return f"{statistics.median(values):.1f} (median), {top:.1f} (p99)"


def ratio(one: Sequence[float], other: Sequence[float]) -> str:
    return f"ratio of medians {statistics.median(one) / statistics.median(other):.1f}"
