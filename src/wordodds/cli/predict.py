"""``wordodds predict``: a label for each document, batch by batch and in order."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from wordodds._files.progress import progress
from wordodds.cli.argument_types import positive, probability, size
from wordodds.cli.data_options import add_data_options, exit_code, read_options
from wordodds.cli.file_checks import check_model, check_target, not_inside, not_onto
from wordodds.cli.options import (
    Commands,
    UsageError,
    add_json_option,
    add_model_option,
    import_model,
)
from wordodds.cli.pipeline import Step, read_steps, run_pipeline
from wordodds.cli.printing import print_json
from wordodds.corpora import (
    OUTPUT_FORMATS,
    BadRows,
    Batch,
    ReadOptions,
    check_columns,
    check_files,
    corpus_paths,
    corpus_size,
    format_of,
    import_readers,
    input_format,
    open_writer,
)
from wordodds.corpora.arrow import pyarrow_module

if TYPE_CHECKING:
    from wordodds.model.output import Output

__all__ = ["add_parser", "run"]

_PART_SIZE = 10**9
# What the parts of a folder depend on, beside the model and the inputs.
_SHAPING = (
    "format",
    "text_column",
    "no_header",
    "no_quotes",
    "encoding",
    "encoding_errors",
    "empty",
    "on_error",
    "output_format",
    "top",
    "proba",
    "proba_all",
    "threshold",
    "label_column_out",
    "keep",
    "number_rows",
    "batch_size",
)


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "predict",
        help="label the documents of a file or of standard input",
        description="Label documents: one result for each, in their order, in bounded memory. "
        "Reading, scoring and writing go on at the same time.",
    )
    parser.add_argument(
        "data",
        nargs="*",
        help="files, folders, patterns such as 'shards/*.parquet', or - for stdin (default: stdin)",
    )
    add_model_option(parser, "model that labels")
    parser.add_argument(
        "--output",
        default="-",
        metavar="FILE or FOLDER/",
        help="a file, or a folder that gets one or more parts for each input (default: stdout)",
    )
    parser.add_argument(
        "--output-format",
        choices=OUTPUT_FORMATS,
        help="format of the output (default: what its name says; stdout: lines; a folder: as the "
        "input)",
    )
    parser.add_argument(
        "--part-size",
        type=size,
        metavar="SIZE",
        help="size of the text in a part of --output FOLDER/, such as 500MB (default: 1GB)",
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="keep the finished parts of --output FOLDER/ and do the rest. Inputs whose parts are "
        "all finished are not opened; of one that is half done, the finished batches are read "
        "again and dropped",
    )
    parser.add_argument(
        "--top", type=positive, metavar="K", help="the K best labels, each with its probability"
    )
    parser.add_argument("--proba", action="store_true", help="add the probability of the label")
    parser.add_argument(
        "--proba-all", action="store_true", help="add the probability of every label"
    )
    parser.add_argument(
        "--threshold",
        type=probability,
        metavar="P",
        help="no label (null in JSONL and Parquet, else empty) where its probability is below P",
    )
    parser.add_argument(
        "--label-column-out",
        default="label",
        metavar="NAME",
        help="name of the column of labels in the output (default: label)",
    )
    parser.add_argument(
        "--keep", default="", metavar="NAMES", help="columns to hand on, separated by commas"
    )
    parser.add_argument(
        "--number-rows", action="store_true", help="add a column row: the row or line of the input"
    )
    parser.add_argument(
        "--batch-size",
        type=positive,
        metavar="N",
        help="number of documents at a time (default: about 4 MB of text)",
    )
    parser.add_argument(
        "--n-jobs", type=positive, default=None, help="number of threads (default: usable cores)"
    )
    add_json_option(parser, "print one JSON object about the run; needs --output FILE")
    add_data_options(parser, labels=False)
    parser.set_defaults(check=check, prepare=prepare, run=run)


def check(options: argparse.Namespace) -> None:
    """Check what can be known of the command before anything is imported for it."""
    to_folder = _is_folder(options.output)
    if options.json and options.output == "-":
        raise UsageError(
            "--json reports on the run and needs --output FILE; --output-format jsonl is for labels"
        )
    if not to_folder and (options.resume or options.part_size is not None):
        name = "--resume" if options.resume else "--part-size"
        raise UsageError(f"{name} needs parts: pass --output FOLDER/, with a slash if it is new")
    not_onto(options.output, options.model)
    check_model(options.model)
    read_options(options, labels=False)  # an encoding that does not exist
    paths = _paths(options)
    check_files(paths, options.format)
    if to_folder:
        return
    for path in paths:
        not_onto(options.output, path)
        not_inside(options.output, path)
    check_target(options.output)


def prepare(options: argparse.Namespace) -> None:
    """Import what the command needs."""
    import_model(options)
    import wordodds.model.output

    paths = _paths(options)
    import_readers(paths, options.format)
    formats = {options.output_format or format_of(options.output)}
    if _is_folder(options.output):
        import wordodds.cli.parts

        formats = {options.output_format or input_format(path, options.format) for path in paths}
    if "parquet" in formats:
        pyarrow_module("pyarrow.parquet", "writing Parquet")
        # The first array imports pandas, if it is there.
        pyarrow_module("pyarrow", "writing Parquet").array([""])
        import wordodds.corpora.parquet_writer  # noqa: F401
    if formats & {"csv", "tsv"}:
        import csv  # noqa: F401


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    start = time.perf_counter()
    paths = _paths(options)
    reading = read_options(
        options,
        labels=False,
        keep=_kept(options),
        keep_somewhere=len(paths) > 1,
        batch_rows=options.batch_size,
    )
    run_to = _to_folder if _is_folder(options.output) else _to_file
    report, bad_rows = run_to(options, reading, paths)
    seconds = time.perf_counter() - start
    if options.json:
        print_json({**report, "seconds": seconds, "output": options.output})
    elif "parts" in report:
        print(_summary(report, options.output, seconds), file=sys.stderr)
    return exit_code(bad_rows, options)


def _is_folder(output: str) -> bool:
    return output.endswith(os.sep) or os.path.isdir(output)


def _paths(options: argparse.Namespace) -> list[str]:
    return corpus_paths(options.data or ["-"])


def _summary(report: dict[str, Any], folder: str, seconds: float) -> str:
    n, n_parts = report["documents"], report["parts"]
    return (
        f"wordodds: {n:,} document{'s' * (n != 1)} in {n_parts:,} part{'s' * (n_parts != 1)} "
        f"in {folder}, {seconds:.1f} s"
    )


def _to_file(
    options: argparse.Namespace, reading: ReadOptions, paths: list[str]
) -> tuple[dict[str, Any], BadRows]:
    check_columns(paths, reading)
    format = options.output_format or format_of(options.output)
    output = _output(options, {format})
    bad_rows = BadRows()
    n_documents = 0

    def write(scored: Iterator[Step]) -> None:
        nonlocal n_documents
        with open_writer(options.output, output.kinds, format=options.output_format) as writer:
            for result in scored:
                if result.columns is None:
                    bad_rows.join(result.skipped, result.bad_rows, result.empty)
                else:
                    writer.write(result.columns)
                    n_documents += result.n_rows

    is_file = not os.path.exists(options.output) or os.path.isfile(options.output)
    to_file = options.output != "-" and is_file
    _predict(options, reading, dict(enumerate(paths)), {}, output, write, to_file)
    report = {"documents": n_documents, "skipped": bad_rows.count, "empty": bad_rows.empty}
    return report, bad_rows


def _to_folder(
    options: argparse.Namespace, reading: ReadOptions, paths: list[str]
) -> tuple[dict[str, Any], BadRows]:
    from wordodds.cli.journal import Journal, checksum
    from wordodds.cli.parts import check_free, identity, parts_of_inputs, write_parts

    folder = options.output
    inputs = parts_of_inputs(paths, folder, options.format, options.output_format)
    part_size = options.part_size or _PART_SIZE
    shaping = {name: getattr(options, name) for name in _SHAPING}
    run = {
        "model": checksum(options.model),
        "options": {**shaping, "part_size": part_size},
        "inputs": [identity(path) for path in paths],
    }
    journal = Journal(folder, run)
    if options.resume and journal.exists():
        journal.resume(lambda number, part: inputs[number].name(part))
    else:
        check_free(folder, inputs)
    output = _output(options, {parts.format for parts in inputs})
    done = {number: journal.of(number) for number in range(len(paths))}
    rest = {n: paths[n] for n, parts in done.items() if not parts or not parts[-1].last}
    check_columns(paths, reading)
    os.makedirs(folder, exist_ok=True)
    first = {n: sum(part.n_batches for part in parts) for n, parts in done.items()}

    def write(scored: Iterator[Step]) -> None:
        write_parts(scored, folder, inputs, journal, output.kinds, part_size)

    _predict(options, reading, rest, first, output, write, to_file=True)
    bad_rows = BadRows()
    for part in journal.parts:
        bad_rows.join(part.skipped, part.bad_rows, part.empty)
    report = {
        "documents": sum(part.rows for part in journal.parts),
        "skipped": bad_rows.count,
        "empty": bad_rows.empty,
        "parts": len(journal.parts),
    }
    return report, bad_rows


def _output(options: argparse.Namespace, formats: set[str | None]) -> Output:
    """Load the model; return the columns that it is to make, which all formats can hold."""
    from wordodds import load
    from wordodds.model.output import Output, RepeatedColumnError

    model = load(options.model)
    model.n_jobs = options.n_jobs
    try:
        output = Output(
            model,
            keep=_kept(options),
            number_rows=options.number_rows,
            label=options.label_column_out,
            proba=options.proba,
            top=options.top,
            proba_all=options.proba_all,
            threshold=options.threshold,
        )
    except RepeatedColumnError as error:
        raise UsageError(
            f"two columns of the output would be called {error.column!r}: see --label-column-out"
        ) from error
    if "lines" in formats:
        _check_lines(model.labels.tolist(), len(output.kinds))
    return output


def _check_lines(labels: list[Any], n_columns: int) -> None:
    apart = "\n\t" if n_columns > 1 else "\n"
    for label in map(str, labels):
        if any(mark in label for mark in apart):
            raise ValueError(
                f"the label {label!r} does not fit on a line: pass --output-format jsonl"
            )


def _kept(options: argparse.Namespace) -> tuple[str, ...]:
    return tuple(name for name in options.keep.split(",") if name)


def _predict(
    options: argparse.Namespace,
    reading: ReadOptions,
    paths: dict[int, str],
    first: dict[int, int],
    output: Output,
    write: Callable[[Iterator[Step]], None],
    to_file: bool,
) -> None:
    def columns(batch: Batch) -> dict[str, Any]:
        numbers = {"row": list(batch.rows)} if options.number_rows else {}
        return {**numbers, **batch.extra, **output.lists(batch.texts)}

    steps = read_steps(paths, reading, options.on_error == "skip", first)
    names = list(paths.values())
    hidden = options.output == "-" and sys.stdout.isatty()
    total = corpus_size(names) if names else 0
    with progress("predicting", total, shown=not hidden) as advance:
        run_pipeline(steps, names, columns, write, advance, to_file)
