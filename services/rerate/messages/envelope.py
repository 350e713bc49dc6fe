"""The CloudEvents envelope of a message: which mode it is in, and its attributes.

Structured mode has all in the value; binary mode has the attributes in headers `ce_…` and the data in the value. A content type decides;
a message without one is structured if its value has a `specversion`. Batches are refused: one message is one fact. Attributes that rerate
does not use (`time`, `subject`, `dataschema`, foreign extensions) are ignored, whatever they hold.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from rerate.messages import codes
from rerate.messages.refusals import NOTHING, kind_of, refused

STRUCTURED: Final = "application/cloudevents+json"
_STRUCTURED_PREFIX: Final = "application/cloudevents"
_BATCH_PREFIX: Final = "application/cloudevents-batch"
_ATTRIBUTES: Final = ("specversion", "type", "source", "id", "actor", "submission")

Headers = tuple[tuple[str, bytes | None], ...]


class Envelope(NamedTuple):
    """The attributes of a fact that rerate uses, not yet judged by its own rules, and the data as sent."""

    type: str
    source: str
    id: str
    actor: str | None
    submission: str | None
    data: object


def is_binary(headers: Headers) -> bool:
    """Whether the attributes stand in the headers."""
    if not headers:
        return False
    media_type = _content_type(headers)
    return not (media_type or "").startswith(_STRUCTURED_PREFIX) and any(name == "ce_specversion" for name, _ in headers)


def envelope_of(value: object, headers: Headers, binary: bool) -> Envelope:
    """Take the envelope apart.

    Raises:
        Refused: `not-cloudevents`.
    """
    media_type = _content_type(headers) if headers else None
    if binary:
        attributes: Mapping[str, object] = _from_headers(headers)
        data, data_type = value, media_type
    else:
        if media_type is not None and media_type.startswith(_BATCH_PREFIX):
            raise refused(codes.NOT_CLOUDEVENTS, None, "one fact a message", "a batch")
        if media_type is not None and media_type != STRUCTURED:
            raise refused(codes.NOT_CLOUDEVENTS, None, f"the content type {STRUCTURED}, or headers ce_…", "another content type")
        if not isinstance(value, dict):
            raise refused(codes.NOT_CLOUDEVENTS, (), "an object", kind_of(value))
        if value.get("data_base64") is not None:
            raise refused(codes.NOT_CLOUDEVENTS, ("data_base64",), "data as JSON", "data as base64")
        attributes, data = value, value.get("data")
        data_type = _text(value, "datacontenttype")
    if data_type is not None and not _is_json(_media_type(data_type)):
        raise refused(codes.NOT_CLOUDEVENTS, ("datacontenttype",), "application/json", "another content type")
    version = _required(attributes, "specversion")
    if version != "1.0":
        raise refused(codes.NOT_CLOUDEVENTS, ("specversion",), "1.0", "another version")
    return Envelope(
        _required(attributes, "type"),
        _required(attributes, "source"),
        _required(attributes, "id"),
        _text(attributes, "actor"),
        _text(attributes, "submission"),
        data,
    )


def _required(attributes: Mapping[str, object], name: str) -> str:
    value = _text(attributes, name)
    if not value:
        raise refused(codes.NOT_CLOUDEVENTS, (name,), "a string that is not empty", NOTHING if value is None else "an empty string")
    return value


def _text(attributes: Mapping[str, object], name: str) -> str | None:
    """An attribute; null is absent, as CloudEvents says."""
    value = attributes.get(name)
    if value is None or isinstance(value, str):
        return value
    raise refused(codes.NOT_CLOUDEVENTS, (name,), "a string", kind_of(value))


def _from_headers(headers: Headers) -> dict[str, object]:
    """The attributes in the headers that rerate uses; one given twice is refused, as a key given twice would be."""
    attributes: dict[str, object] = {}
    for header, raw in headers:
        name = header[3:]
        if not header.startswith("ce_") or name not in _ATTRIBUTES:
            continue
        if name in attributes:
            raise refused(codes.NOT_CLOUDEVENTS, (name,), "one header", "two headers")
        try:
            attributes[name] = None if raw is None else raw.decode()
        except UnicodeDecodeError:
            raise refused(codes.NOT_CLOUDEVENTS, (name,), "UTF-8", f"{len(raw or b'')} other bytes") from None
    return attributes


def _content_type(headers: Headers) -> str | None:
    """The media type of the first header that says one."""
    for name, raw in headers:
        if raw and name.lower() == "content-type":
            return _media_type(raw.decode("ascii", "replace"))
    return None


def _media_type(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


def _is_json(media_type: str) -> bool:
    return media_type in ("application/json", "text/json") or media_type.endswith("+json")
