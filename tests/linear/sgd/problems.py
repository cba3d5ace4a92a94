"""Problems that several tests of SGD share."""

import numpy as np
import scipy.sparse as sp

LOSSES = ["log_loss", "softmax", "hinge", "squared_hinge", "modified_huber", "perceptron"]
# Every combination of arrays that a state may have.
KINDS = [
    {},
    {"penalty": "l1", "alpha": 1e-3},
    {"penalty": "elasticnet", "alpha": 1e-3, "average": True},
    {"penalty": None, "learning_rate": "constant", "average": 30},
    {"learning_rate": "invscaling", "eta0": 0.1},
    {"learning_rate": "adaptive", "eta0": 0.1},
    {"learning_rate": "adagrad", "eta0": 0.1, "penalty": "elasticnet"},
    {"dtype": np.float32, "average": True},
]


def some_rows(n_classes=4, shape=(150, 40), density=0.2, seed=0):
    """Return sparse rows and labels that have something to do with them."""
    rng = np.random.default_rng(seed)
    X = sp.csr_array(sp.random_array(shape, density=density, rng=rng).tocsr())
    truth = rng.normal(size=(shape[1], n_classes))
    return X, (X @ truth + 0.1 * rng.normal(size=(shape[0], n_classes))).argmax(axis=1)


def assert_same_model(first, second):
    """Check that two models agree to the bit."""
    np.testing.assert_array_equal(first.classes_, second.classes_)
    np.testing.assert_array_equal(first.coef_, second.coef_)
    np.testing.assert_array_equal(first.intercept_, second.intercept_)
    assert first.t_ == second.t_
    assert first.n_iter_ == second.n_iter_
