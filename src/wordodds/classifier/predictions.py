"""What a fitted TextClassifier does: each method hands over to the model that it has learnt."""

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Self

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from wordodds._border.features import FeatureNames
from wordodds.model.calibration import Method
from wordodds.model.evaluation import Evaluation
from wordodds.model.explanation import Explanation
from wordodds.model.linear_model import LinearModel
from wordodds.model.old_calls import takes_label_first
from wordodds.typing import AnyArray, Floats, Label, Labels, Texts, WeightsLike

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Predictions"]


class Predictions(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Predictions, explanations and the file of a TextClassifier, once it is fitted."""

    linear_model_: LinearModel

    def predict(self, texts: Texts) -> AnyArray:
        """Return the most probable label of each text.

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The documents.
        """
        return self._fitted().predict(texts)

    def predict_proba(self, texts: Texts) -> Floats:
        """Return the probability of each label, (n_texts, n_classes).

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The documents.
        """
        return self._fitted().predict_proba(texts)

    def predict_top(self, texts: Texts, k: int = 3) -> tuple[AnyArray, Floats]:
        """Return the k most probable labels of each text and their probabilities, (n_texts, k).

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The documents.
        k : int, default=3
            Number of labels.
        """
        return self._fitted().predict_top(texts, k)

    def predict_arrow(self, texts: Texts) -> "pa.StructArray":
        """Return label and probability of each text as an Arrow array of structs.

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The documents.
        """
        return self._fitted().predict_arrow(texts)

    def predict_stream(
        self,
        batches: Iterable["Texts | pa.RecordBatch | pa.Table"],
        *,
        text: str = "text",
        keep: Sequence[str] = (),
        proba: bool = False,
        top: int | None = None,
        proba_all: bool = False,
    ) -> Iterator["pa.RecordBatch"]:
        """Yield labels for any number of batches, in order, while the next ones are being read.

        Parameters
        ----------
        batches, text, keep, proba, top, proba_all
            As for `LinearModel.predict_stream`.
        """
        return self._fitted().predict_stream(
            batches, text=text, keep=keep, proba=proba, top=top, proba_all=proba_all
        )

    def decision_function(self, texts: Texts) -> Floats:
        """Return the log-odds, (n_texts,) for two labels and (n_texts, n_classes) for more.

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The documents.
        """
        return self._fitted().decision_function(texts)

    def score(self, texts: Texts, labels: Labels, sample_weight: WeightsLike = None) -> float:
        """Return the share of texts whose most probable label is the right one.

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The documents.
        labels : array-like
            The right labels.
        sample_weight : array-like or None, default=None
            Weight of each text.
        """
        if sample_weight is not None:
            return float(super().score(texts, labels, sample_weight))
        return self._fitted().score(texts, labels)

    def evaluate(self, texts: Texts, labels: Labels) -> Evaluation:
        """Return accuracy, precision and recall of each label, log loss and calibration error.

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The documents.
        labels : array-like
            The right labels.
        """
        return self._fitted().evaluate(texts, labels)

    def explain(self, text: str, label: Label = None, against: Label = None) -> Explanation:
        """Return what each feature of a text adds to the log-odds of a label.

        Parameters
        ----------
        text : str
            One document.
        label : label or None, default=None
            Label of the log-odds. None: the most probable one.
        against : label or None, default=None
            Label to compare with. None: all others, or their mean where only differences of scores
            have a meaning (softmax, naive Bayes).
        """
        return self._fitted().explain(text, label, against)

    def log_odds(self, feature: int | str, label: Label, against: Label | None = None) -> float:
        """Return what one unit of a feature adds to the log-odds of a label.

        Parameters
        ----------
        feature : int or str
            Name of a feature, such as a word, or its row in the weights of ``linear_model_``.
        label : label
            Label whose log-odds are meant.
        against : label or None, default=None
            Label to compare with. None: as in `explain`.
        """
        return self._fitted().log_odds(feature, label, against)

    @takes_label_first
    def top_features(
        self,
        n: int = 10,
        *,
        labels: Labels | None = None,
        feature_names: FeatureNames = None,
    ) -> dict[Label, list[tuple[Any, float]]]:
        """Return for each label the features that speak most for it, the strongest first.

        Parameters
        ----------
        n : int, default=10
            Number of features for each label.
        labels : list of labels or None, default=None
            Labels to look at. None: all.
        feature_names : array-like of shape (n_features,), a vectorizer or None, default=None
            Names of the features. None: those that the model has.

        Returns
        -------
        dict
            Label -> list of (feature, log-odds), compared as in `explain`.
        """
        return self._fitted().top_features(n, labels=labels, feature_names=feature_names)

    def calibrate(
        self,
        texts: Texts,
        labels: Labels,
        method: Method = "temperature",
    ) -> Self:
        """Make probabilities match documents that were not trained on; return this classifier.

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            Documents like those that will be classified.
        labels : array-like
            Their labels.
        method : {"temperature", "platt", "isotonic"}, default="temperature"
            As in `LinearModel.calibrate`.
        """
        self.linear_model_ = self._fitted().calibrate(texts, labels, method)
        return self

    def threshold_for(
        self,
        label: Label,
        *,
        precision: float,
        texts: Texts | None = None,
        labels: Labels | None = None,
    ) -> float:
        """Return the smallest probability at which predictions of a label reach a precision.

        Parameters
        ----------
        label : label
            Label that is predicted.
        precision : float
            Share of its predictions that must be right, from 0 to 1.
        texts : iterable of str or bytes, or a column of text, or None, default=None
            Documents to measure on. None: those of `calibrate`.
        labels : array-like or None, default=None
            Their labels.
        """
        return self._fitted().threshold_for(label, precision=precision, texts=texts, labels=labels)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a file, for `wordodds.load`.

        Parameters
        ----------
        path : str or path
            File to write, by custom ``*.wordodds``.
        """
        self._fitted().save(path)

    def _fitted(self) -> LinearModel:
        check_is_fitted(self, "linear_model_")
        return self.linear_model_
