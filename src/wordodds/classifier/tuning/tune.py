"""The search behind `TextClassifier.tune`: collect documents, search, fit what was found."""

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from wordodds._border.checks import real_number
from wordodds._border.execution import execution
from wordodds._border.row_weights import sample_weights
from wordodds._estimator.random_state import random_source
from wordodds._files.progress import progress
from wordodds.bayes import ComplementNB, MultinomialNB
from wordodds.classifier.cross_validation import HASHED_CELLS_MAX
from wordodds.classifier.documents import SAMPLE_SMALL, Documents, as_list, can_hold_out
from wordodds.classifier.estimators import adopt_steps, by_name, new_classifier
from wordodds.classifier.fitting import Counter, collect, fit_tempered
from wordodds.classifier.named_models import KINDS, kind_of
from wordodds.classifier.reading import analyzers_of, given_words
from wordodds.classifier.sample import sampled
from wordodds.classifier.tuning.budget import Budget
from wordodds.classifier.tuning.call import call_of
from wordodds.classifier.tuning.metrics import metric_of
from wordodds.classifier.tuning.result import TunedTrial, Tuning
from wordodds.classifier.tuning.rungs import Judged, Rungs
from wordodds.classifier.tuning.search import Attempt, search
from wordodds.classifier.tuning.space import TUNED, space_of
from wordodds.linear import NBLogisticRegression
from wordodds.text import EmptyVocabularyError
from wordodds.text.vectorizer import CsrMatrix
from wordodds.typing import Floats, Ints, Labels, Texts, WeightsLike

if TYPE_CHECKING:
    from wordodds.classifier.text_classifier import TextClassifier

__all__ = ["tune"]

DIGITS = 4  # of parameters that are found by a formula, so that a call can be copied


def tune(
    owner: "TextClassifier",
    texts: Texts,
    labels: Labels,
    sample_weight: WeightsLike,
    *,
    minutes: float | None,
    trials: int | None,
    metric: str,
) -> None:
    """Search, then give a TextClassifier the best settings and fit it to all documents.

    It changes only when all is done.
    """
    budget = Budget(minutes, trials)
    if owner.C is not None:
        real_number(owner.C, "C", 0, above=True)
    if not isinstance(owner.model, str) or owner.model not in TUNED:
        once_more = "; to search once more, start from a new TextClassifier"
        raise ValueError(
            f"model must be {', '.join(map(repr, TUNED[:-1]))} or {TUNED[-1]!r} for tune, got "
            f"{owner.model!r:.80}{'' if isinstance(owner.model, str) else once_more}"
        )
    kind = kind_of(owner.model)
    collected = collect(owner, kind, new_classifier(owner, kind), texts, labels, sample_weight)
    # What can be read only once has been read now.
    all_texts = collected.documents.texts if collected.is_whole else texts
    seed = int(random_source(owner.random_state).randint(2**31 - 1))
    weights = sample_weights(sample_weight, collected.n_documents)[collected.positions]
    attempts = _attempts(owner, collected.documents, weights, metric, seed, budget)
    best = _best(attempts)
    if best is None:  # fit says why no term is left
        _copy_of(owner, model=TUNED[-1], C=None).fit(all_texts, labels, sample_weight)
        raise EmptyVocabularyError("no way of reading the texts finds a term")
    found = _copy_of(owner, C=None, class_weight=None, **_parameters(owner, best, seed))
    counter = Counter(found, kind_of(found.model))
    steps, rows = counter.steps_and_rows(all_texts, best.candidate.reading)
    classifier = _fit(found, rows, labels, sample_weight, collected.held_back())
    tuning = Tuning(
        metric,
        best.value,
        best.log_loss,
        best.n_documents,
        call_of(found),
        tuple(map(_trial, attempts, budget.seconds)),
        budget.spent,
    )
    settings = found.get_params(deep=False)
    adopt_steps(owner, steps, classifier, tuning=tuning, parameters=settings)


def _fit(
    found: "TextClassifier",
    rows: CsrMatrix,
    labels: Labels,
    sample_weight: WeightsLike,
    held: Ints,
) -> BaseEstimator:
    """Return the model of a TextClassifier, fitted to all rows; `held` set its temperature first.

    Without them it keeps the one that it has: that of a sample is too low for many more documents.
    """
    if len(held) and isinstance(found.model, NBLogisticRegression):
        tempered = clone(found.model)
        fit_tempered(tempered, rows, labels, sample_weight, held)
        found.model.set_params(temperature=_short(tempered.temperature))
    return clone(found.model).fit(rows, labels, sample_weight=sample_weight)


def _attempts(
    owner: "TextClassifier",
    documents: Documents,
    sample_weights: Floats,
    metric: str,
    seed: int,
    budget: Budget,
) -> list[Attempt]:
    """Return all trials of a search."""
    rungs = _rungs(owner, documents, sample_weights, metric, seed)
    few = documents.taken(sampled(documents.sizes, SAMPLE_SMALL))
    space = space_of(owner, kind_of(owner.model), as_list(few.texts))
    attempts: list[Attempt] = []
    with progress("tuning", budget.trials, "trials", shown=bool(owner.verbose)) as advance:
        for attempt in search(space, rungs, seed, budget):
            attempts.append(attempt)
            advance(1)
    return attempts


def _rungs(
    owner: "TextClassifier", documents: Documents, sample_weights: Floats, metric: str, seed: int
) -> Rungs:
    if not can_hold_out(documents):
        raise ValueError(
            "tune needs at least two labels with two documents each, so that some can be held "
            "out; use fit instead"
        )
    if (owner.n_hashed or 0) * len(documents.classes) > HASHED_CELLS_MAX:
        raise ValueError(
            f"n_hashed={owner.n_hashed} with {len(documents.classes)} labels needs too much "
            "memory: tune fits several models at once. Pass a smaller n_hashed or omit it"
        )
    # Counts are shared by all weightings and models.
    shared = {"model": "nb_logistic", "weighting": "sublinear_tfidf", "C": None, "verbose": False}
    return Rungs(
        documents,
        sample_weights,
        Counter(_copy_of(owner, **shared), KINDS["nb_logistic"]),
        metric_of(
            metric,
            documents.classes,
            np.bincount(documents.codes, minlength=len(documents.classes)),
        ),
        owner.C,
        seed,
        execution(owner.n_jobs),
    )


def _best(attempts: list[Attempt]) -> Judged | None:
    """Return the best trial of the last rung, the first of equals; None if no term was found."""
    last = max(attempt.rung for attempt in attempts)
    found = [at.judged for at in attempts if at.rung == last and at.judged is not None]
    return max(found, key=lambda each: each.rank, default=None)


def _copy_of(owner: "TextClassifier", **changes: object) -> "TextClassifier":
    """Return an unfitted classifier with the same objects as parameters, but for changes.

    `clone` would copy them, and a user's tokenizer may be large or refuse to be copied.
    """
    return type(owner)(**{**owner.get_params(deep=False), **changes})


def _parameters(owner: "TextClassifier", best: Judged, seed: int) -> dict[str, Any]:
    """Return the parameters of a TextClassifier that stand for settings."""
    reading = best.candidate.reading
    parameters: dict[str, Any] = {
        "model": _model(owner, best, seed),
        "weighting": best.candidate.weighting,
        "token_pattern": reading.token_pattern or owner.token_pattern,
        "ngram_range": by_name(reading, reading.ngram_range, tuple),
        "lowercase": by_name(reading, reading.lowercase, bool),
    }
    if owner.n_hashed is None:
        parameters["min_df"] = by_name(reading, reading.min_df, Real)
    if owner.characters is None and given_words(owner) is None:
        parameters["characters"] = len(analyzers_of(reading.analyzer)) > 1
    return parameters


def _model(owner: "TextClassifier", best: Judged, seed: int) -> BaseEstimator:
    """Return an unfitted estimator."""
    prior, given = best.candidate.prior, owner.random_state
    if prior is None:
        kind = ComplementNB if best.candidate.model == "complement" else MultinomialNB
        model = kind(alpha=best.strength)
    else:
        model = NBLogisticRegression(
            C=best.strength,
            alpha=prior.alpha,
            floor=prior.floor,
            lean=_short(best.lean),
            temperature=_short(best.temperature),
            # A generator cannot be copied with a call.
            random_state=given if given is None or isinstance(given, Integral) else seed,
        )
    return model.set_params(class_weight=owner.class_weight, n_jobs=owner.n_jobs)


def _short(number: float) -> float:
    return float(f"{number:.{DIGITS}g}")


def _trial(attempt: Attempt, seconds: float) -> TunedTrial:
    candidate, judged = attempt.candidate, attempt.judged
    parameters: dict[str, float] = {}
    if judged is not None and candidate.prior is None:
        parameters = {"alpha": judged.strength}
    elif judged is not None and candidate.prior is not None:
        prior = candidate.prior
        parameters = {"C": judged.strength, "alpha": prior.alpha, "floor": prior.floor}
        parameters |= {"lean": judged.lean, "temperature": judged.temperature}
    return TunedTrial(
        candidate.model,
        candidate.reading,
        candidate.weighting,
        parameters,
        attempt.rung,
        attempt.n_documents,
        None if judged is None else judged.value,
        None if judged is None else judged.log_loss,
        seconds,
    )
