"""Readers and writers of corpora: any format in batches, in order and in bounded memory."""

from wordodds.corpora.read import (
    as_list,
    corpus_size,
    format_of,
    read_batches,
    read_corpus,
)
from wordodds.corpora.records import (
    FORMATS,
    BadRowError,
    BadRows,
    Batch,
    CorpusError,
    ReadOptions,
)
from wordodds.corpora.write import OUTPUT_FORMATS, Writer, open_writer

__all__ = [
    "FORMATS",
    "OUTPUT_FORMATS",
    "BadRowError",
    "BadRows",
    "Batch",
    "CorpusError",
    "ReadOptions",
    "Writer",
    "as_list",
    "corpus_size",
    "format_of",
    "open_writer",
    "read_batches",
    "read_corpus",
]
