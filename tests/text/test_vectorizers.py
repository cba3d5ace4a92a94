"""The vectorizers: what goes beyond scikit-learn's own tests."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from wordodds import CountVectorizer, HashingVectorizer, TfidfTransformer, TfidfVectorizer
from wordodds._border.execution import execution
from wordodds.text.analysis import analyzed

TEXTS = ["the cat sat on the mat", "a dog", "The CAT and the DOG"]
ALL = [CountVectorizer, TfidfVectorizer, HashingVectorizer]


@pytest.mark.parametrize("vectorizer", ALL)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"analyzer": "char", "ngram_range": (2, 3)},
        {"analyzer": "char_wb", "lowercase": False},
        {"stop_words": "english"},
        {"token_pattern": r"\w{3,}"},
        {"token_pattern": r"(?u)\w+|[^\w\s]", "ngram_range": (1, 2)},
        {"token_pattern": r"\b\w\w+\b|[^\w\s]", "lowercase": False},
        {"preprocessor": str.upper},
        {"strip_accents": "ascii"},
    ],
)
def test_runs_compiled(vectorizer, options):
    _, analyzer = analyzed(vectorizer(**options), TEXTS, execution(1))
    assert analyzer is not None


@pytest.mark.parametrize("vectorizer", ALL)
@pytest.mark.filterwarnings("ignore:The parameter")
@pytest.mark.parametrize(
    "options", [{"tokenizer": str.split}, {"analyzer": list}, {"token_pattern": "[a-z]+"}]
)
def test_runs_in_python(vectorizer, options):
    _, analyzer = analyzed(vectorizer(**options), TEXTS, execution(1))
    assert analyzer is None


def test_a_subclass_with_its_own_tokenizer_is_obeyed():
    class Commas(CountVectorizer):
        def build_tokenizer(self):
            return lambda text: text.split(",")

    assert Commas().fit(["one two,three"]).vocabulary_ == {"one two": 0, "three": 1}


def test_an_analyzer_must_give_text():
    with pytest.raises(TypeError, match="an analyzer gave int"):
        CountVectorizer(analyzer=lambda text: [1, 2]).fit(TEXTS)


def test_a_preprocessor_must_give_text():
    with pytest.raises(TypeError, match="document 0 is missing"):
        CountVectorizer(preprocessor=lambda text: None).fit(TEXTS)


@pytest.mark.parametrize("vectorizer", ALL)
def test_clone_and_pickle(vectorizer):
    fitted = vectorizer(ngram_range=(1, 2), n_jobs=2).fit(TEXTS)
    copy = pickle.loads(pickle.dumps(fitted))
    assert (copy.transform(TEXTS) != fitted.transform(TEXTS)).nnz == 0
    assert clone(fitted).get_params() == fitted.get_params()


def test_vocabulary_can_be_set_as_in_scikit_learn():
    vectorizer = CountVectorizer().fit(TEXTS)
    vectorizer.vocabulary_ = {"dog": 1, "cat": 0}
    assert vectorizer.transform(["dog dog cat"]).toarray().tolist() == [[1, 2]]
    assert list(vectorizer.get_feature_names_out()) == ["cat", "dog"]


@pytest.mark.parametrize("method", ["fit", "transform"])
def test_a_malformed_matrix_is_refused(method):
    X = sp.csr_array(np.eye(3))
    transformer = TfidfTransformer().fit(X)
    X.indices = np.array([0, 1, 99])
    with pytest.raises(ValueError, match="outside the 3 columns"):
        getattr(transformer, method)(X)


def test_a_failed_fit_leaves_the_vectorizer_as_it_was():
    vectorizer = TfidfVectorizer().fit(TEXTS)
    before = vectorizer.transform(TEXTS).toarray()
    with pytest.raises(ValueError, match="no terms remain"):
        vectorizer.set_params(min_df=3, max_df=3).fit(["one two", "three", "four five"])
    np.testing.assert_array_equal(vectorizer.transform(TEXTS).toarray(), before)


def test_one_crowded_alphabet_sorts_by_code_point():
    # All words begin with the same bytes: the sort has to part them further in.
    rng = np.random.default_rng(1)
    letters = np.array([chr(code) for code in range(0xE01, 0xE2F)])
    words = {"".join(row) for row in letters[rng.integers(0, len(letters), (400_000, 6))]}
    vectorizer = CountVectorizer().fit([" ".join(words)])
    assert list(vectorizer.get_feature_names_out()) == sorted(words)


def test_many_features_per_row_keep_their_order():
    # More distinct features than 16 bits can number, in one row and over several threads.
    words = [f"w{i:06d}" for i in range(100_000)]
    matrix = CountVectorizer(n_jobs=2).fit_transform([" ".join(words), " ".join(reversed(words))])
    np.testing.assert_array_equal(matrix.indices, np.tile(np.arange(100_000), 2))
