"""Ng and Jordan's comparison: what tables give, who wins, and scikit-learn on the same splits."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from wordodds.datasets import DatasetUnavailable, UciTable
from wordodds.experiments.curves import nested_order
from wordodds.experiments.experiment import Run
from wordodds.experiments.newsgroups import Data
from wordodds.experiments.studies import uci
from wordodds.experiments.studies.uci import (
    CATEGORICAL,
    DIFFERENCE,
    EXPERIMENT,
    LR,
    OWN,
    PANELS,
    SHARED,
    Panel,
    Problem,
    Settings,
    add_winners,
    draw,
    judge,
    measure,
)
from wordodds.experiments.table import Results

RUN = Run(Data())
NAMED = {panel.table: panel for panel in PANELS}


def made_up_table(name, n=60):
    """Return a table with a column of each kind, which both tell of the label."""
    rng = np.random.default_rng(3)
    y = np.arange(n) % 3 == 0
    number = rng.normal(size=n) + 2 * y
    word = np.where(rng.random(n) < 0.8, y, ~y).astype(int).astype(str).astype(object)
    word[::9] = None
    labels = np.where(y, "yes", "no")
    return UciTable(name, ["a", "b"], ["continuous", "discrete"], [number, word], labels, "here")


@pytest.fixture
def results(monkeypatch):
    monkeypatch.setattr(uci, "load_uci", made_up_table)
    panels = (Panel("first", "adult", "continuous"), Panel("second", "adult", "discrete"))
    return measure(Settings(splits=4, n_sizes=3, panels=panels), RUN)


def test_a_panel_takes_its_columns_and_a_missing_word_is_a_category():
    table = made_up_table("adult")
    numbers = Problem.of(Panel("", "adult", "continuous"), table)
    assert numbers.n_categories is None
    np.testing.assert_array_equal(numbers.rows, table.columns[0][:, np.newaxis])
    words = Problem.of(Panel("", "adult", "discrete"), table)
    assert words.n_categories.tolist() == [3]
    assert [len(set(words.rows[table.columns[1] == w, 0])) for w in ("0", "1", None)] == [1, 1, 1]
    np.testing.assert_array_equal(words.labels, table.labels == "yes")


def test_two_classes_of_several_and_the_median_of_prices():
    column = [np.array(list("abcabc"), dtype=object)]
    lenses = UciTable("", ["x"], ["discrete"], column, np.array(list("hsnhsn")), "")
    chosen = Problem.of(Panel("", "", "discrete", ("h", "s")), lenses)
    assert chosen.labels.tolist() == [0, 1, 0, 1]
    assert chosen.rows[:, 0].tolist() == [0, 1, 0, 1]
    prices = np.array([3.0, 9.0, 5.0, 4.0])
    housing = UciTable("", ["x"], ["continuous"], [prices], prices, "")
    assert Problem.of(Panel("", "", "continuous"), housing).labels.tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize(
    ("labels", "message"),
    [("hhssx", "two classes"), ("hhhh", "two classes"), ("hhhs", "2 rows of each class")],
    ids=["three", "one", "a single row"],
)
def test_a_table_without_the_two_classes_is_named(labels, message):
    column = [np.arange(len(labels)).astype(object)]
    table = UciTable("", ["x"], ["discrete"], column, np.array(list(labels)), "")
    with pytest.raises(DatasetUnavailable, match=f"the set sonar .*{message}"):
        Problem.of(Panel("", "sonar", "discrete"), table)


@pytest.mark.parametrize("share", [0.1, 0.24, 0.5])
@pytest.mark.parametrize(("kind", "least"), [("continuous", 2), ("discrete", 1)])
def test_the_smallest_size_has_rows_of_both_classes(share, kind, least):
    labels = (np.arange(300) < 300 * share).astype(np.int64)
    numbers = None if kind == "continuous" else np.array([2])
    problem = Problem(np.zeros((300, 1)), labels, numbers)
    sizes = problem.sizes(Settings(splits=1, n_sizes=5))
    assert sizes[-1] == 200
    assert len(sizes) == 5
    for seed in range(20):
        order = nested_order(labels, np.random.default_rng(seed))
        assert np.bincount(labels[order[: sizes[0]]], minlength=2).min() >= least


def test_columns_are_scaled_by_the_training_rows():
    train = np.array([[1.0, 7.0, np.nan], [3.0, 7.0, 2.0], [8.0, 7.0, 4.0]])
    test = np.array([[4.0, 9.0, np.nan]])
    seen, new = uci.standardised(train, test)
    expected = StandardScaler().fit(train[:, :1])
    np.testing.assert_allclose(seen[:, :1], expected.transform(train[:, :1]))
    np.testing.assert_allclose(new[:, :1], expected.transform(test[:, :1]), atol=1e-15)
    assert seen[:, 1:].tolist() == [[0.0, 0.0], [0.0, -1.0], [0.0, 1.0]]
    assert new[0, 1:].tolist() == [0.0, 0.0]


def test_one_hot_is_scikit_learns():
    codes = np.array([[0, 2], [1, 0], [0, 1]])
    categories = [range(2), range(4)]
    expected = OneHotEncoder(categories=categories, sparse_output=False).fit_transform(codes)
    np.testing.assert_array_equal(uci.one_hot(codes, np.array([2, 4])), expected)


@pytest.mark.parametrize("table", ["bupa", "voting"])
def test_accuracies_are_those_of_scikit_learn(newsgroups_data, table):
    panel = NAMED[table]
    settings = Settings(splits=2, n_sizes=3, panels=(panel,))
    ours = measure(settings, RUN)
    problem = Problem.of(panel, uci.load_uci(table))
    y, sizes = problem.labels, problem.sizes(settings)
    for seed in range(2):
        order = nested_order(y, np.random.default_rng([seed, *panel.title.encode()]))
        test = order[sizes[-1] :]
        for size in sizes:
            train = order[:size]
            X, T = problem.rows[train], problem.rows[test]
            if problem.n_categories is None:
                scaler = StandardScaler().fit(X)
                seen, new = scaler.transform(X), scaler.transform(T)
                naive, bayes = OWN, GaussianNB().fit(seen, y[train]).score(new, y[test])
            else:
                words = OneHotEncoder(categories=[range(n) for n in problem.n_categories])
                seen, new = words.fit_transform(X), words.transform(T)
                model = CategoricalNB(min_categories=problem.n_categories).fit(X, y[train])
                naive, bayes = CATEGORICAL, model.score(T, y[test])
            line = LogisticRegression(C=uci.C, solver="newton-cholesky", tol=1e-8).fit(
                seen, y[train]
            )
            row = ours.where(seed=seed, size=size)
            assert row.where(model=naive).column("accuracy")[0] == pytest.approx(bayes, abs=0.005)
            accuracy = line.score(new, y[test])
            assert row.where(model=LR).column("accuracy")[0] == pytest.approx(accuracy, abs=0.005)


def test_all_of_their_sets_but_one(newsgroups_data):
    assert len(PANELS) == 14
    small = [panel for panel in PANELS if panel.table not in ("adult", "optdigits")]
    for panel in small:
        problem = Problem.of(panel, uci.load_uci(panel.table))
        assert set(problem.labels) == {0, 1}
        assert (problem.n_categories is None) == (panel.kind == "continuous")
    lenses = Problem.of(NAMED["lenses"], uci.load_uci("lenses"))
    assert np.bincount(lenses.labels).tolist() == [4, 5]


def test_the_table_and_the_same_seed(results):
    assert results.unique("model") == [
        SHARED,
        LR,
        OWN,
        CATEGORICAL,
        DIFFERENCE,
    ]
    assert len(results) == 4 * 3 * 3 + 4 * 3 * 2 + 2 * 2
    assert (results.column("accuracy")[: 4 * 3 * 5] > 0.4).all()
    panels = (Panel("first", "adult", "continuous"), Panel("second", "adult", "discrete"))
    again = measure(Settings(splits=4, n_sizes=3, panels=panels), Run(Data(), n_jobs=1))
    same = [{**row, "seconds": 0} for row in again.rows]
    assert same == [{**row, "seconds": 0} for row in results.rows]


def test_figures_are_drawn_from_the_table(results, tmp_path):
    results.write(tmp_path / "uci.csv")
    curves, winners = draw(Results.read(tmp_path / "uci.csv"))
    assert (curves.stem, winners.stem) == ("uci-curves", "uci-winners")
    assert [ax.get_title() for ax in curves.figure.axes][:2] == ["first", "second"]
    legend = [text.get_text() for text in curves.figure.axes[2].get_legend().get_texts()]
    assert legend == [SHARED, CATEGORICAL, LR, OWN]
    assert [label.get_text() for label in winners.figure.axes[0].get_yticklabels()] == [
        *("first", "second"),
    ]


def made_up(accuracies):
    """Return a table of sets with these accuracies: naive Bayes and LR, small, middle, large."""
    results = Results("uci")
    for dataset, (naive, line) in accuracies.items():
        for seed in range(3):
            for size, *pair in zip((5, 10, 20), naive, line, strict=True):
                for model, accuracy in zip((CATEGORICAL, LR), pair, strict=True):
                    noise = 0.0002 * size * seed * (model == LR)
                    results.add(
                        model=model,
                        dataset=dataset,
                        size=size,
                        seed=seed,
                        accuracy=accuracy + noise,
                    )
    add_winners(results)
    return results


def test_who_wins_is_judged_set_by_set():
    results = made_up(
        {
            "overtaken": ((0.7, 0.8, 0.8), (0.6, 0.7, 0.9)),
            "never": ((0.7, 0.8, 0.9), (0.6, 0.7, 0.8)),
            "level": ((0.7, 0.7, 0.7), (0.699, 0.699, 0.699)),
        }
    )
    table = results.where(model=DIFFERENCE)
    assert table.where(place="smallest").column("ahead").tolist() == [
        *("naive Bayes", "naive Bayes", "level"),
    ]
    assert table.where(place="largest").column("ahead").tolist() == [
        *("logistic regression", "naive Bayes", "level"),
    ]
    assert table.where(dataset="never", place="largest").column("difference")[0] < 0
    sooner, small, large, overtaken = judge(results)
    assert [f.verdict for f in (sooner, small, large, overtaken)] == [
        *("not borne out", "borne out", "borne out", "not borne out"),
    ]
    assert "in 1 of 3 UCI sets; both alike: never, level" in sooner.number
    assert small.number == "in 2 of 3 UCI sets; level: level"
    assert large.number == "in 2 of 3 UCI sets, ahead in 1; level: level; naive Bayes ahead: never"
    found, crossed = overtaken.number.splitlines()
    assert found == "in 1 of 3 UCI sets: overtaken"
    assert crossed.startswith("overtaken: logistic regression from 14")


def test_without_the_data_the_experiment_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("WORDODDS_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(DatasetUnavailable, match=r"pima.dat was not found in .*Set WORDODDS_DATA"):
        EXPERIMENT.run(RUN)
