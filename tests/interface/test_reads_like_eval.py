"""What Python prints reads like ``mteval eval``, and its help fits a screen."""

import math
import pickle
import pydoc

import pytest

import mteval

LINES_OF_A_SCREEN = 50
WIDTH_OF_A_SCREEN = 100
SCORES = {
    "old": [[0.1, 0.4, 0.2, 0.3], [0.2, 0.4, 0.2, 0.3], [0.1, 0.3, 0.2, 0.4]],
    "new": [[0.9, 0.8, 0.7, 0.9], [0.8, 0.8, 0.7, 0.8], [0.9, 0.9, 0.6, 0.9]],
    "other": [[0.1, 0.5, 0.2, 0.3], [0.2, 0.3, 0.2, 0.3], [0.1, 0.4, 0.2, 0.3]],
}


@pytest.fixture(scope="module")
def comparison() -> mteval.Comparison:
    return mteval.compare_scores(SCORES, "accuracy", n_shuffles=200, n_bootstrap=20)


def test_printed_verdicts_are_the_sentences_of_the_printed_comparison(comparison: mteval.Comparison) -> None:
    printed = str(comparison.verdicts).splitlines()
    assert [line.partition(":")[0] for line in printed[:2]] == ["new vs old", "other vs old"]
    assert set(printed) <= set(str(comparison).splitlines())


def test_verdicts_are_still_a_tuple_of_verdicts(comparison: mteval.Comparison) -> None:
    assert isinstance(comparison.verdicts, tuple)
    assert [verdict.system for verdict in comparison.verdicts] == ["new", "other"]
    copies = pickle.loads(pickle.dumps(comparison.verdicts))
    assert [verdict.system for verdict in copies] == ["new", "other"]


def test_the_help_of_compare_fits_a_screen() -> None:
    lines = pydoc.plain(pydoc.render_doc(mteval.compare)).splitlines()
    n_lines = sum(max(1, math.ceil(len(line) / WIDTH_OF_A_SCREEN)) for line in lines)
    assert n_lines <= LINES_OF_A_SCREEN
