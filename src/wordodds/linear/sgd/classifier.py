"""Linear classifiers by stochastic gradient descent."""

from collections.abc import Callable
from typing import Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from wordodds._border.classes import classes_of_batches
from wordodds._border.csr import sparse_of_frame
from wordodds._border.execution import Execution, execution
from wordodds._estimator.random_state import random_source
from wordodds._estimator.state import adopt, check_width
from wordodds.linear.classifier import scores_of
from wordodds.linear.history import Callback
from wordodds.linear.problem import columns_of_weights
from wordodds.linear.settings import WeightType
from wordodds.linear.sgd.epochs import Epochs, Rows, StopRule, epochs
from wordodds.linear.sgd.parameters import LearningRate, Penalty, check_parameters
from wordodds.linear.sgd.probabilities import LossProba
from wordodds.linear.sgd.rows import checked_rows, held_out, labelled_rows, part_of
from wordodds.linear.sgd.state import LOSSES, SCHEDULES, Loss, SgdOptions, SgdState, options_of
from wordodds.typing import (
    AnyArray,
    ClassWeight,
    Floats,
    Ints,
    Labels,
    MatrixLike,
    RandomState,
    WeightsLike,
)

__all__ = ["SGDClassifier"]

# scikit-learn's number: every row moves the bias, few rows any one feature.
SPARSE_BIAS_RATE = 0.01
SEED_MAX = np.iinfo(np.int32).max


class SGDClassifier(LossProba):
    r"""Linear classifier by stochastic gradient descent; scikit-learn's, all classes at once.

    Step t takes one row x with label y and moves against the gradient of

    .. math:: L(y, x \cdot w + b) + \alpha \left( \tfrac{1 - r}{2} |w|^2 + r |w|_1 \right)

    by a rate :math:`\eta_t`, with r = 0, 1 or ``l1_ratio`` for the penalties ``"l2"``, ``"l1"`` and
    ``"elasticnet"``. A step costs as much as the row has entries: the L2 penalty is a common factor
    of all weights, the L1 penalty is applied where a weight is next needed, averages follow from
    both. More than two classes are one-vs-rest columns that learn from the same rows in the same
    order, except under ``loss="softmax"``, which is multinomial logistic regression.

    Parameters
    ----------
    loss : str, default="hinge"
        ``"log_loss"``, ``"softmax"``, ``"hinge"``, ``"squared_hinge"``, ``"modified_huber"``,
        ``"perceptron"`` or ``"squared_error"``. With two classes softmax is the log loss.
    penalty : {"l2", "l1", "elasticnet"} or None, default="l2"
        The bias is never penalised.
    alpha : float, default=1e-4
        Strength of the penalty; the schedule "optimal" follows from it too.
    l1_ratio : float or None, default=0.15
        For ``"elasticnet"``.
    fit_intercept : bool, default=True
        Whether to fit a bias. As in scikit-learn, it learns at a hundredth of the rate when X is
        sparse.
    max_iter : int, default=1000
        Epochs at most.
    tol : float or None, default=1e-3
        A fit ends when the objective (or the held-out error) has not improved by ``tol`` over the
        best so far in ``n_iter_no_change`` epochs in a row. With one-vs-rest columns it is the mean
        over them: all end together.
    shuffle : bool, default=True
        Whether each epoch has its own order of rows.
    verbose : int, default=0
        Whether to print a line for each epoch.
    n_jobs : int or None, default=None
        Threads that share the one-vs-rest columns of `fit`, eight at a time, and the rows of
        predictions. Results do not depend on it.
    random_state : int, Generator, RandomState or None, default=None
        Seed of the order of rows and of the held-out part. None: a fixed seed, so that equal fits
        have equal bits; a Generator or RandomState: another order each time.
    learning_rate : str, default="optimal"
        ``"constant"``: eta0. ``"optimal"``: 1 / (alpha (t0 + t)). ``"invscaling"``:
        eta0 / t^power_t. ``"adaptive"``: eta0, divided by 5 whenever patience is over.
        ``"adagrad"``: for each weight eta0 / sqrt(sum of its squared gradients), with penalties as
        in FTRL-Proximal.
    eta0 : float, default=0.01
        See ``learning_rate``.
    power_t : float, default=0.5
        See ``learning_rate``.
    early_stopping : bool, default=False
        Whether to hold out a part of the rows and end by the accuracy there.
    validation_fraction : float, default=0.1
        That part.
    n_iter_no_change : int, default=5
        See ``tol``.
    class_weight : dict, "balanced" or None, default=None
        Factors of the weights of rows by label. As in scikit-learn, in a one-vs-rest column only
        its own class has one.
    warm_start : bool, default=False
        Whether `fit` begins at the weights of the last one.
    average : bool or int, default=False
        Whether the weights are the mean over all steps; a number: from that step on. Not with
        AdaGrad.
    dtype : {"float64", "float32"}, default=np.float64
        Of the weights; six digits do for SGD and are quicker, as half the memory is touched.
    max_time : float or None, default=None
        Seconds after which `fit` ends.
    callback : callable or None, default=None
        Called after each epoch of `fit` with a dict of "iteration", "objective", "gradient_norm",
        "time", "passes"; the fit ends if it returns True.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    coef_ : ndarray of shape (1 or n_classes, n_features)
        Weights; a view of the feature-major array that scores are made with.
    intercept_ : ndarray of shape (1 or n_classes,)
        Bias of each column.
    n_iter_ : int
        Epochs of the last fit.
    t_ : float
        One more than the number of steps taken.
    history_ : dict of ndarray
        For each epoch of `fit` the "iteration" (0 is the first epoch), the "objective" (mean over
        its rows, each before its own step), the "gradient_norm" (always NaN: no solver asks for
        it), the "time" in seconds since the start and the "passes" over the data.
    weights_, bias_ : ndarray
        The linear view: a row of weights and a bias for each class; of two classes, half each way.
    n_features_in_ : int
        Columns.
    feature_names_in_ : ndarray of str
        Their names, where ``X`` had any.

    Examples
    --------
    >>> import numpy as np
    >>> from wordodds import SGDClassifier
    >>> X = np.array([[2, 1, 0], [1, 2, 0], [0, 1, 2], [0, 0, 3]])
    >>> model = SGDClassifier(loss="log_loss", random_state=0).fit(X, ["tea", "tea", "rum", "rum"])
    >>> model.predict([[1, 1, 0], [0, 0, 1]])
    array(['tea', 'rum'], dtype='<U3')
    """

    _state: SgdState

    def __init__(
        self,
        loss: Loss = "hinge",
        *,
        penalty: Penalty | None = "l2",
        alpha: float = 0.0001,
        l1_ratio: float | None = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        verbose: int = 0,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        learning_rate: LearningRate = "optimal",
        eta0: float = 0.01,
        power_t: float = 0.5,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        class_weight: ClassWeight = None,
        warm_start: bool = False,
        average: bool | int = False,
        dtype: WeightType = np.float64,
        max_time: float | None = None,
        callback: Callback | None = None,
    ) -> None:
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.power_t = power_t
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.average = average
        self.dtype = dtype
        self.max_time = max_time
        self.callback = callback

    def fit(
        self,
        X: MatrixLike,
        y: Labels,
        coef_init: npt.ArrayLike | None = None,
        intercept_init: npt.ArrayLike | None = None,
        sample_weight: WeightsLike = None,
    ) -> Self:
        """Learn from documents and their labels, epoch after epoch.

        A fit that fails or is interrupted leaves the model as it was.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_documents, n_features)
            Features; scale them alike, as tf-idf does.
        y : array-like of shape (n_documents,)
            Labels.
        coef_init, intercept_init : array-like or None
            Where to begin; of the shapes of ``coef_`` and ``intercept_``.
        sample_weight : array-like of shape (n_documents,) or None
            Factors of the steps, >= 0; a document of weight 0 is ignored.
        """
        check_parameters(self)
        how = execution(self.n_jobs)
        matrix = checked_rows(X, how, type(self).__name__)
        classes, rows = labelled_rows(
            matrix, y, sample_weight, self.class_weight, None, coupled=self.loss == "softmax"
        )
        _require_classes(classes)
        state = self._first_state(X, matrix.n_cols, len(classes))
        warm = self.warm_start and hasattr(self, "_state")
        self._begin_at(
            state,
            self.coef_ if warm and coef_init is None else coef_init,
            self.intercept_ if warm and intercept_init is None else intercept_init,
        )
        train, judge = np.arange(len(rows.codes)), None
        if self.early_stopping:
            train, test = held_out(rows, self.validation_fraction, self.random_state)
            judge = _error_on(part_of(rows, test), how)
        run = Epochs(
            int(self.max_iter),
            StopRule(self.tol, int(self.n_iter_no_change)),
            adaptive=self.learning_rate == "adaptive",
            max_time=self.max_time,
            callback=self.callback,
            verbose=int(self.verbose),
            evaluate=judge,
        )
        limit = None if self.max_time is None else run.out_of_time
        history = run.run(epochs(rows, state, train, self._shuffler(), how, limit), how)
        state.settle(how)
        return adopt(
            self,
            X,
            classes_=classes,
            _state=state,
            n_iter_=len(history["time"]),
            t_=state.t,
            history_=history,
        )

    def partial_fit(
        self,
        X: MatrixLike,
        y: Labels,
        classes: Labels | None = None,
        sample_weight: WeightsLike = None,
    ) -> Self:
        """Learn from one more batch of documents: one step for each.

        Interrupted, or where a step would overflow, the model has learnt from the documents before.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_documents, n_features)
            Features.
        y : array-like of shape (n_documents,)
            Labels.
        classes : array-like or None
            All labels that will ever occur. The first call needs it, later ones may leave it out.
        sample_weight : array-like of shape (n_documents,) or None
            As in `fit`.
        """
        check_parameters(self)
        if self.early_stopping:
            raise ValueError("early_stopping should be False with partial_fit")
        if isinstance(self.class_weight, str):
            raise ValueError(
                f"class_weight '{self.class_weight}' is not supported for partial_fit: pass the "
                "weights of the classes as a dict, for example those that compute_class_weight "
                "gives for a large enough sample"
            )
        known = classes_of_batches(self, classes)
        _require_classes(known)
        how = execution(self.n_jobs)
        matrix = checked_rows(X, how, type(self).__name__)
        if not (first := not hasattr(self, "_state")):
            check_width(self, X, matrix.n_cols, len(self._state.weights))
        _, rows = labelled_rows(
            matrix, y, sample_weight, self.class_weight, known, coupled=self.loss == "softmax"
        )
        if first:
            state = self._first_state(X, matrix.n_cols, len(known))
        else:
            state = self._continued(self._state, sp.issparse(sparse_of_frame(X)), how)
        # On one thread: an interrupt then leaves all columns after the same row.
        alone = how._replace(n_jobs=1)
        try:
            next(epochs(rows, state, np.arange(len(rows.codes)), self._shuffler(), alone))
        finally:
            if not first:
                self._state, self.t_ = state, state.t
        if first:
            return adopt(self, X, classes_=known, _state=state, n_iter_=1, t_=state.t)
        self.n_iter_ = 1
        return self

    @property
    def _columns(self) -> Floats:  # type: ignore[override]
        return self._settled().model_weights

    @property
    def intercept_(self) -> Floats:  # type: ignore[override]
        """The bias of each column."""
        return self._settled().model_bias

    def _settled(self) -> SgdState:
        if not hasattr(self, "_state"):
            raise AttributeError(f"{type(self).__name__} is not fitted yet")
        return self._state.settled_apart(execution(self.n_jobs))

    def _shuffler(self) -> Callable[[Ints], None] | None:
        seed = random_source(self.random_state).randint(SEED_MAX)
        return np.random.Generator(np.random.PCG64(seed)).shuffle if self.shuffle else None

    def _options(self, sparse: bool, n_classes: int) -> SgdOptions:
        ratios = {"l2": 0.0, "l1": 1.0, "elasticnet": self.l1_ratio, None: 0.0}
        # Two classes have one column, whose softmax is the sigmoid.
        loss = "log_loss" if self.loss == "softmax" and n_classes == 2 else self.loss
        rate = "constant" if self.learning_rate == "adaptive" else self.learning_rate
        return options_of(
            loss=LOSSES.index(loss),
            schedule=SCHEDULES.index(rate),
            eta0=float(self.eta0),
            power_t=float(self.power_t),
            alpha=float(self.alpha),
            l1_ratio=float(ratios[self.penalty] or 0.0),
            penalized=self.penalty is not None,
            bias_rate=(SPARSE_BIAS_RATE if sparse else 1.0) if self.fit_intercept else 0.0,
            average_from=float(self.average),
        )

    def _first_state(self, X: MatrixLike, n_features: int, n_classes: int) -> SgdState:
        options = self._options(sp.issparse(sparse_of_frame(X)), n_classes)
        return SgdState(n_features, columns_of_weights(n_classes), options, self.dtype)

    def _continued(self, state: SgdState, sparse: bool, how: Execution) -> SgdState:
        """Return the state with today's parameters, which may need other arrays."""
        options = self._options(sparse, 2 if state.n_columns == 1 else state.n_columns)
        if options.adagrad:
            options = options._replace(eta0=state.options.eta0)  # part of what the duals mean
        options = options.averaging_from(state.averages_since)
        same_average = options.average_from == state.options.average_from
        same_arrays = state.options.needs == options.needs and state.weights.dtype == self.dtype
        if same_arrays and same_average:
            state.options = options
            return state
        before = state.settled_apart(how)
        if same_average:
            return before.moved(options, self.dtype)
        # What has been averaged so far is where the next mean begins, not a part of it.
        options = options.averaging_from(before.t)
        state = SgdState(len(before.weights), before.n_columns, options, self.dtype)
        state.t = state.averages_since = before.t
        state.start_from(before.model_weights[:, : before.n_columns].T, before.model_bias)
        return state

    def _begin_at(
        self, state: SgdState, coef: npt.ArrayLike | None, intercept: npt.ArrayLike | None
    ) -> None:
        n_columns, n_features = state.n_columns, len(state.weights)
        weights, bias = np.zeros((n_columns, n_features)), np.zeros(n_columns)
        if coef is None and intercept is None:
            return
        if coef is not None:
            weights = _initial(coef, weights.shape, "coef_init")
        if intercept is not None:
            bias = _initial(intercept, bias.shape, "intercept_init")
        state.start_from(weights, bias)


def _error_on(rows: Rows, how: Execution) -> Callable[[SgdState], float]:
    """Return the function that gives minus the weighted accuracy of a state on some rows."""
    if rows.weights is not None and not rows.weights.any():
        raise ValueError(
            "The sample weights for validation set are all zero, consider using a different "
            "random state."
        )

    def error(state: SgdState) -> float:
        scores = scores_of(rows.matrix, state.scoring_weights, state.model_bias, how)
        codes = scores[:, 0] > 0.0 if scores.shape[1] == 1 else scores.argmax(axis=1)
        return -float(np.average(codes == rows.codes, weights=rows.weights))

    return error


def _require_classes(classes: AnyArray) -> None:
    if len(classes) < 2:
        raise ValueError(
            f"The number of classes has to be greater than one; got {len(classes)} class"
        )


def _initial(values: npt.ArrayLike, shape: tuple[int, ...], name: str) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.shape != shape and not (shape[0] == 1 and array.size == np.prod(shape)):
        raise ValueError(
            f"Provided {name} does not match dataset: expected shape {shape}, got {array.shape}"
        )
    if not np.isfinite(array).all():
        raise ValueError(f"{name} holds NaN or infinity")
    return array.reshape(shape)
