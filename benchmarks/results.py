"""What a run measured, and how it compares: the one place where ratios are computed.

The summary of a run (conftest.py), the table and the figure of the report come from here. Times are
those of the best rounds, as other processes only ever slow a job down.
"""

import json
from typing import NamedTuple

from .jobs import Job, all_jobs
from .peers import OURS, is_ours, is_twin, threads_of

DIGITS = 4  # of a time that is kept


class Results(NamedTuple):
    """One run: the best seconds by group and contender, and where they were measured."""

    seconds: dict  # group -> contender -> seconds
    compile_seconds: dict  # the same, of contenders that were compiled first
    failed: list  # the tests that failed: a wrong answer, or none
    machine: dict  # cores, instruction_set, python, versions, left_out


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


def from_benchmarks(benchmarks, machine, failed):
    """Return the results of (group, extra_info, best seconds); those that failed do not count."""
    results = Results({}, {}, list(failed), machine)
    for group, extra, best in benchmarks:
        if extra.get("failed"):
            continue
        contender = extra["contender"]
        results.seconds.setdefault(group, {})[contender] = best
        if "compile_seconds" in extra:
            results.compile_seconds.setdefault(group, {})[contender] = extra["compile_seconds"]
    return results


def read(path):
    """Return the results in a file: pytest-benchmark's own JSON, or what `keep` wrote."""
    document = json.loads(path.read_text(encoding="utf-8"))
    if "benchmarks" not in document:
        return Results(**document)
    return from_benchmarks(
        (
            (benchmark["group"], benchmark["extra_info"], benchmark["stats"]["min"])
            for benchmark in document["benchmarks"]
        ),
        document["machine_info"]["wordodds"],
        document["failed"],
    )


def merged(runs):
    """Return several runs on one machine as one; a later run of a group replaces an earlier one.

    Contenders are only ever compared within a run of their group.
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
    return Results(seconds, compile_seconds, failed, first.machine)


def keep(results, path):
    """Write what the report needs and no more: no host, no paths."""

    def rounded(table):
        return {
            group: {name: float(f"{time:.{DIGITS}g}") for name, time in times.items()}
            for group, times in table.items()
        }

    document = results._replace(
        seconds=rounded(results.seconds), compile_seconds=rounded(results.compile_seconds)
    )._asdict()
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
