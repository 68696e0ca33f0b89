"""``mteval people``: what people said of systems, and how metrics, tests and other raters compare with it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from mteval.analysis.comparison import Question
from mteval.analysis.evaluation import versions
from mteval.analysis.people.beside import MEASURES
from mteval.analysis.people.claims import SIDES, accuracy_frame, against_frame, claims_frame, counts_frame
from mteval.analysis.people.gold import GOLD_TESTS, RANK_SUM, Gold, gold_of
from mteval.analysis.people.judged_values import HumanScores, prepared, scales_of
from mteval.analysis.people.meta import agreement_with_people
from mteval.analysis.people.rater_agreement import rater_agreement_frame
from mteval.analysis.people.raters import raters_frame
from mteval.analysis.people.shares import shares_frame
from mteval.analysis.scoring import Scored, score_experiment
from mteval.analysis.tests.significance import question_on, unit_of
from mteval.analysis.work import Work
from mteval.cli.console import add_json, directory_to_write, made_directory, write_lines
from mteval.cli.options.computation import work_for
from mteval.cli.options.judgements import STANDARDISE, Compared, add_judgement_files, read_compared
from mteval.cli.options.metrics import add_scoring_options, chosen_metrics
from mteval.cli.options.people import add_comparison
from mteval.counts import counted
from mteval.errors import MissingDependencyError, MtevalError
from mteval.export.json import to_json
from mteval.export.people import (
    accuracy_lines,
    against_lines,
    agreement_lines,
    counts_lines,
    gold_lines,
    shares_lines,
)
from mteval.export.prose.people import judged_extent
from mteval.export.raters import rater_agreement_cells, rater_lines
from mteval.export.tables import frame_csv
from mteval.metrics import METRICS, catalog, resolve
from mteval.readers.people_counts import read_counts
from mteval.settings import Settings

_DEFAULT_METRICS = ("bleu", "chrf")


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
    parser.description = (
        "Which systems people tell apart; how often each metric with each test concludes the same (Graham"
        " et al. 2014); which metric agrees with people, as the WMT metrics task measures it; and whether other raters"
        " would say so."
    )
    add_judgement_files(parser)
    add_comparison(parser)
    group = parser.add_argument_group("what is written")
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
    report = _Report()
    other: dict[str, Any] = {"versions": dict(versions())}
    if options.counts:
        counts = counts_frame(read_counts(options.counts), options.confidence)
        report.add("Published counts, with exact intervals", counts_lines(counts), counts=counts)
    if options.judgements:
        other["settings"] = _compare(options, report).deciding
    elif not options.counts:
        raise MtevalError("Nothing to compare with: name files of judgements with --judgements.")
    print("\n".join(report.lines[1:]))
    if options.csv:
        for name, frame in report.frames.items():
            write_lines(made_directory(options.csv) / f"{name}.csv", frame_csv(frame).splitlines())
    if options.json:
        write_lines(options.json, to_json(report.frames, other).splitlines())


def _compare(options: argparse.Namespace, report: _Report) -> Settings:
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
    with work_for(options) as work:
        scored: tuple[Scored, ...] = ()
        if compared.experiment:
            scored = score_experiment(compared.experiment, resolve(settings, compared.experiment.given), work)
        _sections(compared, scored, options, settings, work, report)
    return settings


def _sections(
    compared: Compared,
    scored: Sequence[Scored],
    options: argparse.Namespace,
    settings: Settings,
    work: Work,
    report: _Report,
) -> None:
    scales = scales_of(compared.frame, options.scales)
    frame = prepared(compared.frame, STANDARDISE[options.standardise])
    names = {key: spec.name for key, spec in catalog(compared.experiment.given if compared.experiment else ()).items()}
    if "gold" in options.show or (scored and "tests" in options.show):
        gold = _gold(frame, scales, scored, options, settings, work)
        cells = gold.cells(0.05)
        title = f"Which systems people tell apart: {GOLD_TESTS[gold.test]}, units: {gold.unit}s"
        report.add(title, gold_lines(cells, gold.systems), gold=cells)
        if scored and "tests" in options.show:
            _tests(gold, scored, options, settings, work, names, report)
    if scored and "metrics" in options.show:
        human = HumanScores.of(frame, scales[0], scored[0].test_set)
        found = agreement_with_people(scored, human, unit_of(scored[0], settings), settings, work)
        title = (
            f"Which metric agrees with people: {counted(len(found.systems), 'system')},"
            f" {counted(found.n_segments, 'segment')}, {counted(found.n_units, found.unit)} drawn for intervals"
        )
        report.add(
            title, agreement_lines(found.frame, MEASURES, names), agreement=found.frame, metric_pairs=found.pairs
        )
    if "raters" in options.show:
        _raters(compared.frame, scales[0], options, settings, report)


def _gold(
    frame: pd.DataFrame,
    scales: tuple[str, str | None],
    scored: Sequence[Scored],
    options: argparse.Namespace,
    settings: Settings,
    work: Work,
) -> Gold:
    test_set = scored[0].test_set if scored else None
    if options.gold == RANK_SUM:
        return gold_of(frame, scales, Question(RANK_SUM, options.gold_unit), test_set, settings, work)
    is_usual = options.gold_unit == "judgement" and bool(scored)
    question = question_on(options.gold, unit_of(scored[0], settings) if is_usual else options.gold_unit)
    return gold_of(frame, scales, question, test_set, settings, work)


def _tests(
    gold: Gold,
    scored: Sequence[Scored],
    options: argparse.Namespace,
    settings: Settings,
    work: Work,
    names: Mapping[str, str],
    report: _Report,
) -> None:
    asked = [question_on(procedure, unit_of(scored[0], settings)) for procedure in options.procedure]
    claims = claims_frame(scored, asked, settings, work, SIDES[options.sides])
    accuracy = accuracy_frame(claims, gold, options.levels, settings.confidence)
    lines = accuracy_lines(accuracy, names, GOLD_TESTS)
    report.add("How often tests conclude what people do", lines, claims=claims, accuracy=accuracy)
    against = against_frame(claims, gold, options.levels[0])
    report.add("Tests against each other", against_lines(against, names, GOLD_TESTS), against=against)
    try:
        shares = shares_frame(claims, gold, scored)
    except MissingDependencyError as error:
        report.lines.append(str(error))
        return
    report.add("What share of people would agree", shares_lines(shares, names), shares=shares)


def _raters(frame: pd.DataFrame, scale: str, options: argparse.Namespace, settings: Settings, report: _Report) -> None:
    agreement = rater_agreement_frame(frame, scale)
    has_documents = options.unit != "segment" and bool(frame["document"].notna().all())
    units = ("segment", "document") if has_documents else ("segment",)
    raters = raters_frame(frame, scale, settings, options.baseline, units)
    if raters["p_value"].isna().all():
        notes = list(dict.fromkeys(note for note in raters["note"] if note))
        report.add("Would other raters say so?", [f"No answer. {' '.join(notes)}"], raters=raters)
        return
    title = "Do raters agree: Krippendorff's alpha on the outputs that they share"
    report.add(title, rater_agreement_cells(agreement).lines, rater_agreement=agreement)
    report.add("Would other raters say so?", rater_lines(raters), raters=raters)
