"""The sensitivity analysis against the verdicts, and the verdict on halves of a system's own runs."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
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
    """Systems that do not differ, whose runs are shifted by a tenth of the noise of a segment, and their scores."""
    generator = np.random.default_rng(seed)
    scores = []
    for system in systems:
        for run in range(n_runs):
            values = generator.normal(size=N) + 0.1 * generator.normal()
            scores.append(GivenScores("test", system, str(run), tuple(values)))
    experiment = experiment_of(tuple(scores))
    (scored,) = score_experiment(experiment, [Imported(experiment.given[0])], Work())
    return experiment, scored


def experiment_of(scores: tuple[GivenScores, ...]) -> Experiment:
    """The experiment in which the runs have these scores; the first system is the baseline."""
    runs = tuple(Run(given.system, given.run, ("x",) * N) for given in scores)
    test_set = TestSet("test", (("r",),) * N, runs)
    return Experiment((test_set,), scores[0].system, (GivenMetric("human", "Human", scores),))


@pytest.fixture(scope="module")
def evaluated() -> tuple[Evaluation, Scored]:
    experiment, scored = made(3, "a", "b", "c", "d")
    return evaluate(experiment, SETTINGS, Work()), scored


def p_value_of_two_way_test(runs: np.ndarray, other_runs: np.ndarray, family_spread: float | None = None) -> float:
    """P of a system against another by the two-way test, with the family's spread of runs where it is larger.

    Written out from the definition, on arrays with the axes runs x segments.
    """
    gains = runs.mean(axis=0) - other_runs.mean(axis=0)
    segments_share = gains.var(ddof=1) / N
    run_shares = []
    run_dfs = []
    noise_shares = []
    for values in (other_runs, runs):
        n_runs = len(values)
        variance = values.mean(axis=1).std(ddof=1) ** 2
        df = n_runs - 1
        if family_spread is not None:
            # The spread that all systems have counts as much as three runs
            drawn = (2 * family_spread**2 + (n_runs - 1) * variance) / (2 + n_runs - 1)
            if drawn > variance:
                variance = drawn
                df = np.sqrt((n_runs - 1) * (n_runs + 1))
        residuals = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean()
        noise_shares.append((residuals**2).sum() / ((n_runs - 1) * (N - 1)) / (n_runs * N))
        run_shares.append(variance / n_runs)
        run_dfs.append(df)

    both_runs = sum(run_shares)
    total = max(both_runs + segments_share - sum(noise_shares), both_runs, segments_share)
    # Satterthwaite's degrees of freedom are the square of the total over this sum
    inverse = segments_share**2 / (N - 1)
    for run_share, noise_share, df in zip(run_shares, noise_shares, run_dfs, strict=True):
        inverse += max(0, run_share - noise_share / 4) ** 2 / df
        inverse += noise_share**2 / (2 * (N - 1))
    return 2 * float(special.stdtr(total**2 / inverse, -abs(gains.mean()) / np.sqrt(total)))


def by_the_definition(scored: Scored) -> tuple[list[float], list[float]]:
    """P-values of b, c and d against a by the family's law, and plain, written out from the definition."""
    values = {key: runs[..., 0] for key, runs in scored.statistics.items()}
    spread = float(np.mean([runs.mean(axis=1).std(ddof=1) for runs in values.values()]))
    by_family = [p_value_of_two_way_test(values[key], values["a"], spread) for key in "bcd"]
    plain = [p_value_of_two_way_test(values[key], values["a"]) for key in "bcd"]
    return by_family, plain


def rows_of(evaluation: Evaluation, procedure: str) -> pd.DataFrame:
    """The comparisons of b, c and d by a procedure."""
    rows = evaluation.comparisons.query("procedure == @procedure")
    return rows.set_index("system").loc[list("bcd")]


def test_adjusted_p_values_follow_the_definition_of_a_family(evaluated: tuple[Evaluation, Scored]) -> None:
    evaluation, scored = evaluated
    by_family, plain = by_the_definition(scored)
    both = rows_of(evaluation, "two-way")
    test_set = rows_of(evaluation, "ar-segment")

    printed = [float(printed_p_values(p, (3, 3))) for p in plain]
    assert both["p_value"].tolist() == pytest.approx(np.maximum(printed, test_set["p_value"]).tolist())

    # Holm's method on the family's law; no p is below that of the system alone or for test-set luck alone
    printed_of = dict(zip("bcd", printed, strict=True))
    expected = {}
    largest = 0.0
    n_left = 3
    for p, system in sorted(zip(by_family, "bcd", strict=True)):
        largest = max(largest, min(1.0, p * n_left), printed_of[system])
        expected[system] = max(largest, test_set.loc[system, "p_adjusted"])
        n_left -= 1
    assert dict(both["p_adjusted"]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("systems", "settings"),
    [
        ("ab", SETTINGS),
        ("abcd", replace(SETTINGS, confidence=0.99)),
        ("abcd", replace(SETTINGS, strict=True)),
    ],
)
def test_without_a_family_at_5_percent_holm_takes_the_printed_p_values(systems: str, settings: Settings) -> None:
    experiment, _ = made(3, *systems)

    answers = evaluate(experiment, settings, Work()).answers

    procedure = "two-way-strict" if settings.strict else "two-way"
    assert {answer.both.procedure for answer in answers} == {procedure}
    by_both = holm([answer.p_alone for answer in answers])
    by_test_set = holm([answer.test_set_luck.p_value for answer in answers])
    expected = np.maximum(by_both, by_test_set)
    assert [answer.both.p_adjusted for answer in answers] == pytest.approx(expected.tolist())


def test_interim_analyses_adjust_the_p_values_of_a_family(evaluated: tuple[Evaluation, Scored]) -> None:
    experiment, _ = made(3, *"abcd")
    with_looks = evaluate(experiment, replace(SETTINGS, looks=(3, 5)), Work())
    without_looks, _ = evaluated

    looked = rows_of(with_looks, "two-way")["p_adjusted"]
    plain = rows_of(without_looks, "two-way")["p_adjusted"]

    assert ((looked > plain) | (plain == 1)).all()


@pytest.mark.parametrize(("n_runs", "n_ways"), [(6, 10), (7, 70)])
def test_all_halves_are_tested_as_the_verdict_is(n_runs: int, n_ways: int) -> None:
    """Every pair of halves is counted once; of seven runs, one is left out each time."""
    _, scored = made(n_runs, "a", seed=3)
    runs = scored.statistics["a"]
    how = How(1, seeds_for(1, ""), "two-sided", 0.95)
    n_different = 0
    for first in combinations(range(n_runs), n_runs // 2):
        remaining = [run for run in range(n_runs) if run not in first]
        for second in combinations(remaining, n_runs // 2):
            if first < second:
                result = two_way(runs[list(first)], runs[list(second)], scored.scorer.score, how)
                n_different += result.p_value <= 0.05

    (halved,) = halvings(scored, "segment", SETTINGS, Work())

    assert halved.n_halvings == n_ways
    assert halved.of_halvings == n_ways
    assert halved.n_different == n_different


def test_many_splits_are_sampled_and_five_runs_have_none() -> None:
    """Fourteen runs can be halved in 14! / (7! 7! 2) = 1,716 ways."""
    _, fourteen = made(14, "a")
    (halved,) = halvings(fourteen, "segment", SETTINGS, Work())
    assert halved.n_halvings == MOST_HALVINGS
    assert halved.of_halvings == 1_716

    _, five = made(5, "a")
    assert halvings(five, "segment", SETTINGS, Work()) == ()

    of_six = halvings_sentence(Halvings("test", "bleu", "a", 6, 10, 10, 1))
    assert "10 ways" in of_six
    assert "1 of these pairs different (10.0%)" in of_six
    of_fifteen = halvings_sentence(Halvings("test", "bleu", "a", 15, 1_000, 1_716, 1))
    assert "(one ignored) 1,000 of 1,716 ways" in of_fifteen


def test_an_evaluation_has_a_split_half_check_per_system() -> None:
    experiment, _ = made(6, *"abcd")
    assert [row.system for row in evaluate(experiment, SETTINGS, Work()).halved] == [*"abcd"]


def test_a_system_with_a_single_run_leaves_the_verdict_on_others_as_it_is() -> None:
    """Only a and b have a spread over runs, so there is no family to borrow from."""
    complete, _ = made(5, *"abc", seed=3)
    scores = complete.given[0].scores
    single = tuple(given for given in scores if given.system != "c" or given.run == "0")

    of_b, of_c = evaluate(experiment_of(single), SETTINGS, Work()).answers

    assert np.isnan(of_c.p_family)
    assert of_b.p_family == of_b.p_alone
