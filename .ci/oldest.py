"""Print pins of the oldest allowed version of each dependency, in pip's format of constraints.

    python .ci/oldest.py >oldest.txt
    PIP_CONSTRAINT=$PWD/oldest.txt PIP_BUILD_CONSTRAINT=$PWD/oldest.txt pip install '.[test]'

A lower bound of pyproject.toml becomes the version to install: `numpy>=2.0` gives `numpy==2.0`. The
extras `fuzz` and `bench` are left out, as the tests do not need them.
"""

import re
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
LEFT_OUT = ("fuzz", "bench")
REQUIREMENT = re.compile(
    r"(?P<name>[\w.-]+) *(\[[\w, -]+\])? *((>=|==) *(?P<version>[\w.]+))?(,[^;]*)?"
)


def pins(project: dict) -> dict[str, str]:
    """Return the oldest version of each package that a parsed pyproject.toml allows."""
    own_name = project["project"]["name"]
    extras = project["project"]["optional-dependencies"]
    requirements = [*project["build-system"]["requires"], *project["project"]["dependencies"]]
    for extra in extras.keys() - LEFT_OUT:
        requirements += extras[extra]
    found: dict[str, str] = {}
    for requirement in requirements:
        match = REQUIREMENT.fullmatch(requirement)
        if match is None:
            raise ValueError(f"{requirement!r} is not of the form name>=version")
        name, version = match["name"].lower(), match["version"]
        if name == own_name:  # an extra of ours, whose packages are in the list themselves
            continue
        if version is None:
            raise ValueError(f"{requirement!r} has no lower bound")
        if found.setdefault(name, version) != version:
            raise ValueError(f"{name} has two lower bounds: {found[name]} and {version}")
    return found


if __name__ == "__main__":
    try:
        oldest = pins(tomllib.loads(PROJECT.read_text()))
    except ValueError as error:
        sys.exit(f"{PROJECT.name}: {error}")
    print("".join(f"{name}=={version}\n" for name, version in sorted(oldest.items())), end="")
