"""Read a compressed tar archive into memory, without trusting it."""

from __future__ import annotations

import gzip
import io
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from wordodds.datasets.download import DamagedFileError

__all__ = ["members"]

# The largest archive of the publisher unpacks to 50 MB.
_MAX_UNPACKED = 1 << 28


def members(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the name and bytes of each plain file in the archive, in the archive's order.

    Links, devices and folders are skipped and nothing is written to disk, so no member's
    name can do harm. Raises DamagedFileError when the archive cannot be read to its end.

    The archive is unpacked in one go and cut by the offsets in its headers: a third faster
    than asking tarfile for one file object per message.
    """
    try:
        with gzip.open(path) as packed:
            raw = packed.read(_MAX_UNPACKED + 1)
        if len(raw) > _MAX_UNPACKED:
            raise DamagedFileError(f"it unpacks to more than {_MAX_UNPACKED:,} bytes")
        with tarfile.open(fileobj=io.BytesIO(raw), mode="r:") as archive:
            for member in archive:
                if member.isreg():
                    start = member.offset_data
                    yield member.name.removeprefix("./"), raw[start : start + member.size]
    except DamagedFileError:
        raise
    except (gzip.BadGzipFile, EOFError, zlib.error, tarfile.TarError, ValueError) as error:
        # ValueError: what tarfile lets through from header fields that make no sense
        raise DamagedFileError(f"it is not a readable .tar.gz archive ({error})") from error
