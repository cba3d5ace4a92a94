"""scikit-learn's estimator checks, for the transformers that reduce columns."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from wordodds import TruncatedSVD

ARRAY_API = "check_array_api_input"  # runs only where SciPy was imported in its array API mode


@pytest.mark.filterwarnings("ignore:Can't check dok sparse matrix for nan or inf")
@parametrize_with_checks([TruncatedSVD(), TruncatedSVD(n_components=1, n_jobs=2)])
def test_estimator_check(estimator, check):
    if check.func.__name__ != ARRAY_API:
        check(estimator)
