"""The wheels hold all that the command line and the dashboard need, away from the repository, and nothing twice."""

import ast
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Those of the core and of the dashboard, built as an installer builds them."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    projects = [str(ROOT), str(ROOT / "dashboard")]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", str(folder), *projects], check=True)
    return [next(folder.glob(f"{name}-*.whl")) for name in ("mteval_core", "mteval_dashboard")]


def test_the_wheels_have_every_module_page_style_and_text_of_the_sample_once(wheels: list[Path]) -> None:
    core, added = (set(zipfile.ZipFile(wheel).namelist()) for wheel in wheels)
    assert not core & added
    assert not any(name.startswith(("mteval/ui/", "mteval/dashboard/")) for name in core)
    held = core | added
    package = [
        path for path in (ROOT / "mteval").rglob("*") if path.suffix in (".py", ".css", ".js", ".svg", ".csv", ".typed")
    ]
    wanted = {path.relative_to(ROOT).as_posix() for path in package}
    dashboard = [ROOT / "app.py", ROOT / ".streamlit" / "config.toml", *(ROOT / "pages").glob("*.py")]
    dashboard += [path for path in (ROOT / "sample_data").rglob("*") if path.suffix in (".txt", ".nbest")]
    wanted |= {f"mteval/dashboard/{path.relative_to(ROOT).as_posix()}" for path in dashboard}
    assert wanted <= held, sorted(wanted - held)
    assert not any(name.startswith("tests/") for name in held)


def test_what_was_installed_from_them_finds_its_dashboard_and_its_sample(wheels: list[Path], tmp_path: Path) -> None:
    for wheel in wheels:
        zipfile.ZipFile(wheel).extractall(tmp_path)
    said = subprocess.run(
        [sys.executable, "-P", "-c", _LOOK], cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}, check=True,
        capture_output=True, text=True,
    ).stdout  # fmt: skip
    assert said.split() == [str(tmp_path / "mteval" / "dashboard"), "True", "True"]


def test_the_core_imports_nothing_that_it_lacks(wheels: list[Path]) -> None:
    with zipfile.ZipFile(wheels[0]) as core:
        trees = {name: ast.parse(core.read(name)) for name in core.namelist() if name.endswith(".py")}
    ours = {name.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for name in trees}
    project = tomllib.loads((ROOT / "dashboard" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lacking = {re.split(r"[^\w]", wanted)[0] for wanted in project["dependencies"]} | {"choreographer"}
    lacking -= {"mteval", "mt"}  # the core, and mt-thresholds, which is an extra of the core as well
    assert lacking == {"choreographer", "kaleido", "plotly", "streamlit"}
    found = [
        f"{name} imports {module}"
        for name, tree in trees.items()
        for module in imported(tree)
        if module.split(".")[0] in lacking or (module.split(".")[0] == "mteval" and module not in ours)
    ]
    assert not found, "give these to the other distribution (dashboard/files.txt), or import less: " + "; ".join(found)


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
