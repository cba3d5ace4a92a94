"""Fits over rows on disk, block by block, several times over."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from wordodds._border.execution import execution
from wordodds._border.row_weights import class_weights
from wordodds._core import linear as core
from wordodds._estimator.random_state import random_source
from wordodds._files.scratch import Scratch
from wordodds.linear.nb_logistic import NBLogisticRegression
from wordodds.linear.problem import columns_of_weights
from wordodds.linear.ratio import gap_scale, gaps_of_rows, ratios_of_counts
from wordodds.linear.ratio_fit import adopt_ratio_fit, check_scale, ratio_settings, warn_of_gap
from wordodds.linear.row_store import Block, RowStore
from wordodds.linear.sgd.classifier import SGDClassifier
from wordodds.typing import AnyArray, ClassWeight, Floats, Floats32

__all__ = ["fit_ratio_blocks", "fit_sgd_blocks"]
Advance: TypeAlias = Callable[[int], Any]


def fit_ratio_blocks(
    model: NBLogisticRegression,
    store: RowStore,
    *,
    classes: AnyArray,
    class_counts: Floats,
    documents: Floats,
    n_bytes: int,
    folder: str,
    advance: Advance,
) -> None:
    """Fit `NBLogisticRegression` to rows on disk, by dual ascent over one block after the other.

    What dual ascent knows of each row lies on disk too. The optimum is that of a fit in memory.
    ``class_counts`` says in how many rows of each class a feature occurs, ``documents`` how many
    rows each class has; ``advance`` is called with the number of rows visited.
    """
    settings = ratio_settings(model)
    n_columns = columns_of_weights(len(classes))
    factors = _factors(model.class_weight, classes, documents)
    how = execution(model.n_jobs)
    check_scale(settings.C, float(factors.max()), store.largest)
    alpha, floor, intercept_step = settings.prior
    state = core.RatioState(
        ratios_of_counts(factors[:, np.newaxis] * class_counts, n_columns, alpha, how),
        *how,
        floor=floor,
        intercept_step=intercept_step,
        lean=settings.lean,
        spread=1.0,
    )
    costs = settings.C * factors
    scale = gap_scale(settings.C, documents * factors, n_columns)
    rng = random_source(model.random_state)
    n_epochs, gap = 0, np.inf
    with Scratch(folder) as known:
        while gap > settings.tolerance and n_epochs < settings.max_iter:
            gaps = np.zeros(n_columns)
            for block in store.blocks(n_bytes):
                log_odds = np.empty((len(block.codes), n_columns), dtype=np.float32)
                if n_epochs:
                    _each_range(known.read_into, block, log_odds)
                gaps += state.ascend(
                    block.matrix,
                    block.codes,
                    costs[block.codes],
                    *how,
                    is_first=n_epochs == 0,
                    seed=int(rng.randint(2**31 - 1)),
                    log_odds_in_out=log_odds,
                )
                _each_range(known.write, block, log_odds)
                advance(len(block.codes))
            n_epochs += 1
            gap = float((gaps / scale).max())
            # The weights changed while the rows were visited: that was an estimate.
            if gap <= settings.tolerance or n_epochs == settings.max_iter:
                gaps = _measured(store, known, state, costs, n_bytes, n_columns)
                gap = float((gaps / scale).max())
    shape = sp.csr_array((1, store.n_cols))
    adopt_ratio_fit(model, shape, classes, *state.weights(), n_epochs, gap)
    warn_of_gap(model)


def _measured(
    store: RowStore,
    known: Scratch,
    state: core.RatioState,
    costs: Floats,
    n_bytes: int,
    n_columns: int,
) -> Floats:
    """Return the gap of each column at the weights as they are."""
    weights, intercept = state.weights()
    gaps = np.zeros(n_columns)
    for block in store.blocks(n_bytes):
        log_odds = np.empty((len(block.codes), n_columns), dtype=np.float32)
        _each_range(known.read_into, block, log_odds)
        gaps += gaps_of_rows(
            block.matrix, costs[block.codes], log_odds, weights[:, :n_columns], intercept
        )
    return gaps


def fit_sgd_blocks(
    model: SGDClassifier,
    store: RowStore,
    *,
    classes: AnyArray,
    documents: Floats,
    epochs: int,
    n_bytes: int,
    advance: Advance,
) -> None:
    """Fit `SGDClassifier` to rows on disk: a step for each row, in another order in each epoch."""
    weights = model.class_weight
    if weights is not None:
        model.class_weight = dict(enumerate(_factors(weights, classes, documents).tolist()))
    codes = np.arange(len(classes))
    try:
        for _ in range(epochs):
            for block in store.blocks(n_bytes):
                indptr, indices, data, *shape = block.matrix
                rows = sp.csr_array((data, indices, indptr), shape=shape)
                model.partial_fit(rows, block.codes, classes=codes)
                advance(len(block.codes))
    finally:
        model.class_weight = weights
    model.classes_ = classes
    model.n_iter_ = epochs


def _factors(class_weight: ClassWeight, classes: AnyArray, documents: Floats) -> Floats:
    """Return what a row of each class weighs."""
    if class_weight is None:
        return np.ones(len(classes))
    codes = np.arange(len(classes), dtype=np.int32)
    factors = class_weights(class_weight, classes, codes, documents)
    if not factors.all():
        raise ValueError(
            f"class_weight leaves out {classes[factors == 0.0].tolist()}: leave out their documents"
        )
    return factors


def _each_range(use: Callable[..., Any], block: Block, log_odds: Floats32) -> None:
    """Read or write what is known of a block's rows, by the numbers that they have in the store."""
    row = 0
    for numbers in block.row_ranges:
        part = log_odds[row : row + len(numbers)]
        use(numbers.start * log_odds.shape[1] * log_odds.itemsize, part)
        row += len(numbers)
