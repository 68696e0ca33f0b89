"""Where an adjusted p stands, one sentence says why it is not Holm's over the p beside it; nowhere else."""

import warnings
from typing import Any

import numpy as np
import pytest

import mteval
from mteval.answers.ranking import ranked_section
from mteval.answers.scores import scores_of
from mteval.report.multeval import table_lines

SENTENCE = "Holm adjusts p_run after small variances over runs are drawn towards the systems' mean."


def compared(n_systems: int, n_runs: int, **settings: Any) -> mteval.Comparison:
    """Systems with scores of 40 segments."""
    random = np.random.default_rng(n_systems)
    scores = {}
    for place in range(n_systems):
        scores[f"s{place}"] = [list(random.normal(0.2 * place, size=40)) for _ in range(n_runs)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return mteval.compare_scores(scores, "one", n_shuffles=99, n_bootstrap=20, **settings)


@pytest.mark.parametrize("n_systems", [3, 5])
def test_the_sentence_stands_once_in_text_and_in_the_tooltip_of_the_column(n_systems: int) -> None:
    results = compared(n_systems, 3).results
    assert all(verdict.has_family_law for verdict in results.verdicts())
    lines = table_lines(results)
    ranked = ranked_section(results)
    if ranked is not None:
        lines += [note.text for note in ranked.parts[0].notes]
    assert sum(SENTENCE in line for line in lines) == 1
    help_of = {column.key: column.help for column in scores_of(results).columns}
    assert help_of["p_run"].count(SENTENCE) == 1
    assert SENTENCE not in help_of["p_test_set"]


@pytest.mark.parametrize(
    ("n_systems", "n_runs", "settings"),
    [(2, 3, {}), (3, 1, {}), (5, 1, {}), (3, 3, {"strict": True}), (5, 3, {"confidence": 0.99})],
)
def test_without_the_law_of_a_family_there_is_no_such_sentence(
    n_systems: int, n_runs: int, settings: dict[str, Any]
) -> None:
    results = compared(n_systems, n_runs, **settings).results
    assert not any(verdict.has_family_law for verdict in results.verdicts())
    assert not any("drawn towards" in line for line in table_lines(results))
    assert not any("drawn towards" in column.help for column in scores_of(results).columns)
