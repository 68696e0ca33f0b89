"""What commands print of several samples of a run."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from mteval.analysis.samples import SampledRow
from mteval.export.prose.samples import COLUMNS, sample_cells, sample_sentences
from mteval.export.tables import aligned
from mteval.metrics.base import MetricSpec


def sample_lines(
    rows: Sequence[SampledRow], specs: Mapping[str, MetricSpec], names: Mapping[str, str]
) -> Iterator[str]:
    """Sampling luck by every metric, on one test set; nothing where no run has several samples.

    Parameters
    ----------
    names
        From a system's key to how it is shown, where that differs.
    """
    shown = [replace(row, system=names.get(row.system, row.system)) for row in rows]
    for metric, spec in specs.items():
        here = [row for row in shown if row.metric == metric]
        if here:
            yield from ("", f"{spec.name}, samples of each run")
            yield from aligned(COLUMNS, sample_cells(here, spec.notation), 2)
            yield from sample_sentences(here, spec.name, spec.notation)
