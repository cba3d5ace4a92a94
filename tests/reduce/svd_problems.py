"""Matrices of known singular values, and what any decomposition must fulfil."""

import numpy as np
import scipy.sparse as sp


def matrix_of(values, n_rows, n_cols, seed=0):
    """Return a dense matrix with the given singular values and random singular vectors."""
    rng = np.random.default_rng(seed)
    left = np.linalg.qr(rng.standard_normal((n_rows, len(values))))[0]
    right = np.linalg.qr(rng.standard_normal((n_cols, len(values))))[0]
    return (left * values) @ right.T


def sparse_counts(n_rows, n_cols, seed=0, density=0.05):
    """Return counts that a few topics and chance have made."""
    rng = np.random.default_rng(seed)
    noise = sp.random_array((n_rows, n_cols), density=density, rng=rng).tocsr()
    topics = np.kron(np.eye(5), np.ones((n_rows // 5 + 1, n_cols // 5 + 1)))[:n_rows, :n_cols]
    mixed = noise * (1.0 + 3.0 * topics)
    return sp.csr_array(mixed)


def assert_decomposes(svd, coordinates, X, *, rtol=1e-9, atol=1e-6, lost=0.0):
    """Compare a fit with LAPACK's decomposition: values, spaces, and the way they belong together.

    Spaces are compared by projectors, wherever a gap follows in the singular values.
    """
    dense = X.toarray() if sp.issparse(X) else np.asarray(X)
    dense = dense.astype(np.float64)
    size = np.abs(dense).max() or 1.0
    _, values, right = np.linalg.svd(dense / size, full_matrices=False)
    k = len(svd.singular_values_)
    np.testing.assert_allclose(
        svd.singular_values_ / size, values[:k], rtol=rtol, atol=max(1e-14, lost) * values[0]
    )
    found = svd.components_
    np.testing.assert_allclose(found @ found.T, np.eye(k), atol=1e-12)
    scale = max(values[0], np.finfo(float).tiny)
    after = np.append(values, 0.0)[1 : k + 1]
    for i in np.flatnonzero(values[:k] - after > 1e-3 * scale):
        projector = right[: i + 1].T @ right[: i + 1]
        np.testing.assert_allclose(found[: i + 1].T @ found[: i + 1], projector, atol=atol)
    np.testing.assert_allclose(coordinates / size, (dense / size) @ found.T, atol=1e-6 * scale)
