"""What is said of judgements: what they cover, and errors that nobody knows the weight of."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from mteval.counts import agreeing, counted


def judged_extent(frame: pd.DataFrame) -> str:
    """How many judgements by whom of what, from a frame with a row a judgement."""
    n_documents = frame["document"].nunique()
    inside = f" in {counted(n_documents, 'document')}" if n_documents else ""
    return (
        f"{counted(len(frame), 'judgement')} by {counted(frame['annotator'].nunique(), 'annotator')} of"
        f" {counted(frame['system'].nunique(), 'system')} on {counted(frame['segment'].nunique(), 'segment')}{inside};"
        f" scales: {', '.join(frame['scale'].unique())}."
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
        What was standardised by annotator, in words.
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
