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
from mteval.analysis.people.judgements import PREFERENCE, PROBABILITY, HumanScores, is_assigned
from mteval.analysis.scoring import Scored, Work
from mteval.base.arrays import FloatArray, IntArray, StatArray
from mteval.base.errors import DataError
from mteval.stats.agreement import clopper_pearson, correlation_over_units, sign_test
from mteval.stats.assisted import assisted_mean
from mteval.stats.interval import ratio_intervals
from mteval.stats.multiplicity import holm
from mteval.stats.procedures.randomization import AR_SEGMENT, ar_segment
from mteval.stats.resampling.streams import sum_by_unit
from mteval.values.settings import Settings

AVERAGES = (
    "scale", "system", "n_segments", "n_units", "unit", "mean", "low", "high", "against", "n_shared", "difference",
    "from", "to", "p_value", "p_adjusted",
)  # fmt: skip
BESIDE = (
    "metric", "n_segments", "n_units", "unit", "human_difference", "metric_difference", "pearson", "low", "high",
    "p_value",
)  # fmt: skip


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
        table = rows.pivot_table(index="segment", columns="system", values="value", sort=False)
        weights = table.notna().astype(float)
        if PROBABILITY in rows:
            table, weights = _weighted(rows)
        means = table.mul(weights).sum() / weights.sum()
        order = means.sort_values(ascending=False, kind="stable").index
        is_by_document = settings.exchange_unit != "segment" and bool(rows["document"].notna().all())
        document = rows.drop_duplicates("segment").set_index("segment")["document"].reindex(table.index)
        units = pd.factorize(document)[0] if is_by_document else np.arange(len(table))
        values = table[order].to_numpy(float).T
        unit = "document" if is_by_document else "segment"
        by_system = weights[order].to_numpy(float).T
        return cls(tuple(map(str, order)), tuple(map(str, table.index)), values, np.asarray(units), unit, by_system)

    def sums(self, values: FloatArray, system: int = 0) -> StatArray:
        """Return the sum of judged values by a system's weights and these weights by unit, shape ``(1, units, 2)``."""
        judged = ~np.isnan(values)
        weights = self.weights[system, judged]
        return sum_by_unit(np.column_stack([weights * values[judged], weights])[np.newaxis], self.units[judged])

    def between(self, one: int, other: int, confidence: float) -> tuple[float, float, float, float]:
        """Return the difference of two weighted means with its interval and p, by Student's t over units.

        The means are linearised: on a segment that is judged for one system only, that system's part counts.
        """
        contributions = []
        for system in (one, other):
            weights, values = self.weights[system], np.nan_to_num(self.values[system])
            mean = (weights * values).sum() / weights.sum()
            by_unit = np.bincount(self.units, weights * (values - mean)) / weights.sum()
            contributions.append((mean, by_unit))
        (first, of_first), (second, of_second) = contributions
        n, difference = len(of_first), float(first - second)
        error = float(np.sqrt(n / max(n - 1, 1) * np.square(of_first - of_second).sum()))
        if n < 2 or error == 0:
            return difference, np.nan, np.nan, np.nan
        half = float(special.stdtrit(n - 1, (1 + confidence) / 2)) * error
        p_value = float(2 * special.stdtr(n - 1, -abs(difference) / error))
        return difference, difference - half, difference + half, p_value


def _weighted(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the mean of each system and segment over annotators, weighted by one over probability, and its weight."""
    if rows[PROBABILITY].isna().any():
        raise DataError("Some judgements have a probability of being drawn and some do not. Give all of them.")
    rows = rows.assign(weight=1 / rows[PROBABILITY], product=rows["value"] / rows[PROBABILITY])
    product, weight = (rows.pivot_table(one, "segment", "system", "sum", sort=False) for one in ("product", "weight"))
    annotators = rows.groupby("segment")["annotator"].nunique().reindex(weight.index)
    return product / weight, weight.div(annotators, axis=0).fillna(0.0)


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
    against = matrix.systems[0] if baseline is None else baseline
    if against not in matrix.systems:
        raise DataError(f"No judgements of '{against}'. Judged systems: {', '.join(matrix.systems)}.")
    at = matrix.systems.index(against)
    base, rows = matrix.values[at], []
    for place, (system, values) in enumerate(zip(matrix.systems, matrix.values, strict=True)):
        sums = matrix.sums(values, place)
        (interval,) = ratio_intervals(sums, settings.confidence)
        mean, n = float(_ratio(sums.sum(axis=(0, 1)))), int((~np.isnan(values)).sum())
        row = (scale, system, n, sums.shape[1], matrix.unit, mean, *interval)
        gains = matrix.sums(values - base, place)
        compared: tuple[float, ...] = (np.nan,) * 4
        if system != against and is_assigned(frame):
            compared = matrix.between(place, at, settings.confidence)
        elif system != against and gains.size:
            level = np.stack([0 * gains[..., 0], gains[..., 1]], axis=-1)  # no difference in any unit
            found = ar_segment(level, gains, _ratio, how_of(AR_SEGMENT, settings, work, "two-sided"))
            compared = (float(_ratio(gains.sum(axis=(0, 1)))), found.low, found.high, found.p_value)
        rows.append((*row, against, int((~np.isnan(values - base)).sum()), *compared))
    return pd.DataFrame(rows, columns=list(AVERAGES[:-1])).assign(p_adjusted=lambda found: holm(found["p_value"]))


def _ratio(totals: StatArray) -> FloatArray:
    return np.asarray(totals[..., 0] / totals[..., 1])


@dataclass(frozen=True)
class Preferences:
    """Votes on two outputs, counted by unit (segment or document).

    Parameters
    ----------
    winner, other
        The systems with more and with fewer votes.
    votes
        For the winner, for the other, and for neither.
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
    segments = dict(zip(matrix.segments, matrix.units.tolist(), strict=True))
    net = (rows["value"] - 0.5).groupby(rows["segment"].map(segments)).sum()
    won, lost = int((net > 0).sum()), int((net < 0).sum())
    n_better, n_worse, n_tied = (int((rows["value"] == value).sum()) for value in (1.0, 0.0, 0.5))
    votes, (low, high) = (n_better, n_worse, n_tied), clopper_pearson(won, won + lost, settings.confidence)
    return Preferences(winner, other, votes, won, lost, matrix.unit, low, high, sign_test(won, lost))


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
    rows, points = [], []
    both = frame[frame["system"].isin(pair)]
    matrix = Matrix.of(both, scale, settings)
    if set(matrix.systems) != set(pair):
        raise DataError(f"People judged only one of {pair[0]} and {pair[1]}.")
    for one in (metric for metric in scored if set(pair) <= set(metric.statistics)):
        sign = 1.0 if one.metric.higher_is_better else -1.0
        human = HumanScores.of(both, scale, one.test_set)
        first, second = (human.values[human.systems.index(system)] for system in pair)
        ours = [_judged_run(both, system, one) for system in pair]
        gains, improvement = second - first, sign * (ours[1] - ours[0])
        known = np.flatnonzero(~np.isnan(gains + improvement))
        documents = one.test_set.documents if matrix.unit == "document" else None
        units = np.unique([documents[place] for place in known], return_inverse=True)[1] if documents else known
        said = correlation_over_units(gains[known], improvement[known], units, settings.confidence)
        means = (gains[known].mean(), improvement[known].mean()) if len(known) else (np.nan, np.nan)
        unit = "segment" if documents is None else "document"
        rows.append((one.metric.key, len(known), len(np.unique(units)), unit, *means, *said))
        values = {"segment": known, "human": gains[known], "improvement": improvement[known]}
        points.append(pd.DataFrame({"metric": one.metric.key, **values}))
    empty = pd.DataFrame(columns=["metric", "segment", "human", "improvement"])
    return pd.DataFrame(rows, columns=list(BESIDE)), pd.concat(points, ignore_index=True) if points else empty


def _judged_run(frame: pd.DataFrame, system: str, one: Scored) -> FloatArray:
    """Return the segment scores of the judged run, or the mean over runs if the judgements do not name one."""
    scores = one.scorer.segment_score(one.statistics[system])
    named = frame.loc[frame["system"] == system, "run"].unique().tolist()
    chosen = [place for place, key in enumerate(one.run_keys(system)) if key in named]
    return np.asarray(scores[chosen or slice(None)].mean(axis=0))


ASSISTED = (
    "system", "against", "n_segments", "n_all", "n_units", "unit", "plain", "difference", "low", "high", "p_value",
    "p_adjusted", "saved", "n_saved",
)  # fmt: skip


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
    is_by_document = settings.exchange_unit != "segment" and test_set.documents is not None
    names = np.array(test_set.documents if is_by_document else range(test_set.n_segments), dtype=object)
    units, rows = np.unique(names, return_inverse=True)[1], []
    means = [{key: one.scorer.segment_score(runs).mean(0) for key, runs in one.statistics.items()} for one in scored]
    for system in (one for one in human.systems if one != against):
        gains = human.values[human.systems.index(system)] - human.values[human.systems.index(against)]
        metrics = [one[system] - one[against] for one in means if {system, against} <= one.keys()]
        whole = np.array([one for one in metrics if not np.isnan(one).any()])
        places = np.flatnonzero(~np.isnan(gains))
        if not whole.size or not len(places):
            continue
        found = assisted_mean(gains[places], whole, places, units, settings.confidence)
        n_saved = round(found.saved * len(places)) if found.saved == found.saved else 0
        sizes = len(places), test_set.n_segments, len(np.unique(units[places]))
        values = found.plain, found.mean, found.low, found.high, found.p_value, np.nan, found.saved, n_saved
        rows.append((system, against, *sizes, "document" if is_by_document else "segment", *values))
    if not rows:
        raise DataError(f"No system was judged on the same segments as '{against}' and scored by a metric everywhere.")
    return pd.DataFrame(rows, columns=list(ASSISTED)).assign(p_adjusted=lambda found: holm(found["p_value"]))
