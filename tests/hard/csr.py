"""Sparse matrices, valid and damaged, through every method of every estimator that takes one.

A damaged matrix must raise ValueError or TypeError everywhere and leave a fitted model as it was. A
valid one must give what the dense matrix gives, and that must be what NumPy and SciPy compute.
"""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from tests.hard.battery import Line, scaled
from tests.hard.matrices import Case, matrix_of
from tests.hard.workers import failing_cases

import wordodds

__all__ = ["run"]

N_MATRICES = 100_000

SPARSE = {
    "BernoulliNB": {},
    "BinaryRegression": {"max_iter": 30},
    "ComplementNB": {},
    "GaussianNB": {},
    "LogisticRegression": {"max_iter": 30},
    "MultinomialNB": {},
    "NBLogisticRegression": {"max_iter": 3},
    "SGDClassifier": {"max_iter": 3, "tol": None, "random_state": 0},
    "TfidfTransformer": {},
    "TruncatedSVD": {"n_components": 1, "random_state": 0},
}
DENSE = {
    "CategoricalNB": {},
    "FisherDiscriminant": {"shrinkage": 0.5},
    "GaussianDiscriminant": {"shrinkage": 0.5},
}
METHODS = [
    "predict", "predict_proba", "predict_log_proba", "decision_function", "joint_log_proba",
    "predict_joint_log_proba", "log_marginal", "transform", "inverse_transform",
]  # fmt: skip
LEARNING = ["fit", "partial_fit", "forget", "fit_transform", "score"]
ITERATIVE = ["BinaryRegression", "LogisticRegression", "NBLogisticRegression", "SGDClassifier"]
REFUSALS = (ValueError, TypeError)


def run(share: float) -> Iterator[Line]:
    """Yield the lines of this shard."""
    _check_that_none_is_missing()
    n = scaled(N_MATRICES, share)
    failures = failing_cases(case, n)
    calls = len(SPARSE) * (len(METHODS) + len(LEARNING)) // 2
    yield Line(
        "sparse matrices, 3 in 5 damaged, through every method of 14 estimators",
        n,
        failures,
        f"about {calls} calls each; valid answers against NumPy and SciPy",
    )


def case(number: int) -> None:
    """Try one matrix."""
    found = matrix_of(number)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # fits of rubbish end early, and say so
            if found.dense is None:
                _check_refused(found)
            else:
                _check_right(found)
    except BaseException as error:
        error.add_note(found.story)
        raise


def _check_that_none_is_missing() -> None:
    """Raise if an estimator was added to the package and not to the lists above."""
    others = {"LinearModel", "TextClassifier", "CountVectorizer", "HashingVectorizer"}
    values = {name: getattr(wordodds, name) for name in wordodds.__all__}
    public = {
        name
        for name, value in values.items()
        if isinstance(value, type) and (hasattr(value, "predict") or hasattr(value, "transform"))
    }
    missing = public - set(SPARSE) - set(DENSE) - others - {"TfidfVectorizer"}
    assert not missing, f"add {missing} to the battery"


def _labels(n_rows: int) -> np.ndarray:
    return np.arange(n_rows) % 2


def _fresh(name: str) -> Any:
    model = getattr(wordodds, name)(**{**SPARSE, **DENSE}[name])
    return model.set_params(n_jobs=1) if "n_jobs" in model.get_params() else model


_FITTED: dict[str, Any] = {}


def _fitted(name: str) -> Any:
    """Return a model of three columns, made once in each process."""
    if name not in _FITTED:
        X = np.array([[1.0, 0, 2], [0, 3, 1], [2, 2, 0], [0, 1, 1], [1, 1, 1], [3, 0, 0]])
        _FITTED[name] = _fresh(name).fit(X, _labels(6))
    return _FITTED[name]


def _check_refused(found: Case) -> None:
    X = found.X
    n_rows = X.indptr.size - 1 if X.format == "csr" and isinstance(X.indptr, np.ndarray) else 3
    probe = np.array([[1.0, 2, 0], [0, 1, 1]])
    for name in [*SPARSE, *DENSE]:
        model = _fitted(name)
        before = _answer(model, probe)
        for method in METHODS:
            if hasattr(model, method):
                _refuses(getattr(model, method), X, what=f"{name}.{method}")
        for method in LEARNING:
            if hasattr(model, method):
                more = {"classes": [0, 1]} if method == "partial_fit" else {}
                _refuses(
                    getattr(model, method), X, _labels(n_rows), what=f"{name}.{method}", **more
                )
        assert np.array_equal(_answer(model, probe), before), f"{name} changed"
    words = wordodds.CountVectorizer(vocabulary=["a", "b", "c"])
    _refuses(words.inverse_transform, X, what="CountVectorizer.inverse_transform")


def _answer(model: Any, X: Any) -> Any:
    answer = model.predict(X) if hasattr(model, "predict") else model.transform(X)
    return answer.toarray() if sp.issparse(answer) else answer


def _refuses(call: Any, *arguments: Any, what: str, **more: Any) -> None:
    try:
        call(*arguments, **more)
    except REFUSALS:
        return
    except BaseException as error:
        raise AssertionError(f"{what} raised {type(error).__name__}: {error}") from error
    raise AssertionError(f"{what} took it")


def _check_right(found: Case) -> None:
    X, dense = found.X, found.dense
    assert dense is not None
    y = _labels(len(dense))
    sizes = np.abs(dense[dense != 0])
    is_moderate = not len(sizes) or (sizes.min() > 1e-3 and sizes.max() < 1e3)
    for name in SPARSE:
        # Its bias moves more slowly on sparse rows, as in scikit-learn.
        plain = sp.csr_array(dense) if name == "SGDClassifier" else dense
        expected, model = _outcome(name, plain, y), _outcome(name, X, y)
        assert type(expected) is type(model), f"{name}: {expected!r} dense, {model!r} sparse"
        if isinstance(model, REFUSALS):
            continue
        for method in METHODS:
            if hasattr(model, method) and method != "inverse_transform":
                ours, right = getattr(model, method)(X), getattr(expected, method)(plain)
                # A few steps on numbers of all sizes end anywhere.
                if is_moderate or name not in ITERATIVE:
                    if name == "TruncatedSVD" and np.vdot(ours, right) < 0.0:
                        ours = -ours  # one component; where its entries tie, either is positive
                    _assert_close(ours, right, f"{name}.{method}")
        _check_independently(name, model, dense, y)
        if hasattr(model, "forget"):
            model.partial_fit(X, y)
            model.forget(X, y)
            assert np.array_equal(model.class_count_, expected.class_count_), f"{name}.forget"
    for name in DENSE:
        assert isinstance(_outcome(name, X, y), REFUSALS), f"{name} took a sparse matrix"
    _check_words(X, dense)


def _outcome(name: str, X: Any, y: np.ndarray) -> Any:
    """Return the fitted model, or the error."""
    try:
        return _fresh(name).fit(X, y)
    except (*REFUSALS, MemoryError) as error:
        return error


def _assert_close(ours: Any, right: Any, what: str) -> None:
    ours, right = (x.toarray() if sp.issparse(x) else np.asarray(x) for x in (ours, right))
    assert ours.shape == right.shape, f"{what}: {ours.shape} and {right.shape}"
    if ours.dtype.kind != "f":
        return  # labels: two that tie may come out either way
    assert np.isfinite(right).all() or np.array_equal(np.isfinite(ours), np.isfinite(right)), what
    scale = np.abs(right[np.isfinite(right)]).max(initial=0.0) or 1.0
    with np.errstate(all="ignore"):
        far = ~np.isclose(ours / scale, right / scale, rtol=1e-5, atol=1e-6, equal_nan=True)
    assert not far.any(), f"{what}: {ours[far][:3]} and {right[far][:3]}"


def _check_independently(name: str, model: Any, dense: np.ndarray, y: np.ndarray) -> None:
    """Compare what a model has learnt, or what it answers, with NumPy and SciPy."""
    by_class = [dense[y == c] for c in np.unique(y)]
    if name in ("MultinomialNB", "ComplementNB"):
        np.testing.assert_allclose(model.feature_count_, [rows.sum(0) for rows in by_class])
    elif name == "BernoulliNB":
        np.testing.assert_array_equal(
            model.feature_count_, [(rows > 0).sum(0) for rows in by_class]
        )
    elif name == "GaussianNB":
        means = np.array([rows.mean(0) for rows in by_class])
        reach = np.abs(dense).max(initial=0.0)  # sums that cancel keep their rounding
        np.testing.assert_allclose(model.theta_, means, rtol=1e-9, atol=1e-14 * reach)
    elif name == "TfidfTransformer":
        documents = (dense != 0).sum(0)
        np.testing.assert_allclose(model.idf_, np.log((1 + len(dense)) / (1 + documents)) + 1)
        weights = dense * model.idf_
        scale = np.abs(weights).max(axis=1, keepdims=True)
        weights = np.divide(weights, scale, out=np.zeros_like(weights), where=scale > 0)
        norms = np.sqrt((weights**2).sum(axis=1, keepdims=True))
        right = np.divide(weights, norms, out=np.zeros_like(weights), where=norms > 0)
        np.testing.assert_allclose(model.transform(dense).toarray(), right, rtol=1e-12, atol=1e-300)
    elif name == "TruncatedSVD":
        largest = np.abs(dense).max(initial=0.0) or 1.0
        right = np.linalg.svd(dense / largest, compute_uv=False)[0]
        np.testing.assert_allclose(model.singular_values_[0] / largest, right, rtol=1e-6, atol=1e-9)
    else:
        _check_scores(name, model, dense)


def _check_scores(name: str, model: Any, dense: np.ndarray) -> None:
    """Check that a linear model's scores are products with its weights."""
    if name == "BinaryRegression" or not np.abs(dense).max(initial=0.0) < 1e100:
        return  # products of such numbers may be beyond all others
    scores = sp.csr_array(dense) @ model.coef_.T.astype(np.float64) + model.intercept_
    scores = scores[:, 0] if scores.shape[1] == 1 else scores
    ours = model.decision_function(dense)
    tolerance = 1e-9 * (1.0 + np.abs(dense) @ np.abs(model.coef_).max(axis=0))
    tolerance = tolerance if scores.ndim == 1 else tolerance[:, np.newaxis]
    assert (np.abs(ours - scores) <= tolerance).all(), f"{name}.decision_function: X W + b"


def _check_words(X: Any, dense: np.ndarray) -> None:
    names = [f"w{j:02d}" for j in range(dense.shape[1])]
    vectorizer = wordodds.CountVectorizer(vocabulary=names)
    for words, row in zip(vectorizer.inverse_transform(X), dense, strict=True):
        assert list(words) == [names[j] for j in np.flatnonzero(row)], "inverse_transform"
