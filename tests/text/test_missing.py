"""missing: documents that are not there, refused by row or taken as empty text."""

import numpy as np
import pandas
import polars
import pyarrow as pa
import pytest

from wordodds import CountVectorizer, HashingVectorizer, TfidfVectorizer

STRINGS = np.dtypes.StringDType
ROWS = ["one two", None, "two"]
EXPECTED = [[1, 1], [0, 0], [0, 1]]

LISTS = {
    "None": ROWS,
    "NaN": ["one two", float("nan"), "two"],
    "NumPy's NaN": ["one two", np.float64("nan"), b"two"],
    "NA": ("one two", pandas.NA, "two"),
    "NaT": ["one two", pandas.NaT, "two"],
    "object array": np.array(ROWS, dtype=object),
    "object array of NaN": np.array(["one two", np.nan, "two"], dtype=object),
    "StringDType": np.array(ROWS, dtype=STRINGS(na_object=None)),
    "StringDType of NaN": np.array(["one two", np.nan, "two"], dtype=STRINGS(na_object=np.nan)),
    "StringDType of NA": np.array(
        ["one two", pandas.NA, "two"], dtype=STRINGS(na_object=pandas.NA)
    ),
}
COLUMNS = {
    "pandas object": pandas.Series(ROWS, dtype=object),
    "pandas str": pandas.Series(ROWS, dtype="str"),
    "pandas string[pyarrow]": pandas.Series(ROWS, dtype="string[pyarrow]"),
    "pandas string[python]": pandas.Series(ROWS, dtype="string[python]"),
    "pandas category": pandas.Series(ROWS, dtype="category"),
    "pandas arrow": pandas.Series(ROWS, dtype=pandas.ArrowDtype(pa.string())),
    "pandas with its own index": pandas.Series(ROWS, dtype="str", index=[7, 5, 7]),
    "pandas array": pandas.array(ROWS, dtype="string[pyarrow]"),
    "Arrow": pa.array(ROWS),
    "Arrow view": pa.array(ROWS, pa.string_view()),
    "Arrow large": pa.array(ROWS, pa.large_string()),
    "Arrow chunks": pa.chunked_array([ROWS[:1], ROWS[1:]]),
    "Arrow dictionary": pa.array(ROWS).dictionary_encode(),
    "Arrow binary": pa.array([b"one two", None, b"two"]),
    "polars": polars.Series(ROWS),
    "polars categorical": polars.Series(ROWS, dtype=polars.Categorical),
    "polars binary": polars.Series([b"one two", None, b"two"]),
}
SOURCES = LISTS | COLUMNS
any_source = pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)

WAYS = {
    "compiled": {},
    "preprocessor": {"preprocessor": str},
    "tokenizer": {"tokenizer": str.split, "token_pattern": None, "preprocessor": str},
    "pattern": {"token_pattern": r"[a-z]+"},
    "unicode_word": {"analyzer": "unicode_word"},
}


@any_source
@pytest.mark.parametrize("options", WAYS.values(), ids=WAYS)
def test_empty(source, options):
    vectorizer = CountVectorizer(missing="empty", **options)
    assert vectorizer.fit_transform(source).toarray().tolist() == EXPECTED
    assert vectorizer.transform(source).toarray().tolist() == EXPECTED
    assert vectorizer.get_feature_names_out().tolist() == ["one", "two"]


@any_source
@pytest.mark.parametrize(
    "options", [WAYS["compiled"], WAYS["unicode_word"], WAYS["pattern"]], ids=str
)
def test_error_names_the_row(source, options):
    fitted = CountVectorizer(**options).fit(["old words"])
    for call in (fitted.fit_transform, fitted.transform, fitted.fit):
        with pytest.raises(TypeError, match=r'document 1 is missing.*missing="empty"'):
            call(source)
    with pytest.raises(ValueError, match="document 1 is missing"):  # scikit-learn's kind
        fitted.transform(source)
    assert list(fitted.vocabulary_) == ["old", "words"]


@any_source
def test_other_vectorizers(source):
    texts = ["one two", "", "two"]
    for kind in (TfidfVectorizer, HashingVectorizer):
        matrix = kind(missing="empty").fit_transform(source)
        assert (matrix != kind().fit_transform(texts)).nnz == 0
        with pytest.raises(TypeError, match="document 1 is missing"):
            kind().fit_transform(source)
    grown = CountVectorizer(missing="empty").partial_fit(source)
    assert grown.n_documents_ == 3
    assert grown.document_frequency_.tolist() == [1, 2]
    with pytest.raises(TypeError, match="document 1 is missing"):
        CountVectorizer().partial_fit(source)


@pytest.mark.parametrize("options", WAYS.values(), ids=WAYS)
def test_generators(options):
    vectorizer = CountVectorizer(missing="empty", **options)
    assert vectorizer.fit_transform(iter(ROWS)).toarray().tolist() == EXPECTED
    assert vectorizer.transform(text for text in ROWS).toarray().tolist() == EXPECTED
    with pytest.raises(TypeError, match="document 1 is missing"):
        CountVectorizer().fit(text for text in ROWS)


def test_a_callable_analyzer_sees_empty_text_or_what_there_is():
    seen = []

    def analyze(document):
        seen.append(document)
        return str(document).split()

    CountVectorizer(analyzer=analyze, missing="empty").fit(ROWS)
    assert seen == ["one two", "", "two"]
    seen.clear()
    # As in scikit-learn, documents may be of any kind for it.
    CountVectorizer(analyzer=analyze).fit(["one", None, 7])
    assert seen == ["one", None, 7]


def test_a_preprocessor_may_take_what_is_missing():
    vectorizer = CountVectorizer(preprocessor=lambda text: text or "nothing")
    assert vectorizer.fit_transform(ROWS).toarray().tolist() == [[0, 1, 1], [1, 0, 0], [0, 0, 1]]


@pytest.mark.parametrize(
    "bad",
    [7, 1.5, ["a"], np.datetime64("2000-01-01"), object()],
    ids=lambda bad: type(bad).__name__,
)
def test_other_things_are_never_empty_text(bad):
    for options in (WAYS["compiled"], WAYS["pattern"]):
        with pytest.raises(TypeError, match="document 2 is"):
            CountVectorizer(missing="empty", **options).fit(["a", None, bad])


@pytest.mark.parametrize("kind", [CountVectorizer, TfidfVectorizer, HashingVectorizer])
def test_wrong_values(kind):
    with pytest.raises(ValueError, match="'missing' parameter"):
        kind(missing="ignore").fit_transform(["one"])


def test_all_missing():
    with pytest.raises(ValueError, match="empty vocabulary"):
        CountVectorizer(missing="empty").fit([None, None])
    assert CountVectorizer(missing="empty").fit(["one"]).transform([None, None]).nnz == 0
