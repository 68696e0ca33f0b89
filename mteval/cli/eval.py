"""``mteval eval``: MultEval's command line, its table and its result lines, with the second p-value."""

import argparse
import sys
from collections.abc import Mapping, Sequence

from mteval.analysis.evaluation import Evaluation, evaluate_scored
from mteval.analysis.overview import reported_test_set
from mteval.analysis.results import Results
from mteval.analysis.scoring import score_experiment
from mteval.analysis.segments.unmatched_words import of_medians
from mteval.analysis.verdict import verdicts
from mteval.cli.console import add_json, write_lines
from mteval.cli.options.computation import work_for
from mteval.cli.options.latex import add_latex_options, check_table_is_wanted, latex_choice, write_latex
from mteval.cli.options.metrics import add_scoring_options, chosen_metrics
from mteval.cli.options.numbers import add_numbers, chosen_settings
from mteval.cli.options.systems import add_system_files, read_systems, shown_name
from mteval.cli.sample_lines import print_samples
from mteval.cli.segment_files import add_segment_file_options, write_segment_files
from mteval.export.multeval.table import result_lines, text_table
from mteval.export.multeval.unmatched_words import unmatched_line
from mteval.metrics import resolve
from mteval.reporting.texts import json

_DEFAULT_METRICS = ("bleu", "meteor", "ter", "length")


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Describe the command and add its options, with an option ``--hyps-sysN`` for each system that the words name."""
    parser.description = (
        "Average, spread over test sentences (s_sel) and over runs (s_opt) of each system and metric, and"
        " two p-values against the baseline: test-set luck; test-set and training luck together."
    )
    add_system_files(parser, words)
    add_numbers(parser)
    files = parser.add_argument_group("files to write")
    add_latex_options(files)
    add_segment_file_options(files)
    add_json(files)
    add_scoring_options(parser, _DEFAULT_METRICS)


def run(options: argparse.Namespace) -> None:
    """Read, compute, print.

    Raises
    ------
    MtevalError
        On bad input.
    """
    check_table_is_wanted(options)
    experiment = read_systems(options)
    metrics = chosen_metrics(options, experiment.given)
    settings = chosen_settings(options, metrics)
    test_set = reported_test_set(experiment)
    choice = latex_choice(options, settings.metrics, test_set)
    names = {system.key: shown_name(system.key) for system in experiment.systems}
    with work_for(options) as work:
        scored = score_experiment(experiment, resolve(settings, experiment.given), work)
        evaluation = evaluate_scored(experiment, scored, settings, work)
        unmatched = of_medians(scored, evaluation, work)
    for left_over in unmatched:
        print(unmatched_line("hypothesis", left_over.hypothesis), file=sys.stderr)
        print(unmatched_line("reference", left_over.reference), file=sys.stderr)
    notations = {key: spec.notation for key, spec in evaluation.metrics.items()}
    write_segment_files(options, scored, experiment.baseline, metrics.labels, notations)
    if options.latex:
        write_latex(options.latex, Results(experiment, evaluation, test_set, names), choice)
    _print(evaluation, names)
    if options.json:
        write_lines(options.json, json(evaluation).splitlines())


def _print(evaluation: Evaluation, system_names: Mapping[str, str]) -> None:
    metric_names = {key: spec.name for key, spec in evaluation.metrics.items()}
    frames, answered = (evaluation.scores, evaluation.summary, evaluation.resampled), verdicts(evaluation)
    for line in result_lines(*frames, answered, metric_names, system_names):
        print(line, file=sys.stderr)
    notations = {key: spec.notation for key, spec in evaluation.metrics.items()}
    print(text_table(evaluation.summary, answered, metric_names, system_names, notations))
    print_samples(evaluation.sampled, evaluation.metrics)
