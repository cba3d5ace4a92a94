"""Did a commit make anything slower? python -m benchmarks.compare BASE HEAD.

Both commits are built in environments of their own, and HEAD's benchmarks (the same files for
both) run on them in turns, BASE HEAD HEAD BASE and so on: what slows the machine for a while slows
both. Only our own contenders run, by default of the jobs that are marked quick.

Each round is a process and gives a job one time, its best. Of a side the best round counts, since
other work on the machine only ever adds to it. The noise of a side is how far its third best round
lies above its best one: so much could two lucky rounds have brought, and more rounds make it less.
That of a comparison is the sum of both sides'. HEAD is slower at a job where its best exceeds
BASE's by the noise and 10 % of BASE's best, and by the noise and an absolute limit. What looks
slower, also if it is lost in noise, is run as many times again and judged on all rounds. A busy
machine hides what an idle one shows: the report counts what was lost in noise.

The exit status is 1 where a job became slower, 2 where there was nothing to compare, else 0.
"""

import argparse
import heapq
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

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

ROOT = Path(__file__).parents[1]
SIDES = ("BASE", "HEAD")
SLOWER, FASTER, SAME, UNCLEAR = "SLOWER", "faster", "same", "lost in noise"


class Limits(NamedTuple):
    """How much slower counts: a fraction of BASE's time and seconds, both to be exceeded."""

    fraction: float = 0.10
    seconds: float = 20e-6


class Verdict(NamedTuple):
    """A job's best times in seconds, their noise, and what follows."""

    base: float
    head: float
    noise: float
    word: str


class Missing(NamedTuple):
    """A job without a time on one side, and why if it is known."""

    job: str
    side: str
    reason: str


def noise_of(rounds: Sequence[float]) -> float:
    """Return how far the third best round lies above the best one."""
    best, _, third = heapq.nsmallest(3, rounds)
    return third - best


def judge(base: Sequence[float], head: Sequence[float], limits: Limits) -> Verdict:
    """Compare the rounds of one job, seconds each; see the module's docstring for the rule."""
    best_base, best_head = min(base), min(head)
    noise = noise_of(base) + noise_of(head)
    change = best_head - best_base
    # Of the faster side's time, so that slower and faster are mirror images.
    tolerance = max(limits.fraction * min(best_base, best_head), limits.seconds)
    if abs(change) <= tolerance:
        word = SAME
    elif abs(change) <= tolerance + noise:
        word = UNCLEAR
    else:
        word = SLOWER if change > 0.0 else FASTER
    return Verdict(best_base, best_head, noise, word)


def collect(rounds: Sequence[Round]) -> dict[str, list[float]]:
    """Return the times of each job over a side's rounds, without those whose answer was wrong."""
    wrong = {job for one in rounds for job, reason in one.problems.items() if is_wrong(reason)}
    times: dict[str, list[float]] = {}
    for one in rounds:
        for job, seconds in one.seconds.items():
            if job not in wrong:
                times.setdefault(job, []).append(seconds)
    return times


def is_wrong(reason: str) -> bool:
    """Tell whether a job failed; one that was only skipped after the measurement has a time."""
    return not reason.startswith("skipped")


def judge_all(
    base: Sequence[Round], head: Sequence[Round], limits: Limits
) -> tuple[dict[str, Verdict], list[Missing]]:
    """Return the verdict on each job that both sides have, and the jobs that one of them lacks."""
    times = dict(zip(SIDES, (collect(base), collect(head)), strict=True))
    problems = {
        side: {job: reason for one in rounds for job, reason in one.problems.items()}
        for side, rounds in zip(SIDES, (base, head), strict=True)
    }
    verdicts = {
        job: judge(times["BASE"][job], times["HEAD"][job], limits)
        for job in times["BASE"]
        if job in times["HEAD"]
    }
    failed = [job for one in problems.values() for job, why in one.items() if is_wrong(why)]
    timed_jobs = [*times["BASE"], *times["HEAD"]]
    # A file that cannot be imported stands for its jobs only where no side knows them.
    files = {job.partition("::")[0] for job in timed_jobs}
    jobs = dict.fromkeys(timed_jobs + [job for job in failed if job not in files])
    missing = [
        Missing(job, side, reason)
        for job in jobs
        for side in SIDES
        if job not in times[side] and (reason := why_missing(job, problems[side])) is not None
    ]
    return verdicts, missing


def why_missing(job: str, problems: dict[str, str]) -> str | None:
    """Return why a side has no time for a job; None for a file that this side could read."""
    file, _, test = job.partition("::")
    known = problems.get(job) or problems.get(file)
    return known if known or not test else "no such job"


def short(job: str) -> str:
    """Return a job's name without what all of them share."""
    return job.removeprefix("benchmarks/bench_").replace(".py::test_", ": ")


def milliseconds(seconds: float) -> str:
    """Return a time with three digits, or with all of those before its point."""
    return f"{seconds * 1e3:.0f}" if seconds >= 0.1 else f"{seconds * 1e3:.3g}"


def table(verdicts: dict[str, Verdict]) -> str:
    """Return the verdicts as Markdown, the worst first."""
    lines = ["| job | BASE, ms | HEAD, ms | change | noise, ms | |", "|---|--:|--:|--:|--:|---|"]
    order = sorted(verdicts.items(), key=lambda item: item[1].base / item[1].head)
    for job, (base, head, noise, word) in order:
        cells = [short(job), *map(milliseconds, (base, head)), f"{head / base - 1:+.1%}"]
        lines.append(f"| {' | '.join([*cells, milliseconds(noise), word])} |")
    return "\n".join(lines)


def report(verdicts: dict[str, Verdict], missing: Sequence[Missing], limits: Limits) -> str:
    """Return the table, what could not be compared, and the jobs that became slower by name."""
    slower = slower_jobs(verdicts)
    unclear = sum(verdict.word == UNCLEAR for verdict in verdicts.values())
    return "\n".join(
        [
            table(verdicts),
            "",
            *(f"not in {side}: {short(job)}: {reason}" for job, side, reason in missing),
            f"{len(slower)} of {len(verdicts)} jobs slower by more than {limits.fraction:.0%} and "
            f"{limits.seconds * 1e3:g} ms beyond the noise",
            *(f"  {short(job)}" for job in slower),
            *([f"{unclear} lost in noise: a quieter machine could tell"] if unclear else []),
        ]
    )


def suspicious_jobs(verdicts: dict[str, Verdict]) -> list[str]:
    """Return the jobs that became slower, or did so if it was not for the noise."""
    return [
        job
        for job, verdict in verdicts.items()
        if verdict.word in (SLOWER, UNCLEAR) and verdict.head > verdict.base
    ]


def slower_jobs(verdicts: dict[str, Verdict]) -> list[str]:
    """Return the jobs that became slower."""
    return [job for job, verdict in verdicts.items() if verdict.word == SLOWER]


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
    """Say what is being done and how long it took."""
    print(f"{what} ...", end=" ", file=sys.stderr, flush=True)
    start = time.perf_counter()
    yield
    print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr)


def prepare(repository: Path, names: Sequence[str], folder: Path) -> dict[str, Environment]:
    """Build both commits, and say in what else than themselves their environments differ."""
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
