"""scikit-learn's own tests of SGD, run against our class."""

import pytest
import sklearn.linear_model as peer

import wordodds

from .sklearn_suites import applicable_tests, load_suite

NAMES = ["SGDClassifier"]
MARK_OF_THEIRS = "no_check_spmatrix"

# Name of a test -> why it does not apply to us. Every other one must pass; those of regression and
# of one-class SVMs, by their names or by the classes that they are given, test other classes.
NOT_APPLICABLE = {
    "test_plain_has_no_average_attr": "asks for private attributes",
    "test_power_t_limits": "a negative power_t is a ValueError, as theirs will be",
    "test_learning_rate_PA_raises": "there are no passive-aggressive rates",
    "test_partial_fit_weight_class_balanced": "looks for their sentence; ours is in test_sgd_input",
    "test_sgd_predict_proba_method_access": "lists losses that we lack; ours is in test_sgd_proba",
    "test_sgd_l1": "wants sparsify(); the weights that L1 leaves are in test_sgd",
    "test_class_weights": "one seed of many: the score is 0 +- 0.002, in theirs too",
    "test_sample_weights": "one seed of many: the score is 0 +- 0.002, in theirs too",
    "test_regression_losses": "of the losses of regression there is only squared_error",
    "test_multi_thread_multi_class_and_early_stopping": "each of their columns stops by itself",
    "test_multi_core_gridsearch_and_early_stopping": "about joblib, which fit does without",
    "test_SGDClassifier_fit_for_all_backends": "about joblib, which fit does without",
    "test_validation_mask_correctly_subsets": "replaces a private class",
    "test_sgd_error_on_zero_validation_weight": "rows of weight 0 are left out before the split",
    "test_sgd_dtype_match": "the type of the weights is a parameter, not that of X",
    "test_loss_hinge": "tests private classes",
    "test_gradient_squared_hinge": "tests private classes",
    "test_loss_modified_huber": "tests private classes",
    "test_loss_epsilon_insensitive": "tests private classes",
    "test_loss_squared_epsilon_insensitive": "tests private classes",
}

# Their tests warn on purpose and do not treat warnings as errors; those of an older version expect
# what that version computes.
pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.needs("scikit-learn>=1.9")]


def is_of_other_classes(name):
    return any(word in name.lower() for word in ("oneclass", "one_class", "ocsvm", "regressor"))


def of_our_class(tests):
    """Leave out the regressors among the parameters, and tests that have no others."""
    for name, test in tests.items():
        marks, applies = [], not is_of_other_classes(name)
        for mark in test.pytestmark:
            names = str(mark.args[0]).split(", ") if mark.name == "parametrize" else []
            if {"klass", "Estimator", "SGDEstimator"} & set(names):
                values = [value for value in mark.args[1] if "Classifier" in str(value)]
                applies &= bool(values)
                mark = pytest.mark.parametrize(mark.args[0], values).mark
            marks.append(mark)
        if applies:
            test.pytestmark = marks
            yield name, test


setattr(pytest.mark, MARK_OF_THEIRS, lambda test: test)  # strict markers know only our own
try:
    suite = load_suite("sklearn.linear_model.tests.test_sgd", peer, NAMES)
finally:
    delattr(pytest.mark, MARK_OF_THEIRS)
ours = dict(of_our_class(applicable_tests(suite, NOT_APPLICABLE)))
globals().update(ours)


@pytest.fixture(autouse=True)
def their_factories_make_ours(monkeypatch):
    """They look the class up whenever they make one."""
    monkeypatch.setattr(peer, "SGDClassifier", wordodds.SGDClassifier)


@pytest.fixture
def global_random_seed():
    """Stand in for a fixture of theirs."""
    return 42


def test_the_suite_is_there_and_tests_our_class():
    assert len(ours) >= 35
    assert issubclass(suite._SparseSGDClassifier, wordodds.SGDClassifier)
    assert isinstance(suite.SGDClassifier(), wordodds.SGDClassifier)
    assert set(NOT_APPLICABLE) <= set(vars(suite))
