"""partial_fit, merge and forget: tallies that add up, bit for bit where the counts are whole."""

import copy
import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from wordodds import BernoulliNB, CategoricalNB, ComplementNB, MultinomialNB

from .problems import (
    COUNTED,
    COUNTS,
    DISCRETE,
    LABELS,
    as_input,
    assert_same_model,
    problems,
    random_counts,
)

models = pytest.mark.parametrize("Model", DISCRETE)


@models
@given(problem=problems(), cuts=st.lists(st.integers(0, 12), max_size=3))
def test_partial_fit_in_pieces_is_fit(Model, problem, cuts):
    counts, labels = problem
    whole = Model().fit(counts, labels)
    pieces = Model(min_categories=6) if Model is CategoricalNB else Model()
    if Model is CategoricalNB:
        whole = Model(min_categories=6).fit(counts, labels)
    borders = sorted({0, len(labels), *(min(cut, len(labels)) for cut in cuts)})
    for begin, end in itertools.pairwise(borders):
        pieces.partial_fit(counts[begin:end], labels[begin:end], classes=np.unique(labels))
    assert_same_model(pieces, whole)


@models
@pytest.mark.parametrize("k", [2, 5])
def test_merging_k_partial_fits_is_one_fit(Model, k):
    counts, labels = random_counts()
    counts = as_input(Model, counts)
    merged = None
    for part in range(k):
        model = Model().partial_fit(counts[part::k], labels[part::k], classes=np.unique(labels))
        merged = model if merged is None else merged.merge(model)
    assert_same_model(merged, Model().fit(counts, labels))


@models
def test_merging_takes_the_classes_of_both(Model):
    counts, labels = random_counts()
    counts = as_input(Model, counts)
    order = np.argsort(labels, kind="stable")
    first, last = order[:100], order[60:]  # classes 0 to 2, and 1 to 6
    one = Model().fit(counts[first], labels[first])
    other = Model().fit(counts[last], labels[last])
    before = pickle.dumps(other)
    both = np.concatenate([first, last])
    assert one.merge(other) is one
    assert_same_model(one, Model().fit(counts[both], labels[both]))
    assert pickle.dumps(other) == before


@models
@given(problem=problems(), n=st.integers(1, 12))
def test_forget_leaves_no_trace(Model, problem, n):
    counts, labels = problem
    n = min(n, len(labels))
    least = {"min_categories": 6} if Model is CategoricalNB else {}
    kept = Model(**least).partial_fit(counts, labels, classes=list("abcd"))
    model = copy.deepcopy(kept).partial_fit(counts[:n], labels[:n])
    assert_same_model(model.forget(counts[:n], labels[:n]), kept)


@models
def test_forget_with_weights_and_fractions(Model):
    counts, labels = random_counts()
    counts = as_input(Model, counts) * (1 if Model is CategoricalNB else 0.1)
    weights = np.random.default_rng(1).random(len(labels))
    least = {"min_categories": 6} if Model is CategoricalNB else {}
    kept = Model(**least).fit(counts[:200], labels[:200], weights[:200])
    model = Model(**least).fit(counts, labels, weights)
    model.forget(counts[200:], labels[200:], weights[200:])
    np.testing.assert_allclose(
        model.predict_log_proba(counts), kept.predict_log_proba(counts), rtol=1e-9, atol=1e-9
    )
    if Model in COUNTED:  # what only the forgotten documents had is unseen again
        np.testing.assert_array_equal(model.feature_count_ == 0, kept.feature_count_ == 0)


@models
def test_forgetting_what_was_never_learnt_is_refused_and_changes_nothing(Model):
    model = Model().fit(COUNTS, LABELS)
    before = pickle.dumps(model)
    for labels in (np.repeat(LABELS, 2), np.repeat(LABELS[::-1], 2)):
        with pytest.raises(ValueError, match="never learnt"):
            model.forget(np.repeat(COUNTS, 2, axis=0), labels)
        assert pickle.dumps(model) == before
    with pytest.raises(ValueError, match="do not exist in the initial classes"):
        model.forget(COUNTS[:1], ["z"])
    with pytest.raises(ValueError, match="features"):
        model.forget(COUNTS[:, :2], LABELS)
    with pytest.raises(NotFittedError):
        Model().forget(COUNTS, LABELS)
    assert pickle.dumps(model) == before


@models
def test_a_class_whose_documents_are_all_forgotten_stays_and_is_never_predicted(Model):
    model = Model().fit(COUNTS, LABELS)
    model.forget(COUNTS[LABELS == "a"], LABELS[LABELS == "a"])
    assert model.classes_.tolist() == ["a", "b"]
    assert model.class_count_.tolist() == [0, 2]
    if Model is not ComplementNB:  # whose scores have no prior
        assert set(model.predict(COUNTS)) == {"b"}
    assert not np.isnan(model.predict_proba(COUNTS)).any()


def test_merge_refuses_what_does_not_fit():
    model = MultinomialNB().fit(COUNTS, LABELS)
    with pytest.raises(TypeError, match="other must be a MultinomialNB, got BernoulliNB"):
        model.merge(BernoulliNB().fit(COUNTS, LABELS))
    with pytest.raises(NotFittedError):
        model.merge(MultinomialNB())
    with pytest.raises(NotFittedError):
        MultinomialNB().merge(model)
    with pytest.raises(ValueError, match="other has 2 features, this model 3"):
        model.merge(MultinomialNB().fit(COUNTS[:, :2], LABELS))
    with pytest.raises(ValueError, match="labels are of different kinds"):
        model.merge(MultinomialNB().fit(COUNTS, [1, 2, 2, 1]))
    with pytest.raises(ValueError, match="binarize differs"):
        BernoulliNB().fit(COUNTS, LABELS).merge(BernoulliNB(binarize=2.0).fit(COUNTS, LABELS))


def test_merge_refuses_other_feature_names():
    import pandas as pd

    one = MultinomialNB().fit(pd.DataFrame(COUNTS, columns=["x", "y", "z"]), LABELS)
    other = MultinomialNB().fit(pd.DataFrame(COUNTS, columns=["x", "z", "y"]), LABELS)
    with pytest.raises(ValueError, match="other names"):
        one.merge(other)


@models
def test_partial_fit_refuses_what_does_not_fit_and_changes_nothing(Model):
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        Model().partial_fit(COUNTS, LABELS)
    model = Model().partial_fit(COUNTS, LABELS, classes=["a", "b"])
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match="is not the same as on last call to partial_fit"):
        model.partial_fit(COUNTS, LABELS, classes=["a", "c"])
    with pytest.raises(ValueError, match="do not exist in the initial classes"):
        model.partial_fit(COUNTS, ["a", "b", "c", "a"])
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(np.ones((4, 5), dtype=int), LABELS)
    with pytest.raises(ValueError, match="sample_weight"):
        model.partial_fit(COUNTS, LABELS, sample_weight=[1, 2, 3, -1])
    model.class_weight = "balanced"
    with pytest.raises(ValueError, match="needs all documents at once"):
        model.partial_fit(COUNTS, LABELS)
    model.class_weight = None
    model.alpha = -1.0
    with pytest.raises(ValueError, match="alpha must be"):
        model.partial_fit(COUNTS, LABELS)
    model.alpha = 1.0
    assert pickle.dumps(model) == before


@models
def test_parameters_count_as_they_were_when_the_batch_came(Model):
    model = Model(alpha=0.5).partial_fit(COUNTS, LABELS, classes=["a", "b"])
    model.set_params(alpha=2.0)
    expected = Model(alpha=0.5).fit(COUNTS, LABELS)
    np.testing.assert_array_equal(model.predict_proba(COUNTS), expected.predict_proba(COUNTS))


@models
def test_an_unused_batch_pickles(Model):
    model = Model().partial_fit(COUNTS, LABELS, classes=["a", "b"])
    copied = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copied.predict_proba(COUNTS), model.predict_proba(COUNTS))


def test_new_categories_make_room():
    model = CategoricalNB().partial_fit([[0, 0], [1, 0]], [0, 1], classes=[0, 1])
    model.partial_fit([[0, 3]], [1])
    assert_same_model(model, CategoricalNB().fit([[0, 0], [1, 0], [0, 3]], [0, 1, 1]))
    wide = CategoricalNB().fit([[4, 0], [1, 1]], [0, 1])
    assert_same_model(
        model.merge(wide),
        CategoricalNB().fit([[0, 0], [1, 0], [0, 3], [4, 0], [1, 1]], [0, 1, 1, 0, 1]),
    )


def test_sparse_batches_of_a_large_model_cost_what_they_hold():
    """A batch touches its own cells; the rest of a large tally is not read."""
    counts, labels = random_counts(n_cols=1000, n_classes=3)
    model = MultinomialNB().partial_fit(counts[:50], labels[:50], classes=[0, 1, 2])
    table = model.feature_count_
    model.partial_fit(counts[50:], labels[50:])
    assert np.shares_memory(model.feature_count_, table)
    assert not table.flags.writeable
    np.testing.assert_array_equal(table, MultinomialNB().fit(counts, labels).feature_count_)


@models
def test_a_copy_learns_by_itself(Model):
    model = Model().partial_fit(COUNTS, LABELS, classes=["a", "b"])
    expected = copy.deepcopy(model)
    copied = copy.copy(model)
    copied.partial_fit(COUNTS[:2], LABELS[:2])
    assert_same_model(model, expected)
    assert copied.class_count_.sum() == 6


@models
def test_a_model_whose_arrays_are_read_only_learns_on(Model):
    model = Model().fit(COUNTS, LABELS)
    model._learnt.tally.counts.flags.writeable = False
    model.partial_fit(COUNTS, LABELS)
    model._learnt.tally.counts.flags.writeable = False
    assert_same_model(model.forget(COUNTS, LABELS), Model().fit(COUNTS, LABELS))


def test_large_whole_counts_are_forgotten_exactly():
    model = MultinomialNB().fit([[1e13, 1], [5, 3], [2, 2]], [0, 0, 1])
    model.forget([[1e13, 1]], [0])
    assert model.feature_count_.tolist() == [[5, 3], [2, 2]]
    model = MultinomialNB().fit([[1e10, 1], [2, 2]], [0, 1])
    with pytest.raises(ValueError, match="never learnt"):
        model.forget([[1e10 + 3, 1]], [0])


@pytest.mark.parametrize("Model", [MultinomialNB, ComplementNB])
def test_sums_beyond_all_numbers_are_refused_batch_by_batch(Model):
    model = Model().partial_fit([[6e307, 1], [1, 2]], [0, 1], classes=[0, 1])
    with pytest.raises(ValueError, match="scale X or alpha down"):
        model.partial_fit([[6e307, 1], [1, 2]], [0, 1])
    with pytest.raises(ValueError, match="scale X or alpha down"):
        model.merge(model)
    assert not np.isnan(model.predict_proba([[1, 1]])).any()


def test_labels_of_merged_models_keep_every_digit():
    one = MultinomialNB().fit(COUNTS, np.array([2**60, 2**60 + 1, 2**60, 2**60 + 1]))
    other = MultinomialNB().fit(COUNTS, np.array([1, 2, 1, 2]))
    merged = one.merge(other)
    assert merged.classes_.tolist() == [1, 2, 2**60, 2**60 + 1]
    with pytest.raises(ValueError, match="labels are of different kinds"):
        merged.merge(MultinomialNB().fit(COUNTS, np.array([2.0**60, 1, 1, 1])))
    words = MultinomialNB().fit(COUNTS, LABELS)
    with pytest.raises(ValueError, match="labels are of different kinds"):
        words.merge(MultinomialNB().fit(COUNTS, np.array([b"a", b"b", b"b", b"a"])))


def test_a_balanced_model_is_not_forgotten_by_batches():
    model = MultinomialNB(class_weight="balanced").fit(COUNTS, LABELS)
    with pytest.raises(ValueError, match="to learn or forget by batches"):
        model.forget(COUNTS[:1], LABELS[:1])
