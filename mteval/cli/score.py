"""``mteval score``: write segment scores to a file, which other machines load as given scores."""

import argparse
from collections.abc import Sequence

from mteval.analysis.scoring import score_experiment
from mteval.analysis.summary import segment_scores
from mteval.base.errors import SettingsError
from mteval.base.words import agreeing, listed
from mteval.cli.console import STANDARD_OUTPUT, examples, file_to_write, tell, write_text
from mteval.cli.metric_options import add_metric_options, chosen_metrics
from mteval.cli.output_options import add_computing_options, add_quiet, settings_of, work_for
from mteval.cli.system_options import add_system_files, read_systems
from mteval.metrics import resolve
from mteval.metrics.base import Metric
from mteval.report.score_tables import score_table


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add the options."""
    parser.description = (
        "Write segment scores to a file, e.g. to score each system on another machine. Other commands load the files"
        " with --scores-higher or --scores-lower. Only metrics whose corpus score is the mean of segment scores can be"
        " moved in this way: learned metrics and judges."
    )
    parser.epilog = examples(
        "score --source src.txt --refs ref.txt --system old old.*.txt --metrics comet --csv old.csv"
    )
    add_system_files(parser, words)
    add_metric_options(parser, ("comet",), words)
    group = parser.add_argument_group("output", "Use - for standard output.")
    text = "write the segment scores and marked errors of all runs"
    group.add_argument("--csv", type=file_to_write, required=True, metavar="FILE", help=text)
    add_quiet(group)
    add_computing_options(parser)


def run(options: argparse.Namespace) -> None:
    """Read, score, and write the file.

    Raises
    ------
    MtevalError
        On bad input, or if a file of segment scores cannot carry the chosen metrics.
    """
    systems = read_systems(options)
    experiment = systems.experiment
    settings = settings_of(options, chosen_metrics(options, systems.loaded), experiment)
    metrics = resolve(settings, experiment.given)
    _check_are_means(metrics)
    direction = _shared_direction(metrics)
    with work_for(options) as work:
        all_scored = score_experiment(experiment, metrics, work)
    given = []
    for metric in metrics:
        given.append(segment_scores([scored for scored in all_scored if scored.metric.key == metric.key]))
    write_text(options.csv, score_table(given))
    signatures = {f"Signature of {scored.metric.name}: {scored.metric.signature()}" for scored in all_scored}
    for signature in sorted(signatures):  # the file has none
        tell(signature)
    if options.csv != STANDARD_OUTPUT:
        tell(f"Load the scores with --scores-{direction} {options.csv}")


def _check_are_means(metrics: Sequence[Metric]) -> None:
    """Raise an error if a corpus score is not the mean of segment scores, as readers of the file assume."""
    if not metrics:
        raise SettingsError("Nothing to score. Name a learned metric with --metrics, e.g. comet.")
    not_means = [metric.name for metric in metrics if not metric.is_segment_mean]
    if not_means:
        which = "which is not an average" if len(not_means) == 1 else "which are not averages"
        raise SettingsError(
            f"A file of segment scores cannot carry {listed(not_means)}, {which} of segment scores. Compute"
            f" {agreeing(len(not_means), 'it', 'them')} where you compare: mteval eval --metrics."
        )


def _shared_direction(metrics: Sequence[Metric]) -> str:
    """Return which scores are better, ``higher`` or ``lower``: readers take one direction per file.

    Raises
    ------
    SettingsError
        If the metrics have both.
    """
    higher = [metric.name for metric in metrics if metric.higher_is_better]
    lower = [metric.name for metric in metrics if not metric.higher_is_better]
    if higher and lower:
        raise SettingsError(
            f"Higher is better for {listed(higher)}, lower for {listed(lower)}. Write one file for each direction."
        )
    return "higher" if higher else "lower"
