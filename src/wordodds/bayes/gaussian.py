"""GaussianNB: naive Bayes on measurements, dense or sparse."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from wordodds._border.checks import is_real_number, real_number
from wordodds._border.classes import classes_of_batches, union_of_classes
from wordodds._border.csr import CsrArrays
from wordodds._border.execution import Execution, execution
from wordodds._border.row_weights import rows_of_batch, rows_of_fit
from wordodds._core import bayes as core
from wordodds._estimator.state import adopt, check_width
from wordodds.bayes.generative import GenerativeClassifier
from wordodds.bayes.moments import Matrix, Moments, as_matrix, class_moments
from wordodds.bayes.priors import log_prior
from wordodds.bayes.sampling import draw_classes, generator
from wordodds.typing import (
    AnyArray,
    ClassWeight,
    Floats,
    Labels,
    MatrixLike,
    RandomState,
    WeightsLike,
)

__all__ = ["GaussianNB"]


def _checked_smoothing(var_smoothing: object) -> float:
    if not is_real_number(var_smoothing):
        raise TypeError(f"var_smoothing must be a number >= 0, got {var_smoothing!r}")
    return real_number(var_smoothing, "var_smoothing", 0, wanted="finite and >= 0")


def _n_cols(matrix: Matrix) -> int:
    return matrix.n_cols if isinstance(matrix, CsrArrays) else matrix.shape[1]


def _n_rows(matrix: Matrix) -> int:
    return matrix.n_rows if isinstance(matrix, CsrArrays) else len(matrix)


class GaussianNB(GenerativeClassifier):
    r"""Naive Bayes with a normal distribution for each feature in each class.

    The joint log-probability of a row x and a class c is

    .. math:: \log p(c) - \frac12 \sum_j \left( \log 2 \pi \sigma_{cj}^2 +
        \frac{(x_j - \mu_{cj})^2}{\sigma_{cj}^2} \right), \qquad
        \sigma_{cj}^2 = \frac{M_{cj}}{W_c} + \varepsilon

    where :math:`W_c` is what the rows of the class weigh, :math:`\mu_{cj}` the mean and
    :math:`M_{cj}` the sum of squared deviations of a feature in them, and :math:`\varepsilon` is
    ``var_smoothing`` times the largest variance of any feature over all rows. A sparse matrix is
    never made dense; an entry that it does not store is a zero like any other.

    Parameters
    ----------
    priors : array-like of shape (n_classes,), default=None
        Probabilities of the classes, in the order of ``classes_``. None: their shares of the data.
    var_smoothing : float, default=1e-9
        Part of the largest variance that is added to all variances, >= 0.
    prior_alpha : float or array-like of shape (n_classes,), default=None
        Hyper-parameters of a Dirichlet prior over the classes: what is added to each class's
        weight before the shares are taken. None: nothing. Not together with ``priors``.
    class_weight : dict, "balanced" or None, default=None
        Factors of the rows' weights by label, as in scikit-learn.
    n_jobs : int or None, default=None
        Threads. None: the usable cores, at most ``OMP_NUM_THREADS``; negative: counted back from
        the usable cores, -1 meaning all. The result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_count_ : ndarray of shape (n_classes,)
        Weight of the rows of each class.
    class_prior_, class_log_prior_ : ndarray of shape (n_classes,)
        p(class) and its logarithm.
    theta_, var_ : ndarray of shape (n_classes, n_features)
        Means and variances, ``epsilon_`` included.
    epsilon_ : float
        What is added to the variances.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only if the features have names.

    Notes
    -----
    scikit-learn takes :math:`\varepsilon` from the last batch alone and without its weights. Here
    it comes from all rows seen, weighted: so `partial_fit` in pieces gives what `fit` gives on the
    whole, to rounding, and a row of weight zero is ignored, to the bit.

    A variance of exactly zero (constant data, or ``var_smoothing=0``) makes the feature a point
    mass in that class: a row with exactly the class's value counts as if the feature were not
    there, any other row cannot come from the class. Where no class can explain a row, the prior
    decides.

    A class without weight has theta 0 and var ``epsilon_``; without ``priors`` or
    ``prior_alpha`` its probability is 0.

    Examples
    --------
    >>> from wordodds import GaussianNB
    >>> X = [[-2, -1], [-1, -1], [-1, -2], [1, 1], [1, 2], [2, 1]]
    >>> model = GaussianNB().fit(X, ["low"] * 3 + ["high"] * 3)
    >>> model.predict([[-0.8, -1], [3, 2]])
    array(['low', 'high'], dtype='<U4')
    """

    class_count_: Floats
    class_prior_: Floats
    theta_: Floats
    epsilon_: float
    _m2: Floats
    _table: Floats  # feature-major: (n_features, mean and scale, padded classes)
    _summary: Floats

    def __init__(
        self,
        *,
        priors: npt.ArrayLike | None = None,
        var_smoothing: float = 1e-9,
        prior_alpha: npt.ArrayLike | None = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing
        self.prior_alpha = prior_alpha
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def fit(self, X: MatrixLike, y: Labels, sample_weight: WeightsLike = None) -> Self:
        """Learn the means and variances of each class.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_rows, n_features)
            Finite numbers.
        y : array-like of shape (n_rows,)
            Labels.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of the rows, >= 0.
        """
        how = execution(self.n_jobs)
        matrix = as_matrix(X, how, self)
        classes, codes, weights = rows_of_fit(self, y, _n_rows(matrix), sample_weight)
        moments = class_moments(matrix, codes, weights, len(classes), how)
        return adopt(self, X, **self._state(classes, moments, how))

    def partial_fit(
        self,
        X: MatrixLike,
        y: Labels,
        classes: Labels | None = None,
        sample_weight: WeightsLike = None,
    ) -> Self:
        """Learn more rows, as if they had been there from the start.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_rows, n_features)
            Finite numbers.
        y : array-like of shape (n_rows,)
            Labels, all among the classes of the first call.
        classes : array-like of shape (n_classes,), default=None
            All labels that may ever come; needed on the first call only.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of the rows, >= 0.
        """
        how = execution(self.n_jobs)
        known, first = classes_of_batches(self, classes), not hasattr(self, "classes_")
        matrix = as_matrix(X, how, self)
        if not first:
            check_width(self, X, _n_cols(matrix), len(self._table))
        batch = self._batch_moments(matrix, y, sample_weight, known, how)
        if first:
            return adopt(self, X, **self._state(known, batch, how))
        self.__dict__.update(self._state(known, self._moments().added(batch), how))
        return self

    def forget(self, X: MatrixLike, y: Labels, sample_weight: WeightsLike = None) -> Self:
        """Unlearn rows that were learnt before, as if they had never been there.

        Exact to rounding, relative to what was there before: forgetting values that are far larger
        than those that stay costs digits. A class that loses all its rows stays in ``classes_``.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_rows, n_features)
            The rows to forget.
        y : array-like of shape (n_rows,)
            Their labels.
        sample_weight : array-like of shape (n_rows,), default=None
            The weights that they were learnt with.

        Raises
        ------
        ValueError
            If the model cannot have learnt them: a weight or a variance would be negative.
        """
        check_is_fitted(self)
        how = execution(self.n_jobs)
        matrix = as_matrix(X, how, self)
        check_width(self, X, _n_cols(matrix), len(self._table))
        batch = self._batch_moments(matrix, y, sample_weight, self.classes_, how)
        rest, impossible = self._moments().removed(batch)
        if impossible.any():
            c = int(impossible.argmax())
            raise ValueError(
                f"cannot forget rows that were never learnt: class {self.classes_.tolist()[c]!r} "
                f"holds weight {self.class_count_[c]:g}, these rows weigh {batch.weight[c]:g} and "
                "do not fit in; pass the very rows and weights that were learnt"
            )
        self.__dict__.update(self._state(self.classes_, rest, how))
        return self

    def merge(self, other: "GaussianNB") -> Self:
        """Add what another model has learnt of the same features, as if one had learnt it all.

        Parameters
        ----------
        other : GaussianNB
            Fitted; not changed. Its classes may differ: the result knows those of both.
        """
        check_is_fitted(self)
        if not isinstance(other, GaussianNB):
            raise TypeError(f"other must be a GaussianNB, got {type(other).__name__}")
        check_is_fitted(other)
        self._check_same_features(other)
        classes, mine, theirs = union_of_classes(self.classes_, other.classes_)
        moments = self._moments().spread_out(mine, len(classes))
        moments = moments.added(other._moments().spread_out(theirs, len(classes)))
        self.__dict__.update(self._state(classes, moments, execution(self.n_jobs)))
        return self

    def sample(self, n: int, *, random_state: RandomState = None) -> tuple[Floats, AnyArray]:
        """Draw rows from the model: classes from the prior, features from their Gaussians.

        Parameters
        ----------
        n : int
            How many, >= 0.
        random_state : None, int, Generator or RandomState, default=None
            Where the randomness comes from; an int gives the same rows every time.

        Returns
        -------
        X : ndarray of shape (n, n_features)
        y : ndarray of shape (n,)
        """
        check_is_fitted(self)
        rng = generator(random_state)
        codes = draw_classes(self.class_log_prior_, n, rng)
        X = rng.standard_normal((len(codes), self.theta_.shape[1]))
        X *= np.sqrt(self.var_)[codes]
        X += self.theta_[codes]
        return X, self.classes_[codes]

    @property
    def var_(self) -> Floats:
        """Variances by class and feature, ``epsilon_`` included."""
        weight = self.class_count_[:, None]
        share = np.divide(self._m2, weight, out=np.zeros(self._m2.shape), where=weight > 0.0)
        return share + self.epsilon_

    def _moments(self) -> Moments:
        return Moments(self.class_count_, self.theta_, self._m2)

    def _batch_moments(
        self, matrix: Matrix, y: Labels, sample_weight: WeightsLike, known: AnyArray, how: Execution
    ) -> Moments:
        codes, weights = rows_of_batch(self, y, _n_rows(matrix), known, sample_weight)
        return class_moments(matrix, codes, weights, len(known), how)

    def _state(self, classes: AnyArray, moments: Moments, how: Execution) -> dict[str, Any]:
        """Return all attributes that follow from the moments."""
        variances, epsilon = moments.variances(_checked_smoothing(self.var_smoothing))
        prior, log_prior = self._prior(moments.weight)
        table, summary = core.moments_fill_gaussians(moments.mean, variances, log_prior, *how)
        return {
            "classes_": classes,
            "class_count_": moments.weight,
            "class_prior_": prior,
            "class_log_prior_": log_prior,
            "theta_": moments.mean,
            "epsilon_": epsilon,
            "_m2": moments.m2,
            "_table": table,
            "_summary": summary,
        }

    def _prior(self, class_count: Floats) -> tuple[Floats, Floats]:
        """Return p(class) and its logarithm."""
        log_p = log_prior(class_count, self.priors, self.prior_alpha)
        return (
            np.exp(log_p) if self.priors is None else np.array(self.priors, dtype=np.float64)
        ), log_p

    def _joint_log_proba(self, X: MatrixLike) -> Floats:
        how = execution(self.n_jobs)
        matrix = as_matrix(X, how, self)
        check_width(self, X, _n_cols(matrix), len(self._table))
        if not isinstance(matrix, CsrArrays):
            return core.dense_score_gaussians(matrix, self._table, self._summary, *how)
        return core.csr_score_gaussians(matrix, self._table, self._summary, *how)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_table")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
