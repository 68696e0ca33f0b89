"""Planned looks in words: at which numbers of runs one looked, at which levels, and what these hold."""

from collections.abc import Iterator, Sequence

from mteval.base.words import counted, listed
from mteval.values.notation import fixed, level, percent, significant
from mteval.values.run_words import RunWord
from mteval.values.settings import SPENDING_NAMES, LookPlan, Settings, looks_in_words


def look_sentences(settings: Settings) -> Iterator[str]:
    """For the methods of a paper; nothing where all runs were made before the first number was seen."""
    plan = settings.look_plan
    if plan is None:
        return
    nouns = settings.runs.nouns
    is_constant = len(set(plan.levels)) == 1
    levels = f"{_level(plan.levels[0])} each" if is_constant else listed([_level(one) for one in plan.levels])
    yield (
        f"{nouns.capitalize()} were added after looking: looks were planned at {looks_in_words(plan.looks, nouns)} of"
        f" each system, at {levels}, and p-values of both kinds of luck are multiplied so that {level(plan.level)}"
        " holds over all looks."
    )


def plan_words(plan: LookPlan) -> str:
    """What a plan holds, for who chooses it."""
    levels = ", ".join(f"{number}: {_level(one)}" for number, one in zip(plan.looks, plan.levels, strict=True))
    return (
        f"Levels by number of runs ({SPENDING_NAMES[plan.spending]}) {levels}. Over all looks at most"
        f" {percent(plan.attained)} of experiments without a difference claim one, where runs shift up to five times"
        f" the noise of one and up to 5:1 between the systems; up to {percent(plan.beyond)} in harder settings."
        f" Testing at {level(plan.level)} at every look claims up to {percent(plan.unplanned)}."
    )


def look_power_sentence(plan: LookPlan, found: Sequence[float], mean_runs: float, what: str, runs: RunWord) -> str:
    """What a plan finds, look by look, and how many runs it takes on average."""
    by_look = [f"{percent(share, 0)} by {number}" for number, share in zip(plan.looks, found, strict=True)]
    return (
        f"With looks at {looks_in_words(plan.looks, runs.nouns)} of each system {what} is found with probability"
        f" {listed(by_look)} {runs.nouns}; on average {fixed(mean_runs, 1)} of the"
        f" {counted(plan.looks[-1], runs.noun)} are made."
    )


def unplanned_sentence(seen: Sequence[int], runs: RunWord) -> str:
    """What it means that the same systems were scored before with fewer runs."""
    counts = f"{listed([str(number) for number in seen])} {runs.noun if list(seen) == [1] else runs.nouns}"
    return (
        f"These systems were scored before with {counts} of each. If {runs.nouns} were added because of what was seen"
        " then, p of both kinds of luck is too small: say so in the settings, under “Runs added after looking”."
    )


def _level(value: float) -> str:
    return f"{significant(100 * value, 2)}%"
