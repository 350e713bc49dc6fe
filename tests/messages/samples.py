"""The examples of `schemas/` as messages, in both modes."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from rerate.messages.canonical import canonical
from rerate.messages.partition import partition_of
from rerate.messages.reading import Message
from rerate.messages.writing import fact_topic

SCHEMAS = Path(__file__).parents[2] / "schemas"
PARTITIONS = 6


def example(name: str) -> dict[str, Any]:
    """One example, `result-published.v1/smallest`, to be changed at will."""
    value: dict[str, Any] = json.loads((SCHEMAS / "examples" / f"{name}.json").read_bytes())
    return value


@cache
def fact_examples() -> tuple[str, ...]:
    """Names of all examples that are facts."""
    paths = sorted((SCHEMAS / "examples").glob("*/*.json"))
    return tuple(f"{path.parent.name}/{path.stem}" for path in paths if b'"specversion"' in path.read_bytes())


def structured(event: dict[str, Any]) -> Message:
    """A CloudEvent in structured mode, where it belongs."""
    pool = event["data"]["pool"]
    return Message(fact_topic(event["type"]), partition_of(pool, PARTITIONS), pool.encode(), canonical(event))


def binary(event: dict[str, Any]) -> Message:
    """The same in binary mode."""
    headers = tuple((f"ce_{name}", str(value).encode()) for name, value in event.items() if name != "data")
    return structured(event)._replace(value=canonical(event["data"]), headers=(("content-type", b"application/json"), *headers))


def good_messages() -> list[Message]:
    """Every example, in both modes."""
    return [mode(example(name)) for name in fact_examples() for mode in (structured, binary)]
