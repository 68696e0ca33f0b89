"""Shown equal, tests on equals, and what people notice."""

import sys
from itertools import chain

import numpy as np
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
from mteval.analysis.people.agreement import Fit, fit_of, human_agreement
from mteval.analysis.scoring import Scored, Work, score_experiment
from mteval.analysis.significance import Family, all_questions
from mteval.base.errors import MissingDependencyError, SettingsError
from mteval.metrics import METRICS, resolve
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
    given = []
    for system, shift in shifts.items():
        for run in range(n_runs):
            mean = shift + run_deviation * generator.normal()
            given.append(GivenScores("test", system, str(run), tuple(mean + generator.normal(size=N_SEGMENTS))))
    runs = tuple(Run(one.system, one.run, ("x",) * N_SEGMENTS) for one in given)
    experiment = Experiment((TestSet("test", (("r",),) * N_SEGMENTS, runs),), next(iter(shifts)))
    (scored,) = score_experiment(experiment, [Imported(GivenMetric("human", "Human", tuple(given)))], Work())
    return scored


def test_equal_systems_are_equivalent_within_a_wide_margin_only() -> None:
    family = Family.of([scored_runs(4, a=0.0, b=0.0)], "a")
    wide, narrow = (equality_frame(family, "segment", margin, SETTINGS, Work()) for margin in (1.0, 0.01))
    assert list(wide["luck"]) == ["test-set", "both"]
    assert (wide["p_adjusted"] < 0.01).all()
    assert (narrow["p_adjusted"] > 0.5).all()
    inside = (wide["low"] > -1.0) & (wide["high"] < 1.0)
    assert inside.all()


def test_equivalence_is_the_worse_of_its_two_sides() -> None:
    """Not better by a margin means, for the other system, not worse by it."""
    scored = scored_runs(4, a=0.0, b=0.2)
    there, back = Family.of([scored], "a"), Family((scored,), "b", ("a",))
    both = equality_frame(there, "segment", 0.3, SETTINGS, Work())
    sides = [equality_frame(one, "segment", 0.3, SETTINGS, Work(), "worse") for one in (there, back)]
    np.testing.assert_allclose(both["p_value"], np.maximum(*(one["p_value"] for one in sides)), atol=0.01)
    better = equality_frame(there, "segment", 0.3, SETTINGS, Work(), "better")
    np.testing.assert_allclose(better["p_value"], 1 - sides[1]["p_value"], atol=0.01)
    assert (sides[0]["p_value"] < sides[1]["p_value"]).all()


def test_equivalence_holds_exactly_if_the_interval_lies_within_the_margin() -> None:
    family = Family.of([scored_runs(4, a=0.0, b=0.2)], "a")
    (low, high) = (
        equality_frame(family, "segment", 1.0, SETTINGS, Work()).query("luck == 'both'")[["low", "high"]].iloc[0]
    )
    edge = max(-low, high)
    for factor, is_shown in ((1.001, True), (0.999, False)):
        frame = equality_frame(family, "segment", edge * factor, SETTINGS, Work())
        assert (frame.query("luck == 'both'")["p_value"].iloc[0] <= 0.05) == is_shown


def test_equivalence_is_adjusted_over_systems_and_needs_several_runs() -> None:
    frame = equality_frame(Family.of([scored_runs(1, a=0.0, b=0.0, c=0.1)], "a"), "segment", 0.4, SETTINGS, Work())
    test_set, both = frame[frame["luck"] == "test-set"], frame[frame["luck"] == "both"]
    np.testing.assert_allclose(test_set["p_adjusted"], holm(test_set["p_value"].to_numpy()))
    assert both["p_value"].isna().all()
    assert both["note"].str.contains("one run").all()
    with pytest.raises(SettingsError, match=r"margin of equivalence .* not 0"):
        equality_frame(Family.of([scored_runs(1, a=0.0, b=0.0)], "a"), "segment", 0.0, SETTINGS, Work())


def test_few_runs_are_split_in_all_ways_and_many_at_random() -> None:
    few, many = scored_runs(4, a=0.0), scored_runs(12, a=0.0)
    assert len(runs_against_runs(few, "a", 1, 0)) == 6
    assert len(runs_against_runs(few, "a", 2, 0)) == 3
    drawn = runs_against_runs(many, "a", 3, 0)
    assert len({sides.runs for sides in drawn}) == MOST_COMPARISONS
    assert drawn == runs_against_runs(many, "a", 3, 0)
    for sides in drawn:
        assert len({*chain(*sides.runs)}) == 6
    with pytest.raises(SettingsError, match="4 runs; two sets of 3 need 6"):
        runs_against_runs(few, "a", 3, 0)


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
    asked = all_questions("segment", ["ar-segment", "paired-t", "two-way", "welch"])
    shares = rejections(equal_frame(scored, pairs, asked, SETTINGS, Work()), 0.05).set_index("procedure")["share"]
    assert shares["ar-segment"] > 0.5
    assert shares["paired-t"] > 0.5
    assert shares["two-way"] <= 0.15
    assert shares["welch"] <= 0.15


def test_rejections_count_the_answered_comparisons_alone() -> None:
    scored = scored_runs(2, a=0.0)
    frame = rejections(
        equal_frame(scored, runs_against_runs(scored, "a", 1, 0), all_questions("segment"), SETTINGS, Work()), 0.05
    ).set_index("procedure")
    assert frame.loc["ar-segment", "n_comparisons"] == 1
    assert frame.loc["two-way", "n_comparisons"] == 0
    assert np.isnan(frame.loc["two-way", "share"])
    assert "one run" in frame.loc["two-way", "note"]


def test_human_agreement_is_that_of_the_package() -> None:
    bleu, chrf, ter = resolve(Settings(metrics=("bleu", "chrf", "ter")))
    assert human_agreement(bleu, 1.0) == pytest.approx(0.63989, abs=1e-5)  # as its documentation says
    assert human_agreement(bleu, -1.0) == human_agreement(bleu, 1.0)
    assert human_agreement(chrf, 2.0) > human_agreement(chrf, 1.0) > 0.5
    assert human_agreement(bleu, 0.0) < 0.5
    assert human_agreement(ter, 1.0) is None
    assert human_agreement(bleu, float("nan")) is None


def test_other_options_have_no_curve_of_human_agreement() -> None:
    assert fit_of(METRICS["bleu"].configure("sacrebleu", {})) == Fit("bleu")
    assert fit_of(METRICS["bleu"].configure("sacrebleu", {"lowercase": True})) is None
    assert fit_of(METRICS["bleu"].configure("multeval", {})) is None
    assert fit_of(METRICS["chrf++"].configure("sacrebleu", {})) is None


def test_missing_package_error_names_the_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mt_thresholds", None)
    with pytest.raises(MissingDependencyError, match=r"the package mt-thresholds.*'\.\[people\]'"):
        human_agreement(resolve(Settings(metrics=("bleu",)))[0], 1.0)
