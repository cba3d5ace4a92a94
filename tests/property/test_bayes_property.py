"""Properties that hold for every naive Bayes model and every matrix of counts."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from wordodds import BernoulliNB, CategoricalNB, ComplementNB, MultinomialNB

from ..bayes.problems import DISCRETE, problems, tables

models = pytest.mark.parametrize("Model", DISCRETE)
alphas = st.sampled_from([0.0, 0.3, 1.0])


def make(Model, alpha):
    # As many categories everywhere, so that rows may come and go.
    return Model(alpha=alpha, min_categories=6) if Model is CategoricalNB else Model(alpha=alpha)


def assert_equal_tables(one, other):
    for ours, theirs in zip(tables(one), tables(other), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@models
@given(problem=problems(), alpha=alphas, seed=st.integers(0, 99))
def test_the_order_of_the_rows_does_not_matter(Model, problem, alpha, seed):
    counts, labels = problem
    order = np.random.default_rng(seed).permutation(len(labels))
    assert_equal_tables(
        make(Model, alpha).fit(counts, labels), make(Model, alpha).fit(counts[order], labels[order])
    )


@models
@given(problem=problems(), alpha=alphas, seed=st.integers(0, 99))
def test_the_order_of_the_columns_does_not_matter(Model, problem, alpha, seed):
    counts, labels = problem
    order = np.random.default_rng(seed).permutation(counts.shape[1])
    one = make(Model, alpha).fit(counts, labels).predict_log_proba(counts)
    other = make(Model, alpha).fit(counts[:, order], labels).predict_log_proba(counts[:, order])
    np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


@given(problem=problems(), alpha=alphas)
def test_a_column_of_zeros_only_takes_its_share_of_the_smoothing(problem, alpha):
    counts, labels = problem
    wide = np.hstack([counts, np.zeros((len(counts), 1), dtype=int)])
    narrow = MultinomialNB(alpha=alpha).fit(counts, labels)
    wider = MultinomialNB(alpha=alpha).fit(wide, labels)
    totals = narrow.feature_count_.sum(axis=1, keepdims=True) + alpha * counts.shape[1]
    shift = np.log1p(alpha / np.where(totals > 0, totals, 1.0))
    np.testing.assert_allclose(
        wider.feature_log_prob_[:, :-1], narrow.feature_log_prob_ - shift, rtol=1e-12
    )


@pytest.mark.parametrize(("Model", "n_categories"), [(BernoulliNB, 2), (CategoricalNB, 6)])
@given(problem=problems(), alpha=alphas)
def test_a_column_of_zeros_only_adds_its_own_probability(Model, n_categories, problem, alpha):
    counts, labels = problem
    wide = np.hstack([counts, np.zeros((len(counts), 1), dtype=int)])
    narrow, wider = make(Model, alpha).fit(counts, labels), make(Model, alpha).fit(wide, labels)
    n = narrow.class_count_
    np.testing.assert_allclose(
        wider.joint_log_proba(wide),
        narrow.joint_log_proba(counts) + np.log((n + alpha) / (n + n_categories * alpha)),
        rtol=1e-11,
        atol=1e-11,
    )


@models
@given(problem=problems(), alpha=alphas, twice=st.lists(st.booleans(), min_size=12, max_size=12))
def test_weight_2_is_the_row_twice(Model, problem, alpha, twice):
    counts, labels = problem
    weights = np.where(twice[: len(labels)], 2, 1)
    assert_equal_tables(
        make(Model, alpha).fit(counts, labels, weights),
        make(Model, alpha).fit(np.repeat(counts, weights, axis=0), np.repeat(labels, weights)),
    )


@models
@given(problem=problems(), alpha=alphas, kept=st.lists(st.booleans(), min_size=12, max_size=12))
def test_weight_0_is_no_row(Model, problem, alpha, kept):
    counts, labels = problem
    mask = np.array(kept[: len(labels)])
    mask[0] = True
    assert_equal_tables(
        make(Model, alpha).fit(counts, labels, mask.astype(float)),
        make(Model, alpha).fit(counts[mask], labels[mask]),
    )


@models
@given(problem=problems(), alpha=alphas)
def test_probabilities_sum_to_one_and_nothing_is_nan(Model, problem, alpha):
    counts, labels = problem
    half = (len(labels) + 1) // 2
    model = make(Model, alpha).fit(counts[:half], labels[:half])
    proba = model.predict_proba(counts)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-12)
    assert not np.isnan(model.predict_joint_log_proba(counts)).any()
    assert set(model.predict(counts)) <= set(labels)


@pytest.mark.parametrize("Model", [MultinomialNB, BernoulliNB, ComplementNB])
@given(problem=problems(), alpha=alphas)
def test_sparse_is_dense(Model, problem, alpha):
    counts, labels = problem
    dense, sparse = make(Model, alpha).fit(counts, labels), make(Model, alpha)
    sparse.fit(sp.csr_array(counts), labels)
    assert_equal_tables(dense, sparse)
    np.testing.assert_array_equal(
        dense.predict_joint_log_proba(counts), sparse.predict_joint_log_proba(sp.csc_array(counts))
    )
