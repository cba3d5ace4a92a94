"""scikit-learn's own tests of logistic regression, run against our class."""

import pytest
import sklearn.linear_model as peer

import wordodds

from .sklearn_suites import applicable_tests, assert_tests_our_classes, load_suite

# Their solvers that we do not have, and which of ours stands in: the same optimum is asked of all.
STAND_INS = {"newton-cholesky": "irls", "liblinear": "cg", "sag": "gd", "saga": "gd"}


class LogisticRegression(wordodds.LogisticRegression):
    """Ours, by the names that their tests have for solvers."""

    def fit(self, X, y, sample_weight=None):
        theirs = self.solver
        self.solver = STAND_INS.get(theirs, theirs)
        self.dtype = "float64" if theirs == "liblinear" else None  # all that liblinear knows
        try:
            return super().fit(X, y, sample_weight=sample_weight)
        finally:
            self.solver = theirs


CLASSES = {"LogisticRegression": LogisticRegression}

CV_MOSTLY = "nearly all of it, and of its time, is their CV class; ours is in tests/linear"
CV = "tests LogisticRegressionCV alone, which we do not have: use GridSearchCV"
PATH = "tests a private function of theirs, the path over several C"
LIBLINEAR = "tests what liblinear alone does"
PENALTY = "the parameter penalty is deprecated by them; we never had it"
ARRAY_API = "we take NumPy arrays"
CALLBACKS = "their protocol of callbacks; ours is a function of the history"
L1 = "l1_ratio > 0 is for later"

# Name of a test -> why it does not apply to us. Every other one must pass.
NOT_APPLICABLE = {
    "test_check_solver_option": "which of their solvers takes which penalty",
    "test_elasticnet_l1_ratio_err_helpful": PENALTY,
    "test_sparsify": "coef_ is a view of dense weights: there is no sparsify",
    "test_consistency_path": PATH,
    "test_logistic_regression_path_convergence_fail": PATH,
    "test_logistic_regression_path_coefs_multinomial": PATH,
    "test_logistic_regression_path_init_coefs": PATH,
    "test_liblinear_dual_random_state": LIBLINEAR,
    "test_sample_and_class_weight_equivalence_liblinear": LIBLINEAR,
    "test_liblinear_decision_function_zero": LIBLINEAR,
    "test_logreg_intercept_scaling_zero": LIBLINEAR,
    "test_logisticregression_liblinear_sample_weight": LIBLINEAR,
    "test_liblinear_with_large_values": LIBLINEAR,
    "test_liblinear_not_stuck": LIBLINEAR,
    "test_liblinear_multiclass_raises": LIBLINEAR,
    "test_logistic_cv": CV,
    "test_logistic_cv_refit_false_non_elasticnet": CV,
    "test_logistic_cv_mock_scorer": CV,
    "test_logistic_cv_multinomial_score": CV,
    "test_multinomial_cv_iris": CV,
    "test_logistic_cv_folds_with_classes_missing": CV,
    "test_logistic_cv_sparse": CV,
    "test_logistic_regressioncv_class_weights": CV,
    "test_logistic_regression_cv_refit": CV,
    "test_LogisticRegressionCV_GridSearchCV_elastic_net": CV,
    "test_LogisticRegressionCV_no_refit": CV,
    "test_LogisticRegressionCV_elasticnet_attribute_shapes": CV,
    "test_LogisticRegressionCV_on_folds": CV,
    "test_scores_attribute_layout_elasticnet": CV,
    "test_lr_cv_scores_differ_when_sample_weight_is_requested": CV,
    "test_lr_cv_scores_without_enabling_metadata_routing": CV,
    "test_passing_params_without_enabling_metadata_routing": CV,
    "test_logisticregressioncv_warns_with_use_legacy_attributes": CV,
    "test_lr_scoring_warns": CV,
    "test_get_default_scorer": CV,
    "test_logreg_l1": L1,
    "test_saga_vs_liblinear": L1,
    "test_elastic_net_coeffs": L1,
    "test_elastic_net_vs_l1_l2": L1,
    "test_LogisticRegression_elastic_net_objective": L1,
    "test_elastic_net_versus_sgd": L1,
    "test_elastic_net_l1_l2_equivalence": PENALTY,
    "test_l1_ratio_non_elasticnet": PENALTY,
    "test_penalty_none": PENALTY,
    "test_penalty_deprecated": PENALTY,
    "test_lr_penalty_l1ratio_incompatible": PENALTY,
    "test_l1_ratio_None_deprecated": PENALTY,
    "test_logisticregression_warns_with_n_jobs": "n_jobs has an effect here",
    "test_logreg_predict_proba_multinomial": "uses a private method of theirs",
    "test_inconsistent_input": "asks for their words; ours are tested in tests/linear",
    "test_max_iter": "asks for their words; ours are tested in tests/linear",
    "test_multinomial_logistic_regression_string_inputs": CV_MOSTLY,
    "test_logistic_regression_solvers_multiclass": CV_MOSTLY,
    "test_large_sparse_matrix": "asks some solvers to refuse int64 indices; ours take them",
    "test_newton_cholesky_fallback_to_lbfgs": "irls needs no other solver where columns depend",
    "test_logistic_regression_array_api_compliance": ARRAY_API,
    "test_logistic_regression_array_api_warm_start": ARRAY_API,
    "test_logistic_regression_callback_support": CALLBACKS,
    "test_logistic_regression_callback_fitted_estimator": CALLBACKS,
    "test_logistic_regression_callback_support_warning": CALLBACKS,
}

# Their tests warn on purpose and do not treat warnings as errors; those of an older version expect
# what that version computes.
pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.needs("scikit-learn>=1.9")]

suite = load_suite("sklearn.linear_model.tests.test_logistic", peer, CLASSES)
globals().update(applicable_tests(suite, NOT_APPLICABLE))


@pytest.fixture
def global_random_seed():
    """Stand in for a fixture of theirs."""
    return 42


def test_the_suite_is_there_and_tests_our_class():
    assert_tests_our_classes(suite, CLASSES, NOT_APPLICABLE, at_least=80)
