"""``mteval eval``: MultEval's table and result lines, with a second p-value."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import pandas as pd

from mteval.analysis.evaluation import Evaluation, evaluate_scored
from mteval.analysis.results import Results, reported_test_set, with_names
from mteval.answers.grid import grid_section
from mteval.answers.judge_answers import understood_section
from mteval.answers.ranking import ranked_section
from mteval.answers.runs import samples_section
from mteval.base.errors import DataError, SettingsError
from mteval.base.words import counted, listed
from mteval.cli import output_options as output
from mteval.cli.console import add_truth, directory_to_write, examples, file_to_write, say, write_text
from mteval.cli.metric_options import add_metric_options
from mteval.cli.multeval_flags import add_eval_flags
from mteval.cli.request import read_request
from mteval.cli.system_options import add_system_files
from mteval.metrics.explanation import Aligns
from mteval.render.frames import frame_csv, frame_tsv
from mteval.render.markdown import markdown_lines, markdown_table, markdown_text
from mteval.render.text import text_lines
from mteval.report import multeval
from mteval.report.numbers import json, overview_for_scripts, scores_with_parts
from mteval.report.paper_table import LatexChoice, latex

MOST_PRINTED = 14  # systems, so that a line has about 100 characters


def evaluation_lines(
    options: argparse.Namespace, results: Results, choice: LatexChoice, *, names_all: bool = False
) -> Iterator[str]:
    """Yield the tables of all test sets; the LaTeX table has the reported test set only.

    Parameters
    ----------
    options
        With ``format``, ``quiet`` and ``verbose``.
    choice
        Layout of the LaTeX table.
    names_all
        Whether to print the name and size above the table of a single test set, too.
    """
    if options.format == "latex":
        yield latex(results, choice).removesuffix("\n")
        return
    results_on_each = [results.on(test_set) for test_set in results.experiment.test_sets]
    if options.format == "tsv":
        yield frame_tsv(pd.concat(map(_numbers, results_on_each))).removesuffix("\n")
        return
    grid = grid_section(results, results.settings.primary_metric)
    if grid is not None:
        if options.format == "markdown":
            yield from markdown_lines([grid])
        else:
            yield from text_lines([grid])
        if not options.verbose:
            if not options.quiet:
                yield from _notes_once(options, results_on_each)
            return
    is_named = names_all or len(results_on_each) > 1
    for number, results_on_one in enumerate(results_on_each):
        if number > 0:
            yield ""
        yield from _block(options, results_on_one, is_named=is_named)


def _notes_once(options: argparse.Namespace, results_on_each: Sequence[Results]) -> Iterator[str]:
    """Yield the notes below the tables of all test sets, each once, with the test sets that it applies to.

    Notes on single verdicts belong to the tables of ``--verbose``.
    """
    names_of: dict[str, list[str]] = {}
    for results in results_on_each:
        for line in multeval.lines_below(results, is_about_verdicts=False):
            if line:
                names_of.setdefault(line, []).append(results.test_set.name)
    written = markdown_text if options.format == "markdown" else str
    for line, names in names_of.items():
        is_about_all = len(names) == len(results_on_each)
        yield written(line if is_about_all else f"{listed(names)}: {line}")
    yield ""
    yield written("Tables and verdicts of each test set: --verbose.")


def _numbers(results: Results) -> pd.DataFrame:
    """Return Clark et al.'s Table 1 of a test set, with its name and the systems' shown names."""
    frame = overview_for_scripts(results)
    frame.insert(0, "test_set", results.test_set.name)
    return with_names(frame, results.shown_names)


def _block(options: argparse.Namespace, results: Results, *, is_named: bool) -> Iterator[str]:
    """Yield MultEval's table of a test set and its notes, below its name and size if ``is_named``."""
    is_markdown = options.format == "markdown"
    written = markdown_text if is_markdown else str
    test_set = results.test_set
    if is_named:
        yield written(f"{test_set.name} ({test_set.role}), {counted(test_set.n_segments, 'segment')}")
        if is_markdown:
            yield ""
    yield from _ranking_lines(options, results)
    if is_markdown:
        header, rows = multeval.table_cells(results)
        yield from markdown_table(header, rows, n_words=1)
        crossed = multeval.crossed_section(results, is_verbose=options.verbose)
        if crossed is not None:
            yield ""
            *lines, _ = markdown_lines([crossed])  # the last is empty
            yield from lines
        for line in multeval.verdict_lines(results, is_verbose=options.verbose):
            yield f"- {markdown_text(line)}" if line.strip() else line
    else:
        yield from multeval.table_lines(results, is_brief=options.quiet, is_verbose=options.verbose)
    if not options.quiet:
        yield from _answers_of_judges(options.format, results)
        yield from map(written, multeval.lines_below(results))
    if options.format == "text" and results.evaluation.sampled:  # runs with several samples each
        section = samples_section(results)
        if section is not None:
            for part in section.parts:
                *lines, _ = text_lines([part])  # the last is empty
                yield ""
                yield from lines


def _ranking_lines(options: argparse.Namespace, results: Results) -> Iterator[str]:
    """Yield who is best, from four systems on: the ranking and all pairs; nothing without a ranking."""
    section = ranked_section(results)
    if section is None:
        return
    ranking, *parts = section.parts
    if options.quiet:
        section = replace(section, parts=(replace(ranking, notes=(), parts=()),))
    elif len(results.systems) > MOST_PRINTED:
        section = replace(section, parts=(replace(ranking, parts=()), *parts))
    if options.format == "markdown":
        yield from markdown_lines([section])
        return
    yield from section.words
    yield ""
    yield from text_lines(section.parts, lists_names=False)  # MultEval's table lists them


def _answers_of_judges(format: str, results: Results) -> Iterator[str]:
    """Yield how often answers of LLM judges were understood, after an empty line; nothing without a judge."""
    section = understood_section(results)
    if section is None:
        return
    yield ""
    if format == "markdown":
        yield from markdown_lines([section])
    else:
        *lines, _ = text_lines([section])  # the last is empty
        yield from lines


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add the options, with one ``--hyps-sysN`` for each system in the words."""
    parser.description = (
        "Compare systems with a baseline. s_sel is the SD over test sets, s_opt the SD over runs. The p-value p"
        " accounts for test-set luck, p_run for training luck as well."
    )
    parser.epilog = examples(
        "eval --refs ref.txt --system old old.*.txt --system new new.*.txt",
        "eval --files runs/ --baseline old --format latex",
    )
    add_system_files(parser, words)
    add_metric_options(parser, ("bleu", "meteor", "ter", "length"), words, has_primary=True, shows_people=True)
    output.add_numbers(parser)
    files = output.add_output_options(parser)
    add_truth(files, "--result-lines", "print RESULT lines on stderr (default with --hyps-…)")
    output.add_verbose(files)
    text = "write the scores of all runs with their components"
    files.add_argument("--csv", type=file_to_write, metavar="FILE", help=text)
    text = "write who is best, with tiers, ties and their definition; FILE ends in .html, .md, .csv or .json"
    files.add_argument("--leaderboard", type=file_to_write, metavar="FILE", help=text)
    files.add_argument("--latex", type=file_to_write, metavar="FILE", help="write a table for a paper")
    output.add_latex_looks(files)
    text = "write segments, largest change first"
    files.add_argument("--rankDir", type=directory_to_write, metavar="DIR", help=text)
    files.add_argument("--rank-median", metavar="TEST_SET", help="choose the median runs on another test set")
    text = "write segment scores of each run"
    files.add_argument("--sentLevelDir", type=directory_to_write, metavar="DIR", help=text)
    output.add_plan(files)
    output.add_computing_options(parser)
    add_eval_flags(parser, words)


def run(options: argparse.Namespace) -> None:
    """Read, compute, print.

    Raises
    ------
    MtevalError
        On bad input, or if no metric has scores to compare.
    """
    output.check_table_is_wanted(options)
    if options.quiet and options.result_lines:
        raise SettingsError("--quiet suppresses the lines of --result-lines. Use only one of them.")
    output.check_one_is_printed(options)
    request = read_request(options)
    systems = request.systems
    experiment = request.experiment
    settings = request.settings
    test_set = reported_test_set(experiment)
    choice = output.latex_choice(options, settings.metrics, test_set)
    if options.leaderboard:
        from mteval.report.leaderboard import form_of, leaderboard  # rarely needed

        form = form_of(options.leaderboard)  # fails before scoring if there is none
    if options.rank_median is not None:
        if not options.rankDir:
            raise SettingsError("--rank-median needs --rankDir.")
        experiment.test_set(options.rank_median)  # fails before scoring if there is none
    with output.work_for(options) as work:
        all_scored = request.scored(work)
        evaluation = evaluate_scored(experiment, all_scored, settings, work)
        if any(isinstance(scored.scorer, Aligns) for scored in all_scored):
            from mteval.analysis.segments.runs import of_medians  # only METEOR aligns words

            for unmatched in of_medians(all_scored, evaluation, work):
                for side in ("hypothesis", "reference"):
                    counts = getattr(unmatched, side)
                    line = multeval.unmatched_line(side, counts, is_multeval=systems.is_multeval)
                    say(line, file=sys.stderr)
    _check_something_is_compared(evaluation, len(experiment.systems))
    planned = output.planned_by(options, experiment, settings)
    results = Results(experiment, evaluation, test_set, systems.names, planned=planned)
    if options.sentLevelDir or options.rankDir:
        from mteval.cli.segment_files import write_segment_files  # rarely needed

        write_segment_files(options, all_scored, results, request.metric_words)
    if options.csv:
        write_text(options.csv, frame_csv(with_names(scores_with_parts(evaluation), systems.names)))
    if options.leaderboard:
        write_text(options.leaderboard, leaderboard(results, form))
    if options.latex:
        write_text(options.latex, latex(results, choice))
    if options.result_lines or systems.is_multeval:
        for line in multeval.result_lines(results):
            say(line, file=sys.stderr)
    lines = evaluation_lines(options, results, choice)
    output.publish(options, partial(json, evaluation, planned, experiment.ledger), lines, evaluation.findings)


def _check_something_is_compared(evaluation: Evaluation, n_systems: int) -> None:
    """Raise an error with the likeliest reason if there are several systems but no comparison."""
    if n_systems <= 1 or evaluation.answers:
        return
    names = ", ".join(spec.name for spec in evaluation.metrics.values())
    remedy = "Use the same score name for all systems, or another metric."
    detail_of = {finding.code: finding.detail for finding in reversed(evaluation.findings)}  # the first of each code
    for code in ("judge-answers", "not-compared"):
        if detail_of.get(code):
            remedy = detail_of[code]
            break
    raise DataError(f"Nothing to compare: no metric has scores for the baseline and another system ({names}). {remedy}")
