"""The wheel holds all that the dashboard and the command line need, away from the repository."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.conftest import ROOT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built as an installer builds it."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", str(folder), str(ROOT)], check=True)
    (built,) = folder.glob("mteval_dashboard-*.whl")
    return built


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
    assert not any(name.startswith("tests/") for name in held)


def test_what_was_installed_from_it_finds_its_dashboard_and_its_sample(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path)
    said = subprocess.run(
        [sys.executable, "-P", "-c", _LOOK], cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}, check=True,
        capture_output=True, text=True,
    ).stdout  # fmt: skip
    assert said.split() == [str(tmp_path / "mteval" / "dashboard"), "True", "True"]


_LOOK = """
from mteval.base.paths import dashboard_directory
from mteval.ui.setup.workspace import SAMPLE
print(dashboard_directory(), (dashboard_directory() / "app.py").is_file(), any(SAMPLE.rglob("*.nbest")))
"""
