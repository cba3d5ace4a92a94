"""MultinomialNB: naive Bayes on word counts."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from wordodds._core import bayes as core
from wordodds._core.base import class_stride
from wordodds.bayes.alpha_zero import Unseen, pattern
from wordodds.bayes.discrete import CountedNB
from wordodds.bayes.generative import GenerativeClassifier
from wordodds.bayes.sampling import draw_classes, draw_words, generator
from wordodds.bayes.tally import DenseTally, features_of
from wordodds.bayes.weights import DenseWeights, Learnt, SparseWeights, Weights
from wordodds.typing import AnyArray, RandomState

__all__ = ["MultinomialNB"]


class MultinomialNB(CountedNB, GenerativeClassifier):
    r"""Naive Bayes for word counts.

    The joint log-probability of a document x and a class c is linear in the counts,

    .. math:: \log p(c) + \sum_j x_j \log p(w_j | c), \qquad
        p(w_j | c) = \frac{N_{cj} + a_j}{\sum_k (N_{ck} + a_k)}

    where :math:`N_{cj}` counts word j in the documents of class c: each document is a sequence of
    words that are drawn independently from its class's distribution. What is added to the counts
    depends on the estimate, given a Dirichlet prior with parameters :math:`\alpha` over those
    distributions:

    ========= ============================ ======================
    estimate  of the posterior             pseudo-count :math:`a`
    ========= ============================ ======================
    ``bayes`` its mean                     :math:`\alpha`
    ``map``   its mode                     :math:`\alpha - 1`
    ``ml``    (no prior: most likely)      0
    ========= ============================ ======================

    The default, ``bayes`` with :math:`\alpha = 1`, is Laplace's rule and scikit-learn's smoothing.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,) or (n_classes, n_features), default=1.0
        Parameters of the Dirichlet prior, >= 0. Where the pseudo-count is 0, a word never seen in
        a class gives that class probability 0; where that happens to every class, the prior
        decides.
    force_alpha : bool, default=True
        False: alpha below 1e-10 is raised to that, with a warning.
    fit_prior : bool, default=True
        Whether to learn class priors; False: all classes are equally probable.
    class_prior : array-like of shape (n_classes,) or None
        Class priors, not learnt; they should sum to 1.
    estimate : {"bayes", "map", "ml"}, default="bayes"
        See above. ``map`` needs alpha >= 1.
    prior_alpha : float, array-like of shape (n_classes,) or None
        Parameters of a Dirichlet prior over the classes: :math:`p(c) = (N_c + a) / (N + C a)` with
        a as above, for N documents and C classes. None: the plain shares.
    class_weight : dict, "balanced" or None
        Factors of the weights of each class's documents. ``"balanced"``: the same total for each.
    n_jobs : int or None, default=None
        Threads. None: the usable cores, at most ``OMP_NUM_THREADS``; negative: counted back from
        the usable cores, -1 meaning all. The result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_count_ : ndarray of shape (n_classes,)
        Documents per class.
    class_log_prior_ : ndarray of shape (n_classes,)
    feature_count_ : ndarray of shape (n_classes, n_features)
        Count of each word in each class.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        log p(word | class). The same as ``weights_``.
    weights_, bias_ : ndarray
        The linear view: p(class | x) is the softmax of ``x @ weights_.T + bias_``.
    n_features_in_ : int
    feature_names_in_ : ndarray
        Where the columns of X have names.

    Notes
    -----
    Above 67 million cells (classes times features) tallies and weights are kept sparse, and memory
    grows with the words that the classes really have; the tables above then raise MemoryError when
    they would not fit.

    Examples
    --------
    >>> from wordodds import CountVectorizer, MultinomialNB
    >>> texts = ["free money now", "cheap money", "see you at lunch", "lunch with you"]
    >>> vectorizer = CountVectorizer()
    >>> model = MultinomialNB().fit(vectorizer.fit_transform(texts), ["spam", "spam", "ham", "ham"])
    >>> model.predict(vectorizer.transform(["money for lunch money"]))
    array(['spam'], dtype='<U4')
    >>> words = vectorizer.get_feature_names_out()
    >>> for word, log_odds in model.top_features(2, feature_names=words)["spam"]:
    ...     print(f"{word:6} {log_odds:+.2f}")
    money  +1.23
    cheap  +0.83
    """

    def _weigher(self) -> Callable[[Learnt], Weights]:
        return multinomial_weights

    def sample(
        self, n: int, *, length: npt.ArrayLike | None = None, random_state: RandomState = None
    ) -> tuple[sp.csr_array, AnyArray]:
        """Draw documents and their labels from the model.

        Parameters
        ----------
        n : int
            How many.
        length : int, array-like of shape (n,) or None
            Words of each document; None: the average of its class, rounded.
        random_state : None, int, numpy Generator or RandomState
            Where the numbers come from.

        Returns
        -------
        X : CSR array of shape (n, n_features)
            Counts, int64.
        y : ndarray of shape (n,)
            Labels, drawn from the class priors.
        """
        check_is_fitted(self)
        rng = generator(random_state)
        codes = draw_classes(self.class_log_prior_, n, rng)
        if length is None:
            totals = self._learnt.tally.class_totals()
            average = totals / np.maximum(self.class_count_, np.finfo(float).tiny)
            lengths = np.rint(np.minimum(average, 1e9)).astype(np.int64)[codes]
        else:
            given = np.asarray(length)
            if given.dtype.kind not in "iu" or given.shape not in ((), (n,)) or (given < 0).any():
                raise ValueError(
                    f"length must be a whole number >= 0, or hold one for each of the {n} "
                    f"documents, got {length!r}"
                )
            lengths = np.broadcast_to(given.astype(np.int64), (n,))
        X = draw_words(codes, lengths, self._learnt.weights.of_classes, self.n_features_in_, rng)
        return X, self.classes_[codes]


def multinomial_weights(learnt: Learnt) -> Weights:
    """Return log p(word | class), with no bias."""
    tally, a = learnt.tally, learnt.pseudo_counts
    n_classes = len(learnt.class_count)
    if isinstance(tally, DenseTally):
        stride = class_stride(n_classes)
        by_feature = core.tally_multinomial_weights(tally.counts, a, stride, *learnt.how)
        return DenseWeights(by_feature, np.zeros(n_classes))
    # log(N + a) - log total = log a - log total + log(1 + N / a): only the last is sparse.
    entries = tally.by_feature
    features = features_of(entries)
    a_of = np.broadcast_to(a[0], (tally.n_features,))
    totals = tally.class_totals() + a_of.sum()
    strict = a_of == 0.0  # features without pseudo-count
    log_a = np.log(np.where(strict, 1.0, a_of))
    excess = entries.copy()
    excess.data = np.log(entries.data + a_of[features]) - log_a[features]
    with np.errstate(divide="ignore"):
        class_base = np.where(totals > 0.0, -np.log(totals), -np.inf)
    limits = []
    if strict.any():
        kept = strict[features]
        seen = pattern(features[kept], entries.indices[kept], entries.shape)
        limits = [Unseen(strict, seen)]
    return SparseWeights(excess, log_a, np.ones(n_classes), class_base, np.zeros(n_classes), limits)
