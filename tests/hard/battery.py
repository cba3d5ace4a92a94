"""What a shard of the battery reports, and the table of all of them."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

__all__ = ["Line", "Shard", "table"]


class Line(NamedTuple):
    """One line of the table: what was tried, how often, and what failed."""

    tried: str
    n: int
    failures: list[str]  # one reproducer each
    detail: str = ""  # figures that belong to the line, such as executions per second


class Shard(NamedTuple):
    """A part of the battery that takes at most 20 minutes on two cores."""

    name: str
    run: Callable[[float], Iterator[Line]]  # takes the share of the full counts, 1.0 for all


def scaled(n: int, share: float) -> int:
    """Return a count for a share of the battery: at least one."""
    return max(1, round(n * share))


def table(lines: Iterable[tuple[str, Line]]) -> str:
    """Return the lines, each with the name of its shard, as a Markdown table."""
    rows = [
        f"| {shard} | {line.tried} | {line.n:,} | {len(line.failures)} | {line.detail} |"
        for shard, line in lines
    ]
    head = ["| shard | tried | times | failed | figures |", "|---|---|---:|---:|---|"]
    return "\n".join([*head, *rows])
