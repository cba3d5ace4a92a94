r"""Write the tables behind Python's ``\w``, ``\s``, ``str.lower`` and NFKD as C++ initialisers.

Everything is asked of the running interpreter by trying it on each code point, so the tables
agree with it by construction, whatever version of Unicode it carries.

usage: generate_unicode.py OUTPUT
"""

import re
import sys
import unicodedata
from pathlib import Path

BLOCK_BITS = 7
NARROW = 0x800  # below: at most two bytes of UTF-8
SIGMA = "\N{GREEK CAPITAL LETTER SIGMA}"
HANGUL = range(0xAC00, 0xAC00 + 11172)
FINAL_SIGMA = "\N{GREEK SMALL LETTER FINAL SIGMA}"

# Flags of a record; csrc/include/wordodds/text/unicode.hpp names the same bits.
WORD, CASED, IGNORABLE, SPECIAL, SPACE = 1, 2, 4, 8, 16

is_word = re.compile(r"\w").fullmatch
is_space = re.compile(r"\s").fullmatch


def record_of(char: str) -> tuple[int, int]:
    """Return (flags, code point of the lower-case form minus code point)."""
    flags = (WORD if is_word(char) else 0) | (SPACE if is_space(char) else 0)
    # A capital sigma ends as a final one after a cased letter, looking past ignorable ones. So
    # str.lower itself tells which characters it counts as cased and which it looks past.
    if (char + SIGMA).lower()[-1] == FINAL_SIGMA:
        flags |= CASED
    elif ("A" + char + SIGMA).lower()[-1] == FINAL_SIGMA:
        flags |= IGNORABLE
    lowered = char.lower()
    if char == SIGMA or len(lowered) > 1:
        return flags | SPECIAL, 0
    return flags, ord(lowered) - ord(char)


def specials() -> dict[int, str]:
    """Return the lower-case form of each code point that has more than one, sigma aside."""
    found = {}
    for code in range(sys.maxunicode + 1):
        lowered = chr(code).lower()
        if len(lowered) > 1:
            found[code] = lowered
    return found


def narrow_record(code: int, delta: int, special: bool) -> int:
    """Return bytes, marks and length of ``code + delta`` in UTF-8, as the header lays them out.

    0 where the form takes context, more than one character or more than two bytes.
    """
    form = code + delta
    if special or form >= NARROW:
        return 0
    encoded = chr(form).encode()
    flags = record_of(chr(form))[0]
    word = 0x0101 if flags & WORD else 0
    not_space = 0 if flags & SPACE else 0x0101
    return encoded[0] | encoded[-1] << 8 | word << 16 | not_space << 32 | len(encoded) << 48


def narrow_as_is(code: int) -> int:
    """Return the record of the code point itself."""
    return narrow_record(code, 0, special=False)


def narrow_lower(code: int) -> int:
    """Return the record of its lower-case form."""
    flags, delta = record_of(chr(code))
    return narrow_record(code, delta, special=bool(flags & SPECIAL))


def stripped(code: int) -> str:
    """Return what is left of a code point when its accent is stripped."""
    if code in HANGUL:
        return chr(code)
    return "".join(
        char for char in unicodedata.normalize("NFKD", chr(code)) if not unicodedata.combining(char)
    )


def two_stages(values: list[int]) -> tuple[list[int], list[int]]:
    """Split one value per code point into a list of blocks and the distinct blocks."""
    size = 1 << BLOCK_BITS
    blocks: dict[tuple[int, ...], int] = {}
    stage1 = [
        blocks.setdefault(tuple(values[start : start + size]), len(blocks))
        for start in range(0, len(values), size)
    ]
    return stage1, [value for block in blocks for value in block]


def strip_tables() -> str:
    """Return the tables of stripped accents."""
    records = {None: 0}
    values = []
    for code in range(sys.maxunicode + 1):
        text = stripped(code)
        values.append(0 if text == chr(code) else records.setdefault(text, len(records)))
    stage1, stage2 = two_stages(values)
    if len(records) > 0xFFFF or max(stage1) > 0xFF:
        sys.exit("more stripped forms or blocks than the table types can number")
    forms = [form or "" for form in records]
    offsets = [0]
    for form in forms:
        offsets.append(offsets[-1] + len(form))
    # Three syllable parts of three bytes each are what Korean needs.
    longest = max(9, *(len(form.encode()) for form in forms))
    pool = [ord(char) for form in forms for char in form]
    return f"""\
const uint8_t unicode_strip_stage1[{len(stage1)}] = {{
{rows(stage1)}
}};
const uint16_t unicode_strip_stage2[{len(stage2)}] = {{
{rows(stage2)}
}};
const uint32_t unicode_strip_offsets[{len(offsets)}] = {{
{rows(offsets)}
}};
const uint32_t unicode_strip_pool[{len(pool)}] = {{
{rows(pool)}
}};
const int64_t unicode_strip_bytes_max = {longest};
"""


def rows(values: list[int], per_line: int = 24) -> str:
    """Format values as lines of an initialiser."""
    lines = (values[i : i + per_line] for i in range(0, len(values), per_line))
    return "\n".join("    " + ", ".join(map(str, line)) + "," for line in lines)


def main(output: str) -> None:
    """Write the tables to ``output``."""
    longer = specials()
    # The scanner spells out these two cases; a new one in a later Unicode must not pass unseen.
    if longer != {0x130: "i\N{COMBINING DOT ABOVE}"}:
        sys.exit(f"str.lower expands code points the scanner does not know: {longer}")

    records: dict[tuple[int, int], int] = {}
    stage1, stage2 = two_stages(
        [
            records.setdefault(record_of(chr(code)), len(records))
            for code in range(sys.maxunicode + 1)
        ]
    )
    if len(records) > 0xFF or max(stage1) > 0xFFFF:
        sys.exit("more distinct records or blocks than the table types can number")

    text = f"""\
// Generated by tools/generate_unicode.py; do not edit.
const char unicode_version[] = "{unicodedata.unidata_version}";
const uint16_t unicode_stage1[{len(stage1)}] = {{
{rows(stage1)}
}};
const uint8_t unicode_stage2[{len(stage2)}] = {{
{rows(stage2)}
}};
const NarrowRecord unicode_narrow[{NARROW}] = {{
{rows([narrow_as_is(code) for code in range(NARROW)], per_line=6)}
}};
const NarrowRecord unicode_narrow_lower[{NARROW}] = {{
{rows([narrow_lower(code) for code in range(NARROW)], per_line=6)}
}};
const UnicodeRecord unicode_records[{len(records)}] = {{
{chr(10).join(f"    {{{flags}, {delta}}}," for flags, delta in records)}
}};
{strip_tables()}"""
    Path(output).write_text(text, encoding="ascii")


if __name__ == "__main__":
    main(sys.argv[1])
