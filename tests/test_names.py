"""Names: modules are called after things, and every public name of a module has a user that is no test."""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from mteval.cli import COMMANDS

ROOT = Path(__file__).parent.parent
PACKAGES = ("mteval", "pages", "benchmarks")
# What any module could be called, and what is done in place of what is there.
VAGUE = "common core data helper helpers manager misc objects place places stuff things tools util utils values"
VERBS = "assemble build check compute describe draw guess load look looks make parse pivot read replay show take write"
VERB_ENDINGS = ("ing", "ed", "ize")
# Things of the field, whatever their endings.
FIELD_TERMS = "planning pooling ranking reporting resampling scoring timing"
KEPT: Mapping[str, str] = {
    "mteval/figures/luck.py": "p-values as they could have been published",
    "mteval/metrics/imported.py": "the metric of imported scores",
    "mteval/metrics/meteor/data.py": "METEOR's data, as its authors call them",
    "mteval/metrics/meteor/words.py": "METEOR's own name of the step",
    "mteval/stats/units.py": "a step that has no shorter noun",
    "mteval/stats/resampling/packing.py": "how columns are packed",
    "mteval/ui/replication/verdict.py": "p-values as they could have been published",
}


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
    yield from ((f"{module}.{name}", name) for module, name in imported(path))


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


ALL = pytest.mark.parametrize("path", [pytest.param(path, id=str(path.relative_to(ROOT))) for path in sources()])


@ALL
def test_public_names_have_a_user_that_is_no_test(path: Path) -> None:
    module = module_of(path)
    lonely = [
        name for name, _ in definitions(tree_of(path)) if not name.startswith("_") and (module, name) not in used()
    ]
    assert not lonely, f"nothing but tests uses {', '.join(lonely)} of {module}: take it out, or name its user here"


@ALL
def test_modules_are_called_after_things(path: Path) -> None:
    name = path.parent.name if path.name == "__init__.py" else path.stem
    if str(path.relative_to(ROOT)) in KEPT or {"cli", "pages"} & set(
        path.parts
    ):  # commands and addresses say what is done
        return
    assert name not in VAGUE.split(), f"'{name}' could be the name of any module"
    last = name.split("_")[-1]
    is_verb = last in VERBS.split() or (last.endswith(VERB_ENDINGS) and last not in FIELD_TERMS.split())
    assert not is_verb, f"'{name}' is something that is done; call a module after what it holds"


def test_names_kept_are_there() -> None:
    assert [path for path in KEPT if not (ROOT / path).is_file()] == []
