"""Compute the numbers that naive-bayes.md quotes from corpora.

Run ``python docs/programs/naive_bayes_numbers.py``: it prints the phrases of the page that contain
them, with the current numbers. It needs 20 Newsgroups: from ``WORDODDS_DATA``, the cache folder or
a download.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from wordodds import CountVectorizer, MultinomialNB
from wordodds.bayes.tally import DENSE_CELLS_MAX, TABLE_CELLS_MAX
from wordodds.datasets import BagOfWords, Corpus, load_newsgroups

Floats: TypeAlias = npt.NDArray[np.float64]

# Openings in languages that no newsgroup of the corpus is written in.
FOREIGN = {
    "French": "Les hommes naissent et demeurent libres et égaux en droits. Les distinctions "
    "sociales ne peuvent être fondées que sur l'utilité commune.",
    "German": "Als Gregor Samsa eines Morgens aus unruhigen Träumen erwachte, fand er sich in "
    "seinem Bett zu einem ungeheueren Ungeziefer verwandelt.",
    "Latin": "Gallia est omnis divisa in partes tres, quarum unam incolunt Belgae, aliam Aquitani, "
    "tertiam qui ipsorum lingua Celtae, nostra Galli appellantur.",
}


@cache
def bag_of_words(subset: str) -> BagOfWords:
    """Return a part of Rennie's bag of words."""
    return load_newsgroups("bydate-matlab", subset)


@cache
def messages(subset: str) -> Corpus:
    """Return a part of the raw messages."""
    return load_newsgroups("bydate", subset)


@cache
def confidence(alpha: float) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return how sure MultinomialNB is on Rennie's test part, and where it is right."""
    train, test = bag_of_words("train"), bag_of_words("test")
    model = MultinomialNB(alpha=alpha).fit(train.counts, train.labels)
    proba = model.predict_proba(test.counts)
    return proba.max(axis=1), model.classes_[proba.argmax(axis=1)] == test.labels


class Outliers(NamedTuple):
    """Bodies of test messages, and log p(x) per trigram of them and of what is made of them."""

    bodies: list[str]
    written: Floats
    backwards: Floats
    other_letters: Floats
    foreign: dict[str, float]


@cache
def outliers() -> Outliers:
    """Return how probable a model of character trigrams finds text of several kinds."""
    train = messages("train")
    vectorizer = CountVectorizer(analyzer="char_wb", ngram_range=(3, 3), min_df=2)
    model = MultinomialNB().fit(vectorizer.fit_transform(train.texts), train.labels)

    def per_trigram(texts: list[str]) -> Floats:
        return _log_marginal_per_token(model, vectorizer.transform(texts))

    bodies = [text.partition("\n\n")[2] for text in messages("test").texts]
    bodies = [body for body in bodies if len(body) >= 200]
    return Outliers(
        bodies,
        per_trigram(bodies),
        per_trigram([_backwards(body) for body in bodies]),
        per_trigram(_other_letters(bodies)),
        dict(zip(FOREIGN, per_trigram(list(FOREIGN.values())).tolist(), strict=True)),
    )


def _log_marginal_per_token(model: MultinomialNB, counts: sp.csr_matrix) -> Floats:
    return np.asarray(model.log_marginal(counts) / np.ravel(counts.sum(axis=1)))


def _backwards(text: str) -> str:
    return " ".join(word[::-1] for word in text.split())


def _other_letters(texts: list[str]) -> list[str]:
    """Replace each letter from a to z by a random one."""
    rng = np.random.default_rng(0)
    result = []
    for text in texts:
        characters = np.array([text]).view(np.uint32)
        lower = characters | 0x20
        letters = (lower >= ord("a")) & (lower <= ord("z"))
        drawn = rng.integers(ord("a"), ord("z") + 1, len(text), dtype=np.uint32)
        result.append(str(np.where(letters, drawn, characters).view(f"<U{len(text)}")[0]))
    return result


def _carries_a_file(text: str) -> bool:
    """Return whether a text has ten full lines of uuencode, quoted or not."""
    return len(re.findall(r"^[> ]*M[ -`]{40,60}\s*$", text, re.MULTILINE)) >= 10


def phrases() -> Iterator[str]:
    """Yield phrases of the page, with the numbers computed; words too where they depend on one."""
    yield f"Above {DENSE_CELLS_MAX / 1e6:.0f} million cells"
    cells = TABLE_CELLS_MAX
    yield f"more than {cells / 1e6:.0f} million cells ({8 * cells / 1e9:.1f} GB)"
    yield from _of_alpha()
    yield from _of_confidence()
    yield from _of_outliers()
    yield from _of_unknown_words()


def _of_alpha() -> Iterator[str]:
    n_train, n_words = bag_of_words("train").counts.shape
    n_test = bag_of_words("test").counts.shape[0]
    yield f"{n_train:,} training and {n_test:,} later test documents, and {n_words:,} words"
    plain = confidence(0.0)[1].sum()
    yield f"of the {n_test:,} test documents of section 7, plain shares get {plain:,} right"
    for name, alpha in [("0", 0.0), (f"1/{n_words}", 1 / n_words), ("0.01", 0.01), ("1", 1.0)]:
        right = confidence(alpha)[1]
        yield f"| {name} | {right.sum():,} | {right.mean():.5f} |"


def _of_confidence() -> Iterator[str]:
    sure, right = confidence(1.0)
    yield f"mean probability of {sure.mean():.3f}, and {right.mean():.3f} of them are right"
    very = sure > 0.99
    yield f"more than 0.99 sure of {_percent(very)} % of the documents, and of those " + (
        f"{_percent(right[very])} % are right"
    )
    more = confidence(0.01)[0].mean() > sure.mean()
    yield f"Smaller values of `alpha` are {'more' if more else 'less'} confident still"
    order = sure.argsort()
    more = right[order[len(order) // 2 :]].mean() > right[order[: len(order) // 2]].mean()
    yield f"predictions made with more confidence are right {'more' if more else 'less'} often"


def _of_outliers() -> Iterator[str]:
    text = outliers()
    yield f"the bodies of the {len(text.bodies):,} test messages with 200 characters or more"
    backwards = _percent(text.backwards < np.quantile(text.written, 0.01))
    yield f"{backwards} of 100 messages with their words backwards are less probable than 99 of 100"
    below = {language: _percent(text.written > value) for language, value in text.foreign.items()}
    yield (
        f"German or Latin is less probable than {min(below['German'], below['Latin'])} of 100 "
        f"messages, one of French than only {below['French']}"
    )
    least = text.written.argsort()
    files = [_carries_a_file(text.bodies[i]) for i in least].index(False)
    number = ["none", "one", "two", "three", "four", "five", "six", "seven"][files]
    yield f"The {number} least probable test messages all carry encoded binary files"


def _of_unknown_words() -> Iterator[str]:
    train = messages("train")
    vectorizer = CountVectorizer(min_df=2, unknown="count")
    model = MultinomialNB().fit(vectorizer.fit_transform(train.texts), train.labels)
    english = _log_marginal_per_token(model, vectorizer.transform(outliers().bodies))
    unknown = _log_marginal_per_token(model, vectorizer.transform(["zzzyx " * 100]))[0]
    more = unknown > np.median(english)
    yield f"words then looks *{'more' if more else 'less'}* probable than English"


def _percent(is_so: npt.NDArray[np.bool_]) -> int:
    return round(100 * float(is_so.mean()))


if __name__ == "__main__":
    for phrase in phrases():
        print(phrase)
