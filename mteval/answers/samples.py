"""Samples of one trained model in words and as a table: sampling luck, the best and the worst of them."""

from collections.abc import Iterator, Sequence
from typing import Any

from mteval.base.words import counted, counted_range
from mteval.render.html import Markup, join, table, tag
from mteval.values.notation import DASH, Notation, level

COLUMNS = ("System", "Samples", "s (sampling)", "s (training) beyond it", "Mean", "Best", "Worst")
HELP = {
    "s (sampling)": "Standard deviation of the score of one sample of a trained model: sampling luck.",
    "s (training) beyond it": "Spread of runs beyond what sampling brings to their averages; a dash for one run.",
    "Best": "The best sample of a run, averaged over runs; it rises with the number of samples.",
    "Worst": "The worst sample of a run, averaged over runs; it falls with the number of samples.",
}


def sample_cells(rows: Sequence[Any], notation: Notation) -> Iterator[tuple[str, ...]]:
    """The cells of ``COLUMNS`` for rows by one metric, which are ``SampledRow`` values."""
    for row in rows:
        yield (
            row.system,
            f"{counted(row.n_runs, 'run')} × {row.fewest if row.fewest == row.most else f'{row.fewest}–{row.most}'}",
            notation.number(row.s_sample),
            notation.number(row.s_training, DASH),
            *(
                f"{notation.number(value)} ({notation.range(low, high)})"
                for value, low, high in (
                    (row.mean, row.mean_low, row.mean_high),
                    (row.best, row.best_low, row.best_high),
                    (row.worst, row.worst_low, row.worst_high),
                )
            ),
        )


def samples_table(rows: Sequence[Any], metric_name: str, notation: Notation, confidence: float) -> Markup:
    """The table for pages and reports."""
    what = f"{metric_name} of the samples of each run; best and worst are averaged over runs"
    caption = f"{what}; in brackets {_interval(confidence)}."
    cells = [[row[0], *map(_stacked, row[1:])] for row in sample_cells(rows, notation)]
    return table(COLUMNS, cells, caption=caption, help_texts=HELP)


def _stacked(cell: str) -> str:
    """The interval in brackets below its number, so that the table is no wider than a page."""
    number, is_there, rest = cell.partition(" (")
    return join((number, tag("span", f"({rest}", class_="mt-below")), " ") if is_there else cell


def sample_sentences(rows: Sequence[Any], metric_name: str, notation: Notation) -> Iterator[str]:
    """What the samples of each system say, and what they do not."""
    for row in rows:
        start = (
            f"{row.system}: one sample of a trained model differs from another by a standard deviation of"
            f" {notation.number(row.s_sample)} {metric_name} (sampling luck, {counted(row.df, 'degree')} of freedom)"
        )
        if row.n_runs == 1:
            yield (
                f"{start}. There is one trained model, so training luck is not answered: more samples of it show"
                " nothing of another training."
            )
        else:
            yield f"{start}; runs differ by {notation.number(row.s_training)} beyond that."


def methods_sentence(rows: Sequence[Any], confidence: float) -> str:
    """For the methods of a paper; empty where no run has several samples."""
    if not rows:
        return ""
    counts = [number for row in rows for number in (row.fewest, row.most)]
    systems = list(dict.fromkeys(row.system for row in rows))
    return (
        f"Of {' and '.join(systems) if len(systems) < 3 else counted(len(systems), 'system')} each run"
        f" holds {counted_range(counts, 'decoding sample')}, which were averaged within their run: they are no runs."
        " Sampling luck is the standard deviation of sample scores within runs; mean, best and worst have"
        f" {_interval(confidence)}."
    )


def _interval(confidence: float) -> str:
    return f"{level(confidence)} intervals for another choice of the test set, these samples taken as given"
