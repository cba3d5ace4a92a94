"""scikit-learn's estimator checks, for every linear classifier."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from wordodds import LogisticRegression, SGDClassifier

MODELS = [
    LogisticRegression(),
    LogisticRegression(multi_class="ovr"),
    LogisticRegression(multi_class="ovo"),
    # Checks compare weights to seven digits.
    LogisticRegression(solver="newton-cg", tol=1e-11),
    LogisticRegression(solver="lbfgs", tol=1e-9, max_iter=1000),
    LogisticRegression(l1_ratio=0.5, tol=1e-9, max_iter=1000),
    SGDClassifier(),
    SGDClassifier(loss="log_loss", average=True, penalty="elasticnet"),
    SGDClassifier(loss="softmax", learning_rate="adagrad", eta0=0.5),
]

ARRAY_API = "check_array_api_input"  # runs only where SciPy was imported in its array API mode
# In SGD a row of weight 2 is one step, not two.
WEIGHTS = "check_sample_weight_equivalence"


@pytest.mark.filterwarnings("ignore:Can't check dok sparse matrix for nan or inf")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(MODELS)
def test_estimator_check(estimator, check):
    name = check.func.__name__
    by_steps = isinstance(estimator, SGDClassifier) and name.startswith(WEIGHTS)
    if name != ARRAY_API and not by_steps:
        check(estimator)
