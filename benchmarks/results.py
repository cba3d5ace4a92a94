"""What a run measured, and how it compares: the one place where ratios are computed.

The summary of a run (conftest.py), the table and the figure of the report come from here. Times are
those of the best rounds, as other processes only ever slow a job down.
"""

import json
from typing import NamedTuple

from .jobs import Job, all_jobs
from .peers import OURS, is_ours, is_twin, threads_of

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


class Row(NamedTuple):
    """A job beside its fastest peers."""

    job: object
    seconds: dict  # threads -> ours
    peers: dict  # threads -> (name, seconds) of the fastest peer on at most as many
    ratios: dict  # threads -> how many times as fast ours is

    @property
    def met(self):
        """What was reached: "target", "floor", "no", or "" where nothing is asked."""
        if self.job.limit is not None:
            return "floor" if max(self.seconds.values()) <= self.job.limit else "no"
        if not self._asked(self.job.floor):
            return ""
        if not self._reaches(self.job.floor):
            return "no"
        target = self.job.target
        return "target" if self._asked(target) and self._reaches(target) else "floor"

    @property
    def missed(self):
        """The numbers of threads that stay below the floor."""
        floors = dict(zip((1, 2), self.job.floor, strict=True))
        return [n for n, ratio in self.ratios.items() if ratio < (floors[n] or 0.0)]

    def _asked(self, goal):
        return any(goal[n - 1] is not None for n in self.ratios)

    def _reaches(self, goal):
        return all(ratio >= (goal[n - 1] or 0.0) for n, ratio in self.ratios.items())


def fastest(seconds, is_peer, n_threads):
    """Return name and time of the fastest peer on at most so many threads; None if there is none.

    Parameters
    ----------
    seconds : dict
        Contender to time.
    is_peer : callable
        Who counts.
    n_threads : int
        How many ours has.
    """
    peers = [
        (time, name)
        for name, time in seconds.items()
        if is_peer(name) and threads_of(name) <= n_threads
    ]
    return min(peers)[::-1] if peers else None


def compare(job, seconds):
    """Return the row of a job from its contenders' times."""

    def is_peer(name):
        if job.peers is None:
            return not is_ours(name) and not is_twin(name)
        return name.startswith(job.peers)

    ours = {threads_of(name): seconds[name] for name in OURS if name in seconds}
    peers = {n: fastest(seconds, is_peer, n) for n in ours}
    peers = {n: peer for n, peer in peers.items() if peer is not None}
    ratios = {n: peer[1] / ours[n] for n, peer in peers.items()}
    return Row(job, ours, peers, ratios)


def rows_of(results, jobs):
    """Return the rows of those jobs that ours took part in."""
    rows = [compare(job, results.seconds.get(job.group, {})) for job in jobs]
    return [row for row in rows if row.seconds]


def rows_of_group(results, group):
    """Return the rows of a group; one that asks for nothing if jobs.py does not speak of it."""
    jobs = [job for job in all_jobs() if job.group == group]
    return rows_of(results, jobs or [Job(group, group)])


def unlisted(results):
    """Return the groups that no row of jobs.py speaks of."""
    listed = {job.group for job in all_jobs()}
    return [group for group in results.seconds if group not in listed]


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
