"""Looks that nobody planned."""

from dataclasses import replace

import pytest

from mteval.answers.planner import history_sentence, unplanned_sentence
from mteval.metrics import METRICS
from mteval.report.kept_experiment import Card, Concluded
from mteval.report.merging import earlier_spreads, runs_seen_before
from mteval.values.run_words import RUN, RUN_WORDS

NOW = Card(("base", "new"), (5, 6), "test", 40, "BLEU", (Concluded("new", "BETTER", False),))
BEFORE = replace(NOW, n_runs=(3, 3))


def test_the_same_systems_with_fewer_runs_were_a_look() -> None:
    fewer = [BEFORE, replace(NOW, n_runs=(4, 9)), replace(NOW, systems=("new", "base"), n_runs=(3, 4))]
    assert runs_seen_before(NOW, fewer) == (3, 4)


def test_fewer_runs_that_were_scored_afterwards_were_no_look() -> None:
    now = replace(NOW, scored=100.0)
    assert runs_seen_before(now, [replace(BEFORE, scored=101.0)]) == ()
    assert runs_seen_before(now, [replace(BEFORE, scored=99.0)]) == (3,)
    assert runs_seen_before(now, [BEFORE]) == (3,), "the time is unknown"


def test_runs_of_earlier_experiments_are_described_beside_these() -> None:
    earlier = [
        replace(NOW, systems=("base", "other"), spreads=(0.6, 0.4)),
        replace(NOW, spreads=(9.0, 9.0)),  # this experiment itself, saved
        replace(NOW, systems=("base", "third"), metric="TER", spreads=(8.0,)),
        replace(NOW, systems=("base", "third"), n_segments=41, spreads=(8.0,)),
    ]
    assert earlier_spreads(NOW, earlier) == (0.4, 0.6)
    bleu = METRICS["bleu"]
    assert history_sentence((0.4, 0.6), (0.2, 0.25), bleu, RUN) == (
        "In your earlier experiments on this test set, runs differ by 0.40 to 0.60 BLEU (SD, 2 systems); these by 0.20"
        " and 0.25."
    )
    assert history_sentence((0.4,), (0.2,), bleu, RUN) == history_sentence((0.4, 0.6), (), bleu, RUN) == ""


@pytest.mark.parametrize(
    "earlier",
    [
        NOW,
        replace(BEFORE, n_runs=(8, 8)),
        replace(BEFORE, concluded=()),
        replace(BEFORE, metric="TER"),
        replace(BEFORE, n_segments=41),
        replace(BEFORE, systems=("base", "newer")),
        Card(),
    ],
    ids=["itself", "more runs", "not scored", "metric", "segments", "systems", "empty"],
)
def test_other_experiments_were_none(earlier: Card) -> None:
    assert runs_seen_before(NOW, [earlier]) == ()


def test_files_without_an_experiment_have_no_history() -> None:
    assert runs_seen_before(Card(), [BEFORE]) == ()


def test_the_warning_uses_the_chosen_word_for_runs() -> None:
    assert "before with 3 and 4 runs each. If you added runs" in unplanned_sentence((3, 4), RUN)
    assert "before with 1 prompt each" in unplanned_sentence((1,), RUN_WORDS["prompt"])
