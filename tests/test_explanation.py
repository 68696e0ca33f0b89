"""The figures of ``docs/two-kinds-of-luck.md`` are those of the sample."""

import re
import warnings
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import sacrebleu

import mteval

ROOT = Path(__file__).parent.parent
PAGE = " ".join((ROOT / "docs" / "two-kinds-of-luck.md").read_text(encoding="utf-8").split())


def signed(number: float) -> str:
    """A difference as the page prints it, with a minus sign."""
    return f"{number:+.2f}".replace("-", "−")


@pytest.fixture(scope="module")
def bleu_of() -> dict[str, np.ndarray]:
    """sacreBLEU's own BLEU of each run of both systems on the test set."""
    references = (ROOT / "sample_data" / "reference.test.txt").read_text(encoding="utf-8").splitlines()
    scores_of = {}
    for system in ("baseline", "reordering"):
        scores = []
        for path in sorted((ROOT / "sample_data" / system).glob("test.opt*.txt")):
            output = path.read_text(encoding="utf-8").splitlines()
            scores.append(sacrebleu.corpus_bleu(output, [references]).score)
        scores_of[system] = np.array(scores)
    return scores_of


def test_the_table_has_each_system_s_mean_lowest_and_highest_run(bleu_of: dict[str, np.ndarray]) -> None:
    for system, scores in bleu_of.items():
        assert len(scores) == 30
        assert f"| {system} | {scores.mean():.2f} | {scores.min():.2f} | {scores.max():.2f} |" in PAGE


def test_the_differences_are_those_of_all_pairs_of_runs(bleu_of: dict[str, np.ndarray]) -> None:
    differences = bleu_of["reordering"][:, np.newaxis] - bleu_of["baseline"]

    assert differences.size == 900
    assert f"reordering leads by {differences.mean():.2f}." in PAGE
    assert f"between {signed(differences.min())} and {signed(differences.max())}." in PAGE
    assert f"In {np.count_nonzero(differences < 0)} of the 900 experiments, baseline is ahead." in PAGE
    assert f"In {np.mean(differences >= 1.5):.0%} of the 900, reordering leads by 1.5 points or more." in PAGE


def test_three_runs_each_rank_the_systems_wrongly_as_often_as_the_page_says(bleu_of: dict[str, np.ndarray]) -> None:
    rng = np.random.default_rng(1)
    wrong = 0
    n_draws = 20_000
    for _ in range(n_draws):
        averages = [rng.choice(scores, 3, replace=False).mean() for scores in bleu_of.values()]
        wrong += averages[1] < averages[0]
    stated = re.search(r"in (\d+) of 100 experiments, one run each in (\d+) of 100", PAGE)
    assert stated

    assert round(100 * wrong / n_draws) == int(stated[1])
    assert round(100 * (bleu_of["reordering"][:, np.newaxis] < bleu_of["baseline"]).mean()) == int(stated[2])


def test_the_interval_of_all_runs_is_the_one_that_mteval_computes() -> None:
    sample = ROOT / "sample_data"
    runs = {system: sorted((sample / system).glob("test.opt*.txt")) for system in ("baseline", "reordering")}
    documents = (sample / "documents.test.txt").read_text(encoding="utf-8").splitlines()
    comparison = mteval.compare(runs, sample / "reference.test.txt", "bleu", documents=documents)

    interval = comparison.confidence_interval
    assert f"has a 95% interval from {signed(interval.low)} to {signed(interval.high)}" in PAGE
    assert comparison.verdicts[0].conclusion.word == "no clear difference"
    assert f"the {len(set(documents))} documents" in PAGE


def test_the_answer_about_half_a_point_has_the_published_shares() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # of its regular expressions
        warnings.simplefilter("ignore", DeprecationWarning)  # the same, until Python 3.12
        mt_thresholds = import_module("mt_thresholds")
    answers = " ".join((ROOT / "docs" / "faq.md").read_text(encoding="utf-8").split())
    share_of = {}
    for points in (0.5, 1, 2):
        share_of[points] = f"{mt_thresholds.accuracy(points, 'bleu'):.0f}%"

    assert f"differ by 0.5 BLEU, people preferred the better-scored one in {share_of[0.5]} of pairs" in answers
    assert f"With 1 BLEU it was {share_of[1]}, with 2 BLEU {share_of[2]} (Kocmi et al. 2024" in answers
