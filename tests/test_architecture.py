"""The layers of CONTRIBUTING.md, held by a test: who may know whom."""

import ast
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from .layers import FACADE, ME, Rules, complaints, facts_of, libraries_of, sources

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "wordodds"
ENGINE = ROOT / "csrc"

# Package or module, from the bottom up: what it may import of ours; which libraries. Whatever is
# not listed is an error, and so is a permission that no import needs.
LAYERS = {
    "typing": ("", "numpy"),
    "_core": ("", "numpy"),
    "_border": ("typing _core", "numpy scipy sklearn Stemmer"),
    "_files": ("typing _border", "numpy"),
    "_estimator": ("typing _border", "numpy sklearn"),
    "corpora": ("typing _files", "numpy pyarrow"),
    "datasets": ("typing _border _files", "numpy scipy"),
    "model": (
        "typing _core _border _files wordodds.__version__",
        "numpy scipy pyarrow matplotlib",
    ),
    "text": ("typing _core _border _files _estimator", "numpy scipy sklearn"),
    "bayes": ("typing _core _border _estimator", "numpy scipy sklearn"),
    "linear": ("typing _core _border _files _estimator", "numpy scipy sklearn numba"),
    "reduce": ("typing _core _border _estimator linear", "numpy scipy sklearn threadpoolctl"),
    "classifier": (
        "typing _core _border _files _estimator corpora model text bayes linear",
        "numpy scipy sklearn pyarrow",
    ),
    "dask": (
        "typing _border _estimator corpora model text bayes linear classifier",
        "numpy scipy sklearn pyarrow pandas dask distributed",
    ),
    "experiments": (
        "typing _border _files model datasets wordodds",
        "numpy scipy sklearn matplotlib threadpoolctl",
    ),
    "_config": ("_core _border wordodds.__version__", ""),
    "cli": (
        "typing _files corpora model text linear classifier experiments __main__ wordodds",
        "numpy rich joblib",
    ),
    "__main__": ("cli", ""),
}
RULES = Rules(
    LAYERS,
    types_only={("cli", "__main__")},
    # An optional library, which the caller names.
    computed={"corpora/arrow.py", "corpora/zstd.py"},
    excused={
        ("text/vectorizer.py", "_shape"),  # of a matrix of SciPy
        ("text/spill.py", "_analyze"),  # of a CountVectorizer, which inherits it
        ("linear/ratio_fit.py", "_columns"),  # of an NBLogisticRegression, which inherits it
    },
)


def test_packages_know_only_those_below_them():
    assert complaints(PACKAGE, RULES) == []


def test_the_table_for_people_has_the_same_permissions():
    table = (ROOT / "CONTRIBUTING.md").read_text().partition("| layer |")[2].partition("\n\n")[0]
    listed = set()
    for row in table.splitlines()[2:]:
        _, layer, where, _, may_use, _, _ = row.split("|")
        names = {
            name.partition("/")[0].removesuffix(".py") for name in re.findall("`(.*?)`", where)
        }
        if not names <= LAYERS.keys():
            assert layer.strip() in {"engine", "binding"}
            continue
        listed |= names
        needed = {name for room in names for name in LAYERS[room][0].split()}
        needed = {name for name in needed if name.partition(".")[0] not in {"typing", FACADE}}
        assert set(re.findall("`(.*?)`", may_use)) == needed - names, layer
        assert ("the public API" in may_use) == any(
            FACADE in LAYERS[room][0].split() for room in names
        ), layer
    assert listed == LAYERS.keys() - {"typing", "_core", "_config"}


def test_the_layers_have_an_order():
    graph = {
        room: {name for name in below.split() if (room, name) not in RULES.types_only}
        for room, (below, _) in LAYERS.items()
    }
    graph = {
        room: {name for name in below if name.partition(".")[0] != FACADE}
        for room, below in graph.items()
    }
    order = list(TopologicalSorter(graph).static_order())  # raises CycleError
    assert order.index("_border") < order.index("model") < order.index("cli")


# A small package that keeps its rules: `high` may import `low` and one name of the facade, and
# `main` for its types.
SMALL_RULES = Rules(
    {"low": ("", ""), "high": ("low main wordodds.__version__", ""), "main": ("", "")},
    types_only={("high", "main")},
    computed=set(),
    excused=set(),
)
SMALL = {
    "low/__init__.py": "",
    "low/a.py": "class Thing:\n    def _secret(self): ...\n\ndef _hidden(): ...\n",
    "low/_inner.py": "thing = 1",
    "high/__init__.py": "from wordodds.low.a import Thing",
    # Names of its own that `low` has too.
    "high/b.py": "class Own:\n    def _secret(self): ...\n    def _alone(self): ...\n",
    "high/c.py": "from wordodds.high.b import Own\nOwn()._secret()\nOwn()._alone()\n",
    "high/d.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n"
    "    from wordodds.main import thing\n",
    "high/e.py": "import wordodds\nprint(wordodds.__version__)\n",
    "main.py": "thing = 1",
}
SECRET = "high/new.py:2 uses the private _secret"
# What turns the test red: a file that is added, and the complaint.
PLANTED = {
    "import upwards": ("low/new.py", "from wordodds.high.b import Own", "low/new.py imports high"),
    "import inside a function": (
        "low/new.py",
        "def late():\n    import wordodds.high",
        "low/new.py imports high",
    ),
    "import by a call": (
        "low/new.py",
        "from importlib import import_module\nimport_module('wordodds.high')",
        "low/new.py imports high",
    ),
    "import by a computed name": (
        "low/new.py",
        "import importlib\nimportlib.import_module('wordodds.' + input())",
        "low/new.py:2 computes the name of a module",
    ),
    "relative import": ("low/new.py", "from .. import high", "low/new.py:1 has a relative import"),
    "included Cython": (
        "low/new.pxi",
        "from wordodds.high.b cimport Own",
        "low/new.pxi imports high",
    ),
    "declared Cython": (
        "low/new.pxd",
        "from wordodds.high.b cimport Own",
        "low/new.pxd imports high",
    ),
    "another name of the facade": (
        "high/new.py",
        "from wordodds import load",
        "high/new.py imports wordodds.load",
    ),
    "another attribute of the facade": (
        "high/new.py",
        "import wordodds as w\nw.load('m')",
        "high/new.py imports wordodds.load",
    ),
    "the facade whole": (
        "high/new.py",
        "import wordodds\nprint(vars(wordodds))",
        "high/new.py imports wordodds",
    ),
    "more than types": (
        "high/new.py",
        "from wordodds.main import thing",
        "high/new.py imports wordodds.main.thing for more than its types",
    ),
    "more than types once": (
        "high/d.py",
        SMALL["high/d.py"] + "else:\n    import wordodds.main\n",
        "high/d.py imports wordodds.main for more than its types",
    ),
    "library": ("low/new.py", "import sklearn.base", "low/new.py imports sklearn"),
    "private attribute": (
        "high/new.py",
        "from wordodds.low.a import Thing\nThing()._secret()",
        SECRET,
    ),
    "private attribute that another file of the room has": (
        "high/new.py",
        "from wordodds.low.a import Thing; from wordodds.high.b import Own\nThing()._secret()",
        SECRET,
    ),
    "private attribute of what was passed": (
        "high/new.py",
        "def f(thing):\n  thing._secret",
        SECRET,
    ),
    "private attribute set": (
        "high/new.py",
        "def f(thing):\n  thing._secret = 1",
        SECRET,
    ),
    "private attribute by getattr": (
        "high/new.py",
        "def f(thing):\n  getattr(thing, '_secret')",
        SECRET,
    ),
    "private name": (
        "high/new.py",
        "from wordodds.low.a import _hidden",
        "high/new.py:1 uses the private _hidden",
    ),
    "private module": (
        "high/new.py",
        "from wordodds.low._inner import thing",
        "high/new.py:1 uses the private _inner",
    ),
    "private module by its name": (
        "high/new.py",
        "import wordodds.low._inner",
        "high/new.py:1 uses the private _inner",
    ),
    "new package": ("other/__init__.py", "", "other has no layer"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_planted_faults_are_found(tmp_path, name):
    package = tmp_path / "wordodds"
    write_files(package, SMALL)
    assert complaints(package, SMALL_RULES) == []
    where, program, complaint = PLANTED[name]
    write_files(package, {where: program})
    assert complaints(package, SMALL_RULES) == [complaint]


def test_an_excuse_holds_and_an_idle_one_is_found(tmp_path):
    package = tmp_path / "wordodds"
    write_files(package, SMALL | {"high/new.py": "def f(matrix):\n  matrix._secret"})
    assert complaints(package, SMALL_RULES) == [SECRET]
    rules = SMALL_RULES._replace(excused={("high/new.py", "_secret")})
    assert complaints(package, rules) == []
    write_files(package, {"high/new.py": ""})
    assert complaints(package, rules) == ["high/new.py needs no excuse for _secret"]


def test_permissions_that_nothing_needs_are_found(tmp_path):
    package = tmp_path / "wordodds"
    write_files(package, SMALL)
    layers = SMALL_RULES.layers | {"main": ("low wordodds.load", "numpy"), "gone": ("", "")}
    assert complaints(package, SMALL_RULES._replace(layers=layers)) == [
        "main may import low and does not",
        "main may import wordodds.load and does not",
        "main may import numpy and does not",
        "gone does not exist",
    ]


def write_files(folder, files):
    for name, program in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(program + "\n")


def test_the_border_needs_no_scikit_learn():
    found = [path.name for path in sources(PACKAGE, "_border") if "sklearn" in libraries_of(path)]
    assert found == ["labels.py"]  # the class of a warning, imported when it is given


def test_scikit_learn_sees_no_matrix_before_its_structure_is_checked():
    own_checks = {"sklearn.utils.validation.check_array", "sklearn.utils.validation.validate_data"}
    own_checks |= {"sklearn.utils.check_array", "sklearn.utils.validation.check_X_y"}
    found = [path for path in PACKAGE.rglob("*.py") if facts_of(path).imports & own_checks]
    assert found == [PACKAGE / "_estimator" / "state.py"]


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


# Numbers of a binding that come by position: factors of its formula, as in its name.
SCALARS_BY_POSITION = {
    ("vectors_add", "t"),  # y + t x
    ("vectors_scale_add", "t"),  # x + t y
    ("vectors_cg_step", "alpha"),  # solution + alpha direction
}


def binding_complaints(stub):
    """Return what the functions of a stub do against the rules for arguments, a line each."""
    lines = []
    for node in ast.walk(ast.parse(stub)):
        if not isinstance(node, ast.FunctionDef):
            continue
        by_position = [*node.args.posonlyargs, *node.args.args]
        by_position = [arg for arg in by_position if arg.arg not in ME]
        if len(by_position) > 7:
            lines.append(f"{node.name} takes {len(by_position)} arguments by position")
        if node.args.vararg is not None:
            lines.append(f"{node.name} takes any number of arguments")
        for arg in by_position:
            if arg.arg.endswith("_out"):
                lines.append(f"{node.name} takes the output {arg.arg} by position")
            scalars = {"bool", "float"} & type_names(arg.annotation)
            if scalars and (node.name, arg.arg) not in SCALARS_BY_POSITION:
                lines.append(f"{node.name} takes the {scalars.pop()} {arg.arg} by position")
    return lines


def type_names(annotation):
    """Return the plain names in an annotation, as `float` in `float | None`."""
    nodes = ast.walk(annotation) if annotation is not None else ()
    return {node.id for node in nodes if isinstance(node, ast.Name)}


def test_bindings_take_options_and_outputs_by_keyword():
    stubs = {path.name: path.read_text() for path in PACKAGE.joinpath("_core").glob("*.pyi")}
    assert stubs.keys() > {"linear.pyi", "text.pyi"}
    assert {name: found for name in stubs if (found := binding_complaints(stubs[name]))} == {}
    known = {
        (node.name, arg.arg)
        for stub in stubs.values()
        for node in ast.walk(ast.parse(stub))
        if isinstance(node, ast.FunctionDef)
        for arg in node.args.args
    }
    assert known >= SCALARS_BY_POSITION


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ("a: int, b, c, d, e, f, g, h", "f takes 8 arguments by position"),
        ("*arrays: Csr", "f takes any number of arguments"),
        ("a: Csr, scores_out: Csr", "f takes the output scores_out by position"),
        ("state_in_out: Csr, /", "f takes the output state_in_out by position"),
        ("a: Csr, binary: bool", "f takes the bool binary by position"),
        ("alpha: float | None = None", "f takes the float alpha by position"),
        ("limits: tuple[float, ...]", "f takes the float limits by position"),
        ("self, a, b, c, d, e, f, g, *, alpha: float, binary: bool, x_in_out: Csr", None),
    ],
)
def test_planted_faults_of_bindings_are_found(arguments, complaint):
    method = f"class A:\n    def f({arguments}) -> None: ...\n"
    assert binding_complaints(method) == ([] if complaint is None else [complaint])


def test_files_stay_short():
    files = [*ROOT.glob("src/**/*.p*"), *ENGINE.glob("**/*.[ch]pp"), *ROOT.glob("tests/**/*.py")]
    long = {
        str(path.relative_to(ROOT)): n
        for path in files
        if path.suffix in {".py", ".pyx", ".pxi", ".pyi", ".pxd", ".hpp", ".cpp"}
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
