"""The contenders of a job: ours, and peers, which the extra ``bench`` installs.

A contender's name begins with the package that does the work and ends with its threads, if more
than one: "LIBLINEAR -s 7", "scikit-learn, 2 threads". A peer that cannot be imported is left out by
name: its contenders are skipped with the reason, and the summary and the report list it.
"""

import re
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

import pytest

PEER = "scikit-learn"
OURS = ["wordodds, 1 thread", "wordodds, 2 threads"]
TWINS = ["Numba, 1 thread", "Numba, 2 threads"]

# Ours of a job whose peers take too long for the quick form: it shows our time alone.
QUICK_OURS = [pytest.param(name, marks=pytest.mark.quick) for name in OURS]

# The first word of a contender's name: what to import, and what to install.
PACKAGES = {
    "scikit-learn": ("sklearn", "scikit-learn"),
    "SciPy": ("scipy", "scipy"),
    "Numba": ("numba", "numba"),
    "LIBLINEAR": ("liblinear.liblinearutil", "liblinear-official"),
    "fastText": ("fasttext", "fasttext-numpy2"),
    "Vowpal Wabbit": ("vowpalwabbit", "vowpalwabbit"),
}


def threads_of(contender):
    """Return the threads that a contender's name promises; one where it promises nothing."""
    promised = re.search(r", (\d+) threads?$", contender)
    return int(promised[1]) if promised else 1


def is_ours(contender):
    """Return whether a contender is wordodds."""
    return contender in OURS


def is_twin(contender):
    """Return whether a contender is a kernel of ours, written for Numba (numba_twins.py)."""
    return contender in TWINS


def peer_of(contender):
    """Return the name in PACKAGES that a contender's begins with; None for ours."""
    return next((name for name in PACKAGES if contender.startswith(name)), None)


@cache
def available(peer):
    """Return whether a peer can be imported; one whose library does not load cannot."""
    try:
        import_module(PACKAGES[peer][0])
    except (ImportError, OSError):
        return False
    return True


def why_left_out(contender):
    """Return why a contender cannot run; None if it can."""
    peer = peer_of(contender)
    if peer is None or available(peer):
        return None
    return f"{PACKAGES[peer][1]} is not installed: pip install '.[bench]'"


def left_out():
    """Return the peers that cannot be imported, by the names to install."""
    return [package for peer, (_, package) in PACKAGES.items() if not available(peer)]


def versions():
    """Return the version of each package that takes part, ours first."""
    taking_part = [package for peer, (_, package) in PACKAGES.items() if available(peer)]
    found = {}
    for package in ["wordodds", "numpy", *taking_part]:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
