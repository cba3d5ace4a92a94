"""Who imports whom, and whose private names: read from the files of a package."""

import ast
import re
import sys
from functools import cache
from typing import NamedTuple

# The facade: `from wordodds import LogisticRegression` loads a public name from its package. A
# permission for one of its names is written wordodds.NAME.
FACADE = "wordodds"
# Methods of named tuples; they are private only by their spelling.
NOT_PRIVATE = {"_asdict", "_fields", "_make", "_replace"}
ME = ("self", "cls", "super()")
CYTHON = {".pyx", ".pxi", ".pxd"}


class Rules(NamedTuple):
    """What the packages of a folder may do."""

    # Room -> rooms of ours and libraries that it may import, each a string of names.
    layers: dict[str, tuple[str, str]]
    # (user, room): may be imported for its types alone, against the direction of the layers.
    types_only: set[tuple[str, str]]
    # Files that import a module whose name they compute.
    computed: set[str]
    # (file, private attribute): of an object of the same room, or of a library, though another room
    # has an attribute of that name.
    excused: set[tuple[str, str]]


class Facts(NamedTuple):
    """What one file imports, uses and defines; lines where there is one to name."""

    imports: set[str]  # of `from a.b import c`: a.b.c, as c may be a module
    types_only: set[str]  # the imports that all stand under TYPE_CHECKING
    relative: list[int]
    computed: list[int]  # import_module of something else than a constant
    private_uses: list[tuple[int, str]]  # attributes of other objects than self
    private_imports: list[tuple[int, str, str]]  # line, module, name
    defined: set[str]  # functions, classes, variables, attributes of self


def rooms(package):
    """Return the packages and modules right below a folder, without its facade."""
    found = {path.name.removesuffix(".py") for path in package.iterdir() if is_code(path)}
    return found - {"__init__"}


def is_code(path):
    return path.suffix == ".py" or (path / "__init__.py").is_file()


def sources(package, room):
    module = package / f"{room}.py"
    if module.is_file():
        return [module]
    return [path for path in (package / room).rglob("*.p*") if path.suffix in CYTHON | {".py"}]


def facts_of(path):
    return facts_of_program(path.read_text(), path.suffix in CYTHON)


@cache
def facts_of_program(program, is_cython=False):
    """Return the facts of a file; each is read once, however often it is asked about."""
    if is_cython:
        modules = re.findall(r"^\s*(?:from|import|cimport)\s+([\w.]+)", program, re.MULTILINE)
        return Facts(set(modules), set(), [], [], [], [], set())
    reader = Reader()
    reader.visit(ast.parse(program))
    return reader.facts()


class Reader(ast.NodeVisitor):
    """Collects the facts of a Python file in one pass."""

    def __init__(self):
        self.for_types = False
        self.found, self.types_only = {}, set()
        self.relative, self.computed, self.private_uses, self.private_imports = [], [], [], []
        self.defined = set()
        self.facade = {}  # what `import wordodds` is called here -> the names used of it

    def facts(self):
        for names in self.facade.values():
            for name in names or [""]:
                self.add(f"{FACADE}.{name}".rstrip("."))
        runs = {name for name, for_types in self.found.items() if not for_types}
        return Facts(
            {*self.found}, {*self.found} - runs, self.relative, self.computed,
            self.private_uses, self.private_imports, self.defined,
        )  # fmt: skip

    def add(self, name):
        self.found[name] = self.found.get(name, True) and self.for_types

    def visit_If(self, node):
        before = self.for_types
        self.visit(node.test)
        self.for_types = before or ast.unparse(node.test) == "TYPE_CHECKING"
        for child in node.body:
            self.visit(child)
        self.for_types = before
        for child in node.orelse:
            self.visit(child)

    def visit_Import(self, node):
        for alias in node.names:
            if alias.name == FACADE:
                self.facade.setdefault(alias.asname or FACADE, set())
            else:
                self.add(alias.name)
            self.private_import(node, alias.name, "")

    def visit_ImportFrom(self, node):
        if node.level:
            self.relative.append(node.lineno)
        for alias in node.names:
            if node.module:
                self.add(f"{node.module}.{alias.name}")
                self.private_import(node, node.module, alias.name)

    def private_import(self, node, module, name):
        private = [part for part in [*module.split(".")[2:], name] if is_private(part)]
        self.private_imports += [(node.lineno, module, part) for part in private]

    def visit_Call(self, node):
        function = ast.unparse(node.func)
        if function in {"import_module", "importlib.import_module", "__import__"}:
            if isinstance(node.args[0], ast.Constant):
                self.add(node.args[0].value)
            else:
                self.computed.append(node.lineno)
        if function in {"getattr", "hasattr", "setattr", "delattr"}:
            self.use(node, node.args[0], getattr(node.args[1], "value", None))
        self.generic_visit(node)

    def visit_Attribute(self, node):
        if isinstance(node.value, ast.Name) and node.value.id in self.facade:
            self.facade[node.value.id].add(node.attr)
        if isinstance(node.ctx, ast.Store) and ast.unparse(node.value) in ME:
            self.defined.add(node.attr)
        self.use(node, node.value, node.attr)
        self.generic_visit(node)

    def use(self, node, owner, name):
        if isinstance(name, str) and is_private(name) and ast.unparse(owner) not in ME:
            self.private_uses.append((node.lineno, name))

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Store):
            self.defined.add(node.id)

    def visit_FunctionDef(self, node):
        self.defined.add(node.name)
        self.generic_visit(node)

    visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef


def is_private(name):
    return name.startswith("_") and not name.startswith("__") and name not in NOT_PRIVATE


def libraries_of(path):
    return {module.partition(".")[0] for module in facts_of(path).imports}


def imported(room, package):
    """Return what a room imports: rooms of ours and libraries, each with the files that do so."""
    ours, libraries = {}, {}
    known = rooms(package)
    for path in sources(package, room):
        for module in facts_of(path).imports:
            first, *rest = module.split(".")
            if first == package.name:
                is_room = bool(rest) and rest[0] in known
                target = rest[0] if is_room else ".".join([FACADE, *rest])
                if target != room:
                    ours.setdefault(target, []).append(path)
            elif first not in sys.stdlib_module_names | {"libc", "libcpp", "cpython", "cython"}:
                libraries.setdefault(first, []).append(path)
    return ours, libraries


def foreign_privates(room, package):
    """Return the private names of other rooms that a room uses, as (file, line, name).

    An attribute with an underscore, of an object other than self, belongs to the files that define
    it. A file may use its own, and those of its room that no other room has. Where both have one,
    the file must import from one of its room that does, and from no other that does.
    """
    definers = definers_of_privates(package)
    found = []
    for path in sources(package, room):
        facts = facts_of(path)
        for line, name in facts.private_uses:
            files = definers.get(name, set())
            here = {file for file in files if room_of(file, package) == room}
            others = files - here
            is_own = imports_any(facts, here, package) and not imports_any(facts, others, package)
            if others and path not in here and not is_own:
                found.append((path, line, name))
        for line, module, name in facts.private_imports:
            if is_of_another(module, room, package):
                found.append((path, line, name))
    return found


def definers_of_privates(package):
    """Return the files that define each private name."""
    found = {}
    for room in rooms(package):
        for path in sources(package, room):
            for name in filter(is_private, facts_of(path).defined):
                found.setdefault(name, set()).add(path)
    return found


def room_of(path, package):
    return path.relative_to(package).parts[0].removesuffix(".py")


def imports_any(facts, files, package):
    """Return whether a file imports one of these files, or something from it."""
    parts = [path.relative_to(package.parent).with_suffix("").parts for path in files]
    modules = {".".join(part for part in names if part != "__init__") for names in parts}
    return any({name, name.rpartition(".")[0]} & modules for name in facts.imports)


def is_of_another(module, room, package):
    """Return whether a module belongs to another room of the package."""
    first, *rest = module.split(".")
    return first == package.name and bool(rest) and rest[0] != room


def complaints(package, rules):
    """Return what a package does against its rules, a line each."""
    lines = [f"{room} has no layer" for room in sorted(rooms(package) - rules.layers.keys())]
    used_excuses = set()
    for room, permissions in rules.layers.items():
        if room not in rooms(package):
            lines.append(f"{room} does not exist")
            continue
        for found, permission in zip(imported(room, package), permissions, strict=True):
            allowed = set(permission.split())
            used = {name if name in allowed else name.partition(".")[0] for name in found}
            for name, paths in sorted(found.items()):
                if not {name, name.partition(".")[0]} & allowed:
                    lines.append(f"{paths[0].relative_to(package)} imports {name}")
            lines += [f"{room} may import {name} and does not" for name in sorted(allowed - used)]
        for path in sources(package, room):
            lines += complaints_of_file(path.relative_to(package).as_posix(), facts_of(path), rules)
        for path, line, name in foreign_privates(room, package):
            where = path.relative_to(package).as_posix()
            used_excuses.add((where, name))
            if (where, name) not in rules.excused:
                lines.append(f"{where}:{line} uses the private {name}")
    lines += [f"{where} needs no excuse for {name}" for where, name in rules.excused - used_excuses]
    return lines


def complaints_of_file(where, facts, rules):
    lines = [f"{where}:{line} has a relative import" for line in facts.relative]
    if where not in rules.computed:
        lines += [f"{where}:{line} computes the name of a module" for line in facts.computed]
    for user, room in rules.types_only:
        if user == where.partition("/")[0].removesuffix(".py"):
            for name in sorted(facts.imports - facts.types_only):
                if f"{name}.".startswith(f"{FACADE}.{room}."):
                    lines.append(f"{where} imports {name} for more than its types")
    return lines
