"""What the pages under docs/ say is true: examples, numbers, links, figures."""

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import scipy.sparse as sp

from wordodds.datasets import load_newsgroups

from .markdown import anchors, failures, links

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PROGRAMS = DOCS / "programs"
PAGES = sorted(DOCS.glob("*.md"))
PAGES_WITH_README = [ROOT / "README.md", *PAGES]


def load(program):
    spec = importlib.util.spec_from_file_location(program.stem, program)
    module = importlib.util.module_from_spec(spec)
    sys.modules[program.stem] = module  # the programs import one another
    spec.loader.exec_module(module)
    return module


drawing = load(PROGRAMS / "drawing.py")
NUMBERS = {
    "naive-bayes.md": load(PROGRAMS / "naive_bayes_numbers.py"),
    "logistic-regression.md": load(PROGRAMS / "logistic_regression_numbers.py"),
}
draw_naive_bayes = load(PROGRAMS / "draw_naive_bayes.py")
draw_logistic_regression = load(PROGRAMS / "draw_logistic_regression.py")
draw_text_classifier = load(PROGRAMS / "draw_text_classifier.py")
CORPUS_PROGRAMS = [*NUMBERS.values(), draw_text_classifier]
FIGURES = draw_naive_bayes.FIGURES | draw_logistic_regression.FIGURES | draw_text_classifier.FIGURES
AT_ONCE = [name for name, figure in FIGURES.items() if not figure.takes_corpus]
WITH_CORPUS = [
    name for name, figure in FIGURES.items() if figure.takes_corpus and not figure.shows_time
]


def name_of(path):
    return path.name


@pytest.mark.parametrize("page", [p for p in PAGES if "```python" in p.read_text()], ids=name_of)
def test_examples_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some write files
    assert failures(page.read_text(), page.name) == 0


@pytest.mark.parametrize("page", PAGES_WITH_README, ids=name_of)
def test_links_lead_somewhere(page):
    text = page.read_text()
    for link in links(text):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), f"{page.name} links to {link}"
        if anchor:
            assert anchor in anchors(target.read_text()), f"{page.name} links to {link}"


def test_every_figure_is_drawn_and_shown():
    stored = {path.name for path in (DOCS / "figures").iterdir()}
    shown = {Path(link).name for page in PAGES for link in links(page.read_text())}
    assert set(FIGURES) <= stored <= shown


def check_figure(path):
    assert path.stat().st_size < 150_000
    assert ElementTree.parse(path).getroot().tag == "{http://www.w3.org/2000/svg}svg"


@pytest.mark.parametrize("name", FIGURES)
def test_stored_figures(name):
    check_figure(DOCS / "figures" / name)


@pytest.mark.parametrize("name", AT_ONCE)
def test_figures_without_a_corpus(name, tmp_path):
    check_figure(drawing.draw(FIGURES[name], tmp_path / name))


def test_a_figure_has_the_same_bytes_twice(tmp_path):
    first, second = (drawing.draw(FIGURES["links.svg"], tmp_path / n) for n in ("1", "2"))
    assert first.read_bytes() == second.read_bytes()


def forget_documents():
    """Let the programs read, count and fit anew."""
    for module in CORPUS_PROGRAMS:
        for function in vars(module).values():
            if hasattr(function, "cache_clear"):
                function.cache_clear()


@pytest.fixture
def a_tenth_of_the_documents(newsgroups_data, monkeypatch):
    """Make the programs quick: that they draw is the question, the stored figures are of all."""

    def thin(variant, subset):
        part = load_newsgroups(variant, subset)
        kept = np.arange(0, len(part), 10)
        if hasattr(part, "counts"):
            return replace(part, counts=part.counts[kept], labels=part.labels[kept])
        return replace(part, texts=[part.texts[i] for i in kept], labels=part.labels[kept])

    forget_documents()
    for module in CORPUS_PROGRAMS:
        monkeypatch.setattr(module, "load_newsgroups", thin)
    yield
    forget_documents()


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", WITH_CORPUS)
def test_figures_of_a_corpus(name, a_tenth_of_the_documents, tmp_path):
    check_figure(drawing.draw(FIGURES[name], tmp_path / name))


def test_convergence_figure_of_small_problems(tmp_path):
    """The stored figure is of a large corpus and takes its time."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))
    y = rng.integers(3, size=60)
    solvers = list(draw_logistic_regression.SOLVERS)
    races = [
        draw_logistic_regression.Race("dense", X, y, solvers, 1.0),
        draw_logistic_regression.Race("sparse", sp.csr_array(np.abs(X)), y, solvers, 1.0),
    ]
    small = drawing.Drawing("", lambda: draw_logistic_regression.draw_convergence(races))
    path = drawing.draw(small, tmp_path / "convergence.svg")
    check_figure(path)
    figure = small.make()
    labels = [line.get_label() for line in figure.axes[0].lines]
    assert labels == solvers
    for axes in figure.axes:
        assert len(axes.lines) == len(solvers)
        for line in axes.lines:
            gap = line.get_ydata()
            assert gap[-1] <= 1e-3 * gap[0]


@pytest.mark.exhaustive
@pytest.mark.parametrize("page", NUMBERS)
def test_numbers_from_a_corpus(page, newsgroups_data):
    text = " ".join((DOCS / page).read_text().split())
    absent = [phrase for phrase in NUMBERS[page].phrases() if phrase not in text]
    assert absent == []
