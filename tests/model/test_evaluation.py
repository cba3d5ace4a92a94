"""Evaluations say what scikit-learn's metrics say, in text that can be read."""

import json
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from wordodds.model.calibration import expected_calibration_error
from wordodds.model.evaluation import LARGEST_MATRIX, encode_true_labels, evaluate
from wordodds.model.evaluation_figure import draw_confusion

GROUPS = [f"talk.politics.group-{k}" for k in range(20)]


def problem(n_classes, n_rows=400, seed=0):
    """Return true codes, predicted codes and the probabilities they come from."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(n_classes, size=n_rows)
    chances = rng.dirichlet(np.ones(n_classes), n_rows)
    chances[np.arange(n_rows), codes] += 0.3
    chances /= chances.sum(axis=1, keepdims=True)
    return codes, chances.argmax(axis=1), chances


@settings(max_examples=25)
@given(st.data())
def test_numbers_are_those_of_scikit_learn(data):
    n_classes = data.draw(st.integers(2, 5))
    code = st.integers(0, n_classes - 1)
    rows = data.draw(st.lists(st.tuples(code, code), min_size=1, max_size=15))
    codes, predicted = np.array(rows).T
    names = [f"class {k}" for k in range(n_classes)]
    found = evaluate(codes, predicted, None, names)
    every = range(n_classes)
    theirs = metrics.classification_report(
        codes, predicted, labels=every, target_names=names, output_dict=True, zero_division=0
    )
    assert found.n == len(rows)
    assert found.accuracy == pytest.approx(metrics.accuracy_score(codes, predicted))
    for label, *numbers in found.classes:
        expected = theirs[label]
        keys = ("precision", "recall", "f1-score", "support")
        assert numbers == pytest.approx([expected[key] for key in keys])
    weighted = [theirs["weighted avg"][key] for key in ("precision", "recall", "f1-score")]
    assert list(found.weighted) == pytest.approx(weighted)
    # Only the classes that occur, which is what scikit-learn does if it is not told any.
    macro = metrics.precision_recall_fscore_support(
        codes, predicted, average="macro", zero_division=0
    )
    assert list(found.macro) == pytest.approx(macro[:3])
    matrix = metrics.confusion_matrix(codes, predicted, labels=every)
    np.testing.assert_array_equal(found.confusion, matrix)
    assert sum(n for _, _, n in found.confusions) == matrix.sum() - matrix.trace()
    counts = [n for _, _, n in found.confusions]
    assert counts == sorted(counts, reverse=True)
    for true, wrong, n in found.confusions:
        assert matrix[names.index(true), names.index(wrong)] == n > 0
        assert true != wrong


def test_numbers_from_probabilities():
    codes, predicted, chances = problem(4)
    chances[0] = [1.0, 0.0, 0.0, 0.0]
    codes[0] = 2  # held impossible
    found = evaluate(codes, predicted, chances, range(4))
    assert found.log_loss == pytest.approx(metrics.log_loss(codes, chances))
    assert found.calibration_error == expected_calibration_error(chances, codes)
    without = evaluate(codes, predicted, None, range(4))
    assert (without.log_loss, without.calibration_error) == (None, None)
    assert "loss" not in str(without)
    assert f"log loss {found.log_loss:.4f}, calibration error" in str(found)


def test_labels_that_the_model_does_not_know_count_as_wrong():
    codes, predicted, chances = problem(3)
    right = np.where(codes == 2, "eggs", np.array(["ham", "spam", ""])[codes]).tolist()
    known = np.array(["ham", "spam"])
    predicted = predicted % 2
    chances = chances[:, :2] / chances[:, :2].sum(axis=1, keepdims=True)
    encoded, unknown = encode_true_labels(right, len(right), known)
    found = evaluate(encoded, predicted, chances, known, unknown)
    # scikit-learn's metrics take labels that were never predicted.
    theirs = metrics.classification_report(
        right, known[predicted], output_dict=True, zero_division=0
    )
    assert found.labels == ["ham", "spam", "eggs"]
    assert found.accuracy == pytest.approx(theirs["accuracy"])
    keys = ("precision", "recall", "f1-score")
    assert list(found.macro) == pytest.approx([theirs["macro avg"][key] for key in keys])
    assert list(found.weighted) == pytest.approx([theirs["weighted avg"][key] for key in keys])
    matrix = metrics.confusion_matrix(right, known[predicted], labels=found.labels)
    np.testing.assert_array_equal(found.confusion, matrix)
    rows = codes < 2
    assert found.log_loss == pytest.approx(metrics.log_loss(codes[rows], chances[rows]))
    # The most probable class of a document with an unknown label is wrong, whatever it is.
    padded = np.hstack([chances, np.zeros((len(codes), 1))])
    assert found.calibration_error == expected_calibration_error(padded, codes)
    assert found.unknown == {"eggs": (codes == 2).sum()}
    assert found.to_dict()["unknown"] == [{"label": "eggs", "n": found.unknown["eggs"]}]
    assert f"(of the {rows.sum()} with a known label)" in str(found)


def test_labels_none_of_which_the_model_knows_are_a_mistake():
    with pytest.raises(ValueError, match="knows none of the labels: got 'x', 'y', it has 1, 2"):
        encode_true_labels(["x", "y", "x"], 3, np.array([1, 2]))


def test_true_labels_of_any_kind():
    known = np.array([1, 2])
    for labels in ([2, 1, 2], np.array([2, 1, 2]), np.array([2.0, 1.0, 2.0])):
        codes, unknown = encode_true_labels(labels, 3, known)
        assert (codes.tolist(), unknown) == ([1, 0, 1], [])
    # A file may spell a label that a model of numbers does not know.
    codes, unknown = encode_true_labels([2, "NA", 9, 9], 4, known)
    assert (codes.tolist(), unknown) == ([1, 3, 2, 2], [9, "NA"])
    with pytest.raises(ValueError, match="label 1 is missing"):
        encode_true_labels([2, None], 2, known)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        encode_true_labels([2], 2, known)


@pytest.mark.parametrize("labels", [GROUPS, np.array(GROUPS), list(range(20)), [True] * 20])
def test_dict_is_json(labels):
    found = evaluate(*problem(20), labels)
    report = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert report["confusion"] == found.confusion.tolist()
    assert [row["label"] for row in report["classes"]] == list(labels)
    assert report["classes"][3]["f1"] == found.classes[3].f1
    assert report["macro"] == found.macro._asdict()
    assert (report["n"], report["accuracy"]) == (400, found.accuracy)
    assert report["confusions"][0]["n"] == found.confusions[0].n


def matrix_of(text, n_classes, n_left):
    """Read the confusion matrix back out of a report."""
    rows = [line.split()[n_left:] for line in text.splitlines()[-n_classes:]]
    return [[0 if cell == "." else int(cell) for cell in row] for row in rows]


def test_text_of_two_classes():
    found = evaluate(*problem(2), ["ham", "spam"])
    lines = str(found).splitlines()
    assert lines[-3].split() == ["true", "\\", "predicted", "ham", "spam"]
    assert matrix_of(str(found), 2, 1) == found.confusion.tolist()
    assert lines[3].split()[0] == "ham"


@pytest.mark.parametrize("n_rows", [400, 20_000])
def test_text_of_twenty_classes(n_rows):
    found = evaluate(*problem(20, n_rows), GROUPS)
    lines = str(found).splitlines()
    assert max(map(len, lines)) <= 120
    assert matrix_of(str(found), 20, 2) == found.confusion.tolist()
    assert lines[-21].split() == ["true", *map(str, range(1, 21))]
    names = [line.split()[0] for line in lines[-20:]]
    assert all(name.rstrip("…") in label for name, label in zip(names, GROUPS, strict=True))
    table = [line.split() for line in lines[3:23]]
    assert [row[0] for row in table] == GROUPS
    assert [row[1] for row in table] == [f"{row.precision:.4f}" for row in found.classes]


def test_text_of_many_classes():
    codes, predicted = (problem(300, 2000, seed)[0] for seed in (0, 1))
    found = evaluate(codes, predicted, None, range(300))
    lines = str(found).splitlines()
    assert max(map(len, lines)) <= 120
    assert "(250 more, of no more support)" in str(found)
    assert lines[-21].split()[-2:] == ["predicted", "documents"]
    assert lines[-20].split() == [str(value) for value in found.confusions[0]]
    right = evaluate(codes, codes, None, range(300))
    assert str(right).endswith("no errors")


def test_names_of_any_kind():
    odd = ["\x1b[31m\n", "x" * 500, "漢字", "\ud800"]
    found = evaluate(*problem(4), odd)
    assert max(map(len, str(found).splitlines())) <= 120
    assert "\x1b" not in str(found)
    str(found).encode()
    page = evaluate(*problem(2), ["<script>", "&"])._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "accuracy" in page


def test_very_many_classes_need_no_matrix():
    n = LARGEST_MATRIX + 1
    found = evaluate([0, n - 1, 5], [0, 0, 7], None, range(n))
    assert found.confusion is None
    assert found.to_dict()["confusion"] is None
    assert found.confusions == ((5, 7, 1), (n - 1, 0, 1))
    assert found.macro.recall == pytest.approx(1 / 4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], [], None, "ab"), "at least one, got 0 and 0"),
        (([0, 1], [0], None, "ab"), "got 2 and 1"),
        (([0, 2], [0, 1], None, "ab"), "codes must be from 0 to 1, got 0 to 2"),
        (([0, 1], [0, -1], None, "ab"), "predicted must be from 0 to 1, got -1 to 0"),
        (([0.5, 1], [0, 1], None, "ab"), "codes must be one column of whole numbers"),
        (([0, 1], [0, 1], [[0.5, 0.5]], "ab"), r"shape \(2, 2\), got \(1, 2\)"),
        (([0], [0], [[np.nan, 1.0]], "ab"), "from 0 to 1"),
        (([0], [0], [[-0.5, 1.0]], "ab"), "from 0 to 1"),
    ],
)
def test_bad_arguments(arguments, message):
    *rest, labels = arguments
    with pytest.raises(ValueError, match=message):
        evaluate(*rest, list(labels))


@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_figure_is_the_same_each_time(kind, tmp_path):
    import matplotlib

    found = evaluate(*problem(3), ["costs $5", "from $5_$ on", "漢字\x00"])
    path = tmp_path / f"matrix.{kind}"
    found.figure(path)
    first = path.read_bytes()
    before = dict(matplotlib.rcParams)
    with matplotlib.rc_context({"font.size": 30.0, "axes.grid": True}):
        found.figure(str(path))
    assert path.read_bytes() == first
    assert dict(matplotlib.rcParams) == before
    if kind == "svg":
        text = "".join(ElementTree.parse(path).getroot().itertext())
        for word in ("from $5_$ on", "漢字", "predicted", str(found.confusion[0, 0])):
            assert word in text


def test_figure_leaves_pyplot_alone(tmp_path):
    program = (
        "import sys; from wordodds.model.evaluation import evaluate; "
        f"evaluate([0, 1], [0, 1], None, ['a', 'b']).figure({str(tmp_path / 'a.svg')!r}); "
        "assert 'matplotlib.pyplot' not in sys.modules; "
        "assert not {'sklearn', 'numba', 'scipy.optimize'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True)


def test_figure_without_matplotlib(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'wordodds\[plot\]'"):
        evaluate([0, 1], [0, 1], None, ["a", "b"]).figure(tmp_path / "matrix.png")
    assert not list(tmp_path.iterdir())


def test_figures_that_cannot_be(tmp_path):
    found = evaluate([0, 1], [0, 1], None, ["a", "b"])
    with pytest.raises(ValueError, match=r"must end in .svg, .png, .pdf, got 'matrix.gif'"):
        found.figure(tmp_path / "matrix.gif")
    with pytest.raises(ValueError, match="at most 100 classes, got 101"):
        draw_confusion(np.eye(101, dtype=np.int64), ["a"] * 101, tmp_path / "matrix.png")
    with pytest.raises(FileNotFoundError):
        found.figure(tmp_path / "absent" / "matrix.svg")
    assert not list(tmp_path.iterdir())


def test_a_figure_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    evaluation = evaluate([0, 1], [0, 1], None, ["a", "b"])
    path = tmp_path / "confusions.svg"
    evaluation.figure(path)
    before = path.read_bytes()

    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("wordodds._files.atomic.os.write", full)
    with pytest.raises(OSError, match="No space left"):
        evaluation.figure(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["confusions.svg"]
