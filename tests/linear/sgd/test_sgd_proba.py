"""Probabilities of linear classifiers: which losses have them, and far-out scores."""

import mpmath
import numpy as np
import pytest

from wordodds import SGDClassifier

from .problems import LOSSES, some_rows

WITH_PROBA = ("log_loss", "softmax", "modified_huber")


@pytest.mark.parametrize("loss", [*LOSSES, "squared_error"])
def test_who_has_probabilities(loss):
    model = SGDClassifier(loss)
    for method in ("predict_proba", "predict_log_proba"):
        assert hasattr(model, method) == (loss in WITH_PROBA)
        if loss not in WITH_PROBA:
            with pytest.raises(AttributeError, match=f"no attribute '{method}'") as caught:
                getattr(model, method)
            assert f"not available for loss={loss!r}" in str(caught.value.__cause__)


@pytest.mark.parametrize("loss", WITH_PROBA)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("size", [1.0, 40.0, 1e6, 1e150])
def test_scores_of_any_size_give_probabilities(loss, n_classes, size):
    X, y = some_rows(n_classes)
    model = SGDClassifier(loss, random_state=0).fit(X, y)
    scale = size / np.abs(model.decision_function(X)).max()
    model = (
        SGDClassifier(loss, random_state=0, max_iter=1, tol=None, eta0=1e-300)
        .set_params(learning_rate="constant", penalty=None)
        .fit(X, y, coef_init=scale * model.coef_, intercept_init=scale * model.intercept_)
    )
    proba, log_proba = model.predict_proba(X), model.predict_log_proba(X)
    assert not np.isnan(log_proba).any()
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(np.exp(log_proba), proba, rtol=1e-12, atol=1e-300)


def test_all_columns_say_no():
    # Each of three one-vs-rest columns at about -1e6: the least unlikely class takes it all.
    X, y = np.eye(3), np.arange(3)
    coef = np.array([[-1e6, 0, 0], [-1e6 - 1, 0, 0], [-1e6 - 2, 0, 0]])
    model = SGDClassifier("log_loss", max_iter=1, tol=None, learning_rate="constant", eta0=1e-300)
    model.fit(X, y, coef_init=coef)
    exact = [mpmath.exp(-k) for k in range(3)]
    expected = [float(p / sum(exact)) for p in exact]
    np.testing.assert_allclose(model.predict_proba([[1, 0, 0]]), [expected], rtol=1e-9)
    model.set_params(loss="modified_huber")
    np.testing.assert_array_equal(model.predict_proba([[1, 0, 0]]), [[1 / 3] * 3])


def test_log_probabilities_are_exact_far_out():
    X, y = np.array([[1.0], [-1.0]]), [1, 0]
    model = SGDClassifier("log_loss", max_iter=1, tol=None, learning_rate="constant", eta0=1e-300)
    model.fit(X, y, coef_init=[[1.0]])
    for score in (-800.0, -30.0, -1e-3, 0.0, 3.0, 500.0):
        with mpmath.workdps(400):
            p = 1 / (1 + mpmath.exp(-mpmath.mpf(score)))
            expected = [float(mpmath.log(1 - p)), float(mpmath.log(p))]
        np.testing.assert_allclose(model.predict_log_proba([[score]]), [expected], rtol=1e-14)
