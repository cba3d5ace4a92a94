"""Models of fastText beside fastText itself: the same labels, the same probabilities to 1e-6.

Two things are left open. Of one-vs-all and negative sampling fastText takes the sigmoid from a
table with 32 steps a unit, so that a score beside the border of a step may get the value of the
step before. And of labels whose probabilities are the same to 1e-6 either may come first.
"""

import functools
import itertools

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import wordodds

from ..model.fasttext.models import LEXICON, fasttext, hand_made, raw_scores, sentences, trained

CLOSE = 1e-6
FLOOR = 1e-5  # fastText adds it to every probability
BESIDE_A_STEP = 1e-4
A_STEP = 0.25 / 32 + CLOSE  # the most that the sigmoid rises from one step to the next
# Of lines of thousands of features fastText's float32 sums lose three digits, most where the same
# row is added over and over. What ours say of them, another test compares with float64.
LONG, LONG_FACTOR = 300, 20.0

TEXTS = [
    *("", " ", "\t \r\x0b\x0c\0 ", "nothing known here", "w1 w2 w3", "w1  w1 w1\t"),
    *("日本 été e\u0301 слово emoji😀 🏳️‍🌈 مرحبا ß ﬁ", "unbekannt😀 unknownß 未知", "\ufeffw1 w2"),
    *("__label__c0", "__label__c0 w1", "w1 __label__zzz w2", "__label__ w3", "w4 w5__label__c1 w6"),
    *("__label", "label__c0 w1", "</s>", "w1 </s> w2 w3", "</s> w1", "w1 </s></s> w2", "</S> w1"),
    *("w1\tw2\x0bw3\x0cw4\rw5\0w6 w7", "\0w1\0\0w2\0", "\rw1\r", "w1\x1cw2\x1dw3 w4\x1f"),
    *("a\xa0b w1\x85w2 w3\u2028w4\u3000w5", "<w1> w2", "< > <> <w1 w1> a<b>c", "<", "<<</s>>>"),
    *("x" * 2000, "日" * 1500 + " w1", "w1" * 700 + " </s>", "a b c d e f g", "W1 W2 ẞ"),
    " ".join(LEXICON),
    " ".join(LEXICON[i * i % len(LEXICON)] for i in range(1500)),
    "w1 " * 100 + "unknown " * 50,
    *(text for _, text in sentences(15, 20, seed=1)),
]


@pytest.fixture(autouse=True)
def _unsynced(monkeypatch):
    """Spare the disk: nobody needs these files after a crash."""
    monkeypatch.setattr("os.fsync", lambda descriptor: None)


class Answers:
    """What fastText says of some texts: probabilities, labels as columns of ours."""

    def __init__(self, theirs, texts):
        self.labels = list(theirs.get_labels())
        self.texts = texts
        self.slack = np.array([[LONG_FACTOR if len(text) > LONG else 1.0] for text in texts])
        self._place = {label: column for column, label in enumerate(self.labels)}
        found, chances = theirs.predict(texts, k=-1)
        self.told = np.full((len(texts), len(self.labels)), np.nan)  # for labels it leaves out
        for row, columns in enumerate(map(self.columns, found)):
            self.told[row, columns] = chances[row]
        self.first = [columns[0] for columns in map(self.columns, theirs.predict(texts)[0])]
        self.above = {(0.0, None): found}
        for threshold, k in ((0.3, None), (0.05, 3)):
            self.above[threshold, k] = theirs.predict(texts, k=k or -1, threshold=threshold)[0]

    def columns(self, labels):
        return [self._place[label] for label in labels]


def sigmoid_at(step):
    """Return fastText's number for a step of its table, and beyond it."""
    value = 1.0 / (1.0 + np.exp(-(step / 32.0 - 8.0)))
    return np.where(step < 0, 0.0, np.where(step > 512, 1.0, value)) + FLOOR


def beside_a_step(ours, answers):
    """Return which scores lie so close to a step's border that float32 may take either side."""
    texts = answers.texts
    shape = len(texts), len(ours.labels)
    if ours.link != "fasttext_sigmoid":
        return np.zeros(shape, dtype=bool)
    scores = 32.0 * ours.decision_function(texts).reshape(shape)
    return np.abs(scores - np.round(scores)) / 32.0 < BESIDE_A_STEP * answers.slack


def assert_same_probabilities(answers, ours):
    """Return fastText's probabilities, and which of them may be a step away from ours."""
    told, found = answers.told, ours.predict_proba(answers.texts)
    beside = beside_a_step(ours, answers)
    close = np.broadcast_to(CLOSE * answers.slack, told.shape)
    left_out = np.isnan(told)
    if ours.link == "fasttext_tree":
        # fastText never follows a branch of the tree that is less probable than what it adds.
        assert (found[left_out] < FLOOR + close[left_out]).all()
    else:
        assert not left_out.any()
    told = np.where(left_out, found, told)
    apart = np.abs(found - told)
    assert (apart[~beside] <= close[~beside]).all()
    if beside.any():
        border = np.round(32.0 * (ours.decision_function(answers.texts)[beside] + 8.0))
        near = np.minimum(*(np.abs(told[beside] - sigmoid_at(border - i)) for i in (0, 1)))
        assert (near <= CLOSE).all()
        assert (apart[beside] <= A_STEP).all()
    return told, beside


def assert_same_labels(answers, ours, told, beside):
    predicted = answers.columns(ours.predict(answers.texts).tolist())
    for row, (mine, other) in enumerate(zip(predicted, answers.first, strict=True)):
        close = CLOSE * float(answers.slack[row, 0])
        slack = A_STEP if beside[row, [mine, other]].any() else close
        assert mine == other or told[row, mine] >= told[row, other] - slack, (row, mine, other)


def assert_same_above(answers, ours, told, beside, threshold, k):
    """Compare what is above a threshold, label by label, and the order."""
    values = ours.predict_proba(answers.texts)
    found, chances = ours.predict_above(answers.texts, threshold, k)
    for row, (labels, expected) in enumerate(zip(found, answers.above[threshold, k], strict=True)):
        mine = answers.columns(labels)
        assert (chances[row] == values[row, mine]).all()
        if labels == list(expected):
            continue
        other = answers.columns(expected)
        assert (np.diff(chances[row]) <= 0.0).all()
        assert len(set(mine)) == len(mine) <= (k or len(answers.labels))
        least = threshold + FLOOR
        if k and len(other) == k:
            least = max(least, told[row, other].min())
        slack = np.where(beside[row], A_STEP, CLOSE * answers.slack[row])
        if k and beside[row, mine + other].any():
            slack[:] = A_STEP  # the last of k may be the one that moved
        unlike = sorted(set(mine) ^ set(other))
        assert (np.abs(told[row, unlike] - least) <= slack[unlike]).all(), (row, labels)
        falls = told[row, mine[:-1]] - told[row, mine[1:]]
        assert (falls >= -np.maximum(slack[mine[:-1]], slack[mine[1:]])).all(), (row, labels)


def assert_agree(answers, ours):
    assert ours.labels.tolist() == answers.labels
    told, beside = assert_same_probabilities(answers, ours)
    assert_same_labels(answers, ours, told, beside)
    for threshold, k in answers.above:
        assert_same_above(answers, ours, told, beside, threshold, k)


def assert_same_bits(model, other):
    np.testing.assert_array_equal(model.decision_function(TEXTS), other.decision_function(TEXTS))
    np.testing.assert_array_equal(model.predict(TEXTS), other.predict(TEXTS))
    found, expected = model.predict_above(TEXTS, 0.0), other.predict_above(TEXTS, 0.0)
    assert found[0] == expected[0]
    np.testing.assert_array_equal(np.concatenate(found[1]), np.concatenate(expected[1]))


def assert_parity(tmp_path, theirs, path, ranks=("keep", "collapse")):
    answers = Answers(theirs, TEXTS)
    for rank in ranks:
        ours = wordodds.from_fasttext(path, rank=rank)
        assert_agree(answers, ours)
        ours.save(tmp_path / "model.wordodds")
        assert_same_bits(wordodds.load(tmp_path / "model.wordodds"), ours)


def every_model():
    """Yield every kind of model; the quick ones cover each pair of choices."""
    choices = (
        ["softmax", "ova", "hs"],
        [1, 2, 3],
        [(0, 0), (2, 4)],
        [2, 20, 200],
        ["dense", "quantised", "norms", "pruned"],
    )
    places = [range(len(some)) for some in choices]
    for loss, word_ngrams, subwords, n_labels, form in itertools.product(*places):
        is_quick = n_labels == (loss + word_ngrams) % 3 and subwords == (loss + form) % 2
        yield pytest.param(
            choices[0][loss],
            choices[1][word_ngrams],
            choices[2][subwords],
            choices[3][n_labels],
            choices[4][form],
            marks=[] if is_quick else pytest.mark.exhaustive,
        )


def test_quick_models_cover_every_pair_of_choices():
    def pairs(models):
        return {pair for model in models for pair in itertools.combinations(enumerate(model), 2)}

    models = list(every_model())
    assert pairs(model.values for model in models if not model.marks) == pairs(
        model.values for model in models
    )


@pytest.mark.parametrize(("loss", "word_ngrams", "subwords", "n_labels", "form"), [*every_model()])
def test_every_model_says_what_fasttext_says(tmp_path, loss, word_ngrams, subwords, n_labels, form):
    # However the rows are stored, both forms of the weights are made of them alike.
    ranks = ("keep", "collapse") if form in ("dense", "pruned") else ("auto",)
    assert_parity(tmp_path, *trained(loss, word_ngrams, subwords, n_labels, form), ranks)


@pytest.mark.parametrize("form", ["dense", "pruned"])
@pytest.mark.parametrize("n_labels", [2, 20])
def test_negative_sampling_is_told_as_one_vs_all(tmp_path, n_labels, form):
    assert_parity(tmp_path, *trained("ns", 2, (2, 4), n_labels, form))


@pytest.mark.parametrize("loss", ["softmax", "ova", "hs", "ns"])
def test_an_output_matrix_that_is_quantised_too(tmp_path, loss):
    assert_parity(tmp_path, *trained(loss, 2, (2, 4), 300, "output"))


HAND_MADE = {
    "version 11": {"version": 11, "subwords": (2, 3), "word_ngrams": 2},
    "no end of sentence": {"words": [b"alpha", b"beta"]},
    "labels with another prefix": {"labels": [b"#a", "#é".encode(), b"#c"], "subwords": (1, 3)},
    "no buckets left": {"form": "pruned", "pruned": [], "word_ngrams": 2},
    "more minimum than maximum": {"subwords": (4, 2), "word_ngrams": 2},
    "subwords from zero": {"subwords": (0, 2)},
    "unordered counts": {"loss": "hs", "n_labels": 7, "counts": [5, 5, 1, 9, 0, 5, 2]},
    "equal counts": {"loss": "hs", "n_labels": 6, "counts": [3] * 6},
    "one decision": {"loss": "hs", "n_labels": 2},
    "large scores": {"loss": "ova", "n_labels": 9, "dim": 40, "seed": 3},
    "narrow last part": {"form": "norms", "dim": 7, "subwords": (2, 3), "word_ngrams": 3},
    "quantised output": {"form": "norms", "quantised_output": True, "loss": "ns"},
}


@pytest.mark.parametrize("options", HAND_MADE.values(), ids=HAND_MADE)
def test_files_written_by_hand_are_the_same_to_both(tmp_path, options):
    made = hand_made(**options)
    path = made.write(tmp_path / "model.bin")
    words = [word.decode() for word in (*made.words, *made.labels)]
    texts = [*TEXTS, *words, " ".join(words), " ".join([*words[::-1], "new", *words])]
    texts = [text for text in texts if len(text) < 300]  # longer ones: see below
    theirs = fasttext().load_model(path)
    has_features = [bool(found) for found in theirs.predict(texts)[0]]
    answers = Answers(theirs, [t for t, has in zip(texts, has_features, strict=True) if has])
    for rank in ("keep", "collapse"):
        ours = wordodds.from_fasttext(path, rank=rank)
        # Where fastText finds no feature it tells no label, and neither does `predict_above`.
        assert [bool(found) for found in ours.predict_above(texts, 0.0)[0]] == has_features
        assert_agree(answers, ours)


def test_lines_so_long_that_fasttext_rounds(tmp_path):
    """fastText adds up in float32: equal numbers, all rounded the same way, drift."""
    made = hand_made(n_labels=2, word_ngrams=2)
    path = made.write(tmp_path / "model.bin")
    ours, theirs = wordodds.from_fasttext(path), fasttext().load_model(path)
    texts = ["alpha " * 9000, "alpha new " * 3000, "beta alpha gamma " * 2000, *TEXTS]
    exact = np.exp(raw_scores(made, texts))
    exact /= exact.sum(axis=1, keepdims=True)
    found = ours.predict_proba(texts)
    np.testing.assert_allclose(found, exact + FLOOR, atol=1e-7)
    np.testing.assert_allclose(found, Answers(theirs, texts).told, atol=1e-4)


def test_a_line_break_is_white_space():
    theirs, path = trained("softmax", 2, (2, 4), 20)
    ours = wordodds.from_fasttext(path)
    texts = ["w1\nw2 w3", "\nw1\n\n日本\n", "w1\r\nw2", "\n"]
    with pytest.raises(ValueError, match="one line at a time"):
        theirs.predict(texts)
    spaced = [text.replace("\n", " ") for text in texts]
    np.testing.assert_array_equal(ours.predict_proba(texts), ours.predict_proba(spaced))
    assert_agree(Answers(theirs, spaced), ours)


SHAPES = [("softmax", 2), ("softmax", 20), ("ova", 200), ("hs", 20)]


@functools.cache
def ours_of(loss, n_labels, rank, form="dense"):
    return wordodds.from_fasttext(trained(loss, 3, (2, 4), n_labels, form)[1], rank=rank)


@pytest.mark.parametrize("rank", ["keep", "collapse"])
@pytest.mark.parametrize("shape", SHAPES)
def test_every_kind_of_column_gives_the_same_bits(shape, rank):
    model = ours_of(*shape, rank)
    expected = model.predict_proba(TEXTS)
    for column in (
        tuple(TEXTS),
        (text for text in TEXTS),
        np.array(TEXTS, dtype=object),
        [text.encode() for text in TEXTS],
        pa.array(TEXTS),
        pa.array(TEXTS, pa.large_string()),
        pa.chunked_array([TEXTS[:3], TEXTS[3:]]),
        pl.Series(TEXTS),
    ):
        np.testing.assert_array_equal(model.predict_proba(column), expected)
    one_by_one = np.concatenate([model.predict_proba([text]) for text in TEXTS])
    np.testing.assert_array_equal(one_by_one, expected)


@pytest.mark.parametrize("rank", ["keep", "collapse"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("form", ["dense", "pruned"])
def test_same_bits_for_any_thread_count_and_instruction_set(
    monkeypatch, instruction_set, shape, form, rank
):
    model = ours_of(*shape, rank, form)
    texts = TEXTS * 8
    for n_jobs in (1, 3):
        monkeypatch.setattr(model, "n_jobs", n_jobs)
        found = model.decision_function(texts)
        expected = EXPECTED.setdefault((shape, form, rank), found)  # of whatever came first
        np.testing.assert_array_equal(found, expected)


EXPECTED = {}


@pytest.mark.parametrize("form", ["dense", "norms", "pruned"])
@pytest.mark.parametrize("loss", ["softmax", "ova"])
def test_explanations_sum_to_fasttexts_log_odds(loss, form):
    theirs, path = trained(loss, 2, (2, 4), 20, form)
    ours = wordodds.from_fasttext(path)
    texts = ["w1 日本 unbekannt😀", "w1 </s> w2", "__label__c0 w7 wörter3", ""]
    labels = ours.labels.tolist()
    told = Answers(theirs, texts).told - FLOOR
    for text, chances in zip(texts, told, strict=True):
        if loss == "softmax":
            explanation = ours.explain(text, labels[3], labels[5])
            expected, slack = np.log(chances[3] / chances[5]), 1e-4
        else:
            explanation = ours.explain(text, labels[3])
            expected = np.log(chances[3] / (1.0 - chances[3]))
            slack = 1 / 32 + 1e-4  # the table's steps
        assert explanation.score == pytest.approx(expected, abs=slack)


def test_the_oracle_of_the_tests_without_fasttext_is_fasttext(tmp_path):
    made = hand_made(n_labels=4, word_ngrams=2, subwords=(2, 3), form="pruned")
    theirs = fasttext().load_model(made.write(tmp_path / "model.ftz"))
    texts = [text for text in TEXTS if len(text) < 1000]
    weights = np.exp(raw_scores(made, texts))
    expected = weights / weights.sum(axis=1, keepdims=True) + FLOOR
    np.testing.assert_allclose(Answers(theirs, texts).told, expected, atol=2e-6)
