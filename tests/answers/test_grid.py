"""The grid: its numbers are those of the single test sets and of the claims."""

from dataclasses import replace

import numpy as np
import pytest

from mteval.analysis.evaluation import evaluate
from mteval.analysis.grid import AVERAGE, grid_frame
from mteval.analysis.results import Results, reported_test_set
from mteval.analysis.scoring import Work
from mteval.answers.claims import claim_sentence
from mteval.answers.grid import grid_section
from mteval.answers.verdict import gain
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.notation import p_equals
from mteval.values.settings import Settings

PAIRS = ("de-en", "cs-en", "zh-en")
GAIN_OF = {"de-en": 0.9, "cs-en": 0.5, "zh-en": 0.0}
N_SEGMENTS = 60


def made(systems: str, *, is_better_low: bool = False, n_runs: int = 3) -> Results:
    """Systems with some runs on three language pairs and a tuning set; each gains more than the one before it."""
    generator = np.random.default_rng(7)
    test_sets = []
    scores = []
    for name in (*PAIRS, "tune"):
        runs = []
        for place, system in enumerate(systems):
            for run in range(n_runs):
                gain = place * GAIN_OF.get(name, 0.0) * (-1 if is_better_low else 1)
                values = generator.normal(size=N_SEGMENTS) + gain
                scores.append(GivenScores(name, system, str(run), tuple(values)))
                runs.append(Run(system, str(run), (f"{system}{run}",) * N_SEGMENTS))
        role = "dev" if name == "tune" else "test"
        test_sets.append(TestSet(name, (("r",),) * N_SEGMENTS, tuple(runs), role=role))
    given = GivenMetric("one", "One", tuple(scores), not is_better_low)
    experiment = Experiment(tuple(test_sets), systems[0], (given,))
    settings = Settings(metrics=("one",), n_shuffles=400, n_bootstrap=20)
    return Results(experiment, evaluate(experiment, settings, Work()), reported_test_set(experiment))


def test_every_number_of_the_grid_is_that_of_its_test_set_or_of_the_claim() -> None:
    results = made("ab")
    frame = grid_frame(results.evaluation).set_index(["system", "test_set"])
    assert set(frame.index.get_level_values("test_set")) == {*PAIRS, AVERAGE}  # not the tuning set
    for system in "ab":
        means = []
        for row in results.evaluation.summaries:
            if row.system == system and row.test_set in PAIRS:
                assert frame.loc[(system, row.test_set), "mean"] == row.mean
                means.append(row.mean)
        assert frame.loc[(system, AVERAGE), "mean"] == pytest.approx(np.mean(means))

    for pair in PAIRS:
        (verdict,) = results.on(results.experiment.test_set(pair)).verdicts()
        cell = frame.loc[("b", pair)]
        assert cell["conclusion"] == verdict.conclusion.word
        assert cell["p_run_adjusted"] == verdict.p_run_adjusted
        assert cell["difference"] == verdict.difference
    (claim,) = results.evaluation.claims
    assert frame.loc[("b", AVERAGE), "difference"] == claim.difference
    assert frame.loc[("b", AVERAGE), "p_run_adjusted"] == claim.these_test_sets.p_adjusted
    assert frame.loc[("a", AVERAGE), "conclusion"] == ""


@pytest.mark.parametrize("n_runs", [1, 3])
def test_every_number_of_the_grid_equals_the_one_of_a_report_on_its_test_set_alone(n_runs: int) -> None:
    """With several systems, so that p is adjusted and intervals are simultaneous; and with single runs."""
    results = made("abc", n_runs=n_runs)
    frame = grid_frame(results.evaluation).set_index(["system", "test_set"])
    section = grid_section(results, "one")
    assert section is not None
    assert section.table is not None
    help_of = {}
    for (_, *cells), row in zip(section.table.cells, section.table.rows, strict=True):
        for cell, name in zip(cells, (*PAIRS, AVERAGE), strict=True):
            help_of[row["key"], name] = cell.help
    n_adjusted = 0
    for pair in PAIRS:
        experiment = replace(
            results.experiment, test_sets=(results.experiment.test_set(pair),), given=given_on(results, pair)
        )
        alone = Results(experiment, evaluate(experiment, results.settings, Work()), experiment.test_sets[0])
        mean_of = {row.system: row.mean for row in alone.evaluation.summaries}
        for verdict in alone.verdicts():
            cell = frame.loc[(verdict.system, pair)]
            assert cell["mean"] == mean_of[verdict.system]
            assert cell["difference"] == verdict.difference
            assert cell["conclusion"] == verdict.conclusion.word
            assert np.array_equal(
                [cell["p_test_set_adjusted"], cell["p_run_adjusted"]],
                [verdict.p_test_set_adjusted, verdict.p_run_adjusted],
                equal_nan=True,
            )
            ends = verdict.ends_test_set if n_runs == 1 else verdict.ends_both
            assert (cell["low"], cell["high"]) == ends
            assert cell["is_simultaneous"] == verdict.is_simultaneous
            # The tooltip has the interval of the verdict's own card, and the same p with the same label
            interval = verdict.notation.interval(*ends)
            assert f"CI {interval}" in gain(verdict, 0.95)
            deciding_p = verdict.p_test_set_adjusted if n_runs == 1 else verdict.p_run_adjusted
            label = "adjusted " if verdict.has_adjusted_p else ""
            n_adjusted += verdict.has_adjusted_p
            assert help_of[verdict.system, pair].endswith(f"95% CI {interval}, {label}{p_equals(deciding_p)})")
    assert n_adjusted > 0
    for claim in results.evaluation.claims:
        cell = frame.loc[(claim.system, AVERAGE)]
        assert (cell["low"], cell["high"]) == (claim.deciding.low, claim.deciding.high)
        sentence = claim_sentence(claim, 0.95)
        interval = claim.notation.interval(cell["low"], cell["high"])
        assert f"95% CI {interval}" in sentence
        assert f"95% CI {interval}" in help_of[claim.system, AVERAGE]
        assert p_equals(claim.deciding.p_adjusted) in sentence
        assert p_equals(claim.deciding.p_adjusted) in help_of[claim.system, AVERAGE]
        assert ("adjusted" in help_of[claim.system, AVERAGE]) == bool(claim.deciding.corrections)


def given_on(results: Results, test_set: str) -> tuple[GivenMetric, ...]:
    """The scores of one test set."""
    given = []
    for metric in results.experiment.given:
        scores = tuple(scores for scores in metric.scores if scores.test_set == test_set)
        given.append(replace(metric, scores=scores))
    return tuple(given)


def test_the_grid_names_the_test_sets_of_each_verdict() -> None:
    section = grid_section(made("ab"), "one")
    assert section is not None
    (lead,) = section.lead
    assert section.table is not None
    assert "Best average first" not in section.table.caption  # the order is that of the files
    assert lead.endswith("Better on de-en and cs-en; no clear difference on zh-en.")
    assert [column.name for column in section.table.columns] == ["System", *PAIRS, "Average"]


@pytest.mark.parametrize("is_better_low", [False, True])
def test_many_systems_are_sorted_by_their_average_with_the_best_first(is_better_low: bool) -> None:
    section = grid_section(made("abcd", is_better_low=is_better_low), "one")
    assert section is not None
    assert section.table is not None
    assert list(section.table.frame["system"]) == ["d", "c", "b", "a"]
    assert "Best average first; on average, only differences from a are tested." in section.table.caption
    assert section.lead == ("One on average over 3 test sets, against a: 3 better.",)


def test_a_single_test_set_has_no_grid() -> None:
    results = made("ab")
    test_set = results.experiment.test_set("de-en")
    experiment = Experiment((test_set,), "a", results.experiment.given)
    evaluation = evaluate(experiment, results.settings, Work())
    assert grid_frame(evaluation).empty
    assert grid_section(Results(experiment, evaluation, test_set), "one") is None


def test_a_note_says_once_why_adjusted_p_of_claims_is_not_holm_s_over_the_printed_one() -> None:
    for systems, n in (("ab", 0), ("abc", 1)):
        section = grid_section(made(systems), "one")
        assert section is not None
        assert sum("drawn towards the systems' mean" in note.text for note in section.notes) == n
