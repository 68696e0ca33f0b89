"""Imports point down only; the floors are those of the package's layout."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FLOORS: list[set[str]] = [
    {"mteval", "errors", "paths", "kernels", "digests"},
    {"model", "given", "settings", "verdict", "conllu"},
    {"readers", "metrics", "stats", "store", "parallel", "annotations", "figures", "export"},
    {"analysis", "ranking"},
    {"reporting"},
    {"cli", "ui"},
    {"__main__", "pages"},
    {"app"},
]
MAY_IMPORT_SIBLINGS = {
    "mteval",
    "errors",
    "paths",
    "kernels",
    "digests",
    "model",
    "given",
    "settings",
    "verdict",
    "conllu",
}  # the foundation is one
STREAMLIT_FLOORS = {"ui", "pages", "app"}


def sources() -> Iterator[tuple[str, Path]]:
    """Every module with the part of the house that it belongs to."""
    yield "app", ROOT / "app.py"
    for path in sorted((ROOT / "pages").glob("*.py")):
        yield "pages", path
    for path in sorted((ROOT / "mteval").rglob("*.py")):
        parts = path.relative_to(ROOT / "mteval").with_suffix("").parts
        yield ("mteval" if parts == ("__init__",) else parts[0]), path


def imported_modules(path: Path) -> Iterator[str]:
    """Absolute names of all modules that a file imports, wherever in the file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            for alias in node.names:
                yield f"{node.module}.{alias.name}"


def house_parts(path: Path) -> set[str]:
    """Parts of the house that a file imports."""
    names = (name.split(".") for name in imported_modules(path))
    known = set().union(*FLOORS)
    return {name[1] if len(name) > 1 and name[1] in known else "mteval" for name in names if name[0] == "mteval"}


def floor_of(part: str) -> int:
    """Height of a part; raises where the layout does not know it."""
    floors = [height for height, parts in enumerate(FLOORS) if part in parts]
    assert floors, f"'{part}' has no place in the layout"
    return floors[0]


@pytest.mark.parametrize(("part", "path"), [pytest.param(p, f, id=str(f.relative_to(ROOT))) for p, f in sources()])
def test_imports_point_down(part: str, path: Path) -> None:
    for other in house_parts(path) - {part}:
        assert floor_of(other) <= floor_of(part), f"{path} ({part}) imports {other}, which is above it"
        if floor_of(other) == floor_of(part):
            assert part in MAY_IMPORT_SIBLINGS, f"{path} ({part}) imports its sibling {other}"


@pytest.mark.parametrize(("part", "path"), [pytest.param(p, f, id=str(f.relative_to(ROOT))) for p, f in sources()])
def test_streamlit_is_known_only_where_the_screen_is(part: str, path: Path) -> None:
    uses = any(name.split(".")[0] == "streamlit" for name in imported_modules(path))
    assert not uses or part in STREAMLIT_FLOORS, f"{path} imports streamlit"
