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
        parts = path.relative_to(ROOT / "mteval").with_suffix("").parts
        yield ("mteval" if parts == ("__init__",) else parts[0]), path


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
    names = (name.split(".") for name in imported_modules(path))
    known = frozenset().union(*FLOORS)
    return {name[1] if len(name) > 1 and name[1] in known else "mteval" for name in names if name[0] == "mteval"}


def height_of(name: str, floors: Sequence[frozenset[str]]) -> int:
    """On which floor a part or room is; -1 where the layout does not name it."""
    return next((height for height, names in enumerate(floors) if name in names), -1)


def room_of(part: str, module: Sequence[str]) -> str | None:
    """The folder of a part that a module stands in, given by its name's pieces; None for those at the part's top."""
    if len(module) > 2 and module[:2] == ("mteval", part) and (ROOT / "mteval" / part / module[2]).is_dir():
        return module[2]
    return None


def test_every_part_has_a_floor() -> None:
    unknown = {part for part, _ in sources() if height_of(part, FLOORS) < 0}
    assert not unknown, f"give these a place in FLOORS: {sorted(unknown)}"


def test_imports_point_down() -> None:
    offenders = [
        f"{path.relative_to(ROOT)} ({part}) imports {other}"
        for part, path in sources()
        for other in sorted(parts_imported(path) - {part})
        if height_of(other, FLOORS) >= height_of(part, FLOORS)
    ]
    assert not offenders, "move the code down, or what it needs:\n" + "\n".join(offenders)


def test_folders_of_a_part_import_lower_ones_only() -> None:
    offenders = []
    for part, path in sources():
        own = room_of(part, path.relative_to(ROOT).with_suffix("").parts)
        if own is None:
            continue
        floors = ROOMS.get(part, ())
        for name in imported_modules(path):
            other = room_of(part, tuple(name.split(".")))
            if other not in (None, own) and not 0 <= height_of(str(other), floors) < height_of(own, floors):
                offenders.append(f"{path.relative_to(ROOT)} imports {part}/{other}")
    assert not offenders, "move the code down, or what it needs:\n" + "\n".join(offenders)


def test_rooms_named_here_exist() -> None:
    missing = [
        f"mteval/{part}/{room}"
        for part, floors in ROOMS.items()
        for room in sorted(frozenset().union(*floors))
        if not (ROOT / "mteval" / part / room).is_dir()
    ]
    assert not missing


def test_modules_and_folders_import_each_other_in_no_circle() -> None:
    names = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for _, path in sources()
    }
    graphs: dict[tuple[str, ...], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for name, path in names.items():
        for imported in imported_modules(path) if path.name != "__init__.py" else ():
            found = imported if imported in names else imported.rpartition(".")[0]
            if found in names and not f"{name}.".startswith(f"{found}."):
                own, other = name.split("."), found.split(".")
                n_shared = next(place for place, pair in enumerate(zip(own, other, strict=False)) if len({*pair}) > 1)
                graphs[tuple(own[:n_shared])][own[n_shared]].add(other[n_shared])
    circles = []
    for folder, graph in graphs.items():
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            circles.append(f"{'/'.join(folder)}: {' <- '.join(error.args[1])}")
    assert not circles, (
        "what stands in a folder, be it a module or a folder, imports its neighbours one way only:\n"
        + "\n".join(circles)
    )


def test_streamlit_is_imported_by_the_screen_alone() -> None:
    offenders = [
        str(path.relative_to(ROOT))
        for part, path in sources()
        if part not in STREAMLIT_FLOORS and any(name.split(".")[0] == "streamlit" for name in imported_modules(path))
    ]
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
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            names.update(target.id for target in targets if isinstance(target, ast.Name))
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
        path = next((place for place in (ROOT / file, (ROOT / guide).parent / file) if place.is_file()), None)
        if path is None:
            missing.append(file)
        elif name and name not in defined_in(path):
            missing.append(f"{file}: {name}")
    missing += [folder for folder in FOLDER.findall(text) if not (ROOT / folder).exists()]
    missing += [name for name in NAME.findall(PLACE.sub("", text)) if name not in names_anywhere()]
    missing = [name for name in missing if name not in NOT_OURS]
    assert not missing, f"{guide} names what does not exist; correct it:\n" + "\n".join(missing)
