"""Each door of the package names the modules that it must not load."""

import ast
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

import mteval
from mteval.base.late import PACKAGES
from mteval.cli import COMMANDS

ROOT = Path(__file__).parent.parent

DATABASES = {"alembic", "sqlalchemy"}
# Needed by one question, one metric or one place of execution each.
OF_ONE_QUESTION = {
    "dask", "distributed", "fsspec", "matplotlib", "mlflow", "mt_thresholds", "mweralign", "openpyxl", "psycopg",
    "scipy.optimize", "scipy.stats", "torch", "wandb",
}  # fmt: skip
SCREEN = {"plotly", "streamlit"}
SLOW = DATABASES | OF_ONE_QUESTION | SCREEN | {"numba"}
COMPUTING = SLOW | {"msgspec", "numpy", "pandas", "sacrebleu", "scipy"}
# The command line delays these until one of their names is used.
OF_A_COMMAND = SLOW | {"pandas", "sacrebleu", "scipy.special"}

# A stand-in that the command line puts in place of a slow package has no file.
WATCH = """
import json, sys
def loaded(names):
    return sorted(name for name in names if name in sys.modules and sys.modules[name].__dict__.get("__file__"))
"""


def loaded_by(steps: Mapping[str, str], names: set[str]) -> dict[str, list[str]]:
    """Run the steps in one new process, and return which of the named modules each of them loaded first."""
    code = [WATCH, "before, told = set(), {}"]
    for step, does in steps.items():
        code.append(does)
        code.append(f"told[{step!r}] = sorted(set(loaded({sorted(names)!r})) - before)")
        code.append(f"before.update(told[{step!r}])")
    code.append("print('\\nLOADED', json.dumps(told))")
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(code)], cwd=ROOT, env=os.environ, capture_output=True, text=True, check=True
    )
    told = json.loads(done.stdout.rpartition("LOADED")[2])
    return {step: modules for step, modules in told.items() if modules}


def command(*words: str) -> str:
    """Code that runs a command as the shell does; help and version end the program."""
    return f"from mteval.cli import main\ntry:\n    main({list(words)!r})\nexcept SystemExit:\n    pass"


def imports_of(path: Path) -> str:
    """The imports at the top of a script, as code."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imports = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    return "\n".join(map(ast.unparse, imports))


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """A reference and four outputs, by name."""
    texts = {"ref": "the cat sat\na dog barked\n", "one": "the cat\na dog barked\n", "two": "cats sat\na dog\n"}
    texts |= {"three": "cat sat\nthe dog barked\n", "four": "the cat sits\na dog or two barked\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return {name: str(tmp_path / name) for name in texts}


def test_the_package_loads_nothing_until_a_name_is_used() -> None:
    assert loaded_by({"import mteval": "import mteval"}, COMPUTING | {"mteval.interface", "mteval.analysis"}) == {}


def test_version_and_help_load_nothing_that_computes() -> None:
    steps = {"--version": command("--version"), "--help": command("--help")}
    assert loaded_by(steps, COMPUTING | {"mteval.analysis", "mteval.metrics", "mteval.readers"}) == {}


def test_python_functions_load_no_database_no_screen_and_no_package_of_one_question() -> None:
    steps = {name: f"from mteval import {name}" for name in ("load", "score", "compare", "gate", "claim", "people")}
    assert loaded_by(steps, {*SLOW, "mteval.library", "mteval.annotations.store", "mteval.cli"}) == {}


def test_python_functions_load_few_modules_and_no_slow_package_until_they_are_called() -> None:
    steps = {name: f"from mteval import {name}" for name in ("compare", "score", "load", "gate", "Comparison")}
    assert loaded_by(steps, {*PACKAGES, "numba"}) == {}
    code = "import sys; from mteval import compare; print(len(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 650


def test_import_after_mteval_returns_the_packages_themselves() -> None:
    code = f"""
import sys
from mteval import compare
assert not set({PACKAGES!r}) & set(sys.modules)
from importlib import import_module
for name in {PACKAGES!r}:
    assert import_module(name) is sys.modules[name]
    assert sys.modules[name].__dict__["__file__"]
import pandas
assert compare.__globals__["pd"].DataFrame is pandas.DataFrame
print(pandas.DataFrame({{"a": [1]}}).a.sum())
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"


def test_packages_loaded_before_stay_as_they_are() -> None:
    code = "import pandas; from mteval import compare; print(compare.__globals__['pd'] is pandas)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


def test_calls_from_python_load_no_database_and_no_screen(files: dict[str, str], tmp_path: Path) -> None:
    systems = {"A": [files["one"], files["two"]], "B": [files["three"], files["four"]]}
    few = {"n_bootstrap": 20, "n_shuffles": 20}
    mteval.compare(systems, files["ref"], ["length"], **few).save(tmp_path / "saved.zip")
    zipfile.ZipFile(tmp_path / "saved.zip").extractall(tmp_path)
    steps = {
        "score": f"import mteval; mteval.score({systems!r}, {files['ref']!r}, ['length'])",
        "load": f"mteval.load({str(tmp_path / 'experiment.toml')!r})",
        "compare": f"mteval.compare({systems!r}, {files['ref']!r}, ['length'], **{few!r})",
    }
    names = DATABASES | SCREEN | OF_ONE_QUESTION - {"scipy.optimize"}
    assert loaded_by(steps, {*names, "mteval.library", "mteval.annotations.store"}) == {}


def test_the_help_of_each_command_loads_no_slow_package() -> None:
    of_databases = {"library": {"sqlalchemy"}, "annotations": DATABASES, "campaigns": DATABASES}
    plain = [name for name in COMMANDS if name not in of_databases]
    assert loaded_by({name: command(name, "--help") for name in plain}, OF_A_COMMAND) == {}
    for name, needed in of_databases.items():
        assert loaded_by({name: command(name, "--help")}, OF_A_COMMAND - needed) == {}


@pytest.mark.parametrize("name", ["eval", "gate", "compare"])
def test_comparing_files_loads_no_database_and_no_screen(name: str, files: dict[str, str]) -> None:
    words = ["--refs", files["ref"], "--system", "a", files["one"], files["two"]]
    words += [
        "--system",
        "b",
        files["three"],
        files["four"],
        "--metrics",
        "length",
        "--boot-samples",
        "20",
        "--ar-shuffles",
        "20",
    ]
    names = DATABASES | SCREEN | OF_ONE_QUESTION - {"scipy.optimize"}
    assert loaded_by({name: command(name, *words)}, {*names, "mteval.library", "mteval.annotations.store"}) == {}


def test_pages_load_no_package_of_one_question() -> None:
    paths: Sequence[Path] = [ROOT / "app.py", *sorted((ROOT / "pages").glob("*.py"))]
    steps = {path.name: imports_of(path) for path in paths}
    names = OF_ONE_QUESTION - {"scipy.optimize"} | {"mteval.cli", "numba"}
    assert loaded_by(steps, names) == {}
