"""What commands print of several samples of a run."""

from collections.abc import Mapping, Sequence

from mteval.analysis.samples import SampledRow
from mteval.export.prose.samples import COLUMNS, sample_cells, sample_sentences
from mteval.export.tables import aligned
from mteval.metrics.base import MetricSpec


def print_samples(rows: Sequence[SampledRow], specs: Mapping[str, MetricSpec]) -> None:
    """Sampling luck by every metric; nothing where no run has several samples."""
    for metric, spec in specs.items():
        here = [row for row in rows if row.metric == metric]
        if here:
            print(f"\n{spec.name}, samples of each run")
            print("\n".join(aligned(COLUMNS, sample_cells(here, spec.notation), 2)))
            print("\n".join(sample_sentences(here, spec.name, spec.notation)))
