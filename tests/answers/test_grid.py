"""The grid: its numbers are those of the single test sets and of the claims."""

import numpy as np
import pytest

from mteval.analysis.evaluation import evaluate
from mteval.analysis.grid import AVERAGE, grid_frame
from mteval.analysis.results import Results, reported_test_set
from mteval.analysis.scoring import Work
from mteval.answers.grid import grid_section
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings

PAIRS = ("de-en", "cs-en", "zh-en")
GAIN_OF = {"de-en": 0.9, "cs-en": 0.5, "zh-en": 0.0}
N_SEGMENTS = 60


def made(systems: str, *, is_better_low: bool = False) -> Results:
    """Systems with three runs on three language pairs and a tuning set; each gains more than the one before it."""
    generator = np.random.default_rng(7)
    test_sets = []
    scores = []
    for name in (*PAIRS, "tune"):
        runs = []
        for place, system in enumerate(systems):
            for run in range(3):
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


def test_the_grid_names_the_test_sets_of_each_verdict() -> None:
    section = grid_section(made("ab"), "one")
    assert section is not None
    (lead,) = section.lead
    assert lead.endswith("Better on de-en and cs-en; no clear difference on zh-en.")
    assert section.table is not None
    assert [column.name for column in section.table.columns] == ["System", *PAIRS, "Average"]


@pytest.mark.parametrize("is_better_low", [False, True])
def test_many_systems_are_sorted_by_their_average_with_the_best_first(is_better_low: bool) -> None:
    section = grid_section(made("abcd", is_better_low=is_better_low), "one")
    assert section is not None
    assert section.table is not None
    assert list(section.table.frame["system"]) == ["d", "c", "b", "a"]
    assert section.lead == ("One on average over 3 test sets, against a: 3 better.",)


def test_a_single_test_set_has_no_grid() -> None:
    results = made("ab")
    test_set = results.experiment.test_set("de-en")
    experiment = Experiment((test_set,), "a", results.experiment.given)
    evaluation = evaluate(experiment, results.settings, Work())
    assert grid_frame(evaluation).empty
    assert grid_section(Results(experiment, evaluation, test_set), "one") is None
