"""Puts the dashboard into the wheel: its script, pages, configuration and sample stand beside the package here."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = Path(__file__).parent
DASHBOARD = ("app.py", "pages/*.py", ".streamlit/config.toml", "sample_data/**/*.txt", "sample_data/**/*.nbest")


class WithDashboard(build_py):
    """Builds the package with the folder ``mteval/dashboard``, unless it is used where it stands."""

    def run(self) -> None:
        """Copy the files after the modules."""
        super().run()
        if self.editable_mode:
            return
        for pattern in DASHBOARD:
            for path in HERE.glob(pattern):
                target = Path(self.build_lib, "mteval", "dashboard", path.relative_to(HERE))
                self.mkpath(str(target.parent))
                shutil.copyfile(path, target)


setup(cmdclass={"build_py": WithDashboard})
