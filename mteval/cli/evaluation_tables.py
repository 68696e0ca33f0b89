"""The tables of an evaluation on standard output, in each of the formats of ``--format``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import pandas as pd

from mteval.analysis.overview import overview
from mteval.analysis.results import Results
from mteval.cli.options.output import Format
from mteval.cli.sample_lines import sample_lines
from mteval.counts import counted
from mteval.export.multeval.table import table_cells, text_table
from mteval.export.plain_tables import frame_tsv, markdown
from mteval.export.prose.verdicts import remarks_on
from mteval.export.tables import overview_numbers, with_names
from mteval.reporting.texts import LatexChoice, json, latex


def print_evaluation(how: Format, results: Results, choice: LatexChoice, *, names_all: bool = False) -> None:
    """Print the tables of all test sets; the one for a paper is of the reported test set alone.

    Parameters
    ----------
    choice
        How the table for a paper looks.
    names_all
        Whether a test set that stands alone has its name and size above it, too.
    """
    test_sets = results.experiment.test_sets
    if how == "json":
        print(json(results.evaluation), end="")
    elif how == "latex":
        print(latex(results, choice), end="")
    elif how == "tsv":
        print(frame_tsv(pd.concat([_numbers(results.on(one)) for one in test_sets])), end="")
    else:
        is_named = names_all or len(test_sets) > 1
        blocks = [list(_block(how, results.on(one), is_named=is_named)) for one in test_sets]
        print("\n\n".join(results.said("\n".join(lines)) for lines in blocks))


def _numbers(results: Results) -> pd.DataFrame:
    """Clark et al.'s Table 1 of a test set for machines, with its name and systems as they are shown."""
    frame = overview_numbers(overview(results))
    frame.insert(0, "test_set", results.test_set.name)
    return with_names(frame, results.shown_names)


def _block(how: str, results: Results, *, is_named: bool) -> Iterator[str]:
    """The table of a test set, below its name and size where they are wanted."""
    test_set, specs = results.test_set, results.evaluation.metrics
    if is_named:
        yield f"{test_set.name} ({test_set.role}), {counted(test_set.n_segments, 'segment')}"
        yield from [""] * (how == "markdown")
    summaries = [row for row in results.evaluation.summaries if row.test_set == test_set.name]
    in_order = [system.key for system in results.experiment.systems]  # the baseline first
    present = {key: results.name_of(key) for key in in_order if key in results.systems}
    names: Mapping[str, str] = {key: spec.name for key, spec in specs.items()}
    notations = {key: spec.notation for key, spec in specs.items()}
    if how == "markdown":
        yield from markdown(*table_cells(summaries, results.verdicts(), names, present, notations), n_words=1)
        yield from _remarks(results)
    else:
        yield text_table(summaries, results.verdicts(), names, present, notations)
        yield from _remarks(results)
        yield from sample_lines(results.sampled(), specs, results.shown_names, results.said)


def _remarks(results: Results) -> Iterator[str]:
    """What is to be known of the answers, as that too few documents were exchanged; empty where there is nothing."""
    shown = [replace(verdict, system=results.name_of(verdict.system)) for verdict in results.verdicts()]
    remarks = list(remarks_on(shown))
    yield from ["", *remarks] if remarks else []
