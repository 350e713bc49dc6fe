"""Some twenty facts that touch one another, for tests of every set of a few of them in every order."""

from functools import lru_cache
from itertools import count
from typing import Any

from tests.kit.sendable import Data, Sendable


@lru_cache(maxsize=1)
def _alphabet() -> tuple[Sendable, ...]:
    """See `small_alphabet`."""
    pool, numbers = "w:pool", count(1)

    def sent(name: str, actor: str | None = None, fact_id: str | None = None, sender: str = "w/s1", **data: Any) -> Sendable:
        typed = name if name.startswith("rerate.") else f"rerate.{name}.v1"
        return Sendable(typed, sender, fact_id or f"n{next(numbers)}", {"pool": pool, **data}, actor)

    def game(game_id: str, white: str, black: str, result: str = "1-0") -> Data:
        return {"id": game_id, "round": 1, "white": f"w:{white}", "black": f"w:{black}", "result": result}

    def event(date: str, event_id: str = "w:e1") -> Data:
        return {"id": event_id, "date": date, "category": "club", "status": "final"}

    def ruled(ruling: str, revision: int, **data: Any) -> Sendable:
        return sent(
            "event-deleted" if "mode" in data else "result-corrected",
            "w:office",
            event_id="w:e1",
            ruling={"id": ruling, "revision": revision},
            reason="ruling",
            **data,
        )

    def merged(merge_id: str, alias: str, player: str, **data: Any) -> Sendable:
        return sent("identity-merged", "w:office", merge_id=f"w:{merge_id}", alias=f"w:{alias}", player=f"w:{player}", **data)

    def rated_list(list_id: str, period: str) -> Data:
        return {"id": list_id, "quantum": "0.1", "shown": "1", "period": period, "rules": [{"system": "club/1", "parameters": {}}]}

    def seed(player: str, as_of: str) -> Sendable:
        state, origin = {"rating": "1400", "games": 4}, {"code": "elsewhere"}
        return sent("rating-seeded", list="elo", player=f"w:{player}", revision=1, as_of=as_of, state=state, origin=origin)

    first = game("g1", "a", "b"), game("g2", "c", "d", "0-1")
    return (
        sent("result-published", fact_id="0", event=event("2024-01-05"), revision=1, games=list(first)),
        sent("result-published", event=event("2024-01-12"), revision=2, saw=1, games=[game("g1", "a", "b", "0-1")]),
        sent("result-published", fact_id="0", event=event("2024-01-09", "w:e2"), revision=1, games=[game("g1", "b", "c")]),
        sent("result-corrected", event_id="w:e1", revision=2, reason="wrong-result", games=[game("g1", "b", "a", "1/2-1/2")]),
        sent("result-corrected", event_id="w:e1", revision=3, saw=2, reason="wrong-date", removed=["g2"], set={"date": "2024-02-02"}),
        sent("event-deleted", event_id="w:e1", revision=2, mode="archive", reason="duplicate"),
        sent("event-deleted", event_id="w:e1", revision=2, mode="void", reason="never-played"),
        ruled("r1", 1, games=[{"id": "g1", "white": "w:a", "black": "w:b", "fields": {"result": "0-1", "round": None}}]),
        ruled("r1", 2),
        ruled("r2", 1, removed=[{"id": "g1", "white": "w:a", "black": "w:b"}], set={"date": "2024-01-19"}),
        ruled("r3", 1, mode="void"),
        merged("m1", "b", "a"),
        merged("m2", "c", "b"),
        merged("m1", "a", "c", events=["w:e1"]),
        sent("identity-unmerged", "w:office", merge_id="w:m1"),
        sent("pool-configured", revision=1, lists=[rated_list("elo", "event")]),
        sent("pool-configured", revision=1, sender="w/s2", lists=[rated_list("elo", "date"), rated_list("fast", "event")]),
        seed("a", "2023-12-31"),
        seed("b", "2024-01-09"),
        sent(
            "rating-adjusted",
            "w:office",
            adjustment="a1",
            revision=1,
            list="elo",
            before="2024-01-09",
            players=["w:a", "w:b"],
            add="12.5",
            reason="base-correction",
        ),
        sent("player-registered", player="w:b", revision=1, traits={"birth_year": 2012}),
        sent("fact-withdrawn", "w:office", source="w/s1", id="0"),
        sent("rerate.rating-adjusted.v2", points=3),
    )


def small_alphabet() -> list[Sendable]:
    """Some twenty facts about two events and four players that touch one another: revisions that tie, conflicts, rulings that contest,
    merges in a chain and by event with their unmerge, two configurations, seeds and an adjustment of a merged person, a name used twice
    and withdrawn."""
    return list(_alphabet())
