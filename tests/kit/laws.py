"""How often a law is tried, and on what: the same in every process of a run, and printed by it.

`RERATE_LAWS` is the number of examples of each law (default 300); where it is set, laws carry the marker `long`, so that
`RERATE_LAWS=10000 pytest -m long` runs them and a plain run leaves them out. `RERATE_LAWS_SEED` repeats a run.
"""

import os
from collections.abc import Callable
from random import SystemRandom
from typing import Any

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis.strategies import SearchStrategy

EXAMPLES = int(os.environ.get("RERATE_LAWS", "300"))
SEED = int(os.environ.setdefault("RERATE_LAWS_SEED", str(SystemRandom().getrandbits(32))))
"""Set once in the environment, so that worker processes of this run have it too."""

IS_LONG = "RERATE_LAWS" in os.environ
HEADER = f"laws: {EXAMPLES} examples each, RERATE_LAWS_SEED={SEED}"


def law(*strategies: SearchStrategy[Any], share: float = 1) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a test function a law over random histories, its last arguments drawn from the strategies.

    Args:
        share: of the number of examples, for a law that is expensive.
    """

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        tried = settings(
            max_examples=max(1, round(EXAMPLES * share)),
            deadline=None,
            database=None,
            print_blob=True,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        )(seed(SEED)(given(*strategies)(function)))
        return pytest.mark.timeout(7_200)(pytest.mark.long(tried)) if IS_LONG else tried

    return decorate
