"""``wordodds tune``: the report, the model, and what is refused."""

import json

import numpy as np
import pytest

from wordodds import NBLogisticRegression, TextClassifier, load

from .conftest import write_jsonl


def test_it_searches_and_saves(wordodds, tmp_path, files, mail):
    target = tmp_path / "m.wordodds"
    result = wordodds("tune", files / "mail.jsonl", "--trials", "4", "--output", target)
    assert (result.code, result.err) == (0, "")
    expected = TextClassifier().tune(*mail, trials=4)
    assert expected.tuning_.call in result.out.splitlines()
    assert "classes    2: " in result.out
    assert "best of 4 trials" in result.out
    assert f"saved      {target}" in result.out
    found = load(target).predict_proba(mail[0])
    np.testing.assert_array_equal(found, expected.predict_proba(mail[0]))
    inspected = wordodds("inspect", target).out
    assert "chosen call" in inspected
    assert "chosen n_trials" in inspected


def test_without_an_output_nothing_is_written(wordodds, files):
    before = sorted(files.iterdir())
    result = wordodds("tune", files / "mail.jsonl", "--trials", "2")
    assert (result.code, result.err) == (0, "")
    assert "saved" not in result.out
    assert sorted(files.iterdir()) == before


def test_options_reach_the_search(wordodds, files):
    result = wordodds(
        "tune", files / "mail.jsonl", "--trials", "6", "--seed", "3", "--metric", "f1:spam",
        "-C", "3", "--ngrams", "1,2", "--no-characters", "--holdout", "0.25", "--json",
    )  # fmt: skip
    report = json.loads(result.out)
    tuning = report["tuning"]
    assert (tuning["metric"], len(tuning["trials"])) == ("f1:spam", 6)
    assert report["trained_on"] + report["holdout"]["documents"] == report["documents"] == 120
    assert 0.5 < report["holdout"]["accuracy"] <= 1.0
    for trial in tuning["trials"]:
        assert trial["parameters"]["C"] == 3.0
        assert trial["reading"]["analyzer"] == "word"
        assert trial["reading"]["ngram_range"] == [1, 2]
    names = {"TextClassifier": TextClassifier, "NBLogisticRegression": NBLogisticRegression}
    assert eval(tuning["call"], names).model.random_state == 3


def test_all_trials_are_shown_on_request(wordodds, files):
    few = wordodds("tune", files / "mail.jsonl", "--trials", "5").out
    every = wordodds("tune", files / "mail.jsonl", "--trials", "5", "--all-trials").out
    models = ("nb_logistic:", "complement:", "naive_bayes:")
    assert [sum(map(out.count, models)) for out in (few, every)] == [2, 5]


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--metric", "recall"], 2, "--metric must be one of"),
        (["--metric", "f1:eggs"], 1, "names an unknown label"),
        (["--model", "complement", "-C", "3"], 2, "-C is for --model nb_logistic"),
        (["--model", "logistic"], 2, "invalid choice"),
        (["--minutes", "0"], 2, "--minutes"),
        (["--trials", "none"], 2, "--trials"),
        (["--output", "missing-folder/m.wordodds"], 1, "missing-folder"),
    ],
)
def test_refusals(wordodds, files, options, code, message):
    result = wordodds("tune", files / "mail.jsonl", "--trials", "1", *options)
    assert result.code == code
    assert message in result.err


def test_the_data_is_not_replaced(wordodds, files):
    data = files / "mail.jsonl"
    before = data.read_bytes()
    result = wordodds("tune", data, "--trials", "1", "--output", data)
    assert result.code == 2
    assert data.read_bytes() == before


@pytest.mark.parametrize("json_option", [[], ["--json"]])
def test_the_result_is_printed_even_if_it_cannot_be_saved(wordodds, files, json_option):
    result = wordodds(
        "tune", files / "mail.jsonl", "--trials", "2", "--output", "/dev/full", *json_option
    )
    assert result.code == 1
    assert "TextClassifier(" in result.out
    assert "/dev/full" in result.err or "space" in result.err


def test_labels_do_not_steer_a_terminal(wordodds, tmp_path, mail):
    texts, labels = mail
    data = write_jsonl(tmp_path / "data.jsonl", texts, [f"{label}\x1b[31m" for label in labels])
    result = wordodds("tune", data, "--trials", "1", "--metric", "f1:spam\x1b[31m")
    assert result.code == 0
    assert "\x1b" not in result.out
    result = wordodds("tune", data, "--trials", "1", "--metric", "f1:eggs")
    assert result.code == 1
    assert "\x1b" not in result.err
