"""``mteval run``: an experiment computed again as its ``experiment.toml`` describes it."""

import argparse
from collections.abc import Sequence

from mteval.analysis.evaluation import evaluate
from mteval.analysis.verdict import verdicts
from mteval.cli.console import add_json, write_lines
from mteval.cli.options import experiment
from mteval.cli.options.computation import add_computing_options, work_for
from mteval.cli.sample_lines import sample_lines
from mteval.counts import counted
from mteval.export.multeval.table import text_table
from mteval.reporting.texts import json
from mteval.run_words import Wording


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add its options."""
    parser.description = (
        "Reads which file is what, and the settings, and prints the table of each test set. The same file"
        " and the same version of mteval give the same numbers, bit for bit."
    )
    experiment.add_experiment_file(parser)
    add_json(parser)
    add_computing_options(parser)


def run(options: argparse.Namespace) -> None:
    """Read, compute, print.

    Raises
    ------
    MtevalError
        On bad input.
    """
    replay = experiment.read(options.experiment)
    with work_for(options) as work:
        evaluation = evaluate(replay.loaded.experiment, replay.file.settings, work)
    metric_names = {key: spec.name for key, spec in evaluation.metrics.items()}
    notations = {key: spec.notation for key, spec in evaluation.metrics.items()}
    said = Wording(evaluation.settings.runs, replay.loaded.experiment.names)
    for test_set in replay.loaded.experiment.test_sets:
        summaries = [row for row in evaluation.summaries if row.test_set == test_set.name]
        here = [verdict for verdict in verdicts(evaluation) if verdict.test_set == test_set.name]
        present = {one.key for one in test_set.systems}
        names = {one.key: one.key for one in replay.loaded.experiment.systems if one.key in present}
        print(f"{test_set.name} ({test_set.role}), {counted(test_set.n_segments, 'segment')}")
        print(said(text_table(summaries, here, metric_names, names, notations)), end="\n\n")
        sampled = [row for row in evaluation.sampled if row.test_set == test_set.name]
        for line in sample_lines(sampled, evaluation.metrics, names, said):
            print(line)
    if options.json:
        write_lines(options.json, json(evaluation).splitlines())
