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


def distinct_outputs(n_systems: int, n_runs: int, n_segments: int, seed: int = 1) -> Experiment:
    """Systems whose outputs all differ, on a test set without repeated segments.

    Segments beyond the example's join the first half of one with the second half of another. One word of every output
    is replaced at random, and another one in every third system.
    """
    (test_set,) = example().test_sets
    rng, n = np.random.default_rng(seed), test_set.n_segments
    references = [texts[0].split() for texts in test_set.references]
    outputs = [[text.split() for text in run.hypotheses] for run in distinct_runs(example())]
    vocabulary = np.array(sorted({word for line in references for word in line}), dtype=object)
    more = rng.integers(n, size=(2, max(0, n_segments - n)))
    halves = np.concatenate([np.tile(np.arange(min(n, n_segments)), (2, 1)), more], axis=1).T.tolist()

    def joined(lines: Sequence[Sequence[str]]) -> list[list[str]]:
        return [[*lines[a][: (len(lines[a]) + 1) // 2], *lines[b][(len(lines[b]) + 1) // 2 :]] for a, b in halves]

    def changed(place: int, system: int) -> tuple[str, ...]:
        texts = joined(outputs[place % len(outputs)])
        words, places = vocabulary[rng.integers(len(vocabulary), size=(n_segments, 2))], rng.random(n_segments)
        for text, (one, other), at in zip(texts, words.tolist(), places.tolist(), strict=True):
            if text:
                text[int(at * len(text))] = one
                if system % 3 == 2:
                    text[int(at * len(text)) * 7 % len(text)] = other
        return tuple(map(" ".join, texts))

    runs = tuple(
        Run(f"s{system}", str(run), changed(system * n_runs + run, system))
        for system in range(n_systems)
        for run in range(n_runs)
    )
    texts = tuple((" ".join(words),) for words in joined(references))
    return Experiment((TestSet("test", texts, runs),), baseline="s0")


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
