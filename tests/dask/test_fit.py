"""A fit on a cluster is the fit of one process, whatever the collection and its partitions."""

import dask
import dask.bag
import dask.dataframe
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from wordodds import BernoulliNB, ComplementNB, LogisticRegression, MultinomialNB, TextClassifier
from wordodds import dask as wordodds_dask

EXACT = ["naive_bayes", BernoulliNB(alpha=0.2), MultinomialNB(fit_prior=False)]


def bag_of(mail):
    rows = [dask.delayed(rows, traverse=False) for rows in mail.partitions]
    return dask.bag.from_delayed(rows)


def bag_of_mappings(mail):
    dicts = [[{"text": t, "label": y, "id": 7} for t, y in rows] for rows in mail.partitions]
    return dask.bag.from_delayed([dask.delayed(rows, traverse=False) for rows in dicts])


def frame_of(mail):
    return dask.dataframe.from_delayed([dask.delayed(frame) for frame in mail.frames()])


def arrow_of(mail):
    return [dask.delayed(table) for table in mail.tables()]


COLLECTIONS = {
    "bag": bag_of,
    "bag of mappings": bag_of_mappings,
    "dataframe": frame_of,
    "delayed Arrow": arrow_of,
}


def assert_same(fitted, expected):
    ours, theirs = fitted.linear_model_, expected.linear_model_
    assert ours.labels.tolist() == theirs.labels.tolist()
    assert_array_equal(ours.weights, theirs.weights)
    assert_array_equal(ours.bias, theirs.bias)


@pytest.mark.parametrize("n_hashed", [None, 2**10])
@pytest.mark.parametrize("model", EXACT, ids=str)
def test_naive_bayes_has_the_bits_of_one_process(client, mail, model, n_hashed):
    classifier = TextClassifier(model, n_hashed=n_hashed, n_jobs=2)
    assert wordodds_dask.fit(classifier, bag_of(mail)) is classifier
    expected = TextClassifier(model, n_hashed=n_hashed).fit(mail.texts, mail.labels)
    assert_same(classifier, expected)
    assert classifier.linear_model_.n_jobs == 2
    assert_array_equal(classifier.predict(mail.texts), expected.predict(mail.texts))


@pytest.mark.parametrize("n_hashed", [None, 2**10])
@pytest.mark.parametrize("make", COLLECTIONS.values(), ids=COLLECTIONS)
def test_all_collections_give_the_same(client, mail, make, n_hashed):
    classifier = TextClassifier("naive_bayes", n_hashed=n_hashed)
    wordodds_dask.fit(classifier, make(mail), client=client)
    assert_same(
        classifier, TextClassifier("naive_bayes", n_hashed=n_hashed).fit(mail.texts, mail.labels)
    )


def test_futures(client, mail):
    futures = [client.submit(lambda table: table, table, pure=False) for table in mail.tables()]
    classifier = wordodds_dask.fit(TextClassifier("naive_bayes"), futures)
    assert_same(classifier, TextClassifier("naive_bayes").fit(mail.texts, mail.labels))


def test_files_are_opened_once_each(client, mail, tmp_path):
    pattern = mail.write(tmp_path)
    log = str(tmp_path / "opened")

    def watch():
        import os
        import sys

        def note(event, arguments):
            if event == "open" and str(arguments[0]).endswith(".parquet"):
                descriptor = os.open(log, os.O_CREAT | os.O_APPEND | os.O_WRONLY)
                os.write(descriptor, f"{arguments[0]}\n".encode())
                os.close(descriptor)

        sys.addaudithook(note)

    client.run(watch)
    classifier = wordodds_dask.fit(TextClassifier("naive_bayes"), pattern)
    assert_same(classifier, TextClassifier("naive_bayes").fit(mail.texts, mail.labels))
    opened = sorted((tmp_path / "opened").read_text().split())
    assert opened == sorted(str(path) for path in tmp_path.glob("part-*.parquet"))
    # Paths by name, in another order: naive Bayes does not mind.
    paths = [tmp_path / f"part-{i}.parquet" for i in (4, 2, 0, 1, 3)]
    assert_same(wordodds_dask.fit(TextClassifier("naive_bayes"), paths), classifier)


@pytest.mark.parametrize("n_hashed", [None, 2**10])
def test_complement_on_tfidf_agrees_to_rounding(client, mail, n_hashed):
    options = {"model": ComplementNB(alpha=0.3), "n_hashed": n_hashed}
    ours = wordodds_dask.fit(TextClassifier(**options), bag_of(mail)).linear_model_
    theirs = TextClassifier(**options).fit(mail.texts, mail.labels).linear_model_
    assert_allclose(ours.weights, theirs.weights, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "options",
    [
        {"min_df": 3, "max_df": 0.5},
        {"max_features": 40, "ngram_range": (1, 2)},
        {"weighting": "binary", "stop_words": ["word1", "word2"]},
        {"tokenizer": lambda text: text.split()[:9]},
        {"analyzer": "char_wb", "ngram_range": (2, 3), "min_df": 0.1},
    ],
    ids=lambda options: " ".join(options),
)
def test_text_options(client, mail, options):
    ours = wordodds_dask.fit(TextClassifier("naive_bayes", **options), bag_of(mail))
    assert_same(ours, TextClassifier("naive_bayes", **options).fit(mail.texts, mail.labels))


@pytest.mark.parametrize("weights", ["balanced", {"ham": 2.0, "spam": 1.0, "eggs": 0.0}], ids=str)
def test_weights_of_classes(client, mail, weights):
    model = MultinomialNB(class_weight=weights)
    ours = wordodds_dask.fit(TextClassifier(model), bag_of(mail)).linear_model_
    theirs = TextClassifier(model).fit(mail.texts, mail.labels).linear_model_
    assert ours.labels.tolist() == theirs.labels.tolist()
    assert_allclose(ours.weights, theirs.weights, rtol=1e-12, atol=1e-12)


def test_labels_keep_their_kind(client, mail):
    numbers = {"ham": 10, "spam": 2, "eggs": 2**53 + 1}
    rows = [[(text, numbers[label]) for text, label in rows] for rows in mail.partitions]
    bag = dask.bag.from_delayed([dask.delayed(part, traverse=False) for part in rows])
    classifier = wordodds_dask.fit(TextClassifier("naive_bayes"), bag)
    assert classifier.classes_.dtype == np.int64
    assert classifier.classes_.tolist() == [2, 10, 2**53 + 1]


def test_partitions_without_a_word_count_as_documents(client):
    parts = [[("!", "a"), ("?", "b")], [("one two", "a"), ("two", "b"), ("two three", "b")]]
    bag = dask.bag.from_delayed([dask.delayed(part, traverse=False) for part in parts])
    options = {"model": "naive_bayes", "max_df": 0.7}  # two is in 3 of 5 documents
    texts, labels = zip(*parts[0], *parts[1], strict=True)
    ours = wordodds_dask.fit(TextClassifier(**options), bag)
    assert_same(ours, TextClassifier(**options).fit(list(texts), list(labels)))
    assert ours.linear_model_.n_features == 3


def test_a_thousand_documents_drop_rare_terms(client):
    # As in one process, where the limit depends on how many documents there are in all.
    rows = [(f"common{i % 7} rare{i}", i % 2) for i in range(1000)]
    model = LogisticRegression(tol=1e-2)
    bag = dask.bag.from_sequence(rows, npartitions=3)
    ours = wordodds_dask.fit(TextClassifier(model, ngram_range=(1, 1)), bag)
    assert ours.linear_model_.n_features == 7


def test_what_is_fitted_predicts_saves_and_grows(client, mail, tmp_path):
    import wordodds

    classifier = wordodds_dask.fit(TextClassifier("naive_bayes", n_hashed=2**10), bag_of(mail))
    classifier.save(tmp_path / "mail.wordodds")
    loaded = wordodds.load(tmp_path / "mail.wordodds")
    assert_array_equal(loaded.predict(mail.texts), classifier.predict(mail.texts))
    classifier.partial_fit(["word1 word2"], ["spam"])


@pytest.mark.parametrize("model", ["naive_bayes", "complement"])
def test_several_analyzers_are_those_of_one_process(client, mail, model):
    options = {"analyzer": ("word", "char_wb"), "ngram_range": {"char_wb": (2, 3)}, "min_df": 2}
    classifier = wordodds_dask.fit(TextClassifier(model, **options), bag_of(mail))
    expected = TextClassifier(model, **options).fit(mail.texts, mail.labels)
    names = [model.linear_model_.features.name_of(0) for model in (classifier, expected)]
    assert names[0] == names[1]
    assert names[0].startswith("word__")
    if model == "naive_bayes":
        assert_same(classifier, expected)
    assert_allclose(
        classifier.decision_function(mail.texts), expected.decision_function(mail.texts), rtol=1e-9
    )
