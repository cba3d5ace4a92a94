"""The estimators of a TextClassifier: made from its parameters, and turned into a model."""

from collections.abc import Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any

from sklearn.base import BaseEstimator

from wordodds.classifier.convert import linear_model_of
from wordodds.classifier.named_models import WEIGHTINGS, Kind, Weighting
from wordodds.classifier.reading import Reading, analyzers_of, plain_reading
from wordodds.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)

if TYPE_CHECKING:
    from wordodds.classifier.choose import Choice
    from wordodds.classifier.text_classifier import TextClassifier
    from wordodds.classifier.tuning import Tuning

__all__ = [
    "adopt_steps",
    "by_name",
    "least_documents",
    "new_classifier",
    "text_steps",
    "weighting_of",
]

_TEXT_OPTIONS = (
    *("strip_accents", "stop_words", "stemmer", "tokenizer"),
    *("preprocessor", "encoding", "decode_error", "missing", "n_jobs", "verbose"),
)


def weighting_of(parameters: "TextClassifier", kind: Kind) -> Weighting:
    """Return the name of the weighting of counts: the given one, else that of the kind."""
    weighting = kind.weighting if parameters.weighting is None else parameters.weighting
    if weighting not in WEIGHTINGS:
        raise ValueError(f"weighting must be one of {', '.join(WEIGHTINGS)}, got {weighting!r}")
    return weighting


def text_steps(parameters: "TextClassifier", kind: Kind, reading: Reading) -> list[Any]:
    """Return new estimators that turn text into rows: a vectorizer, and weights where needed."""
    weighting = weighting_of(parameters, kind)
    options = {name: getattr(parameters, name) for name in _TEXT_OPTIONS}
    options["analyzer"] = reading.analyzer
    options["ngram_range"] = by_name(reading, reading.ngram_range, tuple)
    options["lowercase"] = by_name(reading, reading.lowercase, bool)
    if "word" in analyzers_of(reading.analyzer):  # None with a tokenizer
        options["token_pattern"] = reading.token_pattern
    options["binary"] = weighting == "binary"
    if parameters.n_hashed is not None:
        options["n_features"] = parameters.n_hashed
        return _hashing(parameters, reading, weighting, options)
    limits = {"max_df": parameters.max_df, "max_features": parameters.max_features}
    options |= {"min_df": by_name(reading, reading.min_df, Real), **limits}
    if weighting in ("counts", "binary"):
        return [CountVectorizer(**options)]
    return [TfidfVectorizer(sublinear_tf=weighting == "sublinear_tfidf", **options)]


def least_documents(parameters: "TextClassifier", kind: Kind, n_documents: int) -> object:
    """Return ``min_df`` as a vectorizer takes it, for a number of documents."""
    reading = plain_reading(parameters, kind, n_documents)
    return by_name(reading, reading.min_df, Real)


def by_name(reading: Reading, setting: object, kind: type) -> object:
    """Return a setting of a reading; where analyzers have values of this kind, by their names."""
    if isinstance(setting, tuple) and setting and all(isinstance(each, kind) for each in setting):
        return dict(zip(analyzers_of(reading.analyzer), setting, strict=True))
    return setting


def _hashing(
    parameters: "TextClassifier", reading: Reading, weighting: Weighting, options: dict[str, Any]
) -> list[Any]:
    if isinstance(reading.analyzer, tuple):
        raise ValueError(
            f"n_hashed takes a single analyzer, got {reading.analyzer!r}: name one, or leave "
            "n_hashed (fit_stream learns by batches with a vocabulary)"
        )
    for name, default in (("min_df", None), ("max_df", 1.0), ("max_features", None)):
        if getattr(parameters, name) != default:
            raise ValueError(f"{name} needs a vocabulary: leave it, or leave n_hashed")
    hashed = HashingVectorizer(norm=None, alternate_sign=False, **options)
    if weighting in ("counts", "binary"):
        return [hashed]
    sublinear = weighting == "sublinear_tfidf"
    weights = TfidfTransformer(use_idf=False, sublinear_tf=sublinear, n_jobs=parameters.n_jobs)
    return [hashed, weights]


def new_classifier(parameters: "TextClassifier", kind: Kind) -> BaseEstimator:
    """Return a new classifier with the threads, class weights, C and seed of a TextClassifier.

    An estimator that the user has passed keeps its own parameters.
    """
    classifier = kind.make()
    given = {"C": parameters.C, "class_weight": parameters.class_weight}
    given = {name: value for name, value in given.items() if value is not None}
    if not isinstance(parameters.model, str):
        if given:
            names = " and ".join(given)
            raise ValueError(
                f"{names} would be ignored, as model is an object with parameters of its own: "
                f"set them there, such as {type(classifier).__name__}({next(iter(given))}=...)"
            )
        return classifier
    known = classifier.get_params()
    if "C" in given and "C" not in known:
        raise ValueError(f'C is for model="nb_logistic" and "logistic", not {parameters.model!r}')
    seed = {"random_state": parameters.random_state} if "random_state" in known else {}
    return classifier.set_params(n_jobs=parameters.n_jobs, **given, **seed)


def adopt_steps(
    owner: "TextClassifier",
    steps: list[Any],
    classifier: BaseEstimator,
    choice: "Choice | None" = None,
    *,
    tuning: "Tuning | None" = None,
    parameters: Mapping[str, object] | None = None,
) -> None:
    """Make a TextClassifier predict by fitted steps, and have new parameters, all at once.

    Ctrl-C leaves either the old state or the new one.
    """
    between = [("weights", step) for step in steps[1:]]
    model = linear_model_of(("text", steps[0]), between, ("model", classifier))
    model.n_jobs = owner.n_jobs
    if choice is not None:
        model.chosen = choice.to_dict()
    elif tuning is not None:
        model.chosen = tuning.summary()
    grows = owner.n_hashed is not None and hasattr(classifier, "partial_fit")
    owner.__dict__.update(
        parameters or {},
        _growing=classifier if grows else None,
        classes_=model.labels,
        linear_model_=model,
        choice_=choice,
        tuning_=tuning,
    )
