"""Equal fits have equal bits: in another process, on other threads, and in model files."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import wordodds

from .repeated_fits import make_corpus

ROOT = Path(__file__).parents[1]


def run(*arguments, n_threads, **options):
    """Run a Python module in a process with another order of sets and another number of threads."""
    variables = {"PYTHONHASHSEED": str(n_threads), "OMP_NUM_THREADS": str(n_threads)}
    # The sums of NumPy's linear algebra depend on its own threads: exact IRLS and discriminants.
    variables |= {"OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-m", *map(str, arguments)],
        check=True,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | variables,
        **options,
    ).stdout


def test_every_estimator_repeats_itself_in_another_process():
    first, second = (json.loads(run("tests.repeated_fits", n_threads=n)) for n in (1, 2))
    assert first == second
    values = {name: getattr(wordodds, name) for name in wordodds.__all__}
    public = {
        name for name, value in values.items() if isinstance(value, type) and hasattr(value, "fit")
    }
    assert {name.split()[0] for name in first} == public


STREAMING = ["--memory", "1GB"]
# Two processes each: the quick tier has a model of each kind, one of them streaming.
QUICK = [("nb_logistic", []), ("naive_bayes", STREAMING)]
OTHERS = [
    *((kind, []) for kind in ("naive_bayes", "logistic", "complement")),
    *((kind, STREAMING) for kind in ("nb_logistic", "logistic", "complement")),
    ("nb_logistic", [*STREAMING, "--n-hashed", "512"]),
    ("logistic", ["--calibrate", "isotonic"]),
]


@pytest.mark.parametrize(
    ("kind", "options"),
    [*QUICK, *(pytest.param(*case, marks=pytest.mark.exhaustive) for case in OTHERS)],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_train_writes_the_same_file_twice(tmp_path, kind, options):
    texts, labels = make_corpus()
    rows = [
        json.dumps({"text": text, "label": f"class {label}"}) + "\n"
        for text, label in zip(texts, labels, strict=True)
    ]
    data = tmp_path / "data.jsonl"
    data.write_text("".join(rows))
    models = [tmp_path / "first.wordodds", tmp_path / "second.wordodds"]
    for n_threads, model in enumerate(models, start=1):
        arguments = ["train", data, "--output", model, "--model", kind, *options]
        run("wordodds", *arguments, n_threads=n_threads)
    assert models[0].read_bytes() == models[1].read_bytes()


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("LogisticRegression", {"solver": "dual", "tol": 1e-2, "max_iter": 1000}),
        ("NBLogisticRegression", {}),
        ("SGDClassifier", {"max_iter": 2, "tol": None}),
    ],
)
def test_another_seed_or_a_generator_gives_other_bits(name, options):
    texts, labels = make_corpus()
    counts = wordodds.CountVectorizer().fit_transform(texts)

    def weights(**seed):
        model = getattr(wordodds, name)(**options, **seed)
        return model.fit(counts, labels).coef_.tobytes()

    assert weights(random_state=None) == weights(random_state=None) == weights()
    assert weights(random_state=1) != weights()
    generator = np.random.default_rng(3)
    first, second = weights(random_state=generator), weights(random_state=generator)
    assert len({first, second, weights()}) == 3
    assert weights(random_state=np.random.default_rng(3)) == first


@pytest.mark.parametrize("method", ["fit", "fit_stream"])
@pytest.mark.parametrize("model", ["nb_logistic", "logistic"])
def test_classifiers_of_text_take_a_generator(model, method):
    texts, labels = make_corpus()
    labels = [f"class {label}" for label in labels]

    def weights(seed):
        # With C nothing is chosen, which takes a seed of its own.
        classifier = wordodds.TextClassifier(model, C=1.0, random_state=seed)
        if method == "fit":
            classifier.fit(texts, labels)
        else:
            classifier.fit_stream([(texts, labels)], memory="8GB", epochs=9)
        return classifier.linear_model_.weights.tobytes()

    generator = np.random.default_rng(3)
    first = weights(generator)
    assert generator.bit_generator.state != np.random.default_rng(3).bit_generator.state
    assert weights(np.random.default_rng(3)) == first
    assert weights(None) == weights(0)
    if (model, method) != ("logistic", "fit"):  # whose solver draws nothing
        assert len({first, weights(generator), weights(None)}) == 3


def test_the_svd_takes_a_generator():
    texts, _ = make_corpus()
    counts = wordodds.CountVectorizer().fit_transform(texts)
    generator = np.random.default_rng(3)
    default, drawn = (
        wordodds.TruncatedSVD(5, random_state=seed).fit(counts).singular_values_
        for seed in (None, generator)
    )
    assert default == pytest.approx(drawn)
    assert generator.random() != np.random.default_rng(3).random()  # it was drawn from
