"""Log a comparison to MLflow: scores and intervals as metrics, verdicts as tags, the report as artifacts."""

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import count
from os.path import commonpath
from pathlib import Path

from mteval.analysis.results import Results, verdicts
from mteval.base.words import free_name
from mteval.readers.trackers import mlflow_client

LONGEST_LABEL = 60  # characters of the name of a system or test set
LONGEST_NAME = 250  # characters of a name in MLflow
NOT_IN_NAMES = re.compile(r"[^\w\-. :/]+")


def log_to_mlflow(results: Results, experiment: str, report: Collection[Path]) -> str:
    """Add a run to an experiment of the tracking server that MLflow is set up for, and return the run's ID.

    Parameters
    ----------
    experiment
        Name of the experiment; it is made if it does not exist.
    report
        Files of the report.

    Raises
    ------
    MissingDependencyError
        If MLflow is not installed.
    DataError
        If the server refuses.
    """
    with mlflow_client() as client:
        existing = client.get_experiment_by_name(experiment)
        if existing is None:
            experiment_id = client.create_experiment(experiment)
        else:
            experiment_id = existing.experiment_id
        run: str = client.create_run(experiment_id, run_name=f"{results.test_set.name}: mteval").info.run_id

        def log(place: str, numbers: Mapping[str, float]) -> None:
            for name, value in numbers.items():
                if math.isfinite(value):
                    client.log_metric(run, _name(f"{place}/{name}"), value)

        system_labels = _labels(system.key for system in results.experiment.systems)
        test_set_labels = _labels(test_set.name for test_set in results.experiment.test_sets)
        for summary in results.evaluation.summaries:
            place = f"{test_set_labels[summary.test_set]}/{system_labels[summary.system]}/{summary.metric}"
            log(place, {"mean": summary.mean, "SD runs": summary.s_opt, "SD test set": summary.s_sel})
        for verdict in verdicts(results.evaluation):
            place = f"{test_set_labels[verdict.test_set]}/{system_labels[verdict.system]}/{verdict.metric}"
            numbers = {
                "difference": verdict.difference,
                "low": verdict.low,
                "high": verdict.high,
                "p_run_adjusted": verdict.p_run_adjusted,
                "p_test_set_adjusted": verdict.p_test_set_adjusted,
                # Names until version 0.5, which do not say that p is adjusted
                "p": verdict.p_run_adjusted,
                "p test set": verdict.p_test_set_adjusted,
            }
            log(f"{place}/vs {system_labels[verdict.baseline]}", numbers)
            client.set_tag(run, _name(f"verdict/{place}"), verdict.conclusion.word)

        root = commonpath([path.parent for path in report])
        for path in report:
            folder: str | None = path.parent.relative_to(root).as_posix()
            if folder == ".":
                folder = None  # the top of the artifacts
            client.log_artifact(run, str(path), folder)
        client.set_terminated(run)
    return run


def _labels(names: Iterable[str]) -> dict[str, str]:
    """Return a different part of MLflow's names for each name: those of metrics are paths to some of its stores."""
    label_of: dict[str, str] = {}
    for name in names:
        parts = [part for part in NOT_IN_NAMES.sub("_", name).split("/") if part.strip(" .")]
        shortened = "/".join(parts)[:LONGEST_LABEL].strip("/ ")
        taken = set(label_of.values())
        label_of[name] = free_name(shortened or "_", taken.__contains__, _numbered)
    return label_of


def _numbered(label: str) -> Iterator[str]:
    """Yield candidates without parentheses, which MLflow refuses."""
    yield label
    for number in count(2):
        yield f"{label} {number}"


def _name(text: str) -> str:
    """Return a name of a metric or tag that MLflow accepts."""
    return NOT_IN_NAMES.sub("_", text)[:LONGEST_NAME]
