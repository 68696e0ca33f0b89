"""``mteval score``: compute scores in shards, e.g. in a SLURM array, and merge them."""

import argparse
import re
from collections.abc import Sequence

from mteval.analysis.shards import merge_shards, write_shard
from mteval.base.words import counted
from mteval.cli.console import add_truth, directory_to_write, examples, made_directory, say
from mteval.cli.metric_options import add_metric_options, chosen_metrics
from mteval.cli.output_options import add_computing_options, add_quiet, settings_of, work_for
from mteval.cli.system_options import add_system_files, read_systems
from mteval.metrics import resolve

_PLACE = re.compile(r"(\d{1,6})/(\d{1,6})")


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add the options."""
    parser.description = (
        "Compute scores in shards on several machines, and merge them. Afterwards mteval eval with the same files and"
        " metrics finds all scores, with the bits of a single run."
    )
    parser.epilog = examples(
        "score --files runs/ --metrics bleu comet --shard 3/8 --folder shards",
        "score --files runs/ --metrics bleu comet --merge --folder shards",
    )
    add_system_files(parser, words)
    add_metric_options(parser, ("bleu", "meteor", "ter", "length"), words)
    group = parser.add_argument_group("shards")
    ways = group.add_mutually_exclusive_group(required=True)
    text = "compute shard I of N, I from 1 to N, and write its file"
    ways.add_argument("--shard", type=_place, metavar="I/N", help=text)
    add_truth(ways, "--merge", "read the files of all shards")
    group.add_argument("--folder", type=directory_to_write, required=True, metavar="DIR", help="of the shards' files")
    add_quiet(group)
    add_computing_options(parser)


def _place(word: str) -> tuple[int, int]:
    match = _PLACE.fullmatch(word)
    number, total = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= number <= total:
        raise argparse.ArgumentTypeError(f"expected a shard and their number, e.g. 1/8, found '{word}'")
    return number, total


def run(options: argparse.Namespace) -> None:
    """Read, then compute a shard or merge all.

    Raises
    ------
    MtevalError
        On bad input, or if a shard is missing or does not belong to the others.
    """
    systems = read_systems(options)
    experiment = systems.experiment
    metrics = resolve(settings_of(options, chosen_metrics(options, systems.loaded), experiment), experiment.given)
    with work_for(options) as work:
        if options.merge:
            found = f"{counted(merge_shards(experiment, metrics, work, options.folder), 'shard')} merged"
        else:
            found = str(write_shard(experiment, metrics, work, options.shard, made_directory(options.folder)))
    say(found)
