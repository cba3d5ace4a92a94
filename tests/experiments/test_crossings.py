"""The figure of all crossings, on made-up tables."""

import pytest

from wordodds.experiments.crossings import NEEDS, draw
from wordodds.experiments.names import LR, TUNED
from wordodds.experiments.newsgroups import TF_IDF
from wordodds.experiments.studies import other_texts
from wordodds.experiments.style import colour_of
from wordodds.experiments.table import Results

SCORES = {  # of naive Bayes and logistic regression with 10, 100 and 1,000 documents
    "crossing": ((0.6, 0.7, 0.8), (0.5, 0.8, 0.9)),
    "regression": ((0.5, 0.6, 0.7), (0.6, 0.7, 0.8)),
}


def fill(results, name, how, **more):
    for seed in range(3):
        for place, size in enumerate((10, 100, 1000)):
            for model, scores in zip((name, LR), SCORES[how], strict=True):
                results.add(
                    model=model + TUNED, size=size, seed=seed, accuracy=scores[place],
                    log_loss=1 - SCORES["regression"][model == LR][place], **more,
                )  # fmt: skip


@pytest.fixture
def tables():
    found = {name: Results(name) for name in NEEDS}
    for name in NEEDS[:2]:
        fill(found[name], "Gaussian NB", "crossing", columns=TF_IDF)
    fill(found["sparse"], "multinomial NB", "regression")
    for kind, name in other_texts.BAYES.items():
        fill(found["texts"], name, "crossing", corpus="webkb", columns=kind)
    return found


def test_a_row_for_each_contest(tables):
    plot = draw(tables)
    accuracy, loss = plot.figure.axes
    assert [label.get_text() for label in accuracy.get_yticklabels()][::-1] == [
        "20 Newsgroups, two groups, SVD",
        "20 Newsgroups, 20 groups, SVD",
        "web pages, SVD",
        "20 Newsgroups, 20 groups, words",
        "web pages, words",
    ]
    points = [line for line in accuracy.lines if line.get_marker() == "o"]
    assert [round(line.get_xdata()[0]) for line in points] == [32] * 4
    assert {line.get_color() for line in points} == {colour_of(LR)}
    assert sorted(line.get_ydata()[0] for line in points) == [0, 2, 3, 4]
    assert [text.get_text() for text in accuracy.texts] == ["logistic regression throughout"]
    assert len(loss.texts) == 5
    assert not loss.lines
