"""A page of headings, paragraphs, tables and figures, as Markdown and as HTML."""

import base64
import html
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

__all__ = [
    "Block",
    "Heading",
    "Image",
    "Items",
    "Paragraph",
    "Table",
    "quoted",
    "to_html",
    "to_markdown",
]


class Heading(NamedTuple):
    """A heading; the anchor is what links lead to."""

    level: int
    text: str
    anchor: str


class Paragraph(NamedTuple):
    """Plain text; ``[words](address)`` is a link."""

    text: str


class Items(NamedTuple):
    """A list of paragraphs."""

    texts: Sequence[str]


class Table(NamedTuple):
    """Cells of text as in paragraphs; a cell may have several lines."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]


class Image(NamedTuple):
    """A figure that lies in a file."""

    path: Path  # of the SVG
    relative: str  # its address as seen from the page
    caption: str
    anchor: str


Block: TypeAlias = Heading | Paragraph | Items | Table | Image

# An address stays on this page or in this folder; words may have anything but brackets.
_LINK = re.compile(r"\[([^\[\]]+)\]\((#?[\w./-]+)\)")

_CSS = """
body { font: 16px/1.5 system-ui, sans-serif; color: #222; max-width: 62rem; margin: 2rem auto;
       padding: 0 1rem; }
h1, h2, h3 { line-height: 1.2; }
h2 { margin-top: 3rem; border-top: 1px solid #ddd; padding-top: 1rem; }
table { border-collapse: collapse; font-size: 0.9rem; }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.6rem;
         border-bottom: 1px solid #ddd; }
/* On a narrow page the cells of a row stand one below the other. */
@media (max-width: 40rem) {
  table, tr, td { display: block; }
  th { display: none; }
  tr { border-bottom: 1px solid #bbb; padding: 0.5rem 0; }
  td { border: 0; padding: 0.15rem 0; overflow-wrap: anywhere; }
  td:nth-child(2) { font-weight: 600; }
}
figure { margin: 1.5rem 0; }
figure img { width: 100%; max-width: 54rem; }
figcaption { font-size: 0.9rem; color: #444; }
"""


def quoted(text: str) -> str:
    """Return words that came with the data: short, on one line, and without markup."""
    line = " ".join(text.split())
    for mark, harmless in (("[", "("), ("]", ")"), ("`", "'")):
        line = line.replace(mark, harmless)
    return line if len(line) <= 400 else line[:399] + "\N{HORIZONTAL ELLIPSIS}"


def to_markdown(title: str, blocks: Sequence[Block], *, note: str) -> str:
    """Return the page as Markdown; figures stay in their files."""
    parts = [f"<!-- {note} -->", f"# {title}"]
    for block in blocks:
        if isinstance(block, Heading):
            parts.append(f'<a id="{block.anchor}"></a>\n{"#" * block.level} {_plain(block.text)}')
        elif isinstance(block, Paragraph):
            parts.append(_plain(block.text))
        elif isinstance(block, Items):
            parts.append("\n".join(f"- {_plain(text)}" for text in block.texts))
        elif isinstance(block, Table):
            lines = [block.header, ["---"] * len(block.header), *block.rows]
            parts.append("\n".join(f"| {' | '.join(map(_cell, cells))} |" for cells in lines))
        else:
            alternative = block.caption.split(". ")[0].replace("[", "(").replace("]", ")")
            parts.append(
                f'<a id="{block.anchor}"></a>\n![{alternative}]({block.relative})\n\n'
                f"*{_plain(block.caption)}*"
            )
    return "\n\n".join(parts) + "\n"


def to_html(title: str, blocks: Sequence[Block], *, note: str) -> str:
    """Return the page as HTML that needs no other file."""
    parts = [
        f'<!DOCTYPE html>\n<!-- {note} -->\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{html.escape(title)}</title>\n<style>{_CSS}</style>\n<h1>{html.escape(title)}</h1>"
    ]
    for block in blocks:
        if isinstance(block, Heading):
            tag = f"h{block.level}"
            parts.append(f'<{tag} id="{block.anchor}">{_linked(block.text)}</{tag}>')
        elif isinstance(block, Paragraph):
            parts.append(f"<p>{_linked(block.text)}</p>")
        elif isinstance(block, Items):
            items = "".join(f"<li>{_linked(text)}</li>\n" for text in block.texts)
            parts.append(f"<ul>\n{items}</ul>")
        elif isinstance(block, Table):
            head = "".join(f"<th>{_linked(cell)}</th>" for cell in block.header)
            body = "".join(
                "<tr>" + "".join(f"<td>{_linked(cell)}</td>" for cell in cells) + "</tr>\n"
                for cells in block.rows
            )
            parts.append(f"<table>\n<tr>{head}</tr>\n{body}</table>")
        else:
            picture = base64.b64encode(block.path.read_bytes()).decode("ascii")
            parts.append(
                f'<figure id="{block.anchor}"><img alt="{html.escape(block.caption)}" '
                f'src="data:image/svg+xml;base64,{picture}">\n'
                f"<figcaption>{_linked(block.caption)}</figcaption></figure>"
            )
    return "\n".join(parts) + "\n</html>\n"


def _plain(text: str) -> str:
    """Return text in which Markdown finds nothing but our links."""
    return text.replace("*", r"\*").replace("_", r"\_").replace("<", "&lt;")


def _cell(text: str) -> str:
    return _plain(text).replace("|", r"\|").replace("\n", "<br>")


def _linked(text: str) -> str:
    escaped = html.escape(text, quote=False)
    return _LINK.sub(r'<a href="\2">\1</a>', escaped).replace("\n", "<br>")
