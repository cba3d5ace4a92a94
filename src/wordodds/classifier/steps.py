"""From the parameters of a TextClassifier to the steps that learn, and from those to a model."""

from typing import Any

from wordodds.classifier.convert import linear_model_of
from wordodds.classifier.kinds import WEIGHTINGS, Kind
from wordodds.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)

__all__ = ["adopt_steps", "new_classifier", "text_steps"]

_MANY = 1000  # documents from which a term that occurs once is worth nothing

_TEXT_OPTIONS = (
    *("analyzer", "lowercase", "strip_accents", "stop_words", "stemmer", "tokenizer"),
    *("preprocessor", "encoding", "decode_error", "missing", "n_jobs", "verbose"),
)


def text_steps(parameters: Any, kind: Kind, n_documents: int = _MANY) -> list[Any]:
    """Return new estimators that turn text into rows: a vectorizer, and perhaps weights behind it.

    Parameters
    ----------
    parameters : TextClassifier
        Whose parameters count.
    kind : Kind
        What suits its model where they do not say.
    n_documents : int
        How many there are; of few documents every term is kept.
    """
    weighting = kind.weighting if parameters.weighting is None else parameters.weighting
    if weighting not in WEIGHTINGS:
        raise ValueError(f"weighting must be one of {', '.join(WEIGHTINGS)}, got {weighting!r}")
    options = {name: getattr(parameters, name) for name in _TEXT_OPTIONS}
    options["ngram_range"] = (
        kind.ngram_range if parameters.ngram_range is None else parameters.ngram_range
    )
    if parameters.analyzer == "word" and parameters.tokenizer is None:
        given = parameters.token_pattern
        options["token_pattern"] = kind.token_pattern if given is None else given
    elif parameters.tokenizer is not None:
        options["token_pattern"] = None
    options["binary"] = weighting == "binary"
    if parameters.n_hashed is not None:
        return _hashing(parameters, weighting, options)
    options |= {"max_df": parameters.max_df, "max_features": parameters.max_features}
    least = 1 if n_documents < _MANY else kind.min_df
    options["min_df"] = least if parameters.min_df is None else parameters.min_df
    if weighting in ("counts", "binary"):
        return [CountVectorizer(**options)]
    return [TfidfVectorizer(sublinear_tf=weighting == "sublinear_tfidf", **options)]


def _hashing(parameters: Any, weighting: str, options: dict[str, Any]) -> list[Any]:
    for name, default in (("min_df", None), ("max_df", 1.0), ("max_features", None)):
        if getattr(parameters, name) != default:
            raise ValueError(f"{name} needs a vocabulary: leave it, or leave n_hashed")
    hashed = HashingVectorizer(
        n_features=parameters.n_hashed, norm=None, alternate_sign=False, **options
    )
    if weighting in ("counts", "binary"):
        return [hashed]
    sublinear = weighting == "sublinear_tfidf"
    weights = TfidfTransformer(use_idf=False, sublinear_tf=sublinear, n_jobs=parameters.n_jobs)
    return [hashed, weights]


def new_classifier(parameters: Any, kind: Kind) -> Any:
    """Return a new classifier of the kind.

    Parameters
    ----------
    parameters : TextClassifier
        Whose threads it gets, unless it is an object of the user's.
    kind : Kind
        Of which it is.
    """
    classifier = kind.make()
    if isinstance(parameters.model, str):
        classifier.set_params(n_jobs=parameters.n_jobs)
    return classifier


def adopt_steps(owner: Any, steps: list[Any], classifier: Any) -> None:
    """Make a TextClassifier predict by fitted steps.

    Parameters
    ----------
    owner : TextClassifier
        Changed in one step, so that Ctrl-C finds the old state or the new one.
    steps : list of estimators
        What `text_steps` gave, fitted.
    classifier : estimator
        What `new_classifier` gave, fitted.
    """
    between = [("weights", step) for step in steps[1:]]
    model = linear_model_of(("text", steps[0]), between, ("model", classifier))
    model.n_jobs = owner.n_jobs
    grows = owner.n_hashed is not None and hasattr(classifier, "partial_fit")
    owner.__dict__.update(
        _growing=classifier if grows else None, classes_=model.labels, linear_model_=model
    )
