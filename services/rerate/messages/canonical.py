"""RFC 8785 bytes and the content digest.

Under the limits of a fact (keys `[a-z][a-z0-9_]*`, whole numbers within ±(2^53-1)) orjson with sorted keys *is* RFC 8785: the order of
UTF-8 bytes and of UTF-16 units agree on ASCII keys, whole numbers print in one way, and both escape the same characters of a string.
Outcomes stay under the same limits but for keys such as list ids, which are ASCII too.
"""

from hashlib import sha256

import msgspec
import orjson

from rerate.messages.facts import Sha256


def canonical(value: object) -> bytes:
    """The RFC 8785 bytes of a value of dicts, lists, texts, whole numbers, yes/no and None; structures of msgspec are taken too.

    Raises:
        TypeError: the value holds something JSON has no word for.
    """
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS, default=msgspec.to_builtins)


def content_digest(type: str, actor: str | None, data: object) -> Sha256:
    """SHA-256 of RFC 8785 of `[type, actor or null, data]`, data as it was sent: 32 bytes."""
    return Sha256(sha256(canonical([type, actor, data])).digest())
