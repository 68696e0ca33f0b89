"""Shown equal, and tests on equals."""

from itertools import chain

import numpy as np
import pandas as pd
import pytest

from mteval.analysis.comparison import Case, Question, compare
from mteval.analysis.equality import (
    MOST_COMPARISONS,
    equal_frame,
    equality_frame,
    rejections,
    runs_against_runs,
    systems_against_systems,
)
from mteval.analysis.scoring import Scored, Work, score_experiment
from mteval.analysis.significance import Family, all_questions
from mteval.base.errors import SettingsError
from mteval.metrics.imported import Imported
from mteval.stats.multiplicity import holm
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings

SETTINGS = Settings(n_shuffles=500)
N_SEGMENTS = 60


def scored_runs(n_runs: int, run_deviation: float = 0.0, **shifts: float) -> Scored:
    """A metric that is a mean: noise of 1 a segment, whole runs that differ, systems that are shifted."""
    generator = np.random.default_rng(11)
    scores = []
    for system, shift in shifts.items():
        for run in range(n_runs):
            mean = shift + run_deviation * generator.normal()
            values = mean + generator.normal(size=N_SEGMENTS)
            scores.append(GivenScores("test", system, str(run), tuple(values)))
    runs = tuple(Run(given.system, given.run, ("x",) * N_SEGMENTS) for given in scores)
    experiment = Experiment((TestSet("test", (("r",),) * N_SEGMENTS, runs),), next(iter(shifts)))
    (scored,) = score_experiment(experiment, [Imported(GivenMetric("human", "Human", tuple(scores)))], Work())
    return scored


def test_equal_systems_are_equivalent_within_a_wide_margin_only() -> None:
    family = Family.of([scored_runs(4, a=0.0, b=0.0)], "a")
    wide = equality_frame(family, "segment", 1.0, SETTINGS, Work())
    narrow = equality_frame(family, "segment", 0.01, SETTINGS, Work())
    assert list(wide["luck"]) == ["test-set", "both"]
    assert (wide["p_adjusted"] < 0.01).all()
    assert (wide["low"] > -1.0).all()
    assert (wide["high"] < 1.0).all()
    assert (narrow["p_adjusted"] > 0.5).all()


def test_equivalence_is_the_worse_of_its_two_sides() -> None:
    """Not better by a margin means, for the other system, not worse by it."""
    scored = scored_runs(4, a=0.0, b=0.2)
    b_against_a = Family.of([scored], "a")
    a_against_b = Family((scored,), "b", ("a",))

    both_sides = equality_frame(b_against_a, "segment", 0.3, SETTINGS, Work())["p_value"]
    b_not_worse = equality_frame(b_against_a, "segment", 0.3, SETTINGS, Work(), "worse")["p_value"]
    a_not_worse = equality_frame(a_against_b, "segment", 0.3, SETTINGS, Work(), "worse")["p_value"]
    b_better = equality_frame(b_against_a, "segment", 0.3, SETTINGS, Work(), "better")["p_value"]

    np.testing.assert_allclose(both_sides, np.maximum(b_not_worse, a_not_worse), atol=0.01)
    np.testing.assert_allclose(b_better, 1 - a_not_worse, atol=0.01)
    assert (b_not_worse < a_not_worse).all()


def test_equivalence_holds_exactly_if_the_interval_lies_within_the_margin() -> None:
    family = Family.of([scored_runs(4, a=0.0, b=0.2)], "a")

    def row_of_both(margin: float) -> pd.Series:
        """The answer about both kinds of luck."""
        return equality_frame(family, "segment", margin, SETTINGS, Work()).query("luck == 'both'").iloc[0]

    row = row_of_both(1.0)
    edge = max(-row["low"], row["high"])
    assert row_of_both(1.001 * edge)["p_value"] <= 0.05
    assert row_of_both(0.999 * edge)["p_value"] > 0.05


def test_equivalence_is_adjusted_over_systems_and_needs_several_runs() -> None:
    three_systems = Family.of([scored_runs(1, a=0.0, b=0.0, c=0.1)], "a")
    frame = equality_frame(three_systems, "segment", 0.4, SETTINGS, Work())
    test_set = frame[frame["luck"] == "test-set"]
    both = frame[frame["luck"] == "both"]
    np.testing.assert_allclose(test_set["p_adjusted"], holm(test_set["p_value"].to_numpy()))
    assert both["p_value"].isna().all()
    assert both["note"].str.contains("one run").all()

    two_systems = Family.of([scored_runs(1, a=0.0, b=0.0)], "a")
    with pytest.raises(SettingsError, match=r"margin of equivalence .* not 0"):
        equality_frame(two_systems, "segment", 0.0, SETTINGS, Work())


def test_few_runs_are_split_in_all_ways_and_many_at_random() -> None:
    """Of four runs there are six pairs of runs, and three pairs of halves."""
    four = scored_runs(4, a=0.0)
    twelve = scored_runs(12, a=0.0)
    assert len(runs_against_runs(four, "a", 1, 0)) == 6
    assert len(runs_against_runs(four, "a", 2, 0)) == 3

    drawn = runs_against_runs(twelve, "a", 3, 0)
    assert len({sides.runs for sides in drawn}) == MOST_COMPARISONS
    assert drawn == runs_against_runs(twelve, "a", 3, 0)
    for sides in drawn:
        assert len({*chain(*sides.runs)}) == 6
    with pytest.raises(SettingsError, match="4 runs; two sets of 3 need 6"):
        runs_against_runs(four, "a", 3, 0)


def test_two_sets_of_runs_have_the_p_value_of_the_procedure() -> None:
    scored = scored_runs(4, a=0.0, b=0.0)
    sides = systems_against_systems(scored, ["a", "b"])
    frame = equal_frame(scored, sides, all_questions("segment"), SETTINGS, Work())
    for row in frame.to_dict("records"):
        question = Question(row["procedure"], row["unit"])
        assert row["p_value"] == compare(Case(scored, "a", "b", question), SETTINGS, Work()).p_value
    with pytest.raises(SettingsError, match="two equivalent systems, not 1"):
        systems_against_systems(scored, ["a"])


def test_only_tests_that_model_runs_keep_their_level_if_runs_differ() -> None:
    scored = scored_runs(20, run_deviation=1.0, a=0.0)
    pairs = runs_against_runs(scored, "a", 3, 5)
    questions = all_questions("segment", ["ar-segment", "paired-t", "two-way", "welch"])
    frame = equal_frame(scored, pairs, questions, SETTINGS, Work())
    shares = rejections(frame, 0.05).set_index("procedure")["share"]
    assert shares["ar-segment"] > 0.5
    assert shares["paired-t"] > 0.5
    assert shares["two-way"] <= 0.15
    assert shares["welch"] <= 0.15


def test_rejections_count_the_answered_comparisons_alone() -> None:
    scored = scored_runs(2, a=0.0)
    pairs = runs_against_runs(scored, "a", 1, 0)
    frame = equal_frame(scored, pairs, all_questions("segment"), SETTINGS, Work())
    rows = rejections(frame, 0.05).set_index("procedure")
    assert rows.loc["ar-segment", "n_comparisons"] == 1
    assert rows.loc["two-way", "n_comparisons"] == 0
    assert np.isnan(rows.loc["two-way", "share"])
    assert "one run" in rows.loc["two-way", "note"]
