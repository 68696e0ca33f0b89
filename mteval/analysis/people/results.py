"""What the judgements of people amount to: averages, preferences, agreement, and how metrics compare with them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from mteval.analysis.people.agreement import Level, alpha_of
from mteval.analysis.people.judgements import ASPECTS, score_matrix, standardised
from mteval.analysis.scoring import Scored
from mteval.analysis.work import Work
from mteval.annotations import Campaign
from mteval.annotations.campaigns import Texts
from mteval.base.arrays import FloatArray
from mteval.stats.resampling.bootstrap import replicate_scores
from mteval.stats.resampling.streams import seeds_for, sum_by_unit
from mteval.values.settings import Settings

MEANS = ("aspect", "what", "n_segments", "n_units", "mean", "low", "high")
AGREEMENT = ("aspect", "n_annotators", "n_units", "alpha_raw", "alpha_standardised")
CORRELATIONS = ("aspect", "metric", "n_segments", "human_difference", "metric_difference", "pearson", "kendall")
PAIRS = ("aspect", "metric", "segment", "human", "improvement")
DIFFERENCE = "difference"
FEWEST = 3  # segments that a correlation is given for


@dataclass(frozen=True)
class Preferences:
    """Votes on two outputs, and what they say about segments or documents, the units.

    Parameters
    ----------
    first, second, equal
        Number of votes.
    units_first, units_second
        Units with more votes for one than for the other.
    share
        Of the units that have a winner, those that the second wins; NaN where none has.
    low, high
        Wilson interval of the share.
    p_value
        Exact two-sided sign test over these segments.
    """

    first: int
    second: int
    equal: int
    units_first: int
    units_second: int
    share: float
    low: float
    high: float
    p_value: float


def units_of(campaign: Campaign, settings: Settings) -> Texts | None:
    """The document of each segment, where these are the units of intervals and tests; None where segments are."""
    return None if settings.exchange_unit == "segment" else campaign.documents


def mean_frame(
    campaign: Campaign, judged: pd.DataFrame, pair: tuple[int, int] | None, settings: Settings, work: Work
) -> pd.DataFrame:
    """Mean score a segment of each output, and the difference of a pair, with bootstrap intervals.

    The intervals say what another choice of documents would bring, or of segments where there are none, these
    annotators taken as given.
    """
    documents = units_of(campaign, settings)
    units = np.array(documents or range(len(campaign.references)))
    rows = []
    for aspect in ASPECTS[campaign.way]:
        matrix = score_matrix(campaign, judged, aspect)
        named = [(output.system, row) for output, row in zip(campaign.outputs, matrix, strict=True)]
        if pair is not None:
            named.append((DIFFERENCE, matrix[pair[1]] - matrix[pair[0]]))
        for what, values in named:
            is_judged = ~np.isnan(values)
            rows.append((aspect, what, *_mean(values[is_judged], units[is_judged], settings, work)))
    return pd.DataFrame(rows, columns=list(MEANS))


def _mean(
    values: FloatArray, units: npt.NDArray[Any], settings: Settings, work: Work
) -> tuple[int, int, float, float, float]:
    """Number of values and of units that they are from, their mean and its percentile interval."""
    if not len(values):
        return 0, 0, np.nan, np.nan, np.nan
    statistics = sum_by_unit(np.column_stack([values, np.ones(len(values))])[np.newaxis], units)
    n_units = statistics.shape[1]
    replicates = replicate_scores(
        statistics,
        lambda sums: np.asarray(sums[..., 0] / sums[..., 1]),
        n_resamples=settings.n_bootstrap,
        seeds=seeds_for(settings.seed, "bootstrap"),
        map_chunks=work.engine.map,
    )
    tail = (1 - settings.confidence) / 2
    low, high = np.quantile(replicates[0], [tail, 1 - tail]) if n_units > 1 else (np.nan, np.nan)
    return len(values), n_units, float(values.mean()), float(low), float(high)


def preferences(judged: pd.DataFrame, confidence: float, documents: Texts | None = None) -> Preferences:
    """Count votes, then units: annotators of one segment, and segments of one document, are no independent witnesses.

    Parameters
    ----------
    documents
        The document of each segment, where documents are the units.
    """
    from scipy.stats import binomtest  # here, because it takes most of a second to import

    votes = judged[judged["output"] == 1]
    unit = votes["segment"] if documents is None else votes["segment"].map(documents.__getitem__)
    net = (votes["value"] - 0.5).groupby(unit).sum()
    wins, losses = int((net > 0).sum()), int((net < 0).sum())
    share = low = high = np.nan
    p_value = 1.0
    if wins + losses:
        test = binomtest(wins, wins + losses)
        interval = test.proportion_ci(confidence, method="wilson")
        share, low, high, p_value = wins / (wins + losses), interval.low, interval.high, float(test.pvalue)
    count = {value: int((votes["value"] == value).sum()) for value in (0.0, 0.5, 1.0)}
    return Preferences(count[0.0], count[1.0], count[0.5], losses, wins, share, low, high, p_value)


def agreement_frame(campaign: Campaign, raw: pd.DataFrame) -> pd.DataFrame:
    """Krippendorff's alpha of every aspect over what at least two annotators judged; NaN where nothing varies.

    Parameters
    ----------
    raw
        Judgements as they were given; preferences are not standardised.
    """
    rows = []
    for aspect in ASPECTS[campaign.way]:
        chosen = raw[raw["aspect"] == aspect]
        level: Level = "ordinal" if aspect == "preference" else "interval"
        if aspect == "preference":
            chosen = chosen[chosen["output"] == 1]  # the other output has the complement
        shared = _shared(chosen)
        n_annotators = int(shared.notna().any(axis=1).sum())
        ours = np.nan if aspect == "preference" else alpha_of(_shared(standardised(chosen, "aspect")).to_numpy(float))
        rows.append((aspect, n_annotators, shared.shape[1], alpha_of(shared.to_numpy(float), level), ours))
    return pd.DataFrame(rows, columns=list(AGREEMENT))


def _shared(judged: pd.DataFrame) -> pd.DataFrame:
    """What several annotators judged, one row each."""
    table = judged.pivot_table(index="annotator", columns=["segment", "output"], values="value")
    return table.loc[:, table.notna().sum() > 1]


def metric_pairs(
    campaign: Campaign, judged: pd.DataFrame, scored_metrics: Sequence[Scored], pair: tuple[int, int]
) -> pd.DataFrame:
    """For every judged segment the difference that people saw and the improvement that each metric saw.

    Both are positive where the second output of the pair is better. Metrics are read on the test set that has both
    outputs; others are left out.
    """
    frames = []
    for aspect in ASPECTS[campaign.way]:
        matrix = score_matrix(campaign, judged, aspect)
        human = matrix[pair[1]] - matrix[pair[0]]
        segments = np.flatnonzero(~np.isnan(human))
        for scored in scored_metrics:
            improvement = _improvement(campaign, scored, pair)
            if improvement is not None:
                values = {"segment": segments, "human": human[segments], "improvement": improvement[segments]}
                frames.append(pd.DataFrame({"aspect": aspect, "metric": scored.metric.key, **values}))
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=list(PAIRS))


def _improvement(campaign: Campaign, scored: Scored, pair: tuple[int, int]) -> FloatArray | None:
    scores = [_segment_scores(scored, campaign.outputs[output].digest) for output in pair]
    if scores[0] is None or scores[1] is None:
        return None
    return (scores[1] - scores[0]) * (1.0 if scored.metric.higher_is_better else -1.0)


def _segment_scores(scored: Scored, digest: str) -> FloatArray | None:
    """Scores of the first run with this content; None where the test set has none."""
    for system in scored.statistics:
        for index, run in enumerate(scored.test_set.runs_of(system)):
            if run.digest == digest:
                return scored.scorer.segment_score(scored.statistics[system][index])
    return None


def correlation_frame(pairs: pd.DataFrame) -> pd.DataFrame:
    """Mean differences side by side, and their correlation over segments; NaN where nothing varies."""
    from scipy.stats import kendalltau, pearsonr

    rows = []
    for (aspect, metric), both in pairs.dropna().groupby(["aspect", "metric"], sort=False):
        human, improvement = both["human"].to_numpy(float), both["improvement"].to_numpy(float)
        varies = len(both) >= FEWEST and np.ptp(human) > 0 and np.ptp(improvement) > 0
        pearson = float(pearsonr(human, improvement).statistic) if varies else np.nan
        kendall = float(kendalltau(human, improvement).statistic) if varies else np.nan
        rows.append((aspect, metric, len(both), human.mean(), improvement.mean(), pearson, kendall))
    return pd.DataFrame(rows, columns=list(CORRELATIONS))
