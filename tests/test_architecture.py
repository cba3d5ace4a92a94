"""The layers of CONTRIBUTING.md, held by a test: who may know whom."""

import ast
import re
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "wordodds"
ENGINE = ROOT / "csrc"

# The facade: `from wordodds import LogisticRegression` loads a public name from its package.
FACADE = "wordodds"

# Package or module, from the bottom up: what it may import of ours; which libraries. Whatever is
# not listed is an error, and so is a permission that no import needs.
LAYERS = {
    "typing": ("", "numpy"),
    "_core": ("", "numpy"),
    "_border": ("typing _core", "numpy scipy sklearn Stemmer"),
    "_files": ("typing _border", "numpy"),
    "_estimator": ("typing _border", "numpy sklearn"),
    "corpora": ("typing _files", "numpy pyarrow"),
    "datasets": ("typing _files", "numpy scipy"),
    "model": ("typing _core _border _files wordodds", "numpy scipy pyarrow matplotlib"),
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
    "_config": ("_core _border wordodds", ""),
    "cli": (
        "typing _files corpora model text linear classifier experiments __main__ wordodds",
        "numpy rich",
    ),
    "__main__": ("cli", ""),
}
# A module that may be imported for its types alone, against the direction of the layers.
TYPES_ONLY = {("cli", "__main__")}
# Methods of named tuples; they are private only by their spelling.
NOT_PRIVATE = {"_asdict", "_fields", "_make", "_replace"}
ME = ("self", "cls", "super()")


def rooms(package):
    """Return the packages and modules right below a folder, without its facade."""
    found = {path.name.removesuffix(".py") for path in package.iterdir() if is_code(path)}
    return found - {"__init__"}


def is_code(path):
    return path.suffix == ".py" or (path / "__init__.py").is_file()


def room_of(path, package):
    return path.relative_to(package).parts[0].removesuffix(".py")


def sources(package, room):
    module = package / f"{room}.py"
    if module.is_file():
        return [module]
    return [path for end in ("py", "pyx") for path in (package / room).rglob(f"*.{end}")]


def nodes_of(path):
    """Return all nodes of a Python file; none of a Cython one."""
    return nodes_of_program(path.read_text()) if path.suffix == ".py" else []


@cache
def nodes_of_program(program):
    return list(ast.walk(ast.parse(program)))


def imports(path):
    """Return every module that a Python or Cython file names in an import."""
    if path.suffix == ".pyx":
        return set(
            re.findall(r"^\s*(?:from|import|cimport)\s+([\w.]+)", path.read_text(), re.MULTILINE)
        )
    names = set()
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            # Of `from a.b import c` both: c may be a module or a name in a.b.
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


def libraries_of(path):
    return {module.partition(".")[0] for module in imports(path)}


def imported(room, package):
    """Return what a room imports: rooms of ours and libraries, each with the files that do so."""
    ours, libraries = {}, {}
    known = rooms(package)
    for path in sources(package, room):
        for module in imports(path):
            first, *rest = module.split(".")
            if first == package.name:
                target = rest[0] if rest and rest[0] in known else FACADE
                if target != room:
                    ours.setdefault(target, []).append(path)
            elif first not in sys.stdlib_module_names | {"libc", "libcpp", "cpython", "cython"}:
                libraries.setdefault(first, []).append(path)
    return ours, libraries


def foreign_privates(room, package):
    """Return the private names of other rooms that a room uses, as (file, line, name).

    A name with an underscore, on an object other than self, belongs to the room that defines it.
    """
    own = names_defined(room, package)
    others = set().union(*(names_defined(other, package) for other in rooms(package) - {room}))
    found = []
    for path in sources(package, room):
        for node in nodes_of(path):
            names = []
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) not in ME:
                names = [node.attr] if node.attr in others - own else []
            elif isinstance(node, ast.ImportFrom) and is_of_another(node.module, room, package):
                names = [alias.name for alias in node.names]
            found += [(path, node.lineno, name) for name in names if is_private(name)]
    return found


def is_of_another(module, room, package):
    """Return whether a module belongs to another room of the package."""
    first, *rest = (module or "").split(".")
    return first == package.name and bool(rest) and rest[0] != room


def is_private(name):
    return name.startswith("_") and not name.startswith("__") and name not in NOT_PRIVATE


def names_defined(room, package):
    """Return the functions, classes, variables and attributes that a room defines."""
    found = set()
    for path in sources(package, room):
        for node in nodes_of(path):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found.add(node.name)
            elif isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.attr if isinstance(node, ast.Attribute) else node.id)
    return found


def complaints(package, layers):
    """Return what a package does against its layers, a line each."""
    lines = [f"{room} has no layer" for room in sorted(rooms(package) - layers.keys())]
    for room, permissions in layers.items():
        if room not in rooms(package):
            lines.append(f"{room} does not exist")
            continue
        for found, permission in zip(imported(room, package), permissions, strict=True):
            allowed = permission.split()
            for name, paths in sorted(found.items()):
                if name not in allowed:
                    lines.append(f"{paths[0].relative_to(package)} imports {name}")
            lines += [f"{room} may import {name} and does not" for name in {*allowed} - {*found}]
        for path, line, name in foreign_privates(room, package):
            lines.append(f"{path.relative_to(package)}:{line} uses the private {name}")
    return lines


def test_packages_know_only_those_below_them():
    assert complaints(PACKAGE, LAYERS) == []


def test_the_layers_have_an_order():
    graph = {
        room: {other for other in below.split() if (room, other) not in TYPES_ONLY} - {FACADE}
        for room, (below, _) in LAYERS.items()
    }
    order = list(TopologicalSorter(graph).static_order())  # raises CycleError
    assert order.index("_border") < order.index("model") < order.index("cli")


PLANTED = {
    "import upwards": ("low/a.py", "from wordodds.high.b import thing", "low/a.py imports high"),
    "import inside a function": (
        "low/a.py",
        "def late():\n    import wordodds.high",
        "low/a.py imports high",
    ),
    "library": ("low/a.py", "import sklearn.base", "low/a.py imports sklearn"),
    "private attribute": (
        "high/b.py",
        "from wordodds.low.a import Thing\nThing()._secret()",
        "high/b.py:2 uses the private _secret",
    ),
    "private name": (
        "high/b.py",
        "from wordodds.low.a import _hidden",
        "high/b.py:1 uses the private _hidden",
    ),
    "new package": ("other/__init__.py", "", "other has no layer"),
    "unused permission": ("high/b.py", "", "high may import low and does not"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_planted_faults_are_found(tmp_path, name):
    package = tmp_path / "wordodds"
    layers = {"low": ("", ""), "high": ("low", "")}
    files = {
        "low/__init__.py": "",
        "low/a.py": "class Thing:\n    def _secret(self): ...\n\ndef _hidden(): ...\n",
        "high/__init__.py": "from wordodds.low.a import Thing",
        "high/b.py": "from wordodds.low.a import Thing",
    }
    write_files(package, files)
    assert complaints(package, layers) == []
    where, program, complaint = PLANTED[name]
    if name == "unused permission":
        files["high/__init__.py"] = ""
    write_files(package, files | {where: files.get(where, "") * (where != "high/b.py") + program})
    assert complaints(package, layers) == [complaint]


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
    found = [path for path in PACKAGE.rglob("*.py") if imports(path) & own_checks]
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
    for node in nodes_of_program(stub):
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
        for node in nodes_of_program(stub)
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
