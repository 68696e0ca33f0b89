"""``mteval report``: write tables, figures and an HTML report."""

import argparse
from collections.abc import Sequence
from itertools import pairwise

from mteval.analysis.evaluation import evaluate
from mteval.analysis.judged import judged_results
from mteval.analysis.results import Results
from mteval.cli import output_options as output
from mteval.cli.console import add_files, examples, place_to_write, refuse, refuse_inputs, tell, write_files
from mteval.cli.metric_options import add_metric_options
from mteval.cli.request import read_request
from mteval.cli.system_options import Systems, add_system_files, add_test_set
from mteval.readers.documents import FILE_NAME
from mteval.readers.named_files import with_judgements
from mteval.render.bundle import refuse_foreign_experiment
from mteval.report.package import KINDS, everything


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add the options: those of an experiment file if the words name one, otherwise those of ``eval``."""
    parser.description = (
        f"Write an HTML report, tables, figures, a methods paragraph, and an {FILE_NAME} to reproduce the numbers."
        f" Input is an {FILE_NAME}, or the files and options of 'mteval eval'."
    )
    parser.epilog = examples(
        "report --files runs/ --baseline old --to report.zip", "report experiment.toml --to report.zip"
    )
    if _names_experiment(words):
        output.add_experiment_file(parser)
        add_test_set(parser)
    else:
        add_system_files(parser, words)
        add_metric_options(parser, ("bleu", "chrf", "ter", "length"), words, has_primary=True, shows_people=True)
        add_files(parser, "--judgements", "add human judgements (as for 'mteval people')")
        add_test_set(parser)
        output.add_numbers(parser)
    output.add_plan(parser)
    group = parser.add_argument_group("output")
    text = "folder, or archive if it ends in .zip"
    group.add_argument("--to", type=place_to_write, required=True, metavar="PATH", help=text)
    text = f"{', '.join(KINDS)} (default: all)"
    group.add_argument("--only", nargs="+", choices=tuple(KINDS), default=list(KINDS), metavar="KIND", help=text)
    group.add_argument("--mlflow", metavar="EXPERIMENT", help="log scores, intervals, verdicts and report to MLflow")
    output.add_latex_looks(group)
    output.add_quiet(group)
    output.add_computing_options(parser)


def _names_experiment(words: Sequence[str]) -> bool:
    """Tell whether a word is an experiment file; the plan is a TOML file, too."""
    for before, word in pairwise(("", *words)):
        is_plan = before == "--plan" or word.startswith("--plan=")
        if word.endswith(".toml") and not is_plan:
            return True
    return False


def run(options: argparse.Namespace) -> None:
    """Read, compute, write, and print the paths of the files.

    Raises
    ------
    MtevalError
        On bad input, or if a file cannot be written.
    """
    if "experiment" in options.only and options.to.suffix != ".zip":
        refuse_inputs([options.to / FILE_NAME])
        refuse_foreign_experiment(options.to)
    is_of_experiment = "experiment" in options
    if is_of_experiment:
        replay = output.read_replay(options.experiment)
        systems = Systems(replay.loaded, names={}, is_multeval=False)
        settings = replay.file.settings
    else:
        request = read_request(options)
        systems = request.systems
        settings = request.settings
    loaded = systems.loaded
    (test_set,) = systems.on(options.test_set).experiment.test_sets
    if not is_of_experiment:
        loaded = with_judgements(loaded, options.judgements, test_set.name)
    if "latex" not in options.only:
        refuse(options, output.LATEX_CHOICES, "needs table.tex. Add latex to --only")
    choice = output.latex_choice(options, settings.metrics, test_set)
    with output.work_for(options) as work:
        evaluation = evaluate(loaded.experiment, settings, work)
        planned = output.planned_by(options, loaded.experiment, settings)
        results = Results(loaded.experiment, evaluation, test_set, systems.names, planned=planned)
        results = judged_results(results, loaded, work)
        package = everything(results, loaded, choice, options.only)
    output.tell_warnings(evaluation.findings)
    for message in package.missing:
        tell(message)
    files = package.placed(options.to, results)
    write_files(files)
    if options.mlflow:
        from mteval.report.tracker import log_to_mlflow  # rarely needed

        tell(f"MLflow run {log_to_mlflow(results, options.mlflow, files)}")
