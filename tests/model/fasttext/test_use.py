"""What a model brought in from fastText does as any other: explain, calibrate, travel."""

import pickle

import numpy as np
import pytest

from wordodds import from_fasttext, load
from wordodds.model.container import read_container, write_container

from .models import hand_made, hash_of, rows_of
from .texts import TEXTS, model_of, random_texts


@pytest.mark.parametrize("rank", ["keep", "collapse"])
@pytest.mark.parametrize("loss", ["softmax", "ova"])
@pytest.mark.parametrize("n_labels", [2, 4])
def test_explanations_sum_to_the_scores(tmp_path, n_labels, loss, rank):
    for form in ("dense", "pruned"):
        _, model = model_of(
            tmp_path,
            form=form,
            loss=loss,
            n_labels=n_labels,
            word_ngrams=2,
            subwords=(2, 3),
            read={"rank": rank},
        )
        texts = TEXTS + random_texts(10)
        scores = model.decision_function(texts).reshape(len(texts), -1)
        for text, row in zip(texts, scores, strict=True):
            explanation = model.explain(text, "__label__l1")
            if loss == "ova" or n_labels == 2:
                expected = row[-1 if n_labels == 2 else 1]
            else:
                expected = row[1] - np.delete(row, 1).mean()
            assert explanation.score == pytest.approx(expected, abs=1e-5)
            if n_labels == 4:
                against = model.explain(text, "__label__l1", "__label__l3")
                assert against.score == pytest.approx(row[1] - row[3], abs=1e-5)


def test_explanations_name_words_subwords_and_ngrams(tmp_path):
    made, model = model_of(tmp_path, word_ngrams=2, subwords=(3, 3))
    text = "alpha né alpha"
    explanation = model.explain(text, "__label__l1", "__label__l0")
    counts = {part.feature: part.value for part in explanation.contributions}
    pairs = {"alpha né": 1, "né alpha": 1, "alpha </s>": 1}
    assert counts == {"alpha": 2, "<né": 1, "né>": 1, **pairs, "</s>": 1}
    columns = made.output.table[1].astype(float) - made.output.table[0]
    weights = made.input.table.astype(float) @ columns
    added = {part.feature: part.contribution for part in explanation.contributions}
    n_features = len(rows_of(made, text.encode()))
    bucket = len(made.words) + hash_of("<né".encode()) % made.n_buckets
    assert added["<né"] == pytest.approx(weights[bucket] / n_features, abs=1e-6)
    assert added["</s>"] == pytest.approx(weights[0] / n_features, abs=1e-6)
    pieces = {text[begin:end] for begin, end, _ in explanation.spans}
    assert pieces == {"alpha", "né"}


def test_top_features(tmp_path):
    made, model = model_of(tmp_path, word_ngrams=2)
    weights = made.input.table.astype(float) @ made.output.table.astype(float).T
    along = weights[:, 1] - weights[:, [0, 2]].mean(axis=1)
    names = [word.decode() for word in made.words] + [f"<bucket {i}>" for i in range(50)]
    expected = [names[row] for row in np.argsort(-along)[:8]]
    assert [
        name for name, _ in model.top_features(8, labels=["__label__l1"])["__label__l1"]
    ] == expected
    made, model = model_of(tmp_path, word_ngrams=2, form="pruned", n_buckets=300)
    weights = made.input.table.astype(float) @ made.output.table.astype(float).T
    along = weights[:, 1] - weights[:, [0, 2]].mean(axis=1)
    names = {row: f"<bucket {bucket}>" for bucket, row in made.pruned}
    names = [word.decode() for word in made.words] + [names[row] for row in range(150)]
    expected = [names[row] for row in np.argsort(-along)[:40]]
    assert [
        name for name, _ in model.top_features(40, labels=["__label__l1"])["__label__l1"]
    ] == expected


def test_log_odds_of_a_word(tmp_path):
    made, model = model_of(tmp_path, word_ngrams=2)
    weights = made.input.table.astype(float) @ made.output.table.astype(float).T
    row = made.words.index(b"alpha")
    expected = weights[row, 1] - weights[row, 0]
    assert model.log_odds("alpha", "__label__l1", "__label__l0") == pytest.approx(expected)
    assert model.log_odds(row, "__label__l1", "__label__l0") == pytest.approx(expected)
    for word in ("omega", "__label__l1"):
        with pytest.raises(ValueError, match="there is no feature"):
            model.log_odds(word, "__label__l1")


def test_a_tree_has_no_weights_of_labels(tmp_path):
    _, model = model_of(tmp_path, loss="hs")
    for ask in (
        lambda: model.explain("alpha"),
        lambda: model.top_features(labels=["__label__l1"]),
        lambda: model.log_odds("alpha", "__label__l1"),
    ):
        with pytest.raises(ValueError, match="labels of a hierarchical softmax share decisions"):
            ask()


@pytest.mark.parametrize("loss", ["softmax", "ova", "hs"])
def test_weights_of_nan_give_an_error_and_no_probabilities(tmp_path, loss):
    path = tmp_path / "damaged"
    model_of(tmp_path, loss=loss)[1].save(path)
    content = read_container(path, verify=True, mmap=False)
    weights = np.full_like(content.tensors["weights"], np.nan)
    write_container(path, {**content.tensors, "weights": weights}, content.metadata, version=2)
    with pytest.raises(ValueError, match="scores must be numbers, row 0 has NaN"):
        load(path).predict_proba(["alpha"])


@pytest.mark.parametrize("loss", ["softmax", "ova", "hs"])
@pytest.mark.parametrize("n_labels", [2, 4])
@pytest.mark.parametrize("method", ["temperature", "platt", "isotonic"])
def test_calibration(tmp_path, loss, n_labels, method):
    _, model = model_of(tmp_path, loss=loss, n_labels=n_labels, word_ngrams=2)
    texts = random_texts(200)
    labels = model.predict(texts)
    noise = np.random.default_rng(0).random(200) < 0.3
    labels[noise] = np.random.default_rng(1).choice(model.labels, noise.sum())
    calibrated = model.calibrate(texts, labels, method)
    chances = calibrated.predict_proba(texts)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0, rtol=1e-9)
    if method == "temperature" and loss != "ova":  # whose own numbers do not sum to one
        before = model.evaluate(texts, labels).log_loss
        assert calibrated.evaluate(texts, labels).log_loss < before
    threshold = calibrated.threshold_for("__label__l1", precision=0.5)
    chosen = chances[:, 1] >= threshold
    assert np.mean(labels[chosen] == "__label__l1") >= 0.5
    calibrated.save(tmp_path / "saved")
    np.testing.assert_array_equal(load(tmp_path / "saved").predict_proba(texts), chances)
    found, _ = calibrated.predict_above(texts, threshold)
    assert [("__label__l1" in some) for some in found] == chosen.tolist()


@pytest.mark.parametrize("form", ["dense", "pruned"])
def test_pickle(tmp_path, form):
    for loss in ("softmax", "hs"):
        _, model = model_of(tmp_path, form=form, loss=loss, word_ngrams=2, subwords=(2, 3))
        model.predict(TEXTS)
        copy = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(copy.predict_proba(TEXTS), model.predict_proba(TEXTS))
        assert copy.describe() == model.describe()


def test_arguments_of_predict_above(tmp_path):
    _, model = model_of(tmp_path)
    for k in (0, -1, True, 1.5, "1"):
        with pytest.raises(ValueError, match=r"k must be a whole number >= 1, or None, got"):
            model.predict_above(TEXTS, k=k)
    for threshold in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="threshold must be within 0 and 1"):
            model.predict_above(TEXTS, threshold)
    with pytest.raises(ValueError, match="Iterable over raw text documents"):
        model.predict_above("alpha")
    assert model.predict_above([]) == ([], [])
    labels, chances = model.predict_above(["alpha"], 0.0, np.int64(2))
    assert labels[0] == model.predict_top(["alpha"], 2)[0][0].tolist()
    np.testing.assert_array_equal(chances[0], model.predict_top(["alpha"], 2)[1][0])


def test_probabilities_above_one_are_evaluated_and_compared(tmp_path):
    """fastText tells 1.00001 where it is sure, and lets 1 pass a threshold of 1."""
    made = hand_made(n_labels=2)
    made.output.table[:] = [[100.0], [-100.0]]
    model = from_fasttext(made.write(tmp_path / "model.bin"))
    chances = model.predict_proba(TEXTS)
    assert chances.max() > 1.0
    labels = model.predict(TEXTS)
    evaluation = model.evaluate(TEXTS, labels)
    assert evaluation.accuracy == 1.0
    sure = chances.max(axis=1).astype(np.float32) >= np.float32(1.00001)
    assert [bool(found) for found in model.predict_above(TEXTS, 1.0)[0]] == sure.tolist()
    assert sure.any()
