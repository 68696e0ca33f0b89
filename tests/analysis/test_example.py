"""MultEval's example end to end: every number that MultEval printed and that is right, and the two p-values."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from mteval.analysis.evaluation import Evaluation, evaluate
from mteval.analysis.results import verdicts
from mteval.analysis.scoring import Work
from mteval.readers.named_files import load_paths
from mteval.values.model import Experiment
from mteval.values.settings import Settings

SYSTEMS = {"baseline": "baseline", "sys1": "system 1", "sys2": "system 2"}
METRICS = {"bleu": "BLEU", "ter": "TER", "length": "Length"}
LINE = re.compile(r"RESULT: (?P<system>[^:]+): (?P<metric>[^:]+): (?P<statistic>[^:]+): (?P<value>\S+)")


@pytest.fixture(scope="module")
def recorded(data_directory: Path) -> dict[tuple[str, str, str], str]:
    """MultEval's result lines: (system, metric, statistic) to the printed value."""
    text = (data_directory / "reference" / "multeval" / "results.txt").read_text(encoding="utf-8")
    return {(line["system"], line["metric"], line["statistic"]): line["value"] for line in LINE.finditer(text)}


def named_rows(frame: pd.DataFrame) -> Iterator[tuple[str, str, Any]]:
    """Rows with MultEval's names of system and metric."""
    for row in frame.itertuples():
        yield SYSTEMS[row.system], METRICS[row.metric], row


def test_every_run_score_is_the_recorded_one_to_six_digits(
    example_evaluation: Evaluation, recorded: dict[tuple[str, str, str], str]
) -> None:
    rows = list(named_rows(example_evaluation.scores))
    assert len(rows) == 3 * 3 * 3
    for system, metric, row in rows:
        assert f"{row.score:.6f}" == recorded[system, metric, f"OptRun {row.run}"], (system, metric, row.run)


def test_averages_spreads_and_medians_are_the_recorded_ones_to_six_digits(
    example_evaluation: Evaluation, recorded: dict[tuple[str, str, str], str]
) -> None:
    for system, metric, row in named_rows(example_evaluation.summary):
        values = {"AVG": row.mean, "STDDEV": row.s_opt, "MIN": row.minimum, "MAX": row.maximum}
        for statistic, value in values.items():
            assert f"{value:.6f}" == recorded[system, metric, statistic], (system, metric, statistic)
        assert int(row.median_run) == float(recorded[system, metric, "MEDIAN_IDX"]), (system, metric)


def test_s_sel_is_the_recorded_one_within_bootstrap_error(
    example_evaluation: Evaluation, recorded: dict[tuple[str, str, str], str]
) -> None:
    # a standard deviation from 1,000 replicates has a standard error of 2.2%, on both sides: 5 of their joint errors
    for system, metric, row in named_rows(example_evaluation.summary):
        assert row.s_sel == pytest.approx(float(recorded[system, metric, "RESAMPLED_STDDEV_AVG"]), rel=0.16)


def test_identical_systems_differ_by_nothing_with_p_of_one(example_evaluation: Evaluation) -> None:
    rows = example_evaluation.comparisons.query("system == 'sys2' and procedure == 'ar-segment'")
    assert len(rows) == len(METRICS)
    assert (rows["difference"] == 0).all()
    assert (rows["p_value"] == 1).all()


# computed by a program that shares no code with this one; its intervals are wider by a hundredth, since the whole
# variance over runs counts in its degrees of freedom (tests/stats/procedures/test_two_way.py has both)
@pytest.mark.parametrize(
    ("metric", "difference", "p_segment", "p_run", "low", "high"),
    [
        ("bleu", 0.287, 0.009, 0.23, -0.27, 0.84),
        ("ter", -0.840, 0.0001, 0.11, -2.02, 0.34),
        ("length", 0.156, 0.28, 0.75, None, None),
    ],
)
def test_the_two_answers_are_the_independently_computed_ones(
    example_evaluation: Evaluation,
    metric: str,
    difference: float,
    p_segment: float,
    p_run: float,
    low: float | None,
    high: float | None,
) -> None:
    rows = example_evaluation.comparisons.query("system == 'sys1' and metric == @metric").set_index("procedure")
    on_test_set = rows.loc["ar-segment"]
    on_both = rows.loc["two-way"]
    error = (p_segment * (1 - p_segment) / 10_000) ** 0.5
    assert on_test_set["difference"] == pytest.approx(difference, abs=5e-4)
    assert on_test_set["p_value"] == pytest.approx(p_segment, abs=0.0005 + 4 * error)
    assert on_both["p_value"] == pytest.approx(p_run, abs=0.01)
    if low is not None:
        assert on_both["low"] == pytest.approx(low, abs=0.01)
        assert on_both["high"] == pytest.approx(high, abs=0.01)


def test_the_verdict_on_bleu_separates_the_two_kinds_of_luck(example_evaluation: Evaluation) -> None:
    of_sys1 = [verdict for verdict in verdicts(example_evaluation) if verdict.system == "sys1"]
    (verdict,) = [verdict for verdict in of_sys1 if verdict.metric == "bleu"]
    assert verdict.test_set_luck == "ruled out"
    assert verdict.both == "open"
    assert verdict.mark == "†"


def test_exchanging_outputs_of_two_runs_agrees_with_multeval(
    data_directory: Path, example_files: dict[str, list[Path]]
) -> None:
    text = (data_directory / "reference" / "multeval" / "two-runs.txt").read_text(encoding="utf-8")
    recorded = pd.DataFrame([line.groupdict() for line in LINE.finditer(text)]).astype({"value": float})
    runs = {"baseline": example_files["baseline"][:2], "sys1": example_files["sys1"][1:]}
    experiment = load_paths(example_files["refs"], runs, baseline="baseline").experiment
    settings = Settings(metrics=tuple(METRICS), convention="multeval", exchange_unit="output", n_bootstrap=2)
    rows = evaluate(experiment, settings, Work()).comparisons.query("procedure == 'ar-output'")
    for row in rows.itertuples():
        p_values = recorded.query("metric == @METRICS[@row.metric]")["value"]
        mean = p_values.mean()
        error = (mean * (1 - mean) / 10_000 * (1 + 1 / len(p_values))) ** 0.5
        assert row.p_value == pytest.approx(mean, abs=4 * error + 1e-4), row.metric


def test_numbers_do_not_depend_on_the_number_of_threads(example: Experiment, example_evaluation: Evaluation) -> None:
    settings = Settings(metrics=("bleu", "ter", "length"), convention="multeval", workers=1)
    assert_same_numbers(evaluate(example, settings, Work()), example_evaluation)


def test_numbers_of_the_sample_do_not_depend_on_the_number_of_threads(sample: Experiment) -> None:
    by_one_thread = evaluate(sample, Settings(metrics=("bleu", "ter"), workers=1), Work())
    by_two_threads = evaluate(sample, Settings(metrics=("bleu", "ter"), workers=2), Work())
    assert_same_numbers(by_one_thread, by_two_threads)


def assert_same_numbers(first: Evaluation, second: Evaluation) -> None:
    """Check that all numbers of two evaluations are the same to the bit."""
    for name in ("scores", "summary", "resampled", "comparisons"):
        pd.testing.assert_frame_equal(getattr(first, name), getattr(second, name), check_exact=True)
