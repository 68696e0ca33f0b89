"""The spreads behind the remarks: from which source, on which set, by how much more than chance."""

import math

import numpy as np
import pytest
from scipy.stats import pearsonr

from mteval.analysis.evaluation import evaluate
from mteval.analysis.results import Results, spreads
from mteval.analysis.scoring import Work
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Design, ExchangeUnit, Settings
from mteval.values.verdict import Spreads

N = 30
KEYS = ("0", "1", "2", "3")


def shifted(seed: int, shifts: tuple[float, ...]) -> list[list[float]]:
    """Scores of segments of each run: noise, and a shift of the whole run."""
    draw = np.random.default_rng(seed)
    noise = draw.normal(size=N)
    return [(noise + shift + 0.1 * draw.normal(size=N)).tolist() for shift in shifts]


SHIFTS = {
    ("dev", "a"): (0, 0.1, 0.2, 0.3),
    ("dev", "b"): (0.1, 0.2, 0.0, 0.3),
    ("test", "a"): (0, 0.1, 0.3, 0.2),
    ("test", "b"): (1.0, 2.0, 0.0, 3.0),
}


def scores_of(test_set: str, system: str) -> list[list[float]]:
    """The scores of the system's four runs on the test set."""
    return shifted(ord(system), SHIFTS[test_set, system])


def results(
    test_runs: tuple[str, ...] = KEYS, exchange: ExchangeUnit = "auto", design: Design = "independent"
) -> Results:
    """Results on the test set, on which some runs may be missing, of an experiment that has a tuning set too."""
    keys_on = {"dev": KEYS, "test": test_runs}
    given = []
    test_sets = []
    for name, keys in keys_on.items():
        runs = tuple(Run(system, key, ("x",) * N) for system in "ab" for key in keys)
        test_sets.append(TestSet(name, (("r",),) * N, runs, role=name))
        for system in "ab":
            rows = scores_of(name, system)
            for key in keys:
                given.append(GivenScores(name, system, key, tuple(rows[KEYS.index(key)])))
    experiment = Experiment(tuple(test_sets), "a", (GivenMetric("m", "M", tuple(given)),))
    settings = Settings(metrics=("m",), n_bootstrap=50, n_shuffles=2_000, exchange_unit=exchange, design=design)
    return Results(experiment, evaluate(experiment, settings, Work()), experiment.test_set("test"))


def spreads_in(loaded: Results) -> Spreads:
    """The spreads of the only comparison."""
    (comparison,) = spreads(loaded)
    return comparison


@pytest.mark.parametrize("design", ["independent", "paired", "fixed"])
def test_both_standard_errors_are_of_the_same_difference(design: Design) -> None:
    """By hand: what varies over runs is both systems, their difference run by run, or the new system alone."""
    baseline = np.array(scores_of("test", "a"))
    system = np.array(scores_of("test", "b"))
    of_baseline = baseline.mean(axis=1)
    of_system = system.mean(axis=1)
    varying = {
        "independent": [of_baseline, of_system],
        "paired": [of_system - of_baseline],
        "fixed": [of_system],
    }[design]
    variance = sum(values.var(ddof=1) / 4 for values in varying)
    gains = system.mean(axis=0) - baseline.mean(axis=0)

    comparison = spreads_in(results(design=design))

    assert comparison.error_runs == pytest.approx(math.sqrt(variance))
    assert comparison.error_test_set == pytest.approx(gains.std(ddof=1) / math.sqrt(N))


def test_spreads_on_both_sets_are_tested_run_by_run() -> None:
    """Pitman and Morgan's test is that of the correlation of sums and differences."""
    dev = np.mean(scores_of("dev", "b"), axis=1)
    test = np.mean(scores_of("test", "b"), axis=1)

    comparison = spreads_in(results())

    assert comparison.p_larger == pytest.approx(pearsonr(dev + test, dev - test).pvalue)
    assert comparison.n_tested == 1
    assert comparison.s_dev == pytest.approx(dev.std(ddof=1))
    assert comparison.s_opt == pytest.approx(test.std(ddof=1))


def test_spreads_of_different_runs_are_not_tested() -> None:
    comparison = spreads_in(results(test_runs=KEYS[:3]))
    assert math.isnan(comparison.p_larger)
    assert comparison.n_tested == 0


def test_exchanging_outputs_leaves_the_standard_error_unchanged() -> None:
    by_outputs = spreads_in(results(exchange="output"))
    by_segments = spreads_in(results())
    assert by_outputs.error_test_set == by_segments.error_test_set


def test_one_run_has_no_standard_error_of_runs() -> None:
    comparison = spreads_in(results(test_runs=KEYS[:1]))
    assert math.isnan(comparison.error_runs)


def test_the_tuning_set_has_no_comparison_of_spreads() -> None:
    loaded = results()
    comparison = spreads_in(loaded.on(loaded.experiment.test_set("dev")))
    assert math.isnan(comparison.s_dev)
    assert math.isnan(comparison.p_larger)
