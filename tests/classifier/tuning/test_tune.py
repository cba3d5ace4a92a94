"""`TextClassifier.tune`: what it finds, what it leaves alone, and that it repeats itself."""

import json
import sys
import threading
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer

from wordodds import (
    ComplementNB,
    LogisticRegression,
    MultinomialNB,
    NBLogisticRegression,
    TextClassifier,
    load,
)
from wordodds.classifier import fitting
from wordodds.classifier.fitting import Counter
from wordodds.classifier.sample import stratified_folds
from wordodds.classifier.tuning import rungs
from wordodds.datasets import make_corpus

EVALUATED = {
    kind.__name__: kind
    for kind in (ComplementNB, MultinomialNB, NBLogisticRegression, TextClassifier)
}


@pytest.fixture(scope="module")
def corpus():
    corpus = make_corpus(240, n_words=80, random_state=3)
    labels = corpus.labels.copy()
    labels[::9] = labels[1::9][: len(labels[::9])]  # some are wrong
    return list(corpus.texts), labels


@pytest.fixture(scope="module")
def tuned(corpus):
    return TextClassifier().tune(*corpus, trials=40)


def without_seconds(trials):
    return [trial._replace(seconds=0.0) for trial in trials]


def test_the_best_of_the_last_rung_wins(tuned):
    tuning = tuned.tuning_
    assert len(tuning.trials) == 40
    last = [trial for trial in tuning.trials if trial.rung == 1]
    assert 3 < len(last) < 20
    best = max(last, key=lambda trial: (trial.value, -trial.log_loss))
    assert (tuning.value, tuning.log_loss) == (best.value, best.log_loss)
    assert tuning.n_documents == 240
    assert 0.5 < tuning.value < 1.0


def test_the_call_repeats_the_classifier(corpus, tuned):
    again = eval(tuned.tuning_.call, dict(EVALUATED)).fit(*corpus)
    assert_array_equal(again.decision_function(corpus[0]), tuned.decision_function(corpus[0]))
    assert again.tuning_ is None
    assert again.linear_model_.chosen is None


def test_its_parameters_are_the_best_ones(corpus, tuned):
    before = tuned.decision_function(corpus[0])
    assert not isinstance(tuned.model, str)
    again = TextClassifier(**tuned.get_params(deep=False)).fit(*corpus)
    assert_array_equal(again.decision_function(corpus[0]), before)


def test_threads_change_nothing(corpus):
    one, three = (TextClassifier(n_jobs=n).tune(*corpus, trials=12) for n in (1, 3))
    assert without_seconds(one.tuning_.trials) == without_seconds(three.tuning_.trials)
    assert_array_equal(one.linear_model_.weights, three.linear_model_.weights)


def test_more_trials_continue_the_same_search(corpus, tuned):
    fewer = without_seconds(TextClassifier().tune(*corpus, trials=12).tuning_.trials)
    assert fewer[:11] == without_seconds(tuned.tuning_.trials[:11])
    assert (fewer[11].rung, fewer[11].n_documents) == (1, 240)
    other = TextClassifier(random_state=5).tune(*corpus, trials=12).tuning_.trials
    assert without_seconds(other)[:11] != fewer[:11]


def test_given_options_stay(corpus):
    given = {
        "weighting": "tfidf", "ngram_range": (1, 1), "min_df": 2, "C": 3.0, "lowercase": False,
        "class_weight": "balanced",
    }  # fmt: skip
    classifier = TextClassifier(**given).tune(*corpus, trials=30)
    assert len({trial.parameters["floor"] for trial in classifier.tuning_.trials}) > 1
    for trial in classifier.tuning_.trials:
        assert trial.model == "nb_logistic"
        assert trial.weighting == "tfidf"
        assert (trial.reading.analyzer, trial.reading.ngram_range) == ("word", (1, 1))
        assert (trial.reading.min_df, trial.reading.lowercase) == (2, False)
        assert trial.parameters["C"] == 3.0
    parameters = classifier.get_params(deep=False)
    assert {name: parameters[name] for name in ("weighting", "ngram_range", "min_df")} == {
        name: given[name] for name in ("weighting", "ngram_range", "min_df")
    }
    assert (classifier.model.C, classifier.model.class_weight) == (3.0, "balanced")
    assert (classifier.C, classifier.class_weight) == (None, None)
    again = eval(classifier.tuning_.call, dict(EVALUATED)).fit(*corpus)
    assert_array_equal(again.predict_proba(corpus[0]), classifier.predict_proba(corpus[0]))


@pytest.mark.parametrize("name", ["complement", "naive_bayes"])
def test_a_named_model_stays(corpus, name):
    classifier = TextClassifier(name).tune(*corpus, trials=25)
    assert len({trial.reading for trial in classifier.tuning_.trials}) > 3
    assert {trial.model for trial in classifier.tuning_.trials} == {name}
    assert isinstance(classifier.model, ComplementNB if name == "complement" else MultinomialNB)
    assert classifier.model.alpha in rungs.PSEUDO_COUNTS
    again = eval(classifier.tuning_.call, dict(EVALUATED)).fit(*corpus)
    assert_array_equal(again.predict_proba(corpus[0]), classifier.predict_proba(corpus[0]))


def capitals(n, seed):
    """Return sentences whose label is whether names begin with a capital letter."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(2, size=n)
    names = np.array(["may", "rose", "mark", "grace", "will", "hope", "art", "frank"])
    words = rng.choice(names, (n, 6))
    texts = [" ".join(row) for row in words]
    return [text.title() if y else text for text, y in zip(texts, labels, strict=True)], labels


def test_capitals_are_kept_where_they_tell():
    texts, labels = capitals(120, seed=0)
    new, truth = capitals(200, seed=1)
    assert TextClassifier().fit(texts, labels).score(new, truth) < 0.7
    tuned = TextClassifier().tune(texts, labels, trials=40)
    assert tuned.lowercase is False
    assert tuned.score(new, truth) > 0.99
    assert "capitals kept" in tuned.tuning_.table()[1][0][2]
    assert "lowercase=False" in tuned.tuning_.call


def test_samples_grow_and_each_reading_is_counted_once(corpus, monkeypatch):
    calls = []

    class Recorder(Counter):
        def __call__(self, texts, reading):
            calls.append((len(texts), reading.key))
            return super().__call__(texts, reading)

    # The package has a function of the module's name.
    monkeypatch.setattr(sys.modules["wordodds.classifier.tuning.tune"], "Counter", Recorder)
    size = sum(map(len, corpus[0]))
    monkeypatch.setattr(rungs, "LEAST", size // 5)
    monkeypatch.setattr("wordodds.classifier.sample.SAMPLE_LEAST", 20)
    tuning = TextClassifier().tune(*corpus, trials=30).tuning_
    sizes = {trial.rung: trial.n_documents for trial in tuning.trials}
    assert sizes[0] < 100
    assert sizes[1] == sizes[2] == 240
    assert len(set(calls)) == len(calls)
    tried = {(t.n_documents, t.reading._replace(min_df=1).key) for t in tuning.trials}
    assert set(calls) == tried


@pytest.mark.parametrize(
    ("metric", "check"),
    [
        ("log_loss", lambda tuning: tuning.value == -tuning.log_loss),
        ("f1_macro", lambda tuning: 0.0 < tuning.value < 1.0),
        ("f1:class01", lambda tuning: 0.0 < tuning.value < 1.0),
    ],
)
def test_the_best_is_the_best_by_the_metric(corpus, tuned, metric, check):
    tuning = TextClassifier().tune(*corpus, trials=40, metric=metric).tuning_
    assert check(tuning)
    assert tuning.metric == metric
    last = [trial for trial in tuning.trials if trial.rung == 1]
    assert len(last) > 3
    assert tuning.value == max(trial.value for trial in last)
    # The same settings have other values by another metric.
    assert tuning.trials[0].value != tuned.tuning_.trials[0].value


def test_the_metric_counts_documents_whatever_their_class_weighs(corpus):
    """The accuracy of fits by hand, on the documents that the last rung holds out."""
    options = {"C": 3.0, "weighting": "tfidf", "ngram_range": (1, 1), "min_df": 1}
    texts, labels = corpus
    weight = {label: 1.0 + 5.0 * (label == "class00") for label in np.unique(labels)}
    classifier = TextClassifier(class_weight=weight, token_pattern=r"\w+", **options)
    trial = classifier.tune(texts, labels, trials=1).tuning_.trials[0]
    seed = int(np.random.RandomState(0).randint(2**31 - 1))
    codes = np.unique(labels, return_inverse=True)[1].astype(np.int32)
    fold_of = stratified_folds(codes, rungs.N_FOLDS, seed + 1)
    right = 0
    for fold in range(rungs.N_FOLDS):
        inside, outside = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
        vectorizer = TfidfVectorizer(token_pattern=r"\w+")
        X = vectorizer.fit_transform([texts[i] for i in inside])
        predicted = (
            clone(classifier.model)
            .fit(X, labels[inside])
            .predict(vectorizer.transform([texts[i] for i in outside]))
        )
        right += int((predicted == labels[outside]).sum())
    # Fits of a search end a little before the optimum.
    assert trial.value == pytest.approx(right / len(labels), abs=1.5 / len(labels))


def test_documents_that_weigh_nothing_are_not_there(corpus):
    texts, labels = corpus
    more, wrong = [*texts, *texts[:50]], np.concatenate([labels, np.roll(labels[:50], 1)])
    weights = np.repeat([1.0, 0.0], [240, 50])
    options = {"weighting": "binary", "min_df": 1}  # neither depends on those documents
    tuned = TextClassifier(**options).tune(more, wrong, weights, trials=3)
    judged = tuned.tuning_.trials[0]
    assert judged.value * 240 == pytest.approx(round(judged.value * 240), abs=1e-9)
    assert tuned.score(texts, labels) > 0.8


def test_a_short_time_is_one_trial(corpus):
    tuning = TextClassifier().tune(*corpus, minutes=1e-9).tuning_
    assert len(tuning.trials) == 1
    assert "best of 1 trials" in tuning.headline


def test_hashed_columns(corpus):
    tuned = TextClassifier(n_hashed=2**10).tune(*corpus, trials=30)
    assert {trial.reading.min_df for trial in tuned.tuning_.trials} == {None}
    again = eval(tuned.tuning_.call, dict(EVALUATED)).fit(*corpus)
    assert_array_equal(again.predict_proba(corpus[0]), tuned.predict_proba(corpus[0]))
    with pytest.raises(ValueError, match="Pass a smaller n_hashed"):
        TextClassifier(n_hashed=2**25).tune(*corpus, trials=1)


def test_the_result_is_shown_and_kept(tuned, tmp_path):
    tuning = tuned.tuning_
    assert tuning.call in str(tuning)
    assert str(tuning).startswith(f"accuracy {tuning.value:.4f} on held-out documents, best of 40")
    assert "<table>" in tuning._repr_html_()
    header, rows = tuning.table()
    assert header == ["accuracy", "log loss", "settings"]
    assert rows[0][0] == f"{tuning.value:.4f}"
    assert len(tuning.table_of_all()[1]) == 40
    by_loss = replace(tuning, metric="log_loss")
    assert by_loss.table()[0] == ["log loss", "settings"]
    assert by_loss.table()[1][0][0] == f"{tuning.log_loss:.4f}"
    tuned.save(tmp_path / "model")
    assert load(tmp_path / "model").chosen == tuning.summary()
    assert "seconds" not in tuning.summary()


def test_a_larger_corpus_is_tuned_on_a_sample(corpus, monkeypatch):
    size = sum(map(len, corpus[0]))
    monkeypatch.setattr(fitting, "SAMPLE_LARGE", size // 2)
    monkeypatch.setattr("wordodds.classifier.sample.SAMPLE_LEAST", 20)
    tuned = TextClassifier(C=3.0).tune(*corpus, trials=4)
    assert 80 < tuned.tuning_.n_documents < 160
    assert tuned.score(*corpus) > 0.8
    # What was held back for the temperature is learnt in the end.
    again = eval(tuned.tuning_.call, dict(EVALUATED)).fit(*corpus)
    assert_array_equal(again.predict_proba(corpus[0]), tuned.predict_proba(corpus[0]))


@pytest.mark.parametrize(
    ("options", "lengths"),
    [
        ({"analyzer": "char_wb"}, {(2, 5), (3, 5), (1, 4), (2, 4)}),
        ({"characters": True}, {((1, 2), (2, 5)), ((1, 1), (2, 5)), ((1, 2), (1, 4))}),
        ({"analyzer": ("word", "char")}, {((1, 2), (2, 5)), ((1, 3), (2, 5)), ((1, 2), (3, 5))}),
    ],
)
def test_lengths_suit_the_analyzer(corpus, options, lengths):
    classifier = TextClassifier(weighting="tfidf", min_df=1, **options).tune(*corpus, trials=40)
    assert {trial.reading.ngram_range for trial in classifier.tuning_.trials} >= lengths
    assert len({str(trial.reading.analyzer) for trial in classifier.tuning_.trials}) == 1
    again = eval(classifier.tuning_.call, dict(EVALUATED)).fit(*corpus)
    assert_array_equal(again.predict_proba(corpus[0]), classifier.predict_proba(corpus[0]))


class Splitter:
    """A function that cannot be copied."""

    def __init__(self):
        self.lock = threading.Lock()

    def __call__(self, text):
        return text.split()


@pytest.mark.parametrize("name", ["tokenizer", "analyzer"])
def test_functions_of_the_user_are_used_and_kept(corpus, name):
    function = Splitter()
    classifier = TextClassifier(**{name: function}).tune(*corpus, trials=25)
    assert getattr(classifier, name) is function
    lengths = {trial.reading.ngram_range for trial in classifier.tuning_.trials}
    assert lengths >= {(1, 1), (1, 2)} if name == "tokenizer" else len(lengths) == 1
    assert json.dumps(classifier.tuning_.to_dict())


def test_errors_of_the_users_functions_are_raised(corpus):
    def broken(text):
        raise ValueError("cannot read this")

    with pytest.raises(ValueError, match="cannot read this"):
        TextClassifier(tokenizer=broken).tune(*corpus, trials=3)


def once(texts):
    class Once:
        def __init__(self):
            self.texts = iter(texts)

        def __iter__(self):
            return self.texts

    return Once()


@pytest.mark.parametrize("kind", [iter, tuple, np.array, pa.array, once])
def test_documents_of_all_kinds(corpus, kind):
    texts, labels = ([text.title() for text in corpus[0]], corpus[1])
    expected = TextClassifier(n_jobs=1).tune(texts, labels, trials=8)
    found = TextClassifier(n_jobs=1).tune(kind(texts), labels, trials=8)
    assert without_seconds(found.tuning_.trials) == without_seconds(expected.tuning_.trials)
    assert_array_equal(found.linear_model_.weights, expected.linear_model_.weights)


def test_numbers_of_numpy_become_pythons_in_the_call(corpus):
    given = {"max_df": np.float64(0.9), "class_weight": {np.str_("class00"): np.float64(2.0)}}
    rng = np.random.default_rng(7)
    classifier = TextClassifier(random_state=rng, **given).tune(*corpus, trials=3)
    assert classifier.random_state is rng
    again = eval(classifier.tuning_.call, dict(EVALUATED)).fit(*corpus)
    assert_array_equal(again.predict_proba(corpus[0]), classifier.predict_proba(corpus[0]))


def test_penalties_that_a_fit_would_refuse_are_not_tried():
    texts, labels = ["b d", "c e", "b e d", "c d e"] * 10, [0, 1] * 20
    classifier = TextClassifier(characters=False).tune(texts, labels, np.full(40, 1e10), trials=4)
    assert {trial.parameters["C"] for trial in classifier.tuning_.trials} <= {
        0.1,
        0.3,
        1.0,
        3,
        10,
        30,
        100,
    }
    assert classifier.score(texts, labels) == 1.0
    with pytest.raises(ValueError, match="lower C"):
        TextClassifier(C=1e290).tune(texts, labels, trials=10**6)
    with pytest.raises(ValueError, match="lower C"):
        TextClassifier().tune(texts, labels, np.full(40, 1e300), trials=10**6)


def test_it_is_not_tuned_twice(corpus):
    classifier = TextClassifier().tune(*corpus, trials=1)
    with pytest.raises(ValueError, match="start from a new TextClassifier"):
        classifier.tune(*corpus, trials=1)


def test_samples_differ_from_each_other(monkeypatch, corpus):
    monkeypatch.setattr(rungs, "LEAST", 100)
    assert {t.rung for t in TextClassifier().tune(*corpus, trials=25).tuning_.trials} == {0, 1, 2}
    monkeypatch.setattr("wordodds.classifier.sample.SAMPLE_LEAST", 400)
    assert {t.rung for t in TextClassifier().tune(*corpus, trials=25).tuning_.trials} == {0, 1}


@pytest.mark.parametrize(
    ("options", "arguments", "message"),
    [
        ({"model": "logistic"}, {}, "model must be 'nb_logistic', 'complement' or 'naive_bayes'"),
        ({"model": LogisticRegression()}, {}, "for tune, got LogisticRegression"),
        ({"model": "complement", "C": 3.0}, {}, "C is for"),
        ({"C": -1.0}, {}, "C must be"),
        ({"min_df": 1000}, {}, "max_df corresponds to < documents than min_df"),
        ({"ngram_range": (2, 1)}, {}, "ngram_range"),
        ({}, {"minutes": 0}, "minutes must be"),
        ({}, {"trials": 0}, "trials must be"),
        ({}, {"metric": "recall"}, "metric must be one of"),
        ({}, {"metric": "f1:class9"}, "names an unknown label"),
        ({"stop_words": 3}, {}, "stop_words"),
    ],
)
def test_bad_options_are_refused_and_change_nothing(corpus, options, arguments, message):
    classifier = TextClassifier(**options)
    before = dict(classifier.__dict__)
    with pytest.raises(ValueError, match=message):
        classifier.tune(*corpus, **{"trials": 2, **arguments})
    assert classifier.__dict__ == before


@pytest.mark.parametrize(
    ("texts", "labels", "message"),
    [
        (["a", "b", "c"], ["x", "y", "x"], "at least two labels with two documents each"),
        (["", " ", "", " "], ["x", "y", "x", "y"], "empty vocabulary"),
        (["a", "b", "c", None], ["x", "y", "x", "y"], "document 3 is missing"),
        (["a", "b", "c", "d"], ["x", "y", "x"], "labels|samples|inconsistent"),
    ],
)
def test_bad_documents_are_refused(texts, labels, message):
    with pytest.raises((ValueError, TypeError), match=message):
        TextClassifier().tune(texts, labels, trials=3)


def test_an_interrupt_leaves_the_classifier_alone(corpus, monkeypatch):
    classifier = TextClassifier().fit(*corpus)
    before = dict(classifier.__dict__)

    def interrupted(self, candidate, rung):
        raise KeyboardInterrupt

    monkeypatch.setattr(rungs.Rungs, "judge", interrupted)
    with pytest.raises(KeyboardInterrupt):
        classifier.tune(*corpus, trials=3)
    assert classifier.__dict__ == before
