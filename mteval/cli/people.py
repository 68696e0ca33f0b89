"""``mteval people``: what people said of systems, and how metrics, tests and other raters compare with it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from mteval.analysis.evaluation import versions
from mteval.analysis.people.agreement import counts_frame
from mteval.analysis.people.human_evaluation import QUESTIONS, HumanChoices, HumanEvaluation
from mteval.analysis.scoring import score_experiment
from mteval.answers.agreement import EVERY_MEASURE, counts_section
from mteval.answers.gold import judged_extent
from mteval.answers.people import sections_of
from mteval.answers.section import Section
from mteval.base.errors import MtevalError
from mteval.cli.console import add_json, directory_to_write, examples, made_directory, write_lines
from mteval.cli.options.computation import add_output_options, is_taken, work_for
from mteval.cli.options.metrics import add_scoring_options, chosen_metrics
from mteval.cli.options.people import STANDARDISE, add_comparison, add_judgement_files, read_compared
from mteval.metrics import METRICS, resolve
from mteval.readers.assembly.judgements import read_counts
from mteval.render.csv import frame_csv
from mteval.render.json import to_json
from mteval.render.text import aligned
from mteval.values.settings import Settings

_DEFAULT_METRICS = ("bleu", "chrf")
_USAGE = """\
%(prog)s --judgements FILE… [--scores-higher FILE…] [--refs REF… --outputs FILE…] [option…]
       %(prog)s --counts FILE [option…]"""


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add its options."""
    parser.usage = _USAGE
    parser.description = (
        "Which systems people tell apart; how often each metric with each test concludes the same (Graham"
        " et al. 2014); which metric agrees with people, as the WMT metrics task measures it; and whether other raters"
        " would say so."
    )
    parser.epilog = examples(
        "people --judgements judgements.tsv --scores-higher COMET.seg.score",
        "people --judgements judgements.tsv --refs ref.txt --outputs A.txt B.txt --metrics bleu chrf",
        "people --counts counts.csv",
    )
    add_judgement_files(parser)
    add_comparison(parser)
    group = add_output_options(parser, ("text", "json"))
    group.add_argument("--csv", type=directory_to_write, metavar="DIR", help="write every table there, in full digits")
    add_json(group)
    add_scoring_options(parser, _DEFAULT_METRICS)


def run(options: argparse.Namespace) -> None:
    """Read, compare, print.

    Raises
    ------
    MtevalError
        On bad input.
    """
    is_printed = not is_taken(options, options.json)
    _check(options)
    lines: list[str] = []
    frames: dict[str, pd.DataFrame] = {}
    other: dict[str, Any] = {"versions": dict(versions())}
    if options.counts:
        frames["counts"] = counts_frame(read_counts(options.counts), options.confidence)
        lines += _lines(counts_section(frames["counts"]))
    if options.judgements:
        other |= _compare(options, lines, frames).deciding
    if options.csv:
        for name, frame in frames.items():
            write_lines(made_directory(options.csv) / f"{name}.csv", frame_csv(frame).splitlines())
    if options.json:
        write_lines(options.json, to_json(frames, other).splitlines())
    if options.format == "json":
        print(to_json(frames, other), end="")
    elif is_printed:
        print("\n".join(lines[:-1]))


def _lines(section: Section) -> Iterator[str]:
    """What is printed of a section: its tables and what is to be known of them, without help."""
    yield from (section.title, "-" * len(section.title))
    answered = [one for one in section.all if one.key != EVERY_MEASURE and (one.table is not None or one.notes)]
    for one in sorted(answered, key=lambda one: one is section and one.table is None):  # notes on all parts stand last
        if one.table is not None:
            yield from ([one.table.caption] if one.table.caption else [])
            yield from aligned(one.table.head, one.table.texts, one.table.n_words)
        yield from (note.said for note in one.brief.notes)
        yield from [] if one is section or one.is_detail else [""]
    yield ""


def _check(options: argparse.Namespace) -> None:
    """Refuse to compare nothing, and files without judgements that they could be compared with."""
    others = ("scores_higher", "scores_lower", "refs", "outputs", "source", "documents", "scales")
    named = [name for name in others if getattr(options, name)]
    if not options.judgements and named:
        raise MtevalError(f"--{named[0].replace('_', '-')} is about judgements; name files of them with --judgements.")
    if not options.judgements and not options.counts:
        raise MtevalError("Nothing to compare with: name files of judgements with --judgements.")


def _compare(options: argparse.Namespace, lines: list[str], frames: dict[str, pd.DataFrame]) -> HumanEvaluation:
    """Compare people with what else there is; what there is to print and to write is added."""
    compared = read_compared(options)
    if not options.outputs:
        options.default_metrics = ()  # there are no texts that they could score
    metrics = chosen_metrics(options, compared.experiment)
    computed = [key for key in metrics.labels if key in METRICS and not options.outputs]
    if computed:
        raise MtevalError(f"{METRICS[computed[0]].name} needs the outputs; name them with --outputs, and --refs.")
    settings = Settings(
        metrics=tuple(metrics.labels) or Settings().metrics, convention=options.convention, options=metrics.options,
        n_bootstrap=options.replicates, n_shuffles=options.resamples, seed=options.seed,
        confidence=options.confidence, exchange_unit=options.unit, workers=options.threads,
    )  # fmt: skip
    choices = HumanChoices(
        tuple(options.scales), STANDARDISE[options.standardise], options.gold, options.gold_unit,
        tuple(options.procedure), options.sides, tuple(options.levels), options.baseline,
    )  # fmt: skip
    lines += [judged_extent(compared.frame), ""]
    experiment = compared.experiment
    with work_for(options) as work:
        scored = score_experiment(experiment, resolve(settings, experiment.given), work) if experiment else ()
        test_set = scored[0].test_set if scored else None
        people = HumanEvaluation(compared.frame, choices, test_set, lambda: scored, settings, work)
        asked = {*options.show, *(["gold"] if scored and "tests" in options.show else [])}
        for question in QUESTIONS:
            if question in asked:
                lines += [line for section in sections_of(people, question) for line in _lines(section)]
        frames |= people.frames(options.show)
    return people
