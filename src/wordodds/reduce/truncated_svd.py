"""TruncatedSVD: the best few columns that a linear map can make of many."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.sparsefuncs import mean_variance_axis
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from wordodds._border.checks import is_real_number, is_whole_number
from wordodds._border.csr import CsrArrays, as_csr, require_rows, sparse_of_frame, without_repeats
from wordodds._border.execution import Execution, execution
from wordodds._border.fork import ForkSafeLock
from wordodds._estimator.random_state import random_source
from wordodds._estimator.state import adopt, check_width, checked_array, checked_data
from wordodds.linear.matrix import SparseMatrix
from wordodds.reduce.krylov import ROUNDING, Triplets, leading_triplets
from wordodds.reduce.products import padded, sides_of, well_scaled
from wordodds.typing import AnyArray, Floats, MatrixLike, RandomState

__all__ = ["TruncatedSVD"]

_BLAS_ASIDE = ForkSafeLock()


class TruncatedSVD(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    r"""The leading singular vectors of a matrix, sparse or dense: latent semantic analysis.

    Of all matrices of rank k, :math:`U_k S_k V_k^T` is nearest to X; the coordinates of the rows
    are :math:`X V_k = U_k S_k`. As in scikit-learn nothing is centred. Triplets are found by block
    Lanczos steps on the shorter side of X, all of whose vectors are kept orthogonal, and the last
    step is a decomposition of X itself in the space found. Values far below the largest, by a
    factor of a million or more, are right to ``tol`` times the largest only.

    Parameters
    ----------
    n_components : int, default=2
        k, from 1 to the smaller side of X.
    tol : float, default=1e-7
        The fit ends when every residual :math:`\|X v_i - s_i u_i\|` is at most ``tol`` times the
        largest singular value; :math:`\|X^T u_i - s_i v_i\|` is then as small. Each singular value
        is within its residual of a true one, and in practice within about its square; vectors are
        wrong by about the residual over the distance to the next singular value. Below 1e-11 there
        is only rounding, and 1e-11 is used.
    max_iter : int, default=1000
        Blocks of eight vectors to multiply at most; a fit that ends there warns.
    random_state : int, Generator, RandomState or None, default=None
        Seed of the first block, which affects only the last digits. None: a fixed seed.
    n_jobs : int or None, default=None
        Threads of the sparse products, as in `CountVectorizer`; the result does not depend on it.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        :math:`V_k^T`, float32 for a matrix X of float32, as all results (they are computed in
        double). The largest entry of each row, by absolute value, is positive.
    singular_values_ : ndarray of shape (n_components,)
        Largest first.
    explained_variance_ : ndarray of shape (n_components,)
        Variance of each coordinate over the rows.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        Its share in the variance of all columns of X; 0 if that is 0.
    n_iter_ : int
        Blocks multiplied; 1 where the matrix was small enough to decompose it whole.
    residual_ : float
        The largest residual, computed, relative to the largest singular value.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Notes
    -----
    Memory: :math:`5 k + 128` vectors of the shorter side, and two of the longer for each component.

    Examples
    --------
    >>> from wordodds import CountVectorizer, TruncatedSVD
    >>> counts = CountVectorizer().fit_transform(["red red wine", "red wine", "cold beer"])
    >>> svd = TruncatedSVD(n_components=2)
    >>> abs(svd.fit_transform(counts)).round(3)
    array([[2.227, 0.   ],
           [1.376, 0.   ],
           [0.   , 1.414]])
    >>> svd.singular_values_.round(3)
    array([2.618, 1.414])
    """

    components_: AnyArray
    singular_values_: AnyArray
    explained_variance_: AnyArray
    explained_variance_ratio_: AnyArray
    n_iter_: int
    residual_: float
    n_features_in_: int

    def __init__(
        self,
        n_components: int = 2,
        *,
        tol: float = 1e-7,
        max_iter: int = 1000,
        random_state: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: MatrixLike, y: object = None) -> Self:
        """Find the singular vectors.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_rows, n_features)
            Finite numbers.
        y : ignored
            So that the transformer fits into pipelines.

        Returns
        -------
        TruncatedSVD
            Itself.
        """
        self._fit(X)
        return self

    def fit_transform(self, X: MatrixLike, y: object = None) -> AnyArray:
        """Find the singular vectors, and return the rows' coordinates.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_rows, n_features)
            As in `fit`.
        y : ignored
            So that the transformer fits into pipelines.

        Returns
        -------
        ndarray of shape (n_rows, n_components)
        """
        return self._fit(X)

    def _fit(self, X: MatrixLike) -> AnyArray:
        n_components, tol, max_iter = self._checked_parameters()
        rng = random_source(self.random_state)
        how = execution(self.n_jobs)
        rows = _checked_rows(self, X, how)
        dtype = _result_type(rows)
        _check_few(n_components, *_shape(rows))
        rows, exponent = well_scaled(rows)
        sides = sides_of(rows, how)
        # Products of a sparse matrix are ours and take turns with small ones of BLAS, whose threads
        # would spin for a while after each and be a core less for us.
        with _blas_aside() if isinstance(rows, CsrArrays) else nullcontext():
            found = leading_triplets(sides, n_components, tol, max_iter, rng)
        self._warn_of(found, tol)
        components, coordinates = _signed(found, sides.rows_are_short)
        variances = coordinates.var(axis=0)
        total = _total_variance(rows)
        with np.errstate(over="ignore", under="ignore"):
            adopt(
                self,
                X,
                components_=components.astype(dtype, copy=False),
                singular_values_=np.ldexp(found.values, exponent).astype(dtype, copy=False),
                explained_variance_=np.ldexp(variances, 2 * exponent).astype(dtype, copy=False),
                explained_variance_ratio_=(
                    variances / total if total > 0.0 else np.zeros(n_components)
                ).astype(dtype, copy=False),
                n_iter_=found.n_iter,
                residual_=float(found.residuals.max()),
            )
            return np.ldexp(coordinates, exponent).astype(dtype, copy=False)

    def transform(self, X: MatrixLike) -> AnyArray:
        """Return the rows' coordinates, X V.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_rows, n_features)
            As in `fit`.

        Returns
        -------
        ndarray of shape (n_rows, n_components)
        """
        check_is_fitted(self)
        how = execution(self.n_jobs)
        rows = _checked_rows(self, X, how, fitted=True)
        n_components, n_features = self.components_.shape
        check_width(self, X, _shape(rows)[1], n_features)
        vectors = self.components_.T.astype(np.float64)
        if isinstance(rows, CsrArrays):
            product = SparseMatrix(rows, how).times(padded(vectors))[:, :n_components]
        else:
            product = rows.astype(np.float64, copy=False) @ vectors
        dtype = np.result_type(_result_type(rows), self.components_.dtype)
        return np.ascontiguousarray(product, dtype=dtype)

    def inverse_transform(self, X: MatrixLike) -> AnyArray:
        """Return the rows that have these coordinates, X V^T: dense.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_components)
            Coordinates.

        Returns
        -------
        ndarray of shape (n_rows, n_features)
        """
        check_is_fitted(self)
        X = checked_array(X, dtype=[np.float64, np.float32])
        if X.shape[1] != len(self.components_):
            raise ValueError(f"X has {X.shape[1]} columns, expected {len(self.components_)}")
        return np.asarray(X @ self.components_)

    def _checked_parameters(self) -> tuple[int, float, int]:
        for name in ("n_components", "max_iter"):
            value = getattr(self, name)
            if not is_whole_number(value):
                raise TypeError(f"{name} must be an int, got {value!r}")
            if value < 1:
                raise ValueError(f"{name} must be >= 1, got {value}")
        if not is_real_number(self.tol):
            raise TypeError(f"tol must be a number, got {self.tol!r}")
        if not 0.0 <= self.tol < np.inf:
            raise ValueError(f"tol must be >= 0 and finite, got {self.tol}")
        return int(self.n_components), max(float(self.tol), ROUNDING), int(self.max_iter)

    def _warn_of(self, found: Triplets, tol: float) -> None:
        reached = int(np.count_nonzero(found.residuals <= tol))
        if reached < len(found.values):
            warnings.warn(
                f"TruncatedSVD ended after {found.n_iter} steps with a residual of "
                f"{found.residuals.max():.1e} of the largest singular value, above tol={tol:g}; "
                f"{reached} of {len(found.values)} components are as good as asked: raise max_iter "
                "or tol",
                ConvergenceWarning,
                stacklevel=4,
            )

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


@contextmanager
def _blas_aside() -> Iterator[None]:
    """Let BLAS work on one thread, unless another fit has seen to that already.

    It has one setting for the whole process: of two that overlap, the second would put back what
    the first has set.
    """
    if not _BLAS_ASIDE.acquire(blocking=False):
        yield
        return
    try:
        with threadpool_limits(1, user_api="blas"):
            yield
    finally:
        _BLAS_ASIDE.release()


def _checked_rows(
    model: TruncatedSVD, X: MatrixLike, how: Execution, *, fitted: bool = False
) -> CsrArrays | AnyArray:
    """Return X as CSR if it is sparse, else as a dense array of float32 or float64."""
    X = sparse_of_frame(X)
    if sp.issparse(X):
        rows = as_csr(X, non_negative=False, execution=how, owner="TruncatedSVD")
        require_rows(rows)
        return rows if fitted else without_repeats(rows, how)
    return checked_data(model, X, fitted=fitted, dtype=[np.float64, np.float32])


def _shape(rows: CsrArrays | AnyArray) -> tuple[int, int]:
    if isinstance(rows, CsrArrays):
        return rows.n_rows, rows.n_cols
    return rows.shape[0], rows.shape[1]


def _result_type(rows: CsrArrays | AnyArray) -> npt.DTypeLike:
    entries = rows.data if isinstance(rows, CsrArrays) else rows
    return np.float32 if entries.dtype == np.float32 else np.float64


def _check_few(n_components: int, n_rows: int, n_cols: int) -> None:
    if n_components > min(n_rows, n_cols):
        raise ValueError(
            f"n_components must be <= min(n_rows, n_cols) = {min(n_rows, n_cols)}, got "
            f"{n_components}; X has n_samples={n_rows} and n_features={n_cols}"
        )


def _signed(found: Triplets, rows_are_short: bool) -> tuple[Floats, Floats]:
    """Return V^T and X V with the largest entry of each row of V^T positive."""
    if rows_are_short:
        components, coordinates = found.long, np.ascontiguousarray(found.image)
    else:
        components = np.ascontiguousarray(found.short.T)
        coordinates = np.ascontiguousarray(found.long.T * found.values)
    for i, row in enumerate(components):
        if -row.min() > row.max():
            row *= -1.0
            coordinates[:, i] *= -1.0
    return components, coordinates


def _total_variance(rows: CsrArrays | AnyArray) -> float:
    if not isinstance(rows, CsrArrays):
        return float(rows.var(axis=0, dtype=np.float64).sum())
    data = rows.data.astype(np.float64, copy=False)
    matrix = sp.csr_matrix(rows.to_scipy(data))
    return float(mean_variance_axis(matrix, axis=0)[1].sum())
