"""Predictions on a cluster are those of the model, in the form of what was given."""

import dask
import dask.bag
import dask.dataframe
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pyarrow import parquet

from wordodds import TextClassifier
from wordodds import dask as wordodds_dask
from wordodds.model.links import NoProbabilitiesError


@pytest.fixture(scope="module")
def classifier(mail):
    return TextClassifier("naive_bayes").fit(mail.texts, mail.labels)


@pytest.fixture(scope="module")
def expected(classifier, mail):
    labels = classifier.predict(mail.texts)
    return labels, classifier.predict_proba(mail.texts).max(axis=1)


def bag_of(partitions):
    return dask.bag.from_delayed([dask.delayed(part, traverse=False) for part in partitions])


def test_a_bag(client, mail, classifier, expected):
    bag = bag_of([[text for text, _ in part] for part in mail.partitions])
    assert wordodds_dask.predict(classifier, bag).compute() == expected[0].tolist()
    both = wordodds_dask.predict(classifier.linear_model_, bag, proba=True).compute()
    labels, chances = zip(*both, strict=True)
    assert list(labels) == expected[0].tolist()
    assert_allclose(chances, expected[1], rtol=1e-12)
    mappings = bag.map(lambda text: {"body": text})
    found = wordodds_dask.predict(classifier, mappings, text="body").compute()
    assert found == expected[0].tolist()


@pytest.mark.parametrize("proba", [False, True])
def test_a_dataframe_keeps_its_index(client, mail, classifier, expected, proba):
    frame = pd.DataFrame({"text": mail.texts}, index=np.arange(len(mail.texts)) * 3)
    given = dask.dataframe.from_pandas(frame, npartitions=3)
    lazy = wordodds_dask.predict(classifier, given, proba=proba)
    assert lazy.divisions == given.divisions
    found = lazy.compute()
    assert found.dtypes.to_dict() == lazy.dtypes.to_dict()
    assert list(found.columns) == (["label", "probability"] if proba else ["label"])
    assert_array_equal(found.index, frame.index)
    assert_array_equal(found["label"], expected[0])
    if proba:
        assert_allclose(found["probability"], expected[1], rtol=1e-12)


def test_delayed_arrow(client, mail, classifier, expected):
    delayed = [dask.delayed(table) for table in mail.tables()]
    batches = dask.compute(*wordodds_dask.predict(classifier, delayed, proba=True))
    assert all(isinstance(batch, pa.RecordBatch) for batch in batches)
    assert all(batch.schema == batches[0].schema for batch in batches)  # one has no rows
    table = pa.Table.from_batches([batch for batch in batches if len(batch)])
    assert table["label"].to_pylist() == expected[0].tolist()
    assert_allclose(table["probability"], expected[1], rtol=1e-12)


def test_files_into_a_folder(client, mail, classifier, expected, tmp_path):
    pattern = mail.write(tmp_path)
    classifier.save(tmp_path / "mail.wordodds")
    written = wordodds_dask.predict(
        tmp_path / "mail.wordodds", pattern, output=tmp_path / "new" / "labels", proba=True
    )
    assert written == [str(tmp_path / "new" / "labels" / f"part-{i}.parquet") for i in range(5)]
    tables = [parquet.read_table(path) for path in written]
    assert [len(table) for table in tables] == [len(part) for part in mail.partitions]
    labels = [label for table in tables for label in table["label"].to_pylist()]
    assert labels == expected[0].tolist()
    chances = [chance for table in tables for chance in table["probability"].to_pylist()]
    assert_allclose(chances, expected[1], rtol=1e-12)


def test_functions_of_the_user_travel_with_the_model(client, mail):
    def shout(text):
        return text.upper().split()

    classifier = TextClassifier("naive_bayes", tokenizer=shout, lowercase=False)
    classifier.fit(mail.texts, mail.labels)
    found = wordodds_dask.predict(classifier, bag_of([mail.texts[:20], mail.texts[20:]])).compute()
    assert found == classifier.predict(mail.texts).tolist()


def test_each_process_maps_a_model_once_and_needs_no_scikit_learn(client, mail, classifier):
    client.restart(wait_for_workers=True)  # workers that have fitted nothing yet
    bag = bag_of([[text] for text in mail.texts[:12]])
    assert len(wordodds_dask.predict(classifier, bag).compute()) == 12

    def state():
        import sys

        from wordodds.dask import scoring

        return len(scoring._models), "sklearn" in sys.modules

    assert set(client.run(state).values()) == {(1, False)}


def test_an_error_names_partition_and_row(client, classifier):
    labels = wordodds_dask.predict(classifier, bag_of([["one"], ["two", None]]))
    with pytest.raises(TypeError, match="partition 1: document 1 is missing"):
        labels.compute()
    missing = wordodds_dask.predict(classifier, [dask.delayed(pa.table({"body": ["one"]}))])
    with pytest.raises(ValueError, match="partition 0: no column 'text' among 'body'"):
        dask.compute(*missing)


def test_refusals(client, mail, classifier, tmp_path):
    pattern = mail.write(tmp_path)
    with pytest.raises(ValueError, match="pass output="):
        wordodds_dask.predict(classifier, pattern)
    with pytest.raises(ValueError, match="another folder than that of"):
        wordodds_dask.predict(classifier, pattern, output=tmp_path)
    with pytest.raises(ValueError, match="output is for files"):
        wordodds_dask.predict(classifier, bag_of([["one"]]), output=tmp_path)
    (tmp_path / "other").mkdir()
    mail.write(tmp_path / "other")
    with pytest.raises(ValueError, match="would both be labelled into"):
        wordodds_dask.predict(
            classifier, [pattern, f"{tmp_path}/other/*.parquet"], output=tmp_path / "labels"
        )
    with pytest.raises(TypeError, match="model must be a fitted TextClassifier"):
        wordodds_dask.predict(TextClassifier(), pattern, output=tmp_path / "labels")
    (tmp_path / "notes").write_text("one\n")
    with pytest.raises(ValueError, match="the name must tell a format"):
        wordodds_dask.predict(classifier, tmp_path / "notes", output=tmp_path / "labels")
    from wordodds import SGDClassifier

    margins = TextClassifier(SGDClassifier("hinge")).fit(mail.texts, mail.labels)
    with pytest.raises(NoProbabilitiesError):
        wordodds_dask.predict(margins, bag_of([["one"]]), proba=True)
