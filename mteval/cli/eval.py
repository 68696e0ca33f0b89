"""What commands print of several samples of a run.

The tables of an evaluation on standard output, in each of the formats of ``--format``.

``mteval eval``: MultEval's command line, its table and its result lines, with the second p-value.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from mteval.analysis.evaluation import Evaluation, evaluate_scored
from mteval.analysis.overview import overview, reported_test_set
from mteval.analysis.results import Results, verdicts, with_names
from mteval.analysis.scoring import score_experiment
from mteval.analysis.segments.evidence import of_medians
from mteval.analysis.summary import SampledRow
from mteval.answers.samples import COLUMNS, sample_cells, sample_sentences
from mteval.base.errors import DataError, SettingsError
from mteval.base.words import counted
from mteval.cli.console import STANDARD_OUTPUT, add_json, add_truth, examples, write_lines
from mteval.cli.options.computation import Format, add_output_options, work_for
from mteval.cli.options.latex import add_latex_options, check_table_is_wanted, latex_choice, write_latex
from mteval.cli.options.metrics import add_scoring_options, chosen_metrics
from mteval.cli.options.numbers import add_numbers, chosen_settings
from mteval.cli.options.systems import Systems, add_system_files, read_systems
from mteval.cli.segment_files import add_segment_file_options, check_median, write_segment_files
from mteval.metrics import resolve
from mteval.metrics.base import MetricSpec
from mteval.render.csv import frame_tsv
from mteval.render.markdown import markdown_table as markdown
from mteval.render.text import aligned
from mteval.report.multeval_table import result_lines, table_cells, text_table, unmatched_line
from mteval.report.texts import LatexChoice, json, latex, overview_numbers, remarks_below
from mteval.values.model import TestSet
from mteval.values.run_words import Wording


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
        yield from remarks_below(results)
    else:
        yield text_table(summaries, results.verdicts(), names, present, notations)
        yield from remarks_below(results)
        yield from sample_lines(results.sampled(), specs, results.shown_names, results.said)


_DEFAULT_METRICS = ("bleu", "meteor", "ter", "length")


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Describe the command and add its options, with an option ``--hyps-sysN`` for each system that the words name."""
    parser.description = (
        "Scores the runs of each system and prints, for each system and metric, the average, its spread over test"
        " sentences (s_sel) and over runs (s_opt), and two p-values against the baseline: p, whether luck with the test"
        " set could explain the difference, and p_run, whether luck with test set and training together could."
    )
    parser.epilog = examples(
        "eval --refs ref.txt --system old old.1.txt old.2.txt old.3.txt --system new new.1.txt new.2.txt new.3.txt",
        "eval --files runs/ --baseline old --format latex",
    )
    add_system_files(parser, words)
    add_numbers(parser)
    files = add_output_options(parser)
    add_truth(files, "--result-lines", "print MultEval's RESULT lines on standard error; true with its options")
    add_json(files)
    add_latex_options(files)
    add_segment_file_options(files)
    add_scoring_options(parser, _DEFAULT_METRICS)


def run(options: argparse.Namespace) -> None:
    """Read, compute, print.

    Raises
    ------
    MtevalError
        On bad input, and where the metrics have nothing to compare.
    """
    _check_output(options)
    systems = read_systems(options)
    experiment = systems.experiment
    metrics = chosen_metrics(options, experiment, has_texts=not systems.loaded.is_of_scores)
    settings = chosen_settings(options, metrics)
    test_set = reported_test_set(experiment)
    choice = latex_choice(options, settings.metrics, test_set)
    check_median(options, experiment)
    with work_for(options) as work:
        scored = score_experiment(experiment, resolve(settings, experiment.given), work)
        evaluation = evaluate_scored(experiment, scored, settings, work)
        unmatched = of_medians(scored, evaluation, work)
    for left_over in unmatched:
        print(unmatched_line("hypothesis", left_over.hypothesis), file=sys.stderr)
        print(unmatched_line("reference", left_over.reference), file=sys.stderr)
    _check_something_is_compared(evaluation, len(experiment.systems))
    notations = {key: spec.notation for key, spec in evaluation.metrics.items()}
    write_segment_files(options, scored, experiment, test_set, metrics.labels, notations)
    results = Results(experiment, evaluation, test_set, systems.names)
    if options.latex:
        write_latex(options.latex, results, choice)
    if options.json:
        write_lines(options.json, json(evaluation).splitlines())
    if options.result_lines or systems.is_multeval:
        for line in _result_lines(evaluation, test_set, systems):
            print(line, file=sys.stderr)
    if STANDARD_OUTPUT not in (options.json, options.latex):
        print_evaluation(options.format, results, choice)


def _check_output(options: argparse.Namespace) -> None:
    check_table_is_wanted(options)
    if options.quiet and options.result_lines:
        raise SettingsError("--quiet takes away the lines of --result-lines; leave one of the two out.")
    printed = [name for name in ("json", "latex") if getattr(options, name) == STANDARD_OUTPUT]
    if len(printed) > 1 or (printed and options.format not in ("text", printed[0])):
        raise SettingsError("Standard output, -, can take one thing; write the others to files.")


def _check_something_is_compared(evaluation: Evaluation, n_systems: int) -> None:
    if n_systems > 1 and not evaluation.answers:
        names = ", ".join(spec.name for spec in evaluation.metrics.values())
        raise DataError(
            f"Nothing is compared: no metric has scores of the baseline and of another system ({names}). Give scores of"
            " all systems under the same name, or take another metric."
        )


def _result_lines(evaluation: Evaluation, test_set: TestSet, systems: Systems) -> Iterator[str]:
    run_scores, summaries, replicated = (
        [row for row in rows if row.test_set == test_set.name]
        for rows in (evaluation.run_scores, evaluation.summaries, evaluation.replicated)
    )
    answered = [verdict for verdict in verdicts(evaluation) if verdict.test_set == test_set.name]
    names = {key: spec.name for key, spec in evaluation.metrics.items()}
    return result_lines(run_scores, summaries, replicated, answered, names, systems.names)
