"""Looks that nobody planned."""

from dataclasses import replace

import pytest

from mteval.answers.planner import unplanned_sentence
from mteval.report.kept_experiment import Card, Concluded
from mteval.report.merging import runs_seen_before
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
