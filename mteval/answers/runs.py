"""How unstable each system is: its runs, what their standard deviations suggest, and samples within a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

import numpy as np
import pandas as pd

from mteval import figures
from mteval.analysis.results import Results, spreads
from mteval.answers.section import Cell, Column, Row, Section, Table, noted
from mteval.base.words import counted, counted_range, plural
from mteval.values.notation import level, p_equals, percent
from mteval.values.run_words import RUN, RunWord
from mteval.values.verdict import Spreads

Source = Literal["runs", "test set", "both"]
FEWEST_IN_HISTOGRAM = 5  # runs


def larger_source(runs: float, test_set: float) -> Source:
    """Return which of two variances of a difference is more than twice the other; ``both`` if neither is."""
    if runs > 2 * test_set:
        return "runs"
    return "test set" if test_set > 2 * runs else "both"


def spread_notes(spreads: Spreads, level: float, runs: RunWord = RUN) -> Iterator[str]:
    """Yield what the standard deviations of one system suggest.

    Parameters
    ----------
    level
        Significance level.
    runs
        The word for a run.
    """
    number = spreads.notation.number
    if spreads.s_test > spreads.s_dev and spreads.p_larger <= level:  # Clark et al. 2011, section 4.1
        holm = ", Holm" if spreads.n_tested > 1 else ""
        yield (
            f"{spreads.system}: {spreads.metric_name} varies more on the test set (SD {number(spreads.s_test)}) than on"
            f" the tuning set (SD {number(spreads.s_dev)}; Pitman–Morgan test{holm}, {p_equals(spreads.p_larger)})."
            f" Some {runs.nouns} generalize better than others."
        )
    if spreads.is_open and spreads.error_test_set > 0 and spreads.error_runs >= 0:
        advice = {
            "runs": "more {runs} would help more than a larger test set",
            "test set": "a larger test set would help more than more {runs}",
            "both": "a larger test set and more {runs} would both help",
        }[larger_source(spreads.error_runs**2, spreads.error_test_set**2)]
        yield (
            f"{spreads.system}, {spreads.metric_name}: {runs.filled(advice)}. Standard error of the difference:"
            f" {number(spreads.error_test_set)} from {plural(spreads.unit)}, {number(spreads.error_runs)} from"
            f" {runs.nouns}."
        )


def overlap_sentence(
    baseline: str, system: str, baseline_scores: Sequence[float], scores: Sequence[float], runs: RunWord = RUN
) -> str:
    """Return how many pairs of single runs would reverse the order of the averages.

    All pairs of a run of one system with a run of the other are counted. Runs without a score are ignored.
    """
    first, second = (np.array(values)[np.isfinite(values)] for values in (baseline_scores, scores))
    if not len(first) or not len(second):
        return f"{baseline} and {system} have no {runs.noun} scores to compare."
    difference, n_pairs = float(second.mean() - first.mean()), len(first) * len(second)
    if n_pairs == 1:
        return f"One {runs.noun} each: how far the scores of {baseline} and {system} overlap is unknown."
    if np.isclose(difference, 0, atol=1e-9):
        return f"{baseline} and {system} have the same average."
    opposite = int(np.sum(np.subtract.outer(second, first) * np.sign(difference) <= 1e-9))
    above, below = (system, baseline) if difference > 0 else (baseline, system)
    if not opposite:
        return f"No overlap: every {runs.noun} of {above} scores higher than every {runs.noun} of {below}."
    return (
        f"Overlap: {above} scores higher on average, but {below} is equal or higher in {opposite:,} of {n_pairs:,}"
        f" pairs of {runs.nouns} ({percent(opposite / n_pairs, 0)})."
    )


def runs_section(results: Results, metric: str) -> Section:
    """Return every run's score by one metric, with both standard deviations; how few runs overlap."""
    order, spec = [system.key for system in results.experiment.systems], results.spec(metric)
    summary = results.rows(results.evaluation.summary, metric)
    summary = summary.sort_values("system", key=lambda column: column.map(order.index))
    scores = results.rows(results.evaluation.scores, metric)
    runs, baseline, most = results.run_word, results.experiment.baseline, max(results.run_counts)
    is_told = 1 < most < FEWEST_IN_HISTOGRAM and baseline in results.systems and not results.has_many_systems
    of = {str(system): found.tolist() for system, found in scores.groupby("system")["score"]}
    others = [system for system in of if system != baseline] if is_told else []
    lead = tuple(overlap_sentence(baseline, system, of[baseline], of[system], runs) for system in others)
    how = figures.colors.system_colors(order), spec.name, spec.notation, runs
    title, draw = runs.filled("{Runs} by {metric}", metric=spec.name), partial(figures.runs.run_strip, scores, summary)
    return Section(f"{metric}-runs", title, lead, figure=partial(draw, *how), legend=strip_help(most, runs))


def strip_help(most_runs: int, runs: RunWord = RUN) -> str:
    """Return how to read the strip of runs, if a system has at most so many."""
    if most_runs == 1:
        return f"Dot: the {runs.noun}. Bar: ±1 SD (test set)."
    return runs.filled(
        "Dots: {runs} (open: median). Diamond: mean. Thin bar: ±1 SD (test set). Thick bar: ±1 SD ({kind})."
    )


def shows_runs(results: Results) -> bool:
    """Return whether the runs show more than the forest plot does."""
    return not results.has_many_systems or max(results.run_counts) > 1


def histogram_section(results: Results, metric: str, systems: Sequence[str] | None = None) -> Section | None:
    """Return Clark et al.'s Figure 1: run scores of the systems (default: all); None for too few runs."""
    if max(results.run_counts) < FEWEST_IN_HISTOGRAM:
        return None
    scores, spec = results.rows(results.evaluation.scores, metric), results.spec(metric)
    chosen = tuple(results.systems if systems is None else systems)
    colors = figures.colors.system_colors([system.key for system in results.experiment.systems])
    how = spec.name, spec.notation, results.run_word
    return Section(f"{metric}-histogram", "", figure=partial(figures.runs.run_histogram, scores, chosen, colors, *how))


def overlap_section(results: Results, metric: str, system: str) -> Section:
    """Return how far the run scores of a system overlap with the baseline's, with their histogram."""
    pair, scores = (results.experiment.baseline, system), results.rows(results.evaluation.scores, metric)
    first, second = (scores.loc[scores["system"] == key, "score"].tolist() for key in pair)
    histogram, said = histogram_section(results, metric, pair), overlap_sentence(*pair, first, second, results.run_word)
    return Section(f"{metric}-overlap", "", (said,), parts=() if histogram is None else (histogram,))


def spreads_section(results: Results) -> Section | None:
    """Return what to do next, by the primary metric and, folded away, by the others; None if nothing."""
    primary, level = results.settings.primary_metric, results.settings.level
    of_primary, others = list[str](), list[str]()
    for row in spreads(results):
        (of_primary if row.metric == primary else others).extend(spread_notes(row, level, results.run_word))
    if not of_primary and not others:
        return None
    further = Section("spreads-others", "By the other metrics", notes=noted(*others), is_detail=True)
    title = "What to do next" if of_primary else ""
    return Section("spreads", title, notes=noted(*of_primary), parts=(further,) if others else ())


def samples_section(results: Results) -> Section | None:
    """Return sampling luck, and the best and worst sample of a run, by every metric; None without several samples.

    Outputs of nested runs are samples of their training.
    """
    title = f"{plural(_what(results)).capitalize()} of each {results.run_word.noun}"
    parts = tuple(_samples_by(results, metric) for metric in results.metrics if results.sampled(metric))
    return Section("samples", title, parts=parts) if parts else None


def _what(results: Results) -> str:
    return "output" if results.experiment.nested else "sample"


def _samples_by(results: Results, metric: str) -> Section:
    spec, runs, what = results.spec(metric), results.run_word, _what(results)
    within = "within" if results.experiment.nested else "sampling"
    rows = [replace(row, system=results.name_of(row.system)) for row in results.sampled(metric)]
    frame = pd.DataFrame([vars(row) for row in rows])
    each = runs.filled("of {a_run}, averaged over {runs}")
    columns = (
        Column("system", "System"),
        Column("n_samples", plural(what).capitalize(), "text", write=partial(_samples, runs)),
        Column("s_sample", f"SD ({within})", "number",
               f"Standard deviation over the {plural(what)} of one {runs.noun}; of its samples: sampling luck."),
        _within("s_training", "SD (training)", runs.filled("Standard deviation over {runs}, beyond that within one.")),
        _within("mean", "Mean", ""),
        _within("best", "Best", f"The best {what} {each}; increases with the number of {plural(what)}."),
        _within("worst", "Worst", f"The worst {what} {each}; decreases with the number of {plural(what)}."),
    )  # fmt: skip
    alone = ", ".join(row.system for row in rows if row.n_runs == 1)
    notes = noted(
        f"{runs.luck.capitalize()} is unknown, with one trained model: {alone}." if alone else "",
        f"In brackets: {_samples_interval(results.settings.confidence)}; of SD (training), for other trained models.",
    )
    title = f"{spec.name}, {plural(what)} of each {runs.noun}"
    return Section(f"{spec.key}-samples", title, table=Table(columns, frame, notation=spec.notation), notes=notes)


def _within(key: str, name: str, help: str) -> Column:
    """Return a number with its interval below it."""

    def write(row: Row) -> Cell:
        notation, low, high = row["notation"], row[f"{key}_low"], row[f"{key}_high"]
        return Cell(notation.number(row[key]), below=f"({notation.range(low, high)})" if low == low else "")

    return Column(key, name, "number", help, (key, f"{key}_low", f"{key}_high"), write=write)


def _samples(runs: RunWord, row: Row) -> str:
    each = row["fewest"] if row["fewest"] == row["most"] else f"{row['fewest']}–{row['most']}"
    return f"{counted(row['n_runs'], runs.noun)} × {each}"


def samples_methods(results: Results) -> str:
    """Return how samples were treated, for the methods of a paper; empty if no run has several samples."""
    rows, runs = results.sampled(), results.run_word
    if not rows:
        return ""
    counts = [number for row in rows for number in (row.fewest, row.most)]
    systems, samples = list(dict.fromkeys(row.system for row in rows)), plural(_what(results))
    whose = " and ".join(systems) if len(systems) < 3 else counted(len(systems), "system")
    what, name = ("output", "SD (within)") if results.experiment.nested else ("decoding sample", "Sampling luck")
    return (
        f"Each {runs.noun} of {whose} has {counted_range(counts, what)}, which were averaged within the {runs.noun}."
        f" {name} is the standard deviation of {samples} within {runs.nouns}; means, best and worst {samples} have"
        f" {_samples_interval(results.settings.confidence)}."
    )


def _samples_interval(confidence: float) -> str:
    return f"{level(confidence)} confidence intervals for test-set luck"
