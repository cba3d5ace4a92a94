"""Explanations: what each feature of one text adds to the log-odds, and where it stands."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from wordodds._border.documents import as_strings
from wordodds._border.execution import execution
from wordodds._border.views import feature_name
from wordodds.model.explanation import Contribution, Explanation, exact_sum, spread
from wordodds.model.fasttext.explain import explain_fasttext
from wordodds.model.features import TextFeatures
from wordodds.model.linear_model import LinearModel
from wordodds.typing import Floats, Label

__all__ = ["explain"]
Pieces: TypeAlias = Sequence[tuple[int, int]]

_CHARACTERS_MAX = 200_000_000  # of all n-grams of a text, each of which becomes a string


def explain(
    model: LinearModel, text: str | bytes, label: Label | None, against: Label | None
) -> Explanation:
    """Return why a text has its log-odds, as `LinearModel.explain` promises."""
    if not isinstance(text, str | bytes):
        raise TypeError(f"text must be one str, got {type(text).__name__}: explain one at a time")
    text = str(text) if isinstance(text, str) else text  # the compiled analyzer takes no subclass
    if label is None:
        label = model.predict([text])[0]
    contrast = model.contrast(label, against)
    features = model.features
    (document,) = as_strings(features.documents([text], 1))
    if features.fasttext is not None:
        return explain_fasttext(model, document, label, against)
    for view in features.views:
        if "analyzer" not in view.callables:
            _check_size(len(document), *view.ngram_range)
    found = features.found_in(document)
    counts = Counter(_names_of(features, found))
    names = list(counts)
    numbers = np.array([counts[name] for name in names], dtype=np.float64)
    contributions = _contributions(model, names, numbers, contrast)
    each = dict(zip(names, (contributions / numbers).tolist(), strict=True))
    known = contributions != 0.0
    shown = text if isinstance(text, str) else document
    occurrences: list[tuple[float, Pieces]] = []
    summary = _Summary() if features.beside else None
    for view, of_view in zip(features.views, found, strict=True):
        odds = [each[name] for name in _names_of_view(features, view, of_view)]
        seen, more = _occurrences(
            view, features.options is not None, shown, document, of_view, odds
        )
        if summary is not None and view.analyzer == "char_wb" and more:
            words = _around([place for _, (place,) in more], seen)
            more = [(value, [word]) for (value, _), word in zip(more, words, strict=True)]
            summary.add_words(words, odds, seen, str.lower if view.lowercase else str)
        elif summary is not None:
            # A word may be spelt as a sequence of characters.
            is_word = view.analyzer not in ("char", "char_wb")
            called = of_view if is_word else _names_of_view(features, view, of_view)
            summary.add_features(called, odds)
        # All views point at places of one text: that which the first one shows.
        if not occurrences or seen == shown:
            shown, occurrences = seen, occurrences + more
    return Explanation(
        text=shown,
        label=label,
        against=against,
        bias=float(model.bias @ contrast),
        contributions=[
            Contribution(name, count, value)
            for name, count, value, is_known in zip(
                names, numbers.tolist(), contributions.tolist(), known.tolist(), strict=True
            )
            if is_known
        ],
        spans=spread(occurrences, len(shown)),
        summary=None if summary is None else summary.parts(),
    )


class _Summary:
    """Contributions of several views for people, by what is called the same."""

    def __init__(self) -> None:
        self._odds: dict[str, list[float]] = {}
        self._counts: Counter[str] = Counter()

    def add_features(self, names: list[str], odds: list[float]) -> None:
        """Add occurrences of features by their names."""
        for name, value in zip(names, odds, strict=True):
            self._odds.setdefault(name, []).append(value)
            self._counts[name] += 1

    def add_words(
        self, words: Pieces, odds: list[float], text: str, read: Callable[[str], str]
    ) -> None:
        """Add sequences of characters by the words that they stand in."""
        names = {word: f"characters of {read(text[slice(*word)]) or 'spaces'}" for word in words}
        self._counts.update(names.values())
        for word, value in zip(words, odds, strict=True):
            self._odds.setdefault(names[word], []).append(value)

    def parts(self) -> list[Contribution]:
        """Return the sums that are not zero."""
        sums = ((name, exact_sum(odds)) for name, odds in self._odds.items())
        return [Contribution(name, self._counts[name], total) for name, total in sums if total]


def _around(places: Pieces, text: str) -> Pieces:
    """Return pieces of a text, each widened to what stands between white space."""
    words = [found.span() for found in re.finditer(r"\S+", text)]
    begins = [begin for begin, _ in words]
    return [
        (begin, end) if begin == end else words[bisect_right(begins, begin) - 1]
        for begin, end in places
    ]


def _names_of(features: TextFeatures, found: list[list[str]]) -> list[str]:
    """Return what people call each feature that was found."""
    return [
        name
        for view, of_view in zip(features.views, found, strict=True)
        for name in _names_of_view(features, view, of_view)
    ]


def _names_of_view(features: TextFeatures, view: TextFeatures, found: list[str]) -> list[str]:
    return [feature_name(view.view, feature) for feature in found] if features.beside else found


def _check_size(n_characters: int, shortest: int, longest: int) -> None:
    """Refuse a text whose n-grams, of characters or words, would not fit the memory."""
    longest = min(longest, n_characters)
    # Each character lies in at most n of the n-grams of one length.
    times = (shortest + longest) * (longest - shortest + 1) // 2 if shortest <= longest else 0
    if n_characters * times > _CHARACTERS_MAX:
        raise ValueError(
            f"the n-grams of text, {shortest} to {longest} long, have up to "
            f"{n_characters * times:,} characters, more than the {_CHARACTERS_MAX:,} that explain "
            f"lists: pass a part of text, up to {_CHARACTERS_MAX // times:,} characters"
        )


def _contributions(
    model: LinearModel, names: list[str], counts: Floats, contrast: Floats
) -> Floats:
    """Return what each distinct feature adds; those that share a column share what it adds."""
    features = model.features
    indptr, columns, signs = features.rows_of(map(features.by_name, names))
    place = np.flatnonzero(np.diff(indptr))  # the features that have a column
    if len(place) == 0:
        return np.zeros(len(names))
    signed = signs * counts[place]
    used, which = np.unique(columns, return_inverse=True)
    in_column: Floats = np.bincount(which, weights=signed, minlength=len(used)).astype(np.float64)
    values = features.weighed(np.array([0, len(used)]), used, in_column)
    added = model._weights.along(contrast, used) * values
    # A column's features share it by their counts; where signs cancel, evenly.
    share_of = np.where(in_column == 0.0, np.bincount(which, weights=counts[place]), in_column)
    share = np.where(in_column[which] == 0.0, counts[place], signed) / share_of[which]
    contributions = np.zeros(len(names))
    contributions[place] = added[which] * share
    return contributions


def _occurrences(
    view: TextFeatures,
    is_compiled: bool,
    shown: str,
    document: str,
    found: list[str],
    odds: list[float],
) -> tuple[str, list[tuple[float, Pieces]]]:
    """Return the text to show, and each occurrence of a feature with its pieces of that text."""
    if not is_compiled:
        return shown, []
    read = str.lower if view.lowercase else str
    if view.analyzer in ("word", "unicode_word"):
        assert view.own_options is not None
        words = view.own_options.single_words().features(document, *execution(1))
        candidates = (shown, document, " ".join(words))
        text, places = _words_in_order(words, candidates, read, view.analyzer == "word")
        # n-grams of one length after the other, each over consecutive words
        shortest, longest = view.ngram_range
        pieces: list[Pieces] = [
            places[i : i + n]
            for n in range(shortest, longest + 1)
            for i in range(len(places) - n + 1)
        ]
    else:
        text, places = _ngrams_in_order(found, (shown, document), read, view)
        pieces = [[place] for place in places]
    if len(pieces) != len(found):
        return shown, []
    return text, list(zip(odds, pieces, strict=True))


def _words_in_order(
    words: list[str], texts: Sequence[str], read: Callable[[str], str], whole: bool
) -> tuple[str, list[tuple[int, int]]]:
    """Return the first of the texts that has all words, in order, and where they stand.

    ``whole``: a word is a run of word characters, and never a part of one, or a punctuation mark.
    """
    for text, searched in _readable(texts, read):
        places: list[tuple[int, int]] = []
        at = 0
        for word in words:
            begin = searched.find(word, at)
            alone = whole and _is_word_character(word[:1])
            while begin >= 0 and alone and not _stands_alone(searched, begin, begin + len(word)):
                begin = searched.find(word, begin + 1)
            if begin < 0:
                break
            at = begin + len(word)
            places.append((begin, at))
        if len(places) == len(words):
            return text, places
    return texts[0], []


def _ngrams_in_order(
    ngrams: list[str], texts: Sequence[str], read: Callable[[str], str], view: TextFeatures
) -> tuple[str, list[tuple[int, int]]]:
    """Return the same for n-grams of characters, which overlap."""
    place = _places_within_words if view.analyzer == "char_wb" else _places_of_characters
    for text, searched in _readable(texts, read):
        found, places = place(searched, *view.ngram_range)
        if found == ngrams:
            return text, places
    return texts[0], []


def _places_within_words(
    text: str, shortest: int, longest: int
) -> tuple[list[str], list[tuple[int, int]]]:
    """Return n-grams within words, which have a space on either side, and where they stand."""
    ngrams: list[str] = []
    places: list[tuple[int, int]] = []
    for found in re.finditer(r"\S+", text):
        begin, end = found.span()
        word = f" {found[0]} "
        for n in range(shortest, longest + 1):
            starts = range(max(1, len(word) - n + 1))
            ngrams += [word[i : i + n] for i in starts]
            places += [(max(begin, begin + i - 1), min(end, begin + i - 1 + n)) for i in starts]
            if len(word) <= n:  # a short word is one n-gram, once
                break
    return ngrams, places


def _places_of_characters(
    text: str, shortest: int, longest: int
) -> tuple[list[str], list[tuple[int, int]]]:
    """Return n-grams of a text, in which white space in a row is one space, and where they are."""
    letters = list(re.finditer(r"\s\s+|.", text, re.DOTALL))
    shown = "".join(" " if len(found[0]) > 1 else found[0] for found in letters)
    begins = [*(found.start() for found in letters), len(text)]
    starts = [(i, n) for n in range(shortest, longest + 1) for i in range(len(shown) - n + 1)]
    return [shown[i : i + n] for i, n in starts], [(begins[i], begins[i + n]) for i, n in starts]


def _readable(texts: Sequence[str], read: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    """Give texts with what the analyzer sees of them, where positions are the same in both."""
    for text in texts:
        searched = read(text)
        if len(searched) == len(text):  # lower-casing may make two characters of one
            yield text, searched


def _stands_alone(text: str, begin: int, end: int) -> bool:
    before, after = text[begin - 1 : begin], text[end : end + 1]
    return not any(map(_is_word_character, (before, after)))


def _is_word_character(character: str) -> bool:
    return character.isalnum() or character == "_"
