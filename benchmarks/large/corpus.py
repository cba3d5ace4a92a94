"""A corpus of any size: 20 Newsgroups again and again, with new words all the time.

Each copy has its documents in another order. In one of fifty the letters are exchanged for others,
so that all its words are new: the vocabulary keeps growing, as that of real text does.
"""

import os
import string

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from wordodds.datasets import load_newsgroups

STRANGE = 0.02
ROWS_PER_GROUP = 8192
LETTERS = string.ascii_lowercase


def copies(texts, labels, seed=0):
    """Yield shuffled copies of a corpus, each as (texts, labels), without end."""
    rng = np.random.default_rng(seed)
    while True:
        order = rng.permutation(len(texts)).tolist()
        strange = set(rng.permutation(len(texts))[: int(STRANGE * len(texts))].tolist())
        exchanged = "".join(rng.permutation(list(LETTERS)))
        table = str.maketrans(LETTERS + LETTERS.upper(), exchanged + exchanged.upper())
        yield (
            [texts[i].translate(table) if i in strange else texts[i] for i in order],
            [labels[i] for i in order],
        )


def two_labels(labels):
    """Return labels of two classes: talk, or anything else."""
    return ["talk" if label.startswith(("talk", "alt", "soc")) else "other" for label in labels]


def write_corpus(folder, n_bytes, *, shard_bytes=256_000_000, seed=0):
    """Write Parquet files with the columns id, text and label; return paths and bytes of text.

    `n_bytes` of text as UTF-8 in all and `shard_bytes` in each file are approximate.
    """
    os.makedirs(folder, exist_ok=True)
    news = load_newsgroups("bydate", "train")
    labels = two_labels(np.asarray(news.labels).tolist())
    size = sum(len(text.encode()) for text in news.texts)
    schema = pa.schema([("id", pa.int64()), ("text", pa.string()), ("label", pa.string())])
    paths, written, row, writer = [], 0, 0, None
    try:
        for some_texts, some_labels in copies(list(news.texts), labels, seed):
            if writer is None:
                paths.append(os.path.join(folder, f"shard-{len(paths):05}.parquet"))
                writer = pq.ParquetWriter(paths[-1], schema, compression="zstd")
            n = min(len(some_texts), 1 + int((n_bytes - written) / size * len(some_texts)))
            ids = np.arange(row, row + n)
            table = pa.table([ids, some_texts[:n], some_labels[:n]], schema=schema)
            writer.write_table(table, row_group_size=ROWS_PER_GROUP)
            row, written = row + n, written + sum(map(len, map(str.encode, some_texts[:n])))
            if written >= min(len(paths) * shard_bytes, n_bytes):
                writer.close()
                writer = None
            if written >= n_bytes:
                return paths, written
    finally:
        if writer is not None:
            writer.close()
