"""The models that a TextClassifier knows by name, each with the text options that suit it."""

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

from sklearn.base import BaseEstimator, clone

from wordodds.bayes import BernoulliNB, ComplementNB, MultinomialNB
from wordodds.linear import LogisticRegression, NBLogisticRegression, SGDClassifier

__all__ = ["KINDS", "WEIGHTINGS", "Kind", "Model", "ModelName", "Weighting", "kind_of"]

ModelName: TypeAlias = Literal["nb_logistic", "logistic", "naive_bayes", "complement"]
Model: TypeAlias = (
    ModelName
    | NBLogisticRegression
    | LogisticRegression
    | SGDClassifier
    | MultinomialNB
    | BernoulliNB
    | ComplementNB
)
Weighting: TypeAlias = Literal["counts", "binary", "tfidf", "sublinear_tfidf"]

WEIGHTINGS = ("counts", "binary", "tfidf", "sublinear_tfidf")

_WORDS = r"(?u)\b\w\w+\b"
_ALL_WORDS = r"(?u)\b\w+\b"


class Kind(NamedTuple):
    """A model, and the text options that it gets by default."""

    make: Callable[[], BaseEstimator]
    weighting: Weighting
    ngram_range: tuple[int, int]
    token_pattern: str
    min_df: int  # of a thousand documents or more; of fewer, every term counts


# What suits a model where nothing is given or chosen: docs/text-classifier.md.
KINDS = {
    "nb_logistic": Kind(NBLogisticRegression, "sublinear_tfidf", (1, 2), _ALL_WORDS, 2),
    "logistic": Kind(
        lambda: LogisticRegression(C=30.0, random_state=0), "sublinear_tfidf", (1, 2), _ALL_WORDS, 2
    ),
    "naive_bayes": Kind(lambda: MultinomialNB(alpha=0.1), "counts", (1, 1), _WORDS, 1),
    "complement": Kind(lambda: ComplementNB(alpha=0.3), "sublinear_tfidf", (1, 1), _WORDS, 1),
}
# Estimators that the user passes get the text options of these names.
_NAMES = {
    NBLogisticRegression: "nb_logistic",
    LogisticRegression: "logistic",
    SGDClassifier: "logistic",
    MultinomialNB: "naive_bayes",
    BernoulliNB: "naive_bayes",
    ComplementNB: "complement",
}


def kind_of(model: Model) -> Kind:
    """Return the kind of a name or an estimator, as `TextClassifier` takes them."""
    if isinstance(model, str):
        if model not in KINDS:
            raise ValueError(
                f"model must be one of {', '.join(KINDS)} or a classifier, got {model!r}"
            )
        return KINDS[model]
    for kind, name in _NAMES.items():
        if isinstance(model, kind):
            return KINDS[name]._replace(make=lambda: clone(model))
    names = ", ".join(kind.__name__ for kind in _NAMES)
    raise ValueError(
        f"model must be one of {', '.join(KINDS)}, or an object of {names}; got {model!r:.80}"
    )
