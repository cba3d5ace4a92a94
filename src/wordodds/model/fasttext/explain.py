"""Explanations of fastText's models: what words, subwords and n-grams of words add to a score."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from wordodds._border.terms import pack_terms
from wordodds._core.text import fasttext_hash_terms
from wordodds.model.explanation import Contribution, Explanation, Overlaps, spread
from wordodds.model.fasttext.reading import FastTextReading, ReadWord
from wordodds.model.fasttext.stretches import Stretches, ngrams_by_length, subwords_by_length
from wordodds.model.linear_model import LinearModel
from wordodds.typing import Floats, Ints, Label

__all__ = ["explain_fasttext"]

# Of subwords, and of n-grams of words: those that get a name. A text of a page has fewer.
_FEATURES_MAX = 100_000
_CHARACTERS_MAX = 10_000_000  # of their names
_ROWS_AT_ONCE = 1 << 16


def explain_fasttext(
    model: LinearModel, text: str, label: Label, against: Label | None
) -> Explanation:
    """Return why a text has the log-odds that are a mean over fastText's features.

    All words are named, and of subwords and n-grams the 100,000 of each that add most; the others
    are one contribution. Takes time proportional to the number of features.
    """
    reading = model.features.fasttext
    assert reading is not None
    contrast = model.contrast(label, against)
    words = reading.read(text)
    features = _Features(reading, _weights_along(model, contrast, _n_hashed_max(reading, words)))
    of_words = _word_sums(features, words)
    of_subwords, overlaps = _subword_sums(features, words, len(text))
    of_ngrams, occurrences = _ngram_sums(features, words, of_words)
    n_features = max(features.n_features, 1)
    sums: dict[str, list[float]] = {}
    for name, count, value in (*of_words, *of_subwords, *of_ngrams):
        so_far = sums.setdefault(name, [0, 0.0])
        so_far[0] += count
        so_far[1] += value / n_features
    overlaps.divide(n_features)
    return Explanation(
        text=text,
        label=label,
        against=against,
        bias=float(model.bias @ contrast),
        contributions=[Contribution(name, *of_name) for name, of_name in sums.items()],
        spans=spread([(v / n_features, [place]) for v, place in occurrences], len(text), overlaps),
    )


class _Features:
    """The features of one text: how many there are, and what each adds before the mean."""

    def __init__(self, reading: FastTextReading, weights_of: Callable[[Any], Floats]) -> None:
        self.reading = reading
        self.weights_of = weights_of
        self.n_features = 0

    def weighed(self, found: Stretches) -> tuple[Stretches, Floats]:
        """Count the features of one length; return those that have weights, and these."""
        rows = self.reading.rows_of_buckets(found.number % self.reading.n_buckets)
        there = rows >= 0
        self.n_features += len(rows) if self.reading.absent_counts else int(there.sum())
        if not there.all():
            n, begin, number, key = found
            found = Stretches(n, begin[there], number[there], key[there])
        return found, self.weights_of(rows[there])


def _n_hashed_max(reading: FastTextReading, words: list[ReadWord]) -> int:
    n_characters = sum(word.end - word.begin + 2 for word in words if word.row < 0)
    return n_characters * reading.subwords[1] + len(words) * reading.word_ngrams


def _weights_along(model: LinearModel, contrast: Floats, n_wanted: int) -> Callable[[Ints], Floats]:
    """Return a function from rows to what each adds along a contrast."""
    starts = range(0, model.n_features, _ROWS_AT_ONCE)
    if n_wanted < model.n_features:
        return lambda rows: model._weights.along(contrast, rows)
    # Each row once, rather than again and again.
    blocks = (slice(first, first + _ROWS_AT_ONCE) for first in starts)
    parts = [model._weights.along(contrast, block) for block in blocks]
    return np.concatenate([np.zeros(0), *parts]).__getitem__


def _word_sums(features: _Features, words: list[ReadWord]) -> list[tuple[str, int, float]]:
    """Return each known word with what it adds."""
    known = [word for word in words if word.row >= 0]
    rows = np.array([word.row for word in known], dtype=np.int64)
    features.n_features += int(features.reading.words[rows, 1].sum(dtype=np.int64))
    values = features.weights_of(rows).tolist()
    return [(word.text, 1, value) for word, value in zip(known, values, strict=True)]


def _subword_sums(
    features: _Features, words: list[ReadWord], n_characters: int
) -> tuple[Iterator[tuple[str, int, float]], Overlaps]:
    """Return the subwords of unknown words with what they add, and that as laid over the text."""
    shortest, longest = features.reading.subwords
    unknown = [word for word in words if word.row < 0 and not word.is_end]
    overlaps = Overlaps(n_characters)
    largest = _Largest()
    if longest == 0 or features.reading.n_buckets == 0 or not unknown:
        return largest.named(lambda _, __: ""), overlaps
    padded = "".join(f"<{word.text}>" for word in unknown)
    sizes = np.array([len(word.text) + 2 for word in unknown], dtype=np.int64)
    ends = np.repeat(np.cumsum(sizes), sizes)
    starts = ends - np.repeat(sizes, sizes)
    # From a place in the padded words to the one in the text.
    shift = np.repeat([word.begin - 1 for word in unknown], sizes) - starts
    for stretches in subwords_by_length(padded, ends, shortest, longest):
        found, values = features.weighed(stretches)
        n, begin = found.length, found.begin
        first = np.maximum(begin, starts[begin] + 1) + shift[begin]
        last = np.minimum(begin + n, ends[begin] - 1) + shift[begin]
        overlaps.add(first, last, values)
        largest.add(found, values, np.full(len(begin), n))
    return largest.named(lambda begin, n: padded[begin : begin + n]), overlaps


def _ngram_sums(
    features: _Features, words: list[ReadWord], of_words: list[tuple[str, int, float]]
) -> tuple[Iterator[tuple[str, int, float]], list[tuple[float, tuple[int, int]]]]:
    """Return the n-grams with what they add, and what words and n-grams add to each word."""
    largest = _Largest()
    own = np.zeros(len(words))
    covered = np.array([word.row >= 0 for word in words], dtype=bool)
    own[covered] = [value for _, _, value in of_words]
    longest = features.reading.word_ngrams
    if longest > 1 and features.reading.n_buckets > 0:
        texts = [word.text for word in words]
        distinct = {text: identity for identity, text in enumerate(dict.fromkeys(texts))}
        identities = np.array([distinct[text] for text in texts], dtype=np.int64)
        arena, offsets = pack_terms(distinct)
        hashes = fasttext_hash_terms(np.frombuffer(arena, dtype=np.uint8), offsets)[identities]
        shown = np.cumsum([0, *(word.begin < word.end for word in words)])
        size = np.cumsum([0, *(len(text) + 1 for text in texts)])
        # What begins and ends at each word; the running sum is what lies over it.
        steps, depth = np.zeros(len(words) + 1), np.zeros(len(words) + 1, dtype=np.int64)
        for stretches in ngrams_by_length(hashes, identities, longest):
            found, values = features.weighed(stretches)
            begin, end = found.begin, found.begin + found.length
            share = values / (shown[end] - shown[begin]).clip(1)
            np.add.at(steps, begin, share)
            np.subtract.at(steps, end, share)
            np.add.at(depth, begin, 1)
            np.subtract.at(depth, end, 1)
            largest.add(found, values, size[end] - size[begin])
        own += np.cumsum(steps, dtype=np.longdouble)[:-1].astype(np.float64)
        covered |= np.cumsum(depth)[:-1] > 0
    occurrences = [
        (value, (word.begin, word.end))
        for word, value, is_covered in zip(words, own.tolist(), covered.tolist(), strict=True)
        if is_covered
    ]
    return largest.named(lambda i, n: " ".join(w.text for w in words[i : i + n])), occurrences


class _Largest:
    """The features that add most, of any number of them, and the sum of the others."""

    def __init__(self) -> None:
        self._columns: list[tuple[Any, ...]] = []  # begin, length, count, value, size of the name
        self._n_held = 0
        self._n_left, self._value_left = 0, 0.0

    def add(self, found: Stretches, values: Floats, sizes: Ints) -> None:
        """Take the features of one length."""
        _, first, which = np.unique(found.key, return_index=True, return_inverse=True)
        counts, sums = np.bincount(which), np.bincount(which, weights=values)
        lengths = np.full(len(first), found.length)
        self._columns.append((found.begin[first], lengths, counts, sums, sizes[first]))
        self._n_held += len(first)
        if self._n_held > 2 * _FEATURES_MAX:
            self._drop_small()

    def _drop_small(self) -> None:
        if not self._columns:
            return
        columns = [np.concatenate(parts) for parts in zip(*self._columns, strict=True)]
        order = np.argsort(-np.abs(columns[3]), kind="stable")
        fits = np.cumsum(columns[4][order]) <= _CHARACTERS_MAX
        fits[_FEATURES_MAX:] = False
        left = order[~fits]
        self._n_left += int(columns[2][left].sum())
        self._value_left += float(columns[3][left].sum())
        kept = np.sort(order[fits])
        self._columns = [tuple(column[kept] for column in columns)]
        self._n_held = len(kept)

    def named(self, name_of: Callable[[int, int], str]) -> Iterator[tuple[str, int, float]]:
        """Yield name, count and sum of the largest, and of the others together."""
        self._drop_small()
        for begin, length, count, value, _ in self._columns:
            columns = (begin.tolist(), length.tolist(), count.tolist(), value.tolist())
            for at, n, n_times, total in zip(*columns, strict=True):
                yield name_of(at, n), n_times, total
        if self._n_left:
            yield "<other subwords and n-grams>", self._n_left, self._value_left
