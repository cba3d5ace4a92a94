"""The settings of the default, chosen on held-out documents."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression as Peer

import wordodds
from wordodds import NBLogisticRegression, TextClassifier, load
from wordodds._border.execution import execution
from wordodds.classifier import choose, fitting, sample, stream
from wordodds.classifier.cross_validation import Examples, HeldOut, best_temperature
from wordodds.classifier.sample import sampled, stratified_folds
from wordodds.datasets import make_corpus
from wordodds.linear.ratio import RatioPrior

from .test_from_sklearn import LABELS, NEW, TEXTS

PRIOR = RatioPrior(0.5, 2.0, 1.0)


def contradictory(seed):
    """Return two texts, each a hundred times, 70 of them with the one label, in a random order."""
    texts = ["yes please"] * 100 + ["no thanks"] * 100
    labels = ["a"] * 70 + ["b"] * 30 + ["b"] * 70 + ["a"] * 30
    order = np.random.default_rng(seed).permutation(200) if seed else np.arange(200)
    return [texts[i] for i in order], [labels[i] for i in order]


@pytest.mark.parametrize("seed", range(10))
def test_contradictory_labels_give_their_share(seed):
    classifier = TextClassifier(random_state=seed).fit(*contradictory(seed))
    proba = classifier.predict_proba(["yes please", "no thanks"])
    assert proba == pytest.approx(np.array([[0.7, 0.3], [0.3, 0.7]]), abs=0.03)


def test_one_text_with_both_labels_is_even():
    classifier = TextClassifier().fit(["x y"] * 4, list("abab"))
    assert classifier.predict_proba(["x y"]) == pytest.approx(0.5, abs=1e-6)


def noisy_corpus(n=1200):
    corpus = make_corpus(n, n_words=400, random_state=5)
    labels = np.array(corpus.labels)
    wrong = np.random.default_rng(6).random(n) < 0.2
    labels[wrong] = np.random.default_rng(7).choice(labels, int(wrong.sum()))
    return list(corpus.texts), labels


def test_labels_do_not_depend_on_the_seed():
    texts, labels = noisy_corpus()
    new = make_corpus(500, n_words=400, random_state=8)
    found = [
        TextClassifier(random_state=seed).fit(texts, labels).predict(new.texts) for seed in range(5)
    ]
    agreement = min(np.mean(one == other) for one in found for other in found)
    assert agreement >= 0.995


def test_the_choice_is_reported_and_kept(tmp_path):
    classifier = TextClassifier().fit(TEXTS, LABELS)
    choice = classifier.choice_
    tried = {(trial.reading, trial.lean, trial.C) for trial in choice.trials}
    assert (choice.reading, choice.lean, choice.C) in tried
    assert len({trial.reading for trial in choice.trials}) == 5  # one change after the other
    assert len({trial.C for trial in choice.trials}) > 2
    classifier.save(tmp_path / "model")
    kept = load(tmp_path / "model").chosen
    assert kept["C"] == choice.C
    assert kept["temperature"] == choice.temperature
    assert len(kept["trials"]) == len(choice.trials)
    assert load(tmp_path / "model").describe()["chosen"]["log_loss"] == choice.log_loss


def test_what_is_given_is_not_chosen():
    fixed = TextClassifier(C=3.0).fit(TEXTS, LABELS)
    assert fixed.choice_ is None
    assert fixed.linear_model_.chosen is None
    some = TextClassifier(ngram_range=(1, 3), min_df=3, token_pattern=r"\w{3,}")
    trials = some.fit(TEXTS, LABELS).choice_.trials
    assert {trial.reading for trial in trials} == {("word", r"\w{3,}", (1, 3), 3, True)}
    by_object = TextClassifier(NBLogisticRegression(C=3.0)).fit(TEXTS, LABELS)
    assert_array_equal(by_object.decision_function(NEW), fixed.decision_function(NEW))


@pytest.mark.parametrize("name", ["C", "class_weight"])
def test_an_object_has_its_own_parameters(name):
    given = {"C": 3.0} if name == "C" else {"class_weight": "balanced"}
    with pytest.raises(ValueError, match=f"{name} would be ignored, as model is an object"):
        TextClassifier(NBLogisticRegression(), **given).fit(TEXTS, LABELS)
    if name == "C":
        with pytest.raises(ValueError, match='C is for model="nb_logistic" and "logistic"'):
            TextClassifier("naive_bayes", C=3.0).fit(TEXTS, LABELS)


@pytest.mark.parametrize("kind", ["nb_logistic", "logistic", "naive_bayes"])
def test_class_weight_moves_the_border(kind):
    texts, labels = noisy_corpus(400)
    labels = labels == labels[0]
    plain = TextClassifier(kind).fit(texts, labels)
    heavy = TextClassifier(kind, class_weight={True: 20.0, False: 1.0}).fit(texts, labels)
    assert heavy.predict_proba(texts)[:, 1].mean() > plain.predict_proba(texts)[:, 1].mean()


def test_few_documents():
    for texts, labels in (
        (["one", "two"], ["a", "b"]),  # nothing can be held out
        (["one", "two", "one three"], ["a", "b", "a"]),
        (["one word", "two words", "one", "two"], ["a", "b", "a", "b"]),
    ):
        for characters, most in ((None, 1.0), (False, 0.999)):
            classifier = TextClassifier(characters=characters).fit(texts, labels)
            assert_array_equal(classifier.predict(texts[:2]), labels[:2])
            assert 0.5 < classifier.predict_proba(texts).max(axis=1).max() < most
    assert TextClassifier().fit(["one", "two"], ["a", "b"]).choice_.log_loss is None


def test_threads_change_nothing():
    texts, labels = noisy_corpus(600)
    one, three = (TextClassifier(n_jobs=n).fit(texts, labels) for n in (1, 3))
    assert one.choice_ == three.choice_
    assert_array_equal(one.linear_model_.weights, three.linear_model_.weights)


@pytest.mark.parametrize("limit", [None, 3000])
def test_streams_choose_as_a_fit_in_memory_does(monkeypatch, limit):
    texts, labels = noisy_corpus()
    if limit is not None:  # a sample, and documents held back for the temperature
        for module in (fitting, stream):
            monkeypatch.setattr(module, "SAMPLE_LARGE", limit)
    whole = TextClassifier().fit(texts, labels)
    streamed = TextClassifier()
    batches = [(texts[i : i + 170], labels[i : i + 170]) for i in range(0, len(texts), 170)]
    streamed.fit_stream(batches, memory="2GB")
    assert streamed.choice_.reading == whole.choice_.reading
    assert (streamed.choice_.C, streamed.choice_.lean) == (whole.choice_.C, whole.choice_.lean)
    assert streamed.choice_.temperature == pytest.approx(whole.choice_.temperature, rel=0.01)
    new = make_corpus(500, n_words=400, random_state=9).texts
    assert np.mean(streamed.predict(new) == whole.predict(new)) >= 0.99
    hashed = TextClassifier(n_hashed=2**12).fit_stream(iter(batches), memory="2GB")
    assert hashed.choice_.reading.min_df is None
    assert hashed.score(texts, labels) > 0.7


def test_a_fold_is_the_fit_of_its_training_documents():
    """Counting once and weighing each fold equals a vectorizer fitted to its training part."""
    texts, labels = TEXTS, LABELS
    codes = np.unique(labels, return_inverse=True)[1].astype(np.int32)
    how = execution(1)
    folds = stratified_folds(codes, 3)
    counts = wordodds.CountVectorizer().fit_transform(texts)
    examples = Examples(counts, codes, np.ones(len(codes)), 3, "sublinear_tfidf", True)
    for min_df in (1, 2):
        held = HeldOut(examples, min_df, [folds == 1], PRIOR, 0, how)
        held.start(0.25)
        outcome = held.fit(3.0)
        train, test = np.flatnonzero(folds != 1), np.flatnonzero(folds == 1)
        vectorizer = wordodds.TfidfVectorizer(sublinear_tf=True, min_df=min_df)
        X = vectorizer.fit_transform([texts[i] for i in train])
        model = NBLogisticRegression(C=3.0, lean=0.25, tol=1e-7).fit(X, codes[train])
        scores = model.decision_function(vectorizer.transform([texts[i] for i in test]))
        factor = 1 / outcome.temperature
        log_p = -np.logaddexp(0.0, -scores * factor)
        log_p -= np.log(np.exp(log_p).sum(axis=1, keepdims=True))
        expected = -log_p[np.arange(len(test)), codes[test]]
        np.testing.assert_allclose(outcome.losses, expected, atol=0.05)


@pytest.mark.parametrize("n_columns", [1, 4])
def test_the_temperature_minimises_the_log_loss(n_columns):
    rng = np.random.default_rng(1)
    scores = rng.normal(0.0, 6.0, (400, n_columns))
    n_classes = max(2, n_columns)
    codes = rng.integers(n_classes, size=400).astype(np.int32)
    best = scores[:, 0] > 0 if n_columns == 1 else scores.argmax(axis=1)
    codes = np.where(rng.random(400) < 0.7, best, codes).astype(np.int32)
    weights = rng.uniform(0.5, 2.0, 400)

    def loss(temperature):
        scaled = scores / temperature
        if n_columns == 1:
            scaled = np.hstack([-scaled, scaled])
            log_p = -np.logaddexp(0.0, -scaled)
        else:
            log_p = -np.logaddexp(0.0, -scaled)
            log_p -= np.log(np.exp(log_p).sum(axis=1, keepdims=True))
        return -weights @ log_p[np.arange(400), codes] + np.log(temperature) ** 2 / 2

    found = best_temperature(scores, codes, weights)
    grid = np.exp(np.linspace(-3, 4, 4000))
    assert loss(found) <= min(map(loss, grid)) + 1e-2


def test_samples_are_prefixes_of_one_order():
    sizes = np.random.default_rng(2).integers(1, 100, 5000)
    small, large = sampled(sizes, 20_000), sampled(sizes, 60_000)
    assert set(small) < set(large)
    assert 19_900 < sizes[small].sum() <= 20_000
    assert len(sampled(np.full(1000, 10**9), 1000)) == sample.SAMPLE_LEAST
    assert_array_equal(sampled(sizes, 10**9), np.arange(5000))


def test_stronger_penalties_for_noise():
    texts, labels = noisy_corpus()
    clean = make_corpus(1200, n_words=400, random_state=5)
    assert (
        TextClassifier().fit(texts, labels).choice_.C
        <= TextClassifier().fit(clean.texts, clean.labels).choice_.C
    )


def test_the_path_fits_the_number_of_documents():
    assert choose._path(4, 0.0) == [3.0]
    assert choose._path(100, 0.0) == [0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0]
    assert choose._path(10**6, 1.0)[0] == 1.0


def test_as_accurate_as_a_tuned_peer_on_synthetic_text():
    texts, labels = noisy_corpus()
    new = make_corpus(1500, n_words=400, random_state=11)
    ours = TextClassifier().fit(texts, labels).score(new.texts, new.labels)
    vectorizer = TfidfVectorizer(sublinear_tf=True)
    X, Z = vectorizer.fit_transform(texts), vectorizer.transform(new.texts)
    peers = [Peer(C=C, max_iter=500).fit(X, labels).score(Z, new.labels) for C in (0.3, 1, 3, 10)]
    assert ours >= max(peers) - 0.01


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        (["a", "", "b", "", "", ""], list("xyyxxx")),
        (["w19 w21 w34", "w38 w32 w32", "w1", "w12"], list("xyyx")),
    ],
)
def test_a_reading_that_leaves_no_term_is_not_chosen(texts, labels):
    classifier = TextClassifier().fit(texts, labels)
    assert classifier.choice_.reading.min_df == 1
    assert {trial.reading.min_df for trial in classifier.choice_.trials} == {1}


def test_terms_of_two_documents_are_not_chosen_against_max_df():
    texts = ["", "w0", "w4 w4", "w2 w4 w3"]
    classifier = TextClassifier(max_df=1).fit(texts, list("xyyx"))
    assert {trial.reading.min_df for trial in classifier.choice_.trials} == {1}


def test_a_share_of_one_is_not_one_document():
    texts = [f"u{i} {'good' if i % 2 else 'bad'}" for i in range(20)]
    with pytest.raises(ValueError, match="no terms remain"):
        TextClassifier(min_df=1.0).fit(texts, [i % 2 for i in range(20)])


def test_a_fold_without_any_term_is_judged_by_its_intercept():
    how = execution(1)
    counts = sp.csr_array(np.eye(8, dtype=np.int64))
    codes = np.array([0, 1, 1, 1, 0, 1, 1, 1], dtype=np.int32)
    examples = Examples(counts, codes, np.ones(8), 2, "tfidf", True)
    held = HeldOut(examples, 2, [np.arange(8) < 4, np.arange(8) >= 4], PRIOR, 0, how)
    held.start(0.0)
    losses = held.fit(10.0).losses.reshape(2, 4)
    assert_array_equal(losses, losses[:, [0, 1, 1, 1]])


def test_a_choice_with_a_function_is_kept(tmp_path):
    classifier = TextClassifier(analyzer=split).fit(TEXTS, LABELS)
    assert classifier.choice_.reading.analyzer is split
    assert classifier.choice_.reading.ngram_range == (1, 1)
    classifier.save(tmp_path / "model")
    assert load(tmp_path / "model", callables={"analyzer": split}).chosen["analyzer"] == "split"


def split(text):
    return text.split()


def test_weights_that_no_fit_can_follow_are_refused():
    with pytest.raises(ValueError, match="scale them down"), np.errstate(all="ignore"):
        TextClassifier().fit(TEXTS, LABELS, np.full(len(TEXTS), 1e308))


def test_a_sample_says_why_it_has_no_characters(monkeypatch):
    monkeypatch.setattr(fitting, "documents_most", lambda n_classes: 300)
    texts, labels = endings(400, seed=0)
    classifier = TextClassifier().fit(texts, labels)
    why = "no: settings are chosen on a sample of the documents"
    assert classifier.choice_.why_characters == why


def endings(n, seed):
    """Return words that were never seen, of two languages that differ in how they end."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(["north", "south"], n)
    stems = ["".join(rng.choice(list("bcdfglmnprst"), 4)) for _ in range(6 * n)]
    ends = {"north": ["heid", "ung", "schap"], "south": ["mento", "ezza", "ione"]}
    texts = [
        " ".join(stem + rng.choice(ends[label]) for stem in stems[6 * i : 6 * i + 6])
        for i, label in enumerate(labels)
    ]
    return texts, labels


def codewords(n, seed):
    """Return documents of two topics whose words have nothing to do with their letters."""
    rng = np.random.default_rng(seed)
    names = ["".join(name) for name in product("abc", repeat=5)]
    chances = np.random.default_rng(1).dirichlet(np.full(len(names), 2.0), 2)
    labels = rng.choice([0, 1], n)
    return [" ".join(rng.choice(names, 8, p=chances[label])) for label in labels], labels


def test_characters_stand_beside_words_where_they_help():
    texts, labels = endings(300, seed=0)
    new, truth = endings(300, seed=1)
    default = TextClassifier().fit(texts, labels)
    words = TextClassifier(characters=False).fit(texts, labels)
    assert default.choice_.reading.analyzer == ("word", "char_wb")
    assert default.choice_.reading.ngram_range[1] == (2, 5)
    assert default.choice_.why_characters.startswith("yes: log loss ")
    assert default.score(new, truth) > 0.99
    assert words.score(new, truth) < 0.7
    assert words.choice_.why_characters == "no: as asked"
    assert words.choice_.reading.analyzer == "word"


def test_characters_are_dropped_where_words_are_clearly_better():
    classifier = TextClassifier().fit(*codewords(3000, seed=0))
    assert classifier.choice_.why_characters.startswith("no: log loss ")
    assert classifier.choice_.reading.analyzer == "word"
    tried = {trial.reading.analyzer for trial in classifier.choice_.trials}
    assert tried == {"word", ("word", "char_wb")}


def test_many_characters_of_text_are_not_counted_unless_asked_for(monkeypatch):
    texts, labels = endings(300, seed=0)
    monkeypatch.setattr(choose, "CHARACTERS_MOST", 1000)
    classifier = TextClassifier().fit(texts, labels)
    assert classifier.choice_.why_characters == "no: more than 1,000 characters of text"
    assert {trial.reading.analyzer for trial in classifier.choice_.trials} == {"word"}
    asked = TextClassifier(characters=True).fit(texts, labels)
    assert asked.choice_.why_characters == "yes: as asked"
    tried = {trial.reading.analyzer for trial in asked.choice_.trials}
    assert tried == {("word", "char_wb")}


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("analyzer", "char"),
        ("ngram_range", (1, 1)),
        ("token_pattern", r"\w+"),
        ("stop_words", ["the"]),
        ("tokenizer", str.split),
        ("preprocessor", str.upper),
        ("max_features", 1000),
        ("n_hashed", 2**12),
    ],
)
def test_given_words_are_the_features(name, given):
    classifier = TextClassifier(**{name: given}).fit(TEXTS, LABELS)
    assert classifier.choice_.why_characters == f"no: {name} is given"
    assert "char_wb" not in {trial.reading.analyzer for trial in classifier.choice_.trials}


def test_characters_may_be_asked_for_with_other_options(tmp_path):
    classifier = TextClassifier(characters=True, C=3.0, ngram_range=(1, 1)).fit(TEXTS, LABELS)
    views = classifier.linear_model_.describe()["text"]["views"]
    assert views["word"]["ngram_range"] == [1, 1]
    assert views["char_wb"]["ngram_range"] == [2, 5]
    same = TextClassifier(
        analyzer=("word", "char_wb"), C=3.0, ngram_range={"word": (1, 1), "char_wb": (2, 5)}
    ).fit(TEXTS, LABELS)
    assert_array_equal(classifier.predict_proba(NEW), same.predict_proba(NEW))
    bayes = TextClassifier("naive_bayes", characters=True, analyzer="unicode_word")
    assert bayes.fit(TEXTS, LABELS).predict(NEW).shape == (len(NEW),)
    for wrong in ("char", ("word", "char"), str.split):
        with pytest.raises(ValueError, match="analyzer must be 'word' or 'unicode_word'"):
            TextClassifier(characters=True, analyzer=wrong).fit(TEXTS, LABELS)
    with pytest.raises(ValueError, match="characters must be True, False or None, got 'yes'"):
        TextClassifier(characters="yes").fit(TEXTS, LABELS)
