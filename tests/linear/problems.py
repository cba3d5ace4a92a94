"""Small problems that the tests of the linear models share, and the objective in plain NumPy."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize
from scipy.special import expit

from wordodds._border.execution import execution
from wordodds.linear.losses import SoftmaxLoss, link_loss
from wordodds.linear.matrix import DenseMatrix, SparseMatrix
from wordodds.linear.objective import Objective
from wordodds.linear.solvers import DESCENTS

# One list for all tests: a new solver of smooth objectives joins in `DESCENTS`.
SOLVERS = sorted(DESCENTS)
# Those that need few iterations also where columns are of different sizes.
SECOND_ORDER = ["irls", "newton-cg"]

KINDS = {"binary": 1, "softmax": 3, "ovr": 3}  # columns


def random_rows(n_rows=60, n_cols=7, density=1.0, seed=0):
    """Return a dense array of which some entries are zero."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_rows, n_cols)) * (rng.random((n_rows, n_cols)) < density)


def random_labels(n_rows=60, n_classes=3, seed=0):
    """Return labels of which each class has some."""
    return np.random.default_rng(seed).permutation(np.arange(n_rows) % n_classes)


def noisy_labels(X, n_classes, seed=0):
    """Return labels that depend on the rows, but not wholly."""
    rng = np.random.default_rng(seed)
    scores = X @ rng.normal(size=(X.shape[1], n_classes))
    labels = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    labels[:n_classes] = np.arange(n_classes)
    return labels


@dataclass
class PlainObjective:
    """The objective as its formula says, of a flat vector of weights and intercepts."""

    X: np.ndarray
    codes: np.ndarray
    kind: str = "softmax"
    C: float = 1.0
    fit_intercept: bool = True
    weights: np.ndarray | None = None

    def __post_init__(self):
        weights = np.ones(len(self.X)) if self.weights is None else self.weights
        self.total = weights.sum()
        self.row_weights = weights / self.total
        self.penalty = 1.0 / (self.C * self.total)
        self.n_columns = 1 if self.kind == "binary" else int(self.codes.max()) + 1
        self.ones = (
            np.eye(self.n_columns)[self.codes] if self.n_columns > 1 else self.codes[:, None]
        )

    def split(self, flat):
        """Return weights (n_cols, n_columns) and intercepts."""
        point = flat.reshape(-1, self.n_columns)
        if self.fit_intercept:
            return point[:-1], point[-1]
        return point, np.zeros(self.n_columns)

    def __call__(self, flat):
        """Return value and gradient."""
        W, b = self.split(flat)
        scores = self.X @ W + b
        if self.kind == "softmax":
            normaliser = np.logaddexp.reduce(scores, axis=1)
            losses = normaliser - (scores * self.ones).sum(axis=1)
            residuals = np.exp(scores - normaliser[:, None]) - self.ones
        else:
            losses = (np.logaddexp(0.0, scores) - self.ones * scores).sum(axis=1)
            residuals = expit(scores) - self.ones
        residuals = residuals * self.row_weights[:, None]
        value = self.row_weights @ losses + 0.5 * np.sum(self.penalty * W**2)
        gradient = self.X.T @ residuals + self.penalty * W
        if self.fit_intercept:
            gradient = np.vstack([gradient, residuals.sum(axis=0)])
        return value, gradient.reshape(-1)

    def optimum(self):
        """Return the least value, and weights and intercepts there, by SciPy."""
        size = (self.X.shape[1] + self.fit_intercept) * self.n_columns
        options = {"maxiter": 50_000, "maxfun": 200_000, "ftol": 1e-16, "gtol": 1e-10, "maxcor": 30}
        found = minimize(self, np.zeros(size), jac=True, method="L-BFGS-B", options=options)
        W, b = self.split(found.x)
        return found.fun, W, b - b.mean() if self.kind == "softmax" else b


def engine_objective(plain, storage="dense", penalty=None):
    """Return the engine's objective of the same problem; a penalty for each feature if given."""
    how = execution(1)
    matrix = DenseMatrix(plain.X, how)
    if storage == "sparse":
        matrix = SparseMatrix(as_csr_arrays(plain.X), how)
    loss = {
        "softmax": lambda: SoftmaxLoss(plain.n_columns),
        "binary": lambda: link_loss("logit"),
        "ovr": lambda: link_loss("logit", plain.n_columns),
    }[plain.kind]()
    return Objective(
        matrix,
        plain.codes.astype(np.int32),
        plain.row_weights,
        loss,
        plain.penalty if penalty is None else penalty,
        plain.fit_intercept,
        how,
    )


def as_csr_arrays(X):
    """Return a dense array as the border hands sparse ones on."""
    from wordodds._border.csr import as_csr

    return as_csr(sp.csr_array(X), non_negative=False, execution=execution(1))


# Sixty rows and labels that follow them, for tests of the estimator.
X = random_rows(60, 7, density=0.7)
TWO, THREE, FOUR = (noisy_labels(X, n_classes) for n_classes in (2, 3, 4))


def assert_same_model(one, other):
    """Check that two models are the same, bit for bit."""
    np.testing.assert_array_equal(one.classes_, other.classes_)
    np.testing.assert_array_equal(one.coef_, other.coef_)
    np.testing.assert_array_equal(one.intercept_, other.intercept_)
