"""Columns of text through the vectorizers: what lists of the same text give."""

import io

import numpy as np
import pandas
import polars
import pyarrow as pa
import pytest
import sklearn.feature_extraction.text as peer

import wordodds
from wordodds import CountVectorizer, HashingVectorizer, TfidfVectorizer

LONG = "ΟΔΥΣΣΕΥΣ \u0130stanbul été 한국어 😀 plain "
TEXTS = [
    "the cat sat",
    "",
    "ΑΣ ΑΣ. ΑΣ'Β été ÉTÉ",
    # Longer than what the scanner reads at a time, in bytes and in characters.
    LONG * 700,
    "ab " * 2729 + "ΑΣ ΣΑΣ",
    "x" * 8190 + "Σ\u0345 Σ.Σ",
    "é" * 4095 + "\u0130 Σ",
    "D\u0130YARBAKIR the end",
]
COLUMNS = {
    "string": pa.array(TEXTS),
    "large_string": pa.array(TEXTS, pa.large_string()),
    "string_view": pa.array(TEXTS, pa.string_view()),
    "chunks": pa.chunked_array([TEXTS[:3], [], TEXTS[3:]]),
    "slice": pa.array(["no", *TEXTS, "neither"]).slice(1, len(TEXTS)),
    "dictionary": pa.array(TEXTS).dictionary_encode(),
    "table column": pa.table({"text": TEXTS})["text"],
    "polars": polars.Series(TEXTS),
    "polars slice": polars.Series(["no", *TEXTS]).slice(1),
    "polars categorical": polars.Series(TEXTS, dtype=polars.Categorical),
    "pandas object": pandas.Series(TEXTS, dtype=object),
    "pandas str": pandas.Series(TEXTS, dtype="str"),
    "pandas string[pyarrow]": pandas.Series(TEXTS, dtype="string[pyarrow]"),
    "pandas string[python]": pandas.Series(TEXTS, dtype="string[python]"),
    "pandas category": pandas.Series(TEXTS, dtype="category"),
    "pandas index": pandas.Index(TEXTS),
    "pandas rows out of order": pandas.Series(TEXTS[::-1]).iloc[::-1],
    "NumPy": np.array(TEXTS, dtype=np.dtypes.StringDType()),
}
OPTIONS = {
    "words": {},
    "bigrams": {"ngram_range": (1, 2), "stop_words": ["the"]},
    "characters": {"analyzer": "char", "ngram_range": (1, 2)},
    "characters in words": {"analyzer": "char_wb", "ngram_range": (3, 3), "lowercase": False},
    "accents": {"strip_accents": "unicode"},
    "ascii": {"strip_accents": "ascii", "analyzer": "char"},
    "stems": {"stemmer": "english"},
    "unicode words": {"analyzer": "unicode_word"},
    "pattern": {"token_pattern": "[a-zα-ω]+"},
    "preprocessor": {"preprocessor": str.upper},
}


def assert_equal(ours, expected, rtol=0.0):
    assert ours.shape == expected.shape
    for field in ("indptr", "indices"):
        np.testing.assert_array_equal(getattr(ours, field), getattr(expected, field))
    np.testing.assert_allclose(ours.data, expected.data, rtol=rtol)


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_every_option(column, options):
    ours, listed = CountVectorizer(**options), CountVectorizer(**options)
    assert_equal(ours.fit_transform(column), listed.fit_transform(TEXTS))
    assert ours.vocabulary_ == listed.vocabulary_
    assert_equal(ours.transform(column), listed.transform(TEXTS))


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_every_vectorizer(column):
    for name in ("CountVectorizer", "TfidfVectorizer", "HashingVectorizer"):
        ours, theirs = getattr(wordodds, name)(), getattr(peer, name)()
        for mine, other in (
            (ours.fit_transform(column), theirs.fit_transform(TEXTS)),
            (ours.transform(column), theirs.transform(TEXTS)),
        ):
            assert_equal(mine, other, rtol=1e-14)
    grown = TfidfVectorizer().partial_fit(column).partial_fit(column)
    theirs = peer.TfidfVectorizer().fit(TEXTS * 2)
    assert_equal(grown.transform(column), theirs.transform(TEXTS), rtol=1e-14)


@pytest.mark.parametrize(
    "column",
    [
        pa.array([7, 8]),
        pa.chunked_array([[7], [8]]),
        polars.Series([7, 8]),
        pandas.Series([7, 8]),
        pandas.Series([7, 8], dtype="category"),
        np.array([7, 8]),
        pa.array([[7], [8]]),
    ],
    ids=str,
)
def test_a_column_of_other_things(column):
    for vectorizer in (CountVectorizer(), HashingVectorizer(), TfidfVectorizer()):
        with pytest.raises(TypeError, match=r"document 0 is .*Make it a str"):
            vectorizer.fit_transform(column)


def test_binary_columns_are_decoded():
    raw = ["é one".encode("latin-1"), b"two"]
    for column in (pa.array(raw), pa.array(raw, pa.large_binary()), polars.Series(raw), raw):
        vectorizer = CountVectorizer(encoding="latin-1", token_pattern=r"\w+").fit(column)
        assert list(vectorizer.get_feature_names_out()) == ["one", "two", "é"]
        with pytest.raises(UnicodeDecodeError) as caught:
            CountVectorizer().fit(column)
        assert "document 0" in caught.value.__notes__[0]


@pytest.mark.parametrize("dtype", ["str", "string[python]", "category"])
def test_pandas_without_pyarrow(monkeypatch, dtype):
    def refuse(self, requested_schema=None):
        raise ImportError("pyarrow is needed")

    # pandas before 3.0 has no such method at all.
    monkeypatch.setattr(pandas.Series, "__arrow_c_stream__", refuse, raising=False)
    column = pandas.Series(TEXTS, dtype=dtype)
    assert_equal(CountVectorizer().fit_transform(column), CountVectorizer().fit_transform(TEXTS))
    with pytest.raises(TypeError, match="document 1 is missing"):
        CountVectorizer().fit(pandas.Series(["a", None], dtype=dtype))


def test_file_names_in_a_column(tmp_path):
    paths = []
    for number, text in enumerate(["one two", "two é"]):
        paths.append(str(tmp_path / f"{number}.txt"))
        (tmp_path / f"{number}.txt").write_text(text, "utf-8")
    for column in (polars.Series(paths), pandas.Series(paths), paths):
        ours, theirs = CountVectorizer(input="filename"), peer.CountVectorizer(input="filename")
        assert_equal(ours.fit_transform(column), theirs.fit_transform(column))
        assert ours.vocabulary_ == theirs.vocabulary_
        assert_equal(ours.transform(column), theirs.transform(column))
    for kind in (CountVectorizer, peer.CountVectorizer):
        with pytest.raises(FileNotFoundError):
            kind(input="filename").fit(polars.Series(["no such file"]))


@pytest.mark.parametrize("options", [{}, {"max_terms": 10}, {"stemmer": "english"}], ids=str)
def test_files_are_read_once(options):
    files = [io.BytesIO(b"one two"), io.BytesIO("two é".encode())]
    matrix = CountVectorizer(input="file", **options).fit_transform(files)
    assert matrix.toarray().tolist() == [[1, 1], [0, 1]]


def test_a_column_is_not_changed_or_kept():
    column = pa.array(TEXTS)
    before = column.to_pylist()
    vectorizer = CountVectorizer().fit(column)
    assert column.to_pylist() == before
    del column
    assert vectorizer.transform(["the cat"]).nnz == 2
