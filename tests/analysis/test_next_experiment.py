"""The cheapest next experiment after one run per system; oracles are the normal formula and a simulation."""

import numpy as np
import pytest
from scipy import stats

import mteval
from mteval.analysis.replication.next_experiment import next_experiments
from mteval.answers.next_experiment import next_experiment_line, one_run_section
from mteval.stats.crossed_layout import components_of, crossed_result
from mteval.values.notation import Notation
from mteval.values.settings import Settings
from mteval.values.verdict import Coverage, Verdict

N_SEGMENTS = 400
ERROR = 0.5
NAN = float("nan")


def verdict(difference: float, test_set_luck: str) -> Verdict:
    """The verdict on one run each, whose difference has a standard error of half a point over 400 segments."""
    return Verdict(
        test_set="test",
        metric="bleu",
        metric_name="BLEU",
        baseline="base",
        system="new",
        difference=difference,
        improvement=difference,
        n_runs=1,
        unit="segment",
        test_set_luck=test_set_luck,
        p_test_set=0.01,
        p_test_set_adjusted=0.01,
        note_test_set="",
        both="refused",
        p_run=NAN,
        p_run_adjusted=NAN,
        low=NAN,
        high=NAN,
        note_both="",
        notation=Notation("↑"),
        coverage=Coverage("test", "bleu", "new", N_SEGMENTS, N_SEGMENTS, 0, 0, 0),
        error=ERROR,
    )


def test_segments_needed_are_those_of_the_normal_formula() -> None:
    (experiment,) = next_experiments([verdict(0.8, "open")], Settings())
    errors_needed = stats.norm.isf(0.025) + stats.norm.isf(0.2)
    assert experiment.target == 1.0
    assert experiment.units_needed == pytest.approx((errors_needed * ERROR / 1.0) ** 2 * N_SEGMENTS, rel=0.01)
    assert experiment.detected == pytest.approx(errors_needed * ERROR, rel=0.01)


def test_three_runs_with_the_largest_deviation_have_the_power_that_is_promised() -> None:
    (experiment,) = next_experiments([verdict(3.0, "ruled out")], Settings())
    generator = np.random.default_rng(3)
    n_found = 0
    n_simulated = 400
    for _ in range(n_simulated):
        gains = 3.0 + ERROR * np.sqrt(N_SEGMENTS) * generator.standard_normal(N_SEGMENTS)
        sides = []
        for own in (np.zeros(N_SEGMENTS), gains):
            shifts = experiment.largest_deviation * generator.standard_normal((3, 1))
            sides.append(own + shifts)
        difference = sides[1].mean() - sides[0].mean()
        n_found += crossed_result(components_of(*sides), difference, "two-sided", 0.95).p_value <= 0.05
    assert n_found / n_simulated == pytest.approx(0.8, abs=0.06)


def test_several_runs_have_no_such_advice() -> None:
    references = [f"the cat number {number} sat on the red mat" for number in range(30)]

    def runs(word: str) -> list[list[str]]:
        """Three runs that replace the word in other lines each."""
        changed = [text.replace(word, "it") for text in references]
        return [[(references, changed)[line % 5 == run][line] for line in range(30)] for run in range(3)]

    systems = {"base": runs("cat"), "new": runs("mat")}
    comparison = mteval.compare(systems, references, metrics="bleu", n_shuffles=99)
    assert one_run_section(comparison.results) is None
    assert next_experiment_line(comparison.results) == ""


def test_a_clear_difference_is_claimed_of_outputs_only_and_names_whose_runs_come_next() -> None:
    references = [f"the cat number {number} sat on the red mat" for number in range(60)]
    better = [text.replace("sat", "lay") if number % 2 else text for number, text in enumerate(references)]
    worse = [text.replace("the", "a") for text in references]
    comparison = mteval.compare({"base": [worse], "new": [better]}, references, metrics="bleu", n_shuffles=999)
    section = one_run_section(comparison.results)
    assert section is not None
    answers = dict(section.terms)
    assert answers["You can claim"] == "The output of new is better than that of base by BLEU on text like this."
    assert answers["Not yet"].startswith("That a method or a training is better")
    line = next_experiment_line(comparison.results)
    assert line.startswith("Cheapest next experiment: Make 2 more runs each of base and new. If a difference of ")
    assert answers["Cheapest next experiment"] in line


def test_many_systems_are_counted_and_not_listed() -> None:
    references = [f"the cat number {number} sat on the red mat" for number in range(60)]
    worse = [text.replace("the", "a") for text in references]
    systems = {"base": [worse]}
    for number in range(5):
        better = [text.replace("sat", "lay") if line % 2 else text for line, text in enumerate(references)]
        better[number] = "cat"
        systems[f"clear {number}"] = [better]
    for number in range(5):
        alike = [references[line] if line % 4 == 2 else text for line, text in enumerate(worse[:20])]
        alike[::4] = [f"a a a {number}"] * 5
        systems[f"alike {number}"] = [alike + worse[20:]]
    comparison = mteval.compare(systems, references, metrics="bleu", n_shuffles=999)
    line = next_experiment_line(comparison.results)
    assert "Make 2 more runs each of base and the 5 systems with a clear difference." in line
    assert " For the 5 systems without a clear difference: " in line
    assert "clear 0" not in line.replace("(clear 0)", "")
    assert "alike" not in line
