"""The battery: hostile input, killed processes and sanitizers, in shards.

    python -m tests.hard                    every shard, one after the other
    python -m tests.hard csr model_files    some of them
    python -m tests.hard --share 0.01       a hundredth of the counts
    python -m tests.hard --list

Prints one table: what was tried, how often, what failed. Exit code 1 if anything failed. Each shard
takes at most 20 minutes on two cores.
"""

import argparse
import os
import sys
import time
from pathlib import Path

# Two processes with two threads each would wait for one another.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from tests.hard.battery import Line, table
from tests.hard.shards import SHARDS, shard_of


def main() -> int:
    """Run the shards that were asked for; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.hard",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("shards", nargs="*", choices=[[], *SHARDS], metavar="SHARD")
    parser.add_argument("--share", type=float, default=1.0, help="share of the full counts")
    parser.add_argument("--list", action="store_true", help="print the names of the shards")
    parser.add_argument("--output", type=Path, help="file for the table, beside standard output")
    options = parser.parse_args()
    if options.list:
        print("\n".join(SHARDS))
        return 0
    lines: list[tuple[str, Line]] = []
    for name in options.shards or SHARDS:
        started = time.monotonic()
        for line in shard_of(name).run(options.share):
            lines.append((name, line))
            print(
                f"[{name}] {line.tried}: {line.n:,} tried, {len(line.failures)} failed", flush=True
            )
            for failure in line.failures:
                print(f"    {failure}", flush=True)
        print(f"[{name}] {time.monotonic() - started:.0f} s", flush=True)
    print()
    print(table(lines))
    if options.output:
        options.output.write_text(table(lines) + "\n")
    return int(any(line.failures for _, line in lines))


if __name__ == "__main__":
    sys.exit(main())
