"""What workers do with a model: map its file once a process, and label partitions.

Nothing here imports scikit-learn.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections import OrderedDict
from functools import partial
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from wordodds.dask.partitions import located, texts_of

if TYPE_CHECKING:
    from wordodds.model import LinearModel

__all__ = [
    "ModelFile",
    "Wanted",
    "label_batch",
    "label_file",
    "label_frame",
    "label_rows",
    "model_file_of",
    "model_of",
]

MODELS_KEPT = 4  # by a process; those of the jobs that go on at the same time

_models: OrderedDict[str, LinearModel] = OrderedDict()
_mapping = Lock()


class ModelFile(NamedTuple):
    """A model as it travels."""

    content: bytes
    checksum: str
    callables: dict[str, Any]  # functions of a user, which no file holds


class Wanted(NamedTuple):
    """What is to be found out about texts."""

    text: str  # column or key
    proba: bool


def model_file_of(model: LinearModel) -> ModelFile:
    """Return the file of a model.

    Parameters
    ----------
    model : LinearModel
        Any.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.wordodds")
        model.save(path)
        content = path.read_bytes()
    checksum = hashlib.sha256(content).hexdigest()
    return ModelFile(content, checksum, dict(model.features.callables))


def model_of(file: ModelFile) -> LinearModel:
    """Return the model of a file, which each process maps once.

    Parameters
    ----------
    file : ModelFile
        What `model_file_of` gave.
    """
    from wordodds.model import load

    with _mapping:  # a worker may have several threads
        if file.checksum not in _models:
            with tempfile.NamedTemporaryFile(suffix=".wordodds", dir=_scratch()) as copy:
                copy.write(file.content)
                copy.flush()
                # What is mapped stays so when the name is gone.
                _models[file.checksum] = load(copy.name, callables=file.callables)
            while len(_models) > MODELS_KEPT:
                _models.popitem(last=False)
        _models.move_to_end(file.checksum)
        return _models[file.checksum]


def label_rows(partition: Any, name: str, file: ModelFile, wanted: Wanted) -> list[Any]:
    """Return the label of each row of a bag, or pairs (label, probability).

    Parameters
    ----------
    partition : list of str or of mappings
        Some rows.
    name : str
        Of the partition, for messages.
    file : ModelFile
        Which labels them.
    wanted : Wanted
        What to return.
    """
    columns = _labelled(partition, name, file, wanted)
    labels: list[Any] = columns["label"].tolist()
    if not wanted.proba:
        return labels
    return list(zip(labels, columns["probability"].tolist(), strict=True))


def label_frame(partition: Any, name: str, file: ModelFile, wanted: Wanted) -> Any:
    """Return a pandas frame of labels, and perhaps probabilities, with the index of a frame.

    Parameters
    ----------
    partition : pandas.DataFrame
        With a column of texts.
    name, file, wanted
        As in `label_rows`.
    """
    import pandas as pd

    return pd.DataFrame(_labelled(partition, name, file, wanted), index=partition.index)


def label_batch(partition: Any, name: str, file: ModelFile, wanted: Wanted) -> Any:
    """Return an Arrow record batch of labels, and perhaps probabilities.

    Parameters
    ----------
    partition : pyarrow.RecordBatch or pyarrow.Table
        With a column of texts.
    name, file, wanted
        As in `label_rows`.
    """
    import pyarrow as pa

    columns = _labelled(partition, name, file, wanted)
    arrays = {column: pa.array(values.tolist()) for column, values in columns.items()}
    return pa.RecordBatch.from_pydict(arrays)


def label_file(path: str, target: str, file: ModelFile, wanted: Wanted) -> str:
    """Write the labels of a file to another one, which appears when it is complete.

    Parameters
    ----------
    path : str
        The corpus.
    target : str
        What to write; its folder is made if need be.
    file, wanted
        As in `label_rows`.
    """
    from wordodds.corpora import read, write

    os.makedirs(os.path.dirname(target), exist_ok=True)
    label = partial(model_of(file).predict_stream, text=wanted.text, proba=wanted.proba)
    # A batch without rows tells the columns of a file without rows.
    write(chain(label(read(path, text=wanted.text)), label([[]])), target)
    return target


def _labelled(partition: Any, name: str, file: ModelFile, wanted: Wanted) -> dict[str, Any]:
    model = model_of(file)
    with located(name):
        texts = texts_of(partition, wanted.text)
        if not wanted.proba:
            return {"label": model.predict(texts)}
        found = model.predict_arrow(texts)
    labels = np.array(found.field("label").to_pylist(), dtype=model.labels.dtype)
    return {"label": labels, "probability": found.field("score").to_numpy()}


def _scratch() -> str | None:
    """Return the folder that a worker empties when it ends; None where there is no worker."""
    from distributed import get_worker

    try:
        return str(get_worker().local_directory)
    except ValueError:
        return None
