"""Test which systems people find better: the gold standard for tests of metrics (Graham et al. 2014, Figure 7)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from mteval.analysis.comparison import Question
from mteval.analysis.corrections import corrections_for
from mteval.analysis.pairs import all_pairs
from mteval.analysis.people.judgements import HumanScores
from mteval.analysis.scoring import Work
from mteval.base.errors import DataError, SettingsError
from mteval.base.words import counted
from mteval.stats import PROCEDURES
from mteval.stats.rank_sum import rank_sum
from mteval.values.model import TestSet
from mteval.values.settings import Settings

JUDGED_UNITS = ("judgement", "segment", "document")
RANK_SUM = "rank-sum"
AUTO = "auto"  # the usual test or unit: paired by segment if all systems were judged on the same ones
GOLD_TESTS: Mapping[str, str] = {
    RANK_SUM: "Wilcoxon rank-sum test",
    # units are shown separately, and may be documents
    **{key: spec.name.removesuffix(" of segments") for key, spec in PROCEDURES.items()},
}
GOLD = ("one", "other", "scale", "n_one", "n_other", "difference", "p_better", "p_worse", "p_adjusted")
CELLS = ("better", "worse", "scale", "p_value", "p_adjusted", "is_better", "difference")
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
    correction
        Key of how p is adjusted for all pairs; ``none`` for the rank-sum test, as in the paper.
    """

    first: pd.DataFrame
    second: pd.DataFrame | None
    test: str
    unit: str
    is_selected: bool = False
    correction: str = "none"

    @property
    def is_adjusted(self) -> bool:
        """Whether p is adjusted for all pairs."""
        return self.correction != "none"

    def conclusions(self, level: float, *, is_adjusted: bool = False) -> dict[Pair, int]:
        """Return for each pair whether people find the first better (1), worse (-1), or neither (0).

        Parameters
        ----------
        is_adjusted
            Whether by p-values adjusted for all pairs.
        """
        conclusions = _conclusions(self.first, level, is_adjusted)
        if self.second is None:
            return conclusions
        on_second = both_ways(_conclusions(self.second, level, is_adjusted))
        for pair, sign in conclusions.items():
            if sign == 0:  # a tie, which the second scale may break
                conclusions[pair] = on_second.get(pair, 0)
        return conclusions

    @property
    def systems(self) -> tuple[str, ...]:
        """Return the systems from best to worst by their mean on the primary scale."""
        wins = self.first["one"].value_counts()
        names = sorted({*self.first["one"], *self.first["other"]})
        return tuple(sorted(names, key=lambda system: -int(wins.get(system, 0))))

    def cells(self, level: float) -> pd.DataFrame:
        """Return the cells of Figure 7, one row per ordered pair, with the p-values of the scale that decides it.

        The second scale decides pairs without a significant difference on the first. ``p_adjusted`` decides if p is
        adjusted; otherwise it equals ``p_value``.
        """
        on_first = both_ways(_conclusions(self.first, level, self.is_adjusted))
        rows = []
        for row in self.first.to_dict("records"):
            if self.second is None or on_first[row["one"], row["other"]] != 0:
                rows += _cells_of(row, level)
        if self.second is not None:
            for row in self.second.to_dict("records"):
                # A pair that was not judged on the first scale is no tie to break
                if on_first.get((row["one"], row["other"]), 1) == 0:
                    rows += _cells_of(row, level)
        return pd.DataFrame(rows, columns=list(CELLS))


def _cells_of(row: Mapping[Hashable, Any], level: float) -> list[tuple[object, ...]]:
    """Return the two cells of a pair of systems from its row of a test, with the columns ``CELLS``.

    Adjusted p-values are those of the better system over the other, the only ones that are tested.
    """
    first = str(row["one"])
    second = str(row["other"])
    difference = float(row["difference"])
    p_better = row["p_adjusted"]
    p_worse = row["p_worse"]
    return [
        (first, second, row["scale"], row["p_better"], p_better, bool(p_better <= level), difference),
        (second, first, row["scale"], p_worse, p_worse, bool(p_worse <= level), -difference),
    ]


def gold_of(
    frame: pd.DataFrame,
    scales: tuple[str, str | None],
    question: Question,
    test_set: TestSet | None,
    settings: Settings,
    work: Work,
) -> Gold:
    """Test all pairs by the chosen test: the rank-sum test, or a procedure that pairs segments.

    p of a procedure is adjusted for all pairs, as in rankings by a metric.

    Parameters
    ----------
    frame
        Prepared judgements.

    Raises
    ------
    DataError
        As ``rank_sum_gold``.
    SettingsError
        If documents are the units but the test set has none.
    CancelledError
        If the work was cancelled.
    """
    if question.procedure == RANK_SUM:
        return rank_sum_gold(frame, scales, question.unit)
    lacks_documents = test_set is not None and test_set.documents is None
    if test_set is None or (question.unit == "document" and lacks_documents and frame["document"].notna().all()):
        frame, test_set = _judged_segments(frame)
    if question.unit == "document" and test_set.documents is None:
        raise SettingsError("There are no document IDs. Give them, or choose segments as units.")
    frames = []
    for human in [HumanScores.of(frame, scale, test_set) for scale in scales if scale is not None]:
        frames.append(_by_procedure(human, test_set, question, settings, work))
    correction = corrections_for(question.spec)[0]
    return Gold(frames[0], _second_of(frames), question.procedure, question.unit, correction=correction)


def are_judged_alike(frame: pd.DataFrame, scales: Sequence[str | None]) -> bool:
    """Return whether all systems, at least two, were judged on the same segments, on each of the scales."""
    for scale in scales:
        if scale is None:
            continue
        rows = frame[frame["scale"] == scale]
        segments_of = [frozenset(segments) for _, segments in rows.groupby("system")["segment"]]
        if len(segments_of) < 2 or len(set(segments_of)) > 1:
            return False
    return True


def _judged_segments(frame: pd.DataFrame) -> tuple[pd.DataFrame, TestSet]:
    """Return judgements whose texts are unknown, their segments numbered, and a test set of as many segments."""
    numbers, segments = pd.factorize(frame["segment"])
    document_of = frame.drop_duplicates("segment").set_index("segment")["document"]
    documents = None
    if document_of.notna().all():
        documents = tuple(document_of[segments].astype(str))
    numbered = frame.assign(segment=(numbers + 1).astype(str))
    return numbered, TestSet("judged", (("",),) * len(segments), (), documents=documents)


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
    frames = [_rank_sums(frame, scale, unit) for scale in scales if scale is not None]
    return Gold(frames[0], _second_of(frames), RANK_SUM, unit)


def _second_of(frames: Sequence[pd.DataFrame]) -> pd.DataFrame | None:
    """Return the tests on the scale that breaks ties; None without one."""
    if len(frames) > 1:
        return frames[1]
    return None


def _rank_sums(frame: pd.DataFrame, scale: str, unit: str) -> pd.DataFrame:
    """Test all pairs on one scale by the rank-sum test, with the columns ``GOLD``."""
    observations = frame[frame["scale"] == scale]
    if unit != "judgement":
        observations = observations.groupby(["system", unit])["value"].mean().reset_index()
    values = {}
    for system, of_system in observations.groupby("system"):
        values[str(system)] = of_system["value"].to_numpy(float)
    if len(values) < 2:
        raise DataError(f"{counted(len(values), 'system')} judged on the scale '{scale}'; a comparison needs two.")

    rows = []
    best_first = sorted(values, key=lambda system: -values[system].mean())
    for better, worse in combinations(best_first, 2):
        p_better, p_worse = rank_sum(values[better], values[worse])
        row = {
            "one": better,
            "other": worse,
            "scale": scale,
            "n_one": len(values[better]),
            "n_other": len(values[worse]),
            "difference": values[better].mean() - values[worse].mean(),
            "p_better": p_better,
            "p_worse": p_worse,
            "p_adjusted": p_better,  # not adjusted, as in the paper
        }
        rows.append(row)
    return pd.DataFrame(rows, columns=list(GOLD))


def _by_procedure(
    human: HumanScores, test_set: TestSet, question: Question, settings: Settings, work: Work
) -> pd.DataFrame:
    """Test all pairs on one scale by a procedure, with the columns ``GOLD``.

    Procedures test only whether the first is better, so that ``p_worse`` is unknown.
    """
    correction = corrections_for(question.spec)[0]
    pairs = all_pairs(human.as_scored(test_set), question, correction, settings, work)
    names = {"better": "one", "worse": "other", "improvement": "difference", "p_value": "p_better"}
    frame = pairs.rename(columns=names).assign(scale=human.scale, p_worse=np.nan)
    n_judged = dict(zip(human.systems, (~np.isnan(human.values)).sum(axis=1), strict=True))
    frame = frame.assign(n_one=frame["one"].map(n_judged), n_other=frame["other"].map(n_judged))
    return frame[list(GOLD)]


def both_ways(conclusions: Mapping[Pair, int]) -> dict[Pair, int]:
    """Add the reversed pairs to conclusions."""
    reversed_pairs = {(second, first): -sign for (first, second), sign in conclusions.items()}
    return {**conclusions, **reversed_pairs}


def _conclusions(frame: pd.DataFrame, level: float, is_adjusted: bool) -> dict[Pair, int]:
    """Return for each pair of one scale whether the first is better (1), worse (-1), or neither (0)."""
    p_better = frame["p_adjusted"] if is_adjusted else frame["p_better"]
    signs = (p_better <= level).astype(int) - (frame["p_worse"] <= level).astype(int)
    pairs = zip(frame["one"], frame["other"], strict=True)
    return {pair: int(sign) for pair, sign in zip(pairs, signs, strict=True)}
