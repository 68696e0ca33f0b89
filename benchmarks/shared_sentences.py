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
        found = {kind: list(measured(kind, models, options.segments, options.rounds)) for kind in KINDS}
    RESULTS.write_text(page(found, options.segments, options.rounds), encoding="utf-8")


def made_models(folder: Path) -> Path:
    """Checkpoints of each kind."""
    texts = (SAMPLE / name for name in ("source.test.txt", "reference.test.txt"))
    (folder / "corpus").write_text("".join(text.read_text(encoding="utf-8") for text in texts), encoding="utf-8")
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
    here = psutil.Process()
    times = [process.cpu_times() for process in (here, *here.children(recursive=True))]
    return sum(one.user + one.system for one in times)


def experiment(n_segments: int, n_runs: int, share: float, mark: int) -> Experiment:
    """Runs whose outputs differ from those of the first but for a share of the segments; all texts have a mark."""
    sources, references, outputs = (
        tuple(f"{line} {mark}" for line in (SAMPLE / name).read_text(encoding="utf-8").splitlines()[:n_segments])
        for name in ("source.test.txt", "reference.test.txt", "baseline/test.opt00.txt")
    )
    n_shared = round(share * n_segments)
    texts = ((*outputs[:n_shared], *(f"{text} {number}" for text in outputs[n_shared:])) for number in range(n_runs))
    runs = tuple(Run("base", str(number), of_run) for number, of_run in enumerate(texts))
    return Experiment((TestSet("test", tuple((text,) for text in references), runs, source=sources),), "base")


def n_distinct(n_segments: int, n_runs: int, share: float) -> int:
    """Return the number of distinct outputs."""
    n_shared = round(share * n_segments)
    return n_shared + n_runs * (n_segments - n_shared)


def page(found: Mapping[str, Sequence[float]], n_segments: int, rounds: int) -> str:
    """Return the page."""
    units, layers = SIZES
    whole = GRID.index((60, 0.0))
    rows = [_row(cell, place, found, n_segments, whole) for place, cell in enumerate(GRID)]
    return "\n".join(
        (
            "# Runs of learned metrics that share sentences",
            "",
            f"Made by `python -m benchmarks.shared_sentences`: {n_segments} segments, one system,"
            f" {counted(rounds, 'round')} ({platform.machine()}). Models have {layers} layers of {units} random units;"
            " batches have 16 segments. Times are seconds of one core from texts to statistics, with the model loaded"
            " and nothing cached. In brackets: share of the time of 60 runs without a common output. *regression* and"
            " *referenceless* encode each sentence alone, sources and references once for all runs. *kiwi* and *xcomet*"
            " encode an output with its source, once for each distinct pair.",
            "",
            f"| runs | outputs in common | distinct outputs | {' | '.join(found)} |",
            f"|---|---|---|{'---|' * len(found)}",
            *rows,
            "",
        )
    )


def _row(cell: tuple[int, float], place: int, found: Mapping[str, Sequence[float]], n_segments: int, whole: int) -> str:
    n_runs, share = cell
    distinct = n_distinct(n_segments, n_runs, share)
    relative = distinct / n_distinct(n_segments, *GRID[whole])
    times = [f"{seconds[place]:.2f} s ({seconds[place] / seconds[whole]:.0%})" for seconds in found.values()]
    return f"| {n_runs} | {share:.0%} | {distinct:,} ({relative:.0%}) | {' | '.join(times)} |"


if __name__ == "__main__":
    main()
