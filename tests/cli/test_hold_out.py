"""What ``wordodds train`` holds out: by seed and position alone, however the data is read."""

import json

import numpy as np
import pytest

from wordodds import load
from wordodds.classifier.sample import position_hash
from wordodds.cli.hold_out import CALIBRATE_MOST, uniform_draws

from .conftest import hold_out, make_mail, write_jsonl

N = 200_000
LABELS = ["ham", "spam"] * (N // 2)


def test_hashes_are_those_of_splitmix64():
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert position_hash(np.arange(3), 1234567).tolist() == published


def test_draws_follow_from_seed_and_position():
    np.testing.assert_array_equal(uniform_draws(5, 0, 90)[40:], uniform_draws(5, 40, 50))
    np.testing.assert_array_equal(uniform_draws(-1, 0, 9), uniform_draws(2**64 - 1, 0, 9))


@pytest.mark.parametrize("seed", [0, 1, -5, 2**63])
def test_shares_are_right_within_chance(seed):
    parts = hold_out(0.2, 0.1, seed).divide(LABELS)
    np.testing.assert_array_equal(sum(rows.astype(int) for rows in parts.values()), np.ones(N))
    for name, share in (("holdout", 0.2), ("calibrate", 0.8 * 0.1), ("train", 0.8 * 0.9)):
        error = np.sqrt(N * share * (1 - share))
        assert abs(parts[name].sum() - N * share) < 4.5 * error, name
    held = parts["holdout"]  # of each class, too
    for rows in (held[::2], held[1::2]):
        assert abs(rows.sum() - N / 2 * 0.2) < 4.5 * np.sqrt(N / 2 * 0.2 * 0.8)


@pytest.mark.parametrize("seed", [0, 1])
def test_what_is_held_out_is_independent_of_the_sample_of_the_default(seed):
    draws, hashes = uniform_draws(seed, 0, N), position_hash(np.arange(N)) / 2.0**64
    # A rank correlation, as both are uniform: within chance for another stream, 1 for the same one.
    assert abs(np.corrcoef(draws, hashes)[0, 1]) < 4.5 / np.sqrt(N)


def test_another_seed_holds_out_others():
    one, other = (hold_out(0.2, seed=seed).divide(LABELS)["holdout"] for seed in (0, 1))
    # As if drawn independently: a 25th is in both.
    assert abs((one & other).sum() - N / 25) < 4.5 * np.sqrt(N / 25 * 24 / 25)


def test_batches_and_calibration_change_nothing():
    labels = LABELS[:1000]
    whole = hold_out(0.2, 0.3).divide(labels)
    pieces = hold_out(0.2, 0.3)
    some = [pieces.divide(labels[i : i + 70]) for i in range(0, 1000, 70)]
    for name, rows in whole.items():
        np.testing.assert_array_equal(np.concatenate([part[name] for part in some]), rows)
        assert pieces.counts[name] == rows.sum()
    assert pieces.classes == {"ham": 500, "spam": 500}
    np.testing.assert_array_equal(hold_out(0.2).divide(labels)["holdout"], whole["holdout"])


def test_the_first_document_of_each_class_is_learnt():
    labels = ["a", "b", "a", "c", "b", "a"]
    parts = hold_out(0.999999, 0.999999)
    assert parts.divide(labels)["train"].tolist() == [True, True, False, True, False, False]
    assert parts.divide(["a", "d", "d"])["train"].tolist() == [False, True, False]


def test_no_more_are_calibrated_on_than_help():
    parts = hold_out(None, 0.5)
    rows = [parts.divide(LABELS)["calibrate"] for _ in range(2)]
    assert parts.counts["calibrate"] == CALIBRATE_MOST == rows[0].sum()
    assert parts.counts["train"] == 2 * N - CALIBRATE_MOST


@pytest.mark.parametrize("kind", ["naive_bayes", "nb_logistic"])
@pytest.mark.parametrize("seed", ["0", "3"])
def test_the_same_in_memory_and_piece_by_piece(wordodds, tmp_path, kind, seed):
    texts, labels = make_mail(300)
    labels[250] = "eggs"  # a class of one document
    write_jsonl(tmp_path / "1.jsonl", texts[:120], labels[:120])
    write_jsonl(tmp_path / "2.jsonl", texts[120:], labels[120:])
    target = tmp_path / "m.wordodds"
    arguments = ["train", tmp_path / "*.jsonl", "--model", kind, "--output", target, "--seed", seed,
                 "--holdout", "0.3", "--calibrate", "temperature", "--json"]  # fmt: skip
    found = []
    for more in ([], ["--memory", "8GB"]):
        report = json.loads(wordodds(*arguments, *more).out)
        model = load(target)
        assert "eggs" in model.labels
        shown = {name: report[name] for name in ("trained_on", "classes", "calibration")}
        found.append((shown, report["holdout"]["documents"], model.predict_proba(texts)))
    assert found[0][:2] == found[1][:2]
    if kind == "naive_bayes":  # which has the same bits only if it has learnt the same documents
        np.testing.assert_array_equal(found[0][2], found[1][2])


@pytest.mark.parametrize("memory", [[], ["--memory", "8GB"]])
@pytest.mark.parametrize("part", ["--holdout", "--calibrate-on"])
def test_a_part_without_documents(wordodds, tmp_path, memory, part):
    path = write_jsonl(tmp_path / "mail.jsonl", *make_mail(40))
    calibrate = ["--calibrate", "platt"] if part == "--calibrate-on" else []
    target = tmp_path / "m.wordodds"
    arguments = ["train", path, "--output", target, *calibrate, part, "1e-9", *memory]
    result = wordodds(*arguments)
    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
    name = part.removesuffix("-on")
    assert f"40 documents are too few for {name}: with a share of 1e-09" in result.err
    assert not target.exists()
