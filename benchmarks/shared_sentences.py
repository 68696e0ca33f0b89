"""How time grows with runs of a learned metric that share sentences. Writes ``shared_sentences.md`` beside this file.

Usage: ``python -m benchmarks.shared_sentences [--segments N] [--rounds N]`` from the root of the repository, with the
packages of ``bin/neural``. The models are those of the tests with a larger encoder: filled at random, they compute what
trained ones of their size would. Of every run a share of the outputs is that of the first run, word by word.
"""

import argparse
import itertools
import os
import platform
import statistics
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import psutil

from mteval.analysis.scoring import Work, score_experiment
from mteval.base.words import counted
from mteval.metrics import METRICS
from mteval.metrics.base import Metric
from mteval.metrics.neural.comet import CHECKPOINTS
from mteval.metrics.neural.environment import python_with
from mteval.values.model import Experiment, Run, TestSet

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).with_suffix(".md")
SAMPLE = ROOT / "sample_data"
MAKER = ROOT / "tests" / "metrics" / "neural" / "tiny_models.py"
SIZES = ("128", "6")  # units and layers of the encoder
KINDS = ("regression", "referenceless", "kiwi", "xcomet")
GRID = ((1, 0.0), (15, 0.0), (15, 0.5), (60, 0.0), (60, 0.25), (60, 0.5), (60, 0.75), (60, 1.0))


def main() -> None:
    """Measure, print as it goes, write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--segments", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        models = made_models(Path(folder))
        seconds_of_kind = {kind: list(measured(kind, models, options.segments, options.rounds)) for kind in KINDS}
    RESULTS.write_text(page(seconds_of_kind, options.segments, options.rounds), encoding="utf-8")


def made_models(folder: Path) -> Path:
    """Checkpoints of each kind."""
    source = (SAMPLE / "source.test.txt").read_text(encoding="utf-8")
    reference = (SAMPLE / "reference.test.txt").read_text(encoding="utf-8")
    (folder / "corpus").write_text(source + reference, encoding="utf-8")
    words = [python_with("unbabel-comet", "COMET"), "-I", "-W", "ignore", MAKER, folder / "corpus", folder, *SIZES]
    subprocess.run(words, check=True, capture_output=True)
    return folder


def measured(kind: str, models: Path, n_segments: int, rounds: int) -> Iterator[float]:
    """Median seconds of each cell of the grid, the model being loaded and none of the sentences known."""
    os.environ[CHECKPOINTS.variable] = str(models / kind)
    metric = METRICS["comet"].configure("sacrebleu", {})
    marks = itertools.count(100)
    seconds_of(metric, experiment(1, 1, 0.0, next(marks)), models)  # loads it
    for n_runs, share in GRID:
        cells = [experiment(n_segments, n_runs, share, next(marks)) for _ in range(rounds)]
        yield statistics.median(seconds_of(metric, cell, models) for cell in cells)


def seconds_of(metric: Metric, cell: Experiment, folder: Path) -> float:
    """From texts to statistics, with nothing kept on disk: seconds of processor, here and in the model's process."""
    with tempfile.TemporaryDirectory(dir=folder) as cache:
        os.environ["MTEVAL_CACHE"] = cache
        before = seconds_used()
        score_experiment(cell, [metric], Work())
        return seconds_used() - before


def seconds_used() -> float:
    """Of the processor, by this process and those that it started: other work beside them counts little."""
    own_process = psutil.Process()
    processes = [own_process, *own_process.children(recursive=True)]
    times = [process.cpu_times() for process in processes]
    return sum(process_times.user + process_times.system for process_times in times)


def experiment(n_segments: int, n_runs: int, share: float, mark: int) -> Experiment:
    """Runs whose outputs differ from those of the first but for a share of the segments; all texts have a mark."""

    def marked(name: str) -> tuple[str, ...]:
        lines = (SAMPLE / name).read_text(encoding="utf-8").splitlines()
        return tuple(f"{line} {mark}" for line in lines[:n_segments])

    references = marked("reference.test.txt")
    outputs = marked("baseline/test.opt00.txt")
    n_shared = round(share * n_segments)
    runs = []
    for number in range(n_runs):
        own = [f"{text} {number}" for text in outputs[n_shared:]]
        runs.append(Run("base", str(number), (*outputs[:n_shared], *own)))
    test_set = TestSet("test", tuple((text,) for text in references), tuple(runs), source=marked("source.test.txt"))
    return Experiment((test_set,), "base")


def n_distinct(n_segments: int, n_runs: int, share: float) -> int:
    """Return the number of distinct outputs."""
    n_shared = round(share * n_segments)
    return n_shared + n_runs * (n_segments - n_shared)


def page(seconds_of_kind: Mapping[str, Sequence[float]], n_segments: int, rounds: int) -> str:
    """Return the page."""
    units, layers = SIZES
    lines = [
        "# Runs of learned metrics that share sentences",
        "",
        f"Made by `python -m benchmarks.shared_sentences`: {n_segments} segments, one system,"
        f" {counted(rounds, 'round')} ({platform.machine()}). Models have {layers} layers of {units} random units;"
        " batches have 16 segments. Times are seconds of one core from texts to statistics, with the model loaded"
        " and nothing cached. In brackets: share of the time of 60 runs without a common output. *regression* and"
        " *referenceless* encode each sentence alone, sources and references once for all runs. *kiwi* and *xcomet*"
        " encode an output with its source, once for each distinct pair.",
        "",
        f"| runs | outputs in common | distinct outputs | {' | '.join(seconds_of_kind)} |",
        f"|---|---|---|{'---|' * len(seconds_of_kind)}",
    ]
    lines += [_row(place, seconds_of_kind, n_segments) for place in range(len(GRID))]
    return "\n".join(lines) + "\n"


def _row(place: int, seconds_of_kind: Mapping[str, Sequence[float]], n_segments: int) -> str:
    """Return the row of a cell of the grid, each number with its share of that of 60 different runs."""
    n_runs, share = GRID[place]
    place_of_most = GRID.index((60, 0.0))
    distinct = n_distinct(n_segments, n_runs, share)
    relative = distinct / n_distinct(n_segments, *GRID[place_of_most])
    times = []
    for seconds in seconds_of_kind.values():
        times.append(f"{seconds[place]:.2f} s ({seconds[place] / seconds[place_of_most]:.0%})")
    return f"| {n_runs} | {share:.0%} | {distinct:,} ({relative:.0%}) | {' | '.join(times)} |"


if __name__ == "__main__":
    main()
