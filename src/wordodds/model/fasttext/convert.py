"""fastText's classifiers, brought in: E times A, one small row a feature, in the place of both.

With E the input matrix, A the output matrix and f the features of a line, fastText scores::

    A · mean(E[f])  =  mean((E · Aᵀ)[f])

so the embeddings are needed only until they have met A. Where a row of E · Aᵀ would be longer than
one of E, both factors are kept and A is applied once a line.
"""

import os
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np

from wordodds._border.checks import real_number
from wordodds._border.labels import encode_known_labels, with_fasttext_prefix
from wordodds._files.progress import progress
from wordodds.model.errors import ModelFileError, damaged
from wordodds.model.fasttext.file import FastTextFile, read_fasttext
from wordodds.model.fasttext.reading import FastTextReading
from wordodds.model.fasttext.weights import (
    feature_rows,
    is_small,
    n_feature_rows,
    output_columns,
    reading_of,
    rounded,
    without,
)
from wordodds.model.features import TextFeatures
from wordodds.model.linear_model import LinearModel
from wordodds.model.links import LinkName
from wordodds.typing import AnyArray, AnyFloats, Codes, Label, Texts

__all__ = ["from_fasttext"]

_LINKS: dict[tuple[str, str], LinkName] = {
    ("softmax", "fasttext"): "fasttext_softmax",
    ("softmax", "exact"): "softmax",
    ("one-vs-all", "fasttext"): "fasttext_sigmoid",
    ("one-vs-all", "exact"): "sigmoid",
    ("negative sampling", "fasttext"): "fasttext_sigmoid",
    ("negative sampling", "exact"): "sigmoid",
    ("hierarchical softmax", "fasttext"): "fasttext_tree",
    ("hierarchical softmax", "exact"): "softmax",
}


def from_fasttext(
    path: str | os.PathLike[str],
    *,
    rank: Literal["auto", "keep", "collapse"] = "auto",
    dtype: Literal["float32", "float16"] = "float32",
    tolerance: float = 0.0,
    probabilities: Literal["fasttext", "exact"] = "fasttext",
    strip_prefix: str = "",
    texts: Texts | None = None,
    labels: Iterable[Label] | None = None,
    verbose: bool = False,
) -> LinearModel:
    """Return fastText's classifier as a model of ours: the same labels and probabilities.

    fastText need not be installed. Text is read exactly as fastText reads it, but that line breaks,
    which its ``predict`` refuses, are white space here. Probabilities agree with fastText's to
    1e-6 where texts are of usual length: it adds up in float32, and drifts where they are long.

    Parameters
    ----------
    path : str or path
        A supervised model, ``.bin`` or ``.ftz``.
    rank : {"auto", "keep", "collapse"}, default="auto"
        "collapse": a row of weights for each feature, as long as there are labels. "keep": one as
        long as fastText's vectors, and a second factor. "auto": the smaller of the two.
    dtype : {"float32", "float16"}, default="float32"
        Of the weights in a saved file. "float16" rounds them to three digits.
    tolerance : float, default=0.0
        Leave out the weights of subwords and n-grams that cannot move the log-odds between any two
        labels of any text by more than this.
    probabilities : {"fasttext", "exact"}, default="fasttext"
        "fasttext": the numbers that fastText tells, which are 1e-5 too large, and of one-vs-all
        come from a table of 513 sigmoids. "exact": what they stand for.
    strip_prefix : str, default=""
        What to take away from the front of labels, such as ``"__label__"``.
    texts, labels : documents and their labels, or None
        What to measure the difference on that ``dtype`` and ``tolerance`` make; ``source`` of the
        model then tells it under "measured". Labels may be left out, and so may their prefix.
    verbose : bool, default=False
        Whether to show a progress bar, on a terminal.

    Returns
    -------
    LinearModel
        `LinearModel.predict_above` takes the arguments of fastText's ``predict``.

    Raises
    ------
    ModelFileError
        If the file is no supervised model of fastText, or damaged.

    Examples
    --------
    >>> model = from_fasttext("model.bin")  # doctest: +SKIP
    >>> model.save("model.wordodds")  # doctest: +SKIP
    """
    _check_arguments(path, rank, dtype, tolerance, probabilities, strip_prefix)
    if labels is not None and texts is None:
        raise ValueError("labels are for measuring: pass the texts that they are of")
    file = read_fasttext(path)
    name = os.fsdecode(path)
    names = _labels(name, file, strip_prefix)
    outputs = output_columns(name, file)
    with progress("from_fasttext", n_feature_rows(file), "rows", shown=verbose) as advance:
        weights, factor = feature_rows(name, file, outputs, rank, advance)
    reading, weights = reading_of(name, file, weights)
    tree = _tree(name, file.label_counts) if file.loss == "hierarchical softmax" else None

    def model_of(
        reading: FastTextReading, weights: AnyFloats, source: dict[str, Any]
    ) -> LinearModel:
        return LinearModel(
            names,
            weights,
            np.zeros(outputs.shape[1]),
            TextFeatures(analyzer="fasttext", lowercase=False, norm="l1", fasttext=reading),
            link=_LINKS[file.loss, probabilities],
            name="fastText",
            factor=factor,
            tree=tree,
            source=source,
        )

    whole = model_of(reading, weights, _source(file, tolerance))
    if tolerance > 0.0:
        small = is_small(whole, file.loss, tolerance)
        reading, weights = without(name, reading, weights, small)
    model = model_of(reading, rounded(name, weights, dtype), _source(file, tolerance))
    if texts is not None:
        assert model.source is not None
        model.source["measured"] = _measured(whole, model, texts, labels)
    return model


def _check_arguments(
    path: object,
    rank: object,
    dtype: object,
    tolerance: float,
    probabilities: object,
    strip_prefix: object,
) -> None:
    if rank not in ("auto", "keep", "collapse"):
        raise ValueError(f'rank must be "auto", "keep" or "collapse", got {rank!r}')
    if dtype not in ("float32", "float16"):
        raise ValueError(f'dtype must be "float32" or "float16", got {dtype!r}')
    if probabilities not in ("fasttext", "exact"):
        raise ValueError(f'probabilities must be "fasttext" or "exact", got {probabilities!r}')
    real_number(tolerance, "tolerance", 0, wanted="a number >= 0", wrong_type=ValueError)
    if not isinstance(strip_prefix, str):
        raise TypeError(f"strip_prefix must be a str, got {strip_prefix!r}")
    if not isinstance(path, str | bytes | os.PathLike):
        raise TypeError(
            f"path must name a file, got {type(path).__name__}: save the model with save_model, "
            "and pass that path"
        )


def _labels(name: str, file: FastTextFile, strip_prefix: str) -> AnyArray:
    # What is no UTF-8 cannot be told as text.
    labels = [label.decode("utf-8", "backslashreplace") for label in file.labels]
    labels = [label.removeprefix(strip_prefix) for label in labels]
    if len(labels) < 2:
        raise ModelFileError(f"{name} has {len(labels)} labels, and there is nothing to tell apart")
    if len(set(labels)) != len(labels):
        raise ModelFileError(f"{name} has labels that are the same without {strip_prefix!r}")
    longest, total = max(map(len, labels)), sum(map(len, labels))
    if longest * len(labels) > 4 * total + 4096:  # NumPy gives each the room of the longest
        return np.array(labels, dtype=object)
    return np.array(labels)


def _measured(
    whole: LinearModel, model: LinearModel, texts: Texts, labels: Iterable[Label] | None
) -> dict[str, Any]:
    """Return what was lost, by the labels and probabilities of both models."""
    documents = whole.features.documents(texts, None)
    before, after = (one._scorer.scores(documents, None) for one in (whole, model))
    if len(before) == 0:
        raise ValueError("there must be a text to measure on")
    chances = whole._probabilities(before), model._probabilities(after)
    codes = whole._codes(before), model._codes(after)
    facts: dict[str, Any] = {
        "texts": len(before),
        "same_label": int((codes[0] == codes[1]).sum()),
        "largest_difference": float(np.abs(chances[0] - chances[1]).max()),
    }
    if labels is not None:
        spelt = with_fasttext_prefix(labels, whole.labels.tolist())
        right = encode_known_labels(spelt, len(before), whole.labels)
        facts["accuracy"] = float(np.mean(codes[1] == right))
        facts["accuracy_before"] = float(np.mean(codes[0] == right))
    return facts


def _tree(name: str, counts: list[int]) -> Codes:
    """Return the children of each node of fastText's Huffman tree, (n_labels - 1, 2).

    Children below n_labels are labels, others node + n_labels; the root is the last node. Counts
    fall, so that the next leaf is always the last one left.
    """
    n_labels = len(counts)
    unmade = 10**15
    if not all(0 <= count < unmade for count in counts):
        raise damaged(name, "the number of documents of a label is out of range")
    weight = counts + [unmade] * (n_labels - 1)
    children = np.empty((n_labels - 1, 2), dtype=np.int32)
    leaf, node = n_labels - 1, n_labels
    for parent in range(n_labels, 2 * n_labels - 1):
        for side in range(2):
            if leaf >= 0 and weight[leaf] < weight[node]:
                children[parent - n_labels, side] = leaf
                leaf -= 1
            else:
                children[parent - n_labels, side] = node
                node += 1
        left, right = children[parent - n_labels].tolist()
        weight[parent] = weight[left] + weight[right]
    return children


def _source(file: FastTextFile, tolerance: float) -> dict[str, Any]:
    return {
        "format": f"fastText, version {file.version}{', quantised' if file.is_quantised else ''}",
        "bytes": file.n_bytes,
        "loss": file.loss,
        "dimensions": file.dim,
        "words": len(file.words),
        "word_ngrams": file.word_ngrams,
        "subwords": list(file.subwords),
        "buckets": file.n_buckets,
        "buckets_kept": None if file.pruned is None else len(file.pruned),
        "tolerance": float(tolerance),  # NumPy's are no JSON
    }
