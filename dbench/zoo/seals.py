"""JSON documents that carry a checksum of themselves, so that a change after writing is seen on reading."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from dbench.errors import DamagedData

__all__ = ["seal", "unseal"]


def seal(document: Mapping[str, Any]) -> bytes:
    """Encode a document (JSON values only, no NaN) with the SHA-256 of itself under ``sha256``."""
    text = json.dumps(document, sort_keys=True, allow_nan=False)
    return json.dumps({**document, "sha256": hashlib.sha256(text.encode()).hexdigest()}, indent=1).encode() + b"\n"


def unseal(data: bytes, path: str) -> dict[str, Any]:
    """Decode a sealed document.

    Args:
        data: what was read.
        path: where, for the message.

    Raises:
        DamagedData: it is not such a document, or does not have the checksum it carries.
    """
    try:
        document = json.loads(data)
        promised = document.pop("sha256")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedData(f"{path} is not a document of the store ({error})") from None
    text = json.dumps(document, sort_keys=True)
    if hashlib.sha256(text.encode()).hexdigest() != promised:
        raise DamagedData(f"{path} does not have the checksum it carries: it was changed after it was written")
    return dict(document)
