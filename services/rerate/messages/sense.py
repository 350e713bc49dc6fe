"""What the types of a fact cannot see: dates that exist, ids that stand once, fields that go together.

`fault_in` judges a fact by its own content alone. What a whole game and a whole event must be stands in `validity`: the fold asks it too.
"""

from collections.abc import Iterable, Iterator
from datetime import date
from typing import Final, assert_never

from msgspec import UNSET, UnsetType

from rerate.messages import facts
from rerate.messages.refusals import NOTHING, Fault, Path
from rerate.messages.validity import event_problem, game_problem

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
        case facts.RatingAdjusted():
            yield from _dates((data.before,), _DATA, ("before",))
            yield from _change_faults(data)
            yield from _repeated(data.players or (), (*_DATA, "players"))
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


def _event_faults(event: facts.Event, path: Path) -> Iterator[Fault]:
    yield from _dates((event.date, event.start_date, event.reported), path, ("date", "start_date", "reported"))
    if (problem := event_problem(event, 0)) is not None:
        yield Fault((*path[:-1], *problem.pointer.split("/")[1:]), problem.expected, problem.found)
    yield from _repeated(event.lists or (), (*path, "lists"))


def _patch_faults(patch: facts.EventPatch | None, path: Path) -> Iterator[Fault]:
    if patch is not None:
        yield from _dates((patch.date, patch.start_date, patch.reported), path, ("date", "start_date", "reported"))
        yield from _repeated(patch.lists or (), (*path, "lists"))


def _games_faults(games: tuple[facts.Game, ...], path: Path) -> Iterator[Fault]:
    for place, game in enumerate(games):
        if game.date is not None:
            yield from _dates((game.date,), (*path, place), ("date",))
        if (problem := game_problem(game)) is not None:
            yield Fault((*path, place, *problem.pointer.split("/")[1:]), problem.expected, problem.found)


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


def _change_faults(data: facts.RatingAdjusted) -> Iterator[Fault]:
    said = [name for name, value in (("set", data.set), ("add", data.add), ("formula", data.formula)) if value is not None]
    if len(said) > 1:
        yield Fault((*_DATA, said[1]), "at most one of set, add and formula", "another one")
    if data.set is not None and data.players is None:
        yield Fault((*_DATA, "players"), "the players whose rating is set", NOTHING)


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
