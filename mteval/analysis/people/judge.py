"""May a judge replace a person? The alternative annotator test of LLM judges among the raters, and of metrics.

A judge that was asked several times is one judge: its answers are averaged. How far a single answer would do as well is
shown by testing each asking by itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from mteval.analysis.people.judgements import (
    PREFERENCE,
    asked,
    is_standardised,
    segment_places,
    standardised,
    without_repeats,
)
from mteval.analysis.people.raters import as_judges
from mteval.analysis.scoring import Scored
from mteval.base.arrays import FloatArray, IntArray
from mteval.base.errors import DataError
from mteval.stats.alternative_annotator import PASSING, against_raters, benjamini_yekutieli
from mteval.stats.interval import ratio_over_units
from mteval.values.settings import Settings

JUDGES = (
    "judge",
    "n_raters",
    "n_won",
    "winning_rate",
    "passes",
    "advantage",
    "low",
    "high",
    "n_outputs",
    "n_units",
    "unit",
    "epsilon",
    "n_askings",
    "n_passing",
    "lowest",
    "highest",
)
AGAINST = (
    "judge",
    "rater",
    "n_outputs",
    "n_units",
    "share",
    "rater_share",
    "low",
    "high",
    "p_value",
    "p_adjusted",
    "wins",
)
Row = dict[str, Any]


def judges_frames(
    frame: pd.DataFrame,
    scale: str,
    judge: str,
    scored: Sequence[Scored],
    epsilon: float,
    settings: Settings,
    standardise: bool | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
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
    distinct = asked(frame)  # each distinct output once
    raw = distinct[distinct["scale"] == scale]

    def has_judges_name(name: str) -> bool:
        if not judge:  # an empty pattern would match every name
            return False
        return re.search(judge, name) is not None

    is_judge = raw["annotator"].map(has_judges_name)
    if raw.loc[~is_judge, "annotator"].nunique() < 2:
        raise DataError("The test needs at least two people who judged the same outputs, besides the judge.")
    judged = raw
    if is_standardised(scale, standardise):
        judged = standardised(raw)  # without raters whose judgements cannot be standardised
    by_judges = judged[is_judge.reindex(judged.index)]
    by_people = judged[~is_judge.reindex(judged.index)]
    if by_judges.empty and not scored:
        raise DataError("There is no judge. Say which raters are judges (--judge), or give scores of a metric.")

    rows = []
    pairs = []
    people = _People(by_people, settings)
    is_categorical = scale == PREFERENCE
    for name, askings in _askings_of_judges(by_judges, judge).items():
        # Shape ``(askings, outputs)``; the judge's answer is the mean over the askings that have one
        values = np.array([people.values_of(asking) for asking in askings])
        n_answers = (~np.isnan(values)).sum(axis=0)
        average = np.where(n_answers, np.nansum(values, axis=0) / n_answers.clip(1), np.nan)
        row, rows_against = people.test(name, average, epsilon, is_categorical)
        # Would a single answer do? The winning rate of each asking by itself
        rates = []
        for values_of_asking in values:
            row_of_asking, _ = people.test(name, values_of_asking, epsilon, is_categorical)
            rates.append(row_of_asking["winning_rate"])
        row["n_askings"] = len(rates)
        row["n_passing"] = sum(rate >= PASSING for rate in rates)
        row["lowest"] = min(rates)
        row["highest"] = max(rates)
        rows.append(row)
        pairs += rows_against
    if scored:
        standardised_people = _People(standardised(raw[~is_judge]), settings)
        for scores in scored:
            values = standardised_people.scores_of(scores)
            row, rows_against = standardised_people.test(scores.metric.name, values, epsilon, is_categorical=False)
            rows.append(row)
            pairs += rows_against
    return pd.DataFrame(rows, columns=list(JUDGES)), pd.DataFrame(pairs, columns=list(AGAINST))


def _askings_of_judges(by_judges: pd.DataFrame, judge: str) -> dict[str, list[pd.DataFrame]]:
    """Return the askings of each judge: names that share the pattern, and repeats of one name."""
    if by_judges.empty:
        return {}
    askings = {}
    # ``as_judges`` replaces names that share the pattern by one; the column ``asked`` keeps the former names
    named = as_judges(by_judges.assign(asked=by_judges["annotator"]), judge)
    for name, rows in named.groupby("annotator", sort=False):
        number = rows.groupby(["asked", "system", "segment"]).cumcount()
        by_asking = rows.groupby([rows["asked"], number], sort=False)
        askings[str(name)] = [asking for _, asking in by_asking]
    return askings


class _People:
    """What people judged: one column per output.

    Attributes
    ----------
    names
        Of the raters.
    outputs
        System and segment of each output that two people or more judged.
    values
        Shape ``(raters, outputs)``; NaN for missing judgements.
    units
        Unit of each output, from 0, and the name of such a unit in ``unit``.
    """

    def __init__(self, frame: pd.DataFrame, settings: Settings) -> None:
        rows = without_repeats(frame)
        table = rows.pivot_table(index="annotator", columns=["system", "segment"], values="value", sort=False)
        table = table.loc[:, table.notna().sum() > 1]
        if table.empty:
            raise DataError("No output was judged by two people.")
        self.names = list(table.index)
        self.outputs = table.columns
        self.values: FloatArray = table.to_numpy(float)
        self.confidence = settings.confidence

        segments = table.columns.get_level_values("segment")
        document_of_segment = rows.drop_duplicates("segment").set_index("segment")["document"]
        if settings.exchange_unit != "segment" and bool(document_of_segment.notna().all()):
            self.unit = "document"
            units = np.asarray(document_of_segment.reindex(segments))
        else:
            self.unit = "segment"
            units = np.asarray(segments)
        self.units: IntArray = np.asarray(pd.factorize(units)[0])

    def values_of(self, rows: pd.DataFrame) -> FloatArray:
        """Return judgements of these outputs, NaN for missing ones."""
        means = rows.groupby(["system", "segment"])["value"].mean()
        return np.asarray(means.reindex(self.outputs).to_numpy(float))

    def scores_of(self, scored: Scored) -> FloatArray:
        """Return a metric's standardised scores of these outputs, averaged over runs; higher is better."""
        scores_of_system = {}
        for system, statistics in scored.statistics.items():
            scores_of_system[system] = scored.scorer.segment_score(statistics).mean(axis=0)
        places = segment_places(scored.test_set)
        systems = self.outputs.get_level_values("system")
        segments = self.outputs.get_level_values("segment")
        scores = np.full(len(self.outputs), np.nan)
        for index, (system, segment) in enumerate(zip(systems, segments, strict=True)):
            if system in scores_of_system and segment in places:
                scores[index] = scores_of_system[system][places[segment]]
        if not scored.metric.higher_is_better:
            scores = -scores
        return np.asarray((scores - np.nanmean(scores)) / np.nanstd(scores, ddof=1))

    def test(self, name: str, judge: FloatArray, epsilon: float, is_categorical: bool) -> tuple[Row, list[Row]]:
        """Return the row of a judge without its askings, and its rows against each rater."""
        level = 1 - self.confidence
        # An interval of this confidence lies above ``-epsilon`` exactly when the one-sided p is below the level
        confidence = 1 - 2 * level
        # ``is_nearer`` has the shape (raters, outputs); NaN where the judge cannot be compared with a rater
        comparisons, is_nearer = against_raters(judge, self.values, self.units, epsilon, confidence, is_categorical)
        p_values = []
        for comparison in comparisons:
            if comparison is None:
                p_values.append(np.nan)
            else:
                p_values.append(comparison.p_value)
        adjusted = benjamini_yekutieli(np.array(p_values))
        wins = adjusted <= level
        rows_against = []
        for rater, comparison, p_adjusted, is_won in zip(
            self.names, comparisons, adjusted.tolist(), wins.tolist(), strict=True
        ):
            if comparison is None:
                continue
            row_against = {
                "judge": name,
                "rater": rater,
                "n_outputs": comparison.n_outputs,
                "n_units": comparison.n_units,
                "share": comparison.judge,
                "rater_share": comparison.rater,
                "low": comparison.low,
                "high": comparison.high,
                "p_value": comparison.p_value,
                "p_adjusted": p_adjusted,
                "wins": is_won,
            }
            rows_against.append(row_against)

        row: Row = {
            "judge": name,
            "n_raters": len(rows_against),
            "n_won": int(wins.sum()),
            "winning_rate": np.nan,
            "passes": False,
            "advantage": np.nan,
            "low": np.nan,
            "high": np.nan,
            "n_outputs": 0,
            "n_units": 0,
            "unit": self.unit,
            "epsilon": epsilon,
        }
        if rows_against:
            compared = is_nearer[~np.isnan(is_nearer).all(axis=1)]  # without raters who cannot be compared
            is_output_compared = ~np.isnan(compared).all(axis=0)
            row["winning_rate"] = row["n_won"] / row["n_raters"]
            row["passes"] = row["winning_rate"] >= PASSING
            row["advantage"], row["low"], row["high"] = _mean_share(compared, self.units, self.confidence)
            row["n_outputs"] = int(is_output_compared.sum())
            row["n_units"] = len(np.unique(self.units[is_output_compared]))
        return row, rows_against


def _mean_share(is_nearer: FloatArray, units: IntArray, confidence: float) -> tuple[float, float, float]:
    """Return the mean over raters of the judge's share, with its interval over units.

    Each rater weighs the same: a comparison counts one over the rater's number of outputs.
    """
    # Weights of the shape (raters, outputs); totals of the shape (units, 2): weighted wins and weights
    weights = np.where(np.isnan(is_nearer), 0.0, 1.0)
    weights /= weights.sum(axis=1, keepdims=True)
    wins = weights * np.nan_to_num(is_nearer)
    unit_of_output = np.unique(units, return_inverse=True)[1]
    wins_by_unit = np.bincount(unit_of_output, wins.sum(axis=0))
    weights_by_unit = np.bincount(unit_of_output, weights.sum(axis=0))
    totals = np.column_stack([wins_by_unit, weights_by_unit])
    totals = totals[weights_by_unit > 0]
    share = float(totals[:, 0].sum() / totals[:, 1].sum())
    low, high = ratio_over_units(totals, confidence)
    return share, low, high
