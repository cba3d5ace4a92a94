"""Fit every estimator once, and print a digest of what each has learnt.

    python -m tests.repeated_fits

test_repeated_fits.py runs it in two processes, whose output must be equal.
"""

import json
import tempfile
from hashlib import blake2b
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import wordodds
from wordodds.linear.solvers import DESCENTS, STOCHASTIC


def make_corpus():
    """Return texts and labels of three classes that no model can tell apart without error."""
    rng = np.random.default_rng(5)
    words = np.array([f"word{i}" for i in range(400)])
    labels = rng.integers(0, 3, 300)
    texts = [" ".join(words[(rng.zipf(1.4, 20) + 7 * label) % 400]) for label in labels]
    return texts, labels


def fitted_estimators():
    """Yield a name and a fitted estimator, all parameters at their defaults but the solver."""
    w = wordodds
    texts, labels = make_corpus()
    for name in ("CountVectorizer", "TfidfVectorizer", "HashingVectorizer"):
        yield name, getattr(w, name)().fit(texts)
    counts = w.CountVectorizer().fit_transform(texts)
    reducer = w.TruncatedSVD(5)
    dense = reducer.fit_transform(counts)
    yield "TruncatedSVD", reducer
    yield "TfidfTransformer", w.TfidfTransformer().fit(counts)
    for name in ("BernoulliNB", "ComplementNB", "MultinomialNB"):
        yield name, getattr(w, name)().fit(counts, labels)
    for name in ("GaussianDiscriminant", "GaussianNB"):
        yield name, getattr(w, name)().fit(dense, labels)
    yield "FisherDiscriminant", w.FisherDiscriminant().fit(dense, labels == 1)
    yield "CategoricalNB", w.CategoricalNB().fit((dense > 0).astype(np.int64), labels)
    for solver in ("auto", "coordinate", *DESCENTS, *STOCHASTIC):
        model = w.LogisticRegression(solver=solver, tol=1e-2, max_iter=10_000)
        yield f"LogisticRegression {solver}", model.fit(counts, labels)
    yield "BinaryRegression", w.BinaryRegression().fit(counts, labels == 1)
    yield "NBLogisticRegression", w.NBLogisticRegression().fit(counts, labels)
    yield "NBLogisticRegression None", w.NBLogisticRegression(random_state=None).fit(counts, labels)
    yield "SGDClassifier", w.SGDClassifier(max_iter=5, tol=None).fit(counts, labels)
    stopped = w.SGDClassifier(max_iter=5, tol=None, early_stopping=True)
    yield "SGDClassifier early_stopping", stopped.fit(counts, labels)
    for model in ("naive_bayes", "nb_logistic", "logistic", "complement"):
        yield f"TextClassifier {model}", w.TextClassifier(model).fit(texts, labels)
    yield "TextClassifier None", w.TextClassifier(random_state=None).fit(texts, labels)


def digest_of(estimator):
    """Return a digest of the public attributes that a fit has set."""
    digest = blake2b(digest_size=16)
    for name in sorted(dir(estimator)):
        # Some are known after another kind of fit only; older versions of scikit-learn list these.
        if name.endswith("_") and not name.startswith("_") and hasattr(estimator, name):
            value = getattr(estimator, name)
            if name == "history_":  # but for the seconds
                value = {key: entry for key, entry in value.items() if key != "time"}
            digest.update(name.encode())
            digest.update(packed(value))
    return digest.hexdigest()


def packed(value):
    """Return the bytes that stand for an attribute."""
    if isinstance(value, wordodds.LinearModel):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "model")
            value.save(path)
            return path.read_bytes()
    if sp.issparse(value):
        rows = value.tocsr()
        return b"".join(map(packed, (rows.data, rows.indices, rows.indptr)))
    if isinstance(value, np.ndarray) and value.dtype != object:
        return f"{value.dtype} {value.shape}".encode() + np.ascontiguousarray(value).tobytes()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return b"[" + b"".join(map(packed, value)) + b"]"
    if isinstance(value, dict):
        return b"{" + b"".join(map(packed, sorted(value.items(), key=str))) + b"}"
    return repr(value).encode()


if __name__ == "__main__":
    print(json.dumps({name: digest_of(estimator) for name, estimator in fitted_estimators()}))
