"""The layers of CONTRIBUTING.md, held by a test: who may know whom."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "wordodds"
ENGINE = ROOT / "csrc"

# Folder -> modules it must never import, at any depth of its code.
FORBIDDEN = {
    "_core": {"scipy", "sklearn", "numba"},
    "model": {"sklearn", "numba"},
    "corpora": {"sklearn", "numba"},
    "dask": {"wordodds._core"},
    "experiments": {"wordodds._core"},
    "cli": {"wordodds._core"},
    "datasets": {"sklearn", "numba", "wordodds._core"},
}
BORDER = ["_execution.py", "_row_weights.py", "_sparse.py"]
SIBLINGS = {"text", "bayes", "linear", "reduce", "classifier"}


def imports(path):
    """Return every module that a Python or Cython file names in an import."""
    if path.suffix == ".pyx":
        found = re.findall(
            r"^\s*(?:from|import|cimport)\s+([\w.]+)", path.read_text(), re.MULTILINE
        )
        return set(found)
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


def sources(folder):
    return [path for suffix in ("py", "pyx") for path in (PACKAGE / folder).rglob(f"*.{suffix}")]


def within(module, forbidden):
    return module == forbidden or module.startswith(forbidden + ".")


@pytest.mark.parametrize("folder", [name for name in FORBIDDEN if (PACKAGE / name).is_dir()])
def test_layers_keep_to_themselves(folder):
    assert sources(folder)
    for path in sources(folder):
        for module in imports(path):
            for forbidden in FORBIDDEN[folder]:
                assert not within(module, forbidden), f"{path.relative_to(ROOT)} imports {module}"


@pytest.mark.parametrize("folder", [name for name in sorted(SIBLINGS) if (PACKAGE / name).is_dir()])
def test_estimators_use_no_private_name_of_their_siblings(folder):
    for path in sources(folder):
        for module in imports(path):
            parts = module.split(".")
            if parts[0] == "wordodds" and len(parts) > 2 and parts[1] in SIBLINGS - {folder}:
                assert not any(part.startswith("_") for part in parts[2:]), (
                    f"{path} imports {module}"
                )


@pytest.mark.parametrize("name", BORDER)
def test_the_border_needs_no_scikit_learn(name):
    assert not any(within(module, "sklearn") for module in imports(PACKAGE / name))


def test_scikit_learn_sees_no_matrix_before_its_structure_is_checked():
    own_checks = {"sklearn.utils.validation.check_array", "sklearn.utils.validation.validate_data"}
    own_checks |= {"sklearn.utils.check_array", "sklearn.utils.validation.check_X_y"}
    found = [path.name for path in PACKAGE.rglob("*.py") if imports(path) & own_checks]
    assert found == ["_estimator.py"]


def test_numba_is_only_in_linear():
    for path in PACKAGE.rglob("*.py"):
        if any(within(module, "numba") for module in imports(path)):
            assert path.relative_to(PACKAGE).parts[0] == "linear", path


def test_engine_knows_neither_python_nor_the_environment():
    files = [*ENGINE.glob("include/**/*.hpp"), *ENGINE.glob("src/*/*.[ch]pp")]
    assert {path.parent.name for path in files} > {"base", "text"}
    for path in files:
        text = re.sub(r"//.*", "", path.read_text())
        for word in (
            "Python.h",
            "numpy/",
            "getenv",
            "printf",
            "iostream",
            "std::cout",
            "std::cerr",
        ):
            assert word not in text, f"{path.relative_to(ROOT)} has {word}"


def test_headers_follow_the_families():
    families = {path.stem for path in PACKAGE.joinpath("_core").glob("*.pyx")}
    assert families == {path.name for path in (ENGINE / "include" / "wordodds").iterdir()}
    assert families == {path.name for path in (ENGINE / "src").iterdir()}
    for family in families:
        assert (PACKAGE / "_core" / f"{family}.pyi").is_file(), family
    for folder in ("tests", "reference"):
        found = {path.name for path in (ENGINE / folder).iterdir() if path.is_dir()}
        assert found <= families, folder


def test_sources_are_named_after_their_headers():
    sources = list((ENGINE / "src").rglob("*.cpp"))
    assert sources
    for path in sources:
        name = f"{path.stem}.hpp"
        public = f"wordodds/{path.parent.name}/{name}"
        own = name if (path.parent / name).is_file() else public
        first = re.search(r'^#include [<"](.*)[>"]', path.read_text(), re.MULTILINE)
        assert first is not None, path
        assert first[1] == own, f"{path.relative_to(ROOT)} includes {first[1]} before {own}"


def test_public_headers_are_those_that_bindings_or_other_families_need():
    bindings = [*PACKAGE.joinpath("_core").glob("*.p[yx][xdi]"), *PACKAGE.glob("_core/*.hpp")]
    public = ENGINE / "include"
    users = [*ENGINE.glob("src/*/*.[ch]pp"), *public.rglob("*.hpp")]
    needed = {name for path in bindings for name in engine_headers(path)}
    needed |= {
        name
        for path in users
        for name in engine_headers(path)
        if path.parent.name != name.split("/")[1]
    }
    reached, waiting = set(), sorted(needed)
    while waiting:
        if (name := waiting.pop()) not in reached:
            reached.add(name)
            waiting += engine_headers(public / name)
    assert reached == {str(path.relative_to(public)) for path in public.rglob("*.hpp")}


def engine_headers(path):
    """Return the public headers of the engine that a file includes."""
    return re.findall(r'(?:#include|extern from) "(wordodds/[^"]+)"', path.read_text())


def test_files_stay_short():
    files = [*ROOT.glob("src/**/*.p*"), *ENGINE.glob("**/*.[ch]pp"), *ROOT.glob("tests/**/*.py")]
    long = {
        str(path.relative_to(ROOT)): n
        for path in files
        if path.suffix in {".py", ".pyx", ".pyi", ".pxd", ".hpp", ".cpp"}
        and "build" not in path.parts
        if (n := len(path.read_text().splitlines())) >= 500
    }
    assert not long


@pytest.mark.parametrize(
    "statement",
    [
        "import wordodds",
        "import wordodds; wordodds.show_config()",
        "import wordodds.datasets; wordodds.datasets.make_corpus(20)",
        "import wordodds._core.text, wordodds._core.score, wordodds._border.execution",
    ],
)
def test_light_imports(statement):
    program = (
        f"import sys; {statement}; "
        "heavy = {'sklearn', 'numba'} & set(sys.modules); assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)


def test_import_wordodds_alone_loads_no_array_library():
    program = "import wordodds, sys; assert not {'numpy', 'scipy'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_every_public_name_exists():
    import wordodds

    for name in wordodds.__all__:
        assert getattr(wordodds, name) is not None
        assert name in dir(wordodds)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = wordodds.nonsense
