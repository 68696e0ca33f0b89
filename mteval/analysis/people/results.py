"""The results of a campaign: means, preferences, agreement, and comparison with metrics.

Also the annotators' answers on control items, and their changes to errors prefilled by a metric.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from mteval.analysis.comparison import how_of
from mteval.analysis.people.judgements import ASPECTS, MARKED, RATED, score_matrix, standardised
from mteval.analysis.people.raters import Level, alpha_of
from mteval.analysis.scoring import Scored
from mteval.analysis.work import Work, ratio_intervals
from mteval.annotations import Campaign, Control, Mark, Task, word_spans
from mteval.annotations.campaigns import CONTROLS, Texts
from mteval.base.arrays import FloatArray, StatArray
from mteval.stats.procedures.randomization import AR_SEGMENT, ar_segment
from mteval.stats.resampling.streams import sum_by_unit
from mteval.values.settings import Settings

CONTROL_COLUMNS = ("annotator", "kind", "n_items", "n_done", "n_passed")
PREFILLED = ("annotator", "origin", "n_found", "n_kept", "n_changed", "n_rejected", "n_added")


def is_passed(campaign: Campaign, task: Task, own: Sequence[Task]) -> bool | None:
    """Return whether an annotator gave the known answer to a control item; None if that cannot be determined yet.

    A training item needs a score in the known range; a check needs a lower score than the same output without its
    defect. Marked errors must be found. Of two outputs, the one without the defect must be preferred.

    Parameters
    ----------
    own
        All tasks of the same annotator.
    """
    if task.control is None or not task.is_complete:
        return None
    if campaign.way == "preference":
        return task.preference == "first"
    control = campaign.controls[task.control]
    answers: list[bool | None] = [_is_found(control, task.marks)] if campaign.way in MARKED else []
    if campaign.way in RATED:
        if control.kind == "check":
            answers.append(_is_rated_lower(campaign, task, own))
        else:
            rating = _rating(task)
            answers.append(rating is None or control.low <= rating <= control.high)
    if False in answers:
        return False
    return None if None in answers else True


def _is_found(control: Control, marks: Sequence[Mark]) -> bool:
    """Return whether the known error is marked at its place, with its severity and category.

    At least half of the words that are wrong or in overlapping marks must be both. The share of other words marked may
    be at most half the share of wrong words marked. So marking everything does not pass, but a word too many or too few
    does.
    """
    if not control.has_error:
        return not marks
    words = word_spans(control.hypothesis)
    wrong = _within(words, [(control.start, control.end)])
    known = {"severity": control.severity, "category": control.category}  # empty if any will do
    spans = [
        (mark.start, mark.end)
        for mark in marks
        if mark.side == "hypothesis" and all(one in ("", getattr(mark, name)) for name, one in known.items())
    ]
    held = _within(words, [span for span in spans if wrong & _within(words, [span])])
    n_found, n_others = len(wrong & held), len(_within(words, spans) - wrong)
    stands_out = n_found * (len(words) - len(wrong)) >= 2 * n_others * len(wrong)
    return bool(held) and 2 * n_found >= len(wrong | held) and stands_out


def _within(words: Sequence[tuple[int, int]], spans: Iterable[tuple[int, int]]) -> set[int]:
    """Return the indices of words that overlap with a span."""
    return {n for start, end in spans for n, word in enumerate(words) if word[0] < end and word[1] > start}


def _is_rated_lower(campaign: Campaign, task: Task, own: Sequence[Task]) -> bool | None:
    """Return whether the defective output is rated lower than the intact one.

    None without both ratings, or if the intact one is rated 0.
    """
    place = (task.segment, task.output)
    intact = next((one for one in own if one.control is None and (one.segment, one.output) == place), None)
    ratings = _rating(task), None if intact is None or not intact.is_complete else _rating(intact)
    if ratings[0] is None or not ratings[1]:
        return None
    return ratings[0] < ratings[1]


def _rating(task: Task) -> float | None:
    """Return a task's numeric rating."""
    return task.adequacy if task.score is None else task.score


def controls_frame(campaign: Campaign, tasks: Sequence[Task]) -> pd.DataFrame:
    """Return one row per annotator and kind of control item: given, answered and passed items."""
    rows = []
    for annotator in _annotators(tasks):
        own = [task for task in tasks if task.annotator == annotator]
        for kind in CONTROLS:
            given = [task for task in own if task.stratum == kind]
            answers = [is_passed(campaign, task, own) for task in given]
            known = [answer for answer in answers if answer is not None]
            if given:
                rows.append((annotator, kind, len(given), len(known), sum(known)))
    return pd.DataFrame(rows, columns=list(CONTROL_COLUMNS))


def prefilled_frame(tasks: Sequence[Task]) -> pd.DataFrame:
    """Return one row per annotator and metric: what became of the prefilled errors in finished outputs."""
    rows = []
    done = [task for task in tasks if task.is_complete and task.control is None]
    metrics = sorted({mark.origin for task in tasks for mark in (*task.marks, *task.rejected) if mark.origin})
    for annotator in _annotators(done):
        own = [task for task in done if task.annotator == annotator]
        added = sum(not mark.origin for task in own for mark in task.marks)
        for metric in metrics:
            stand = [mark for task in own for mark in task.marks if mark.origin == metric]
            rejected = sum(mark.origin == metric for task in own for mark in task.rejected)
            changed = sum(mark.severity != mark.suggested for mark in stand)
            counts = (len(stand) + rejected, len(stand) - changed, changed, rejected, added)
            rows.append((annotator, metric, *counts))
    return pd.DataFrame(rows, columns=list(PREFILLED))


def _annotators(tasks: Iterable[Task]) -> list[str]:
    return list(dict.fromkeys(task.annotator for task in tasks))


MEANS = ("aspect", "what", "n_segments", "n_units", "mean", "low", "high")
AGREEMENT = ("aspect", "n_annotators", "n_units", "alpha_raw", "alpha_standardised")
CORRELATIONS = ("aspect", "metric", "n_segments", "human_difference", "metric_difference", "pearson", "kendall")
PAIRS = ("aspect", "metric", "segment", "human", "improvement")
DIFFERENCE = "difference"
FEWEST = 3  # segments for a correlation


@dataclass(frozen=True)
class Preferences:
    """Votes on two outputs, counted by unit (segment or document).

    Parameters
    ----------
    first, second, equal
        Number of votes.
    units_first, units_second
        Units with more votes for one output than for the other.
    share
        Share of units won by the second output, among units with a winner; NaN without any.
    low, high
        Wilson interval of the share.
    p_value
        Exact two-sided sign test over the units.
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
    """Return the document of each segment if documents are the units, otherwise None."""
    return None if settings.exchange_unit == "segment" else campaign.documents


def mean_frame(
    campaign: Campaign, judged: pd.DataFrame, pair: tuple[int, int] | None, settings: Settings, work: Work
) -> pd.DataFrame:
    """Return the mean segment score of each output and the difference of a pair, with intervals.

    Intervals are over documents, or segments without documents, these annotators taken as given: Student's t for means,
    and for the difference the test that exchanges units, as in the answer about test-set luck.
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
            if not is_judged.any():
                rows.append((aspect, what, 0, 0, np.nan, np.nan, np.nan))
                continue
            known = values[is_judged]
            ones = np.ones(len(known))
            sums = sum_by_unit(np.column_stack([known, ones])[np.newaxis], units[is_judged])
            if what == DIFFERENCE:
                level = np.stack([0 * sums[..., 0], sums[..., 1]], axis=-1)  # no difference in any unit
                tested = ar_segment(level, sums, _ratio, how_of(AR_SEGMENT, settings, work, "two-sided"))
                interval = tested.low, tested.high
            else:
                (interval,) = ratio_intervals(sums, settings.confidence)
            rows.append((aspect, what, len(known), sums.shape[1], float(known.mean()), *interval))
    return pd.DataFrame(rows, columns=list(MEANS))


def _ratio(totals: StatArray) -> FloatArray:
    return np.asarray(totals[..., 0] / totals[..., 1])


def preferences(judged: pd.DataFrame, confidence: float, documents: Texts | None = None) -> Preferences:
    """Count votes, then units: votes on one segment, or on segments of one document, are not independent.

    Parameters
    ----------
    documents
        The document of each segment, if documents are the units.
    """
    from scipy.stats import binomtest  # here: importing it takes most of a second

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
    """Return Krippendorff's alpha per aspect over items with at least two annotators; NaN if nothing varies.

    Parameters
    ----------
    raw
        Raw judgements; preferences are not standardised.
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
    """Return items judged by several annotators, one row per annotator."""
    table = judged.pivot_table(index="annotator", columns=["segment", "output"], values="value")
    return table.loc[:, table.notna().sum() > 1]


def metric_pairs(
    campaign: Campaign, judged: pd.DataFrame, scored_metrics: Sequence[Scored], pair: tuple[int, int]
) -> pd.DataFrame:
    """Return, for every judged segment, the difference seen by people and the improvement seen by each metric.

    Both are positive if the second output of the pair is better. Metrics without both outputs are skipped.
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
    """Return the improvement per segment, from the first run with each output's content; None if one is missing."""
    found: dict[str, StatArray] = {}
    for system, statistics in scored.statistics.items():
        for run, of_run in zip(scored.test_set.runs_of(system), statistics, strict=True):
            found.setdefault(run.digest, of_run)
    digests = [campaign.outputs[output].digest for output in pair]
    if not found.keys() >= set(digests):
        return None
    first, second = (scored.scorer.segment_score(found[digest]) for digest in digests)
    return (second - first) * (1.0 if scored.metric.higher_is_better else -1.0)


def correlation_frame(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return both mean differences and their correlation over segments; NaN if nothing varies."""
    from scipy.stats import kendalltau, pearsonr

    rows = []
    for (aspect, metric), both in pairs.dropna().groupby(["aspect", "metric"], sort=False):
        human, improvement = both["human"].to_numpy(float), both["improvement"].to_numpy(float)
        varies = len(both) >= FEWEST and np.ptp(human) > 0 and np.ptp(improvement) > 0
        pearson = float(pearsonr(human, improvement).statistic) if varies else np.nan
        kendall = float(kendalltau(human, improvement).statistic) if varies else np.nan
        rows.append((aspect, metric, len(both), human.mean(), improvement.mean(), pearson, kendall))
    return pd.DataFrame(rows, columns=list(CORRELATIONS))
