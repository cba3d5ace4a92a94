"""The contest on other corpora: scores against scikit-learn, verdicts and figures."""

import gzip

import numpy as np
import pytest
import sklearn.feature_extraction.text
import sklearn.linear_model
import sklearn.naive_bayes
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.experiments.small import settled
from threadpoolctl import threadpool_limits

from wordodds.datasets import DatasetUnavailable, make_corpus
from wordodds.experiments.curves import nested_order
from wordodds.experiments.experiment import Run
from wordodds.experiments.names import LR, TUNED
from wordodds.experiments.newsgroups import Data
from wordodds.experiments.studies.other_texts import (
    BAYES,
    COLUMNS,
    CURVES,
    FULL,
    QUICK,
    WORDS,
    Settings,
    draw,
    judge,
    measure,
    read,
    sizes_up_to,
)
from wordodds.experiments.table import Results

SETTINGS = Settings(factor=4, n_seeds=2, n_folds=2)


@pytest.fixture(autouse=True, scope="module")
def one_thread_for_linear_algebra():
    """Tests run side by side, and matrices are small: more threads would only wait."""
    with threadpool_limits(1, "blas"):
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with two corpora of made-up texts."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "text").mkdir()
    for seed, name in enumerate(("trec6", "subjectivity")):
        lines = []
        for shift, (part, n) in enumerate((("train", 90), ("test", 50))):
            corpus = make_corpus(
                n, n_classes=3 - seed, n_words=80, document_length=20, separation=2.0,
                random_state=10 * seed + shift,
            )  # fmt: skip
            pairs = zip(corpus.labels, corpus.texts, strict=True)
            lines += [f"{part}\t{label}\t{' '.join(text.split())}\n" for label, text in pairs]
        (folder / "text" / f"{name}.tsv.gz").write_bytes(gzip.compress("".join(lines).encode()))
    return folder


@pytest.fixture
def own_data(folder, monkeypatch):
    monkeypatch.setenv("WORDODDS_DATA", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))


@pytest.fixture(scope="module")
def table(folder):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORDODDS_DATA", str(folder))
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        return measure(SETTINGS, Run(Data(), seed=3))


def test_those_that_are_there_are_measured(table):
    assert table.unique("corpus") == ["trec6", "subjectivity"]
    assert table.unique("columns") == [WORDS, COLUMNS]
    assert table.unique("seed") == [3, 4]
    assert table.unique("size") == [10, 40, 90]
    assert len(table) == 2 * 2 * 2 * 3 * 4
    for kind, name in BAYES.items():
        models = table.where(columns=kind).unique("model")
        assert models == [LR, name, LR + TUNED, name + TUNED]


def test_without_any_the_error_says_where_to_put_them(monkeypatch, tmp_path):
    monkeypatch.setenv("WORDODDS_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(DatasetUnavailable, match=r"text/trec6\.tsv"):
        measure(SETTINGS, Run(Data()))


def test_same_seed_same_rows(own_data, table):
    run = Run(Data(), seed=3, n_jobs=1)
    assert settled(measure(SETTINGS, run)) == settled(table)
    assert run.data.source == "2 corpora of other kinds of text (trec6, subjectivity)"


def test_words_are_counted_as_scikit_learn_does(own_data):
    rows = read("trec6")[WORDS]
    lines = [line for line in texts_of("trec6") if line]
    train, test = ([text for part, text in lines if part == wanted] for wanted in ("train", "test"))
    peer = sklearn.feature_extraction.text.CountVectorizer()
    assert (peer.fit_transform(train) != rows.X).nnz == 0
    assert (rows.X_test != peer.transform(test)).nnz == 0


def texts_of(name):
    from wordodds.datasets import load_texts

    for part in ("train", "test"):
        for text in load_texts(name, part).texts:
            yield part, text


@pytest.mark.parametrize("kind", [WORDS, COLUMNS])
def test_scores_are_those_of_scikit_learn(own_data, table, kind):
    peers = {
        LR: sklearn.linear_model.LogisticRegression(max_iter=2000),
        "multinomial NB": sklearn.naive_bayes.MultinomialNB(),
        "Gaussian NB": sklearn.naive_bayes.GaussianNB(),
    }
    if kind == COLUMNS:
        peers[LR] = make_pipeline(StandardScaler(), peers[LR])
    for name in ("trec6", "subjectivity"):
        rows = read(name)[kind]
        for row in table.where(corpus=name, columns=kind).rows:
            if row["model"].endswith(TUNED):
                continue
            chosen = nested_order(rows.y, np.random.default_rng(row["seed"]))[: row["size"]]
            if row["size"] == len(rows.y):
                chosen = np.arange(row["size"])
            model = peers[row["model"]].fit(rows.X[chosen], rows.y[chosen])
            assert row["accuracy"] == pytest.approx(model.score(rows.X_test, rows.y_test))


def test_sizes_grow_up_to_all():
    assert sizes_up_to(200, Settings(4, 1, 1)) == [10, 40, 160, 200]
    assert sizes_up_to(40, Settings(2, 1, 1)) == [10, 20, 40]
    assert FULL.factor**2 == QUICK.factor
    assert FULL.n_seeds >= 20


def made_up(bayes, regression):
    """Return a table of one corpus, and what is ahead on 10, 100 and 1,000 documents."""
    results = Results("texts")
    for kind, name in BAYES.items():
        for seed in range(3):
            for size, *pair in zip((10, 100, 1000), bayes, regression, strict=True):
                ahead = round(1000 * (pair[0] - pair[1]))
                for how in ("", TUNED):
                    for model, accuracy in zip((name, LR), pair, strict=True):
                        results.add(
                            corpus="webkb", columns=kind, model=model + how, size=size, seed=seed,
                            accuracy=accuracy, test_size=1000,
                            # What is tuned differs a little, so that something is said about it.
                            log_loss=1 - accuracy + 1e-6 * (how == TUNED),
                            only=50 + max(ahead, 0), other=50 + max(-ahead, 0),
                        )  # fmt: skip
    return results


@pytest.mark.parametrize(
    ("bayes", "regression", "verdicts", "says"),
    [
        ([0.6, 0.7, 0.8], [0.5, 0.8, 0.9], ["borne out"] * 2, f"{LR} from 31.6"),
        ([0.5, 0.6, 0.8], [0.6, 0.7, 0.9], ["not borne out", "borne out"], "no crossing"),
        ([0.6, 0.7, 0.9], [0.5, 0.6, 0.8], ["borne out", "not borne out"], "no crossing"),
    ],
    ids=["as the lecture says", "regression throughout", "bayes throughout"],
)
def test_verdicts(bayes, regression, verdicts, says):
    findings = judge(made_up(bayes, regression))
    assert [finding.claim for finding in findings] == ["C4", "C4", "C3", "C3"]
    assert [finding.verdict for finding in findings] == np.repeat(verdicts, 2).tolist()
    assert [finding.figure for finding in findings] == [*CURVES.values()] * 2
    lines = findings[0].number.splitlines()
    assert says in lines[1]
    assert says in lines[2]


def test_a_loss_that_is_always_infinite_is_said():
    results = made_up([0.6, 0.7, 0.8], [0.5, 0.8, 0.9])
    for row in results.rows:
        row["log_loss"] = float("inf")
        row["accuracy"] += 1e-6 * row["model"].endswith(TUNED)
    findings = judge(results)
    assert findings[0].number.splitlines()[2] == "in log loss: infinite at every size"


def test_a_figure_for_each_kind_of_columns(table):
    plots = draw(table)
    assert [plot.stem for plot in plots] == list(CURVES.values())
    for plot in plots:
        shown = [ax for ax in plot.figure.axes if ax.axison]
        assert [ax.get_title() for ax in shown] == ["questions", "subjectivity"]
        name = BAYES[next(kind for kind, stem in CURVES.items() if stem == plot.stem)]
        for ax in shown:
            lines = [line.get_label() for line in ax.lines][:4]
            assert lines == [name, LR, name + TUNED, LR + TUNED]


def test_crossings_are_marked():
    plot, _ = draw(made_up([0.6, 0.7, 0.8], [0.5, 0.8, 0.9]))
    (ax,) = plot.figure.axes
    assert [text.get_text() for text in ax.texts] == ["32"]
