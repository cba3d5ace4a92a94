"""Small files that a user keeps in a folder, plain or compressed; they are never downloaded."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from wordodds.datasets.download import (
    DamagedFileError,
    DatasetUnavailable,
    cache_folder,
    data_folder,
)

__all__ = ["read_stored"]

Parsed = TypeVar("Parsed")

MAX_BYTES = 1 << 26  # the largest of these files unpacks to 4 MB


def read_stored(folder: str, file: str, parse: Callable[[list[str]], Parsed]) -> tuple[Parsed, str]:
    """Return what ``parse`` makes of the lines of a file, and where the file is from, in words.

    The file is looked for in this folder of ``$WORDODDS_DATA``, then of the cache, under its name
    and under that with ``.gz``. What ``parse`` finds damaged raises DatasetUnavailable.
    """
    path, source, remedy = _find(folder, file)
    try:
        return parse(_read_lines(path)), source
    except DamagedFileError as reason:
        raise DatasetUnavailable(f"{path} is damaged: {reason}. {remedy}") from reason


def _find(folder: str, file: str) -> tuple[Path, str, str]:
    """Return the file, where it comes from, and what to do if it turns out damaged."""
    own = data_folder()
    places = [] if own is None else [(own / folder, "WORDODDS_DATA", ", or unset WORDODDS_DATA")]
    places.append((cache_folder() / folder, "the cache folder", ""))
    looked_in = []
    for place, origin, other_way in places:
        looked_in.append(str(place))
        for path in (place / file, place / f"{file}.gz"):
            if os.path.isfile(path):  # False also where nothing may be looked at
                return path, f"{path.name} from {origin}", f"Replace it by a good copy{other_way}."
    raise DatasetUnavailable(
        f"{file} was not found in {' or '.join(looked_in)}. Set WORDODDS_DATA to a folder that "
        f"holds {folder}/{file} (or {file}.gz), or place the file at "
        f"{cache_folder() / folder / file}."
    )


def _read_lines(path: Path) -> list[str]:
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DamagedFileError(f"it cannot be unpacked ({error})") from error
    except OSError as error:
        raise DatasetUnavailable(f"{path} cannot be read: {error.strerror or error}") from error
    if len(raw) > MAX_BYTES:
        raise DamagedFileError(f"it has more than {MAX_BYTES:,} bytes")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise DamagedFileError(f"line {line} is not UTF-8") from error
    # Not splitlines: some texts contain characters that it takes for ends of lines.
    return [line.removesuffix("\r") for line in text.split("\n")]
