"""Sizes as people write them."""

import pytest

from wordodds._files.sizes import byte_size, parse_size


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1GB", 10**9),
        ("500MB", 5 * 10**8),
        ("2 gb", 2 * 10**9),
        ("1000000", 10**6),
        ("1B", 1),
        ("0.1kB", 100),
        ("1.5TB", 15 * 10**11),
        ("4KiB", 4096),
        ("1GiB", 2**30),
        (" 3mib ", 3 * 2**20),
    ],
)
def test_sizes(text, expected):
    assert parse_size(text) == byte_size(text, "memory") == expected


@pytest.mark.parametrize("text", ["", "GB", "-1GB", "1XB", "0", "0.0001B", "1e9", "1 G B", "٣GB"])
def test_what_is_no_size(text):
    with pytest.raises(ValueError, match="must be a size such as 500MB, 2GB or 1000000, got"):
        parse_size(text)
    with pytest.raises(ValueError, match="memory must be a size"):
        byte_size(text, "memory")


def test_numbers():
    assert byte_size(4096, "memory") == 4096
    with pytest.raises(ValueError, match="memory must be 1 byte or more, got 0"):
        byte_size(0, "memory")
    for value in (True, 1.5, None):
        with pytest.raises(TypeError, match="memory must be a number of bytes or text such as"):
            byte_size(value, "memory")
