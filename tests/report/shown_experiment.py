"""An experiment whose report is read, the frames of its numbers, and how a reader would write these."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

SENTENCE = "the quick brown fox jumps over the lazy dog while it rains on every roof of this old town"
SIZES = {"dev": 23, "test": 60}
# of which words each run lacks one; the baseline comes first, the others follow by name
LACKS = {"zebra": (4, 4, 4), "apple": (7, 7, 7), "mango": (9, 4, 5), "plum": (4, 4, 4)}
ARROWS = {"bleu": "↑", "ter": "↓", "length": "", "nist": "↑"}
NAMES = {"bleu": "BLEU", "ter": "TER", "length": "Length", "nist": "NIST"}
MORE_DECIMALS = {"nist": 1}  # its scores are a tenth as large
CELLS = ("runs", "average", "s_sel", "s_dev", "s_opt", "difference", "p_test_set", "p_run")


def segments_of(system: str, run: int, test_set: str) -> list[str]:
    """The reference lacking every so-manieth word; plum is zebra but for a few segments."""
    lacks = LACKS[system][run] + run * (test_set == "dev")
    lines = []
    for number in range(SIZES[test_set]):
        words = SENTENCE.split()[number % 7 :]
        kept = [word for place, word in enumerate(words) if (place + number + 3 * run) % lacks]
        if system == "plum" and number % 9 == 4:
            kept = words[:-1] if number % 2 else kept[:-4]
        lines.append(" ".join(kept))
    return lines


def write_experiment(folder: Path) -> Path:
    """Four systems of three runs on a tuning set and a test set, and the file that says so."""
    text = 'format = 1\nbaseline = "zebra"\n[settings]\nmetrics = ["bleu", "ter", "length", "nist"]\n'
    text += "n_bootstrap = 200\nn_shuffles = 500\n"
    for test_set, size in SIZES.items():
        lines = [" ".join(SENTENCE.split()[number % 7 :]) for number in range(size)]
        (folder / f"{test_set}.ref").write_text("\n".join(lines) + "\n", encoding="utf-8")
        text += f'[[test_sets]]\nname = "{test_set}"\nrole = "{test_set}"\nreferences = ["{test_set}.ref"]\n'
        for system in reversed(LACKS):  # neither the order of names nor the baseline is that of the files
            text += f"[test_sets.systems.{system}]\n"
            for run in range(3):
                name = f"{test_set}.{system}.{run}"
                (folder / name).write_text("\n".join(segments_of(system, run, test_set)) + "\n", encoding="utf-8")
                text += f'{run} = "{name}"\n'
    (folder / "experiment.toml").write_text(text, encoding="utf-8")
    return folder / "experiment.toml"


@dataclass(frozen=True)
class Numbers:
    """The frames of an evaluation, by what their cells are called."""

    scores: pd.DataFrame
    summary: pd.DataFrame
    comparisons: pd.DataFrame

    def of(self, metric: str, system: str, test_set: str = "test") -> dict[str, float]:
        """The numbers of a row of Table 1, NaN where it has none; its adjusted p-values are there as well."""
        row = self._row(self.summary, metric, system, test_set)
        dev = self._row(self.summary, metric, system, "dev")
        numbers = {"runs": row["n_runs"], "average": row["mean"], "s_sel": row["s_sel"], "s_dev": dev["s_opt"]}
        numbers["s_opt"] = row["s_opt"] if test_set == "test" else np.nan

        tests = self.comparisons.query("test_set == @test_set and metric == @metric and system == @system")
        of_test_set = tests[tests["procedure"] == "ar-segment"]
        numbers["p_test_set"] = _only_value(of_test_set, "p_value")
        numbers["adjusted_test_set"] = _only_value(of_test_set, "p_adjusted")
        of_both = tests[tests["procedure"] == "two-way"]
        numbers["p_run"] = _only_value(of_both, "p_value")
        numbers["adjusted_run"] = _only_value(of_both, "p_adjusted")
        for column in ("low", "high", "difference"):
            numbers[column] = _only_value(of_both, column)
        return {name: float(value) for name, value in numbers.items()}

    def run_scores(self, metric: str, system: str, test_set: str = "test") -> list[float]:
        """In the order of the runs."""
        rows = self.scores.query("test_set == @test_set and metric == @metric and system == @system")
        return [float(score) for score in rows.sort_values("run")["score"]]

    @staticmethod
    def _row(frame: pd.DataFrame, metric: str, system: str, test_set: str) -> Mapping[str, Any]:
        (row,) = frame.query("test_set == @test_set and metric == @metric and system == @system").to_dict("records")
        return row


def _only_value(rows: pd.DataFrame, column: str) -> float:
    """The value in the first row, NaN where there is none, as there is none of the baseline."""
    return float(rows[column].iloc[0]) if len(rows) else np.nan


def rounded(value: float, decimals: int, signed: bool = False) -> str:
    """As a reader would round it, with a hyphen for a minus; a dash where there is nothing."""
    if np.isnan(value):
        return "–"
    number = Decimal(repr(value)).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    if not number:
        return f"{abs(number)}"  # no sign before a zero
    return f"{number:+}" if signed else f"{number}"


def expected_cells(numbers: Mapping[str, float], decimals: int) -> list[str]:
    """The cells of Table 1 in text."""
    spreads = [rounded(numbers[name], decimals) for name in ("average", "s_sel", "s_dev", "s_opt")]
    return [f"{numbers['runs']:.0f}", *spreads, rounded(numbers["difference"], decimals, signed=True)]


def p_value(value: float) -> str:
    """Three decimals, and a bound where they would say nothing."""
    if np.isnan(value):
        return "–"
    return "< 0.001" if value < 0.001 else rounded(value, 3)


def mark_of(numbers: Mapping[str, float]) -> str:
    """The dagger where the choice of sentences is ruled out at 5%, the double one where training is as well."""
    if not numbers["adjusted_test_set"] <= 0.05:
        return ""
    return "‡" if numbers["adjusted_run"] <= 0.05 else "†"
