"""scikit-learn's estimator checks, for every generative classifier."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from wordodds import BernoulliNB, CategoricalNB, ComplementNB, MultinomialNB

MODELS = [
    MultinomialNB(),
    MultinomialNB(alpha=0.0, estimate="ml"),
    BernoulliNB(),
    BernoulliNB(alpha=0.0),
    ComplementNB(),
    ComplementNB(norm=True, alpha=0.5),
    CategoricalNB(),
]

# Name of a check -> the models to which it does not apply, and why.
NOT_APPLICABLE = {
    # Runs only where SciPy was imported in its array API mode; we take NumPy arrays.
    "check_array_api_input": object,
    # Feeds negative numbers to models of counts, which must refuse them.
    "check_class_weight_classifiers": (MultinomialNB, ComplementNB, CategoricalNB),
}


@pytest.mark.filterwarnings("ignore:Can't check dok sparse matrix for nan or inf")
@parametrize_with_checks(MODELS)
def test_estimator_check(estimator, check):
    if not isinstance(estimator, NOT_APPLICABLE.get(check.func.__name__, ())):
        check(estimator)
