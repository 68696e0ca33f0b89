"""Checks of a verdict: equality within a margin, and false positives among equals.

Riezler and Maxwell's (2005) Table 2 asks what tests say of systems that are equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

import pandas as pd

from mteval.analysis.equality import MOST_SHUFFLES, Halvings, rejections
from mteval.analysis.significance import Side
from mteval.answers.procedures import ADJUSTED_P, DIFFERENCE, INTERVAL, name_of, row_notes
from mteval.answers.section import Column, Row, Section, Table, headed, noted, p_column
from mteval.base.words import counted, counted_part
from mteval.metrics.base import MetricSpec
from mteval.stats import PROCEDURES
from mteval.values.notation import DASH, as_typed, level, percent
from mteval.values.run_words import RUN, RunWord

_HEADINGS: Mapping[Side, str] = {"two-sided": "Equal", "worse": "Not worse", "better": "Better"}
_CLAIMS: Mapping[Side, tuple[str, str]] = {  # heading and condition on the interval
    "two-sided": ("Equal within ±", "lies inside the margin"),
    "worse": ("Not worse by ", "lies on the better side of the margin"),
    "better": ("Better by more than ", "lies beyond the margin"),
}


def equality_section(
    frame: pd.DataFrame,
    specs: Mapping[str, MetricSpec],
    margin: float,
    confidence: float,
    runs: RunWord,
    side: Side = "two-sided",
) -> Section:
    """Return which systems differ from the baseline by less than a margin, or are not worse or better by it.

    Parameters
    ----------
    frame
        From ``equality_frame``.
    """
    luck_names = {"test-set": "test-set luck", "runs": runs.luck, "both": "both"}

    def is_equal(row: Row) -> str:
        is_answered = row["p_adjusted"] == row["p_adjusted"]  # not NaN
        if not is_answered:
            return "no result"
        return "yes" if row["p_adjusted"] <= 1 - confidence else "no"

    columns = (
        headed("metric", "metric", "word", write=lambda row: specs[row["metric"]].name),
        headed("system", "system", "word"),
        headed("luck", "luck", "word", write=lambda row: luck_names[row["luck"]]),
        headed("procedure", "procedure", "word", write=partial(name_of, runs=runs)),
        DIFFERENCE,
        INTERVAL,
        p_column("p_value", help="p-value of the opposite."),
        ADJUSTED_P,
        Column("shown_equal", _HEADINGS[side], write=is_equal, is_wide=True),
    )
    notations = {metric: specs[metric].notation for metric in frame["metric"].unique()}
    margins = dict.fromkeys(notation.in_unit(as_typed(margin)) for notation in notations.values())
    n_claims = len(frame) // frame["luck"].nunique()  # p is adjusted among those about the same luck
    caption = equality_sentence(" or ".join(margins), confidence, n_claims, side)
    table = Table(columns, frame.assign(notation=frame["metric"].map(notations)), caption)
    return Section("equality", "", table=table, notes=row_notes(frame, runs))


def equality_sentence(within: str, confidence: float, n_adjusted: int, side: Side = "two-sided") -> str:
    """Return the rule by which systems are equal within a margin, or not worse or better by it.

    Parameters
    ----------
    within
        The margin, with its unit.
    n_adjusted
        Number of claims that p-values are adjusted for.
    """
    claim, condition = _CLAIMS[side]
    ci = f"{level(2 * confidence - 1)} CI"
    if n_adjusted < 2:
        return f"{claim}{within}? Yes if the {ci} {condition}."
    return (
        f"{claim}{within}? Yes if p (adjusted, Holm over {n_adjusted:,} claims) is at most {level(1 - confidence)}; the"
        f" {ci} is not adjusted."
    )


def halvings_section(sentences: Iterable[str], runs: RunWord) -> Section:
    """Return the split-half check: the verdict on halves of the runs of each system."""
    return Section("halvings", "", tuple(sentences), notes=noted(halvings_note(runs)))


def halvings_sentence(halved: Halvings, runs: RunWord = RUN) -> str:
    """Return how often halves of one system's own runs are called different."""
    n_ways = counted_part(halved.n_halvings, halved.of_halvings, "way")
    if halved.n_halvings == halved.of_halvings:
        n_ways = counted(halved.n_halvings, "way")
    left_out = " (one ignored)" if halved.n_runs % 2 else ""
    return (
        f"{halved.system}: {counted(halved.n_runs, runs.noun)} split in half{left_out} {n_ways}; the test calls"
        f" {halved.n_different:,} of these pairs different ({percent(halved.n_different / halved.n_halvings)})."
    )


def halvings_note(runs: RunWord = RUN) -> str:
    """Return how to read the share of different halves."""
    return runs.filled("The splits share their {runs}, so this share is not an error rate.")


def equals_section(frame: pd.DataFrame, alpha: float, runs: RunWord) -> Section:
    """Return how often procedures find a difference between runs of one system.

    Parameters
    ----------
    frame
        From ``equal_frame``.
    """
    luck_names = {"test-set": "test set", "runs": runs.nouns, "both": "both"}
    rejected = rejections(frame, alpha)
    columns = (
        Column("procedure", "Procedure", write=partial(name_of, runs=runs)),
        Column("luck", "Luck", write=lambda row: luck_names[PROCEDURES[row["procedure"]].luck]),
        Column("n_comparisons", "Comparisons", "count"),
        Column("n_rejected", "Significant", "count", "p at or below the level.", write=_n_rejected),
        Column("share", "Share", "share", digits=0),
        Column("nominal", "Level", "share", write=lambda row: level(row["nominal"])),
    )
    n_pairs = counted(len(frame[["one", "other"]].drop_duplicates()), "comparison")
    caption = f"{n_pairs} of equals, up to {counted(MOST_SHUFFLES, 'resample')} each, uncorrected"

    # All procedures about runs refuse for the same reason, and share a sentence. The others have reasons of their own.
    unanswered = rejected[rejected["n_comparisons"] == 0]
    is_about_runs = unanswered["procedure"].map(lambda procedure: PROCEDURES[procedure].luck != "test-set").astype(bool)
    texts = list(dict.fromkeys(unanswered["note"][~is_about_runs]))
    if is_about_runs.any():
        texts.append(f"Procedures that cover {runs.luck} need two {runs.nouns} per side.")
    texts.append(
        f"Comparisons share {runs.nouns}: only a share far above the level matters. Tests of test-set luck take each"
        f" {runs.noun} as given and find real differences between {runs.nouns}."
    )
    return Section("equals", "", table=Table(columns, rejected, caption), notes=noted(*texts))


def _n_rejected(row: Row) -> str:
    return f"{row['n_rejected']:,}" if row["n_comparisons"] else DASH
