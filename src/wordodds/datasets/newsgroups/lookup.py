"""The search for a file: the user's folder, the cache, then its publisher."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from wordodds.datasets.download import DatasetUnavailable, cache_folder, data_folder, fetch

__all__ = ["Found", "find_local", "remedy_for", "search"]

FOLDER = "newsgroups"


@dataclass(frozen=True)
class Found:
    """A file that is there, not yet verified."""

    path: Path
    origin: str
    remedy_if_damaged: str

    @property
    def source(self) -> str:
        """The origin of the file in words, without folders of this machine."""
        return f"{self.path.name} from {self.origin}"

    def unusable(self, reason: Exception) -> DatasetUnavailable:
        """Return the error for a file that failed its verification."""
        return DatasetUnavailable(f"{self.path} is damaged: {reason}. {self.remedy_if_damaged}")


def find_local(name: str) -> Found | None:
    """Return the file ``newsgroups/<name>`` of the user's folder, or the cache's, or None."""
    folder = data_folder()
    if folder is not None and (folder / FOLDER / name).is_file():
        remedy = "Replace it by a good copy, or unset WORDODDS_DATA."
        return Found(folder / FOLDER / name, "WORDODDS_DATA", remedy)
    cached = cache_folder() / name
    if cached.is_file():
        return Found(cached, "the cache folder", "Delete it; it will be downloaded again.")
    return None


def remedy_for(names: Sequence[str], other_ways: str) -> str:
    """Return advice for a missing network."""
    wanted = " and ".join(f"{FOLDER}/{name}" for name in names)
    places = " and ".join(str(cache_folder() / name) for name in names)
    files = "file" if len(names) == 1 else "files"
    return (
        f"Set WORDODDS_DATA to a folder that holds {wanted}, or place the {files} at {places}, "
        f"or {other_ways}."
    )


def search(
    name: str,
    url: str,
    *,
    download: bool,
    check: Callable[[Path], None],
    other_ways: str,
) -> Found:
    """Return the file called ``name``, downloaded into the cache if that is allowed and needed.

    ``check`` raises DamagedFileError for a wrong file; such a download never enters the cache.
    """
    found = find_local(name)
    if found is not None:
        return found
    remedy = remedy_for([name], other_ways)
    if not download:
        raise DatasetUnavailable(f"{name} was not found and download=False. {remedy}")
    path = fetch(url, cache_folder() / name, sha256=None, check=check, remedy=remedy)
    return Found(path, url, "Delete it; it will be downloaded again.")
