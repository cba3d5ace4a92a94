"""How our times compare with those of the peers: the only place where ratios are computed.

The summary of a run (suites/conftest.py), the tables and the figures of the report come from here.
"""

from typing import NamedTuple

from ..setup.contenders import OURS, is_ours, is_twin, threads_of
from .goals import Job, all_jobs


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
    """Return name and time of the fastest peer on at most `n_threads`; None if there is none."""
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
    """Return the rows of a group; one that asks for nothing if goals.py has none for it."""
    jobs = [job for job in all_jobs() if job.group == group]
    return rows_of(results, jobs or [Job(group, group)])


def unlisted(results):
    """Return the groups that have no row in goals.py."""
    listed = {job.group for job in all_jobs()}
    return [group for group in results.seconds if group not in listed]
