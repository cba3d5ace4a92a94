"""Learning curves: models against each other on the same growing share of the documents."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import TYPE_CHECKING, cast

import numpy as np
from scipy.sparse import csr_array, issparse

from wordodds._border.csr import as_csr, refuse_masked
from wordodds._border.execution import execution
from wordodds._border.labels import encode_labels
from wordodds.experiments.table import Results
from wordodds.typing import AnyArray, Booleans, Floats, Ints, Labels, MatrixLike

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

__all__ = ["learning_curve", "nested_order"]


def learning_curve(
    models: Mapping[str, BaseEstimator],
    X: MatrixLike | Sequence[str],
    y: Labels,
    sizes: Sequence[float] = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
    seeds: int | Sequence[int] = 5,
    *,
    test: tuple[MatrixLike | Sequence[str], Labels] | float = 0.1,
    experiment: str = "learning curve",
    advance: Callable[[int], object] | None = None,
) -> Results:
    """Fit models on more and more rows, and score them on rows that they never see.

    For each seed the rows are shuffled; the test rows stay the same for all sizes, and a larger
    training set holds every smaller one. All models see the same rows. Training sets have the
    classes in their proportions, as far as their size allows.

    Parameters
    ----------
    models : mapping of str to estimator
        Classifiers with ``fit`` and ``predict``, by the name they have in the table. They are
        cloned, never changed. The log loss needs ``predict_log_proba`` or ``predict_proba``;
        without them it is empty.
    X : {array-like, sparse matrix} of shape (n_rows, n_features), or sequence of str
        The rows, or raw texts for models that read text.
    y : array-like of shape (n_rows,)
        Their labels.
    sizes : sequence of int or float
        Training sizes: whole numbers of rows, from 2 on, or shares of the training rows, up to 1.0.
    seeds : int or sequence of int, default=5
        The seeds, or how many (from 0 on).
    test : float or (X, y), default=0.1
        The share of rows that each seed sets apart, or test rows for all.
    experiment : str, default="learning curve"
        The name in the first column.
    advance : callable, optional
        Called with 1 after every fit.

    Returns
    -------
    results : Results
        A row for each seed, size and model: accuracy, log loss in nats, seconds of the fit.

    Examples
    --------
    >>> import numpy as np
    >>> from wordodds import GaussianNB, LogisticRegression
    >>> from wordodds.experiments import learning_curve
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=200)
    >>> X = rng.normal(size=(200, 3)) + 2 * y[:, np.newaxis]
    >>> models = {"Gaussian NB": GaussianNB(), "logistic regression": LogisticRegression()}
    >>> results = learning_curve(models, X, y, sizes=[0.1, 1.0], seeds=3)
    >>> len(results), results.unique("size")
    (12, [18, 180])
    >>> bool(results.column("accuracy").min() > 0.8)
    True

    With raw texts:

    >>> from wordodds import TextClassifier
    >>> texts = ["free money now", "cheap money", "see you at lunch", "lunch with you"] * 10
    >>> models = {name: TextClassifier(name) for name in ("naive_bayes", "logistic")}
    >>> results = learning_curve(models, texts, ["spam", "spam", "ham", "ham"] * 10, [4, 1.0], 2)
    >>> results.unique("size")
    [4, 36]
    """
    from sklearn.base import clone

    _check_models(models)
    rows = checked_rows(X, "X")
    labels = checked_labels(y, rows.shape[0])
    test_rows = _checked_test(test, labels) if isinstance(test, Sequence) else _share(test)
    results = Results(experiment)
    for seed in checked_seeds(seeds):
        rng = np.random.default_rng(seed)
        order = nested_order(labels, rng)
        if isinstance(test_rows, tuple):
            (X_test, y_test), pool = test_rows, order
        else:
            held_out, pool = _split(order, test_rows)
            pool = pool[nested_order(labels[pool], rng)]  # without the gaps that those left
            X_test, y_test = rows[held_out], labels[held_out]
        for size in whole_sizes(sizes, len(pool)):
            chosen = np.sort(pool[:size])
            X_train, y_train = rows[chosen], labels[chosen]
            for name, model in models.items():
                fitted = clone(model)
                try:
                    scores = fit_and_score(fitted, X_train, y_train, X_test, y_test)
                except Exception as error:
                    n = len(np.unique(y_train))
                    error.add_note(
                        f"model {name!r}, seed {seed}, {size} training rows of {n} "
                        f"class{'es' * (n > 1)}"
                    )
                    raise
                results.add(
                    model=name,
                    solver=solver_of(fitted),
                    size=size,
                    dims=rows.shape[1] if rows.ndim == 2 else None,
                    seed=seed,
                    **scores,
                )
                if advance is not None:
                    advance(1)
    return results


def _check_models(models: Mapping[str, BaseEstimator]) -> None:
    if not isinstance(models, Mapping) or not models:
        raise ValueError(
            "models must be a dict of names and estimators, such as "
            f'{{"Gaussian NB": GaussianNB()}}; got {models!r}'
        )
    for name, model in models.items():
        if not isinstance(name, str):
            raise ValueError(f"the names of models must be text, got {name!r}")
        for method in ("fit", "predict"):
            if not hasattr(model, method):
                raise ValueError(f"model {name!r} has no method {method}, got {model!r}")


def checked_rows(X: MatrixLike | Sequence[str], name: str) -> AnyArray | csr_array:
    """Return rows that may be sliced; a malformed sparse matrix would take the process with it.

    Texts are an array of objects with one dimension.
    """
    if isinstance(X, str | bytes):
        raise ValueError(f"{name} must be a list of texts or a matrix, got one {type(X).__name__}")
    refuse_masked(X, name)
    texts = None if issparse(X) else _texts_of(X)
    if texts is not None:
        return texts
    if issparse(X):
        return as_csr(X, non_negative=False, execution=execution(None), name=name).to_scipy()
    rows = np.asarray(X)
    if rows.ndim != 2 or rows.shape[0] == 0:
        raise ValueError(
            f"{name} must have two dimensions and some rows, or be a list of texts; "
            f"got shape {rows.shape}"
        )
    return rows


def _texts_of(X: object) -> AnyArray | None:
    """Return a list or column of texts as an array of objects; None where it holds none.

    Of NumPy's strings each would be as long as the longest. What is no text among texts is left to
    the models: some take a missing one.
    """
    if hasattr(X, "to_pylist"):  # a column of Arrow's
        X = X.to_pylist()
    if not isinstance(X, Sequence) and getattr(X, "ndim", None) != 1:
        return None
    rows = list(cast("Iterable[object]", X))
    if not any(isinstance(row, str | bytes) for row in rows):
        return None
    texts: AnyArray = np.empty(len(rows), dtype=np.object_)
    texts[:] = rows
    return texts


def checked_labels(y: Labels, n_rows: int) -> AnyArray:
    """Return labels as an array, one for each row and of one kind."""
    refuse_masked(y, "y")
    classes, codes = encode_labels(y, n_rows)
    return classes[codes]


def _checked_test(
    test: tuple[MatrixLike | Sequence[str], Labels], labels: AnyArray
) -> tuple[AnyArray | csr_array, AnyArray]:
    if isinstance(test, str) or len(test) != 2:
        raise ValueError(f"test must be a share between 0 and 1, or (X, y); got {test!r:.100}")
    rows = checked_rows(test[0], "test[0]")
    own = checked_labels(test[1], rows.shape[0])
    if not set(own.tolist()) & set(labels.tolist()):  # np.isin would make text of numbers
        raise ValueError("no label of the test rows is among those of y; are they of one kind?")
    return rows, own


def _share(test: object) -> float:
    if not isinstance(test, Real) or isinstance(test, bool):
        raise ValueError(f"test must be a share between 0 and 1, or (X, y); got {test!r:.100}")
    return float(test)


def checked_seeds(seeds: int | Sequence[int]) -> list[int]:
    """Return the seeds that are meant: that many from 0 on, or those given."""
    if not isinstance(seeds, (Integral, Iterable)) or isinstance(seeds, bool | str):
        raise ValueError(f"seeds must be a positive number or whole numbers from 0 on: {seeds!r}")
    chosen = list(range(int(seeds))) if isinstance(seeds, Integral) else list(seeds)
    if not chosen or any(not isinstance(seed, Integral) or seed < 0 for seed in chosen):
        raise ValueError(f"seeds must be a positive number or whole numbers from 0 on: {seeds!r}")
    if len(set(chosen)) < len(chosen):
        raise ValueError(f"seeds must differ, or intervals would be too narrow: {seeds!r}")
    return [int(seed) for seed in chosen]


def nested_order(labels: AnyArray, rng: np.random.Generator) -> Ints:
    """Return the rows in a random order whose every beginning has the classes in proportion."""
    codes = np.unique(labels, return_inverse=True)[1]
    shuffled = rng.permutation(len(labels))
    by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
    sizes = np.bincount(codes)
    rank = np.concatenate([np.arange(n) for n in sizes])
    # The k-th of n rows of its class belongs at the share (k + 1/2) / n of the whole.
    place = (rank + 0.5) / np.repeat(sizes, sizes)
    # Classes of equal size would tie, always in the same order: these ties are drawn.
    tie = rng.permutation(len(labels))
    order: Ints = by_class[np.lexsort((tie, place))]
    return order


def _split(order: Ints, share: float) -> tuple[Ints, Ints]:
    if not 0.0 < share < 1.0:
        raise ValueError(f"test must lie between 0 and 1, or be (X, y); got {share!r}")
    n_test = round(share * len(order))
    if not 0 < n_test < len(order):
        raise ValueError(f"test={share!r} leaves no rows to train or to test, of {len(order)}")
    # Evenly spread over an order in proportion, so that the test rows have the classes' shares too.
    held = np.zeros(len(order), dtype=bool)
    held[((np.arange(n_test) + 0.5) * len(order) / n_test).astype(np.int64)] = True
    return order[held], order[~held]


def whole_sizes(sizes: Sequence[float], n_rows: int) -> list[int]:
    """Return training sizes as numbers of rows, ascending, each once."""
    if np.ndim(sizes) != 1 or len(sizes) == 0:
        raise ValueError(f"sizes must be a list of at least one number, got {sizes!r}")
    found = set()
    for size in sizes:
        is_share = isinstance(size, (float, np.floating))
        if is_share:
            number = round(size * n_rows) if 0.0 < size <= 1.0 else 0
        else:
            number = int(size) if isinstance(size, Integral) else 0
        if not 1 < number <= n_rows:
            raise ValueError(
                f"sizes must be whole numbers from 2 to {n_rows} or shares up to 1.0 of {n_rows} "
                f"rows; got {size!r}"
            )
        found.add(number)
    return sorted(found)


def sizes_between(smallest: int, largest: int, n: int) -> list[int]:
    """Return sizes that grow by about the same factor."""
    wanted = np.geomspace(smallest, largest, n).round().astype(int)
    return whole_sizes([int(size) for size in wanted], largest)


def fit_and_score(
    model: BaseEstimator,
    X_train: MatrixLike,
    y_train: AnyArray,
    X_test: MatrixLike,
    y_test: AnyArray,
) -> dict[str, float | None]:
    """Fit a model; return accuracy, log loss (None without probabilities) and seconds."""
    seconds = timed_fit(model, X_train, y_train)
    found = np.asarray(model.predict(X_test))
    if found.size != len(y_test):  # a column of them is fine
        raise ValueError(
            f"predict must return one label for each of {len(y_test)} rows, got shape {found.shape}"
        )
    return {
        "accuracy": float(np.mean(found.ravel() == y_test)),
        "log_loss": log_loss(model, X_test, y_test),
        "seconds": seconds,
    }


def timed_scores(
    model: BaseEstimator, X: MatrixLike, y: AnyArray, X_test: MatrixLike, y_test: AnyArray
) -> tuple[Booleans, dict[str, float]]:
    """Fit a model; return which test rows it has right, its accuracy, log loss and seconds."""
    seconds = timed_fit(model, X, y)
    log_proba = model.predict_log_proba(X_test)  # once, for label and loss
    right = model.classes_[log_proba.argmax(axis=1)] == y_test
    loss = loss_of(log_proba, model.classes_, y_test)
    return right, {"accuracy": float(right.mean()), "log_loss": loss, "seconds": seconds}


def timed_fit(model: BaseEstimator, X: MatrixLike, y: AnyArray) -> float:
    """Fit a model, and return the seconds that it took."""
    start = time.perf_counter()
    model.fit(X, y)
    return time.perf_counter() - start


def log_loss(model: BaseEstimator, X: MatrixLike, y: AnyArray) -> float | None:
    """Return the mean of -log p(label) in nats, nothing clipped; None without probabilities."""
    from wordodds.model.links import NoProbabilitiesError

    if not any(hasattr(model, method) for method in ("predict_log_proba", "predict_proba")):
        return None
    try:
        log_proba = log_proba_of(model, X)
    except NoProbabilitiesError:  # of a TextClassifier whose scores are margins
        return None
    return loss_of(log_proba, np.asarray(model.classes_), y)


def log_proba_of(model: BaseEstimator, X: MatrixLike) -> Floats:
    """Return the logarithms of a model's probabilities, minus infinity for 0."""
    with np.errstate(divide="ignore"):
        if hasattr(model, "predict_log_proba"):
            return np.asarray(model.predict_log_proba(X))
        return np.asarray(np.log(model.predict_proba(X)))


def loss_of(log_proba: AnyArray, classes: AnyArray, y: AnyArray) -> float:
    """Return the mean of -log p(label) in nats, infinite where a label is none of the classes."""
    order = np.argsort(classes)
    column = order[np.minimum(np.searchsorted(classes[order], y), len(classes) - 1)]
    known = classes[column] == y
    own = np.where(known, log_proba[np.arange(len(y)), column], -np.inf)
    return float(-own.mean())


def solver_of(model: BaseEstimator) -> str | None:
    """Return the solver of a model, of the last step of a pipeline or of the one chosen."""
    last = _last_step(model)
    solver = getattr(last, "solver_", getattr(last, "solver", None))
    return solver if isinstance(solver, str) else None


def setting_of(model: BaseEstimator) -> float | None:
    """Return the setting by which models of one kind differ in a grid."""
    last = _last_step(model)
    found = [getattr(last, name) for name in ("alpha", "C", "var_smoothing") if hasattr(last, name)]
    return float(found[0]) if found else None


def _last_step(model: BaseEstimator) -> BaseEstimator:
    from sklearn.pipeline import Pipeline

    best = getattr(model, "best_", model)  # of several that were compared
    return best[-1] if isinstance(best, Pipeline) else best
