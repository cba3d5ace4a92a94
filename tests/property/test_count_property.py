"""CountVectorizer against scikit-learn and collections.Counter over all of Unicode."""

import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer as Peer

from wordodds import CountVectorizer

from ..code_points import BLOCK, STARTS

# Characters whose treatment hangs on their neighbours or on a table's edge.
TRICKY = (
    "Σσς\u0130\u0307\u0345\u00ad'’.:·_٠ǅßﬀⅧªͺ\u200d\ud800\udfff\U0001e900\U0010ffff\x00\ufeff aA1"
)
characters = st.one_of(
    st.sampled_from(TRICKY),
    st.characters(exclude_categories=()),  # every code point, surrogates included
    st.characters(categories=["Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Nd", "Nl", "No", "Cs"]),
)
texts = st.text(characters, max_size=40)


def words(text):
    return re.findall(r"(?u)\b\w\w+\b", text.lower())


def assert_counts(documents):
    expected = [Counter(words(document)) for document in documents]
    vocabulary = sorted(set().union(*expected))
    vectorizer = CountVectorizer()
    if not vocabulary:
        return
    matrix = vectorizer.fit_transform(documents)
    assert list(vectorizer.get_feature_names_out()) == vocabulary
    dense = matrix.toarray()
    for row, counter in enumerate(expected):
        assert {vocabulary[j]: dense[row, j] for j in np.flatnonzero(dense[row])} == counter


@given(st.lists(texts, min_size=1, max_size=6))
@example(["ΑΣ", "ΑΣ.", "ΑΣ.Β", "Σ", "'Σ'", "Α'Σ'Β", "ΑΣΣ", "ΑΣ\u0345Σ", "ΟΔΥΣΣΕΥΣ ΟΔΥΣΣΕΥΣ"])
@example(["\u0130stanbul", "D\u0130YARBAKIR", "i\u0307\u0130\u0130"])
@example(["\ud83d\ude00ab", "ab\ud800", "\udfff\ud800xy"])
@example(["e\u0301te\u0301 été", "नमस्ते दुनिया", "ªº ²³ ½¾"])
def test_counts_equal_counter(documents):
    assert_counts(documents)


@given(st.lists(texts, min_size=1, max_size=6), st.lists(texts, min_size=1, max_size=4))
def test_matrices_equal_scikit_learn(documents, unseen):
    peer = Peer()
    try:
        expected = peer.fit_transform(documents)
    except ValueError:
        expected = None
    ours = CountVectorizer()
    if expected is None:
        with pytest.raises(ValueError, match="empty vocabulary"):
            ours.fit(documents)
        return
    for matrix, other in (
        (ours.fit_transform(documents), expected),
        (ours.transform(unseen), peer.transform(unseen)),
    ):
        for field in ("indptr", "indices", "data"):
            np.testing.assert_array_equal(getattr(matrix, field), getattr(other, field))
    assert ours.vocabulary_ == peer.vocabulary_


@given(st.integers(8100, 8300), st.lists(st.sampled_from(["Σ", "a", ".", "é", " ", "\u0130"])))
def test_context_reaches_over_window_borders(n_padding, end):
    # The scanner reads some 8,000 characters at a time; words and sigmas straddle the seam.
    assert_counts(["ab " * (n_padding // 3) + "x" * (n_padding % 3) + "".join(end) * 40])


@pytest.mark.exhaustive
def test_every_code_point_between_letters():
    # One document a code point, in a context that shows \w, lower-casing, cased and ignorable.
    documents = [
        f"ab{chr(code)}Σ yΣ{chr(code)}" for start in STARTS for code in range(start, start + BLOCK)
    ]
    peer, ours = Peer(), CountVectorizer()
    expected, matrix = peer.fit_transform(documents), ours.fit_transform(documents)
    assert list(ours.get_feature_names_out()) == list(peer.get_feature_names_out())
    for field in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(matrix, field), getattr(expected, field))
