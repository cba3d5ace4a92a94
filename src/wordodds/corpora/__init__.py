"""Readers and writers of corpora: any format in batches, in order and in bounded memory."""

# The names with "as" are for the other packages: they are not part of the public API.
from wordodds._files.overlap import in_background as in_background
from wordodds._files.overlap import prefetched as prefetched
from wordodds.corpora.bad_rows import BadRowError, BadRows, CorpusError
from wordodds.corpora.batch import Batch
from wordodds.corpora.check_inputs import check_columns as check_columns
from wordodds.corpora.check_inputs import check_files as check_files
from wordodds.corpora.check_inputs import import_readers as import_readers
from wordodds.corpora.options import FORMATS as FORMATS
from wordodds.corpora.options import ReadOptions as ReadOptions
from wordodds.corpora.paths import Source
from wordodds.corpora.paths import corpus_paths as corpus_paths
from wordodds.corpora.paths import may_wait as may_wait
from wordodds.corpora.read_write import Corpus, read, write
from wordodds.corpora.readers import as_list as as_list
from wordodds.corpora.readers import corpus_size as corpus_size
from wordodds.corpora.readers import format_of as format_of
from wordodds.corpora.readers import input_format as input_format
from wordodds.corpora.readers import read_batches as read_batches
from wordodds.corpora.readers import read_corpus as read_corpus
from wordodds.corpora.writer import OUTPUT_FORMATS as OUTPUT_FORMATS
from wordodds.corpora.writer import Writer as Writer
from wordodds.corpora.writer import open_writer as open_writer

__all__ = ["BadRowError", "BadRows", "Batch", "Corpus", "CorpusError", "Source", "read", "write"]
