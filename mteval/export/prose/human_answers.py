"""What stands beside answers about judgements, on pages and in reports: what was asked, of what, and what it says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from mteval.counts import counted, counted_part
from mteval.export.people import UNITS
from mteval.notation import level, percent

TESTS_EXPLAINED = (
    "A test concludes that one system is better, that the other is, or that they are not told apart; it is right where"
    " people conclude the same at the same level. Intervals are exact (Clopper and Pearson); pairs that share a system"
    " are not independent, which neither they nor McNemar's test know of, as in the paper."
)
SHARES_EXPLAINED = (
    "Pairs of systems in which people agree with a metric: expected by the size of its differences on the curve that"
    " Kocmi et al. (2024) fitted, and found here"
)
RATERS_EXPLAINED = (
    "Asked of outputs that several raters all judged: could luck with the raters explain the difference? “p segments”"
    " takes these raters as given, “p raters too” takes them as drawn from others like them; the raters' share is of"
    " the variance. “Yes” says that luck with segments and raters does not explain the difference, “open” that this"
    " cannot be ruled out. Three raters or more give an answer, two a provisional one, one none. Raw and standardised"
    " judgements are answered side by side; p-values are adjusted by Holm over the pairs of systems shown."
)
NO_RATERS = (
    "These judgements do not say who gave them, or one annotator gave them all: nobody can tell what other raters would"
    " say. It takes two who judged the same outputs for a provisional answer, three for one."
)
RATER_AGREEMENT = "Krippendorff's alpha on the outputs that raters share: 1 is perfect, 0 is chance"
EVERY_MEASURE = "Every measure; numbers of clusters in brackets"
MEANINGS: Mapping[str, str] = {  # of the measures of agreement
    "pairwise_accuracy": "Share of pairs of systems that metric and people order alike (Kocmi et al. 2021).",
    "soft_pairwise_accuracy": "One less the mean distance of the one-sided p-values of the paired permutation test on"
    " segments, by metric and by people (Thompson et al. 2024).",
    "system_pearson": "Linear correlation of system scores.",
    "system_kendall": "Rank correlation of system scores, corrected for ties.",
    "acc_eq": "Share of pairs of a segment's outputs that metric and people order alike or both tie, a metric's tie"
    " being a difference up to the threshold that makes most pairs right, averaged over segments (Deutsch et al."
    " 2023).",
    "segment_pearson": "Linear correlation over all outputs.",
    "segment_kendall": "Rank correlation over all outputs, corrected for ties.",
}
SHORT_MEASURES: Mapping[str, str] = {  # where all stand side by side
    "pairwise_accuracy": "pairwise",
    "soft_pairwise_accuracy": "soft",
    "system_pearson": "r systems",
    "system_kendall": "tau systems",
    "acc_eq": "tied",
    "segment_pearson": "r segments",
    "segment_kendall": "tau segments",
}


def told_apart(conclusions: Mapping[tuple[str, str], int], at: float) -> str:
    """How many pairs of systems people tell apart at a level."""
    n_apart = sum(sign != 0 for sign in conclusions.values())
    return f"People tell apart {counted_part(n_apart, len(conclusions), 'pair')} at {level(at)}."


def gold_extent(first: pd.DataFrame, second: pd.DataFrame | None, test: str, unit: str) -> Iterator[str]:
    """By which test on how much people tell systems apart, and which scale decides.

    Parameters
    ----------
    first, second
        Tests on the scale that decides and on the one that breaks its ties, with ``scale``, ``n_one`` and ``n_other``.
    test
        In words.
    unit
        What it takes as independent.
    """
    counts, scale = first[["n_one", "n_other"]].to_numpy(), first["scale"].iloc[0]
    sizes = f"{counts.min():,} to {counts.max():,}" if counts.min() < counts.max() else f"{counts.min():,}"
    yield (
        f"{test}, one-sided in either direction, {UNITS.get(unit, unit)} as units; {sizes} for each system. Systems"
        f" from best to worst by the mean {scale}. p-values are not adjusted for the number of pairs, as in the paper."
    )
    if second is not None:
        yield f"Where {scale} tells neither apart, {second['scale'].iloc[0]} decides."


def alone_sentence(conclusions: Mapping[tuple[str, str], int], systems: Sequence[str]) -> str:
    """Which systems are told apart from no other; nothing where there is none."""
    apart = {system for pair, sign in conclusions.items() if sign for system in pair}
    alone = [system for system in systems if system not in apart]
    return f"{counted(len(alone), 'system')} told apart from no other: {', '.join(alone)}." if alone else ""


def resolution_sentence(at: float, n_resamples: int) -> str:
    """That a level is out of reach of tests that resample so often; nothing where it is not."""
    smallest = 1 / (n_resamples + 1)
    if smallest <= at:
        return ""
    return (
        f"{counted(n_resamples, 'resample')} have no p-value below {percent(smallest, 2)}: at {level(at)} tests that"
        " resample tell nothing apart, whatever the data."
    )


def rater_bars_sentence(ones: Sequence[str]) -> str:
    """What the bars of the raters' variance are of.

    Parameters
    ----------
    ones
        The systems that others were taken from.
    """
    which = f"{ones[0]} less each of these systems" if len(set(ones)) == 1 else "each difference"
    return (
        f"Where the variance of {which} comes from, of raw judgements with segments as units: “raters” and “test set”"
        " are what these bring beyond chance, “raters × test set” is what more of either makes smaller; s is the"
        f" standard error. The {counted(len(ones), 'largest difference')} with an answer."
    )


def agreement_sentence(n_replicates: int, n_units: int, unit: str) -> str:
    """What intervals and clusters of metrics rest on."""
    return (
        f"Intervals are of {counted(n_replicates, 'replicate')} of the {counted(n_units, unit)} that were judged and"
        " scored by all, people and metrics drawn together; the systems are taken as given. A new cluster begins with"
        " the first metric that differs significantly from one of the cluster before it, adjusted for the pairs of"
        " metrics by the largest difference of each replicate (Westfall and Young 1993)."
    )
