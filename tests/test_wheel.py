"""The wheel holds all that the command line and the dashboard need, away from the repository."""

import ast
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

# Packages of the extra app, and one that they need
OF_THE_DASHBOARD = {"choreographer", "kaleido", "plotly", "streamlit"}
NEED_THEM = ("mteval.ui", "mteval.figures", "mteval.render.talk", "mteval.report.talk")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built with the package that the lock has for it."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), ROOT], check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def test_the_wheel_has_every_module_page_style_and_text_of_the_sample(wheel: Path) -> None:
    held = set(zipfile.ZipFile(wheel).namelist())
    package = files_below(ROOT / "mteval", ".py", ".css", ".js", ".svg", ".csv", ".typed")
    wanted = {path.relative_to(ROOT).as_posix() for path in package}
    dashboard = [ROOT / "app.py", ROOT / ".streamlit" / "config.toml", *(ROOT / "pages").glob("*.py")]
    dashboard += files_below(ROOT / "sample_data", ".txt", ".nbest")
    wanted |= {f"mteval/dashboard/{path.relative_to(ROOT).as_posix()}" for path in dashboard}
    assert wanted <= held, sorted(wanted - held)

    folders = {name.split("/")[0] for name in held}
    assert sorted(name for name in folders if not name.endswith(".dist-info")) == ["mteval"]


def files_below(folder: Path, *suffixes: str) -> list[Path]:
    """The files of some kinds in a folder."""
    return [path for path in folder.rglob("*") if path.suffix in suffixes]


def test_what_was_installed_from_it_finds_its_dashboard_and_its_sample(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path)
    environment = {"PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-P", "-c", _LOOK]
    printed = subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True, text=True).stdout
    assert printed.split() == [str(tmp_path / "mteval" / "dashboard"), "True", "True"]


def test_only_the_dashboard_and_figures_import_packages_of_the_extra_app() -> None:
    imports_of = {}
    for path in (ROOT / "mteval").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imports_of[module_of(path)] = set(imported(tree))

    # First those that import one of the packages, then, as long as there are more, those that import one of those.
    needing = set()
    for module, imports in imports_of.items():
        packages = {name.split(".")[0] for name in imports}
        if packages & OF_THE_DASHBOARD:
            needing.add(module)
    while added := {module for module, imports in imports_of.items() if imports & needing} - needing:
        needing |= added
    assert "mteval.figures.style" in needing
    misplaced = [module for module in needing if not module.startswith(NEED_THEM)]
    assert not misplaced, "without the extra app these cannot be imported: " + ", ".join(sorted(misplaced))


def module_of(path: Path) -> str:
    """Dotted name of a module; of a package's ``__init__`` the package's."""
    name = path.relative_to(ROOT).with_suffix("").as_posix()
    return name.removesuffix("/__init__").replace("/", ".")


def imported(tree: ast.AST) -> Iterator[str]:
    """Modules that a module imports, wherever in the file, but for its types only."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield str(node.module)
        yield from imported(node)


_LOOK = """
from mteval.base.paths import dashboard_directory
from mteval.ui.setup.workspace import SAMPLE
print(dashboard_directory(), (dashboard_directory() / "app.py").is_file(), any(SAMPLE.rglob("*.nbest")))
"""
