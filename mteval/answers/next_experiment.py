"""With one run per system: what may be claimed, and the cheapest next experiment."""

from collections.abc import Sequence
from dataclasses import replace

from mteval.analysis.replication.next_experiment import ENOUGH_RUNS, POWER, NextExperiment, next_experiments
from mteval.analysis.results import Results
from mteval.answers.section import Section
from mteval.base.words import counted, listed, named, plural
from mteval.values.notation import percent
from mteval.values.verdict import Verdict

MOST_NAMED = 4  # systems; tables name the others


def one_run_section(results: Results) -> Section | None:
    """Return what the primary metric lets you claim, and what next; None unless single runs decide."""
    experiments = _experiments(results)
    if not experiments:
        return None
    first = experiments[0].verdict
    clear = [experiment for experiment in experiments if experiment.is_clear]
    terms = []
    if clear:
        terms.append(("You can claim", _claim(clear, len(experiments))))
        not_yet = first.runs.filled("That a method or a training is better: another {run} could reverse the order.")
        terms.append(("Not yet", not_yet))
    else:
        terms.append(("You can claim", f"No difference yet: the choice of {plural(first.unit)} could explain it."))
    terms.append(("Cheapest next experiment", _next(results, experiments)))
    title = first.runs.filled("With one {run} per system")
    return Section("one-run", title, terms=tuple(terms))


def next_experiment_line(results: Results) -> str:
    """Return the cheapest next experiment in one line; empty unless single runs decide."""
    experiments = _experiments(results)
    if not experiments:
        return ""
    return f"Cheapest next experiment: {_next(results, experiments)}"


def _experiments(results: Results) -> tuple[NextExperiment, ...]:
    """Return the next experiment for each system by the primary metric, with its displayed name."""
    verdicts = []
    for verdict in results.verdicts(results.settings.primary_metric):
        baseline = results.name_of(verdict.baseline)
        verdicts.append(replace(verdict, system=results.name_of(verdict.system), baseline=baseline))
    return next_experiments(verdicts, results.settings)


def _claim(clear: Sequence[NextExperiment], n_compared: int) -> str:
    """Return what test-set luck ruled out lets you say."""
    sentences = []
    for conclusion in dict.fromkeys(experiment.verdict.conclusion for experiment in clear):
        verdicts = [experiment.verdict for experiment in clear if experiment.verdict.conclusion == conclusion]
        systems = named([verdict.system for verdict in verdicts], n_compared, "system")
        sentences.append(
            f"The output of {systems} is {conclusion.word} than that of {verdicts[0].baseline} by"
            f" {verdicts[0].metric_name} on text like this."
        )
    return " ".join(sentences)


def _next(results: Results, experiments: Sequence[NextExperiment]) -> str:
    """Return which further runs, and how many more segments, are worth most."""
    clear = [experiment for experiment in experiments if experiment.is_clear]
    unclear = [experiment for experiment in experiments if not experiment.is_clear]
    sentences = []
    if clear:
        sentences.append(_further_runs(results, clear))
    if unclear:
        sentences.append(_more_segments(unclear, is_of_all=not clear))
    return " ".join(sentences)


def _further_runs(results: Results, clear: Sequence[NextExperiment]) -> str:
    """Return which systems need how many runs, and up to which SD over runs these would show the difference."""
    first = clear[0].verdict
    text = f"Make {_missing_runs(results, clear)}."
    hardest = min(clear, key=lambda experiment: experiment.largest_deviation)
    if not hardest.largest_deviation > 0:
        verdict = hardest.verdict
        return (
            f"{text} Also add {plural(first.unit)}: these are too few to show a true difference of"
            f" {first.notation.difference(verdict.difference)} ({verdict.system}) with {percent(POWER, 0)} power."
        )
    deviation = first.notation.number(hardest.largest_deviation)
    return (
        f"{text} If {_difference(clear)} is true, {ENOUGH_RUNS} each show it with {percent(POWER, 0)} power, as long as"
        f" the SD over {first.runs.nouns} is at most {deviation}."
    )


def _missing_runs(results: Results, clear: Sequence[NextExperiment]) -> str:
    """Return ``2 more runs each of base and new``: what three runs per system lack."""
    first = clear[0].verdict
    needed = [experiment.verdict.system for experiment in clear]
    n_clear = len(needed)
    if first.design != "fixed":
        needed.insert(0, first.baseline)
    systems_by_number: dict[int, list[str]] = {}
    for summary in results.evaluation.summaries:
        if summary.test_set != results.test_set.name or summary.metric != results.settings.primary_metric:
            continue
        name = results.name_of(summary.system)
        if name in needed and summary.n_runs < ENOUGH_RUNS:
            systems_by_number.setdefault(ENOUGH_RUNS - summary.n_runs, []).append(name)
    parts = []
    for number, systems in systems_by_number.items():
        each = "each of" if len(systems) > 1 else "of"
        names = _named_if_few(systems, first.baseline, n_clear)
        parts.append(f"{counted(number, f'more {first.runs.noun}')} {each} {names}")
    return listed(parts)


def _named_if_few(systems: Sequence[str], baseline: str, n_clear: int) -> str:
    """Return the names of the baseline and clear systems; if they are many, the baseline and how many others."""
    if len(systems) <= MOST_NAMED:
        return listed(systems)
    n_systems = len(systems)
    start = ""
    if baseline in systems:
        n_systems -= 1
        start = f"{baseline} and "
    if n_systems < n_clear:
        start += f"{n_systems} of "
    return f"{start}the {counted(n_clear, 'system')} with a clear difference"


def _difference(clear: Sequence[NextExperiment]) -> str:
    """Return the smallest difference in words."""
    smallest: Verdict = min((experiment.verdict for experiment in clear), key=lambda verdict: abs(verdict.difference))
    return f"a difference of {smallest.notation.number(abs(smallest.difference))} {smallest.metric_name}"


def _more_segments(unclear: Sequence[NextExperiment], *, is_of_all: bool) -> str:
    """Return how many units would detect the usual difference, which needs no training."""
    most = max(unclear, key=lambda experiment: experiment.units_needed or float("inf"))
    verdict = most.verdict
    units = plural(verdict.unit)
    target = f"{verdict.notation.chosen(most.target)} {verdict.metric_name}"
    start = ""
    if not is_of_all:
        systems = listed([experiment.verdict.system for experiment in unclear])
        if len(unclear) > MOST_NAMED:
            systems = f"the {counted(len(unclear), 'system')} without a clear difference"
        start = f"For {systems}: "
    power = percent(POWER, 0)
    if most.detected <= most.target:
        detected = verdict.notation.number(most.detected)
        text = (
            f"only if differences below {detected} {verdict.metric_name} matter, more {units}: these detect larger ones"
            f" with {power} power."
        )
    elif most.units_needed is None:
        text = f"no number of {units} would detect {target}."
    else:
        needed = counted(_rounded(most.units_needed), verdict.unit)
        text = (
            f"use more {units} with the same systems: about {needed} detect a true"
            f" difference of {target} with {power} power (now {most.n_units:,})."
        )
    if not start:
        text = text[:1].upper() + text[1:]
    return start + text


def _rounded(number: int) -> int:
    """Return the next number with two significant digits: the standard error behind it is an estimate."""
    step = int(10 ** max(0, len(str(number)) - 2))
    return -(-number // step) * step
