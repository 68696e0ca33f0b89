"""Fetch the files of tracked runs, for ``mlflow:EXPERIMENT`` or ``wandb:ENTITY/PROJECT/GROUP``.

The experiment or group is a system, and its runs are the system's. Tables get the columns ``system`` and ``run``; other
files keep their names, below folders of system and run.
"""

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mteval.base.bounded_input import bounded_json
from mteval.base.errors import DataError, MissingDependencyError
from mteval.base.words import free_name

TRACKED = re.compile(r"(?P<tracker>mlflow|wandb):(?P<name>.+)")
NOT_IN_FILES = re.compile(r"[^\w.@+ -]")


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
    if (named := TRACKED.fullmatch(str(path))) is None:
        return path
    fetch = _of_mlflow if named["tracker"] == "mlflow" else _of_wandb
    system, taken = NOT_IN_FILES.sub("_", named["name"].rpartition("/")[2]), set[str]()
    for run, place in fetch(named["name"], folder / "files"):
        key = free_name(NOT_IN_FILES.sub("_", run), taken.__contains__)
        taken.add(key)
        for file in sorted(one for one in place.rglob("*") if one.is_file() and not one.is_symlink()):
            target = folder / system / key / file.relative_to(place)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(_with_names(file.read_bytes(), system, key))
    if not taken or not (folder / system).exists():
        what = "runs" if not taken else "files in its runs"
        raise DataError(f"'{path}' has no {what}. Log outputs, or a table with scores per item, with each run.")
    return folder / system


def _with_names(content: bytes, system: str, run: str) -> bytes:
    """Add system and run to a table that has columns and data; return other files unchanged."""
    if not content.startswith(b'{"columns"'):
        return content
    try:
        table = bounded_json(content.decode("utf-8"))
        more = {name: value for name, value in (("system", system), ("run", run)) if name not in table["columns"]}
        data = [[*row, *more.values()] for row in table["data"]]
        return json.dumps({"columns": [*table["columns"], *more], "data": data}).encode()
    except (ValueError, LookupError, TypeError):  # reported where it is read
        return content


def _of_mlflow(experiment: str, folder: Path) -> Iterator[tuple[str, Path]]:
    with mlflow_client() as client:
        if (found := client.get_experiment_by_name(experiment)) is None:
            names = ", ".join(one.name for one in client.search_experiments(max_results=20)) or "none"
            raise DataError(f"MLflow has no experiment '{experiment}'. Found: {names}. Set MLFLOW_TRACKING_URI.")
        for run in client.search_runs([found.experiment_id], max_results=1_000, order_by=["start_time"]):
            place = folder / run.info.run_id
            place.mkdir(parents=True)
            client.download_artifacts(run.info.run_id, "", str(place))
            yield run.info.run_name or run.info.run_id, place


def _of_wandb(name: str, folder: Path) -> Iterator[tuple[str, Path]]:
    project, _, group = name.rpartition("/")
    with _asked("W&B", "wandb") as wandb:
        for run in wandb.Api().runs(project, filters={"group": group}):
            place = folder / run.id
            place.mkdir(parents=True)
            for file in run.files():
                if file.name.startswith("media/"):
                    file.download(root=str(place))
            yield run.name or run.id, place


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
    with _asked("MLflow", "mlflow") as mlflow:
        yield mlflow.MlflowClient()


@contextmanager
def _asked(name: str, package: str) -> Iterator[Any]:
    """Provide the package of a tracker; its errors become one line."""
    os.environ.setdefault("MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR", "false")
    try:
        tracker = __import__(package)
    except ImportError as error:
        raise MissingDependencyError(f"{name} needs its package: pip install 'mteval-core[{package}]'.") from error
    try:
        yield tracker
    except (DataError, MissingDependencyError, GeneratorExit):
        raise
    except Exception as error:  # each package has its own, and those of its transport
        raise DataError(f"{name}: {' '.join(str(error).split())[:300]}") from error
