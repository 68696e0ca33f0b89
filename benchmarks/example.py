"""MultEval's example, and larger experiments made from it."""

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mteval.metrics.base import StatArray
from mteval.readers.named_files import load_paths
from mteval.values.model import Experiment, Run, TestSet

ROOT = Path(__file__).parent.parent
SYSTEMS = ("baseline", "sys1", "sys2")


def data_directory() -> Path:
    """Return the folder of the real data; exit with a message if it is missing."""
    directory = Path(os.environ.get("MTEVAL_DATA", ROOT.parent / "shared")) / "data"
    if not directory.is_dir():
        raise SystemExit(f"The real data are not at {directory}; name their parent directory in MTEVAL_DATA.")
    return directory


def files() -> tuple[Path, dict[str, list[Path]]]:
    """The reference, and the three outputs of each system."""
    folder = data_directory() / "multeval-example"
    outputs = {key: [folder / f"hyps.lc.tok.en.{key}.opt{run}" for run in range(3)] for key in SYSTEMS}
    return folder / "refs.test2010.lc.tok.en.0", outputs


def example() -> Experiment:
    """Three systems (the third a copy of the first) with three runs of 2,489 segments."""
    reference, outputs = files()
    return load_paths([reference], outputs, baseline="baseline").experiment


def distinct_runs(experiment: Experiment) -> tuple[Run, ...]:
    """The six different outputs of the example."""
    (test_set,) = experiment.test_sets
    return tuple({run.digest: run for run in test_set.runs}.values())


def many_runs(experiment: Experiment, n_runs: int, seed: int = 1) -> tuple[Run, ...]:
    """Runs that take each segment from one of the six outputs at random, as re-run optimizers repeat their outputs."""
    runs = distinct_runs(experiment)
    choices = np.random.default_rng(seed).integers(len(runs), size=(n_runs, len(runs[0].hypotheses)))
    return tuple(
        Run("many", str(number), tuple(runs[chosen].hypotheses[segment] for segment, chosen in enumerate(row)))
        for number, row in enumerate(choices.tolist())
    )


def with_runs(experiment: Experiment, runs: Sequence[Run]) -> Experiment:
    """The example's references with other runs."""
    (test_set,) = experiment.test_sets
    return Experiment((TestSet(test_set.name, test_set.references, tuple(runs)),), baseline=runs[0].system)


def resized(statistics: StatArray, n_runs: int, n_segments: int) -> StatArray:
    """Statistics of more runs and of more or fewer segments, drawn from those given."""
    rng = np.random.default_rng(2)
    runs = rng.integers(statistics.shape[0], size=n_runs)
    segments = rng.integers(statistics.shape[1], size=n_segments)
    return statistics[runs][:, segments]
