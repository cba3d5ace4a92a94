"""``wordodds convert`` of fastText's files, and the commands that work with what it saves."""

import json

import numpy as np
import pytest

from wordodds import from_fasttext, load

from ..model.fasttext.models import hand_made, raw_scores

TEXTS = ["alpha beta", "beta gamma unknown", "", "é日本 alpha alpha", "<x>"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return a file of two labels and pairs of words, and the right label of each text."""
    path = tmp_path_factory.mktemp("fasttext") / "model.bin"
    file = hand_made(n_labels=2, word_ngrams=2, n_buckets=5000)
    file.write(path)
    labels = [f"l{code}" for code in raw_scores(file, TEXTS).argmax(axis=1)]
    return path, labels


def test_convert_and_inspect(wordodds, made, tmp_path):
    path, labels = made
    target = tmp_path / "m.wordodds"
    result = wordodds("convert", path, target)
    assert (result.code, result.err) == (0, "")
    read, saved = result.out.splitlines()
    size = path.stat().st_size / 1e6
    assert read == f"read       {path}, {size:.1f} MB: fastText, version 12"
    assert saved.startswith(f"saved      {target}, 0.0 MB, ")
    assert load(target).predict(TEXTS).tolist() == [f"__label__{label}" for label in labels]
    shown = " ".join(wordodds("inspect", target).out.split())
    for line in ("source loss softmax", "source dimensions 5", "source words 6", "n_buckets=5,000"):
        assert line in shown
    assert "token_pattern" not in shown  # which fastText has none of
    assert json.loads(wordodds("inspect", target, "--json").out)["source"]["buckets"] == 5000


def test_predict_tells_what_the_model_tells(wordodds, made, tmp_path):
    path, _ = made
    target = tmp_path / "m.wordodds"
    assert wordodds("convert", path, target).code == 0
    lines = "".join(f"{text}\n" for text in TEXTS).encode()
    result = wordodds("predict", "--model", target, "--proba", stdin=lines)
    labels, chances = zip(*(line.split("\t") for line in result.out.splitlines()), strict=True)
    model = from_fasttext(path)
    assert list(labels) == model.predict(TEXTS).tolist()
    found = [float(number) for number in chances]
    np.testing.assert_allclose(found, model.predict_proba(TEXTS).max(axis=1), rtol=1e-4)


def test_options(wordodds, made, tmp_path):
    path, labels = made
    target, data = tmp_path / "m.wordodds", tmp_path / "judged.jsonl"
    rows = zip(TEXTS, labels, strict=True)
    data.write_text("".join(json.dumps({"text": t, "label": x}) + "\n" for t, x in rows))
    plain = ["convert", path, target, "--strip-prefix", "__label__"]
    smaller = [*plain, "--dtype", "float16", "--tolerance", "0.5", "--measure", data]
    result = wordodds(*smaller)
    assert result.code == 0
    assert "measured   " in result.out
    assert "accuracy 1.0000 (before: 1.0000)" in result.out
    n_bytes = target.stat().st_size
    model = load(target)
    assert model.labels.tolist() == ["l0", "l1"]
    assert model.source["tolerance"] == 0.5
    facts = json.loads(wordodds(*smaller, "--json").out)
    assert facts["source"]["measured"]["texts"] == len(TEXTS)
    assert wordodds(*plain, "--probabilities", "exact", "--rank", "keep").code == 0
    model = load(target)
    assert target.stat().st_size > n_bytes
    assert (model.link, model.describe()["weights"]) == ("softmax", "float32, of rank 5")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name one file to save to"),
        (["a.wordodds", "--model", "b.wordodds"], "name one file to save to"),
        (["a.wordodds", "--tolerance", "-1"], "must be a number of 0 or more"),
        (["a.wordodds", "--tolerance", "nan"], "must be a number of 0 or more"),
        (["a.wordodds", "--dtype", "int8"], "invalid choice"),
    ],
)
def test_usage(wordodds, made, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    result = wordodds("convert", made[0], *arguments)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert list(tmp_path.iterdir()) == []


def test_what_is_wrong_with_the_file_is_told(wordodds, made, tmp_path):
    target = tmp_path / "m.wordodds"
    path = tmp_path / "damaged.bin"
    path.write_bytes(made[0].read_bytes()[:-1])
    result = wordodds("convert", path, target)
    assert (result.code, result.err.count("\n")) == (1, 1)
    assert f"{path} is truncated or damaged" in result.err
    other = tmp_path / "pipeline.joblib"
    other.write_bytes(b"\x80\x04N.")
    result = wordodds("convert", other, target, "--dtype", "float16", "--trust-pickle")
    assert (result.code, result.out) == (2, "")
    assert f"--dtype is for fastText models, which {other} is not" in result.err
    assert wordodds("convert", tmp_path, target).code == 2
    assert not target.exists()


def test_nothing_is_lost_by_a_slip(wordodds, made, tmp_path):
    """Swapped names, the source as the target, and a model where a converted one is expected."""
    path, target = tmp_path / "model.bin", tmp_path / "m.wordodds"
    path.write_bytes(made[0].read_bytes())
    assert wordodds("convert", path, target).code == 0
    for arguments, message in [
        ((path, path), "would be written onto"),
        ((target, path), "is not written over"),
        ((target, tmp_path / "other.wordodds"), "is a wordodds model already"),
    ]:
        result = wordodds("convert", *arguments)
        assert (result.code, result.out) == (2, "")
        assert message in result.err
    assert path.read_bytes() == made[0].read_bytes()
    result = wordodds("inspect", path)
    assert result.code == 1
    assert "it is a fastText model. See `wordodds convert`" in result.err


def test_evaluate_knows_the_prefix(wordodds, made, tmp_path):
    path, labels = made
    target, data = tmp_path / "m.wordodds", tmp_path / "judged.jsonl"
    rows = zip(TEXTS, labels, strict=True)
    data.write_text("".join(json.dumps({"text": t, "label": x}) + "\n" for t, x in rows))
    assert wordodds("convert", path, target).code == 0
    facts = json.loads(wordodds("evaluate", data, "--model", target, "--json").out)
    assert facts["accuracy"] == 1.0
