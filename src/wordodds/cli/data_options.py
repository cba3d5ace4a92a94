"""Options of the commands that read documents: how they are read, checked and counted."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from wordodds._files.progress import progress
from wordodds.corpora import (
    FORMATS,
    BadRows,
    Batch,
    ReadOptions,
    check_columns,
    check_files,
    corpus_paths,
    corpus_size,
    import_readers,
    read_corpus,
)

if TYPE_CHECKING:
    from typing import TypedDict, Unpack

    class MoreOptions(TypedDict, total=False):
        """Fields of `ReadOptions` that are no options of every command."""

        keep: tuple[str, ...]
        keep_somewhere: bool
        batch_bytes: int
        batch_rows: int | None


__all__ = [
    "add_data_options",
    "bad_rows_of",
    "check_data",
    "check_data_columns",
    "exit_code",
    "import_data_readers",
    "load_corpus",
    "read_options",
]


def add_data_options(parser: argparse.ArgumentParser, *, labels: bool) -> None:
    """Add the options that say how the data is to be read."""
    group = parser.add_argument_group("reading the data")
    group.add_argument(
        "--format",
        choices=FORMATS,
        help="format of the data (default: what its name says; stdin: lines)",
    )
    group.add_argument("--text-column", metavar="NAME", help="column of texts (default: text)")
    if labels:
        group.add_argument(
            "--label-column", metavar="NAME", help="column of labels (default: label)"
        )
        group.add_argument(
            "--missing-label",
            action="append",
            default=[],
            metavar="VALUE",
            help="label that stands for a missing one, such as NA: rows with it are bad "
            "(repeatable)",
        )
    group.add_argument(
        "--no-header",
        action="store_true",
        help="CSV and TSV without a row of names: columns are called 1, 2, ...; by default the "
        "last is the text" + (" and the first the label" if labels else ""),
    )
    group.add_argument(
        "--no-quotes",
        action="store_true",
        help="CSV and TSV in which double quotes have no special meaning",
    )
    group.add_argument("--encoding", default="utf-8", help="encoding of the text (default: utf-8)")
    group.add_argument(
        "--encoding-errors",
        choices=("strict", "replace", "ignore"),
        default="strict",
        help="what to do with bytes that cannot be decoded (default: strict, the row is bad)",
    )
    group.add_argument(
        "--empty",
        choices=("keep", "skip", "error"),
        default="keep",
        help="what to do with texts that are empty or only white space; error: the row is bad "
        "(default: keep, they are used like others and counted)",
    )
    group.add_argument(
        "--on-error",
        choices=("stop", "skip"),
        default="stop",
        help="what to do with a bad row; skip: exit code 3 if there was one (default: stop)",
    )


def read_options(
    options: argparse.Namespace, *, labels: bool, **more: Unpack[MoreOptions]
) -> ReadOptions:
    """Return what `add_data_options` collected."""
    return ReadOptions(
        format=options.format,
        labels=labels,
        text_column=options.text_column,
        label_column=options.label_column if labels else None,
        header=not options.no_header,
        quotes=not options.no_quotes,
        encoding=options.encoding,
        encoding_errors=options.encoding_errors,
        empty=options.empty,
        missing_labels=tuple(options.missing_label) if labels else (),
        **more,
    )


def check_data(options: argparse.Namespace) -> None:
    """Check that the data is there and has a known format, with nothing imported for it."""
    check_files(corpus_paths(options.data), options.format)
    read_options(options, labels=hasattr(options, "label_column"))  # refuses unknown encodings


def import_data_readers(options: argparse.Namespace) -> None:
    """Import what reads the data."""
    import_readers(corpus_paths(options.data), options.format)


def check_data_columns(options: argparse.Namespace) -> None:
    """Check that every file of labelled documents has the wanted columns."""
    check_columns(corpus_paths(options.data), read_options(options, labels=True))


def bad_rows_of(options: argparse.Namespace) -> BadRows:
    """Return what ``--on-error`` asks for."""
    return BadRows(skip=options.on_error == "skip")


def load_corpus(options: argparse.Namespace, bad_rows: BadRows) -> Batch:
    """Read all rows with their labels, with a progress bar."""
    with progress("reading", corpus_size(options.data)) as advance:
        return read_corpus(options.data, read_options(options, labels=True), bad_rows, advance)


def exit_code(bad_rows: BadRows, options: argparse.Namespace) -> int:
    """Report empty texts, doubtful labels and skipped rows; return the exit code."""
    if bad_rows.empty:
        print(f"wordodds: {_about_empty(bad_rows.empty, options.empty)}", file=sys.stderr)
    # Labels that were passed as missing are not among the rows that are counted here.
    if bad_rows.doubtful and "" not in getattr(options, "missing_label", []):
        print(f"wordodds: warning: {_about_doubtful(bad_rows.doubtful)}", file=sys.stderr)
    if not bad_rows.count:
        return 0
    print(f"wordodds: {bad_rows.summary()}", file=sys.stderr)
    return 3


def _about_empty(n: int, what: str) -> str:
    texts = f"{n:,} empty text{'s' * (n != 1)}"
    if what == "skip":
        return f"skipped {texts}"
    return f"kept {texts}: --empty skip leaves them out, --empty error stops at the first"


def _about_doubtful(doubtful: dict[str, int]) -> str:
    n = sum(doubtful.values())
    labels = ", ".join(f"{label} {count:,}" for label, count in sorted(doubtful.items()))
    rows = "the label of 1 row" if n == 1 else f"the labels of {n:,} rows"
    first = min(doubtful)
    return (
        f"{rows} may mean a missing value, but count as classes: {labels}. Pass --missing-label "
        f"{first} to treat such rows as bad, or --missing-label '' to silence this warning"
    )
