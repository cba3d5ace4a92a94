"""Text and numbers for people: tables, terminals and notebooks, harmless whatever the text is."""

import html
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

__all__ = [
    "aligned",
    "ansi_text",
    "html_table",
    "html_text",
    "one_line",
    "shortened",
    "signed",
    "visible",
]

Spans: TypeAlias = Sequence[tuple[int, int, float]]

# Shown in a terminal or notebook; more makes neither readable nor quick.
LONGEST = 20_000
# From faint to strong, each legible under black letters.
GREENS = (194, 157, 120, 83, 46)
REDS = (224, 217, 210, 203, 196)
FAINT = 0.02  # of the strongest contribution: less is not coloured

# Control characters but tab and line feed, surrogates, and what turns the direction of writing.
_HARMFUL = re.compile(
    "\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff"
    "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
)


def visible(text: str) -> str:
    """Return the text with a picture in place of each character that could do harm, one for one."""
    return _HARMFUL.sub(_picture, text)


def one_line(text: object) -> str:
    """Return text without ends of lines and tabs, for a cell of a table."""
    return re.sub("[\t\n\r]", _picture, visible(str(text)))


def shortened(text: str, width: int) -> str:
    """Return the text cut to this number of terminal columns, with an ellipsis if it was."""
    if _columns(text) <= width:
        return text
    left = width - 1
    for place, letter in enumerate(text):
        left -= _columns(letter)
        if left < 0:
            return text[:place] + "…"
    return text


def signed(number: float) -> str:
    """Return a contribution as it is shown: with its sign and four decimals."""
    if number == 0.0:
        return "0"
    return f"{number:+.4f}" if 1e-3 <= abs(number) < 1e6 else f"{number:+.2e}"


def aligned(rows: Iterable[Sequence[str]], left: int = 1, gap: int = 2) -> list[str]:
    """Return lines with columns in line: the first ``left`` flush left, the others flush right."""
    cells = [list(row) for row in rows]
    widths = [max(map(_columns, column)) for column in zip(*cells, strict=True)]
    lines = []
    for row in cells:
        padded = [
            cell + " " * (width - _columns(cell))
            if place < left
            else " " * (width - _columns(cell)) + cell
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append((" " * gap).join(padded).rstrip())
    return lines


def ansi_text(text: str, spans: Spans, width: int | None) -> str:
    """Return text coloured for a terminal, positive spans green, broken at spaces to a width."""
    shown = _wrapped(visible(text[:LONGEST]).replace("\t", " "), width)
    strongest = _strongest(spans)
    parts = []
    for begin, end, value in _pieces(spans, len(shown)):
        part, level = shown[begin:end], min(abs(value) / strongest, 1.0)
        if level >= FAINT:
            colour = (GREENS if value > 0.0 else REDS)[min(int(level * 5.0), 4)]
            # A colour on the end of a line would run to the edge of the screen.
            lines = (
                f"\x1b[38;5;16;48;5;{colour}m{line}\x1b[0m" if line else ""
                for line in part.split("\n")
            )
            part = "\n".join(lines)
        parts.append(part)
    return "".join(parts).replace("\r", "") + _more(text)


def html_text(text: str, spans: Spans) -> str:
    """Return coloured text as HTML; what is in the text stays text."""
    shown = visible(text[:LONGEST])
    strongest = _strongest(spans)
    parts = []
    for begin, end, value in _pieces(spans, len(shown)):
        part, level = html.escape(shown[begin:end]), min(abs(value) / strongest, 1.0)
        if value != 0.0:
            # See-through: it works under dark and under light letters.
            colour = "0,160,60" if value > 0.0 else "220,40,40"
            part = (
                f'<span style="background:rgba({colour},{0.6 * level:.2f})" '
                f'title="{signed(value)}">{part}</span>'
            )
        parts.append(part)
    return "".join(parts) + html.escape(_more(text))


def html_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; the first column flush left, the others flush right."""

    def line(cells: Sequence[str], tag: str) -> str:
        aligns = ["left", *["right"] * (len(cells) - 1)]
        inside = "".join(
            f'<{tag} style="text-align:{align}">{html.escape(cell)}</{tag}>'
            for cell, align in zip(cells, aligns, strict=True)
        )
        return f"<tr>{inside}</tr>"

    body = "".join(line(row, "td") for row in rows)
    return f"<table><thead>{line(header, 'th')}</thead><tbody>{body}</tbody></table>"


def _picture(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"


def _columns(text: str) -> int:
    """Return how many columns of a terminal the text takes."""
    if text.isascii():
        return len(text)
    marks = sum(unicodedata.category(letter) in ("Mn", "Me", "Cf") for letter in text)
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - marks


def _strongest(spans: Spans) -> float:
    sizes = (abs(value) for _, _, value in spans)
    return max((size for size in sizes if math.isfinite(size)), default=0.0) or 1.0


def _pieces(spans: Spans, n_characters: int) -> Iterator[tuple[int, int, float]]:
    """Yield the spans up to a place, and what is between them with contribution 0."""
    done = 0
    for begin, end, value in spans:
        if begin >= n_characters:
            break
        if begin > done:
            yield done, begin, 0.0
        done = min(end, n_characters)
        yield begin, done, value
    if done < n_characters:
        yield done, n_characters, 0.0


def _wrapped(text: str, width: int | None) -> str:
    """Return the text with some spaces made into ends of lines, none added."""
    if width is None:
        return text
    lines = []
    for line in text.split("\n"):
        used, words = 0, line.split(" ")
        parts = words[:1]
        used = _columns(words[0])
        for word in words[1:]:
            size = _columns(word)
            fits = used + 1 + size <= width
            parts.append((" " if fits else "\n") + word)
            used = used + 1 + size if fits else size
        lines.append("".join(parts))
    return "\n".join(lines)


def _more(text: str) -> str:
    left = len(text) - LONGEST
    return f"\n… ({left:,} more characters)" if left > 0 else ""
