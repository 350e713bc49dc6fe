"""`python -m ops.bench --seeds`: the start of a federation: every player's rating from elsewhere, no game yet, in one batch.

Time is CPU of this process; memory is its peak so far, which never goes down: first with the facts read, then with the pool and its update.
"""

import resource
import sys
from time import process_time

from rerate import __version__
from rerate.intake.cloudevents import CloudEvent, cloud_event, to_line
from rerate.messages.facts import Fact, Position
from rerate.messages.reading import Message, read
from rerate.messages.writing import fact_topic
from rerate.pool.pool import Pool, Settings

POOL, SOURCE = "fed:players", "fed/office"
STANDARD = {"id": "standard", "quantum": "1", "shown": "1", "period": "month", "rules": [{"system": "fide/1", "parameters": {}}]}


def measure(count: int) -> None:
    """Seed so many players and print what it took."""
    begin = process_time()
    batch = [(_read(_configuration()), Position("pool-facts", 0))]
    batch += [(_read(_seed(number)), Position("pool-facts", number + 1)) for number in range(count)]
    print(f"making and reading {len(batch):,} facts: {process_time() - begin:.1f} s of CPU, peak memory {_peak_mib():,.0f} MiB")
    pool = Pool(POOL, Settings(engine=f"rerate/{__version__}"))
    begin = process_time()
    update = pool.take(batch, {"pool-facts": len(batch)}, 0)
    seconds = process_time() - begin
    assert update is not None
    rows = ", ".join(f"{len(wired):,} {topic}" for topic, wired in update.rows.items() if wired)
    print(
        f"taking them in one batch: {seconds:.1f} s of CPU, {seconds / count * 1e6:.0f} us a seed, {update.row_count:,} rows "
        f"({rows}); peak memory {_peak_mib():,.0f} MiB"
    )


def _configuration() -> CloudEvent:
    return cloud_event("pool-configured", SOURCE, "lists", {"pool": POOL, "revision": 1, "lists": [STANDARD]})


def _seed(number: int) -> CloudEvent:
    state = {"rating": str(1_400 + number % 1_400), "games": number % 200}
    said = {"list": "standard", "player": f"fed:p{number}", "revision": 1, "as_of": "2024-03-01", "state": state}
    return cloud_event("rating-seeded", SOURCE, f"s{number}", {"pool": POOL, **said, "origin": {"code": "former-list"}})


def _read(event: CloudEvent) -> Fact:
    fact = read(Message(fact_topic(event["type"]), 0, POOL.encode(), to_line(event).strip(), ()), partitions=1)
    assert isinstance(fact, Fact), fact
    return fact


def _peak_mib() -> float:
    """The largest resident size so far."""
    units = 1 if sys.platform == "darwin" else 1_024  # bytes there, KiB elsewhere
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * units / 2**20
