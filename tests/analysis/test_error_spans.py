"""Errors that metrics mark: where they stand in the outputs, and how many each system has."""

import numpy as np
import pytest
from scipy.stats import chi2

from mteval.analysis.evaluation import evaluate
from mteval.analysis.scoring import Scored, Work, score_experiment
from mteval.analysis.summary import ErrorRow, error_rows, marks_errors, spans_of
from mteval.metrics import resolve
from mteval.report.numbers import frames_of, json
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.judgements import ErrorSpan, Spans
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings

MINOR, MAJOR = ErrorSpan(0, 3, "minor"), ErrorSpan(4, 7, "major")
SETTINGS = Settings(metrics=("xcomet",), n_bootstrap=4_000, n_shuffles=50)
TEXT = "the cat sat"


def experiment(spans: dict[str, list[list[Spans | None]]], documents: tuple[str, ...] | None = None) -> Experiment:
    """Runs whose outputs all are the text, with these spans by system and run."""
    n = len(next(iter(spans.values()))[0])
    names = [(system, str(run)) for system, runs in spans.items() for run in range(len(runs))]
    given = tuple(GivenScores("t", *name, (1.0,) * n, spans=tuple(spans[name[0]][int(name[1])])) for name in names)
    runs = tuple(Run(*name, (TEXT,) * n) for name in names)
    test_set = TestSet("t", (("r",),) * n, runs, documents=documents)
    return Experiment((test_set,), "a", (GivenMetric("xcomet", "XCOMET", given),))


def scored(found: Experiment) -> Scored:
    (one,) = score_experiment(found, resolve(SETTINGS, found.given), Work())
    return one


def rows(found: Experiment) -> dict[tuple[str, str], ErrorRow]:
    return {(row.system, row.severity): row for row in error_rows(scored(found), SETTINGS)}


def test_errors_are_counted_by_severity_over_all_runs():
    found = rows(experiment({"a": [[(MINOR, MAJOR), ()], [(MINOR,), (MINOR,)]], "b": [[(), (MAJOR,)]]}))
    counts = {name: (row.runs, row.segments, row.errors, row.per_segment) for name, row in found.items()}
    assert counts == {
        ("a", "any"): (2, 2, 4, 1.0),
        ("a", "minor"): (2, 2, 3, 0.75),
        ("a", "major"): (2, 2, 1, 0.25),
        ("b", "any"): (1, 2, 1, 0.5),
        ("b", "minor"): (1, 2, 0, 0.0),
        ("b", "major"): (1, 2, 1, 0.5),
    }


def test_segments_unknown_in_any_run_are_skipped_for_all_systems():
    found = rows(experiment({"a": [[(MINOR,), (MINOR,), ()]], "b": [[(), None, ()]]}))
    assert (found["a", "any"].segments, found["a", "any"].errors) == (2, 1)
    assert found["b", "any"].errors == 0


def test_the_interval_is_that_of_a_mean_over_segments():
    generator = np.random.default_rng(7)
    counts = generator.poisson(1.3, size=(2, 400))
    spans: list[list[Spans | None]] = [[(MINOR,) * count for count in run] for run in counts]
    row = rows(experiment({"a": spans}))["a", "any"]
    by_segment = counts.mean(axis=0)
    error = by_segment.std(ddof=1) / np.sqrt(400)
    assert row.per_segment == pytest.approx(by_segment.mean())
    assert (row.low, row.high) == pytest.approx(
        (row.per_segment - 1.96 * error, row.per_segment + 1.96 * error), abs=error / 5
    )
    assert row.unit == "segment"


@pytest.mark.parametrize("count", [0, 1, 3])
def test_few_errors_have_at_least_the_exact_interval_of_their_count(count: int):
    spans: list[list[Spans | None]] = [[(MAJOR,)] * count + [()] * (460 - count)]
    row = rows(experiment({"a": spans}))["a", "any"]
    exact = [chi2.ppf(0.025, 2 * count) / 2 if count else 0.0, chi2.ppf(0.975, 2 * count + 2) / 2]
    assert row.low <= exact[0] / 460 + 1e-12
    assert row.high == pytest.approx(exact[1] / 460)
    if not count:
        assert 100 * row.high == pytest.approx(0.80, abs=0.005)


def test_documents_are_the_units_where_they_are_known():
    counts = np.repeat(np.random.default_rng(8).poisson(1.3, size=80), 5)  # equal within documents
    spans: list[list[Spans | None]] = [[(MINOR,) * count for count in counts]]
    documents = tuple(f"d{segment // 5}" for segment in range(400))
    alone, together = (rows(experiment({"a": spans}, ids))["a", "any"] for ids in (None, documents))
    assert together.unit == "document"
    assert (together.high - together.low) / (alone.high - alone.low) == pytest.approx(np.sqrt(5), rel=0.1)


def test_spans_lie_within_the_output_without_outer_spaces_unless_only_spaces_are_marked():
    odd = (ErrorSpan(3, 8, "minor"), ErrorSpan(7, 99, "major"), ErrorSpan(3, 4, "minor"), ErrorSpan(50, 60, "minor"))
    found = experiment({"a": [[odd]]})
    (spans,) = spans_of(scored(found), found.test_sets[0].runs[0])
    assert spans is not None
    marked = [(TEXT[span.start : span.end], span.severity) for span in spans]
    assert marked == [("cat", "minor"), ("sat", "major"), (" ", "minor")]  # the last one: a word is missing


def test_metrics_without_spans_have_none():
    found = experiment({"a": [[(MINOR,)]]})
    (length,) = score_experiment(found, resolve(Settings(metrics=("length",))), Work())
    assert not marks_errors(length)
    assert marks_errors(scored(found))
    assert list(error_rows(length, Settings(metrics=("length",)))) == []
    assert spans_of(length, found.test_sets[0].runs[0]) == (None,)


def test_the_counts_are_written_with_all_numbers():
    found = experiment({"a": [[(MINOR, MAJOR), ()]] * 2, "b": [[(), (MAJOR,)]] * 2})
    evaluation = evaluate(found, Settings(metrics=("xcomet",), n_bootstrap=20, n_shuffles=20), Work())
    frame = frames_of(evaluation)["errors"]
    assert list(frame["errors"]) == [4, 2, 2, 2, 0, 2]
    assert '"severity": "major"' in json(evaluation)
    without = evaluate(found, Settings(metrics=("length",), n_bootstrap=20, n_shuffles=20), Work())
    assert "errors" not in frames_of(without)
