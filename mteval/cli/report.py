"""``mteval report``: the table for the paper, the page, the figures and all else that is made of an evaluation."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from mteval.analysis.evaluation import evaluate
from mteval.analysis.results import Results
from mteval.cli.console import Once, directory_to_write, examples, file_to_write, made_directory, tell, write_bytes
from mteval.cli.options import numbers as experiment
from mteval.cli.options.computation import add_computing_options, add_quiet, work_for
from mteval.cli.options.latex import add_latex_looks, add_test_set, latex_choice, refuse_choices, reported
from mteval.cli.options.metrics import add_metric_options, chosen_metrics
from mteval.cli.options.numbers import add_numbers, chosen_settings
from mteval.cli.options.systems import add_system_files, read_systems
from mteval.readers.disk import Loaded
from mteval.readers.documents import FILE_NAME
from mteval.readers.named_files import with_judgements
from mteval.report.package import KINDS, everything
from mteval.report.people import judged_results
from mteval.values.settings import Settings

_DEFAULT_METRICS = ("bleu", "chrf", "ter", "length")


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Describe the command and add its options: with an experiment's file among the words one for
    that file, which says all, else options for all.
    """
    parser.description = (
        "Writes report.html, table.tex, CSV, Excel, JSON, a methods paragraph, figures as SVG and PNG, and"
        f" {FILE_NAME} with its inputs, which computes the numbers again. Input is either a file '{FILE_NAME}', which"
        " brings its settings, or the files and options of 'mteval eval'."
    )
    parser.epilog = examples(
        "report --files runs/ --baseline old --to report.zip",
        "report experiment.toml --to report.zip",
    )
    if any(word.endswith(".toml") for word in words):
        experiment.add_experiment_file(parser)
        add_test_set(parser)
    else:
        add_system_files(parser, words)
        parser.add_argument(
            "--judgements", nargs="+", action=Once, type=Path, default=[], metavar="FILE",
            help="what people said of the test set, as for 'mteval people': the report has a section on it",
        )  # fmt: skip
        add_test_set(parser)
        add_numbers(parser)
        add_metric_options(parser, _DEFAULT_METRICS)
    group = parser.add_argument_group("files to write")
    group.add_argument(
        "--to", type=_place, required=True, metavar="PATH", help="a folder, or one archive if its name ends in .zip"
    )
    group.add_argument(
        "--only", nargs="+", choices=tuple(KINDS), default=list(KINDS), metavar="KIND",
        help=f"some of {', '.join(KINDS)} (default: all)",
    )  # fmt: skip
    add_latex_looks(group)
    add_quiet(group)
    add_computing_options(parser)


def run(options: argparse.Namespace) -> None:
    """Read, compute, write; the paths of the files are printed.

    Raises
    ------
    MtevalError
        On bad input, and where something cannot be written.
    """
    loaded, settings, names = _input(options)
    (test_set,) = reported(loaded.experiment, options.test_set).test_sets
    if "experiment" not in options:
        loaded = with_judgements(loaded, options.judgements, test_set.name)
    if "latex" not in options.only:
        refuse_choices(options, "table.tex, which --only leaves out; name latex after it, too")
    choice = latex_choice(options, settings.metrics, test_set)
    with work_for(options) as work:
        evaluation = evaluate(loaded.experiment, settings, work)
        results = judged_results(Results(loaded.experiment, evaluation, test_set, names), loaded, work)
        package = everything(results, loaded, choice, options.only)
    for what in package.missing:
        tell(what)
    for path, content in package.placed(options.to, results).items():
        made_directory(path.parent)
        write_bytes(path, content)
        print(path)


def _input(options: argparse.Namespace) -> tuple[Loaded, Settings, Mapping[str, str]]:
    """What is reported, under which settings, and how systems are shown."""
    if "experiment" in options:
        replay = experiment.read(options.experiment)
        return replay.loaded, replay.file.settings, {}
    systems = read_systems(options)
    loaded = systems.loaded
    settings = chosen_settings(options, chosen_metrics(options, loaded.experiment, has_texts=not loaded.is_of_scores))
    return loaded, settings, systems.names


def _place(word: str) -> Path:
    """A folder or an archive."""
    return file_to_write(word) if word.endswith(".zip") else directory_to_write(word)
