"""GaussianDiscriminant: classes that are Gaussian clouds."""

from typing import Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from wordodds._border.execution import execution
from wordodds._estimator.linear_view import LinearView
from wordodds._estimator.state import adopt, checked_data
from wordodds.bayes import gaussian_scores
from wordodds.bayes.covariance import (
    KINDS,
    Kind,
    SingularError,
    class_deviations,
    estimate,
    factorize,
    in_columns,
    is_diagonal,
    is_shared,
)
from wordodds.bayes.discriminant_rows import DenseRows, checked_share, dense_rows
from wordodds.bayes.generative import GenerativeClassifier
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

__all__ = ["GaussianDiscriminant"]


class GaussianDiscriminant(LinearView, GenerativeClassifier):
    r"""Gaussian classes: quadratic and linear discriminants, Gaussian naive Bayes.

    The joint log-probability of a row x and a class c is

    .. math:: \log p(c) - \tfrac12 (x - m_c)^T \Sigma_c^{-1} (x - m_c)
        - \tfrac12 \log \det (2 \pi \Sigma_c)

    with the mean of the class and a covariance that starts from the most likely one, where a row of
    weight w counts w times and sums are divided by :math:`N_c`, not :math:`N_c - 1`:

    .. math:: S_c = \frac{1}{N_c} \sum_{i \in c} w_i (x_i - m_c)(x_i - m_c)^T, \qquad
        S = \sum_c \frac{N_c}{N} S_c

    Parameters
    ----------
    covariance : {"full", "shared", "diagonal", "shared_diagonal", "spherical"}, default="full"
        What is estimated.

        - ``"full"``: :math:`S_c` for each class; class borders are quadratic (QDA).
        - ``"shared"``: S for all classes; borders are linear (LDA, Fisher's discriminant).
        - ``"diagonal"``: the diagonal of :math:`S_c`: Gaussian naive Bayes.
        - ``"shared_diagonal"``: the diagonal of S.
        - ``"spherical"``: :math:`\sigma_c^2 I` with the mean of that diagonal.
    shrinkage : float, default=0.0
        From 0 to 1: :math:`\Sigma \leftarrow (1 - s) \Sigma + s (\mathrm{tr} \Sigma / p) I`, after
        blending. This is the mode of the posterior under an inverse Wishart prior whose own mode is
        that sphere of the same total variance: with :math:`\nu` degrees of freedom the prior weighs
        as much as :math:`k = \nu + p + 1` rows, and s = k / (N + k), where N counts the rows of the
        class, or all rows for a shared covariance. It depends on the units of the columns, and
        leaves ``"spherical"`` as it is.
    blend : float, default=0.0
        From 0 to 1: :math:`\Sigma_c \leftarrow (1 - b) S_c + b S` (regularized discriminant
        analysis), of the same form: diagonals with diagonals, spheres with spheres. Only where each
        class has its own covariance.
    priors : array-like of shape (n_classes,) or None, default=None
        p(class), in the order of ``classes_``. None: from the rows.
    prior_alpha : float, array-like of shape (n_classes,) or None, default=None
        Dirichlet prior over the classes: p(class) is its posterior mean. None: the plain shares.
    class_weight : dict, "balanced" or None, default=None
        Factors of the rows of each class.
    n_jobs : int or None, default=None
        Threads that turn scores into probabilities; the result does not depend on it. Those of the
        linear algebra are set for NumPy as a whole.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels of the rows that weigh something.
    class_count_ : ndarray of shape (n_classes,)
        Rows per class, or their weights.
    class_prior_, class_log_prior_ : ndarray of shape (n_classes,)
        p(class) and its logarithm.
    means_ : ndarray of shape (n_classes, n_features)
    covariance_ : ndarray
        The estimate, blended and shrunk: (n_classes, n_features, n_features) for ``"full"``,
        (n_features, n_features) for ``"shared"``, (n_classes, n_features) for ``"diagonal"``,
        (n_features,) for ``"shared_diagonal"`` and (n_classes,) for ``"spherical"``, where numbers
        are variances. The model itself works in other units: of columns around 1e200 these squares
        are infinite, the probabilities are not.
    weights_ : ndarray of shape (n_classes, n_features)
    bias_ : ndarray of shape (n_classes,)
        Only for the shared ones: p(class | x) is the softmax of ``X @ weights_.T + bias_``.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Examples
    --------
    >>> import numpy as np
    >>> from wordodds import GaussianDiscriminant
    >>> X = [[-2, 0], [0, 1], [-1, -1], [2, 3], [3, 1], [1, 2]]
    >>> model = GaussianDiscriminant(covariance="shared").fit(X, list("aaabbb"))
    >>> model.predict([[-1, 1], [2, 1]])
    array(['a', 'b'], dtype='<U1')
    >>> model.predict_proba([[0.5, 1.0]]).round(3)
    array([[0.5, 0.5]])
    """

    class_count_: Floats
    class_prior_: Floats
    means_: Floats
    covariance_: Floats
    _kind: str  # as fitted, whatever the parameter says since
    _scale: Floats  # powers of two: the factors' units
    _factors: Floats

    def __init__(
        self,
        *,
        covariance: Kind = "full",
        shrinkage: float = 0.0,
        blend: float = 0.0,
        priors: npt.ArrayLike | None = None,
        prior_alpha: npt.ArrayLike | None = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.covariance = covariance
        self.shrinkage = shrinkage
        self.blend = blend
        self.priors = priors
        self.prior_alpha = prior_alpha
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def fit(self, X: MatrixLike, y: Labels, sample_weight: WeightsLike = None) -> Self:
        """Estimate means and covariances.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Finite numbers.
        y : array-like of shape (n_rows,)
            Labels.
        sample_weight : array-like of shape (n_rows,) or None, default=None
            >= 0. A row of weight 0 is ignored: a class without other rows is dropped.

        Raises
        ------
        ValueError
            If a covariance is singular, with the class and what to do about it.
        """
        kind, shrinkage, blend = self._checked_parameters()
        rows = dense_rows(self, X, y, sample_weight)
        n_classes = len(rows.classes)
        log_p = log_prior(rows.class_count, self.priors, self.prior_alpha)
        # A sphere compares columns with one another: they need one unit.
        one_scale = shrinkage > 0.0 or kind == "spherical"
        deviations = class_deviations(
            rows.X, rows.codes, rows.weights, n_classes, one_scale=one_scale
        )
        covariance = estimate(deviations, kind, blend, shrinkage)
        try:
            factors = factorize(covariance)
        except SingularError as defect:
            raise ValueError(_advice(defect, kind, blend, rows)) from None
        estimated = in_columns(covariance, deviations.scale)
        if is_shared(kind):
            estimated = estimated[0]
        elif kind == "spherical":
            estimated = estimated[:, 0]
        return adopt(
            self,
            X,
            classes_=rows.classes,
            class_count_=rows.class_count,
            class_log_prior_=log_p,
            class_prior_=np.exp(log_p),
            means_=deviations.means * deviations.scale,
            covariance_=estimated,
            _kind=kind,
            _scale=deviations.scale,
            _factors=factors,
        )

    def _checked_parameters(self) -> tuple[str, float, float]:
        kind = self.covariance
        if not isinstance(kind, str) or kind not in KINDS:
            names = ", ".join(f'"{name}"' for name in KINDS)
            raise ValueError(f"covariance must be one of {names}, got {kind!r}")
        shrinkage = checked_share(self.shrinkage, "shrinkage")
        blend = checked_share(self.blend, "blend")
        if blend and is_shared(kind):
            raise ValueError(
                f'blend must be 0 with covariance="{kind}", got {self.blend!r}: all classes have '
                "the pooled covariance already"
            )
        execution(self.n_jobs)
        return kind, shrinkage, blend

    def _scores(self, X: MatrixLike) -> gaussian_scores.Scores:
        X = checked_data(self, X, fitted=True, dtype=np.float64)
        means = self.means_ / self._scale
        if is_shared(self._kind):
            return gaussian_scores.shared_scores(
                X, means, self._factors[0], self._scale, self.class_log_prior_
            )
        return gaussian_scores.own_scores(
            X, means, self._factors, self._scale, self.class_log_prior_
        )

    def _joint_log_proba(self, X: MatrixLike) -> Floats:
        return gaussian_scores.joint(self._scores(X))

    def _decidable(self, X: MatrixLike) -> Floats:
        """Return joint log-probabilities but for a number per row; exact far from all classes."""
        check_is_fitted(self)
        return gaussian_scores.relative(self._scores(X))

    def decision_function(self, X: MatrixLike) -> Floats:
        """Return the log-odds of the second of two classes, or a score for each of several.

        The scores are log p(row, class), but for a number that all classes of a row share.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Finite numbers.
        """
        scores = self._decidable(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def sample(self, n: int, *, random_state: RandomState = None) -> tuple[Floats, AnyArray]:
        """Draw rows and their labels from p(x, y), each independent of the others.

        Parameters
        ----------
        n : int
            How many.
        random_state : None, int, numpy.random.Generator or numpy.random.RandomState
            Where chance comes from; a number draws the same rows each time.

        Returns
        -------
        X : ndarray of shape (n, n_features)
        y : ndarray of shape (n,)
        """
        check_is_fitted(self)
        rng = generator(random_state)
        codes = draw_classes(self.class_log_prior_, n, rng)
        X = rng.standard_normal((n, self.n_features_in_))
        for c in range(len(self.classes_)):
            drawn = codes == c
            factor = self._factors[0 if is_shared(self._kind) else c]
            X[drawn] = X[drawn] * factor if factor.ndim == 1 else X[drawn] @ factor.T
        return X * self._scale + self.means_[codes], self.classes_[codes]

    @property
    def weights_(self) -> Floats:
        """Inverse covariance times means, where the classes share a covariance."""
        factor, whitened = self._linear("weights_")
        return gaussian_scores.whiten_again(factor, whitened) / self._scale

    @property
    def bias_(self) -> Floats:
        """Log p(class) less half its mean's squared length, where classes share a covariance."""
        _, whitened = self._linear("bias_")
        return np.asarray(self.class_log_prior_ - 0.5 * (whitened**2).sum(axis=1))

    def _linear(self, name: str) -> tuple[Floats, Floats]:
        check_is_fitted(self)  # an AttributeError, too
        if not is_shared(self._kind):
            raise AttributeError(
                f'{name} needs a covariance that the classes share: fit with covariance="shared" '
                f'or "shared_diagonal", not "{self._kind}"'
            )
        factor = self._factors[0]
        return factor, gaussian_scores.whiten(factor, self.means_ / self._scale)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_factors")


def _advice(defect: SingularError, kind: str, blend: float, rows: DenseRows) -> str:
    """Say which covariance is singular and what helps against it."""
    n_rows, n_cols = rows.X.shape
    if is_shared(kind):
        whose = f"the pooled covariance of {len(rows.classes)} class(es)"
    else:
        whose = f"the covariance of class {rows.classes.tolist()[defect.position]!r}"
        n_rows = int(np.count_nonzero(rows.codes == defect.position))
    samples = "1 sample" if n_rows == 1 else f"{n_rows} samples"
    remedies = [] if defect.flat else ["raise shrinkage"]
    # More blend does no more than some for a column that varies in no class.
    if not is_shared(kind) and not (blend and defect.constant):
        remedies.append("raise blend")
    if not is_diagonal(kind) and not defect.constant:
        simpler = "shared_diagonal" if is_shared(kind) else "diagonal"
        remedies.append(f'choose covariance="{simpler}"')
    remedies.append("pass other columns" if defect.flat else "pass fewer columns")
    return (
        f"{whose}, from {samples} of {n_cols} feature(s), is singular: {defect.reason}; "
        + " or ".join(remedies)
    )
