"""Files of judgements, and the outputs and scores that they are compared with."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from mteval.analysis.people.judged_values import judgement_frame
from mteval.cli.console import Once, tell
from mteval.cli.options.scores import add_score_files, score_files
from mteval.errors import InputError, MtevalError
from mteval.export.prose.people import unknown_error_sentence
from mteval.model import Experiment
from mteval.readers import FileRole
from mteval.readers.assembly.judgements import Judged, read_judgements
from mteval.readers.disk import Loaded, file_at, read_lines
from mteval.readers.named_files import load_paths
from mteval.readers.names import name_of_file
from mteval.readers.scored_outputs import load_scores

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
    if options.refs:
        raise MtevalError("--refs stands without --outputs; name the outputs of the systems that were judged.")
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
