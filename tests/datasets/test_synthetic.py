"""The synthetic corpus: its exact Bayes error against independent oracles, its texts."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordodds.datasets import make_corpus
from wordodds.datasets.bayes_error import exact_bayes_error


def enumerated_bayes_error(priors, separation, topic_share, length):
    """Sum over all vectors of topic counts, in exact rational arithmetic."""
    n_classes = len(priors)
    own = Fraction(topic_share) / (1 + (n_classes - 1) / Fraction(separation))
    other = own / Fraction(separation)
    background = 1 - Fraction(topic_share)
    error = Fraction(0)
    for counts in product(range(length + 1), repeat=n_classes):
        rest = length - sum(counts)
        if rest < 0:
            continue
        ways = math.factorial(length) // math.prod(map(math.factorial, (*counts, rest)))
        joint = []
        for c in range(n_classes):
            probability = priors[c] * ways * background**rest
            for topic, count in enumerate(counts):
                probability *= (own if topic == c else other) ** count
            joint.append(probability)
        error += sum(joint) - max(joint)
    return error


def shares(*weights):
    return [Fraction(w, sum(weights)) for w in weights]


@pytest.mark.parametrize(
    ("priors", "separation", "topic_share", "length"),
    [
        (shares(1, 1), 3, Fraction(1, 4), 1),
        (shares(1, 1), 3, Fraction(1, 4), 25),
        (shares(1, 1, 1), 3, Fraction(1, 2), 12),
        (shares(1, 1, 1, 1), Fraction(5, 2), Fraction(3, 4), 7),
        # priors a whole power of the separation apart: ties in every comparison
        (shares(1, 3, 9), 3, Fraction(1, 2), 10),
        (shares(9, 1, 3), 3, Fraction(1, 2), 10),
        (shares(1, 2, 4, 1), 2, Fraction(9, 10), 7),
        (shares(7, 2, 1), Fraction(13, 8), Fraction(1, 3), 9),
        (shares(1000, 1, 1), 2, Fraction(1, 2), 8),  # the small classes almost never win
        (shares(1000, 1, 1), 50, Fraction(1, 2), 8),
        (shares(1, 1, 1), 1, Fraction(1, 2), 5),
        (shares(5, 2, 1), Fraction(1_000_001, 1_000_000), Fraction(1, 2), 5),
        (shares(1, 1, 1), 10**6, Fraction(999, 1000), 9),
        (shares(1, 1, 1, 1, 1), 4, Fraction(1, 2), 5),
    ],
)
def test_bayes_error_is_that_of_full_enumeration(priors, separation, topic_share, length):
    exact = enumerated_bayes_error(priors, separation, topic_share, length)
    ours = exact_bayes_error(
        [float(p) for p in priors], float(separation), float(topic_share), length
    )
    assert ours == pytest.approx(float(exact), rel=1e-11, abs=0)


@settings(max_examples=60, deadline=None)
@given(
    weights=st.lists(st.integers(1, 40), min_size=2, max_size=4),
    separation=st.fractions(1, 20, max_denominator=8),
    topic_share=st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=20),
    length=st.integers(1, 6),
)
def test_bayes_error_is_that_of_full_enumeration_for_any_setting(
    weights, separation, topic_share, length
):
    priors = shares(*weights)
    exact = enumerated_bayes_error(priors, separation, topic_share, length)
    ours = exact_bayes_error(
        [float(p) for p in priors], float(separation), float(topic_share), length
    )
    assert ours == pytest.approx(float(exact), rel=1e-11, abs=0)


def test_two_balanced_classes_against_the_closed_form():
    # With two classes only the topic words speak, and the majority of them decides.
    length, share, separation = 40, 0.5, 2.0
    heads = separation / (1 + separation)
    error = 0.0
    for spoken in range(length + 1):
        weight = math.comb(length, spoken) * share**spoken * (1 - share) ** (length - spoken)
        for own in range(spoken + 1):
            p = math.comb(spoken, own) * heads**own * (1 - heads) ** (spoken - own)
            error += weight * p * (1.0 if 2 * own < spoken else 0.5 if 2 * own == spoken else 0.0)
    assert exact_bayes_error([0.5, 0.5], separation, share, length) == pytest.approx(
        error, rel=1e-12
    )


def test_a_tiny_error_keeps_its_digits():
    # One minus the probability of being right would be rounding noise here.
    priors = shares(1, 1)
    exact = float(enumerated_bayes_error(priors, 10**4, Fraction(9, 10), 20))
    assert 0 < exact < 1e-17
    assert exact_bayes_error([0.5, 0.5], 1e4, 0.9, 20) == pytest.approx(exact, rel=1e-11, abs=0)


def test_the_order_of_classes_does_not_matter():
    prior = np.array([0.5, 0.25, 0.125, 0.125])
    errors = [
        exact_bayes_error(prior[order].tolist(), 2.0, 0.4, 30)
        for order in ([0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1])
    ]
    np.testing.assert_allclose(errors, errors[0], rtol=1e-12)


@pytest.mark.parametrize("prior", [None, [0.7, 0.1, 0.1, 0.1]])
def test_no_separation_leaves_the_prior(prior):
    corpus = make_corpus(5, separation=1.0, class_prior=prior)
    assert corpus.bayes_error == pytest.approx(1 - (max(prior) if prior else 0.25), abs=1e-15)
    np.testing.assert_allclose(corpus.word_probabilities - corpus.word_probabilities[0], 0)


def counts_of(corpus):
    column = {word: j for j, word in enumerate(corpus.words)}
    counts = np.zeros((len(corpus.texts), len(corpus.words)))
    for row, text in zip(counts, corpus.texts, strict=True):
        for word in text.split(" "):
            row[column[word]] += 1
    return counts


@pytest.mark.parametrize("prior", [None, [0.6, 0.2, 0.1, 0.05, 0.05]])
def test_the_bayes_rule_errs_as_often_as_stated(prior):
    corpus = make_corpus(
        20_000,
        5,
        n_words=60,
        document_length=30,
        topic_share=0.4,
        class_prior=prior,
        random_state=7,
    )
    posterior = np.log(corpus.class_prior) + counts_of(corpus) @ np.log(corpus.word_probabilities).T
    guess = np.array(corpus.label_names)[posterior.argmax(axis=1)]
    error = float(np.mean(guess != corpus.labels))
    sigma = math.sqrt(corpus.bayes_error * (1 - corpus.bayes_error) / 20_000)
    assert 0.02 < corpus.bayes_error < 0.5
    assert abs(error - corpus.bayes_error) < 4 * sigma


def test_labels_and_words_follow_their_probabilities():
    prior = [0.5, 0.3, 0.2]
    corpus = make_corpus(6000, 3, n_words=50, document_length=40, class_prior=prior)
    counts = counts_of(corpus)
    np.testing.assert_array_equal(counts.sum(axis=1), 40)
    for c, name in enumerate(corpus.label_names):
        mine = corpus.labels == name
        assert abs(mine.sum() - 6000 * prior[c]) < 4 * math.sqrt(6000 * prior[c] * (1 - prior[c]))
        observed = counts[mine].sum(axis=0)
        expected = observed.sum() * corpus.word_probabilities[c]
        chi_square = float(((observed - expected) ** 2 / expected).sum())
        assert abs(chi_square - 49) < 4 * math.sqrt(2 * 49)


def test_words_come_in_random_order():
    # The same word is as likely at the beginning as at the end.
    corpus = make_corpus(4000, 2, n_words=10, document_length=10)
    rows = [text.split() for text in corpus.texts]
    for word in corpus.words[:3]:
        first, last = (sum(row[i] == word for row in rows) for i in (0, -1))
        assert abs(first - last) < 4 * math.sqrt(first + last)


@pytest.mark.parametrize(("n_classes", "n_words"), [(2, 3), (4, 5), (4, 7), (4, 2000), (20, 5000)])
def test_the_model_is_as_described(n_classes, n_words):
    corpus = make_corpus(0, n_classes, n_words=n_words, separation=5.0, topic_share=0.3)
    p = corpus.word_probabilities
    assert p.shape == (n_classes, n_words)
    assert (p > 0).all()
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-12)
    # Each word is equally likely in all classes, or five times likelier in one of them.
    ratio = p / p.min(axis=0)
    topical = ratio.max(axis=0) > 1.5
    np.testing.assert_allclose(ratio[:, ~topical], 1, rtol=1e-12)
    np.testing.assert_allclose(np.sort(ratio[:, topical], axis=0)[:-1], 1, rtol=1e-12)
    np.testing.assert_allclose(ratio[:, topical].max(axis=0), 5, rtol=1e-12)
    np.testing.assert_allclose(p[:, topical].sum(axis=1), 0.3, rtol=1e-12)
    assert set(ratio[:, topical].argmax(axis=0)) == set(range(n_classes))


def test_words_are_sorted_plain_and_survive_a_vectorizer():
    text = pytest.importorskip("sklearn.feature_extraction.text")
    corpus = make_corpus(300, 3, n_words=5000, document_length=200)
    assert corpus.words == sorted(set(corpus.words))
    assert all(w.isascii() and w.isalpha() and w.islower() and len(w) >= 2 for w in corpus.words)
    assert not text.ENGLISH_STOP_WORDS.intersection(corpus.words)
    vectorizer = text.CountVectorizer(stop_words="english")
    counts = vectorizer.fit_transform([*corpus.texts, " ".join(corpus.words)])
    assert vectorizer.get_feature_names_out().tolist() == corpus.words
    np.testing.assert_array_equal(counts[:-1].toarray(), counts_of(corpus))


def test_the_seed_decides_the_documents_and_not_the_language():
    one, again, two = (make_corpus(50, random_state=seed) for seed in (3, 3, 4))
    assert one.texts == again.texts
    assert one.labels.tolist() == again.labels.tolist()
    assert one.texts != two.texts
    assert one.words == two.words
    np.testing.assert_array_equal(one.word_probabilities, two.word_probabilities)
    assert make_corpus(50, random_state=np.random.default_rng(3)).texts == one.texts


def test_documents_do_not_depend_on_how_many_are_drawn_at_once(monkeypatch):
    from wordodds.datasets import synthetic

    whole = make_corpus(101).texts
    monkeypatch.setattr(synthetic, "_TOKENS_AT_ONCE", 600)
    assert make_corpus(101).texts == whole


def test_names_sort_as_numbers_and_the_corpus_is_a_corpus():
    corpus = make_corpus(10, 101)
    assert corpus.label_names == sorted(corpus.label_names)
    assert corpus.label_names[0] == "class000"
    assert make_corpus(0).label_names[0] == "class00"
    assert len(corpus) == len(corpus.texts) == len(corpus.labels) == 10
    assert "10 documents, 101 labels" in repr(corpus)
    assert len(make_corpus(0)) == 0


@pytest.mark.parametrize(
    ("argument", "value", "kind"),
    [
        ("n_documents", -1, ValueError),
        ("n_documents", 1.5, TypeError),
        ("n_classes", 1, ValueError),
        ("n_classes", True, TypeError),
        ("n_words", 4, ValueError),
        ("document_length", 0, ValueError),
        ("separation", 0.99, ValueError),
        ("separation", math.inf, ValueError),
        ("separation", math.nan, ValueError),
        ("topic_share", 0.0, ValueError),
        ("topic_share", 1.0, ValueError),
        ("topic_share", math.nan, ValueError),
        ("class_prior", [0.5, 0.5], ValueError),
        ("class_prior", [0.5, 0.5, 0.5, 0.5], ValueError),
        ("class_prior", [1.0, 0.0, 0.0, 0.0], ValueError),
        ("class_prior", [math.nan, 0.5, 0.25, 0.25], ValueError),
        ("random_state", -1, ValueError),
        ("random_state", "seed", TypeError),
    ],
)
def test_a_wrong_argument_is_named(argument, value, kind):
    with pytest.raises(kind, match=argument):
        make_corpus(**{argument: value})
