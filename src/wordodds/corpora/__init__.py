"""Readers and writers of corpora: any format in batches, in order and in bounded memory."""

from wordodds._files.overlap import in_background, prefetched
from wordodds.corpora.bad_rows import BadRowError, BadRows, CorpusError
from wordodds.corpora.batch import Batch
from wordodds.corpora.check_inputs import check_columns, check_files, import_readers
from wordodds.corpora.options import FORMATS, ReadOptions
from wordodds.corpora.paths import Source, corpus_paths, may_wait
from wordodds.corpora.read_write import Corpus, read, write
from wordodds.corpora.readers import (
    as_list,
    corpus_size,
    format_of,
    input_format,
    read_batches,
    read_corpus,
)
from wordodds.corpora.writer import OUTPUT_FORMATS, Writer, open_writer

__all__ = [
    "FORMATS",
    "OUTPUT_FORMATS",
    "BadRowError",
    "BadRows",
    "Batch",
    "Corpus",
    "CorpusError",
    "ReadOptions",
    "Source",
    "Writer",
    "as_list",
    "check_columns",
    "check_files",
    "corpus_paths",
    "corpus_size",
    "format_of",
    "import_readers",
    "in_background",
    "input_format",
    "may_wait",
    "open_writer",
    "prefetched",
    "read",
    "read_batches",
    "read_corpus",
    "write",
]
