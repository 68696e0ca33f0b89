"""Packs what ``files.txt`` names of the package, and the dashboard's script, pages, configuration and sample."""

import shutil
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent.parent
MODULES = Path(__file__).with_name("files.txt").read_text(encoding="utf-8").split()
DASHBOARD = ("app.py", "pages/*.py", ".streamlit/config.toml", "sample_data/**/*.txt", "sample_data/**/*.nbest")


class Packed(build_py):
    """Copies files of the folder above."""

    def run(self) -> None:
        """Copy modules into the package, and the rest into its folder ``dashboard``."""
        for folder, patterns in (("", MODULES), ("mteval/dashboard", DASHBOARD)):
            for path in (path for pattern in patterns for path in ROOT.glob(pattern)):
                if path.is_file() and path.suffix != ".pyc":
                    target = Path(self.build_lib, folder, path.relative_to(ROOT))
                    self.mkpath(str(target.parent))
                    shutil.copyfile(path, target)


class Pure(Distribution):
    """A distribution that has modules, although none stand beside this file."""

    def has_pure_modules(self) -> bool:
        """Have ``build_py`` run."""
        return True


setup(cmdclass={"build_py": Packed}, distclass=Pure)
