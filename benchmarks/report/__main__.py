"""The table of all jobs from a run of the suites: python -m benchmarks.report [JSON ...].

A file is the output of ``python -m pytest benchmarks --benchmark-only --benchmark-json=FILE``, or
the history that ``--keep`` wrote, of which the newest line counts; by default the newest file under
.benchmarks/, where ``--benchmark-autosave`` puts it. Of several files, for example one for each
suite, a later one replaces the groups that it shares with earlier ones. ``--run`` runs all suites
first.

``--keep`` adds a line for the measured commit to a history, or replaces the commit's line. It
refuses a run with uncommitted changes, because no checkout brings that code back.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from .history import SUFFIX, check_commit, is_history, keep, read, read_history
from .runs import DIRTY, merged, read_run
from .tables import markdown, with_block

STORED = Path(".benchmarks")
SUITE = ["-m", "pytest", "benchmarks", "--benchmark-only"]


def newest():
    """Return the newest file that pytest-benchmark has saved."""
    files = sorted(STORED.glob("**/*.json"), key=lambda path: path.stat().st_mtime)
    if not files:
        raise SystemExit(f"no JSON under {STORED}: name a file, or pass --run to measure")
    return files[-1]


def run_suite():
    """Run the suite and return its results, and its exit status: not 0 if a job failed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run.json")
        status = subprocess.run([sys.executable, *SUITE, f"--benchmark-json={path}"]).returncode
        if not path.exists():
            raise SystemExit(status or "the suite wrote no JSON")
        return read_run(path), status


def described_head():
    """Return the commit that is checked out, marked where files were changed; "" without one."""
    command = ["git", "describe", "--always", "--exclude=*", f"--dirty={DIRTY}"]
    return subprocess.run(command, capture_output=True, text=True).stdout.strip()


def main(arguments=None):
    """Read or measure, then print or write; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report", description=__doc__)
    parser.add_argument("json", nargs="*", type=Path, help="default: the newest in .benchmarks/")
    parser.add_argument("--run", action="store_true", help="run the whole suite first")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables here")
    parser.add_argument("--figure", type=Path, metavar="FILE", help="draw the ratios here, as SVG")
    parser.add_argument(
        "--keep", type=Path, metavar="FILE", help=f"add a line to a history here ({SUFFIX})"
    )
    parser.add_argument(
        "--history", type=Path, metavar="FILE", help="draw the ratios of a history here, as SVG"
    )
    parser.add_argument("--readme", type=Path, metavar="FILE", help="replace the block in a page")
    options = parser.parse_args(arguments)
    if options.run and options.json:
        parser.error("--run measures by itself: name no file")
    histories = [path for path in [options.keep, *options.json] if path and is_history(path)]
    if options.history and not histories:
        parser.error(f"--history draws a history: pass --keep, or name a {SUFFIX} file")
    if options.keep and not is_history(options.keep):
        parser.error(f"--keep writes a history: name a {SUFFIX} file, not {options.keep}")
    if options.run and options.keep:
        check_commit(described_head())  # before the minutes that the suite takes
    if options.run:
        results, status = run_suite()
    else:
        results, status = merged([read(path) for path in options.json or [newest()]]), 0
    if options.keep:
        keep(results, options.keep)
        results = read(options.keep)  # the newest line: what the README has to show
    text = markdown(results)
    if options.markdown:
        options.markdown.write_text(text, encoding="utf-8")
    if options.readme:
        page = options.readme.read_text(encoding="utf-8")
        options.readme.write_text(with_block(page, text), encoding="utf-8")
    if options.figure:
        from .bars import draw

        draw(results, options.figure)
    if options.history:
        from .history_figure import draw as draw_history

        draw_history(read_history(histories[0]), options.history)
    written = (options.markdown, options.readme, options.figure, options.history, options.keep)
    if not any(written):
        print(text, end="")
    return status


if __name__ == "__main__":
    sys.exit(main())
