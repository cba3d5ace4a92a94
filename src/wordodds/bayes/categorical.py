"""CategoricalNB: naive Bayes on columns of categories."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from wordodds._border.csr import CsrArrays, refuse_masked
from wordodds._border.execution import Execution
from wordodds._core.base import class_stride
from wordodds._estimator.state import checked_array
from wordodds.bayes.discrete import DiscreteNB
from wordodds.bayes.generative import GenerativeClassifier
from wordodds.bayes.priors import Estimate
from wordodds.bayes.sampling import draw_categories, draw_classes, generator
from wordodds.bayes.tally import DENSE_CELLS_MAX, ClassTally, DenseTally, SparseTally
from wordodds.bayes.weights import DenseWeights, Layout, Learnt, Weights
from wordodds.typing import AnyArray, ClassWeight, Floats, Ints, MatrixLike, RandomState

__all__ = ["CategoricalNB"]


class CategoricalNB(DiscreteNB, GenerativeClassifier):
    r"""Naive Bayes for columns that each hold one of several categories.

    .. math:: \log p(c) + \sum_j \log p_{cj}(x_j), \qquad
        p_{cj}(t) = \frac{N_{cjt} + a_j}{N_c + n_j a_j}

    where :math:`N_{cjt}` of the :math:`N_c` rows of class c have category t, one of :math:`n_j`, in
    column j. Each column's distribution has a Dirichlet prior with parameters :math:`\alpha`; the
    pseudo-count a follows from it and the estimate as in `MultinomialNB`.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,) or (n_classes, n_features), default=1.0
        Parameters of the Dirichlet prior, >= 0. Where the pseudo-count is 0, a category never seen
        in a class gives that class probability 0; where that happens to every class, the prior
        decides.
    force_alpha, fit_prior, class_prior, estimate, prior_alpha, class_weight, n_jobs
        As in `MultinomialNB`.
    min_categories : int, array-like of shape (n_features,) or None
        Categories that each column has at least; None: as many as were seen.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_count_ : ndarray of shape (n_classes,)
        Rows per class.
    class_log_prior_ : ndarray of shape (n_classes,)
    category_count_ : list of ndarray of shape (n_classes, n_categories of the column)
        Rows of each class that have the category.
    feature_log_prob_ : list of ndarray of shape (n_classes, n_categories of the column)
        log p(category | class).
    n_categories_ : ndarray of shape (n_features,)
    n_features_in_ : int
    feature_names_in_ : ndarray
        Where the columns of X have names.

    Examples
    --------
    >>> from wordodds import CategoricalNB
    >>> X = [[0, 2], [1, 2], [0, 0], [1, 1]]  # categories, numbered from 0 in each column
    >>> model = CategoricalNB().fit(X, ["a", "a", "b", "b"])
    >>> print(model.predict([[0, 2], [1, 0]]))
    ['a' 'b']
    """

    def __init__(
        self,
        *,
        alpha: npt.ArrayLike = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: npt.ArrayLike | None = None,
        min_categories: npt.ArrayLike | None = None,
        estimate: Estimate = "bayes",
        prior_alpha: npt.ArrayLike | None = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            alpha=alpha,
            force_alpha=force_alpha,
            fit_prior=fit_prior,
            class_prior=class_prior,
            estimate=estimate,
            prior_alpha=prior_alpha,
            class_weight=class_weight,
            n_jobs=n_jobs,
        )
        self.min_categories = min_categories

    @property
    def n_categories_(self) -> Ints:
        """Categories of each column."""
        return np.asarray(self._fitted("n_categories_").layout)

    @property
    def category_count_(self) -> list[Floats]:
        """Rows of each class that have the category, for each column."""
        learnt = self._fitted("category_count_")
        return _by_column(learnt.tally.table(), learnt.layout)

    @property
    def feature_log_prob_(self) -> list[Floats]:
        """Log p(category | class), for each column."""
        learnt = self._fitted("feature_log_prob_")
        return _by_column(learnt.weights.table(), learnt.layout)

    def sample(self, n: int, *, random_state: RandomState = None) -> tuple[Ints, AnyArray]:
        """Draw rows and their labels from the model.

        Parameters
        ----------
        n : int
            How many.
        random_state : None, int, numpy Generator or RandomState
            Where the numbers come from.

        Returns
        -------
        X : ndarray of shape (n, n_features)
            Categories, int64.
        y : ndarray of shape (n,)
            Labels, drawn from the class priors.
        """
        check_is_fitted(self)
        rng = generator(random_state)
        codes = draw_classes(self.class_log_prior_, n, rng)
        X = np.empty((n, self.n_features_in_), dtype=np.int64)
        for c in np.unique(codes):
            members = np.flatnonzero(codes == c)
            for column, log_proba in enumerate(self.feature_log_prob_):
                X[members, column] = draw_categories(np.exp(log_proba[c]), len(members), rng)
        return X, self.classes_[codes]

    # A column's categories are neighbours among the columns of one tally: the matrix that is
    # tallied and scored has a one for each value of X.

    def _weigher(self) -> Callable[[Learnt], Weights]:
        return categorical_weights

    def _checked(self, X: MatrixLike, how: Execution) -> Ints:
        refuse_masked(X, "X")  # first: the masked classes have other functions
        if isinstance(X, np.ndarray) and X.dtype.kind == "f":
            largest = np.max(np.abs(X), initial=0.0, where=np.isfinite(X))
            if largest > 2.0**53:
                raise ValueError(f"X holds {largest:g}; categories are numbered from 0")
        data: Ints
        try:
            data = checked_array(X, dtype="int", estimator=type(self).__name__, input_name="X")
        except (TypeError, ValueError) as error:
            if "invalid literal" not in str(error):
                raise
            raise ValueError(
                f"X must hold categories as numbers from 0 ({error}): encode them, for example by "
                "sklearn.preprocessing.OrdinalEncoder"
            ) from error
        if data.min() < 0:
            row, column = np.argwhere(data < 0)[0]
            raise ValueError(
                f"Negative values in data passed to {type(self).__name__} (input X): row {row}, "
                f"column {column} holds {data[row, column]}; categories are numbered from 0"
            )
        return data

    def _layout_of(self, data: Ints, before: Layout) -> Ints:
        n_categories = data.max(axis=0) + 1
        if before is not None:
            self._check_columns(data, before)
            n_categories = np.maximum(n_categories, before)
        if self.min_categories is not None:
            n_categories = np.maximum(n_categories, self._least(len(n_categories)))
        if n_categories.sum(dtype=float) > DENSE_CELLS_MAX:
            column = int(n_categories.argmax())
            raise ValueError(
                f"column {column} of X would have {n_categories[column]} categories; number them "
                "from 0 without gaps, as sklearn.preprocessing.OrdinalEncoder does"
            )
        return np.asarray(n_categories, dtype=np.int64)

    def _least(self, n_features: int) -> Ints:
        least = np.asarray(self.min_categories)
        if not np.issubdtype(least.dtype, np.signedinteger):
            raise ValueError(
                f"'min_categories' should have integral type. Got {least.dtype} instead."
            )
        if least.shape not in ((), (n_features,)):
            raise ValueError(
                f"'min_categories' should have shape ({n_features},) when an array-like is "
                f"provided. Got {least.shape} instead."
            )
        if (least < 1).any():
            raise ValueError(f"'min_categories' should be >= 1, got {self.min_categories!r}")
        return least

    def _relaid(self, tally: ClassTally, before: Ints, layout: Ints) -> ClassTally:
        if np.array_equal(before, layout):
            return tally
        assert isinstance(tally, DenseTally)
        # Where each old column goes: after the new beginning of its feature.
        shift = _begins(layout)[:-1] - _begins(before)[:-1]
        counts = np.zeros((len(tally.counts), int(layout.sum())))
        counts[:, np.arange(tally.n_features) + np.repeat(shift, before)] = tally.counts
        return DenseTally(counts)

    def _merged_layout(self, ours: Ints, theirs: Ints) -> Ints:
        return np.maximum(ours, theirs)

    def _events(self, data: Ints, layout: Ints) -> CsrArrays:
        self._check_columns(data, layout)
        if (unknown := data >= layout).any():
            row, column = np.argwhere(unknown)[0]
            raise ValueError(
                f"X has category {data[row, column]} in row {row}, column {column}, which was "
                f"never seen; pass min_categories={data[row, column] + 1} or more to leave room"
            )
        begins = _begins(layout)
        n_rows, n_features = data.shape
        indices = (data + begins[:-1]).astype(np.int32).ravel()
        indptr = np.arange(0, n_rows * n_features + 1, n_features)
        ones = np.ones(len(indices), dtype=np.float32)
        return CsrArrays(indptr.astype(np.int64), indices, ones, n_rows, int(begins[-1]))

    def _check_smoothing(self, tally: ClassTally, pseudo_counts: Floats) -> None:
        if isinstance(tally, SparseTally):
            raise ValueError(
                f"classes times {tally.n_features} categories are too many for CategoricalNB; "
                "encode the categories as columns for MultinomialNB"
            )

    def _spread(self, pseudo_counts: Floats, layout: Ints) -> Floats:
        if pseudo_counts.shape[1] == 1 and len(layout) != 1:
            return pseudo_counts
        return np.repeat(pseudo_counts, layout, axis=1)

    def _width_of_alpha(self, tally: ClassTally, layout: Ints) -> int:
        return len(layout)

    def _check_columns(self, data: Ints, layout: Ints) -> None:
        if data.shape[1] != len(layout):
            raise ValueError(
                f"X has {data.shape[1]} features, but {type(self).__name__} is expecting "
                f"{len(layout)} features as input"
            )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.sparse = False
        return tags


def _begins(n_categories: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(n_categories)])


def _by_column(table: Floats, n_categories: Ints) -> list[Floats]:
    return np.split(table, _begins(n_categories)[1:-1], axis=1)


def categorical_weights(learnt: Learnt) -> Weights:
    """Return log p(category | class), with no bias."""
    counts = learnt.tally.table() + learnt.pseudo_counts
    begins = _begins(learnt.layout)[:-1]
    totals = np.repeat(np.add.reduceat(counts, begins, axis=1), learnt.layout, axis=1)
    n_classes = len(counts)
    by_feature = np.zeros((counts.shape[1], class_stride(n_classes)))
    with np.errstate(divide="ignore"):
        # A total of zero makes every estimate zero; log 0 - log 0 would be NaN.
        table = np.log(counts) - np.log(np.where(totals > 0.0, totals, 1.0))
    by_feature[:, :n_classes] = table.T
    return DenseWeights(by_feature, np.zeros(n_classes))
