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


def results(
    test_runs: tuple[str, ...] = KEYS, exchange: ExchangeUnit = "auto", design: Design = "independent"
) -> Results:
    shifts = {("dev", "a"): (0, 0.1, 0.2, 0.3), ("dev", "b"): (0.1, 0.2, 0.0, 0.3),
              ("test", "a"): (0, 0.1, 0.3, 0.2), ("test", "b"): (1.0, 2.0, 0.0, 3.0)}  # fmt: skip
    given, sets = [], []
    for name in ("dev", "test"):
        keys = KEYS if name == "dev" else test_runs
        runs = tuple(Run(system, key, ("x",) * N) for system in "ab" for key in keys)
        sets.append(TestSet(name, (("r",),) * N, runs, role="dev" if name == "dev" else "test"))
        for system in "ab":
            rows = shifted(ord(system), shifts[name, system])
            given += [GivenScores(name, system, key, tuple(rows[KEYS.index(key)])) for key in keys]
    experiment = Experiment(tuple(sets), "a", (GivenMetric("m", "M", tuple(given)),))
    settings = Settings(metrics=("m",), n_bootstrap=50, n_shuffles=2_000, exchange_unit=exchange, design=design)
    return Results(experiment, evaluate(experiment, settings, Work()), experiment.test_set("test"))


def only(found: tuple[Spreads, ...]) -> Spreads:
    (one,) = found
    return one


@pytest.mark.parametrize("design", ["independent", "paired", "fixed"])
def test_both_standard_errors_are_of_the_same_difference(design: Design) -> None:
    one = only(spreads(results(design=design)))
    scores = {
        system: np.array([np.mean(values) for values in rows])
        for system, rows in (("a", shifted(97, (0, 0.1, 0.3, 0.2))), ("b", shifted(98, (1.0, 2.0, 0.0, 3.0))))
    }
    varying = {
        "independent": scores.values(), "paired": [scores["b"] - scores["a"]], "fixed": [scores["b"]]
    }  # fmt: skip
    by_hand = math.sqrt(sum(values.var(ddof=1) / 4 for values in varying[design]))
    assert one.error_runs == pytest.approx(by_hand)
    gains = np.mean(shifted(98, (1.0, 2.0, 0.0, 3.0)), axis=0) - np.mean(shifted(97, (0, 0.1, 0.3, 0.2)), axis=0)
    assert one.error_test_set == pytest.approx(gains.std(ddof=1) / math.sqrt(N))


def test_spreads_on_both_sets_are_tested_run_by_run() -> None:
    one = only(spreads(results()))
    dev = np.array([np.mean(row) for row in shifted(98, (0.1, 0.2, 0.0, 0.3))])
    test = np.array([np.mean(row) for row in shifted(98, (1.0, 2.0, 0.0, 3.0))])
    assert one.p_larger == pytest.approx(pearsonr(dev + test, dev - test).pvalue)
    assert one.n_tested == 1
    assert [one.s_dev, one.s_test] == pytest.approx([dev.std(ddof=1), test.std(ddof=1)])


def test_spreads_of_different_runs_are_not_tested() -> None:
    one = only(spreads(results(test_runs=KEYS[:3])))
    assert math.isnan(one.p_larger)
    assert one.n_tested == 0


def test_exchanging_outputs_leaves_the_standard_error_unchanged() -> None:
    assert only(spreads(results(exchange="output"))).error_test_set == only(spreads(results())).error_test_set


def test_one_run_has_no_standard_error_of_runs() -> None:
    assert math.isnan(only(spreads(results(test_runs=KEYS[:1]))).error_runs)


def test_the_tuning_set_has_no_comparison_of_spreads() -> None:
    made = results()
    one = only(spreads(made.on(made.experiment.test_set("dev"))))
    assert math.isnan(one.s_dev)
    assert math.isnan(one.p_larger)
