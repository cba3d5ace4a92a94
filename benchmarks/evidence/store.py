"""The numbers that were measured, by part, set and method: in memory and in a file."""

import json
import os
import platform
import sys
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from .methods import family
from .tables import Found, Numbers

PACKAGES = ("wordodds", "numpy", "scipy", "scikit-learn", "fasttext-numpy2")


class Store:
    """Numbers by part, set and method, in memory and in a JSON file that continues earlier runs.

    Without a `path` they stay in memory; `fresh` ignores what the file contains; the numbers of the
    methods in `again`, with those of their variants, are dropped and measured again.
    """

    def __init__(self, path: Path | None, fresh: bool = False, again: tuple[str, ...] = ()):
        self.path = path
        self.results: dict[str, Found] = {}
        self.failed: list[str] = []
        if path is not None and path.exists() and not fresh:
            self.results = json.loads(path.read_text(encoding="utf-8"))["results"]
        for found in self.results.values():
            for methods in found.values():
                for method in [name for name in methods if family(name) in again]:
                    del methods[method]

    def get(
        self, part: str, name: str, method: str, settings: Numbers, measure: Callable[[], Numbers]
    ) -> Numbers | None:
        """Return the numbers of a method on a set; measure and keep them if they are not there.

        A method that raises is reported and returns None; nothing is kept of it.
        """
        kept = self.results.setdefault(part, {}).setdefault(name, {})
        if method in kept and kept[method]["settings"] == settings:
            return kept[method]
        label, start = f"{part} {name} {method}", time.perf_counter()
        try:
            numbers = measure()
        except Exception as error:  # one peer that fails must not end a run of hours
            self.failed.append(label)
            print(f"{label} failed: {type(error).__name__}: {error}", file=sys.stderr)
            return None
        seconds = time.perf_counter() - start
        print(f"{label}: {seconds:.1f} s", file=sys.stderr, flush=True)
        kept[method] = {"settings": settings, **numbers}
        self.write()
        return kept[method]

    def write(self) -> None:
        """Write the file, if there is one; an interrupt leaves the old one or the new one."""
        if self.path is None:
            return
        text = json.dumps({"machine": machine(), "results": self.results}, indent=1)
        temporary = self.path.with_name(self.path.name + ".tmp")
        temporary.write_text(text + "\n", encoding="utf-8")
        os.replace(temporary, self.path)


def machine() -> Numbers:
    """Return where the last numbers were measured."""

    def version_of(package: str) -> str | None:
        try:
            return version(package)
        except PackageNotFoundError:
            return None

    versions = {package: version_of(package) for package in PACKAGES}
    return {"cores": os.cpu_count(), "python": platform.python_version(), "versions": versions}
