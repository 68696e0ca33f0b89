"""``mteval nbest``: score and rank all hypotheses of n-best lists, as MultEval does."""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from mteval.analysis.nbest import ListScorers, OracleScores, ScoredList, score_lists
from mteval.base.errors import SettingsError
from mteval.base.safe_paths import safe_part
from mteval.cli.console import (
    STANDARD_OUTPUT,
    directory_to_write,
    examples,
    made_directory,
    opened,
    refuse_inputs,
    say,
    write_text,
)
from mteval.cli.metric_options import add_metric_options, chosen_metrics
from mteval.cli.multeval_flags import add_nbest_flags
from mteval.cli.output_options import add_computing_options, add_quiet, settings_of, work_for
from mteval.cli.system_options import add_references, add_source, number_of_references
from mteval.metrics import METRICS, resolve
from mteval.readers.formats.nbest import read_nbest
from mteval.readers.named_files import read_references
from mteval.report.multeval import nbest_line, oracle_line

_NOTHING_RANKS = (
    "No metric can rank these hypotheses. Without references, use a model that needs the source only: --metrics kiwi"
    " --comet.checkpoint kiwi=/path/to/model.ckpt --source FILE."
)


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add the options."""
    parser.usage = "%(prog)s --nbest FILE [option…]"
    parser.description = (
        "Score and rank every hypothesis of an n-best list. Corpus scores of the first (topbest), best (oracle) and"
        " worst hypotheses go to stderr."
    )
    parser.epilog = examples("nbest --nbest list.gz --refs ref.txt --metrics bleu ter")
    files = parser.add_argument_group("files")
    text = "lines 'id ||| hypothesis ||| features ||| score', IDs from 0"
    files.add_argument("--nbest", type=Path, required=True, metavar="FILE", help=text)
    add_references(files)
    add_source(files)
    text = "write the list sorted by each metric, best first"
    files.add_argument("--rankDir", type=directory_to_write, metavar="DIR", help=text)
    add_quiet(files)
    add_metric_options(parser, ("bleu", "meteor", "ter"), words, usual_convention="multeval")
    add_computing_options(parser)
    add_nbest_flags(parser)


def run(options: argparse.Namespace) -> None:
    """Read, score, print, list by list.

    Raises
    ------
    MtevalError
        On bad input.
    """
    references = read_references(options.refs, options.source, number_of_references(options))
    labels = chosen_metrics(options, lists_of=references)
    if not labels:
        raise SettingsError(_NOTHING_RANKS)
    scorers = ListScorers.of(resolve(settings_of(options, labels)), references)
    oracles = OracleScores(scorers)
    lists = read_nbest(options.nbest, references.n_segments)
    with ExitStack() as stack:
        sorted_files = {}
        if options.rankDir:
            # The folder is made, and every name checked, before the first file
            folder = made_directory(options.rankDir)
            path_of = {key: folder / safe_part(f"{label}.sorted") for key, label in labels.items()}
            refuse_inputs(path_of.values())
            for key, path in path_of.items():
                sorted_files[key] = stack.enter_context(opened(path))
        work = stack.enter_context(work_for(options, prints_meanwhile=True))
        for scored in score_lists(lists, scorers, references.n_segments, work):
            oracles.add(scored)
            _write(scored, scorers, labels, sorted_files)
    for row in oracles.frame().itertuples():
        spec = METRICS[str(row.metric)]
        # pandas types every cell of a row as a union of all kinds of values
        line = oracle_line(spec.name, str(row.choice), row.score, row.submetrics, spec.notation)  # type: ignore[arg-type]
        say(line, file=sys.stderr)


def _write(
    scored: ScoredList, scorers: ListScorers, labels: Mapping[str, str], sorted_files: Mapping[str, IO[str]]
) -> None:
    """Print the list in the decoder's order, and write it in the order of each metric."""
    lines = [f"{line}\n" for line in _lines(scored, scorers, labels)]
    write_text(STANDARD_OUTPUT, "".join(lines))
    for key, file in sorted_files.items():
        file.writelines(lines[position] for position in scored.metrics[key].order)


def _lines(scored: ScoredList, scorers: ListScorers, labels: Mapping[str, str]) -> Iterator[str]:
    """Yield the hypotheses of a list in the decoder's order, with their ranks and scores by every metric."""
    ranks_of = {labels[key]: by_metric.ranks.tolist() for key, by_metric in scored.metrics.items()}
    scores_of = {labels[key]: by_metric.scores.tolist() for key, by_metric in scored.metrics.items()}
    parts = []  # two metrics may have parts of the same name
    for metric in scorers.metrics:
        columns = scored.metrics[metric.key].submetrics.T
        for name, column in zip(metric.submetric_names, columns, strict=True):
            parts.append((name, column.tolist()))
    for position, entry in enumerate(scored.nbest.entries):
        ranks = {"orig": position}
        ranks.update({label: column[position] for label, column in ranks_of.items()})
        scores = {label: column[position] for label, column in scores_of.items()}
        submetrics = [(name, column[position]) for name, column in parts]
        yield nbest_line(scored.nbest.segment, entry, ranks, scores, submetrics)
