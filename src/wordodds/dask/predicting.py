"""Label a collection that lies on a cluster, or that its workers can read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeVar, cast, overload

from wordodds.dask.cluster import Work, client_of, identity, quietly
from wordodds.dask.partitions import Partitions, partitions_of
from wordodds.dask.scoring import (
    ModelFile,
    Wanted,
    label_batch,
    label_file,
    label_frame,
    label_rows,
    model_file_of,
)

if TYPE_CHECKING:
    import pandas
    from dask.bag import Bag
    from dask.dataframe import DataFrame
    from dask.delayed import Delayed
    from distributed import Client, Future

    from wordodds.classifier import TextClassifier
    from wordodds.dask.partitions import DaskCollection
    from wordodds.model import LinearModel

    Path: TypeAlias = str | os.PathLike[str]
    Model: TypeAlias = TextClassifier | LinearModel | Path
    Lazy = TypeVar("Lazy", Bag, DataFrame)

__all__ = ["predict"]


@overload
def predict(
    model: Model,
    collection: Path | Sequence[Path],
    *,
    text: str = ...,
    client: Client | None = ...,
    proba: bool = ...,
    output: Path,
) -> list[str]: ...
@overload
def predict(
    model: Model,
    collection: Sequence[Delayed | Future],
    *,
    text: str = ...,
    client: Client | None = ...,
    proba: bool = ...,
    output: None = ...,
) -> list[Delayed]: ...
@overload
def predict(
    model: Model,
    collection: Lazy,
    *,
    text: str = ...,
    client: Client | None = ...,
    proba: bool = ...,
    output: None = ...,
) -> Lazy: ...
def predict(
    model: Model,
    collection: DaskCollection,
    *,
    text: str = "text",
    client: Client | None = None,
    proba: bool = False,
    output: str | os.PathLike[str] | None = None,
) -> Bag | DataFrame | list[Delayed] | list[str]:
    """Label texts on the workers of a Dask cluster.

    The model's file travels to each worker once, and each process maps it once. Collections are
    labelled when the result is computed; files are labelled at once.

    Parameters
    ----------
    model : TextClassifier, LinearModel or path
        The fitted model, or its file.
    collection : Dask bag, Dask dataframe, list of delayed objects or futures, path, glob or list \
of paths
        A bag of texts or of mappings; a dataframe; objects that give Arrow record batches or
        tables; or files that workers can read.
    text : str
        Name of the column, or key of the mappings, that holds the texts.
    client : distributed.Client or None
        Client of the cluster; None: the current one.
    proba : bool
        Whether to add the probability of each label.
    output : path or None
        For files, and only for them: the folder where workers write a file of labels for each, of
        the same name and format.

    Returns
    -------
    Dask bag, Dask dataframe, list of delayed objects, or list of str
        What was given: a bag of labels, or of pairs (label, probability); a dataframe of the same
        index with the columns "label" and, with ``proba``, "probability"; delayed record batches of
        these columns; or the paths of the files written.

    Examples
    --------
    >>> import dask.bag, distributed, wordodds, wordodds.dask
    >>> texts = ["free money now", "cheap money", "see you at lunch", "lunch with you"]
    >>> classifier = wordodds.TextClassifier().fit(texts, ["spam", "spam", "ham", "ham"])
    >>> with distributed.Client(processes=False, dashboard_address=":0") as client:
    ...     bag = dask.bag.from_sequence(["money for lunch money", "see you"], npartitions=2)
    ...     wordodds.dask.predict(classifier, bag).compute()
    ['spam', 'ham']
    """
    from wordodds.model.output import Output

    linear_model = _linear_model(model)
    Output(linear_model, proba=proba)  # raises what the workers would
    client = client_of(client)
    with Work(client) as work:
        found = partitions_of(collection, work)
        if (found.kind == "files") != (output is not None):
            raise ValueError(
                "files are labelled into a folder of files: pass output="
                if output is None
                else f"output is for files, and the collection is a {found.kind}: leave it out"
            )
        file = model_file_of(linear_model)
        wanted = Wanted(text, proba)
        if output is not None:
            return _write_files(found, os.path.abspath(output), file, wanted, work)
    # Not of the work: it lives as long as the result does.
    with quietly():
        shared = client.submit(identity, file, pure=False)
    return _later(collection, found, shared, _empty_frame(found, file, wanted), wanted)


def _linear_model(model: Model) -> LinearModel:
    from wordodds.model import LinearModel, load

    if isinstance(model, str | os.PathLike):
        return load(model)
    linear_model = getattr(model, "linear_model_", model)
    if not isinstance(linear_model, LinearModel):
        raise TypeError(
            "model must be a fitted TextClassifier, a LinearModel or the path of a model file, got "
            f"{type(model).__name__}"
        )
    return linear_model


def _write_files(
    found: Partitions, output: str, file: ModelFile, wanted: Wanted, work: Work
) -> list[str]:
    targets = _targets(found.names, output)
    shared = work.submit(identity, file)
    tasks = [
        work.submit(label_file, path, target, shared, wanted)
        for path, target in zip(found.names, targets, strict=True)
    ]
    return work.result(tasks)


def _targets(paths: Sequence[str], output: str) -> list[str]:
    """Return where the labels of each file go."""
    from wordodds.corpora import OUTPUT_FORMATS, format_of

    source_of: dict[str, str] = {}
    for path in paths:
        target = os.path.join(output, os.path.basename(path))
        if target in source_of:
            raise ValueError(
                f"{source_of[target]} and {path} would both be labelled into {target}: label them "
                "into two folders"
            )
        if os.path.realpath(target) == os.path.realpath(path):
            raise ValueError(f"output must be another folder than that of {path}")
        if format_of(target) not in OUTPUT_FORMATS:
            raise ValueError(
                f"{path}: the name must tell a format that can be written, one of "
                f"{', '.join(OUTPUT_FORMATS)}"
            )
        source_of[target] = path
    return list(source_of)


def _empty_frame(found: Partitions, file: ModelFile, wanted: Wanted) -> pandas.DataFrame | None:
    """Return a frame without rows that has the columns of the result."""
    if found.kind != "dataframe":
        return None
    import pandas as pd

    return label_frame(pd.DataFrame({wanted.text: []}, dtype=str), "", file, wanted)


def _later(
    collection: DaskCollection,
    found: Partitions,
    shared: Future,
    empty_frame: pandas.DataFrame | None,
    wanted: Wanted,
) -> Bag | DataFrame | list[Delayed]:
    """Return the like of a collection, to be computed."""
    from dask.delayed import delayed

    labels = {"bag": label_rows, "dataframe": label_frame, "list": label_batch}[found.kind]
    call = delayed(labels, pure=False)
    parts = [
        call(part, name, shared, wanted)
        for part, name in zip(found.parts, found.names, strict=True)
    ]
    if found.kind == "bag":
        from dask.bag import from_delayed

        return from_delayed(parts)
    if found.kind == "dataframe":
        import dask.dataframe

        divisions = cast("DataFrame", collection).divisions
        return dask.dataframe.from_delayed(
            parts, meta=empty_frame, divisions=divisions, verify_meta=False
        )
    return parts
