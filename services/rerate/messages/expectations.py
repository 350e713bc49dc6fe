"""From a place in a fact to what its schema expects there, and from msgspec's complaint to a fault that quotes nothing.

msgspec says where it stumbled as `$.games[0].round` at the end of a text that may hold the value; only that path, and the name of a missing
field, are taken from it. What was expected comes from the types, what was found from looking the place up in the parsed data.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final, get_args

import msgspec
from msgspec import inspect

from rerate.messages import facts
from rerate.messages.refusals import NOTHING, UNKNOWN_FIELD, Fault, Path, kind_of

NO_OTHER_FIELD: Final = "no field but those of the schema"

_MISSING = re.compile(r"^Object missing required field `([a-z_]+)`")
_UNKNOWN = "Object contains unknown field"
_STEP = re.compile(r"\.([a-z_]+)|\[([0-9]+)\]|\[(\.\.\.)\]")

_BY_PATTERN: Final = {
    "ID": "an id of 1 to 80 letters, digits, '.', '_', ':', '~' or '-'",
    "MINTED": "an id authority:local of at most 80 characters",
    "WORD": "a word of 1 to 40 characters a-z, 0-9 or '-'",
    "SOURCE": "authority/program",
    "DATE": "a date YYYY-MM-DD",
    "MONTH": "a month YYYY-MM",
    "SYSTEM": "a system in its version, such as club/1",
    "DECIMAL": "a decimal string below 10000 in size",
    "HEX": "64 hexadecimal digits",
    "NAME": "names of 1 to 40 characters a-z, 0-9 or '_'",
    "STATE": "a decimal string below 10000 in size or a word",
}


def fault_of(complaint: str, data: object, root: type) -> Fault:
    """The fault behind msgspec's complaint about `data` as a `root`."""
    text, _, where = complaint.rpartition(" - at `")
    if not text:
        text, where = complaint, "$"
    in_keys = where.startswith("key")  # "key` in `$.traits`"
    path, value, node = _look_up(where, data, root)
    if missing := _MISSING.match(text):
        name = missing[1]
        return Fault((*path, name), describe(_field(node, name)), NOTHING)
    if text.startswith(_UNKNOWN):
        return Fault(path, NO_OTHER_FIELD, UNKNOWN_FIELD)
    if in_keys and isinstance(node, inspect.DictType):
        return Fault(path, describe(node.key_type), "another name")
    return Fault(path, describe(node), kind_of(value))


def _look_up(where: str, data: object, root: type) -> tuple[Path, object, inspect.Type]:
    """Follow msgspec's path as far as fields of the schemas and places in lists go; the value and the type there."""
    path: Path = ("data",)
    value, node = data, inspect.type_info(root)
    for step in _STEP.finditer(where[where.index("$") :]):
        node = _only(node)
        if step[1] and isinstance(node, inspect.StructType) and isinstance(value, dict):
            path, value, node = (*path, step[1]), value.get(step[1]), _field(node, step[1])
        elif step[2] and isinstance(node, inspect.VarTupleType) and isinstance(value, list):
            path, value, node = (*path, int(step[2])), value[int(step[2])], node.item_type
        elif step[3] and isinstance(node, inspect.DictType) and isinstance(value, dict):
            value, node = _first_bad(value), node.value_type  # the key is the publisher's own: the pointer stays at the object
        else:
            break
    return path, value, node


def _first_bad(values: dict[str, object]) -> object:
    for value in values.values():
        try:
            msgspec.convert(value, facts.StateValue)
        except msgspec.ValidationError:
            return value
    return None


def _only(node: inspect.Type) -> inspect.Type:
    """The one type of `X | None` and `X | UNSET` that has an inside."""
    if isinstance(node, inspect.UnionType):
        return next((t for t in node.types if isinstance(t, inspect.StructType | inspect.VarTupleType | inspect.DictType)), node)
    return node


def _field(node: inspect.Type, name: str) -> inspect.Type:
    node = _only(node)
    assert isinstance(node, inspect.StructType)
    return next(field.type for field in node.fields if field.encode_name == name)


def describe(node: inspect.Type) -> str:
    """What a value of this type is, in English."""
    match node:
        case inspect.UnionType(types=types):
            return " or ".join(_descriptions(types))
        case inspect.StrType(pattern=pattern):
            return _patterns().get(pattern or "", "a string")
        case inspect.IntType(ge=low, le=high):
            return f"a whole number from {low} to {high}"
        case inspect.BoolType():
            return "true or false"
        case inspect.LiteralType(values=values):
            return f"one of {', '.join(map(str, values))}"
        case inspect.VarTupleType(min_length=low, max_length=high):
            return f"a list of {low} to {high}" if low else f"a list of at most {high}"
        case inspect.DictType(min_length=low, max_length=high):
            return f"an object of {low} to {high} fields" if low else f"an object of at most {high} fields"
        case _:
            return "an object"


def describe_field(root: type, path: Path) -> str:
    """What the schema expects at a path below `data`; "an object" where the path leaves it."""
    where = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path[1:])
    node = inspect.type_info(root)
    for step in _STEP.finditer(where):
        node = _only(node)
        if step[1] and isinstance(node, inspect.StructType):
            node = _field(node, step[1])
        elif step[2] and isinstance(node, inspect.VarTupleType):
            node = node.item_type
    return describe(node)


def _descriptions(types: tuple[inspect.Type, ...]) -> Iterator[str]:
    may_be_removed = any(_is_unset(node) for node in types)
    for node in types:
        if isinstance(node, inspect.NoneType):
            if may_be_removed:  # elsewhere an absent field is absent, and null is refused
                yield "null"
        elif not _is_unset(node):
            yield describe(node)


def _is_unset(node: inspect.Type) -> bool:
    return isinstance(node, inspect.CustomType) or type(node).__name__ == "UnsetType"


@cache
def _patterns() -> dict[str, str]:
    """The types of `facts` that are patterns, by pattern."""
    named: dict[str, Any] = {
        "ID": facts.Id,
        "MINTED": facts.Minted,
        "WORD": facts.Word,
        "SOURCE": facts.Source,
        "DATE": facts.Date,
        "MONTH": facts.Month,
        "NAME": facts.ParameterName,
        "SYSTEM": facts.SystemName,
        "DECIMAL": facts.Decimal,
        "HEX": facts.HexDigest,
        "STATE": get_args(facts.StateValue)[0],
    }
    return {get_args(alias)[1].pattern: _BY_PATTERN[name] for name, alias in named.items()}


@cache
def field_names() -> frozenset[str]:
    """Every name of a field that some schema of a fact has."""
    names: set[str] = set()
    todo: list[inspect.Type] = [inspect.type_info(kind) for kind in get_args(facts.Data)]
    while todo:
        match todo.pop():
            case inspect.StructType(fields=fields):
                names.update(field.encode_name for field in fields)
                todo.extend(field.type for field in fields)
            case inspect.UnionType(types=types):
                todo.extend(types)
            case inspect.VarTupleType(item_type=item):
                todo.append(item)
            case _:
                pass
    return frozenset(names)
