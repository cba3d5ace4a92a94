"""Two ideas for few labels that also learn from the training texts without a label.

- views: logistic regression (C=100) on the two views of the default, words with pairs and
  punctuation beside characters within words; no idea yet, what the next one is compared with.
- views-smoothed: the same, and beside the views the first 30 columns of a truncated SVD of all
  training texts by words, times 3. What they add to a score is linear in the words, so that it
  could be folded into the weights of the words: each lends weight to those that it occurs with.
- bayes: multinomial naive Bayes (alpha=0.1) on tf-idf of words.
- bayes-em: the same, then six rounds of EM (Nigam et al., 2000), in which a text without a label
  counts a tenth.

References
----------
Nigam, K., McCallum, A., Thrun, S. and Mitchell, T. (2000). Text classification from labeled and
unlabeled documents using EM. Machine Learning 39, 103-134.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import log_softmax

import wordodds

from ..setup import corpora
from ..setup.corpora import Labels, Split
from .draws import Rows

IDEAS = ("views", "views-smoothed", "bayes", "bayes-em")
N_COLUMNS, SCALE = 30, 3.0
N_ROUNDS, UNLABELLED_WEIGHT, ALPHA = 6, 0.1, 0.1


class Features(NamedTuple):
    """Rows of the training part and of the test part, by three readings."""

    views: tuple[sp.csr_matrix, sp.csr_matrix]
    smooth: tuple[np.ndarray, np.ndarray]
    words: tuple[sp.csr_matrix, sp.csr_matrix]


@lru_cache(maxsize=1)
def features_of(name: str, limit: int | None) -> Features:
    """Return the features of a corpus, which are learnt from all training texts."""
    split = corpora.load(name, limit)
    views = wordodds.TfidfVectorizer(
        analyzer=("word", "char_wb"),
        ngram_range={"word": (1, 2), "char_wb": (2, 5)},
        token_pattern=r"(?u)\w+|[^\w\s]",
        sublinear_tf=True,
        min_df=2,
    )
    words = wordodds.TfidfVectorizer(sublinear_tf=True, min_df=2, token_pattern=r"(?u)\w+")
    rows = words.fit_transform(split.texts), words.transform(split.new)
    n_columns = min(N_COLUMNS, min(rows[0].shape) - 1)
    svd = wordodds.TruncatedSVD(n_columns, random_state=0).fit(rows[0])
    smooth = SCALE * svd.transform(rows[0]), SCALE * svd.transform(rows[1])
    return Features((views.fit_transform(split.texts), views.transform(split.new)), smooth, rows)


def predictions(method: str, split: Split, labelled: Rows, limit: int | None) -> Labels:
    """Return the labels of the test part, learnt from the labels of some rows."""
    features = features_of(split.name, limit)
    classes, codes = np.unique(split.labels[labelled], return_inverse=True)
    if method.startswith("bayes"):
        n_rounds = N_ROUNDS if method == "bayes-em" else 0
        return classes[_bayes(*features.words, labelled, codes, n_rounds)]
    train, new = features.views
    train = train[labelled]
    if method == "views-smoothed":
        train = sp.hstack([train, sp.csr_matrix(features.smooth[0][labelled])]).tocsr()
        new = sp.hstack([new, sp.csr_matrix(features.smooth[1])]).tocsr()
    model = wordodds.LogisticRegression(C=100.0, max_iter=1000).fit(train, codes)
    return classes[model.predict(new)]


def _bayes(train: Any, new: Any, labelled: Rows, codes: np.ndarray, n_rounds: int) -> np.ndarray:
    """Return the class of each new row by naive Bayes after some rounds of EM."""
    shares = np.zeros((train.shape[0], codes.max() + 1))
    shares[labelled, codes] = 1.0
    is_free = np.ones(train.shape[0], dtype=bool)
    is_free[labelled] = False
    for _ in range(n_rounds):
        log_p = _log_joint(train, shares, train[is_free])
        shares[is_free] = UNLABELLED_WEIGHT * np.exp(log_softmax(log_p, axis=1))
    return _log_joint(train, shares, new).argmax(axis=1)


def _log_joint(train: Any, shares: np.ndarray, rows: Any) -> np.ndarray:
    """Return log p(class) + log p(row | class), learnt from rows with shares of classes."""
    counts = np.asarray(train.T @ shares) + ALPHA
    weights = np.log(counts) - np.log(counts.sum(axis=0))
    return np.asarray(rows @ weights) + np.log(shares.sum(axis=0))
