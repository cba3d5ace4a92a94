"""NBLogisticRegression: logistic regression where naive Bayes has set the scales."""

import warnings
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from wordodds._core import linear as core
from wordodds._estimator import adopt
from wordodds._execution import execution
from wordodds.linear.classifier import LinearClassifier, log_probabilities
from wordodds.linear.problem import problem_of_fit

__all__ = ["NBLogisticRegression"]

Floats: TypeAlias = npt.NDArray[np.float64]

# Weights are in single precision: C times the square of an entry that it follows; parameters.
_LARGEST_CURVATURE = 1e14
_LARGEST = {"floor": 1e6, "intercept_scaling": 1e6, "max_iter": 2**31 - 1}


class NBLogisticRegression(LinearClassifier):
    r"""Logistic regression on columns scaled by naive Bayes' log-count ratio.

    Each class stands against the rest. With :math:`d_{jk}` the rows of class k in which feature j
    occurs and :math:`\bar d_{jk}` those of the rest,

    .. math:: r_{jk} = \log \frac{(d_{jk} + \alpha) / \sum_j (d_{jk} + \alpha)}
        {(\bar d_{jk} + \alpha) / \sum_j (\bar d_{jk} + \alpha)}

    is what naive Bayes says of the feature. The weights minimise

    .. math:: C \sum_i \log(1 + e^{-y_{ik} z_{ik}})
        + \frac{1}{2} \sum_j \frac{w_{jk}^2}{r_{jk}^2 + \mathrm{floor}}

    so that features which tell nothing by themselves are held back, and the others need less
    evidence. With a floor of 0 this is logistic regression on columns multiplied by the ratio (Wang
    and Manning, "Baselines and Bigrams", 2012, have a support vector machine in its place). On text
    it beats either of its parents.

    Parameters
    ----------
    C : float, default=1000.0
        Inverse strength of the penalty.
    alpha : float, default=0.5
        Pseudo-count of the ratio, > 0.
    floor : float, default=2.0
        What is added to the squared ratio, >= 0; large: plain logistic regression.
    fit_intercept : bool, default=True
        Whether there is an intercept, penalised as a column.
    intercept_scaling : float, default=0.3
        The value of that column, > 0.
    class_weight : dict, "balanced" or None
        As in `LogisticRegression`.
    max_iter : int, default=5
        Epochs over the rows. Held-out text is classified as well after five as at the optimum,
        which is much further; the last digits of the weights then depend on the order of the rows.
    tol : float or None, default=None
        A class ends before ``max_iter`` when the probabilities of an epoch change by less than this
        share of the rows of the class; a warning says if it did not. None: all epochs, no warning.
    random_state : int, RandomState or None, default=0
        Of the order in which rows are visited.
    n_jobs : int or None
        Threads; the result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1 or n_classes, n_features)
    intercept_ : ndarray of shape (1 or n_classes,)
    n_iter_ : int
        Epochs of the classes that took longest.
    n_features_in_ : int
    feature_names_in_ : ndarray
        Where the columns of X have names.

    Examples
    --------
    >>> from wordodds import NBLogisticRegression, TfidfVectorizer
    >>> texts = ["free money now", "cheap money", "see you at lunch", "lunch with you"]
    >>> vectorizer = TfidfVectorizer()
    >>> model = NBLogisticRegression()
    >>> _ = model.fit(vectorizer.fit_transform(texts), ["spam", "spam", "ham", "ham"])
    >>> model.predict(vectorizer.transform(["money for lunch money"]))
    array(['spam'], dtype='<U4')
    """

    _non_negative = True

    def __init__(
        self,
        *,
        C: float = 1000.0,
        alpha: float = 0.5,
        floor: float = 2.0,
        fit_intercept: bool = True,
        intercept_scaling: float = 0.3,
        class_weight: Any = None,
        max_iter: int = 5,
        tol: float | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.alpha = alpha
        self.floor = floor
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "NBLogisticRegression":
        """Fit to rows and their labels.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_rows, n_features)
            Counts or tf-idf weights, >= 0. A feature occurs in a row where its entry is not zero.
        y : array-like of shape (n_rows,)
            Labels of two or more classes.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of the rows; weight 0 is as good as absent, 2 as the row twice.
        """
        self._check_parameters()
        how = execution(self.n_jobs)
        problem = problem_of_fit(
            self, X, y, sample_weight, how, self.C, rescale=False, non_negative=True
        )
        rows = problem.matrix.as_csr()
        counts = problem.row_weights * problem.total_weight
        largest = float(rows.data.max()) if len(rows.data) else 0.0
        self._check_scale(float(counts.max()), largest)
        n_columns = 1 if len(problem.classes) == 2 else len(problem.classes)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        columns, intercept, n_epochs, change = core.csr_fit_ratio_logistic(
            rows.indptr,
            rows.indices,
            rows.data.astype(np.float64, copy=False),
            rows.n_cols,
            problem.codes,
            self.C * counts,
            counts,
            n_columns,
            float(self.alpha),
            float(self.floor),
            float(self.intercept_scaling) ** 2 if self.fit_intercept else 0.0,
            int(self.max_iter),
            0.0 if self.tol is None else float(self.tol),
            seed,
            *how,
        )
        adopt(
            self,
            X,
            classes_=problem.classes,
            _columns=columns,
            intercept_=intercept,
            n_iter_=n_epochs,
        )
        if self.tol is not None and change > self.tol:
            warnings.warn(
                f"not converged after {n_epochs} epochs: probabilities still change by "
                f"{change:.2g} of a class, tol is {self.tol:g}; raise max_iter or tol, or lower C",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def predict_log_proba(self, X: Any) -> Floats:
        """Return log p(class | row), one column per class in the order of ``classes_``.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_rows, n_features)
            As in `fit`.
        """
        return log_probabilities(self._scores(X), True, execution(self.n_jobs))

    def predict_proba(self, X: Any) -> Floats:
        """Return p(class | row): the classes' own probabilities, scaled to sum to one.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_rows, n_features)
            As in `fit`.
        """
        return np.exp(self.predict_log_proba(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True  # where every feature occurs in every row
        return tags

    def _check_scale(self, largest_weight: float, largest_entry: float) -> None:
        """Refuse rows whose weights single precision cannot follow."""
        with np.errstate(over="ignore"):
            curvature = float(self.C * largest_weight) * np.square(max(1.0, largest_entry))
        if not curvature <= _LARGEST_CURVATURE:
            raise ValueError(
                f"C, times the largest weight of a row, times the square of the largest entry of X "
                f"is {curvature:.2g}, more than {_LARGEST_CURVATURE:g}: scale X down, or lower C"
            )

    def _check_parameters(self) -> None:
        for name in ("C", "alpha", "floor", "intercept_scaling", "max_iter", "tol"):
            value = getattr(self, name)
            if name == "tol" and value is None:
                continue
            is_number = isinstance(value, Integral if name == "max_iter" else Real)
            if isinstance(value, bool) or not is_number:
                raise TypeError(f"{name} must be a number, got {value!r}")
            largest = _LARGEST.get(name, 1e300)
            if not 0 <= value <= largest or (value == 0 and name != "floor"):
                least = ">= 0" if name == "floor" else "> 0"
                raise ValueError(f"{name} must be {least} and at most {largest:g}, got {value!r}")
