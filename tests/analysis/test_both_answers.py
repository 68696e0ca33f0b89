"""P for test-set and training luck against p for test-set luck: never lower, with an interval that agrees."""

from dataclasses import replace

import numpy as np
import pytest

from mteval.analysis.evaluation import Evaluation, evaluate
from mteval.analysis.pairs import all_pairs
from mteval.analysis.results import verdicts
from mteval.analysis.scoring import Work, score_experiment
from mteval.analysis.significance import Family, ask_family, family_frame, question_on
from mteval.analysis.two_answers import p_at_look
from mteval.metrics.imported import Imported
from mteval.stats.crossed_layout import CrossedGains
from mteval.stats.several_test_sets import OnTestSet, SeveralTestSets
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings

SETTINGS = Settings(metrics=("one", "two"), n_shuffles=400, n_bootstrap=20)
DESIGNS = (
    SETTINGS, replace(SETTINGS, strict=True), replace(SETTINGS, design="paired"), replace(SETTINGS, design="fixed"),
    replace(SETTINGS, design="candidate"), replace(SETTINGS, decision="all"), replace(SETTINGS, decision="any"),
    replace(SETTINGS, looks=(3, 5)), replace(SETTINGS, confidence=0.99), replace(SETTINGS, design="released"),
)  # fmt: skip


def made(n_documents: int, seed: int, systems: str = "abc", n_runs: int = 3) -> Experiment:
    """Systems that differ by little more than luck, by two metrics, on documents of six segments."""
    generator, n = np.random.default_rng(seed), 6 * n_documents
    shift = dict(zip(systems, np.arange(len(systems)) * generator.uniform(0, 0.7), strict=True))
    given = tuple(
        GivenMetric(key, key, tuple(
            GivenScores("test", system, str(run), tuple(generator.normal(size=n) + shift[system]))
            for system in systems for run in range(n_runs)
        ))
        for key in ("one", "two")
    )  # fmt: skip
    runs = tuple(Run(system, str(run), (f"{system}{run}",) * n) for system in systems for run in range(n_runs))
    documents = tuple(f"d{place // 6}" for place in range(n))
    return Experiment((TestSet("test", (("r",),) * n, runs, documents=documents),), "a", given)


def evaluated(experiment: Experiment, settings: Settings) -> Evaluation:
    scored = [one for given in experiment.given for one in score_experiment(experiment, [Imported(given)], Work())]
    assert len(scored) == 2
    return evaluate(experiment, settings, Work())


@pytest.mark.parametrize("settings", DESIGNS)
def test_p_both_is_not_below_p_test_set_and_agrees_with_its_interval(settings: Settings) -> None:
    n_raised = 0
    for seed in range(8):
        found = evaluated(made(10, seed), settings)
        for answer, verdict in zip(found.answers, verdicts(found), strict=True):
            first, second = answer
            assert second.p_value >= max(first.p_value, answer.p_alone)
            assert second.p_adjusted >= first.p_adjusted
            assert verdict.p_looked >= max(first.p_value, p_at_look(answer.p_alone, answer.n_runs, settings))
            assert (second.low <= 0 <= second.high) == (second.p_value > 1 - settings.confidence)
            assert second.low <= first.low < first.high <= second.high
            n_raised += second.p_value > answer.p_alone
        assert all(one.p_both >= one.p_test_set for one in found.together_by_all)
        assert all(
            row.low_simultaneous <= 0 <= row.high_simultaneous for row in found.together if row.p_simultaneous > 0.05
        )
    assert n_raised or settings.strict or settings.looks or settings.design != "independent"


def test_single_outputs_do_not_limit_p_both_because_their_units_differ() -> None:
    found = evaluated(made(10, 1), replace(SETTINGS, exchange_unit="output"))
    assert [one.both.p_value for one in found.answers] == [one.p_alone for one in found.answers]


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "benjamini-hochberg", "none", "tukey"])
def test_tables_of_all_tests_and_pairs_follow_the_same_rule(correction: str) -> None:
    for seed in range(4):
        experiment = made(10, seed)
        scored = score_experiment(experiment, [Imported(experiment.given[0])], Work())
        asked = [question_on(key, "document") for key in ("ar-segment", "two-way", "two-way-strict")]
        if correction != "tukey":
            family = Family.of(scored, "a")
            frame = family_frame(ask_family(family, asked, SETTINGS, Work()), correction, SETTINGS)
            test_set, *both = (frame[frame["procedure"] == one.procedure].reset_index() for one in asked)
            for one in both:
                for column in ("p_value", "p_adjusted"):
                    assert (one[column] >= test_set[column]).all()
                assert (one["low"] <= test_set["low"]).all()
                assert (one["low_simultaneous"] <= test_set["low_simultaneous"]).all()
        of_pairs = [
            all_pairs(scored[0], one, "max-t" if correction == "tukey" and not place else correction, SETTINGS, Work())
            for place, one in enumerate(asked)
        ]
        for one in of_pairs[1:]:
            assert (one["p_adjusted"] >= of_pairs[0]["p_adjusted"]).all()


@pytest.mark.parametrize(
    ("n_documents", "systems", "needed"),
    [(5, "ab", 6), (6, "ab", 0), (6, "abc", 7), (7, "abc", 0), (8, "abcdefghijkl", 9), (9, "abcdefghijkl", 0)],
)
def test_there_is_no_verdict_if_documents_are_too_few_for_the_family(
    n_documents: int, systems: str, needed: int
) -> None:
    """The smallest p is 2 / 2^documents times the number of systems; the message names the fewest that suffice."""
    assert (2 * (len(systems) - 1) / 2**n_documents > 0.05) == bool(needed)
    found = evaluated(made(n_documents, 1, systems), SETTINGS)
    for one in verdicts(found):
        assert (one.both == "refused") == (one.test_set_luck == "refused") == bool(needed)
        assert (f"at least {needed} documents, or segments as units" in one.note_both) == bool(needed)
    on_segments = evaluated(made(n_documents, 1, systems), replace(SETTINGS, exchange_unit="segment"))
    assert all(one.both != "refused" for one in verdicts(on_segments))


def test_claims_and_raters_follow_the_same_rule() -> None:
    for seed in range(200):
        generator = np.random.default_rng(seed)
        sides = 0.3 + 0.1 * generator.normal(size=(3, 4)) + generator.normal(size=4)
        parts = tuple(
            OnTestSet(
                0.01 * generator.normal(size=(3, 4)),
                sides + 0.01 * generator.normal(size=(3, 4)),
                float(sides.mean()),
                place,
            )
            for place in range(2)
        )
        claim, raters = SeveralTestSets(parts), CrossedGains(sides, float(sides.mean()))
        for wide, narrow in (
            (claim.these_test_sets, claim.these_runs), (raters.other_raters, raters.these_raters)
        ):  # fmt: skip
            one, other = wide("two-sided", 0.95), narrow("two-sided", 0.95)
            assert one.p_value >= other.p_value
            assert one.low <= other.low
