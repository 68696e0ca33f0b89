"""What is said of judgements: what they cover, and errors that nobody knows the weight of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from mteval.base.words import agreeing, counted, listed
from mteval.values.notation import level

STANDARDISED: Mapping[bool | None, str] = {  # what was standardised by annotator
    None: "ratings, not weights of errors", True: "all", False: "nothing"
}  # fmt: skip


def judged_extent(frame: pd.DataFrame) -> str:
    """How many judgements by whom of what, from a frame with a row a judgement."""
    n_documents, n_annotators = frame["document"].nunique(), frame["annotator"].nunique()
    inside = f" in {counted(n_documents, 'document')}" if n_documents else ""
    whose = "one annotator, or put together as one's," if n_annotators == 1 else counted(n_annotators, "annotator")
    return (
        f"{counted(len(frame), 'judgement')} by {whose} of {counted(frame['system'].nunique(), 'system')} on"
        f" {counted(frame['segment'].nunique(), 'segment')}{inside}; scales: {', '.join(frame['scale'].unique())}."
    )


def unknown_error_sentence(category: str, severity: str, count: int) -> str:
    """That a kind of error is none of WMT's, and what it weighs until somebody says otherwise."""
    times = agreeing(count, "once", counted(count, "time"))
    return (
        f"'{category}', {severity}, stands {times} and is none of WMT's errors; it has the weight of its severity. Give"
        " the errors scores in the file where that is wrong."
    )


def people_methods(extent: str, scales: Sequence[str], standardised: str, test: str, unit: str) -> str:
    """What was done with judgements, for the methods section.

    Parameters
    ----------
    extent
        As ``judged_extent`` says it.
    scales
        The one that decides, and the one that breaks its ties where there is one.
    standardised
        What was standardised by annotator, one of ``STANDARDISED``.
    test, unit
        The test between people's judgements, and what it takes as independent, in words.
    """
    first, *ties = scales
    broken = f", ties broken by {ties[0]}" if ties else ""
    return (
        f"Human judgements: {extent} Systems were told apart by {first}{broken}, with the {test}, one-sided in either"
        f" direction, {unit} as units, uncorrected for the number of pairs (Graham et al., 2014). Standardised by"
        f" annotator: {standardised}."
    )


def tests_methods(tests: Sequence[str], sides: str, n_resamples: int, unit: str) -> str:
    """How tests of metrics were weighed by people's conclusions, for the methods section."""
    return (
        f"By these conclusions the metrics' own were weighed: {listed(tests)}, {sides}, {unit} as units,"
        f" {counted(n_resamples, 'resample')}; a conclusion is right where people conclude the same at the same level,"
        " and intervals of its share are exact (Clopper and Pearson, 1934)."
    )


def agreement_methods(n_replicates: int, unit: str, confidence: float) -> str:
    """How agreement of metrics with people was measured, for the methods section."""
    return (
        "Agreement of metrics with people, on the outputs that were judged and that all of them scored, is given as"
        " pairwise accuracy of systems (Kocmi et al., 2021), soft pairwise accuracy (Thompson et al., 2024), accuracy"
        " of segments with tie calibration (Deutsch et al., 2023) and correlation, with"
        f" {level(confidence)} percentile intervals of {counted(n_replicates, 'replicate')} of the {unit}; metrics"
        " were compared by the same replicates, adjusted by Westfall and Young's (1993) largest difference."
    )


RATERS_METHODS = (
    "Whether other raters would say the same was tested on the outputs that several raters all judged, raters and"
    " segments being crossed random effects (Student's t with Satterthwaite's degrees of freedom)."
)
SOURCES = (
    "Graham, Mathur, Baldwin 2014: Randomized Significance Tests in Machine Translation. WMT.",
    "Clopper, Pearson 1934: The Use of Confidence or Fiducial Limits Illustrated in the Case of the Binomial."
    " Biometrika.",
    "Kocmi, Federmann, Grundkiewicz, Junczys-Dowmunt, Matsushita, Menezes 2021: To Ship or Not to Ship: An Extensive"
    " Evaluation of Automatic Metrics for Machine Translation. WMT.",
    "Deutsch, Foster, Freitag 2023: Ties Matter: Meta-Evaluating Modern Metrics with Pairwise Accuracy and Tie"
    " Calibration. EMNLP.",
    "Thompson, Mathur, Deutsch, Khayrallah 2024: Improving Statistical Significance in Human Evaluation of Automatic"
    " Metrics via Soft Pairwise Accuracy. WMT.",
    "Kocmi, Zouhar, Federmann, Post 2024: Navigating the Metrics Maze: Reconciling Score Magnitudes and Accuracies."
    " ACL.",
    "Westfall, Young 1993: Resampling-Based Multiple Testing. Wiley.",
)
