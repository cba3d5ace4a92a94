"""Did a commit make anything slower? python -m benchmarks.compare BASE HEAD.

Both commits are built in separate environments, and HEAD's benchmarks (the same files for both) run
on them in turns, BASE HEAD HEAD BASE and so on: what slows the machine for a while slows both. Only
our own contenders run, by default those of the jobs that are marked quick.

verdicts.py describes the rule. A job that looks slower, even if the difference is lost in noise, is
run as many times again and judged on all rounds. A busy machine hides what an idle one shows: the
report counts what was lost in noise.

The exit status is 1 where a job became slower, 2 where there was nothing to compare, else 0.
"""

import argparse
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from .environments import (
    Environment,
    Failure,
    Round,
    build,
    find_commit,
    install_tools,
    run,
    versions,
)
from .verdicts import SIDES, Limits, judge_all, report, slower_jobs, suspicious_jobs

ROOT = Path(__file__).parents[2]


def turns(n_rounds: int) -> Iterator[tuple[int, str]]:
    """Return (round, side) in the order BASE HEAD HEAD BASE: none is always the first."""
    for number in range(n_rounds):
        for side in SIDES if number % 2 == 0 else reversed(SIDES):
            yield number, side


def measure(
    environments: dict[str, Environment],
    options: list[str],
    n_rounds: int,
    folder: Path,
    rounds: dict[str, list[Round]],
) -> None:
    """Run both sides in turns, and add what each round gave to its side."""
    head = environments["HEAD"].checkout
    for _, side in turns(n_rounds):
        number = len(rounds[side]) + 1
        with timed(f"round {number}, {side}"):
            results = folder / f"{side}-{number}"
            rounds[side].append(run(environments[side], head, options, results))


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Print the name of a step, and the seconds that it took."""
    print(f"{what} ...", end=" ", file=sys.stderr, flush=True)
    start = time.perf_counter()
    yield
    print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr)


def prepare(repository: Path, names: Sequence[str], folder: Path) -> dict[str, Environment]:
    """Build both commits, and print which other packages differ between their environments."""
    commits = [find_commit(repository, name) for name in names]
    environments = {}
    for side, commit in zip(SIDES, commits, strict=True):
        with timed(f"build {side} {commit}"):
            environments[side] = build(repository, commit, folder / commit.number[:12])
    for side, environment in environments.items():
        left_out = install_tools(environment, environments["HEAD"].checkout)
        if left_out:
            print(f"{side}: {left_out}", file=sys.stderr)
    packages = [versions(environment) for environment in environments.values()]
    for name in sorted(packages[0].keys() | packages[1].keys()):
        base, head = (installed.get(name, "none") for installed in packages)
        if base != head:
            print(f"{name}: {base} in BASE, {head} in HEAD", file=sys.stderr)
    return environments


def compare(arguments: argparse.Namespace, folder: Path) -> int:
    """Build, measure and judge; print the table and return the exit status."""
    environments = prepare(arguments.repository, [arguments.base, arguments.head], folder)
    ours = f"wordodds and ({arguments.select})" if arguments.select else "wordodds"
    chosen = ["benchmarks", "-k", ours, *([] if arguments.all else ["-m", "quick"])]
    results = Path(tempfile.mkdtemp(prefix="rounds-", dir=folder))
    rounds: dict[str, list[Round]] = {side: [] for side in SIDES}
    limits = Limits(arguments.threshold, arguments.limit / 1e3)
    measure(environments, chosen, arguments.rounds, results, rounds)
    verdicts, missing = judge_all(rounds["BASE"], rounds["HEAD"], limits)
    if suspects := suspicious_jobs(verdicts):
        print(f"{len(suspects)} look slower and are run again", file=sys.stderr)
        measure(environments, suspects, arguments.rounds, results, rounds)
        verdicts, missing = judge_all(rounds["BASE"], rounds["HEAD"], limits)
    if not verdicts:
        raise Failure(f"no job ran on both sides: {' '.join(chosen)}{reasons(rounds)}")
    print(report(verdicts, missing, limits))
    return int(bool(slower_jobs(verdicts)))


def reasons(rounds: dict[str, list[Round]]) -> str:
    """Return why jobs did not run, a line for each reason."""
    problems = {
        f"{side}: {why}" for side in SIDES for one in rounds[side] for why in one.problems.values()
    }
    return "".join(f"\n  {line}" for line in sorted(problems)[:10])


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.compare",
        description="Build two commits, run HEAD's benchmarks on both in turns, and fail where "
        "HEAD is slower beyond the noise.",
    )
    parser.add_argument("base", metavar="BASE", help="a commit: number, branch or tag")
    parser.add_argument("head", metavar="HEAD", help="the commit that may have become slower")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="of each side (5)")
    parser.add_argument("--select", metavar="EXPR", help="as pytest's -k, among our contenders")
    parser.add_argument("--all", action="store_true", help="also jobs that are not marked quick")
    parser.add_argument(
        "--threshold",
        type=float,
        default=Limits().fraction,
        metavar="FRACTION",
        help="slower by more than this fraction of BASE's time (%(default)s) ...",
    )
    parser.add_argument(
        "--limit",
        type=float,
        default=Limits().seconds * 1e3,
        metavar="MILLISECONDS",
        help="... and by more than this (%(default)s), both beyond the noise",
    )
    parser.add_argument(
        "--keep",
        type=Path,
        metavar="FOLDER",
        help="keep environments and rounds here, and use environments of an earlier run",
    )
    parser.add_argument("--repository", type=Path, default=ROOT, help="where the commits are")
    parsed = parser.parse_args(arguments)
    if parsed.rounds < 3:
        parser.error(f"--rounds must be >= 3, as fewer tell nothing of noise, got {parsed.rounds}")
    for name in ("threshold", "limit"):
        if not getattr(parsed, name) >= 0:
            parser.error(f"--{name} must be >= 0, got {getattr(parsed, name)}")
    return parsed


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; return its exit status."""
    parsed = parse(arguments)
    # As Ctrl-C does: what is running ends, and the temporary folder goes.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        if parsed.keep is not None:
            parsed.keep.mkdir(parents=True, exist_ok=True)
            return compare(parsed, parsed.keep.resolve())
        with tempfile.TemporaryDirectory(prefix="compare-") as folder:
            return compare(parsed, Path(folder))
    except Failure as failure:
        print(f"\n{failure}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
        return 128 + signal.SIGINT


if __name__ == "__main__":
    sys.exit(main())
