"""Workers that die, rows that are bad, Ctrl-C: the right result, or one clear error."""

import json
import os
import signal
import threading
import time

import dask
import dask.bag
import pytest
from numpy.testing import assert_array_equal
from pyarrow import parquet

from wordodds import LogisticRegression, SGDClassifier, TextClassifier
from wordodds import dask as wordodds_dask
from wordodds.corpora import BadRowError

from .conftest import lethal, process_ids, tasks_on, wait_until


def bag_of(partitions):
    return dask.bag.from_delayed([dask.delayed(part, traverse=False) for part in partitions])


def assert_one_was_replaced(client, before):
    client.wait_for_workers(2, timeout=30)
    wait_until(lambda: len(process_ids(client)) == 2)
    assert len(before - process_ids(client)) == 1


@pytest.mark.exhaustive
def test_a_worker_killed_while_counting_changes_nothing(client, mail, tmp_path):
    whole = TextClassifier("naive_bayes").fit(mail.texts, mail.labels).linear_model_
    before = process_ids(client)
    bag = bag_of(mail.partitions).map(lethal(tmp_path / "killed"))
    survived = wordodds_dask.fit(TextClassifier("naive_bayes"), bag).linear_model_
    assert_array_equal(survived.weights, whole.weights)
    assert_array_equal(survived.bias, whole.bias)
    assert_one_was_replaced(client, before)


@pytest.mark.exhaustive
@pytest.mark.parametrize("solver", ["newton-cg", "lbfgs"])
def test_a_worker_killed_between_the_rounds_changes_nothing(client, mail, solver):
    def fitted(callback):
        model = LogisticRegression(solver=solver, tol=1e-3, callback=callback)
        classifier = TextClassifier(model, ngram_range=(1, 1))
        return wordodds_dask.fit(classifier, bag_of(mail.partitions)).linear_model_

    def kill_one(entry):
        if entry["iteration"] == 1:
            os.kill(min(before), signal.SIGKILL)

    whole = fitted(None)
    before = process_ids(client)
    survived = fitted(kill_one)
    assert_array_equal(survived.weights, whole.weights)
    assert_array_equal(survived.bias, whole.bias)
    assert_one_was_replaced(client, before)


def test_a_worker_killed_while_predicting_changes_nothing(client, mail, tmp_path):
    classifier = TextClassifier("naive_bayes").fit(mail.texts, mail.labels)
    before = process_ids(client)
    texts = bag_of([[text for text, _ in part] for part in mail.partitions])
    labels = wordodds_dask.predict(classifier, texts.map(lethal(tmp_path / "killed")))
    assert labels.compute() == classifier.predict(mail.texts).tolist()
    assert_one_was_replaced(client, before)


@pytest.mark.exhaustive
def test_a_worker_killed_while_writing_leaves_whole_files(client, mail, tmp_path):
    pass_on = lethal(tmp_path / "killed")

    def tokens(text):
        return pass_on(text).split()

    classifier = TextClassifier("naive_bayes", tokenizer=str.split).fit(mail.texts, mail.labels)
    expected = classifier.predict(mail.texts).tolist()
    before = process_ids(client)
    # The same model, whose words are found by a function that kills.
    classifier.linear_model_.features.callables["tokenizer"] = tokens
    pattern = mail.write(tmp_path)
    written = wordodds_dask.predict(classifier, pattern, output=tmp_path / "labels")
    tables = [parquet.read_table(path) for path in written]
    assert [label for table in tables for label in table["label"].to_pylist()] == expected
    assert len(os.listdir(tmp_path / "labels")) == len(mail.partitions)
    assert_one_was_replaced(client, before)


def test_a_bad_row_of_a_file_is_named(client, tmp_path):
    good = '{"text": "one two", "label": "a"}\n'
    for i in range(3):
        bad = '{"text": "three", "label": }\n' if i == 1 else good
        (tmp_path / f"{i}.jsonl").write_text(good * 4 + bad + good)
    classifier = TextClassifier("naive_bayes").fit(["old", "new"], [1, 2])
    model = classifier.linear_model_
    with pytest.raises(BadRowError, match=r"1\.jsonl, line 5"):
        wordodds_dask.fit(classifier, tmp_path / "*.jsonl")
    assert classifier.linear_model_ is model


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        ([("one", "a"), (None, "b")], TypeError, "partition 1: document 1 is missing"),
        ([("one", "a"), ("two", None)], ValueError, "partition 1: label 1 is missing"),
        ([("one", 1.5)], ValueError, "partition 1: label 0 is 1.5"),
        ([("one", 3)], ValueError, "partition 0 has <U1, partition 1 int64"),
        ([{"text": "one"}], ValueError, "partition 1: row 0 has no 'label' among 'text'"),
        (["one"], ValueError, "partition 1: row 0 must be a mapping or a pair"),
        ([(b"\xff", "a")], ValueError, "partition 1: .* can't decode .*; in document 0"),
    ],
    ids=str,
)
def test_a_bad_row_of_a_partition_is_named(client, rows, error, message):
    with pytest.raises(error, match=message):
        wordodds_dask.fit(TextClassifier("naive_bayes"), bag_of([[("good", "a")], rows]))


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        # A character that UTF-8 cannot hold, found as a feature that is hashed in Python.
        (
            TextClassifier("naive_bayes", n_hashed=64, analyzer=list),
            ValueError,
            r"partition 1: 'utf-8' codec can't encode",
        ),
        (
            TextClassifier("naive_bayes", preprocessor=json.loads),
            ValueError,
            "partition 1: Expecting value: line 1 column 1",
        ),
    ],
    ids=["UnicodeEncodeError", "JSONDecodeError"],
)
def test_errors_made_of_more_than_a_message_name_the_partition(client, model, error, message):
    rows = [[('"good"', "a")], [("\ud800", "b")]]
    with pytest.raises(error, match=message):
        wordodds_dask.fit(model, bag_of(rows))


def test_ctrl_c_cancels_what_was_started(client, tmp_path):
    started = tmp_path / "started"
    name = str(started)

    def wait(row):
        import pathlib
        import time

        pathlib.Path(name).touch()
        time.sleep(0.5)
        return row

    def interrupt():
        wait_until(started.exists)
        time.sleep(0.1)
        os.kill(os.getpid(), signal.SIGINT)

    bag = bag_of([[("one", "a")] * 2] * 40).map(wait)  # 20 s of two workers
    classifier = TextClassifier("naive_bayes")
    other = threading.Thread(target=interrupt)
    other.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        wordodds_dask.fit(classifier, bag)
    other.join()
    assert not hasattr(classifier, "linear_model_")
    wait_until(lambda: not tasks_on(client))
    assert time.monotonic() - begin < 15  # nobody waits for the rest


def test_an_interrupted_solver_leaves_the_classifier_alone(client, mail):
    def interrupt(entry):
        if entry["iteration"] == 1:
            raise KeyboardInterrupt

    classifier = TextClassifier(LogisticRegression(callback=interrupt))
    with pytest.raises(KeyboardInterrupt):
        wordodds_dask.fit(classifier, bag_of(mail.partitions))
    assert not hasattr(classifier, "linear_model_")


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (SGDClassifier(), 'SGDClassifier .* use model="logistic"'),
        (LogisticRegression(l1_ratio=0.5), "l1_ratio=0.5 .* use l1_ratio=0.0"),
        (LogisticRegression(multi_class="ovo"), "multi_class='ovo' .* use multi_class="),
        (LogisticRegression(solver="dual"), "solver='dual' does not run on a cluster"),
        (LogisticRegression(C=-1.0), "C must be > 0"),
    ],
    ids=str,
)
def test_models_that_need_all_rows_are_refused(client, model, message):
    with pytest.raises(ValueError, match=message):
        wordodds_dask.fit(TextClassifier(model), bag_of([[("one", "a")]]))


def test_refusals(client, mail, tmp_path):
    classifier = TextClassifier("naive_bayes")
    with pytest.raises(ValueError, match="there is nothing to learn from"):
        wordodds_dask.fit(classifier, bag_of([[], []]))
    with pytest.raises(ValueError, match="no file matches"):
        wordodds_dask.fit(classifier, tmp_path / "*.parquet")
    with pytest.raises(TypeError, match="collection must be a Dask bag or dataframe"):
        wordodds_dask.fit(classifier, 7)
    with pytest.raises(TypeError, match="classifier must be a TextClassifier"):
        wordodds_dask.fit("naive_bayes", bag_of(mail.partitions))
    with pytest.raises(ValueError, match="standard input"):
        wordodds_dask.fit(classifier, "-")
    with pytest.raises(ValueError, match="needs samples of at least 2 classes"):
        wordodds_dask.fit(TextClassifier("logistic"), bag_of([[("one", "a")]]))
    with pytest.raises(TypeError, match=r"client must be a distributed\.Client"):
        wordodds_dask.fit(classifier, bag_of(mail.partitions), client="tcp://host")


def test_no_client(monkeypatch):
    import distributed

    def none():
        raise ValueError("No global client found and no address provided")

    monkeypatch.setattr(distributed, "get_client", none)
    with pytest.raises(ValueError, match=r"make one, such as client = distributed.Client\(\)"):
        wordodds_dask.fit(TextClassifier("naive_bayes"), "*.parquet")
