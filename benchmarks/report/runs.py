"""What a run of the suites measured, read from a file or from pytest-benchmark.

Times are those of the best rounds, because other processes only ever slow a job down.
"""

import json
from typing import NamedTuple

SHORT = 7  # digits of a commit's hash, as git log --oneline prints them
DIRTY = "-dirty"  # after the hash where files were changed, as in git describe


class Results(NamedTuple):
    """One run: the best seconds by group and contender, and what was measured where."""

    commit: str  # short hash, with DIRTY where files were changed; "" outside a repository
    date: str  # of the commit, ISO 8601
    machine: dict  # cores, instruction_set, python, versions, left_out
    failed: list  # the tests that failed: a wrong answer, or none
    seconds: dict  # group -> contender -> seconds
    compile_seconds: dict  # the same, of contenders that were compiled first


def from_benchmarks(benchmarks, machine, failed, commit="", date=""):
    """Return the results of (group, extra_info, best seconds); those that failed do not count."""
    results = Results(commit, date, machine, list(failed), {}, {})
    for group, extra, best in benchmarks:
        if extra.get("failed"):
            continue
        contender = extra["contender"]
        results.seconds.setdefault(group, {})[contender] = best
        if "compile_seconds" in extra:
            results.compile_seconds.setdefault(group, {})[contender] = extra["compile_seconds"]
    return results


def read_run(path):
    """Return the results in a file by pytest-benchmark; it stores the commit that was measured."""
    document = json.loads(path.read_text(encoding="utf-8"))
    return from_benchmarks(
        (
            (benchmark["group"], benchmark["extra_info"], benchmark["stats"]["min"])
            for benchmark in document["benchmarks"]
        ),
        document["machine_info"]["wordodds"],
        document["failed"],
        *commit_and_date(document["commit_info"]),
    )


def commit_and_date(info):
    """Return the short hash and the date in pytest-benchmark's commit_info; "" for both if none."""
    if not info["time"]:  # no repository, or no git
        return "", ""
    return info["id"][:SHORT] + (DIRTY if info["dirty"] else ""), info["time"]


def merged(runs):
    """Return several runs on one machine as one; a later run of a group replaces an earlier one.

    Contenders are only ever compared within a run of their group. The commit is that of the last
    run; one that was measured with changed files marks the whole.
    """
    first, *others = runs
    for run in others:
        if run.machine != first.machine:
            raise ValueError("runs on different machines, or with other versions, do not compare")
    seconds, compile_seconds = dict(first.seconds), dict(first.compile_seconds)
    for run in others:
        seconds |= run.seconds
        compile_seconds |= run.compile_seconds
    failed = [name for run in runs for name in run.failed]
    unclear = [run for run in runs if not run.commit or run.commit.endswith(DIRTY)]
    last = (unclear or runs)[-1]
    return Results(last.commit, last.date, first.machine, failed, seconds, compile_seconds)
