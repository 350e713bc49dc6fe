"""Patches of an event's fields and of a game's: fields that are not named stay, None removes."""

from typing import TypeVar

from msgspec import UNSET
from msgspec.structs import replace

from rerate.messages.facts import Event, EventPatch, Game, GamePatch

Patched = TypeVar("Patched", Event, Game)


def named_fields(patch: EventPatch | GamePatch) -> dict[str, object]:
    """The fields that a patch names, with the values it sets."""
    values = {name: getattr(patch, name) for name in patch.__struct_fields__}
    return {name: value for name, value in values.items() if value is not UNSET}


def patched(value: Patched, patch: EventPatch | GamePatch) -> Patched:
    """The event or game with the patch's fields set."""
    return replace(value, **named_fields(patch))
