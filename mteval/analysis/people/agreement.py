"""How often metrics agree with people: by significance tests (Graham et al. 2014) and by the size of a difference.

A test concludes that the first system is better, that the second is, or that neither is. It is correct if people
conclude the same (their Tables 1 and 2).

The share of people who agree with a difference of some size comes from the curves of Kocmi et al. (2024), fitted to
judged system pairs (the ToShip23 collection) and shipped with the optional package mt-thresholds. It considers neither
the test set at hand nor luck.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from mteval.analysis.comparison import Question
from mteval.analysis.pairs import all_pairs, direction
from mteval.analysis.people.gold import Gold, Pair, both_ways
from mteval.analysis.scoring import Progress, Scored, Work
from mteval.base.errors import DataError, MissingDependencyError
from mteval.base.words import counted
from mteval.metrics.base import Metric
from mteval.metrics.imported import Imported
from mteval.stats.agreement import clopper_pearson, mcnemar
from mteval.stats.procedures.bootstrap import BOOTSTRAP_SHIFT, PAIRED_BOOTSTRAP
from mteval.stats.procedures.randomization import AR_SEGMENT
from mteval.values.settings import Settings

CLAIMS = ("metric", "procedure", "unit", "side", "better", "worse", "improvement", "p_value", "note")
TEST = ["metric", "procedure", "unit", "side"]  # columns that identify a test
ACCURACY = (
    "level", *TEST, "n_pairs", "n_people", "correct", "accuracy", "low", "high", "missed", "unfounded", "reversed",
    "note",
)  # fmt: skip
_TESTS = (f"{name}_{end}" for end in ("one", "other") for name in TEST)
AGAINST = ("level", *_TESTS, "only_one", "only_other", "p_value")
ONE_SIDED, TWO_SIDED = "one-sided", "two-sided"
SIDES: Mapping[str, tuple[str, ...]] = {"one": (ONE_SIDED,), "two": (TWO_SIDED,), "both": (ONE_SIDED, TWO_SIDED)}
LEVELS = (0.05, 0.01, 0.001)  # as in the paper
PAPER = tuple(spec.key for spec in (PAIRED_BOOTSTRAP, BOOTSTRAP_SHIFT, AR_SEGMENT))  # the paper's tests


def claims_frame(
    scored: Sequence[Scored], asked: Sequence[Question], settings: Settings, work: Work, sides: Sequence[str]
) -> pd.DataFrame:
    """Test all pairs of systems by every metric and test, one row per pair, the better by the metric first.

    One-sided tests ask whether the better system is better; tests without a one-sided form are run two-sided only.

    Raises
    ------
    CancelledError
        If the work was cancelled.
    """
    cases = [(one, question, side) for one in scored for question in asked for side in sides]
    frames = []
    for index, (one, question, side) in enumerate(cases):
        work.report(Progress(f"{one.metric.name} by {question.procedure}", index, len(cases)))
        if side == ONE_SIDED and direction(one, question.procedure) == "two-sided":
            continue
        pairs = all_pairs(one, question, "none", settings, work, "two-sided" if side == TWO_SIDED else None)
        named = {"metric": one.metric.key, "procedure": question.procedure, "unit": question.unit, "side": side}
        frames.append(pairs.assign(**named)[list(CLAIMS)])
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=list(CLAIMS))


def accuracy_frame(claims: pd.DataFrame, gold: Gold, levels: Sequence[float], confidence: float) -> pd.DataFrame:
    """Return how often each test concludes what people do, one row per level and test, with an exact interval.

    ``missed``: people see a difference and the test does not. ``unfounded``: the test sees one and people do not.
    ``reversed``: they prefer different systems. Pairs without an answer are skipped.

    Raises
    ------
    DataError
        If no pair of systems was both judged and scored.
    """
    rows = []
    for level in levels:
        people = both_ways(gold.conclusions(level))
        for test, part in claims.groupby(TEST, sort=False):
            ours, theirs = np.array([*_concluded(part, people, level).values()], dtype=int).reshape(-1, 2).T
            n, correct = len(ours), int((ours == theirs).sum())
            missed, unfounded = (ours == 0) & (theirs != 0), (ours != 0) & (theirs == 0)
            counts = (int(one.sum()) for one in (missed, unfounded, ours * theirs < 0))
            interval = clopper_pearson(correct, n, confidence)
            unanswered = part.loc[part["p_value"].isna(), "note"].astype(str)
            told_apart, share = int((theirs != 0).sum()), correct / n if n else float("nan")
            rows.append((level, *test, n, told_apart, correct, share, *interval, *counts, next(iter(unanswered), "")))
    if not any(row[5] for row in rows):
        known = ", ".join(sorted({*gold.first["one"], *gold.first["other"]}))
        raise DataError(f"No pair of systems was both judged and tested. Judged: {known}. Give systems the same names.")
    return pd.DataFrame(rows, columns=list(ACCURACY))


def counts_frame(counts: pd.DataFrame, confidence: float) -> pd.DataFrame:
    """Add shares and exact intervals to published counts of correct conclusions.

    Parameters
    ----------
    counts
        With columns ``correct`` and ``n_pairs``; others are kept.

    Raises
    ------
    DataError
        If a count is negative or exceeds its pairs.
    """
    for row in counts.to_dict("records"):
        if not 0 <= row["correct"] <= row["n_pairs"] or row["n_pairs"] < 1:
            found = f"{row['correct']} correct conclusions from {counted(row['n_pairs'], 'pair')}"
            raise DataError(f"{found}: give a number from 0 to the number of pairs.")
    pairs = zip(counts["correct"], counts["n_pairs"], strict=True)
    low, high = zip(*(clopper_pearson(int(right), int(n), confidence) for right, n in pairs), strict=True)
    return counts.assign(accuracy=counts["correct"] / counts["n_pairs"], low=low, high=high)


def against_frame(claims: pd.DataFrame, gold: Gold, level: float) -> pd.DataFrame:
    """Compare tests on the same pairs (McNemar): tests of one metric, and one test by different metrics."""
    people, right = both_ways(gold.conclusions(level)), {}
    for test, part in claims.groupby(TEST, sort=False):
        concluded = _concluded(part, people, level)
        right[test] = {tuple(sorted(pair)): ours == theirs for pair, (ours, theirs) in concluded.items()}
    rows = []
    for (one, first), (other, second) in combinations(right.items(), 2):
        pairs = sorted(first.keys() & second.keys())
        if pairs and (one[0] == other[0] or one[1:] == other[1:]):
            arrays = (np.array([found[pair] for pair in pairs]) for found in (first, second))
            rows.append((level, *one, *other, *mcnemar(*arrays)))
    return pd.DataFrame(rows, columns=list(AGAINST))


def _concluded(part: pd.DataFrame, people: Mapping[Pair, int], level: float) -> dict[Pair, tuple[int, int]]:
    """Return the conclusions of a test and of people for each answered pair that people judged.

    1 if the first is better, 0 without a significant difference, -1 if the second is better.
    """
    answered = part.dropna(subset="p_value")
    pairs = zip(zip(answered["better"], answered["worse"], strict=True), answered["p_value"], strict=True)
    return {pair: (int(p <= level), people[pair]) for pair, p in pairs if pair in people}


NO_INFORMATION = 0.5
_BLEU_BY_TOKENIZER = {"tok:13a": "bleu", "tok:flores101": "spbleu101", "tok:flores200": "spbleu200"}
_LARGEST_SHARE = 10.0  # smaller scores are on a 0-1 scale like COMET's; curves use 0-100
# Names of imported scores, letters and digits only, without maker, reference and release.
_BESIDE = re.compile(r"^(unbabel|google)|(ref[a-z]?|v2p[0-9])$")
_GIVEN = (
    (r"metricx(23)?qe(large)?(src)?", "metricx-23-qe-large"),
    (r"metricx(23)?(large)?", "metricx-23-large"),
    (r"xcomet(xxl)?", "xcometxxl"),
    (r"xcometxl", "xcometxl"),
    (r"(wmt23)?cometkiwi(23)?(da)?xxl(src)?", "cometkiwixxl"),
    (r"(wmt23)?cometkiwi(23)?(da)?xl(src)?", "cometkiwi23-xl-src"),
    (r"(wmt22)?cometkiwi(22)?(da)?(src)?", "cometkiwi22"),
    (r"wmt20comet(da)?|comet20(da)?", "comet20"),
    (r"(wmt22)?comet(22)?(da)?", "comet22"),
    (r"bleurtdefault", "bleurt-default"),
    (r"bleurt(20)?", "bleurt20"),
    (r"bertscore(f1)?", "bertscore"),
)
_POINTS = ("metricx-23-large", "metricx-23-qe-large")  # curves on unscaled scores


@dataclass(frozen=True)
class Fit:
    """The curve of mt-thresholds for a metric.

    Parameters
    ----------
    name
        The curve's name in the package.
    factor
        From the metric's points to those of the curve.
    """

    name: str
    factor: float = 1.0


def fit_of(metric: Metric) -> Fit | None:
    """Return the curve for a metric with exactly these options, or for imported scores of such a name.

    None if no curve fits. Names of imported scores without a version mean the usual one, COMET-22 for COMET. Names with
    unknown parts, e.g. of ensembles or other sizes, have no curve. Neither do segment scores called BLEU or chrF: their
    mean is not a corpus score.
    """
    if isinstance(metric, Imported):
        plain = _BESIDE.sub("", re.sub(r"[^a-z0-9]", "", metric.given.name.lower()))
        name = next((name for pattern, name in _GIVEN if re.fullmatch(pattern, plain)), None)
        is_unscaled = name in _POINTS or metric.given.largest > _LARGEST_SHARE
        return None if name is None else Fit(name, 1.0 if is_unscaled else 100.0)
    parts = set(metric.signature().split("|"))
    if metric.key == "bleu" and {"case:mixed", "smooth:exp", "eff:no"} <= parts:
        return next((Fit(name) for part, name in _BLEU_BY_TOKENIZER.items() if part in parts), None)
    return Fit("chrf") if metric.key == "chrf" and {"case:mixed", "nc:6", "nw:0", "space:no"} <= parts else None


def human_agreement(metric: Metric, difference: float) -> float | None:
    """Return the share of system pairs with this difference in which people preferred the better-scored system.

    Returns
    -------
    Between 0 and 1; at or below ``NO_INFORMATION``, the difference is no better than a coin flip. None for an unknown
    metric or an undefined difference.

    Raises
    ------
    MissingDependencyError
        If the package is not installed.
    """
    fit = fit_of(metric)
    if fit is None or not math.isfinite(difference):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its source has an invalid escape sequence
            import mt_thresholds
    except ImportError as error:
        need = "Expected agreement with people needs the package mt-thresholds: pip install mt-thresholds."
        raise MissingDependencyError(need) from error
    return float(mt_thresholds.accuracy(abs(difference) * fit.factor, fit.name)) / 100


def shares_frame(claims: pd.DataFrame, gold: Gold, scored: Sequence[Scored]) -> pd.DataFrame:
    """Compare the share of people expected to agree with each metric's differences to the observed share.

    ``curve`` is the curve's name in mt-thresholds. ``expected`` is the mean over pairs of the share of people who
    prefer the better-scored system. ``observed`` is the share of pairs whose better-scored system also has the higher
    mean judgement. Metrics without a curve are skipped.

    Raises
    ------
    MissingDependencyError
        If the package is not installed.
    """
    sides = {(one, other) for one, other in zip(gold.first["one"], gold.first["other"], strict=True)}
    metrics = {one.metric.key: one.metric for one in scored}
    rows = []
    for key, part in claims.groupby("metric", sort=False):
        judged = [
            (human_agreement(metrics[str(key)], row["improvement"]), (row["better"], row["worse"]) in sides)
            for row in part.drop_duplicates(["better", "worse"]).to_dict("records")
            if {(row["better"], row["worse"]), (row["worse"], row["better"])} & sides
        ]
        known = [(share, agrees) for share, agrees in judged if share is not None]
        fit = fit_of(metrics[str(key)])
        if known and fit is not None:
            expected, observed = np.mean(np.array(known, dtype=float), axis=0)
            rows.append((key, fit.name, len(known), expected, observed))
    return pd.DataFrame(rows, columns=["metric", "curve", "n_pairs", "expected", "observed"])
