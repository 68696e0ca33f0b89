"""What a difference means to people: how often they agree with it (Kocmi et al. 2024).

Their fit, from system pairs that people judged (the ToShip23 collection), ships with the optional package
mt-thresholds. It speaks of the size of a difference alone: neither of the test set at hand nor of luck.

What share of people would agree with the differences that metrics see, beside the share that does.

Do raters agree? Krippendorff's alpha on the outputs that they share, raw and standardised by rater.

A rater who is more severe, or uses less of the scale, disagrees raw and may agree once that is taken out.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from mteval.analysis.people.gold import Gold
from mteval.analysis.scoring import Scored
from mteval.base.errors import MissingDependencyError
from mteval.metrics.base import Metric
from mteval.metrics.imported import Imported
from mteval.values.given import GivenMetric

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
