"""What hangs on how little few runs tell of their spread: verdicts with run variances that borrow from all systems."""

from __future__ import annotations

import pandas as pd

from mteval.answers.procedures import DIFFERENCE, INTERVAL
from mteval.answers.section import Section, Table, headed, noted, p_column
from mteval.base.words import listed
from mteval.metrics.base import MetricSpec
from mteval.stats.multiplicity import FEWEST_SYSTEMS
from mteval.values.run_words import RUN, RunWord


def not_borrowed_sentence(runs: RunWord = RUN) -> str:
    """Why there is no analysis of how much hangs on how little few runs tell."""
    return runs.filled(
        "{Run} variances can borrow from one another where {fewest} or more systems, the baseline among them, have two"
        " or more {runs} that differ, and {runs} are independent.",
        fewest=str(FEWEST_SYSTEMS),
    )


def borrowed_section(
    frame: pd.DataFrame, spec: MetricSpec, baseline: str, alpha: float, *more: str, runs: RunWord = RUN
) -> Section:
    """The verdicts by one metric with their own run variances and with borrowed ones."""
    columns = (
        headed("system", "system", "word"),
        DIFFERENCE,
        headed("s_run", "own s"),
        headed("s_borrowed", "borrowed s"),
        INTERVAL,
        p_column("p_adjusted", is_adjusted=True, short="adjusted p"),
        headed("borrowed", "borrowed interval", "interval", fields=("low_borrowed", "high_borrowed")),
        p_column("p_borrowed_adjusted", "Borrowed p (adjusted)", is_adjusted=True, short="borrowed p"),
    )  # fmt: skip
    table = Table(columns, frame, f"{spec.name}, against {baseline}", notation=spec.notation)
    return Section("borrowed", "", table=table, notes=noted(borrowed_sentence(frame, alpha, runs), *more))


def borrowed_note(runs: RunWord = RUN) -> str:
    """What the analysis with borrowed variances is, and what it takes for granted."""
    return runs.filled(
        "A sensitivity analysis, not the verdict. s: standard deviation over {runs}; both p are adjusted. The variance"
        " over a system's {runs} is drawn towards the mean of all systems where it is below that, and counts two"
        " degrees of freedom more. That takes for granted that systems vary alike: where one of them varies three to"
        " ten times as much as the others, differences from it that are none are found at the 5% level in up to 12% of"
        " experiments with three {runs}, where the verdict has 8%, and in 7% with five."
    )


def borrowed_sentence(frame: pd.DataFrame, alpha: float, runs: RunWord = RUN) -> str:
    """Which verdicts hang on how little few runs tell of their spread."""
    own, borrowed = (frame[name] <= alpha for name in ("p_adjusted", "p_borrowed_adjusted"))
    turned = [*frame.loc[own != borrowed, "system"]]
    with_them = f"With {runs.noun} variances that borrow from all systems"
    if not turned:
        return f"{with_them} every system would be judged as it is."
    return f"{with_them} another answer would be given of {listed(turned)}."


def borrowed_methods(frame: pd.DataFrame, alpha: float, runs: RunWord = RUN) -> str:
    """The sensitivity analysis for the methods of a paper; empty where there is none."""
    if frame.empty:
        return ""
    return (
        f"As a sensitivity analysis, and not for the verdict, the variance over a system's {runs.nouns} was drawn"
        " towards the mean of all systems where it was below that, and counted two degrees of freedom more."
        f" {borrowed_sentence(frame, alpha, runs)}"
    )
