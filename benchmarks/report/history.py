"""The history of measurements, benchmarks/results.jsonl: one line for each measured commit.

A line is a JSON object with the fields of `Results`; the newest commit comes last. The report, the
README's table and the bars come from the last line. Groups that were not measured again are copied
from the line before, so every line is a whole report; `measured` finds those that were.
"""

import json
import math
from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from pathlib import Path

from .goals import Family, Job
from .ratios import compare
from .runs import DIRTY, Results, read_run

SUFFIX = ".jsonl"
DIGITS = 4  # of a time that is kept

Times = dict[str, dict[str, float]]  # group -> contender -> seconds


def is_history(path: Path) -> bool:
    """Return whether a file is a history; pytest-benchmark writes .json."""
    return path.suffix == SUFFIX


def read(path: Path) -> Results:
    """Return the results in a file: a run by pytest-benchmark, or the newest of a history."""
    if not is_history(path):
        return read_run(path)
    history = read_history(path)
    if not history:
        raise ValueError(f"{path} holds no measurement")
    return history[-1]


def read_history(path: Path) -> list[Results]:
    """Return the measurements of a history, oldest commit first."""
    lines = path.read_text(encoding="utf-8").removesuffix("\n")
    history: list[Results] = []
    for number, line in enumerate(lines.split("\n") if lines else [], 1):
        try:
            history.append(_parse(line))
            _check_order(history)
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from error
    return history


def keep(results: Results, path: Path) -> None:
    """Add a measurement to a history; one of the same commit is replaced.

    Lines hold what the report needs and no more: no host, no paths. They are in the order of their
    commits' dates, so measuring an old commit does not change which line is the newest.

    Changed files are refused: a line exists to compare commits, and with uncommitted changes its
    hash would name code that was not measured and that no checkout brings back.
    """
    check_commit(results.commit)
    history = read_history(path) if path.exists() else []
    others = [line for line in history if line.commit != results.commit]
    # Stable: of two commits of the same second, the one that was measured last is the newer.
    history = sorted([*others, _rounded(results)], key=_time_of)
    text = "".join(json.dumps(line._asdict(), ensure_ascii=False) + "\n" for line in history)
    path.write_text(text, encoding="utf-8")


def check_commit(commit: str) -> None:
    """Raise an error if a commit does not name the code that was measured; see `keep`."""
    if not commit:
        raise ValueError("not kept: measured outside a git repository, so no commit to name")
    if commit.endswith(DIRTY):
        raise ValueError(
            f"not kept: {commit.removesuffix(DIRTY)} was measured with uncommitted changes; "
            "commit them and measure again"
        )


def measured(history: Sequence[Results], group: str) -> list[bool]:
    """Return for each line whether it brought new times for a group, or copies those before."""
    times = [None, *(line.seconds.get(group) for line in history)]
    return [new is not None and new != old for old, new in pairwise(times)]


def ratios_of(history: Sequence[Results], job: Job) -> dict[int, list[float]]:
    """Return how many times as fast a job is as its fastest peer, by threads and line.

    Only the numbers of threads that the newest line has; nan where an older one has no ratio.
    """
    rows = [compare(job, line.seconds.get(job.group, {})) for line in history]
    return {n: [row.ratios.get(n, math.nan) for row in rows] for n in rows[-1].ratios}


def means_of(history: Sequence[Results], family: Family) -> dict[int, list[float]]:
    """Return the mean ratios of a family, by threads and line.

    A job that runs on one number of threads alone, such as loading a model, is left out where
    others run on more: the means of 1 and 2 threads are of the same jobs.
    """
    ratios = [ratios_of(history, job) for job in family.jobs]
    threads = sorted({n for job in ratios for n in job})
    whole = [job for job in ratios if len(job) == len(threads)]
    return {n: linked_means([job[n] for job in whole]) for n in threads if whole}


def linked_means(ratios: Sequence[Sequence[float]]) -> list[float]:
    """Return the geometric mean over jobs for each commit, linked so that new jobs do not move it.

    The last is the mean over all jobs. Going back, each step is the mean step of the jobs that both
    commits have: a job that is added later would otherwise look like a change of speed. Before the
    first step that any job spans it is nan.
    """
    commits = list(zip(*ratios, strict=True))
    if not commits:
        return []
    means = [_mean_log(commits[-1])]
    for old, new in reversed(list(pairwise(commits))):
        steps = [math.log(b / a) for a, b in zip(old, new, strict=True) if not math.isnan(a / b)]
        means.append(means[-1] - sum(steps) / len(steps) if steps else math.nan)
    return [math.exp(mean) for mean in reversed(means)]


def _mean_log(ratios: Sequence[float]) -> float:
    return math.fsum(map(math.log, ratios)) / len(ratios)


def _parse(line: str) -> Results:
    try:
        document = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error}") from error
    if not isinstance(document, dict) or set(document) != set(Results._fields):
        found = ", ".join(document) if isinstance(document, dict) else type(document).__name__
        raise ValueError(f"expected the fields {', '.join(Results._fields)}, got {found}")
    results = Results(**document)
    if _time_of(results).tzinfo is None:  # it could not be compared with the others
        raise ValueError(f"the date {results.date} has no time zone")
    return results


def _check_order(history: Sequence[Results]) -> None:
    """Raise an error if the last line repeats a commit or is older than the one before."""
    *before, last = history
    if any(line.commit == last.commit for line in before):
        raise ValueError(f"{last.commit} has a line already")
    if before and _time_of(last) < _time_of(before[-1]):
        raise ValueError(f"{last.date} is before {before[-1].date}; the newest commit comes last")


def _time_of(line: Results) -> datetime:
    return datetime.fromisoformat(str(line.date))


def _rounded(results: Results) -> Results:
    def rounded(table: Times) -> Times:
        return {
            group: {name: float(f"{time:.{DIGITS}g}") for name, time in times.items()}
            for group, times in table.items()
        }

    return results._replace(
        seconds=rounded(results.seconds), compile_seconds=rounded(results.compile_seconds)
    )
