"""Bytes from a file or from standard input, unpacked, and cut into blocks of whole lines."""

from __future__ import annotations

import codecs
import os
import select
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from wordodds.corpora.bad_rows import CorpusError
from wordodds.corpora.options import ReadOptions
from wordodds.corpora.zstd import zstd_reader

if TYPE_CHECKING:
    from wordodds.corpora.streams import ByteReader

__all__ = ["Input", "TextBlock", "input_size", "open_input", "read_all", "text_blocks"]

_PATIENCE_S = 0.01
_MAGIC = {b"\x1f\x8b": ".gz", b"\x28\xb5\x2f\xfd": ".zst"}


class Input(NamedTuple):
    """An open input."""

    name: str  # in errors
    read: Callable[[int], bytes]  # up to n bytes, none at the end
    position: Callable[[], int]  # bytes of the file that were read, before unpacking

    def place(self, row: int) -> str:
        """Return the name of a line in errors."""
        return f"{self.name}, line {row}"


class TextBlock(NamedTuple):
    """Whole lines of a text with their ends; the last line of a file may have none."""

    text: str
    damaged: bool  # whether bytes could not be decoded; they became lone surrogates


def input_size(source: str | os.PathLike[str]) -> int | None:
    """Return the bytes of a file, None for standard input and pipes."""
    if source == "-" or not os.path.isfile(source):
        return None
    return os.path.getsize(source)


@contextmanager
def open_input(source: str | os.PathLike[str]) -> Iterator[Input]:
    """Open a file, or standard input by the name "-".

    A file is unpacked where its name ends in ".gz" or ".zst", standard input where its first bytes
    are those of such a file.
    """
    if source == "-":
        yield _standard_input()
        return
    path = os.fspath(source)
    with open(path, "rb") as file:
        stream = _unpacked(file, os.path.splitext(path)[1])
        # A pipe has no position: its progress is not known.
        position = file.tell if file.seekable() else lambda: 0
        yield Input(path, _guarded(stream.read, path), position)


def read_all(source: Input, limit: int = 1 << 20) -> bytes:
    """Return everything that is left, read `limit` bytes at a time."""
    return b"".join(iter(lambda: source.read(limit), b""))


def text_blocks(source: Input, options: ReadOptions) -> Iterator[TextBlock]:
    """Yield the text in blocks of whole lines, of about `options.batch_bytes`."""
    encoding = codecs.lookup(options.encoding).name.removesuffix("-sig")
    if "\n".encode(encoding) != b"\n":  # UTF-16 and its kin, whose lines end otherwise
        recoded = _Recoded(source, encoding, options.encoding_errors)
        source, encoding = source._replace(read=recoded.read), "utf-8"
    first = True
    for data in _line_blocks(source.read, options.batch_bytes):
        block = _decoded(data, encoding, options.encoding_errors)
        if first and block.text.startswith("\N{BYTE ORDER MARK}"):
            block = block._replace(text=block.text[1:])
        first = False
        yield block


def _standard_input() -> Input:
    if sys.stdin is None:
        raise CorpusError("there is no standard input to read from")
    stream = sys.stdin.buffer
    name = "standard input"
    beginning = stream.peek(4) if hasattr(stream, "peek") else b""
    for magic, suffix in _MAGIC.items():
        if beginning.startswith(magic):
            return Input(name, _guarded(_unpacked(stream, suffix).read, name), lambda: 0)
    return Input(name, _Waiting(stream).read, lambda: 0)


def _unpacked(stream: BinaryIO, suffix: str) -> ByteReader:
    if suffix == ".gz":
        import gzip

        return gzip.GzipFile(fileobj=stream, mode="rb")
    return zstd_reader(stream) if suffix == ".zst" else stream


def _guarded(read: Callable[[int], bytes], name: str) -> Callable[[int], bytes]:
    """Turn each library's own error for a damaged archive into one that names the file."""

    def guarded(size: int) -> bytes:
        try:
            return read(size)
        except Exception as error:
            # zlib.error and each library's ZstdError have nothing but Exception in common.
            packed = isinstance(error, EOFError) or type(error).__name__ in ("error", "ZstdError")
            if packed or (isinstance(error, OSError) and error.errno is None):
                raise CorpusError(f"{name}: {error}") from error
            raise

    return guarded


class _Waiting:
    """Reads a pipe in big blocks, but returns what has arrived when the writer pauses."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._read: Any = getattr(stream, "read1", stream.read)
        self._ended = False

    def read(self, size: int) -> bytes:
        pieces: list[bytes] = []
        missing = size
        # Nothing is asked for after the end: a terminal would wait for a second one.
        while missing and not self._ended and (not pieces or self._more_is_there()):
            pieces.append(self._read(missing))
            missing -= len(pieces[-1])
            self._ended = not pieces[-1]
        return b"".join(pieces)

    def _more_is_there(self) -> bool:
        try:
            return bool(select.select([self._stream.fileno()], [], [], _PATIENCE_S)[0])
        except (OSError, ValueError):  # no file descriptor
            return True


class _Recoded:
    """Converts another encoding to UTF-8."""

    def __init__(self, source: Input, encoding: str, errors: str) -> None:
        self._source = source
        self._encoding = encoding
        self._decoder = codecs.getincrementaldecoder(encoding)(errors)

    def read(self, size: int) -> bytes:
        while True:
            data = self._source.read(size)
            try:
                text = self._decoder.decode(data, not data)
            except UnicodeDecodeError as error:
                # The start of the next character is unknown, so no row could be left out.
                raise CorpusError(
                    f"{self._source.name}: not {self._encoding}: {error.reason}"
                ) from error
            if text or not data:
                return text.encode()


def _line_blocks(read: Callable[[int], bytes], size: int) -> Iterator[bytes]:
    pieces: list[bytes] = []
    while chunk := read(size):
        end = chunk.rfind(b"\n") + 1
        if not end:  # a line longer than a block: its pieces are joined once, not at each read
            pieces.append(chunk)
            continue
        yield b"".join([*pieces, chunk[:end]])
        pieces = [chunk[end:]]
    rest = b"".join(pieces)
    if rest:
        yield rest


def _decoded(data: bytes, encoding: str, errors: str) -> TextBlock:
    try:
        return TextBlock(data.decode(encoding, errors), False)
    except UnicodeDecodeError:
        pass
    try:
        return TextBlock(data.decode(encoding, "surrogateescape"), True)
    except UnicodeDecodeError:  # encodings with escape sequences cannot keep single bytes
        lines = [_decoded_line(line, encoding) for line in data.split(b"\n")]
        return TextBlock("\n".join(lines), True)


def _decoded_line(line: bytes, encoding: str) -> str:
    try:
        return line.decode(encoding)
    except UnicodeDecodeError:
        return "\udcff"
