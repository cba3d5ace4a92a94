"""How much memory the process holds."""

import os
from pathlib import Path

__all__ = ["available_bytes", "resident_bytes"]


def resident_bytes() -> int:
    """Return the bytes of memory that the process holds."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def available_bytes() -> int:
    """Return the bytes of memory that new work may take without pushing others out."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        name, _, rest = line.partition(":")
        if name == "MemAvailable":
            return int(rest.split()[0]) * 1024
    raise OSError("/proc/meminfo does not say how much memory is available")
