"""The search behind `TextClassifier.tune`: collect documents, search, fit what was found."""

from collections.abc import Iterable
from numbers import Real
from typing import TYPE_CHECKING, Any, cast

from sklearn.base import BaseEstimator, clone

from wordodds._border.execution import execution
from wordodds._estimator.random_state import random_source
from wordodds._files.progress import progress
from wordodds.bayes import ComplementNB, MultinomialNB
from wordodds.classifier.choose import HASHED_CELLS_MAX, SAMPLE_SMALL, can_hold_out
from wordodds.classifier.estimators import adopt_steps, by_name, new_classifier
from wordodds.classifier.fitting import Collected, Counter, collect, fit_tempered
from wordodds.classifier.named_models import KINDS, kind_of
from wordodds.classifier.reading import analyzers_of, given_words
from wordodds.classifier.sample import sampled
from wordodds.classifier.tuning.budget import Budget
from wordodds.classifier.tuning.metrics import metric_of
from wordodds.classifier.tuning.result import TunedTrial, Tuning
from wordodds.classifier.tuning.rungs import Judged, Rungs
from wordodds.classifier.tuning.search import Attempt, search
from wordodds.classifier.tuning.space import TUNED, space_of
from wordodds.linear import NBLogisticRegression
from wordodds.typing import Labels, Texts, WeightsLike

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
    if not isinstance(owner.model, str) or owner.model not in TUNED:
        raise ValueError(
            f"tune chooses the settings of {', '.join(map(repr, TUNED))}: model must be one of "
            f"these names, got {owner.model!r:.80}"
        )
    kind = kind_of(owner.model)
    collected = collect(owner, kind, new_classifier(owner, kind), texts, labels, sample_weight)
    attempts = _attempts(owner, collected, metric, budget)
    best = _best(attempts)
    found = clone(owner).set_params(C=None, class_weight=None, **_parameters(owner, best))
    steps, rows = Counter(found, kind_of(found.model)).steps_and_rows(texts, best.candidate.reading)
    classifier = clone(found.model)
    if isinstance(classifier, NBLogisticRegression):
        fit_tempered(classifier, rows, labels, sample_weight, collected.held_back())
        found.model.set_params(temperature=classifier.temperature)
    else:
        classifier.fit(rows, labels, sample_weight=sample_weight)
    tuning = Tuning(
        metric,
        best.value,
        best.outcome.mean,
        best.n_documents,
        _call(found),
        tuple(map(_trial, attempts, budget.seconds)),
        budget.spent,
    )
    settings = found.get_params(deep=False)
    adopt_steps(owner, steps, classifier, tuning=tuning, parameters=settings)


def _attempts(
    owner: "TextClassifier", collected: Collected, metric: str, budget: Budget
) -> list[Attempt]:
    """Return all trials of a search."""
    documents = collected.documents
    if not can_hold_out(documents):
        raise ValueError(
            "tune compares settings on documents that it holds out, and needs two labels or more "
            "with two documents each: use fit"
        )
    if (owner.n_hashed or 0) * len(documents.classes) > HASHED_CELLS_MAX:
        raise ValueError(
            f"tune would keep several models of n_hashed={owner.n_hashed} columns and "
            f"{len(documents.classes)} labels: pass a smaller n_hashed, or leave it"
        )
    seed = int(random_source(owner.random_state).randint(2**31 - 1))
    # Counts are shared by all weightings and models.
    counting = clone(owner).set_params(model="nb_logistic", weighting="sublinear_tfidf", C=None)
    rungs = Rungs(
        documents,
        Counter(counting, KINDS["nb_logistic"]),
        metric_of(metric, documents.classes),
        owner.C,
        seed,
        execution(owner.n_jobs),
    )
    attempts: list[Attempt] = []
    few = documents.taken(sampled(documents.sizes, SAMPLE_SMALL))
    space = space_of(owner, kind_of(owner.model), cast("Iterable[object]", few.texts))
    with progress("tuning", budget.trials, "trials", shown=bool(owner.verbose)) as advance:
        for attempt in search(space, rungs, seed, budget.may_try):
            budget.note()
            attempts.append(attempt)
            advance(1)
    return attempts


def _best(attempts: list[Attempt]) -> Judged:
    """Return the best trial of the last rung, the first of equals."""
    last = max(attempt.rung for attempt in attempts)
    found = [at.judged for at in attempts if at.rung == last and at.judged is not None]
    if not found:
        raise ValueError(
            "no way of reading the texts finds a term: they are empty, or stop words alone"
        )
    return max(found, key=lambda each: each.rank)


def _parameters(owner: "TextClassifier", best: Judged) -> dict[str, Any]:
    """Return the parameters of a TextClassifier that stand for settings."""
    reading = best.candidate.reading
    parameters: dict[str, Any] = {
        "model": _model(owner, best),
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


def _model(owner: "TextClassifier", best: Judged) -> BaseEstimator:
    """Return an unfitted estimator."""
    prior = best.candidate.prior
    if prior is None:
        kind = ComplementNB if best.candidate.model == "complement" else MultinomialNB
        model = kind(alpha=best.strength)
    else:
        model = NBLogisticRegression(
            C=best.strength,
            alpha=prior.alpha,
            floor=prior.floor,
            lean=_short(best.lean),
            temperature=_short(best.outcome.temperature),
            random_state=owner.random_state,
        )
    return model.set_params(class_weight=owner.class_weight, n_jobs=owner.n_jobs)


def _short(number: float) -> float:
    return float(f"{number:.{DIGITS}g}")


def _call(found: "TextClassifier") -> str:
    """Return Python that makes a TextClassifier, with the parameters that are not the default."""
    settings = _given(found)
    model = settings.pop("model")
    options = [f"{name}={_shown(value)}" for name, value in _given(model).items()]
    parts = [f"{type(model).__name__}({', '.join(options)})"]
    parts += [f"{name}={_shown(value)}" for name, value in settings.items()]
    return f"TextClassifier({', '.join(parts)})"


def _given(estimator: BaseEstimator) -> dict[str, Any]:
    """Return the parameters that are not the default, but for those that change no result."""
    default = type(estimator)().get_params(deep=False)
    given = estimator.get_params(deep=False)
    return {
        name: value
        for name, value in given.items()
        if name not in ("n_jobs", "verbose") and not _is_same(value, default[name])
    }


def _is_same(value: object, default: object) -> bool:
    return value is default or (type(value) is type(default) and value == default)


def _shown(value: object) -> str:
    """Return a value as Python; functions by their names."""
    return getattr(value, "__name__", "") if callable(value) else repr(value)


def _trial(attempt: Attempt, seconds: float) -> TunedTrial:
    candidate, judged = attempt.candidate, attempt.judged
    parameters: dict[str, float] = {}
    if judged is not None and candidate.prior is None:
        parameters = {"alpha": judged.strength}
    elif judged is not None and candidate.prior is not None:
        prior = candidate.prior
        parameters = {"C": judged.strength, "alpha": prior.alpha, "floor": prior.floor}
        parameters |= {"lean": judged.lean, "temperature": judged.outcome.temperature}
    return TunedTrial(
        candidate.model,
        candidate.reading,
        candidate.weighting,
        parameters,
        attempt.rung,
        attempt.n_documents,
        None if judged is None else judged.value,
        None if judged is None else judged.outcome.mean,
        seconds,
    )
