"""LogisticRegression: the discriminative half."""

from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from sklearn.utils.validation import check_is_fitted

from wordodds._border.execution import execution
from wordodds.linear.classifier import LinearClassifier, log_probabilities
from wordodds.linear.fit import Fitted, adopt_fit, fit_columns
from wordodds.linear.history import Callback
from wordodds.linear.losses import Loss, SoftmaxLoss, link_loss
from wordodds.linear.pairwise import couple_pairs, fit_pairs, vote
from wordodds.linear.problem import problem_of_fit
from wordodds.linear.settings import Settings, WeightType, settings_of, weight_type
from wordodds.typing import (
    AnyArray,
    ClassWeight,
    Floats,
    Labels,
    MatrixLike,
    RandomState,
    WeightsLike,
)

__all__ = ["LogisticRegression", "adopt_logistic"]

Solver: TypeAlias = Literal[
    "auto", "irls", "newton-cg", "lbfgs", "cg", "gd", "dual", "sag", "sgd", "coordinate"
]
SOLVERS: tuple[str, ...] = get_args(Solver)
MultiClass: TypeAlias = Literal["multinomial", "ovr", "ovo"]
MULTI_CLASS: tuple[str, ...] = get_args(MultiClass)


class LogisticRegression(LinearClassifier):
    r"""Logistic regression, binary and multinomial, over sparse or dense rows.

    .. math::
        \min_{W, b} \frac{1}{S} \sum_i s_i \ell(y_i, x_i W + b)
        + \frac{1}{S C} \left[ \frac{1 - \rho}{2} \|W\|_2^2 + \rho \|W\|_1 \right],
        \quad S = \sum_i s_i

    which is scikit-learn's objective; the intercept b is not penalised.

    Parameters
    ----------
    C : float, default=1.0
        Inverse strength of the penalty; ``np.inf`` for none.
    l1_ratio : float, default=0.0
        rho: the share of the L1 penalty.
    solver : str, default="auto"
        "irls", "newton-cg", "lbfgs", "cg", "gd", "sgd", "sag", "dual", or, for an L1 penalty,
        "coordinate". "auto" picks by shape and penalty; ``solver_`` says which.
    multi_class : {"multinomial", "ovr", "ovo"}, default="multinomial"
        What is fitted to more than two classes: one softmax, each class against the rest, or each
        pair of classes.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    class_weight : dict, "balanced" or None, default=None
        Factors of the rows' weights by label.
    tol : float, default=1e-4
        The fit ends when no component of the gradient is larger.
    max_iter : int, default=100
        Iterations at most.
    max_time : float or None, default=None
        Seconds at most; checked after each iteration.
    warm_start : bool, default=False
        Whether to begin where the last fit ended.
    random_state : int, Generator, RandomState or None, default=None
        Seed of the solvers that visit rows in random order. None: a fixed seed, so that equal fits
        have equal bits; a Generator or RandomState: another order each time.
    n_jobs : int or None, default=None
        Threads; None: all usable cores. The result has the same bits for any number.
    dtype : {"float32", "float64"} or None, default=None
        Of ``coef_``. None: that of a floating-point ``X``, else float64. Sums are in double always.
    callback : callable or None, default=None
        Called after each iteration with a dict of "iteration", "objective", "gradient_norm",
        "time", "passes"; the fit ends if it returns True.
    verbose : int, default=0
        Above 0: a line on standard error for each iteration.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels.
    coef_ : ndarray of shape (1 or n_classes or n_pairs, n_features)
        Weights; a view of what scores are made with.
    intercept_ : ndarray of shape (1 or n_classes or n_pairs,)
        b.
    n_iter_ : ndarray of int
        Iterations, one number for each problem solved.
    solver_ : str
        What was used.
    history_ : dict of ndarray
        "iteration", "objective", "gradient_norm", "time" (seconds) and "passes" (products with the
        matrix), an entry for each iteration, the first for the start. Of "ovo": a dict of these for
        each pair of labels.
    weights_, bias_ : ndarray
        The linear view: a row of weights and a bias for each class; of two classes, half each way.
    n_features_in_ : int
        Columns.
    feature_names_in_ : ndarray of str
        Their names, where ``X`` had any.

    Examples
    --------
    >>> from wordodds import CountVectorizer, LogisticRegression
    >>> X = CountVectorizer().fit_transform(["free money now", "lunch at noon", "free lunch"])
    >>> model = LogisticRegression().fit(X, ["spam", "ham", "ham"])
    >>> model.predict(X).tolist()
    ['spam', 'ham', 'ham']
    """

    history_: dict[Any, Any]

    def __init__(
        self,
        *,
        C: float = 1.0,
        l1_ratio: float = 0.0,
        solver: Solver = "auto",
        multi_class: MultiClass = "multinomial",
        fit_intercept: bool = True,
        class_weight: ClassWeight = None,
        tol: float = 1e-4,
        max_iter: int = 100,
        max_time: float | None = None,
        warm_start: bool = False,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        dtype: WeightType | None = None,
        callback: Callback | None = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.l1_ratio = l1_ratio
        self.solver = solver
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.dtype = dtype
        self.callback = callback
        self.verbose = verbose

    def fit(
        self, X: MatrixLike, y: Labels, sample_weight: WeightsLike = None
    ) -> "LogisticRegression":
        """Fit to rows and their labels.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_rows, n_features)
            Finite numbers.
        y : array-like of shape (n_rows,)
            Labels of two or more classes.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of the rows; rows with weight 0 are ignored.

        Returns
        -------
        LogisticRegression
            Itself. After Ctrl-C it is in the state of the last iteration, or, if pairs of classes
            were still missing, as it was before.
        """
        settings = self._settings()
        problem = problem_of_fit(
            self, X, y, sample_weight, settings.how, settings.C, rescale=settings.l1_ratio == 0.0
        )
        n_classes = len(problem.classes)
        dtype = weight_type(self.dtype, problem.dtype)
        if self.multi_class == "ovo" and n_classes > 2:
            fitted = fit_pairs(problem, settings)
        else:
            start = self._warm(problem.classes, problem.matrix.n_cols)
            fitted = fit_columns(problem, self._loss(n_classes), settings, start)
        adopt_logistic(self, X, problem.classes, fitted, dtype)
        if fitted.interrupted:
            raise KeyboardInterrupt
        return self

    def decision_function(self, X: MatrixLike) -> Floats:
        """Return the log-odds of the second of two classes, or a score for each class.

        Of "ovo": the number of duels that a class wins, and within (-1/2, 1/2) how clearly.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_rows, n_features)
            As in `fit`.
        """
        check_is_fitted(self)
        if self._kind == "ovo":
            return vote(self._scores(X), len(self.classes_))
        return super().decision_function(X)

    def predict_log_proba(self, X: MatrixLike) -> Floats:
        """Return log p(class | row), one column per class in the order of ``classes_``.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_rows, n_features)
            As in `fit`.
        """
        scores = self._scores(X)
        if self._kind == "ovo":
            with np.errstate(divide="ignore"):
                return np.asarray(np.log(couple_pairs(scores, len(self.classes_))))
        return log_probabilities(scores, self._kind == "ovr", execution(self.n_jobs))

    @property
    def weights_(self) -> Floats:
        """Weights of the linear view, (n_classes, n_features)."""
        if getattr(self, "_kind", None) != "ovo":
            return super().weights_
        return _mean_of_pairs(self.coef_, len(self.classes_))

    @property
    def bias_(self) -> Floats:
        """Bias of the linear view, (n_classes,)."""
        if getattr(self, "_kind", None) != "ovo":
            return super().bias_
        return _mean_of_pairs(self.intercept_, len(self.classes_))

    def _loss(self, n_classes: int) -> Loss:
        if n_classes == 2:
            return link_loss("logit")
        if self.multi_class == "ovr":
            return link_loss("logit", n_classes)
        return SoftmaxLoss(n_classes)

    def _warm(self, classes: AnyArray, n_cols: int) -> tuple[Any, Any] | None:
        return None if getattr(self, "_kind", None) == "ovo" else super()._warm(classes, n_cols)

    def _settings(self) -> Settings:
        if not isinstance(self.multi_class, str) or self.multi_class not in MULTI_CLASS:
            raise ValueError(
                f"multi_class must be one of {', '.join(MULTI_CLASS)}, got {self.multi_class!r}"
            )
        return settings_of(self, SOLVERS)


def adopt_logistic(
    model: LogisticRegression,
    X: MatrixLike,
    classes: AnyArray,
    fitted: Fitted,
    dtype: np.dtype[Any],
) -> None:
    """Give a LogisticRegression what a fit has found."""
    kind = model.multi_class
    if kind == "ovo" and len(classes) == 2:
        kind = "multinomial"
    adopt_fit(model, X, classes, fitted, dtype, _kind=kind)


def _mean_of_pairs(of_pairs: AnyArray, n_classes: int) -> Floats:
    """Return for each class the mean of what speaks for it against each other class."""
    means = np.zeros((n_classes, *np.shape(of_pairs)[1:]))
    first, second = np.triu_indices(n_classes, 1)
    for pair, (a, b) in enumerate(zip(first, second, strict=True)):
        means[b] += of_pairs[pair]
        means[a] -= of_pairs[pair]
    return means / n_classes
