"""Every public name of a module has a user that is no test, and every name in a docstring exists."""

import ast
import builtins
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TypeVar

from mteval.cli import COMMANDS

ROOT = Path(__file__).parent.parent
PACKAGES = ("mteval", "pages", "benchmarks")
BY_THE_WORKER = ("comet", "bertscore", "metricx", "bleurt")  # kinds of models
Node = TypeVar("Node", bound=ast.AST)


def sources() -> Iterator[Path]:
    """All code but tests."""
    yield ROOT / "app.py"
    for package in PACKAGES:
        yield from sorted((ROOT / package).rglob("*.py"))


@cache
def statements(path: Path) -> tuple[tuple[ast.stmt, tuple[ast.AST, ...]], ...]:
    """The statements at the top of a file, each with all nodes in it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return tuple((statement, tuple(ast.walk(statement))) for statement in tree.body)


def nodes(path: Path, kind: type[Node]) -> Iterator[Node]:
    """The nodes of a kind in a file."""
    for _, nodes_within in statements(path):
        for node in nodes_within:
            if isinstance(node, kind):
                yield node


def module_of(path: Path) -> str:
    """Dotted name of a module; of a package's ``__init__`` the package's."""
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    return name.removesuffix(".__init__")


def defined(statement: ast.stmt) -> set[str]:
    """The names that a statement at the top of a module defines."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    names = set()
    for target in targets:
        names |= {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}
    return names


def own_uses(path: Path) -> Iterator[str]:
    """Names that a module reads of itself, other than a definition its own name."""
    for statement, nodes_within in statements(path):
        names_read = set()
        for node in nodes_within:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                names_read.add(node.id)
        yield from names_read - defined(statement)


def imported(path: Path) -> Iterator[tuple[str, str]]:
    """Module and name of what a file imports."""
    for node in nodes(path, ast.ImportFrom):
        for alias in node.names:
            if node.module:
                yield node.module, alias.name


def modules_imported(path: Path) -> Iterator[tuple[str, str]]:
    """The modules that a file imports whole, with the names that they have there."""
    for node in nodes(path, ast.Import):
        for alias in node.names:
            yield alias.name, alias.asname or alias.name
    for node in nodes(path, ast.ImportFrom):
        for alias in node.names:
            if node.module:
                yield f"{node.module}.{alias.name}", alias.asname or alias.name


def named_in_strings(path: Path) -> Iterator[tuple[str, str]]:
    """Functions that are loaded when needed (``"tables.read_fairseq"`` of a module beside this one) or elsewhere."""
    package, _, own_name = module_of(path).rpartition(".")
    for node in nodes(path, ast.Constant):
        text = str(node.value)
        module_and_function = re.fullmatch(r"([a-z_]+)\.([a-z_]+)", text)
        if module_and_function:
            module, function = module_and_function.groups()
            yield f"{package}.{module}", function
        yield from re.findall(r"from (mteval[\w.]*) import (\w+)", text)
        for function in re.findall(rf"\b{own_name}\.(\w+)\(", text):
            yield module_of(path), function


def attributes_read(path: Path) -> Iterator[tuple[str, str]]:
    """Module and name of the attributes of modules; of modules that are handed about, those of any object."""
    reads = list(nodes(path, ast.Attribute))
    owners = {id(read.value) for read in reads}
    handed_about = {node.id for node in nodes(path, ast.Name) if id(node) not in owners}
    attributes_of: dict[str, set[str]] = {}
    for read in reads:
        attributes_of.setdefault(ast.unparse(read.value), set()).add(read.attr)
    for module, name in modules_imported(path):
        if name in handed_about:
            for read in reads:
                yield module, read.attr
        for owner, attributes in attributes_of.items():
            if owner == name or owner.startswith(f"{name}."):  # of a module, or of one in a package
                for attribute in attributes:
                    yield module + owner.removeprefix(name), attribute


@cache
def used() -> frozenset[tuple[str, str]]:
    """Module and name of all that has a user; that a package hands it on is no use."""
    uses: set[tuple[str, str]] = set()
    handed_on: dict[tuple[str, str], tuple[str, str]] = {}
    for path in sources():
        is_package = path.name == "__init__.py"
        own_names = set(own_uses(path))
        uses |= {(module_of(path), name) for name in own_names}
        uses |= set(attributes_read(path))
        uses |= set(named_in_strings(path))
        for module, name in imported(path):
            if is_package:
                handed_on[module_of(path), name] = module, name
            is_for_others = path.parent.name == "mteval"  # what the package itself gives out is for other programs
            if not is_package or name in own_names or is_for_others:
                uses.add((module, name))
    for command in COMMANDS:
        uses.add((f"mteval.cli.{command}", "add_options"))
        uses.add((f"mteval.cli.{command}", "run"))
    for kind in BY_THE_WORKER:
        uses.add((f"mteval.metrics.neural.{kind}_model", "Model"))
    uses.add(("mteval.interface.pytest_plugin", "mteval_gate"))  # by pytest

    # A use of a package's name is one of the name that it hands on, perhaps from another package.
    unfollowed = set(uses)
    while unfollowed:
        origins = {handed_on[use] for use in unfollowed if use in handed_on}
        unfollowed = origins - uses
        uses |= unfollowed
    return frozenset(uses)


def public_names() -> Iterator[tuple[str, str]]:
    """Module and name of all public definitions."""
    for path in sources():
        for statement, _ in statements(path):
            for name in sorted(defined(statement)):
                if not name.startswith("_"):
                    yield module_of(path), name


def test_public_names_have_a_user_that_is_no_test() -> None:
    unused = [f"{module}.{name}" for module, name in public_names() if (module, name) not in used()]
    assert not unused, "nothing but tests uses these; remove them:\n" + "\n".join(unused)


# Names in examples of files and of what others call their systems.
EXAMPLES = frozenset(["synthetic_ref", "opt2", "opt10", "opt1", "jsonl", "GPT", "test2", "refB", "HEBREW", "en", "txt"])
# Names of other programs and of formulas.
FOREIGN = frozenset(
    ["Double", "toString", "LZMAFile", "LazyLoader", "beamWidth", "PairwiseDocument", "spawn", "n_A", "n_B", "p1"]
)
FILES = frozenset(["pyproject", "toml"])
# Parts that code puts together: `pool_` before a name, `_words` after it.
PUT_TOGETHER = frozenset(["pool_", "baseline_words", "system_words"])
QUOTED = re.compile(r"``([A-Za-z_][\w.]*)(?:\(\))?``")
DESCRIBED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def docstrings(tree: ast.Module) -> list[ast.Constant]:
    """The docstrings in a file."""
    strings = []
    for node in ast.walk(tree):
        if isinstance(node, DESCRIBED) and ast.get_docstring(node) is not None:
            first = node.body[0]
            assert isinstance(first, ast.Expr)
            assert isinstance(first.value, ast.Constant)
            strings.append(first.value)
    return strings


def names_in_code(tree: ast.Module) -> Iterator[str]:
    """The names that a file's code uses, and the words of its strings (columns, fields, options), docstrings apart."""
    documented = {id(string) for string in docstrings(tree)}
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.alias(name=name):
                yield from name.split(".")
            case ast.keyword(arg=str(name)):
                yield name
            case ast.Constant(value=str(text)) if id(node) not in documented:
                yield from re.findall(r"[A-Za-z_]\w*", text)


def test_names_in_double_backticks_exist() -> None:
    paths = list(sources())
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in paths}
    known = set(dir(builtins)) | EXAMPLES | FOREIGN | FILES | PUT_TOGETHER
    for path, tree in trees.items():
        known.update(names_in_code(tree), path.relative_to(ROOT).with_suffix("").parts, [path.name])

    unknown = []
    for path, tree in trees.items():
        for string in docstrings(tree):
            for name in QUOTED.findall(str(string.value)):
                parts = set(name.split(".")) - {""}
                if not parts <= known:
                    unknown.append(f"{module_of(path)}: ``{name}``")
    assert not unknown, "no code has these names; correct the docstrings:\n" + "\n".join(unknown)


def test_p_values_have_one_name_each() -> None:
    texts = [*ROOT.glob("mteval/**/*.py"), *ROOT.glob("pages/*.py"), *ROOT.glob("docs/**/*.md"), ROOT / "README.md"]
    assert len(texts) > 300
    old_name = re.compile(r"\bp \((?:both|test set)\b")
    assert [str(path) for path in texts if old_name.search(path.read_text(encoding="utf-8"))] == []
