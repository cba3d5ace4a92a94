"""Pipelines of scikit-learn carried over: the same answers without it."""

import numpy as np
import pytest
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from sklearn.feature_selection import SelectFromModel, SelectKBest, VarianceThreshold, chi2
from sklearn.linear_model import (
    LogisticRegression,
    PassiveAggressiveClassifier,
    Perceptron,
    RidgeClassifier,
    SGDClassifier,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, Normalizer
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import wordodds
from wordodds import from_sklearn

TOPICS = {
    "cats": "cat kitten purr milk whiskers paw fur Mouse 7 lives",
    "ships": "ship sail harbour deck captain waves storm Anchor 7 seas",
    "bread": "bread flour oven crust yeast dough baker Salt 7 loaves",
}


def corpus(n=90, seed=0):
    random = np.random.default_rng(seed)
    labels = random.choice(list(TOPICS), n)
    common = ["the", "a", "of", "and", "is", "it", "can't", "l'été", "naïve", "ΟΔΟΣ", "don’t", "x"]
    texts = []
    for label in labels:
        words = [*random.choice(TOPICS[label].split(), 6), *random.choice(common, 8)]
        texts.append(" ".join(random.permutation(words)))
    return texts, labels


TEXTS, LABELS = corpus()
NEW, _ = corpus(40, seed=1)
NEW += ["", "nothing of it known", "CAT cat cat Sail"]


def shout(text):
    return text.upper()


VECTORIZERS = {
    "counts": CountVectorizer(),
    "binary": CountVectorizer(binary=True, ngram_range=(1, 2)),
    "tfidf": TfidfVectorizer(),
    "sublinear": TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 3), stop_words="english"),
    "l1": TfidfVectorizer(norm="l1", use_idf=False),
    "no norm": TfidfVectorizer(norm=None, smooth_idf=True, min_df=2),
    "hashed": HashingVectorizer(n_features=512),
    "hashed, no sign": HashingVectorizer(n_features=512, alternate_sign=False, norm=None),
    "characters": TfidfVectorizer(analyzer="char", ngram_range=(2, 3)),
    "characters of words": CountVectorizer(analyzer="char_wb", ngram_range=(1, 4)),
    "accents": TfidfVectorizer(strip_accents="unicode", lowercase=False),
    "all words": CountVectorizer(token_pattern=r"\w+"),
    "pattern": TfidfVectorizer(token_pattern="[a-zé]+", ngram_range=(1, 2), stop_words=["the"]),
    "tokenizer": TfidfVectorizer(tokenizer=str.split, token_pattern=None),
    "preprocessor": CountVectorizer(preprocessor=shout, analyzer="char", ngram_range=(1, 2)),
    "analyzer": CountVectorizer(analyzer=str.split),
    "own accents": TfidfVectorizer(strip_accents=shout),
    "given vocabulary": CountVectorizer(vocabulary=["cat", "ship", "bread", "salt", "deck", "fur"]),
}
CLASSIFIERS = {
    "multinomial": MultinomialNB(alpha=0.1),
    "complement": ComplementNB(),
    "bernoulli": BernoulliNB(),
    "logistic": LogisticRegression(),
    "sgd log": SGDClassifier(loss="log_loss", random_state=0),
    "sgd huber": SGDClassifier(loss="modified_huber", random_state=0),
    "sgd hinge": SGDClassifier(random_state=0),
    "svc": LinearSVC(),
    "perceptron": Perceptron(random_state=0),
    "ridge": RidgeClassifier(),
    "one vs rest": OneVsRestClassifier(LogisticRegression()),
}


def check_same(pipeline, new=NEW):
    model = from_sklearn(pipeline)
    np.testing.assert_array_equal(model.predict(new), pipeline.predict(new))
    assert model.predict(new).dtype.kind == pipeline.predict(new).dtype.kind
    if hasattr(pipeline, "predict_proba"):
        np.testing.assert_allclose(
            model.predict_proba(new), pipeline.predict_proba(new), rtol=1e-11, atol=1e-12
        )
    if hasattr(pipeline, "decision_function"):
        np.testing.assert_allclose(
            model.decision_function(new), pipeline.decision_function(new), rtol=1e-11, atol=1e-12
        )
    return model


@pytest.mark.parametrize("vectorizer", VECTORIZERS.values(), ids=VECTORIZERS)
@pytest.mark.parametrize("two", [False, True], ids=["three labels", "two labels"])
def test_each_vectorizer(vectorizer, two):
    labels = LABELS == "cats" if two else LABELS
    check_same(make_pipeline(vectorizer, LogisticRegression()).fit(TEXTS, labels))


@pytest.mark.parametrize("classifier", CLASSIFIERS.values(), ids=CLASSIFIERS)
@pytest.mark.parametrize("two", [False, True], ids=["three labels", "two labels"])
def test_each_classifier(classifier, two):
    labels = np.where(LABELS == "cats", 5, -3) if two else LABELS
    check_same(make_pipeline(CountVectorizer(), classifier).fit(TEXTS, labels))


BETWEEN = {
    "weights after hashing": [HashingVectorizer(n_features=256), TfidfTransformer()],
    "idf of hashed counts": [
        HashingVectorizer(n_features=256, norm=None, alternate_sign=False),
        TfidfTransformer(sublinear_tf=True),
    ],
    "idf without a norm after one": [
        HashingVectorizer(n_features=256),
        TfidfTransformer(norm=None),
    ],
    "selection": [CountVectorizer(), SelectKBest(chi2, k=12)],
    "selection after a norm": [TfidfVectorizer(), SelectKBest(chi2, k=12)],
    "a norm after selection": [TfidfVectorizer(), SelectKBest(chi2, k=12), Normalizer("l1")],
    "selection twice": [CountVectorizer(), VarianceThreshold(0.02), SelectKBest(chi2, k=8)],
    "by a model": [TfidfVectorizer(), SelectFromModel(LinearSVC(penalty="l1", dual=False, C=2))],
    "scaled by the largest": [CountVectorizer(), MaxAbsScaler(), Normalizer()],
    "nothing": [CountVectorizer(), "passthrough"],
}


@pytest.mark.parametrize("steps", BETWEEN.values(), ids=BETWEEN)
def test_steps_between(steps):
    classifier = LogisticRegression()
    named = [(f"step {i}", step) for i, step in enumerate([*steps, classifier])]
    check_same(Pipeline(named).fit(TEXTS, LABELS))


def test_selection_leaves_only_the_terms_that_count():
    pipeline = make_pipeline(CountVectorizer(), SelectKBest(chi2, k=5), MultinomialNB())
    model = check_same(pipeline.fit(TEXTS, LABELS))
    assert model.n_features == 5


def test_binarize_where_it_means_presence():
    check_same(make_pipeline(TfidfVectorizer(), BernoulliNB()).fit(TEXTS, LABELS))
    check_same(make_pipeline(CountVectorizer(), BernoulliNB(binarize=0.5)).fit(TEXTS, LABELS))


def test_our_own_estimators():
    steps = [
        (wordodds.CountVectorizer(unknown=3), wordodds.MultinomialNB(alpha=0.1)),
        (wordodds.CountVectorizer(unknown="count"), wordodds.BernoulliNB()),
        (wordodds.TfidfVectorizer(stemmer="english"), wordodds.LogisticRegression()),
        (wordodds.TfidfVectorizer(analyzer="unicode_word"), wordodds.ComplementNB()),
        (wordodds.HashingVectorizer(n_features=128), wordodds.SGDClassifier(loss="softmax")),
        (wordodds.TfidfVectorizer(), wordodds.LogisticRegression(multi_class="ovr")),
        (wordodds.TfidfVectorizer(), wordodds.NBLogisticRegression()),
        (wordodds.CountVectorizer(missing="empty"), wordodds.MultinomialNB()),
    ]
    for vectorizer, classifier in steps:
        check_same(make_pipeline(vectorizer, classifier).fit(TEXTS, LABELS))
    model = from_sklearn(make_pipeline(*steps[-1]).fit(TEXTS, LABELS))
    assert model.predict([None, "cat"]).shape == (2,)


def test_a_subclass_that_reads_text_its_own_way():
    class Backwards(CountVectorizer):
        def build_analyzer(self):
            analyze = super().build_analyzer()
            return lambda text: analyze(text[::-1])

    model = check_same(make_pipeline(Backwards(), MultinomialNB()).fit(TEXTS, LABELS))
    assert "analyzer" in model.features.callables


def test_bytes_are_decoded_as_the_pipeline_does():
    pipeline = make_pipeline(
        CountVectorizer(encoding="latin-1", token_pattern=r"\w+"), MultinomialNB()
    )
    texts = [text.encode("latin-1", "replace") for text in TEXTS]
    pipeline.fit(texts, LABELS)
    check_same(pipeline, [text.encode("latin-1", "replace") for text in NEW])


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([TfidfVectorizer(), TruncatedSVD(2), LogisticRegression()], "'truncatedsvd'"),
        ([CountVectorizer(), OneVsRestClassifier(BernoulliNB())], "no binarize"),
        ([CountVectorizer(), DecisionTreeClassifier()], "can be made of MultinomialNB"),
        ([CountVectorizer(), MultinomialNB(alpha=0, force_alpha=True)], "alpha > 0"),
        ([CountVectorizer(), BernoulliNB(binarize=1.0)], "binarize=1.0"),
        (
            [
                HashingVectorizer(alternate_sign=False, n_features=64),
                TfidfTransformer(sublinear_tf=True),
                LinearSVC(),
            ],
            "sublinear_tf works on plain counts",
        ),
        ([CountVectorizer(), Normalizer("max"), LinearSVC()], "norm must be"),
    ],
)
def test_what_cannot_be_carried_over_names_the_step(steps, message):
    pipeline = make_pipeline(*steps)
    with np.errstate(all="ignore"):
        pipeline.fit(TEXTS, LABELS)
    with pytest.raises(ValueError, match=message):
        from_sklearn(pipeline)


def test_what_is_no_pipeline():
    with pytest.raises(ValueError, match="make_pipeline"):
        from_sklearn(CountVectorizer())
    with pytest.raises(ValueError, match="vectorizer and a classifier"):
        from_sklearn(make_pipeline(MultinomialNB()))
    with pytest.raises(ValueError, match=r"step 'countvectorizer'.*not fitted"):
        from_sklearn(make_pipeline(CountVectorizer(), MultinomialNB()))
    with pytest.raises(ValueError, match="reads files"):
        from_sklearn(
            make_pipeline(CountVectorizer(input="filename", vocabulary=["a"]), MultinomialNB())
        )


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_passive_aggressive_is_known_by_name():
    classifier = PassiveAggressiveClassifier(random_state=0)
    check_same(make_pipeline(TfidfVectorizer(), classifier).fit(TEXTS, LABELS))
