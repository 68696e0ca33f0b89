"""What the numbers about other runs say, in words."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from mteval.counts import agreeing, counted
from mteval.export.prose.spreads import larger_source
from mteval.notation import Notation, level, percent

CONCLUSION_WORDS: Mapping[str | None, str] = {
    "right": "Not explained by luck: the right conclusion.",
    "open": "Luck cannot be ruled out: no conclusion.",
    "wrong": "Not explained by luck: the wrong conclusion.",
    None: "The test gives no answer.",
}


def outlook_sentence(outlook: pd.DataFrame, system: str, baseline: str, metric_name: str, notation: Notation) -> str:
    """What one run a system risks, and from how many on the risk is below one in a hundred."""
    rows = outlook.to_dict("records")
    first = rows[0]
    risk = first["wrong_sign"]
    if risk != risk:
        return "The runs of both systems score the same on average; no direction can be called the right one."
    start = (
        f"With one run each, {percent(risk)} of experiments would show {baseline} and {system} in the wrong order"
        f" ({notation.difference(first['expected'])} {metric_name} in expectation)"
    )
    safe = [row["k"] for row in rows if row["wrong_sign"] < 0.01]
    if risk < 0.01:
        return f"{start}."
    return f"{start}; " + (
        f"from {counted(safe[0], 'run')} each on it is fewer than one in a hundred."
        if safe
        else f"with {counted(rows[-1]['k'], 'run')} each it is still {percent(rows[-1]['wrong_sign'])}."
    )


def advice_sentence(shares: Mapping[str, float], unit: str, n_runs: tuple[int, int]) -> str:
    """More runs or more test sentences? From the shares of the variance of the difference of the averages."""
    runs, test_set, both = shares["runs"], shares["test set"], shares["runs × test set"]
    counts = f"{n_runs[0]} and {counted(n_runs[1], 'run')}"
    larger = larger_source(runs + both, test_set + both)
    if larger == "runs":
        return f"Make more runs: with {counts}, {percent(runs)} of the uncertainty comes from which runs were made."
    if larger == "test set":
        return (
            f"Get more test {unit}s: with {counts}, {percent(test_set)} of the uncertainty comes from which {unit}s"
            " were tested, and no further run reduces that."
        )
    return (
        f"Both help: with {counts}, {percent(runs)} of the uncertainty comes from the runs, {percent(test_set)} from"
        f" the test {unit}s, and {percent(both)} from what only their combination explains."
    )


def plan_sentences(plan: Any, metric_name: str, unit: str, notation: Notation) -> list[str]:
    """What the wish takes: runs on this test set, the range that the runs at hand leave, test set for these runs."""
    wish = plan.wish
    what = f"a true difference of {notation.chosen(wish.target)} {metric_name} with {level(wish.power)} power"
    units = counted(plan.n_units, unit)
    if plan.runs is None:
        first = (
            f"No number of runs suffices to find {what} on {units}: even endless runs reveal only differences above"
            f" {notation.number(plan.detectable_at_best)} with that power."
        )
    else:
        first = f"{counted(plan.runs, 'run')} of each system {agreeing(plan.runs, 'finds', 'find')} {what} on {units}."
        if (plan.runs_if_less, plan.runs_if_more) != (plan.runs, plan.runs):
            first += (
                f" How much runs vary is itself uncertain: between {_runs(plan.runs_if_less)} and"
                f" {_runs(plan.runs_if_more)} may be needed."
            )
    second = (
        f"With {counted(plan.n_runs, 'run')} of each system no test set is large enough for it."
        if plan.units is None
        else f"With {counted(plan.n_runs, 'run')} of each system a test set of {counted(plan.units, unit)} suffices."
    )
    return [first, second]


def _runs(number: int | None) -> str:
    return "more runs than can be made" if number is None else counted(number, "run")


def median_sentence(system: str, runs: int | None, share: float, most: int) -> str:
    """From how many runs on the median run stands for its system."""
    if runs is None:
        return (
            f"{system}: even the median of {counted(most, 'run')} lies within half the systems' difference of the true"
            f" mean less often than {level(share)}; do not take one run for the system."
        )
    if runs == 1:
        return (
            f"{system}: any single run lies within half the systems' difference of the true mean at least"
            f" {level(share)} of the time."
        )
    return (
        f"{system}: the median of {counted(runs, 'run')} or more lies within half the systems' difference of the true"
        f" mean at least {level(share)} of the time: representative enough for manual analysis."
    )
