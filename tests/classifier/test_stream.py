"""fit_stream comes to what fit comes to, whatever the batches."""

import os

import numpy as np
import pyarrow as pa
import pytest
from sklearn.exceptions import ConvergenceWarning

from wordodds import (
    BernoulliNB,
    LogisticRegression,
    MultinomialNB,
    NBLogisticRegression,
    SGDClassifier,
    TextClassifier,
)
from wordodds.classifier import stream
from wordodds.corpora import read, write
from wordodds.text import spill

MEMORY = "8GB"  # of this process, which may hold a lot by now
WORDS = np.array([f"w{i}" for i in range(300)])


def corpus(n=240, n_classes=3, seed=0):
    """Return texts and labels, sorted by label: whole batches of one class, and late labels."""
    rng = np.random.default_rng(seed)
    labels = np.sort(rng.integers(0, n_classes, n))
    texts = [
        " ".join(WORDS[(rng.zipf(1.4, rng.integers(0, 25)) * (label + 2)) % len(WORDS)])
        for label in labels
    ]
    return texts, [f"class {label}" for label in labels]


def batches_of(texts, labels, size=50, kind="pairs"):
    pairs = [(texts[i : i + size], labels[i : i + size]) for i in range(0, len(texts), size)]
    if kind == "pairs":
        return pairs
    made = [pa.record_batch({"text": text, "label": label}) for text, label in pairs]
    if kind == "dictionaries":
        made = [
            pa.record_batch({"text": batch["text"], "label": batch["label"].dictionary_encode()})
            for batch in made
        ]
    return [pa.Table.from_batches([batch]) for batch in made] if kind == "tables" else made


class Changing:
    """Batches of which there is one less at every pass."""

    def __init__(self, batches):
        self._rest = batches

    def __iter__(self):
        yield from self._rest
        self._rest = self._rest[:-1]


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(stream, "PART_MAX", 1500)  # a few batches each


def assert_same_model(found, expected, *, exact=True):
    found, expected = found.linear_model_, expected.linear_model_
    np.testing.assert_array_equal(found.labels, expected.labels)
    assert found.labels.dtype == expected.labels.dtype
    assert found.features.n_features == expected.features.n_features
    compare = np.testing.assert_array_equal if exact else np.testing.assert_allclose
    # The whole table, as the kernel reads it: padding is zero in both.
    compare(found._weights.table, expected._weights.table, **({} if exact else {"rtol": 1e-12}))
    assert not found._weights.table[:, len(found.bias) :].any()
    compare(found.bias, expected.bias, **({} if exact else {"rtol": 1e-12}))


@pytest.mark.parametrize("n_hashed", [None, 1024])
@pytest.mark.parametrize("kind", ["pairs", "batches", "tables", "dictionaries"])
@pytest.mark.parametrize(
    "model", ["naive_bayes", BernoulliNB(), MultinomialNB(alpha=0.3, fit_prior=False)], ids=str
)
def test_naive_bayes_is_that_of_fit_to_the_last_bit(model, kind, n_hashed):
    texts, labels = corpus()
    expected = TextClassifier(model, n_hashed=n_hashed).fit(texts, labels)
    found = TextClassifier(model, n_hashed=n_hashed)
    assert found.fit_stream(batches_of(texts, labels, kind=kind), memory=MEMORY) is found
    assert_same_model(found, expected)
    np.testing.assert_array_equal(found.predict_proba(texts), expected.predict_proba(texts))


@pytest.mark.parametrize(
    "options",
    [{"min_df": 9, "ngram_range": (1, 2)}, {"min_df": 3, "max_features": 9}, {"min_df": 0.02}],
)
def test_terms_on_disk_change_nothing(options, monkeypatch, tmp_path):
    monkeypatch.setattr(spill, "BYTES_PER_TERM", 1 << 26)
    monkeypatch.setattr(spill, "TERMS_MIN", 150)
    texts, labels = corpus()
    expected = TextClassifier("naive_bayes", **options).fit(texts, labels)
    found = TextClassifier("naive_bayes", **options)
    found.fit_stream(batches_of(texts, labels), memory=MEMORY, folder=os.fspath(tmp_path))
    assert_same_model(found, expected)
    assert os.listdir(tmp_path) == []


def test_tf_idf_tallies_agree_to_rounding():
    texts, labels = corpus()
    expected = TextClassifier("complement").fit(texts, labels)
    found = TextClassifier("complement").fit_stream(batches_of(texts, labels), memory=MEMORY)
    assert_same_model(found, expected, exact=False)


@pytest.mark.parametrize("n", [30, 999, 1001])
def test_of_few_documents_every_term_counts(n):
    texts, labels = corpus(n)
    expected = TextClassifier().fit(texts, labels)
    found = TextClassifier().fit_stream(batches_of(texts, labels), memory=MEMORY)
    assert found.linear_model_.n_features == expected.linear_model_.n_features


@pytest.mark.parametrize("n_hashed", [None, 4096])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "model",
    [
        "nb_logistic",
        "logistic",
        LogisticRegression(C=30, multi_class="ovr"),
        SGDClassifier("log_loss", average=True),
    ],
    ids=str,
)
def test_linear_models_agree_on_nearly_all_documents(model, n_classes, n_hashed):
    texts, labels = corpus(600, n_classes)
    expected = TextClassifier(model, n_hashed=n_hashed).fit(texts, labels)
    found = TextClassifier(model, n_hashed=n_hashed)
    found.fit_stream(batches_of(texts, labels), memory=MEMORY)
    np.testing.assert_array_equal(found.classes_, expected.classes_)
    agreement = np.mean(found.predict(texts) == expected.predict(texts))
    assert agreement > 0.93


def test_the_same_bits_for_any_number_of_threads():
    texts, labels = corpus(400)
    models = [
        TextClassifier(n_jobs=n_jobs).fit_stream(batches_of(texts, labels), memory=MEMORY)
        for n_jobs in (1, 2, 5)
    ]
    for model in models[1:]:
        assert_same_model(model, models[0])


@pytest.mark.parametrize(
    "kind", [pytest.param("nb_logistic", marks=pytest.mark.exhaustive), "logistic"]
)
def test_accuracy_on_newsgroups_is_that_of_fit(kind, newsgroups):
    train, test = newsgroups
    # Every third document: the margin is that of the issue all the same.
    texts, labels = train.texts[::3], train.labels[::3]
    batches = batches_of(texts, labels, 500)
    found = TextClassifier(kind).fit_stream(batches, memory=MEMORY).score(test.texts, test.labels)
    expected = TextClassifier(kind).fit(texts, labels).score(test.texts, test.labels)
    assert abs(found - expected) <= 0.003


@pytest.mark.parametrize("name", ["mail.parquet", "mail.jsonl.gz"])
def test_a_corpus_of_files(name, tmp_path):
    texts, labels = corpus()
    half = len(texts) // 2
    for part, rows in (("a", slice(None, half)), ("b", slice(half, None))):
        write(
            [pa.record_batch({"text": texts[rows], "label": labels[rows]})],
            tmp_path / (part + name),
        )
    found = TextClassifier("naive_bayes")
    found.fit_stream(read(tmp_path / f"*{name}", label="label", batch_bytes=1000), memory=MEMORY)
    assert_same_model(found, TextClassifier("naive_bayes").fit(texts, labels))


def test_labels_of_numbers_and_truth_values():
    texts, labels = corpus()
    for values in ([int(label[-1]) for label in labels], [label[-1] == "1" for label in labels]):
        expected = TextClassifier("naive_bayes").fit(texts, values)
        found = TextClassifier("naive_bayes").fit_stream(batches_of(texts, values), memory=MEMORY)
        assert_same_model(found, expected)


def test_bad_batches_are_told_and_change_nothing():
    texts, labels = corpus(60)
    classifier = TextClassifier("naive_bayes").fit(texts, labels)
    before = classifier.linear_model_
    good = batches_of(texts, labels)
    for bad, error, message in [
        ([], ValueError, "no documents"),
        ([([], [])], ValueError, "no documents"),
        ([*good, "text"], TypeError, "a batch must be an Arrow record batch .* got str"),
        ([*good, (["a"], ["x", "y"])], ValueError, "inconsistent numbers"),
        ([*good, (["a", None], ["x", "y"])], TypeError, "document 1 is missing"),
        ([*good, (["a", "b"], ["x", None])], ValueError, "label 1 is missing"),
        ([*good, (["a"], [3])], ValueError, "different kinds"),
        ([pa.record_batch({"words": ["a"]})], ValueError, "no column 'text' among 'words'"),
        (iter(good), ValueError, "two passes.*n_hashed"),
        ([(["a", "b"], ["x"]), (["c"], ["x", "y"])], ValueError, "X has 2 rows, y 1"),
        ([("ab", "xy"), ("cd", "xy")], ValueError, "string object received"),
        ([({"a": 1}, ["x"]), ({"b": 1}, ["x"])], ValueError, "got a mapping"),
        ("mail.csv", ValueError, r"pass wordodds.corpora.read\('mail.csv', label="),
        (Changing(good), ValueError, "first pass had 60 documents, this one has 50"),
        ([(["a"], [2**63 + 1]), (["b"], [-1])], ValueError, "different kinds"),
    ]:
        with pytest.raises(error, match=message):
            classifier.fit_stream(bad, memory=MEMORY)
    for options, error, message in [
        ({"memory": "1MB"}, ValueError, "memory must be at least"),
        ({"memory": "much"}, ValueError, "memory must be a size"),
        ({"epochs": 0}, ValueError, "epochs must be >= 1"),
        ({"epochs": 1.5}, TypeError, "epochs must be an int"),
        ({"folder": "/nowhere"}, FileNotFoundError, "nowhere"),
    ]:
        with pytest.raises(error, match=message):
            classifier.fit_stream(good, **({"memory": MEMORY} | options))
    assert classifier.linear_model_ is before


def test_one_class_is_told():
    with pytest.raises(ValueError, match="at least 2 classes, got only"):
        TextClassifier().fit_stream([(["a b", "b"], ["x", "x"])], memory=MEMORY)


def test_a_place_in_a_file_is_told(tmp_path):
    path = tmp_path / "mail.parquet"
    write([pa.record_batch({"text": ["a", "b"], "label": ["1", "2"]})], path)
    corpus = read(path, label="label")
    corpus_of_tokens = TextClassifier("naive_bayes", tokenizer=str.split)
    with pytest.raises(ValueError, match="compiled analyzer"):
        corpus_of_tokens.fit_stream(corpus, memory=MEMORY)
    with pytest.raises(ValueError, match="without labels"):
        TextClassifier("naive_bayes").fit_stream(read(path), memory=MEMORY)


def test_a_model_that_does_not_fit_is_told(monkeypatch):
    monkeypatch.setattr(stream, "FEATURE_BYTES", 1 << 30)
    texts, labels = corpus()
    with pytest.raises(MemoryError, match=r"features and 3 classes need about .* raise min_df"):
        TextClassifier("naive_bayes").fit_stream(batches_of(texts, labels), memory=MEMORY)


def test_hashed_features_that_do_not_fit_are_told():
    texts, labels = corpus(n_classes=9)
    classifier = TextClassifier("naive_bayes", n_hashed=2**25)
    with pytest.raises(MemoryError, match=r"33,554,432 features and \d classes need about"):
        classifier.fit_stream(batches_of(texts, labels), memory=MEMORY)


def test_few_documents_of_many_terms_keep_them_all_or_say_that_they_do_not_fit(monkeypatch):
    monkeypatch.setattr(spill, "BYTES_PER_TERM", 1 << 26)
    monkeypatch.setattr(spill, "TERMS_MIN", 100)
    texts = [" ".join(f"u{i}x{j}" for j in range(5)) + " common" for i in range(90)]
    with pytest.raises(MemoryError, match="are in 1 documents or more"):
        TextClassifier().fit_stream(batches_of(texts, ["a", "b"] * 45), memory=MEMORY)


def test_a_prior_for_classes_that_come_later():
    texts, labels = corpus()
    model = MultinomialNB(class_prior=[0.2, 0.3, 0.5])
    expected = TextClassifier(model).fit(texts, labels)
    found = TextClassifier(model).fit_stream(batches_of(texts, labels), memory=MEMORY)
    assert_same_model(found, expected)


def test_a_dictionary_that_holds_what_no_row_has():
    label = pa.DictionaryArray.from_arrays([0, 1], ["x", "y", None])
    batches = [pa.record_batch({"text": ["one two", "three"], "label": label})]
    found = TextClassifier("naive_bayes").fit_stream(batches, memory=MEMORY)
    assert found.classes_.tolist() == ["x", "y"]


@pytest.mark.parametrize("C", [1e-8, 1e-3])
def test_a_strong_penalty_is_followed(C):
    texts, labels = corpus(600, 2)
    model = LogisticRegression(C=C)
    expected = TextClassifier(model).fit(texts, labels).predict_proba(texts)
    found = TextClassifier(model).fit_stream(batches_of(texts, labels), memory=MEMORY)
    np.testing.assert_allclose(found.predict_proba(texts), expected, atol=0.05)


def test_what_the_model_refuses_is_told_before_reading():
    def never():
        raise AssertionError("read")
        yield

    for model, message in [
        (LogisticRegression(C=-1), "C must be"),
        (NBLogisticRegression(C=0), "C must be"),
        (LogisticRegression(multi_class="ovo"), "cannot be streamed"),
    ]:
        with pytest.raises(ValueError, match=message):
            TextClassifier(model, n_hashed=64).fit_stream(never(), memory=MEMORY)


def test_seeds_of_any_kind_and_classes_of_no_weight():
    texts, labels = corpus()
    model = NBLogisticRegression(random_state=np.random.RandomState(0))
    with pytest.warns(ConvergenceWarning, match="not converged after 2 epochs"):
        TextClassifier(model).fit_stream(
            batches_of(texts, labels), memory=MEMORY, epochs=np.int64(2)
        )
    model = NBLogisticRegression(class_weight={"class 0": 0, "class 1": 1, "class 2": 1})
    with pytest.raises(ValueError, match=r"class_weight leaves out \['class 0'\]"):
        TextClassifier(model).fit_stream(batches_of(texts, labels), memory=MEMORY)


@pytest.mark.parametrize(
    ("random_state", "seed"), [(None, 0), (0, 0), (7, 7), (np.int64(7), 7), (True, 1)]
)
def test_seeds_shuffle_the_rows_on_disk(random_state, seed):
    assert stream._store_seed(random_state) == seed


@pytest.mark.parametrize("source", [np.random.default_rng, np.random.RandomState])
def test_sources_of_random_numbers_shuffle_the_rows_on_disk(source):
    seeds = [stream._store_seed(source(3)) for _ in range(2)]
    assert seeds[0] == seeds[1] != stream._store_seed(source(4))
    drawn = source(3)
    assert stream._store_seed(drawn) != stream._store_seed(drawn)


def test_rows_without_any_word():
    batches = [(["", ""], ["x", "y"])]
    found = TextClassifier("logistic", n_hashed=16).fit_stream(batches, memory=MEMORY)
    np.testing.assert_allclose(found.predict_proba(["a"]).sum(), 1.0)


def test_a_generator_is_enough_for_hashed_features():
    texts, labels = corpus()
    expected = TextClassifier("naive_bayes", n_hashed=64).fit(texts, labels)
    found = TextClassifier("naive_bayes", n_hashed=64)
    found.fit_stream(iter(batches_of(texts, labels)), memory=MEMORY)
    assert_same_model(found, expected)
    # And learning goes on from there.
    expected.partial_fit(["w1 w2"], ["class 0"])
    found.partial_fit(["w1 w2"], ["class 0"])
    assert_same_model(found, expected)


def test_what_cannot_be_streamed_is_told():
    texts, labels = corpus()
    for model in (
        LogisticRegression(multi_class="ovo"),
        LogisticRegression(class_weight="balanced"),
    ):
        with pytest.raises(ValueError, match="cannot be streamed"):
            TextClassifier(model).fit_stream(batches_of(texts, labels), memory=MEMORY)
