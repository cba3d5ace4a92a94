"""Zstandard streams, through the first library that is installed."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, BinaryIO

from wordodds.corpora.arrow import pyarrow_module

if TYPE_CHECKING:
    from wordodds.corpora.streams import ByteReader, ByteWriter

__all__ = ["zstd_reader", "zstd_writer"]

# Bounds what one step may unpack to: at most 32 KB of output per byte of input.
_INPUT_BYTES = 8192


def zstd_reader(stream: BinaryIO) -> ByteReader:
    """Return a stream of the decompressed bytes; ImportError if no library is installed."""
    reader: ByteReader
    if (standard := _module("compression.zstd")) is not None:  # Python 3.14
        reader = standard.ZstdFile(stream, "rb")
    elif (package := _module("zstandard")) is not None:
        reader = _Frames(stream, package)
    else:
        reader = pyarrow_module("pyarrow", "reading .zst").CompressedInputStream(stream, "zstd")
    return reader


def zstd_writer(stream: BinaryIO) -> ByteWriter:
    """Return a stream that compresses; ImportError if no library is installed."""
    writer: ByteWriter
    if (standard := _module("compression.zstd")) is not None:
        writer = standard.ZstdFile(stream, "wb")
    elif (package := _module("zstandard")) is not None:
        writer = package.ZstdCompressor().stream_writer(stream, closefd=False)
    else:
        writer = pyarrow_module("pyarrow", "writing .zst").CompressedOutputStream(stream, "zstd")
    return writer


def _module(name: str) -> ModuleType | None:
    try:
        return import_module(name)
    except ImportError:
        return None


class _Frames:
    """Frames one after the other; zstandard's own reader accepts a truncated frame."""

    def __init__(self, stream: BinaryIO, package: ModuleType) -> None:
        self._stream = stream
        self._package = package
        self._frame: Any = None
        self._ready = bytearray()

    def read(self, size: int) -> bytes:
        while len(self._ready) < size:
            data = self._stream.read(_INPUT_BYTES)
            if not data:
                break
            self._unpack(data)
        if not self._ready and self._frame is not None:
            raise EOFError("compressed file ended before the end-of-stream marker was reached")
        piece = bytes(self._ready[:size])
        del self._ready[:size]
        return piece

    def close(self) -> None:
        self._ready.clear()

    def _unpack(self, data: bytes) -> None:
        while data:
            if self._frame is None:
                self._frame = self._package.ZstdDecompressor().decompressobj()
            self._ready += self._frame.decompress(data)
            if not self._frame.eof:
                return
            data = self._frame.unused_data
            self._frame = None
