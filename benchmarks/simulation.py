"""Simulated experiments in which the truth is known: no difference on average, or one of a chosen size."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
import numpy.typing as npt

from benchmarks.batch_tests import Array, Batch
from benchmarks.example import ROOT
from mteval.analysis.scoring import Work, score_experiment
from mteval.metrics import resolve
from mteval.metrics.base import Scorer
from mteval.readers.named_files import load_paths
from mteval.stats.units import contributions
from mteval.values.settings import Settings

N_SEGMENTS = 200
EFFECT = 2.5  # of the true standard error: an oracle that knows it finds such a difference 71% of the time
RUNS = ((1, 1), (2, 2), (3, 3), (5, 5), (10, 10), (2, 10), (3, 10))
RATIOS = (0.0, 0.5, 1.0, 2.0, 5.0, 10.0)
INTERS = (0.0, 1.5)
LESSER = 0.2  # of the larger run standard deviation, where they differ 5:1
N_SAMPLE_RUNS = 30
SAMPLE_SYSTEMS = ("baseline", "reordering")


@dataclass(frozen=True)
class Cell:
    """One setting of the simulation.

    Parameters
    ----------
    kind
        ``normal`` or ``heavy`` tails of the segment scores, or ``BLEU`` of the sample experiment.
    n_baseline, n_system
        Runs.
    ratio
        The larger run standard deviation over the standard error that segments alone bring to the score of one run.
    spread
        Run standard deviations of baseline and system: ``equal``, ``5:1`` or ``1:5``.
    inter
        Standard deviation of what is peculiar to a system and a segment, in units of the noise of one output. For
        ``BLEU`` any value above 0 means that a coin a segment decides which system has which of two outputs.
    """

    kind: str
    n_baseline: int
    n_system: int
    ratio: float
    spread: str
    inter: float

    @property
    def run_deviations(self) -> tuple[float, float]:
        """Of either system, in units of the noise of one output."""
        larger = self.ratio / np.sqrt(N_SEGMENTS)
        if self.spread == "1:5":
            return LESSER * larger, larger
        if self.spread == "5:1":
            return larger, LESSER * larger
        return larger, larger

    @property
    def standard_error(self) -> float:
        """True one of the difference of mean run scores."""
        of_baseline, of_system = self.run_deviations
        runs = of_baseline**2 / self.n_baseline + of_system**2 / self.n_system
        outputs = (1 / self.n_baseline + 1 / self.n_system) / N_SEGMENTS
        inter = 2 * self.inter**2 / N_SEGMENTS
        return float(np.sqrt(runs + inter + outputs))


def mean_cells() -> Iterator[Cell]:
    """The grid for a metric that is a mean of segment scores."""
    for kind, (n_baseline, n_system), ratio, inter in product(("normal", "heavy"), RUNS, RATIOS, INTERS):
        spreads = ["equal"]
        if ratio and n_baseline == n_system:
            spreads = ["equal", "5:1"]
        elif ratio:
            spreads = ["equal", "5:1", "1:5"]
        for spread in spreads:
            yield Cell(kind, n_baseline, n_system, ratio, spread, inter)


def bleu_cells() -> Iterator[Cell]:
    """Return the grid for BLEU, with the runs of the sample experiment."""
    for (n_baseline, n_system), inter in product(RUNS, (0.0, 1.0)):
        yield Cell("BLEU", n_baseline, n_system, float("nan"), "equal", inter)


def mean_batch(cell: Cell, n_simulations: int, generator: np.random.Generator, effect: float) -> Batch:
    """Simulations of a metric that is a mean; the system is ``effect`` true standard errors better."""
    of_baseline, of_system = cell.run_deviations
    baseline = _side(cell, cell.n_baseline, of_baseline, n_simulations, generator)
    system = _side(cell, cell.n_system, of_system, n_simulations, generator)
    system = system + np.float32(effect * cell.standard_error)
    return Batch(baseline[..., np.newaxis], system[..., np.newaxis], mean_score, is_mean=True)


def mean_score(sums: Array) -> Array:
    """Mean segment score."""
    return sums[..., 0] / N_SEGMENTS


def mean_contributions(statistics: Array) -> Array:
    """Segment scores."""
    return statistics[..., 0]


def _side(cell: Cell, n_runs: int, deviation: float, n: int, generator: np.random.Generator) -> Array:
    """Return segment scores of a system, shape ``(n, n_runs, segments)``."""
    scores = noise(cell.kind, (n, n_runs, N_SEGMENTS), generator)
    if cell.inter:
        scores += np.float32(cell.inter) * noise(cell.kind, (n, 1, N_SEGMENTS), generator)
    return scores + np.float32(deviation) * generator.standard_normal((n, n_runs, 1), dtype=np.float32)


def noise(kind: str, shape: tuple[int, ...], generator: np.random.Generator) -> Array:
    """Standard normal; with heavy tails Student's t with 3 degrees of freedom, scaled to the same variance."""
    normal = generator.standard_normal(shape, dtype=np.float32)
    if kind == "normal":
        return normal
    chi_square = 2 * generator.standard_gamma(1.5, shape, dtype=np.float32)
    return normal / np.sqrt(chi_square)


@dataclass(frozen=True)
class Sample:
    """The sample experiment's runs, shape ``(systems, runs, segments, d)``, and what scores them."""

    statistics: npt.NDArray[np.int64]
    scorer: Scorer


@cache
def sample() -> Sample:
    """BLEU's statistics of both systems of the sample experiment on its test set."""
    folder = ROOT / "sample_data"
    files = {}
    for system in SAMPLE_SYSTEMS:
        files[system] = [folder / system / f"test.opt{run:02}.txt" for run in range(N_SAMPLE_RUNS)]
    experiment = load_paths([folder / "reference.test.txt"], files, baseline=SAMPLE_SYSTEMS[0]).experiment
    (scored,) = score_experiment(experiment, resolve(Settings(metrics=("bleu",))), Work())
    return Sample(np.stack([scored.statistics[system] for system in SAMPLE_SYSTEMS]), scored.scorer)


def bleu_batch(cell: Cell, n_simulations: int, generator: np.random.Generator, *, is_null: bool) -> Batch:
    """Simulations of BLEU: new segments, drawn with replacement, and new runs, drawn without, each time.

    Without a true difference the runs of both sides are of one system (the baseline), or, with the component of systems
    by segments, a coin a segment gives one side the output of a run of the first system and the other side that of a
    run of the second. With a true difference the sides are the two systems, 0.9 points apart.
    """
    pairs = [_bleu_pair(cell, generator, is_null) for _ in range(n_simulations)]
    baseline = np.stack([statistics for statistics, _ in pairs]).astype(np.float32)
    system = np.stack([statistics for _, statistics in pairs]).astype(np.float32)
    return Batch(baseline, system, sample().scorer.score, is_mean=False)


def _bleu_pair(
    cell: Cell, generator: np.random.Generator, is_null: bool
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return statistics of both sides of one experiment, shapes ``(runs, segments, d)``."""
    first, second = sample().statistics
    segments = generator.integers(0, first.shape[1], first.shape[1])
    n_runs = cell.n_baseline + cell.n_system

    def drawn(system: npt.NDArray[np.int64], runs: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return system[runs][:, segments]

    runs = generator.permutation(N_SAMPLE_RUNS)[:n_runs]
    left_runs = runs[: cell.n_baseline]
    right_runs = runs[cell.n_baseline :]
    if not is_null:
        return drawn(first, left_runs), drawn(second, right_runs)
    left = drawn(first, left_runs)
    right = drawn(first, right_runs)
    if not cell.inter:
        return left, right

    runs_of_second = generator.permutation(N_SAMPLE_RUNS)[:n_runs]
    coin = generator.integers(0, 2, len(segments), dtype=bool)[np.newaxis, :, np.newaxis]
    left_of_second = drawn(second, runs_of_second[: cell.n_baseline])
    right_of_second = drawn(second, runs_of_second[cell.n_baseline :])
    return np.where(coin, left, left_of_second), np.where(coin, right_of_second, right)


def bleu_contributions(statistics: Array) -> Array:
    """Linearised contributions of every segment to BLEU, without the last axis of the statistics."""
    n, n_runs, n_segments, d = statistics.shape
    flat = statistics.reshape(n * n_runs, n_segments, d)
    return contributions(flat, sample().scorer.score).reshape(n, n_runs, n_segments)
