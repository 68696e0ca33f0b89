"""Growth of time and memory with runs, segments and shuffles, one process per size."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.example import distinct_outputs, example, many_runs, resized, with_runs
from benchmarks.timing import seconds
from mteval.analysis.evaluation import evaluate
from mteval.analysis.scoring import Work, score_experiment
from mteval.base.parallel import Engine
from mteval.metrics import resolve
from mteval.stats.base import How
from mteval.stats.procedures.randomization import output_p_values
from mteval.stats.resampling.draws import Draws
from mteval.stats.resampling.streams import seeds_for
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings

METRICS = ("bleu", "chrf", "ter", "length")
RUNS = (3, 30, 300, 1_000)
SEGMENTS = (1_000, 10_000, 100_000, 300_000, 1_000_000)
SYSTEMS = (2, 50, 200, 400)
SHUFFLES = (1_000, 10_000, 100_000)
DRAWN = (5, 50)
KINDS = ("shared", "distinct")


@dataclass(frozen=True)
class Growth:
    """Seconds of processor and peak memory of one size."""

    what: str
    size: str
    seconds: float
    megabytes: float


def measure() -> Iterator[Growth]:
    """Yield every size in a process of its own, from text to all numbers; then draws of runs."""
    for kind in KINDS:
        numbers_of_runs = RUNS
        if kind == "shared":
            numbers_of_runs = RUNS[:-1]
        for runs in numbers_of_runs:
            numbers = [2, runs, 3_000, 10_000]
            yield _measured(f"runs (2 systems, 3,000 segments, four metrics, {kind} outputs)", runs, kind, numbers)
    for segments in SEGMENTS:
        yield _measured("segments (2 systems, BLEU, distinct outputs)", segments, "bleu", [2, 1, segments, 10_000])
    for systems in SYSTEMS:
        yield _measured("systems (500 segments, BLEU, distinct outputs)", systems, "bleu", [systems, 1, 500, 10_000])
    for shuffles in SHUFFLES:
        task = "shuffles (2 systems, 3 runs, 2,489 segments, four metrics)"
        yield _measured(task, shuffles, "shared", [2, 3, 2_489, shuffles])
    for n_runs in DRAWN:
        yield _measured("250 draws, 10,000 shuffles of outputs, runs per draw", n_runs, "draws", [n_runs])


def _measured(task: str, size: int, kind: str, numbers: Sequence[int]) -> Growth:
    """Return the cost of one size, measured by ``main`` in a process of its own."""
    words = [sys.executable, "-m", "benchmarks.growth", kind, *map(str, numbers)]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    cost = json.loads(done.stdout)
    return Growth(task, f"{size:,}", cost["seconds"], cost["megabytes"])


def everything(kind: str, n_systems: int, n_runs: int, n_segments: int, n_shuffles: int) -> float:
    """Seconds of processor from text to all numbers, which other work beside it hardly changes."""
    metrics = METRICS
    if kind == "bleu":
        metrics = ("bleu",)
    settings = Settings(metrics=metrics, n_shuffles=n_shuffles)
    evaluate(with_runs(example(), example().test_sets[0].runs[:6]), settings, Work())  # loads kernels
    if kind == "shared":
        experiment = shared_outputs(n_runs, n_segments)
    else:
        experiment = distinct_outputs(n_systems, n_runs, n_segments)
    start = time.process_time()
    evaluate(experiment, settings, Work(Engine()))
    return time.process_time() - start


def draws(n_runs: int) -> float:
    """Seconds for Clark et al.'s Table 2: draws from 50 runs per system, outputs exchanged, two threads."""
    (scored,) = score_experiment(example(), resolve(Settings(metrics=("bleu",), convention="multeval")), Work())
    pools = [resized(scored.statistics[system], 50, 2_489) for system in ("baseline", "sys1")]
    draws_of_runs = Draws.random((50, 50), n_runs, 250, np.random.default_rng(3))

    def ours() -> object:
        how = How(10_000, seeds_for(1, "draws"), "two-sided", 0.95, Engine(workers=2).map)
        return output_p_values(*pools, scored.scorer.score, draws_of_runs, how)

    ours()
    return seconds(ours)


def shared_outputs(n_runs: int, n_segments: int) -> Experiment:
    """Two systems whose runs share the example's six outputs, on its first segments, or repeated ones."""
    experiment = example()
    (test_set,) = experiment.test_sets
    segments = np.arange(n_segments) % test_set.n_segments
    runs = []
    for index, run in enumerate(many_runs(experiment, 2 * n_runs)):
        system = "baseline" if index < n_runs else "system"
        hypotheses = tuple(run.hypotheses[segment] for segment in segments)
        runs.append(Run(system, run.key, hypotheses))
    references = tuple(test_set.references[segment] for segment in segments)
    return Experiment((TestSet("test", references, tuple(runs)),), baseline="baseline")


def peak_megabytes() -> float:
    """The most memory that this process had since it began; the usual call counts its parent's before it."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def main() -> None:
    """Measure one size in this process and print it."""
    kind, *numbers = sys.argv[1:]
    if kind == "draws":
        taken = draws(int(numbers[0]))
    else:
        taken = everything(kind, *map(int, numbers))
    print(json.dumps({"seconds": taken, "megabytes": peak_megabytes()}))


if __name__ == "__main__":
    main()
