"""Models of fastText brought in, without fastText: files written by hand, scores by NumPy."""

import heapq
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import wordodds
from wordodds import ModelFileError, from_fasttext, load
from wordodds.model.fasttext import weights as fasttext_weights

from .models import WORDS, Dense, hand_made, raw_scores, rows_of
from .texts import TEXTS, model_of, random_texts

FLOOR = 1e-5  # fastText adds it to every probability
COUNTS = [40, 19, 9, 4, 2]  # no two sums of a Huffman tree are the same


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-np.asarray(x)))


def softmax(x):
    weights = np.exp(x - x.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def leaves_of(scores, counts, floor=0.0):
    """Return the probability of each label of a Huffman tree, by a heap."""
    heap = [(count, leaf, {leaf: []}) for leaf, count in enumerate(counts)]
    heapq.heapify(heap)
    for node in range(len(counts) - 1):
        first, second = heapq.heappop(heap), heapq.heappop(heap)
        paths = {leaf: [(node, -1.0), *path] for leaf, path in first[2].items()}
        paths |= {leaf: [(node, 1.0), *path] for leaf, path in second[2].items()}
        heapq.heappush(heap, (first[0] + second[0], len(counts) + node, paths))
    table = np.ones((len(scores), len(counts)))
    for leaf, path in heap[0][2].items():
        for node, sign in path:
            table[:, leaf] *= sigmoid(sign * scores[:, node]) + floor
    return table


SHAPES = {
    "words": {},
    "pairs": {"word_ngrams": 2},
    "subwords": {"subwords": (2, 4)},
    "both": {"word_ngrams": 3, "subwords": (1, 3)},
    "many labels": {"n_labels": 30, "word_ngrams": 2, "subwords": (3, 3)},
    "two labels": {"n_labels": 2, "word_ngrams": 2, "subwords": (2, 3)},
    "version 11": {"version": 11, "subwords": (2, 4), "word_ngrams": 2},
    "version 11, words": {"version": 11, "subwords": (2, 4), "n_buckets": 9},
    "no words": {"words": [], "subwords": (2, 3)},
    "no end of sentence": {"words": WORDS[1:], "word_ngrams": 2},
    "one bucket": {"n_buckets": 1, "word_ngrams": 2, "subwords": (2, 3)},
}


@pytest.mark.parametrize("form", ["dense", "quantised", "norms", "pruned"])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_scores_are_those_of_a_mean_of_rows(tmp_path, shape, form):
    made = hand_made(form=form, quantised_output=form == "norms", **shape)
    texts = TEXTS + random_texts(20)
    expected = raw_scores(made, texts)
    path = made.write(tmp_path / "model.bin")
    n_words = len(made.words)
    for rank in ("keep", "collapse", "auto"):
        model = from_fasttext(path, rank=rank)
        scores = model.decision_function(texts)
        if len(made.labels) == 2:  # one column, the log-odds of the second label
            assert scores.shape == (len(texts),)
            np.testing.assert_allclose(scores, expected[:, 1] - expected[:, 0], atol=1e-5)
        else:
            np.testing.assert_allclose(scores, expected, atol=1e-5)
        np.testing.assert_allclose(model.predict_proba(texts), softmax(expected) + FLOOR, atol=1e-6)
        assert model.labels.tolist() == [label.decode() for label in made.labels]
        if "version 11" not in shape and form != "pruned":
            assert n_words <= model.n_features <= n_words + made.n_buckets


@pytest.mark.parametrize("rank", ["keep", "collapse"])
@pytest.mark.parametrize("loss", ["ova", "ns"])
@pytest.mark.parametrize("n_labels", [2, 9])
def test_labels_that_are_questions_of_their_own(tmp_path, loss, n_labels, rank):
    made = hand_made(loss=loss, n_labels=n_labels, word_ngrams=2)
    made.output.table *= 5  # so that some scores leave the table
    scores = raw_scores(made, TEXTS)
    path = made.write(tmp_path / "model.bin")
    exact = from_fasttext(path, rank=rank, probabilities="exact")
    np.testing.assert_allclose(exact.decision_function(TEXTS), scores, atol=1e-5)
    np.testing.assert_allclose(exact.predict_proba(TEXTS), sigmoid(scores), atol=1e-6)
    told = from_fasttext(path, rank=rank).predict_proba(TEXTS)
    below = sigmoid(np.floor(scores * 32) / 32)
    at = np.where(scores < -8, 0.0, np.where(scores > 8, 1.0, below)) + FLOOR
    beside = np.abs(scores * 32 - np.round(scores * 32)) < 1e-3
    assert (np.abs(scores) > 8).any()
    np.testing.assert_allclose(told[~beside], at[~beside], atol=1e-6)


@pytest.mark.parametrize("rank", ["keep", "collapse"])
def test_a_tree_of_labels(tmp_path, rank):
    made = hand_made(loss="hs", n_labels=5, counts=COUNTS, word_ngrams=2)
    scores = raw_scores(made, TEXTS)
    path = made.write(tmp_path / "model.bin")
    exact = from_fasttext(path, rank=rank, probabilities="exact").predict_proba(TEXTS)
    np.testing.assert_allclose(exact, leaves_of(scores, COUNTS), atol=1e-6)
    np.testing.assert_allclose(exact.sum(axis=1), 1.0, rtol=1e-12)
    told = from_fasttext(path, rank=rank)
    expected = leaves_of(scores, COUNTS, FLOOR)
    np.testing.assert_allclose(told.predict_proba(TEXTS), expected, atol=1e-6)
    np.testing.assert_array_equal(told.predict(TEXTS), told.labels[expected.argmax(axis=1)])


def test_a_tree_may_be_deep(tmp_path):
    counts = [2, 1]
    while len(counts) < 70:  # each node is a leaf and all that was before
        counts.insert(0, counts[0] + counts[1])
    made = hand_made(loss="hs", n_labels=70, counts=counts)
    made.input.table[:] = made.output.table[:] = 100.0
    for sign in (1.0, -1.0):
        made.output.table[:] *= sign
        path = made.write(tmp_path / "model.bin")
        for probabilities in ("fasttext", "exact"):
            model = from_fasttext(path, probabilities=probabilities)
            chances = model.predict_proba(["alpha"])
            assert np.isfinite(model.decision_function(["alpha"])).all()
            assert chances.max() == pytest.approx(1.0, abs=1e-3)
            assert model.predict(["alpha"])[0] == model.labels[chances.argmax()]


def test_exact_probabilities_sum_to_one(tmp_path):
    for n_labels in (2, 7):
        made, exact = model_of(tmp_path, n_labels=n_labels, read={"probabilities": "exact"})
        chances = exact.predict_proba(TEXTS)
        np.testing.assert_allclose(chances, softmax(raw_scores(made, TEXTS)), atol=1e-6)
        np.testing.assert_allclose(chances.sum(axis=1), 1.0, rtol=1e-12)
        told = from_fasttext(tmp_path / "model.bin").predict_proba(TEXTS)
        np.testing.assert_allclose(told, chances + FLOOR, rtol=1e-12)


def test_a_text_without_any_feature(tmp_path):
    _, model = model_of(tmp_path, words=[b"alpha"])
    labels, chances = model.predict_above(["new", "alpha", "", "__label__l0"], 0.0)
    assert [len(found) for found in labels] == [len(found) for found in chances] == [0, 3, 0, 0]
    np.testing.assert_allclose(model.predict_proba(["new"]), 1 / 3 + FLOOR)


def test_of_equals_the_last_comes_first_as_with_fasttext(tmp_path):
    made = hand_made(loss="ova")
    made.input.table[:] = made.output.table[:] = 10.0
    _, model = model_of(tmp_path, made)
    for found in (model.predict(["alpha"]), model.predict_above(["alpha"], 0.0, 1)[0][0]):
        assert list(found) == ["__label__l2"]


def test_words_that_are_no_text(tmp_path):
    words = [b"</s>", b"caf\xe9", b"alpha", b"\xed\xa0\x80", b"\xff", b"beta"]
    made, model = model_of(
        tmp_path, words=words, labels=[b"__label__\xff", b"__label__b", b"\xfe"], subwords=(2, 3)
    )
    assert model.labels.tolist() == ["__label__\\xff", "__label__b", "\\xfe"]
    texts = [text for text in TEXTS if "é" not in text]
    np.testing.assert_allclose(model.decision_function(texts), raw_scores(made, texts), atol=1e-5)
    assert "alpha" in {feature for feature, _ in model.top_features(100)["__label__b"]}


def test_labels_with_another_prefix(tmp_path):
    """The file does not tell the prefix: only those that the model knows can be recognised."""
    made, model = model_of(
        tmp_path, labels=[b"#a", "#é".encode(), b"__label__c"], subwords=(2, 3), word_ngrams=2
    )
    texts = ["#a alpha", "alpha #é beta", "#new alpha", "__label__c alpha", "__label__new alpha"]
    np.testing.assert_allclose(model.decision_function(texts), raw_scores(made, texts), atol=1e-5)
    scores = model.decision_function([*texts, "alpha", "alpha beta"])
    np.testing.assert_array_equal(scores[[0, 3, 4]], scores[[5, 5, 5]])
    np.testing.assert_array_equal(scores[1], scores[6])
    assert (scores[2] != scores[5]).all()


def test_a_prefix_is_stripped_from_the_names_alone(tmp_path):
    made, model = model_of(tmp_path, read={"strip_prefix": "__label__l"})
    assert model.labels.tolist() == ["0", "1", "2"]
    np.testing.assert_allclose(model.decision_function(TEXTS), raw_scores(made, TEXTS), atol=1e-5)
    assert set(model.predict(TEXTS)) <= {"0", "1", "2"}
    _, model = model_of(
        tmp_path,
        labels=[b"x__label__a", b"__label____label__a"],
        read={"strip_prefix": "__label__"},
    )
    assert model.labels.tolist() == ["x__label__a", "__label__a"]
    made = hand_made(labels=[b"__label__a", b"a", b"b"])
    with pytest.raises(ModelFileError, match="the same without '__label__'"):
        model_of(tmp_path, made, {"strip_prefix": "__label__"})


def test_half_precision(tmp_path):
    made = hand_made(n_labels=40, dim=8, word_ngrams=2, n_buckets=3000)
    path = made.write(tmp_path / "model.bin")
    sizes = {}
    for dtype in ("float32", "float16"):
        model = from_fasttext(path, rank="keep", dtype=dtype)
        model.save(tmp_path / dtype)
        sizes[dtype] = (tmp_path / dtype).stat().st_size
        loaded = load(tmp_path / dtype)
        assert loaded.dtype == model.dtype == dtype
        assert loaded.describe()["weights"] == f"{dtype}, of rank 8"
        np.testing.assert_array_equal(
            loaded.decision_function(TEXTS), model.decision_function(TEXTS)
        )
    assert sizes["float32"] - sizes["float16"] == 2 * 8 * (len(made.words) + 3000)
    made.input = Dense(made.input.table.astype(np.float16))
    np.testing.assert_allclose(loaded.decision_function(TEXTS), raw_scores(made, TEXTS), atol=1e-5)
    large = hand_made()
    large.input.table[1] = 1e6
    with pytest.raises(ValueError, match=r'weights above 65504: dtype="float16" cannot hold them'):
        model_of(tmp_path, large, {"dtype": "float16", "rank": "keep"})


@pytest.mark.parametrize("loss", ["softmax", "ova", "hs"])
@pytest.mark.parametrize("n_labels", [2, 5])
@pytest.mark.parametrize("rank", ["keep", "collapse"])
def test_tolerance_bounds_the_log_odds(tmp_path, loss, n_labels, rank):
    made = hand_made(
        loss=loss, n_labels=n_labels, word_ngrams=2, subwords=(2, 3), n_buckets=200, dim=3
    )
    path = made.write(tmp_path / "model.bin")
    read = {"rank": rank, "probabilities": "exact"}
    texts = TEXTS + random_texts(100)
    whole, small = (from_fasttext(path, tolerance=tolerance, **read) for tolerance in (0.0, 1.0))
    assert len(made.words) < small.n_features < whole.n_features == len(made.words) + 200
    before, after = (model.decision_function(texts) for model in (whole, small))
    moved = (after - before).reshape(len(texts), -1)
    if loss == "softmax" and n_labels > 2:
        moved = moved[:, :, None] - moved[:, None, :]
    if loss != "hs":  # where a label's odds are those of several decisions
        assert 0.05 < np.abs(moved).max() <= 1.0
    small.save(tmp_path / "small")
    np.testing.assert_array_equal(load(tmp_path / "small").decision_function(texts), after)


def test_what_tolerance_leaves_out_still_counts(tmp_path):
    made = hand_made(word_ngrams=2, n_buckets=100)
    _, model = model_of(tmp_path, made, {"tolerance": 2.0})
    weights = made.input.table.astype(float) @ made.output.table.astype(float).T
    small = np.ptp(weights, axis=1) <= 2.0
    small[: len(made.words)] = False  # words stay
    weights[small] = 0.0
    assert model.n_features == (~small).sum() < len(weights)
    expected = [weights[rows_of(made, text.encode())].mean(axis=0) for text in TEXTS]
    np.testing.assert_allclose(model.decision_function(TEXTS), expected, atol=1e-5)


def test_what_is_lost_is_measured(tmp_path):
    options = {"word_ngrams": 2, "n_buckets": 100, "n_labels": 5}
    texts = random_texts(60)
    made, whole = model_of(tmp_path, **options)
    right = whole.predict(texts)
    right[:6] = "__label__l1"
    _, model = model_of(
        tmp_path, made, {"tolerance": 3.0, "dtype": "float16", "texts": texts, "labels": right}
    )
    same = model.predict(texts) == whole.predict(texts)
    apart = np.abs(model.predict_proba(texts) - whole.predict_proba(texts)).max()
    assert model.source["measured"] == {
        "texts": 60,
        "same_label": same.sum(),
        "largest_difference": pytest.approx(apart, rel=1e-12),
        "accuracy": np.mean(model.predict(texts) == right),
        "accuracy_before": np.mean(whole.predict(texts) == right),
    }
    assert 0 < same.sum() < 60
    _, model = model_of(tmp_path, made, {"texts": iter(texts)})
    assert model.source["measured"] == {"texts": 60, "same_label": 60, "largest_difference": 0.0}


def test_what_a_model_was_made_from_is_kept(tmp_path):
    made, model = model_of(tmp_path, form="pruned", word_ngrams=2, subwords=(2, 3), loss="ova")
    assert model.source == {
        "format": "fastText, version 12, quantised",
        "bytes": len(made.content()),
        "loss": "one-vs-all",
        "dimensions": 5,
        "words": 6,
        "word_ngrams": 2,
        "subwords": [2, 3],
        "buckets": 50,
        "buckets_kept": 25,
        "tolerance": 0.0,
    }
    described = model.describe()
    assert described["model"] == "fastText"
    assert described["source"] == model.source
    assert described["format_version"] == 2
    assert described["features"] == 6 + 25
    assert described["text"]["analyzer"] == "fasttext"
    model.save(tmp_path / "saved")
    assert load(tmp_path / "saved").describe() == described


@pytest.mark.parametrize(
    ("read", "message"),
    [
        ({"rank": "low"}, 'rank must be "auto", "keep" or "collapse", got \'low\''),
        ({"rank": 5}, "rank must be"),
        ({"dtype": "float64"}, 'dtype must be "float32" or "float16"'),
        ({"probabilities": "true"}, 'probabilities must be "fasttext" or "exact"'),
        ({"tolerance": -0.1}, "tolerance must be a number >= 0, got -0.1"),
        ({"tolerance": float("nan")}, "tolerance must be"),
        ({"tolerance": float("inf")}, "tolerance must be"),
        ({"tolerance": True}, "tolerance must be"),
        ({"tolerance": "x"}, "tolerance must be"),
        ({"labels": ["__label__l0"]}, "pass the texts that they are of"),
        ({"texts": []}, "there must be a text to measure on"),
        ({"texts": ["alpha"], "labels": ["a", "b"]}, "1 rows, y 2"),
        ({"texts": ["alpha"], "labels": ["nonsense"]}, "nonsense"),
        ({"texts": "alpha"}, "Iterable over raw text documents"),
    ],
)
def test_arguments_that_are_refused(tmp_path, read, message):
    path = hand_made().write(tmp_path / "model.bin")
    with pytest.raises(ValueError, match=message):
        from_fasttext(path, **read)


def test_models_that_cannot_be_brought_in(tmp_path):
    path = tmp_path / "model.bin"
    for number, name in ((1, "cbow"), (2, "skipgram")):
        hand_made(model=number).write(path)
        with pytest.raises(ModelFileError, match=rf"model\.bin holds word vectors \({name}\)"):
            from_fasttext(path)
    hand_made(form="pruned", word_ngrams=2).write(path)
    with pytest.raises(ValueError, match="was pruned by fastText: tolerance is for models"):
        from_fasttext(path, tolerance=0.1)
    for n_labels in (0, 1):
        hand_made(n_labels=n_labels).write(path)
        with pytest.raises(ModelFileError, match=f"has {n_labels} label"):
            from_fasttext(path)


def test_every_kind_of_path(tmp_path):
    path = Path(hand_made().write(tmp_path / "módel.bin"))
    expected = from_fasttext(path).predict_proba(TEXTS)
    for other in (str(path), str(path).encode()):
        np.testing.assert_array_equal(from_fasttext(other).predict_proba(TEXTS), expected)


def test_bringing_in_is_light(tmp_path):
    path = hand_made(word_ngrams=2, subwords=(2, 3)).write(tmp_path / "model.bin")
    program = f"""
import sys, wordodds
model = wordodds.from_fasttext({path!r}, tolerance=0.1, texts=["alpha"], labels=["__label__l0"])
model.predict(["alpha"]), model.predict_proba(["new"]), model.explain("alpha new")
model.save({path!r} + ".wordodds")
wordodds.load({path!r} + ".wordodds").predict_above(["alpha"])
heavy = {{"sklearn", "numba", "pandas", "pyarrow", "fasttext"}} & set(sys.modules)
assert not heavy, heavy
"""
    subprocess.run([sys.executable, "-c", program], check=True)
    assert "from_fasttext" in wordodds.__all__


def test_many_labels_take_no_more_than_they_must(tmp_path):
    """A bound for each pair of labels must not make a table of all pairs."""
    made = hand_made(n_labels=3000, dim=4, word_ngrams=2)
    path = made.write(tmp_path / "model.bin")
    tracemalloc.start()
    model = from_fasttext(path, tolerance=np.float32(0.01))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20e6  # 72 MB would be that table
    model.save(tmp_path / "model.wordodds")  # a tolerance of NumPy's is a number too


def test_a_quantised_output_grows_within_bounds(tmp_path, monkeypatch):
    made = hand_made(n_labels=400, dim=10, form="quantised", quantised_output=True)
    path = made.write(tmp_path / "model.bin")
    from_fasttext(path)
    monkeypatch.setattr(fasttext_weights, "_ALWAYS_FINE", 31_999)
    monkeypatch.setattr(fasttext_weights, "_LARGEST_GROWTH", 1)
    with pytest.raises(ModelFileError, match="its output would take 32000 bytes"):
        from_fasttext(path)
