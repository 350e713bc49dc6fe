"""Two tournaments of 2011 as a second pool: reports that took place, with invented people, fifteen of whom played in both.

`data/trf/LICENCES.md` says whose they are. The masters who came from abroad have no national number: they are other players in each
of the two events.
"""

from importlib.resources import files

from rerate.intake.cloudevents import CloudEvent
from rerate.intake.configuring import Quantum, club_pool
from rerate.intake.trf import TrfReport, read_trf

POOL = "irl:open"
SOURCE = "irl/trf"
OFFICE = "irl/office"
EVENTS = ("irl:bunratty-2011", "irl:kilkenny-2011")


def configuration(quantum: Quantum = "0.1", revision: int = 1) -> CloudEvent:
    """The pool's lists: one, `elo`, club/1 by event."""
    return club_pool(POOL, source=OFFICE, period="event", quantum=quantum, revision=revision)


def report_file(event_id: str) -> bytes:
    """The report of one of `EVENTS` as shipped."""
    name = event_id.partition(":")[2] + ".trf"
    return files("rerate.intake").joinpath("data", "trf", name).read_bytes()


def reports() -> list[TrfReport]:
    """The two reports as read, in order of date."""
    return [read_trf(report_file(id), pool=POOL, event_id=id, source=SOURCE, category="masters") for id in EVENTS]
