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
from mteval.answers.ranking import best_sentence, ranking_sentences
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


def with_words_lost(words: list[str], loss: float, generator: np.random.Generator) -> str:
    """The words without those that were lost, each with the same probability."""
    return " ".join(word for word in words if generator.random() > loss)


def experiment(n_runs: int, systems: dict[str, float] = LOSSES) -> Experiment:
    """Systems that lose so large a share of the reference's words."""
    generator = np.random.default_rng(7)
    references = [list(generator.permutation(WORDS)) for _ in range(60)]
    runs = []
    for system, loss in systems.items():
        for run in range(n_runs):
            hypotheses = tuple(with_words_lost(reference, loss, generator) for reference in references)
            runs.append(Run(system, str(run), hypotheses))
    test_set = TestSet("test", tuple((" ".join(reference),) for reference in references), tuple(runs))
    return Experiment((test_set,), "fair")


def scored_by_ter(n_runs: int, systems: dict[str, float] = LOSSES) -> Scored:
    """The experiment's scores by TER, the first metric."""
    return score_experiment(experiment(n_runs, systems), resolve(SETTINGS), Work())[0]


def relation(generator: np.random.Generator, n: int) -> np.ndarray:
    """Who is shown better than whom: never a worse one, and more surely the further apart they are."""
    strength = np.sort(generator.random(n))[::-1]
    gaps = np.subtract.outer(strength, strength)
    return np.triu((gaps + generator.normal(0, 0.15, (n, n)) > 0.25), 1)


def groups_by_definition(is_better: np.ndarray) -> list[set[int]]:
    """What no line crosses: join whatever lies between two systems that are not told apart, again and again."""
    groups = [{place} for place in range(len(is_better))]
    for above, below in combinations(range(len(is_better)), 2):
        if is_better[above, below]:
            continue
        between = set(range(above, below + 1))
        touched = [group for group in groups if group & between]
        untouched = [group for group in groups if not group & between]
        groups = [*untouched, set().union(*touched)]
    return sorted(groups, key=min)


def test_groups_are_what_no_line_crosses_whatever_the_relation() -> None:
    generator = np.random.default_rng(11)
    numbers_of_groups = set()
    for _ in range(400):
        is_better = relation(generator, int(generator.integers(1, 9)))
        numbers = group_numbers(is_better)

        groups: list[set[int]] = [set() for _ in range(numbers[-1])]
        for place, number in enumerate(numbers):
            groups[number - 1].add(place)
        assert groups == groups_by_definition(is_better)
        for above, below in combinations(range(len(numbers)), 2):
            assert is_better[above, below] or numbers[above] == numbers[below]
        numbers_of_groups.add(len(groups))
    assert len(numbers_of_groups) >= 4, "many kinds of relations were seen"


def test_two_systems_of_a_group_may_differ() -> None:
    is_better = np.zeros((3, 3), dtype=bool)
    is_better[0, 2] = True
    assert group_numbers(is_better) == [1, 1, 1]


@pytest.mark.parametrize(("n_runs", "is_both"), [(1, False), (3, True)])
def test_ranks_count_those_shown_better_and_those_shown_worse(n_runs: int, is_both: bool) -> None:
    """The losses of the systems say who is better; two of them, fair and twin, lose equally much."""
    ranked = ranking(scored_by_ter(n_runs), SETTINGS, Work())
    assert ranked is not None

    assert ranked.is_both == is_both
    (spec,) = [spec for spec in PROCEDURES.values() if spec.name == ranked.procedure]
    assert spec.luck == ("both" if is_both else "test-set")

    assert [row.system for row in ranked.rows if row.system not in ("fair", "twin")] == ["good", "poor", "last"]
    assert [row.mean for row in ranked.rows] == sorted(row.mean for row in ranked.rows), "TER: lower is better"
    ranks_of = {row.system: row.ranks for row in ranked.rows}
    assert ranks_of == {"good": "1", "fair": "2–3", "twin": "2–3", "poor": "4", "last": "5"}
    assert [row.group for row in ranked.rows] == [1, 2, 2, 3, 4]


def test_ranks_are_those_of_all_orders_that_the_tests_allow() -> None:
    """Recomputed: every pair by the law of the family, Holm over both directions, then every order of the systems."""
    losses = {"fair": 0.2, "poor": 0.27, "good": 0.15, "twin": 0.2, "last": 0.33}
    systems = list(losses)
    scored = scored_by_ter(3, losses)
    ranked = ranking(scored, SETTINGS, Work())
    assert ranked is not None

    # One-sided p of each pair in the direction of its difference: by the family's spread of runs, and by its own
    values = {system: contributions(scored.statistics[system], scored.scorer.score) for system in systems}
    spread = np.mean([values[system].mean(axis=1).std(ddof=1) for system in systems])
    tests = []
    for first, second in combinations(systems, 2):
        law = components_of(values[second], values[first])
        gain = values[second].mean() - values[first].mean()  # of TER, so positive if the first is better
        pair = (first, second) if gain > 0 else (second, first)
        tests.append((law.in_family(spread).p_value(gain) / 2, law.p_value(gain) / 2, pair))

    # Holm's method over both directions of all pairs
    is_better = set()
    p_adjusted = 0.0
    n_left = 2 * len(tests)
    for p_by_family, p_of_pair, pair in sorted(tests):
        p_adjusted = max(p_adjusted, n_left * p_by_family, p_of_pair)
        n_left -= 1
        if p_adjusted <= 0.05:
            is_better.add(pair)
    assert 3 <= len(is_better) < len(tests)

    orders = []
    for order in permutations(systems):
        if all(order.index(better) < order.index(worse) for better, worse in is_better):
            orders.append(order)
    for row in ranked.rows:
        places = [order.index(row.system) + 1 for order in orders]
        assert (row.first, row.last) == (min(places), max(places)), row.system
    verb = "is" if ranked.rows[0].last == 1 else "could be"
    assert verb in best_sentence(ranked)


def test_ranges_are_those_that_csranks_gives(data_directory: Path) -> None:
    """R package csranks 1.2.2 with the covariance over segments and 10,000 draws, on WMT23 he-en by COMET."""
    text = (data_directory / "data" / "wmt23-he-en" / "scores" / "COMET-refA.seg.score").read_text(encoding="utf-8")
    scores: dict[str, list[list[float]]] = {}
    for line in text.splitlines():
        system, score = line.split("\t")
        if system != "refA":
            scores.setdefault(system, [[]])[0].append(float(score))

    ranked = mteval.compare_scores(scores, "COMET", exchange_unit="segment").results.ranking

    assert ranked is not None
    assert [(row.first, row.last) for row in ranked.rows] == [
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
    is_better[0, 1] = True
    is_better[1, 3] = True

    assert implied(is_better).tolist() == [
        [False, True, False, True],
        [False, False, False, True],
        [False, False, False, False],
        [False, False, False, False],
    ]
    assert Ranked("a", 0.0, 2, 11, 1).possible == "could be 2nd to 11th"
    assert Ranked("a", 0.0, 23, 23, 1).possible == "is 23rd"


@pytest.mark.parametrize("n_runs", [1, 3])
def test_ranks_ignore_a_fixed_baseline(n_runs: int) -> None:
    scored = scored_by_ter(n_runs)
    plain = ranking(scored, replace(SETTINGS, design="independent"), Work())
    fixed = ranking(scored, replace(SETTINGS, design="fixed"), Work())

    assert plain is not None
    assert fixed == replace(plain, was_fixed=n_runs > 1)
    assert (NOT_FIXED in ranking_sentences(fixed)) == (n_runs > 1)
    assert NOT_FIXED not in ranking_sentences(plain)


def test_three_systems_are_not_ranked() -> None:
    three = dict(list(LOSSES.items())[:3])
    assert ranking(scored_by_ter(1, three), SETTINGS, Work()) is None


def test_ranks_need_a_primary_metric_with_a_better_direction() -> None:
    loaded = experiment(1)
    (ranked,) = evaluate(loaded, SETTINGS, Work()).rankings
    assert (ranked.metric, ranked.test_set, ranked.correction) == ("ter", "test", "max-T over shared shuffles")

    by_length = Settings(metrics=("length",), n_shuffles=99, n_bootstrap=20)
    assert evaluate(loaded, by_length, Work()).rankings == ()
