"""The scores in the recorded tables are those that sacreBLEU computes, and their spread is NumPy's.

A recorded number that was wrong from the start would only ever be compared with itself.
"""

import csv
import io
import re

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF

from tests.golden import RECORDED, ROOT

# As in FIVE_SYSTEMS: where the three runs of each system come from.
RUNS_OF = {
    "base": ("baseline", (0, 1, 2)),
    "one": ("reordering", (0, 1, 2)),
    "two": ("reordering", (3, 4, 5)),
    "three": ("baseline", (3, 4, 5)),
    "four": ("reordering", (6, 7, 8)),
}
SCORERS = {"bleu": BLEU, "chrf": CHRF}
HEADINGS = {"bleu": "BLEU", "chrf": "chrF"}


def lines_of(path: str) -> list[str]:
    return (ROOT / "sample_data" / path).read_text(encoding="utf-8").splitlines()


def scores_of_runs(metric: str, system: str) -> list[float]:
    """The corpus scores of a system's runs by sacreBLEU itself."""
    references = [lines_of("reference.test.txt")]
    folder, numbers = RUNS_OF[system]
    outputs = [lines_of(f"{folder}/test.opt{number:02}.txt") for number in numbers]
    return [SCORERS[metric]().corpus_score(output, references).score for output in outputs]


def recorded(name: str) -> str:
    table, _, _ = (RECORDED / f"{name}.txt").read_text(encoding="utf-8").partition("--- standard error")
    return table


@pytest.mark.parametrize("metric", SCORERS)
def test_recorded_means_and_spreads_are_those_of_sacrebleu_and_numpy(metric: str) -> None:
    rows = list(csv.DictReader(io.StringIO(recorded("eval-five-tsv")), delimiter="\t"))
    row_of = {row["system"]: row for row in rows if row["metric"] == metric}
    assert set(row_of) == set(RUNS_OF)
    baseline_mean = np.mean(scores_of_runs(metric, "base"))
    for system, row in row_of.items():
        scores = scores_of_runs(metric, system)
        assert float(row["mean"]) == pytest.approx(np.mean(scores), rel=1e-9), system
        assert float(row["s_opt"]) == pytest.approx(np.std(scores, ddof=1), rel=1e-9), system
        assert row["n_runs"] == str(len(scores))
        if system != "base":
            assert float(row["difference"]) == pytest.approx(np.mean(scores) - baseline_mean, rel=1e-9), system


@pytest.mark.parametrize("metric", SCORERS)
def test_the_printed_table_shows_these_numbers_under_the_heading_of_their_metric(metric: str) -> None:
    _, _, table = recorded("eval-five-text").partition("\n\nn=3")  # below the ranking
    head, *lines = f"n=3{table}".splitlines()
    headings = re.split(r"\s{2,}", head)
    place = headings.index(f"{HEADINGS[metric]} (s_sel/s_opt/p/p_run)")
    cells_of = {cells[0]: cells for cells in (re.split(r"\s{2,}", line) for line in lines[: len(RUNS_OF)])}
    assert set(cells_of) == set(RUNS_OF)
    for system, cells in cells_of.items():
        mean, spreads = cells[place].split(" ")
        _, s_opt, *_ = spreads.strip("()").split("/")
        scores = scores_of_runs(metric, system)
        assert mean == f"{np.mean(scores):.1f}", system
        assert s_opt == f"{np.std(scores, ddof=1):.1f}", system
