"""``wordodds train`` piece by piece: the same models, parts held out, and what goes wrong."""

import json

import numpy as np
import pytest

from wordodds import TextClassifier, load
from wordodds.cli import train_stream

from .conftest import make_mail, write_jsonl

MEMORY = ["--memory", "8GB"]  # of this process, which may hold a lot by now


@pytest.fixture
def shards(tmp_path):
    """Return texts and labels, and the pattern of two files that hold them."""
    texts, labels = make_mail(300)
    (tmp_path / "shards").mkdir()
    write_jsonl(tmp_path / "shards" / "1.jsonl", texts[:120], labels[:120])
    write_jsonl(tmp_path / "shards" / "2.jsonl", texts[120:], labels[120:])
    return texts, labels, tmp_path / "shards" / "*.jsonl"


@pytest.mark.parametrize(("options", "n_hashed"), [([], None), (["--n-hashed", "4096"], 4096)])
@pytest.mark.parametrize("several", [False, True])
def test_the_model_is_that_of_all_at_once(wordodds, tmp_path, shards, options, n_hashed, several):
    texts, labels, pattern = shards
    data = sorted(pattern.parent.iterdir()) if several else [pattern]
    target = tmp_path / "m.wordodds"
    arguments = ["--model", "naive_bayes", "--output", target, *options, *MEMORY, "--json"]
    result = wordodds("train", *data, *arguments)
    assert (result.code, result.err) == (0, "")
    report = json.loads(result.out)
    assert report["documents"] == report["trained_on"] == 300
    assert report["memory"] == 8_000_000_000
    expected = TextClassifier("naive_bayes", n_hashed=n_hashed).fit(texts, labels)
    np.testing.assert_array_equal(load(target).predict_proba(texts), expected.predict_proba(texts))


def test_several_files_at_once_in_memory(wordodds, tmp_path, shards):
    texts, labels, pattern = shards
    target = tmp_path / "m.wordodds"
    result = wordodds("train", pattern, "--model", "naive_bayes", "--output", target)
    assert result.code == 0
    assert "read       300 documents in " in result.out
    expected = TextClassifier("naive_bayes").fit(texts, labels)
    np.testing.assert_array_equal(load(target).predict_proba(texts), expected.predict_proba(texts))


def test_parts_are_held_out_in_every_pass_alike(wordodds, tmp_path, shards, monkeypatch):
    texts, labels, pattern = shards
    parts = []
    take = train_stream._some
    monkeypatch.setattr(
        train_stream, "_some", lambda batch, rows: parts.append(rows) or take(batch, rows)
    )
    options = ["--holdout", "0.2", "--calibrate", "platt", "--calibrate-on", "0.3"]
    target = tmp_path / "m.wordodds"
    result = wordodds("train", pattern, "--output", target, *options, *MEMORY, "--json")
    report = json.loads(result.out)
    # Two files in each of five passes: sample, terms, rows, calibration, report.
    sample, terms, rows, tuned, held = (np.concatenate(parts[i : i + 2]) for i in range(0, 10, 2))
    np.testing.assert_array_equal(sample, terms)
    np.testing.assert_array_equal(terms, rows)
    np.testing.assert_array_equal(terms.astype(int) + tuned + held, np.ones(300))
    assert report["trained_on"] == terms.sum()
    assert report["calibration"] == {"method": "platt", "documents": tuned.sum()}
    assert report["holdout"]["documents"] == held.sum()
    assert 40 < held.sum() < 80
    assert 60 < tuned.sum() < 120
    model = load(target)
    assert model.calibration.method == "platt"
    chosen = np.flatnonzero(held)
    right = model.predict([texts[i] for i in chosen]) == np.array(labels)[chosen]
    assert report["holdout"]["accuracy"] == right.mean()


def test_a_large_corpus_is_streamed_without_being_asked(wordodds, tmp_path, shards, monkeypatch):
    monkeypatch.setattr(train_stream, "_IN_MEMORY", 1e-9)
    result = wordodds("train", shards[2], "--output", tmp_path / "m.wordodds")
    assert result.code == 0
    assert "read       300 documents piece by piece, within " in result.out
    assert "train      nb_logistic on 300 documents" in result.out


def test_bad_rows_are_counted_once(wordodds, tmp_path, shards):
    path = shards[2].parent / "2.jsonl"
    path.write_text(path.read_text() + '{"text": 3, "label": "spam"}\n')
    arguments = ["train", shards[2], "--output", tmp_path / "m.wordodds", *MEMORY]
    result = wordodds(*arguments, "--on-error", "skip")
    assert result.code == 3
    assert "skipped 1 bad row" in result.err
    result = wordodds(*arguments)
    assert result.code == 1
    assert "2.jsonl, line 181: the text must be text, got 3" in result.err


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--epochs", "3"], 2, "--epochs is for data that is read piece by piece"),
        (["--memory", "20MB"], 1, "memory must be at least"),
        (["--memory", "x"], 2, "must be a size such as 500MB"),
        ([*MEMORY, "--scratch", "nowhere"], 1, "nowhere"),
    ],
)
def test_what_goes_wrong(wordodds, tmp_path, shards, options, code, message):
    target = tmp_path / "m.wordodds"
    result = wordodds("train", shards[2], "--output", target, *options)
    assert result.code == code
    assert message in result.err
    assert not target.exists()


def test_standard_input_takes_hashed_features(wordodds, tmp_path):
    texts, labels = make_mail(40)
    lines = "".join(f"__label__{y} {x}\n" for x, y in zip(texts, labels, strict=True))
    target = tmp_path / "m.wordodds"
    arguments = ["train", "-", "--output", target, "--model", "naive_bayes", *MEMORY]
    result = wordodds(*arguments, "--n-hashed", "512", stdin=lines.encode())
    assert (result.code, result.err) == (0, "")
    expected = TextClassifier("naive_bayes", n_hashed=512).fit(texts, labels)
    np.testing.assert_array_equal(load(target).predict_proba(texts), expected.predict_proba(texts))
    result = wordodds(*arguments, stdin=lines.encode())
    assert result.code == 1
    assert "a vocabulary takes two passes" in result.err


def test_standard_input_has_no_second_pass(wordodds, tmp_path):
    arguments = ["train", "-", "--output", tmp_path / "m.wordodds", "--n-hashed", "64", *MEMORY]
    for option in (["--holdout", "0.2"], ["--calibrate", "platt"]):
        result = wordodds(*arguments, *option, stdin=b"__label__a b\n")
        assert result.code == 2
        assert "can be read only once" in result.err


def test_too_few_to_hold_out(wordodds, tmp_path, shards):
    target = tmp_path / "m.wordodds"
    result = wordodds("train", shards[2], "--output", target, *MEMORY, "--holdout", "1e-9")
    assert result.code == 1
    assert "300 documents are too few for --holdout" in result.err
    assert not target.exists()


def test_a_model_that_does_not_fit_says_what_to_do(wordodds, tmp_path, shards):
    arguments = ["train", shards[2], "--output", tmp_path / "m.wordodds", *MEMORY]
    result = wordodds(*arguments, "--n-hashed", str(2**28))
    assert result.code == 1
    assert "raise min_df or memory" in result.err
