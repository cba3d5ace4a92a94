"""max_terms: bounded memory with a bound on the error, against exact counts."""

from collections import Counter

import numpy as np
import pytest
import sklearn.feature_extraction.text as peer

from wordodds import CountVectorizer, TfidfVectorizer

RNG = np.random.default_rng(3)
# Zipf-like: few words everywhere, most words once or twice.
TEXTS = [
    " ".join(f"t{number}" for number in np.minimum(RNG.zipf(1.3, 40), 10**6)) for _ in range(1500)
]
# Terms are dropped at the end of each block of 2**25 characters.
BLANK = " " * 2**25
BLOCKS = [*TEXTS[:500], BLANK, *TEXTS[500:600], BLANK, *TEXTS[600:1000], BLANK, *TEXTS[1000:]]


def exact(texts):
    return Counter(word for text in texts for word in set(text.split()))


def assert_guarantee(vectorizer, texts, max_terms):
    true = exact(texts)
    names = vectorizer.get_feature_names_out()
    counted = dict(zip(names, vectorizer.document_frequency_.tolist(), strict=True))
    undercount = vectorizer.undercount_
    assert len(counted) <= max_terms
    assert list(names) == sorted(names)
    for term, count in counted.items():
        assert count <= true[term] <= count + undercount
    missed = {term for term, count in true.items() if count > undercount} - counted.keys()
    assert not missed
    assert vectorizer.n_documents_ == len(texts)


@pytest.mark.parametrize("max_terms", [1, 10, 100, 1000, 5000])
@pytest.mark.parametrize("method", ["fit", "partial_fit", "merge"])
def test_the_guarantee(max_terms, method):
    assert len(exact(TEXTS)) > 5000
    vectorizer = CountVectorizer(max_terms=max_terms)
    if method == "fit":
        assert_guarantee(vectorizer.fit(BLOCKS), BLOCKS, max_terms)
    else:
        for begin in range(0, len(TEXTS), 400):
            batch = TEXTS[begin : begin + 400]
            if method == "merge":
                vectorizer.merge(CountVectorizer(max_terms=max_terms).partial_fit(batch))
            else:
                vectorizer.partial_fit(batch)
        assert_guarantee(vectorizer, TEXTS, max_terms)
    # Some are undercounted: the bound is put to the test.
    true = exact(TEXTS)
    counted = zip(vectorizer.get_feature_names_out(), vectorizer.document_frequency_, strict=True)
    if 100 <= max_terms <= 1000:
        assert any(count < true[term] for term, count in counted)
    # Not an empty promise: the frequent words are there.
    if max_terms >= 100:
        assert vectorizer.undercount_ < len(TEXTS) / 4
        assert len(vectorizer.vocabulary_) > max_terms / 20


@pytest.mark.parametrize("options", [{}, {"ngram_range": (1, 2)}, {"analyzer": "char_wb"}], ids=str)
def test_any_number_of_threads(options):
    fitted = [
        CountVectorizer(max_terms=200, n_jobs=n_jobs, **options).fit(BLOCKS) for n_jobs in (1, 2, 5)
    ]
    for other in fitted[1:]:
        assert other.vocabulary_ == fitted[0].vocabulary_
        np.testing.assert_array_equal(other.document_frequency_, fitted[0].document_frequency_)
        assert other.undercount_ == fitted[0].undercount_


@pytest.mark.parametrize("limits", [{}, {"min_df": 2}, {"max_features": 50}], ids=str)
def test_enough_terms_are_exact(limits):
    ours = CountVectorizer(max_terms=10**6, **limits)
    theirs = peer.CountVectorizer(**limits)
    matrix, expected = ours.fit_transform(TEXTS), theirs.fit_transform(TEXTS)
    assert ours.undercount_ == 0
    assert ours.vocabulary_ == theirs.vocabulary_
    np.testing.assert_array_equal(matrix.toarray(), expected.toarray())
    true = exact(TEXTS)
    names = ours.get_feature_names_out()
    assert ours.document_frequency_.tolist() == [true[term] for term in names]


@pytest.mark.parametrize("kind", [CountVectorizer, TfidfVectorizer])
@pytest.mark.parametrize("unknown", ["ignore", 3])
def test_fit_transform_is_fit_and_transform(kind, unknown):
    options = {"max_terms": 50, "min_df": 3, "unknown": unknown}
    once = kind(**options).fit_transform(text for text in TEXTS)
    fitted = kind(**options).fit(TEXTS)
    twice = fitted.transform(TEXTS)
    for field in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(once, field), getattr(twice, field))
    # The words that are left are counted in full.
    plain = peer.CountVectorizer(vocabulary=list(fitted.vocabulary_)).fit_transform(TEXTS)
    counts = CountVectorizer(**options).fit_transform(TEXTS)
    width = plain.shape[1]
    np.testing.assert_array_equal(counts[:, :width].toarray(), plain.toarray())
    if kind is TfidfVectorizer:
        weighed = peer.TfidfTransformer().fit_transform(counts)
        np.testing.assert_allclose(once.toarray(), weighed.toarray(), rtol=1e-14)


@pytest.mark.parametrize("max_terms", [0, -1, 1.5, True, "many", 2**31])
def test_wrong_values(max_terms):
    for call in ("fit", "partial_fit", "fit_transform"):
        with pytest.raises(ValueError, match=r"max_terms must be None or an int .* got"):
            getattr(CountVectorizer(max_terms=max_terms), call)(TEXTS)
    with pytest.raises(ValueError, match="compiled analyzer"):
        CountVectorizer(max_terms=5, analyzer=str.split).fit(TEXTS)
