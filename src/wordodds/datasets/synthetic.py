"""Synthetic corpora whose best possible error is known exactly."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from wordodds._border.cached_property import cached_property
from wordodds._border.checks import whole_number
from wordodds.datasets.bayes_error import exact_bayes_error, topic_probabilities
from wordodds.datasets.corpus import Corpus
from wordodds.typing import Floats, Ints

__all__ = ["SyntheticCorpus", "make_corpus"]

_CONSONANTS = "bdfhjklmnprstvw"
# Without "e", so that no word is an English stop word ("here", "more", "some").
_VOWELS = "aiou"
_TOKENS_AT_ONCE = 1 << 22
_WORDS_MAX = 10_000_000


@dataclass(frozen=True, eq=False, repr=False)
class SyntheticCorpus(Corpus):
    """A corpus drawn from a known model.

    Parameters
    ----------
    texts, labels, label_names, name, source
        As in `Corpus`.
    words : list of str
        The words of the language, sorted.
    word_probabilities : ndarray, shape (n_classes, n_words)
        The probability of each word in a document of each class; rows sum to 1.
    class_prior : ndarray, shape (n_classes,)
        The probability of each class.
    document_length : int
        The number of words in each document.
    separation : float
        How much likelier a topic word is in its own class than in any other.
    topic_share : float
        The share of topic words in a document.
    """

    words: list[str]
    word_probabilities: Floats
    class_prior: Floats
    document_length: int
    separation: float
    topic_share: float

    @cached_property
    def bayes_error(self) -> float:
        """The error of the best classifier there can be, exactly; see `make_corpus`."""
        return exact_bayes_error(
            self.class_prior.tolist(), self.separation, self.topic_share, self.document_length
        )


def make_corpus(
    n_documents: int = 1000,
    n_classes: int = 4,
    *,
    n_words: int = 2000,
    document_length: int = 60,
    separation: float = 3.0,
    topic_share: float = 0.25,
    class_prior: Sequence[float] | Floats | None = None,
    random_state: int | np.random.Generator | None = 0,
) -> SyntheticCorpus:
    r"""Draw documents from a model with a known Bayes error.

    The words are divided into one topic per class and a common background; within each of
    these groups they follow Zipf's law, in all classes alike. With :math:`C` classes,
    separation :math:`s` and topic share :math:`q`, a word of a document of class :math:`c`
    comes

    - from topic :math:`c` with probability :math:`p = q / (1 + (C - 1) / s)`,
    - from any other topic with probability :math:`p / s` each,
    - from the background with probability :math:`1 - q`,

    independently of the other words: multinomial naive Bayes is true here. With :math:`n_c`
    the number of words of topic :math:`c` in a document, the best classifier decides for

    .. math:: \arg\max_c \; \log \pi_c + n_c \log s,

    and its error, available as ``bayes_error`` of the result (computed when first asked for), is

    .. math:: \sum_d \sum_{c \ne d} \pi_c \sum_k P(n_d = k,\; n_e \le t_{de}(k)
              \text{ for all } e \ne d \mid c),

    where :math:`t_{de}(k)` is the largest count of topic :math:`e` that class :math:`d` still
    beats. For documents of fixed length :math:`L` the counts are independent Poisson counts
    given that they sum to :math:`L`, so each probability is a convolution of truncated Poisson
    probabilities, divided by the Poisson probability of :math:`L`: a sum of positive terms.

    Parameters
    ----------
    n_documents : int, default=1000
        Number of documents to draw.
    n_classes : int, default=4
        Number of classes; at least 2.
    n_words : int, default=2000
        Number of words of the language; more than ``n_classes``.
    document_length : int, default=60
        Number of words of each document.
    separation : float, default=3.0
        How much likelier a topic word is in its own class than in any other; at least 1,
        and 1 makes the classes alike.
    topic_share : float, default=0.25
        The share of topic words in a document; between 0 and 1, both excluded.
    class_prior : sequence of float, optional
        The probability of each class, positive and summing to 1; equal by default.
    random_state : int, numpy Generator or None, default=0
        The seed of the documents. Words and probabilities do not depend on it: two seeds give
        a training and a test set of the same language.

    Returns
    -------
    corpus : SyntheticCorpus

    Examples
    --------
    >>> corpus = make_corpus(3, n_classes=2, document_length=5)
    >>> [len(text.split()) for text in corpus.texts]
    [5, 5, 5]
    >>> corpus.label_names
    ['class00', 'class01']
    >>> round(make_corpus(1, n_classes=2, separation=1.0).bayes_error, 6)
    0.5
    >>> make_corpus(1, separation=3.0).bayes_error > make_corpus(1, separation=6.0).bayes_error
    True
    """
    n_documents = _whole("n_documents", n_documents, 0)
    n_classes = _whole("n_classes", n_classes, 2)
    n_words = _whole("n_words", n_words, n_classes + 1)
    if n_words > _WORDS_MAX:
        raise ValueError(f"n_words must be <= {_WORDS_MAX:,}, got {n_words}")
    document_length = _whole("document_length", document_length, 1)
    if not (math.isfinite(separation) and separation >= 1.0):
        raise ValueError(f"separation must be finite and >= 1, got {separation!r}")
    if not 0.0 < topic_share < 1.0:
        raise ValueError(f"topic_share must lie between 0 and 1, got {topic_share!r}")
    prior = _checked_prior(class_prior, n_classes)
    rng = _generator(random_state)

    words = sorted(itertools.islice(_pronounceable(), n_words))
    probabilities = _word_probabilities(n_classes, n_words, separation, topic_share)
    chosen = rng.choice(n_classes, size=n_documents, p=prior)
    width = max(2, len(str(n_classes - 1)))  # so that the names sort as the numbers do
    names = [f"class{c:0{width}d}" for c in range(n_classes)]
    return SyntheticCorpus(
        texts=list(_draw_texts(rng, chosen, words, probabilities, document_length)),
        labels=np.array(names, dtype=np.str_)[chosen],
        label_names=names,
        name=f"synthetic, {n_classes} classes",
        source="synthetic (make_corpus)",
        words=words,
        word_probabilities=probabilities,
        class_prior=prior,
        document_length=document_length,
        separation=float(separation),
        topic_share=float(topic_share),
    )


def _pronounceable() -> Iterator[str]:
    """Yield words of two syllables, then of three, and so on; no two are alike."""
    syllables = [consonant + vowel for consonant in _CONSONANTS for vowel in _VOWELS]
    for n_syllables in itertools.count(2):
        for spelling in itertools.product(syllables, repeat=n_syllables):
            yield "".join(spelling)


def _word_probabilities(
    n_classes: int, n_words: int, separation: float, topic_share: float
) -> Floats:
    own, other, background = topic_probabilities(n_classes, separation, topic_share)
    n_topic_words = max(1, n_words // (2 * n_classes))  # half of the words, where that goes
    # A fixed shuffle, not random_state's: every corpus of these sizes speaks one language.
    columns = np.random.default_rng(0).permutation(n_words)
    topics = columns[: n_classes * n_topic_words].reshape(n_classes, n_topic_words)
    probabilities = np.empty((n_classes, n_words))
    probabilities[:, columns[topics.size :]] = background * _zipf(n_words - topics.size)
    for c in range(n_classes):
        probabilities[:, topics[c]] = other * _zipf(n_topic_words)
        probabilities[c, topics[c]] = own * _zipf(n_topic_words)
    return probabilities


def _zipf(n: int) -> Floats:
    weights: Floats = 1.0 / np.arange(1.0, n + 1.0)
    weights /= weights.sum()
    return weights


def _draw_texts(
    rng: np.random.Generator,
    chosen: Ints,
    words: list[str],
    probabilities: Floats,
    length: int,
) -> Iterator[str]:
    cumulative = np.cumsum(probabilities, axis=1)
    cumulative /= cumulative[:, -1:]  # ends at 1 exactly, and a draw is below 1
    at_once = max(1, _TOKENS_AT_ONCE // length)  # bounds the memory, not the result
    for start in range(0, len(chosen), at_once):
        classes = chosen[start : start + at_once]
        draws = rng.random((len(classes), length))
        tokens = np.empty(draws.shape, dtype=np.int64)
        for c in np.unique(classes):
            rows = classes == c
            tokens[rows] = np.searchsorted(cumulative[c], draws[rows], side="right")
        for document in tokens:
            # tolist: a list takes Python's integers faster than numpy's
            yield " ".join([words[token] for token in document.tolist()])


def _whole(name: str, value: int, smallest: int) -> int:
    number = whole_number(value, name, wanted="an integer")
    if number < smallest:
        raise ValueError(f"{name} must be >= {smallest}, got {value}")
    return number


def _checked_prior(class_prior: Sequence[float] | Floats | None, n_classes: int) -> Floats:
    if class_prior is None:
        return np.full(n_classes, 1.0 / n_classes)
    prior = np.array(class_prior, dtype=np.float64)
    if prior.shape != (n_classes,):
        raise ValueError(
            f"class_prior must have n_classes = {n_classes} entries, got shape {prior.shape}"
        )
    if not (np.isfinite(prior).all() and (prior > 0.0).all()):
        raise ValueError(f"class_prior must be positive and finite, got {prior.tolist()}")
    if abs(prior.sum() - 1.0) > 1e-8:
        raise ValueError(f"class_prior must sum to 1, got a sum of {prior.sum()}")
    prior /= prior.sum()
    return prior


def _generator(random_state: int | np.random.Generator | None) -> np.random.Generator:
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"random_state must be an integer >= 0, a numpy Generator or None, got {random_state!r}"
        ) from error
