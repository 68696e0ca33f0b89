"""What people think of each system on average, whether luck explains a difference, and what metrics say and add.

The segments judged for a system are averaged over annotators first. Units are documents if all are known, otherwise
segments; annotators are taken as given. An interval of a difference inverts the test beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import special

from mteval.analysis.comparison import how_of
from mteval.analysis.people.judgements import PREFERENCE, PROBABILITY, HumanScores, asked, is_assigned
from mteval.analysis.scoring import Scored, Work
from mteval.base.arrays import FloatArray, IntArray, StatArray
from mteval.base.errors import DataError
from mteval.base.words import plural
from mteval.stats.agreement.correlations import correlation_over_units
from mteval.stats.assisted import assisted_mean
from mteval.stats.interval import ratio_intervals
from mteval.stats.multiplicity import holm
from mteval.stats.procedures.randomization import AR_SEGMENT, ar_segment, too_few_units
from mteval.stats.proportions import clopper_pearson, sign_test
from mteval.stats.resampling.streams import sum_by_unit
from mteval.values.settings import Settings

AVERAGES = (
    "scale",
    "system",
    "n_segments",
    "n_units",
    "unit",
    "mean",
    "low",
    "high",
    "against",
    "n_shared",
    "difference",
    "from",
    "to",
    "p_value",
    "p_adjusted",
    "note",
)
BESIDE = (
    "metric",
    "n_segments",
    "n_units",
    "unit",
    "human_difference",
    "metric_difference",
    "pearson",
    "low",
    "high",
    "p_value",
)
POINTS = ("metric", "segment", "human", "improvement")
ASSISTED = (
    "system",
    "against",
    "n_segments",
    "n_all",
    "n_units",
    "unit",
    "plain",
    "difference",
    "low",
    "high",
    "p_value",
    "p_adjusted",
    "saved",
    "n_saved",
)


@dataclass(frozen=True)
class Difference:
    """The difference of two systems' means with its interval and p; ``note`` says why one of them is missing."""

    value: float = np.nan
    low: float = np.nan
    high: float = np.nan
    p_value: float = np.nan
    note: str = ""


@dataclass(frozen=True)
class Matrix:
    """Mean judgement of each system and segment on one scale.

    Parameters
    ----------
    systems
        From best to worst.
    values
        Shape ``(systems, segments)``; NaN where a system was not judged.
    units
        Document or number of each segment, from 0.
    unit
        ``document`` or ``segment``.
    weights
        One over the probability of each judgement, shape ``(systems, segments)``; 1 if all had the same. If several
        annotators read a segment, summed over those who judged the system and divided by the number of annotators.
    """

    systems: tuple[str, ...]
    segments: tuple[str, ...]
    values: FloatArray
    units: IntArray
    unit: str
    weights: FloatArray

    @classmethod
    def of(cls, frame: pd.DataFrame, scale: str, settings: Settings) -> Matrix:
        """Average prepared judgements over annotators.

        Raises
        ------
        DataError
            If nothing was judged on the scale.
        """
        rows = frame[frame["scale"] == scale]
        if rows.empty:
            raise DataError(f"No judgements on the scale '{scale}'.")

        # Tables of segments and systems
        if PROBABILITY in rows:
            table, weights = _weighted(rows)
        else:
            table = rows.pivot_table(index="segment", columns="system", values="value", sort=False)
            weights = table.notna().astype(float)
        means = table.mul(weights).sum() / weights.sum()
        systems = means.sort_values(ascending=False, kind="stable").index

        unit = "segment"
        units = np.arange(len(table))
        if settings.exchange_unit != "segment" and bool(rows["document"].notna().all()):
            unit = "document"
            document_of = rows.drop_duplicates("segment").set_index("segment")["document"]
            units = pd.factorize(document_of.reindex(table.index))[0]
        return cls(
            systems=tuple(map(str, systems)),
            segments=tuple(map(str, table.index)),
            values=table[systems].to_numpy(float).T,
            units=np.asarray(units),
            unit=unit,
            weights=weights[systems].to_numpy(float).T,
        )

    def sums(self, values: FloatArray, system: int = 0) -> StatArray:
        """Return the sum of judged values by a system's weights and these weights by unit, shape ``(1, units, 2)``."""
        is_judged = ~np.isnan(values)
        weights = self.weights[system, is_judged]
        # One row per judged segment; the leading axis is the single "run" of ``sum_by_unit``
        columns = np.column_stack([weights * values[is_judged], weights])
        return sum_by_unit(columns[np.newaxis], self.units[is_judged])

    def between(self, system: int, baseline: int, confidence: float) -> Difference:
        """Return the difference of two weighted means with its interval and p, by Student's t over units.

        The means are linearised: on a segment that is judged for one system only, that system's part counts.
        """
        mean, residuals = self._linearised_mean(system)
        baseline_mean, baseline_residuals = self._linearised_mean(baseline)
        difference = float(mean - baseline_mean)
        n = len(residuals)
        if n < 2:
            return Difference(difference, note=f"It needs at least two {plural(self.unit)}.")
        squares = np.square(residuals - baseline_residuals).sum()
        error = float(np.sqrt(n / (n - 1) * squares))
        if error == 0:
            return Difference(difference, note=f"All {plural(self.unit)} have the same difference.")
        half_width = float(special.stdtrit(n - 1, (1 + confidence) / 2)) * error
        p_value = float(2 * special.stdtr(n - 1, -abs(difference) / error))
        return Difference(difference, difference - half_width, difference + half_width, p_value)

    def _linearised_mean(self, system: int) -> tuple[float, FloatArray]:
        """Return a system's weighted mean, and the part of each unit in its deviation from the true mean."""
        weights = self.weights[system]
        values = np.nan_to_num(self.values[system])  # an unjudged segment has the weight 0
        mean = (weights * values).sum() / weights.sum()
        residuals = np.bincount(self.units, weights * (values - mean)) / weights.sum()
        return mean, residuals


def _weighted(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the mean of each system and segment over annotators, weighted by one over probability, and its weight.

    Both are tables of segments and systems.
    """
    if rows[PROBABILITY].isna().any():
        raise DataError("Some judgements have a probability of being drawn and some do not. Give all of them.")
    rows = rows.assign(weight=1 / rows[PROBABILITY], product=rows["value"] / rows[PROBABILITY])
    products = rows.pivot_table("product", "segment", "system", "sum", sort=False)
    weights = rows.pivot_table("weight", "segment", "system", "sum", sort=False)
    n_annotators = rows.groupby("segment")["annotator"].nunique().reindex(weights.index)
    return products / weights, weights.div(n_annotators, axis=0).fillna(0.0)


def averages_frame(
    frame: pd.DataFrame, scale: str, baseline: str | None, settings: Settings, work: Work
) -> pd.DataFrame:
    """Return each system's mean with its interval, and its difference to one system with interval and test.

    Means have Student's t intervals. Differences have the test that exchanges units between two systems, and the
    interval that inverts it; if outputs were assigned adaptively, both are by Student's t. p is also adjusted by Holm.

    Parameters
    ----------
    frame
        Prepared judgements.
    baseline
        Compare with this system; with the best-judged one if None.

    Raises
    ------
    DataError
        If nothing was judged on the scale, or not the baseline.
    """
    matrix = Matrix.of(frame, scale, settings)
    against = matrix.systems[0]
    if baseline is not None:
        against = baseline
    if against not in matrix.systems:
        raise DataError(f"No judgements of '{against}'. Judged systems: {', '.join(matrix.systems)}.")
    baseline_index = matrix.systems.index(against)

    rows = []
    for index, system in enumerate(matrix.systems):
        values = matrix.values[index]
        sums = matrix.sums(values, index)
        low, high = ratio_intervals(sums, settings.confidence)[0]
        row = {
            "scale": scale,
            "system": system,
            "n_segments": int((~np.isnan(values)).sum()),
            "n_units": sums.shape[1],
            "unit": matrix.unit,
            "mean": float(_ratio(sums.sum(axis=(0, 1)))),
            "low": low,
            "high": high,
            "against": against,
            "n_shared": int((~np.isnan(values - matrix.values[baseline_index])).sum()),
        }
        difference = Difference()
        if system != against:
            if is_assigned(frame):
                difference = matrix.between(index, baseline_index, settings.confidence)
            else:
                difference = _exchanged(matrix, index, baseline_index, settings, work)
        row |= {
            "difference": difference.value,
            "from": difference.low,
            "to": difference.high,
            "p_value": difference.p_value,
            "note": difference.note,
        }
        rows.append(row)
    table = pd.DataFrame(rows, columns=list(AVERAGES))
    return table.assign(p_adjusted=holm(table["p_value"]))


def _exchanged(matrix: Matrix, system: int, baseline: int, settings: Settings, work: Work) -> Difference:
    """Return the difference on shared segments with its interval and p, from exchanges of units; NaN without any."""
    gains = matrix.sums(matrix.values[system] - matrix.values[baseline], system)
    if gains.size == 0:
        return Difference(note="No segment was judged for both systems.")
    # The test compares two systems: gains against no difference in any unit
    no_gains = gains.copy()
    no_gains[..., 0] = 0
    result = ar_segment(no_gains, gains, _ratio, how_of(AR_SEGMENT, settings, work, "two-sided"))
    note = ""
    if not gains[..., 0].any():
        note = f"All {plural(matrix.unit)} have the difference 0."
    elif np.isnan(result.low):  # the test counts rows, which are documents here if these are the units
        note = too_few_units(result.smallest_p, matrix.unit, 1 - settings.confidence)
    difference = float(_ratio(gains.sum(axis=(0, 1))))
    return Difference(difference, result.low, result.high, result.p_value, note)


def _ratio(totals: StatArray) -> FloatArray:
    """Return weighted means from totals ``(..., 2)`` of weighted values and weights."""
    return np.asarray(totals[..., 0] / totals[..., 1])


@dataclass(frozen=True)
class Preferences:
    """Votes on two outputs, counted by unit (segment or document).

    Parameters
    ----------
    winner, other
        The systems with more and with fewer votes.
    votes
        Of annotators: for the winner, for the other, and for neither.
    n_same
        Segments on which both outputs are the same text, so that they tie without a vote.
    won, lost
        Units with more votes for the winner than for the other, and with fewer.
    low, high
        Exact interval of the share of units won, among units with a winner (Clopper and Pearson 1934); NaN without any.
    p_value
        Exact two-sided sign test over the units; 1 without any.
    """

    winner: str
    other: str
    votes: tuple[int, int, int]
    n_same: int
    won: int
    lost: int
    unit: str
    low: float
    high: float
    p_value: float


def voted(frame: pd.DataFrame, settings: Settings) -> Preferences:
    """Count votes, then units: votes on one segment, or on segments of one document, are not independent.

    Parameters
    ----------
    frame
        Raw judgements with the scale ``PREFERENCE``, of two systems.
    """
    matrix = Matrix.of(frame, PREFERENCE, settings)
    winner, other = matrix.systems
    rows = frame[(frame["scale"] == PREFERENCE) & (frame["system"] == winner)]
    votes_given = asked(rows)
    # A vote for the winner is 1, for the other system 0, and for neither 0.5
    votes = (
        int((votes_given["value"] == 1.0).sum()),
        int((votes_given["value"] == 0.0).sum()),
        int((votes_given["value"] == 0.5).sum()),
    )
    n_same = len(set(rows["segment"]) - set(votes_given["segment"]))
    unit_of_segment = dict(zip(matrix.segments, matrix.units.tolist(), strict=True))
    lead = (rows["value"] - 0.5).groupby(rows["segment"].map(unit_of_segment)).sum()
    won = int((lead > 0).sum())
    lost = int((lead < 0).sum())
    low, high = clopper_pearson(won, won + lost, settings.confidence)
    return Preferences(winner, other, votes, n_same, won, lost, matrix.unit, low, high, sign_test(won, lost))


def beside_metrics(
    frame: pd.DataFrame, scale: str, pair: tuple[str, str], scored: Iterable[Scored], settings: Settings
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compare people's differences between two systems with those of metrics, segment by segment.

    Parameters
    ----------
    pair
        The system subtracted, and the other.
    scored
        Metrics on the judged test set.

    Returns
    -------
    One row per metric, with the columns ``BESIDE``: both mean differences (positive if the second system is better) and
    Pearson's correlation over segments with interval and p-value by the same jackknife over units; and one row per
    metric and segment with ``metric, segment, human, improvement``.
    """
    baseline, system = pair
    of_pair = frame[frame["system"].isin(pair)]
    matrix = Matrix.of(of_pair, scale, settings)
    if set(matrix.systems) != set(pair):
        raise DataError(f"People judged only one of {baseline} and {system}.")

    rows = []
    points = []
    for scores in scored:
        if not {baseline, system} <= set(scores.statistics):
            continue
        human = HumanScores.of(of_pair, scale, scores.test_set)
        system_values = human.values[human.systems.index(system)]
        baseline_values = human.values[human.systems.index(baseline)]
        human_gains = system_values - baseline_values
        metric_gains = _judged_run(of_pair, system, scores) - _judged_run(of_pair, baseline, scores)
        improvements = metric_gains
        if not scores.metric.higher_is_better:
            improvements = -metric_gains

        segments = np.flatnonzero(~np.isnan(human_gains + improvements))
        human_gains = human_gains[segments]
        improvements = improvements[segments]
        unit = "segment"
        units = segments
        if matrix.unit == "document" and scores.test_set.documents:
            unit = "document"
            documents = [scores.test_set.documents[segment] for segment in segments]
            units = np.unique(documents, return_inverse=True)[1]
        human_mean = np.nan
        metric_mean = np.nan
        if len(segments):
            human_mean = human_gains.mean()
            metric_mean = improvements.mean()
        correlation = correlation_over_units(human_gains, improvements, units, settings.confidence)
        key = scores.metric.key
        rows.append((key, len(segments), len(np.unique(units)), unit, human_mean, metric_mean, *correlation))
        columns = {"metric": key, "segment": segments, "human": human_gains, "improvement": improvements}
        points.append(pd.DataFrame(columns))

    table = pd.DataFrame(rows, columns=list(BESIDE))
    if not points:
        return table, pd.DataFrame(columns=list(POINTS))
    return table, pd.concat(points, ignore_index=True)


def _judged_run(frame: pd.DataFrame, system: str, scored: Scored) -> FloatArray:
    """Return the segment scores of the judged run, or the mean over runs if the judgements do not name one."""
    scores = scored.scorer.segment_score(scored.statistics[system])
    judged_keys = frame.loc[frame["system"] == system, "run"].unique().tolist()
    judged_runs = [run for run, key in enumerate(scored.run_keys(system)) if key in judged_keys]
    if judged_runs:
        scores = scores[judged_runs]
    return np.asarray(scores.mean(axis=0))


def assisted_frame(
    frame: pd.DataFrame, scale: str, against: str, scored: Sequence[Scored], settings: Settings
) -> pd.DataFrame:
    """Return each system's difference to one system, assisted by all metrics, with the columns ``ASSISTED``.

    ``saved`` is the share of error variance that metrics remove, ``n_saved`` the number of segments that need not be
    judged for the precision of the plain difference.

    Parameters
    ----------
    frame
        Prepared judgements of segments that were drawn with equal probability.
    scored
        Metrics on the judged test set.

    Raises
    ------
    DataError
        If segments were drawn with unequal probabilities, no metric scored all segments, or nothing can be compared.
    """
    if PROBABILITY in frame and frame[PROBABILITY].nunique() > 1:
        raise DataError("These segments were drawn with unequal probabilities. Metrics can assist random samples only.")
    if not scored:
        raise DataError("No metric can assist. Load the judged outputs or their scores.")
    test_set = scored[0].test_set
    human = HumanScores.of(frame, scale, test_set)
    if against not in human.systems:
        raise DataError(f"No judgements of '{against}'. Judged systems: {', '.join(human.systems)}.")
    unit = "segment"
    units = np.arange(test_set.n_segments)
    if settings.exchange_unit != "segment" and test_set.documents is not None:
        unit = "document"
        units = np.unique(np.array(test_set.documents, dtype=object), return_inverse=True)[1]
    against_values = human.values[human.systems.index(against)]
    metric_means = [_means_over_runs(scores) for scores in scored]

    rows = []
    for system in human.systems:
        if system == against:
            continue
        gains = human.values[human.systems.index(system)] - against_values
        judged_segments = np.flatnonzero(~np.isnan(gains))
        # Gains by each metric that scored both systems everywhere, shape ``(metrics, segments)``
        metric_gains = []
        for means in metric_means:
            if system in means and against in means:
                gains_by_metric = means[system] - means[against]
                if not np.isnan(gains_by_metric).any():
                    metric_gains.append(gains_by_metric)
        if len(metric_gains) == 0 or len(judged_segments) == 0:
            continue
        assisted = assisted_mean(
            gains[judged_segments], np.array(metric_gains), judged_segments, units, settings.confidence
        )
        n_saved = 0
        if not np.isnan(assisted.saved):
            n_saved = round(assisted.saved * len(judged_segments))
        row = {
            "system": system,
            "against": against,
            "n_segments": len(judged_segments),
            "n_all": test_set.n_segments,
            "n_units": len(np.unique(units[judged_segments])),
            "unit": unit,
            "plain": assisted.plain,
            "difference": assisted.mean,
            "low": assisted.low,
            "high": assisted.high,
            "p_value": assisted.p_value,
            "saved": assisted.saved,
            "n_saved": n_saved,
        }
        rows.append(row)
    if not rows:
        raise DataError(f"No system was judged on the same segments as '{against}' and scored by a metric everywhere.")
    table = pd.DataFrame(rows, columns=list(ASSISTED))
    return table.assign(p_adjusted=holm(table["p_value"]))


def _means_over_runs(scored: Scored) -> dict[str, FloatArray]:
    """Return each system's segment scores, averaged over its runs."""
    means = {}
    for system, statistics in scored.statistics.items():
        means[system] = scored.scorer.segment_score(statistics).mean(axis=0)
    return means
