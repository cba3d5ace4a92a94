"""20 Newsgroups, or what stands for it, as the experiments take it; read once, when needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, vstack

from wordodds._border.cached_property import cached_property
from wordodds.datasets import BagOfWords, Corpus, load_newsgroups, newsgroups_or_synthetic
from wordodds.typing import Floats, Ints

__all__ = [
    "COUNTS",
    "N_COLUMNS",
    "TF_IDF",
    "Bags",
    "Columns",
    "Data",
    "Weighting",
    "count_texts",
    "frequent_words",
    "leading_columns",
    "log_rows",
    "two_groups",
]

N_COLUMNS = 50
Weighting: TypeAlias = Literal["counts", "tf-idf"]
# Of the latter every row has length 1.
COUNTS: Weighting = "counts"
TF_IDF: Weighting = "tf-idf"

_ONLY_LETTERS = bytes(
    code if chr(code).isascii() and chr(code).isalpha() else ord(" ") for code in range(256)
)


@dataclass(frozen=True)
class Bags:
    """20 Newsgroups, or what stands for it, as word counts."""

    train: BagOfWords  # before a date
    test: BagOfWords  # after it

    @property
    def source(self) -> str:
        """What it is and where it came from."""
        return f"{self.train.name.removesuffix(', train')}, from {self.train.source}"


class Columns(NamedTuple):
    """Documents as points: their coordinates along the leading singular vectors."""

    values: Floats  # in decreasing order of the singular value
    labels: npt.NDArray[np.str_]


@dataclass
class Data:
    """The corpus in the forms that experiments ask for; nothing is read before one does."""

    others: list[str] = field(default_factory=list, repr=False, compare=False)  # read beside it
    # Called with one line for each way to the data that did not work.
    announce: Callable[[str], object] = field(default=lambda line: None)
    _columns: dict[tuple[int, Weighting], Columns] = field(
        default_factory=dict, repr=False, compare=False
    )

    @property
    def source(self) -> str:
        """What was read and where it came from, as far as experiments have asked for it."""
        bags = [self.bags.source] if "bags" in self.__dict__ else []
        return "; ".join([*bags, *self.others]) or "none but synthetic points"

    @cached_property
    def bags(self) -> Bags:
        """Word counts: the publisher's bag of words, else those of the texts at hand."""
        try:
            train = load_newsgroups("bydate-matlab", "train")
            return Bags(train, load_newsgroups("bydate-matlab", "test"))
        except OSError as error:  # DatasetUnavailable, or a folder that cannot be read
            reason = " ".join(str(error).split()).split(". ")[0]
            self.announce(f"the bag of words is not available ({reason}); counting texts instead")
        return count_texts(*newsgroups_or_synthetic(announce=self.announce))

    def columns(
        self, n_groups: int, weighting: Weighting = COUNTS, n_jobs: int | None = None
    ) -> Columns:
        """Return the first groups' documents, of both parts, as `N_COLUMNS` SVD coordinates.

        The decomposition is of all these documents, as in the lecture: it sees those that are
        tested on later too, but no label.
        """
        if (n_groups, weighting) not in self._columns:
            train, test = self.bags.train, self.bags.test
            labels = np.concatenate([train.labels, test.labels])
            chosen = np.isin(labels, train.label_names[:n_groups])
            counts = vstack([train.counts, test.counts], format="csr")[chosen]
            values = leading_columns(counts, weighting, n_jobs)
            self._columns[n_groups, weighting] = Columns(values, labels[chosen])
        return self._columns[n_groups, weighting]


def leading_columns(counts: csr_array, weighting: Weighting, n_jobs: int | None = None) -> Floats:
    """Return counts, or their tf-idf, along the `N_COLUMNS` leading singular vectors."""
    from wordodds import TfidfTransformer, TruncatedSVD

    rows = TfidfTransformer().fit_transform(counts) if weighting == TF_IDF else counts
    svd = TruncatedSVD(min(N_COLUMNS, *rows.shape), random_state=0, n_jobs=n_jobs)
    return np.asarray(svd.fit_transform(rows))


def count_texts(train: Corpus, test: Corpus) -> Bags:
    """Count the words of two corpora by the rules of the publisher's bag of words.

    Those are: what follows the first blank line, words of two Latin letters or more, lower case,
    that occur twice or more in both parts together.
    """
    from wordodds import CountVectorizer

    vectorizer = CountVectorizer()
    texts = [_letters(_body(text)) for text in [*train.texts, *test.texts]]
    counts = csr_array(vectorizer.fit_transform(texts))
    kept = np.flatnonzero(counts.sum(axis=0) >= 2)
    words = [str(word) for word in vectorizer.get_feature_names_out()[kept]]
    counts = csr_array(counts[:, kept])
    bags = [
        BagOfWords(part, corpus.labels, corpus.label_names, words, corpus.name, corpus.source)
        for part, corpus in ((counts[: len(train)], train), (counts[len(train) :], test))
    ]
    return Bags(*bags)


def _letters(text: str) -> str:
    """Return the text with a space for whatever is no Latin letter."""
    return text.encode("ascii", "replace").translate(_ONLY_LETTERS).decode("ascii")


def _body(message: str) -> str:
    _, separator, body = message.partition("\n\n")
    return body if separator else message


def two_groups(bags: Bags) -> tuple[tuple[csr_array, Ints], ...]:
    """Return (counts, y) of both parts for the first two groups; y is 1 for the second one."""

    def part(bag: BagOfWords) -> tuple[csr_array, Ints]:
        chosen = np.flatnonzero(np.isin(bag.labels, bag.label_names[:2]))
        return bag.counts[chosen], (bag.labels[chosen] == bag.label_names[1]).astype(np.int64)

    return part(bags.train), part(bags.test)


def frequent_words(counts: csr_array, n: int) -> Ints:
    """Return the columns of the words that most documents have, in their order."""
    documents = np.bincount(counts.indices, minlength=counts.shape[1])
    return np.sort(np.argsort(-documents, kind="stable")[:n])


def log_rows(counts: csr_array) -> csr_array:
    """Return log(1 + count), each row of length one; a document without words stays zero."""
    rows = csr_array(counts, dtype=np.float64, copy=True)
    np.log1p(rows.data, out=rows.data)
    words = np.diff(rows.indptr)
    squares = np.bincount(
        np.repeat(np.arange(len(words)), words), weights=rows.data**2, minlength=len(words)
    )
    rows.data /= np.repeat(np.sqrt(squares), words)
    return rows
