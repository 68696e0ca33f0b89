"""``mteval compare``: any procedure on any pair of systems, with its interval, its p-value and what it costs."""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple
from pathlib import Path

import pandas as pd

from mteval.analysis.comparison import Question
from mteval.analysis.rows import frame_of
from mteval.analysis.scoring import Scored, score_experiment
from mteval.analysis.tests.borrowed import BorrowedRow, borrowed_rows
from mteval.analysis.tests.corrections import ALL_PAIRS, CORRECTIONS, corrections_for
from mteval.analysis.tests.equal_systems import FEWEST_RUNS_TO_HALVE, Halvings, halvings
from mteval.analysis.tests.equality import equality_frame
from mteval.analysis.tests.pairs import all_pairs, by_score, direction, groups
from mteval.analysis.tests.significance import (
    SIDES,
    Family,
    all_questions,
    ask_family,
    family_frame,
    question_on,
    unit_of,
)
from mteval.analysis.two_answers import two_answers
from mteval.analysis.work import Work
from mteval.cli.console import add_truth, file_to_write, write_lines
from mteval.cli.options.computation import work_for
from mteval.cli.options.metrics import add_scoring_options, chosen_metrics
from mteval.cli.options.numbers import add_design, add_number, add_seed, add_shuffles, settings_of
from mteval.cli.options.systems import BASELINE, add_system_files, compared_systems, read_systems, shown_name
from mteval.errors import SettingsError
from mteval.export.significance import (
    BORROWED_COLUMNS,
    BORROWED_NOTE,
    COLUMNS,
    HALVINGS_NOTE,
    LUCK_NAMES,
    UNIT_NAMES,
    borrowed_cells,
    borrowed_sentence,
    equality_sentence,
    experiment_wise_sentence,
    family_sentence,
    halvings_sentence,
    not_borrowed_sentence,
    notes,
    pairs_family_sentence,
    procedure_cells,
    simultaneous_sentence,
)
from mteval.export.tables import aligned, frame_csv
from mteval.metrics import catalog, resolve
from mteval.metrics.base import MetricSpec
from mteval.model import Experiment
from mteval.notation import Notation, as_typed, p_value
from mteval.settings import Settings
from mteval.stats import PROCEDURES
from mteval.stats.borrowed_spread import FEWEST_SYSTEMS
from mteval.stats.multiplicity import experiment_wise_error
from mteval.stats.procedures.registry import answering, usual

_NAMES = {key: spec.name for key, spec in PROCEDURES.items()}
_ONE = answering("test-set", "segment").key


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Describe the command and add its options, with an option ``--hyps-sysN`` for each system that the words name."""
    parser.description = (
        "Every procedure side by side, or those that are named: difference from the baseline, interval, p,"
        " adjusted p, resamples, seconds. Choose the procedure before you see the numbers."
    )
    add_system_files(parser, words)
    parser.add_argument("--documents", type=Path, metavar="FILE", help="id of the document of each segment, one a line")
    _add_tests(parser)
    parser.add_argument("--csv", type=file_to_write, metavar="FILE", help="write all rows there")
    add_scoring_options(parser, ("bleu",))


def run(options: argparse.Namespace) -> None:
    """Read, score, test, print.

    Raises
    ------
    MtevalError
        On bad input.
    """
    experiment = read_systems(options, options.documents)
    metrics = chosen_metrics(options, experiment.given)
    settings = settings_of(
        options, metrics,
        n_shuffles=options.resamples, confidence=options.confidence, exchange_unit=options.unit,
        design=options.design,
    )  # fmt: skip
    compared_systems(experiment)
    with work_for(options) as work:
        scored = score_experiment(experiment, resolve(settings, experiment.given), work)
        unit = unit_of(scored[0], settings)
        answer = _asked(options)
        frame, lines = answer(scored, unit, options, settings, work, catalog(experiment.given))
    for line in lines:
        print(line)
    if options.csv:
        write_lines(options.csv, frame_csv(frame).splitlines())


def _asked(options: argparse.Namespace) -> "_Ask":
    """What is to be computed, of the kinds that exclude each other."""
    if options.all_pairs:
        return _pairs
    if options.borrow:
        return _borrowed
    if options.own_runs:
        return _own_runs
    return _procedures if options.margin is None else _equality


def _add_tests(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("tests")
    group.add_argument(
        "--procedure", nargs="+", choices=tuple(PROCEDURES), metavar="P",
        help=f"among {', '.join(PROCEDURES)} (default: all; {_ONE} with --all-pairs)",
    )  # fmt: skip
    group.add_argument(
        "--unit", choices=("auto", "segment", "document"), default="auto",
        help="what is drawn or exchanged; auto takes documents where --documents names them (default: auto)",
    )  # fmt: skip
    group.add_argument(
        "--side", choices=SIDES, default=SIDES[0], help="whether a system differs, is better or is worse than the"
        " baseline (default: two-sided)",
    )  # fmt: skip
    group.add_argument(
        "--correction", choices=tuple(CORRECTIONS), default="holm", help="for several comparisons (default: holm)"
    )
    add_truth(group, "--all-pairs", "test all pairs of systems, one-sided, by the first procedure named")
    add_truth(
        group, "--borrow", "instead, show the verdicts with run variances that borrow from all systems (four or more)"
    )
    add_truth(
        group, "--own-runs", "instead, judge halves of the runs of each system that has six or more, which are equal"
    )
    group.add_argument(
        "--margin", type=float, metavar="POINTS", help="instead, test whether systems differ by less than so much"
    )
    add_design(group)
    add_shuffles(group, "--resamples", "shuffles or replicates of a procedure")
    add_number(group, "--confidence", float, Settings().confidence, "of intervals", "C")
    add_seed(group)


_Answer = tuple[pd.DataFrame, list[str]]
_Specs = Mapping[str, MetricSpec]
_Ask = Callable[[Sequence[Scored], str, argparse.Namespace, Settings, Work, _Specs], _Answer]


def _procedures(
    scored: Sequence[Scored], unit: str, options: argparse.Namespace, settings: Settings, work: Work, specs: _Specs
) -> _Answer:
    if options.correction == ALL_PAIRS:
        raise SettingsError(f"The correction '{ALL_PAIRS}' is for all pairs of systems; add --all-pairs.")
    family = Family.of(scored, BASELINE)
    asked = all_questions(unit, options.procedure or usual(settings.design))
    frame = family_frame(ask_family(family, asked, settings, work, options.side), options.correction, settings)
    lines = []
    for (metric, system), rows in frame.groupby(["metric", "system"], sort=False):
        spec = specs[str(metric)]
        lines += [f"{spec.name}: {shown_name(str(system))} against {BASELINE}, {options.side}"]
        lines += [*aligned(COLUMNS, procedure_cells(rows, _NAMES, spec.notation), 2), *notes(rows, _NAMES), ""]
    alpha = 1 - settings.confidence
    lines += [family_sentence(len(family.systems), len(scored), CORRECTIONS[options.correction])]
    lines += filter(None, [simultaneous_sentence(frame, settings.confidence)])
    return frame, [*lines, experiment_wise_sentence(alpha, len(family), experiment_wise_error(alpha, len(family)))]


def _equality(
    scored: Sequence[Scored], unit: str, options: argparse.Namespace, settings: Settings, work: Work, specs: _Specs
) -> _Answer:
    frame = equality_frame(Family.of(scored, BASELINE), unit, options.margin, settings, work)
    head = ("metric", "system", "luck", "procedure", "unit", "difference", "interval", "p equal", "adjusted p")
    rows = [
        (specs[row["metric"]].name, shown_name(row["system"]), LUCK_NAMES[row["luck"]], _NAMES[row["procedure"]],
         UNIT_NAMES[row["unit"]], specs[row["metric"]].notation.difference(row["difference"]),
         specs[row["metric"]].notation.interval(row["low"], row["high"]),
         p_value(row["p_value"]), p_value(row["p_adjusted"]))
        for row in frame.to_dict("records")
    ]  # fmt: skip
    margins = dict.fromkeys(specs[one.metric.key].notation.in_unit(as_typed(options.margin)) for one in scored)
    n_claims = len(frame) // frame["luck"].nunique()
    lines = [equality_sentence(f"±{' or '.join(margins)}", settings.confidence, n_claims)]
    return frame, [*lines, *aligned(head, rows, 5), *notes(frame, _NAMES)]


def _borrowed(
    scored: Sequence[Scored], unit: str, options: argparse.Namespace, settings: Settings, work: Work, specs: _Specs
) -> _Answer:
    answers = two_answers(Experiment((scored[0].test_set,), BASELINE), scored, settings, work)
    frames, lines = [], []
    for one in scored:
        frame = frame_of(borrowed_rows(one, answers, settings), BorrowedRow)
        frames.append(frame)
        if frame.empty:
            raise SettingsError(f"{one.metric.name}: {not_borrowed_sentence(FEWEST_SYSTEMS)}")
        shown = frame.assign(system=frame["system"].map(shown_name))
        cells = list(borrowed_cells(shown, specs[one.metric.key].notation))
        lines += [f"{one.metric.name}, against {BASELINE}", *aligned(BORROWED_COLUMNS, cells, 1)]
        lines += [borrowed_sentence(shown, 1 - settings.confidence), ""]
    return pd.concat(frames), [*lines, BORROWED_NOTE]


def _own_runs(
    scored: Sequence[Scored], unit: str, options: argparse.Namespace, settings: Settings, work: Work, specs: _Specs
) -> _Answer:
    frames, lines = [], []
    for one in scored:
        found = halvings(one, unit, settings, work)
        frames.append(frame_of(found, Halvings).assign(metric=one.metric.key))
        lines += [one.metric.name, *(halvings_sentence(*astuple(row)) for row in found)]
        if not found:
            raise SettingsError(f"No system has {FEWEST_RUNS_TO_HALVE} runs or more, so that none can be halved.")
    return pd.concat(frames), [*lines, HALVINGS_NOTE]


def _pairs(
    scored: Sequence[Scored], unit: str, options: argparse.Namespace, settings: Settings, work: Work, specs: _Specs
) -> _Answer:
    question = question_on((options.procedure or [_ONE])[0], unit)
    serving = corrections_for(question.spec)
    if options.correction not in serving:
        raise SettingsError(
            f"The correction '{options.correction}' does not serve {_NAMES[question.procedure]}; there are:"
            f" {', '.join(serving)}."
        )
    frames, lines = [], []
    for one in scored:
        frame = all_pairs(one, question, options.correction, settings, work)
        frames.append(frame.assign(metric=one.metric.key, procedure=question.procedure, unit=question.unit))
        notation = specs[one.metric.key].notation
        lines += [*_pair_lines(one, question, frame, options, 1 - settings.confidence, notation), ""]
    return pd.concat(frames), lines[:-1]


def _pair_lines(
    one: Scored, question: Question, frame: pd.DataFrame, options: argparse.Namespace, alpha: float, notation: Notation
) -> Iterator[str]:
    side = direction(one, question.procedure)
    how = "two-sided" if side == "two-sided" else "one-sided: is the first better than the second?"
    yield f"{one.metric.name}: all pairs by {_NAMES[question.procedure]}, {UNIT_NAMES[question.unit]}, {how}"
    rows = [
        (shown_name(row["better"]), shown_name(row["worse"]), notation.difference(row["improvement"]),
         p_value(row["p_value"]), p_value(row["p_adjusted"]))
        for row in frame.to_dict("records")
    ]  # fmt: skip
    yield from aligned(("system", "against", "improvement", "p", "adjusted p"), rows, 2)
    systems = by_score(one)
    if frame["p_value"].notna().any():
        for group in groups(frame, systems, alpha):
            words = "not told apart" if len(group) > 1 else "told apart from all others"
            yield f"{words}: {', '.join(map(shown_name, group))}"
    yield from dict.fromkeys(note for note in frame["note"] if note)
    yield pairs_family_sentence(len(systems), side != "two-sided", CORRECTIONS[options.correction])
