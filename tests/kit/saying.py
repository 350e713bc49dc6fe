"""Short words for facts in tests: `published("e1", 1, "A>B")`, `merged("m1", "X", "A")`, and what a history makes of them.

Ids get the authority `t`; a game is "A>B", "A<B" or "A=B", its id g1, g2 … by place unless given as `games` of `game(...)`.
"""

from itertools import count
from typing import Any

from rerate.history import ContentStanding, History
from rerate.messages.canonical import content_digest
from rerate.messages.facts import FactName, Identity
from tests.kit.sendable import Data, Sendable

POOL = "t:pool"
OFFICE = "t:office"
_RESULTS = {">": "1-0", "=": "1/2-1/2", "<": "0-1"}
_ids = count(1)


def minted(name: str) -> str:
    return f"t:{name}"


def sent(kind: str, *, id: str | None = None, source: str = "t/club", actor: str | None = None, **data: Any) -> Sendable:
    """A fact of version 1; without an id one of its own."""
    said = {name: value for name, value in data.items() if value is not None}
    return Sendable(f"rerate.{kind}.v1", source, id or f"id{next(_ids)}", {"pool": POOL, **said}, actor)


def game(id: str, pairing: str, **fields: Any) -> Data:
    """A game; `result` may be given instead of a sign: game("g1", "A-", result="bye-full")."""
    sign = next((sign for sign in "><=-" if sign in pairing), "-")
    white, _, black = pairing.partition(sign)
    sides = {side: minted(name) for side, name in (("white", white), ("black", black)) if name}
    return {"id": id, **sides, **({"result": _RESULTS[sign]} if sign in _RESULTS else {}), **fields}


def games(*pairings: str | Data, **fields: Any) -> list[Data]:
    return [game(f"g{i}", one, **fields) if isinstance(one, str) else one for i, one in enumerate(pairings, start=1)]


def published(event: str, revision: int, *pairings: str | Data, date: str = "2024-01-05", **more: Any) -> Sendable:
    """A publication; `more` are saw, id, source, and fields of the event."""
    envelope = {name: more.pop(name) for name in ("id", "source", "saw") if name in more}
    described = {"id": minted(event), "date": date, "category": "club", "status": "final", **more}
    return sent("result-published", event=described, revision=revision, games=games(*pairings), **envelope)


def corrected(event: str, revision: int, *pairings: str | Data, **more: Any) -> Sendable:
    """A correction; `more` are saw, set, removed, id, source."""
    puts = games(*pairings) or None
    return sent("result-corrected", event_id=minted(event), revision=revision, reason="wrong-result", games=puts, **more)


def deleted(event: str, revision: int, mode: str, **more: Any) -> Sendable:
    return sent("event-deleted", event_id=minted(event), revision=revision, mode=mode, reason="never-played", **more)


def ruled(event: str, ruling: str, revision: int = 1, **data: Any) -> Sendable:
    """A ruling: with `mode` a deletion, else a correction with set, games, removed, added."""
    kind = "event-deleted" if "mode" in data else "result-corrected"
    name = {"id": ruling, "revision": revision}
    return sent(kind, actor=OFFICE, event_id=minted(event), ruling=name, reason="ruling", **data)


def change(id: str, pairing: str, **fields: Any) -> Data:
    """A game of a ruling, named by id and sides: change("g1", "A-B", result="0-1")."""
    return game(id, pairing) | {"fields": fields}


def merged(merge_id: str, alias: str, player: str, *events: str, **more: Any) -> Sendable:
    where = [minted(event) for event in events] or None
    return sent(
        "identity-merged", actor=OFFICE, merge_id=minted(merge_id), alias=minted(alias), player=minted(player), events=where, **more
    )


def unmerged(merge_id: str, **more: Any) -> Sendable:
    return sent("identity-unmerged", actor=OFFICE, merge_id=minted(merge_id), **more)


def withdrawn(fact: Sendable, **more: Any) -> Sendable:
    withdrawal = sent("fact-withdrawn", actor=OFFICE, **more)
    return Sendable(
        withdrawal.type, withdrawal.source, withdrawal.id, {"pool": POOL, "source": fact.source, "id": fact.id}, withdrawal.actor
    )


def configured(revision: int, *lists: str, **more: Any) -> Sendable:
    """Lists of club/1, named "elo" or "elo/date": the period after the slash, `event` by default."""
    rules = [{"system": "club/1", "parameters": {}}]
    described = [
        {"id": name, "quantum": "0.1", "shown": "1", "period": period or "event", "rules": rules}
        for name, _, period in (one.partition("/") for one in lists)
    ]
    return sent("pool-configured", revision=revision, lists=described, **more)


def seeded(player: str, revision: int = 1, *, list: str = "elo", as_of: str = "2023-12-31", state: Data | None = None) -> Sendable:
    given = state or {"rating": "1400", "games": 20}
    origin = {"code": "elsewhere"}
    return sent("rating-seeded", list=list, player=minted(player), revision=revision, as_of=as_of, state=given, origin=origin)


def adjusted(adjustment: str, revision: int = 1, *players: str, list: str = "elo", before: str = "2024-01-05", **more: Any) -> Sendable:
    """An adjustment of some players, or without any of everybody; `more` are set, add or formula, id, source."""
    who = [minted(player) for player in players] or None
    named: Data = {"adjustment": adjustment, "revision": revision, "list": list, "before": before}
    return sent("rating-adjusted", actor=OFFICE, players=who, reason="base-correction", **named, **more)


def registered(player: str, revision: int = 1, **traits: Any) -> Sendable:
    return sent("player-registered", player=minted(player), revision=revision, traits=traits)


def identity_of(fact: Sendable) -> Identity:
    return Identity(fact.source, fact.id, content_digest(fact.type, fact.actor, fact.data))


def history_of(*facts: Sendable) -> History:
    """A history that was given the facts one by one."""
    history = History()
    for fact in facts:
        history.add([fact.fact()])
    return history


def standing(history: History, fact: Sendable) -> ContentStanding:
    row = history.standing(FactName(fact.source, fact.id))
    assert row is not None
    return next(content for content in row.contents if content.identity == identity_of(fact))


def stands(history: History, fact: Sendable) -> str:
    """The standing in one word or two: "held publication"."""
    content = standing(history, fact)
    return content.standing if content.reason is None else f"{content.standing} {content.reason}"


def results(history: History, event: str) -> dict[str, str]:
    """Game id -> "A 1-0 B" by persons, with why it is not rated: "A 1-0 A: same-person"."""
    out = {}
    for one in history.events[minted(event)].games:
        white, black = (side.removeprefix("t:") if side else "-" for side in (one.white, one.black))
        out[one.game.id] = f"{white} {one.game.result} {black}" + (f": {one.why}" if one.why else "")
    return out


def date_of(history: History, event: str) -> str:
    content = history.events[minted(event)].event
    assert content is not None
    return content.date
