"""strip_accents compiled: what scikit-learn's functions make of every code point."""

from functools import cache

import numpy as np
import pytest
import sklearn.feature_extraction.text as peer

import wordodds
from wordodds._border.execution import execution
from wordodds.text.analysis import analyzed

from ..code_points import BLOCK, STARTS

STRIP = {"unicode": peer.strip_accents_unicode, "ascii": peer.strip_accents_ascii}
TEXTS = [
    "\u0130stanbul D\u0130YARBAKIR i\u0307",
    "ΟΔΥΣΣΕΥΣ ΆΣ ΑΣ\u0301 ΑΣ\u0345Β Σ\u0301",
    "한국어 \u1112\u1161\u11ab 값",  # Hangul, composed and not
    "x\ufdfay \ufdfb",  # one character that becomes eighteen, spaces among them
    "e\u0301te\u0301 été \u1ec7 e\u0323\u0302 e\u0302\u0323",  # marks in and out of order
    "ﬁn ⅷ ½ ² Åå \u212b \u0344 \u0f73",
    "\ud800é\udfff \U0001d15e \U0002f800",
]


def assert_same_matrix(ours, theirs):
    assert ours.shape == theirs.shape
    for field in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(ours, field), getattr(theirs, field), err_msg=field)


@pytest.fixture(scope="module")
def stripped_code_points(every_code_point):
    @cache
    def stripped(form, lowercase):
        return [STRIP[form](text.lower() if lowercase else text) for text in every_code_point]

    return stripped


@pytest.fixture(scope="module")
def every_code_point():
    # In a context that shows what becomes of spaces, marks, letters and sigmas.
    return [
        "".join(f"ab{chr(code)}Σ\u0301{chr(code)} " for code in range(start, start + BLOCK))
        for start in STARTS
    ]


@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("form", list(STRIP))
@pytest.mark.parametrize("analyzer", ["word", "char", "char_wb"])
def test_every_code_point_once(every_code_point, stripped_code_points, analyzer, form, lowercase):
    ours = wordodds.CountVectorizer(analyzer=analyzer, strip_accents=form, lowercase=lowercase)
    assert analyzed(ours, [], execution(1))[1] is not None
    # Stripped by scikit-learn, then counted without options that change the text.
    stripped = stripped_code_points(form, lowercase)
    plain = wordodds.CountVectorizer(analyzer=analyzer, lowercase=False)
    assert_same_matrix(ours.fit_transform(every_code_point), plain.fit_transform(stripped))
    assert ours._vocabulary.packed()[0] == plain._vocabulary.packed()[0]
    some = slice(0, None, 40)
    assert_same_matrix(ours.transform(every_code_point[some]), plain.transform(stripped[some]))


@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("form", list(STRIP))
@pytest.mark.parametrize("analyzer", ["word", "char", "char_wb"])
@pytest.mark.parametrize("name", ["CountVectorizer", "HashingVectorizer"])
def test_tricky_texts(name, analyzer, form, lowercase):
    options = {
        "analyzer": analyzer,
        "strip_accents": form,
        "lowercase": lowercase,
        "ngram_range": (1, 3),
    }
    ours, theirs = getattr(wordodds, name)(**options), getattr(peer, name)(**options)
    # scikit-learn cannot hash lone surrogates.
    texts = TEXTS if name == "CountVectorizer" else TEXTS[:-1]
    matrix, expected = ours.fit_transform(texts), theirs.fit_transform(texts)
    if name == "CountVectorizer":
        assert list(ours.get_feature_names_out()) == list(theirs.get_feature_names_out())
        assert_same_matrix(matrix, expected)
    else:
        np.testing.assert_array_equal(matrix.indices, expected.indices)
        np.testing.assert_allclose(matrix.data, expected.data, rtol=2e-15)


@pytest.mark.parametrize("form", list(STRIP))
@pytest.mark.parametrize("n_padding", range(8185, 8200))
def test_marks_astride_two_windows(form, n_padding):
    # The scanner reads some 8,000 characters at a time; marks are put in order across the seam.
    text = "b" + "é" * n_padding + "e\u0302\u0323\u0301 \u1100\u1161\u11a8Σ\ufdfaend"
    ours = wordodds.CountVectorizer(strip_accents=form, analyzer="char", ngram_range=(5, 5))
    theirs = peer.CountVectorizer(strip_accents=form, analyzer="char", ngram_range=(5, 5))
    assert_same_matrix(ours.fit_transform([text]), theirs.fit_transform([text]))
    assert ours.vocabulary_ == theirs.vocabulary_


def test_a_long_row_of_marks_is_put_in_order():
    text = "a" + "\u0301\u0323\u0302" * 5000 + "b"
    ours = wordodds.CountVectorizer(strip_accents="unicode").fit([text])
    assert list(ours.vocabulary_) == ["ab"]


def test_a_wrong_value_and_a_callable():
    with pytest.raises(ValueError, match="strip_accents"):
        wordodds.CountVectorizer(strip_accents="latin").fit(TEXTS)
    called = wordodds.CountVectorizer(strip_accents=lambda text: text.replace("é", "e"))
    assert called.fit(["été"]).vocabulary_ == {"ete": 0}
