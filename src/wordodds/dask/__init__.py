"""Corpora larger than a machine: fit and predict on the workers of a Dask cluster.

Needs the extra ``dask``. Workers need the same versions of the package as the client.
"""

from wordodds.dask.fitting import fit
from wordodds.dask.predicting import predict

__all__ = ["fit", "predict"]
