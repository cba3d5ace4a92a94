"""Several analyzers side by side, from training to model files."""

import math
import pickle
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.feature_extraction import text as sklearn_text
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB as SklearnBernoulliNB
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, Normalizer
from sklearn.svm import LinearSVC

import wordodds
from wordodds import ModelFileError, TextClassifier, TfidfVectorizer, from_sklearn, load
from wordodds.model.container import read_container, write_container

VIEWS = ("word", "char_wb")
NGRAMS = {"word": (1, 2), "char_wb": (2, 4)}
SMALL = ["the", "a", "of"]
WORDS = {
    "cooking": ["onion", "garlic", "butter", "oven", "recipe", "sauce", "bake", *SMALL],
    "sailing": ["wind", "anchor", "mast", "harbour", "tide", "knot", "deck", *SMALL],
    "chess": ["knight", "bishop", "check", "opening", "pawn", "castle", "mate", *SMALL],
}


def corpus(n, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.choice(list(WORDS), size=n)
    texts = [" ".join(rng.choice(WORDS[label], size=rng.integers(3, 12))) + "!" for label in labels]
    return texts, labels


TEXTS, LABELS = corpus(120)
OTHERS = [*corpus(30, seed=1)[0], "", "unseen wörds sailboats", "Knights baked"]


def words_and_ngrams(kind=sklearn_text.TfidfVectorizer, **options):
    return FeatureUnion(
        [
            (view, kind(analyzer=view, ngram_range=NGRAMS[view], **options.get(view, {})))
            for view in VIEWS
        ]
    )


UNIONS = {
    "tf-idf": words_and_ngrams(word={"sublinear_tf": True}, char_wb={"norm": "l1", "min_df": 2}),
    "other names": FeatureUnion(
        [("w", sklearn_text.CountVectorizer()), ("drop", "drop"), ("c", TfidfVectorizer())]
    ),
    "two of a kind": FeatureUnion(
        [
            ("one", sklearn_text.TfidfVectorizer(lowercase=False)),
            ("two", sklearn_text.TfidfVectorizer(ngram_range=(2, 2), stop_words=["the"])),
        ]
    ),
    "hashed": words_and_ngrams(
        sklearn_text.HashingVectorizer,
        word={"n_features": 512},
        char_wb={"n_features": 512, "norm": None},
    ),
    "weights": FeatureUnion(
        words_and_ngrams().transformer_list, transformer_weights={"char_wb": 0.3}
    ),
    "pipelines": FeatureUnion(
        [
            (
                "words",
                make_pipeline(
                    sklearn_text.CountVectorizer(), sklearn_text.TfidfTransformer(norm=None)
                ),
            ),
            (
                "characters",
                make_pipeline(
                    sklearn_text.CountVectorizer(analyzer="char", ngram_range=(1, 3)),
                    Normalizer(),
                ),
            ),
        ]
    ),
    "functions": FeatureUnion(
        [
            ("split", sklearn_text.CountVectorizer(tokenizer=str.split, token_pattern=None)),
            ("first", sklearn_text.CountVectorizer(analyzer=lambda text: [text[:1], text[-2:]])),
        ]
    ),
}
CLASSIFIERS = {
    "softmax": LogisticRegression(),
    "naive Bayes": MultinomialNB(),
    "selected": [MaxAbsScaler(), SelectKBest(chi2, k=40), LinearSVC()],
}


def fitted(union, classifier):
    steps = classifier if isinstance(classifier, list) else [classifier]
    pipeline = make_pipeline(union, *steps)
    if isinstance(union.transformer_list[0][1], sklearn_text.HashingVectorizer):
        pipeline = make_pipeline(union, LogisticRegression())  # signs are not for naive Bayes
    return pipeline.fit(TEXTS, LABELS)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize("union", UNIONS)
@pytest.mark.filterwarnings("ignore:Your stop_words may be inconsistent")
def test_a_pipeline_with_feature_union_is_carried_over(union, classifier, tmp_path):
    pipeline = fitted(UNIONS[union], CLASSIFIERS[classifier])
    model = from_sklearn(pipeline)
    scores = getattr(pipeline, "decision_function", getattr(pipeline, "predict_log_proba", None))
    ours = model.decision_function(OTHERS)
    if not hasattr(pipeline, "decision_function"):  # naive Bayes gives normalised ones
        ours = ours - np.logaddexp.reduce(ours, axis=1, keepdims=True)
    np.testing.assert_allclose(ours, scores(OTHERS), rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(model.predict(OTHERS), pipeline.predict(OTHERS))
    callables = {
        name: function for view in model.features.views for name, function in view.callables.items()
    }
    model.save(tmp_path / "m")
    again = load(tmp_path / "m", callables=callables)
    np.testing.assert_array_equal(again.decision_function(OTHERS), model.decision_function(OTHERS))
    assert again.describe() == model.describe()
    assert model.describe()["format_version"] == 3


def test_what_cannot_be_carried_over_is_named():
    joint = make_pipeline(words_and_ngrams(), Normalizer(), LogisticRegression())
    with pytest.raises(ValueError, match="divides several vectorizers together by one norm"):
        from_sklearn(joint.fit(TEXTS, LABELS))
    mixed = FeatureUnion(
        [
            ("a", sklearn_text.CountVectorizer()),
            ("b", sklearn_text.HashingVectorizer(alternate_sign=False)),
        ]
    )
    with pytest.raises(ValueError, match="either all have vocabularies or all hash to as many"):
        from_sklearn(make_pipeline(mixed, MultinomialNB()).fit(TEXTS, LABELS))
    other = FeatureUnion(
        [
            ("a", sklearn_text.CountVectorizer()),
            ("b", sklearn_text.CountVectorizer(encoding="latin-1")),
        ]
    )
    with pytest.raises(ValueError, match="must agree in encoding, got 'utf-8' and 'latin-1'"):
        from_sklearn(make_pipeline(other, MultinomialNB()).fit(TEXTS, LABELS))
    nested = FeatureUnion([("a", words_and_ngrams()), ("b", sklearn_text.CountVectorizer())])
    with pytest.raises(ValueError, match="into one FeatureUnion of these"):
        from_sklearn(make_pipeline(nested, MultinomialNB()).fit(TEXTS, LABELS))


def test_what_a_binarising_step_never_sees_adds_nothing():
    union = FeatureUnion(
        [("w", sklearn_text.CountVectorizer()), ("c", sklearn_text.CountVectorizer())],
        transformer_weights={"w": -1.0},
    )
    pipeline = make_pipeline(union, SklearnBernoulliNB()).fit(TEXTS, LABELS)
    model = from_sklearn(pipeline)
    np.testing.assert_allclose(model.predict_proba(OTHERS), pipeline.predict_proba(OTHERS))


def test_names_and_lengths_that_a_model_cannot_tell_apart_are_refused():
    union = FeatureUnion([("w", sklearn_text.CountVectorizer()), ("w_", TfidfVectorizer())])
    with pytest.raises(ValueError, match="'w_' must not end with an underscore"):
        from_sklearn(make_pipeline(union, MultinomialNB()).fit(TEXTS, LABELS))
    vectorizer = sklearn_text.CountVectorizer(analyzer="char", ngram_range=(0, 2))
    with pytest.raises(ValueError, match=r"ngram_range=\(0, 2\) must begin with 1 or more"):
        from_sklearn(make_pipeline(vectorizer, MultinomialNB()).fit(TEXTS, LABELS))


def test_steps_that_do_nothing_may_stand_within_a_union():
    inner = Pipeline([("v", sklearn_text.CountVectorizer(analyzer="char")), ("p", "passthrough")])
    union = FeatureUnion([("w", sklearn_text.CountVectorizer()), ("c", inner)])
    pipeline = make_pipeline(union, MultinomialNB()).fit(TEXTS, LABELS)
    model = from_sklearn(pipeline)
    np.testing.assert_allclose(model.predict_proba(OTHERS), pipeline.predict_proba(OTHERS))
    passes = FeatureUnion([("c", "passthrough"), ("w", sklearn_text.CountVectorizer())])
    with pytest.raises(ValueError, match="must not pass texts on as they are, as 'c'"):
        from_sklearn(make_pipeline(passes, pipeline[-1]))


def test_a_function_that_cannot_be_hashed_may_prepare_text():
    @dataclass
    class Upper:
        times: int = 1

        def __call__(self, text):
            return text.upper()

    for analyzer in ("word", VIEWS):
        classifier = TextClassifier(analyzer=analyzer, preprocessor=Upper()).fit(TEXTS, LABELS)
        assert classifier.score(TEXTS, LABELS) > 0.9


def test_a_union_of_one_is_that_one():
    alone = FeatureUnion([("a", sklearn_text.TfidfVectorizer()), ("b", "drop")])
    pipeline = make_pipeline(alone, MultinomialNB()).fit(TEXTS, LABELS)
    model = from_sklearn(pipeline)
    np.testing.assert_allclose(model.predict_proba(OTHERS), pipeline.predict_proba(OTHERS))
    assert not model.features.beside


def test_an_analyzer_that_is_not_named_has_its_default():
    named = TextClassifier(analyzer=VIEWS, ngram_range={"word": (1, 1)}).fit(TEXTS, LABELS)
    assert named.choice_.reading.ngram_range == ((1, 1), (2, 5))


def test_what_one_analyzer_refuses_several_refuse():
    class Own(wordodds.CountVectorizer):
        def transform(self, raw_documents):
            return 2 * super().transform(raw_documents)

    for vectorizer, message in (
        (wordodds.CountVectorizer(analyzer=VIEWS, input="filename"), "reads files"),
        (Own(analyzer=VIEWS), "transform"),
    ):
        rows = wordodds.CountVectorizer(analyzer=VIEWS).fit_transform(TEXTS)
        classifier = wordodds.MultinomialNB().fit(rows, LABELS)
        vectorizer.vocabulary_ = wordodds.CountVectorizer(analyzer=VIEWS).fit(TEXTS).vocabulary_
        with pytest.raises(ValueError, match=message):
            from_sklearn(make_pipeline(vectorizer, classifier))


def test_different_functions_of_one_option_are_scored_but_not_saved(tmp_path):
    union = FeatureUnion(
        [
            ("a", sklearn_text.CountVectorizer(preprocessor=str.upper)),
            ("b", sklearn_text.CountVectorizer(preprocessor=str.title, analyzer="char")),
        ]
    )
    pipeline = make_pipeline(union, MultinomialNB()).fit(TEXTS, LABELS)
    model = from_sklearn(pipeline)
    np.testing.assert_allclose(model.predict_proba(OTHERS), pipeline.predict_proba(OTHERS))
    with pytest.raises(ValueError, match="its views have different functions as preprocessor"):
        model.save(tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def classifier():
    """Return a classifier of words and characters within them."""
    return TextClassifier(analyzer=VIEWS, ngram_range=NGRAMS).fit(TEXTS, LABELS)


def test_training_is_that_of_the_pipeline():
    ours = TextClassifier(
        analyzer=VIEWS, ngram_range=NGRAMS, min_df={"word": 1, "char_wb": 2}, C=5.0
    ).fit(TEXTS, LABELS)
    vectorizer = TfidfVectorizer(
        analyzer=VIEWS,
        ngram_range=NGRAMS,
        min_df={"word": 1, "char_wb": 2},
        sublinear_tf=True,
        token_pattern=r"(?u)\b\w+\b",
    )
    pipeline = make_pipeline(vectorizer, wordodds.NBLogisticRegression(C=5.0, random_state=0))
    pipeline.fit(TEXTS, LABELS)
    np.testing.assert_allclose(
        ours.decision_function(OTHERS), pipeline.decision_function(OTHERS), rtol=1e-9, atol=1e-9
    )


def test_settings_are_chosen_for_both_views(classifier):
    choice = classifier.choice_
    assert choice.reading.ngram_range == ((1, 2), (2, 4))
    assert len({trial.reading for trial in choice.trials}) > 2  # of punctuation and min_df
    assert classifier.score(*corpus(200, seed=2)) > 0.95
    default = TextClassifier(analyzer=VIEWS).fit(TEXTS, LABELS)
    tried = {trial.reading.ngram_range for trial in default.choice_.trials}
    assert tried == {((1, 2), (2, 5)), ((1, 1), (2, 5))}


@pytest.mark.parametrize("n_jobs", [1, 2, 5])
def test_the_same_bits_for_any_number_of_threads(classifier, n_jobs):
    again = TextClassifier(analyzer=VIEWS, ngram_range=NGRAMS, n_jobs=n_jobs).fit(TEXTS, LABELS)
    expected = classifier.decision_function(OTHERS * 40)
    np.testing.assert_array_equal(again.decision_function(OTHERS * 40), expected)


def test_models_are_kept(classifier, tmp_path):
    expected = classifier.predict_proba(OTHERS)
    classifier.save(tmp_path / "m")
    for mmap in (True, False):
        again = load(tmp_path / "m", mmap=mmap)
        np.testing.assert_array_equal(again.predict_proba(OTHERS), expected)
        assert again.features.name_of(0).startswith("word__")
    pickled = pickle.loads(pickle.dumps(classifier))
    np.testing.assert_array_equal(pickled.predict_proba(OTHERS), expected)
    text = load(tmp_path / "m").describe()["text"]
    assert list(text["views"]) == ["word", "char_wb"]
    assert text["views"]["char_wb"]["ngram_range"] == [2, 4]


def test_features_have_the_names_of_their_views(classifier):
    best = dict(classifier.top_features(1000)["sailing"])
    assert {name.partition("__")[0] for name in best} == {"word", "char_wb"}
    for name in ("word__anchor", "char_wb__anc"):
        assert classifier.log_odds(name, "sailing") == best[name] > 0.0
    for name in ("anchor", "words__anchor"):
        with pytest.raises(ValueError, match="begins with 'word__' or 'char_wb__'"):
            classifier.log_odds(name, "sailing")
    with pytest.raises(ValueError, match="there is no feature 'word__unheard'"):
        classifier.log_odds("word__unheard", "sailing")


@pytest.mark.parametrize("text", ["anchor and Knight!", "the the tide", "nothing known: 42"])
def test_an_explanation_adds_up_over_both_views(classifier, text):
    explanation = classifier.explain(text, "sailing")
    total = explanation.bias + sum(part.contribution for part in explanation.contributions)
    scores = classifier.decision_function([text])[0]
    assert total == pytest.approx(scores[list(classifier.classes_).index("sailing")])
    names = Counter(part.feature.partition("__")[0] for part in explanation.contributions)
    assert set(names) <= set(VIEWS)
    assert explanation.text == text
    assert sum(span.contribution for span in explanation.spans) + explanation.bias == pytest.approx(
        total
    )
    summary = math.fsum(part.contribution for part in explanation.summary)
    assert summary + explanation.bias == pytest.approx(total)


def test_characters_are_summed_by_their_words(classifier):
    text = "Anchor and  anchors,\tknights Anchor"
    explanation = classifier.explain(text, "sailing")
    each = {part.feature: part.contribution / part.value for part in explanation.contributions}
    expected = Counter()
    for word in text.lower().split():
        ends = f" {word} "
        grams = [ends[i : i + n] for n in (2, 3, 4) for i in range(len(ends) - n + 1)]
        expected[f"characters of {word}"] += sum(
            each.get(f"char_wb__{gram}", 0.0) for gram in grams
        )
    words = {name.partition("__")[2] for name in each if name.startswith("word__")}
    shown = {part.feature: part for part in explanation.summary}
    assert shown.keys() == words | expected.keys()
    for name, total in expected.items():
        assert shown[name].contribution == pytest.approx(total, abs=1e-12)
        assert shown[name].value == text.lower().split().count(name.split()[-1])
    # In the text they are where the whole word is.
    assert {text[s.begin : s.end] for s in explanation.spans} == {
        *("Anchor", "and", "anchors", ",", "knights")
    }
    assert "characters of anchors," in str(explanation)
    assert "characters of anchors," in explanation._repr_html_()


def test_a_word_and_the_same_characters_have_lines_of_their_own():
    texts, labels = ["an ant", "an end", "no ant", "no end"] * 3, [1, 1, 0, 0] * 3
    options = {"analyzer": ("word", "char"), "ngram_range": {"word": (1, 1), "char": (2, 2)}}
    explanation = TextClassifier(C=1.0, min_df=1, **options).fit(texts, labels).explain("an ant")
    shown = {part.feature: part.contribution for part in explanation.summary}
    each = {part.feature: part.contribution for part in explanation.contributions}
    assert {"an", "char__an"} <= shown.keys()
    assert shown["an"] == pytest.approx(each["word__an"])
    assert shown["char__an"] == pytest.approx(each["char__an"])


def test_capitals_that_count_are_in_the_names_of_words():
    texts, labels = ["Ann ann", "Ann bob", "ann bob", "bob bob"] * 3, [1, 1, 0, 0] * 3
    options = {"characters": True, "lowercase": False, "C": 1.0, "min_df": 1}
    explanation = TextClassifier(**options).fit(texts, labels).explain("Ann ann")
    names = {part.feature for part in explanation.summary}
    assert {"characters of Ann", "characters of ann"} <= names
    in_json = explanation.to_dict()["summary"]
    assert [part["feature"] for part in in_json] == [part.feature for part in explanation.summary]


def test_streams_and_clusters_learn_the_same(tmp_path):
    pytest.importorskip("pyarrow")
    options = {"analyzer": VIEWS, "ngram_range": NGRAMS}
    whole = TextClassifier("naive_bayes", **options).fit(TEXTS, LABELS)
    batches = [(TEXTS[i : i + 25], LABELS[i : i + 25]) for i in range(0, 120, 25)]
    streamed = TextClassifier("naive_bayes", **options)
    streamed.fit_stream(batches, memory="16GB", folder=tmp_path)
    np.testing.assert_array_equal(streamed.predict_proba(OTHERS), whole.predict_proba(OTHERS))
    whole = TextClassifier(C=3.0, min_df=1, **options).fit(TEXTS, LABELS)
    streamed = TextClassifier(C=3.0, min_df=1, **options)
    streamed.fit_stream(batches, memory="16GB", folder=tmp_path)
    np.testing.assert_allclose(
        streamed.predict_proba(OTHERS), whole.predict_proba(OTHERS), rtol=0, atol=2e-3
    )


@pytest.mark.parametrize("model", ["naive_bayes", "nb_logistic"])
def test_limits_by_analyzer_hold_in_streams(model, tmp_path):
    options = {"analyzer": VIEWS, "ngram_range": NGRAMS, "min_df": {"word": 2}}
    whole = TextClassifier(model, **options).fit(TEXTS, LABELS)
    streamed = TextClassifier(model, **options)
    streamed.fit_stream([(TEXTS, LABELS)], memory="16GB", folder=tmp_path)
    assert streamed.linear_model_.n_features == whole.linear_model_.n_features


def test_terms_of_both_views_may_lie_on_disk(tmp_path, monkeypatch):
    from wordodds.text import spill

    monkeypatch.setattr(spill, "TERMS_MIN", 10)
    limits = {"word": 2, "char_wb": 3}
    expected = wordodds.CountVectorizer(analyzer=VIEWS, ngram_range=NGRAMS, min_df=limits).fit(
        TEXTS
    )
    found = wordodds.CountVectorizer(analyzer=VIEWS, ngram_range=NGRAMS, min_df=limits)
    batches = [TEXTS[i : i + 10] for i in range(0, 120, 10)]
    bytes_of_most = 30 * spill.BYTES_PER_TERM * len(expected.vocabulary_) // 20
    spill.learn_vocabulary(found, batches, bytes_of_most, str(tmp_path))
    assert found.vocabulary_ == expected.vocabulary_


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_hashed": 64}, "n_hashed takes a single analyzer"),
        ({"ngram_range": ((1, 2), (3, 5))}, "must be one value, or a dict of them by the names"),
        ({"analyzer": "word", "ngram_range": ((1, 2),)}, "must be one value, or a dict"),
        ({"min_df": (1, 2)}, "must be one value, or a dict"),
        ({"analyzer": ("word", "word")}, "must differ from each other"),
        ({"ngram_range": {"words": (1, 1)}}, "ngram_range=.* have the names of several"),
        ({"C": 1.0, "min_df": {"char": 2}}, "min_df=.* have the names of several"),
        ({"C": 1.0, "max_df": {"char": 2}}, "entry for 'char', which is no view"),
        (
            {"analyzer": "word", "min_df": {"word": 2}},
            "have the names of several analyzers; analyzer is",
        ),
    ],
)
def test_wrong_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        TextClassifier(**{"analyzer": VIEWS, **options}).fit(TEXTS, LABELS)


# --- Damaged files ---


def test_what_makes_no_sense_in_a_file_of_views_is_refused(classifier, tmp_path):
    classifier.save(tmp_path / "m")
    content = read_container(tmp_path / "m", verify=True, mmap=False)
    strings = {k: v for k, v in content.metadata.items() if k not in ("format", "version")}

    def refused(message, **changes):
        arrays = {name: array.copy() for name, array in content.tensors.items()}
        change = changes.pop("arrays", None)
        if change is not None:
            change(arrays)
        write_container(tmp_path / "bad", arrays, strings | changes, version=3)
        with pytest.raises(ModelFileError, match=message):
            load(tmp_path / "bad")

    views = strings["views"]
    refused("must be a list", views="{}")
    refused("it has 1 views", views="[" + views.partition("}, {")[0].lstrip("[") + "}]")
    refused("different names", views=views.replace('"view": "char_wb"', '"view": "word"'))
    refused("different names", views=views.replace('"view": "char_wb"', '"view": "a__b"'))
    refused("must be an object with a name", views=views.replace('"view": "word"', '"view": 3'))
    refused("must share", views=views.replace("utf-8", "latin-1", 1))
    refused("ngram_range", views=views.replace("[2, 4]", "[4, 2]"))
    refused("not asked for", views=views.replace('"callables": []', '"callables": ["analyzer"]', 1))
    refused("stands alone", views=views.replace('"analyzer": "char_wb"', '"analyzer": "fasttext"'))
    refused("there is no 'options'", views=views.replace('"options"', '"choices"', 1))

    def not_view_by_view(arrays):
        arrays["terms.arena"][0] = 7

    refused("do not lie view by view", arrays=not_view_by_view)
