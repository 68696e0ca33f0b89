"""The sensitivity analysis against the verdicts, and the verdict on halves of a system's own runs."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from mteval.analysis.corrections import borrowed_rows
from mteval.analysis.equality import MOST_HALVINGS, Halvings, halvings
from mteval.analysis.evaluation import Evaluation, evaluate
from mteval.analysis.scoring import Scored, score_experiment
from mteval.analysis.work import Work
from mteval.answers.sensitivity import borrowed_sentence, halvings_sentence
from mteval.metrics.imported import Imported
from mteval.stats.base import How
from mteval.stats.procedures.two_way import two_way
from mteval.stats.resampling.streams import seeds_for
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings

SETTINGS = Settings(metrics=("human",), n_shuffles=200, n_bootstrap=50)
N = 40


def made(n_runs: int, *systems: str, seed: int = 1) -> tuple[Experiment, Scored]:
    generator = np.random.default_rng(seed)
    scores = tuple(
        GivenScores("test", system, str(run), tuple(generator.normal(size=N) + 0.1 * generator.normal()))
        for system in systems
        for run in range(n_runs)
    )
    given = GivenMetric("human", "Human", scores)
    runs = tuple(Run(one.system, one.run, ("x",) * N) for one in scores)
    experiment = Experiment((TestSet("test", (("r",),) * N, runs),), systems[0], (given,))
    (scored,) = score_experiment(experiment, [Imported(given)], Work())
    return experiment, scored


@pytest.fixture(scope="module")
def evaluated() -> tuple[Evaluation, Scored]:
    experiment, scored = made(3, "a", "b", "c", "d")
    return evaluate(experiment, SETTINGS, Work()), scored


def test_every_system_has_its_verdict_with_pooled_variance(evaluated: tuple[Evaluation, Scored]) -> None:
    found, scored = evaluated
    own = found.comparisons.query("procedure == 'two-way'").set_index("system")
    frame = found.sensitivity.set_index("system")
    assert list(frame.index) == list("bcd")
    assert list(frame["p_adjusted"]) == list(own["p_adjusted"])
    variances = {key: float(scores.var(ddof=1)) for key, scores in scored.run_scores.items()}
    drawn = {key: (2 * np.mean(list(variances.values())) + 2 * own) / 4 for key, own in variances.items()}
    expected = {key: np.sqrt(max(variances[key], drawn[key])) for key in "bcd"}
    assert dict(frame["s_borrowed"]) == pytest.approx(expected)
    assert (frame["s_borrowed"] >= frame["s_run"] - 1e-12).all()
    assert (frame["p_borrowed_adjusted"] >= frame["p_borrowed"]).all()


def test_interim_analyses_adjust_pooled_variances_as_the_verdict(evaluated: tuple[Evaluation, Scored]) -> None:
    found, scored = evaluated
    looking = replace(SETTINGS, looks=(3, 5))
    plain, looked = (borrowed_rows(scored, found.answers, settings) for settings in (SETTINGS, looking))
    assert all(after.p_borrowed_adjusted > before.p_borrowed_adjusted or before.p_borrowed_adjusted == 1
               for before, after in zip(plain, looked, strict=True))  # fmt: skip


def test_three_systems_or_paired_runs_have_no_pooled_variance(evaluated: tuple[Evaluation, Scored]) -> None:
    found, scored = evaluated
    experiment, _ = made(3, "a", "b", "c")
    assert evaluate(experiment, SETTINGS, Work()).sensitivity.empty
    assert borrowed_rows(scored, found.answers, Settings(metrics=("human",), design="paired")) == ()


def test_the_sentence_names_systems_whose_answer_changes(evaluated: tuple[Evaluation, Scored]) -> None:
    frame = evaluated[0].sensitivity
    turned = frame.assign(p_adjusted=[0.2, 0.01, 0.2], p_borrowed_adjusted=[0.01, 0.2, 0.2])
    assert borrowed_sentence(turned, 0.05).endswith("b and c.")
    assert borrowed_sentence(frame.assign(p_borrowed_adjusted=frame["p_adjusted"]), 0.05).endswith("no answer.")


@pytest.mark.parametrize(("n_runs", "n_ways"), [(6, 10), (7, 70)])
def test_all_halves_are_tested_as_the_verdict_is(n_runs: int, n_ways: int) -> None:
    _, scored = made(n_runs, "a", seed=3)
    (found,) = halvings(scored, "segment", SETTINGS, Work())
    how, runs, different = How(1, seeds_for(1, ""), "two-sided", 0.95), scored.statistics["a"], 0
    for first in combinations(range(n_runs), n_runs // 2):
        for second in combinations([run for run in range(n_runs) if run not in first], n_runs // 2):
            if first < second:
                result = two_way(runs[list(first)], runs[list(second)], scored.scorer.score, how)
                different += result.p_value <= 0.05
    assert (found.n_halvings, found.of_halvings, found.n_different) == (n_ways, n_ways, different)


def test_many_splits_are_sampled_and_five_runs_have_none() -> None:
    _, scored = made(14, "a")
    (found,) = halvings(scored, "segment", SETTINGS, Work())
    assert (found.n_halvings, found.of_halvings) == (MOST_HALVINGS, 1_716)
    assert halvings(made(5, "a")[1], "segment", SETTINGS, Work()) == ()
    said = halvings_sentence(Halvings("test", "bleu", "a", 6, 10, 10, 1))
    assert "10 ways" in said
    assert "1 of these pairs different (10.0%)" in said
    halved = Halvings("test", "bleu", "a", 15, 1_000, 1_716, 1)
    assert "(one ignored) 1,000 of 1,716 ways" in halvings_sentence(halved)


def test_an_evaluation_has_a_split_half_check_per_system() -> None:
    experiment, _ = made(6, *"abcd")
    assert [row.system for row in evaluate(experiment, SETTINGS, Work()).halved] == [*"abcd"]
