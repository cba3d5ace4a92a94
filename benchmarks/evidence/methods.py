"""The methods that are compared: wordodds with its defaults, and peers tuned on training parts.

- wordodds-characters: with characters beside words, whatever the size of the corpus.
- wordodds-tuned: `TextClassifier.tune`, for as long as fastText's autotune.
- svc, lr, cnb: scikit-learn's LinearSVC, LogisticRegression and ComplementNB on
  ``TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)``, tuned by `GridSearchCV` with three
  stratified folds on two processes. Words are counted once, before the grid; each fold then drops
  the columns that its training documents lack and computes its own document frequencies, which
  gives the numbers of a grid over a pipeline with `TfidfVectorizer` in a fraction of its time.
- LogisticRegression is scikit-learn's default (L-BFGS, softmax) as long as classes times columns
  stay below `LARGE`. Beyond that, on 20 Newsgroups, it is LIBLINEAR's dual solver, one class
  against the rest: on 1,500 of its documents at least as accurate at C=30, and ten times as fast.
  BLAS has one thread in all fits.
- nbsvm: NBSVM as published, with one class against the rest where there are more than two.
- fasttext: fastText with autotune on a fifth of the training part, then fitted to all of it with
  the parameters found. Text is lower-cased and punctuation split off, as in fastText's tutorial.

References
----------
Wang, S. and Manning, C. D. (2012). Baselines and bigrams: simple, good sentiment and topic
classification. ACL.
"""

import json
import multiprocessing
import os
import re
import resource
import tempfile
import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import ComplementNB
from sklearn.pipeline import Pipeline
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

import wordodds

from ..setup.command_lines import FASTTEXT_THREADS
from ..setup.corpora import Labels, Split

PEERS = ["svc", "lr", "cnb", "nbsvm", "fasttext"]

N_JOBS = 2
N_FOLDS = 3
LARGE = 2_000_000  # weights of LogisticRegression, of which L-BFGS keeps twenty copies

FASTTEXT_TUNED = ("lr", "dim", "epoch", "wordNgrams", "minn", "maxn", "bucket", "minCount")
# Autotune may ask for 40 GB; an allocation that fails only skips the trial.
FASTTEXT_MEMORY = 8 * 1024**3
FASTTEXT_PUNCTUATION = re.compile(r"([.!?,'/()])")


def family(method: str) -> str:
    """Return the name of the peer, or of wordodds, that a method is a variant of."""
    return method.partition("-")[0]


class Outcome(NamedTuple):
    """The answers of a fitted method on new documents."""

    labels: Labels
    classes: Labels  # the columns of `probabilities`
    probabilities: npt.NDArray[np.float64] | None
    seconds: float  # of the fit, with counting and tuning
    chosen: dict[str, Any]  # parameters found by tuning


class Tuning(NamedTuple):
    """A peer of scikit-learn, and the values of its parameter that the grid tries."""

    make: Callable[[int], Any]  # of the number of weights
    parameter: str
    values: tuple[float, ...]


class TfidfOfCounts(TransformerMixin, BaseEstimator):
    """Turn rows of counts into those of `TfidfVectorizer` fitted to the documents of `fit`.

    The vocabulary of the counts may be larger: columns that do not occur in `fit` are dropped.
    """

    def fit(self, X: sp.csr_matrix, y: Any = None) -> "TfidfOfCounts":
        """Learn which columns occur, and in how many documents."""
        self.columns_ = np.unique(X.indices)
        self.tfidf_ = TfidfTransformer(sublinear_tf=True).fit(X[:, self.columns_])
        return self

    def transform(self, X: sp.csr_matrix) -> sp.csr_matrix:
        """Return the weighted rows."""
        return self.tfidf_.transform(X[:, self.columns_])


class NBSVM:
    """NBSVM of Wang and Manning (2012) on binary features.

    It has no bias, as in the authors' code (github.com/sidaw/nbsvm): a bias would be fitted to the
    machine's own weights, and is wrong by far for the interpolated ones if classes differ in size.
    `alpha` smooths the counts of the log-count ratio, `C` is the penalty of the support vector
    machine, `beta` the share of its own weights (the rest is their mean magnitude), and `tol` the
    tolerance of LIBLINEAR.
    """

    def __init__(self, alpha: float = 1.0, C: float = 1.0, beta: float = 0.25, tol: float = 1e-4):
        self.alpha, self.C, self.beta, self.tol = alpha, C, beta, tol

    def fit(self, X: sp.csr_matrix, y: Labels) -> "NBSVM":
        """Fit one weight vector for two classes, or one for each class against the rest."""
        X = sp.csr_matrix(X, dtype=np.float64)
        self.classes_ = np.unique(y)
        positive = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        self.weights_ = np.column_stack([self._fit_one(X, y == label) for label in positive])
        return self

    def decision_function(self, X: sp.csr_matrix) -> npt.NDArray[np.float64]:
        """Return the scores: one column for two classes, else one for each class."""
        return X @ self.weights_

    def predict(self, X: sp.csr_matrix) -> Labels:
        """Return the labels with the highest score."""
        scores = self.decision_function(X)
        if scores.shape[1] == 1:
            return self.classes_[(scores[:, 0] > 0).astype(int)]
        return self.classes_[scores.argmax(axis=1)]

    def _fit_one(
        self, X: sp.csr_matrix, positive: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.float64]:
        """Return the weights of the binary features."""
        p, q = (self.alpha + X.T @ part.astype(np.float64) for part in (positive, ~positive))
        ratio = np.log(p / p.sum()) - np.log(q / q.sum())
        machine = LinearSVC(
            C=self.C, tol=self.tol, fit_intercept=False, max_iter=10_000, random_state=0
        )
        weights = machine.fit(X @ sp.diags(ratio), positive).coef_[0]
        return ratio * ((1 - self.beta) * np.abs(weights).mean() + self.beta * weights)


def logistic_regression(n_weights: int) -> Any:
    """Return scikit-learn's logistic regression with the solver that suits the size."""
    if n_weights < LARGE:
        return LogisticRegression(max_iter=1000)
    model = LogisticRegression(solver="liblinear", dual=True, max_iter=1000, random_state=0)
    return OneVsRestClassifier(model)


TUNINGS = {
    "svc": Tuning(lambda _: LinearSVC(random_state=0), "C", (0.03, 0.1, 0.3, 1.0, 3.0)),
    "lr": Tuning(logistic_regression, "C", (0.3, 1.0, 3.0, 10.0, 30.0)),
    "cnb": Tuning(lambda _: ComplementNB(), "alpha", (0.03, 0.1, 0.3, 1.0, 3.0)),
}


def counter() -> CountVectorizer:
    """Return the vectorizer of scikit-learn's peers."""
    return CountVectorizer(ngram_range=(1, 2))


def pipeline(peer: str, counts: sp.csr_matrix, labels: Labels, **options: Any) -> Pipeline:
    """Return tf-idf and a peer's classifier with the given parameters, to be fitted to counts."""
    n_weights = len(np.unique(labels)) * len(np.unique(counts.indices))
    model = TUNINGS[peer].make(n_weights)
    (model.estimator if isinstance(model, OneVsRestClassifier) else model).set_params(**options)
    return Pipeline([("tfidf", TfidfOfCounts()), ("model", model)])


def tuned(
    peer: str,
    counts: sp.csr_matrix,
    labels: Labels,
    *,
    scoring: str = "accuracy",
    n_jobs: int = N_JOBS,
    **options: Any,
) -> GridSearchCV:
    """Return a peer of `TUNINGS` fitted with the best value of its grid.

    `n_jobs` are processes; `options` are further parameters of the classifier.
    """
    steps = pipeline(peer, counts, labels, **options)
    nested = isinstance(steps["model"], OneVsRestClassifier)
    name = ("model__estimator__" if nested else "model__") + TUNINGS[peer].parameter
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0)
    grid = {name: TUNINGS[peer].values}
    search = GridSearchCV(
        steps, grid, scoring=scoring, cv=folds, n_jobs=n_jobs, error_score="raise"
    )
    return _fit(search, counts, labels)


def fixed(peer: str, value: float, counts: sp.csr_matrix, labels: Labels) -> Pipeline:
    """Return a peer fitted with one value of its parameter."""
    steps = pipeline(peer, counts, labels, **{TUNINGS[peer].parameter: value})
    return _fit(steps, counts, labels)


def _fit(model: Any, counts: sp.csr_matrix, labels: Labels) -> Any:
    """Fit with one thread for BLAS: on two busy cores, two threads are up to 90 times as slow."""
    with threadpool_limits(1):
        return model.fit(counts, labels)


def run_wordodds(split: Split, **options: Any) -> Outcome:
    """Fit a TextClassifier, by default without options, and label the test part."""
    start = time.perf_counter()
    classifier = wordodds.TextClassifier(**options).fit(split.texts, split.labels)
    return _of_classifier(classifier, split, time.perf_counter() - start, {})


def run_wordodds_tuned(split: Split, tuning_seconds: int) -> Outcome:
    """Let a TextClassifier tune itself and label the test part."""
    start = time.perf_counter()
    classifier = wordodds.TextClassifier()
    classifier.tune(split.texts, split.labels, minutes=tuning_seconds / 60)
    seconds = time.perf_counter() - start
    tuning = classifier.tuning_
    found = {"held-out accuracy": tuning.value, "trials": len(tuning.trials), "call": tuning.call}
    return _of_classifier(classifier, split, seconds, found)


def _of_classifier(
    classifier: wordodds.TextClassifier, split: Split, seconds: float, chosen: dict[str, Any]
) -> Outcome:
    labels, chances = classifier.predict(split.new), classifier.predict_proba(split.new)
    return Outcome(labels, classifier.classes_, chances, seconds, chosen)


def run_tuned(peer: str, split: Split) -> Outcome:
    """Tune a peer of scikit-learn, fit it and label the test part."""
    start = time.perf_counter()
    vectorizer = counter()
    search = tuned(peer, vectorizer.fit_transform(split.texts), split.labels)
    seconds = time.perf_counter() - start
    new = vectorizer.transform(split.new)
    chances = search.predict_proba(new) if hasattr(search, "predict_proba") else None
    chosen = {name.rpartition("__")[2]: value for name, value in search.best_params_.items()}
    return Outcome(search.predict(new), search.classes_, chances, seconds, chosen)


def run_nbsvm(split: Split) -> Outcome:
    """Fit NBSVM and label the test part; words of one letter and punctuation are features too."""
    start = time.perf_counter()
    vectorizer = CountVectorizer(
        ngram_range=(1, 2), binary=True, token_pattern=r"(?u)\w+|[^\w\s]", dtype=np.float64
    )
    model = NBSVM().fit(vectorizer.fit_transform(split.texts), split.labels)
    seconds = time.perf_counter() - start
    return Outcome(
        model.predict(vectorizer.transform(split.new)), model.classes_, None, seconds, {}
    )


def run_fasttext(split: Split, tuning_seconds: int) -> Outcome:
    """Let fastText tune itself, fit it to the whole training part and label the test part.

    With 0 seconds for tuning its own defaults are used. It runs in a separate process with limited
    memory, so that a crash or an interrupt of fastText leaves this one alone. The time includes
    preparing the text, not starting the process.
    """
    start = time.perf_counter()
    classes, codes = np.unique(split.labels, return_inverse=True)
    lines = [
        f"__label__{code} {fasttext_line(text)}"
        for code, text in zip(codes, split.texts, strict=True)
    ]
    rows = np.arange(len(lines))
    fit, valid = train_test_split(rows, test_size=0.2, random_state=0, stratify=codes)
    seconds = time.perf_counter() - start
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part, rows in {"fit": fit, "valid": valid, "all": [*fit, *valid]}.items():
            _write_lines(folder / f"{part}.txt", [lines[i] for i in rows])
        _write_lines(folder / "new.txt", [fasttext_line(text) for text in split.new])
        found = _in_process(folder, tuning_seconds, len(classes))
        chances = np.load(folder / "chances.npy")
    labels = classes[chances.argmax(axis=1)]
    return Outcome(labels, classes, chances, seconds + found["seconds"], found["chosen"])


def fasttext_line(text: str) -> str:
    """Return a text as in fastText's tutorial: in small letters, punctuation apart, on one line."""
    apart = FASTTEXT_PUNCTUATION.sub(r" \1 ", text.lower())
    return " ".join(apart.replace("__label__", "label").split())


def _write_lines(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _in_process(folder: Path, tuning_seconds: int, n_classes: int) -> dict[str, Any]:
    """Run `_fasttext_process` and return what it measured."""
    arguments = (str(folder), tuning_seconds, n_classes)
    process = multiprocessing.get_context("spawn").Process(
        target=_fasttext_process, args=arguments, daemon=True
    )
    process.start()
    try:
        process.join()
    finally:
        process.kill()  # does nothing unless the caller was interrupted
    if process.exitcode != 0:
        log = (folder / "log.txt").read_text(errors="replace")[-500:]
        raise RuntimeError(f"fastText ended with {process.exitcode}: {log}")
    return json.loads((folder / "found.json").read_text())


def _fasttext_process(folder_name: str, tuning_seconds: int, n_classes: int) -> None:
    """Tune and fit fastText on the files of a folder, and write the probabilities there."""
    folder = Path(folder_name)
    log = os.open(folder / "log.txt", os.O_WRONLY | os.O_CREAT)
    os.dup2(log, 2)  # autotune prints its progress whatever `verbose` is
    resource.setrlimit(resource.RLIMIT_AS, (FASTTEXT_MEMORY, FASTTEXT_MEMORY))
    import fasttext

    train = partial(fasttext.train_supervised, thread=FASTTEXT_THREADS, verbose=0)
    start = time.perf_counter()
    chosen = _fasttext_tuned(train, folder, tuning_seconds) if tuning_seconds else {}
    model = train(input=str(folder / "all.txt"), **chosen)
    seconds = time.perf_counter() - start
    new = (folder / "new.txt").read_text(encoding="utf-8").split("\n")[:-1]
    np.save(folder / "chances.npy", _fasttext_chances(model, new, n_classes))
    (folder / "found.json").write_text(json.dumps({"seconds": seconds, "chosen": chosen}))


def _fasttext_tuned(train: Any, folder: Path, tuning_seconds: int) -> dict[str, Any]:
    """Return the settings that autotune finds; its model is gone before the next one is fitted."""
    model = train(
        input=str(folder / "fit.txt"),
        autotuneValidationFile=str(folder / "valid.txt"),
        autotuneDuration=tuning_seconds,
    )
    settings = model.f.getArgs()
    return {name: getattr(settings, name) for name in FASTTEXT_TUNED}


def _fasttext_chances(model: Any, lines: list[str], n_classes: int) -> npt.NDArray[np.float64]:
    """Return probabilities in the order of the classes."""
    chances = np.zeros((len(lines), n_classes))
    found = model.predict(lines, k=n_classes)
    for row, names, values in zip(chances, *found, strict=True):
        row[[int(name.removeprefix("__label__")) for name in names]] = values
    return chances


@cache
def warm_up(method: str) -> None:
    """Load what a method loads late, and start its processes, so that no fit is timed with it."""
    texts, labels = ["one two", "two three", "four five", "five six"] * 3, ["a", "a", "b", "b"] * 3
    toy = Split("toy", texts, np.array(labels), texts[:4], np.array(labels[:4]))
    if method != "fasttext":
        run(method, toy, 1)


def run(method: str, split: Split, tuning_seconds: int = 60) -> Outcome:
    """Fit wordodds or one of `PEERS` to the training part and label the test part.

    `tuning_seconds` limits the autotune of fastText, and the search of wordodds.
    """
    if method == "fasttext":
        return run_fasttext(split, tuning_seconds)
    if method in TUNINGS:
        return run_tuned(method, split)
    if method == "wordodds-tuned":
        return run_wordodds_tuned(split, tuning_seconds)
    if method == "wordodds-characters":
        return run_wordodds(split, characters=True)
    return {"wordodds": run_wordodds, "nbsvm": run_nbsvm}[method](split)
