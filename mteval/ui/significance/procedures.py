"""Choices that the parts of the significance page share.

The significance page's first part: the verdicts by every metric, where the two answers disagree, what p means.

What hangs on how little few runs tell of their spread: run variances that borrow from all systems.

All procedures on a pair of systems: their table and the distributions that they judge by.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mteval.analysis.comparison import Case, Outcome
from mteval.analysis.corrections import ALL_PAIRS, CORRECTIONS
from mteval.analysis.results import Results
from mteval.analysis.scoring import Scored
from mteval.analysis.significance import Family, all_questions, ask_family, family_frame, superiority
from mteval.analysis.two_answers import questions
from mteval.analysis.work import Work
from mteval.answers.procedures import (
    BORROWED_COLUMNS,
    BORROWED_NOTE,
    COLUMNS,
    P_IS,
    P_IS_NOT,
    QUESTIONS,
    UNIT_NAMES,
    borrowed_cells,
    borrowed_sentence,
    experiment_wise_sentence,
    family_sentence,
    not_borrowed_sentence,
    notes,
    procedure_cells,
    simultaneous_sentence,
    superiority_sentence,
)
from mteval.answers.verdict import remarks_on
from mteval.figures.nulls import null_distributions
from mteval.figures.style import in_words
from mteval.metrics import resolve
from mteval.metrics.base import MetricSpec
from mteval.render.csv import frame_csv
from mteval.render.html import Markup, table, tag
from mteval.report.score_tables import verdicts_table
from mteval.stats import PROCEDURES
from mteval.stats.multiplicity import FEWEST_SYSTEMS, experiment_wise_error
from mteval.stats.procedures.registry import usual
from mteval.ui.answers import nothing_to_compare
from mteval.ui.parts import messages
from mteval.ui.parts.choices import choose
from mteval.ui.parts.tables import chart
from mteval.ui.session.evaluation import evaluation_key
from mteval.ui.session.memory import statistics
from mteval.ui.session.progress import ask
from mteval.ui.setup.words import said, tell, wording
from mteval.values.notation import Notation, level

CORRECTION_HELP = (
    "For several comparisons at once. Holm, Bonferroni, max-T and Tukey's bound the chance of any false claim in the"
    " family; max-T takes into account how the comparisons depend on one another, Tukey's is for all pairs of systems"
    " and judges by the largest difference, with Student's t. Benjamini-Hochberg bounds the expected share of false"
    " claims among the claims."
)


def choose_metric(where: DeltaGenerator, results: Results, key: str) -> str:
    """One of the metrics of the evaluation."""
    names = {metric: results.spec(metric).name for metric in results.metrics}
    return choose("Metric", list(names), f"{key}-metric", where=where, format_func=names.__getitem__)


def choose_unit(where: DeltaGenerator, results: Results, key: str) -> str:
    """Documents or sentences, as the settings say unless changed here; sentences where there are no document ids."""
    if results.test_set.documents is None:
        return "segment"
    return choose(
        "Units",
        ["document", "segment"],
        f"{key}-unit",
        default="segment" if results.settings.exchange_unit == "segment" else "document",
        where=where,
        format_func=UNIT_NAMES.__getitem__,
        help="What is drawn or exchanged as one. Sentences of a document succeed and fail together, so tests that take"
        " them for independent find too much.",
    )


def choose_correction(where: DeltaGenerator, key: str, choices: Sequence[str] = tuple(CORRECTIONS)) -> str:
    """How p-values are adjusted; the first of the choices unless another was chosen that is still among them."""
    return choose(
        "Correction",
        choices,
        f"{key}-correction",
        where=where,
        format_func=CORRECTIONS.__getitem__,
        help=CORRECTION_HELP,
    )


T = TypeVar("T")
NAMES = {key: spec.name for key, spec in PROCEDURES.items()}
LUCK = {"test-set": "test set", "runs": "runs", "both": "both"}


def all_verdicts(results: Results) -> None:
    """A row a system, a column a metric, and what there is to remark on them."""
    verdicts = results.verdicts()
    if not verdicts:
        messages.say("note", said(nothing_to_compare(results)))
        return
    tell(verdicts_table(verdicts))
    for remark in remarks_on(verdicts):
        messages.say("note", said(remark))


def fixed_procedures(results: Results) -> None:
    """Which procedures give the two answers: chosen in the settings, before the numbers are seen."""
    settings = results.settings
    here = results.rows(results.evaluation.comparisons).drop_duplicates("procedure")
    parts = [
        f"{NAMES[row['procedure']]} ({UNIT_NAMES[row['unit']]}"
        + (f", {row['n_resamples']:,} {PROCEDURES[row['procedure']].resamples})" if row["n_resamples"] else ")")
        for row in here.to_dict("records")
    ]
    if parts:
        alpha = level(1 - settings.confidence)
        words = f"Fixed in the settings: {'; '.join(parts)}. Level {alpha} after Holm's correction."
        tell(tag("p", f"{words} The procedures below are for reading, not for choosing the best p.", class_="mt-quiet"))


def what_p_is() -> None:
    """What p is and what it is not."""
    tell(tag("p", tag("b", "p is: "), P_IS))
    tell(tag("p", tag("b", "p is not:")), tag("ul", *(tag("li", text) for text in P_IS_NOT), class_="mt-list"))
    items = [part for question, answer in QUESTIONS for part in (tag("dt", question), tag("dd", answer))]
    tell(tag("dl", *items, class_="mt-terms"))


def asked_questions(scored: Scored, results: Results) -> set[tuple[str, str]]:
    """Procedure and unit of the two answers."""
    return {(asked.procedure, asked.unit) for asked in questions(scored, results.settings)}


def computed(
    place: str, results: Results, choice: Hashable, compute: Callable[[tuple[Scored, ...], Work], T]
) -> T | None:
    """What ``compute`` makes of the statistics of all metrics on the test set, in the evaluation's order.

    Parameters
    ----------
    place
        As in ``ask``.
    choice
        What the user chose at that place; with experiment, settings and test set it decides the result.
    """
    experiment, settings, test_set = results.experiment, results.settings, results.test_set.name
    known = statistics()

    def compute_from_statistics(work: Work) -> T:
        scored = known.scored(experiment, resolve(settings, experiment.given), work)
        return compute(tuple(by for by in scored if by.test_set.name == test_set), work)

    key = repr((place, evaluation_key(experiment, settings), test_set, choice))
    return ask(place, key, compute_from_statistics, settings.workers)


def sensitivity_tab(results: Results) -> None:
    """The verdicts by the primary metric with their own run variances and with borrowed ones."""
    frame = results.rows(results.evaluation.sensitivity)
    if frame.empty:
        messages.say("note", said(not_borrowed_sentence(FEWEST_SYSTEMS)))
        return
    spec = results.spec(results.settings.primary_metric)
    tell(tag("p", borrowed_sentence(frame, 1 - results.settings.confidence)))
    head = tuple(name[:1].upper() + name[1:] for name in BORROWED_COLUMNS)
    caption = f"{spec.name}, against {results.name_of(results.experiment.baseline)}."
    tell(table(head, list(borrowed_cells(frame, spec.notation)), n_words=1, caption=caption))
    tell(tag("p", BORROWED_NOTE, class_="mt-quiet"))


HEAD = (
    *("Procedure", "Luck", "Units", "Difference", "Interval", "p", "p adjusted", "Simultaneous interval"),
    *("Resamples", "Seconds"),
)
HELP = {
    "Luck": "With what: the choice of the test set, the runs, or both together.",
    "p": "p-value before any correction.",
    "p adjusted": "p-value adjusted for the family named below.",
    "Simultaneous interval": "One of a family of intervals that hold together; how is said below.",
}
PLACE = "procedures"


def procedures_tab(results: Results) -> None:
    """Every procedure of the registry on a chosen pair."""
    systems = results.systems
    if len(systems) < 2:
        messages.say("note", said(nothing_to_compare(results)))
        return
    first = results.experiment.baseline if results.experiment.baseline in systems else systems[0]
    columns = st.columns(6)
    metric = choose_metric(columns[0], results, PLACE)
    others = [system for system in systems if system != first]
    baseline = choose("Compare with", [first, *others], f"{PLACE}-base", where=columns[1])
    others = [system for system in systems if system != baseline]
    system = choose("System", others, f"{PLACE}-system", where=columns[2])
    correction = choose_correction(columns[3], PLACE, [key for key in CORRECTIONS if key != ALL_PAIRS])
    is_wide = choose(
        "Family", [False, True], f"{PLACE}-family", where=columns[4],
        format_func=["this metric", "all metrics"].__getitem__, help="The comparisons that p-values are adjusted for.",
    )  # fmt: skip
    unit = choose_unit(columns[5], results, PLACE)
    asked = _asked(results, metric, baseline, unit, is_wide)
    if asked is not None:
        _show(results, asked, metric, baseline, system, correction)


def _asked(results: Results, metric: str, baseline: str, unit: str, is_wide: bool) -> tuple[Outcome, ...] | None:
    settings = results.settings

    def compute(scored: tuple[Scored, ...], work: Work) -> tuple[Outcome, ...]:
        chosen = [by for by in scored if is_wide or by.metric.key == metric]
        usual_ones = all_questions(unit, usual(settings.design))
        asked = dict.fromkeys((*usual_ones, *questions(chosen[0], settings)))  # the fixed ones always
        return ask_family(Family.of(chosen, baseline), tuple(asked), settings, work)

    choice = ("all metrics" if is_wide else metric, baseline, unit)
    return computed(PLACE, results, choice, compute)


def _show(
    results: Results, outcomes: Sequence[Outcome], metric: str, baseline: str, system: str, correction: str
) -> None:
    settings = results.settings
    frame = family_frame(outcomes, correction, settings)
    is_here = ((frame["metric"] == metric) & (frame["system"] == system)).to_numpy()
    here, tests = frame[is_here], [test for test, wanted in zip(outcomes, is_here, strict=True) if wanted]
    fixed = asked_questions(tests[0].case.scored, results)
    spec = results.spec(metric)
    tell(_table(here, fixed, f"{spec.name}: {system} against {baseline}, two-sided.", spec.notation))
    for note in notes(here, NAMES):
        tell(tag("p", note, class_="mt-quiet"))
    n_metrics = len({test.case.scored.metric.key for test in outcomes})
    n_systems = len({test.case.system for test in outcomes})
    level, n = 1 - settings.confidence, n_metrics * n_systems
    tell(tag("p", family_sentence(n_systems, n_metrics, CORRECTIONS[correction]), class_="mt-quiet"))
    tell(tag("p", simultaneous_sentence(here, settings.confidence), class_="mt-quiet"))
    tell(tag("p", experiment_wise_sentence(level, n, experiment_wise_error(level, n)), class_="mt-quiet"))
    _superiority(tests[0].case, settings.confidence, spec.notation.comparatives[0])
    st.download_button(
        "Table as CSV", data=lambda: frame_csv(here), file_name="mteval-procedures.csv", mime="text/csv",
        on_click="ignore", icon=":material/download:", key=f"{PLACE}-download",
    )  # fmt: skip
    _distributions(tests, spec)


def _table(frame: pd.DataFrame, fixed: set[tuple[str, str]], caption: str, notation: Notation) -> Markup:
    rows = []
    for row, cells in zip(frame.to_dict("records"), procedure_cells(frame, NAMES, notation), strict=True):
        is_fixed = (row["procedure"], row["unit"]) in fixed
        spec = PROCEDURES[row["procedure"]]
        name = tag("span", cells[0] + (" ◆" if is_fixed else ""), title=spec.summary, class_="mt-help")
        if is_fixed:
            name = tag("b", name)
        rows.append((name, LUCK[spec.luck], *cells[1:]))
    assert len(HEAD) == len(COLUMNS) + 1
    return table(
        HEAD, rows, n_words=3, caption=f"{caption} ◆ gives an answer above, fixed in the settings.",
        help_texts=HELP,
    )  # fmt: skip


def _superiority(case: Case, confidence: float, word: str) -> None:
    share = superiority(case, confidence)
    words = superiority_sentence(
        case.baseline, case.system, case.scored.metric.name, probability=share.probability, low=share.low,
        high=share.high, confidence=confidence, word=word,
    )  # fmt: skip
    if words:
        tell(tag("p", words))


def _distributions(tests: Sequence[Outcome], spec: MetricSpec) -> None:
    frame = pd.DataFrame(
        [
            {
                "name": test.case.question.spec.name + _of_units(test, tests),
                "statistic": test.result.statistic,
                "null": test.result.null,
                "draws": test.result.draws,
                "standard_error": test.result.standard_error,
                "df": test.result.df,
                "is_absolute": test.case.question.spec.null == "absolute",
            }
            for test in tests
            if test.result.null is not None or test.result.draws is not None or test.result.standard_error > 0
        ]
    )
    if frame.empty:
        return
    st.markdown("**What each procedure judges by**")
    figure = in_words(null_distributions(frame, spec.name, spec.notation), wording())
    chart(figure, f"{PLACE}-nulls")
    tell(
        tag(
            "p",
            "Each row is a distribution of the difference. Blue: what chance would bring if there were none; the share"
            " at least as far out as the orange mark is p. Green: the paired bootstrap makes no such distribution; its"
            " replicates lie around the observed difference, and the share beyond zero counts.",
            class_="mt-quiet",
        )
    )


def _of_units(test: Outcome, tests: Sequence[Outcome]) -> str:
    """``, sentences`` where the same procedure stands there with documents as well."""
    question = test.case.question
    same = [other for other in tests if other.case.question.procedure == question.procedure]
    return f", {UNIT_NAMES[question.unit]}" if len(same) > 1 else ""
