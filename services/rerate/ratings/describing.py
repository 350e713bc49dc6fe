"""What a system can be asked for: its kinds of period and quanta, its parameters, the traits it looks at, the fields of its seeds. Found by
asking the system; what the fields mean only its authors know."""

from collections.abc import Callable, Mapping
from typing import get_args

from msgspec import Struct

from rerate.messages.facts import PeriodKind
from rerate.ratings.face import System, Unusable
from rerate.ratings.quantum import PER_POINT
from rerate.ratings.seed_fields import SEED_FIELDS, SeedField

Maker = Callable[[Mapping[str, object], int, str], System]


class Parameter(Struct, frozen=True, kw_only=True):
    """A parameter as its system documents it."""

    name: str
    default: str | int
    """A whole number where the system takes one, else a word or a decimal as text."""
    meaning: str
    """With its limits."""


class Field(Struct, frozen=True, kw_only=True):
    """A field of a seed's state."""

    name: str
    example: object
    """As JSON has it."""
    is_needed: bool
    """Whether there is no seed without it."""
    meaning: str
    """With its limits; empty where the system's package says no more."""


class Described(Struct, frozen=True, kw_only=True):
    """A system with its version, unset parameters at their defaults."""

    system: str
    quanta: dict[str, tuple[str, ...]]
    """Kind of period -> the quanta it can be had in, of `1`, `0.1`, `0.01`, `0.001`; kinds that it does not have are left out."""
    traits: tuple[str, ...]
    """Of registered players, that it asks for."""
    parameters: tuple[Parameter, ...]
    seed: tuple[Field, ...]
    """What the `state` of a `rating-seeded` fact may say."""
    example: dict[str, object]
    """Such a state."""
    formulas: tuple[str, ...]
    """What a `rating-adjusted` fact may name."""


def described(name: str, maker: Maker) -> Described:
    """Ask a system of this name for everything it may be."""
    bound: dict[tuple[str, str], System] = {}
    for kind in get_args(PeriodKind):
        for quantum, per_point in PER_POINT.items():
            try:
                bound[kind, quantum] = maker({}, per_point, kind)
            except Unusable:
                continue
    kinds = dict.fromkeys(kind for kind, _ in bound)
    documented = next((system.parameters for system in bound.values()), {})
    fields, example = _seed(next(iter(bound.values()), None))
    return Described(
        system=name,
        quanta={kind: tuple(quantum for other, quantum in bound if other == kind) for kind in kinds},
        traits=tuple(sorted({trait for system in bound.values() for trait in system.traits})),
        parameters=tuple(Parameter(name=name, default=default, meaning=meaning) for name, (default, meaning) in documented.items()),
        seed=fields,
        example=example,
        # A package of before formulas were part of the face has none.
        formulas=tuple(sorted({formula for system in bound.values() for formula in getattr(system, "formulas", ())})),
    )


def _seed(system: System | None) -> tuple[tuple[Field, ...], dict[str, object]]:
    """The fields of a seed, and a state of them: as told by those who know, else those of a newcomer's state."""
    if system is None:
        return (), {}
    told = seed_fields(system)
    example: dict[str, object] = {field: one.example for field, one in told.items() if one.is_in_example}
    needed = {field for field in example if system.seed({other: value for other, value in example.items() if other != field}) is None}
    fields = (Field(name=field, example=one.example, is_needed=field in needed, meaning=one.meaning) for field, one in told.items())
    return tuple(fields), example


def seed_fields(system: System) -> Mapping[str, SeedField]:
    """The fields that a seed may have, by name."""
    return SEED_FIELDS.get(system.name) or {field: SeedField(value, "") for field, value in system.wire_state(system.start()).items()}


def rates_by(one: Described) -> str:
    """`event, date in steps of 0.1, 0.01; month in steps of 1`: kinds that can be had alike, together."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for kind, quanta in one.quanta.items():
        alike.setdefault(quanta, []).append(kind)
    return "; ".join(f"{', '.join(kinds)} in steps of {', '.join(quanta)}" for quanta, kinds in alike.items())
