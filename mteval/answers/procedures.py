"""Tests of significance in text: the table of procedures, the family of comparisons, the error of many of them.

What a p-value is and is not, where one looks for it (Sokolov 2015; the questions that MultEval's users asked).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from mteval.base.words import all_counted, counted, counted_part, listed
from mteval.values.notation import DASH, Notation, as_typed, fixed, level, p_value, percent

UNIT_NAMES: Mapping[str, str] = {
    "segment": "sentences",
    "document": "documents",
    "output": "outputs",
    "run": "runs",
}
LUCK_NAMES: Mapping[str, str] = {
    "test-set": "test-set luck",
    "runs": "training luck",
    "both": "test-set and training luck",
}
NOT_FIXED = (
    "The baseline was declared as fixed, which holds for verdicts alone: among all pairs its own training luck counts"
    " as that of any other system."
)
COLUMNS = (
    *("procedure", "unit", "difference", "interval", "p", "adjusted p", "simultaneous interval"),
    *("resamples", "seconds"),
)


def procedure_cells(frame: pd.DataFrame, names: Mapping[str, str], notation: Notation) -> Iterator[tuple[str, ...]]:
    """The cells of ``COLUMNS`` for each row of a frame of comparisons.

    Parameters
    ----------
    names
        From the key of a procedure to what it is called.
    notation
        How the metric's numbers are written.
    """
    for row in frame.to_dict("records"):
        yield (
            names[row["procedure"]],
            UNIT_NAMES[row["unit"]],
            notation.difference(row["difference"]),
            notation.interval(row["low"], row["high"]),
            p_value(row["p_value"]),
            p_value(row["p_adjusted"]),
            notation.interval(row["low_simultaneous"], row["high_simultaneous"]),
            f"{row['n_resamples']:,}" if row["n_resamples"] else DASH,
            fixed(row["seconds"], 2),
        )


def notes(frame: pd.DataFrame, names: Mapping[str, str]) -> Iterator[str]:
    """The remarks of the procedures, each once with the procedures that make it."""
    by_note: dict[str, list[str]] = {}
    for row in frame.to_dict("records"):
        if row["note"]:
            known = by_note.setdefault(row["note"], [])
            known += [name for name in [names[row["procedure"]]] if name not in known]
    for note, procedures in by_note.items():
        yield f"{', '.join(procedures)}: {note}"


def family_sentence(n_systems: int, n_metrics: int, correction: str) -> str:
    """Which comparisons p-values are adjusted for."""
    systems, metrics = counted(n_systems, "system"), counted(n_metrics, "metric")
    comparisons = counted(n_systems * n_metrics, "comparison")
    return f"Family: {systems} compared with the baseline by {metrics}, {comparisons}. {_by(correction)}"


def pairs_family_sentence(n_systems: int, is_one_sided: bool, correction: str) -> str:
    """The same for all pairs."""
    n_pairs = n_systems * (n_systems - 1) // 2
    family = f"Family: {'all ' if n_pairs > 1 else ''}{counted(n_pairs, 'pair')} of {counted(n_systems, 'system')}"
    if is_one_sided:
        family += f" in both directions, {counted(2 * n_pairs, 'comparison')}"
    return f"{family}. {_by(correction)}"


def simultaneous_sentence(frame: pd.DataFrame, confidence: float) -> str:
    """How the simultaneous intervals of a frame of comparisons were made; empty where there is none."""
    names = [name for name in dict.fromkeys(frame["simultaneous"]) if name]
    if not names:
        return ""
    return (
        f"Simultaneous {level(confidence)} intervals hold together for the family, by {' or '.join(names)}; one leaves"
        " out zero where p adjusted by the same is at most the level."
    )


TOGETHER_COLUMNS = ("System", "difference", "simultaneous interval", "p")


def together_cells(frame: pd.DataFrame, notation: Notation) -> Iterator[tuple[str, ...]]:
    """The cells of ``TOGETHER_COLUMNS`` for each system of a family."""
    for row in frame.to_dict("records"):
        yield (
            row["system"],
            notation.difference(row["difference"]),
            notation.interval(row["low_simultaneous"], row["high_simultaneous"]),
            p_value(row["p_simultaneous"]),
        )


def experiment_wise_sentence(alpha: float, n_comparisons: int, error: float) -> str:
    """What would happen at the level ``alpha`` without a correction (Riezler and Maxwell 2005, section 4.4)."""
    if n_comparisons < 2:
        return (
            f"One comparison at {level(alpha)}: a false claim in {level(alpha)} of experiments without a true"
            " difference."
        )
    return (
        f"Without a correction, {counted(n_comparisons, 'independent comparison')} at {level(alpha)} would bring at"
        f" least one false claim in {percent(error, 0)} of experiments without any true difference: 1 − (1 −"
        f" {as_typed(round(alpha, 8), 2)})^{n_comparisons}."
    )


def equality_sentence(within: str, confidence: float, n_adjusted: int) -> str:
    """How systems are shown equal within a margin, beside intervals that are never adjusted.

    Parameters
    ----------
    within
        The margin, with its unit.
    n_adjusted
        Number of claims that p-values are adjusted for.
    """
    interval = f"{level(2 * confidence - 1)} interval"
    if n_adjusted < 2:
        return f"Equal within {within}? Shown where the {interval} lies inside the margin."
    return (
        f"Equal within {within}? Shown where p, adjusted by Holm over {counted(n_adjusted, 'claim')}, is at most"
        f" {level(1 - confidence)}. No {interval} is adjusted: one inside the margin may not be enough."
    )


def halvings_sentence(system: str, n_runs: int, n_halvings: int, of_halvings: int, n_different: int) -> str:
    """What the verdict says of halves of one system's own runs."""
    which = (
        all_counted(n_halvings, "way") if n_halvings == of_halvings else counted_part(n_halvings, of_halvings, "way")
    )
    left_out = " with one left out" if n_runs % 2 else ""
    return (
        f"{system}: its {counted(n_runs, 'run')} were divided into two halves{left_out} in {which}; the verdict calls"
        f" {n_different:,} of these pairs different ({percent(n_different / n_halvings)})."
    )


HALVINGS_NOTE = (
    "These divisions share their runs and depend on one another: no level follows from their share, nor from the shape"
    " of so few runs. Two halves are judged as independent runs, whatever was declared of two systems."
)
BORROWED_COLUMNS = (
    *("system", "difference", "own s", "borrowed s", "interval", "adjusted p"),
    *("borrowed interval", "borrowed p"),
)
BORROWED_NOTE = (
    "A sensitivity analysis, not the verdict. s: standard deviation over runs; both p are adjusted. The variance over a"
    " system's runs is drawn towards the mean of all systems where it is below that, and counts two degrees of freedom"
    " more. That takes for granted that systems vary alike: where one of them varies three to ten times as much as the"
    " others, differences from it that are none are found at the 5% level in up to 12% of experiments with three runs,"
    " where the verdict has 8%, and in 7% with five."
)


def not_borrowed_sentence(fewest: int) -> str:
    """Why there is no such analysis; ``fewest`` systems are needed."""
    return (
        f"Run variances can borrow from one another where {fewest} or more systems, the baseline among them, have two"
        " or more runs that differ, and runs are independent."
    )


def borrowed_cells(frame: pd.DataFrame, notation: Notation) -> Iterator[tuple[str, ...]]:
    """The cells of ``BORROWED_COLUMNS`` for each row of the sensitivity analysis."""
    for row in frame.to_dict("records"):
        yield (
            row["system"],
            notation.difference(row["difference"]),
            notation.number(row["s_run"]),
            notation.number(row["s_borrowed"]),
            notation.interval(row["low"], row["high"]),
            p_value(row["p_adjusted"]),
            notation.interval(row["low_borrowed"], row["high_borrowed"]),
            p_value(row["p_borrowed_adjusted"]),
        )


def borrowed_sentence(frame: pd.DataFrame, alpha: float) -> str:
    """Which verdicts hang on how little few runs tell of their spread."""
    own, borrowed = (frame[name] <= alpha for name in ("p_adjusted", "p_borrowed_adjusted"))
    turned = [*frame.loc[own != borrowed, "system"]]
    if not turned:
        return "With run variances that borrow from all systems every system would be judged as it is."
    return f"With run variances that borrow from all systems another answer would be given of {listed(turned)}."


def borrowed_methods(frame: pd.DataFrame, alpha: float) -> str:
    """The sensitivity analysis for the methods of a paper; empty where there is none."""
    if frame.empty:
        return ""
    return (
        "As a sensitivity analysis, and not for the verdict, the variance over a system's runs was drawn towards the"
        " mean of all systems where it was below that, and counted two degrees of freedom more."
        f" {borrowed_sentence(frame, alpha)}"
    )


def superiority_sentence(
    baseline: str,
    system: str,
    metric_name: str,
    *,
    probability: float,
    low: float,
    high: float,
    confidence: float,
    word: str = "better",
) -> str:
    """How likely a run of the system beats one of the baseline on this test set; empty where single runs cannot say."""
    if low != low:
        return ""
    return (
        f"By {metric_name}, a run of {system} is {word} than a run of {baseline} with probability"
        f" {percent(probability, 0)} ({level(confidence)} interval {percent(low, 0)} to {percent(high, 0)}), on this"
        " test set."
    )


def _by(correction: str) -> str:
    return "P-values are not adjusted." if correction == "none" else f"Adjusted p by {correction}."


P_IS = (
    "If there were no difference but luck, how often would a difference at least as large as the observed one come out?"
    " That share is p."
)
P_IS_NOT = (
    "the probability that the systems are equal",
    "the probability that the result is due to chance",
    "the size of the improvement, or whether a reader would notice it",
    "a sign that the experiment is reliable: a test knows only the luck that it measures",
)
QUESTIONS = (
    (
        "Why is p = 1 for two identical outputs?",
        "Every difference is at least as large as none, so such a difference is no surprise at all. MultEval prints"
        " 0.0001 there, because it counts only differences that are strictly larger.",
    ),
    (
        "Why is p tiny though the difference is small?",
        "p measures how surely there is a difference, not how large it is. With many sentences a difference that nobody"
        " would notice is found surely. Read the difference and its interval first.",
    ),
    (
        "What if p is above the level?",
        "Then luck cannot be ruled out as the explanation. That is no evidence that the systems are equal: the tab on"
        " equivalence asks that, against a margin that you choose.",
    ),
    (
        "Do more shuffles make p smaller?",
        "No: they estimate the same number more exactly. p cannot be smaller than one over the number of shuffles plus"
        " one, which is why more of them can look like more significance.",
    ),
    (
        "Why do two procedures disagree?",
        "They measure different luck. A test on sentences takes the runs at hand as given; with few runs that says"
        " little of another training. Fix the procedure before you see the numbers, and report that one.",
    ),
    (
        "Is a paper with p < 0.001 right?",
        "Ask for the number of runs, the spread between them, the number of comparisons made, and the size of the"
        " difference. No p-value makes up for a metric that does not measure quality.",
    ),
)
