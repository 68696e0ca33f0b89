"""Errors that metrics mark: where they stand in the outputs, and how many each system has."""

from collections.abc import Iterable

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

MINOR = ErrorSpan(0, 3, "minor")
MAJOR = ErrorSpan(4, 7, "major")
SETTINGS = Settings(metrics=("xcomet",), n_bootstrap=4_000, n_shuffles=50)
TEXT = "the cat sat"


def experiment(spans: dict[str, list[list[Spans | None]]], documents: tuple[str, ...] | None = None) -> Experiment:
    """Runs whose outputs all are the text, with these spans by system and run."""
    given = []
    for system, runs in spans.items():
        for run, spans_of_run in enumerate(runs):
            values = (1.0,) * len(spans_of_run)
            given.append(GivenScores("t", system, str(run), values, spans=tuple(spans_of_run)))
    n_segments = len(given[0].values)
    outputs = tuple(Run(scores.system, scores.run, (TEXT,) * n_segments) for scores in given)
    test_set = TestSet("t", (("r",),) * n_segments, outputs, documents=documents)
    return Experiment((test_set,), "a", (GivenMetric("xcomet", "XCOMET", tuple(given)),))


def scored(loaded: Experiment) -> Scored:
    """The scores by the only metric, which marks errors."""
    (by_xcomet,) = score_experiment(loaded, resolve(SETTINGS, loaded.given), Work())
    return by_xcomet


def rows(loaded: Experiment) -> dict[tuple[str, str], ErrorRow]:
    """The numbers of errors, by system and severity."""
    return {(row.system, row.severity): row for row in error_rows(scored(loaded), SETTINGS)}


def test_errors_are_counted_by_severity_over_all_runs():
    row_of = rows(experiment({"a": [[(MINOR, MAJOR), ()], [(MINOR,), (MINOR,)]], "b": [[(), (MAJOR,)]]}))
    counts = {key: (row.runs, row.segments, row.errors, row.per_segment) for key, row in row_of.items()}
    assert counts == {
        ("a", "any"): (2, 2, 4, 1.0),
        ("a", "minor"): (2, 2, 3, 0.75),
        ("a", "major"): (2, 2, 1, 0.25),
        ("b", "any"): (1, 2, 1, 0.5),
        ("b", "minor"): (1, 2, 0, 0.0),
        ("b", "major"): (1, 2, 1, 0.5),
    }


def test_segments_unknown_in_any_run_are_skipped_for_all_systems():
    row_of = rows(experiment({"a": [[(MINOR,), (MINOR,), ()]], "b": [[(), None, ()]]}))
    assert row_of["a", "any"].segments == 2
    assert row_of["a", "any"].errors == 1
    assert row_of["b", "any"].errors == 0


def spans_numbering(counts: Iterable[int]) -> list[Spans | None]:
    """So many minor errors in each segment."""
    return [(MINOR,) * count for count in counts]


def test_the_interval_is_that_of_a_mean_over_segments():
    generator = np.random.default_rng(7)
    counts = generator.poisson(1.3, size=(2, 400))  # runs x segments
    spans = [spans_numbering(counts_of_run) for counts_of_run in counts]
    by_segment = counts.mean(axis=0)
    mean = by_segment.mean()
    error = by_segment.std(ddof=1) / np.sqrt(400)

    row = rows(experiment({"a": spans}))["a", "any"]

    assert row.per_segment == pytest.approx(mean)
    assert row.low == pytest.approx(mean - 1.96 * error, abs=error / 5)
    assert row.high == pytest.approx(mean + 1.96 * error, abs=error / 5)
    assert row.unit == "segment"


@pytest.mark.parametrize("count", [0, 1, 3])
def test_few_errors_have_at_least_the_exact_interval_of_their_count(count: int):
    """The exact interval of a Poisson count is Garwood's, from quantiles of chi-squared; of no error, up to 0.80%."""
    spans: list[list[Spans | None]] = [[(MAJOR,)] * count + [()] * (460 - count)]
    lowest = chi2.ppf(0.025, 2 * count) / 2 if count else 0.0
    highest = chi2.ppf(0.975, 2 * count + 2) / 2

    row = rows(experiment({"a": spans}))["a", "any"]

    assert row.low <= lowest / 460 + 1e-12
    assert row.high == pytest.approx(highest / 460)
    if not count:
        assert 100 * row.high == pytest.approx(0.80, abs=0.005)


def test_documents_are_the_units_where_they_are_known():
    """Five segments of a document have equally many errors, so intervals are wider by the root of five."""
    counts = np.repeat(np.random.default_rng(8).poisson(1.3, size=80), 5)
    spans = [spans_numbering(counts)]
    documents = tuple(f"d{segment // 5}" for segment in range(400))

    by_segments = rows(experiment({"a": spans}))["a", "any"]
    by_documents = rows(experiment({"a": spans}, documents))["a", "any"]

    assert by_documents.unit == "document"
    times_as_wide = (by_documents.high - by_documents.low) / (by_segments.high - by_segments.low)
    assert times_as_wide == pytest.approx(np.sqrt(5), rel=0.1)


def test_spans_lie_within_the_output_without_outer_spaces_unless_only_spaces_are_marked():
    odd = (
        ErrorSpan(3, 8, "minor"),
        ErrorSpan(7, 99, "major"),
        ErrorSpan(3, 4, "minor"),  # a word is missing
        ErrorSpan(50, 60, "minor"),
    )
    loaded = experiment({"a": [[odd]]})

    (spans,) = spans_of(scored(loaded), loaded.test_sets[0].runs[0])

    assert spans is not None
    marked = [(TEXT[span.start : span.end], span.severity) for span in spans]
    assert marked == [("cat", "minor"), ("sat", "major"), (" ", "minor")]


def test_metrics_without_spans_have_none():
    loaded = experiment({"a": [[(MINOR,)]]})
    settings = Settings(metrics=("length",))
    (by_length,) = score_experiment(loaded, resolve(settings), Work())
    assert not marks_errors(by_length)
    assert marks_errors(scored(loaded))
    assert list(error_rows(by_length, settings)) == []
    assert spans_of(by_length, loaded.test_sets[0].runs[0]) == (None,)


def test_the_counts_are_written_with_all_numbers():
    loaded = experiment({"a": [[(MINOR, MAJOR), ()]] * 2, "b": [[(), (MAJOR,)]] * 2})

    by_xcomet = evaluate(loaded, Settings(metrics=("xcomet",), n_bootstrap=20, n_shuffles=20), Work())
    assert list(frames_of(by_xcomet)["errors"]["errors"]) == [4, 2, 2, 2, 0, 2]
    assert '"severity": "major"' in json(by_xcomet)

    by_length = evaluate(loaded, Settings(metrics=("length",), n_bootstrap=20, n_shuffles=20), Work())
    assert "errors" not in frames_of(by_length)
