"""Labels as they are spelt in files and shells, matched with the labels of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wordodds._border.labels import with_fasttext_prefix

if TYPE_CHECKING:
    from wordodds.model.linear_model import LinearModel
    from wordodds.typing import Label

__all__ = ["label_of", "labels_like"]


def label_of(model: LinearModel, text: str) -> Label:
    """Return the label of a model that is spelt ``text``; ValueError if there is none."""
    for label in model.labels.tolist():
        if str(label) == text:
            return label
    known = ", ".join(map(str, model.labels[:20].tolist()))
    raise ValueError(f"the model has no label {text!r}; it has {known}")


def labels_like(labels: list[Any], known: list[Any]) -> list[Any]:
    """Return labels of the kind that a model has: in CSV every number is text, in JSON it is not.

    ``known`` are the labels of the model. fastText's files have ``__label__`` before each label,
    which its models may or may not keep.

    Examples
    --------
    >>> labels_like(["1", "2"], [1, 2, 3]), labels_like([1, 4], ["1", "2"])
    ([1, 2], ['1', '4'])
    >>> labels_like(["spam"], ["__label__ham", "__label__spam"])
    ['__label__spam']
    """
    labels = with_fasttext_prefix(labels, known)
    spelt = {str(label): label for label in known}
    kinds = set(map(type, known))
    if set(map(type, labels)) <= kinds:
        return labels
    fallback = str if kinds == {str} else (lambda label: label)
    return [spelt.get(str(label), fallback(label)) for label in labels]
