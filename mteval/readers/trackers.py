"""Fetch the files of tracked runs, for ``mlflow:EXPERIMENT`` or ``wandb:ENTITY/PROJECT/GROUP``.

The experiment or group is a system, and its runs are the system's. Tables get the columns ``system`` and ``run``; other
files keep their names, below folders of system and run. Nothing that a server says becomes a path unchecked.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path, PureWindowsPath
from tempfile import mkdtemp
from typing import Any

from mteval.base.bounded_input import bounded_json
from mteval.base.errors import DataError, MissingDependencyError, shortened
from mteval.base.installing import how_to_install
from mteval.base.safe_paths import SafePaths, safe_part
from mteval.base.words import free_name

TRACKED = re.compile(r"(?P<tracker>mlflow|wandb):(?P<name>.+)")


def is_tracked(path: Path) -> bool:
    """Whether a path names runs of a tracker."""
    return TRACKED.fullmatch(str(path)) is not None and not path.exists()


def fetched(path: Path, folder: Path) -> Path:
    """Write the files of tracked runs below a folder, and return the folder of their system.

    Raises
    ------
    MissingDependencyError
        If the tracker's package is not installed.
    DataError
        If there are no such runs, they have no files, or the server refuses.
    """
    tracked = TRACKED.fullmatch(str(path))
    if tracked is None:
        return path
    fetch = _runs_of_mlflow if tracked["tracker"] == "mlflow" else _runs_of_wandb
    name = tracked["name"]
    systems = folder / "systems"
    # Two projects may have groups of one name.
    system = free_name(safe_part(name.rpartition("/")[2]), lambda name: (systems / name).exists())
    own_folder = systems / system
    keys = SafePaths()
    has_runs = False
    for run, folder_of_run in fetch(name, folder):
        has_runs = True
        key = keys.free(safe_part(run))
        paths = SafePaths()
        for file in _files_below(folder_of_run):
            target = own_folder / key / paths.free(file.relative_to(folder_of_run).as_posix())
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(_with_names(file.read_bytes(), system, key))
    if not own_folder.exists():
        missing = "files in its runs" if has_runs else "runs"
        raise DataError(f"'{path}' has no {missing}. Log outputs, or a table with scores per item, with each run.")
    return own_folder


def _files_below(folder: Path) -> list[Path]:
    """Return the files in a folder and its folders, without links, sorted."""
    return sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def _checked(names: Iterable[str], server: str, run: str) -> list[str]:
    """Return the names of a run's files.

    Raises
    ------
    DataError
        If one names a place outside the folder of the run.
    """
    checked = []
    for name in names:
        path = PureWindowsPath(name)  # it splits at slashes of either kind
        if path.anchor or ".." in path.parts or "\0" in name:
            message = f"{server}: run '{run}' has a file '{shortened(name)}', which is outside the run's folder."
            raise DataError(f"{message} Nothing was written. Check the server, or remove that file.")
        checked.append(name)
    return checked


def _with_names(content: bytes, system: str, run: str) -> bytes:
    """Add system and run to a table that has columns and data; return other files unchanged."""
    if not content.startswith(b'{"columns"'):
        return content
    try:
        table = bounded_json(content.decode("utf-8"))
        added = {}
        if "system" not in table["columns"]:
            added["system"] = system
        if "run" not in table["columns"]:
            added["run"] = run
        columns = [*table["columns"], *added]
        data = [[*row, *added.values()] for row in table["data"]]
        return json.dumps({"columns": columns, "data": data}).encode()
    except (ValueError, LookupError, TypeError):  # reported where it is read
        return content


def _runs_of_mlflow(name: str, folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the name of each run of an experiment, and a folder with its files."""
    with mlflow_client() as client:
        experiment = client.get_experiment_by_name(name)
        if experiment is None:
            names = [present.name for present in client.search_experiments(max_results=20)]
            message = f"MLflow has no experiment '{name}'. Found: {', '.join(names) or 'none'}."
            raise DataError(f"{message} Set MLFLOW_TRACKING_URI.")
        for run in client.search_runs([experiment.experiment_id], max_results=1_000, order_by=["start_time"]):
            key = run.info.run_id
            folder_of_run = Path(mkdtemp(dir=folder))  # the ID is the server's word
            _checked(_artifacts(client, key), "MLflow", key)
            client.download_artifacts(key, "", str(folder_of_run))
            yield run.info.run_name or key, folder_of_run


def _artifacts(client: Any, run: str) -> Iterator[str]:
    """Yield the path of each artifact of a run, and of each folder before what is in it."""
    folders = [""]
    while folders:
        for artifact in client.list_artifacts(run, folders.pop()):
            yield artifact.path
            if artifact.is_dir:
                folders.append(artifact.path)


def _runs_of_wandb(name: str, folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the name of each run of a group, and a folder with its files."""
    project, _, group = name.rpartition("/")
    with _tracker("W&B", "wandb") as wandb:
        for run in wandb.Api().runs(project, filters={"group": group}):
            folder_of_run = Path(mkdtemp(dir=folder))  # the ID is the server's word
            files = {file.name: file for file in run.files() if file.name.startswith("media/")}
            for file_name in _checked(files, "W&B", run.id):
                files[file_name].download(root=str(folder_of_run))
            yield run.name or run.id, folder_of_run


@contextmanager
def mlflow_client() -> Iterator[Any]:
    """Provide a client of the tracking server that MLflow is set up for.

    Raises
    ------
    MissingDependencyError
        If MLflow is not installed.
    DataError
        If the server refuses.
    """
    with _tracker("MLflow", "mlflow") as mlflow:
        yield mlflow.MlflowClient()


@contextmanager
def _tracker(name: str, package: str) -> Iterator[Any]:
    """Provide the package of a tracker; its errors become one line."""
    os.environ.setdefault("MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR", "false")
    try:
        tracker = __import__(package)
    except ImportError as error:
        raise MissingDependencyError(f"{name} needs its package. {how_to_install(package)}") from error
    try:
        yield tracker
    except (DataError, MissingDependencyError, GeneratorExit):
        raise
    except Exception as error:  # each package has its own, and those of its transport
        reason = " ".join(str(error).split())[:300]
        raise DataError(f"{name}: {reason}") from error
