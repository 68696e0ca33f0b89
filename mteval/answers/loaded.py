"""What the files that are loaded make."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter

import pandas as pd

from mteval.answers.section import Column, Section, Table
from mteval.base.words import counted
from mteval.readers.names import is_called_baseline, natural_order
from mteval.values.model import Experiment, Run
from mteval.values.run_words import RunWord

MANY_SYSTEMS = 6  # more columns do not fit a window


def composition(experiment: Experiment, runs: RunWord) -> Section:
    """The number of runs of each system on each test set; many systems are below each other."""
    systems = [system.key for system in experiment.systems]
    rows: list[list[str]] = [["Test set", "Role", "Segments", "References", *systems]]
    for test_set in experiment.test_sets:
        references = _between(map(len, test_set.references)) if test_set.has_texts else ""
        n_runs = [_counted(test_set.runs_of(system)) for system in systems]
        rows.append([test_set.name, test_set.role, f"{test_set.n_segments:,}", references or "none", *n_runs])
    n_words = 2
    if len(systems) > MANY_SYSTEMS:
        rows, n_words = [list(column) for column in zip(*rows, strict=True)], 1
    head, *body = rows
    keys = [str(place) for place in range(len(head))]
    columns = [
        Column(key, name, "word" if int(key) < n_words else "number", write=itemgetter(key))
        for key, name in zip(keys, head, strict=True)
    ]
    caption = runs.filled("{Runs} of each system on each test set")
    table = Table(tuple(columns), pd.DataFrame(body, columns=keys), caption)
    return Section("composition", "What they make", table=table)


def _counted(runs: Sequence[Run]) -> str:
    """``3``, or ``3 × 4 samples`` where each run holds several."""
    n_samples = {len(run.decodings) for run in runs}
    return f"{len(runs)} × {_between(n_samples)} samples" if n_samples - {1} else str(len(runs))


def _between(numbers: Iterable[int]) -> str:
    """``2`` or ``1–3``."""
    found = sorted(set(numbers))
    return "–".join(str(number) for number in dict.fromkeys((found[0], found[-1])))


def baseline_remark(experiment: Experiment) -> str:
    """That the baseline was taken by its name alone, where no name says it; else nothing."""
    first = min((system.key for system in experiment.systems), key=natural_order)
    if len(experiment.systems) < 2 or experiment.baseline != first or is_called_baseline(first):
        return ""
    return f"No system is called baseline; {first} is the first by name. Choose in the sidebar what to compare with."


def size_in_words(experiment: Experiment, runs: RunWord) -> str:
    """``3 systems · 9 runs · 2,489 segments``."""
    n_runs = sum(len(system.runs) for system in experiment.systems)
    *others, last = (test_set.n_segments for test_set in experiment.test_sets)
    segments = " + ".join((*(f"{number:,}" for number in others), counted(last, "segment")))
    return " · ".join((counted(len(experiment.systems), "system"), counted(n_runs, runs.noun), segments))
