"""Labelled documents in memory, divided into those to learn from and those that are held out."""

from __future__ import annotations

import argparse
import time
from typing import Any

from wordodds.cli.data_options import bad_rows_of, load_corpus
from wordodds.cli.hold_out import HoldOut
from wordodds.cli.printing import printable

__all__ = ["LoadedParts", "print_documents"]


class LoadedParts:
    """The documents of a command, read as its options ask for."""

    def __init__(self, options: argparse.Namespace) -> None:
        start = time.perf_counter()
        self.bad_rows = bad_rows_of(options)
        self._corpus = load_corpus(options, self.bad_rows)
        self._seconds = time.perf_counter() - start
        assert self._corpus.labels is not None
        self._hold_out = HoldOut(options)
        parts = self._hold_out.divide(self._corpus.labels)
        self._rows = {name: chosen.nonzero()[0] for name, chosen in parts.items()}
        self._hold_out.check()

    def part(self, name: str) -> tuple[list[str], list[Any]]:
        """Return the texts and labels of "train", "calibrate" or "holdout"."""
        documents = self._corpus.take(self._rows[name].tolist())
        return documents.texts, documents.labels or []

    def n_documents(self, name: str) -> int:
        """Return the number of documents of a part."""
        return len(self._rows[name])

    def report(self) -> dict[str, Any]:
        """Return what is known of the documents before anything is learnt."""
        return {
            "documents": len(self._corpus),
            "skipped": self.bad_rows.count,
            "empty": self.bad_rows.empty,
            "classes": dict(self._hold_out.classes.most_common()),
            "trained_on": self.n_documents("train"),
            "seconds": {"reading": self._seconds},
        }


def print_documents(report: dict[str, Any], how: str) -> None:
    """Print the number of documents, how they were read, and the most frequent classes."""
    classes = report["classes"]
    shown = ", ".join(f"{label} {count:,}" for label, count in list(classes.items())[:5])
    more = f", and {len(classes) - 5} more" if len(classes) > 5 else ""
    print(f"read       {report['documents']:,} documents {how}")
    print(f"classes    {len(classes)}: {printable(shown)}{more}")
