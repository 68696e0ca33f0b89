"""Imports point down only, between the parts of the house and between the rooms of a part."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FLOORS: list[set[str]] = [
    {"bounded_json", "checked_table", "control_characters", "utf16"}
    | {"mteval", "errors", "paths", "arrays", "kernels", "machine_code", "digests", "names", "counts", "companions"},
    {"model", "given", "settings", "service", "notation", "verdict", "coverage", "spreads"}
    | {"conllu", "judgements", "mqm", "claim", "run_words", "look_plans", "error_spans", "languages"},
    {"readers", "metrics", "stats", "store", "parallel", "library", "annotations", "figures", "export"},
    {"analysis"},
    {"reporting"},
    {"cli", "ui", "interface"},
    {"__main__", "pages"},
    {"app"},
]
FOUNDATION = FLOORS[0] | FLOORS[1]  # is one: its modules may import each other
STREAMLIT_FLOORS = {"ui", "pages", "app"}

# Folders of a part stand side by side and never import each other, but for those named here: lower ones first. Any
# folder may use the modules at its part's top.
ROOMS: Mapping[str, Sequence[set[str]]] = {
    "readers": [{"formats", "checks"}, {"guesses", "assembly"}, {"experiment_file"}],
    "metrics": [{"text"}, {"edits", "ngram", "meteor", "neural"}],
    "stats": [{"resampling"}, {"procedures"}, {"replication", "judgements"}],
    "analysis": [{"tests"}, {"people"}],
    "export": [{"prose"}, {"overview", "multeval"}],
    "ui": [
        {"parts"},
        {"session"},
        {"setup"},
        {"replication", "segments", "significance", "annotate", "server"},
        {"people"},
    ],
}
MOST_ROOMS_OF_UI = 15
MOST_FLOORS_OF_UI = 6


def sources() -> Iterator[tuple[str, Path]]:
    """Every module with the part of the house that it belongs to."""
    yield "app", ROOT / "app.py"
    for path in sorted((ROOT / "pages").glob("*.py")):
        yield "pages", path
    for path in sorted((ROOT / "mteval").rglob("*.py")):
        parts = path.relative_to(ROOT / "mteval").with_suffix("").parts
        yield ("mteval" if parts == ("__init__",) else parts[0]), path


ALL = pytest.mark.parametrize(("part", "path"), [pytest.param(p, f, id=str(f.relative_to(ROOT))) for p, f in sources()])


@cache
def imported_modules(path: Path) -> tuple[str, ...]:
    """Absolute names of all modules that a file imports, wherever in the file."""
    names: list[str] = []
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if path == ROOT / "mteval" / "__init__.py":  # what types alone read is loaded when a program asks for it
        tree.body = [node for node in tree.body if not isinstance(node, ast.If)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            names += (f"{node.module}.{alias.name}" for alias in node.names)
    return tuple(names)


def house_parts(path: Path) -> set[str]:
    """Parts of the house that a file imports."""
    names = (name.split(".") for name in imported_modules(path))
    known = set().union(*FLOORS)
    return {name[1] if len(name) > 1 and name[1] in known else "mteval" for name in names if name[0] == "mteval"}


def floor_of(name: str, floors: Sequence[set[str]]) -> int | None:
    """Height of a part or room; None where the layout does not name it."""
    return next((height for height, names in enumerate(floors) if name in names), None)


def room_of(part: str, module: Sequence[str]) -> str | None:
    """The folder of a part that a module stands in, given by its name's pieces; None for those at the part's top."""
    if len(module) > 2 and module[:2] == ("mteval", part) and (ROOT / "mteval" / part / module[2]).is_dir():
        return module[2]
    return None


def module_name(path: Path) -> tuple[str, ...]:
    """The pieces of a module's name."""
    return path.relative_to(ROOT).with_suffix("").parts


def rooms_imported(part: str, path: Path) -> Iterator[str]:
    """Other folders of a module's part that it imports."""
    own = room_of(part, module_name(path))
    for name in imported_modules(path):
        other = room_of(part, tuple(name.split(".")))
        if other is not None and other != own:
            yield other


@ALL
def test_imports_point_down(part: str, path: Path) -> None:
    height = floor_of(part, FLOORS)
    assert height is not None, f"'{part}' has no place in the layout"
    for other in house_parts(path) - {part}:
        other_height = floor_of(other, FLOORS)
        assert other_height is not None
        assert other_height <= height, f"{path} ({part}) imports {other}, which is above it"
        if other_height == height:
            assert part in FOUNDATION, f"{path} ({part}) imports its sibling {other}"


@ALL
def test_folders_of_a_part_import_lower_ones_only(part: str, path: Path) -> None:
    own = room_of(part, module_name(path))
    if own is None:
        return
    floors = ROOMS.get(part, ())
    height = floor_of(own, floors)
    for other in rooms_imported(part, path):
        other_height = floor_of(other, floors)
        is_below = height is not None and other_height is not None and other_height < height
        assert is_below, f"{path} ({part}/{own}) imports {part}/{other}, which stands beside it or above"


def test_rooms_named_here_are_there() -> None:
    for part, floors in ROOMS.items():
        for room in set().union(*floors):
            assert (ROOT / "mteval" / part / room).is_dir(), f"there is no mteval/{part}/{room}"


def rooms_at_the_top(part: str) -> dict[str, set[str]]:
    """Folders and modules at a part's top, with those that each imports."""
    rooms: dict[str, set[str]] = {}
    for owner, path in sources():
        name = module_name(path)
        if owner == part and name[2:] and name[2] != "__init__":
            found = {
                other[2]
                for other in (tuple(imported.split(".")) for imported in imported_modules(path))
                if other[:2] == ("mteval", part) and len(other) > 2
            }
            rooms.setdefault(name[2], set()).update(found - {name[2]})
    return {room: {other for other in others if other in rooms} for room, others in rooms.items()}


def test_the_screen_is_a_house_of_few_rooms_and_floors() -> None:
    rooms = rooms_at_the_top("ui")
    assert len(rooms) <= MOST_ROOMS_OF_UI, sorted(rooms)
    heights: dict[str, int] = {}

    def height(room: str, above: tuple[str, ...] = ()) -> int:
        assert room not in above, f"rooms of ui import each other in a circle: {' -> '.join((*above, room))}"
        if room not in heights:
            heights[room] = 1 + max((height(other, (*above, room)) for other in rooms[room]), default=0)
        return heights[room]

    assert max(map(height, rooms)) <= MOST_FLOORS_OF_UI, heights


@ALL
def test_streamlit_is_known_only_where_the_screen_is(part: str, path: Path) -> None:
    uses = any(name.split(".")[0] == "streamlit" for name in imported_modules(path))
    assert not uses or part in STREAMLIT_FLOORS, f"{path} imports streamlit"
