"""Files of judgements, and the outputs and scores that they are compared with.

What is asked about people's judgements, by which tests, on what units.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from mteval.analysis.people.claims import LEVELS, PAPER, SIDES
from mteval.analysis.people.gold import JUDGED_UNITS, RANK_SUM
from mteval.analysis.people.human_evaluation import QUESTIONS
from mteval.analysis.people.judgements import judgement_frame
from mteval.answers.gold import unknown_error_sentence
from mteval.base.errors import InputError, MtevalError
from mteval.cli.console import Once, tell
from mteval.cli.options.numbers import add_number, add_seed, add_shuffles
from mteval.cli.options.systems import add_score_files, score_files
from mteval.readers import FileRole
from mteval.readers.assembly.judgements import Judged, read_judgements
from mteval.readers.disk import Loaded, file_at, read_lines
from mteval.readers.named_files import load_paths, load_scores
from mteval.readers.names import name_of_file
from mteval.stats import PROCEDURES
from mteval.values.model import Experiment
from mteval.values.settings import Settings

STANDARDISE = {"auto": None, "yes": True, "no": False}


@dataclass(frozen=True)
class Compared:
    """What people said, and what it is compared with; None without outputs or scores."""

    judged: Judged
    frame: pd.DataFrame
    experiment: Experiment | None


def add_judgement_files(parser: argparse.ArgumentParser) -> None:
    """Add the files of judgements, outputs and scores."""
    group = parser.add_argument_group(
        "judgements",
        "Tables (TSV, CSV, JSON lines) with columns annotator, system, segment and a scale, as adequacy and fluency;"
        " WMT's .seg.rating, .seg.score and table of errors; exports of Appraise and Pearmut (direct assessment, ESA).",
    )
    group.add_argument("--judgements", nargs="+", action=Once, type=Path, metavar="FILE", help="one or more files")
    group.add_argument(
        "--scales", nargs="+", default=[], metavar="S",
        help="the scale that decides, then the one that breaks its ties (default: adequacy and fluency, or the only"
        " one)",
    )  # fmt: skip
    group.add_argument(
        "--lower-is-better", nargs="+", default=[], metavar="S", help="scales on which lower values are better"
    )
    group.add_argument(
        "--standardise", choices=tuple(STANDARDISE), default="auto",
        help="by the mean and standard deviation of each annotator; auto: ratings yes, weights of errors no (default:"
        " auto)",
    )  # fmt: skip
    group.add_argument("--documents", type=Path, metavar="FILE", help="id of the document of each segment, one a line")
    group = parser.add_argument_group("outputs", "For metrics that are computed here; one segment a line.")
    group.add_argument("--refs", nargs="+", action=Once, type=Path, default=[], metavar="R", help="references")
    group.add_argument(
        "--outputs", nargs="+", action=Once, type=Path, default=[], metavar="H",
        help="a file is a system called after it, a folder a system with one run a file",
    )  # fmt: skip
    group.add_argument("--source", type=Path, metavar="S", help="the source sentences, for metrics that read them")
    add_score_files(parser)


def read_compared(options: argparse.Namespace) -> Compared:
    """Read everything; what there is to say of the files is printed on standard error.

    Raises
    ------
    MtevalError
        Where a file cannot be read or does not fit the others.
    """
    loaded = _loaded(options)
    experiment = None if loaded is None else loaded.experiment
    ids = experiment.test_sets[0].documents if experiment else None
    if ids is None and options.documents:
        ids = tuple(line.rpartition("\t")[2] for line in read_lines(options.documents))
    judged = read_judgements(
        [file_at(path) for path in options.judgements],
        scales=options.scales,
        lower_is_better=options.lower_is_better,
        documents=ids,
    )
    remarks = [*(loaded.remarks if loaded else ()), *judged.remarks]
    for remark in remarks:
        tell(remark.text)
    for category, severity, count in judged.unknown:
        tell(unknown_error_sentence(category, severity, count))
    return Compared(judged, judgement_frame(judged.judgements), experiment)


def _loaded(options: argparse.Namespace) -> Loaded | None:
    scores = score_files(options)
    if options.outputs:
        systems = _systems(options.outputs)
        further: list[tuple[Path | None, FileRole]] = [(options.source, "source"), (options.documents, "documents")]
        more = [(path, role) for path, role in further if path is not None]
        return load_paths(options.refs, systems, baseline=next(iter(systems)), more=more, scores=scores)
    for name in ("refs", "source"):
        if getattr(options, name):
            raise MtevalError(f"--{name} stands without --outputs; name the outputs of the systems that were judged.")
    if not scores.names:
        return None
    return load_scores(scores, read_lines(options.documents) if options.documents else None)


def _systems(paths: Sequence[Path]) -> dict[str, list[Path]]:
    """Files of each system, by its name."""
    systems: dict[str, list[Path]] = {}
    for path in paths:
        name = path.name if path.is_dir() else name_of_file(str(path))
        if name in systems:
            raise InputError(
                f"A second file or folder for system '{name}'; put runs of a system in a folder.", str(path)
            )
        systems[name] = sorted(one for one in path.iterdir() if one.is_file()) if path.is_dir() else [path]
    return systems


def add_comparison(parser: argparse.ArgumentParser) -> None:
    """Add what is asked, by which tests, on what units."""
    group = parser.add_argument_group("comparison")
    group.add_argument(
        "--show", nargs="+", choices=QUESTIONS, default=list(QUESTIONS), metavar="Q",
        help=f"among {', '.join(QUESTIONS)} (default: all that the files allow)",
    )  # fmt: skip
    group.add_argument(
        "--gold", choices=(RANK_SUM, *PROCEDURES), default=RANK_SUM, metavar="P",
        help=f"the test between people's judgements, {RANK_SUM} or a procedure of 'mteval compare', which pairs the"
        f" segments (default: {RANK_SUM}, as in the paper)",
    )  # fmt: skip
    group.add_argument(
        "--gold-unit", choices=JUDGED_UNITS, default="judgement",
        help="what that test takes as independent (default: judgement; document where segments are paired and have"
        " documents)",
    )  # fmt: skip
    group.add_argument(
        "--procedure", nargs="+", choices=tuple(PROCEDURES), default=list(PAPER), metavar="P",
        help=f"tests of the metrics (default: {' '.join(PAPER)})",
    )  # fmt: skip
    group.add_argument(
        "--unit", choices=("auto", "segment", "document"), default="auto",
        help="what the tests and intervals draw; auto takes documents where --documents names them (default: auto)",
    )  # fmt: skip
    group.add_argument("--sides", choices=tuple(SIDES), default="one", help="of those tests (default: one)")
    group.add_argument(
        "--levels", nargs="+", type=float, default=list(LEVELS), metavar="L",
        help=f"levels of significance (default: {' '.join(map(str, LEVELS))})",
    )  # fmt: skip
    group.add_argument("--baseline", metavar="SYSTEM", help="ask about other raters for it alone, not for all pairs")
    group.add_argument(
        "--counts", type=Path, metavar="FILE",
        help="a table of published counts, with columns correct and n_pairs: prints their exact intervals",
    )  # fmt: skip
    add_shuffles(group, "--resamples", "shuffles or replicates of a test")
    add_number(group, "--replicates", int, Settings().n_bootstrap, "of the judged segments, for intervals of agreement")
    add_number(group, "--confidence", float, Settings().confidence, "of intervals", "C")
    add_seed(group)
