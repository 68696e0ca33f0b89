"""``mteval people``: compare metrics, tests and raters with human judgements."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from mteval.analysis.evaluation import versions
from mteval.analysis.findings import findings_of
from mteval.analysis.judged import read_people
from mteval.analysis.people.agreement import LEVELS, PAPER, SIDES, counts_frame
from mteval.analysis.people.gold import AUTO, JUDGED_UNITS, RANK_SUM
from mteval.analysis.people.human_evaluation import QUESTIONS, HumanChoices, HumanEvaluation
from mteval.analysis.people.judgements import judgement_frame
from mteval.analysis.scoring import Scored, score_experiment
from mteval.answers.averages import AVERAGES_KEY
from mteval.answers.gold import judged_extent, unknown_error_sentence
from mteval.answers.people import EVERY_MEASURE, counts_section, sections_of
from mteval.answers.section import Section
from mteval.base.errors import InputError, MtevalError
from mteval.base.words import composed, display_width
from mteval.cli import output_options as output
from mteval.cli.console import (
    add_files,
    add_truth,
    directory_to_write,
    examples,
    keep_inputs,
    made_directory,
    number,
    refuse,
    refuse_inputs,
    tell,
    write_text,
)
from mteval.cli.metric_options import add_metric_options, chosen_metrics
from mteval.cli.system_options import (
    add_documents,
    add_number_of_references,
    add_score_files,
    add_source,
    further_files,
    number_of_references,
    score_files,
)
from mteval.metrics import METRICS, resolve
from mteval.readers.assembly.judgements import Judged, read_counts
from mteval.readers.assembly.ledger import FORMS, entry_of_lines
from mteval.readers.disk import Loaded, file_at, read_lines
from mteval.readers.named_files import load_paths, load_scores
from mteval.readers.names import name_of_file
from mteval.render.frames import frame_csv, to_json
from mteval.render.text import aligned
from mteval.stats import PROCEDURES
from mteval.stats.alternative_annotator import CROWD, EXPERTS, SKILLED
from mteval.stats.procedures.randomization import AR_SEGMENT
from mteval.values.ledger import Entry, Ledger
from mteval.values.settings import Settings

STANDARDISE = {"auto": None, "yes": True, "no": False}


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add the options."""
    parser.usage = """\
%(prog)s --judgements FILE… [--scores-higher FILE…] [--refs REF… --outputs FILE…] [option…]
       %(prog)s --counts FILE [option…]"""
    parser.description = (
        "Compare human judgements with metrics, significance tests and other raters (Graham et al. 2014)."
    )
    parser.epilog = examples(
        "people --judgements judgements.tsv --scores-higher COMET.seg.score",
        "people --judgements judgements.tsv --refs ref.txt --outputs A.txt B.txt --metrics bleu chrf",
        "people --counts counts.csv",
    )
    group = parser.add_argument_group(
        "judgements",
        "Tables with columns annotator, system, segment and a scale (e.g. adequacy), and files of WMT, Appraise and"
        " Pearmut (docs/people.md).",
    )
    add_files(group, "--judgements", "files of judgements")
    text = "deciding scale, then tie-breaker (default: adequacy and fluency, or the only scale)"
    group.add_argument("--scales", nargs="+", default=[], metavar="S", help=text)
    group.add_argument("--lower-is-better", nargs="+", default=[], metavar="S", help="scales where lower is better")
    text = "standardise per annotator; auto: ratings only (default: auto)"
    group.add_argument("--standardise", choices=tuple(STANDARDISE), default="auto", help=text)
    add_documents(group)
    add_outputs(parser)
    add_score_files(parser)
    add_metric_options(parser, ("bleu", "chrf"), words)
    _add_comparison(parser.add_argument_group("comparison"))
    group = output.add_output_options(parser, ("text", "json"))
    text = "write every table in full precision"
    group.add_argument("--csv", type=directory_to_write, dest="tables", metavar="DIR", help=text)
    output.add_computing_options(parser)


def add_outputs(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Add ``--refs``, ``--outputs`` and ``--source``, and return their group."""
    group = parser.add_argument_group("outputs", "For metrics computed here; one segment per line.")
    add_files(group, "--refs", "references", "R")
    add_number_of_references(group)
    add_files(group, "--outputs", "one file per system, or a folder with one file per run", "H")
    add_source(group)
    return group


def _add_comparison(group: argparse._ArgumentGroup) -> None:
    """Add the options of the comparison."""
    text = f"{', '.join(QUESTIONS)} (default: all that the files allow; judge with --judge only)"
    group.add_argument("--show", nargs="+", choices=QUESTIONS, metavar="Q", help=text)
    text = (
        f"test of judgements: {RANK_SUM}, or a procedure of 'mteval compare', which pairs them by segment (default:"
        f" {AR_SEGMENT.key} if all systems were judged on the same segments, else {RANK_SUM})"
    )
    group.add_argument("--gold", choices=(RANK_SUM, *PROCEDURES), default=AUTO, metavar="P", help=text)
    text = "unit of --gold (default: judgement, or document if paired and known)"
    group.add_argument("--gold-unit", choices=JUDGED_UNITS, default=AUTO, help=text)
    text = f"tests of the metrics (default: {' '.join(PAPER)})"
    group.add_argument("--procedure", nargs="+", choices=tuple(PROCEDURES), default=list(PAPER), metavar="P", help=text)
    group.add_argument("--sides", choices=tuple(SIDES), default="one", help="default: one")
    text = f"significance levels (default: {' '.join(map(str, LEVELS))})"
    group.add_argument("--levels", nargs="+", type=number, default=list(LEVELS), metavar="L", help=text)
    group.add_argument("--baseline", type=composed, metavar="SYSTEM", help="raters: only pairs with this system")
    text = "count raters whose names share this as one judge, and test whether it may replace a rater, e.g. '^gpt-4o'"
    group.add_argument("--judge", default="", metavar="REGEX", help=text)
    text = "use the metrics' scores of all segments to make differences between human means more precise"
    add_truth(group, "--assist", text)
    text = f"margin of --judge: {EXPERTS} for experts, {SKILLED} skilled, {CROWD} crowd (default: {EXPERTS})"
    group.add_argument("--epsilon", type=number, default=EXPERTS, metavar="E", help=text)
    text = "table with columns correct and n_pairs; print exact intervals"
    group.add_argument("--counts", type=Path, metavar="FILE", help=text)
    output.add_setting(group, "--replicates", "n_bootstrap", "bootstrap replicates for agreement")
    output.add_resampling(group, "what tests and intervals resample; auto: documents if known")


def run(options: argparse.Namespace) -> None:
    """Read, compare, print.

    Raises
    ------
    MtevalError
        On bad input.
    """
    output.check_one_is_printed(options)
    if not options.judgements:
        of_judgements = (
            "scores_higher",
            "scores_lower",
            "refs",
            "num_refs",
            "outputs",
            "source",
            "documents",
            "scales",
        )
        refuse(options, of_judgements, "needs --judgements")
        if not options.counts:
            raise MtevalError("No judgements given. Use --judgements FILE…, or --counts FILE.")
    lines: list[str] = []
    frames: dict[str, pd.DataFrame] = {}
    header: dict[str, Any] = {"versions": dict(versions())}
    entries: list[Entry] = []
    if options.counts:
        counts = read_counts(options.counts)
        entries.append(Entry(str(options.counts), "read", roles=("counts",), format=FORMS["table"], rows=len(counts)))
        frames["counts"] = counts_frame(counts, options.confidence)
        lines += _lines(counts_section(frames["counts"]))
    if options.judgements:
        people = _compare(options, lines, frames, entries)
        header.update(people.deciding)
    header["files"] = Ledger().including(entries).form()
    if options.tables:
        folder = made_directory(options.tables)
        table_of = {folder / f"{name}.csv": frame for name, frame in frames.items()}
        refuse_inputs(table_of)
        for path, table in table_of.items():
            write_text(path, frame_csv(table))
    output.publish(options, lambda: to_json(frames, header), lines[:-1])


def _lines(section: Section) -> Iterator[str]:
    """Yield the tables and notes of a section, and an empty line.

    Notes on all parts, which are those of the section itself if it has no table, come last.
    """
    yield section.title
    yield "-" * display_width(section.title)
    parts = [part for part in section.all if part.key != EVERY_MEASURE and (part.table is not None or part.notes)]
    for part in sorted(parts, key=lambda part: part is section and part.table is None):
        if part.table is not None:
            if part.table.caption:
                yield part.table.caption
            yield from aligned(part.table.head, part.table.texts, part.table.n_words)
        if part.key.startswith(AVERAGES_KEY):
            yield from part.lead  # the votes of preferences
        for note in part.brief.notes:
            yield note.said
        if part is not section and not part.is_detail:
            yield ""
    yield ""


def _compare(
    options: argparse.Namespace, lines: list[str], frames: dict[str, pd.DataFrame], entries: list[Entry]
) -> HumanEvaluation:
    """Compare judgements with outputs or scores, and add to the lines, the frames and the entries of the ledger."""
    loaded = loaded_outputs(options)
    experiment = None if loaded is None else loaded.experiment
    documents = _document_ids(options, loaded)
    judged = _judged(options, loaded, documents)
    frame = judgement_frame(judged.judgements)
    if experiment is not None:
        entries += experiment.ledger
    entries += judged.entries
    if options.documents and documents is not None:
        entries.append(entry_of_lines(options.documents, "documents", documents))
    metrics = chosen_metrics(options, loaded)
    if not options.outputs:
        for key in metrics:
            if key in METRICS:
                raise MtevalError(f"{METRICS[key].name} needs outputs. Add --outputs and --refs.")
    settings = output.settings_of(options, metrics or dict.fromkeys(Settings.metrics, ""), experiment)
    choices = HumanChoices(
        scales=tuple(options.scales),
        standardise=STANDARDISE[options.standardise],
        gold=options.gold,
        gold_unit=options.gold_unit,
        procedures=tuple(options.procedure),
        sides=options.sides,
        levels=tuple(options.levels),
        baseline=options.baseline,
        judge=options.judge,
        epsilon=options.epsilon,
        is_assisted=options.assist,
    )
    lines += [judged_extent(frame), ""]
    with output.work_for(options) as work:
        scored: Sequence[Scored] = ()
        test_set = None
        if experiment is not None:
            scored = score_experiment(experiment, resolve(settings, experiment.given), work)
            output.tell_warnings(findings_of(experiment, scored, settings))
            if scored:
                test_set = scored[0].test_set
        people = HumanEvaluation(frame, choices, test_set, lambda: scored, settings, work)
        shown = options.show or people.questions
        printed = set(shown)
        if scored and "tests" in shown:  # it compares tests of metrics with the test of judgements
            printed.add("gold")
        for question in QUESTIONS:
            if question in printed:
                for section in sections_of(people, question):
                    lines += _lines(section)
        frames |= people.frames(shown)
    return people


def loaded_outputs(options: argparse.Namespace) -> Loaded | None:
    """Read the outputs or scores to compare with; None without any."""
    scores = score_files(options)
    if not options.outputs:
        refuse(options, ("refs", "num_refs", "source"), "needs --outputs")
        if not scores.names:
            return None
        documents = None
        if options.documents:
            documents = read_lines(options.documents)
        return load_scores(scores, documents)
    files_of: dict[str, list[Path]] = {}
    for path in options.outputs:
        if path.is_dir():
            name = path.name
            files = sorted(file for file in path.iterdir() if file.is_file())
        else:
            name = name_of_file(str(path))
            files = [path]
        if name in files_of:
            message = f"System '{name}' is given twice. Put the runs of a system in one folder."
            raise InputError(message, str(path))
        files_of[name] = files
        keep_inputs(files)
    more = further_files(options)
    return load_paths(
        options.refs,
        files_of,
        baseline=next(iter(files_of)),
        more=more,
        scores=scores,
        n_references=number_of_references(options),
    )


def _document_ids(options: argparse.Namespace, loaded: Loaded | None) -> tuple[str, ...] | None:
    """Return the document of each segment; None if unknown."""
    documents = None
    if loaded is not None:
        documents = loaded.experiment.test_sets[0].documents
    if documents is None and options.documents:
        # The ID is the last column
        documents = tuple(line.rpartition("\t")[2] for line in read_lines(options.documents))
    return documents


def _judged(options: argparse.Namespace, loaded: Loaded | None, documents: Sequence[str] | None) -> Judged:
    """Read the judgements, and print notes on the files."""
    files = [file_at(path) for path in options.judgements]
    judged = read_people(files, scales=options.scales, lower_is_better=options.lower_is_better, documents=documents)
    if loaded is not None:
        for note in loaded.notes:
            # Warnings on the outputs are findings; notes on the judgements follow
            if note.severity != "warning" and note not in judged.notes:
                tell(note.text)
    for note in judged.notes:
        tell(note.text)
    for category, severity, count in judged.unknown:
        tell(unknown_error_sentence(category, severity, count))
    return judged
