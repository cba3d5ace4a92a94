"""Ctrl-C ends a long kernel soon, and the object stays usable."""

import signal
import subprocess
import sys
import time

import pytest

# Each job would run for minutes. It says "ready" right before the long call; the parent then sends
# SIGINT.
PROGRAM = """
import sys
from wordodds import CountVectorizer

def interrupted(call):
    print("ready", flush=True)
    try:
        call()
    except KeyboardInterrupt:
        return
    sys.exit("the call ended by itself: make the job longer")

{job}
print("went on", flush=True)
"""

JOBS = {
    "fit": """
text = "alpha beta gamma " * 500_000
vectorizer = CountVectorizer(n_jobs={n_jobs}).fit(["old words"])
interrupted(lambda: vectorizer.fit([text] * 20_000))
assert vectorizer.vocabulary_ == {{"old": 0, "words": 1}}
""",
    "one_document": """
text = "alpha beta gamma " * 60_000_000
vectorizer = CountVectorizer(n_jobs={n_jobs})
interrupted(lambda: vectorizer.fit([text] * 40))
assert not hasattr(vectorizer, "vocabulary_")
assert vectorizer.fit_transform(["still works"]).nnz == 2
""",
    "transform": """
text = "alpha beta gamma " * 500_000
vectorizer = CountVectorizer(n_jobs={n_jobs}).fit(["alpha gamma"])
interrupted(lambda: vectorizer.transform([text] * 20_000))
assert vectorizer.transform([text]).sum() == 1_000_000
""",
}


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("job", list(JOBS))
def test_sigint_stops_a_long_kernel(job, n_jobs):
    program = PROGRAM.format(job=JOBS[job].format(n_jobs=n_jobs))
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout.readline() == "ready\n", child.stderr.read()
        time.sleep(0.5)  # well inside the kernel
        child.send_signal(signal.SIGINT)
        # Minutes, were the signal not seen; a hang guard, not a speed limit.
        try:
            out, err = child.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            child.kill()
            raise
    assert child.returncode == 0, err
    assert out == "went on\n"
