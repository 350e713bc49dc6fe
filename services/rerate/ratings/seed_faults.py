"""Why a system cannot use a state that a seed gives: which field, and what it may be. Found by asking the system."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from rerate.ratings.describing import seed_fields
from rerate.ratings.face import System
from rerate.ratings.seed_fields import SEED_FIELDS, SeedField


class SeedFault(NamedTuple):
    """What is wrong with a state."""

    field: str
    """The one with another value of which, or without which, or together with which it could be used; empty: there is no such one."""
    why: str
    """The end of a sentence that begins `SYSTEM cannot use STATE`."""


def seed_fault(system: System, fields: Mapping[str, object], parameters: Mapping[str, object], as_of: str = "") -> SeedFault:
    """Why a system cannot use a state.

    Args:
        fields: which it cannot use, on the day `as_of` or at all.
        parameters: to which the system is bound.
    """
    return SeedFault(*_Asked(system, fields, parameters, as_of).fault())


class _Asked:
    def __init__(self, system: System, fields: Mapping[str, object], parameters: Mapping[str, object], as_of: str) -> None:
        self._system, self._fields, self._parameters, self._as_of = system, fields, parameters, as_of
        self._known = seed_fields(system)

    def fault(self) -> tuple[str, str]:
        fields = self._fields
        unknown = [name for name in fields if self._system.name in SEED_FIELDS and self._documented(name) is None]
        if unknown:
            return unknown[0], f"; it has no {' and no '.join(unknown)}, but {', '.join(self._known)}"
        newcomer = self._system.wire_state(self._system.start())
        for name in fields:
            told = self._documented(name)
            values = [*([] if told is None else [told.example]), *([newcomer[name]] if name in newcomer else [])]
            if any(self._is_usable({**fields, name: value}) for value in values):
                return name, self._meaning(name)
        for name in sorted(fields, key=lambda name: name == "rating"):
            if self._is_usable({other: value for other, value in fields.items() if other != name}):
                return name, self._meaning(name) or f"; it takes {', '.join(self._known)}"
        for name, one in self._known.items():
            if name not in fields and self._is_usable({**fields, name: one.example}):
                return name, f" without {name}{self._meaning(name)}"
        return "", "".join(map(self._meaning, fields)) or f"; it takes {', '.join(self._known)}"

    def _is_usable(self, fields: Mapping[str, object]) -> bool:
        return self._system.seed(fields, self._as_of) is not None

    def _documented(self, name: str) -> SeedField | None:
        """What is told of a field; of one named after a month, what is told of another."""
        alike = (one for other, one in self._known.items() if name != _undated(name) == _undated(other))
        return self._known.get(name) or next(alike, None)

    def _meaning(self, name: str) -> str:
        """What a field may say, and the limits that it speaks of."""
        told = self._documented(name)
        if told is None or not told.meaning:
            return ""
        meaning, given = told.meaning.partition(";")[0], self._parameters
        limits = [
            f"{parameter} {given.get(parameter, default)}"
            for parameter, (default, _) in self._system.parameters.items()
            if parameter in re.findall(r"m(?:in|ax)_\w+", meaning) and "preset" not in given  # one has defaults of its own
        ]
        return f"; {name}: {meaning}" + (f" (here {', '.join(limits)})" if limits else "")


def _undated(name: str) -> str:
    return re.sub("_[0-9]{4}_[0-9]{2}$", "", name)
