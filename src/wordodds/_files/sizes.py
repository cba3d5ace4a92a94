"""Sizes as people write them: 500MB, 2GB, 1000000."""

from __future__ import annotations

import re

from wordodds._border.checks import whole_number

__all__ = ["byte_size", "parse_size"]

_UNITS = {
    "": 1,
    "b": 1,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
    "tb": 10**12,
    "kib": 1 << 10,
    "mib": 1 << 20,
    "gib": 1 << 30,
    "tib": 1 << 40,
}
_SIZE = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,18})?)\s*([a-z]*)")


def parse_size(text: str) -> int:
    """Read a number of bytes: kB, MB, GB, TB count in thousands, KiB, MiB, GiB, TiB in 1,024.

    Examples
    --------
    >>> parse_size("1GB"), parse_size("1.5 MB"), parse_size("4KiB"), parse_size("1000000")
    (1000000000, 1500000, 4096, 1000000)
    """
    match = _SIZE.fullmatch(text.strip().lower())
    if match is not None and match[2] in _UNITS:
        whole, _, part = match[1].partition(".")
        # In whole numbers: 0.1 has no exact float.
        n_bytes = int(whole + part) * _UNITS[match[2]] // int(10 ** len(part))
        if n_bytes >= 1:
            return n_bytes
    raise ValueError(f"must be a size such as 500MB, 2GB or 1000000, got {text!r}")


def byte_size(value: int | str, name: str) -> int:
    """Check a parameter that is a number of bytes or the text of a size.

    Examples
    --------
    >>> byte_size("2GB", "memory"), byte_size(4096, "memory")
    (2000000000, 4096)
    """
    if isinstance(value, str):
        try:
            return parse_size(value)
        except ValueError as error:
            raise ValueError(f"{name} {error}") from None
    n_bytes = whole_number(value, name, wanted="a number of bytes or text such as '2GB'")
    if n_bytes < 1:
        raise ValueError(f"{name} must be 1 byte or more, got {value}")
    return n_bytes
