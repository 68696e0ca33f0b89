"""May a judge replace a person? The alternative annotator test of LLM judges among the raters, and of metrics.

A judge that was asked several times is one judge: its answers are averaged. How far a single answer would do as well is
shown by testing each asking by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import astuple
from typing import Any

import numpy as np
import pandas as pd

from mteval.analysis.people.judgements import PREFERENCE, is_standardised, segment_places, standardised, without_repeats
from mteval.analysis.people.raters import as_judges
from mteval.analysis.scoring import Scored
from mteval.base.arrays import FloatArray, IntArray
from mteval.base.errors import DataError
from mteval.stats.alternative_annotator import PASSING, against_raters, benjamini_yekutieli
from mteval.stats.interval import ratio_over_units
from mteval.values.settings import Settings

JUDGES = (
    "judge", "n_raters", "n_won", "winning_rate", "passes", "advantage", "low", "high", "n_outputs", "n_units", "unit",
    "epsilon", "n_askings", "n_passing", "lowest", "highest",
)  # fmt: skip
AGAINST = (
    "judge", "rater", "n_outputs", "n_units", "share", "rater_share", "low", "high", "p_value", "p_adjusted", "wins",
)  # fmt: skip
Row = dict[str, Any]


def judges_frames(
    frame: pd.DataFrame, scale: str, judge: str, scored: Sequence[Scored], epsilon: float, settings: Settings,
    standardise: bool | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]:  # fmt: skip
    """Test whether judges and metrics may replace a person.

    Parameters
    ----------
    frame
        Raw judgements, with the columns ``JUDGED``.
    judge
        Regular expression of the raters that are judges, as in ``as_judges``; metrics alone if empty.
    scored
        Metrics on the judged test set. They have their own scale, so that everything is standardised.
    epsilon
        How much less often than a rater the judge may be the nearer one; 0.2 for experts, 0.1 for crowd workers.

    Returns
    -------
    One row per judge, with the columns ``JUDGES``: ``advantage`` is the mean share of outputs on which the judge is at
    least as near to the others as the rater left out, with its interval over units. ``n_askings`` counts repeated
    judgements; ``n_passing``, ``lowest`` and ``highest`` are those that pass alone and their winning rates. And one row
    per judge and rater, with the columns ``AGAINST``.

    Raises
    ------
    DataError
        If no rater is a judge, or fewer than two raters are people.
    """
    raw = frame[frame["scale"] == scale]
    is_judge = raw["annotator"].map(lambda name: bool(judge) and re.search(judge, name) is not None)
    if raw.loc[~is_judge, "annotator"].nunique() < 2:
        raise DataError("The test needs at least two people who judged the same outputs, besides the judge.")
    judged = standardised(raw) if is_standardised(scale, standardise) else raw
    own = judged[is_judge.reindex(judged.index)]
    askings = {} if own.empty else dict(_askings(own, judge))
    if not askings and not scored:
        raise DataError("There is no judge. Say which raters are judges (--judge), or give scores of a metric.")
    rows, pairs = [], []
    people = _People(judged[~is_judge.reindex(judged.index)], settings)
    for name, each in askings.items():
        values = np.array([people.values_of(one) for one in each])
        n_answers = (~np.isnan(values)).sum(axis=0)
        average = np.where(n_answers, np.nansum(values, axis=0) / n_answers.clip(1), np.nan)
        row, against = people.test(name, average, epsilon, scale == PREFERENCE)
        alone = [people.test(name, one, epsilon, scale == PREFERENCE)[0]["winning_rate"] for one in values]
        row |= {"n_askings": len(alone), "n_passing": sum(rate >= PASSING for rate in alone)}
        rows.append(row | {"lowest": min(alone), "highest": max(alone)})
        pairs += against
    if scored:
        on_one_scale = _People(standardised(raw[~is_judge]), settings)
        for one in scored:
            row, against = on_one_scale.test(one.metric.name, on_one_scale.scores_of(one), epsilon, False)
            rows.append(row)
            pairs += against
    return pd.DataFrame(rows, columns=list(JUDGES)), pd.DataFrame(pairs, columns=list(AGAINST))


def _askings(own: pd.DataFrame, judge: str) -> Iterator[tuple[str, list[pd.DataFrame]]]:
    """Yield each judge with its askings: names that share the pattern, and repeats of one name."""
    for name, rows in own.assign(asked=own["annotator"]).pipe(as_judges, judge).groupby("annotator", sort=False):
        repeat = rows.groupby(["asked", "system", "segment"]).cumcount()
        yield str(name), [part for _, part in rows.groupby([rows["asked"], repeat], sort=False)]


class _People:
    """What people judged: one column per output."""

    def __init__(self, frame: pd.DataFrame, settings: Settings) -> None:
        rows = without_repeats(frame)
        table = rows.pivot_table(index="annotator", columns=["system", "segment"], values="value", sort=False)
        table = table.loc[:, table.notna().sum() > 1]
        if table.empty:
            raise DataError("No output was judged by two people.")
        self.names, self.outputs, self.values = list(table.index), table.columns, table.to_numpy(float)
        known = rows.drop_duplicates("segment").set_index("segment")["document"]
        segments = table.columns.get_level_values("segment")
        is_by_document = settings.exchange_unit != "segment" and bool(known.notna().all())
        self.unit = "document" if is_by_document else "segment"
        units = known.reindex(segments) if is_by_document else segments
        self.units: IntArray = np.asarray(pd.factorize(np.asarray(units))[0])
        self.confidence = settings.confidence

    def values_of(self, rows: pd.DataFrame) -> FloatArray:
        """Return judgements of these outputs, NaN for missing ones."""
        return np.asarray(rows.groupby(["system", "segment"])["value"].mean().reindex(self.outputs).to_numpy(float))

    def scores_of(self, one: Scored) -> FloatArray:
        """Return a metric's standardised scores of these outputs, averaged over runs; higher is better."""
        places, sign = segment_places(one.test_set), 1.0 if one.metric.higher_is_better else -1.0
        by_system = {key: sign * one.scorer.segment_score(runs).mean(axis=0) for key, runs in one.statistics.items()}
        scores = np.array([
            by_system[system][places[segment]] if system in by_system and segment in places else np.nan
            for system, segment in zip(*map(self.outputs.get_level_values, ("system", "segment")), strict=True)
        ])  # fmt: skip
        return np.asarray((scores - np.nanmean(scores)) / np.nanstd(scores, ddof=1))

    def test(self, name: str, judge: FloatArray, epsilon: float, is_categorical: bool) -> tuple[Row, list[Row]]:
        """Return the row of a judge without its askings, and its rows against each rater."""
        level = 1 - self.confidence
        found, is_nearer = against_raters(judge, self.values, self.units, epsilon, 1 - 2 * level, is_categorical)
        adjusted = benjamini_yekutieli(np.array([np.nan if one is None else one.p_value for one in found]))
        wins = adjusted <= level
        each = zip(self.names, found, adjusted.tolist(), wins.tolist(), strict=True)
        rows = [dict(zip(AGAINST, (name, who, *astuple(one), p, won), strict=True)) for who, one, p, won in each if one]
        n, n_won = len(rows), int(wins.sum())
        compared = is_nearer[~np.isnan(is_nearer).all(axis=1)]
        interval = _mean_share(compared, self.units, self.confidence) if n else (np.nan,) * 3
        rate = n_won / n if n else float("nan")
        at = ~np.isnan(compared).all(axis=0) if n else np.zeros(0, dtype=bool)
        counts = (int(at.sum()), len(np.unique(self.units[at])) if n else 0)
        values = (name, n, n_won, rate, n > 0 and rate >= PASSING, *interval, *counts, self.unit, epsilon)
        return dict(zip(JUDGES, values, strict=False)), rows


def _mean_share(is_nearer: FloatArray, units: IntArray, confidence: float) -> tuple[float, float, float]:
    """Return the mean over raters of the judge's share, with its interval over units.

    Each rater weighs the same: a comparison counts one over the rater's number of outputs.
    """
    weights = np.where(np.isnan(is_nearer), 0.0, 1.0)
    weights /= weights.sum(axis=1, keepdims=True)
    places = np.unique(units, return_inverse=True)[1]
    sums = np.column_stack([
        np.bincount(places, (weights * np.nan_to_num(is_nearer)).sum(axis=0)), np.bincount(places, weights.sum(axis=0))
    ])  # fmt: skip
    sums = sums[sums[:, 1] > 0]
    return float(sums[:, 0].sum() / sums[:, 1].sum()), *ratio_over_units(sums, confidence)
