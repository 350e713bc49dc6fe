"""What a `History` says, as plain values: the form in which it is compared with `plain_fold`."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from rerate.history import History, StandingRow
from rerate.messages.facts import FactName, RatingAdjusted, RatingSeeded
from tests.kit.sendable import Data


def told(history: History) -> Data:
    """What a `History` says, in the form of `plain_fold`."""
    events = {
        event.id: {
            "state": event.state,
            "event": _as_sent(event.event),
            "games": [(_as_sent(one.game), one.white, one.black, one.rated, one.why, one.clash, one.early) for one in event.games],
            "flags": list(event.flags),
            "facts": [tuple(identity) for identity in event.facts],
        }
        for event in history.events.values()
    }
    ids = {raw for fact in history.facts.values() for raw in _ids_in(_as_sent(fact.data))}
    rows = {raw: row for raw in ids if (row := history.identity(raw)) is not None}
    registrations = {raw: found for raw in ids if (found := history.registration(raw)) is not None}
    lists = {fact.data.list for fact in history.facts.values() if isinstance(fact.data, RatingSeeded | RatingAdjusted)}
    names = {identity.name for identity in history.facts}
    return {
        "events": dict(sorted(events.items())),
        "identities": {raw: (row.person, list(row.merges), list(row.scoped), row.contested) for raw, row in rows.items()},
        "configuration": _as_sent(history.configuration),
        "registrations": {raw: _as_sent(found) for raw, found in registrations.items()},
        "seeds": {
            (list_id, who): (_as_sent(group.chosen), [_as_sent(seed) for seed in group.others])
            for list_id in lists
            for who, group in history.seeds(list_id).items()
        },
        "adjustments": {
            (list_id, name): (one.id, one.before, one.kind, one.value, None if one.persons is None else list(one.persons))
            for list_id in lists
            for name, one in history.adjustments(list_id).items()
        },
        "events_of": {raw: sorted(theirs) for raw in ids if (theirs := history.events_of(raw))},
        "standings": {tuple(name): _told_row(history.standing(name), name) for name in names},
    }


def _as_sent(value: object) -> Any:
    """A structure as the dicts and lists of its JSON."""
    return msgspec.json.decode(msgspec.json.encode(value))


def _ids_in(data: Any) -> Iterable[str]:
    """Every text in a fact's data that could be an id of a player."""
    if isinstance(data, str):
        yield data
    for part in data.values() if isinstance(data, dict) else data if isinstance(data, Sequence) and not isinstance(data, str) else ():
        yield from _ids_in(part)


def _told_row(row: StandingRow | None, name: FactName) -> list[Any]:
    assert row is not None, f"a known fact without a standing: {name}"
    return [
        (
            one.identity.digest,
            one.type,
            one.standing,
            one.reason,
            None if one.superseded_by is None else tuple(one.superseded_by),
            one.merge,
            list(one.not_fitting),
            list(one.flags),
        )
        for one in row.contents
    ]
