"""What ``mteval prepare`` leaves on disk for later starts."""

import os
import subprocess
import sys
from pathlib import Path

CODE = """
import pathlib, sys, other_package, mteval.cli.prepare
assert sys.dont_write_bytecode
mteval.cli.prepare.keep_bytecode(pathlib.Path(sys.argv[1]))
"""


def test_bytecode_is_kept_although_python_is_told_not_to(tmp_path: Path) -> None:
    package = tmp_path / "package"
    (package / "inner").mkdir(parents=True)
    (package / "__init__.py").write_text("VALUE = 1\n", encoding="utf-8")
    (package / "inner" / "module.py").write_text("VALUE = 2\n", encoding="utf-8")
    (package / "broken.py").write_text("VALUE =\n", encoding="utf-8")
    (tmp_path / "other_package.py").write_text("VALUE = 3\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    environment["PYTHONPATH"] = os.pathsep.join([str(tmp_path), str(Path.cwd())])
    command = [sys.executable, "-c", CODE, str(package)]
    for _ in range(2):
        subprocess.run(command, env=environment, check=True)
    kept = sorted(path.name.partition(".")[0] for path in tmp_path.rglob("*.pyc"))
    assert kept == ["__init__", "module", "other_package"]
