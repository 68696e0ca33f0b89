"""May this judge replace a person?"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from mteval.answers.section import Column, Row, Section, Table, columns, headed, noted, p_column
from mteval.base.words import counted, counted_part, plural
from mteval.values.notation import DASH, fixed, level, percent

TITLE = "May this judge replace a person?"
EXPLAINED = (
    "Rater by rater: the judge wins if it is as near to the other raters as this rater, less a margin of {epsilon}."
    " One-sided t-test over {units}, adjusted by Benjamini and Yekutieli (Calderon et al., 2025). The judge passes if"
    " it wins against half of the raters or more."
)
SCALE = "Metrics have their own scale, so their scores and those of each rater were standardised first."
JUDGES = (
    headed("judge", "judge", "word"),
    headed("winning_rate", "wins", "word", write=lambda row: f"{row['n_won']} of {row['n_raters']}"),
    headed("passes", "replaces?", "word", write=lambda row: "yes" if row["passes"] else "no clear answer"),
    headed("advantage", "advantage", "share", help="Mean share of outputs on which the judge is at least as near to the"
           " other raters as each rater in turn."),
    Column("low", "CI", "range", "Confidence interval of the advantage, over units.", ("low", "high"),
           write=lambda row: _range(row)),
    headed("n_outputs", "outputs", "count"),
    headed("n_askings", "asked alone", "word", help="How many single answers of a judge that was asked several times"
           " pass by themselves, with the lowest and highest winning rate.", write=lambda row: _alone(row)),
)  # fmt: skip
AGAINST = (
    *columns(judge="Judge", rater="Rater"), headed("n_outputs", "outputs", "count"),
    headed("share", "judge nearer", "share", help="Share of outputs on which the judge is at least as near."),
    headed("rater_share", "rater nearer", "share"),
    Column("low", "CI (difference)", "range", "The judge's share minus the rater's. It lies above minus the margin"
           " exactly when the unadjusted p is significant.", ("low", "high"), write=lambda row: _range(row)),
    p_column("p_value"), p_column("p_adjusted", is_adjusted=True),
    headed("wins", "judge wins?", "word", write=lambda row: "yes" if row["wins"] else "no"),
)  # fmt: skip


def _range(row: Row) -> str:
    low, high = row["low"], row["high"]
    return DASH if low != low else f"{percent(low, 1)} to {percent(high, 1)}"


def _alone(row: Row) -> str:
    n = row["n_askings"]
    if n != n or n < 2:
        return DASH
    rates = f"{percent(row['lowest'], 0)} to {percent(row['highest'], 0)}"
    return f"{counted_part(int(row['n_passing']), int(n), 'asking')} ({rates})"


def judge_sections(judges: pd.DataFrame, against: pd.DataFrame, confidence: float) -> Iterator[Section]:
    """Yield whether judges may stand in for people, from the frames of ``judges_frames``."""
    tested = judges[judges["n_raters"] > 0]
    if tested.empty:
        note = "No rater shares 30 outputs with a judge and another rater, which the test needs."
        yield Section("judge", TITLE, notes=noted(note))
        return
    first, unit = tested.iloc[0], str(tested["unit"].iloc[0])
    lead = tuple(
        f"{row['judge']} {'may' if row['passes'] else 'is not proven to'} replace a rater: it wins against"
        f" {counted_part(row['n_won'], row['n_raters'], 'rater')} at a margin of {fixed(row['epsilon'], 2)}."
        for row in tested.to_dict("records")
    )
    explained = EXPLAINED.format(epsilon=fixed(first["epsilon"], 2), units=plural(unit))
    caption = f"Alternative annotator test; {level(confidence)} CI over {counted(int(tested['n_units'].max()), unit)}"
    has_metrics = bool(tested["n_askings"].isna().any())
    yield Section(
        "judge", TITLE, lead[:3], Table(JUDGES, tested, caption),
        notes=noted(explained, SCALE if has_metrics else "", is_wide=True),
        parts=(
            Section("judge-raters", "Each rater", is_detail=True,
                    table=Table(AGAINST, against, f"Judge against each rater; {level(2 * confidence - 1)} CI")),
        ),
    )  # fmt: skip
