"""How often metrics conclude what people do, by tests (Graham et al. 2014) and by the size of a difference alone.

A conclusion about a pair of systems is that the first is better, that the second is, or that they are not told apart;
it is right where people conclude the same (their Tables 1 and 2).

What share of people agree with a difference of some size is read from the fit of Kocmi et al. (2024) to system pairs
that people judged (the ToShip23 collection). It ships with the optional package mt-thresholds, and speaks neither of
the test set at hand nor of luck.
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
from mteval.analysis.scoring import Scored
from mteval.analysis.work import Progress, Work
from mteval.base.errors import DataError, MissingDependencyError
from mteval.base.words import counted_part
from mteval.metrics.base import Metric
from mteval.metrics.imported import Imported
from mteval.stats.agreement import clopper_pearson, mcnemar
from mteval.stats.procedures.bootstrap import BOOTSTRAP_SHIFT, PAIRED_BOOTSTRAP
from mteval.stats.procedures.randomization import AR_SEGMENT
from mteval.values.given import GivenMetric
from mteval.values.settings import Settings

CLAIMS = ("metric", "procedure", "unit", "side", "better", "worse", "improvement", "p_value", "note")
TEST = ["metric", "procedure", "unit", "side"]  # what a row of the table is about
ACCURACY = (
    "level", *TEST, "n_pairs", "n_people", "correct", "accuracy", "low", "high", "missed", "unfounded", "reversed",
    "note",
)  # fmt: skip
_TESTS = (f"{name}_{end}" for end in ("one", "other") for name in TEST)
AGAINST = ("level", *_TESTS, "only_one", "only_other", "p_value")
ONE_SIDED, TWO_SIDED = "one-sided", "two-sided"
SIDES: Mapping[str, tuple[str, ...]] = {"one": (ONE_SIDED,), "two": (TWO_SIDED,), "both": (ONE_SIDED, TWO_SIDED)}
LEVELS = (0.05, 0.01, 0.001)  # the paper's
PAPER = tuple(spec.key for spec in (PAIRED_BOOTSTRAP, BOOTSTRAP_SHIFT, AR_SEGMENT))  # its tests


def claims_frame(
    scored: Sequence[Scored], asked: Sequence[Question], settings: Settings, work: Work, sides: Sequence[str]
) -> pd.DataFrame:
    """All pairs of systems by every metric and test, one row a pair, the better by the metric first.

    One-sided tests ask whether the better is better; a test without a one-sided form is asked two-sidedly alone.

    Raises
    ------
    CancelledError
        When the work was told to stop.
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
    """One row a level and test: how many of its conclusions people share, with an exact interval.

    ``missed``: people tell the systems apart and the test does not; ``unfounded``: the other way round; ``reversed``:
    each prefers another system. Pairs that the test cannot answer take no part.

    Raises
    ------
    DataError
        Where no pair of systems was both judged and scored.
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
        judged_systems = ", ".join(sorted(set(gold.first["one"]) | set(gold.first["other"])))
        raise DataError(
            f"No pair of systems was both judged and tested; judged were {judged_systems}. Give systems the same names."
        )
    return pd.DataFrame(rows, columns=list(ACCURACY))


def counts_frame(counts: pd.DataFrame, confidence: float) -> pd.DataFrame:
    """Published counts of right conclusions with their shares and exact intervals.

    Parameters
    ----------
    counts
        With columns ``correct`` and ``n_pairs`` among any others, which are kept.

    Raises
    ------
    DataError
        Where a count is not among its pairs.
    """
    for row in counts.to_dict("records"):
        if not 0 <= row["correct"] <= row["n_pairs"] or row["n_pairs"] < 1:
            raise DataError(
                f"Right are {counted_part(row['correct'], row['n_pairs'], 'conclusion')}; expected a part of the pairs."
            )
    pairs = zip(counts["correct"], counts["n_pairs"], strict=True)
    low, high = zip(*(clopper_pearson(int(right), int(n), confidence) for right, n in pairs), strict=True)
    return counts.assign(accuracy=counts["correct"] / counts["n_pairs"], low=low, high=high)


def against_frame(claims: pd.DataFrame, gold: Gold, level: float) -> pd.DataFrame:
    """Tests against each other on the same pairs (McNemar): those of one metric, and one test by different metrics."""
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
    """What a test and people conclude of each answered pair that people judged.

    1 where the better is said to be better, 0 where the two are not told apart, -1 where the other is.
    """
    answered = part.dropna(subset="p_value")
    pairs = zip(zip(answered["better"], answered["worse"], strict=True), answered["p_value"], strict=True)
    return {pair: (int(p <= level), people[pair]) for pair, p in pairs if pair in people}


NO_INFORMATION = 0.5
_BLEU_BY_TOKENIZER = {"tok:13a": "bleu", "tok:flores101": "spbleu101", "tok:flores200": "spbleu200"}
_CHRF = {"nc:6", "nw:0", "space:no"}
_LARGEST_SHARE = 10.0  # scores up to here are on a scale of 1, as COMET's, and the fits are on one of 100
# All that the name of given scores may be, letters and digits alone, without its maker, its reference and its release.
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
_POINTS = ("metricx-23-large", "metricx-23-qe-large")  # fitted on scores as they are


@dataclass(frozen=True)
class Fit:
    """The curve of the package that a metric is read by.

    Parameters
    ----------
    name
        The package's name.
    factor
        From the metric's points to those of the fit.
    """

    name: str
    factor: float = 1.0


def fit_of(metric: Metric) -> Fit | None:
    """The curve for a metric with exactly these options, or for given scores of such a name; None without one.

    Where the name of given scores says no version, the usual one is taken, COMET-22 for COMET; a name that says more
    than is known, as of an ensemble or another size, has none. Scores of segments that are called BLEU or chrF have
    none either: their mean is no corpus score.
    """
    if isinstance(metric, Imported):
        return _given_fit(metric.given)
    parts = set(metric.signature().split("|"))
    if metric.key == "bleu" and {"case:mixed", "smooth:exp", "eff:no"} <= parts:
        return next((Fit(name) for part, name in _BLEU_BY_TOKENIZER.items() if part in parts), None)
    return Fit("chrf") if metric.key == "chrf" and {"case:mixed", *_CHRF} <= parts else None


def _given_fit(given: GivenMetric) -> Fit | None:
    plain = _BESIDE.sub("", re.sub(r"[^a-z0-9]", "", given.name.lower()))
    name = next((name for pattern, name in _GIVEN if re.fullmatch(pattern, plain)), None)
    if name is None:
        return None
    return Fit(name, 1.0 if name in _POINTS or given.largest > _LARGEST_SHARE else 100.0)


def human_agreement(metric: Metric, difference: float) -> float | None:
    """Share of system pairs with such a difference in which people preferred the system with the better score.

    Returns
    -------
    Between 0 and 1; at or below ``NO_INFORMATION`` the difference tells no more than a coin. None where the package
    does not know the metric, or the difference is undefined.

    Raises
    ------
    MissingDependencyError
        Where the package is not installed.
    """
    fit = fit_of(metric)
    if fit is None or not math.isfinite(difference):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its source has an escape that Python warns of when it is compiled
            import mt_thresholds
    except ImportError as error:
        raise MissingDependencyError(
            "What a difference means to people needs the package mt-thresholds: pip install mt-thresholds."
        ) from error
    return float(mt_thresholds.accuracy(abs(difference) * fit.factor, fit.name)) / 100


SHARES = ("metric", "curve", "n_pairs", "expected", "observed")


def shares_frame(claims: pd.DataFrame, gold: Gold, scored: Sequence[Scored]) -> pd.DataFrame:
    """For each metric that mt-thresholds knows: by the size of its differences, and by the judgements at hand.

    ``curve`` is what mt-thresholds calls the metric that it is of, ``expected`` the mean over pairs of the share of
    people who prefer the better system at such a difference, ``observed`` the share of pairs whose better system
    also has the higher mean judgement.

    Raises
    ------
    MissingDependencyError
        Where the package is not installed.
    """
    sides = {(one, other) for one, other in zip(gold.first["one"], gold.first["other"], strict=True)}
    metrics = {one.metric.key: one.metric for one in scored}
    rows = []
    for key, part in claims.groupby("metric", sort=False):
        pairs = part.drop_duplicates(["better", "worse"])
        judged = [
            (human_agreement(metrics[str(key)], row["improvement"]), (row["better"], row["worse"]) in sides)
            for row in pairs.to_dict("records")
            if {(row["better"], row["worse"]), (row["worse"], row["better"])} & sides
        ]
        known = [(share, agrees) for share, agrees in judged if share is not None]
        fit = fit_of(metrics[str(key)])
        if known and fit is not None:
            expected, observed = np.mean(np.array(known, dtype=float), axis=0)
            rows.append((key, fit.name, len(known), expected, observed))
    return pd.DataFrame(rows, columns=list(SHARES))
