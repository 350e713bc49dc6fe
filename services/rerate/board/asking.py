"""The questions of the views put to a log: which rows each needs, fetched under one head."""

from collections.abc import Mapping
from typing import Any

import orjson
from msgspec import Struct

from rerate.board.lookup import Fetch, Lookup
from rerate.board.rows import DeltaRow, SnapshotRow, deltas_in_order, read_person, read_snapshot
from rerate.board.views import (
    EventRating,
    LadderLine,
    LeftOut,
    Step,
    event_ratings,
    history,
    inactive,
    ladder,
    ladder_as_of,
    left_out,
    missed,
    months_of,
    persons_of,
    system_on,
)
from rerate.messages.codes import IN_FORCE, SUPERSEDED
from rerate.messages.errors import RerateError
from rerate.messages.facts import DELTAS, EVENTS, PERSONS, SNAPSHOTS, STANDINGS
from rerate.pool.head import Head


class NotThere(RerateError):
    """Raised when a pool does not have what is asked for; the sentence says what it has."""


class Ladder(Struct, frozen=True, kw_only=True):
    head: Head
    list_id: str
    lines: list[LadderLine]


class PlayerOnList(Struct, frozen=True, kw_only=True):
    list_id: str
    snapshot: SnapshotRow
    inactive: bool | None
    """See `rerate.board.views.inactive`."""
    state: dict[str, object] | None
    """After the newest row, as the list's system keeps it: deviation, latches, pooled results; None without a row."""
    steps: list[Step]


class PlayerPage(Struct, frozen=True, kw_only=True):
    head: Head
    asked: str
    player: str
    """The person that the id asked for is."""
    merges: tuple[str, ...]
    """Merges in force that name the id asked for."""
    lists: list[PlayerOnList]


class EventPage(Struct, frozen=True, kw_only=True):
    head: Head
    event: dict[str, Any]
    """The row of the event, as published."""
    ratings: list[EventRating]
    left_out: list[LeftOut]
    """What lists have not rated of the games that the facts rate."""


def list_of(head: Head, wanted: str | None) -> str:
    """The list asked for, by default the only one of the pool, or its only official one.

    Raises:
        NotThere: the pool has no such list, or several and none was named.
    """
    lists = sorted(head.lists)
    there = f"its lists are: {', '.join(lists)}" if lists else "it has no list (no configuration has been published)"
    if wanted is None:
        for some in (lists, [name for name in lists if not head.lists[name].shadow]):
            if len(some) == 1:
                return some[0]
        raise NotThere(f"pool {head.pool}: {f'name a list with --list; {there}' if lists else there}")
    if wanted not in head.lists:
        raise NotThere(f"pool {head.pool} has no list {wanted}; {there}")
    return wanted


async def ask_ladder(lookup: Lookup, pool: str, list_id: str | None, as_of: str | None, *, today: str | None = None) -> Ladder:
    """The ladder of a list, now or as of a date.

    Args:
        today: the day on which the ladder of now is read: who is inactive goes by it. None: nobody asks.
    """

    async def read(head: Head, fetch: Fetch) -> Ladder:
        chosen = list_of(head, list_id)
        prefix = f"{pool}/{chosen}@{head.lists[chosen].edition}/"
        snapshots = [read_snapshot(value) for _, value in await fetch(SNAPSHOTS, prefix)]
        if as_of is None:
            if today is None:
                return Ladder(head=head, list_id=chosen, lines=ladder(snapshots))
            latest = max((s for s in snapshots if s.last_game is not None), key=lambda s: s.last_game or "", default=None)
            rows = [] if latest is None else await fetch(DELTAS, f"{prefix}{latest.player}/")  # his newest row names the system
            system = system_on(deltas_in_order(value for _, value in rows), today)
            return Ladder(head=head, list_id=chosen, lines=ladder(snapshots, system=system, on=today))
        deltas = deltas_in_order(value for _, value in await fetch(DELTAS, prefix))
        return Ladder(head=head, list_id=chosen, lines=ladder_as_of(snapshots, deltas, as_of))

    return await lookup.reading(pool, [SNAPSHOTS, DELTAS], read)


async def ask_player(lookup: Lookup, pool: str, asked: str, list_id: str | None, *, today: str | None = None) -> PlayerPage:
    """A player's standing and history on each list, or on one; an id that is somebody else's is followed to him.

    Args:
        today: the day on which it is read: whether he is inactive goes by it. None: nobody asks.

    Raises:
        NotThere: nobody of that id has a rating in the pool.
    """

    async def read(head: Head, fetch: Fetch) -> PlayerPage:
        known = [read_person(value) for key, value in await fetch(PERSONS, f"{pool}@{head.edition}/{asked}") if _ends(key, asked)]
        player = known[0].person if known else asked
        lists = []
        for chosen in sorted(head.lists) if list_id is None else [list_of(head, list_id)]:
            key = f"{pool}/{chosen}@{head.lists[chosen].edition}/{player}"
            found = [read_snapshot(value) for row_key, value in await fetch(SNAPSHOTS, key) if row_key == key.encode()]
            if found:
                deltas = deltas_in_order(value for _, value in await fetch(DELTAS, f"{key}/"))
                idle = None if today is None else inactive(found[0].last_game, system_on(deltas, today), today)
                rows = [delta.row for delta in deltas if delta.row is not None]
                state = rows[-1].state if rows else None
                lists.append(PlayerOnList(list_id=chosen, snapshot=found[0], inactive=idle, state=state, steps=history(deltas)))
        if not lists:
            raise NotThere(_no_rating(head, asked, player, list_id))
        merges = known[0].merges if known else ()
        return PlayerPage(head=head, asked=asked, player=player, merges=merges, lists=lists)

    return await lookup.reading(pool, [PERSONS, SNAPSHOTS, DELTAS], read)


def _no_rating(head: Head, asked: str, player: str, list_id: str | None) -> str:
    """That somebody has no rating, and where to look instead."""
    who = asked if player == asked else f"{asked} ({asked} is {player})"
    held = None if list_id is None else head.lists[list_id].held
    if held is not None:
        return (
            f"list {list_id} of pool {head.pool} is held ({held}), so nobody has a rating there; "
            f"`rerate ladder {head.pool} --list {list_id}` says more"
        )
    if list_id is not None:
        return f"list {list_id} of pool {head.pool} has no rating of {who}; `rerate player {head.pool} {player}` looks on all lists"
    rated = sorted(name for name, one in head.lists.items() if one.held is None)
    if not rated:
        return f"pool {head.pool} has no rating of {who}, and no list that is rated; `rerate status` tells of its lists"
    ladders = " or ".join(f"`rerate ladder {head.pool}{f' --list {name}' if len(head.lists) > 1 else ''}`" for name in rated)
    return f"pool {head.pool} has no rating of {who}; {ladders} lists everybody who has one"


async def ask_event(lookup: Lookup, pool: str, event: str) -> EventPage:
    """An event with what became of each game, and what its periods did to ratings.

    Raises:
        NotThere: the pool knows no such event.
    """

    async def read(head: Head, fetch: Fetch) -> EventPage:
        key = f"{pool}@{head.edition}/{event}"
        found = [value for row_key, value in await fetch(EVENTS, key) if row_key == key.encode()]
        if not found:
            raise NotThere(f"pool {pool} knows no event {event}: it was never published, or its publication was withdrawn")
        deltas: list[DeltaRow] = []
        for list_id, entry in sorted(head.lists.items()):
            for person in persons_of(found[0]):
                for month in months_of(found[0]):
                    prefix = f"{pool}/{list_id}@{entry.edition}/{person}/{month}"
                    deltas += deltas_in_order(value for _, value in await fetch(DELTAS, prefix))
        ratings, not_rated = event_ratings(event, deltas), []
        for list_id, entry in sorted(head.lists.items()):
            seeded_from: dict[str, str] = {}
            for person in sorted({person for sides in missed(found[0], ratings, list_id).values() for person in sides}):
                key = f"{pool}/{list_id}@{entry.edition}/{person}"
                snapshots = [read_snapshot(value) for row_key, value in await fetch(SNAPSHOTS, key) if row_key == key.encode()]
                seeded_from.update((one.player, one.as_of) for one in snapshots if one.as_of is not None)
            not_rated += left_out(found[0], ratings, list_id, is_held=entry.held is not None, seeded_from=seeded_from)
        return EventPage(head=head, event=orjson.loads(found[0]), ratings=ratings, left_out=not_rated)

    return await lookup.reading(pool, [EVENTS, SNAPSHOTS, DELTAS], read)


def is_remarkable(content: Mapping[str, Any]) -> bool:
    """Whether a content neither simply counts nor was simply replaced."""
    return bool(content["flags"] or content.get("not_fitting")) or content["standing"] not in (IN_FORCE, SUPERSEDED)


async def ask_remarkable(lookup: Lookup, pool: str) -> list[dict[str, Any]]:
    """Standings of a pool with a content that neither simply counts nor was simply replaced, by source and id.

    Raises:
        NoSuchPool: the pool has no head.
    """

    async def read(head: Head, fetch: Fetch) -> list[dict[str, Any]]:
        rows = [orjson.loads(value) for _, value in await fetch(STANDINGS, f"{pool}@{head.edition}/")]
        return [row for row in rows if any(map(is_remarkable, row["contents"]))]

    return await lookup.reading(pool, [STANDINGS], read)


async def ask_standing(lookup: Lookup, fact: str, pool: str | None) -> list[dict[str, Any]]:
    """The standing of each content under a name (`source/id`), in one pool or in all."""
    found = []
    for name, head in (await lookup.heads()).items() if pool is None else [(pool, await lookup.head(pool))]:
        record = await lookup.log.newest(lookup.partition(name), STANDINGS, f"{name}@{head.edition}/{fact}".encode())
        if record is not None and record.value is not None:
            found.append(orjson.loads(record.value))
    if not found:
        where = f"pool {pool}" if pool else "any pool"
        raise NotThere(f"no fact {fact} has been accepted in {where}; `rerate receipts` says what became of each message")
    return found


def _ends(key: bytes, raw_id: str) -> bool:
    return key.partition(b"/")[2] == raw_id.encode()
