"""Fewer columns that say almost as much: the leading singular vectors of a matrix."""

from wordodds.reduce.truncated_svd import TruncatedSVD

__all__ = ["TruncatedSVD"]
