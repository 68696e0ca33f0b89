"""What the numbers about other runs say, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from mteval.answers.variance import larger_source
from mteval.base.words import agreeing, counted, listed
from mteval.values.notation import Notation, chance, level, p_equals, percent
from mteval.values.settings import Design
from mteval.values.verdict import Verdict

ASSUMPTION = "if the averages of these runs were the truth"
EACH: Mapping[Design, str] = {  # what a plan counts
    "independent": "Runs of each system", "paired": "Pairs of runs", "fixed": "Runs of the system"
}  # fmt: skip
WELL_KNOWN = 0.01  # a risk below it is not worth more runs


def conclusion_sentence(conclusion: str | None, system: str, baseline: str, notation: Notation) -> str:
    """What one draw of runs would have been published as."""
    if conclusion is None:
        return "The test gives no answer."
    if conclusion == "open":
        return "Published: nothing shown."
    better, worse = notation.comparatives
    return f"Published: {system} is {better if conclusion == 'better' else worse} than {baseline}."


def procedures_sentence(names: Mapping[str, Sequence[str]], reproduced: Sequence[str]) -> str:
    """Which luck the procedures of the table measure, and which of them published numbers use.

    Parameters
    ----------
    names
        Short names of the procedures, by the luck that they measure.
    reproduced
        Short names of those that are kept because published numbers use them.
    """
    given = {"test-set": "the runs as given", "runs": "the test set as given", "both": "neither as given"}
    taken = "; ".join(f"{listed(names[luck])}: {words}" for luck, words in given.items() if names.get(luck))
    return f"What the procedures take: {taken}. Published numbers use the {listed(reproduced)}."


def no_draws_sentence() -> str:
    """Why one run of each system cannot be drawn from."""
    return (
        "With one run of each system there is nothing to draw: every experiment would be this one. What other runs"
        " would have shown, these two do not tell. Load more runs of each system, or look at the sample experiment."
    )


def truth_sentence(verdict: Verdict | None) -> str:
    """Which of the conclusions may be called right, and on what assumption; none where the verdict is open."""
    if verdict is None:
        return ""
    if verdict.both == "ruled out" and not verdict.is_provisional:
        says = verdict.notation.conclusions
        right, wrong = ("better", "worse") if verdict.improvement > 0 else ("worse", "better")
        return (
            f"{ASSUMPTION[0].upper()}{ASSUMPTION[1:]}, “{says[right]}” would be the right conclusion and"
            f" “{says[wrong]}” the wrong one."
        )
    why = {
        "open": "On all runs luck cannot be ruled out",
        "refused": "These runs give no verdict",
        "ruled out": "With two runs of a system the verdict is provisional",
    }[verdict.both]
    return f"{why}, so none of these conclusions is called right or wrong."


def apart_sentence(apart: Any, metric_name: str, confidence: float, notation: Notation) -> str:
    """A run unlike the others of its system, and what is said without it; ``apart`` is an ``ApartRun``."""
    found = apart.without
    said = found.note
    if found.p_value == found.p_value:
        interval = f"{level(confidence)} interval {notation.interval(found.low, found.high)}"
        said = f"{notation.difference(found.statistic)} {metric_name} ({interval}, {p_equals(found.p_value)})."
    return (
        f"Run {apart.run} of {apart.system} stands apart: {notation.number(apart.score)} {metric_name}, the others"
        f" {notation.number(apart.others)} on average. Without it: {said} It stays in; leave a run out only for a"
        " reason that does not come from its score."
    )


def outlook_sentence(
    outlook: pd.DataFrame, system: str, baseline: str, metric_name: str, notation: Notation, confidence: float
) -> str:
    """What one run a system risks, with how many the risk is below one in a hundred, and how well it is known."""
    rows = outlook.to_dict("records")
    first = rows[0]
    risk = first["wrong_sign"]
    if risk != risk and first["expected"] != 0:
        return "How much runs differ cannot be known from these, nor how often others would show another order."
    if risk != risk:
        return "The runs of both systems score the same on average, so there is no order that others could reverse."
    start = (
        f"With one run each, an estimated {chance(risk)} of experiments would show {baseline} and {system} in the"
        f" other order than these runs do on average ({notation.difference(first['expected'])} {metric_name})"
    )
    safe = [row["k"] for row in rows if row["wrong_sign"] < WELL_KNOWN]
    if risk >= WELL_KNOWN and safe:
        start += f"; with {counted(safe[0], 'run')} each it is fewer than one in a hundred"
    elif risk >= WELL_KNOWN and len(rows) > 1:
        start += f"; with {counted(rows[-1]['k'], 'run')} each it is still {chance(rows[-1]['wrong_sign'])}"
    return f"{start}. {_known(first, confidence)}"


def _known(first: Mapping[Any, Any], confidence: float) -> str:
    """How well the risk of one run each is known, and what that says of the order itself."""
    low, high = first["risk_low"], first["risk_high"]
    between = f"between {chance(low)} and {chance(high)} ({level(confidence)} interval)"
    said = f"These runs leave the risk of one run each {between}"
    return f"{said}: which system is ahead is itself open." if high > 0.5 else f"{said}."


def undeclared_sentence(design: Design) -> str:
    """What of the page knows nothing of how runs were declared; empty where they are independent."""
    if design == "independent":
        return ""
    declared = "as paired" if design == "paired" else "as those of a system against a fixed baseline"
    return (
        f"Runs were declared {declared}: the verdict, the sources of the variance and the plan go by that. Observed"
        " differences, published p-values, draws and the median run do not: they take all runs as independent."
    )


def advice_sentence(
    shares: Mapping[str, float], unit: str, n_runs: tuple[int, int], design: Design = "independent"
) -> str:
    """More runs or more test sentences? From the shares of the variance of the difference of the averages."""
    runs, test_set, both = shares["runs"], shares["test set"], shares["runs × test set"]
    counts = {
        "independent": f"{n_runs[0]} and {counted(n_runs[1], 'run')}",
        "paired": f"{counted(n_runs[1], 'pair')} of runs",
        "fixed": counted(n_runs[1], "run"),
    }[design]
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
        first = f"{_made(plan.runs, plan.design)} {agreeing(plan.runs, 'finds', 'find')} {what} on {units}."
        if (plan.runs_if_less, plan.runs_if_more) != (plan.runs, plan.runs):
            first += (
                f" How much runs vary is itself uncertain: between {_runs(plan.runs_if_less)} and"
                f" {_runs(plan.runs_if_more)} may be needed."
            )
    these = f"With {_made(plan.n_runs, plan.design)}"
    if plan.units is None:
        second = f"{these} no test set is large enough for it."
    else:
        second = f"{these} a test set of {counted(plan.units, unit)} suffices."
        if plan.n_units > plan.units and (plan.runs is None or plan.runs > plan.n_runs):
            second += f" One of {units} does not: so few runs say too little of how much runs vary."
    return [first, second]


def convince_sentence(plan: Any, metric_name: str, unit: str, notation: Notation) -> str:
    """How many more runs or units than the plan's it takes."""
    wish, n_runs = plan.wish, plan.n_runs
    what = f"To find a true difference of {notation.chosen(wish.target)} {metric_name} with {level(wish.power)} power"
    if plan.runs is not None and plan.runs <= n_runs:
        return f"{what}, these runs on this test set suffice."
    runs = (
        f"no number of runs suffices on {counted(plan.n_units, unit)}"
        if plan.runs is None
        else f"it takes {_made(plan.runs, plan.design)}, {plan.runs - n_runs:,} more"
    )
    if plan.units is None:
        units = "with these runs no test set is large enough"
    elif plan.units <= plan.n_units:
        units = "more of the test set would not help: so few runs say too little of how much runs vary"
    else:
        more = plan.units - plan.n_units
        units = f"with {_made(n_runs, plan.design)} it takes {counted(plan.units, unit)}, {more:,} more"
    return f"{what}, {runs}; {units}."


def level_sentence(test_level: float, n_compared: int) -> str:
    """At what level a planned test is made, and why it may be less than that of the settings."""
    if n_compared < 2:
        return f"Two-sided at the {level(test_level)} level of the settings."
    return (
        f"Two-sided at {percent(test_level, 2)}: the {level(test_level * n_compared)} of the settings over"
        f" {counted(n_compared, 'system')} compared with the baseline, the strictest step of Holm's correction."
    )


def power_loss_sentence(n_runs: int, unit: str) -> str:
    """Why a larger test set can have less power."""
    return (
        f"With {counted(n_runs, 'run')} of each system or fewer, a larger test set can have less power here. The"
        f" {unit}s that it adds take away the uncertainty that is well known; what is left comes from runs, so few of"
        " which say little of how much they vary, and the test has to allow for that. More runs mend it."
    )


def _made(number: int, design: Design) -> str:
    """So many runs, as they were declared."""
    return {
        "independent": f"{counted(number, 'run')} of each system",
        "paired": f"{counted(number, 'pair')} of runs",
        "fixed": f"{counted(number, 'run')} of the system",
    }[design]


def _runs(number: int | None) -> str:
    return "more runs than can be made" if number is None else counted(number, "run")


def median_refusal(unknown_spread: str, expected: float) -> str:
    """Why nothing can be said of the median run; empty where something can.

    Parameters
    ----------
    unknown_spread
        Why the runs do not show how much runs differ; empty where they do.
    expected
        Difference of the systems' averages, half of which is the measure of what is near.
    """
    if unknown_spread:
        return f"{unknown_spread} So nothing can be said of the median of other runs."
    if expected == 0:
        return (
            "The systems score the same on average. A median is called representative where it lies within half their"
            " difference of the mean, which is nothing here."
        )
    return ""


def median_sentence(system: str, runs: int | None, share: float, most: int) -> str:
    """From how many runs on the median run stands for its system."""
    if runs is None:
        return (
            f"{system}: if these runs show how much runs vary, even the median of {counted(most, 'run')} lies within"
            f" half the systems' difference of the true mean less often than {level(share)}; do not take one run for"
            " the system."
        )
    if runs == 1:
        return (
            f"{system}: if these runs show how much runs vary, any single run lies within half the systems' difference"
            f" of the true mean at least {level(share)} of the time."
        )
    return (
        f"{system}: if these runs show how much runs vary, the median of {counted(runs, 'run')} or more lies within"
        f" half the systems' difference of the true mean at least {level(share)} of the time: representative enough"
        " for manual analysis."
    )
