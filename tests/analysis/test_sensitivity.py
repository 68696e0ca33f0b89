"""The sensitivity analysis against the verdicts, and the verdict on halves of a system's own runs."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy import special

from mteval.analysis.equality import MOST_HALVINGS, Halvings, halvings
from mteval.analysis.evaluation import Evaluation, evaluate
from mteval.analysis.scoring import Scored, Work, score_experiment
from mteval.answers.sensitivity import halvings_sentence
from mteval.metrics.imported import Imported
from mteval.stats.base import How
from mteval.stats.multiplicity import holm
from mteval.stats.procedures.two_way import two_way
from mteval.stats.resampling.streams import seeds_for
from mteval.stats.tail import printed_p_values
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


def by_the_definition(scored: Scored) -> tuple[list[float], list[float]]:
    """P-values of b, c and d against a by the family's law, and plain, written out from the definition."""
    values = {key: runs[..., 0] for key, runs in scored.statistics.items()}
    deviations = {key: runs.mean(axis=1).std(ddof=1) for key, runs in values.items()}
    common = np.mean(list(deviations.values()))
    families, plain = [], []
    for key in "bcd":
        gains = values[key].mean(axis=0) - values["a"].mean(axis=0)
        units = gains.var(ddof=1) / N
        x, nu, e = {True: [], False: []}, {True: [], False: []}, []
        for one in ("a", key):
            n, own = len(values[one]), deviations[one] ** 2
            rest = values[one] - values[one].mean(axis=1, keepdims=True) - values[one].mean(axis=0) + values[one].mean()
            e.append((rest**2).sum() / ((n - 1) * (N - 1)) / (n * N))
            drawn = (2 * common**2 + (n - 1) * own) / (2 + n - 1)
            x[True].append(max(own, drawn) / n)
            nu[True].append(np.sqrt((n - 1) * (n + 1)) if drawn > own else n - 1)
            x[False].append(own / n)
            nu[False].append(n - 1)
        for shared, found in ((True, families), (False, plain)):
            total = max(sum(x[shared]) + units - sum(e), sum(x[shared]), units)
            inverse = sum(max(0, a - b / 4) ** 2 / df for a, b, df in zip(x[shared], e, nu[shared], strict=True))
            inverse += units**2 / (N - 1) + sum(b**2 / (2 * (N - 1)) for b in e)
            found.append(2 * float(special.stdtr(total**2 / inverse, -abs(gains.mean()) / np.sqrt(total))))
    return families, plain


def test_adjusted_p_values_follow_the_definition_of_a_family(evaluated: tuple[Evaluation, Scored]) -> None:
    found, scored = evaluated
    families, plain = by_the_definition(scored)
    own = found.comparisons.query("procedure == 'two-way'").set_index("system").loc[list("bcd")]
    printed = [float(printed_p_values(p, (3, 3))) for p in plain]
    beside = found.comparisons.query("procedure == 'ar-segment'").set_index("system").loc[list("bcd")]
    assert own["p_value"].tolist() == pytest.approx(np.maximum(printed, beside["p_value"]).tolist())
    expected, largest = {}, 0.0
    for left, (p, key) in enumerate(sorted(zip(families, "bcd", strict=True))):
        largest = max(largest, min(1.0, p * (3 - left)), printed["bcd".index(key)])
        expected[key] = max(largest, beside.loc[key, "p_adjusted"])
    assert dict(own["p_adjusted"]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("systems", "settings"), [("ab", SETTINGS), ("abcd", replace(SETTINGS, confidence=0.99)),
                              ("abcd", replace(SETTINGS, strict=True))],
)  # fmt: skip
def test_without_a_family_at_5_percent_holm_takes_the_printed_p_values(systems: str, settings: Settings) -> None:
    experiment, _ = made(3, *systems)
    answers = evaluate(experiment, settings, Work()).answers
    assert {one.both.procedure for one in answers} == {"two-way-strict" if settings.strict else "two-way"}
    alone, beside = holm([one.p_alone for one in answers]), holm([one.test_set_luck.p_value for one in answers])
    assert [one.both.p_adjusted for one in answers] == pytest.approx(np.maximum(alone, beside).tolist())


def test_interim_analyses_adjust_the_p_values_of_a_family(evaluated: tuple[Evaluation, Scored]) -> None:
    experiment, _ = made(3, *"abcd")
    looking = replace(SETTINGS, looks=(3, 5))
    looked, plain = (
        evaluation.comparisons.query("procedure == 'two-way'")["p_adjusted"]
        for evaluation in (evaluate(experiment, looking, Work()), evaluated[0])
    )
    assert ((looked.to_numpy() > plain.to_numpy()) | (plain.to_numpy() == 1)).all()


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


def test_a_system_with_a_single_run_leaves_the_verdict_on_others_as_it_is() -> None:
    """Only a and b have a spread over runs, so there is no family to borrow from."""
    _, scored = made(5, *"abc", seed=3)
    values = {key: runs[..., 0] for key, runs in scored.statistics.items()}
    scores = tuple(
        GivenScores("test", system, str(run), tuple(row))
        for system, n_runs in (("a", 5), ("b", 5), ("c", 1))
        for run, row in enumerate(values[system][:n_runs])
    )
    runs = tuple(Run(given.system, given.run, ("x",) * N) for given in scores)
    test_set = TestSet("test", (("r",),) * N, runs)
    experiment = Experiment((test_set,), "a", (GivenMetric("human", "Human", scores),))
    of_b, of_c = evaluate(experiment, SETTINGS, Work()).answers
    assert np.isnan(of_c.p_family)
    assert of_b.p_family == of_b.p_alone
