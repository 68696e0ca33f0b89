"""What is said of runs that are really independent is measured: every finding has a row, and a small case holds."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import real_runs, right_files
from mteval.values.definitions import DEFINITIONS
from mteval.values.findings import TITLES


def test_every_finding_has_a_measured_rate_or_a_reason_why_not() -> None:
    recorded = pd.read_csv(real_runs.RESULTS)
    now = recorded[recorded["definitions"] == DEFINITIONS]
    of_runs = {*now.loc[now["kind"] == "warning", "what"]} - {"any"}
    of_files = {*pd.read_csv(right_files.RESULTS)["what"]} - {*right_files.SENTENCES}
    assert of_runs | of_files | {*real_runs.NOT_HERE} == {*TITLES}
    assert of_files >= {*real_runs.OF_FILES}
    assert not {*real_runs.NOT_HERE} & (of_runs | of_files)


def test_recorded_warnings_about_files_that_are_right_are_rarely_there() -> None:
    recorded = pd.read_csv(right_files.RESULTS)
    assert {*right_files.SENTENCES} <= {*recorded["what"]}
    alarms = recorded[(recorded["kind"] == "warning") & (recorded["part"] == real_runs.REPORTED)]
    assert alarms["rate"].max() <= 0.1, "one of 20 segments lacks a score, and by chance it is the last"
    assert np.average(alarms["rate"], weights=alarms["n"]) <= 0.01
    power = recorded[recorded["kind"] == "power"]
    assert (power.groupby("what")["rate"].max() == 1).sum() >= 7


def test_a_few_files_that_are_right_have_no_warning() -> None:
    rates = right_files.measured(3, (right_files.missing_scores, right_files.columns, right_files.languages))
    assert rates[rates["kind"] == "warning"]["rate"].max() == 0
    assert rates[rates["kind"] == "power"]["rate"].min() == 1


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
