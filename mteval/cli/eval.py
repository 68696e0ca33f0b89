"""``mteval eval``: MultEval's command line, its table and its result lines, with the second p-value."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence

import pandas as pd

from mteval.analysis.evaluation import Evaluation, evaluate_scored
from mteval.analysis.results import Results, reported_test_set, with_names
from mteval.analysis.scoring import score_experiment
from mteval.base.errors import DataError, SettingsError
from mteval.base.words import counted
from mteval.cli.console import add_truth, directory_to_write, examples, file_to_write, write_lines
from mteval.cli.options import output
from mteval.cli.options.metrics import add_scoring_options, chosen_metrics
from mteval.cli.options.numbers import add_numbers, settings_of
from mteval.cli.options.systems import add_system_files, read_systems
from mteval.metrics import resolve
from mteval.metrics.explanation import Aligns
from mteval.report.multeval_table import lines_below, result_lines, table_cells, text_table, unmatched_line
from mteval.report.paper_table import LatexChoice, latex

_DEFAULT_METRICS = ("bleu", "meteor", "ter", "length")


def print_evaluation(how: output.Format, results: Results, choice: LatexChoice, *, names_all: bool = False) -> None:
    """Print the tables of all test sets; the one for a paper is of the reported test set alone.

    What prints in one way only is imported here: most command lines print in one.

    Parameters
    ----------
    choice
        How the table for a paper looks.
    names_all
        Whether a test set that stands alone has its name and size above it, too.
    """
    test_sets = results.experiment.test_sets
    if how == "json":
        from mteval.report.numbers import json

        print(json(results.evaluation), end="")
    elif how == "latex":
        print(latex(results, choice), end="")
    elif how == "tsv":
        from mteval.render.csv import frame_tsv

        print(frame_tsv(pd.concat([_numbers(results.on(one)) for one in test_sets])), end="")
    else:
        is_named = names_all or len(test_sets) > 1
        print("\n\n".join("\n".join(_block(how, results.on(one), is_named=is_named)) for one in test_sets))


def _numbers(results: Results) -> pd.DataFrame:
    """Clark et al.'s Table 1 of a test set for machines, with its name and systems as they are shown."""
    from mteval.report.numbers import overview_numbers

    frame = overview_numbers(results)
    frame.insert(0, "test_set", results.test_set.name)
    return with_names(frame, results.shown_names)


def _block(how: output.Format, results: Results, *, is_named: bool) -> Iterator[str]:
    """MultEval's table of a test set, below its name and size where they are wanted, and what there is to know."""
    test_set = results.test_set
    if is_named:
        yield f"{test_set.name} ({test_set.role}), {counted(test_set.n_segments, 'segment')}"
        yield from [""] * (how == "markdown")
    if how == "markdown":
        from mteval.render.markdown import markdown_table

        yield from markdown_table(*table_cells(results), n_words=1)
    else:
        yield text_table(results)
    yield from lines_below(results)
    if how == "text" and results.evaluation.sampled:
        from mteval.answers.runs import samples_section
        from mteval.render.text import text_lines

        section = samples_section(results)
        for part in () if section is None else section.parts:
            *lines, _ = text_lines([part])
            yield from ("", *lines)


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Describe the command and add its options, with an option ``--hyps-sysN`` for each system that the words name."""
    parser.description = (
        "Score the runs of each system and compare it with the baseline. The table shows, per system and metric, the"
        " average score, its SD over test sets (s_sel) and over runs (s_opt), and two p-values: p for test-set luck,"
        " p_run for test-set and training luck together."
    )
    parser.epilog = examples(
        "eval --refs ref.txt --system old old.1.txt old.2.txt old.3.txt --system new new.1.txt new.2.txt new.3.txt",
        "eval --files runs/ --baseline old --format latex",
    )
    add_system_files(parser, words)
    add_numbers(parser)
    files = output.add_output_options(parser)
    add_truth(files, "--result-lines", "print MultEval's RESULT lines on stderr; true with MultEval's options")
    files.add_argument("--latex", type=file_to_write, metavar="FILE", help="write a table for a paper to FILE")
    output.add_latex_looks(files)
    files.add_argument(
        "--rankDir",
        type=directory_to_write,
        metavar="DIR",
        help="write the segments that changed most, per system and metric",
    )
    text = "choose the median runs of --rankDir on another test set, to avoid selection bias"
    files.add_argument("--rank-median", metavar="TEST_SET", help=text)
    text = "write the segment scores of each run"
    files.add_argument("--sentLevelDir", type=directory_to_write, metavar="DIR", help=text)
    add_scoring_options(parser, _DEFAULT_METRICS)


def run(options: argparse.Namespace) -> None:
    """Read, compute, print.

    Raises
    ------
    MtevalError
        On bad input, and where the metrics have nothing to compare.
    """
    output.check_table_is_wanted(options)
    if options.quiet and options.result_lines:
        raise SettingsError("--quiet takes away the lines of --result-lines; leave one of the two out.")
    is_printed = not output.is_taken(options)
    systems = read_systems(options)
    experiment = systems.experiment
    metrics = chosen_metrics(options, systems.loaded)
    settings = settings_of(options, metrics)
    test_set = reported_test_set(experiment)
    choice = output.latex_choice(options, settings.metrics, test_set)
    if options.rank_median is not None:
        if not options.rankDir:
            raise SettingsError("--rank-median is about the files of --rankDir; name a directory for them.")
        experiment.test_set(options.rank_median)  # before anything is scored
    with output.work_for(options) as work:
        scored = score_experiment(experiment, resolve(settings, experiment.given), work)
        evaluation = evaluate_scored(experiment, scored, settings, work)
        if any(isinstance(one.scorer, Aligns) for one in scored):
            from mteval.analysis.segments.evidence import of_medians  # here, since one metric alone aligns words

            for left_over in of_medians(scored, evaluation, work):
                print(unmatched_line("hypothesis", left_over.hypothesis), file=sys.stderr)
                print(unmatched_line("reference", left_over.reference), file=sys.stderr)
    _check_something_is_compared(evaluation, len(experiment.systems))
    results = Results(experiment, evaluation, test_set, systems.names)
    if options.sentLevelDir or options.rankDir:
        from mteval.cli.segment_files import write_segment_files  # here, since few command lines want them

        write_segment_files(options, scored, results, metrics)
    if options.latex:
        write_lines(options.latex, latex(results, choice).splitlines())
    if options.json:
        from mteval.report.numbers import json

        write_lines(options.json, json(evaluation).splitlines())
    if options.result_lines or systems.is_multeval:
        for line in result_lines(results):
            print(line, file=sys.stderr)
    if is_printed:
        print_evaluation(options.format, results, choice)


def _check_something_is_compared(evaluation: Evaluation, n_systems: int) -> None:
    if n_systems > 1 and not evaluation.answers:
        names = ", ".join(spec.name for spec in evaluation.metrics.values())
        raise DataError(
            f"Nothing is compared: no metric has scores of the baseline and of another system ({names}). Give scores of"
            " all systems under the same name, or take another metric."
        )
