"""How often metrics agree with people: by significance tests (Graham et al. 2014) and by the size of a difference.

A test concludes that the first system is better, that the second is, or that neither is. It is correct if people
conclude the same (their Tables 1 and 2).

How often people prefer the better-scored system at a difference of some size is compared with the curves of
``mteval.analysis.noticed``.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations, product

import numpy as np
import pandas as pd

from mteval.analysis.comparison import Question
from mteval.analysis.noticed import curve_of
from mteval.analysis.pairs import all_pairs, direction
from mteval.analysis.people.gold import Gold, Pair, both_ways
from mteval.analysis.scoring import Progress, Scored, Work
from mteval.base.errors import DataError
from mteval.base.words import counted
from mteval.stats.base import Alternative
from mteval.stats.procedures.bootstrap import BOOTSTRAP_SHIFT, PAIRED_BOOTSTRAP
from mteval.stats.procedures.randomization import AR_SEGMENT
from mteval.stats.proportions import chi_square, clopper_pearson, mcnemar
from mteval.values.settings import Settings

CLAIMS = ("metric", "procedure", "unit", "side", "better", "worse", "improvement", "p_value", "note")
TEST = ["metric", "procedure", "unit", "side"]  # columns that identify a test
ACCURACY = (
    "level",
    *TEST,
    "n_pairs",
    "n_people",
    "correct",
    "accuracy",
    "low",
    "high",
    "missed",
    "unfounded",
    "reversed",
    "note",
)
AGAINST = (
    "level",
    "metric_one",
    "procedure_one",
    "unit_one",
    "side_one",
    "metric_other",
    "procedure_other",
    "unit_other",
    "side_other",
    "only_one",
    "only_other",
    "p_value",
)
APART = ("level", "compared", *TEST, "n_accuracies", "chi_square", "df", "p_value")
SHARES = ("metric", "curve", "n_pairs", "expected", "observed")

ONE_SIDED = "one-sided"
TWO_SIDED = "two-sided"
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
    frames = []
    cases = list(product(scored, asked, sides))
    for index, (scores, question, side) in enumerate(cases):
        work.report(Progress(f"{scores.metric.name} by {question.procedure}", index, len(cases)))
        alternative: Alternative | None = None  # the test's own: one-sided if it has such a form
        if side == TWO_SIDED:
            alternative = "two-sided"
        elif direction(scores, question.procedure) == "two-sided":
            continue
        pairs = all_pairs(scores, question, "none", settings, work, alternative)
        pairs = pairs.assign(metric=scores.metric.key, procedure=question.procedure, unit=question.unit, side=side)
        frames.append(pairs[list(CLAIMS)])
    if not frames:
        return pd.DataFrame(columns=list(CLAIMS))
    return pd.concat(frames, ignore_index=True)


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
        people_conclude = both_ways(gold.conclusions(level))
        for test, claims_of_test in claims.groupby(TEST, sort=False):
            conclusions = _conclusions(claims_of_test, people_conclude, level)
            row = {"level": level, **dict(zip(TEST, test, strict=True))}
            row |= _accuracy(list(conclusions.values()), confidence)
            notes = claims_of_test.loc[claims_of_test["p_value"].isna(), "note"].astype(str)
            row["note"] = next(iter(notes), "")
            rows.append(row)
    if not any(row["n_pairs"] for row in rows):
        judged = ", ".join(sorted({*gold.first["one"], *gold.first["other"]}))
        raise DataError(
            f"No pair of systems was both judged and tested. Judged: {judged}. Give systems the same names."
        )
    return pd.DataFrame(rows, columns=list(ACCURACY))


def _accuracy(conclusions: Sequence[tuple[int, int]], confidence: float) -> dict[str, float]:
    """Return how often a test and people conclude the same, and how often in which way they differ."""
    # Axes: the test's and people's conclusion, pairs
    test_concludes, people_conclude = np.array(conclusions, dtype=int).reshape(-1, 2).T
    n_pairs = len(conclusions)
    correct = int((test_concludes == people_conclude).sum())
    accuracy = float("nan")
    if n_pairs > 0:
        accuracy = correct / n_pairs
    low, high = clopper_pearson(correct, n_pairs, confidence)
    return {
        "n_pairs": n_pairs,
        "n_people": int((people_conclude != 0).sum()),
        "correct": correct,
        "accuracy": accuracy,
        "low": low,
        "high": high,
        "missed": int(((test_concludes == 0) & (people_conclude != 0)).sum()),
        "unfounded": int(((test_concludes != 0) & (people_conclude == 0)).sum()),
        "reversed": int((test_concludes * people_conclude < 0).sum()),
    }


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
    intervals = []
    for row in counts.to_dict("records"):
        correct = row["correct"]
        n_pairs = row["n_pairs"]
        if not 0 <= correct <= n_pairs or n_pairs < 1:
            given = f"{correct} correct conclusions from {counted(n_pairs, 'pair')}"
            raise DataError(f"{given}: give a number from 0 to the number of pairs.")
        intervals.append(clopper_pearson(int(correct), int(n_pairs), confidence))
    low, high = zip(*intervals, strict=True)
    return counts.assign(accuracy=counts["correct"] / counts["n_pairs"], low=low, high=high)


def apart_frame(accuracy: pd.DataFrame) -> pd.DataFrame:
    """Test whether accuracies differ by chi-square (Graham et al.).

    Compared are all metrics by one test, and all tests of one metric. Rows have ``compared`` "metrics" or "tests";
    columns that do not tell them apart are empty. Chi-square assumes that each accuracy has pairs of its own. Here they
    share their pairs, on which tests tend to be right together, so it finds too few differences; ``against_frame`` does
    not assume this.

    Parameters
    ----------
    accuracy
        As from ``accuracy_frame``; accuracies without pairs are skipped.
    """
    answered = accuracy[accuracy["n_pairs"] > 0]
    rows = []
    for compared, shared in (("metrics", TEST[1:]), ("tests", TEST[:1])):
        for (level, *values), together in answered.groupby(["level", *shared], sort=False):
            if len(together) < 2:
                continue
            test = dict.fromkeys(TEST, "") | dict(zip(shared, values, strict=True))
            correct = together["correct"].to_numpy(dtype=np.int64)
            n_pairs = together["n_pairs"].to_numpy(dtype=np.int64)
            rows.append((level, compared, *test.values(), len(together), *chi_square(correct, n_pairs)))
    return pd.DataFrame(rows, columns=list(APART))


def against_frame(claims: pd.DataFrame, gold: Gold, level: float) -> pd.DataFrame:
    """Compare tests on the same pairs (McNemar): tests of one metric, and one test by different metrics."""
    people_conclude = both_ways(gold.conclusions(level))
    is_right: dict[tuple[Hashable, ...], dict[Pair, bool]] = {}  # of each test, for each unordered pair of systems
    for test, claims_of_test in claims.groupby(TEST, sort=False):
        is_right[test] = {}
        for (better, worse), (concluded, by_people) in _conclusions(claims_of_test, people_conclude, level).items():
            first, second = sorted((better, worse))
            is_right[test][first, second] = concluded == by_people

    rows = []
    for first_test, second_test in combinations(is_right, 2):
        is_same_metric = first_test[0] == second_test[0]
        is_same_test = first_test[1:] == second_test[1:]
        pairs = sorted(is_right[first_test].keys() & is_right[second_test].keys())
        if pairs and (is_same_metric or is_same_test):
            first_is_right = np.array([is_right[first_test][pair] for pair in pairs])
            second_is_right = np.array([is_right[second_test][pair] for pair in pairs])
            rows.append((level, *first_test, *second_test, *mcnemar(first_is_right, second_is_right)))
    return pd.DataFrame(rows, columns=list(AGAINST))


def _conclusions(claims: pd.DataFrame, people: Mapping[Pair, int], level: float) -> dict[Pair, tuple[int, int]]:
    """Return the conclusions of a test and of people for each answered pair that people judged.

    1 if the first is better, 0 without a significant difference, -1 if the second is better.
    """
    conclusions = {}
    answered = claims.dropna(subset="p_value")
    for better, worse, p_value in zip(answered["better"], answered["worse"], answered["p_value"], strict=True):
        if (better, worse) in people:
            conclusions[better, worse] = (int(p_value <= level), people[better, worse])
    return conclusions


def shares_frame(claims: pd.DataFrame, gold: Gold, scored: Sequence[Scored]) -> pd.DataFrame:
    """Compare how often people are expected to prefer the better-scored system to how often they do.

    ``curve`` is the curve's name in mt-thresholds. ``expected`` is the mean over pairs of the curve's share at their
    difference. ``observed`` is the share of pairs whose better-scored system also has the higher mean judgement.
    Metrics without a curve are skipped.
    """
    people_prefer = set(zip(gold.first["one"], gold.first["other"], strict=True))
    metrics = {scores.metric.key: scores.metric for scores in scored}
    rows = []
    for key, claims_of_metric in claims.groupby("metric", sort=False):
        metric = metrics[str(key)]
        curve = curve_of(metric)
        if curve is None:
            continue
        shares = []  # of each pair: the expected share, and whether people agree
        # Every test of the metric has a row for a pair; its difference is the same
        for row in claims_of_metric.drop_duplicates(["better", "worse"]).to_dict("records"):
            is_agreed = (row["better"], row["worse"]) in people_prefer
            is_reversed = (row["worse"], row["better"]) in people_prefer
            if not (is_agreed or is_reversed):
                continue
            if math.isfinite(row["improvement"]):
                shares.append((curve.share(row["improvement"]), is_agreed))
        if shares:
            expected, observed = np.array(shares, dtype=float).mean(axis=0)
            rows.append((key, curve.name, len(shares), expected, observed))
    return pd.DataFrame(rows, columns=list(SHARES))
