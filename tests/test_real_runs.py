"""What is said of runs that are really independent is measured: every finding has a row, and a small case holds."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import real_runs
from mteval.values.definitions import DEFINITIONS
from mteval.values.findings import TITLES


def test_every_finding_has_a_measured_rate_or_a_reason_why_not() -> None:
    recorded = pd.read_csv(real_runs.RESULTS)
    now = recorded[recorded["definitions"] == DEFINITIONS]
    assert {*now.loc[now["kind"] == "warning", "what"]} | {*real_runs.NOT_HERE} >= {*TITLES}
    assert set(real_runs.NOT_HERE) <= set(TITLES)


def test_recorded_experiments_of_independent_runs_rarely_have_any_warning() -> None:
    recorded = pd.read_csv(real_runs.RESULTS)
    now = recorded[(recorded["definitions"] == DEFINITIONS) & (recorded["what"] == "any")]
    reported = now[now["part"] == real_runs.REPORTED]
    assert np.average(reported["rate"], weights=reported["n"]) <= 0.05


@pytest.mark.parametrize("n_runs", [5, 10])
def test_subsets_of_the_sample_have_no_warning_about_alike_runs(n_runs: int) -> None:
    experiments = [*real_runs.sample_experiments(6, np.random.default_rng(5), numbers=(n_runs,))]
    rates = real_runs.measured(experiments)
    warnings = rates[rates["kind"] == "warning"].groupby("what")["rate"].max()
    assert warnings["near-copies"] == warnings["nested-names"] == 0
    assert warnings["any"] <= 0.5, "at most one of these few, e.g. a run that is really far from the others"
    statements = rates[rates["kind"] == "statement"].groupby("what")["rate"].mean()
    assert statements["range of the runs needed is shown"] == 1
