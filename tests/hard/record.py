"""The last run of every shard, kept in a file, and the table of docs/testing.md made from it.

A shard may be run by itself, so its lines replace those of its last run and leave the others.
"""

import json
import platform
from datetime import date
from pathlib import Path
from typing import Any

from tests.hard.battery import Line
from tests.hard.shards import SHARDS

__all__ = ["RECORD", "page_with_table", "read", "record", "table"]

RECORD = Path(__file__).with_name("record.json")
BEGIN, END = "<!-- tests.hard -->", "<!-- /tests.hard -->"

Record = dict[str, Any]


def read(path: Path = RECORD) -> Record:
    """Return what was recorded: for each shard its date, seconds, machine and lines."""
    found: Record = json.loads(path.read_text()) if path.exists() else {}
    return {name: found[name] for name in SHARDS if name in found}


def record(name: str, lines: list[Line], seconds: float, path: Path = RECORD) -> None:
    """Replace the lines of a shard."""
    found = read(path)
    found[name] = {
        "date": date.today().isoformat(),
        "seconds": round(seconds),
        "machine": _machine(),
        "lines": [
            {"tried": line.tried, "n": line.n, "failed": len(line.failures), "detail": line.detail}
            for line in lines
        ],
    }
    path.write_text(json.dumps({n: found[n] for n in SHARDS if n in found}, indent=1) + "\n")


def table(found: Record) -> str:
    """Return the record as a Markdown table."""
    rows = ["| shard | tried | times | failed | figures |", "|---|---|---:|---:|---|"]
    for name, shard in found.items():
        for line in shard["lines"]:
            cells = [name, line["tried"], f"{line['n']:,}", str(line["failed"]), line["detail"]]
            rows.append("| " + " | ".join(cells).replace("|  |", "| |") + " |")
    rows += ["", "| shard | date | seconds | machine |", "|---|---|---:|---|"]
    rows += [
        f"| {name} | {shard['date']} | {shard['seconds']} | {shard['machine']} |"
        for name, shard in found.items()
    ]
    return "\n".join(rows)


def page_with_table(page: str, found: Record) -> str:
    """Return a page with the table between its marks."""
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n\n{table(found)}\n\n{END}{after}"


def _machine() -> str:
    from wordodds._border.execution import execution
    from wordodds._core import base

    sets = ", ".join(base.available_instruction_sets())
    return f"{execution(None).n_jobs} cores, Python {platform.python_version()}, {sets}"
