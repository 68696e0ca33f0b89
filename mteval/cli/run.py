"""``mteval run``: recompute a saved experiment."""

import argparse
from collections.abc import Sequence
from functools import partial

from mteval.analysis.evaluation import evaluate
from mteval.analysis.results import Results, reported_test_set
from mteval.cli import output_options as output
from mteval.cli.console import examples
from mteval.cli.eval import evaluation_lines
from mteval.report.numbers import json
from mteval.report.paper_table import LatexChoice, usual_layout


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add the options."""
    parser.usage = "%(prog)s experiment.toml [option…]"
    parser.description = (
        "Recompute a saved experiment with its settings and print the table of each test set. The same file and"
        " version of mteval give identical numbers."
    )
    parser.epilog = examples("run experiment.toml --format json")
    output.add_experiment_file(parser)
    output.add_verbose(output.add_output_options(parser))
    output.add_computing_options(parser)


def run(options: argparse.Namespace) -> None:
    """Read, compute, print.

    Raises
    ------
    MtevalError
        On bad input.
    """
    output.check_one_is_printed(options)
    replay = output.read_replay(options.experiment)
    experiment = replay.loaded.experiment
    with output.work_for(options) as work:
        evaluation = evaluate(experiment, replay.file.settings, work)
    results = Results(experiment, evaluation, reported_test_set(experiment))
    choice = LatexChoice(usual_layout(len(results.systems)))
    lines = evaluation_lines(options, results, choice, names_all=True)
    output.publish(options, partial(json, evaluation, files=experiment.ledger), lines, evaluation.findings)
