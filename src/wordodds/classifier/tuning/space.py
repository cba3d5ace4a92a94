"""The settings that a search tries: a value for each of some dimensions."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from wordodds.classifier.named_models import Kind, ModelName, Weighting
from wordodds.classifier.reading import (
    LENGTHS,
    OF_CHARACTERS,
    PUNCTUATION,
    WORDS,
    Lengths,
    Reading,
    analyzers_of,
    given_words,
    plain_reading,
    with_characters,
)
from wordodds.typing import NgramRange

if TYPE_CHECKING:
    from wordodds.classifier.text_classifier import TextClassifier

__all__ = ["TUNED", "Candidate", "Point", "Prior", "Space", "space_of"]

BAYES: tuple[ModelName, ...] = ("complement", "naive_bayes")
TUNED: tuple[ModelName, ...] = ("nb_logistic", *BAYES)

# What is tried where nothing is given; the first of each is where the search begins.
TOKENS = (PUNCTUATION, WORDS)
WORD_LENGTHS: tuple[NgramRange, ...] = ((1, 2), (1, 1), (1, 3))
CHARACTER_LENGTHS: tuple[NgramRange, ...] = (LENGTHS, (3, 5), (1, 4), (2, 4))
CASES = (True, False)  # whether text is lower-cased
MIN_DFS = (1, 2)
WEIGHTINGS: tuple[Weighting, ...] = ("sublinear_tfidf", "tfidf", "binary", "counts")
ALPHAS, FLOORS, SHARES = (0.5, 2.0, 0.1), (2.0, 0.5, 8.0), (0.5, 0.0, 1.0)

Point: TypeAlias = Mapping[str, Any]
"""A value for each dimension."""


class Prior(NamedTuple):
    """The prior of NBLogisticRegression, but for its strength."""

    alpha: float
    floor: float
    share: float  # of the scale at which naive Bayes predicts best; lean is their product


class Candidate(NamedTuple):
    """Settings to try, but for the one that a path is tried of: C, or alpha of naive Bayes."""

    model: ModelName
    reading: Reading
    weighting: Weighting
    prior: Prior | None  # None for naive Bayes

    @property
    def key(self) -> tuple[object, ...]:
        """A key that differs between candidates."""
        return (*self, *self.reading.key)


class Space(NamedTuple):
    """The values of each dimension, and what they make of a reading."""

    base: Reading  # the given settings, and anything where none is given
    values: Mapping[str, tuple[Any, ...]]

    def at(self, point: Point) -> Candidate:
        """Return the candidate at a point."""
        reading = self.base._replace(
            **{name: point[name] for name in Reading._fields if name in point}
        )
        if "word_lengths" in point or "character_lengths" in point:
            reading = reading._replace(ngram_range=self._lengths(point))
        if point.get("beside") is not None:
            reading = with_characters(reading, point["beside"])
        prior = None
        if point["model"] not in BAYES:
            prior = Prior(*(point[name] for name in Prior._fields))
        return Candidate(point["model"], reading, point["weighting"], prior)

    def _lengths(self, point: Point) -> Lengths:
        """Return lengths of sequences for each analyzer of the base."""
        lengths = tuple(
            point["character_lengths" if name in OF_CHARACTERS else "word_lengths"]
            for name in analyzers_of(self.base.analyzer)
        )
        return lengths if isinstance(self.base.analyzer, tuple) else lengths[0]

    def first(self) -> Point:
        """Return the point at which a search begins."""
        return {name: values[0] for name, values in self.values.items()}

    def neighbours(self, point: Point, n_changes: int) -> Iterator[Point]:
        """Yield the points that differ in a number of dimensions."""
        for names in combinations(self.values, n_changes):
            others = [[v for v in self.values[name] if v != point[name]] for name in names]
            for values in product(*others):
                yield {**point, **dict(zip(names, values, strict=True))}

    def anywhere(self, rng: np.random.Generator) -> Point:
        """Return a random point."""
        return {name: values[rng.integers(len(values))] for name, values in self.values.items()}


def space_of(parameters: "TextClassifier", kind: Kind, texts: Iterable[object]) -> Space:
    """Return what to try for a TextClassifier on texts such as these.

    Options that are given have one value.
    """
    base = plain_reading(parameters, kind, 0)
    name: ModelName = parameters.model
    is_open = name == "nb_logistic" and parameters.C is None
    values: dict[str, tuple[Any, ...]] = {"model": (name, *BAYES) if is_open else (name,)}
    if base.token_pattern is not None and parameters.token_pattern is None:
        values["token_pattern"] = TOKENS
    is_compiled = not callable(base.analyzer)
    if is_compiled and parameters.ngram_range is None:
        of_characters = [name in OF_CHARACTERS for name in analyzers_of(base.analyzer)]
        if not all(of_characters):
            values["word_lengths"] = WORD_LENGTHS
        if any(of_characters):
            values["character_lengths"] = CHARACTER_LENGTHS
    if parameters.characters is None and given_words(parameters) is None:
        # Characters beside words, of these lengths; None for words alone.
        values["beside"] = (CHARACTER_LENGTHS[0], None, *CHARACTER_LENGTHS[1:])
    is_lowered = is_compiled and parameters.lowercase is True and parameters.preprocessor is None
    if is_lowered and _has_capitals(texts):
        values["lowercase"] = CASES
    if base.min_df is not None and parameters.min_df is None:
        values["min_df"] = MIN_DFS
    given = parameters.weighting
    values["weighting"] = WEIGHTINGS if given is None else (given,)
    if name not in BAYES:
        values |= {"alpha": ALPHAS, "floor": FLOORS, "share": SHARES}
    return Space(base, values)


def _has_capitals(texts: Iterable[object]) -> bool:
    return any(isinstance(text, str | bytes) and text != text.lower() for text in texts)
