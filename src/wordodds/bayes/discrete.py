"""What the naive Bayes models on counts share: tallies that are learnt, added up and unlearnt."""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from wordodds._border.classes import classes_of_batches, count_classes, union_of_classes
from wordodds._border.csr import CsrArrays, as_csr, require_rows
from wordodds._border.execution import Execution, execution
from wordodds._border.row_weights import rows_of_batch, rows_of_fit
from wordodds._estimator.linear_view import LinearView
from wordodds._estimator.state import adopt, check_width
from wordodds.bayes.generative import LogSpaceClassifier
from wordodds.bayes.priors import Estimate, checked_alpha, log_prior, pseudo_counts
from wordodds.bayes.tally import (
    ClassTally,
    SparseTally,
    empty_tally,
    remainder,
    tally_batch,
    tally_entries,
    tally_rows,
)
from wordodds.bayes.weights import Layout, Learnt, Weights
from wordodds.typing import (
    AnyArray,
    ClassWeight,
    Floats,
    Labels,
    MatrixLike,
    Positions,
    WeightsLike,
)

__all__ = ["CountedNB", "DiscreteNB"]

# Counts and pseudo-counts together stay below the largest double, 1.8e308.
SUM_MAX = 8e307
SUM_OF_A_BATCH = 1e290
TOO_LARGE = "the counts of a class add up to more than 1e308: scale X or alpha down"


Checked: TypeAlias = Any  # what a model reads of X: CsrArrays, or what its `_events` takes


class DiscreteNB(LogSpaceClassifier):
    """Base of the naive Bayes models on counts.

    A model gives its constructor and `_weigher` (tallies into weights). Where it does not count
    the entries of X as they are, it says what it counts (`_checked`, `_events`) and which column
    of the tally stands for what (a *layout*: `_layout_of`, `_merged_layout`, `_relaid`,
    `_width_of_alpha`, `_spread`); where its scores do not start from the prior,
    `_prior_of_scores`; where not all tallies or pseudo-counts will do, `_check_mergeable` and
    `_check_smoothing`.
    """

    _learnt: Learnt

    def __init__(
        self,
        *,
        alpha: npt.ArrayLike = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: npt.ArrayLike | None = None,
        estimate: Estimate = "bayes",
        prior_alpha: npt.ArrayLike | None = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.estimate = estimate
        self.prior_alpha = prior_alpha
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    @abstractmethod
    def _weigher(self) -> Callable[[Learnt], Weights]:
        """Return the function that makes weights of tallies; it must pickle."""

    def _check_smoothing(self, tally: ClassTally, pseudo_counts: Floats) -> None:
        """Refuse pseudo-counts for which the model has no weights."""
        if isinstance(tally, SparseTally) and len(pseudo_counts) > 1:
            raise ValueError(
                "alpha for each class and feature makes the model dense, which is too large for "
                "this many classes and features: pass a number or one for each feature"
            )

    def _checked(self, X: MatrixLike, how: Execution) -> Checked:
        """Return what the model reads of X, validated."""
        return as_csr(X, non_negative=True, execution=how, owner=type(self).__name__)

    def _layout_of(self, data: Checked, before: Layout) -> Layout:
        """Return how columns are numbered, given how they were; None: as in X."""
        return None

    def _relaid(self, tally: ClassTally, before: Layout, layout: Layout) -> ClassTally:
        """Return a tally in another layout."""
        return tally

    def _merged_layout(self, ours: Layout, theirs: Layout) -> Layout:
        """Return a layout with room for both."""
        return None

    def _events(self, data: Checked, layout: Layout) -> CsrArrays:
        """Return the matrix whose entries are tallied and scored."""
        assert isinstance(data, CsrArrays)
        return data

    def _width_of_alpha(self, tally: ClassTally, layout: Layout) -> int:
        """Return how many features ``alpha`` may differ for."""
        return tally.n_features

    def _spread(self, pseudo_counts: Floats, layout: Layout) -> Floats:
        """Return pseudo-counts for the columns of the tally."""
        return pseudo_counts

    def _prior_of_scores(self) -> Floats:
        """Return what every score starts from."""
        return self.class_log_prior_

    def _check_mergeable(self, other: Self) -> None:
        """Refuse a model whose tallies mean something else."""

    def fit(self, X: MatrixLike, y: Labels, sample_weight: WeightsLike = None) -> Self:
        """Learn from documents and their labels; what was learnt before is dropped.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_documents, n_features)
            What is counted.
        y : array-like of shape (n_documents,)
            Labels.
        sample_weight : array-like of shape (n_documents,) or None
            Weights >= 0. A document of weight 2 counts like two, one of weight 0 not at all: a
            class without other documents is dropped.
        """
        how = execution(self.n_jobs)
        data = self._checked(X, how)
        layout = self._layout_of(data, None)
        events = self._events(data, layout)
        require_rows(events)
        classes, codes, weights = rows_of_fit(self, y, events.n_rows, sample_weight)
        class_count = count_classes(codes, weights, len(classes))
        tally = tally_rows(events, codes, len(classes), weights, how)
        _check_sums(events, weights, tally.class_totals)
        state = self._estimated(classes, class_count, tally, layout)
        state["_learnt"].prepare()
        return adopt(self, X, **state)

    def partial_fit(
        self,
        X: MatrixLike,
        y: Labels,
        classes: Labels | None = None,
        sample_weight: WeightsLike = None,
    ) -> Self:
        """Learn from one more batch of documents.

        The result is that of one `fit` on all batches; whole counts give the same bits.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_documents, n_features)
            What is counted.
        y : array-like of shape (n_documents,)
            Labels.
        classes : array-like or None
            All labels that will ever occur. The first call needs it, later ones may leave it out.
        sample_weight : array-like of shape (n_documents,) or None
            As in `fit`.
        """
        how = execution(self.n_jobs)
        known = classes_of_batches(self, classes)
        data = self._checked(X, how)
        if first := not hasattr(self, "_learnt"):
            layout = self._layout_of(data, None)
            events = self._events(data, layout)
            require_rows(events)  # before memory is taken for its columns
            tally = empty_tally(len(known), events.n_cols)
            class_count = np.zeros(len(known))
        else:
            before = self._learnt.layout
            layout = self._layout_of(data, before)
            tally = self._relaid(self._learnt.tally, before, layout)
            events = self._events(data, layout)
            check_width(self, X, events.n_cols, tally.n_features)
            class_count = self.class_count_
        require_rows(events)
        codes, weights = rows_of_batch(self, y, events.n_rows, known, sample_weight)
        batch = tally_batch(events, codes, len(known), weights, how)
        _check_sums(events, weights, lambda: batch.sum() + tally.class_totals().max())
        counts = count_classes(codes, weights, len(known))
        state = self._estimated(known, class_count + counts, tally, layout)
        tally.add(batch)
        if first:
            return adopt(self, X, **state)
        self.__dict__.update(state)
        return self

    def forget(self, X: MatrixLike, y: Labels, sample_weight: WeightsLike = None) -> Self:
        """Unlearn documents: the model is then as if it had never seen them.

        Whole counts leave no trace; fractional ones are unlearnt to rounding. A class that loses
        all its documents stays in ``classes_``, as if `partial_fit` had announced it.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_documents, n_features)
            Rows that were learnt.
        y : array-like of shape (n_documents,)
            Their labels.
        sample_weight : array-like of shape (n_documents,) or None
            Their weights.

        Raises
        ------
        ValueError
            If they cannot have been learnt, as a count would fall below zero. The model stays as
            it was.
        """
        check_is_fitted(self)
        how = execution(self.n_jobs)
        learnt = self._learnt
        events = self._events(self._checked(X, how), learnt.layout)
        check_width(self, X, events.n_cols, learnt.tally.n_features)
        codes, weights = rows_of_batch(self, y, events.n_rows, self.classes_, sample_weight)
        entries = tally_entries(events, codes, len(self.classes_), weights, how)
        _check_sums(events, weights, entries.sum)
        counts = count_classes(codes, weights, len(self.classes_))
        class_count = remainder(self.class_count_, counts)
        state = self._estimated(self.classes_, class_count, learnt.tally, learnt.layout)
        learnt.tally.subtract(entries)
        self.__dict__.update(state)
        return self

    def merge(self, other: Self) -> Self:
        """Add what another model of the same kind has learnt over the same features.

        The result is that of one `fit` on the documents of both; whole counts give the same bits.
        The classes are those of either; of the parameters, those of this model count. Documents
        keep the weights that they were learnt with.

        Parameters
        ----------
        other : classifier of the same class
            Fitted; not changed.
        """
        check_is_fitted(self)
        if type(other) is not type(self):
            raise TypeError(f"other must be a {type(self).__name__}, got {type(other).__name__}")
        check_is_fitted(other)
        self._check_same_features(other)
        self._check_mergeable(other)
        classes, ours, theirs = union_of_classes(self.classes_, other.classes_)
        layout = self._merged_layout(self._learnt.layout, other._learnt.layout)
        class_count = np.zeros(len(classes))
        class_count[ours] += self.class_count_
        class_count[theirs] += other.class_count_
        how = execution(self.n_jobs)
        tally = self._tally_within(classes, ours, layout, how).merged(
            other._tally_within(classes, theirs, layout, how)
        )
        if not (tally.class_totals() < SUM_MAX).all():
            raise ValueError(TOO_LARGE)
        self.__dict__.update(self._estimated(classes, class_count, tally, layout))
        return self

    def _tally_within(
        self, classes: AnyArray, positions: Positions, layout: Layout, how: Execution
    ) -> ClassTally:
        tally = self._relaid(self._learnt.tally, self._learnt.layout, layout)
        return tally.regrouped(positions, len(classes), how)

    def _estimated(
        self, classes: AnyArray, class_count: Floats, tally: ClassTally, layout: Layout
    ) -> dict[str, Any]:
        """Return the state that follows from the tallies and the parameters."""
        for name in ("fit_prior", "force_alpha"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise TypeError(f"{name} must be a bool, got {getattr(self, name)!r}")
        alpha = checked_alpha(
            self.alpha,
            len(classes),
            self._width_of_alpha(tally, layout),
            force_alpha=bool(self.force_alpha),
        )
        smoothing = np.atleast_2d(pseudo_counts(alpha, self.estimate)).astype(np.float64)
        if float(np.max(smoothing)) > SUM_MAX / max(1, tally.n_features):
            raise ValueError(TOO_LARGE)
        if not class_count.sum() < SUM_MAX:
            raise ValueError(
                "the weights of the documents add up to more than 1e308: scale them down"
            )
        self._check_smoothing(tally, smoothing)
        smoothing = self._spread(smoothing, layout)
        return {
            "classes_": classes,
            "class_log_prior_": self._log_prior(class_count),
            "_learnt": Learnt(self._weigher(), tally, class_count, smoothing, layout, self.n_jobs),
        }

    def _log_prior(self, class_count: Floats) -> Floats:
        if self.fit_prior or self.class_prior is not None:
            return log_prior(
                class_count, self.class_prior, self.prior_alpha, self.estimate, name="class_prior"
            )
        if self.prior_alpha is not None:
            raise ValueError("prior_alpha needs fit_prior=True: there is nothing else to smooth")
        return np.full(len(class_count), -np.log(len(class_count)))

    def _joint_log_proba(self, X: MatrixLike) -> Floats:
        how = execution(self.n_jobs)
        learnt = self._learnt
        events = self._events(self._checked(X, how), learnt.layout)
        check_width(self, X, events.n_cols, learnt.weights.n_features)
        return learnt.weights.scores(events, self._prior_of_scores(), how)

    @property
    def class_count_(self) -> Floats:
        """Documents of each class, or their weights."""
        return self._fitted("class_count_").class_count

    def _fitted(self, name: str) -> Learnt:
        """Return what was learnt, for an attribute of that name."""
        # AttributeError, as for any attribute that a fit sets: hasattr must say no.
        if not hasattr(self, "_learnt"):
            raise AttributeError(f"{type(self).__name__} has no {name} before it is fitted")
        return self._learnt

    def __copy__(self) -> Self:
        # Batches add to the tally in place, so a copy needs its own.
        copied = type(self).__new__(type(self))
        copied.__dict__.update(self.__dict__)
        if "_learnt" in self.__dict__:
            copied._learnt = self._learnt.apart()
        return copied

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_learnt")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags


class CountedNB(LinearView, DiscreteNB):
    """Base of the models whose tally has one cell for each class and feature."""

    @property
    def feature_count_(self) -> Floats:
        """What each class has of each feature, (n_classes, n_features)."""
        return self._fitted("feature_count_").tally.table()

    @property
    def feature_log_prob_(self) -> Floats:
        """Logarithms of the features' probabilities, (n_classes, n_features)."""
        return self._fitted("feature_log_prob_").weights.table()

    @property
    def weights_(self) -> Floats:
        """Weights of the linear view, (n_classes, n_features)."""
        return self._fitted("weights_").weights.table()

    @property
    def bias_(self) -> Floats:
        """Bias of the linear view, (n_classes,)."""
        bias = self._fitted("bias_").weights.bias
        return np.asarray(self._prior_of_scores() + bias)

    def _weights_of_classes(self, codes: list[int]) -> Iterator[Floats]:
        return self._learnt.weights.of_classes(codes)

    def _weights_of_feature(self, j: int) -> Floats:
        return self._learnt.weights.of_feature(j)

    def _mean_weights(self) -> Floats:
        return self._learnt.weights.feature_means()


def _check_sums(
    events: CsrArrays, weights: Floats | None, sums: Callable[[], npt.ArrayLike]
) -> None:
    """Refuse sums beyond all numbers, which only very large floats can reach."""
    if len(events.data) == 0 or (events.data.dtype.kind == "i" and weights is None):
        return
    with np.errstate(over="ignore"):
        bound = float(events.data.max()) * len(events.data)
        if weights is not None:
            bound *= float(weights.max())
        # So far below the limit that no number of batches reaches it.
        if bound > SUM_OF_A_BATCH and not (np.asarray(sums()) < SUM_MAX).all():
            raise ValueError(TOO_LARGE)
