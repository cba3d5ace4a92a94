"""Random strings that find the seams of Unicode: what lower-cases or decomposes into several
characters, white space of all kinds, digits of all scripts, marks, surrogates, all planes."""

import random
import sys
import unicodedata
from functools import cache

__all__ = ["random_bytes", "random_string", "random_strings"]

WORDS = [
    "ab",
    "the",
    "of",
    "Straße",
    "ΣΑΣ",
    "naïve",
    "İstanbul",
    "don't",
    "I",
    "x1",
    "ﬁn",
    "日本語",
]
SEQUENCES = [
    *("\r\n", "Σ\u0301", "ΑΣ\u00ad", "Σ.", "a\u0345Σ", "İ", "i\u0307", "ǅ", "ŉ", "ẖ", "\ufb03"),
    *("👩\u200d👩\u200d👧", "🇩🇪🇫🇷", "e\u0301\u0323", "\u0323\u0301", "가\u11a8", "\u1100\u1161"),
    *("\ud83d\ude00", "\ud800", "\udfff", "\ufeff", "\x00", "\u2126", "\u212b", "\u1e9e", "\u0130"),
]


@cache
def pools() -> list[str]:
    """Return kinds of characters, each of which is drawn from equally often."""
    every = [chr(code) for code in range(sys.maxunicode + 1)]
    assigned = [c for c in every if unicodedata.category(c) not in ("Cn", "Co", "Cs")]
    return [
        "abcdefgXYZ" * 3,
        "   aeiou ",
        "".join(map(chr, range(0x20))),
        "".join(map(chr, range(0x7F, 0x180))),
        "".join(c for c in every if c.isspace()) * 3,
        "".join(c for c in assigned if unicodedata.category(c) == "Nd"),
        "".join(c for c in assigned if unicodedata.category(c) in ("No", "Nl")),
        "".join(c for c in assigned if unicodedata.combining(c)),
        "".join(c for c in assigned if unicodedata.category(c) in ("Mn", "Mc", "Me")),
        "".join(c for c in assigned if len(c.lower()) > 1 or len(c.upper()) > 1),
        "".join(c for c in assigned if c.lower() != c or c.upper() != c),
        "".join(c for c in assigned if len(unicodedata.normalize("NFKD", c)) > 1),
        "".join(
            c
            for c in assigned
            if c.isalnum() != unicodedata.normalize("NFKD", c).isalnum()
            or unicodedata.normalize("NFKD", c).isspace()
        ),
        "".join(c for c in assigned if unicodedata.category(c) in ("Cf", "Pc", "Pd", "Sk", "Zl")),
        "".join(chr(code) for code in range(0xD800, 0xE000, 97)),
        "".join(every[::1009]),
        "".join(assigned),
    ]


def random_string(rng: random.Random, surrogates: bool = True) -> str:
    """Return a string of a few stretches, each of one kind."""
    kinds = pools()
    parts = []
    for _ in range(rng.choice([0, 1, 1, 2, 3, 5, 9])):
        what = rng.randrange(12)
        if what < 6:
            parts.append("".join(rng.choices(rng.choice(kinds), k=rng.randrange(1, 7))))
        elif what < 8:
            parts.append(rng.choice(SEQUENCES))
        elif what < 11:
            parts.append(rng.choice(WORDS))
        elif rng.random() < 0.15:
            parts.append(rng.choice(rng.choice(kinds)) * rng.choice([20, 300, 8190, 8193]))
        if rng.random() < 0.5:
            parts.append(rng.choice([" ", " ", "\t", "  ", "\x85", "\u2028", "\x1c", "\xa0", "."]))
    text = "".join(parts)
    return text if surrogates else text.encode("utf-8", "replace").decode()


def random_strings(rng: random.Random, n: int) -> list[str]:
    """Return strings of which some are equal or share words, and in some batches no surrogates."""
    surrogates = rng.random() < 0.3
    own = [random_string(rng, surrogates) for _ in range(n)]
    return [rng.choice(own) if rng.random() < 0.2 else text for text in own]


def random_bytes(rng: random.Random, text: str) -> bytes:
    """Return a text in some encoding, perhaps with a defect."""
    encoding = rng.choice(["utf-8", "utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"])
    errors = "surrogatepass" if encoding.startswith("utf") and rng.random() < 0.3 else "replace"
    raw = bytearray(text.encode(encoding, errors))
    if raw and rng.random() < 0.2:
        raw[rng.randrange(len(raw))] = rng.randrange(256)
    return bytes(raw)
