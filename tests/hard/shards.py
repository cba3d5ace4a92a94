"""The names of the shards and the modules that hold them."""

import importlib

from tests.hard.battery import Shard

__all__ = ["SHARDS", "shard_of"]

# In the order in which a full run takes them.
SHARDS = [
    "csr",
    "model_files",
    "fasttext_files",
    "vectorizers",
    "fuzz",
    "sanitized_extension",
    "sanitized_threads",
    "killed",
    "disk",
    "processes",
    "dask",
    "interrupts",
]


def shard_of(name: str) -> Shard:
    """Import the module of a shard, which is called like it, and return what it runs."""
    module = importlib.import_module(f"tests.hard.{name}")
    return Shard(name, module.run)
