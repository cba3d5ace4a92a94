"""BinaryRegression: two classes, and a choice of links and losses."""

import math
from typing import Literal, Protocol, TypeAlias, get_args

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from wordodds._border.execution import Execution, execution
from wordodds.linear.classifier import LinearClassifier
from wordodds.linear.custom import CustomLink, CustomLoss
from wordodds.linear.fit import adopt_fit, fit_columns
from wordodds.linear.history import Callback
from wordodds.linear.losses import ScalarLoss, link_loss
from wordodds.linear.problem import problem_of_fit
from wordodds.linear.settings import WeightType, settings_of, weight_type
from wordodds.typing import ClassWeight, Floats, Labels, MatrixLike, RandomState, WeightsLike

__all__ = ["LINKS", "BinaryRegression", "Link", "link_named", "log_chances"]

Solver: TypeAlias = Literal["auto", "irls", "newton-cg", "lbfgs", "cg", "gd"]
SOLVERS: tuple[str, ...] = get_args(Solver)
LinkName: TypeAlias = Literal["logit", "probit", "cloglog", "noisy_or"]
# By name: the score at which both classes are equally probable.
LINKS = {"logit": 0.0, "probit": 0.0, "cloglog": math.log(math.log(2.0)), "noisy_or": math.log(2.0)}


def _has_link(model: "BinaryRegression") -> bool:
    if getattr(model, "link_", model.link) is None:
        raise AttributeError(
            "a BinaryRegression with link=None knows no probabilities; pass the link that turns "
            "its scores into them"
        )
    return True


class BinaryRegression(LinearClassifier):
    r"""Regression of two classes under a link, or any other loss of a score.

    .. math::
        p(1 | x) = g^{-1}(x \cdot w + b), \qquad
        \min_{w, b} \frac{1}{S} \sum_i s_i \ell(y_i, x_i \cdot w + b) + \frac{1}{2 S C} \|w\|^2,
        \quad S = \sum_i s_i

    ====================  ==========================================================
    link                  probability of the positive class at score z
    ====================  ==========================================================
    ``"logit"``           1 / (1 + exp(-z))
    ``"probit"``          Φ(z), the normal distribution function
    ``"cloglog"``         1 - exp(-exp(z)): at least one of a Poisson number of events
    ``"noisy_or"``        1 - exp(-z): every feature is a cause that may fail;
                          features, weights and intercept are >= 0
    ====================  ==========================================================

    Parameters
    ----------
    C : float, default=1.0
        Inverse strength of the penalty; ``np.inf`` for none. The intercept is not penalised.
    link : str, CustomLink or None, default="logit"
        As above, or what `custom_link` returned. None, with a ``loss`` only: scores are no
        probabilities.
    loss : CustomLoss or None, default=None
        What to minimise, from `custom_loss`; None: minus the log-likelihood under the link. The
        link then only says how scores become probabilities; without one, the positive class is
        predicted where the score is above zero.
    solver : str, default="auto"
        One of "irls", "newton-cg", "lbfgs", "cg", "gd". "auto" picks by shape; ``solver_`` says
        which. Under ``link="noisy_or"`` "newton-cg" and "gd", which then keep parameters >= 0.
    fit_intercept, class_weight, tol, max_iter, max_time, warm_start
        As in `LogisticRegression`.
    n_jobs, dtype, callback, verbose
        As in `LogisticRegression`.
    random_state : int, Generator, RandomState or None, default=None
        Ignored: no solver here is random.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        Labels; the second is the positive one.
    coef_ : ndarray of shape (1, n_features)
        w; a view of what scores are made with.
    intercept_ : ndarray of shape (1,)
        b.
    link_ : str, CustomLink or None
        The link of the fit.
    n_iter_ : ndarray of int
        Iterations.
    solver_ : str
        What was used.
    history_ : dict of ndarray
        As in `LogisticRegression`.
    weights_, bias_ : ndarray
        The linear view, half of the score for each class.
    n_features_in_ : int
        Columns.
    feature_names_in_ : ndarray of str
        Their names, where ``X`` had any.

    Notes
    -----
    `top_features` and `log_odds` speak of what a feature adds to the score, which is the log-odds
    under ``link="logit"`` only.

    Examples
    --------
    >>> from wordodds import BinaryRegression, CountVectorizer
    >>> X = CountVectorizer().fit_transform(["free money now", "lunch at noon", "free lunch"])
    >>> model = BinaryRegression(link="probit").fit(X, ["spam", "ham", "ham"])
    >>> model.predict(X).tolist()
    ['spam', 'ham', 'ham']
    """

    link_: LinkName | CustomLink | None
    history_: dict[str, Floats]

    def __init__(
        self,
        *,
        C: float = 1.0,
        link: LinkName | CustomLink | None = "logit",
        loss: CustomLoss | None = None,
        solver: Solver = "auto",
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
        self.link = link
        self.loss = loss
        self.solver = solver
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
    ) -> "BinaryRegression":
        """Fit to rows and their labels.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_rows, n_features)
            Finite numbers; >= 0 under ``link="noisy_or"``.
        y : array-like of shape (n_rows,)
            Labels of two classes.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of the rows; rows with weight 0 are ignored.

        Returns
        -------
        BinaryRegression
            Itself. After Ctrl-C it is in the state of the last iteration.
        """
        settings = settings_of(self, SOLVERS)
        loss = self._loss()
        problem = problem_of_fit(
            self, X, y, sample_weight, settings.how, settings.C, non_negative=loss.non_negative
        )
        classes = problem.classes
        if len(classes) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass: "
                f"y has {len(classes)} classes; LogisticRegression takes more than two"
            )
        dtype = weight_type(self.dtype, problem.dtype)
        fitted = fit_columns(problem, loss, settings, self._warm(classes, problem.matrix.n_cols))
        more = {"link_": self.link, "_non_negative": loss.non_negative}
        adopt_fit(self, X, classes, fitted, dtype, **more)
        if fitted.interrupted:
            raise KeyboardInterrupt
        return self

    def decision_function(self, X: MatrixLike) -> Floats:
        """Return the scores, counted from where both classes are equally probable.

        Under "logit", "probit" or no link that is at zero, and these are the scores themselves.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_rows, n_features)
            As in `fit`.
        """
        check_is_fitted(self)
        return super().decision_function(X) - self._middle

    @available_if(_has_link)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: MatrixLike) -> Floats:
        """Return log p(class | row), one column per class in the order of ``classes_``.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_rows, n_features)
            As in `fit`.
        """
        scores = np.ascontiguousarray(self._scores(X)[:, 0])
        return log_chances(link_named(self.link_), scores, execution(self.n_jobs))

    @available_if(_has_link)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: MatrixLike) -> Floats:
        """Return p(class | row), one column per class in the order of ``classes_``.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_rows, n_features)
            As in `fit`.
        """
        return np.asarray(np.exp(self.predict_log_proba(X)))

    @property
    def bias_(self) -> Floats:
        """Bias of the linear view, (n_classes,); zero is where both are equally probable."""
        bias = super().bias_
        bias[1] -= self._middle
        return bias

    @property
    def _middle(self) -> float:
        return 0.0 if self.link_ is None else link_named(self.link_).middle

    def _loss(self) -> ScalarLoss:
        """Return what the parameters say is to be minimised."""
        if self.loss is None:
            if self.link is None:
                raise ValueError("link=None needs a loss, made by custom_loss")
            return link_named(self.link).loss()
        if not isinstance(self.loss, CustomLoss):
            raise TypeError(f"loss must be made by custom_loss, or None, got {self.loss!r}")
        if self.link is not None and link_named(self.link).loss().non_negative:
            raise ValueError(f"link={self.link!r} goes with no other loss than its own")
        return self.loss.loss()

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        noisy_or = isinstance(self.link, str) and self.link == "noisy_or"
        tags.input_tags.positive_only = noisy_or
        # No feature can speak against the positive class.
        tags.classifier_tags.poor_score = noisy_or
        return tags


class Link(Protocol):
    """What a model asks of its link."""

    middle: float  # the score at which both classes are equally probable

    def loss(self) -> ScalarLoss:
        """Return minus the log-likelihood."""


class _NamedLink:
    def __init__(self, name: str) -> None:
        self.name = name
        self.middle = LINKS[name]

    def loss(self) -> ScalarLoss:
        return link_loss(self.name)


def link_named(link: LinkName | CustomLink | None) -> Link:
    """Return the link that a parameter means."""
    if isinstance(link, str) and link in LINKS:
        return _NamedLink(link)
    if isinstance(link, CustomLink):
        return link
    raise ValueError(
        f"link must be one of {', '.join(LINKS)}, or made by custom_link, got {link!r}"
    )


def log_chances(link: Link, scores: Floats, how: Execution) -> Floats:
    """Return log p(0 | score) and log p(1 | score), (n_rows, 2); stable in both tails."""
    loss = link.loss()
    chances = np.empty((len(scores), 2))
    for y in (0, 1):
        chances[:, y] = 0.0 - loss.of_each(np.full(len(scores), float(y)), scores, how)[0]
    return chances
