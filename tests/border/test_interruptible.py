"""Long calls of the linear algebra library: Ctrl-C does not wait for them."""

import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from wordodds import FisherDiscriminant
from wordodds._border.interruptible import cholesky, interruptible

LONG = 1e12  # flops: more than any call makes here


def after(seconds, call):
    timer = threading.Timer(seconds, call)
    timer.daemon = True
    timer.start()


def test_the_answer_is_that_of_the_call():
    assert interruptible(LONG, max, 3, 5) == 5
    assert interruptible(0, max, 3, 5) == 5


def test_an_error_of_the_call_is_raised():
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        interruptible(LONG, np.linalg.solve, np.zeros((2, 2)), np.ones(2))


def test_settings_of_numpy_count_in_the_other_thread():
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        interruptible(LONG, np.divide, 1.0, np.zeros(1))
    with np.errstate(divide="ignore"):
        assert np.isinf(interruptible(LONG, np.divide, 1.0, np.zeros(1))).all()


def test_a_signal_ends_the_wait_and_not_the_call():
    may_end, ended = threading.Event(), threading.Event()

    def call():
        may_end.wait()
        ended.set()

    after(0.1, lambda: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        interruptible(LONG, call)
    assert not ended.is_set()
    may_end.set()
    assert ended.wait(60)


def test_other_threads_call_by_themselves():
    # Signals come to the main thread alone.
    found = []
    thread = threading.Thread(
        target=lambda: found.append(interruptible(LONG, threading.current_thread))
    )
    thread.start()
    thread.join()
    assert found == [thread]


def test_an_interrupted_fit_leaves_the_model_as_it_was(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 4)), np.arange(60) % 2
    model = FisherDiscriminant().fit(X, y)
    direction = model.direction_.copy()

    def stuck(*arguments):
        time.sleep(0.3)
        return np.matmul(*arguments)

    monkeypatch.setattr("wordodds._border.interruptible._FLOPS_MIN", 0)
    monkeypatch.setattr("wordodds.bayes.covariance.np.matmul", stuck)
    after(0.05, lambda: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        model.fit(X[::-1], y)
    np.testing.assert_array_equal(model.direction_, direction)


@pytest.mark.parametrize("least", [0.0, 1e300])
def test_triangles(least, monkeypatch):
    monkeypatch.setattr("wordodds._border.interruptible._FLOPS_MIN", least)
    root = np.tril(np.random.default_rng(1).standard_normal((5, 5))) + 4 * np.eye(5)
    lower, failed = cholesky(root @ root.T)
    np.testing.assert_allclose(lower, root, rtol=1e-12, atol=1e-12)
    assert failed == 0
    assert cholesky(np.diag([1.0, 2.0, -1.0, 3.0]))[1] == 3
    assert cholesky(np.diag([1.0, 2.0, 1.0, -3.0]))[1] == 4
    assert cholesky(np.diag([-1.0, 2.0, 1.0, 3.0]))[1] == 1


PROGRAM = """
import os, signal, threading, numpy as np
from wordodds._border.interruptible import product
A = np.ones((3000, 3000))
threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    product(A, A)
except KeyboardInterrupt:
    raise SystemExit(130)
"""


@pytest.mark.exhaustive
def test_a_process_may_end_while_the_call_goes_on():
    for _ in range(3):
        assert subprocess.run([sys.executable, "-c", PROGRAM], check=False).returncode == 130
