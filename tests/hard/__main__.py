"""The battery: hostile input, killed processes and sanitizers, in shards.

    python -m tests.hard                    every shard, one after the other
    python -m tests.hard csr model_files    some of them
    python -m tests.hard --share 0.01       a hundredth of the counts
    python -m tests.hard --list

Prints one table: what was tried, how often, what failed. Exit code 1 if anything failed. Each shard
takes at most 20 minutes on two cores. ``--record`` keeps the lines of full runs and writes them to
docs/testing.md.
"""

import argparse
import os
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

# Two processes with two threads each would wait for one another.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from tests.hard import record
from tests.hard.battery import Line, table
from tests.hard.shards import SHARDS, shard_of

PAGE = Path(__file__).parents[2] / "docs" / "testing.md"


def main() -> int:
    """Run the shards that were asked for; return the exit code."""
    options = _options()
    if options.list:
        print("\n".join(SHARDS))
        return 0
    all_lines: list[tuple[str, Line]] = []
    for name in options.shards or SHARDS:
        started = time.monotonic()
        lines = []
        for line in lines_of(name, options.share):
            lines.append(line)
            print(f"[{name}] {line.tried}: {line.n:,} tried, {len(line.failures)} failed")
            print("".join(f"    {failure}\n" for failure in line.failures), end="", flush=True)
        seconds = time.monotonic() - started
        print(f"[{name}] {seconds:.0f} s", flush=True)
        all_lines += [(name, line) for line in lines]
        if options.record:
            record.record(name, lines, seconds)
            page = record.page_with_table(PAGE.read_text(), record.read())
            PAGE.write_text(page)
    print("\n" + table(all_lines))
    return int(any(line.failures for _, line in all_lines))


def lines_of(name: str, share: float) -> Iterator[Line]:
    """Yield the lines of a shard; one that breaks off ends with a failure, and others go on."""
    try:
        yield from shard_of(name).run(share)
    except Exception:
        yield Line("breaks off", 1, [traceback.format_exc()])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.hard",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("shards", nargs="*", choices=[[], *SHARDS], metavar="SHARD")
    parser.add_argument("--share", type=float, default=1.0, help="share of the full counts")
    parser.add_argument("--list", action="store_true", help="print the names of the shards")
    parser.add_argument("--record", action="store_true", help="keep the lines of a full run")
    options = parser.parse_args()
    if options.record and options.share != 1.0:
        parser.error("--record is for full runs: leave out --share")
    return options


if __name__ == "__main__":
    sys.exit(main())
