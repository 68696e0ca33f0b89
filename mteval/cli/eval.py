"""``mteval eval``: MultEval's command line, its table and its result lines, with the second p-value."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence

import pandas as pd

from mteval.analysis.evaluation import Evaluation, evaluate_scored
from mteval.analysis.results import Results, reported_test_set, with_names
from mteval.analysis.scoring import score_experiment
from mteval.analysis.segments.evidence import of_medians
from mteval.answers.runs import samples_section
from mteval.base.errors import DataError, SettingsError
from mteval.base.words import counted
from mteval.cli.console import STANDARD_OUTPUT, add_json, add_truth, examples, write_lines
from mteval.cli.options.computation import Format, add_output_options, work_for
from mteval.cli.options.latex import add_latex_options, check_table_is_wanted, latex_choice, write_latex
from mteval.cli.options.metrics import add_scoring_options, chosen_metrics
from mteval.cli.options.numbers import add_numbers, chosen_settings
from mteval.cli.options.systems import add_system_files, read_systems
from mteval.cli.segment_files import add_segment_file_options, check_median, write_segment_files
from mteval.metrics import resolve
from mteval.render.csv import frame_tsv
from mteval.render.markdown import markdown_table
from mteval.render.text import text_lines
from mteval.report.multeval_table import lines_below, result_lines, table_cells, text_table, unmatched_line
from mteval.report.numbers import json, overview_numbers
from mteval.report.paper_table import LatexChoice, latex


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
        print("\n\n".join("\n".join(_block(how, results.on(one), is_named=is_named)) for one in test_sets))


def _numbers(results: Results) -> pd.DataFrame:
    """Clark et al.'s Table 1 of a test set for machines, with its name and systems as they are shown."""
    frame = overview_numbers(results)
    frame.insert(0, "test_set", results.test_set.name)
    return with_names(frame, results.shown_names)


def _block(how: str, results: Results, *, is_named: bool) -> Iterator[str]:
    """MultEval's table of a test set, below its name and size where they are wanted, and what there is to know."""
    test_set = results.test_set
    if is_named:
        yield f"{test_set.name} ({test_set.role}), {counted(test_set.n_segments, 'segment')}"
        yield from [""] * (how == "markdown")
    yield from markdown_table(*table_cells(results), n_words=1) if how == "markdown" else [text_table(results)]
    yield from lines_below(results)
    section = samples_section(results) if how == "text" else None
    for part in () if section is None else section.parts:
        *lines, _ = text_lines([part])
        yield from ("", *lines)


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
        for line in result_lines(results):
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
