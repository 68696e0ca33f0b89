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

LONGEST_LABEL = 60  # characters
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
        found = client.get_experiment_by_name(experiment)
        place = client.create_experiment(experiment) if found is None else found.experiment_id
        run: str = client.create_run(place, run_name=f"{results.test_set.name}: mteval").info.run_id

        def log(where: str, numbers: Mapping[str, float]) -> None:
            for name, value in numbers.items():
                if math.isfinite(value):
                    client.log_metric(run, _name(f"{where}/{name}"), value)

        systems = _labels(system.key for system in results.experiment.systems)
        test_sets = _labels(test_set.name for test_set in results.experiment.test_sets)
        for summary in results.evaluation.summaries:
            where = f"{test_sets[summary.test_set]}/{systems[summary.system]}/{summary.metric}"
            log(where, {"mean": summary.mean, "SD runs": summary.s_run, "SD test set": summary.s_sel})
        for verdict in verdicts(results.evaluation):
            where = f"{test_sets[verdict.test_set]}/{systems[verdict.system]}/{verdict.metric}"
            numbers = {"difference": verdict.difference, "low": verdict.low, "high": verdict.high}
            numbers |= {"p": verdict.p_both_adjusted, "p test set": verdict.p_test_set_adjusted}
            log(f"{where}/vs {systems[verdict.baseline]}", numbers)
            client.set_tag(run, _name(f"verdict/{where}"), verdict.conclusion.word)
        root = commonpath([path.parent for path in report])
        for path in report:
            within = path.parent.relative_to(root).as_posix()
            client.log_artifact(run, str(path), within if within != "." else None)
        client.set_terminated(run)
    return run


def _labels(names: Iterable[str]) -> dict[str, str]:
    """Return a different part of MLflow's names for each name: those of metrics are paths to some of its stores."""
    labels: dict[str, str] = {}
    for name in names:
        parts = [part for part in NOT_IN_NAMES.sub("_", name).split("/") if part.strip(" .")]
        short = "/".join(parts)[:LONGEST_LABEL].strip("/ ") or "_"
        labels[name] = free_name(short, set(labels.values()).__contains__, _numbered)
    return labels


def _numbered(label: str) -> Iterator[str]:
    """Yield candidates without parentheses, which MLflow refuses."""
    yield label
    yield from (f"{label} {number}" for number in count(2))


def _name(text: str) -> str:
    return NOT_IN_NAMES.sub("_", text)[:250]  # characters of a name in MLflow
