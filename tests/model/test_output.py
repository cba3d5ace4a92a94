"""The columns of predictions: their names and kinds, and the same values in every form."""

import numpy as np
import pyarrow
import pytest

from wordodds import SGDClassifier, TextClassifier
from wordodds.model.links import NoProbabilitiesError
from wordodds.model.output import Output, RepeatedColumnError, scored, write_all

TEXTS = ["free money", "lunch with you", "free lunch", "money for eggs", ""]
LABELS = ["spam", "ham", "ham", "eggs", "ham"]
FORMS = [Output.lists, Output.arrays, Output.arrow]


@pytest.fixture(scope="module")
def model():
    return TextClassifier("naive_bayes").fit(TEXTS, LABELS).linear_model_


def plain(column):
    if isinstance(column, list):
        return column
    return column.to_pylist() if isinstance(column, pyarrow.Array) else column.tolist()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("texts", [TEXTS, []])
def test_every_form_has_the_values_of_the_model(model, form, texts):
    found = {x: plain(column) for x, column in form(Output(model), texts).items()}
    assert found == {"label": model.predict(texts).tolist()}
    columns = form(Output(model, label="class", top=2, proba_all=True), texts)
    labels, chances = model.predict_top(texts, 2)
    expected = {
        "class": labels[:, 0], "probability": chances[:, 0],
        "class_2": labels[:, 1], "probability_2": chances[:, 1],
    }  # fmt: skip
    for label, column in zip(model.labels, model.predict_proba(texts).T, strict=True):
        expected[f"probability of {label}"] = column
    assert list(columns) == list(expected)
    for name, column in columns.items():
        assert plain(column) == expected[name].tolist(), name


def test_kinds(model):
    output = Output(model, keep=["id", "text"], number_rows=True, proba=True)
    assert output.kinds == {
        "row": int,
        "id": None,
        "text": None,
        "label": str,
        "probability": float,
    }
    numbers = TextClassifier("naive_bayes").fit(TEXTS, [3, 7, 7, 3, 3]).linear_model_
    assert Output(numbers, top=9).kinds == {
        "label": int, "probability": float, "label_2": int, "probability_2": float,
    }  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_a_threshold_drops_labels_and_keeps_values(model, form):
    best = model.predict_proba(TEXTS).max(axis=1)
    limit = float(np.median(best))
    output = Output(model, proba=True, threshold=limit)
    found = {x: plain(column) for x, column in form(output, TEXTS).items()}
    labels = model.predict(TEXTS).tolist()
    expected = [x if p >= limit else None for x, p in zip(labels, best, strict=True)]
    assert found == {"label": expected, "probability": best.tolist()}
    assert expected.count(None) == 2


def test_what_cannot_be_had(model):
    with pytest.raises(RepeatedColumnError, match="two columns would be called 'row'") as caught:
        Output(model, keep=["row"], number_rows=True)
    assert caught.value.column == "row"
    margins = TextClassifier(SGDClassifier("hinge", random_state=0)).fit(TEXTS, LABELS)
    for options in ({"proba": True}, {"proba_all": True}, {"threshold": 0.5}):
        with pytest.raises(NoProbabilitiesError, match="calibrate it"):
            Output(margins.linear_model_, **options)
    for options in ({"proba": True, "or_scores": True}, {"top": 1}):
        assert list(Output(margins.linear_model_, **options).kinds) == ["label", "score"]


@pytest.mark.parametrize("may_wait", [False, True])
@pytest.mark.parametrize("in_thread", [False, True])
def test_stages_keep_the_order(may_wait, in_thread):
    written = []
    pieces = (n for n in range(50))
    results = scored(pieces, lambda n: n * n, lambda n: 1, may_wait=may_wait)
    write_all(results, written.extend, lambda n: 1, in_thread=in_thread)
    assert written == [n * n for n in range(50)]
