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
MOST_NAMED = 2  # systems with samples, in the methods of a paper
EQUAL = 1e-9  # differences up to this size are rounding
_ADVICE = {
    "runs": "more {runs} would help more than a larger test set",
    "test set": "a larger test set would help more than more {runs}",
    "both": "a larger test set and more {runs} would both help",
}


def larger_source(runs: float, test_set: float) -> Source:
    """Return which of two variances of a difference is more than twice the other; ``both`` if neither is."""
    if runs > 2 * test_set:
        return "runs"
    if test_set > 2 * runs:
        return "test set"
    return "both"


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
    if spreads.s_opt > spreads.s_dev and spreads.p_larger <= level:  # Clark et al. 2011, section 4.1
        holm = ", Holm" if spreads.n_tested > 1 else ""
        yield (
            f"{spreads.system}: {spreads.metric_name} varies more on the test set (SD {number(spreads.s_opt)}) than on"
            f" the tuning set (SD {number(spreads.s_dev)}; Pitman–Morgan test{holm}, {p_equals(spreads.p_larger)})."
            f" Some {runs.nouns} generalize better than others."
        )
    has_errors = spreads.error_test_set > 0 and spreads.error_runs >= 0  # not if NaN
    if spreads.is_open and has_errors:
        advice = _ADVICE[larger_source(spreads.error_runs**2, spreads.error_test_set**2)]
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
    of_baseline = np.array(baseline_scores)[np.isfinite(baseline_scores)]
    of_system = np.array(scores)[np.isfinite(scores)]
    if not len(of_baseline) or not len(of_system):
        return f"{baseline} and {system} have no {runs.noun} scores to compare."
    n_pairs = len(of_baseline) * len(of_system)
    if n_pairs == 1:
        return f"One {runs.noun} each: how far the scores of {baseline} and {system} overlap is unknown."
    difference = float(of_system.mean() - of_baseline.mean())
    if np.isclose(difference, 0, atol=EQUAL):
        return f"{baseline} and {system} have the same average."

    above, below = (system, baseline) if difference > 0 else (baseline, system)
    # One row per run of the system, one column per run of the baseline; positive where the pair agrees with the means
    agreement = np.subtract.outer(of_system, of_baseline) * np.sign(difference)
    n_reversed = int(np.sum(agreement <= EQUAL))
    if not n_reversed:
        return f"No overlap: every {runs.noun} of {above} scores higher than every {runs.noun} of {below}."
    return (
        f"Overlap: {above} scores higher on average, but {below} is equal or higher in {n_reversed:,} of {n_pairs:,}"
        f" pairs of {runs.nouns} ({percent(n_reversed / n_pairs, 0)})."
    )


def runs_section(results: Results, metric: str) -> Section:
    """Return every run's score by one metric, with both standard deviations; how few runs overlap."""
    runs = results.run_word
    spec = results.spec(metric)
    baseline = results.experiment.baseline
    order = [system.key for system in results.experiment.systems]
    summary = results.rows(results.evaluation.summary, metric)
    summary = summary.sort_values("system", key=lambda column: column.map(order.index))
    scores = results.rows(results.evaluation.scores, metric)

    # With few runs, a sentence describes the overlap instead of a histogram.
    lead = []
    most_runs = max(results.run_counts)
    has_few_runs = 1 < most_runs < FEWEST_IN_HISTOGRAM
    if has_few_runs and baseline in results.systems and not results.has_many_systems:
        scores_of = {str(system): of_system.tolist() for system, of_system in scores.groupby("system")["score"]}
        for system in scores_of:
            if system != baseline:
                lead.append(overlap_sentence(baseline, system, scores_of[baseline], scores_of[system], runs))

    title = runs.filled("{Runs} by {metric}", metric=spec.name)
    colors = figures.colors.system_colors(order)
    figure = partial(figures.runs.run_strip, scores, summary, colors, spec.name, spec.notation, runs)
    return Section(f"{metric}-runs", title, tuple(lead), figure=figure, legend=strip_help(most_runs, runs))


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
    if systems is None:
        systems = results.systems
    spec = results.spec(metric)
    scores = results.rows(results.evaluation.scores, metric)
    colors = figures.colors.system_colors([system.key for system in results.experiment.systems])
    word = results.run_word
    figure = partial(figures.runs.run_histogram, scores, tuple(systems), colors, spec.name, spec.notation, word)
    return Section(f"{metric}-histogram", "", figure=figure)


def overlap_section(results: Results, metric: str, system: str) -> Section:
    """Return how far the run scores of a system overlap with the baseline's, with their histogram."""
    baseline = results.experiment.baseline
    scores = results.rows(results.evaluation.scores, metric)
    of_baseline = scores.loc[scores["system"] == baseline, "score"].tolist()
    of_system = scores.loc[scores["system"] == system, "score"].tolist()
    sentence = overlap_sentence(baseline, system, of_baseline, of_system, results.run_word)
    histogram = histogram_section(results, metric, (baseline, system))
    return Section(f"{metric}-overlap", "", (sentence,), parts=() if histogram is None else (histogram,))


def spreads_section(results: Results) -> Section | None:
    """Return what to do next, by the primary metric and, folded away, by the others; None if nothing."""
    settings = results.settings
    by_primary: list[str] = []
    by_others: list[str] = []
    for row in spreads(results):
        notes = spread_notes(row, settings.level, results.run_word)
        if row.metric == settings.primary_metric:
            by_primary.extend(notes)
        else:
            by_others.extend(notes)
    if not by_primary and not by_others:
        return None

    title = "What to do next" if by_primary else ""
    parts: tuple[Section, ...] = ()
    if by_others:
        parts = (Section("spreads-others", "By the other metrics", notes=noted(*by_others), is_detail=True),)
    return Section("spreads", title, notes=noted(*by_primary), parts=parts)


def samples_section(results: Results) -> Section | None:
    """Return sampling luck, and the best and worst sample of a run, by every metric; None without several samples.

    Outputs of nested runs are samples of their training.
    """
    parts = tuple(_samples_by(results, metric) for metric in results.metrics if results.sampled(metric))
    if not parts:
        return None
    title = f"{plural(_sample_noun(results)).capitalize()} of each {results.run_word.noun}"
    return Section("samples", title, parts=parts)


def _sample_noun(results: Results) -> str:
    return "output" if results.experiment.nested else "sample"


def _samples_by(results: Results, metric: str) -> Section:
    """Return the number and spread of samples by one metric, and their mean, best and worst."""
    runs = results.run_word
    spec = results.spec(metric)
    noun = _sample_noun(results)
    nouns = plural(noun)
    rows = [replace(row, system=results.name_of(row.system)) for row in results.sampled(metric)]

    within = "within" if results.experiment.nested else "sampling"
    within_help = f"Standard deviation over the {nouns} of one {runs.noun}; of its samples: sampling luck."
    training_help = runs.filled("Standard deviation over {runs}, beyond that within one.")
    averaged = runs.filled("of {a_run}, averaged over {runs}")
    columns = (
        Column("system", "System"),
        Column("n_samples", nouns.capitalize(), "text", write=partial(_n_samples, runs)),
        Column("s_sample", f"SD ({within})", "number", within_help),
        _with_interval("s_training", "SD (training)", training_help),
        _with_interval("mean", "Mean", ""),
        _with_interval("best", "Best", f"The best {noun} {averaged}; increases with the number of {nouns}."),
        _with_interval("worst", "Worst", f"The worst {noun} {averaged}; decreases with the number of {nouns}."),
    )
    table = Table(columns, pd.DataFrame([vars(row) for row in rows]), notation=spec.notation)

    notes = []
    single = [row.system for row in rows if row.n_runs == 1]
    if single:
        notes.append(f"{runs.luck.capitalize()} is unknown, with one trained model: {', '.join(single)}.")
    intervals = _sample_intervals(results.settings.confidence)
    notes.append(f"In brackets: {intervals}; of SD (training), for other trained models.")
    title = f"{spec.name}, {nouns} of each {runs.noun}"
    return Section(f"{spec.key}-samples", title, table=table, notes=noted(*notes))


def _with_interval(key: str, name: str, help: str) -> Column:
    """Return a column of numbers with their intervals below them."""

    def write(row: Row) -> Cell:
        notation = row["notation"]
        low = row[f"{key}_low"]
        high = row[f"{key}_high"]
        is_known = low == low
        interval = f"({notation.range(low, high)})" if is_known else ""
        return Cell(notation.number(row[key]), below=interval)

    return Column(key, name, "number", help, (key, f"{key}_low", f"{key}_high"), write=write)


def _n_samples(runs: RunWord, row: Row) -> str:
    """Return ``3 runs × 4``, or ``3 runs × 2–4`` if their numbers of samples differ."""
    n_samples = str(row["fewest"])
    if row["fewest"] != row["most"]:
        n_samples = f"{row['fewest']}–{row['most']}"
    return f"{counted(row['n_runs'], runs.noun)} × {n_samples}"


def samples_methods(results: Results) -> str:
    """Return how samples were treated, for the methods of a paper; empty if no run has several samples."""
    rows = results.sampled()
    if not rows:
        return ""
    runs = results.run_word
    systems = list(dict.fromkeys(row.system for row in rows))
    whose = counted(len(systems), "system")
    if len(systems) <= MOST_NAMED:
        whose = " and ".join(systems)
    noun = "decoding sample"
    spread = "Sampling luck"
    if results.experiment.nested:
        noun = "output"
        spread = "SD (within)"
    n_samples: list[int] = []
    for row in rows:
        n_samples += (row.fewest, row.most)
    samples = plural(_sample_noun(results))
    return (
        f"Each {runs.noun} of {whose} has {counted_range(n_samples, noun)}, which were averaged within the {runs.noun}."
        f" {spread} is the standard deviation of {samples} within {runs.nouns}; means, best and worst {samples} have"
        f" {_sample_intervals(results.settings.confidence)}."
    )


def _sample_intervals(confidence: float) -> str:
    return f"{level(confidence)} confidence intervals for test-set luck"
