"""One cluster of two processes for all tests of this folder, and a small corpus."""

import gc
import logging
import os
import time
from itertools import pairwise

import dask
import numpy as np
import pytest
from distributed import Client, LocalCluster


class Mail:
    """Texts of three classes in partitions, the third of which is empty.

    The label "eggs" is in the last partition only; the first has no "spam".
    """

    def __init__(self):
        rng = np.random.default_rng(8)
        words = np.array([f"word{i}" for i in range(300)] + ["Ünïcode", "naïve", "x", "2024"])
        classes = [["ham"], ["ham", "spam"], [], ["ham", "spam"], ["ham", "spam", "eggs"]]
        centre = {"ham": 0, "spam": 60, "eggs": 120}
        self.partitions = []
        for labels in classes:
            rows = []
            for label in rng.choice(labels, 50).tolist() if labels else []:
                drawn = rng.zipf(1.5, 30) + centre[label] * rng.integers(0, 2, 30)
                rows.append((" ".join(words[drawn % len(words)]), label))
            self.partitions.append(rows)
        self.rows = [row for rows in self.partitions for row in rows]
        self.texts = [text for text, _ in self.rows]
        self.labels = [label for _, label in self.rows]

    def frames(self):
        import pandas as pd

        whole = pd.DataFrame(self.rows, columns=["text", "label"])
        borders = np.cumsum([0] + [len(rows) for rows in self.partitions])
        return [whole.iloc[a:b] for a, b in pairwise(borders)]

    def tables(self):
        import pyarrow as pa

        return [pa.Table.from_pandas(frame, preserve_index=False) for frame in self.frames()]

    def write(self, folder):
        """Write a file for each partition, and return their pattern."""
        from pyarrow import parquet

        for i, table in enumerate(self.tables()):
            parquet.write_table(table, folder / f"part-{i}.parquet")
        return str(folder / "part-*.parquet")


@pytest.fixture(scope="session")
def mail():
    return Mail()


@pytest.fixture(scope="session")
def cluster():
    """Start a cluster whose nannies replace workers that are killed."""
    options = {
        # Its scheduler is in this process, where a log of messages would keep futures.
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
            dashboard_address=":0",  # any free port: tests may run beside each other
            silence_logs=logging.CRITICAL,
        ) as cluster,
    ):
        yield cluster


@pytest.fixture(scope="session")
def shared_client(cluster):
    # Each test ends with a collection: it need not look at all that other tests have imported.
    gc.collect()
    gc.freeze()
    with Client(cluster) as client:
        yield client
    gc.unfreeze()


@pytest.fixture
def client(cluster, shared_client):
    """Return the client; afterwards nothing may be left on the cluster."""
    shared_client.wait_for_workers(2, timeout=30)
    # A nanny that is still starting a worker does not start it again.
    wait_until(lambda: all(nanny.status.name == "running" for nanny in cluster.workers.values()))
    yield shared_client
    wait_until(lambda: not tasks_on(shared_client))


def tasks_on(client):
    gc.collect()  # Dask's own collections are in cycles

    def keys(dask_scheduler):
        return [str(key) for key in dask_scheduler.tasks]

    return client.run_on_scheduler(keys)


def wait_until(done):
    end = time.monotonic() + 20
    while not done():
        assert time.monotonic() < end, "this should have come to an end"
        time.sleep(0.02)


def lethal(marker):
    """Return a function that hands a value on, and kills the first process that calls it."""
    path = str(marker)

    def pass_on(value):
        import os
        import signal

        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return value
        os.kill(os.getpid(), signal.SIGKILL)

    return pass_on


def process_ids(client):
    return set(client.run(os.getpid).values())
