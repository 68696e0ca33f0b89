"""``mteval eval``: MultEval's command line, its table and its result lines, with the second p-value."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mteval.analysis.evaluation import Evaluation, evaluate_scored
from mteval.analysis.scoring import Scored, score_experiment
from mteval.cli.computing import add_computing_options, work_for
from mteval.cli.latex import add_latex_options, write_latex
from mteval.cli.metric_options import add_metric_options, chosen_metrics
from mteval.cli.numbers import add_numbers, chosen_settings
from mteval.cli.segment_files import add_segment_file_options, write_segment_files
from mteval.cli.system_files import BASELINE, add_system_files, shown_name, system_files
from mteval.cli.words import write_lines
from mteval.export.multeval import result_lines, text_table
from mteval.metrics import resolve
from mteval.model import Experiment
from mteval.readers import read_paths
from mteval.reporting.texts import json
from mteval.settings import Settings

_DEFAULT_METRICS = ("bleu", "meteor", "ter", "length")


def add_parser(commands: Any, words: Sequence[str]) -> None:
    """Add the sub-command, with an option ``--hyps-sysN`` for each system that the words name."""
    parser = commands.add_parser(
        "eval",
        help="compare systems with a baseline",
        description="Average, spread over test sentences (s_sel) and over runs (s_opt) of each system and metric, and"
        " two p-values against the baseline: test-set luck; test-set and training luck together.",
        allow_abbrev=False,
    )
    add_system_files(parser, words)
    add_numbers(parser)
    files = parser.add_argument_group("files to write")
    add_latex_options(files)
    add_segment_file_options(files)
    files.add_argument("--json", type=Path, metavar="FILE", help="write all numbers there")
    add_computing_options(parser)
    add_metric_options(parser, _DEFAULT_METRICS)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Read, compute, print.

    Raises
    ------
    MtevalError
        On bad input.
    """
    metrics = chosen_metrics(options)
    settings = chosen_settings(options, metrics)
    experiment = read_paths(options.refs, system_files(options), baseline=BASELINE)
    scored, evaluation = _evaluate(options, experiment, settings)
    names = {system.key: shown_name(system.key) for system in experiment.systems}
    write_segment_files(options, scored, experiment.baseline, metrics.labels)
    write_latex(options, experiment, evaluation, names)
    _print(evaluation, names)
    if options.json:
        write_lines(options.json, json(evaluation).splitlines())


def _evaluate(
    options: argparse.Namespace, experiment: Experiment, settings: Settings
) -> tuple[tuple[Scored, ...], Evaluation]:
    with work_for(options) as work:
        scored = score_experiment(experiment, resolve(settings, experiment.given), work)
        return scored, evaluate_scored(experiment, scored, settings, work)


def _print(evaluation: Evaluation, system_names: Mapping[str, str]) -> None:
    metric_names = {key: spec.name for key, spec in evaluation.metrics.items()}
    frames = (evaluation.scores, evaluation.summary, evaluation.resampled, evaluation.comparisons)
    for line in result_lines(*frames, metric_names, system_names):
        print(line, file=sys.stderr)
    print(text_table(evaluation.summary, evaluation.comparisons, metric_names, system_names))
