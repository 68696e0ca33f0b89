"""What a difference means for people: how often they prefer the system that a metric scores better.

The curves are those of Kocmi et al. (2024), fitted to pairs of systems that people judged (the ToShip23 collection) and
shipped with the package mt-thresholds. Their shares are of pairs of systems, never of people. They know neither the
language pair nor the domain: on WMT23 Hebrew-English, BLEU's curve is 10 points too low.
"""

from __future__ import annotations

import math
import re
import warnings
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from mteval.base.errors import DataError, SettingsError
from mteval.metrics.base import Metric
from mteval.metrics.imported import Imported
from mteval.values.notation import percent
from mteval.values.verdict import Verdict

if TYPE_CHECKING:
    from mteval.values.gate import Margin

NO_INFORMATION = 0.5  # a metric that tells nothing: people prefer either system
_N_DIFFERENCES = 200  # true differences over which a share is averaged

# The curves for BLEU by its tokenizer, and for imported scores by their names: letters and digits only, without maker,
# reference and release
_BLEU_BY_TOKENIZER = {"tok:13a": "bleu", "tok:flores101": "spbleu101", "tok:flores200": "spbleu200"}
_MAKER_OR_RELEASE = re.compile(r"^(unbabel|google)|(ref[a-z]?|v2p[0-9])$")
_CURVE_BY_NAME = (
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
_UNSCALED_CURVES = ("metricx-23-large", "metricx-23-qe-large")
_LARGEST_SHARE = 10.0  # smaller scores are on a 0-1 scale like COMET's; curves use 0-100


@dataclass(frozen=True)
class Curve:
    """A curve of mt-thresholds, for one metric.

    Parameters
    ----------
    name
        Its name in the package.
    factor
        From the metric's points to those of the curve.
    """

    name: str
    factor: float = 1.0

    def share(self, difference: float) -> float:
        """Return the share of judged pairs of systems with this difference in which people preferred the better-scored.

        Between 0 and 1; at or below ``NO_INFORMATION``, the difference is no better than a coin flip.
        """
        return float(_thresholds().accuracy(abs(difference) * self.factor, self.name)) / 100

    def expected_share(self, difference: float, error: float, df: float) -> float:
        """Return the share of pairs in which people prefer the better-scored system, given an estimated difference.

        Averaged over the true differences that the data leave open, ``|difference| + error * t``: an observed one is
        too large if it was selected for being large. If a true difference has the other sign, people who
        agree with it disagree with the scores. A curve below one half counts as one half.

        Parameters
        ----------
        error, df
            Standard error of the difference and its degrees of freedom; NaN counts as an error of zero.
        """
        true_differences = np.array([abs(difference)])
        if error > 0 and df > 0:
            uniform = (np.arange(_N_DIFFERENCES) + 0.5) / _N_DIFFERENCES
            true_differences = abs(difference) + error * special.stdtrit(df, uniform)
        shares = []
        for true_difference in true_differences.tolist():
            share = max(NO_INFORMATION, self.share(true_difference))
            if true_difference <= 0:  # people prefer the other system
                share = 1 - share
            shares.append(share)
        return float(np.mean(shares))

    def difference(self, share: float) -> float:
        """Return the true difference, in the metric's points, at which people prefer the better system this often.

        Raises
        ------
        DataError
            If the share is no more than a coin flip's, or more than the curve ever reaches.
        """
        highest = self.share(math.inf)
        if share <= NO_INFORMATION:
            raise DataError(f"{percent(share, 0)} of pairs is no more than a coin flip. Choose a larger share.")
        if share >= highest:
            raise DataError(
                f"No difference is so large that people prefer the better system in {percent(share, 0)} of pairs: the"
                f" curve of {self.name} ends at {percent(highest, 0)}. Choose a smaller share."
            )
        return float(_thresholds().delta(share, self.name)) / self.factor


def curve_of(metric: Metric) -> Curve | None:
    """Return the curve for a metric with exactly these options, or for imported scores of such a name.

    None if no curve fits. Names of imported scores without a version mean the usual one, COMET-22 for COMET. Names with
    unknown parts, e.g. of ensembles or other sizes, have no curve. Neither do segment scores called BLEU or chrF: their
    mean is not a corpus score.
    """
    if isinstance(metric, Imported):
        return _curve_of_imported(metric)
    options = set(metric.signature().split("|"))
    is_usual = {"case:mixed", "smooth:exp", "eff:no"} <= options
    if metric.key in ("bleu", "spbleu") and is_usual and not any(option.startswith("order:") for option in options):
        for tokenizer, curve in _BLEU_BY_TOKENIZER.items():
            if tokenizer in options:
                return Curve(curve)
    if metric.key == "chrf" and {"case:mixed", "nc:6", "nw:0", "space:no"} <= options:
        return Curve("chrf")
    return None


def with_share(verdict: Verdict, curve: Curve | None) -> Verdict:
    """Return a verdict with the share of its difference, if there is a difference and a curve."""
    if curve is None or not math.isfinite(verdict.difference) or verdict.difference == 0:
        return verdict
    return replace(verdict, share_of_pairs=curve.expected_share(verdict.difference, verdict.error, verdict.df))


def in_points(margin: Margin, metric: Metric) -> float:
    """Return a margin in the metric's points.

    Raises
    ------
    SettingsError
        If people's preferences are not known for the metric.
    DataError
        If no difference is preferred so often.
    """
    from mteval.values.gate import ShareOfPairs  # here: few commands have margins

    if not isinstance(margin, ShareOfPairs):
        return margin
    curve = curve_of(metric)
    if curve is None:
        raise SettingsError(
            f"How often people prefer the better system by {metric.name} is unknown. It is known for BLEU, chrF, COMET"
            " and others with their default options. Give a number of points."
        )
    return curve.difference(margin.share)


def _curve_of_imported(metric: Imported) -> Curve | None:
    """Return the curve for imported scores of a known name, with the factor from their scale to the curve's."""
    letters_and_digits = re.sub(r"[^a-z0-9]", "", metric.given.name.lower())
    name = _MAKER_OR_RELEASE.sub("", letters_and_digits)
    for pattern, curve in _CURVE_BY_NAME:
        if re.fullmatch(pattern, name):
            if curve in _UNSCALED_CURVES or metric.given.largest > _LARGEST_SHARE:
                return Curve(curve)
            return Curve(curve, 100.0)
    return None


@cache
def _thresholds() -> ModuleType:
    """Return the package of the curves."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its source has an invalid escape sequence
        return import_module("mt_thresholds")
