"""The interpreter ends quietly, whatever its threads are doing."""

import subprocess
import sys

import pytest

PROGRAM = """
import threading, time
from wordodds import CountVectorizer
text = "alpha beta gamma " * 500_000
work = lambda: CountVectorizer(n_jobs={n_jobs}).fit([text] * 20_000)
threading.Thread(target=work, daemon=True).start()
time.sleep(0.5)
"""


@pytest.mark.exhaustive
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_daemon_thread_inside_a_kernel(n_jobs):
    program = PROGRAM.format(n_jobs=n_jobs)
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120
    )
    assert (result.returncode, result.stderr) == (0, "")
