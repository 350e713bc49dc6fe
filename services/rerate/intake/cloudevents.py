"""Facts on their way out: structured CloudEvents as plain dicts, one a line of JSON.

The dict is what a publisher would write by hand. Its line has the bytes of the message that `rerate.messages.writing` makes of it, and its
limits are checked where it is read.
"""

from typing import Any, TypeAlias

from rerate.messages.canonical import canonical

CloudEvent: TypeAlias = dict[str, Any]
"""specversion, type, source, id, perhaps actor, and data: JSON values throughout."""


def cloud_event(name: str, source: str, id: str, data: dict[str, Any], actor: str | None = None) -> CloudEvent:
    """A fact of version 1.

    Args:
        name: its type without prefix and version, `result-published`.
        source: `authority/program` of who publishes.
        id: the publisher's own id of the fact, used once.
        data: what is said.
        actor: minted id of the person who decided, where the type asks for one.
    """
    event: CloudEvent = {"specversion": "1.0", "type": f"rerate.{name}.v1", "source": source, "id": id}
    if actor is not None:
        event["actor"] = actor
    return event | {"data": data}


def to_line(event: CloudEvent) -> bytes:
    """The event as one line of JSON with its line end; the same event gives the same bytes."""
    return canonical(event) + b"\n"
