"""Publishes some histories and prints one digest of every byte of it, to be run under several environments.

`python -m tests.kit.same_bytes HISTORIES SEED [systems]`; with the word, of pools with lists of all systems.
"""

import locale
import sys
import time
from contextlib import suppress
from hashlib import sha256
from random import Random

from tests.kit.all_systems import month_borders, random_system_history
from tests.kit.lagged import date_corrections, random_pool_history
from tests.kit.pool_laws import batches
from tests.kit.published import Fed, placed


def digest_of(histories: int, seed: int, *, of_systems: bool = False) -> str:
    """SHA-256 over all rows and heads of all updates of some histories."""
    running = sha256()
    moves, any_facts = (month_borders, random_system_history) if of_systems else (date_corrections, random_pool_history)
    for number in range(histories):
        history = moves(seed + number) if number % 4 == 0 else any_facts(seed + number, 30)
        pool = Fed()
        for part in batches(Random(number), placed(history)):
            update = pool.take(part)
            if update is not None:
                running.update(repr(sorted(update.rows.items())).encode() + update.head)
    return running.hexdigest()


if __name__ == "__main__":
    with suppress(locale.Error):  # a locale that this system does not have
        locale.setlocale(locale.LC_ALL, "")
    time.tzset()
    print(digest_of(int(sys.argv[1]), int(sys.argv[2]), of_systems=sys.argv[3:] == ["systems"]))
