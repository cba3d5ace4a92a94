"""BernoulliNB: naive Bayes on which words a document has."""

from collections.abc import Callable
from typing import Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from wordodds._border.checks import is_real_number
from wordodds._border.csr import CsrArrays, as_csr, without_repeats
from wordodds._border.execution import Execution
from wordodds._core import bayes as core
from wordodds._core import sparse as sparse_core
from wordodds._core.base import class_stride
from wordodds.bayes.alpha_zero import Limit, Required, Unseen, pattern
from wordodds.bayes.discrete import CountedNB
from wordodds.bayes.generative import GenerativeClassifier
from wordodds.bayes.priors import Estimate
from wordodds.bayes.sampling import draw_classes, draw_presence, generator
from wordodds.bayes.tally import ClassTally, DenseTally, SparseTally, features_of
from wordodds.bayes.weights import DenseWeights, Learnt, SparseWeights, Weights
from wordodds.typing import AnyArray, ClassWeight, Floats, MatrixLike, RandomState

__all__ = ["BernoulliNB"]


class BernoulliNB(CountedNB, GenerativeClassifier):
    r"""Naive Bayes for which words a document has, however often.

    .. math:: \log p(c) + \sum_j \big( x_j \log p_{cj} + (1 - x_j) \log (1 - p_{cj}) \big), \qquad
        p_{cj} = \frac{N_{cj} + a_j}{N_c + 2 a_j}

    where :math:`N_{cj}` of the :math:`N_c` documents of class c have word j: unlike in
    `MultinomialNB`, words that are missing count too. Each :math:`p_{cj}` has a Beta prior, both of
    whose parameters are :math:`\alpha`; the pseudo-count a is :math:`\alpha` for
    ``estimate="bayes"`` (the posterior's mean), :math:`\alpha - 1` for ``"map"`` (its mode) and 0
    for ``"ml"``.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,) or (n_classes, n_features), default=1.0
        Parameters of the Beta prior, >= 0. Where the pseudo-count is 0, a document with a word that
        no document of a class had, or without one that all had, cannot come from that class; where
        that happens to every class, the prior decides.
    binarize : float or None, default=0.0
        A document has a word if its value is above this, >= 0. None: X holds zeros and ones, or
        probabilities of presence, already.
    force_alpha, fit_prior, class_prior, estimate, prior_alpha, class_weight, n_jobs
        As in `MultinomialNB`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_count_ : ndarray of shape (n_classes,)
        Documents per class.
    class_log_prior_ : ndarray of shape (n_classes,)
    feature_count_ : ndarray of shape (n_classes, n_features)
        Documents of each class that have the word.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        log p(the document has the word | class).
    weights_, bias_ : ndarray
        The linear view: p(class | x) is the softmax of ``x @ weights_.T + bias_``, with
        ``weights_`` the log-odds of presence.
    n_features_in_ : int
    feature_names_in_ : ndarray
        Where the columns of X have names.

    Examples
    --------
    >>> from wordodds import BernoulliNB, CountVectorizer
    >>> texts = ["free money now", "cheap money", "see you at lunch", "lunch with you"]
    >>> vectorizer = CountVectorizer()
    >>> model = BernoulliNB().fit(vectorizer.fit_transform(texts), ["spam", "spam", "ham", "ham"])
    >>> model.predict(vectorizer.transform(["money for lunch money"]))
    array(['spam'], dtype='<U4')
    """

    def __init__(
        self,
        *,
        alpha: npt.ArrayLike = 1.0,
        force_alpha: bool = True,
        binarize: float | None = 0.0,
        fit_prior: bool = True,
        class_prior: npt.ArrayLike | None = None,
        estimate: Estimate = "bayes",
        prior_alpha: npt.ArrayLike | None = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            alpha=alpha,
            force_alpha=force_alpha,
            fit_prior=fit_prior,
            class_prior=class_prior,
            estimate=estimate,
            prior_alpha=prior_alpha,
            class_weight=class_weight,
            n_jobs=n_jobs,
        )
        self.binarize = binarize

    def _weigher(self) -> Callable[[Learnt], Weights]:
        return bernoulli_weights

    def _check_smoothing(self, tally: ClassTally, pseudo_counts: Floats) -> None:
        super()._check_smoothing(tally, pseudo_counts)
        if isinstance(tally, SparseTally) and np.ptp(pseudo_counts) > 0.0:
            raise ValueError(
                "this many classes and features are kept sparse, where BernoulliNB takes one alpha "
                "for all: pass a number"
            )

    def _checked(self, X: MatrixLike, how: Execution) -> CsrArrays:
        matrix = as_csr(X, non_negative=False, execution=how)
        if self.binarize is None:
            matrix = without_repeats(matrix, how)
            data = matrix.data
            if len(data) and not (data.min() >= 0 and data.max() <= 1):
                raise ValueError(
                    "with binarize=None X must hold values between 0 and 1; pass binarize=0.0 to "
                    "ask only whether a value is above 0"
                )
            return matrix
        threshold = _checked_threshold(self.binarize)
        present, has_repeats = sparse_core.csr_binarize(matrix, *how, threshold=threshold)
        if has_repeats:  # what must be above the threshold is the sum of a column's entries
            matrix = without_repeats(matrix, how)
            present, _ = sparse_core.csr_binarize(matrix, *how, threshold=threshold)
        return matrix._replace(data=present)

    def _check_mergeable(self, other: Self) -> None:
        if self.binarize != other.binarize:
            raise ValueError(
                f"binarize differs ({self.binarize!r} and {other.binarize!r}), so the counts do "
                "not mean the same"
            )

    @property
    def feature_log_prob_(self) -> Floats:
        """Log p(the document has the word | class), (n_classes, n_features)."""
        learnt = self._fitted("feature_log_prob_")
        n_rows = learnt.class_count[:, np.newaxis]
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(_presence(learnt.tally.table(), n_rows, learnt.pseudo_counts)))

    def sample(self, n: int, *, random_state: RandomState = None) -> tuple[sp.csr_array, AnyArray]:
        """Draw documents and their labels from the model.

        Parameters
        ----------
        n : int
            How many.
        random_state : None, int, numpy Generator or RandomState
            Where the numbers come from.

        Returns
        -------
        X : CSR array of shape (n, n_features)
            Ones where the document has the word, int64.
        y : ndarray of shape (n,)
            Labels, drawn from the class priors.
        """
        check_is_fitted(self)
        rng = generator(random_state)
        codes = draw_classes(self.class_log_prior_, n, rng)

        def presence(c: int) -> Floats:
            learnt = self._learnt
            a = learnt.pseudo_counts[c if len(learnt.pseudo_counts) > 1 else 0]
            return _presence(learnt.tally.of_class(c), learnt.class_count[c], a)

        return draw_presence(codes, presence, self.n_features_in_, rng), self.classes_[codes]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = False
        return tags


def _presence(counts: Floats, n_rows: Floats | float, a: Floats) -> Floats:
    """Return p(the document has the word | class); 0 where there is no estimate."""
    total = n_rows + 2.0 * a
    return np.asarray((counts + a) / np.where(total > 0.0, total, np.inf))


def _checked_threshold(binarize: object) -> float:
    if not is_real_number(binarize):
        raise TypeError(f"binarize must be a number >= 0 or None, got {binarize!r}")
    if not 0.0 <= float(binarize) < np.inf:
        raise ValueError(
            f"binarize must be finite and >= 0, got {binarize!r}: what a sparse matrix does not "
            "store is 0 and has to stay absent"
        )
    return float(binarize)


def bernoulli_weights(learnt: Learnt) -> Weights:
    """Return the log-odds of presence, and as bias the score of a document without any word."""
    if isinstance(learnt.tally, DenseTally):
        return _dense_weights(learnt, learnt.tally.counts)
    return _sparse_weights(learnt, learnt.tally.by_feature)


def _dense_weights(learnt: Learnt, counts: Floats) -> Weights:
    stride = class_stride(len(counts))
    by_feature, bias = core.tally_bernoulli_weights(
        counts, learnt.class_count, learnt.pseudo_counts, stride, *learnt.how
    )
    limits = []
    if not learnt.pseudo_counts.all():
        certain = (counts >= learnt.class_count[:, np.newaxis]) & (learnt.pseudo_counts == 0.0)
        classes, features = np.nonzero(certain & (counts > 0.0))
        limits.append(Required(pattern(features, classes, counts.shape[::-1])))
    return DenseWeights(by_feature, bias, limits)


def _sparse_weights(learnt: Learnt, entries: sp.csr_array) -> Weights:
    # log p - log(1 - p) is log a - log(N_c + a) for every word that a class never had: with one a
    # for all words it depends on the class alone, and only the words that it had differ from it.
    a, (n_features, n_classes) = float(learnt.pseudo_counts[0, 0]), entries.shape
    features, classes, present = features_of(entries), entries.indices, entries.data
    n_rows = learnt.class_count
    absent = np.maximum(n_rows[classes] - present, 0.0)
    certain = absent + a <= 0.0  # in every document, and no pseudo-count
    excess = entries.copy()
    excess.data = np.log(present + a) - np.log(np.where(certain, present + a, absent + a))
    class_base = np.zeros(n_classes)
    if a > 0.0:
        class_base = np.log(a) - np.log(n_rows + a)
        excess.data -= class_base[classes]
    # The bias adds log(1 - p) over all words: as of words never had, corrected where they were.
    log_absent = _log_absent(np.zeros(n_classes), n_rows, a)
    at_entries = np.where(certain, 0.0, _log_absent(present, n_rows[classes], a))
    bias = n_features * log_absent + np.bincount(
        classes, at_entries - log_absent[classes], minlength=n_classes
    )
    limits: list[Limit] = []
    if a == 0.0:
        limits = [
            Unseen(np.ones(n_features, dtype=bool), pattern(features, classes, entries.shape)),
            Required(pattern(features[certain], classes[certain], entries.shape)),
        ]
    zeros = np.zeros(n_features)
    return SparseWeights(excess, zeros, np.zeros(n_classes), class_base, bias, limits)


def _log_absent(present: Floats, n_rows: Floats, a: float) -> Floats:
    """Return log(1 - p), minus infinity where there is no estimate."""
    total = n_rows + 2.0 * a
    known = total > 0.0
    total = np.where(known, total, 1.0)
    p = (present + a) / total
    absent = np.maximum(n_rows - present, 0.0) + a
    with np.errstate(divide="ignore"):
        # Near p = 0 log1p keeps the digits, near p = 1 the quotient does.
        log_absent = np.where(p < 0.5, np.log1p(-np.minimum(p, 0.5)), np.log(absent / total))
    return np.where(known, log_absent, -np.inf)
