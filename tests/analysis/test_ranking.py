"""Ranks and groups, against their definitions written down in another way, on relations of all kinds."""

from dataclasses import replace
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest

import mteval
from mteval.analysis.evaluation import evaluate
from mteval.analysis.pairs import group_numbers, implied, ranking
from mteval.analysis.scoring import Scored, Work, score_experiment
from mteval.answers.procedures import NOT_FIXED
from mteval.answers.ranking import ranking_sentences, ranks_sentence
from mteval.metrics import resolve
from mteval.stats import PROCEDURES
from mteval.stats.crossed_layout import components_of
from mteval.stats.units import contributions
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings
from mteval.values.verdict import Ranked

SETTINGS = Settings(metrics=("ter", "bleu", "length"), n_shuffles=999, n_bootstrap=20, seed=2)
LOSSES = {"fair": 0.2, "poor": 0.4, "good": 0.08, "twin": 0.2, "last": 0.7}
WORDS = [f"word{place}" for place in range(15)]


def experiment(n_runs: int, systems: dict[str, float] = LOSSES) -> Experiment:
    generator = np.random.default_rng(7)
    references = [list(generator.permutation(WORDS)) for _ in range(60)]
    runs = tuple(
        Run(system, str(run), tuple(" ".join(w for w in line if generator.random() > loss) for line in references))
        for system, loss in systems.items()
        for run in range(n_runs)
    )
    return Experiment((TestSet("test", tuple((" ".join(line),) for line in references), runs),), "fair")


def scored_by_ter(n_runs: int, systems: dict[str, float] = LOSSES) -> Scored:
    return score_experiment(experiment(n_runs, systems), resolve(SETTINGS), Work())[0]


def relation(generator: np.random.Generator, n: int) -> np.ndarray:
    """Who is shown better than whom: never a worse one, and more surely the further apart they are."""
    strength = np.sort(generator.random(n))[::-1]
    gaps = np.subtract.outer(strength, strength)
    return np.triu((gaps + generator.normal(0, 0.15, (n, n)) > 0.25), 1)


def groups_by_definition(is_better: np.ndarray) -> list[set[int]]:
    """What no line crosses: join whatever lies between two systems that are not told apart, again and again."""
    joined = [{place} for place in range(len(is_better))]
    for above, below in combinations(range(len(is_better)), 2):
        if not is_better[above, below]:
            between = set(range(above, below + 1))
            touched = [group for group in joined if group & between]
            joined = [group for group in joined if not group & between] + [set().union(*touched)]
    return sorted(joined, key=min)


def test_groups_are_what_no_line_crosses_whatever_the_relation() -> None:
    generator = np.random.default_rng(11)
    seen = set()
    for _ in range(400):
        is_better = relation(generator, int(generator.integers(1, 9)))
        numbers = group_numbers(is_better)
        found = [{place for place, number in enumerate(numbers) if number == one} for one in range(1, numbers[-1] + 1)]
        assert found == groups_by_definition(is_better)
        for above, below in combinations(range(len(numbers)), 2):
            assert is_better[above, below] or numbers[above] == numbers[below]
        seen.add(len(found))
    assert len(seen) >= 4, "many kinds of relations were seen"


def test_two_systems_of_a_group_may_differ() -> None:
    is_better = np.zeros((3, 3), dtype=bool)
    is_better[0, 2] = True
    assert group_numbers(is_better) == [1, 1, 1]


@pytest.mark.parametrize(("n_runs", "is_both"), [(1, False), (3, True)])
def test_ranks_count_those_shown_better_and_those_shown_worse(n_runs: int, is_both: bool) -> None:
    found = ranking(scored_by_ter(n_runs), SETTINGS, Work())
    assert found is not None
    assert found.is_both == is_both
    (spec,) = [one for one in PROCEDURES.values() if one.name == found.procedure]
    assert spec.luck == ("both" if is_both else "test-set")
    places = {row.system: row for row in found.rows}
    assert [row.system for row in found.rows if row.system not in ("fair", "twin")] == ["good", "poor", "last"]
    assert [row.mean for row in found.rows] == sorted(row.mean for row in found.rows), "TER: lower is better"
    assert [places[one].ranks for one in ("good", "fair", "twin", "poor", "last")] == ["1", "2–3", "2–3", "4", "5"]
    assert [row.group for row in found.rows] == [1, 2, 2, 3, 4]


def test_ranks_are_those_of_all_orders_that_the_tests_allow() -> None:
    """Recomputed: every pair by the law of the family, Holm over both directions, then every order of the systems."""
    losses = {"fair": 0.2, "poor": 0.27, "good": 0.15, "twin": 0.2, "last": 0.33}
    scored, systems = scored_by_ter(3, losses), list(losses)
    found = ranking(scored, SETTINGS, Work())
    assert found is not None
    values = {system: contributions(scored.statistics[system], scored.scorer.score) for system in systems}
    spread = np.mean([values[system].mean(axis=1).std(ddof=1) for system in systems])
    laws, tests = {}, []
    for one, other in combinations(systems, 2):
        laws[one, other] = components_of(values[other], values[one])
        gain = values[other].mean() - values[one].mean()  # of TER, so positive if the first is better
        pair = (one, other) if gain > 0 else (other, one)
        law = laws[one, other]
        tests.append((law.in_family(spread).p_value(gain) / 2, law.p_value(gain) / 2, pair))
    is_better, so_far, left = set(), 0.0, 2 * len(tests)
    for by_family, own, pair in sorted(tests):
        so_far = max(so_far, left * by_family, own)
        left -= 1
        is_better |= {pair} if so_far <= 0.05 else set()
    assert 3 <= len(is_better) < len(tests)
    orders = [one for one in permutations(systems) if all(one.index(a) < one.index(b) for a, b in is_better)]
    for row in found.rows:
        places = [order.index(row.system) + 1 for order in orders]
        assert (row.first, row.last) == (min(places), max(places)), row.system
    assert ("is" if found.rows[0].last == 1 else "could be") in ranks_sentence(found)


def test_ranges_are_those_that_csranks_gives(data_directory: Path) -> None:
    """R package csranks 1.2.2 with the covariance over segments and 10,000 draws, on WMT23 he-en by COMET."""
    text = (data_directory / "data" / "wmt23-he-en" / "scores" / "COMET-refA.seg.score").read_text(encoding="utf-8")
    scores: dict[str, list[list[float]]] = {}
    for line in text.splitlines():
        system, score = line.split("\t")
        if system != "refA":
            scores.setdefault(system, [[]])[0].append(float(score))
    found = mteval.compare_scores(scores, "COMET", exchange_unit="segment").results.ranking
    assert found is not None
    assert [(row.first, row.last) for row in found.rows] == [
        (1, 1),
        *[(2, 4)] * 3,
        *[(5, 7)] * 3,
        *[(8, 9)] * 2,
        (10, 12),
        *[(10, 13)] * 2,
        (11, 13),
    ]


def test_differences_imply_others_and_ranges_are_said_in_words() -> None:
    is_better = np.zeros((4, 4), dtype=bool)
    is_better[0, 1] = is_better[1, 3] = True
    assert implied(is_better).tolist() == [[False, True, False, True], [False] * 3 + [True], [False] * 4, [False] * 4]
    assert Ranked("a", 0.0, 2, 11, 1).possible == "could be 2nd to 11th"
    assert Ranked("a", 0.0, 23, 23, 1).possible == "is 23rd"


@pytest.mark.parametrize("n_runs", [1, 3])
def test_ranks_ignore_a_fixed_baseline(n_runs: int) -> None:
    scored = scored_by_ter(n_runs)
    plain, fixed = (ranking(scored, replace(SETTINGS, design=design), Work()) for design in ("independent", "fixed"))
    assert plain is not None
    assert fixed == replace(plain, was_fixed=n_runs > 1)
    assert (NOT_FIXED in ranking_sentences(fixed)) == (n_runs > 1)
    assert NOT_FIXED not in ranking_sentences(plain)


def test_three_systems_are_not_ranked() -> None:
    few = dict(list(LOSSES.items())[:3])
    assert ranking(scored_by_ter(1, few), SETTINGS, Work()) is None


def test_ranks_need_a_primary_metric_with_a_better_direction() -> None:
    loaded = experiment(1)
    (found,) = evaluate(loaded, SETTINGS, Work()).rankings
    assert (found.metric, found.test_set, found.correction) == ("ter", "test", "max-T over shared shuffles")
    by_length = Settings(metrics=("length",), n_shuffles=99, n_bootstrap=20)
    assert evaluate(loaded, by_length, Work()).rankings == ()
