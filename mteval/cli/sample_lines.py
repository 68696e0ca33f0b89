"""What commands print of several samples of a run."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from mteval.analysis.samples import SampledRow
from mteval.export.prose.samples import COLUMNS, sample_cells, sample_sentences
from mteval.export.tables import aligned
from mteval.metrics.base import MetricSpec
from mteval.run_words import Wording


def sample_lines(
    rows: Sequence[SampledRow], specs: Mapping[str, MetricSpec], names: Mapping[str, str], said: Wording
) -> Iterator[str]:
    """Sampling luck by every metric, on one test set; nothing where no run has several samples.

    Parameters
    ----------
    names
        From a system's key to how it is shown, where that differs.
    said
        How to say what is said of runs.
    """
    shown = [replace(row, system=names.get(row.system, row.system)) for row in rows]
    for metric, spec in specs.items():
        here = [row for row in shown if row.metric == metric]
        if here:
            yield from ("", said(f"{spec.name}, samples of each run"))
            cells = ([cells[0], *map(said, cells[1:])] for cells in sample_cells(here, spec.notation))
            yield from aligned([said(column) for column in COLUMNS], cells, 2)
            yield from map(said, sample_sentences(here, spec.name, spec.notation))
