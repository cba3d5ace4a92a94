"""What the pages under docs/ say is true: examples, numbers, links, figures."""

import importlib.util
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from .markdown import anchors, failures, links

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
PAGES_WITH_README = [ROOT / "README.md", *PAGES]


def load(program):
    spec = importlib.util.spec_from_file_location(program.stem, program)
    module = importlib.util.module_from_spec(spec)
    sys.modules[program.stem] = module  # the programs import one another
    spec.loader.exec_module(module)
    return module


naive_bayes_numbers = load(DOCS / "naive_bayes_numbers.py")
draw_naive_bayes = load(DOCS / "draw_naive_bayes.py")
FIGURES = draw_naive_bayes.FIGURES
WITHOUT_CORPUS = [name for name, (_, _, takes_corpus) in FIGURES.items() if not takes_corpus]
WITH_CORPUS = [name for name, (_, _, takes_corpus) in FIGURES.items() if takes_corpus]


def name_of(path):
    return path.name


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_examples_run(page):
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


@pytest.mark.parametrize("name", WITHOUT_CORPUS)
def test_figures_without_a_corpus(name, tmp_path):
    path = draw_naive_bayes.draw(name, tmp_path)
    check_figure(path)
    first = path.read_bytes()
    assert draw_naive_bayes.draw(name, tmp_path).read_bytes() == first


@pytest.mark.parametrize("name", WITH_CORPUS)
def test_figures_of_a_corpus(name, newsgroups_data, tmp_path):
    check_figure(draw_naive_bayes.draw(name, tmp_path))


def test_numbers_from_a_corpus(newsgroups_data):
    page = " ".join((DOCS / "naive-bayes.md").read_text().split())
    absent = [phrase for phrase in naive_bayes_numbers.phrases() if phrase not in page]
    assert absent == []
