"""Draw the figure of text-classifier.md, and print the numbers that the page quotes.

Run ``python docs/programs/draw_text_classifier.py [folder]``. It needs the extra ``plot`` and 20
Newsgroups: from ``WORDODDS_DATA``, the cache folder or a download. The same versions of the
packages draw the same bytes.
"""

from collections.abc import Iterator
from functools import cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from drawing import Drawing, draw_all
from matplotlib.figure import Figure

from wordodds import LinearModel, TextClassifier
from wordodds.datasets import Corpus, load_newsgroups
from wordodds.experiments.style import BLUE, GREEN, GREY, ORANGE
from wordodds.model.calibration import expected_calibration_error
from wordodds.model.calibration.methods import Method

Floats: TypeAlias = npt.NDArray[np.float64]
Codes: TypeAlias = npt.NDArray[np.intp]

CURVES = [
    ("naive_bayes", None, "naive Bayes", ORANGE, "s"),
    ("naive_bayes", "temperature", "naive Bayes, calibrated", BLUE, "o"),
    ("nb_logistic", None, "default, as it is", GREEN, "^"),
]


@cache
def _corpus() -> tuple[Corpus, Corpus]:
    return load_newsgroups("bydate", "train"), load_newsgroups("bydate", "test")


@cache
def _model(kind: str) -> LinearModel:
    train, _ = _corpus()
    return TextClassifier(kind).fit(train.texts, train.labels).linear_model_


@cache
def probabilities(kind: str, method: Method | None) -> tuple[Floats, Codes]:
    """Return the probabilities of the test part, and the right codes.

    With a method, every second test document calibrates the others, and the other way round.
    """
    _, test = _corpus()
    model = _model(kind)
    texts, codes = np.array(test.texts, dtype=object), np.searchsorted(model.labels, test.labels)
    if method is None:
        return model.predict_proba(texts), codes
    proba = np.empty((len(texts), model.n_classes))
    for half in (0, 1):
        calibrated = model.calibrate(texts[half::2], model.labels[codes[half::2]], method)
        proba[1 - half :: 2] = calibrated.predict_proba(texts[1 - half :: 2])
    return proba, codes


def draw_calibration() -> Figure:
    """Draw how often models are right against how sure they are."""
    figure = Figure(figsize=(4.8, 4.2), layout="constrained")
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle=":")
    edges = np.linspace(0.0, 1.0, 11)
    for kind, method, name, colour, marker in CURVES:
        proba, codes = probabilities(kind, method)
        sure, right = proba.max(axis=1), proba.argmax(axis=1) == codes
        bins = np.digitize(sure, edges[1:-1])
        n = np.bincount(bins, minlength=10)
        enough = np.flatnonzero(n >= 20)
        mean_sure = np.array([sure[bins == k].mean() for k in enough])
        share = np.array([right[bins == k].mean() for k in enough])
        deviation = np.sqrt(share * (1.0 - share) / n[enough])
        label = f"{name}: error {expected_calibration_error(proba, codes):.3f}"
        line = {"color": colour, "marker": marker, "markersize": 4, "linewidth": 1.2}
        axes.errorbar(mean_sure, share, deviation, label=label, elinewidth=0.8, capsize=2, **line)
    axes.set(xlabel="probability of the predicted label", ylabel="share that is right")
    axes.set(xlim=(0.0, 1.02), ylim=(0.0, 1.02))
    axes.legend(loc="upper left")
    return figure


def phrases() -> Iterator[str]:
    """Yield phrases of the page, with the numbers computed."""
    methods = (None, "temperature", "platt", "isotonic")
    for kind in ("nb_logistic", "logistic", "naive_bayes", "complement"):
        errors = [expected_calibration_error(*probabilities(kind, method)) for method in methods]
        yield f"| `{kind}` | {' | '.join(f'{error:.3f}' for error in errors)} |"


FIGURES = {
    "calibration.svg": Drawing(
        "How often models are right when they are sure", draw_calibration, takes_corpus=True
    )
}


if __name__ == "__main__":
    draw_all(FIGURES, "text-classifier.md")
    for phrase in phrases():
        print(phrase)
