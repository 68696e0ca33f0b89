"""Leaves out of the wheel what the distribution ``mteval-dashboard`` adds; ``dashboard/setup.py`` packs that."""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ADDED = Path(__file__).with_name("dashboard").joinpath("files.txt").read_text(encoding="utf-8").split()


class WithoutDashboard(build_py):
    """Builds the package without the dashboard, unless it is used where it stands."""

    def run(self) -> None:
        """Remove the files after all are copied."""
        super().run()
        if self.editable_mode:
            return
        for pattern in ADDED:
            for path in Path(self.build_lib).glob(pattern):
                if path.is_file():
                    path.unlink()


setup(cmdclass={"build_py": WithoutDashboard})
