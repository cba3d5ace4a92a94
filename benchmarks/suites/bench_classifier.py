"""From raw text to labels, and to a model: python -m pytest benchmarks/suites/bench_classifier.py.

Raw 20 Newsgroups: 11,314 train documents, 22 MB; 7,532 test documents, 13.8 MB. Every job asserts
its answers: the labels of the pipeline, or an accuracy.
"""

import os
from pathlib import Path

import joblib
import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.svm import LinearSVC

import wordodds
from wordodds import TextClassifier, from_sklearn

from ..evidence.methods import TUNINGS
from ..setup import command_lines
from ..setup.contenders import OURS, PEER, is_ours, threads_of
from ..setup.corpora import load
from ..setup.views import VIEWS

SHORT = ["Which graphics card should I buy for under 300 dollars?"]
N_TERMS = 1_000_000
PICKLE = f"{PEER}, joblib"
VERIFIED = {"verified": True, "unverified": False}


@pytest.fixture(scope="module")
def naive_bayes(newsgroups):
    train, _ = newsgroups
    pipeline = make_pipeline(CountVectorizer(), MultinomialNB(alpha=0.01))
    classifier = TextClassifier(wordodds.MultinomialNB(alpha=0.01))
    return pipeline.fit(*texts_of(train)), classifier.fit(*texts_of(train)).linear_model_


@pytest.fixture(scope="module")
def logistic(newsgroups):
    """Return both with the same weights, which scikit-learn would take minutes to find."""
    train, _ = newsgroups
    classifier = TextClassifier(
        wordodds.LogisticRegression(C=10.0),
        weighting="tfidf",
        token_pattern=r"(?u)\b\w\w+\b",
        min_df=1,
    ).fit(*texts_of(train))
    vectorizer = TfidfVectorizer(ngram_range=(1, 2)).fit(train.texts)
    peer = LogisticRegression()
    peer.coef_ = (classifier.linear_model_.weights / vectorizer.idf_[:, None]).T.copy()
    peer.intercept_, peer.classes_ = classifier.linear_model_.bias, classifier.classes_
    return make_pipeline(vectorizer, peer), classifier.linear_model_


@pytest.fixture(scope="module")
def converted(newsgroups):
    train, _ = newsgroups
    pipeline = make_pipeline(TfidfVectorizer(), LinearSVC()).fit(*texts_of(train))
    return pipeline, from_sklearn(pipeline)


def texts_of(part):
    return part.texts, part.labels


@pytest.fixture(scope="module")
def expected():
    """Remember the labels of each pipeline."""
    return {}


@pytest.fixture
def race(contender, measure, expected, benchmark):
    """Time one contender at labelling texts; ours must give the pipeline's labels."""

    def run(pair, texts, *, peer_rounds=2, rounds=10):
        (pipeline, model), name = pair, benchmark.group
        if contender == PEER:
            expected[name] = measure(lambda: pipeline.predict(texts), rounds=peer_rounds)
            return
        model.n_jobs = threads_of(contender)
        labels = measure(lambda: model.predict(texts), rounds=rounds)
        if name not in expected:
            expected[name] = pipeline.predict(texts)
        assert (labels == expected[name]).mean() >= 0.9999  # but for the last digit of a tie

    return run


@pytest.mark.quick
def test_label_naive_bayes(newsgroups, naive_bayes, race):
    race(naive_bayes, newsgroups[1].texts)


def test_label_tfidf_bigrams_logistic(newsgroups, logistic, race):
    race(logistic, newsgroups[1].texts, peer_rounds=1, rounds=6)


def test_label_from_sklearn(newsgroups, converted, race):
    race(converted, newsgroups[1].texts)


@pytest.fixture(scope="module")
def views(newsgroups):
    """Return a pipeline of words beside characters within words, and the model made from it."""
    train, _ = newsgroups
    pipeline = make_pipeline(union_of_views(), LinearSVC(random_state=0)).fit(*texts_of(train))
    return pipeline, from_sklearn(pipeline)


def union_of_views():
    return FeatureUnion(
        [
            (view, TfidfVectorizer(analyzer=view, ngram_range=ngrams, sublinear_tf=True))
            for view, ngrams in VIEWS.items()
        ]
    )


def test_label_views(newsgroups, views, race):
    race(views, newsgroups[1].texts, peer_rounds=1, rounds=3)


@pytest.mark.quick
def test_label_one_short_text(naive_bayes, race):
    race(naive_bayes, SHORT, peer_rounds=300, rounds=2000)


@pytest.fixture(scope="module")
def documents(newsgroups, tmp_path_factory):
    """Return the words of whole messages in the forms that the programs read."""
    train, test = (
        [(command_lines.words_of(text), label) for text, label in zip(*texts_of(part), strict=True)]
        for part in newsgroups
    )
    return command_lines.write_lines(tmp_path_factory.mktemp("documents"), train, test)


def assert_accurate(labels, right, least, benchmark):
    accuracy = np.mean(np.asarray(labels) == np.asarray(right))
    benchmark.extra_info["accuracy"] = round(float(accuracy), 4)
    assert accuracy >= least


TRAINERS = {PEER: 0.85, "Vowpal Wabbit": 0.8, "fastText, 12 threads": 0.75}  # the least accuracy


@pytest.mark.parametrize("contender", [*TRAINERS, *OURS], indirect=True)
def test_train_default(newsgroups, documents, contender, measure, benchmark):
    """From raw text for ours and scikit-learn's; from files of words for the other two."""
    train, test = newsgroups
    if contender == "Vowpal Wabbit":
        measure(lambda: command_lines.run(command_lines.vw_training(documents)), rounds=1)
        command_lines.run(command_lines.vw_command(documents))
        labels = command_lines.labels_of(documents, numbered=True)
    elif contender.startswith("fastText"):
        path = documents.folder / "train.ft"
        model = measure(lambda: command_lines.train_fasttext(path, epoch=25), rounds=1)
        found, _ = model.predict([command_lines.words_of(text) for text in test.texts])
        labels = [label[0].removeprefix("__label__") for label in found]
    elif contender == PEER:
        model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), LinearSVC(random_state=0))
        measure(lambda: model.fit(*texts_of(train)), rounds=1)
        labels = model.predict(test.texts)
    else:
        model = TextClassifier(n_jobs=threads_of(contender))
        measure(lambda: model.fit(*texts_of(train)), rounds=3)
        labels = model.predict(test.texts)
    assert_accurate(labels, test.labels, TRAINERS.get(contender, 0.87), benchmark)


@pytest.mark.parametrize("contender", [PEER, *OURS], indirect=True)
def test_train_views(newsgroups, contender, measure, benchmark):
    """Words beside characters within words: ours chooses its settings, LinearSVC has C=1."""
    train, test = newsgroups
    if contender == PEER:
        model = make_pipeline(union_of_views(), LinearSVC(random_state=0))
    else:
        model = TextClassifier(analyzer=tuple(VIEWS), n_jobs=threads_of(contender))
    measure(lambda: model.fit(*texts_of(train)), rounds=1)
    assert_accurate(model.predict(test.texts), test.labels, 0.86, benchmark)


@pytest.mark.parametrize("contender", OURS, indirect=True)
def test_train_words(newsgroups, contender, measure, benchmark):
    """The default model with a given C: nothing is chosen."""
    train, test = newsgroups
    model = TextClassifier(C=10.0, n_jobs=threads_of(contender))
    measure(lambda: model.fit(*texts_of(train)), rounds=3)
    assert_accurate(model.predict(test.texts), test.labels, 0.87, benchmark)


@pytest.mark.parametrize("name", ["trec6", "subjectivity"])
@pytest.mark.parametrize("contender", [PEER, f"{PEER}, 2 threads", *OURS], indirect=True)
def test_train_short(name, contender, measure, benchmark):
    """Short texts: our default, which chooses its settings, beside a LinearSVC with C tuned."""
    if not Path(os.environ.get("WORDODDS_DATA", ""), "text", f"{name}.tsv.gz").is_file():
        pytest.skip("needs a corpus: set WORDODDS_DATA to a folder that holds text/")
    benchmark.group += f", {name}"
    corpus = load(name)
    if is_ours(contender):
        model = TextClassifier(n_jobs=threads_of(contender))
        measure(lambda: model.fit(corpus.texts, corpus.labels), rounds=5)
    else:
        pipeline = make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), LinearSVC(random_state=0))
        model = GridSearchCV(
            pipeline, {"linearsvc__C": TUNINGS["svc"].values}, cv=3, n_jobs=threads_of(contender)
        )
        measure(lambda: model.fit(corpus.texts, corpus.labels), rounds=2)
    assert_accurate(model.predict(corpus.new), corpus.truth, 0.87, benchmark)


@pytest.fixture(scope="module")
def lines(newsgroups, tmp_path_factory):
    """Return short lines in files, and our model of them beside."""
    train, new = command_lines.short_lines(newsgroups)
    lines = command_lines.write_lines(tmp_path_factory.mktemp("lines"), train, new)
    model = TextClassifier().fit(*map(list, zip(*train, strict=True)))
    model.save(lines.folder / "ours.wordodds")
    return lines


@pytest.mark.parametrize("contender", ["fastText", "Vowpal Wabbit", OURS[1]], indirect=True)
def test_predict_100_000_lines(lines, contender, measure, benchmark):
    """Whole processes: start, loading the model, reading and writing are all counted.

    Each program has trained its own model, of words and pairs of words, on 50,000 other lines.
    """
    if is_ours(contender):
        command = command_lines.our_command(lines, threads_of(contender))
    elif contender == "fastText":
        command = command_lines.fasttext_command(lines)
    else:
        command_lines.run(command_lines.vw_training(lines, "--ngram", "2"))
        command = command_lines.vw_command(lines)
    measure(lambda: command_lines.run(command), rounds=3)
    labels = command_lines.labels_of(lines, numbered=contender == "Vowpal Wabbit")
    assert_accurate(labels, lines.labels, 0.25, benchmark)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return a folder with a model of a million terms and two labels, ours and a pickle."""
    folder = tmp_path_factory.mktemp("models")
    random = np.random.default_rng(0)
    letters = random.integers(97, 123, size=(N_TERMS + 100_000, 12), dtype=np.uint8)
    words = sorted({bytes(row[: 4 + row[0] % 9]).decode() for row in letters})[:N_TERMS]
    pipeline = make_pipeline(CountVectorizer(vocabulary=words), MultinomialNB())
    texts = [" ".join(words[first : first + 1000]) for first in range(0, N_TERMS, 1000)]
    pipeline.fit(texts, np.arange(len(texts)) % 2)
    joblib.dump(pipeline, folder / "pipeline.joblib")
    from_sklearn(pipeline).save(folder / "model.wordodds")
    return folder, texts[:5], pipeline.predict(texts[:5])


@pytest.mark.parametrize("contender", [PICKLE, OURS[0]], indirect=True)
@pytest.mark.parametrize("how", VERIFIED)
def test_load(files, how, contender, measure, benchmark):
    """The pages of the file are in memory; the pickle is of the same weights."""
    folder, texts, labels = files
    benchmark.group += f"_{how}"
    if contender == PICKLE:
        model = measure(lambda: joblib.load(folder / "pipeline.joblib"), rounds=1)
    else:
        path = folder / "model.wordodds"
        model = measure(lambda: wordodds.load(path, verify=VERIFIED[how]), rounds=20)
    np.testing.assert_array_equal(model.predict(texts), labels)
