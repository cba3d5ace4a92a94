"""The rule that decides whether a job became slower, and the table of its verdicts.

Each round is a process and gives a job one time, its best. Of a side the best round counts, because
other work on the machine only ever adds to it. The noise of a side is how far its third best round
lies above its best one: two lucky rounds could have brought that much, and more rounds make it
smaller. The noise of a comparison is the sum of both sides'. HEAD is slower at a job where its best
exceeds BASE's by the noise and 10 % of BASE's best, and by the noise and an absolute limit.
"""

import heapq
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from .environments import Round

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
    """Compare the rounds of one job, seconds each; the module's docstring has the rule."""
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
    """Return whether a job failed; a job that was skipped after its measurement has a time."""
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
    # A file that cannot be imported stands for its jobs only where no side ran them.
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
    """Return a job as "suite: test", wherever the file of the suite lies."""
    file, _, test = job.partition("::")
    suite = PurePosixPath(file).stem.removeprefix("bench_")
    return f"{suite}: {test.removeprefix('test_')}" if test else suite


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
