"""Models that were saved and loaded, and the golden file of format version 1."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import safetensors
from sklearn.pipeline import FeatureUnion, make_pipeline

import wordodds
from wordodds import (
    CountVectorizer,
    HashingVectorizer,
    ModelFileError,
    SGDClassifier,
    TextClassifier,
    TfidfVectorizer,
    from_sklearn,
    load,
)
from wordodds.model.container import read_container, write_container

from .test_linear_model import LABELS, NEW, TEXTS, VECTORIZERS, model_of

GOLDEN = Path(__file__).parent / "data" / "format-1.wordodds"
GOLDEN_VIEWS = Path(__file__).parent / "data" / "format-3.wordodds"


def same(model, other, texts=NEW):
    np.testing.assert_array_equal(model.decision_function(texts), other.decision_function(texts))
    np.testing.assert_array_equal(model.predict(texts), other.predict(texts))
    assert model.labels.dtype.kind == other.labels.dtype.kind
    assert model.describe() == other.describe()
    assert model.top_features(n=5) == other.top_features(n=5)
    assert str(model.explain(texts[0])) == str(other.explain(texts[0]))


@pytest.mark.parametrize("vectorizer", VECTORIZERS.values(), ids=VECTORIZERS)
def test_round_trip(vectorizer, tmp_path):
    model = model_of(vectorizer, SGDClassifier(loss="log_loss", random_state=0))
    path = tmp_path / "model.wordodds"
    model.save(path)
    callables = dict(model.features.callables)
    for verify in (True, False):
        for mmap in (True, False):
            same(load(path, verify=verify, mmap=mmap, callables=callables), model)


@pytest.mark.parametrize(
    "labels",
    [
        [True, True, True, False, False, False],
        [7, 7, 7, -3, -3, 0],
        np.array([1, 1, 1, 200, 200, 200], dtype=np.uint8),
        [2.0, 2.0, 2.0, 3.0, 3.0, 4.0],
        np.array(["spam", "spam", "spam", "Häm", "Häm", "x"], dtype=object),
        np.array(["a", "a", "b", "b", "c", "c"], dtype=np.dtypes.StringDType()),
        [2**64 - 1, 2**64 - 1, 2**64 - 1, 1, 1, 1],
    ],
)
def test_labels_of_every_kind(labels, tmp_path):
    classifier = TextClassifier().fit(TEXTS, labels)
    classifier.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert loaded.predict(NEW).tolist() == classifier.predict(NEW).tolist()
    assert loaded.score(TEXTS, np.asarray(labels)) == classifier.score(TEXTS, np.asarray(labels))


def test_labels_that_a_file_cannot_hold(tmp_path):
    classifier = TextClassifier().fit(TEXTS, [b"a", b"a", b"b", b"b", b"c", b"c"])
    with pytest.raises(ValueError, match="str, int, float or bool, got bytes"):
        classifier.save(tmp_path / "model")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("method", ["temperature", "platt", "isotonic"])
def test_calibrations_are_kept(method, tmp_path):
    model = TextClassifier("naive_bayes").fit(TEXTS, LABELS).linear_model_
    calibrated = model.calibrate(TEXTS, LABELS, method)
    calibrated.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict_proba(NEW), calibrated.predict_proba(NEW))
    assert loaded.calibration.method == method


def test_callables_are_asked_for_by_name(tmp_path):
    def my_tokens(text):
        return text.lower().split()

    model = model_of(
        CountVectorizer(tokenizer=my_tokens, token_pattern=None), SGDClassifier(random_state=0)
    )
    model.save(tmp_path / "model")
    assert b"my_tokens" in (tmp_path / "model").read_bytes()
    with pytest.raises(ModelFileError, match=r"tokenizer of its own, .*my_tokens: pass callables="):
        load(tmp_path / "model")
    same(load(tmp_path / "model", callables={"tokenizer": my_tokens}), model)
    with pytest.raises(ValueError, match="callables may name"):
        load(tmp_path / "model", callables={"tokeniser": my_tokens})


def test_a_saved_model_is_a_safetensors_file(tmp_path):
    model = TextClassifier(C=10.0).fit(TEXTS, LABELS).linear_model_
    model.save(tmp_path / "model")
    with safetensors.safe_open(tmp_path / "model", framework="numpy") as file:
        np.testing.assert_array_equal(file.get_tensor("weights"), model.weights)
        assert json.loads(file.metadata()["features"])["ngram_range"] == [1, 2]


def test_equal_models_make_equal_answers_after_saving_over_a_mapped_file(tmp_path):
    path = tmp_path / "model"
    first = TextClassifier("naive_bayes").fit(TEXTS, LABELS).linear_model_
    first.save(path)
    mapped = load(path)
    TextClassifier("naive_bayes").fit(TEXTS[::-1], LABELS).save(path)
    same(mapped, first)  # the old file lives on as long as it is mapped
    assert load(path).predict(TEXTS[:1]) != mapped.predict(TEXTS[:1])


def test_the_golden_file_of_version_1():
    """Written once by `write_golden`; every later version must read it and give these answers."""
    model = load(GOLDEN)
    assert model.labels.tolist() == ["ham", "spam"]
    assert model.predict(["free money", "lunch meeting"]).tolist() == ["spam", "ham"]
    np.testing.assert_allclose(
        model.decision_function(["free money", "lunch meeting", "naïve ÉTÉ", ""]),
        # What the pipeline itself said on the day.
        [3.3436303960107234, -3.5843957001784705, -5.322153420994926, -0.05794928730238831],
        rtol=1e-12,
    )
    assert model.predict_proba(["free money"])[0, 1] == pytest.approx(0.7036875613834627)
    assert model.features.stop_words == ("the",)
    assert model.describe()["text"]["strip_accents"] == "unicode"


def write_golden():
    """Make the golden file; not to be called again."""
    texts = [*TEXTS, "naïve été"]
    vectorizer = TfidfVectorizer(
        ngram_range=(1, 2), sublinear_tf=True, strip_accents="unicode", stop_words=["the"]
    )
    classifier = SGDClassifier(loss="log_loss", random_state=0)
    pipeline = make_pipeline(vectorizer, classifier).fit(texts, [*LABELS, "ham"])
    model = from_sklearn(pipeline).calibrate(texts, [*LABELS, "ham"], "platt")
    GOLDEN.parent.mkdir(exist_ok=True)
    model.save(GOLDEN)
    new = ["free money", "lunch meeting", "naïve ÉTÉ", ""]
    print(pipeline.decision_function(new).tolist(), model.predict_proba(new)[0, 1])


def test_the_golden_file_of_version_3():
    """Written once by `write_golden_views`; every later version must give these answers."""
    model = load(GOLDEN_VIEWS)
    assert model.labels.tolist() == ["ham", "spam"]
    np.testing.assert_allclose(
        model.decision_function(["free money", "lunch meeting", "naïve ÉTÉ", ""]),
        # What the pipeline itself said on the day.
        [3.40565338587533, -3.679085405469711, -5.5285095070828705, -0.05700348904038406],
        rtol=1e-12,
    )
    assert [view.stop_words for view in model.features.views] == [("the",), None]
    assert [view.norm for view in model.features.views] == ["l2", "l1"]
    assert model.features.name_of(0).startswith("words__")


@pytest.mark.parametrize("options", [[], "word", None, 3])
def test_options_of_a_view_that_are_no_object(tmp_path, options):
    path = tmp_path / "model"
    TextClassifier(analyzer=("word", "char_wb")).fit(TEXTS, LABELS).save(path)
    content = read_container(path, verify=True, mmap=False)
    views = json.loads(content.metadata["views"])
    views[1]["options"] = options
    write_container(path, content.tensors, {**content.metadata, "views": json.dumps(views)}, 3)
    with pytest.raises(ModelFileError, match="options of a view"):
        load(path)


def write_golden_views():
    """Make the golden file of version 3; not to be called again."""
    texts = [*TEXTS, "naïve été"]
    views = [
        ("words", TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, stop_words=["the"])),
        ("characters", TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 3), norm="l1")),
    ]
    classifier = SGDClassifier(loss="log_loss", random_state=0)
    pipeline = make_pipeline(FeatureUnion(views), classifier).fit(texts, [*LABELS, "ham"])
    from_sklearn(pipeline).save(GOLDEN_VIEWS)
    print(pipeline.decision_function(["free money", "lunch meeting", "naïve ÉTÉ", ""]).tolist())


def test_loading_and_predicting_is_light(tmp_path):
    path = tmp_path / "model"
    classifiers = {
        "vocabulary": TextClassifier(),
        "hashed": TextClassifier("naive_bayes", n_hashed=64),
        "pattern": TextClassifier(token_pattern="[a-z]+"),
        "views": TextClassifier(analyzer=("word", "char_wb")),
    }
    for name, classifier in classifiers.items():
        classifier.fit(TEXTS, LABELS).calibrate(TEXTS, LABELS).save(f"{path}-{name}")
    program = f"""
import sys, wordodds
for name in {list(classifiers)}:
    model = wordodds.load({str(path)!r} + "-" + name)
    model.predict(["free money"]), model.predict_proba(["free"]), model.explain("free money")
    model.predict_top(["free"], 1), model.top_features()
heavy = {{"sklearn", "numba", "pandas", "pyarrow"}} & set(sys.modules)
assert not heavy, heavy
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_hashed_models_hold_no_words(tmp_path):
    model = model_of(HashingVectorizer(n_features=64), SGDClassifier(random_state=0))
    model.save(tmp_path / "model")
    content = (tmp_path / "model").read_bytes()
    assert b"money" not in content
    assert b"lunch" not in content


def test_every_public_name_of_the_file_is_there():
    assert wordodds.ModelFileError is ModelFileError
    assert issubclass(ModelFileError, ValueError)


def test_long_labels_take_no_more_memory_than_they_have(tmp_path):
    labels = np.array(["x" * 100_000, *"abcde"], dtype=object)
    TextClassifier().fit(TEXTS, labels).save(tmp_path / "model")
    loaded = load(tmp_path / "model").labels
    assert loaded.dtype == object
    assert sorted(loaded.tolist()) == sorted(labels.tolist())
    TextClassifier().fit(TEXTS, np.array(["a\0", "a\0", "a\0", "a", "a", "a"], object)).save(
        tmp_path / "model"
    )
    assert load(tmp_path / "model").labels.tolist() == ["a", "a\0"]
