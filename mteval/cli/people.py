"""``mteval people``: what people said of systems, and how metrics, tests and other raters compare with it."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from mteval.analysis.evaluation import versions
from mteval.analysis.people.claims import LEVELS, counts_frame
from mteval.analysis.people.gold import GOLD_TESTS
from mteval.analysis.people.human_evaluation import HumanChoices, HumanEvaluation
from mteval.analysis.people.meta import MEASURES
from mteval.analysis.scoring import score_experiment
from mteval.answers.judgements import judged_extent
from mteval.answers.people import (
    SHARES_EXPLAINED,
    accuracy_lines,
    against_lines,
    agreement_lines,
    counts_lines,
    gold_lines,
    resolution_sentence,
    shares_cells,
)
from mteval.answers.raters import rater_agreement_cells, rater_lines
from mteval.base.errors import MissingDependencyError, MtevalError
from mteval.base.words import counted
from mteval.cli.console import add_json, directory_to_write, examples, made_directory, write_lines
from mteval.cli.options.computation import add_output_options, is_taken, work_for
from mteval.cli.options.metrics import add_scoring_options, chosen_metrics
from mteval.cli.options.people import STANDARDISE, add_comparison, add_judgement_files, read_compared
from mteval.metrics import METRICS, resolve
from mteval.readers.assembly.judgements import read_counts
from mteval.render.csv import frame_csv
from mteval.render.json import to_json
from mteval.values.settings import Settings

_DEFAULT_METRICS = ("bleu", "chrf")
_USAGE = """\
%(prog)s --judgements FILE… [--scores-higher FILE…] [--refs REF… --outputs FILE…] [option…]
       %(prog)s --counts FILE [option…]"""


@dataclass
class _Report:
    """Lines to print and the frames behind them."""

    lines: list[str] = field(default_factory=list)
    frames: dict[str, pd.DataFrame] = field(default_factory=dict)

    def add(self, title: str, lines: Iterator[str] | Sequence[str], **frames: pd.DataFrame) -> None:
        """A section with its frames."""
        self.lines += ["", title, "-" * len(title), *lines]
        self.frames |= frames


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
    report = _Report()
    other: dict[str, Any] = {"versions": dict(versions())}
    if options.counts:
        counts = counts_frame(read_counts(options.counts), options.confidence)
        report.add("Published counts, with exact intervals", counts_lines(counts), counts=counts)
    if options.judgements:
        other |= _compare(options, report).deciding
    if options.csv:
        for name, frame in report.frames.items():
            write_lines(made_directory(options.csv) / f"{name}.csv", frame_csv(frame).splitlines())
    if options.json:
        write_lines(options.json, to_json(report.frames, other).splitlines())
    if options.format == "json":
        print(to_json(report.frames, other), end="")
    elif is_printed:
        print("\n".join(report.lines[1:]))


def _check(options: argparse.Namespace) -> None:
    """Refuse to compare nothing, and files without judgements that they could be compared with."""
    others = ("scores_higher", "scores_lower", "refs", "outputs", "source", "documents", "scales")
    named = [name for name in others if getattr(options, name)]
    if not options.judgements and named:
        raise MtevalError(f"--{named[0].replace('_', '-')} is about judgements; name files of them with --judgements.")
    if not options.judgements and not options.counts:
        raise MtevalError("Nothing to compare with: name files of judgements with --judgements.")


def _compare(options: argparse.Namespace, report: _Report) -> HumanEvaluation:
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
    report.lines += ["", judged_extent(compared.frame)]
    experiment = compared.experiment
    with work_for(options) as work:
        scored = score_experiment(experiment, resolve(settings, experiment.given), work) if experiment else ()
        test_set = scored[0].test_set if scored else None
        people = HumanEvaluation(compared.frame, _choices(options), test_set, lambda: scored, settings, work)
        _sections(people, options.show, report)
    return people


def _choices(options: argparse.Namespace) -> HumanChoices:
    return HumanChoices(
        tuple(options.scales), STANDARDISE[options.standardise], options.gold, options.gold_unit,
        tuple(options.procedure), options.sides, tuple(options.levels), options.baseline,
    )  # fmt: skip


def _sections(people: HumanEvaluation, questions: Collection[str], report: _Report) -> None:
    """What is printed of each question that the files allow an answer to."""
    if "gold" in questions or (people.scored and "tests" in questions):
        gold = people.gold
        title = f"Which systems people tell apart: {GOLD_TESTS[gold.test]}, units: {gold.unit}s"
        report.add(title, gold_lines(gold.cells(LEVELS[0]), gold.systems))
    if people.scored and "tests" in questions:
        _tests(people, report)
    if people.scored and "metrics" in questions:
        found = people.agreement
        title = (
            f"Which metric agrees with people: {counted(len(found.systems), 'system')},"
            f" {counted(found.n_segments, 'segment')}, {counted(found.n_units, found.unit)} drawn for intervals"
        )
        report.add(title, agreement_lines(found.frame, MEASURES, people.names))
    if "raters" in questions:
        _raters(people, report)
    report.frames |= dict(people.frames(questions))


def _tests(people: HumanEvaluation, report: _Report) -> None:
    names = people.names
    report.add("How often tests conclude what people do", accuracy_lines(people.accuracy, names, GOLD_TESTS))
    out_of_reach = [resolution_sentence(at, people.settings.n_shuffles) for at in people.choices.levels]
    report.lines += filter(None, out_of_reach)
    if not people.against.empty:
        report.add("Tests against each other", against_lines(people.against, names, GOLD_TESTS))
    try:
        shares = people.shares
    except MissingDependencyError as error:
        report.lines.append(str(error))
        return
    if not shares.empty:
        report.add("What share of people would agree", [SHARES_EXPLAINED, *shares_cells(shares, names).lines])


def _raters(people: HumanEvaluation, report: _Report) -> None:
    raters = people.raters
    if raters["p_value"].isna().all():
        notes = list(dict.fromkeys(note for note in raters["note"] if note))
        report.add("Would other raters say so?", [f"No answer. {' '.join(notes)}"])
        return
    title = "Do raters agree: Krippendorff's alpha on the outputs that they share"
    report.add(title, rater_agreement_cells(people.rater_agreement).lines)
    report.add("Would other raters say so?", rater_lines(raters))
