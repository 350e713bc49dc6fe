"""Why a system cannot use a state that a seed gives: which field, and what it may be. Found by asking the system."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from rerate.ratings.describing import seed_fields
from rerate.ratings.face import System


class SeedFault(NamedTuple):
    """What is wrong with a state."""

    field: str
    """The one with another value of which, or without which, or together with which it could be used; empty: there is no such one."""
    sentence: str


def seed_fault(system: System, fields: Mapping[str, object], parameters: Mapping[str, object], as_of: str = "") -> SeedFault:
    """Why a system cannot use a state.

    Args:
        fields: which it cannot use, on the day `as_of` or at all.
        parameters: to which the system is bound.
    """
    asked = _Asked(system, fields, parameters, as_of)
    field, why = asked.fault()
    said = ", ".join(f"{name} {value}" for name, value in fields.items()) or "a state that says nothing"
    return SeedFault(field, f"{system.name} cannot use {said}{why}")


class _Asked:
    def __init__(self, system: System, fields: Mapping[str, object], parameters: Mapping[str, object], as_of: str) -> None:
        self._system, self._fields, self._parameters, self._as_of = system, fields, parameters, as_of
        self._known = seed_fields(system)

    def fault(self) -> tuple[str, str]:
        fields = self._fields
        newcomer = self._system.wire_state(self._system.start())
        for name in fields:
            told = self._documented(name)
            values = [*([] if told is None else [told[0]]), *([newcomer[name]] if name in newcomer else [])]
            if any(self._is_usable({**fields, name: value}) for value in values):
                return name, self._meaning(name)
        for name in reversed(list(fields)):
            if self._is_usable({other: value for other, value in fields.items() if other != name}):
                return name, self._meaning(name) or f"; it has no {name}, but {', '.join(self._known)}"
        for name, one in self._known.items():
            if name not in fields and self._is_usable({**fields, name: one.example}):
                return name, f" without {name}{self._meaning(name)}"
        return "", "".join(map(self._meaning, fields)) or f"; it takes {', '.join(self._known)}"

    def _is_usable(self, fields: Mapping[str, object]) -> bool:
        return self._system.seed(fields, self._as_of) is not None

    def _documented(self, name: str) -> tuple[object, str] | None:
        """An example and the meaning of a field; of one named after a month, what is told of another."""
        alike = (one for other, one in self._known.items() if _undated(other) == _undated(name))
        found = self._known.get(name) or next(alike, None)
        return None if found is None else (found.example, found.meaning)

    def _meaning(self, name: str) -> str:
        """What a field may say, and the limits that it speaks of."""
        told = self._documented(name)
        if told is None or not told[1]:
            return ""
        meaning, given = told[1].partition(";")[0], self._parameters
        limits = [
            f"{parameter} {given.get(parameter, default)}"
            for parameter, (default, _) in self._system.parameters.items()
            if parameter in re.findall(r"m(?:in|ax)_\w+", meaning) and "preset" not in given  # one has defaults of its own
        ]
        return f"; {name}: {meaning}" + (f" (here {', '.join(limits)})" if limits else "")


def _undated(name: str) -> str:
    return re.sub("[0-9]+", "", name)
