"""`predict_stream` gives what `predict` gives on the whole, in order, with what is kept."""

import threading

import numpy as np
import pyarrow
import pytest

from wordodds import TextClassifier
from wordodds.corpora import read, write

TEXTS = [f"{'free money' if n % 3 else 'lunch with you'} {n % 11} word{n % 50}" for n in range(500)]
LABELS = ["spam" if n % 3 else "ham" for n in range(500)]


@pytest.fixture(scope="module")
def classifier():
    return TextClassifier("naive_bayes").fit(TEXTS, LABELS)


@pytest.fixture(scope="module")
def model(classifier):
    return classifier.linear_model_


def batches_of(n_rows, kind=None):
    table = pyarrow.table({"id": list(range(500)), "text": pyarrow.array(TEXTS, kind)})
    return table.to_batches(max_chunksize=n_rows)


def columns_of(results):
    return pyarrow.Table.from_batches(list(results)).to_pydict()


@pytest.mark.parametrize("n_rows", [1, 7, 1000])
@pytest.mark.parametrize("kind", [pyarrow.string(), pyarrow.large_string()])
def test_labels(model, classifier, n_rows, kind):
    for predictor in (model, classifier):
        found = columns_of(predictor.predict_stream(batches_of(n_rows, kind), keep=["id"]))
        assert list(found) == ["id", "label"]
        assert found["id"] == list(range(500))
        assert found["label"] == model.predict(TEXTS).tolist()


def test_lists_and_tables(model):
    lists = [TEXTS[:100], tuple(TEXTS[100:300]), TEXTS[300:]]
    assert columns_of(model.predict_stream(lists))["label"] == model.predict(TEXTS).tolist()
    tables = [pyarrow.Table.from_batches(batches_of(90)), pyarrow.table({"text": ["free"]})]
    found = columns_of(model.predict_stream(tables))
    assert found["label"] == model.predict([*TEXTS, "free"]).tolist()
    assert list(model.predict_stream([])) == []
    (empty,) = model.predict_stream([[]])
    assert (len(empty), empty.schema.names) == (0, ["label"])


def test_probabilities(model):
    found = columns_of(model.predict_stream(batches_of(64), proba=True))
    assert list(found) == ["label", "probability"]
    assert found["label"] == model.predict(TEXTS).tolist()
    np.testing.assert_array_equal(found["probability"], model.predict_proba(TEXTS).max(axis=1))


def test_top(model):
    for k in (2, 9):
        found = columns_of(model.predict_stream(batches_of(64), top=k))
        assert list(found) == ["label", "probability", "label_2", "probability_2"]
        labels, chances = model.predict_top(TEXTS, 2)
        assert [found["label"], found["label_2"]] == labels.T.tolist()
        np.testing.assert_array_equal([found["probability"], found["probability_2"]], chances.T)
    assert list(columns_of(model.predict_stream(batches_of(64), top=1))) == ["label", "probability"]


def test_probabilities_of_all_labels(model):
    found = columns_of(model.predict_stream(batches_of(64), proba_all=True))
    names = [f"probability of {label}" for label in model.labels.tolist()]
    assert list(found) == ["label", *names]
    np.testing.assert_array_equal([found[name] for name in names], model.predict_proba(TEXTS).T)
    found = columns_of(model.predict_stream([TEXTS], proba=True, proba_all=True))
    assert list(found) == ["label", "probability", *names]


@pytest.mark.parametrize("labels", [[3, 7], [True, False]])
def test_labels_keep_their_kind(labels):
    texts = ["free money", "lunch", "you"]
    values = [labels[0], labels[1], labels[1]]
    model = TextClassifier("naive_bayes").fit(texts, values).linear_model_
    assert columns_of(model.predict_stream([texts]))["label"] == values


def test_margins_are_called_scores():
    from wordodds import SGDClassifier

    model = TextClassifier(SGDClassifier("hinge", random_state=0)).fit(TEXTS, LABELS).linear_model_
    found = columns_of(model.predict_stream([TEXTS], proba=True))
    assert list(found) == ["label", "score"]
    with pytest.raises(ValueError, match="no probabilities"):
        model.predict_stream([TEXTS], proba_all=True)
    np.testing.assert_array_equal(found["score"], np.abs(model.decision_function(TEXTS)))


def test_from_file_to_file(model, tmp_path):
    write(batches_of(100), tmp_path / "in.parquet")
    corpus = read(tmp_path / "in.parquet", keep=["id"], batch_bytes=5000)
    results = list(model.predict_stream(corpus, keep=["id"]))
    assert len(results) > 2
    first_rows = [int(batch.schema.metadata[b"wordodds.first_row"]) for batch in results]
    assert first_rows == [batch.column("id")[0].as_py() + 1 for batch in results]
    assert write(iter(results), tmp_path / "out.jsonl") == 500


def test_the_next_batches_are_read_in_the_background_and_the_thread_ends(model):
    threads = []

    def reading():
        for batch in batches_of(50):
            threads.append(threading.current_thread())
            yield batch

    results = model.predict_stream(reading())
    next(results)
    assert set(threads) != {threading.current_thread()}
    results.close()
    threads[0].join(30)
    assert not threads[0].is_alive()


def test_what_may_wait_for_ever_is_read_by_the_caller(model):
    class Waiting(list):
        may_wait = True

        def __iter__(self):
            self.thread = threading.current_thread()
            yield from super().__iter__()

    waiting = Waiting([TEXTS[:5]])
    assert len(list(model.predict_stream(waiting))) == 1
    assert waiting.thread is threading.current_thread()
    assert read("-").may_wait


def test_errors_come_in_their_place(model, tmp_path):
    write([pyarrow.record_batch({"text": ["a", "b"]})], tmp_path / "in.jsonl")
    with (tmp_path / "in.jsonl").open("a") as file:
        file.write("no json\n")
    results = model.predict_stream(read(tmp_path / "in.jsonl", batch_bytes=1))
    assert [len(next(results)), len(next(results))] == [1, 1]
    with pytest.raises(ValueError, match=r"in\.jsonl, line 3: not JSON"):
        next(results)


def test_the_thread_ends_with_an_error_that_somebody_keeps(model):
    threads = []

    def reading():
        threads.append(threading.current_thread())
        yield ["a", None]
        while True:
            yield ["a"]

    with pytest.raises(TypeError) as caught:
        list(model.predict_stream(reading()))
    threads[0].join(30)
    assert not threads[0].is_alive()
    assert caught.value.__traceback__ is not None


def test_a_missing_document_says_where(model):
    place = {b"wordodds.file": b"mail.parquet", b"wordodds.first_row": b"17"}
    batch = pyarrow.record_batch({"text": ["a", None]}).replace_schema_metadata(place)
    with pytest.raises(TypeError, match="document 1 is missing") as caught:
        list(model.predict_stream([batch]))
    assert caught.value.__notes__ == ["in mail.parquet, rows counted from 17"]


@pytest.mark.parametrize(
    ("batches", "options", "error", "message"),
    [
        ("text", {}, ValueError, "iterable of record batches, got one str: pass it in a list"),
        (pyarrow.table({"text": ["a"]}), {}, ValueError, "got one Table: pass it in a list"),
        ([["a"]], {"keep": "id"}, ValueError, r"keep must be a list of names, got 'id'"),
        ([["a"]], {"keep": ["id"]}, ValueError, "a list of texts has no column 'id' to keep"),
        ([["a"]], {"top": 0}, ValueError, "top must be a whole number >= 1 or None, got 0"),
        ([["a"]], {"top": True}, ValueError, "top must be a whole number >= 1 or None, got True"),
        (["a"], {}, TypeError, "must hold record batches, tables or lists of str, got str"),
        (batches_of(500), {"text": "body"}, ValueError, "no column 'body' among 'id', 'text'"),
        (batches_of(500), {"keep": ["label"]}, ValueError, "two columns would be called 'label'"),
    ],
)
def test_bad_arguments(model, batches, options, error, message):
    with pytest.raises(error, match=message):
        list(model.predict_stream(batches, **options))


def test_lists_with_missing_texts(model):
    with pytest.raises(TypeError, match="1") as streamed:
        list(model.predict_stream([["free", None]]))
    with pytest.raises(TypeError) as direct:
        model.predict(["free", None])
    assert str(streamed.value) == str(direct.value)
    lenient = TextClassifier("naive_bayes", missing="empty").fit(TEXTS, LABELS)
    found = columns_of(lenient.predict_stream([["free", None], ["lunch"]]))["label"]
    assert found == lenient.predict(["free", "", "lunch"]).tolist()


def test_top_may_be_a_number_of_numpy(model):
    found = columns_of(model.predict_stream([TEXTS], top=np.int64(2)))
    assert found == columns_of(model.predict_stream([TEXTS], top=2))
    for top in (np.int64(0), True, 1.0, "2"):
        with pytest.raises(ValueError, match="top must be a whole number"):
            model.predict_stream([TEXTS], top=top)


@pytest.mark.parametrize("keep", [None, 7, ["id", 1]])
def test_keep_must_be_names(model, keep):
    with pytest.raises(TypeError, match="keep must be a list of names, got"):
        model.predict_stream([TEXTS], keep=keep)
    found = columns_of(model.predict_stream(batches_of(100), keep=np.array(["id"])))
    assert found["id"] == list(range(500))
