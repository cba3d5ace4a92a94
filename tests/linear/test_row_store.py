"""Rows on disk come back, each once an epoch, and fits over blocks end where fits in memory do."""

import os

import numpy as np
import pytest
import scipy.sparse as sp

from wordodds import BernoulliNB, NBLogisticRegression, SGDClassifier
from wordodds.linear import row_store
from wordodds.linear.row_store import RowStore
from wordodds.linear.streamed import fit_ratio_blocks, fit_sgd_blocks


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr(row_store, "ENTRIES_PER_PIECE", 40)


def problem(n_classes, n_rows=300, n_cols=25, seed=0):
    """Return rows of which some are empty, and labels that depend on them, sorted by label."""
    rng = np.random.default_rng(seed)
    X = sp.random_array((n_rows, n_cols), density=0.2, rng=rng, format="csr")
    X.data = X.data.astype(np.float32).astype(np.float64)
    codes = np.argmax(X @ rng.normal(size=(n_cols, n_classes)) + 0.1, axis=1).astype(np.int32)
    order = np.argsort(codes, kind="stable")
    return X[order], codes[order]


def stored(X, codes, folder, seed=0, step=70):
    store = RowStore(os.fspath(folder), X.shape[1], seed)
    for first in range(0, X.shape[0], step):
        store.add(X[first : first + step], codes[first : first + step])
    return store


def test_every_row_comes_once_an_epoch_in_another_order(tmp_path):
    X, codes = problem(3)
    numbered = sp.hstack([X, sp.csr_array(np.arange(1.0, 301.0)[:, None])], format="csr")
    with stored(numbered, codes, tmp_path) as store:
        assert os.listdir(tmp_path) == []
        orders, known = [], {}
        for _ in range(2):
            blocks = list(store.blocks(5000))
            assert len(blocks) > 5
            seen = []
            for block in blocks:
                matrix = block.matrix
                rows = sp.csr_array(
                    (matrix.data, matrix.indices, matrix.indptr), shape=matrix[3:]
                ).toarray()
                numbers = rows[:, -1].astype(int) - 1
                np.testing.assert_array_equal(rows[:, :-1], X[numbers].toarray())
                np.testing.assert_array_equal(block.codes, codes[numbers])
                in_store = [row for part in block.row_ranges for row in part]
                for row, number in zip(in_store, numbers.tolist(), strict=True):
                    assert known.setdefault(row, number) == number
                seen += numbers.tolist()
            assert sorted(seen) == list(range(300))
            assert len(set(codes[seen[:120]])) == 3  # though they came sorted
            orders.append(seen)
        assert orders[0] != orders[1]


def test_codes_are_read_back_by_rank(tmp_path):
    X, codes = problem(3)
    with stored(X, codes, tmp_path) as store:
        store.ranks = np.array([2, 0, 1], dtype=np.int32)
        found = np.concatenate([block.codes for block in store.blocks(1 << 20)])
    np.testing.assert_array_equal(np.bincount(found), np.bincount(codes)[[1, 2, 0]])


@pytest.mark.parametrize("n_classes", [2, 3, 9])
@pytest.mark.parametrize("class_weight", [None, "balanced", {"a": 2.0, "b": 0.5}])
def test_ratio_blocks_reach_the_optimum_of_a_fit_in_memory(n_classes, class_weight, tmp_path):
    X, codes = problem(n_classes)
    classes = np.array(list("abcdefghi"[:n_classes]))
    options = {"C": 2.0, "class_weight": class_weight, "tol": 1e-9}
    expected = NBLogisticRegression(**options).fit(X, classes[codes])
    counted = BernoulliNB().fit(X, codes)
    model = NBLogisticRegression(**options)
    visited = []
    with stored(X, codes, tmp_path) as store:
        fit_ratio_blocks(
            model,
            store,
            classes=classes,
            class_counts=counted.feature_count_,
            documents=counted.class_count_,
            n_bytes=12000,
            folder=os.fspath(tmp_path),
            advance=visited.append,
        )
    assert sum(visited) == model.n_iter_ * 300
    assert model.gap_ <= 1e-9
    np.testing.assert_allclose(model.coef_, expected.coef_, atol=2e-4)
    np.testing.assert_allclose(model.intercept_, expected.intercept_, atol=2e-4)
    np.testing.assert_array_equal(model.predict(X), expected.predict(X))
    assert os.listdir(tmp_path) == []


def test_entries_that_single_precision_cannot_follow_are_refused(tmp_path):
    X, codes = problem(2)
    with stored(1e9 * X, codes, tmp_path) as store, pytest.raises(ValueError, match="scale X down"):
        fit_ratio_blocks(
            NBLogisticRegression(),
            store,
            classes=np.array([0, 1]),
            class_counts=np.ones((2, 25)),
            documents=np.ones(2),
            n_bytes=1,
            folder="",
            advance=id,
        )


@pytest.mark.parametrize("n_classes", [2, 3])
def test_sgd_blocks_learn_what_sgd_in_memory_learns(n_classes, tmp_path):
    X, codes = problem(n_classes, n_rows=600)
    classes = np.array(list("abc"[:n_classes]))
    model = SGDClassifier("softmax", alpha=1e-3, random_state=0, class_weight="balanced")
    with stored(X, codes, tmp_path) as store:
        fit_sgd_blocks(
            model,
            store,
            classes=classes,
            documents=np.bincount(codes) * 1.0,
            epochs=30,
            n_bytes=40000,
            advance=id,
        )
    assert model.class_weight == "balanced"
    assert model.n_iter_ == 30
    expected = SGDClassifier(
        "softmax", alpha=1e-3, random_state=0, class_weight="balanced", max_iter=30, tol=None
    ).fit(X, classes[codes])
    agreement = np.mean(model.predict(X) == expected.predict(X))
    assert agreement > 0.95
    assert model.predict(X).dtype == classes.dtype
