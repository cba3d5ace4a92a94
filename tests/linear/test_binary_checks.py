"""scikit-learn's estimator checks, for the links."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from wordodds import BinaryRegression

MODELS = [
    BinaryRegression(),
    BinaryRegression(link="probit"),
    BinaryRegression(link="cloglog", solver="lbfgs"),
    BinaryRegression(link="noisy_or"),
]

# Name of a check -> the links to which it does not apply, and why.
NOT_APPLICABLE = {
    # Runs only where SciPy was imported in its array API mode; we take NumPy arrays.
    "check_array_api_input": ("logit", "probit", "cloglog", "noisy_or"),
    # Takes the logarithm of probabilities, zero where our log-probabilities still are numbers.
    "check_classifiers_train": ("cloglog",),
    # Feed negative numbers where they must be refused.
    "check_class_weight_classifiers": ("noisy_or",),
    "check_classifier_not_supporting_multiclass": ("noisy_or",),
    "check_decision_proba_consistency": ("noisy_or",),
}


@pytest.mark.filterwarnings("ignore:Can't check dok sparse matrix for nan or inf")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(MODELS)
def test_estimator_check(estimator, check):
    if estimator.link not in NOT_APPLICABLE.get(check.func.__name__, ()):
        check(estimator)
