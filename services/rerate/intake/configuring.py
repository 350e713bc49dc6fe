"""Configurations to begin with: a pool with one list of the club system, every parameter written out."""

from typing import Literal

from rerate.intake.cloudevents import CloudEvent, cloud_event

Quantum = Literal["1", "0.1", "0.01", "0.001"]
Period = Literal["event", "date", "round"]

CLUB_PARAMETERS: dict[str, str | int] = {
    "start": "1200",
    "k_new": 40,
    "k_new_games": 20,
    "k_established": 20,
    "provisional_below": 5,
    "k_policy": "event_start",
    "protected_game_counts": "yes",
}
"""club/1 as clubs play it; counts and K are whole numbers, the start is a decimal."""


def club_pool(
    pool: str,
    *,
    source: str,
    period: Period = "event",
    quantum: Quantum = "0.1",
    list_id: str = "elo",
    revision: int = 1,
    id: str | None = None,
    actor: str | None = None,
) -> CloudEvent:
    """The configuration of a pool with one list of club/1, shown in whole points.

    Args:
        pool: id of the pool.
        source: the pool's office, `authority/program`.
        period: which games are judged by the same frozen ratings.
        quantum: the unit in which ratings are kept.
        list_id: id of the list.
        revision: of the configuration; the greatest counts.
        id: of the fact; by default `lists-` and the revision.
        actor: minted id of the person who decided, if one did.
    """
    rating_list = {
        "id": list_id,
        "quantum": quantum,
        "shown": "1",
        "period": period,
        "rules": [{"system": "club/1", "parameters": dict(CLUB_PARAMETERS)}],
    }
    data = {"pool": pool, "revision": revision, "lists": [rating_list]}
    return cloud_event("pool-configured", source, id or f"lists-{revision}", data, actor)
