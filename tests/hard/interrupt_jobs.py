"""Jobs that Ctrl-C interrupts: fits, transforms, predictions and files, on realistic sizes.

Each takes a fraction of a second to a few seconds and is repeated until a signal ends it, so that
the signals come at every stage of the work.
"""

import tempfile
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import wordodds
from wordodds.linear.solvers import DESCENTS

__all__ = ["JOBS"]

N_DOCUMENTS, N_WORDS = 12_000, 40_000


@cache
def texts() -> list[str]:
    """Return documents of a hundred words, whose frequencies fall as those of a language do."""
    rng = np.random.default_rng(0)
    words = np.array([f"word{k}" for k in range(N_WORDS)])
    drawn = words[(rng.pareto(0.9, (N_DOCUMENTS, 100)) * 10).astype(np.int64) % N_WORDS]
    return [" ".join(row) for row in drawn]


@cache
def counts() -> Any:
    """Return the same as a matrix."""
    return wordodds.CountVectorizer().fit_transform(texts())


def labels(n_classes: int) -> np.ndarray:
    """Return labels by chance: nothing to find, and long to look for."""
    return np.random.default_rng(1).integers(0, n_classes, N_DOCUMENTS)


@cache
def dense() -> np.ndarray:
    """Return a dense matrix for the models that take no other."""
    return np.random.default_rng(2).standard_normal((N_DOCUMENTS, 150))


@cache
def classifier() -> Any:
    """Return a fitted classifier."""
    return wordodds.TextClassifier().fit(texts(), labels(20))


Call = Callable[[], Any]


def _fit(name: str, n_classes: int, **parameters: Any) -> Callable[[], Call]:
    def job() -> Call:
        model = getattr(wordodds, name)(**parameters)
        return partial(model.fit, counts(), labels(n_classes))

    return job


def _fit_dense(name: str, n_classes: int, **parameters: Any) -> Callable[[], Call]:
    return lambda: partial(getattr(wordodds, name)(**parameters).fit, dense(), labels(n_classes))


def _predict(name: str, method: str, **parameters: Any) -> Callable[[], Call]:
    def job() -> Call:
        model = getattr(wordodds, name)(**parameters).fit(counts()[:2000], labels(20)[:2000])
        return partial(getattr(model, method), counts())

    return job


def _vectorize(name: str, method: str, **parameters: Any) -> Callable[[], Call]:
    def job() -> Call:
        vectorizer = getattr(wordodds, name)(**parameters)
        if method == "transform":
            vectorizer.fit(texts()[:2000])
        return partial(getattr(vectorizer, method), texts())

    return job


def _with_classifier(method: str, *more: Any) -> Callable[[], Call]:
    return lambda: partial(getattr(classifier(), method), texts(), *more)


def _explained() -> Call:
    text = " ".join(texts()[:200])
    return lambda: str(classifier().explain(text))


def _saved_and_loaded() -> Call:
    path = Path(tempfile.mkdtemp(), "model.wordodds")

    def call() -> None:
        classifier().save(path)
        wordodds.load(path)

    return call


def _streamed() -> Call:
    pyarrow = __import__("pyarrow")
    batches = pyarrow.table({"text": texts(), "label": labels(20)}).to_batches(1000)
    return lambda: wordodds.TextClassifier("naive_bayes").fit_stream(batches, memory="1GB")


def _predicted_stream() -> Call:
    pyarrow = __import__("pyarrow")
    batches = pyarrow.table({"text": texts()}).to_batches(1000)
    return lambda: [None for _ in classifier().predict_stream(batches)]


def _logistic() -> Iterator[tuple[str, Callable[[], Call]]]:
    strong = {"C": 100.0, "tol": 1e-9, "max_iter": 300}
    for solver in [*DESCENTS, "sgd", "sag", "dual"]:
        if solver != "irls":
            yield (
                f"LogisticRegression, {solver}",
                _fit("LogisticRegression", 20, solver=solver, **strong),
            )
    for penalty in ("l1", "elasticnet"):
        parameters = {"l1_ratio": 1.0 if penalty == "l1" else 0.5}
        for n_classes in (2, 20):
            name = f"LogisticRegression, {penalty}, {n_classes} classes"
            yield name, _fit("LogisticRegression", n_classes, **strong, **parameters)
    yield "LogisticRegression, one-vs-one", _fit("LogisticRegression", 6, multi_class="ovo")
    yield (
        "LogisticRegression, irls, dense",
        _fit_dense("LogisticRegression", 2, solver="irls", **strong),
    )


# Name -> a function that prepares the job and returns the call to interrupt.
JOBS: dict[str, Callable[[], Call]] = {
    **dict(_logistic()),
    **{f"{name}.fit": _fit(name, 20) for name in ("MultinomialNB", "BernoulliNB", "ComplementNB")},
    "GaussianNB.fit": _fit("GaussianNB", 3),
    "GaussianNB.predict": _predict("GaussianNB", "predict"),
    "MultinomialNB.predict_proba": _predict("MultinomialNB", "predict_proba"),
    "NBLogisticRegression.fit": _fit("NBLogisticRegression", 20),
    "SGDClassifier.fit": _fit("SGDClassifier", 20),
    "SGDClassifier.fit, softmax, L1": _fit("SGDClassifier", 20, loss="softmax", penalty="l1"),
    "BinaryRegression.fit": _fit("BinaryRegression", 2, link="probit", tol=1e-9),
    "GaussianDiscriminant.fit": _fit_dense("GaussianDiscriminant", 20),
    "FisherDiscriminant.fit": _fit_dense("FisherDiscriminant", 2),
    "TruncatedSVD.fit": lambda: partial(wordodds.TruncatedSVD(30).fit, counts()),
    "TfidfTransformer.fit_transform": lambda: partial(
        wordodds.TfidfTransformer(sublinear_tf=True).fit_transform, counts()
    ),
    "CountVectorizer.fit_transform": _vectorize("CountVectorizer", "fit_transform"),
    "CountVectorizer, pairs": _vectorize("CountVectorizer", "fit_transform", ngram_range=(1, 2)),
    "CountVectorizer, char_wb": _vectorize(
        "CountVectorizer", "transform", analyzer="char_wb", ngram_range=(3, 5)
    ),
    "CountVectorizer, stems": _vectorize("CountVectorizer", "fit_transform", stemmer="english"),
    "CountVectorizer, a pattern": _vectorize(
        "CountVectorizer", "transform", token_pattern=r"[a-z]\w+"
    ),
    "TfidfVectorizer.fit_transform": _vectorize("TfidfVectorizer", "fit_transform"),
    "HashingVectorizer.transform": _vectorize(
        "HashingVectorizer", "transform", analyzer="unicode_word"
    ),
    "TextClassifier.fit": lambda: partial(wordodds.TextClassifier().fit, texts(), labels(20)),
    "TextClassifier.fit_stream": _streamed,
    "TextClassifier.predict": _with_classifier("predict"),
    "TextClassifier.predict_proba": _with_classifier("predict_proba"),
    "TextClassifier.predict_top": _with_classifier("predict_top", 3),
    "TextClassifier.evaluate": _with_classifier("evaluate", labels(20)),
    "TextClassifier.calibrate": _with_classifier("calibrate", labels(20)),
    "TextClassifier.explain": _explained,
    "predict_stream": _predicted_stream,
    "save and load": _saved_and_loaded,
}
