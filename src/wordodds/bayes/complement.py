"""ComplementNB: naive Bayes by what the other classes have."""

from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from wordodds._core import bayes as core
from wordodds._core.base import class_stride
from wordodds.bayes.alpha_zero import Exclusive, pattern
from wordodds.bayes.discrete import CountedNB
from wordodds.bayes.priors import Estimate
from wordodds.bayes.tally import ClassTally, DenseTally, features_of
from wordodds.bayes.weights import DenseWeights, Learnt, SparseWeights, Weights
from wordodds.typing import ClassWeight, Floats

__all__ = ["ComplementNB"]


class ComplementNB(CountedNB):
    r"""Naive Bayes for word counts that scores a class by how little the others explain.

    .. math:: \sum_j x_j w_{cj}, \qquad w_{cj} = -\log q_{cj}, \qquad
        q_{cj} = \frac{\sum_{k \ne c} N_{kj} + a_j}{\sum_i \big( \sum_{k \ne c} N_{ki} + a_i \big)}

    The counts of all other classes are many more, and more alike in size, than those of one class:
    on corpora with small and large classes this is better than `MultinomialNB`. It is not a model
    of p(x, y): the prior plays no part (unless there is but one class), and there is no `sample`.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,) or (n_classes, n_features), default=1.0
        Parameters of the Dirichlet prior, >= 0. Where the pseudo-count is 0, a word that only one
        class has decides for that class.
    force_alpha, fit_prior, class_prior, estimate, prior_alpha, class_weight, n_jobs
        As in `MultinomialNB`. The priors only show in ``class_log_prior_``.
    norm : bool, default=False
        Whether to divide the weights of each class by their sum.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_count_ : ndarray of shape (n_classes,)
        Documents per class.
    class_log_prior_ : ndarray of shape (n_classes,)
    feature_count_ : ndarray of shape (n_classes, n_features)
        Count of each word in each class.
    feature_all_ : ndarray of shape (n_features,)
        Count of each word in all classes.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        The weights, by scikit-learn's name; infinite for a word that only one class has if alpha
        is 0.
    weights_, bias_ : ndarray
        The linear view: scores are ``x @ weights_.T + bias_``.
    n_features_in_ : int
    feature_names_in_ : ndarray
        Where the columns of X have names.

    Examples
    --------
    >>> from wordodds import ComplementNB, CountVectorizer
    >>> texts = ["free money now", "cheap money", "see you at lunch", "lunch with you"]
    >>> vectorizer = CountVectorizer()
    >>> model = ComplementNB().fit(vectorizer.fit_transform(texts), ["spam", "spam", "ham", "ham"])
    >>> model.predict(vectorizer.transform(["money for lunch money"]))
    array(['spam'], dtype='<U4')
    """

    def __init__(
        self,
        *,
        alpha: npt.ArrayLike = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: npt.ArrayLike | None = None,
        norm: bool = False,
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
        self.norm = norm

    def _check_smoothing(self, tally: ClassTally, pseudo_counts: Floats) -> None:
        super()._check_smoothing(tally, pseudo_counts)
        if self.norm and not pseudo_counts.all():
            raise ValueError("norm=True needs alpha > 0: infinite weights have no finite sum")

    def _weigher(self) -> Callable[[Learnt], Weights]:
        return partial(complement_weights, norm=bool(self.norm))

    @property
    def feature_all_(self) -> Floats:
        """Count of each word in all classes."""
        return self._fitted("feature_all_").tally.feature_totals()

    @property
    def feature_log_prob_(self) -> Floats:
        """The weights, infinite where no other class has the word at all."""
        learnt = self._fitted("feature_log_prob_")
        table = learnt.weights.table()
        if learnt.pseudo_counts.all():
            return table
        elsewhere = self.feature_all_ - self.feature_count_ + learnt.pseudo_counts
        return np.where(elsewhere <= 0.0, np.inf, table)

    def _prior_of_scores(self) -> Floats:
        only = len(self.classes_) == 1
        return self.class_log_prior_ if only else np.zeros(len(self.classes_))


def complement_weights(learnt: Learnt, *, norm: bool) -> Weights:
    """Return minus log p(word | not the class), with no bias."""
    tally = learnt.tally
    totals = tally.feature_totals()
    weights: Weights
    if isinstance(tally, DenseTally):
        weights = _dense_weights(learnt, tally.counts, totals)
    else:
        weights = _sparse_weights(learnt, tally.by_feature, totals)
    if norm:
        sums = weights.class_sums()
        weights.divide(np.where(sums != 0.0, sums, 1.0))
    return weights


def _exclusive(cells: sp.csr_array) -> list[Exclusive]:
    return [Exclusive(cells)] if cells.nnz else []


def _dense_weights(learnt: Learnt, counts: Floats, totals: Floats) -> DenseWeights:
    n_classes = len(counts)
    by_feature = core.tally_complement_weights(
        counts, totals, learnt.pseudo_counts, class_stride(n_classes), *learnt.how
    )
    limits = []
    if not learnt.pseudo_counts.all():
        alone = (counts >= totals) & (counts > 0.0) & (learnt.pseudo_counts == 0.0)
        classes, features = np.nonzero(alone)
        limits = _exclusive(pattern(features, classes, counts.shape[::-1]))
    return DenseWeights(by_feature, np.zeros(n_classes), limits)


def _sparse_weights(learnt: Learnt, entries: sp.csr_array, totals: Floats) -> SparseWeights:
    n_features, n_classes = entries.shape
    a = np.broadcast_to(learnt.pseudo_counts[0], (n_features,))
    features = features_of(entries)
    everywhere = totals + a
    # Counts first: a small pseudo-count would drown in a large sum.
    elsewhere = np.maximum(totals[features] - entries.data, 0.0) + a[features]
    alone = elsewhere <= 0.0
    log_everywhere = np.log(np.where(everywhere > 0.0, everywhere, 1.0))
    excess = entries.copy()
    excess.data = log_everywhere[features] - np.log(np.where(alone, 1.0, elsewhere))
    class_totals = np.maximum(totals.sum() - learnt.tally.class_totals(), 0.0) + a.sum()
    class_base = np.log(np.where(class_totals > 0.0, class_totals, 1.0))
    limits = _exclusive(pattern(features[alone], entries.indices[alone], entries.shape))
    return SparseWeights(
        excess, -log_everywhere, np.ones(n_classes), class_base, np.zeros(n_classes), limits
    )
