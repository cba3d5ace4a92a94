"""The whole job in one object."""

import csv
import gzip

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer as PeerTfidfVectorizer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import wordodds
from wordodds import TextClassifier

from .test_from_sklearn import LABELS, NEW, TEXTS

KINDS = ("nb_logistic", "logistic", "naive_bayes", "complement")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("two", [False, True], ids=["three labels", "two labels"])
def test_learns_predicts_and_keeps_the_kind_of_labels(kind, two):
    labels = np.where(LABELS == "cats", 1, 0) if two else LABELS
    classifier = TextClassifier(kind).fit(TEXTS, labels)
    assert classifier.score(TEXTS, labels) > 0.95
    assert classifier.predict(NEW).dtype.kind == labels.dtype.kind
    proba = classifier.predict_proba(NEW)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    np.testing.assert_array_equal(
        classifier.classes_[proba.argmax(axis=1)], classifier.predict(NEW)
    )
    tops, values = classifier.predict_top(NEW, 2)
    np.testing.assert_array_equal(tops[:, 0], classifier.predict(NEW))
    np.testing.assert_allclose(values[:, 0], proba.max(axis=1))
    assert classifier.predict_top(NEW, 99)[0].shape == (len(NEW), 2 if two else 3)


@pytest.mark.parametrize("C", [None, 3.0])
def test_equals_the_estimators_one_by_one(C):
    classifier = TextClassifier(C=C).fit(TEXTS, LABELS)
    options, settings = {"token_pattern": r"(?u)\b\w+\b", "ngram_range": (1, 2)}, {"C": C}
    if C is None:
        choice = classifier.choice_
        options = choice.reading._asdict()
        assert options["analyzer"] == ("word", "char_wb")
        by_name = zip(options["analyzer"], options["ngram_range"], strict=True)
        options["ngram_range"] = dict(by_name)
        settings = {name: getattr(choice, name) for name in ("C", "lean", "temperature")}
    vectorizer = wordodds.TfidfVectorizer(sublinear_tf=True, **options)
    rows = vectorizer.fit_transform(TEXTS)
    model = wordodds.NBLogisticRegression(**settings).fit(rows, LABELS)
    np.testing.assert_allclose(
        classifier.decision_function(NEW),
        model.decision_function(vectorizer.transform(NEW)),
        rtol=1e-12,
        atol=1e-12,
    )


def test_options_reach_the_text():
    def terms(**options):
        return set(
            TextClassifier("naive_bayes", **options)
            .fit(TEXTS, LABELS)
            .linear_model_.features.terms.terms()
        )

    assert "the" in terms()
    assert "the" not in terms(stop_words=["the"])
    assert "cat kitten" in terms(ngram_range=(1, 2))
    assert "Mouse" in terms(lowercase=False)
    assert terms(max_features=3) < terms(min_df=20) < terms()
    assert {"live", "sea"} < terms(stemmer="english")
    assert terms(analyzer="char") < set(map(chr, range(0x3000)))
    assert "cat" in terms(tokenizer=str.split)
    assert "TAC" in terms(preprocessor=lambda text: text[::-1].upper())
    binary = TextClassifier("naive_bayes", weighting="binary").fit(TEXTS, LABELS)
    np.testing.assert_array_equal(
        binary.decision_function(["cat cat deck"]), binary.decision_function(["cat deck"])
    )


def test_min_df_of_small_and_large_corpora():
    assert (
        "aardvark"
        in TextClassifier(C=10.0)
        .fit([*TEXTS, "aardvark"], [*LABELS, "cats"])
        .linear_model_.features.terms.terms()
    )
    many, labels = TEXTS * 12, [*LABELS] * 12
    classifier = TextClassifier(C=10.0).fit([*many, "aardvark"], [*labels, "cats"])
    assert "aardvark" not in classifier.linear_model_.features.terms.terms()


def test_batches_give_what_one_fit_gives():
    whole = TextClassifier("naive_bayes", n_hashed=512).fit(TEXTS, LABELS)
    grown = TextClassifier("naive_bayes", n_hashed=512)
    for first in range(0, len(TEXTS), 25):
        some = slice(first, first + 25)
        grown.partial_fit(TEXTS[some], LABELS[some], classes=["bread", "cats", "ships"])
    np.testing.assert_array_equal(grown.decision_function(NEW), whole.decision_function(NEW))
    # A fit begins anew.
    again = grown.fit(TEXTS[:40], LABELS[:40])
    fresh = TextClassifier("naive_bayes", n_hashed=512).fit(TEXTS[:40], LABELS[:40])
    np.testing.assert_array_equal(again.decision_function(NEW), fresh.decision_function(NEW))


def test_batches_need_hashing_and_a_model_that_can():
    with pytest.raises(ValueError, match="n_hashed"):
        TextClassifier("naive_bayes").partial_fit(TEXTS, LABELS)
    with pytest.raises(ValueError, match="NBLogisticRegression cannot learn by batches"):
        TextClassifier(n_hashed=64).partial_fit(TEXTS, LABELS)
    with pytest.raises(ValueError, match="min_df needs a vocabulary"):
        TextClassifier("naive_bayes", n_hashed=64, min_df=2).fit(TEXTS, LABELS)


def test_any_of_our_estimators():
    for model in (
        wordodds.SGDClassifier(loss="modified_huber"),
        wordodds.BernoulliNB(),
        wordodds.LogisticRegression(C=5.0, multi_class="ovr"),
    ):
        before = model.get_params()
        classifier = TextClassifier(model).fit(TEXTS, LABELS)
        assert classifier.score(TEXTS, LABELS) > 0.95
        assert model.get_params() == before
        assert not hasattr(model, "classes_")  # the user's object is left alone
    for wrong in ("svm", LinearSVC(), wordodds.MultinomialNB, None, wordodds.GaussianNB()):
        with pytest.raises(ValueError, match="model must be one of nb_logistic"):
            TextClassifier(wrong).fit(TEXTS, LABELS)


def test_an_object_with_the_defaults_is_the_name():
    by_name = TextClassifier(C=10.0).fit(TEXTS * 12, [*LABELS] * 12)
    by_object = TextClassifier(wordodds.NBLogisticRegression()).fit(TEXTS * 12, [*LABELS] * 12)
    np.testing.assert_array_equal(by_object.decision_function(NEW), by_name.decision_function(NEW))


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_model_every_time(kind):
    first, second = (TextClassifier(kind).fit(TEXTS, LABELS) for _ in range(2))
    np.testing.assert_array_equal(first.decision_function(NEW), second.decision_function(NEW))


def test_bad_input():
    classifier = TextClassifier()
    with pytest.raises(Exception, match="not fitted"):
        classifier.predict(["text"])
    with pytest.raises(ValueError, match="weighting must be one of counts"):
        TextClassifier(weighting="tf").fit(TEXTS, LABELS)
    with pytest.raises(TypeError, match="document 1"):
        classifier.fit(["a b", None], [0, 1])
    with pytest.raises(ValueError, match="inconsistent"):
        classifier.fit(TEXTS, LABELS[:-1])
    with pytest.raises(ValueError, match="one class"):
        classifier.fit(TEXTS, ["same"] * len(TEXTS))
    assert not hasattr(classifier, "linear_model_")
    classifier.fit(TEXTS, LABELS)
    before = classifier.decision_function(NEW)
    with pytest.raises(ValueError, match="string object received"):
        classifier.predict("one text")
    with pytest.raises(ValueError, match="k must be"):
        classifier.predict_top(NEW, 0)
    with pytest.raises(ValueError, match="empty vocabulary"):
        classifier.fit(["", ""], [0, 1])
    np.testing.assert_array_equal(classifier.decision_function(NEW), before)


def test_works_with_scikit_learn_tools():
    classifier = TextClassifier("naive_bayes", min_df=2)
    assert clone(classifier).get_params() == classifier.get_params()
    assert cross_val_score(classifier, TEXTS, LABELS, cv=3).min() > 0.9
    weights = np.where(LABELS == "cats", 1.0, 0.0)
    assert classifier.fit(TEXTS, LABELS).score(TEXTS, LABELS, sample_weight=weights) == 1.0


def test_the_same_bits_for_any_number_of_threads():
    many, labels = TEXTS * 60, [*LABELS] * 60
    one = TextClassifier(n_jobs=1).fit(many, labels)
    three = TextClassifier(n_jobs=3).fit(many, labels)
    np.testing.assert_array_equal(one.linear_model_.weights, three.linear_model_.weights)
    np.testing.assert_array_equal(one.decision_function(many), three.decision_function(many))


def test_calibrated_and_thresholds():
    classifier = TextClassifier("naive_bayes").fit(TEXTS[:45], LABELS[:45])
    before = classifier.predict_proba(NEW)
    classifier.calibrate(TEXTS[45:], LABELS[45:])
    assert not np.allclose(before, classifier.predict_proba(NEW))
    threshold = classifier.threshold_for("cats", precision=0.9)
    sure = classifier.predict_proba(TEXTS[45:])[:, 1] >= threshold
    assert (LABELS[45:][sure] == "cats").mean() >= 0.9
    with pytest.raises(ValueError, match="there is no label 'dogs'"):
        classifier.threshold_for("dogs", precision=0.9)


def test_20_newsgroups(newsgroups):
    train, test = newsgroups
    assert TextClassifier().fit(train.texts, train.labels).score(test.texts, test.labels) >= 0.87


def split_sms(folder):
    with open(folder / "text" / "sms-spam.tsv", encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t", 1) for line in file]
    held_out = np.arange(len(rows)) % 5 == 4
    texts, labels = np.array([row[1] for row in rows], object), np.array([row[0] for row in rows])
    return texts[~held_out], labels[~held_out], texts[held_out], labels[held_out]


def split_r8(folder):
    parts = []
    for part in ("train", "test"):
        with gzip.open(folder / "text" / f"reuters-r8-{part}.tab.gz", "rt") as file:
            rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[3:]
            rows = [row for row in rows if len(row) == 2]
        parts += [np.array([row[1] for row in rows], object), np.array([row[0] for row in rows])]
    return parts


def time_splits(texts, labels):
    """Yield parts of a corpus in the order of time: learn from the first, classify the next."""
    n = len(texts)
    for sixths in (3, 4, 5):
        old, new = slice(0, n * sixths // 6), slice(n * sixths // 6, n * (sixths + 1) // 6)
        yield texts[old], labels[old], texts[new], labels[new]


def peer_and_ours(texts, labels, new, right):
    """Return how many of the new texts a linear SVM gets right, and how many we do."""
    peer = make_pipeline(PeerTfidfVectorizer(), LinearSVC(random_state=0)).fit(texts, labels)
    ours = TextClassifier().fit(texts, labels)
    return (peer.predict(new) == right).sum(), (ours.predict(new) == right).sum()


def test_sms_at_least_as_good_as_a_linear_svm(newsgroups_data):
    peer, ours = peer_and_ours(*split_sms(newsgroups_data))
    assert ours >= peer


@pytest.mark.exhaustive
def test_r8_at_least_as_good_as_a_linear_svm(newsgroups_data):
    texts, labels, new, right = split_r8(newsgroups_data)
    results = [peer_and_ours(*split) for split in time_splits(texts, labels)]
    peer, ours = np.sum(results, axis=0)
    assert ours >= peer
    # On the 2,189 of the test part the SVM gets six more right (0.9744), which is chance: of the
    # training part's last half, in the order of time, we get eleven more right.
    assert TextClassifier().fit(texts, labels).score(new, right) >= 0.97


def test_hashed_words_are_weighed_as_asked():
    texts, new = ["free free money", "lunch", "free lunch lunch"], ["free free free money lunch"]
    sublinear = TextClassifier(n_hashed=64).fit(texts, [0, 1, 1])
    vectorizer = wordodds.HashingVectorizer(
        n_features=64, norm=None, alternate_sign=False, ngram_range=(1, 2), token_pattern=r"\w+"
    )
    weights = wordodds.TfidfTransformer(use_idf=False, sublinear_tf=True)
    rows = weights.fit_transform(vectorizer.transform(texts))
    model = wordodds.NBLogisticRegression().fit(rows, [0, 1, 1])
    np.testing.assert_allclose(
        sublinear.decision_function(new),
        model.decision_function(weights.transform(vectorizer.transform(new))),
        rtol=1e-12,
    )


def test_batches_go_on_from_a_fit_and_not_with_another_model():
    classifier = TextClassifier("naive_bayes", n_hashed=512).fit(TEXTS[:40], LABELS[:40])
    classifier.partial_fit(TEXTS[40:], LABELS[40:])
    whole = TextClassifier("naive_bayes", n_hashed=512).fit(TEXTS, LABELS)
    np.testing.assert_array_equal(classifier.decision_function(NEW), whole.decision_function(NEW))
    with pytest.raises(ValueError, match="has learnt with MultinomialNB"):
        classifier.set_params(model="complement").partial_fit(TEXTS, LABELS)


@pytest.mark.parametrize("wrong", [None, 5, np.array("text"), "text"])
def test_what_is_no_collection_of_texts(wrong):
    with pytest.raises(ValueError, match=r"expected|one dimension"):
        TextClassifier().fit(wrong, [0, 1])
