"""Learning curves: the splits, and the scores against a loop written out with scikit-learn."""

import numpy as np
import pytest
import sklearn.linear_model
import sklearn.metrics
import sklearn.naive_bayes
import sklearn.svm
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.experiments.small import settled

import wordodds
from wordodds.experiments.curves import (
    learning_curve,
    log_loss,
    loss_of,
    nested_order,
    whole_sizes,
)

NAMES = np.array(["x", "y", "z"])


def points(n=300, seed=0):
    rng = np.random.default_rng(seed)
    codes = rng.choice(3, size=n, p=[0.2, 0.3, 0.5])
    return rng.normal(size=(n, 4)) + codes[:, np.newaxis], NAMES[codes]


@pytest.mark.parametrize("n", [7, 20, 60, 299, 300])
def test_every_beginning_has_the_classes_in_proportion(n):
    _, y = points()
    order = nested_order(y, np.random.default_rng(3))
    assert sorted(order) == list(range(300))
    for name in NAMES:
        assert abs(np.sum(y[order[:n]] == name) - n * np.mean(y == name)) <= 1.0


def test_the_order_is_drawn():
    y = np.repeat(NAMES, 50)
    first = {tuple(y[nested_order(y, np.random.default_rng(s))[:3]]) for s in range(40)}
    assert len(first) == 6  # each of the classes once, in all orders
    same = [nested_order(y, np.random.default_rng(1)) for _ in range(2)]
    np.testing.assert_array_equal(*same)


def test_sizes_are_shares_or_numbers():
    assert whole_sizes([1.0, 0.1, 20, 0.1], 90) == [9, 20, 90]


@pytest.mark.parametrize("size", [0, 1, 91, 1.5, 0.001, -0.1])
def test_impossible_sizes_are_refused(size):
    with pytest.raises(ValueError, match="sizes must be whole numbers from 2 to 90"):
        whole_sizes([size], 90)


SEEN = []


class Recorder(ClassifierMixin, BaseEstimator):
    """Writes down what it sees, outside of itself, as it is cloned."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.n_fitted_ = len(X)
        SEEN.append(("fit", X[:, 0].tolist(), y.tolist()))
        return self

    def predict(self, X):
        SEEN.append(("predict", X[:, 0].tolist()))
        return np.full(len(X), self.classes_[0])

    def predict_proba(self, X):
        return np.full((len(X), len(self.classes_)), 1 / len(self.classes_))


def test_one_test_set_and_nested_training_sets():
    _, y = points(100)
    SEEN.clear()
    results = learning_curve({"r": Recorder()}, np.arange(100.0)[:, None], y, [10, 0.5, 1.0], [4])
    fits = [set(call[1]) for call in SEEN if call[0] == "fit"]
    tests = [set(call[1]) for call in SEEN if call[0] == "predict"]
    assert [len(rows) for rows in fits] == results.unique("size") == [10, 45, 90]
    assert fits[0] < fits[1] < fits[2]
    assert tests[0] == tests[1] == tests[2]
    assert len(tests[0]) == 10
    assert fits[2] | tests[0] == set(range(100))
    for call in SEEN:
        if call[0] == "fit":  # labels stay with their rows
            assert call[2] == y[np.array(call[1], dtype=int)].tolist()


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_scores_are_those_of_a_loop_with_scikit_learn(sparse):
    X, y = points()
    X_test, y_test = points(200, seed=1)
    ours = {
        "Gaussian NB": wordodds.GaussianNB(),
        "logistic regression": wordodds.LogisticRegression(tol=1e-8, solver="newton-cg"),
    }
    theirs = {
        "Gaussian NB": sklearn.naive_bayes.GaussianNB(),
        "logistic regression": sklearn.linear_model.LogisticRegression(tol=1e-8, max_iter=1000),
    }
    if sparse:
        del ours["Gaussian NB"], theirs["Gaussian NB"]
    kind = csr_array if sparse else np.asarray
    test = (kind(X_test), y_test)
    results = learning_curve(ours, kind(X), y, [15, 1.0], [0, 5], test=test, experiment="mine")
    assert results.unique("experiment") == ["mine"]
    assert len(results) == 4 * len(ours)
    for row in results.rows:
        order = nested_order(y, np.random.default_rng(row["seed"]))
        model = theirs[row["model"]].fit(X[order[: row["size"]]], y[order[: row["size"]]])
        accuracy = sklearn.metrics.accuracy_score(y_test, model.predict(X_test))
        # Their metric clips probabilities; this is what it says it is.
        of_label = [
            log_proba[model.classes_ == label].item()
            for log_proba, label in zip(model.predict_log_proba(X_test), y_test, strict=True)
        ]
        loss = -np.mean(of_label)
        assert row["accuracy"] == pytest.approx(accuracy)
        assert row["log_loss"] == pytest.approx(loss, rel=1e-4)
        assert row["dims"] == 4
        assert row["seconds"] > 0.0


def test_models_are_cloned_and_solvers_named():
    X, y = points(60)
    regression = wordodds.LogisticRegression(solver="irls")
    models = {
        "alone": regression,
        "pipeline": make_pipeline(StandardScaler(), regression),
        "nb": wordodds.GaussianNB(),
    }
    advanced = []
    results = learning_curve(models, X, y, [1.0], 1, advance=advanced.append)
    assert results.column("solver").tolist() == ["irls", "irls", ""]
    assert advanced == [1, 1, 1]
    assert not hasattr(regression, "coef_")


def test_a_label_never_seen_costs_infinitely_much():
    X, y = points(60)
    known = y != "y"
    model = wordodds.GaussianNB().fit(X[known], y[known])
    assert log_loss(model, X, y) == np.inf
    expected = sklearn.metrics.log_loss(y[known], model.predict_proba(X[known]))
    assert log_loss(model, X[known], y[known]) == pytest.approx(expected)


X20, Y20 = points(20)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"models": {}}, "models must be a dict"),
        ({"models": [wordodds.GaussianNB()]}, "models must be a dict"),
        ({"models": {"scale": StandardScaler()}}, "'scale' has no method predict"),
        ({"X": "free money"}, "X must be a list of texts or a matrix, got one str"),
        ({"y": Y20[:-1]}, "X has 20 rows, y 19"),
        ({"y": [None, *Y20[1:]]}, "label"),
        ({"X": X20[0]}, "X must have two dimensions"),
        ({"X": np.ma.masked_less(X20, 0)}, "masked"),
        ({"test": 1.0}, "test must lie between 0 and 1"),
        ({"test": 0.01}, "leaves no rows to train or to test"),
        ({"test": (X20, Y20, Y20)}, r"test must be a share between 0 and 1, or \(X, y\)"),
        ({"test": (X20, Y20[:1])}, "X has 20 rows, y 1"),
        ({"test": (X20, np.arange(20))}, "are they of one kind"),
        ({"sizes": []}, "at least one number"),
        ({"sizes": [np.nan]}, "got nan"),
        ({"sizes": ["5"]}, "got '5'"),
        ({"seeds": 0}, "seeds must be"),
        ({"seeds": [None]}, "seeds must be"),
        ({"seeds": None}, "seeds must be"),
        ({"seeds": True}, "seeds must be"),
        ({"seeds": [0, 0]}, "seeds must differ"),
        ({"test": None}, "test must be a share between 0 and 1, or"),
        ({"models": {1: wordodds.GaussianNB()}}, "the names of models must be text, got 1"),
        ({"y": np.arange(20) % 2, "test": (X20, ["0", "1"] * 10)}, "are they of one kind"),
    ],
    ids=[str(number) for number in range(24)],
)
def test_bad_arguments_are_named(change, message):
    arguments = {"models": {"nb": wordodds.GaussianNB()}, "X": X20, "y": Y20, **change}
    with pytest.raises(ValueError, match=message):
        learning_curve(**arguments)


@pytest.mark.parametrize("part", ["indptr", "indices"])
@pytest.mark.parametrize("where", ["train", "test"])
def test_a_malformed_matrix_never_reaches_scipy(part, where):
    damaged = csr_array(X20)
    getattr(damaged, part)[3] = 10**6
    rows = {"train": (damaged, 0.1), "test": (X20, (damaged, Y20))}[where]
    with pytest.raises(ValueError, match=part):
        learning_curve({"nb": wordodds.GaussianNB()}, rows[0], Y20, test=rows[1], sizes=[1.0])


def test_seeds_of_numpy_and_classes_in_any_order():
    models = {"nb": wordodds.GaussianNB()}
    results = learning_curve(models, X20, Y20, sizes=[1.0], seeds=np.int64(2))
    assert results.unique("seed") == [0, 1]
    log_proba = np.log([[0.2, 0.3, 0.5]])
    assert loss_of(log_proba, np.array(["z", "x", "y"]), np.array(["x"])) == -np.log(0.3)


def test_a_model_without_probabilities_has_no_log_loss():
    X, y = points(90)
    models = {"svc": sklearn.svm.LinearSVC(), "nb": wordodds.GaussianNB()}
    results = learning_curve(models, X, y, [30, 1.0], 2)
    assert np.isnan(results.where(model="svc").column("log_loss")).all()
    assert np.isfinite(results.where(model="nb").column("log_loss")).all()
    assert (results.where(model="svc").column("accuracy") > 0.4).all()


@pytest.mark.parametrize("kind", [list, tuple, np.asarray], ids=["list", "tuple", "array"])
def test_texts_are_read_by_the_models(kind):
    from sklearn.feature_extraction.text import CountVectorizer

    rng = np.random.default_rng(0)
    y = NAMES[rng.integers(3, size=120)]
    words = {name: [f"{name}{number}" for number in range(30)] for name in NAMES}
    every = [word for own in words.values() for word in own]
    texts = [" ".join([*rng.choice(words[label], 8), *rng.choice(every, 4)]) for label in y]
    models = {
        "ours": wordodds.TextClassifier("naive_bayes"),
        "theirs": make_pipeline(CountVectorizer(), sklearn.naive_bayes.MultinomialNB()),
    }
    results = learning_curve(models, kind(texts), y, [12, 1.0], 2)
    assert results.unique("dims") == [None]
    for seed in (0, 1):
        order = nested_order(y, np.random.default_rng(seed))
        held_out = order[((np.arange(12) + 0.5) * 10).astype(int)]
        pool = np.sort(np.setdiff1d(order, held_out))
        model = models["theirs"].fit([texts[i] for i in pool], y[pool])
        expected = model.score([texts[i] for i in held_out], y[held_out])
        row = results.where(model="theirs", seed=seed, size=108)
        assert row.value("accuracy") == pytest.approx(expected)
    assert (results.where(size=108).column("accuracy") > 0.5).all()


def test_texts_may_be_tested_on_texts_of_their_own():
    texts, y = ["free money", "lunch with you"] * 20, ["spam", "ham"] * 20
    models = {"nb": wordodds.TextClassifier("naive_bayes")}
    test = (["money", "lunch", "free"], ["spam", "ham", "spam"])
    results = learning_curve(models, texts, y, [10, 1.0], 1, test=test)
    assert results.column("accuracy").tolist() == [1.0, 1.0]


def test_texts_may_lack_one_and_come_as_a_column_of_arrow():
    import pyarrow as pa

    texts, y = (
        ["free money", None, "lunch with you", "you"] * 10,
        ["spam", "spam", "ham", "ham"] * 10,
    )
    models = {"nb": wordodds.TextClassifier("naive_bayes", missing="empty")}
    found = [learning_curve(models, X, y, [1.0], 1) for X in (texts, pa.array(texts))]
    assert settled(found[0]) == settled(found[1])
    with pytest.raises((TypeError, ValueError)) as caught:
        learning_curve({"nb": wordodds.TextClassifier("naive_bayes")}, texts, y, [1.0], 1)
    assert "model 'nb', seed 0, 36 training rows of 2 classes" in caught.value.__notes__[0]


def test_a_model_of_margins_has_no_log_loss():
    texts, y = ["free money", "lunch with you"] * 20, ["spam", "ham"] * 20
    models = {"svm": wordodds.TextClassifier(wordodds.SGDClassifier(loss="hinge"))}
    results = learning_curve(models, texts, y, [1.0], 1)
    assert results.column("accuracy").tolist() == [1.0]
    assert results.rows[0]["log_loss"] is None


class Column(wordodds.GaussianNB):
    """Returns its labels as a column, as some libraries do."""

    def predict(self, X):
        return super().predict(X)[:, np.newaxis]


def test_labels_may_come_as_a_column():
    X, y = points(90)
    results = learning_curve({"a": wordodds.GaussianNB(), "b": Column()}, X, y, [1.0], 1)
    one, other = results.column("accuracy")
    assert one == other


def test_a_parameter_called_steps_is_no_pipeline():
    class Steps(wordodds.GaussianNB):
        def __init__(self, steps=3):
            super().__init__()
            self.steps = steps

    X, y = points(60)
    assert len(learning_curve({"steps": Steps()}, X, y, [1.0], 1)) == 1


@pytest.mark.parametrize("seed", range(4))
def test_twenty_rows_of_twenty_classes_have_one_of_each(seed):
    y = np.repeat(np.arange(20), 30)
    SEEN.clear()
    learning_curve({"r": Recorder()}, np.arange(600.0)[:, None], y, [20, 40], [seed])
    for call in SEEN:
        if call[0] == "fit":
            assert np.bincount(call[2]).tolist() == [len(call[2]) // 20] * 20
