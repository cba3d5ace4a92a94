"""Ctrl-C ends a long kernel soon, and the object stays usable."""

import signal
import subprocess
import sys
import threading
import time

import pytest

# Each job would run for minutes. It says "ready" right before the long call; the parent then sends
# SIGINT. Jobs of a kind run one after the other in one process: imports take longer than they do.
PROGRAM = """
import sys
from wordodds import CountVectorizer, HashingVectorizer

def ready():
    print("ready", flush=True)

def interrupted(call, is_ready=ready):
    is_ready()
    try:
        call()
    except KeyboardInterrupt:
        return
    sys.exit("the call ended by itself: make the job longer")

{setting}
for job in {jobs!r}:
    exec(job, dict(globals()))
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
    "bigrams": """
text = "alpha beta gamma " * 500_000
vectorizer = CountVectorizer(n_jobs={n_jobs}, ngram_range=(1, 2)).fit(["old words"])
interrupted(lambda: vectorizer.fit([text] * 20_000))
assert list(vectorizer.vocabulary_) == ["old", "old words", "words"]
""",
    "char_wb": """
text = "alpha b\u00e9ta gamma " * 500_000
vectorizer = CountVectorizer(n_jobs={n_jobs}, analyzer="char_wb").fit(["old"])
interrupted(lambda: vectorizer.fit([text] * 20_000))
assert list(vectorizer.vocabulary_) == [" ", "d", "l", "o"]
""",
    "hashing": """
text = "alpha beta gamma " * 500_000
vectorizer = HashingVectorizer(n_jobs={n_jobs}, ngram_range=(1, 2))
interrupted(lambda: vectorizer.transform([text] * 20_000))
assert vectorizer.transform(["still works"]).nnz == 3
""",
    "partial_fit": """
text = "alpha beta gamma " * 500_000
vectorizer = CountVectorizer(n_jobs={n_jobs}).partial_fit(["old words"])
interrupted(lambda: vectorizer.partial_fit([text] * 20_000))
assert (vectorizer.n_documents_, list(vectorizer.vocabulary_)) == (1, ["old", "words"])
""",
    "unicode_word": """
text = "alpha can't 3.14 b\u00e9ta " * 300_000
vectorizer = CountVectorizer(n_jobs={n_jobs}, analyzer="unicode_word", max_terms=9).fit(["old"])
interrupted(lambda: vectorizer.fit([text] * 20_000))
assert (vectorizer.n_documents_, list(vectorizer.vocabulary_)) == (1, ["old"])
""",
    "MultinomialNB": """
from wordodds import MultinomialNB
model = MultinomialNB(n_jobs={n_jobs}).fit(few, classes)
interrupted(lambda: model.predict(rows))
assert model.predict(rows[:5]).shape == (5,)
""",
    "MultinomialNB, sparse": """
from wordodds import MultinomialNB
from wordodds.bayes import tally
tally.DENSE_CELLS_MAX = 0
model = MultinomialNB(n_jobs={n_jobs}).fit(few, classes)
interrupted(lambda: model.predict(rows))
assert model.predict(rows[:5]).shape == (5,)
""",
    "GaussianNB": """
from wordodds import GaussianNB
model = GaussianNB(n_jobs={n_jobs}).fit(few, classes)
interrupted(lambda: model.predict(rows.toarray()))
assert model.predict(rows[:5]).shape == (5,)
""",
    "SGDClassifier": """
from wordodds import SGDClassifier
codes = np.arange(12_000) % 40
model = SGDClassifier("log_loss", n_jobs={n_jobs}, tol=None).fit(rows[:80], codes[:80])
coef = model.coef_.copy()
interrupted(lambda: model.fit(rows, codes))
assert (model.coef_ == coef).all() and model.t_ == 80_001
model.partial_fit(rows[:100], codes[:100])
assert np.isfinite(model.coef_).all()
""",
    "SGDClassifier, a batch": """
from wordodds import SGDClassifier
codes = np.arange(12_000) % 3_000
model = SGDClassifier("log_loss", n_jobs={n_jobs}, shuffle=False)
model.partial_fit(rows[:10], codes[:10], classes=classes)
interrupted(lambda: model.partial_fit(rows, codes))
taken = int(model.t_) - 11
assert 0 < taken < 12_000 and np.isfinite(model.coef_).all()
""",
    "GaussianNB, sparse": """
from wordodds import GaussianNB
model = GaussianNB(n_jobs={n_jobs}).fit(few, classes)
interrupted(lambda: model.predict(rows))
assert model.predict(rows[:5]).shape == (5,)
""",
    "LinearModel": """
from wordodds import TextClassifier
text = "alpha beta gamma " * 500_000
model = TextClassifier(n_jobs={n_jobs}).fit(["alpha beta", "gamma"], [0, 1]).linear_model_
interrupted(lambda: model.predict([text] * 20_000))
assert model.predict(["gamma"]) == [1]
""",
    "NBLogisticRegression": """
from wordodds import NBLogisticRegression
model = NBLogisticRegression(n_jobs={n_jobs}).fit(rows[:80], np.arange(80) % 2)
mixed = rows.copy()  # equal rows would be one
mixed.data = np.random.default_rng(0).random(mixed.nnz)
interrupted(lambda: model.fit(mixed, np.arange(12_000) % 3_000))
assert model.predict(rows[:5]).max() <= 1
""",
    "LogisticRegression": """
from wordodds import LogisticRegression
def first(entry):  # before its first iteration the model would have nothing to keep
    if entry["iteration"] == 0:
        ready()
model = LogisticRegression(
    solver="newton-cg", C=1e6, tol=0.0, max_iter=10**9, n_jobs={n_jobs}, callback=first
)
interrupted(lambda: model.fit(documents, topics), is_ready=lambda: None)
assert model.n_iter_[0] == len(model.history_["objective"]) - 1
assert model.predict_proba(documents[:5]).shape == (5, 20)
""",
    "LogisticRegression, many rows": """
from wordodds import LogisticRegression
model = LogisticRegression(solver="gd", tol=0.0, max_iter=10**9, n_jobs={n_jobs})
interrupted(lambda: model.fit(documents, topics))
# In the state of the last iteration; on a busy machine there may not be one yet.
assert not hasattr(model, "coef_") or np.isfinite(model.coef_).all()
""",
    "LogisticRegression, pairs": """
from wordodds import LogisticRegression
model = LogisticRegression(multi_class="ovo", solver="gd", tol=0.0, max_iter=10**9, n_jobs={n_jobs})
interrupted(lambda: model.fit(documents, topics))
assert not hasattr(model, "coef_")
""",
}

# Every row has every column, and there are many classes to score.
BAYES = """
import numpy as np, scipy.sparse as sp
rows = sp.csr_array(np.ones((12_000, 1_000)))
few, classes = rows[:3_000], np.arange(3_000)
"""

# Labels by chance: nothing to find, and long to look for.
LINEAR = """
import numpy as np, scipy.sparse as sp
rng = np.random.default_rng(0)
documents = sp.random_array((20_000, 10_000), density=0.01, rng=rng, format="csr")
topics = rng.integers(0, 20, 20_000)
"""
SETTINGS = {"NB": BAYES, "SGD": BAYES, "LogisticRegression": LINEAR}
FIRST = ("fit", "one_document", "transform")  # with and without threads; the others with them


def setting_of(job):
    return next((text for name, text in SETTINGS.items() if name in job), "")


def runs_of(setting):
    return [
        (job, n_jobs)
        for job in JOBS
        for n_jobs in (1, 2)
        if (n_jobs == 2 or job in FIRST) and setting_of(job) == setting
    ]


@pytest.mark.parametrize("setting", ["", BAYES, LINEAR], ids=["text", "many classes", "linear"])
def test_sigint_stops_long_kernels(setting):
    runs = runs_of(setting)
    jobs = [JOBS[job].format(n_jobs=n_jobs) for job, n_jobs in runs]
    program = PROGRAM.format(setting=setting, jobs=jobs)
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        for run in runs:
            assert child.stdout.readline() == "ready\n", (run, child.stderr.read())
            time.sleep(0.1)  # well inside the kernel
            child.send_signal(signal.SIGINT)
            # Minutes, were the signal not seen; a hang guard, not a speed limit.
            guard = threading.Timer(60, child.kill)
            guard.start()
            assert child.stdout.readline() == "went on\n", (run, child.stderr.read())
            guard.cancel()
        out, err = child.communicate()
    assert (child.returncode, out) == (0, ""), err


def test_every_job_is_run():
    runs = [run for setting in ("", BAYES, LINEAR) for run in runs_of(setting)]
    assert {job for job, _ in runs} == set(JOBS)
