"""Results on standard output: tables, coloured on a terminal and plain elsewhere, and JSON."""

import json
import sys
from collections.abc import Sequence

__all__ = ["print_json", "print_table", "printable"]


def printable(text: str) -> str:
    r"""Return text without what would steer a terminal: control characters are spelt out.

    Examples
    --------
    >>> printable("red\x1b[31m")
    'red\\x1b[31m'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\N{NO-BREAK SPACE}" else _spelt(c) for c in text)


def _spelt(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows under a header, in columns.

    Examples
    --------
    >>> print_table(["class", "words"], [["ham", "lunch you"], ["spam", "money"]])
    class  words
    -----  ---------
    ham    lunch you
    spam   money
    """
    header, *rows = [[printable(cell) for cell in cells] for cells in (header, *rows)]
    if not (sys.stdout.isatty() and _print_rich(header, rows)):
        _print_plain(header, rows)


def _print_plain(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    for cells in (header, ["-" * width for width in widths], *rows):
        line = "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
        print(line.rstrip())


def _print_rich(header: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Print with the optional package rich; False if it is not installed."""
    try:
        from rich.console import Console
        from rich.table import Table
    except ImportError:
        return False
    from rich.text import Text

    table = Table(header_style="bold", title_justify="left")
    for name in header:
        table.add_column(Text(name))
    for cells in rows:
        table.add_row(*map(Text, cells))
    Console().print(table)
    return True


def print_json(value: object) -> None:
    """Print one object on one line, as standard JSON.

    Examples
    --------
    >>> print_json({"accuracy": 0.5, "worst": float("nan")})
    {"accuracy": 0.5, "worst": null}
    """
    text = json.dumps(_plain(value), ensure_ascii=False)
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:  # spelt as JSON spells it, not as Python does
        text = json.dumps(_plain(value))
    print(text)


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    # NaN and infinity are not JSON.
    if isinstance(value, float) and not abs(value) < float("inf"):
        return None
    return value if isinstance(value, str | int | float | None) else str(value)
