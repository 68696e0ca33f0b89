"""Growth of time and memory with runs, segments and shuffles, one process per size."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.example import example, many_runs, resized, with_runs
from benchmarks.timing import seconds
from mteval.analysis.evaluation import evaluate
from mteval.analysis.scoring import score_experiment
from mteval.analysis.work import Work
from mteval.base.parallel import Engine
from mteval.metrics import resolve
from mteval.stats.base import How
from mteval.stats.procedures.randomization import output_p_values
from mteval.stats.resampling.draws import Draws
from mteval.stats.resampling.streams import seeds_for
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings

METRICS = ("bleu", "chrf", "ter", "length")
RUNS = (3, 30, 300)
SEGMENTS = (500, 3_000, 30_000)
SHUFFLES = (1_000, 10_000, 100_000)
DRAWN = (5, 50)


@dataclass(frozen=True)
class Growth:
    """Time and peak memory of one size."""

    what: str
    size: str
    seconds: float
    megabytes: float


def measure() -> Iterator[Growth]:
    """Yield every size (all metrics, both systems, text to all numbers, all cores), then draws of runs."""
    sizes = [("runs (2 systems, 3,000 segments)", runs, 3_000, 10_000) for runs in RUNS]
    sizes += [("segments (2 systems, 3 runs)", 3, segments, 10_000) for segments in SEGMENTS]
    sizes += [("shuffles (2 systems, 3 runs, 2,489 segments)", 3, 2_489, shuffles) for shuffles in SHUFFLES]
    for (what, *numbers), size in zip(sizes, (*RUNS, *SEGMENTS, *SHUFFLES), strict=True):
        yield _measured(what, f"{size:,}", numbers)
    for n_runs in DRAWN:
        yield _measured("250 draws, 10,000 shuffles of outputs, runs per draw", str(n_runs), [n_runs])


def _measured(what: str, size: str, numbers: Sequence[int]) -> Growth:
    words = [sys.executable, "-m", "benchmarks.growth", *map(str, numbers)]
    found = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    return Growth(what, size, found["seconds"], found["megabytes"])


def everything(n_runs: int, n_segments: int, n_shuffles: int) -> float:
    """Seconds from text to all numbers."""
    evaluate(with_runs(example(), example().test_sets[0].runs[:6]), Settings(metrics=METRICS), Work())  # loads kernels
    experiment = enlarged(n_runs, n_segments)
    settings = Settings(metrics=METRICS, n_shuffles=n_shuffles)
    return seconds(lambda: evaluate(experiment, settings, Work(Engine())))


def draws(n_runs: int) -> float:
    """Seconds for Clark et al.'s Table 2: draws from 50 runs per system, outputs exchanged, two threads."""
    (scored,) = score_experiment(example(), resolve(Settings(metrics=("bleu",), convention="multeval")), Work())
    pools = [resized(scored.statistics[system], 50, 2_489) for system in ("baseline", "sys1")]
    chosen = Draws.random((50, 50), n_runs, 250, np.random.default_rng(3))

    def ours() -> object:
        how = How(10_000, seeds_for(1, "draws"), "two-sided", 0.95, Engine(workers=2).map)
        return output_p_values(*pools, scored.scorer.score, chosen, how)

    ours()
    return seconds(ours)


def enlarged(n_runs: int, n_segments: int) -> Experiment:
    """Two systems made of the example's outputs, repeated or cut to a number of segments."""
    experiment = example()
    (test_set,) = experiment.test_sets
    segments = np.arange(n_segments) % test_set.n_segments
    runs = many_runs(experiment, 2 * n_runs)
    outputs = tuple(
        Run("baseline" if index < n_runs else "system", run.key, tuple(run.hypotheses[segment] for segment in segments))
        for index, run in enumerate(runs)
    )
    references = tuple(test_set.references[segment] for segment in segments)
    return Experiment((TestSet("test", references, outputs),), baseline="baseline")


def peak_megabytes() -> float:
    """The most memory that this process had since it began; the usual call counts its parent's before it."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def main() -> None:
    """Measure one size in this process and print it."""
    numbers = list(map(int, sys.argv[1:]))
    taken = everything(*numbers) if len(numbers) > 1 else draws(*numbers)
    print(json.dumps({"seconds": taken, "megabytes": peak_megabytes()}))


if __name__ == "__main__":
    main()
