"""The wheel holds all that the command line and the dashboard need, away from the repository."""

import ast
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

OF_THE_DASHBOARD = {
    "choreographer",
    "kaleido",
    "plotly",
    "streamlit",
}  # packages of the extra app, and one that they need
NEED_THEM = ("mteval.ui", "mteval.figures", "mteval.render.talk", "mteval.report.talk")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built with the package that the lock has for it."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), ROOT], check=True)
    (made,) = folder.glob("*.whl")
    return made


def test_the_wheel_has_every_module_page_style_and_text_of_the_sample(wheel: Path) -> None:
    held = set(zipfile.ZipFile(wheel).namelist())
    package = [
        path for path in (ROOT / "mteval").rglob("*") if path.suffix in (".py", ".css", ".js", ".svg", ".csv", ".typed")
    ]
    wanted = {path.relative_to(ROOT).as_posix() for path in package}
    dashboard = [ROOT / "app.py", ROOT / ".streamlit" / "config.toml", *(ROOT / "pages").glob("*.py")]
    dashboard += [path for path in (ROOT / "sample_data").rglob("*") if path.suffix in (".txt", ".nbest")]
    wanted |= {f"mteval/dashboard/{path.relative_to(ROOT).as_posix()}" for path in dashboard}
    assert wanted <= held, sorted(wanted - held)
    folders = {name.split("/")[0] for name in held}
    assert sorted(name for name in folders if not name.endswith(".dist-info")) == ["mteval"]


def test_what_was_installed_from_it_finds_its_dashboard_and_its_sample(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path)
    environment = {"PYTHONPATH": str(tmp_path)}
    words = [sys.executable, "-P", "-c", _LOOK]
    said = subprocess.run(words, cwd=tmp_path, env=environment, check=True, capture_output=True, text=True).stdout
    assert said.split() == [str(tmp_path / "mteval" / "dashboard"), "True", "True"]


def test_only_the_dashboard_and_figures_import_packages_of_the_extra_app() -> None:
    modules = {
        path.relative_to(ROOT).with_suffix("").as_posix().removesuffix("/__init__").replace("/", "."): set(
            imported(ast.parse(path.read_text(encoding="utf-8")))
        )
        for path in (ROOT / "mteval").rglob("*.py")
    }
    needing = {
        name for name, wanted in modules.items() if {module.split(".")[0] for module in wanted} & OF_THE_DASHBOARD
    }
    while grown := {name for name, wanted in modules.items() if wanted & needing} - needing:
        needing |= grown
    assert "mteval.figures.style" in needing
    others = [name for name in needing if not name.startswith(NEED_THEM)]
    assert not others, "without the extra app these cannot be imported: " + ", ".join(sorted(others))


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
