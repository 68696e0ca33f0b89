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
    return (node for _, within in statements(path) for node in within if isinstance(node, kind))


def module_of(path: Path) -> str:
    """Dotted name of a module; of a package's ``__init__`` the package's."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def defined(statement: ast.stmt) -> set[str]:
    """The names that a statement at the top of a module defines."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.Assign | ast.AnnAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        return {name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}
    return set()


def own_uses(path: Path) -> Iterator[str]:
    """Names that a module reads of itself, other than a definition its own name."""
    for statement, within in statements(path):
        read = {node.id for node in within if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        yield from read - defined(statement)


def imported(path: Path) -> Iterator[tuple[str, str]]:
    """Module and name of what a file imports."""
    for node in nodes(path, ast.ImportFrom):
        if node.module:
            yield from ((node.module, alias.name) for alias in node.names)


def modules_imported(path: Path) -> Iterator[tuple[str, str]]:
    """The modules that a file imports whole, with the names that they have there."""
    for node in nodes(path, ast.Import):
        yield from ((alias.name, alias.asname or alias.name) for alias in node.names)
    for node in nodes(path, ast.ImportFrom):
        if node.module:
            yield from ((f"{node.module}.{alias.name}", alias.asname or alias.name) for alias in node.names)


def named_in_strings(path: Path) -> Iterator[tuple[str, str]]:
    """Functions that are loaded when needed (``"tables.read_fairseq"`` of a module beside this one) or elsewhere."""
    package, _, own = module_of(path).rpartition(".")
    for text in (str(node.value) for node in nodes(path, ast.Constant)):
        if found := re.fullmatch(r"([a-z_]+)\.([a-z_]+)", text):
            yield f"{package}.{found[1]}", found[2]
        yield from re.findall(r"from (mteval[\w.]*) import (\w+)", text)
        yield from ((module_of(path), name) for name in re.findall(rf"\b{own}\.(\w+)\(", text))


def attributes_read(path: Path) -> Iterator[tuple[str, str]]:
    """Module and name of the attributes of modules; of modules that are handed about, those of any object."""
    read = list(nodes(path, ast.Attribute))
    known = {id(node.value) for node in read}
    handed_about = {node.id for node in nodes(path, ast.Name) if id(node) not in known}
    of_names: dict[str, set[str]] = {}
    for node in read:
        of_names.setdefault(ast.unparse(node.value), set()).add(node.attr)
    for module, name in modules_imported(path):
        if name in handed_about:
            yield from ((module, node.attr) for node in read)
        for text, attributes in of_names.items():
            if text == name or text.startswith(f"{name}."):  # of a module, or of one in a package
                yield from ((module + text.removeprefix(name), attribute) for attribute in attributes)


@cache
def used() -> frozenset[tuple[str, str]]:
    """Module and name of all that has a user; that a package hands it on is no use."""
    uses: set[tuple[str, str]] = set()
    handed_on: dict[tuple[str, str], tuple[str, str]] = {}
    for path in sources():
        own = set(own_uses(path))
        uses |= {(module_of(path), name) for name in own} | set(attributes_read(path))
        uses |= set(named_in_strings(path))
        for module, name in imported(path):
            if path.name == "__init__.py":
                handed_on[module_of(path), name] = module, name
            if path.name != "__init__.py" or name in own or path.parent.name == "mteval":
                uses.add((module, name))  # what the package itself gives out is for other programs
    uses |= {(f"mteval.cli.{command}", name) for command in COMMANDS for name in ("add_options", "run")}
    uses.add(("mteval.interface.pytest_plugin", "mteval_gate"))  # by pytest
    uses |= {(f"mteval.metrics.neural.{kind}_model", "Model") for kind in BY_THE_WORKER}
    while more := {handed_on[use] for use in uses if use in handed_on} - uses:
        uses |= more
    return frozenset(uses)


def test_public_names_have_a_user_that_is_no_test() -> None:
    lonely = [
        f"{module_of(path)}.{name}"
        for path in sources()
        for statement, _ in statements(path)
        for name in sorted(defined(statement))
        if not name.startswith("_") and (module_of(path), name) not in used()
    ]
    assert not lonely, "nothing but tests uses these; remove them:\n" + "\n".join(lonely)


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
    unknown = [
        f"{module_of(path)}: ``{name}``"
        for path, tree in trees.items()
        for string in docstrings(tree)
        for name in QUOTED.findall(str(string.value))
        if not known.issuperset(part for part in name.split(".") if part)
    ]
    assert not unknown, "no code has these names; correct the docstrings:\n" + "\n".join(unknown)
