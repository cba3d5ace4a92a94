"""The code points that tests with all of Unicode go through."""

import sys

BLOCK = 1024
# Planes 3 to 13 are not assigned, 15 and 16 are for private use: one block of each stands for all.
# The tests of the engine go through every code point.
STARTS = [
    start
    for start in range(0, sys.maxunicode + 1, BLOCK)
    if start < 0x32400 or 0xE0000 <= start < 0xE1000 or start % 0x10000 == 0
]
