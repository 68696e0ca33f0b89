"""Imports point down only; each rule is one test that lists every offender."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# The floors of the house, lowest first. Parts of one floor never import each other.
FLOORS: Sequence[frozenset[str]] = (
    frozenset({"_version"}),
    frozenset({"base"}),
    frozenset({"values"}),
    frozenset({"readers", "metrics", "stats", "annotations", "library", "figures"}),
    frozenset({"analysis"}),
    frozenset({"answers"}),
    frozenset({"render"}),
    frozenset({"report"}),
    frozenset({"cli", "ui", "interface"}),
    frozenset({"mteval", "__main__", "pages"}),
    frozenset({"app"}),
)
# Folders inside a part, lowest first, where one may import another. The modules at a part's top are free.
ROOMS: Mapping[str, Sequence[frozenset[str]]] = {
    "readers": (frozenset({"formats"}), frozenset({"guesses", "assembly"})),
    "metrics": (frozenset({"text"}), frozenset({"edits", "ngram", "meteor", "neural"})),
    "stats": (frozenset({"resampling"}), frozenset({"procedures", "agreement"})),
    "analysis": (frozenset({"segments"}), frozenset({"words", "people"})),
    "ui": (
        frozenset({"session"}),
        frozenset({"setup"}),
        frozenset({"segments", "annotate", "server"}),
    ),
}
STREAMLIT_FLOORS = {"ui", "pages", "app"}
MOST_AT_THE_TOP = 20


def sources() -> Iterator[tuple[str, Path]]:
    """Every module with the part of the house that it belongs to."""
    yield "app", ROOT / "app.py"
    for path in sorted((ROOT / "pages").glob("*.py")):
        yield "pages", path
    for path in sorted((ROOT / "mteval").rglob("*.py")):
        part = path.relative_to(ROOT / "mteval").with_suffix("").parts[0]
        if part == "__init__":
            part = "mteval"
        yield part, path


@cache
def imported_modules(path: Path) -> tuple[str, ...]:
    """Absolute names of all modules that a file imports, wherever in the file."""
    names: list[str] = []
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            names += (f"{node.module}.{alias.name}" for alias in node.names)
    return tuple(names)


def parts_imported(path: Path) -> set[str]:
    """Parts of the house that a file imports."""
    known_parts = frozenset().union(*FLOORS)
    parts = set()
    for name in imported_modules(path):
        package, _, rest = name.partition(".")
        part = rest.split(".")[0]
        if package != "mteval":
            continue
        if part in known_parts:
            parts.add(part)
        else:  # a name that the package itself gives out
            parts.add("mteval")
    return parts


def height_of(name: str, floors: Sequence[frozenset[str]]) -> int:
    """On which floor a part or room is; -1 where the layout does not name it."""
    for height, names in enumerate(floors):
        if name in names:
            return height
    return -1


def room_of(part: str, module: Sequence[str]) -> str | None:
    """The folder of a part that a module stands in, given by its name's pieces; None for those at the part's top."""
    if len(module) > 2 and module[:2] == ("mteval", part) and (ROOT / "mteval" / part / module[2]).is_dir():
        return module[2]
    return None


def test_every_part_has_a_floor() -> None:
    unknown = {part for part, _ in sources() if height_of(part, FLOORS) < 0}
    assert not unknown, f"give these a place in FLOORS: {sorted(unknown)}"


def test_imports_point_down() -> None:
    offenders = []
    for part, path in sources():
        for imported_part in sorted(parts_imported(path) - {part}):
            if height_of(imported_part, FLOORS) >= height_of(part, FLOORS):
                offenders.append(f"{path.relative_to(ROOT)} ({part}) imports {imported_part}")
    assert not offenders, "move the code down, or what it needs:\n" + "\n".join(offenders)


def test_folders_of_a_part_import_lower_ones_only() -> None:
    offenders = []
    for part, path in sources():
        room = room_of(part, path.relative_to(ROOT).with_suffix("").parts)
        if room is None:
            continue
        floors = ROOMS.get(part, ())
        for name in imported_modules(path):
            imported_room = room_of(part, tuple(name.split(".")))
            if imported_room is None or imported_room == room:
                continue
            is_lower = 0 <= height_of(imported_room, floors) < height_of(room, floors)
            if not is_lower:
                offenders.append(f"{path.relative_to(ROOT)} imports {part}/{imported_room}")
    assert not offenders, "move the code down, or what it needs:\n" + "\n".join(offenders)


def test_rooms_named_here_exist() -> None:
    missing = []
    for part, floors in ROOMS.items():
        for room in sorted(frozenset().union(*floors)):
            if not (ROOT / "mteval" / part / room).is_dir():
                missing.append(f"mteval/{part}/{room}")
    assert not missing


def imports_between_modules() -> Iterator[tuple[list[str], list[str]]]:
    """The pieces of the names of a module and of one that it imports; packages' own imports apart, which hand on."""
    path_of = {}
    for _, path in sources():
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        path_of[name.removesuffix(".__init__")] = path
    for name, path in path_of.items():
        if path.name == "__init__.py":
            continue
        for imported in imported_modules(path):
            module = imported
            if module not in path_of:  # a function or class of a module
                module = imported.rpartition(".")[0]
            is_around = f"{name}.".startswith(f"{module}.")
            if module in path_of and not is_around:
                yield name.split("."), module.split(".")


def test_modules_and_folders_import_each_other_in_no_circle() -> None:
    # By folder: of each module or folder in it, its neighbours there that it imports
    graph_of: dict[tuple[str, ...], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for importer, imported in imports_between_modules():
        n_shared = 0
        while importer[n_shared] == imported[n_shared]:
            n_shared += 1
        folder = tuple(importer[:n_shared])
        graph_of[folder][importer[n_shared]].add(imported[n_shared])

    circles = []
    for folder, graph in graph_of.items():
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            _, circle = error.args
            circles.append(f"{'/'.join(folder)}: {' <- '.join(circle)}")
    assert not circles, (
        "what stands in a folder, be it a module or a folder, imports its neighbours one way only:\n"
        + "\n".join(circles)
    )


def test_streamlit_is_imported_by_the_screen_alone() -> None:
    offenders = []
    for part, path in sources():
        packages = {name.split(".")[0] for name in imported_modules(path)}
        if "streamlit" in packages and part not in STREAMLIT_FLOORS:
            offenders.append(str(path.relative_to(ROOT)))
    assert not offenders


def test_few_entries_stand_at_the_top_of_the_package() -> None:
    entries = [path.name for path in (ROOT / "mteval").iterdir() if path.name != "__pycache__"]
    assert len(entries) <= MOST_AT_THE_TOP, sorted(entries)


# Pages that lead newcomers through the code
GUIDES = ("docs/architecture.md", "CONTRIBUTING.md")
PLACE = re.compile(r"`((?:[\w.-]+/)*[\w-]+\.(?:py|html|js|css|toml|txt|md|yml))(?:: ([\w.]+))?`")
FOLDER = re.compile(r"`((?:mteval|tests|docs|benchmarks|pages|bin|requirements|\.github)/[\w./-]*)`")
NAME = re.compile(r"`([A-Za-z_]\w+(?:\.[A-Za-z_]\w+)*)`")
NOT_OURS = {"new.0.txt", "new", "base", "experiment.toml", "MTEVAL_DATA"}  # a user's files, systems and variables


def defined_in(path: Path) -> set[str]:
    """Names that a module defines at its top, and those of classes with their methods, fields and attributes."""
    names = set[str]()
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.FunctionDef):
            names.add(statement.name)
        elif isinstance(statement, ast.Assign):
            names |= {target.id for target in statement.targets if isinstance(target, ast.Name)}
        elif isinstance(statement, ast.AnnAssign):
            if isinstance(statement.target, ast.Name):
                names.add(statement.target.id)
        elif isinstance(statement, ast.ClassDef):
            names.add(statement.name)
            for member in statement.body:
                if isinstance(member, ast.FunctionDef):
                    names.add(f"{statement.name}.{member.name}")
    return names


@cache
def names_anywhere() -> frozenset[str]:
    """Everything that a module of the house defines, with the names of modules, parts and the public package."""
    names = {"mteval"}.union(*FLOORS)
    for _, path in sources():
        defined = defined_in(path)
        names |= defined | {f"mteval.{name}" for name in defined} | {path.stem}
    return frozenset(names)


@pytest.mark.parametrize("guide", GUIDES)
def test_guides_name_only_what_exists(guide: str) -> None:
    text = (ROOT / guide).read_text(encoding="utf-8")
    missing = []
    for file, name in PLACE.findall(text):
        path = ROOT / file
        if not path.is_file():
            path = (ROOT / guide).parent / file
        if not path.is_file():
            missing.append(file)
        elif name and name not in defined_in(path):
            missing.append(f"{file}: {name}")
    missing += [folder for folder in FOLDER.findall(text) if not (ROOT / folder).exists()]
    missing += [name for name in NAME.findall(PLACE.sub("", text)) if name not in names_anywhere()]
    missing = [name for name in missing if name not in NOT_OURS]
    assert not missing, f"{guide} names what does not exist; correct it:\n" + "\n".join(missing)
