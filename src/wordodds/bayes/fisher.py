"""FisherDiscriminant: two classes on the line that tells them apart best."""

from typing import Self

import numpy as np
import numpy.typing as npt
from scipy.special import expit
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from wordodds._estimator.state import adopt, checked_data
from wordodds.bayes.covariance import SingularError, class_deviations, estimate, factorize
from wordodds.bayes.discriminant_rows import checked_share, dense_rows
from wordodds.bayes.gaussian_scores import whiten, whiten_again
from wordodds.bayes.priors import log_prior
from wordodds.typing import AnyArray, ClassWeight, Floats, Labels, MatrixLike, WeightsLike

__all__ = ["FisherDiscriminant"]


class FisherDiscriminant(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    ClassifierMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    r"""Fisher's linear discriminant of two classes.

    The direction maximizes the distance of the projected means :math:`m_1, m_2` over the deviation
    within the classes,

    .. math:: w \propto S_W^{-1} (m_2 - m_1), \qquad
        S_W = \frac1N \sum_c \sum_{i \in c} w_i (x_i - m_c)(x_i - m_c)^T, \qquad w^T S_W w = 1

    scaled so that the projection :math:`t = w^T x` has variance 1 within the classes, and pointing
    from the first class to the second. The projected means are then
    :math:`\Delta^2 = (m_2 - m_1)^T S_W^{-1} (m_2 - m_1)` apart, squared, and for Gaussian classes

    .. math:: \log \frac{p(2 | x)}{p(1 | x)} = \Delta\, (t - t_0), \qquad
        t_0 = w^T \frac{m_1 + m_2}{2} - \frac{1}{\Delta} \log \frac{p(2)}{p(1)}

    which is what `GaussianDiscriminant` finds with a shared covariance.

    Parameters
    ----------
    shrinkage : float, default=0.0
        From 0 to 1: :math:`S_W \leftarrow (1 - s) S_W + s (\mathrm{tr} S_W / p) I`, as in
        `GaussianDiscriminant`.
    priors : array-like of shape (2,) or None, default=None
        p(class), in the order of ``classes_``. None: the shares of the rows.
    class_weight : dict, "balanced" or None, default=None
        Factors of the rows of each class.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    means_ : ndarray of shape (2, n_features)
    direction_ : ndarray of shape (n_features,)
        w.
    threshold_ : float
        :math:`t_0`: above it rows are of the second class.
    distance_ : float
        :math:`\Delta`, between the projected means.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Examples
    --------
    >>> from wordodds import FisherDiscriminant
    >>> X = [[-2, 0], [0, 1], [-1, -1], [2, 3], [3, 1], [1, 2]]
    >>> model = FisherDiscriminant().fit(X, list("aaabbb"))
    >>> model.direction_.round(3)
    array([1.019, 0.679])
    >>> model.transform([[0.5, 1.0]]).round(3), round(model.threshold_, 3)
    (array([[1.189]]), 1.189)
    >>> model.predict([[-1, 1], [2, 1]])
    array(['a', 'b'], dtype='<U1')
    """

    classes_: AnyArray
    means_: Floats
    direction_: Floats
    threshold_: float
    distance_: float
    n_features_in_: int
    _n_features_out = 1

    def __init__(
        self,
        *,
        shrinkage: float = 0.0,
        priors: npt.ArrayLike | None = None,
        class_weight: ClassWeight = None,
    ) -> None:
        self.shrinkage = shrinkage
        self.priors = priors
        self.class_weight = class_weight

    def fit(self, X: MatrixLike, y: Labels, sample_weight: WeightsLike = None) -> Self:
        """Find the direction and the threshold.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Finite numbers.
        y : array-like of shape (n_rows,)
            Labels, of two classes.
        sample_weight : array-like of shape (n_rows,) or None, default=None
            >= 0. A row of weight 0 is ignored.
        """
        shrinkage = checked_share(self.shrinkage, "shrinkage")
        rows = dense_rows(self, X, y, sample_weight)
        _check_two(len(rows.classes), len(rows.X))
        log_p = log_prior(rows.class_count, self.priors, None)
        deviations = class_deviations(
            rows.X, rows.codes, rows.weights, 2, one_scale=shrinkage > 0.0
        )
        try:
            factor = factorize(estimate(deviations, "shared", 0.0, shrinkage))[0]
        except SingularError as defect:
            raise ValueError(
                f"the covariance within the classes, from {len(rows.X)} samples of "
                f"{rows.X.shape[1]} feature(s), is singular: {defect.reason}; raise shrinkage or "
                "pass fewer columns"
            ) from None
        first, second = deviations.means
        apart = whiten(factor, (second - first)[np.newaxis])
        distance = float(np.linalg.norm(apart))
        if distance == 0.0:
            raise ValueError(
                "the two classes have the same mean: no direction tells them apart; "
                'GaussianDiscriminant(covariance="full") can, by their covariances'
            )
        scaled = whiten_again(factor, apart / distance)[0]
        middle = float(scaled @ (0.5 * (first + second)))
        return adopt(
            self,
            X,
            classes_=rows.classes,
            means_=deviations.means * deviations.scale,
            direction_=scaled / deviations.scale,
            threshold_=middle - float(log_p[1] - log_p[0]) / distance,
            distance_=distance,
        )

    def transform(self, X: MatrixLike) -> Floats:
        """Return the rows' places on the line, one column.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            As in `fit`.
        """
        return self._project(X)[:, np.newaxis]

    def decision_function(self, X: MatrixLike) -> Floats:
        """Return the log-odds of the second class.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            As in `fit`.
        """
        projected = self._project(X)
        if np.isinf(self.threshold_):  # a prior of 0 outweighs any row
            return np.full(len(projected), -self.threshold_)
        with np.errstate(over="ignore"):
            return np.asarray(self.distance_ * (projected - self.threshold_))

    def predict(self, X: MatrixLike) -> AnyArray:
        """Return the more probable class of each row.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            As in `fit`.
        """
        second = self.decision_function(X) > 0.0
        return np.asarray(self.classes_[second.astype(np.intp)])

    def predict_log_proba(self, X: MatrixLike) -> Floats:
        """Return log p(class | row), one column per class in the order of ``classes_``.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Finite numbers.
        """
        log_odds = self.decision_function(X)
        return np.column_stack([-np.logaddexp(0.0, log_odds), -np.logaddexp(0.0, -log_odds)])

    def predict_proba(self, X: MatrixLike) -> Floats:
        """Return p(class | row), one column per class in the order of ``classes_``.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            As in `fit`.
        """
        log_odds = self.decision_function(X)
        return np.column_stack([expit(-log_odds), expit(log_odds)])

    def _project(self, X: MatrixLike) -> Floats:
        check_is_fitted(self)
        X = checked_data(self, X, fitted=True, dtype=np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            projected = np.asarray(X @ self.direction_)
            lost = ~np.isfinite(projected)
            if lost.any():
                # Infinities of both signs may have met: halved exponents keep every product small.
                small = np.ldexp(X[lost], -520) @ np.ldexp(self.direction_, -520)
                projected[lost] = np.ldexp(small, 1040)
        return projected

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def _check_two(n_classes: int, n_rows: int) -> None:
    if n_classes > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is multiclass: "
            f'{n_classes} classes; GaussianDiscriminant(covariance="shared") takes any number'
        )
    if n_classes < 2:
        raise ValueError(
            f"FisherDiscriminant needs two classes, got 1 class in {n_rows} sample(s) of "
            "positive weight"
        )
