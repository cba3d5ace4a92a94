"""Choosing how to read text and how strong the penalty is, on held-out documents.

Candidates are compared by the log loss of held-out documents, each at its best temperature, so that
a candidate is not preferred for being more or less sure of itself. First comes how text is read,
on a sample if there is much text: by which words, and whether by characters beside them. Then come
how far weights lean to those of naive Bayes, and a path over the strength of the penalty, from
strong to weak, each fit started from the last. Of that path the strongest penalty is taken whose
loss is within one standard error of the least.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from wordodds._border.execution import Execution
from wordodds.classifier.cross_validation import (
    HASHED_CELLS_MAX,
    Counts,
    Examples,
    HeldOut,
    Outcome,
    has_terms,
)
from wordodds.classifier.documents import SAMPLE_SMALL, Count, Documents, can_hold_out
from wordodds.classifier.named_models import Kind, Weighting
from wordodds.classifier.reading import (
    MANY,
    Change,
    Reading,
    given_words,
    plain_reading,
    with_characters,
    word_readings,
)
from wordodds.classifier.sample import sampled, stratified_folds
from wordodds.linear.ratio import RatioPrior

if TYPE_CHECKING:
    from wordodds.classifier.text_classifier import TextClassifier

__all__ = ["Choice", "Trial", "choose"]

SEED = 0  # of the order in which rows are visited
# Characters of text above which sequences of them are not features unless asked for: they take
# several times the time and memory of words.
CHARACTERS_MOST = 1 << 22
PATH = tuple(float(f"{10.0 ** (k / 2):.1g}") for k in range(-3, 7))  # C: 0.03, 0.1, ... 1000
SCREENED = (1.0, 10.0)  # C by which ways of reading are compared
LEANS = (0.0, 0.5, 1.0)  # shares of the scale at which naive Bayes predicts held-out labels best
FIRST_LEAN = 0.5
# Pseudo-count of the log-count ratios where rare words mislead, as with many wrong labels.
CAUTIOUS_ALPHA = 2.0
# With a C below this divided by the number of documents, the intercept alone is learnt; with one
# above the number of documents a few of them are separated at any cost.
LEAST_EVIDENCE = 10.0
# Below FEW documents each of five folds is held out, from there on two of four; and one of four
# where entries times columns of weights exceed LARGE, to save time.
FEW, LARGE = 2000, 4e6


class Trial(NamedTuple):
    """A candidate and its loss on held-out documents.

    Attributes
    ----------
    reading : Reading
        Analyzer, token pattern, lengths of sequences, min_df, and whether text is lower-cased.
    alpha, lean, C : float
        As in `NBLogisticRegression`.
    temperature : float
        What scores are divided by.
    log_loss : float
        Mean of -log p(label) over held-out documents, in nats.
    n_documents : int
        Documents that it was learnt from and judged on.
    """

    reading: Reading
    alpha: float
    lean: float
    C: float
    temperature: float
    log_loss: float
    n_documents: int


class Choice(NamedTuple):
    """Settings chosen on held-out documents.

    Attributes
    ----------
    reading, alpha, lean, C, temperature
        As in `Trial`.
    log_loss : float or None
        As in `Trial`; None if nothing could be held out.
    trials : tuple of Trial
        All candidates, in the order in which they were tried.
    why_characters : str
        Whether sequences of characters are features beside the words, and why, such as
        "no: as asked".
    """

    reading: Reading
    alpha: float
    lean: float
    C: float
    temperature: float
    log_loss: float | None
    trials: tuple[Trial, ...]
    why_characters: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for a model file and for programs."""
        chosen = {"alpha": self.alpha, "lean": self.lean, "C": self.C}
        rest = {
            "why_characters": self.why_characters,
            "temperature": self.temperature,
            "log_loss": self.log_loss,
        }
        trials = [{**trial.reading.to_dict(), **trial._asdict()} for trial in self.trials]
        for trial in trials:
            del trial["reading"]
        return {**self.reading.to_dict(), **chosen, **rest, "trials": trials}


def choose(
    documents: Documents,
    parameters: "TextClassifier",
    kind: Kind,
    weighting: Weighting,
    count: Count,
    prior: RatioPrior,
    how: Execution,
    *,
    is_whole: bool = True,
) -> Choice:
    """Return the reading, the lean and the C that suit some documents.

    `count` is a function of texts and a `Reading` that returns their counts, or raises ValueError
    if there is no term. Where candidates differ in min_df alone, it is called once, with
    1. `is_whole` is whether these are all documents of the fit. Options of `parameters` that are
    given are not chosen.
    """
    search = _Search(parameters, weighting, count, prior, how)
    why_fixed = _why_fixed(parameters, documents, is_whole=is_whole)
    cells = (parameters.n_hashed or 0) * len(documents.classes)
    if not can_hold_out(documents) or cells > HASHED_CELLS_MAX:
        reading = plain_reading(parameters, kind, len(documents))
        return _unchosen(reading, prior.alpha, why_fixed or "no: nothing can be held out")
    rows = sampled(documents.sizes, SAMPLE_SMALL)
    small = documents.taken(rows)
    if not can_hold_out(small):
        small = documents
    is_sample = not is_whole or len(small) < len(documents)
    first, changes = word_readings(parameters, kind, is_sample=is_sample)
    # How much rare words mislead depends on how many documents there are.
    alphas = [] if is_sample else [CAUTIOUS_ALPHA]
    screened = search.screen(small, first, changes, alphas, beside_characters=why_fixed is None)
    if screened is None:  # no term is left; the vectorizer's error gives the reason
        return _unchosen(first, prior.alpha, why_fixed or search.why_characters)
    return search.climb(documents, screened, why_fixed or search.why_characters)


class _Screened(NamedTuple):
    """The better of two values of C for a way of reading."""

    outcome: Outcome
    reading: Reading
    alpha: float
    scale: float  # at which naive Bayes predicts held-out labels best
    share: float  # of that scale
    C: float


class _Search:
    """What all candidates share, and the trials so far."""

    def __init__(
        self,
        parameters: "TextClassifier",
        weighting: Weighting,
        count: Count,
        prior: RatioPrior,
        how: Execution,
    ) -> None:
        self._weighting, self._count, self._prior, self._how = weighting, count, prior, how
        self._use_idf = parameters.n_hashed is None
        self._trials: list[Trial] = []
        self.why_characters = "no: they add no term"
        self._folds: dict[int, tuple[int, Sequence[int]]] = {}
        # Only the last of each is kept, as they are large.
        self._counted: tuple[Any, Counts | None] = (None, None)
        self._held: tuple[Any, HeldOut | None] = (None, None)

    def screen(
        self,
        documents: Documents,
        first: Reading,
        changes: Sequence[Change],
        alphas: Sequence[float],
        *,
        beside_characters: bool,
    ) -> _Screened | None:
        """Make the changes that pay, one after the other; return None if no term is left."""
        best = self._try(documents, first, self._prior.alpha)
        if best is None:
            return None
        # Of few documents the standard error is too wide to ever allow a change.
        within = _is_within if len(documents) >= MANY else _is_best
        for change in changes:
            other = self._try(documents, change(best.reading), best.alpha)
            best = _better(best, other, within)
        if beside_characters:
            best = self._beside_characters(documents, best)
        for alpha in alphas:
            best = _better(best, self._try(documents, best.reading, alpha), within)
        for share in LEANS if best.scale > 0.0 else ():
            if share != FIRST_LEAN:
                other = self._try(documents, best.reading, best.alpha, share)
                best = _better(best, other, within)
        return best

    def climb(self, documents: Documents, screened: _Screened, characters: str) -> Choice:
        """Choose C on a path from a strong penalty to a weak one, from a tenth of a rough C on."""
        _, reading, alpha, _, share, start = screened
        held = self._held_out(documents, reading, alpha, is_final=True)
        if held is None:
            return _unchosen(reading, alpha, characters, tuple(self._trials))
        lean = share * held.bayes_scale() if share > 0.0 else 0.0
        held.start(lean)
        path: list[tuple[float, Outcome]] = []
        for C in _path(len(documents), 0.1 * start if start > SCREENED[0] else 0.0):
            outcome = held.fit(C)
            path.append((C, outcome))
            self._note(reading, alpha, lean, C, outcome, documents)
            if _has_turned(path):
                break
        best = min(path, key=lambda at: at[1].mean)[1]
        # Losses that overflow are within nothing; the fit has the error for them.
        C, chosen = next(((C, at) for C, at in path if _is_within(at, best)), path[0])
        trials = tuple(self._trials)
        facts = chosen.temperature, chosen.mean, trials, characters
        return Choice(reading, alpha, lean, C, *facts)

    def _beside_characters(self, documents: Documents, words: _Screened) -> _Screened:
        """Put characters beside words, unless words alone are better by a standard error."""
        both = self._try(documents, with_characters(words.reading), words.alpha)
        if both is None:
            return words
        excess, error = both.outcome.excess(words.outcome)
        losses = f"log loss {both.outcome.mean:.4f} with them, {words.outcome.mean:.4f} without"
        self.why_characters = f"{'no' if excess > error else 'yes'}: {losses}"
        if 0.0 < excess <= error:
            self.why_characters += " (less than a standard error apart)"
        return words if excess > error else both

    def _try(
        self, documents: Documents, reading: Reading, alpha: float, share: float = FIRST_LEAN
    ) -> _Screened | None:
        """Return the better of two values of C; None if the reading finds no term."""
        held = self._held_out(documents, reading, alpha)
        if held is None:
            return None
        scale = held.bayes_scale()
        held.start(share * scale)
        outcomes = []
        for C in SCREENED:
            outcomes.append((C, held.fit(C)))
            self._note(reading, alpha, share * scale, *outcomes[-1], documents)
        C, outcome = min(outcomes, key=lambda at: at[1].mean)
        return _Screened(outcome, reading, alpha, scale, share, C)

    def _note(
        self,
        reading: Reading,
        alpha: float,
        lean: float,
        C: float,
        outcome: Outcome,
        documents: Documents,
    ) -> None:
        facts = outcome.temperature, outcome.mean, len(documents)
        self._trials.append(Trial(reading, alpha, lean, C, *facts))

    def _held_out(
        self, documents: Documents, reading: Reading, alpha: float, *, is_final: bool = False
    ) -> HeldOut | None:
        """Return held-out parts by a reading; None if it finds no term."""
        key = len(documents), reading.key, alpha
        if self._held[0] != key:
            self._held = (None, None)
            self._held = key, self._new_held_out(documents, reading, alpha, is_final)
        return self._held[1]

    def _new_held_out(
        self, documents: Documents, reading: Reading, alpha: float, is_final: bool
    ) -> HeldOut | None:
        counts = self._counts(documents, reading, is_final)
        if counts is None or not has_terms(counts, reading.min_df):
            return None
        examples = Examples(
            counts.matrix,
            documents.codes,
            documents.weights,
            len(documents.classes),
            self._weighting,
            self._use_idf,
            counts.view_begins,
        )
        # The same documents are held out for all candidates: their losses are compared one by one.
        n_folds, folds = self._folds.setdefault(len(documents), _folds_for(examples))
        fold_of = stratified_folds(documents.codes, n_folds)
        masks = [fold_of == fold for fold in folds]
        prior = self._prior._replace(alpha=alpha)
        held = HeldOut(examples, reading.min_df, masks, prior, SEED, self._how)
        return held if len(held.documents) else None

    def _counts(self, documents: Documents, reading: Reading, is_final: bool) -> Counts | None:
        """Count documents; once for all candidates that differ in min_df alone."""
        if not is_final and reading.min_df is not None:
            reading = reading._replace(min_df=1)
        key = len(documents), reading.key, is_final
        if self._counted[0] != key:
            self._counted = (None, None)
            try:
                self._counted = key, self._count(documents.texts, reading)
            except ValueError:
                self._counted = key, None
        return self._counted[1]


def _why_fixed(parameters: "TextClassifier", documents: Documents, *, is_whole: bool) -> str | None:
    """Return why characters are not for held-out documents to decide; None if they are."""
    if parameters.characters is not None:
        return f"{'yes' if parameters.characters else 'no'}: as asked"
    given = given_words(parameters)
    if given is not None:
        return f"no: {given} is given"
    if documents.sizes.sum() > CHARACTERS_MOST:
        return f"no: more than {CHARACTERS_MOST:,} characters of text"
    return None if is_whole else "no: settings are chosen on a sample of the documents"


def _unchosen(
    reading: Reading, alpha: float, characters: str, trials: tuple[Trial, ...] = ()
) -> Choice:
    """Return the settings to use where nothing could be held out."""
    return Choice(reading, alpha, 0.0, SCREENED[-1], 1.0, None, trials, characters)


def _better(
    best: _Screened, other: _Screened | None, within: Callable[[Outcome, Outcome], bool]
) -> _Screened:
    """Return the other if it is better beyond the margin."""
    if other is None or within(best.outcome, min(best.outcome, other.outcome, key=_mean)):
        return best
    return other


def _path(n_documents: int, least: float) -> list[float]:
    """Return the values of C of a path: those that the documents can tell apart."""
    low, high = max(least, LEAST_EVIDENCE / n_documents), max(float(n_documents), SCREENED[0])
    return [C for C in PATH if low <= C <= high] or [SCREENED[0]]


def _folds_for(examples: Examples) -> tuple[int, Sequence[int]]:
    """Return the number of folds, and those to hold out: more of them if documents are few."""
    if examples.counts.nnz * examples.n_columns > LARGE:
        return 4, (3,)
    return (5, range(5)) if examples.counts.shape[0] < FEW else (4, (2, 3))


def _mean(outcome: Outcome) -> float:
    return outcome.mean


def _is_best(outcome: Outcome, best: Outcome) -> bool:
    return outcome is best


def _is_within(outcome: Outcome, best: Outcome) -> bool:
    """Return whether a mean loss is within one standard error of the least."""
    excess, error = outcome.excess(best)
    return excess <= error


def _has_turned(path: list[tuple[float, Outcome]]) -> bool:
    """Return whether the last step to a weaker penalty helped by less than a standard error."""
    return len(path) >= 2 and _is_within(path[-2][1], path[-1][1])
