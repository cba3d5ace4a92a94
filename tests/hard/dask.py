"""Shard: Dask workers that are killed while they count, sum, label and write.

The result is that of one process, to the last bit where it is naive Bayes or a prediction, and that
of an undisturbed run on the cluster, to the last bit, where it is logistic regression.
"""

from __future__ import annotations

import logging
import os
import random
import shutil
import signal
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from tests.hard.battery import Line, scaled
from tests.hard.mail import make_mail, write_corpus

__all__ = ["run"]

N_PARTITIONS, ROWS = 10, 150
SECONDS_MAX = 120.0  # of a job, with a worker that has to be started again
TEXTS, LABELS = make_mail(N_PARTITIONS * ROWS)
PARTITIONS = [slice(first, first + ROWS) for first in range(0, len(TEXTS), ROWS)]

Job = Callable[[], Any]


def run(share: float) -> Iterator[Line]:
    """Kill one of two workers 50 times at random; then compare one worker with two."""
    warnings.simplefilter("ignore")
    with _folder() as folder, _cluster() as (cluster, client):
        jobs = _jobs(folder)
        yield _against_one_process(jobs)
        yield _killed(jobs, cluster, client, folder, scaled(50, share))
        yield _bits_and_workers(client, scaled(40, share))


@contextmanager
def _folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="hard-dask-"))
    try:
        yield path
    finally:
        shutil.rmtree(path)


@contextmanager
def _cluster() -> Iterator[tuple[Any, Any]]:
    """Start two worker processes, each with a nanny that replaces it when it is killed."""
    import dask
    from distributed import Client, LocalCluster

    options = {
        "distributed.admin.low-level-log-length": 0,
        # A cluster gives up a worker that is away twice, some seconds apart, as ours are.
        "distributed.deploy.lost-worker-timeout": "1 hour",
    }
    with (
        dask.config.set(options),
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster) as client,
    ):
        yield cluster, client


def _bag(*columns: list[Any]) -> Any:
    """Return a bag of texts, or of pairs, in partitions."""
    import dask
    import dask.bag

    rows = columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))
    parts = [dask.delayed(rows[part], traverse=False) for part in PARTITIONS]
    return dask.bag.from_delayed(parts)


def _arrays(classifier: Any) -> list[Any]:
    model = classifier.linear_model_
    return [model.weights, model.bias, model.labels]


def _new(kind: str) -> Any:
    from wordodds import LogisticRegression, TextClassifier

    if kind == "logistic":
        return TextClassifier(LogisticRegression(C=0.5, tol=1e-5), ngram_range=(1, 1))
    return TextClassifier(kind, ngram_range=(1, 1))


def _jobs(folder: Path) -> dict[str, Job]:
    """Return jobs on the cluster, each of which returns a list of arrays."""
    from wordodds import dask as on_cluster
    from wordodds.corpora import read

    classifier = _new("naive_bayes").fit(TEXTS, LABELS)
    (folder / "in").mkdir()
    for number, part in enumerate(PARTITIONS):
        write_corpus(folder / "in" / f"{number}.jsonl", TEXTS[part], LABELS[part])

    def fit(kind: str) -> Job:
        return lambda: _arrays(on_cluster.fit(_new(kind), _bag(TEXTS, LABELS)))

    def predict() -> list[Any]:
        pairs = on_cluster.predict(classifier, _bag(TEXTS), proba=True).compute()
        labels, chances = zip(*pairs, strict=True)
        return [np.array(labels), np.array(chances)]

    def predict_files() -> list[Any]:
        output = folder / "out"
        shutil.rmtree(output, ignore_errors=True)
        paths = [folder / "in" / f"{number}.jsonl" for number in range(N_PARTITIONS)]
        written = on_cluster.predict(classifier, paths, output=output)
        assert sorted(os.listdir(output)) == sorted(path.name for path in paths), "litter"
        batches = [batch for path in written for batch in read(path, text="label")]
        labels = [label for batch in batches for label in batch["label"].to_pylist()]
        return [np.array(labels)]

    return {
        "fit naive_bayes": fit("naive_bayes"),
        "fit logistic": fit("logistic"),
        "predict a bag": predict,
        "predict files": predict_files,
    }


def _against_one_process(jobs: dict[str, Job]) -> Line:
    """Compare each undisturbed job with the same in this process."""
    classifier = _new("naive_bayes").fit(TEXTS, LABELS)
    labels, chances = classifier.predict(TEXTS), classifier.predict_proba(TEXTS).max(axis=1)
    failures = []
    expected = {
        "fit naive_bayes": (_arrays(classifier), 0.0),
        # Both stop where the gradient is below 1e-5, each at its own point.
        "fit logistic": (_arrays(_new("logistic").fit(TEXTS, LABELS)), 1e-2),
        "predict a bag": ([labels, chances], 1e-12),
        "predict files": ([labels], 0.0),
    }
    for name, job in jobs.items():
        arrays, tolerance = expected[name]
        for found, right in zip(job(), arrays, strict=True):
            try:
                if tolerance and found.dtype.kind == "f":
                    np.testing.assert_allclose(found, right, rtol=0.0, atol=tolerance)
                else:
                    np.testing.assert_array_equal(found, right)
            except AssertionError as error:
                failures.append(f"{name}: {' '.join(str(error).split())[:300]}")
    return Line("jobs on a cluster against one process", len(jobs), failures)


def _killed(jobs: dict[str, Job], cluster: Any, client: Any, folder: Path, n: int) -> Line:
    expected = {name: job() for name, job in jobs.items()}
    seconds = {}
    for name, job in jobs.items():
        began = time.monotonic()
        job()
        seconds[name] = time.monotonic() - began
    failures, hits = [], {name: [0, 0] for name in jobs}
    for number in range(n):
        name = list(jobs)[number % len(jobs)]
        chance = random.Random(number)
        before = _worker_ids(cluster, client)
        killer = _Killer(chance.choice(before), chance.uniform(0.0, 1.05) * seconds[name])
        killer.start()
        failures += [f"kill {number}, {killer.detail}, {name}: {why}"
                     for why in _compared(jobs[name], expected[name])]  # fmt: skip
        hit = killer.stop()
        hits[name][not hit] += 1
        # The duration changes with the load of the machine: about a fifth shall hit too late.
        seconds[name] *= 1.03 if hit else 0.9
    detail = "; ".join(f"{name}: {a} in, {b} after the job" for name, (a, b) in hits.items())
    return Line("a Dask worker killed at a random moment", n, failures, detail)


class _Killer(threading.Thread):
    """Kills a process after some time, even where the job has ended by then."""

    def __init__(self, process: int, seconds: float) -> None:
        super().__init__(daemon=True)
        self._process, self._seconds = process, seconds
        self._ended = threading.Event()
        self._hit = False
        self.detail = f"after {seconds:.3f} s"

    def run(self) -> None:
        self._hit = not self._ended.wait(self._seconds)
        with suppress(ProcessLookupError):
            os.kill(self._process, signal.SIGKILL)

    def stop(self) -> bool:
        """Return whether the kill came before the end of the job."""
        self._ended.set()
        self.join()
        return self._hit


def _compared(job: Job, expected: list[Any]) -> list[str]:
    """Run a job, at most for some time; return what is wrong with its result."""
    found: list[Any] = []

    def work() -> None:
        try:
            found.append(job())
        except BaseException as error:
            found.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(SECONDS_MAX)
    if not found:
        return [f"no answer in {SECONDS_MAX:.0f} s"]
    if isinstance(found[0], BaseException):
        return [f"{found[0]!r}"[:300]]
    same = [np.array_equal(one, other) for one, other in zip(found[0], expected, strict=True)]
    return [] if all(same) else [f"arrays {[i for i, s in enumerate(same) if not s]} differ"]


def _worker_ids(cluster: Any, client: Any) -> list[int]:
    """Return the ids of both worker processes, once both are there."""
    end = time.monotonic() + SECONDS_MAX
    while time.monotonic() < end:
        running = all(nanny.status.name == "running" for nanny in cluster.workers.values())
        if running and len(client.nthreads()) == 2:
            with suppress(Exception):  # one of them is on its way out
                ids = sorted(set(client.run(os.getpid).values()))
                if len(ids) == 2:
                    return ids
        time.sleep(0.05)
    raise TimeoutError("a killed worker was not replaced")


def _bits_and_workers(client: Any, n: int) -> Line:
    """Fit on one worker and on both, while other processes take the cores."""
    import dask

    from wordodds import dask as on_cluster

    failures = []
    expected: dict[str, list[Any]] = {}
    with _busy_cores():
        for number in range(n):
            kind = ("logistic", "naive_bayes")[number // 2 % 2]
            alone = {"workers": [sorted(client.nthreads())[number // 4 % 2]]}
            with dask.annotate(**(alone if number % 2 else {})):
                found = _arrays(on_cluster.fit(_new(kind), _bag(TEXTS, LABELS)))
            right = expected.setdefault(kind, found)
            if not all(map(np.array_equal, found, right)):
                where = f"on {alone['workers'][0]}" if number % 2 else "on both workers"
                failures.append(f"fit {number}, {kind} {where}: other bits")
    return Line("fits on one worker and on two, under load: the same bits", n, failures)


@contextmanager
def _busy_cores() -> Iterator[None]:
    """Keep four processes busy, so that tasks are stolen and results travel."""
    import subprocess
    import sys

    busy = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(4)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()
