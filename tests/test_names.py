"""Every public name of a module has a user that is no test."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from mteval.cli import COMMANDS

ROOT = Path(__file__).parent.parent
PACKAGES = ("mteval", "pages", "benchmarks")


def sources() -> Iterator[Path]:
    """All code but tests, without migrations, whose names Alembic knows."""
    yield ROOT / "app.py"
    for package in PACKAGES:
        yield from (path for path in sorted((ROOT / package).rglob("*.py")) if "migrations" not in path.parts)


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def module_of(path: Path) -> str:
    """Dotted name of a module; of a package's ``__init__`` the package's."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def definitions(tree: ast.Module) -> Iterator[tuple[str, ast.stmt]]:
    """The names that a module defines at its top, with the statements that do."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name, node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (
                (name.id, node) for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)
            )


def own_uses(tree: ast.Module) -> Iterator[str]:
    """Names that a module reads of itself, other than a definition its own name."""
    for statement in tree.body:
        defined = {name for name, node in definitions(tree) if node is statement}
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in defined:
                yield node.id


def imported(path: Path) -> Iterator[tuple[str, str]]:
    """Module and name of what a file imports."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.module, alias.name) for alias in node.names)


def modules_imported(path: Path) -> Iterator[tuple[str, str]]:
    """The modules that a file imports whole, with the names that they have there."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, alias.asname or alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((f"{node.module}.{alias.name}", alias.asname or alias.name) for alias in node.names)


def attributes_read(path: Path) -> Iterator[tuple[str, str]]:
    """Module and name of the attributes of modules; of modules that are handed about, those of any object."""
    read = [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.Attribute)]
    known = {id(node.value) for node in read}
    names = (node for node in ast.walk(tree_of(path)) if isinstance(node, ast.Name))
    handed_about = {node.id for node in names if id(node) not in known}
    for module, name in modules_imported(path):
        yield from ((module, node.attr) for node in read if name in handed_about or ast.unparse(node.value) == name)


@cache
def used() -> frozenset[tuple[str, str]]:
    """Module and name of all that has a user; that a package hands it on is no use."""
    uses: set[tuple[str, str]] = set()
    handed_on: dict[tuple[str, str], tuple[str, str]] = {}
    for path in sources():
        own = set(own_uses(tree_of(path)))
        uses |= {(module_of(path), name) for name in own} | set(attributes_read(path))
        for module, name in imported(path):
            if path.name == "__init__.py":
                handed_on[module_of(path), name] = module, name
            if path.name != "__init__.py" or name in own or path.parent.name == "mteval":
                uses.add((module, name))  # what the package itself gives out is for other programs
    uses |= {(f"mteval.cli.{command}", name) for command in COMMANDS for name in ("add_options", "run")}
    uses |= {(f"mteval.metrics.neural.{kind}_model", "Model") for kind in ("comet", "bertscore")}  # by the worker
    while more := {handed_on[use] for use in uses if use in handed_on} - uses:
        uses |= more
    return frozenset(uses)


def test_public_names_have_a_user_that_is_no_test() -> None:
    lonely = [
        f"{module_of(path)}.{name}"
        for path in sources()
        for name, _ in definitions(tree_of(path))
        if not name.startswith("_") and (module_of(path), name) not in used()
    ]
    assert not lonely, "nothing but tests uses these; remove them:\n" + "\n".join(lonely)
