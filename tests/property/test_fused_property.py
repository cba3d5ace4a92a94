"""Raw text scored without a matrix, against the vectorizer and its matrix."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline

from wordodds import (
    CountVectorizer,
    HashingVectorizer,
    SGDClassifier,
    TfidfVectorizer,
    from_sklearn,
)

WORDS = st.sampled_from(
    [
        "a",
        "B",
        "cat",
        "Cat",
        "dog",
        "ΟΔΟΣ",
        "naïve",
        "e\u0301",
        "x_1",
        "can't",
        "\ud800",
        "日本語",
        "١٢",
    ]
)
GAPS = st.sampled_from([" ", "  ", "\n", ", ", "-", "\u00a0", ""])
TEXT = st.lists(st.tuples(WORDS, GAPS), max_size=12).map(
    lambda parts: "".join(word + gap for word, gap in parts)
) | st.text(max_size=30)
ANALYSIS = st.fixed_dictionaries(
    {
        "analyzer": st.sampled_from(["word", "char", "char_wb", "unicode_word"]),
        "lowercase": st.booleans(),
        "strip_accents": st.sampled_from([None, "unicode", "ascii"]),
        "ngram_range": st.sampled_from([(1, 1), (1, 2), (2, 3)]),
        "binary": st.booleans(),
    }
)
TFIDF = st.fixed_dictionaries(
    {
        "norm": st.sampled_from([None, "l1", "l2"]),
        "use_idf": st.booleans(),
        "sublinear_tf": st.booleans(),
        "unknown": st.sampled_from(["ignore", "count", 3]),
    }
)
HASHING = st.fixed_dictionaries(
    {
        "norm": st.sampled_from([None, "l1", "l2"]),
        "alternate_sign": st.booleans(),
        "n_features": st.sampled_from([1, 7, 64]),
    }
)


def vectorizer_of(kind, analysis, tfidf, hashing):
    if kind == "hashed":
        return HashingVectorizer(**analysis, **hashing)
    if kind == "counts":
        return CountVectorizer(**analysis, unknown=tfidf["unknown"])
    return TfidfVectorizer(**analysis, **tfidf)


@settings(max_examples=150)
@given(
    kind=st.sampled_from(["counts", "tfidf", "hashed"]),
    analysis=ANALYSIS,
    tfidf=TFIDF,
    hashing=HASHING,
    texts=st.lists(TEXT, min_size=3, max_size=8),
    n_labels=st.sampled_from([2, 3]),
)
def test_fused_scores_are_those_of_the_pipeline(kind, analysis, tfidf, hashing, texts, n_labels):
    if tfidf["unknown"] != "ignore" and analysis["binary"]:
        tfidf = tfidf | {"unknown": "ignore"}
    if kind == "hashed" and analysis["analyzer"].startswith("char"):
        # The pipeline refuses n-grams with lone surrogates; a test of the vectorizers has these.
        texts = [text.encode("utf-8", "replace").decode() for text in texts]
    vectorizer = vectorizer_of(kind, analysis, tfidf, hashing)
    train = [*texts, "cat dog naïve cat a b c 日本語 cat", "x_1 dog"]
    labels = [i % n_labels for i in range(len(train))]
    classifier = SGDClassifier(loss="log_loss", random_state=0, max_iter=5, tol=None)
    pipeline = make_pipeline(vectorizer, classifier).fit(train, labels)
    model = from_sklearn(pipeline)
    new = [*texts, "", "cat", "dog cat dog unheard"]
    expected = pipeline.decision_function(new)
    scale = max(1.0, float(np.abs(expected).max()))
    np.testing.assert_allclose(model.decision_function(new), expected, rtol=0, atol=1e-12 * scale)
    for text, row in zip(new, expected, strict=True):
        label = model.labels[-1]
        score = row if n_labels == 2 else row[-1]
        assert abs(model.explain(text, label).score - score) <= 1e-12 * scale
