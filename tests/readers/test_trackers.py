"""Runs of MLflow and of Weights & Biases are runs of a system; comparisons are logged to MLflow's store."""

import json
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mteval.base.errors import DataError, MissingDependencyError
from mteval.cli import main
from mteval.readers.folders import load_told_apart
from mteval.readers.named_files import ScoreFiles
from mteval.readers.trackers import fetched

N = 12


def accuracies(system: str, run: int) -> list[float]:
    """Of each item, 1 where the run answers it rightly and 0 where it does not."""
    return [float((item * (run + 2) + len(system)) % 7 > 2) for item in range(N)]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A client of a new SQLite store with two experiments of three runs, each with a table of scores per item."""
    folder = tmp_path_factory.mktemp("mlflow")
    uri = f"sqlite:///{folder}/store.db"
    patch = pytest.MonkeyPatch()
    patch.setenv("MLFLOW_TRACKING_URI", uri)
    patch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    patch.chdir(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of MLflow's own packages
        import mlflow  # here, since it takes seconds
    mlflow.set_tracking_uri(uri)
    client = mlflow.MlflowClient()
    for system in ("base", "new"):
        experiment_id = client.create_experiment(system, artifact_location=str(folder / system))
        for run in range(3):
            run_id = client.create_run(experiment_id, run_name=f"seed{run}").info.run_id
            table = {"segment": list(range(1, N + 1)), "accuracy": accuracies(system, run)}
            client.log_table(run_id, table, "scores.json")
            client.set_terminated(run_id)
    yield client
    mlflow.set_tracking_uri(None)
    patch.undo()


@pytest.mark.filterwarnings("ignore")  # of MLflow's own packages
def test_experiments_of_mlflow_are_compared_and_logged_to_its_store(store, tmp_path: Path) -> None:
    logs = ["--logs", "mlflow:base", "mlflow:new", "--baseline", "base"]
    sizes = ["--ar-shuffles", "50", "--boot-samples", "20", "--only", "json", "experiment"]

    assert main(["report", *logs, *sizes, "--to", str(tmp_path / "report"), "--mlflow", "results"]) == 0

    numbers = json.loads((tmp_path / "report" / "numbers.json").read_text())
    score_of = {(row["system"], row["run"]): row["score"] for row in numbers["scores"]}
    expected = {}
    for system in ("base", "new"):
        for run in range(3):
            expected[system, f"seed{run}"] = sum(accuracies(system, run)) / N
    assert score_of == pytest.approx(expected)

    (logged,) = store.search_runs([store.get_experiment_by_name("results").experiment_id])
    (verdict,) = numbers["verdicts"]
    for name in ("difference", "low", "high"):
        logged_number = logged.data.metrics[f"test/new/accuracy/vs base/{name}"]
        assert logged_number == pytest.approx(verdict[name])
    assert logged.data.tags["verdict/test/new/accuracy"] in ("better", "worse", "no clear difference")
    paths = {artifact.path for artifact in store.list_artifacts(logged.info.run_id)}
    assert {"numbers.json", "experiment.toml"} <= paths


@pytest.mark.filterwarnings("ignore")
def test_unknown_experiment_is_an_error_with_those_there_are(store, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="base"):
        fetched(Path("mlflow:nothing"), tmp_path / "fetched")


class Api:
    """Two runs of a group, with a table each."""

    def runs(self, project: str, filters: dict[str, str]) -> Sequence[object]:
        assert project == "team/project"
        assert filters == {"group": "base"}
        return [
            SimpleNamespace(id="id0", name="same", files=lambda: [File(0)]),
            SimpleNamespace(id="id1", name="same", files=lambda: [File(1)]),
        ]


class File:
    """The table of a run, as Weights & Biases names and writes tables."""

    name = "media/table/answers_0_0123456789abcdef01234.table.json"

    def __init__(self, run: int) -> None:
        self.rows = [[item, score] for item, score in enumerate(accuracies("base", run), start=1)]

    def download(self, root: str) -> None:
        path = Path(root, self.name)
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({"columns": ["segment", "accuracy"], "data": self.rows}))


def test_group_of_weights_and_biases_is_a_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wandb", SimpleNamespace(Api=Api))
    group = Path("wandb:team/project/base")

    (metric,) = load_told_apart([group], None, ScoreFiles([group])).experiment.given

    values_of = {(scores.system, scores.run): list(scores.values) for scores in metric.scores}
    assert values_of == {
        ("base", "same"): accuracies("base", 0),
        ("base", "same (2)"): accuracies("base", 1),
    }


@pytest.mark.parametrize("tracker", ["mlflow", "wandb"])
def test_tracker_without_its_package_names_the_extra(
    tracker: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, tracker, None)
    with pytest.raises(MissingDependencyError, match=rf"'\.\[{tracker}\]'"):
        fetched(Path(f"{tracker}:team/project/base"), tmp_path)
