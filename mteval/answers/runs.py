"""How unstable each system is: its runs beside one another, what their spread suggests, and samples within a run.

Like is compared with like, and chance is asked first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from mteval.analysis.results import Results, spreads
from mteval.analysis.summary import SampledRow
from mteval.answers.procedures import UNIT_NAMES
from mteval.answers.section import Cell, Column, Row, Section, Table, noted
from mteval.answers.variance import larger_source
from mteval.base.words import counted, counted_range
from mteval.metrics.base import MetricSpec
from mteval.values.notation import level, p_equals, percent
from mteval.values.run_words import RUN, RunWord
from mteval.values.verdict import Spreads

_ADVICE = {
    "runs": "further {runs} would help more than a larger test set",
    "test set": "a larger test set would help more than further {runs}",
    "both": "a larger test set and further {runs} would both help",
}
FEWEST_IN_HISTOGRAM = 5  # runs


def spread_remarks(spreads: Spreads, level: float, runs: RunWord = RUN) -> Iterator[str]:
    """What the spreads of one system suggest; nothing where they suggest nothing.

    Parameters
    ----------
    level
        Up to which a p-value is more than chance.
    runs
        What a run is called.
    """
    if spreads.s_test > spreads.s_dev and spreads.p_larger <= level:
        yield _larger_on_test(spreads, runs)
    if spreads.is_open and spreads.error_test_set > 0 and spreads.error_runs >= 0:
        yield _sources(spreads, runs)


def _larger_on_test(spreads: Spreads, runs: RunWord) -> str:
    """Clark et al. 2011, section 4.1."""
    number = spreads.notation.number
    holm = f" after Holm over {counted(spreads.n_tested, 'such pair')}" if spreads.n_tested > 1 else ""
    return (
        f"{spreads.system}: {spreads.metric_name} varies more between the same {counted(spreads.n_runs, runs.noun)} on"
        f" the test set ({number(spreads.s_test)}) than on the tuning set ({number(spreads.s_dev)}), and by more than"
        f" chance (test of Pitman and Morgan, {p_equals(spreads.p_larger)}{holm}): {runs.nouns} that do equally well in"
        " tuning may differ in how well they generalize."
    )


def _sources(spreads: Spreads, runs: RunWord) -> str:
    """Standard errors of the same difference, from either source."""
    number, advice = spreads.notation.number, larger_source(spreads.error_runs**2, spreads.error_test_set**2)
    return (
        f"{spreads.system}: the standard error of the difference from {spreads.baseline} in {spreads.metric_name} is"
        f" {number(spreads.error_test_set)} from the choice of {UNIT_NAMES[spreads.unit]} and"
        f" {number(spreads.error_runs)} from which {runs.nouns} were made: {runs.filled(_ADVICE[advice])}."
    )


def overlap_sentence(
    baseline: str, system: str, baseline_scores: Sequence[float], scores: Sequence[float], runs: RunWord = RUN
) -> str:
    """How many pairs of single runs would have shown the opposite of the averages, or no difference.

    All pairs of a run of one system with a run of the other are counted. Runs without a score are left out.
    """
    first, second = (
        np.array([x for x in values if np.isfinite(x)], dtype=float) for values in (baseline_scores, scores)
    )
    if not len(first) or not len(second):
        return f"{baseline} and {system} have no {runs.noun} scores to compare."
    difference = float(second.mean() - first.mean())
    n_pairs = len(first) * len(second)
    if n_pairs == 1:
        return f"One {runs.noun} of {baseline} and one of {system}: how far their scores overlap cannot be seen."
    if np.isclose(difference, 0, atol=1e-9):
        return f"{baseline} and {system} have the same average."
    opposite = int(np.sum(np.subtract.outer(second, first) * np.sign(difference) <= 1e-9))
    above, below = (system, baseline) if difference > 0 else (baseline, system)
    if not opposite:
        return (
            f"The scores do not overlap: every {runs.noun} of {above} scores higher than every {runs.noun} of {below}."
        )
    return (
        f"The scores overlap: on average {above} scores higher, but in {opposite:,} of {n_pairs:,} pairs of single"
        f" {runs.nouns} ({percent(opposite / n_pairs, 0)}) {below} scores as high or higher."
    )


def runs_section(results: Results, metric: str) -> Section:
    """Every run's score by one metric, with both kinds of spread."""
    from mteval.figures.runs import run_strip  # here, since not every command draws
    from mteval.figures.style import system_colors

    order, spec = [system.key for system in results.experiment.systems], results.spec(metric)
    summary = results.rows(results.evaluation.summary, metric)
    summary = summary.sort_values("system", key=lambda column: column.map(order.index))
    scores = results.rows(results.evaluation.scores, metric)
    runs = results.run_word
    figure = partial(run_strip, scores, summary, system_colors(order), spec.name, spec.notation, runs)
    title, legend = f"{runs.filled('{Runs}')} and spreads by {spec.name}", strip_help(max(results.run_counts), runs)
    return Section(f"{metric}-runs", title, figure=figure, legend=legend)


def strip_help(most_runs: int, runs: RunWord = RUN) -> str:
    """How the strip of runs is read, where a system has at most so many."""
    bar = "The thin bar is s (test set) to both sides, which another choice of sentences would bring"
    if most_runs == 1:
        return (
            f"Each dot is the one {runs.noun} of its system, as the diamond is. {bar}; from one {runs.noun} nothing is"
            " known of others."
        )
    return (
        f"Each dot is a {runs.noun}, the open one the median {runs.noun}; the diamond is the average."
        f" {bar}; the thick one is s (training), which another {runs.noun} would."
    )


def shows_runs(results: Results) -> bool:
    """Whether the runs show what the forest does not; many systems with one run each show no more."""
    return not results.has_many_systems or max(results.run_counts) > 1


def histogram_section(results: Results, metric: str, systems: Sequence[str] | None = None) -> Section | None:
    """Clark et al.'s Figure 1: run scores of the systems, of all where none is named; None of too few runs."""
    if max(results.run_counts) < FEWEST_IN_HISTOGRAM:
        return None
    from mteval.figures.runs import run_histogram  # here, since not every command draws
    from mteval.figures.style import system_colors

    scores, spec = results.rows(results.evaluation.scores, metric), results.spec(metric)
    chosen = tuple(results.systems if systems is None else systems)
    colors = system_colors([system.key for system in results.experiment.systems])
    figure = partial(run_histogram, scores, chosen, colors, spec.name, spec.notation, results.run_word)
    return Section(f"{metric}-histogram", "", figure=figure)


def overlap_section(results: Results, metric: str, system: str) -> Section:
    """How far the run scores of a system overlap with those of the baseline, with their histogram."""
    pair, scores = (results.experiment.baseline, system), results.rows(results.evaluation.scores, metric)
    first, second = (scores.loc[scores["system"] == key, "score"].tolist() for key in pair)
    histogram = histogram_section(results, metric, pair)
    parts = () if histogram is None else (histogram,)
    said = overlap_sentence(*pair, first, second, results.run_word)
    return Section(f"{metric}-overlap", "", parts=parts, lead=(said,))


def spreads_section(results: Results) -> Section | None:
    """What the spreads suggest, by the primary metric and, folded away, by the others; None where nothing is said."""
    primary, level = results.settings.primary_metric, 1 - results.settings.confidence
    of_primary, others = list[str](), list[str]()
    for row in spreads(results):
        (of_primary if row.metric == primary else others).extend(spread_remarks(row, level, results.run_word))
    if not of_primary and not others:
        return None
    further = Section(
        "spreads-others", "What the spreads of the other metrics suggest", notes=noted(*others), is_detail=True
    )
    said = noted(*of_primary)
    title = "What the spreads suggest" if said else ""
    return Section("spreads", title, notes=said, parts=(further,) if others else ())


def samples_section(results: Results) -> Section | None:
    """Sampling luck, and the best and worst sample of a run, by every metric; None where no run has several samples."""
    runs = results.run_word
    parts = tuple(_samples_by(results, metric) for metric in results.metrics if results.sampled(metric))
    return Section("samples", f"Samples of each {runs.noun}", parts=parts) if parts else None


def _samples_by(results: Results, metric: str) -> Section:
    spec, confidence, runs = results.spec(metric), results.settings.confidence, results.run_word
    rows = [replace(row, system=results.name_of(row.system)) for row in results.sampled(metric)]
    frame = pd.DataFrame([vars(row) for row in rows])
    each = runs.filled("of {a_run}, averaged over {runs}")
    columns = (
        Column("system", "System"),
        Column("n_samples", "Samples", "text", write=partial(_samples, runs)),
        Column(
            "s_sample", "s (sampling)", "number",
            "Standard deviation of the score of one sample of a trained model: sampling luck.",
        ),
        Column(
            "s_training", "s (training) beyond it", "number",
            runs.filled("Spread of {runs} beyond what sampling brings to their averages; a dash for one {run}."),
        ),
        _within("mean", "Mean", ""),
        _within("best", "Best", f"The best sample {each}; it rises with the number of samples."),
        _within("worst", "Worst", f"The worst sample {each}; it falls with the number of samples."),
    )  # fmt: skip
    title = f"{spec.name}, samples of each {runs.noun}"
    notes = (
        *noted(*(_sample_sentence(row, spec, runs) for row in rows)),
        *noted(f"Best and worst are averaged over {runs.nouns}; in brackets {_samples_interval(confidence)}."),
    )
    return Section(f"{spec.key}-samples", title, table=Table(columns, frame, notation=spec.notation), notes=notes)


def _within(key: str, name: str, help: str) -> Column:
    """A number with its interval for another choice of the test set below it."""

    def write(row: Row) -> Cell:
        notation = row["notation"]
        return Cell(notation.number(row[key]), below=f"({notation.range(row[f'{key}_low'], row[f'{key}_high'])})")

    return Column(key, name, "number", help, (key, f"{key}_low", f"{key}_high"), write=write)


def _samples(runs: RunWord, row: Row) -> str:
    each = row["fewest"] if row["fewest"] == row["most"] else f"{row['fewest']}–{row['most']}"
    return f"{counted(row['n_runs'], runs.noun)} × {each}"


def _sample_sentence(row: SampledRow, spec: MetricSpec, runs: RunWord) -> str:
    """What the samples of a system say, and what they do not."""
    start = (
        f"{row.system}: one sample of a trained model differs from another by a standard deviation of"
        f" {spec.notation.number(row.s_sample)} {spec.name} (sampling luck, {counted(row.df, 'degree')} of freedom)"
    )
    if row.n_runs == 1:
        return (
            f"{start}. There is one trained model, so {runs.luck} is not answered: more samples of it show nothing of"
            " another training."
        )
    return f"{start}; {runs.nouns} differ by {spec.notation.number(row.s_training)} beyond that."


def samples_methods(rows: Sequence[SampledRow], confidence: float, runs: RunWord = RUN) -> str:
    """For the methods of a paper; empty where no run has several samples."""
    if not rows:
        return ""
    counts = [number for row in rows for number in (row.fewest, row.most)]
    systems = list(dict.fromkeys(row.system for row in rows))
    return (
        f"Of {' and '.join(systems) if len(systems) < 3 else counted(len(systems), 'system')} each {runs.noun}"
        f" holds {counted_range(counts, 'decoding sample')}, which were averaged within their {runs.noun}: they are no"
        f" {runs.nouns}. Sampling luck is the standard deviation of sample scores within {runs.nouns}; mean, best and"
        f" worst have {_samples_interval(confidence)}."
    )


def _samples_interval(confidence: float) -> str:
    return f"{level(confidence)} intervals for another choice of the test set, these samples taken as given"
