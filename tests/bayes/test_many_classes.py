"""Very many classes and features: tallies and weights are sparse, and the answers are the same."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

from wordodds import BernoulliNB, CategoricalNB, ComplementNB, MultinomialNB
from wordodds.bayes import tally
from wordodds.bayes.tally import SparseTally
from wordodds.bayes.weights import SparseWeights

from .problems import COUNTED, as_input, random_counts

OPTIONS = [
    (MultinomialNB, {}),
    (MultinomialNB, {"alpha": 1e-9}),
    (MultinomialNB, {"alpha": 0.0}),
    (MultinomialNB, {"alpha": np.linspace(0.0, 2.0, 50)}),
    (MultinomialNB, {"fit_prior": False, "class_weight": "balanced"}),
    (BernoulliNB, {}),
    (BernoulliNB, {"alpha": 0.01, "binarize": 2.0}),
    (BernoulliNB, {"alpha": 0.0}),
    (ComplementNB, {}),
    (ComplementNB, {"norm": True}),
    (ComplementNB, {"alpha": 0.0}),
    (ComplementNB, {"alpha": np.linspace(0.0, 2.0, 50)}),
]
options = pytest.mark.parametrize(("Model", "parameters"), OPTIONS)


@pytest.fixture
def always_sparse(monkeypatch):
    monkeypatch.setattr(tally, "DENSE_CELLS_MAX", 0)


def assert_same_answers(sparse, dense, rows):
    assert isinstance(sparse._learnt.tally, SparseTally)
    assert isinstance(sparse._learnt.weights, SparseWeights)
    joint = dense.predict_joint_log_proba(rows)
    np.testing.assert_allclose(sparse.predict_joint_log_proba(rows), joint, rtol=1e-11, atol=1e-11)
    proba = sparse.predict_proba(rows)
    np.testing.assert_allclose(proba, dense.predict_proba(rows), rtol=1e-9, atol=1e-11)
    np.testing.assert_array_equal(sparse.feature_count_, dense.feature_count_)


@options
def test_sparse_is_dense(Model, parameters, monkeypatch):
    counts, labels = random_counts()
    rows = sp.vstack([counts[:40], sp.csr_array((2, 50), dtype=np.int64)]).tocsr()
    dense = Model(**parameters).fit(counts, labels)
    monkeypatch.setattr(tally, "DENSE_CELLS_MAX", 0)
    assert_same_answers(Model(**parameters).fit(counts, labels), dense, rows)
    assert_same_answers(Model(**parameters).fit(counts.toarray(), labels), dense, rows)


@options
def test_batches_merges_and_forgetting(Model, parameters, always_sparse):
    parameters = {k: v for k, v in parameters.items() if k != "class_weight"}
    counts, labels = random_counts()
    whole = Model(**parameters).fit(counts, labels)
    one = Model(**parameters).partial_fit(counts[:50], labels[:50], classes=np.arange(7))
    one.partial_fit(counts[50:120], labels[50:120])
    other = Model(**parameters).partial_fit(counts[120:], labels[120:], classes=np.arange(7))
    rows = counts[:20]
    expected = whole.predict_joint_log_proba(rows)
    np.testing.assert_array_equal(one.merge(other).predict_joint_log_proba(rows), expected)
    one.partial_fit(counts[7:9], labels[7:9]).forget(counts[7:9], labels[7:9])
    np.testing.assert_array_equal(one.predict_joint_log_proba(rows), expected)
    before = pickle.dumps(one)
    with pytest.raises(ValueError, match="never learnt"):
        one.forget(sp.csr_array(np.full((99, 50), 5)), [3] * 99)
    assert pickle.dumps(one) == before


@pytest.mark.parametrize("Model", COUNTED)
def test_linear_view(Model, monkeypatch):
    counts, labels = random_counts()
    dense = Model().fit(counts, labels)
    monkeypatch.setattr(tally, "DENSE_CELLS_MAX", 0)
    sparse = Model().fit(counts, labels)
    np.testing.assert_allclose(sparse.weights_, dense.weights_, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(sparse.bias_, dense.bias_, rtol=1e-12, atol=1e-12)
    assert sparse.log_odds(3, 2) == pytest.approx(dense.log_odds(3, 2), rel=1e-11)
    ours, theirs = sparse.top_features(4, labels=[1, 5]), dense.top_features(4, labels=[1, 5])
    for label in (1, 5):
        np.testing.assert_allclose(
            [odds for _, odds in ours[label]], [odds for _, odds in theirs[label]], rtol=1e-11
        )


@pytest.mark.parametrize("Model", [MultinomialNB, BernoulliNB])
def test_samples(Model, monkeypatch):
    counts, labels = random_counts()
    dense = Model().fit(counts, labels).sample(50, random_state=3)
    monkeypatch.setattr(tally, "DENSE_CELLS_MAX", 0)
    sparse = Model().fit(counts, labels).sample(50, random_state=3)
    np.testing.assert_array_equal(sparse[0].toarray(), dense[0].toarray())
    np.testing.assert_array_equal(sparse[1], dense[1])


def test_the_same_bits_for_any_number_of_threads(always_sparse):
    counts, labels = random_counts(n_rows=3000, n_cols=400, n_classes=300)
    one = MultinomialNB(n_jobs=1).fit(counts, labels).predict_joint_log_proba(counts)
    for n_jobs in (2, 5):
        many = MultinomialNB(n_jobs=n_jobs).fit(counts, labels)
        np.testing.assert_array_equal(many.predict_joint_log_proba(counts), one)


def test_what_needs_the_whole_table_is_refused(always_sparse):
    counts, labels = random_counts()
    with pytest.raises(ValueError, match="alpha for each class and feature"):
        MultinomialNB(alpha=np.ones((7, 50))).fit(counts, labels)
    with pytest.raises(ValueError, match="BernoulliNB takes one alpha for all"):
        BernoulliNB(alpha=np.linspace(1, 2, 50)).fit(counts, labels)
    with pytest.raises(ValueError, match="too many for CategoricalNB"):
        CategoricalNB().fit(counts.toarray(), labels)
    for model in (
        MultinomialNB(alpha=np.ones((7, 50))),
        BernoulliNB(alpha=np.linspace(1, 2, 50)),
        CategoricalNB(),
    ):
        with pytest.raises(ValueError, match=r"alpha|too many"):
            model.partial_fit(as_input(type(model), counts), labels, classes=range(7))


@pytest.mark.parametrize("Model", COUNTED)
def test_merging_across_the_border(Model, monkeypatch):
    """A union may be sparse where its parts are dense: the form is that of one fit."""
    counts, labels = random_counts()
    monkeypatch.setattr(tally, "DENSE_CELLS_MAX", 4 * 50)  # up to four classes
    rows = counts[:20]
    few, many = labels < 3, labels >= 2  # three classes, and five
    expected = Model().fit(
        sp.vstack([counts[few], counts[many]]), np.concatenate([labels[few], labels[many]])
    )
    for first, second in ((few, many), (many, few)):
        merged = Model().fit(counts[first], labels[first])
        merged.merge(Model().fit(counts[second], labels[second]))
        np.testing.assert_array_equal(
            merged.predict_joint_log_proba(rows), expected.predict_joint_log_proba(rows)
        )
    low, high = labels < 4, labels >= 4  # four and three, both dense
    merged = Model().fit(counts[low], labels[low]).merge(Model().fit(counts[high], labels[high]))
    assert_same_answers(merged, Model().fit(counts, labels), rows)


@pytest.mark.parametrize("alpha", [1e-10, 1e-17, 1e-100])
@pytest.mark.parametrize("Model", COUNTED)
def test_small_pseudo_counts_do_not_drown(Model, alpha, monkeypatch):
    X, y = np.array([[1, 0], [1, 1], [0, 1], [1, 0]]), [0, 0, 1, 1]
    large, z = np.array([[1e6, 1], [0, 1e6]]), [0, 1]
    dense = [Model(alpha=alpha).fit(*data) for data in ((X, y), (large, z))]
    monkeypatch.setattr(tally, "DENSE_CELLS_MAX", 0)
    sparse = [Model(alpha=alpha).fit(*data) for data in ((X, y), (large, z))]
    for ours, theirs in zip(sparse, dense, strict=True):
        np.testing.assert_allclose(
            ours.predict_joint_log_proba([[1, 1]]),
            theirs.predict_joint_log_proba([[1, 1]]),
            rtol=1e-11,
        )


def test_entries_behind_the_last_row_are_not_looked_at(always_sparse):
    X = sp.csr_array(([1.0, 2.0, 1.0, 9.0], [0, 1, 0, 77], [0, 2, 3]), shape=(2, 2))
    clean = sp.csr_array(X.toarray())
    for Model in (MultinomialNB, BernoulliNB):
        model = Model(alpha=0.0).fit(clean, [0, 1])
        np.testing.assert_array_equal(model.predict_proba(X), model.predict_proba(clean))


PROGRAM = """
import resource
import numpy as np, scipy.sparse as sp
from wordodds import {model} as Model

n_rows, n_features, n_classes, per_row = 20_000, 1_000_000, 10_000, 40
rng = np.random.default_rng(0)
indices = rng.integers(0, n_features, n_rows * per_row)
X = sp.csr_array(
    (np.ones(len(indices)), indices, np.arange(0, len(indices) + 1, per_row)),
    shape=(n_rows, n_features),
)
y = np.arange(n_rows) % n_classes
model = Model(alpha=1e-9).fit(X, y)
model.partial_fit(X[:100], y[:100])
assert (model.predict(X[:200]) == y[:200]).mean() > 0.9
assert len(model.top_features(3, labels=[7])[7]) == 3
try:
    model.feature_log_prob_
except MemoryError as error:
    assert "80 GB" in str(error)
else:
    raise AssertionError("a table of 80 GB was made")
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.exhaustive
@pytest.mark.parametrize("Model", COUNTED)
def test_ten_thousand_classes_and_a_million_features(Model):
    """The table would take 80 GB; the model keeps to what the classes have."""
    program = PROGRAM.format(model=Model.__name__)
    run = subprocess.run(
        [sys.executable, "-c", program], check=True, stdout=subprocess.PIPE, text=True
    )
    assert int(run.stdout) < 1_000_000  # kilobytes, with Python, SciPy and scikit-learn
