"""What is asked of a stream of bytes, whichever library packs or unpacks it."""

from __future__ import annotations

from typing import Protocol

__all__ = ["ByteReader", "ByteWriter"]


class ByteReader(Protocol):
    """A stream that can be read."""

    def read(self, size: int, /) -> bytes:
        """Return up to `size` bytes, none at the end."""


class ByteWriter(Protocol):
    """A stream that can be written."""

    def write(self, data: bytes, /) -> object:
        """Write all bytes."""

    def flush(self) -> object:
        """Hand on what was written."""

    def close(self) -> object:
        """Write what the format ends with."""
