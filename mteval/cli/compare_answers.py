"""What ``mteval compare`` can be asked, each with its tables and sentences."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass

import pandas as pd

from mteval.analysis.comparison import Question
from mteval.analysis.rows import frame_of
from mteval.analysis.scoring import Scored
from mteval.analysis.tests.corrections import CORRECTIONS, corrections_for
from mteval.analysis.tests.equal_systems import FEWEST_RUNS_TO_HALVE, Halvings, halvings
from mteval.analysis.tests.equality import equality_frame
from mteval.analysis.tests.pairs import all_pairs, by_score, direction, groups
from mteval.analysis.tests.sensitivity import BorrowedRow, borrowed_rows
from mteval.analysis.tests.significance import (
    Family,
    all_questions,
    ask_family,
    family_frame,
    question_on,
)
from mteval.analysis.two_answers import two_answers
from mteval.analysis.work import Work
from mteval.cli.answer_tables import Answer, Table
from mteval.cli.options.reported import reported
from mteval.cli.options.systems import Systems
from mteval.counts import counted
from mteval.errors import SettingsError
from mteval.export.significance import (
    BORROWED_COLUMNS,
    BORROWED_NOTE,
    COLUMNS,
    HALVINGS_NOTE,
    LUCK_NAMES,
    NOT_FIXED,
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
from mteval.export.tables import with_names
from mteval.metrics.base import MetricSpec
from mteval.notation import as_typed, p_value
from mteval.settings import Settings
from mteval.stats import PROCEDURES
from mteval.stats.borrowed_spread import FEWEST_SYSTEMS
from mteval.stats.multiplicity import experiment_wise_error
from mteval.stats.procedures.registry import answering, usual

_NAMES = {key: spec.name for key, spec in PROCEDURES.items()}
USUAL_FOR_PAIRS = answering("test-set", "segment").key


@dataclass(frozen=True)
class Asked:
    """All that an answer is made from; ``unit`` is what is drawn or exchanged."""

    scored: Sequence[Scored]
    unit: str
    options: argparse.Namespace
    settings: Settings
    work: Work
    specs: Mapping[str, MetricSpec]
    systems: Systems

    @property
    def names(self) -> Mapping[str, str]:
        """How systems are shown."""
        return self.systems.names

    @property
    def family(self) -> Family:
        """All systems against the baseline."""
        return Family.of(self.scored, self.systems.experiment.baseline)


def _procedures(asked: Asked) -> Answer:
    options, settings, family = asked.options, asked.settings, asked.family
    all_keys = usual(settings.design)
    chosen = options.procedure or [key for key in all_keys if options.correction in corrections_for(PROCEDURES[key])]
    outcomes = ask_family(family, all_questions(asked.unit, chosen), settings, asked.work, options.side)
    frame = with_names(family_frame(outcomes, options.correction, settings), asked.names)
    tables = []
    for (metric, system), rows in frame.groupby(["metric", "system"], sort=False):
        spec = asked.specs[str(metric)]
        title = f"{spec.name}: {system} against {asked.systems.baseline}, {options.side}"
        cells = list(procedure_cells(rows, _NAMES, spec.notation))
        tables.append(Table(title, COLUMNS, cells, 2, list(notes(rows, _NAMES))))
    alpha = 1 - settings.confidence
    sentences = [
        family_sentence(len(family.systems), len(asked.scored), CORRECTIONS[options.correction]),
        *filter(None, [simultaneous_sentence(frame, settings.confidence)]),
        experiment_wise_sentence(alpha, len(family), experiment_wise_error(alpha, len(family))),
    ]
    if len(chosen) < len(all_keys) and not options.procedure:
        sentences.append("Procedures whose comparisons share no shuffles, which this correction needs, are left out.")
    return Answer(frame, tables, sentences)


def _equality(asked: Asked) -> Answer:
    specs, settings, margin = asked.specs, asked.settings, asked.options.margin
    frame = equality_frame(asked.family, asked.unit, margin, settings, asked.work)
    frame = with_names(frame, asked.names)
    head = ("metric", "system", "luck", "procedure", "unit", "difference", "interval", "p equal", "adjusted p")
    rows = [
        (specs[row["metric"]].name, row["system"], LUCK_NAMES[row["luck"]], _NAMES[row["procedure"]],
         UNIT_NAMES[row["unit"]], specs[row["metric"]].notation.difference(row["difference"]),
         specs[row["metric"]].notation.interval(row["low"], row["high"]),
         p_value(row["p_value"]), p_value(row["p_adjusted"]))
        for row in frame.to_dict("records")
    ]  # fmt: skip
    margins = dict.fromkeys(specs[one.metric.key].notation.in_unit(as_typed(margin)) for one in asked.scored)
    n_claims = len(frame) // frame["luck"].nunique()
    title = equality_sentence(f"±{' or '.join(margins)}", settings.confidence, n_claims)
    return Answer(frame, [Table(title, head, rows, 5, list(notes(frame, _NAMES)))])


def _pairs(asked: Asked) -> Answer:
    options, settings = asked.options, asked.settings
    question = question_on((options.procedure or [USUAL_FOR_PAIRS])[0], asked.unit)
    frames, tables = [], []
    for one in asked.scored:
        found = all_pairs(one, question, options.correction, settings, asked.work)
        frame = with_names(found, asked.names, "better", "worse")
        frames.append(frame.assign(metric=one.metric.key, procedure=question.procedure, unit=question.unit))
        tables.append(_pairs_table(one, question, found, frame, asked))
    return Answer(pd.concat(frames), tables)


def _pairs_table(one: Scored, question: Question, found: pd.DataFrame, frame: pd.DataFrame, asked: Asked) -> Table:
    """The pairs by one metric; ``found`` names systems by key, ``frame`` as they are shown."""
    side, notation = direction(one, question.procedure), asked.specs[one.metric.key].notation
    how = "two-sided" if side == "two-sided" else "one-sided: is the first better than the second?"
    title = f"{one.metric.name}: all pairs by {_NAMES[question.procedure]}, {UNIT_NAMES[question.unit]}, {how}"
    rows = [
        (row["better"], row["worse"], notation.difference(row["improvement"]), p_value(row["p_value"]),
         p_value(row["p_adjusted"]))
        for row in frame.to_dict("records")
    ]  # fmt: skip
    systems, said = by_score(one), []
    if found["p_value"].notna().any():
        for group in groups(found, systems, 1 - asked.settings.confidence):
            words = "not told apart" if len(group) > 1 else "told apart from all others"
            said.append(f"{words}: {', '.join(asked.names[key] for key in group)}")
    said += dict.fromkeys(note for note in frame["note"] if note)
    said.append(pairs_family_sentence(len(systems), side != "two-sided", CORRECTIONS[asked.options.correction]))
    if asked.settings.design == "fixed" and question.spec.luck == "both":
        said.append(NOT_FIXED)
    return Table(title, ("system", "against", "improvement", "p", "adjusted p"), rows, 2, said)


def _borrowed(asked: Asked) -> Answer:
    answers = two_answers(
        reported(asked.systems.experiment, asked.options.test_set), asked.scored, asked.settings, asked.work
    )
    frames, tables = [], []
    for one in asked.scored:
        rows = borrowed_rows(one, answers, asked.settings)
        if not rows:
            raise SettingsError(f"{one.metric.name}: {not_borrowed_sentence(FEWEST_SYSTEMS)}")
        frame = with_names(frame_of(rows, BorrowedRow), asked.names, "baseline", "system")
        frames.append(frame)
        cells = list(borrowed_cells(frame, asked.specs[one.metric.key].notation))
        sentence = borrowed_sentence(frame, 1 - asked.settings.confidence)
        title = f"{one.metric.name}, against {asked.systems.baseline}"
        tables.append(Table(title, BORROWED_COLUMNS, cells, 1, [sentence]))
    return Answer(pd.concat(frames), tables, [BORROWED_NOTE])


def _own_runs(asked: Asked) -> Answer:
    found = {one.metric: halvings(one, asked.unit, asked.settings, asked.work) for one in asked.scored}
    if not any(found.values()):
        raise SettingsError(
            f"No system has {counted(FEWEST_RUNS_TO_HALVE, 'run')} or more, so that none can be halved."
        )
    frames = [frame_of(rows, Halvings).assign(metric=metric.key) for metric, rows in found.items()]
    sentences = [
        f"{metric.name}: {halvings_sentence(asked.names[row.system], *astuple(row)[1:])}"
        for metric, rows in found.items()
        for row in rows
    ]
    return Answer(with_names(pd.concat(frames), asked.names, "system"), [], [*sentences, HALVINGS_NOTE])


ANSWERS: Mapping[str, Callable[[Asked], Answer]] = {
    "": _procedures,
    "--all-pairs": _pairs,
    "--borrow": _borrowed,
    "--own-runs": _own_runs,
    "--margin": _equality,
}
