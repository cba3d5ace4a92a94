"""``wordodds demo``: the whole road on 20 Newsgroups, from text to log-odds."""

import sys
import time
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from wordodds import CountVectorizer, MultinomialNB
from wordodds.cli.table import print_table
from wordodds.datasets import newsgroups_or_synthetic

__all__ = ["run_demo"]

Result = TypeVar("Result")

# The best on a held-out part of the training documents is used.
ALPHAS = (1.0, 0.1, 0.01)


def run_demo(*, words: int, n_jobs: int | None) -> None:
    """Get the data, train, evaluate and print what was learned.

    Parameters
    ----------
    words : int
        How many words to show for each class.
    n_jobs : int or None
        Threads, as for the estimators.
    """
    train, test = newsgroups_or_synthetic(announce=lambda line: print(line, file=sys.stderr))
    print(f"data       {train.name}, from {train.source}")
    vectorizer = CountVectorizer(n_jobs=n_jobs)
    counts, counting = _timed(lambda: vectorizer.fit_transform(train.texts))
    model = MultinomialNB(alpha=best_alpha(counts, train.labels, n_jobs), n_jobs=n_jobs)
    _, fitting = _timed(lambda: model.fit(counts, train.labels))
    (right, total), scoring = _timed(
        lambda: _score(model, vectorizer.transform(test.texts), test.labels)
    )
    print(
        f"count      {len(train.texts):,} documents, {_megabytes(train.texts):.1f} MB in "
        f"{counting:.2f} s: {_megabytes(train.texts) / counting:,.0f} MB/s, "
        f"{counts.shape[1]:,} words"
    )
    print(
        f"train      naive Bayes, alpha={model.alpha:g} (best on held-out training documents), "
        f"{len(model.classes_)} classes in {fitting * 1000:.0f} ms"
    )
    print(
        f"predict    {total:,} documents, {_megabytes(test.texts):.1f} MB in {scoring:.2f} s: "
        f"{_megabytes(test.texts) / scoring:,.0f} MB/s"
    )
    print(f"accuracy   {right / total:.4f} ({right:,} of {total:,} test documents)")
    print("\nThe words with the highest log-odds of each class against the others:\n")
    # One added to every count: a word needs evidence before it can lead.
    best = MultinomialNB(alpha=1.0, n_jobs=n_jobs).fit(counts, train.labels)
    rows = [
        # No-break spaces: a narrow table must not part a word from its number.
        [str(label), "  ".join(f"{word}\N{NO-BREAK SPACE}{value:+.1f}" for word, value in features)]
        for label, features in best.top_features(
            words, feature_names=vectorizer.get_feature_names_out()
        ).items()
    ]
    print_table(["class", "log p(word | class) - its mean over the other classes"], rows)


def best_alpha(counts: Any, labels: npt.NDArray[Any], n_jobs: int | None) -> float:
    """Choose the smoothing that does best on every fifth document, trained on the others.

    Parameters
    ----------
    counts : csr_matrix of shape (n_documents, n_features)
        Word counts.
    labels : ndarray of shape (n_documents,)
        Their classes.
    n_jobs : int or None
        Threads.
    """
    held_out = np.arange(len(labels)) % 5 == 4
    if not held_out.any():
        return ALPHAS[0]
    learn, learn_labels = counts[~held_out], labels[~held_out]
    check, check_labels = counts[held_out], labels[held_out]
    return max(
        ALPHAS,
        key=lambda alpha: _score(
            MultinomialNB(alpha=alpha, n_jobs=n_jobs).fit(learn, learn_labels), check, check_labels
        ),
    )


def _score(model: MultinomialNB, counts: Any, labels: npt.NDArray[Any]) -> tuple[int, int]:
    return int((model.predict(counts) == labels).sum()), len(labels)


def _megabytes(texts: list[str]) -> float:
    return sum(len(text.encode("utf-8", "surrogatepass")) for text in texts) / 1e6


def _timed(work: Callable[[], Result]) -> tuple[Result, float]:
    start = time.perf_counter()
    return work(), time.perf_counter() - start
