"""What the types of a fact cannot see: dates that exist, ids that stand once, fields that go together.

`fault_in` judges a fact by its own content alone. `game_fault` and `event_fault` judge one whole game and one event; the fold asks them
too, when a patch or a ruling has changed single fields.
"""

from collections.abc import Iterable, Iterator
from datetime import date
from typing import Final, assert_never

from msgspec import UNSET, UnsetType

from rerate.messages import facts
from rerate.messages.refusals import NOTHING, Fault, Path

PENALTY_RESULTS: Final = frozenset({"0-0", "1/2-0", "0-1/2"})
BYE_RESULTS: Final = frozenset({"bye-full", "bye-half", "bye-zero", "bye-pairing"})

_DATA: Final[Path] = ("data",)
_REAL_DATE: Final = "a date that exists"


def fault_in(data: facts.Data) -> Fault | None:
    """The first fault of a fact that has the right types, or None."""
    return next(_faults(data), None)


def _faults(data: facts.Data) -> Iterator[Fault]:
    match data:
        case facts.ResultPublished():
            yield from _event_faults(data.event, (*_DATA, "event"))
            yield from _games_faults(data.games, (*_DATA, "games"))
            yield from _repeated((game.id for game in data.games), (*_DATA, "games"), "id")
        case facts.EventCorrected():
            yield from _patch_faults(data.set, (*_DATA, "set"))
            yield from _games_faults(data.games, (*_DATA, "games"))
            seen: set[str] = set()
            yield from _repeated((game.id for game in data.games), (*_DATA, "games"), "id", seen)
            yield from _repeated(data.removed, (*_DATA, "removed"), None, seen)
        case facts.EventRuled():
            yield from _patch_faults(data.set, (*_DATA, "set"))
            for place, ruled in enumerate(data.games):
                yield from _dates((ruled.fields.date,), (*_DATA, "games", place, "fields"), ("date",))
            yield from _games_faults(data.added, (*_DATA, "added"))
            seen = set()
            yield from _repeated((game.id for game in data.games), (*_DATA, "games"), "id", seen)
            yield from _repeated((game.id for game in data.removed), (*_DATA, "removed"), "id", seen)
            yield from _repeated((game.id for game in data.added), (*_DATA, "added"), "id", seen)
        case facts.IdentityMerged():
            yield from _repeated(data.events or (), (*_DATA, "events"))
        case facts.PoolConfigured():
            for place, rating_list in enumerate(data.lists):
                yield from _list_faults(rating_list, (*_DATA, "lists", place))
            yield from _repeated((rating_list.id for rating_list in data.lists), (*_DATA, "lists"), "id")
        case facts.RatingSeeded():
            yield from _dates((data.as_of,), _DATA, ("as_of",))
            yield from _origin_faults(data.origin, (*_DATA, "origin"))
        case (
            facts.EventDeleted()
            | facts.DeletionRuled()
            | facts.IdentityUnmerged()
            | facts.PlayerRegistered()
            | facts.FactWithdrawn()
            | facts.Unknown()
        ):
            pass
        case _:
            assert_never(data)


def event_fault(event: facts.Event) -> Fault | None:
    """What a publication may not say of an event; the path is relative to it."""
    return next(_event_faults(event, ()), None)


def game_fault(game: facts.Game) -> Fault | None:
    """What a publication may not say of a game; the path is relative to it."""
    return next(_game_faults(game, ()), None)


def _event_faults(event: facts.Event, path: Path) -> Iterator[Fault]:
    yield from _dates((event.date, event.start_date, event.reported), path, ("date", "start_date", "reported"))
    if event.start_date is not None and event.start_date > event.date:
        yield Fault((*path, "start_date"), "a date not after the last day", "a later date")
    yield from _repeated(event.lists or (), (*path, "lists"))


def _patch_faults(patch: facts.EventPatch | None, path: Path) -> Iterator[Fault]:
    if patch is not None:
        yield from _dates((patch.date, patch.start_date, patch.reported), path, ("date", "start_date", "reported"))
        yield from _repeated(patch.lists or (), (*path, "lists"))


def _games_faults(games: tuple[facts.Game, ...], path: Path) -> Iterator[Fault]:
    for place, game in enumerate(games):
        if game.date or game.rated or game.unrated_reason or game.points is not None or game.result not in _PLAIN:
            yield from _game_faults(game, (*path, place))


_PLAIN: Final = frozenset({"1-0", "1/2-1/2", "0-1", "+/-", "-/+", "-/-", "*"})
"""Results that ask nothing of the other fields."""


def _game_faults(game: facts.Game, path: Path) -> Iterator[Fault]:
    yield from _dates((game.date,), path, ("date",))
    if game.result in PENALTY_RESULTS and game.rated is None:
        yield Fault((*path, "rated"), "one of both, none, white, black beside a result with a penalty", NOTHING)
    if game.unrated_reason is not None and game.rated in (None, "both"):
        yield Fault((*path, "unrated_reason"), "a reason only where rated is none, white or black", "a reason")
    if game.result == "bye-pairing":
        if game.points is None:
            yield Fault((*path, "points"), "the half points of a pairing bye", NOTHING)
    elif game.points is not None:
        yield Fault((*path, "points"), "points only in a pairing bye", "a whole number")
    if game.result in BYE_RESULTS and (game.white is None) == (game.black is None):
        yield Fault(path, "exactly one side in a bye", "no side" if game.white is None else "both sides")


def _list_faults(rating_list: facts.RatingList, path: Path) -> Iterator[Fault]:
    yield from _dates((rating_list.from_, rating_list.until), path, ("from", "until"))
    if rating_list.from_ is not None and rating_list.until is not None and rating_list.from_ >= rating_list.until:
        yield Fault((*path, "until"), "a day after the first day", "a day that is not later")
    yield from _repeated(rating_list.categories or (), (*path, "categories"))
    yield from _repeated(rating_list.variants or (), (*path, "variants"))
    before: str | None = None
    for place, rule in enumerate(rating_list.rules):
        at = (*path, "rules", place, "from")
        yield from _dates((rule.from_,), at[:-1], ("from",))
        if place == 0 and rule.from_ is not None:
            yield Fault(at, "no date on the first rule", "a date")
        elif place > 0 and rule.from_ is None:
            yield Fault(at, "a date on every rule but the first", NOTHING)
        elif before is not None and rule.from_ is not None and rule.from_ <= before:
            yield Fault(at, "a date after that of the rule before", "a date that is not later")
        before = rule.from_


def _origin_faults(origin: facts.SeedOrigin, path: Path) -> Iterator[Fault]:
    place = (origin.pool, origin.list, origin.update)
    names = ("pool", "list", "update")
    if origin.digest is not None and any(part is not None for part in place):
        yield Fault((*path, "digest"), "a digest or a place in another pool", "both")
    if any(part is not None for part in place):
        for name, part in zip(names, place, strict=True):
            if part is None:
                yield Fault((*path, name), "pool, list and update together", NOTHING)


def _dates(values: Iterable[str | UnsetType | None], path: Path, names: tuple[str, ...]) -> Iterator[Fault]:
    """The texts look like dates; whether the calendar has them is judged here."""
    for value, name in zip(values, names, strict=True):
        if value is None or value is UNSET:
            continue
        try:
            date.fromisoformat(str(value))
        except ValueError:
            yield Fault((*path, name), _REAL_DATE, "a date that does not exist")


def _repeated(ids: Iterable[str], path: Path, name: str | None = None, seen: set[str] | None = None) -> Iterator[Fault]:
    """Entries that stand twice, counting those seen before; the new ones are added to `seen`."""
    seen = set() if seen is None else seen
    for place, entry in enumerate(ids):
        if entry in seen:
            yield Fault((*path, place) if name is None else (*path, place, name), "an entry of its own", "one that stands before")
        seen.add(entry)
