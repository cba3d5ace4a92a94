"""The pieces of benchmarks.evidence, on a few documents."""

import json
import math
import multiprocessing
import types

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
from benchmarks.evidence import __main__ as program
from benchmarks.evidence import draws, measures, methods, tables, unlabelled
from benchmarks.evidence.store import Store
from benchmarks.setup import corpora
from benchmarks.setup.corpora import Split
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import Pipeline
from sklearn.svm import LinearSVC

TOPICS = {
    "food": "apple bread cheese dinner egg fig grape honey",
    "sky": "moon star comet planet orbit sun cloud rocket",
    "sport": "ball goal team match score coach league win",
}


def toy(n_classes=2, n=40, seed=0):
    """Return documents of four words, three of the topic and one of any."""
    rng = np.random.default_rng(seed)
    names = list(TOPICS)[:n_classes]
    every = " ".join(TOPICS.values()).split()

    def part():
        labels = rng.permutation(np.resize(names, n))
        texts = [
            " ".join([*rng.choice(TOPICS[label].split(), 3), rng.choice(every)]) for label in labels
        ]
        return texts, labels

    return Split("toy", *part(), *part())


@pytest.fixture
def one_process(monkeypatch):
    """Tune without processes, which a toy does not need."""
    tuned = methods.tuned
    monkeypatch.setattr(
        methods, "tuned", lambda *args, **options: tuned(*args, **options, n_jobs=1)
    )


@pytest.fixture
def toy_sets(monkeypatch, one_process):
    """Let every name of a set mean the toy."""
    monkeypatch.setattr(corpora, "load", lambda name, limit=None: toy()._replace(name=name))
    caches = measures.counts_of, unlabelled.features_of
    for cached in caches:
        cached.cache_clear()
    yield
    for cached in caches:
        cached.cache_clear()


def test_wilson_interval_solves_its_equation():
    # Its ends are the shares p with (right / n - p)^2 = z^2 p (1 - p) / n.
    z = 1.959963984540054
    for right, n in [(0, 10), (1, 10), (450, 500), (500, 500)]:
        roots = np.roots([1 + z * z / n, -(2 * right / n + z * z / n), (right / n) ** 2])
        np.testing.assert_allclose(tables.wilson_interval(right, n), sorted(roots.real), atol=1e-12)


def test_wilson_interval_by_hand():
    # 8 of 10, z = 2: (0.8 + 0.2 -+ 2 sqrt(0.016 + 0.01)) / 1.4
    low, high = tables.wilson_interval(8, 10, z=2.0)
    assert low == pytest.approx((1 - 2 * math.sqrt(0.026)) / 1.4)
    assert high == pytest.approx((1 + 2 * math.sqrt(0.026)) / 1.4)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.3])
def test_noise_replaces_its_share(share):
    labels = np.repeat(["a", "b", "c", "d"], 5000)
    noisy = draws.with_noise(labels, share)
    # A quarter of the random labels is right by chance.
    assert np.mean(noisy != labels) == pytest.approx(share * 3 / 4, abs=0.01)
    assert set(noisy) == set("abcd")
    np.testing.assert_array_equal(noisy, draws.with_noise(labels, share))
    np.testing.assert_array_equal(labels, np.repeat(["a", "b", "c", "d"], 5000))


def test_noise_draws_exactly_its_share_of_rows():
    # Labels that occur once: a random label is almost never the old one.
    labels = np.arange(10_000)
    changed = [set(np.flatnonzero(draws.with_noise(labels, s) != labels)) for s in (0.1, 0.2)]
    assert 995 <= len(changed[0]) <= 1000
    assert 1990 <= len(changed[1]) <= 2000
    assert len(changed[0] - changed[1]) <= 5


def test_few_of_each_class():
    labels = np.array(["a"] * 50 + ["b"] * 30 + ["c"] * 5)
    rows = draws.few_of_each(labels, 8, seed=1)
    assert {label: int(np.sum(labels[rows] == label)) for label in "abc"} == {
        "a": 8,
        "b": 8,
        "c": 5,
    }
    assert len(set(rows)) == len(rows)
    assert set(rows) != set(draws.few_of_each(labels, 8, seed=2))


def test_thinned_to_one_in_a_hundred():
    labels = np.array(["rare"] * 300 + ["other"] * 3000)
    assert draws.smaller_class(labels) == "rare"
    for at_least, expected in [(1, 30), (50, 50), (1000, 300)]:
        rows = draws.thinned(labels, "rare", 0, 100, at_least)
        assert int(np.sum(labels[rows] == "rare")) == expected
        assert int(np.sum(labels[rows] == "other")) == 3000


def test_smaller_of_equal_classes_and_of_three():
    assert draws.smaller_class(np.array(["0", "1"])) == "1"
    with pytest.raises(ValueError, match="two classes, got 3"):
        draws.smaller_class(np.array(["0", "1", "2"]))


def test_limit_drops_classes_that_are_too_small():
    split = Split("x", list("uvwxyz"), np.array(list("aaaabb")), list("st"), np.array(["a", "b"]))
    kept = corpora.limited(split, 100)
    assert kept.texts == list("uvwx")
    assert kept.new == ["s"]


def test_reads_files_and_drops_pages_without_text(tmp_path, monkeypatch):
    import gzip

    (tmp_path / "text").mkdir()
    lines = ["train\tfaculty\ta page", "train\tfacult\tfaculty", "test\tcourse\tanother\tpage"]
    content = gzip.compress("\n".join(lines).encode())
    (tmp_path / "text" / "webkb.tsv.gz").write_bytes(content)
    monkeypatch.setenv("WORDODDS_DATA", str(tmp_path))
    texts, labels, new, truth = corpora._read("webkb")
    assert (texts, labels.tolist()) == (["a page"], ["faculty"])
    assert (new, truth.tolist()) == (["another\tpage"], ["course"])


def dense_nbsvm(X, positive, alpha, C, beta):
    """Return NBSVM's weights by the formulas of the paper and a general optimizer."""
    p = alpha + X[positive].sum(axis=0)
    q = alpha + X[~positive].sum(axis=0)
    ratio = np.log((p / np.abs(p).sum()) / (q / np.abs(q).sum()))
    scaled, sign = X * ratio, np.where(positive, 1.0, -1.0)

    def objective(weights):
        slack = np.maximum(0.0, 1.0 - sign * (scaled @ weights))
        gradient = weights - 2 * C * scaled.T @ (sign * slack)
        return weights @ weights / 2 + C * slack @ slack, gradient

    start = np.zeros(X.shape[1])
    options = {"ftol": 1e-15, "gtol": 1e-10, "maxiter": 10_000}
    weights = scipy.optimize.minimize(
        objective, start, jac=True, method="L-BFGS-B", options=options
    ).x
    return ratio * ((1 - beta) * np.abs(weights).sum() / len(weights) + beta * weights)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_nbsvm_is_the_dense_one(n_classes):
    split = toy(n_classes)
    vectorizer = CountVectorizer(ngram_range=(1, 2), binary=True)
    X, Z = vectorizer.fit_transform(split.texts), vectorizer.transform(split.new)
    model = methods.NBSVM(alpha=0.7, C=0.5, beta=0.3, tol=1e-10).fit(X, split.labels)
    classes = np.unique(split.labels)
    positive = classes[1:] if n_classes == 2 else classes
    weights = np.column_stack(
        [dense_nbsvm(X.toarray(), split.labels == label, 0.7, 0.5, 0.3) for label in positive]
    )
    np.testing.assert_allclose(model.weights_, weights, atol=1e-5)
    scores = Z.toarray() @ weights
    scores = np.hstack([-scores, scores]) if n_classes == 2 else scores
    np.testing.assert_array_equal(model.predict(Z), classes[scores.argmax(axis=1)])


def test_counting_once_equals_a_pipeline_from_text(one_process):
    split = toy(3, n=60)
    counts = CountVectorizer(ngram_range=(1, 2)).fit(split.texts + split.new)
    search = methods.tuned("svc", counts.transform(split.texts), split.labels)
    steps = [
        ("tfidf", TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)),
        ("model", LinearSVC(random_state=0)),
    ]
    values = methods.TUNINGS["svc"].values
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    other = GridSearchCV(Pipeline(steps), {"model__C": values}, cv=folds)
    other.fit(split.texts, split.labels)
    means = [found.cv_results_["mean_test_score"] for found in (search, other)]
    np.testing.assert_allclose(*means)
    scores = search.decision_function(counts.transform(split.new))
    np.testing.assert_allclose(scores, other.decision_function(split.new), atol=1e-3)


def test_large_logistic_regression_is_tuned_too(one_process, monkeypatch):
    monkeypatch.setattr(methods, "LARGE", 1)
    outcome = methods.run("lr", toy(3))
    assert list(outcome.chosen) == ["C"]
    np.testing.assert_allclose(outcome.probabilities.sum(axis=1), 1.0)


def test_line_for_fasttext():
    assert methods.fasttext_line("It's\nOK (yes)!") == "it ' s ok ( yes ) !"
    assert "__label__" not in methods.fasttext_line("a __label__1")


def test_fasttext_in_its_process():
    pytest.importorskip("fasttext")
    split = toy(2, n=60)
    others = set(multiprocessing.active_children())  # such as the workers of another test's cluster
    # Without autotune, which may abort or take minutes on a busy machine, whatever it was given.
    outcome = methods.run("fasttext", split, 0)
    assert outcome.probabilities.shape == (60, 2)
    np.testing.assert_allclose(outcome.probabilities.sum(axis=1), 1.0, atol=1e-3)
    assert set(outcome.labels) <= set(split.labels)
    assert outcome.chosen == {}
    assert outcome.seconds > 0.0
    assert set(multiprocessing.active_children()) <= others


class TunedModel:
    """What fastText's Python class shows of the settings that autotune found."""

    def __init__(self):
        self.f = self

    def getArgs(self):
        return types.SimpleNamespace(**dict.fromkeys(methods.FASTTEXT_TUNED, 3))


def test_fasttext_tunes_on_the_held_out_part(tmp_path):
    asked = {}

    def train(**options):
        asked.update(options)
        return TunedModel()

    chosen = methods._fasttext_tuned(train, tmp_path, 5)
    assert chosen == dict.fromkeys(methods.FASTTEXT_TUNED, 3)
    assert asked == {
        "input": str(tmp_path / "fit.txt"),
        "autotuneValidationFile": str(tmp_path / "valid.txt"),
        "autotuneDuration": 5,
    }


def test_calibration_error_only_with_probabilities():
    classes, truth = np.array(["a", "b"]), np.array(["a", "b"])
    chances = np.array([[0.9, 0.1], [0.9, 0.1]])
    outcome = methods.Outcome(truth, classes, chances, 1.0, {})
    assert measures.calibration_error(outcome, truth) == pytest.approx(0.4)
    assert measures.calibration_error(outcome._replace(probabilities=None), truth) is None


def measured(log, value):
    def measure():
        log.append(value)
        return {"value": value}

    return measure


def test_store_continues(tmp_path, capsys):
    path, log = tmp_path / "kept.json", []
    key = ("accuracy", "trec6", "svc")
    store = Store(path)
    assert store.get(*key, {"limit": None}, measured(log, 1))["value"] == 1
    assert store.get(*key, {"limit": None}, measured(log, 2))["value"] == 1
    assert Store(path).get(*key, {"limit": None}, measured(log, 3))["value"] == 1
    assert log == [1]
    # Other settings, --again and --fresh measure again.
    assert Store(path).get(*key, {"limit": 9}, measured(log, 4))["value"] == 4
    again = Store(path, again=("svc",))
    assert again.get(*key, {"limit": 9}, measured(log, 5))["value"] == 5
    fresh = Store(path, fresh=True)
    assert fresh.get(*key, {"limit": 9}, measured(log, 6))["value"] == 6
    kept = json.loads(path.read_text())
    assert kept["results"]["accuracy"]["trec6"]["svc"] == {"settings": {"limit": 9}, "value": 6}
    assert kept["machine"]["versions"]["scikit-learn"]


def test_store_keeps_nothing_of_a_failure(tmp_path, capsys):
    def fails():
        raise RuntimeError("no memory")

    store = Store(tmp_path / "kept.json")
    assert store.get("few", "trec6", "lr", {}, fails) is None
    assert store.failed == ["few trec6 lr"]
    assert "few trec6 lr failed: RuntimeError: no memory" in capsys.readouterr().err
    assert store.get("few", "trec6", "lr", {}, lambda: {"value": 1})["value"] == 1


def test_interrupted_run_continues(tmp_path, capsys, toy_sets, monkeypatch):
    arguments = ["--only", "accuracy", "--sets", "trec6", "--peers", "cnb", "nbsvm"]
    arguments += ["--json", str(tmp_path / "kept.json")]
    ran, run = [], methods.run

    def interrupted(method, split, seconds=60):
        if method == "nbsvm" and split.name != "toy" and "nbsvm" not in ran:
            ran.append(method)
            raise KeyboardInterrupt
        ran.append(method)
        return run(method, split, seconds)

    monkeypatch.setattr(methods, "run", interrupted)
    monkeypatch.setattr(methods, "warm_up", lambda method: None)
    with pytest.raises(KeyboardInterrupt):
        program.main(arguments)
    done = ["wordodds", "wordodds-characters", "cnb", "nbsvm"]
    assert ran == done
    assert program.main(arguments) == 0
    assert ran == [*done, "nbsvm"]
    assert "| NBSVM | " in capsys.readouterr().out


def test_accuracy_table_has_a_row_for_each_method():
    names = program.METHODS["accuracy"]
    numbers = {"right": 9, "n": 10, "calibration_error": None, "seconds": 1.5, "chosen": {"C": 3.0}}
    found = {"one": dict.fromkeys(names, numbers), "two": {"wordodds": numbers}}
    lines = list(tables.accuracy_lines(found, names))
    for method in names:
        assert sum(line.startswith(f"| {tables.TITLES[method]} |") for line in lines) == 3
    row = "| LinearSVC, tuned | 0.9000 | 0.5958 to 0.9821 | - | 1.50 | C=3 |"
    assert row in lines
    assert "| NBSVM | failed | - | - | - |  |" in lines
    parts = "\n".join(lines).strip().split("\n\n")
    assert len(parts) == 3
    for table in parts:
        assert len({line.count("|") for line in table.split("\n")}) == 1


def test_noise_table_has_the_lead_over_the_best_peer():
    found = {
        "one": {
            "wordodds": {"accuracy": [[0.92, 0.88], [0.8, 0.8], [0.7, 0.7]]},
            "svc": {"accuracy": [[0.8, 0.8], [0.82, 0.8], [0.6, 0.6]]},
            "lr": {"accuracy": [[0.85, 0.85], [0.7, 0.7], [0.7, 0.7]]},
        }
    }
    lines = list(tables.noise_lines(found, ["wordodds", "svc", "lr"]))
    assert "| wordodds minus best peer | +0.0500 | -0.0100 | +0.0000 |" in lines


def test_few_table_has_the_mean_over_sets():
    def numbers(value):
        return {"accuracy": [[value, value + 0.2]] * 3}

    found = {"one": {"wordodds": numbers(0.1), "lr": numbers(0.3)}, "two": {"lr": numbers(0.5)}}
    lines = list(tables.few_lines(found, ["wordodds", "lr"]))
    assert "| one | 0.2000 | 0.4000 |" in lines
    assert "| two | - | 0.6000 |" in lines
    assert "| mean | - | 0.5000 |" in lines


@pytest.mark.exhaustive
def test_every_part_runs(capsys, toy_sets):
    parts = ["noise", "few", "imbalance", "contradiction"]
    assert program.main(["--only", *parts, "--peers", "cnb", "lr", "--sets", "sms-spam"]) == 0
    out = capsys.readouterr().out
    assert [f"## {part}" in out for part in parts] == [True] * 4
    assert "| ComplementNB, alpha=1 |" in out
    assert "| rare documents, training + test | 20 + 1 |" in out


def test_seeds_of_a_classifier_that_has_them(capsys, toy_sets, monkeypatch):
    class Seeded:
        def __init__(self, random_state=0):
            self.seed = random_state

        def fit(self, texts, labels):
            self.label = labels[self.seed]
            return self

        def predict(self, texts):
            return np.full(len(texts), self.label)

    monkeypatch.setattr(measures.wordodds, "TextClassifier", Seeded)
    assert program.main(["--only", "seeds", "--sets", "trec6"]) == 0
    assert "| trec6 | 0.5000 | 0.5000 | 0.0000 |" in capsys.readouterr().out


def test_counts_of_use_no_word_of_the_test_part(toy_sets, monkeypatch):
    split = toy()._replace(new=["unseen apple"], truth=np.array(["food"]))
    monkeypatch.setattr(corpora, "load", lambda name, limit=None: split)
    counts, new = measures.counts_of("toy", None)
    assert sp.issparse(counts)
    assert counts.shape[1] == new.shape[1]
    assert new.nnz == 1


def test_em_learns_from_texts_without_labels():
    """By hand: words of a class that only texts without labels share with labelled ones."""
    rng = np.random.default_rng(0)
    kinds = rng.integers(2, size=400)
    words = 10 * kinds[:, np.newaxis] + rng.integers(10, size=(400, 3))
    X = sp.csr_matrix((np.ones(1200), words.ravel(), np.arange(0, 1201, 3)), shape=(400, 20))
    labelled = np.array([np.flatnonzero(kinds == 0)[0], np.flatnonzero(kinds == 1)[0]])
    plain = unlabelled._bayes(X, X, labelled, np.array([0, 1]), 0)
    found = unlabelled._bayes(X, X, labelled, np.array([0, 1]), 6)
    assert np.mean(plain == kinds) < 0.95
    assert np.mean(found == kinds) == 1.0


def test_naive_bayes_is_that_of_scikit_learn():
    rng = np.random.default_rng(1)
    X = sp.csr_matrix(rng.poisson(0.4, (60, 15)).astype(float))
    codes = rng.integers(3, size=20)
    peer = MultinomialNB(alpha=unlabelled.ALPHA).fit(X[:20], codes)
    found = unlabelled._bayes(X, X[20:], np.arange(20), codes, 0)
    np.testing.assert_array_equal(found, peer.predict(X[20:]))
