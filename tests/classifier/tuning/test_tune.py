"""`TextClassifier.tune`: what it finds, what it leaves alone, and that it repeats itself."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

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
    return TextClassifier().tune(*corpus, trials=20)


def without_seconds(trials):
    return [trial._replace(seconds=0.0) for trial in trials]


def test_the_best_of_the_last_rung_wins(tuned):
    tuning = tuned.tuning_
    assert len(tuning.trials) == 20
    last = [trial for trial in tuning.trials if trial.rung == 1]
    assert len(last) < 20
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
    fewer = TextClassifier().tune(*corpus, trials=12)
    assert without_seconds(fewer.tuning_.trials) == without_seconds(tuned.tuning_.trials[:12])
    other = TextClassifier(random_state=5).tune(*corpus, trials=12)
    assert without_seconds(other.tuning_.trials) != without_seconds(fewer.tuning_.trials)


def test_given_options_stay(corpus):
    given = {
        "weighting": "tfidf", "ngram_range": (1, 1), "min_df": 2, "C": 3.0, "lowercase": False,
        "class_weight": "balanced",
    }  # fmt: skip
    classifier = TextClassifier(**given).tune(*corpus, trials=8)
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
    classifier = TextClassifier(name).tune(*corpus, trials=10)
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
def test_metrics(corpus, metric, check):
    tuning = TextClassifier().tune(*corpus, trials=8, metric=metric).tuning_
    assert check(tuning)
    assert tuning.metric == metric
    last = [trial for trial in tuning.trials if trial.rung == 1]
    assert tuning.value == max(trial.value for trial in last)


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
    assert "trials=1 repeats them" in tuning.headline


def test_hashed_columns(corpus):
    tuned = TextClassifier(n_hashed=2**10).tune(*corpus, trials=6)
    assert {trial.reading.min_df for trial in tuned.tuning_.trials} == {None}
    again = eval(tuned.tuning_.call, dict(EVALUATED)).fit(*corpus)
    assert_array_equal(again.predict_proba(corpus[0]), tuned.predict_proba(corpus[0]))
    with pytest.raises(ValueError, match="pass a smaller n_hashed"):
        TextClassifier(n_hashed=2**25).tune(*corpus, trials=1)


def test_the_result_is_shown_and_kept(tuned, tmp_path):
    tuning = tuned.tuning_
    assert tuning.call in str(tuning)
    assert str(tuning).startswith(f"accuracy {tuning.value:.4f} on held-out documents, best of 20")
    assert "<table>" in tuning._repr_html_()
    header, rows = tuning.table()
    assert header == ["accuracy", "log loss", "settings"]
    assert rows[0][0] == f"{tuning.value:.4f}"
    assert len(tuning.table_of_all()[1]) == 20
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
    every = TextClassifier(**tuned.get_params(deep=False)).fit(*corpus)
    # Some documents were held back, to find the temperature on them.
    assert not np.array_equal(every.linear_model_.weights, tuned.linear_model_.weights)
    assert tuned.score(*corpus) > 0.8


@pytest.mark.parametrize(
    ("options", "arguments", "message"),
    [
        ({"model": "logistic"}, {}, "tune chooses the settings of 'nb_logistic'"),
        ({"model": LogisticRegression()}, {}, "model must be one of these names"),
        ({"model": "complement", "C": 3.0}, {}, "C is for"),
        ({}, {"minutes": 0}, "minutes must be"),
        ({}, {"trials": 0}, "trials must be"),
        ({}, {"metric": "recall"}, "metric must be one of"),
        ({}, {"metric": "f1:class9"}, "names no label"),
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
        (["a", "b", "c"], ["x", "y", "x"], "needs two labels or more with two documents each"),
        (["", " ", "", " "], ["x", "y", "x", "y"], "finds a term"),
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
