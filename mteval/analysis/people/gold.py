"""Test which systems people find better: the gold standard for tests of metrics (Graham et al. 2014, Figure 7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from mteval.analysis.comparison import Question
from mteval.analysis.pairs import all_pairs
from mteval.analysis.people.judgements import HumanScores
from mteval.analysis.scoring import Work
from mteval.base.errors import DataError, SettingsError
from mteval.base.words import counted
from mteval.stats import PROCEDURES
from mteval.stats.agreement import rank_sum
from mteval.values.model import TestSet
from mteval.values.settings import Settings

JUDGED_UNITS = ("judgement", "segment", "document")
RANK_SUM = "rank-sum"
GOLD_TESTS: Mapping[str, str] = {
    RANK_SUM: "Wilcoxon rank-sum test",
    # units are shown separately, and may be documents
    **{key: spec.name.removesuffix(" of segments") for key, spec in PROCEDURES.items()},
}
GOLD = ("one", "other", "scale", "n_one", "n_other", "difference", "p_better", "p_worse")
Pair = tuple[str, str]


@dataclass(frozen=True)
class Gold:
    """Tests between all pairs of judged systems, one-sided in either direction.

    Parameters
    ----------
    first
        By the primary scale, with the columns ``GOLD``; ``one`` has the higher mean.
    second
        By the scale that breaks ties; None without one.
    test, unit
        The test and its units.
    is_selected
        Whether judgements had unequal probabilities, which the test ignores.
    """

    first: pd.DataFrame
    second: pd.DataFrame | None
    test: str
    unit: str
    is_selected: bool = False

    def conclusions(self, level: float) -> dict[Pair, int]:
        """Return for each pair whether people find the first better (1), worse (-1), or neither (0)."""
        found = _conclusions(self.first, level)
        if self.second is None:
            return found
        second = both_ways(_conclusions(self.second, level))
        return {pair: sign or second.get(pair, 0) for pair, sign in found.items()}

    @property
    def systems(self) -> tuple[str, ...]:
        """Return the systems from best to worst by their mean on the primary scale."""
        wins = self.first["one"].value_counts()
        names = sorted({*self.first["one"], *self.first["other"]})
        return tuple(sorted(names, key=lambda system: -int(wins.get(system, 0))))

    def cells(self, level: float) -> pd.DataFrame:
        """Return the cells of Figure 7, one row per ordered pair, with the p-value of the scale that decides it.

        The second scale decides pairs without a significant difference on the first.
        """
        signs, rows = both_ways(_conclusions(self.first, level)), []
        for frame in (self.first, *([] if self.second is None else [self.second])):
            for row in frame.to_dict("records"):
                one, other, difference = str(row["one"]), str(row["other"]), float(row["difference"])
                is_decided = self.second is None or signs.get((one, other), 1) != 0
                if is_decided == (frame is self.first):
                    for pair, p, sign in (((one, other), "p_better", 1), ((other, one), "p_worse", -1)):
                        rows.append((*pair, row["scale"], row[p], bool(row[p] <= level), sign * difference))
        return pd.DataFrame(rows, columns=["better", "worse", "scale", "p_value", "is_better", "difference"])


def gold_of(
    frame: pd.DataFrame, scales: tuple[str, str | None], question: Question, test_set: TestSet | None,
    settings: Settings, work: Work,
) -> Gold:  # fmt: skip
    """Test all pairs by the chosen test: the rank-sum test, or a procedure that pairs segments of a test set.

    Parameters
    ----------
    frame
        Prepared judgements.

    Raises
    ------
    DataError
        If a procedure needs a test set and there is none, or as ``rank_sum_gold``.
    SettingsError
        If documents are the units but the test set has none.
    CancelledError
        If the work was cancelled.
    """
    if question.procedure == RANK_SUM:
        return rank_sum_gold(frame, scales, question.unit)
    if test_set is None:
        text = f"{GOLD_TESTS[question.procedure]} pairs segments of a test set, but there is none."
        raise DataError(f"{text} Give scores or outputs, or choose the {GOLD_TESTS[RANK_SUM]} ({RANK_SUM}).")
    if question.unit == "document" and test_set.documents is None:
        raise SettingsError("There are no document IDs. Give them, or choose segments as units.")
    humans = [HumanScores.of(frame, scale, test_set) for scale in scales if scale is not None]
    first, *second = (_by_procedure(human, test_set, question, settings, work) for human in humans)
    return Gold(first, next(iter(second), None), question.procedure, question.unit)


def rank_sum_gold(frame: pd.DataFrame, scales: tuple[str, str | None], unit: str = "judgement") -> Gold:
    """Test all pairs by Wilcoxon's rank-sum test, as in the paper.

    Parameters
    ----------
    frame
        Prepared judgements: standardised, without repeats.
    unit
        The independent observation: a judgement, or the mean over a segment or document.

    Raises
    ------
    DataError
        If documents are the units but some judgements have none, or if fewer than two systems were judged.
    """
    if unit == "document" and frame["document"].isna().any():
        raise DataError("Some judgements have no document. Give document IDs, or choose judgements as units.")
    first, *second = (_rank_sums(frame, scale, unit) for scale in scales if scale is not None)
    return Gold(first, next(iter(second), None), RANK_SUM, unit)


def _rank_sums(frame: pd.DataFrame, scale: str, unit: str) -> pd.DataFrame:
    rows = frame[frame["scale"] == scale]
    observed = rows if unit == "judgement" else rows.groupby(["system", unit])["value"].mean().reset_index()
    values = {str(system): part["value"].to_numpy(float) for system, part in observed.groupby("system")}
    if len(values) < 2:
        raise DataError(f"{counted(len(values), 'system')} judged on the scale '{scale}'; a comparison needs two.")
    systems = sorted(values, key=lambda system: -values[system].mean())
    found = [
        (one, other, scale, len(values[one]), len(values[other]), values[one].mean() - values[other].mean(),
         *rank_sum(values[one], values[other]))
        for one, other in combinations(systems, 2)
    ]  # fmt: skip
    return pd.DataFrame(found, columns=list(GOLD))


def _by_procedure(one: HumanScores, test_set: TestSet, asked: Question, settings: Settings, work: Work) -> pd.DataFrame:
    pairs = all_pairs(one.as_scored(test_set), asked, "none", settings, work)
    counts = dict(zip(one.systems, (~np.isnan(one.values)).sum(axis=1), strict=True))
    named = {"better": "one", "worse": "other", "improvement": "difference", "p_value": "p_better"}
    frame = pairs.rename(columns=named).assign(scale=one.scale, p_worse=np.nan)  # not tested
    return frame.assign(n_one=frame["one"].map(counts), n_other=frame["other"].map(counts))[list(GOLD)]


def both_ways(conclusions: Mapping[Pair, int]) -> dict[Pair, int]:
    """Add the reversed pairs to conclusions."""
    return {**conclusions, **{(other, one): -sign for (one, other), sign in conclusions.items()}}


def _conclusions(frame: pd.DataFrame, level: float) -> dict[Pair, int]:
    signs = (frame["p_better"] <= level).astype(int) - (frame["p_worse"] <= level).astype(int)
    return {(one, other): int(sign) for one, other, sign in zip(frame["one"], frame["other"], signs, strict=True)}
