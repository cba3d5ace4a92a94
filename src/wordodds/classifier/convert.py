"""From fitted estimators, scikit-learn's or ours, to a LinearModel."""

from collections.abc import Callable
from functools import partial
from typing import TypeAlias, TypeVar

from sklearn.base import BaseEstimator
from sklearn.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from sklearn.feature_selection import SelectorMixin
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import MaxAbsScaler, Normalizer

from wordodds._estimator.inherited import check_inherited
from wordodds.classifier.columns import Columns
from wordodds.classifier.read_classifier import read_classifier
from wordodds.classifier.read_vectorizer import read_vectorizer
from wordodds.model.linear_model import LinearModel
from wordodds.text.parts import tfidf_transformer

__all__ = ["from_sklearn", "linear_model_of"]

_NOTHING = (None, "passthrough")
Result = TypeVar("Result")
Step: TypeAlias = tuple[str, BaseEstimator]


def from_sklearn(pipeline: Pipeline) -> LinearModel:
    """Make a `LinearModel` of a fitted pipeline, with the same predictions, without training again.

    Parameters
    ----------
    pipeline : sklearn.pipeline.Pipeline
        A fitted Count-, Tfidf- or HashingVectorizer, or a FeatureUnion of them (or of pipelines
        that begin with one); then any of TfidfTransformer, Normalizer, MaxAbsScaler and feature
        selection; then MultinomialNB, ComplementNB, BernoulliNB, LogisticRegression,
        SGDClassifier, LinearSVC, Perceptron, PassiveAggressiveClassifier, RidgeClassifier, or
        OneVsRestClassifier over one of these. Of scikit-learn's own or ours. Of a FeatureUnion
        each vectorizer may have a norm of its own, but not all of them together.

    Returns
    -------
    LinearModel
        Scores raw text, needs no scikit-learn and can be saved to a file.

    Raises
    ------
    ValueError
        If a step cannot be carried over, naming it and why.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import TfidfVectorizer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> import wordodds
    >>> pipeline = make_pipeline(TfidfVectorizer(), LogisticRegression())
    >>> _ = pipeline.fit(["free money", "money now", "lunch today", "see you"], [1, 1, 0, 0])
    >>> wordodds.from_sklearn(pipeline).predict(["free lunch money"])
    array([1])
    """
    if not isinstance(pipeline, Pipeline):
        raise ValueError(
            f"pipeline must be a scikit-learn Pipeline, got {type(pipeline).__name__}: put "
            "vectorizer and classifier into make_pipeline(...)"
        )
    steps = [(name, step) for name, step in pipeline.steps if step not in _NOTHING]
    if len(steps) < 2:
        raise ValueError("the pipeline must have a vectorizer and a classifier")
    (first, vectorizer), *between, (last, classifier) = steps
    return linear_model_of((first, vectorizer), between, (last, classifier))


def linear_model_of(vectorizer: Step, between: list[Step], classifier: Step) -> LinearModel:
    """Make a `LinearModel` of fitted steps, each with its name."""
    if isinstance(vectorizer[1], FeatureUnion):
        columns = _columns_of_union(vectorizer)
    else:
        columns = _columns_of(vectorizer)
    for step in between:
        _named(step, partial(_apply, columns=columns))
    fitted = _named(classifier, read_classifier)
    if fitted.binarize:
        _named(classifier, lambda step: columns.binarise(step.binarize))
    weights, features = _named(classifier, lambda step: columns.finish(fitted.weights))
    return LinearModel(
        fitted.labels, weights, fitted.bias, features, link=fitted.link, name=_title(classifier[1])
    )


def _columns_of(vectorizer: Step) -> Columns:
    """Return the columns of a fitted vectorizer."""
    columns = Columns(*_named(vectorizer, read_vectorizer))
    if isinstance(vectorizer[1], TfidfVectorizer):
        within = (vectorizer[0], tfidf_transformer(vectorizer[1]))
        _named(within, partial(_apply, columns=columns, by_view=True))
    elif isinstance(vectorizer[1], HashingVectorizer):
        columns.normalise(vectorizer[1].norm, by_view=True)
    elif not isinstance(vectorizer[1], CountVectorizer):
        raise AssertionError("read_vectorizer knows no other")
    return columns


def _columns_of_union(union: Step) -> Columns:
    """Return the columns of a fitted FeatureUnion of vectorizers, or of pipelines that begin so."""
    check_inherited(union[1], ("transform",))
    factors = union[1].transformer_weights or {}
    names, parts = [], []
    for name, transformer in union[1].transformer_list:
        if transformer == "drop":
            continue
        if isinstance(transformer, str):
            raise ValueError(f"step {union[0]!r} must not pass texts on as they are, as {name!r}")
        steps = transformer.steps if isinstance(transformer, Pipeline) else [(name, transformer)]
        (first, vectorizer), *rest = (step for step in steps if step[1] not in _NOTHING)
        columns = _columns_of((first, vectorizer))
        for step in rest:
            _named(step, partial(_apply, columns=columns))
        columns.scale_all(float(factors.get(name, 1.0)))
        names.append(name)
        parts.append(columns)
    return _named(union, lambda _: Columns.beside(names, parts))


def _apply(step: BaseEstimator, columns: Columns, by_view: bool = False) -> None:
    check_inherited(step, ("transform",))
    if isinstance(step, TfidfTransformer):
        if step.sublinear_tf:
            columns.logarithm()
        if step.use_idf:
            columns.scale(step.idf_)
        columns.normalise(step.norm, by_view=by_view)
    elif isinstance(step, Normalizer):
        columns.normalise(step.norm)
    elif isinstance(step, MaxAbsScaler):
        if getattr(step, "clip", False):
            raise ValueError("clip=True cuts values off, which weights cannot")
        columns.scale(1.0 / step.scale_)
    elif isinstance(step, SelectorMixin):
        columns.select(step.get_support())
    else:
        raise ValueError(
            "a LinearModel knows TfidfTransformer, Normalizer, MaxAbsScaler and feature selection "
            "between vectorizer and classifier"
        )


def _named(step: Step, use: Callable[[BaseEstimator], Result]) -> Result:
    """Call use(step); an error names the step."""
    name, estimator = step
    try:
        return use(estimator)
    except (ValueError, AttributeError, TypeError) as error:
        raise ValueError(
            f"step {name!r} ({type(estimator).__name__}) cannot be carried over: {error}"
        ) from error


def _title(classifier: BaseEstimator) -> str:
    inner = getattr(classifier, "estimator", None)
    return type(classifier).__name__ + (f" of {type(inner).__name__}" if inner is not None else "")
