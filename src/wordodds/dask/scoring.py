"""What a worker does with a model: map its file once per process, and label partitions.

Nothing here imports scikit-learn.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections import OrderedDict
from collections.abc import Callable, Iterable
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from wordodds._border.fork import ForkSafeLock
from wordodds.dask.partitions import located, texts_of

if TYPE_CHECKING:
    import pandas
    import pyarrow

    from wordodds.dask.partitions import Partition
    from wordodds.model import LinearModel
    from wordodds.model.output import Output

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

MODELS_KEPT = 4  # per process, for jobs that run at the same time

_models: OrderedDict[str, LinearModel] = OrderedDict()
_mapping = ForkSafeLock()


class ModelFile(NamedTuple):
    """A model as it travels."""

    content: bytes
    checksum: str
    callables: dict[str, Any]  # a user's functions, which no file holds


class Wanted(NamedTuple):
    """The column or key of the texts, and whether probabilities are wanted."""

    text: str
    proba: bool


def model_file_of(model: LinearModel) -> ModelFile:
    """Return the file of a model."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.wordodds")
        model.save(path)
        content = path.read_bytes()
    checksum = hashlib.sha256(content).hexdigest()
    return ModelFile(content, checksum, dict(model.features.callables))


def model_of(file: ModelFile) -> LinearModel:
    """Return the model of a file, which each process maps once."""
    from wordodds.model import load

    with _mapping:  # a worker may have several threads
        if file.checksum not in _models:
            with tempfile.NamedTemporaryFile(suffix=".wordodds", dir=_scratch()) as copy:
                copy.write(file.content)
                copy.flush()
                # The mapping outlives the name of the file.
                _models[file.checksum] = load(copy.name, callables=file.callables)
            while len(_models) > MODELS_KEPT:
                _models.popitem(last=False)
        _models.move_to_end(file.checksum)
        return _models[file.checksum]


def label_rows(
    partition: Iterable[object], name: str, file: ModelFile, wanted: Wanted
) -> list[Any]:
    """Return the label of each row of a bag, or pairs (label, probability)."""
    labels, *values = _scored(partition, name, file, wanted, lambda output: output.lists).values()
    return list(zip(labels, *values, strict=True)) if values else list(labels)


def label_frame(
    partition: pandas.DataFrame, name: str, file: ModelFile, wanted: Wanted
) -> pandas.DataFrame:
    """Return a pandas frame of labels, and perhaps probabilities, with the index of a frame."""
    import pandas as pd

    columns = _scored(partition, name, file, wanted, lambda output: output.arrays)
    return pd.DataFrame(columns, index=partition.index)


def label_batch(
    partition: pyarrow.RecordBatch | pyarrow.Table, name: str, file: ModelFile, wanted: Wanted
) -> pyarrow.RecordBatch:
    """Return an Arrow record batch of labels, and perhaps probabilities."""
    import pyarrow as pa

    columns = _scored(partition, name, file, wanted, lambda output: output.arrow)
    return pa.RecordBatch.from_pydict(columns)


def label_file(path: str, target: str, file: ModelFile, wanted: Wanted) -> str:
    """Write the labels of a file to another one, which appears when it is complete."""
    from wordodds.corpora import read, write

    os.makedirs(os.path.dirname(target), exist_ok=True)
    label = partial(model_of(file).predict_stream, text=wanted.text, proba=wanted.proba)
    # A batch without rows gives a file without rows its columns.
    write(chain(label(read(path, text=wanted.text)), label([[]])), target)
    return target


def _scored(
    partition: Partition,
    name: str,
    file: ModelFile,
    wanted: Wanted,
    form: Callable[[Output], Callable[[Any], dict[str, Any]]],
) -> dict[str, Any]:
    """Return the columns of a partition in one of the forms that `Output` has."""
    from wordodds.model.output import Output

    output = Output(model_of(file), proba=wanted.proba)
    with located(name):
        return form(output)(texts_of(partition, wanted.text))


def _scratch() -> str | None:
    """Return the folder that a worker empties when it ends; None where there is no worker."""
    from distributed import get_worker

    try:
        return str(get_worker().local_directory)
    except ValueError:
        return None
